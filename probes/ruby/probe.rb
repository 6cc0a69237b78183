# Probe of Ruby's clocks, for Chronoscope. What it is asked and what it answers: ../PROTOCOL.md.
#
#     ruby probe.rb REQUEST
#
# CRuby 2.7 or newer, the standard library only; other engines are refused. Decisions:
#
# - Every loop is compiled from a text, once for each clock, so that each has code and inline caches of its own.
# - A lane is a `while` loop that assigns the reading to a local variable. CRuby executes one call after the other and
#   leaves none out; folding would add to every turn what is no part of a read.
# - The collector stays on: a reading of Time.now is an object, and collecting it is part of what it costs.
# - One lock lets only one thread run, and CRuby hands it over every 100 ms. Batches that contain several turns would take
#   seconds, so there are no concurrent reads and no sweep.
# - A latch is a ConditionVariable. Threads count themselves under its mutex, so that the opener knows that all wait.
# - The thread whose call ends last stamps the end of a release itself. What it takes to wake the opener does not count.

require "json"
require "rbconfig"

MILLISECOND_NS = 1_000_000
SECOND_NS = 1_000_000_000
READS_MAX = 1 << 30
CHUNK_READS = 256 # reads between two looks at the time, while steps are awaited
STEPS_AT_LEAST = 10
WARM_BATCHES_KEPT = 200
CHECKS = 5
ROUNDS_AT_LEAST = 3
PAUSES_A_TURN = 200
PAUSE_TURN_NS = 20 * MILLISECOND_NS
LATCH_TURNS_AT_LEAST = 3
LATCH_TURNS = 400
SERIAL_CALLS_PER_THREAD = 10
WORK_AT_LEAST = 16 # steps of work between readings at irregular times
CHANGES_TIMED = 4 # of the timer, while such work is timed
SETTLE_NS = 25 * MILLISECOND_NS
RANDOM_SHIFT = 10 # the upper bits of the work's state are random

# The largest values, the same in all probes.
MOST = {
  "reads" => READS_MAX,
  "readings" => READS_MAX,
  "spread_ns" => 10**9,
  "threads" => 4000,
  "batch_ns" => 10**12,
  "warm_ms" => 10**9,
  "lanes_ms" => 10**9,
  "steps" => READS_MAX,
  "steps_ms" => 10**9,
  "budget_ms" => 10**9,
  "lengths_ns" => 10**12,
}.freeze

def timer
  Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
end

# ---- request and answer ----

def fail_with(code, message)
  $stdout.flush
  warn("probe.rb: #{message}")
  exit!(code)
end

def unsigned?(value)
  value.is_a?(Integer) && value >= 0
end

class Request
  attr_reader :values

  def initialize(text)
    begin
      @values = JSON.parse(text)
    rescue JSON::ParserError => error
      fail_with(2, "invalid request: #{error.message}")
    end
    fail_with(2, "invalid request: not an object") unless @values.is_a?(Hash)
    fail_with(2, "invalid request: it lacks protocol") unless unsigned?(@values["protocol"])
    fail_with(3, "this probe speaks protocol 1 only") if @values["protocol"] != 1
  end

  def number(key)
    value = @values[key]
    fail_with(2, "invalid request: not an unsigned integer, or missing: #{key}") unless unsigned?(value)
    fail_with(2, "invalid request: too large: #{key}") if MOST.key?(key) && value > MOST[key]
    value
  end

  def ns(key)
    number(key) * MILLISECOND_NS
  end

  def numbers(key)
    values = @values[key]
    unless values.is_a?(Array) && values.all? { |value| unsigned?(value) && value <= MOST[key] }
      fail_with(2, "invalid request: not a list of unsigned integers, too large, or missing: #{key}")
    end
    values
  end
end

def say(type, **keys)
  $stdout.write(JSON.generate({ type: type, **keys }), "\n")
  $stdout.flush
end

def counts(values)
  values.tally.sort
end

# ---- clocks ----

LOOPS = <<~TEXT
  Class.new do
    def lane(reads)
      x = 0
      i = 0
      while i < reads
        x = %<read>s
        i += 1
      end
      1
    end

    def step(changes, wanted)
      before = %<read>s
      unchanged = 0
      i = 1
      while i < CHUNK_READS
        reading = %<read>s
        i += 1
        if reading == before
          unchanged += 1
          next
        end
        changes << [before, reading]
        before = reading
        break if changes.size == wanted
      end
      [i, unchanged]
    end

    def readings(into)
      i = 0
      while i < into.size
        into[i] = %<read>s
        i += 1
      end
    end

    def released(latch, callers, done, ends)
      return unless latch.wait
      %<call>s
      done << nil
      ends << timer if done.size == callers
    end

    def stamped(latch, stamps)
      return unless latch.wait
      woken = timer
      %<call>s
      stamps << [woken, timer]
    end
  end.new
TEXT

# A clock and the loops around it; `between` two readings lie so many ticks.
class Clock
  attr_reader :name, :kind, :hz, :resolution_ns, :loops

  def initialize(name, kind, hz, resolution_ns, read, &between)
    text = format(LOOPS, read: read, call: kind ? read : "nil")
    @loops = Object.class_eval(text, "<loops of #{name}>")
    @name, @kind, @hz, @resolution_ns, @between = name, kind, hz, resolution_ns, between
  end

  def between(before, after)
    @between.call(before, after)
  end
end

def declared_ns(clock)
  [1, Process.clock_getres(clock, :nanosecond)].max
rescue SystemCallError
  nil
end

def gettime(name, clock, kind, unit = nil)
  read = "Process.clock_gettime(Process::#{clock}#{unit ? ", :#{unit}" : ""})"
  resolution_ns = declared_ns(Process.const_get(clock))
  return Clock.new(name, kind, SECOND_NS, resolution_ns, read) { |a, b| b - a } if unit

  # A Float of nanoseconds since 1970 is coarser than one of seconds, so the difference comes first.
  Clock.new(name, kind, SECOND_NS, resolution_ns, read) { |a, b| ((b - a) * 1e9).round }
end

NOTHING = Clock.new("nothing", nil, 0, nil, "i")
CLOCKS = [
  gettime("Process.clock_gettime", "CLOCK_MONOTONIC", "monotonic"),
  gettime("Process.clock_gettime ns", "CLOCK_MONOTONIC", "monotonic", "nanosecond"),
  gettime("Process.clock_gettime wall", "CLOCK_REALTIME", "wall"),
  Clock.new("Time.now", "wall", SECOND_NS, nil, "Time.now") do |a, b|
    (b.to_i - a.to_i) * SECOND_NS + b.nsec - a.nsec
  end,
  gettime("Process.clock_gettime cpu", "CLOCK_PROCESS_CPUTIME_ID", "cpu", "nanosecond"),
].freeze
LANES = [NOTHING, *CLOCKS].freeze
CALLS = [NOTHING, CLOCKS[0], CLOCKS[3]].freeze

$sink = 0

def identity
  notes = [
    "A lane is a `while` loop that assigns the reading to a local variable, since CRuby leaves no call out.",
    "The lane nothing does so with the counter of the loop.",
    "Process.clock_gettime is called with CLOCK_MONOTONIC and returns seconds as a Float; the one called ns returns an " \
      "integer of nanoseconds, the one called wall is of CLOCK_REALTIME, the one called cpu of CLOCK_PROCESS_CPUTIME_ID.",
    "A Float of seconds since 1970 moves in steps of 238 ns.",
    "The collector is on: a reading of Time.now is an object.",
    "One lock lets only one thread run, in turns of 100 ms: no threads read at once.",
    "The latch is a ConditionVariable: threads take its mutex one by one after it is opened.",
  ]
  say(
    "identity",
    protocol: 1,
    runtime: "CRuby",
    version: RUBY_DESCRIPTION,
    executable: RbConfig.ruby.to_s.encode("UTF-8", invalid: :replace, undef: :replace),
    timer: "Process.clock_gettime ns",
    timer_hz: SECOND_NS,
    parallel: false,
    notes: notes,
  )
  CLOCKS.each do |clock|
    say(
      "clock",
      clock: clock.name,
      kind: clock.kind,
      hz: clock.hz,
      declared_hz: nil,
      declared_resolution_ns: clock.resolution_ns,
      high_resolution: nil,
    )
  end
end

# Ticks of every clock but those of CPU time since `first`, which is filled if it is empty.
def tell_elapsed(first)
  CLOCKS.each do |clock|
    next if clock.kind == "cpu"

    now = [nil]
    clock.loops.readings(now)
    first[clock.name] ||= now[0]
    say("elapsed", clock: clock.name, ticks: clock.between(first[clock.name], now[0]))
  end
end

# ---- task count ----

def count(request)
  reads = request.number("reads")
  return if reads.zero?

  CLOCKS.each do |clock|
    clock.loops.lane(1)
    say("count_begin", clock: clock.name)
    clock.loops.lane(reads)
    say("count_end", clock: clock.name, reads: reads)
  end
end

# ---- task clocks ----

class Lane
  attr_reader :name, :reads, :warm, :ticks, :check

  def initialize(clock)
    @name, @loops = clock.name, clock.loops
    @reads = 1
    @warm, @ticks, @check = [], [], []
  end

  def batch(reads)
    start = timer
    folded = @loops.lane(reads)
    ticks = timer - start
    $sink += folded
    ticks
  end

  # One batch; whether it was long enough.
  def warm_up(batch_ns)
    ticks = batch(@reads)
    @warm << [@reads, ticks] if @warm.size < WARM_BATCHES_KEPT
    return true if ticks >= batch_ns || @reads >= READS_MAX

    @reads *= 2
    false
  end
end

def warm_lanes(lanes, first, batch_ns, warm_ns)
  start = timer
  turn = first
  while timer - start < warm_ns
    lanes.rotate(turn % lanes.size).each { |lane| lane.warm_up(batch_ns) }
    turn += 1
  end
  lanes.rotate(first % lanes.size).each do |lane|
    nil until lane.warm_up(batch_ns)
  end
end

def measure_lanes(lanes, first, lanes_ns)
  start = timer
  turn = 0
  while turn < ROUNDS_AT_LEAST || timer - start < lanes_ns
    lanes.rotate((first + turn) % lanes.size).each { |lane| lane.ticks << lane.batch(lane.reads) }
    turn += 1
  end
  CHECKS.times do
    lanes.rotate(first % lanes.size).each { |lane| lane.check << [lane.batch(lane.reads), lane.batch(4 * lane.reads)] }
  end
  lanes.each do |lane|
    say("lane", clock: lane.name, reads: lane.reads, ticks: lane.ticks, warm: lane.warm, check: lane.check)
  end
end

def await_steps(clock, wanted, share_ns)
  changes = []
  reads = unchanged = passed = 0
  start = timer
  while changes.size < wanted && passed < 4 * share_ns && (passed < share_ns || changes.size < STEPS_AT_LEAST)
    more = clock.loops.step(changes, wanted)
    passed = timer - start
    reads += more[0]
    unchanged += more[1]
  end
  # Not a fraction of a tick.
  changes = changes.map { |before, after| clock.between(before, after) }.reject(&:zero?)
  say("steps", clock: clock.name, reads: reads, unchanged: unchanged, changes: changes)
end

def count_differences(clock, reads)
  readings = Array.new(reads)
  clock.loops.readings(readings) # to warm up, and to have the memory
  clock.loops.readings(readings)
  differences = counts(readings.each_cons(2).map { |before, after| clock.between(before, after) })
  span = clock.between(readings.first, readings.last)
  $sink += span.abs
  say("differences", clock: clock.name, span: [0, span].max, counts: differences)
end

def work(state, tokens)
  while tokens > 0
    state = (state * 69_069 + tokens) & 0x3FFFFFFF
    tokens -= 1
  end
  state
end

# The least power of two of steps that takes so long, from work that takes several changes of the timer.
def steps_of(spread_ns)
  # A compiler, where there is one, is done first.
  start = timer
  work(1, WORK_AT_LEAST) while timer - start < SETTLE_NS
  long_enough_ns = [spread_ns, CHANGES_TIMED * timer_step_ns].max
  timed = steps = WORK_AT_LEAST
  timed *= 2 while (taken_ns = fastest_ns(timed)) < long_enough_ns && timed < READS_MAX
  steps *= 2 while steps < timed && steps * taken_ns < spread_ns * timed
  steps
end

# The shortest of three changes of the timer.
def timer_step_ns
  changes = Array.new(3) do
    start = timer
    passed = 0
    passed = timer - start while passed.zero?
    passed
  end
  changes.min
end

def fastest_ns(steps)
  taken = Array.new(3) do
    start = timer
    $sink += work(1, steps)
    timer - start
  end
  taken.min
end

# A reading after each of 1 to `most` steps of work; `most` is a power of two.
def read_irregularly(clock, count, most)
  readings = Array.new(count)
  one = [nil]
  state = count
  i = 0
  while i < count
    state = work(state, 1 + ((state >> RANDOM_SHIFT) & (most - 1)))
    clock.loops.readings(one)
    readings[i] = one[0]
    i += 1
  end
  $sink += state
  # From the first on, so that rounding does not add up.
  since = readings.map { |reading| clock.between(readings.first, reading) }
  changes = since.each_cons(2).map { |before, after| after - before }
  say("readings", clock: clock.name, changes: changes)
end

def clocks(request)
  first, batch_ns = request.number("rotation"), request.number("batch_ns")
  warm_ns, lanes_ns = request.ns("warm_ms"), request.ns("lanes_ms")
  steps, steps_ns, reads = request.number("steps"), request.ns("steps_ms"), request.number("reads")
  readings, spread_ns = request.number("readings"), request.number("spread_ns")
  request.number("threads")
  lanes = LANES.map { |clock| Lane.new(clock) }
  if lanes_ns > 0
    warm_lanes(lanes, first, batch_ns, warm_ns)
    measure_lanes(lanes, first, lanes_ns)
  end
  CLOCKS.each { |clock| await_steps(clock, steps, steps_ns / CLOCKS.size) } if steps > 0 && steps_ns > 0
  CLOCKS.each { |clock| count_differences(clock, reads) } if reads > 0
  return if readings.zero?

  most = steps_of(spread_ns)
  CLOCKS.each { |clock| read_irregularly(clock, readings, most) }
end

# ---- task pause ----

NEVER = ConditionVariable.new
NEVER_MUTEX = Mutex.new

WAYS = [
  ["sleep", ->(_, length_ns) { sleep(length_ns / 1e9) }],
  ["ConditionVariable#wait", ->(_, length_ns) { NEVER_MUTEX.synchronize { NEVER.wait(NEVER_MUTEX, length_ns / 1e9) } }],
  ["IO.select", ->(_, length_ns) { IO.select(nil, nil, nil, length_ns / 1e9) }],
  ["busy wait", ->(start, length_ns) { nil while timer - start < length_ns }],
  ["busy wait, Thread.pass", ->(start, length_ns) { Thread.pass while timer - start < length_ns }],
].freeze

CPU_CLOCK = Process.const_defined?(:CLOCK_THREAD_CPUTIME_ID) ? Process::CLOCK_THREAD_CPUTIME_ID :
  Process::CLOCK_PROCESS_CPUTIME_ID

class Pauses
  attr_reader :way, :length_ns, :wall_ns, :cpu_ns, :taken

  def initialize(way, pause, length_ns)
    @way, @pause, @length_ns = way, pause, length_ns
    @taken = []
    @wall_ns = @cpu_ns = 0
  end

  def turn
    done = 0
    cpu = Process.clock_gettime(CPU_CLOCK, :nanosecond)
    first = timer
    loop do
      start = timer
      @pause.call(start, @length_ns)
      finish = timer
      @taken << finish - start
      done += 1
      passed = finish - first
      break if done == PAUSES_A_TURN || passed + passed / done > PAUSE_TURN_NS
    end
    @wall_ns += timer - first
    @cpu_ns += Process.clock_gettime(CPU_CLOCK, :nanosecond) - cpu
  end
end

def pause(request)
  first, budget_ns, lengths = request.number("rotation"), request.ns("budget_ms"), request.numbers("lengths_ns")
  lengths = lengths.reject(&:zero?)
  return if budget_ns.zero? || lengths.empty?

  start = timer
  every = WAYS.map { |way, pause| lengths.map { |length_ns| Pauses.new(way, pause, length_ns) } }
  turn = 0
  while turn.zero? || timer - start < budget_ns
    every.rotate((first + turn) % every.size).flatten.each { |pauses| pauses.turn if turn.zero? || timer - start < budget_ns }
    turn += 1
  end
  every.flatten.each do |pauses|
    say(
      "pause",
      way: pauses.way,
      requested_ns: pauses.length_ns,
      wall_ns: pauses.wall_ns,
      cpu_ns: pauses.cpu_ns,
      taken_ns: counts(pauses.taken),
    )
  end
end

# ---- task latch ----

class Latch
  def initialize
    @mutex, @opened, @all_wait = Mutex.new, ConditionVariable.new, ConditionVariable.new
    @waiting = 0
    @open = @abandoned = false
  end

  # False if the latch was opened only to let the threads end.
  def wait
    @mutex.synchronize do
      @waiting += 1
      @all_wait.signal
      @opened.wait(@mutex) until @open
    end
    !@abandoned
  end

  def open
    @mutex.synchronize do
      @open = true
      @opened.broadcast
    end
  end

  # The threads, each in `work`, when all of them wait. If one cannot be started, ends the others and raises ThreadError.
  def start(number, &work)
    threads = []
    begin
      number.times { threads << Thread.new(&work) }
    rescue ThreadError
      @abandoned = true
      open
      threads.each(&:join)
      raise
    end
    @mutex.synchronize { @all_wait.wait(@mutex) while @waiting < number }
    threads
  end
end

class Calls
  attr_reader :name, :serial, :release, :inside, :wake

  def initialize(clock)
    @name, @loops = clock.name, clock.loops
    @lane = Lane.new(clock)
    @serial, @release, @inside, @wake = [], [], [], []
  end

  def opened(number, latch, starts, &work)
    start = timer
    threads = latch.start(number, &work)
    starts << timer - start
    opening = timer
    latch.open
    threads.each(&:join)
    opening
  end

  def turn(number, starts)
    @serial << @lane.batch(number * SERIAL_CALLS_PER_THREAD)

    # Two threads may both see that all are done: the earlier stamp is the nearer one.
    latch, done, ends = Latch.new, [], []
    opening = opened(number, latch, starts) { @loops.released(latch, number, done, ends) }
    @release << ends.min - opening

    latch, stamps = Latch.new, []
    opening = opened(number, latch, starts) { @loops.stamped(latch, stamps) }
    @wake.concat(stamps.map { |woken, _| woken - opening })
    @inside.concat(stamps.map { |woken, finish| finish - woken })
  end
end

def latch(request)
  number, first, budget_ns = request.number("threads"), request.number("rotation"), request.ns("budget_ms")
  fail_with(2, "invalid request: no threads to release") if number.zero?
  return if budget_ns.zero?

  every, starts = CALLS.map { |clock| Calls.new(clock) }, []
  start = timer
  turn = 0
  begin
    while turn < LATCH_TURNS_AT_LEAST || (turn < LATCH_TURNS && timer - start < budget_ns)
      every.rotate((first + turn) % every.size).each { |calls| calls.turn(number, starts) }
      turn += 1
    end
  rescue ThreadError => error
    return say("latch_unavailable", reason: error.message)
  end
  every.each do |calls|
    say(
      "latch",
      call: calls.name,
      serial_calls: number * SERIAL_CALLS_PER_THREAD,
      serial: calls.serial,
      release: calls.release,
      inside: counts(calls.inside),
      wake: counts(calls.wake),
    )
  end
  say("latch_start", start: starts)
end

# ---- task sweep ----

def sweep(request)
  return if request.number("budget_ms").zero?

  say("sweep_unavailable", reason: "one lock lets only one thread run, in turns of 100 ms: an iteration would take seconds")
end

def main
  fail_with(2, "usage: probe.rb REQUEST") if ARGV.size != 1
  fail_with(3, "this probe measures CRuby only, not #{RUBY_ENGINE}") if RUBY_ENGINE != "ruby"
  request = Request.new(ARGV[0])
  task = request.values["task"]
  fail_with(2, "invalid request: unknown task #{task}") unless %w[count clocks pause latch sweep].include?(task)
  identity
  first = {}
  tell_elapsed(first)
  send(task, request)
  tell_elapsed(first)
  say("end", sink: $sink.to_s)
end

main
