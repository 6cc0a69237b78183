// Probe of Go's clocks, for Chronoscope. What it is asked and what it answers: ../PROTOCOL.md.
//
//	GOTOOLCHAIN=local go build -o probe probe.go && ./probe REQUEST
//
// Go 1.18 or newer, on Unix. Decisions:
//
//   - Few packages, since all of them are compiled before the first run: no fmt, no encoding/json.
//   - Every clock has loops of its own, written out: shared ones would call it through a pointer.
//   - time.Now is folded by UnixNano, as it is where it becomes a number; that costs about 1 ns.
//   - The lane `nothing` loads a variable atomically, which the compiler can neither leave out nor take out of the
//     loop.
//   - Nothing in a timed loop allocates, so that the collector has no reason to run.
//   - Counted reads and concurrent ones are made on locked threads. Pauses and the latch are not: there goroutines are
//     what users have, and locking would add switches of threads. So CPU time is that of the process.
//   - Concurrent threads read for concurrentLeadNs before its batches begin, at one time for all: released threads may share a CPU
//     until the scheduler parts them.
//   - A sweep's goroutines are locked to threads, too. They are let in by a channel of their own each and meet at a
//     counter, where they spin and give way only after a while. The first is the probe's own and needs no wake-up.
//   - Between the rounds of a sweep the collector is run, so that it does not run while a round is made.
//   - A latch is a channel that is closed. A goroutine counts itself just before it waits there; the opener then goes
//     on giving way for a moment, until all of them have parked.
//   - The goroutine whose call ends last stamps the end of a release itself. What it takes to wake the opener does not
//     count.
package main

import (
	"math"
	"os"
	"runtime"
	"sort"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	readsMax             = 1 << 30
	chunkReads           = 256 // reads between two looks at the time, while steps are awaited
	stepsAtLeast         = 10
	warmBatchesKept      = 200
	checks               = 5
	roundsAtLeast        = 3
	concurrentBatches         = 4000
	concurrentLeadNs          = 10 * int64(time.Millisecond)
	iterationBatches         = 200
	meetingNs            = 2 * int64(time.Millisecond) // then a goroutine that waits for others gives way
	pausesATurn          = 200
	pauseTurnNs          = 20 * int64(time.Millisecond)
	latchTurnsAtLeast    = 3
	latchTurns           = 400
	serialCallsPerThread = 10
	parkNs               = 20 * int64(time.Microsecond)
	workAtLeast          = 16 // steps of work between readings at irregular times
	changesTimed         = 4  // of the timer, while such work is timed
	randomShift          = 33 // the upper bits of the work's state are random
)

// The largest values, the same in all probes: products of them still fit 63 bits.
var most = map[string]uint64{
	"reads":      readsMax,
	"readings":   readsMax,
	"spread_ns":  1e9,
	"threads":    concurrentBatches,
	"batch_ns":   1e12,
	"warm_ms":    1e9,
	"lanes_ms":   1e9,
	"steps":      readsMax,
	"steps_ms":   1e9,
	"concurrent_ms":   1e9,
	"budget_ms":  1e9,
	"iteration_ns":   1e12,
	"lengths_ns": 1e12,

	"tokens":       readsMax,
	"threads_list": concurrentBatches,
}

var sink uint64

func fail(code int, message string) {
	os.Stderr.WriteString("probe.go: " + message + "\n")
	os.Exit(code)
}

// ---- the request ----

type request struct {
	numbers map[string]uint64
	strings map[string]string
	lists   map[string][]uint64
}

// scanner reads one flat object of unsigned integers, of strings without escapes, and of lists of unsigned integers.
type scanner struct {
	text string
	at   int
}

func (s *scanner) invalid(what string) {
	fail(2, "invalid request, at byte "+strconv.Itoa(s.at)+": "+what)
}

// peek skips white space; it returns 0 at the end.
func (s *scanner) peek() byte {
	for ; s.at < len(s.text); s.at++ {
		if c := s.text[s.at]; c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			return c
		}
	}
	return 0
}

func (s *scanner) take(wanted byte) {
	if s.peek() != wanted {
		s.invalid("not a '" + string(rune(wanted)) + "'")
	}
	s.at++
}

func (s *scanner) number() uint64 {
	s.peek()
	begin := s.at
	for s.at < len(s.text) && s.text[s.at] >= '0' && s.text[s.at] <= '9' {
		s.at++
	}
	digits := s.text[begin:s.at]
	number, err := strconv.ParseUint(digits, 10, 64)
	if err != nil || digits[0] == '0' && len(digits) > 1 {
		s.invalid("not an unsigned integer of 64 bits")
	}
	return number
}

func (s *scanner) string() string {
	s.take('"')
	begin := s.at
	for ; s.at < len(s.text) && s.text[s.at] != '"'; s.at++ {
		if s.text[s.at] == '\\' {
			s.invalid("an escape in a string")
		}
	}
	text := s.text[begin:s.at]
	s.take('"')
	return text
}

// items calls item for what stands between two brackets, divided by commas.
func (s *scanner) items(first, last byte, item func()) {
	s.take(first)
	for more := s.peek() != last; more; {
		item()
		if more = s.peek() == ','; more {
			s.take(',')
		}
	}
	s.take(last)
}

func scan(text string) request {
	s := scanner{text: text}
	r := request{map[string]uint64{}, map[string]string{}, map[string][]uint64{}}
	s.items('{', '}', func() {
		key := s.string()
		s.take(':')
		switch s.peek() {
		case '"':
			r.strings[key] = s.string()
		case '[':
			list := []uint64{}
			s.items('[', ']', func() { list = append(list, s.number()) })
			r.lists[key] = list
		default:
			r.numbers[key] = s.number()
		}
	})
	if s.peek() != 0 || s.at < len(text) {
		s.invalid("something behind the end")
	}
	protocol, given := r.numbers["protocol"]
	if !given {
		fail(2, "invalid request: it lacks protocol")
	}
	if protocol != 1 {
		fail(3, "this probe speaks protocol 1 only")
	}
	return r
}

func within(key string, value uint64) uint64 {
	if limit, limited := most[key]; limited && value > limit {
		fail(2, "invalid request: too large: "+key)
	}
	return value
}

func (r request) number(key string) uint64 {
	value, given := r.numbers[key]
	if !given {
		fail(2, "invalid request: it lacks the number "+key)
	}
	return within(key, value)
}

func (r request) list(key string) []uint64 {
	values, given := r.lists[key]
	if !given {
		fail(2, "invalid request: it lacks the list "+key)
	}
	for _, value := range values {
		within(key, value)
	}
	return values
}

// ns is a number of milliseconds in nanoseconds.
func (r request) ns(key string) int64 {
	return int64(r.number(key)) * int64(time.Millisecond)
}

// first is where to begin a turn of so many.
func (r request) first(of int) int {
	return int(r.number("rotation") % uint64(of))
}

// ---- the answer ----

// line is one line of the answer in the making.
type line []byte

func (l *line) key(key string) {
	if len(*l) > 1 {
		*l = append(*l, ',')
	}
	l.text(key)
	*l = append(*l, ':')
}

func (l *line) text(text string) {
	const hex = "0123456789abcdef"
	*l = append(*l, '"')
	for _, c := range text { // what is not UTF-8 becomes U+FFFD
		switch {
		case c == '"' || c == '\\':
			*l = append(*l, '\\', byte(c))
		case c < ' ':
			*l = append(*l, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		default:
			*l = append(*l, string(c)...)
		}
	}
	*l = append(*l, '"')
}

func (l *line) list(length int, item func(i int)) {
	*l = append(*l, '[')
	for i := 0; i < length; i++ {
		if i > 0 {
			*l = append(*l, ',')
		}
		item(i)
	}
	*l = append(*l, ']')
}

func (l *line) number(n int64)         { *l = strconv.AppendInt(*l, n, 10) }
func (l *line) numbers(values []int64) { l.list(len(values), func(i int) { l.number(values[i]) }) }

// value is text, a number, numbers or lists of them, a truth, or nil.
func (l *line) value(value interface{}) {
	switch v := value.(type) {
	case string:
		l.text(v)
	case int64:
		l.number(v)
	case []string:
		l.list(len(v), func(i int) { l.text(v[i]) })
	case []int64:
		l.numbers(v)
	case [][2]int64:
		l.list(len(v), func(i int) { l.numbers(v[i][:]) })
	case [][3]int64:
		l.list(len(v), func(i int) { l.numbers(v[i][:]) })
	case bool:
		*l = strconv.AppendBool(*l, v)
	default:
		*l = append(*l, "null"...)
	}
}

// say writes a line at once. Keys and values take turns.
func say(kind string, members ...interface{}) {
	l := line("{")
	l.key("type")
	l.text(kind)
	for i := 0; i < len(members); i += 2 {
		l.key(members[i].(string))
		l.value(members[i+1])
	}
	if _, err := os.Stdout.WriteString(string(append(l, '}', '\n'))); err != nil {
		fail(1, "cannot write the answer: "+err.Error())
	}
}

// counts sorts the values.
func counts(values []int64) [][2]int64 {
	sort.Slice(values, func(i, j int) bool { return values[i] < values[j] })
	pairs := [][2]int64{}
	for i, value := range values {
		if i == 0 || value != values[i-1] {
			pairs = append(pairs, [2]int64{value, 0})
		}
		pairs[len(pairs)-1][1]++
	}
	return pairs
}

// ---- clocks ----

var origin = time.Now()

// now is the timer.
func now() int64 { return int64(time.Since(origin)) }

var cell uint32

//go:noinline
func laneNothing(reads uint64) (sum uint64) {
	for ; reads > 0; reads-- {
		sum += uint64(atomic.LoadUint32(&cell))
	}
	return sum
}

//go:noinline
func laneSince(reads uint64) (sum uint64) {
	for start := origin; reads > 0; reads-- {
		sum += uint64(time.Since(start))
	}
	return sum
}

//go:noinline
func laneNow(reads uint64) (sum uint64) {
	for ; reads > 0; reads-- {
		sum += uint64(time.Now().UnixNano())
	}
	return sum
}

// work is made of steps that cannot be merged, as what is added changes.
func work(state, tokens uint64) uint64 {
	for ; tokens > 0; tokens-- {
		state = state*0x5851F42D4C957F2D + tokens
	}
	return state
}

//go:noinline
func sweepNothing(operations, tokens uint64) uint64 {
	state := operations
	for ; operations > 0; operations-- {
		state = work(state, tokens)
	}
	return state
}

//go:noinline
func sweepSince(operations, tokens uint64) (sum uint64) {
	state := operations
	for start := origin; operations > 0; operations-- {
		state = work(state, tokens)
		sum += uint64(time.Since(start))
	}
	return sum + state
}

//go:noinline
func sweepNow(operations, tokens uint64) (sum uint64) {
	state := operations
	for ; operations > 0; operations-- {
		state = work(state, tokens)
		sum += uint64(time.Now().UnixNano())
	}
	return sum + state
}

// A step function reads a chunk and appends changes while there is room; it returns reads and how many were unchanged.

//go:noinline
func stepSince(changes *[]int64) (reads, unchanged int64) {
	start := origin
	before := int64(time.Since(start))
	for reads = 1; reads < chunkReads && len(*changes) < cap(*changes); reads++ {
		reading := int64(time.Since(start))
		if reading == before {
			unchanged++
		} else {
			*changes = append(*changes, reading-before)
		}
		before = reading
	}
	return reads, unchanged
}

//go:noinline
func stepNow(changes *[]int64) (reads, unchanged int64) {
	before := time.Now().UnixNano()
	for reads = 1; reads < chunkReads && len(*changes) < cap(*changes); reads++ {
		reading := time.Now().UnixNano()
		if reading == before {
			unchanged++
		} else {
			*changes = append(*changes, reading-before)
		}
		before = reading
	}
	return reads, unchanged
}

//go:noinline
func readingsSince(into []int64) {
	start := origin
	for i := range into {
		into[i] = int64(time.Since(start))
	}
}

//go:noinline
func readingsNow(into []int64) {
	for i := range into {
		into[i] = time.Now().UnixNano()
	}
}

type clock struct {
	name, kind string
	lane       func(reads uint64) uint64
	sweep      func(operations, tokens uint64) uint64
	step       func(changes *[]int64) (reads, unchanged int64)
	readings   func(into []int64)
}

var clocks = []clock{
	{"time.Since", "monotonic", laneSince, sweepSince, stepSince, readingsSince},
	{"time.Now().UnixNano", "wall", laneNow, sweepNow, stepNow, readingsNow},
}

// touched has every page there, so that no page fault falls between two reads.
func touched(length uint64) []int64 {
	values := make([]int64, length)
	for i := range values {
		values[i] = -1
	}
	return values
}

func identify() {
	executable, err := os.Executable()
	if err != nil {
		executable = ""
	}
	procs := runtime.GOMAXPROCS(0)
	notes := []string{
		"A turn of a lane adds the reading to a sum; time.Now is converted by UnixNano, which is part of the turn.",
		"The lane nothing loads a variable atomically and adds it to a sum.",
		"time.Since is the time since one start, read before.",
		"GOMAXPROCS is " + strconv.Itoa(procs) + ": at most so many goroutines run at once.",
		"In concurrent reads and in a sweep every goroutine is locked to a thread of its own.",
		"Behind the latch there are goroutines, which are not threads. The latch is a channel that is closed.",
		"Pauses are those of a goroutine that is not locked to a thread; CPU time is that of the process.",
	}
	say("identity", "protocol", int64(1), "runtime", "Go", "version", runtime.Version(), "executable", executable,
		"timer", "time.Since", "timer_hz", int64(time.Second), "parallel", procs > 1 || runtime.NumCPU() == 1,
		"notes", notes)
	for _, c := range clocks {
		say("clock", "clock", c.name, "kind", c.kind, "hz", int64(time.Second), "declared_hz", nil,
			"declared_resolution_ns", nil, "high_resolution", nil)
	}
}

// tellElapsed tells the ticks of every clock since `first`, which it fills if it is empty. A line is heard when it is written.
func tellElapsed(first map[string]int64) {
	for i := range clocks {
		c, now := &clocks[i], make([]int64, 1)
		c.readings(now)
		if _, begun := first[c.name]; !begun {
			first[c.name] = now[0]
		}
		say("elapsed", "clock", c.name, "ticks", now[0]-first[c.name])
	}
}

// ---- task count ----

func countReads(r request) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	reads := r.number("reads")
	for i := 0; reads > 0 && i < len(clocks); i++ {
		c := &clocks[i]
		sink += c.lane(1)
		say("count_begin", "clock", c.name)
		sum := c.lane(reads)
		say("count_end", "clock", c.name, "reads", int64(reads))
		sink += sum
	}
}

// ---- task clocks ----

type lane struct {
	name  string
	loop  func(reads uint64) uint64
	reads uint64
	warm  [][2]int64
	ticks []int64
	check [][2]int64
}

func newLanes() []*lane {
	lanes := []*lane{{name: "nothing", loop: laneNothing, reads: 1}}
	for _, c := range clocks {
		lanes = append(lanes, &lane{name: c.name, loop: c.lane, reads: 1})
	}
	return lanes
}

func (l *lane) batch(reads uint64) int64 {
	begin := now()
	sum := l.loop(reads)
	end := now()
	sink += sum
	return end - begin
}

// warmUp makes one batch and tells whether it was long enough.
func (l *lane) warmUp(batchNs int64) bool {
	ticks := l.batch(l.reads)
	if len(l.warm) < warmBatchesKept {
		l.warm = append(l.warm, [2]int64{int64(l.reads), ticks})
	}
	if ticks >= batchNs || l.reads >= readsMax {
		return true
	}
	l.reads *= 2
	return false
}

func warmLanes(lanes []*lane, first int, batchNs, warmNs int64) {
	for begin, turn := now(), first; now()-begin < warmNs; turn++ {
		for i := range lanes {
			lanes[(turn+i)%len(lanes)].warmUp(batchNs)
		}
	}
	for i := range lanes {
		for !lanes[(first+i)%len(lanes)].warmUp(batchNs) {
		}
	}
}

func measureLanes(lanes []*lane, first int, lanesNs int64) {
	begin := now()
	for round := 0; round < roundsAtLeast || now()-begin < lanesNs; round++ {
		for i := range lanes {
			l := lanes[(first+round+i)%len(lanes)]
			l.ticks = append(l.ticks, l.batch(l.reads))
		}
	}
	for check := 0; check < checks; check++ {
		for i := range lanes {
			l := lanes[(first+i)%len(lanes)]
			one := l.batch(l.reads)
			l.check = append(l.check, [2]int64{one, l.batch(4 * l.reads)})
		}
	}
	for _, l := range lanes {
		say("lane", "clock", l.name, "reads", int64(l.reads), "ticks", l.ticks, "warm", l.warm, "check", l.check)
	}
}

func (c *clock) awaitSteps(wanted uint64, shareNs int64) {
	changes := touched(wanted)[:0]
	var reads, unchanged, passed int64
	begin := now()
	for len(changes) < cap(changes) && passed < 4*shareNs && (passed < shareNs || len(changes) < stepsAtLeast) {
		chunkReads, chunkUnchanged := c.step(&changes)
		passed = now() - begin
		reads += chunkReads
		unchanged += chunkUnchanged
	}
	say("steps", "clock", c.name, "reads", reads, "unchanged", unchanged, "changes", changes)
}

func (c *clock) countDifferences(reads uint64) {
	readings := touched(reads)
	c.readings(readings)
	span := readings[reads-1] - readings[0]
	if span < 0 {
		span = 0
	}
	for i := 1; i < len(readings); i++ {
		readings[i-1] = readings[i] - readings[i-1]
	}
	say("differences", "clock", c.name, "span", span, "counts", counts(readings[:reads-1]))
}

// The shortest of three changes of the timer.
func timerStepNs() int64 {
	shortest := int64(math.MaxInt64)
	for i := 0; i < 3; i++ {
		begin := now()
		change := int64(0)
		for change == 0 {
			change = now() - begin
		}
		if change < shortest {
			shortest = change
		}
	}
	return shortest
}

func fastestNs(steps uint64) int64 {
	fastest := int64(math.MaxInt64)
	for i := 0; i < 3; i++ {
		begin := now()
		sink += work(sink, steps)
		if taken := now() - begin; taken < fastest {
			fastest = taken
		}
	}
	return fastest
}

// The least power of two of steps that takes so long, from work that takes several changes of the timer.
func stepsOf(spreadNs int64) uint64 {
	timed, steps := uint64(workAtLeast), uint64(workAtLeast)
	longEnoughNs := changesTimed * timerStepNs()
	if longEnoughNs < spreadNs {
		longEnoughNs = spreadNs
	}
	takenNs := fastestNs(timed)
	for takenNs < longEnoughNs && timed < readsMax {
		timed *= 2
		takenNs = fastestNs(timed)
	}
	for steps < timed && float64(steps)*float64(takenNs) < float64(spreadNs)*float64(timed) {
		steps *= 2
	}
	return steps
}

// A reading after each of 1 to `most` steps of work; `most` is a power of two.
func (c *clock) readIrregularly(count, most uint64) {
	readings, state := touched(count), count
	for i := range readings {
		state = work(state, 1+(state>>randomShift&(most-1)))
		c.readings(readings[i : i+1])
	}
	sink += state
	for i := 1; i < len(readings); i++ {
		readings[i-1] = readings[i] - readings[i-1]
	}
	say("readings", "clock", c.name, "changes", readings[:count-1])
}

func (c *clock) concurrent(reads uint64, threads int, shareNs int64) {
	room := concurrentBatches / threads
	var waiting int32
	var first int64 // when batches begin
	gate := make(chan struct{})
	done := make(chan uint64, threads)
	stamps := make([][]int64, threads) // begin and end in turn
	for thread := range stamps {
		stamps[thread] = touched(uint64(2 * room))[:0]
		go func(stamps *[]int64) {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			var sum uint64
			atomic.AddInt32(&waiting, 1)
			<-gate
			for now() < first {
				sum += c.lane(1)
			}
			for end := first; len(*stamps) < cap(*stamps) && end < first+shareNs; {
				begin := now()
				sum += c.lane(reads)
				end = now()
				*stamps = append(*stamps, begin, end)
			}
			done <- sum
		}(&stamps[thread])
	}
	awaitParked(&waiting, threads)
	first = now() + concurrentLeadNs
	close(gate)
	for range stamps {
		sink += <-done
	}
	batches := [][3]int64{}
	for thread, stamps := range stamps {
		for i := 0; i < len(stamps); i += 2 {
			batches = append(batches, [3]int64{int64(thread), stamps[i], stamps[i+1]})
		}
	}
	say("concurrent", "clock", c.name, "threads", int64(threads), "reads", int64(reads), "batches", batches)
}

// awaitParked waits until so many goroutines have counted themselves, and then a little for them to park. It returns
// when the last one had counted itself.
func awaitParked(waiting *int32, threads int) int64 {
	for atomic.LoadInt32(waiting) < int32(threads) {
		runtime.Gosched()
	}
	all := now()
	for now()-all < parkNs {
		runtime.Gosched()
	}
	return all
}

func measureClocks(r request) {
	batchNs, warmNs, lanesNs := int64(r.number("batch_ns")), r.ns("warm_ms"), r.ns("lanes_ms")
	steps, stepsNs, reads := r.number("steps"), r.ns("steps_ms"), r.number("reads")
	readings, spreadNs := r.number("readings"), int64(r.number("spread_ns"))
	threads, concurrentNs := int64(r.number("threads")), r.ns("concurrent_ms")
	lanes := newLanes()
	first := r.first(len(lanes))
	concurrently := threads > 0 && concurrentNs > 0
	if lanesNs > 0 || concurrently {
		warmLanes(lanes, first, batchNs, warmNs)
	}
	if lanesNs > 0 {
		measureLanes(lanes, first, lanesNs)
	}
	for i := 0; steps > 0 && stepsNs > 0 && i < len(clocks); i++ {
		clocks[i].awaitSteps(steps, stepsNs/int64(len(clocks)))
	}
	for i := 0; reads > 0 && i < len(clocks); i++ {
		clocks[i].countDifferences(reads)
	}
	if readings > 0 {
		most := stepsOf(spreadNs)
		for i := range clocks {
			clocks[i].readIrregularly(readings, most)
		}
	}
	for i := 0; concurrently && i < len(clocks); i++ {
		// Longer batches where more than concurrentBatches would fit into the share.
		shareNs := concurrentNs / int64(len(clocks))
		longer := 1 + shareNs/concurrentBatches*threads/(batchNs+1)
		clocks[i].concurrent(lanes[i+1].reads*uint64(longer), int(threads), shareNs)
	}
}

// ---- task pause ----

var ways = []struct {
	name  string
	pause func(begin, lengthNs int64)
}{
	{"time.Sleep", func(begin, lengthNs int64) { time.Sleep(time.Duration(lengthNs)) }},
	{"<-time.After", func(begin, lengthNs int64) { <-time.After(time.Duration(lengthNs)) }},
	{"busy wait", func(begin, lengthNs int64) {
		for now()-begin < lengthNs {
		}
	}},
	{"busy wait, runtime.Gosched", func(begin, lengthNs int64) {
		for now()-begin < lengthNs {
			runtime.Gosched()
		}
	}},
}

type pauses struct {
	way           int
	lengthNs      int64
	taken         []int64
	wallNs, cpuNs int64
}

func (p *pauses) turn() {
	taken := make([]int64, 0, pausesATurn)
	pause := ways[p.way].pause
	cpu, first := cpuNs(), now()
	for more := true; more; {
		begin := now()
		pause(begin, p.lengthNs)
		end := now()
		taken = append(taken, end-begin)
		passed := end - first
		more = len(taken) < pausesATurn && passed+passed/int64(len(taken)) <= pauseTurnNs
	}
	p.wallNs += now() - first
	p.cpuNs += cpuNs() - cpu
	p.taken = append(p.taken, taken...)
}

// cpuNs is the CPU time of the process.
func cpuNs() int64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		fail(1, "getrusage: "+err.Error())
	}
	return usage.Utime.Nano() + usage.Stime.Nano()
}

func measurePauses(r request) {
	budgetNs, first := r.ns("budget_ms"), r.first(len(ways))
	lengths := r.list("lengths_ns")
	all := make([][]*pauses, len(ways))
	for way := range ways {
		for _, ns := range lengths {
			if ns > 0 && budgetNs > 0 {
				all[way] = append(all[way], &pauses{way: way, lengthNs: int64(ns)})
			}
		}
	}
	begin := now()
	for turn := 0; len(all[0]) > 0 && (turn == 0 || now()-begin < budgetNs); turn++ {
		for i := range ways {
			for _, p := range all[(first+turn+i)%len(ways)] {
				if turn == 0 || now()-begin < budgetNs {
					p.turn()
				}
			}
		}
	}
	for _, ps := range all {
		for _, p := range ps {
			say("pause", "way", ways[p.way].name, "requested_ns", p.lengthNs, "wall_ns", p.wallNs, "cpu_ns", p.cpuNs,
				"taken_ns", counts(p.taken))
		}
	}
}

// ---- task latch ----

type calls struct {
	*lane
	serial, release, inside, wake []int64
}

// released starts goroutines behind a closed gate, opens it, and returns how long the start took, and when it opened.
func released(threads int, run func(thread int)) (start, opening int64) {
	var waiting, left int32 = 0, int32(threads)
	gate, done := make(chan struct{}), make(chan struct{})
	begin := now()
	for thread := 0; thread < threads; thread++ {
		go func(thread int) {
			atomic.AddInt32(&waiting, 1)
			<-gate
			run(thread)
			if atomic.AddInt32(&left, -1) == 0 {
				close(done)
			}
		}(thread)
	}
	start = awaitParked(&waiting, threads) - begin
	opening = now()
	close(gate)
	<-done
	return start, opening
}

func (c *calls) turn(threads int) (starts [2]int64) {
	c.serial = append(c.serial, c.batch(uint64(threads*serialCallsPerThread)))

	var lastEnd, opening int64
	left, loop := int32(threads), c.loop
	sums := make([]uint64, threads)
	starts[0], opening = released(threads, func(thread int) {
		sums[thread] = loop(1)
		if atomic.AddInt32(&left, -1) == 0 {
			lastEnd = now()
		}
	})
	c.release = append(c.release, lastEnd-opening)

	stamps := make([][2]int64, threads)
	starts[1], opening = released(threads, func(thread int) {
		woken := now()
		sums[thread] += loop(1)
		stamps[thread] = [2]int64{woken, now()}
	})
	for thread, stamp := range stamps {
		c.wake = append(c.wake, stamp[0]-opening)
		c.inside = append(c.inside, stamp[1]-stamp[0])
		sink += sums[thread]
	}
	return starts
}

func measureLatch(r request) {
	threads, budgetNs := int(r.number("threads")), r.ns("budget_ms")
	all := []*calls{}
	for _, l := range newLanes() {
		all = append(all, &calls{lane: l})
	}
	first := r.first(len(all))
	if threads == 0 {
		fail(2, "invalid request: no threads to release")
	}
	if budgetNs == 0 {
		return
	}
	starts := []int64{}
	begin := now()
	for turn := 0; turn < latchTurns && (turn < latchTurnsAtLeast || now()-begin < budgetNs); turn++ {
		for i := range all {
			pair := all[(first+turn+i)%len(all)].turn(threads)
			starts = append(starts, pair[:]...)
		}
	}
	for _, c := range all {
		say("latch", "call", c.name, "serial_calls", int64(threads*serialCallsPerThread), "serial", c.serial,
			"release", c.release, "inside", counts(c.inside), "wake", counts(c.wake))
	}
	say("latch_start", "start", starts)
}

// ---- task sweep ----

// sweepCell is a loop with an amount of work; the reads of its lane are operations.
type sweepCell struct {
	*lane
	tokens uint64
}

func newCells(r request) []*sweepCell {
	wanted := r.list("clocks")
	for i := 0; len(r.lists["clocks"]) == 0 && i < len(clocks); i++ {
		wanted = append(wanted, uint64(i)) // none is of kind cpu
	}
	swept := []clock{{name: "nothing", lane: laneNothing, sweep: sweepNothing}}
	for _, i := range wanted {
		if i >= uint64(len(clocks)) {
			fail(2, "invalid request: no such clock in clocks")
		}
		swept = append(swept, clocks[i])
	}
	cells := []*sweepCell{}
	for _, c := range swept {
		for _, tokens := range r.list("tokens") {
			tokens, sweep := tokens, c.sweep
			loop := c.lane
			if tokens > 0 {
				loop = func(operations uint64) uint64 { return sweep(operations, tokens) }
			}
			cells = append(cells, &sweepCell{&lane{name: c.name, loop: loop, reads: 1}, tokens})
		}
	}
	return cells
}

// enlarge makes batches longer until the fastest of three is long enough.
func (c *sweepCell) enlarge(leastNs int64) {
	for longEnough := 0; longEnough < 3 && c.reads < readsMax; {
		if c.batch(c.reads) >= leastNs {
			longEnough++
		} else {
			longEnough = 0
			c.reads += c.reads/4 + 1
		}
	}
}

// team is of goroutines that make iterations together; its member 0 is the one that calls iteration.
type team struct {
	iterationNs  int64
	cell     *sweepCell
	together int32
	met      int32
	members  []*member
	done     chan struct{}
}

type member struct {
	called chan struct{}
	sum    uint64
	stamps []int64 // begin and end in turn
}

func newTeam(threads uint64, iterationNs int64) *team {
	t := &team{iterationNs: iterationNs, done: make(chan struct{}, threads)}
	for i := uint64(0); i < threads; i++ {
		m := &member{called: make(chan struct{}, 1), stamps: touched(2 * iterationBatches)}
		t.members = append(t.members, m)
		if i > 0 {
			go func() {
				runtime.LockOSThread()
				for range m.called {
					m.iteration(t)
					t.done <- struct{}{}
				}
			}()
		}
	}
	return t
}

func (m *member) iteration(t *team) {
	m.stamps = m.stamps[:0]
	atomic.AddInt32(&t.met, 1)
	for came := now(); atomic.LoadInt32(&t.met) < t.together; {
		if now()-came > meetingNs {
			runtime.Gosched()
		}
	}
	loop, operations := t.cell.loop, t.cell.reads
	sum := loop(operations)
	first := now()
	for more := true; more; {
		begin := now()
		sum += loop(operations)
		end := now()
		m.stamps = append(m.stamps, begin, end)
		more = len(m.stamps) < cap(m.stamps) && end-first < t.iterationNs
	}
	m.sum += sum
}

func (t *team) iteration(c *sweepCell, together int) [][3]int64 {
	t.cell, t.together = c, int32(together)
	atomic.StoreInt32(&t.met, 0)
	for _, m := range t.members[1:together] {
		m.called <- struct{}{}
	}
	t.members[0].iteration(t)
	for i := 1; i < together; i++ {
		<-t.done
	}
	batches := [][3]int64{}
	for thread, m := range t.members[:together] {
		for i := 0; i < len(m.stamps); i += 2 {
			batches = append(batches, [3]int64{int64(thread), m.stamps[i], m.stamps[i+1]})
		}
	}
	return batches
}

type iteration struct {
	cell     *sweepCell
	together int
	batches  [][3]int64
}

func (t *team) round(round int, cells []*sweepCell, threads []uint64) {
	iterations := []iteration{}
	for i := range cells {
		c := cells[(round+i)%len(cells)]
		for j := range threads {
			if round%2 > 0 {
				j = len(threads) - 1 - j
			}
			together := int(threads[j])
			iterations = append(iterations, iteration{c, together, t.iteration(c, together)})
		}
	}
	for _, v := range iterations {
		say("sweep", "clock", v.cell.name, "tokens", int64(v.cell.tokens), "threads", int64(v.together),
			"round", int64(round), "operations", int64(v.cell.reads), "batches", v.batches)
	}
}

func measureSweep(r request) {
	cells, threads, rotation := newCells(r), r.list("threads_list"), r.number("rotation")
	batchNs, iterationNs := int64(r.number("batch_ns")), int64(r.number("iteration_ns"))
	warmNs, budgetNs := r.ns("warm_ms"), r.ns("budget_ms")
	var most uint64
	for _, of := range threads {
		if of == 0 {
			fail(2, "invalid request: an iteration without threads")
		}
		if of > most {
			most = of
		}
	}
	if len(cells) == 0 || most == 0 || iterationNs == 0 || budgetNs == 0 {
		return
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	first := int(rotation % uint64(len(cells)))
	cells = append(cells[first:], cells[:first]...)
	leastNs := iterationNs/iterationBatches + 1
	if leastNs < batchNs {
		leastNs = batchNs
	}
	t := newTeam(most, iterationNs)
	lanes := []*lane{}
	for _, c := range cells {
		lanes = append(lanes, c.lane)
	}
	warmLanes(lanes, 0, leastNs, warmNs)
	for _, c := range cells {
		c.enlarge(leastNs)
	}
	begin := now()
	for round := 0; round < roundsAtLeast || now()-begin < budgetNs; round++ {
		runtime.GC()
		t.round(round, cells, threads)
	}
	for _, m := range t.members {
		sink += m.sum
	}
}

func main() {
	if len(os.Args) != 2 {
		fail(2, "usage: probe REQUEST")
	}
	r := scan(os.Args[1])
	task := map[string]func(request){
		"count": countReads, "clocks": measureClocks, "pause": measurePauses, "latch": measureLatch,
		"sweep": measureSweep,
	}[r.strings["task"]]
	if task == nil {
		fail(2, "invalid request: unknown task "+r.strings["task"])
	}
	identify()
	first := map[string]int64{}
	tellElapsed(first)
	task(r)
	tellElapsed(first)
	say("end", "sink", strconv.FormatUint(sink, 10))
}
