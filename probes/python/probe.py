"""Probe of Python's clocks, for Chronoscope. What it is asked and what it answers: ../PROTOCOL.md.

    python3 probe.py REQUEST

Python 3.7 or newer, the standard library only. Decisions:

- Every loop is compiled from a text, once for each clock, so that each has code of its own: interpreters that
  specialise (CPython 3.11 and newer) keep what they learned beside the code.
- A lane is `for _ in repeat(None, n): f()`, with `f` a local variable. CPython executes one call after the other and
  leaves none out, so the reading is dropped; folding it would add to every turn what is no part of a read. A tracing
  compiler (PyPy) might leave a call out, so elsewhere the reading is folded into an integer by `^`.
- The loops of steps and differences run before they count, for the same compilers.
- The collector is off in CPython: no clock makes an object that it looks at, so no lane would ever start it.
- Concurrent threads read for CONCURRENT_LEAD_NS before its batches begin, at one time for all: released threads may share a CPU until
  the scheduler parts them.
- A sweep's threads are let in by a lock of their own each and meet at a threading.Barrier. Where one lock lets only one
  thread run, threads hand it over more often than by default, and batches and iterations are longer, so that a batch
  contains the turns of the others.
- A latch is a threading.Condition. Threads count themselves under its lock, so that the opener knows that all of them
  wait. threading.Event, made of the same parts, would not tell.
- The thread whose call ends last stamps the end of a release itself. What it takes to wake the opener does not count.
"""

import gc
import json
import os
import sys
import threading
import time
from collections import Counter
from datetime import datetime, timedelta, timezone
from itertools import repeat

CPYTHON = sys.implementation.name == "cpython"

MILLISECOND_NS = 1_000_000
READS_MAX = 1 << 30
CHUNK_READS = 256  # reads between two looks at the time, while steps are awaited
COMPILED_TURNS = 0 if CPYTHON else 10_000  # by then a tracing compiler has compiled a lane; no warm-up ends before
WARM_CHUNKS = 1 if CPYTHON else 100  # of each clock, before steps count
STEPS_AT_LEAST = 10
WARM_BATCHES_KEPT = 200
CHECKS = 5
ROUNDS_AT_LEAST = 3
CONCURRENT_BATCHES = 4000
CONCURRENT_LEAD_NS = 10 * MILLISECOND_NS
ITERATION_BATCHES = 200
ITERATION_TURNS = 40  # of the lock that lets only one thread run, in an iteration of several
BATCH_TURNS = 4  # of it, at least, in a batch
TURN_LEAST_NS = MILLISECOND_NS // 2  # far longer than it takes to hand over the lock
PAUSES_A_TURN = 200
PAUSE_TURN_NS = 20 * MILLISECOND_NS
LATCH_TURNS_AT_LEAST = 3
LATCH_TURNS = 400
SERIAL_CALLS_PER_THREAD = 10
WORK_AT_LEAST = 16  # steps of work between readings at irregular times
CHANGES_TIMED = 4  # of the timer, while such work is timed
SETTLE_NS = 25 * MILLISECOND_NS
RANDOM_SHIFT = 10  # the upper bits of the work's state are random

# The largest values, the same in all probes.
MOST = {
    "reads": READS_MAX,
    "readings": READS_MAX,
    "spread_ns": 10**9,
    "threads": CONCURRENT_BATCHES,
    "batch_ns": 10**12,
    "warm_ms": 10**9,
    "lanes_ms": 10**9,
    "steps": READS_MAX,
    "steps_ms": 10**9,
    "concurrent_ms": 10**9,
    "budget_ms": 10**9,
    "lengths_ns": 10**12,
    "iteration_ns": 10**12,
    "tokens": READS_MAX,
    "threads_list": CONCURRENT_BATCHES,
    "clocks": 2**63,
}

timer = time.perf_counter_ns


# ---- request and answer ----


def fail(code, message):
    sys.stdout.flush()
    sys.stderr.write("probe.py: %s\n" % message)
    sys.exit(code)


def unsigned(value):
    return type(value) is int and value >= 0


class Request:
    def __init__(self, text):
        try:
            self.values = json.loads(text)
        except (ValueError, RecursionError) as error:
            fail(2, "invalid request: %s" % error)
        if type(self.values) is not dict:
            fail(2, "invalid request: not an object")
        if not unsigned(self.values.get("protocol")):
            fail(2, "invalid request: it lacks protocol")
        if self.values["protocol"] != 1:
            fail(3, "this probe speaks protocol 1 only")

    def number(self, key):
        value = self.values.get(key)
        if not unsigned(value):
            fail(2, "invalid request: not an unsigned integer, or missing: %s" % key)
        if key in MOST and value > MOST[key]:
            fail(2, "invalid request: too large: %s" % key)
        return value

    def ns(self, key):
        return self.number(key) * MILLISECOND_NS

    def numbers(self, key):
        values = self.values.get(key)
        if type(values) is not list or not all(unsigned(value) and value <= MOST[key] for value in values):
            fail(2, "invalid request: not a list of unsigned integers, too large, or missing: %s" % key)
        return values


def say(_type, **keys):
    line = json.dumps(dict(type=_type, **keys), separators=(",", ":")) + "\n"
    sys.stdout.buffer.write(line.encode("ascii"))
    sys.stdout.buffer.flush()


def counts(values):
    return [list(pair) for pair in sorted(Counter(values).items())]


def turned(items, first):
    first %= len(items)
    return items[first:] + items[:first]


# ---- clocks ----

LOOPS = """
def lane(reads{names}):
    x = 0
    for _ in repeat(None, reads):
        {turn}
    return x

def sweep(reads, tokens{names}):
    x = 0
    work = reads
    steps = range(tokens, 0, -1)
    for _ in repeat(None, reads):
        for left in steps:
            work = (work * 69069 + left) & 0x3FFFFFFF
        {turn}
    return x ^ work

def step(changes, wanted{names}):
    before = {read}
    unchanged = 0
    reads = 1
    for _ in repeat(None, CHUNK_READS - 1):
        reading = {read}
        reads += 1
        if reading == before:
            unchanged += 1
            continue
        changes.append(reading - before)
        before = reading
        if len(changes) == wanted:
            break
    return reads, unchanged

def readings(into{names}):
    for i in range(len(into)):
        into[i] = {read}

def released(await_latch, callers, done, ends{names}):
    if await_latch():
        {call}
        done.append(None)
        if len(done) == callers:
            ends.append(timer())

def stamped(await_latch, stamps, timer=timer{names}):
    if await_latch():
        woken = timer()
        {call}
        stamps.append((woken, timer()))
"""


class Loops:
    """The loops around one clock, and the calls of it behind a latch."""

    def __init__(self, name, read, integer, **names):
        text = LOOPS.format(
            names="".join(", %s=%s" % (name, name) for name in names),  # defaults: locals, found without a dictionary
            turn=read if CPYTHON else "x ^= " + integer,
            call=read,
            read="0" if read == "pass" else read,
        )
        space = dict(names, repeat=repeat, timer=timer, CHUNK_READS=CHUNK_READS)
        exec(compile(text, "<loops of %s>" % name, "exec"), space)
        self.name = name
        self.lane, self.sweep = space["lane"], space["sweep"]
        self.step, self.readings = space["step"], space["readings"]
        self.released, self.stamped = space["released"], space["stamped"]


class Clock(Loops):
    def __init__(self, name, kind, hz, resolution_ns, read, integer, ticks_of=int, **names):
        super().__init__(name, read, integer, **names)
        self.kind, self.hz, self.resolution_ns = kind, hz, resolution_ns
        self.ticks_of = ticks_of  # of a difference of two readings


def time_clock(function, info, kind):
    resolution_ns = max(1, round(time.get_clock_info(info).resolution * 1e9))
    return Clock("time." + function, kind, 10**9, resolution_ns, "f()", "f()", f=getattr(time, function))


NOTHING = Loops("nothing", "pass", "reads")
CLOCKS = [
    time_clock("perf_counter_ns", "perf_counter", "monotonic"),
    time_clock("monotonic_ns", "monotonic", "monotonic"),
    time_clock("time_ns", "time", "wall"),
    time_clock("process_time_ns", "process_time", "cpu"),
    Clock(
        "datetime.now",
        "wall",
        10**6,
        max(1, datetime.resolution // timedelta(microseconds=1) * 1000),
        "now(utc)",
        "now(utc).microsecond",
        lambda difference: difference // timedelta(microseconds=1),
        now=datetime.now,
        utc=timezone.utc,
    ),
]
LANES = [NOTHING] + CLOCKS
CALLS = [NOTHING, CLOCKS[0], CLOCKS[2]]

LOCKED = getattr(sys, "_is_gil_enabled", lambda: True)()  # whether one lock lets only one thread run

sink = 0


def identity():
    if CPYTHON:
        notes = [
            "A lane is `for _ in repeat(None, reads): f()`, where f is the clock in a local variable.",
            "The reading is dropped and not folded into a sum, since CPython leaves no call out.",
            "The lane nothing is the same loop around `pass`.",
            "The garbage collector is off in the whole process.",
        ]
    else:
        notes = [
            "A lane is `for _ in repeat(None, reads): x ^= f()`, where f is the clock in a local variable.",
            "The lane nothing folds a variable instead of a reading.",
        ]
    notes += [
        "datetime.now is called as now(timezone.utc); its ticks are microseconds.",
        "The latch is a threading.Condition: threads take its lock one by one after it is opened.",
    ]
    if LOCKED:
        notes += [
            "One lock lets only one thread run: a batch of concurrent reads may contain the turns of other threads.",
            "In a sweep, threads hand it over more often than by default, several times in each batch.",
        ]
    executable = os.path.realpath(sys.executable) if sys.executable else ""
    say(
        "identity",
        protocol=1,
        runtime={"cpython": "CPython", "pypy": "PyPy"}.get(sys.implementation.name, sys.implementation.name),
        version=" ".join(sys.version.split()),
        executable=os.fsencode(executable).decode("utf-8", "replace"),
        timer="time.perf_counter_ns",
        timer_hz=10**9,
        parallel=not LOCKED,
        notes=notes,
    )
    for clock in CLOCKS:
        say(
            "clock",
            clock=clock.name,
            kind=clock.kind,
            hz=clock.hz,
            declared_hz=None,
            declared_resolution_ns=clock.resolution_ns,
            high_resolution=None,
        )


# ---- task count ----


def count(request):
    reads = request.number("reads")
    for clock in CLOCKS if reads else ():
        clock.lane(max(1, COMPILED_TURNS))
        say("count_begin", clock=clock.name)
        clock.lane(reads)
        say("count_end", clock=clock.name, reads=reads)


# ---- task clocks ----


class Lane:
    def __init__(self, loops):
        self.name, self.loop = loops.name, loops.lane
        self.reads = 1
        self.turns = 0  # in the warm-up
        self.warm = []
        self.ticks = []
        self.check = []

    def batch(self, reads):
        global sink
        loop = self.loop
        begin = timer()
        folded = loop(reads)
        end = timer()
        sink += folded
        return end - begin

    def warm_up(self, batch_ns):
        """One batch; whether it was long enough."""
        ticks = self.batch(self.reads)
        if len(self.warm) < WARM_BATCHES_KEPT:
            self.warm.append([self.reads, ticks])
        self.turns += self.reads
        if ticks >= batch_ns or self.reads >= READS_MAX:
            return True
        self.reads *= 2
        return False


def warm_lanes(lanes, first, batch_ns, warm_ns):
    begin = timer()
    turn = first
    while timer() - begin < warm_ns:
        for lane in turned(lanes, turn):
            lane.warm_up(batch_ns)
        turn += 1
    for lane in turned(lanes, first):
        while not lane.warm_up(batch_ns) or lane.turns < COMPILED_TURNS:
            pass


def measure_lanes(lanes, first, lanes_ns):
    begin = timer()
    turn = 0
    while turn < ROUNDS_AT_LEAST or timer() - begin < lanes_ns:
        for lane in turned(lanes, first + turn):
            lane.ticks.append(lane.batch(lane.reads))
        turn += 1
    for _ in range(CHECKS):
        for lane in turned(lanes, first):
            lane.check.append([lane.batch(lane.reads), lane.batch(4 * lane.reads)])
    for lane in lanes:
        say("lane", clock=lane.name, reads=lane.reads, ticks=lane.ticks, warm=lane.warm, check=lane.check)


def await_steps(clock, wanted, share_ns):
    for _ in range(WARM_CHUNKS):
        clock.step([], CHUNK_READS)
    changes = []
    reads = unchanged = passed = 0
    begin = timer()
    while len(changes) < wanted and passed < 4 * share_ns and (passed < share_ns or len(changes) < STEPS_AT_LEAST):
        more = clock.step(changes, wanted)
        passed = timer() - begin
        reads += more[0]
        unchanged += more[1]
    changes = [clock.ticks_of(change) for change in changes]
    say("steps", clock=clock.name, reads=reads, unchanged=unchanged, changes=changes)


def count_differences(clock, reads):
    global sink
    readings = [None] * reads
    clock.readings(readings)  # to warm up, and to have the memory
    clock.readings(readings)
    differences = counts(clock.ticks_of(after - before) for before, after in zip(readings, readings[1:]))
    span = clock.ticks_of(readings[-1] - readings[0])
    sink += abs(span)
    say("differences", clock=clock.name, span=max(0, span), counts=differences)


def work(state, tokens):
    for left in range(tokens, 0, -1):
        state = (state * 69069 + left) & 0x3FFFFFFF
    return state


def steps_of(spread_ns):
    """The least power of two of steps that takes so long, from work that takes several changes of the timer."""
    # A JIT, where there is one, compiles it first.
    begin = timer()
    while timer() - begin < SETTLE_NS:
        work(1, WORK_AT_LEAST)
    long_enough_ns = max(spread_ns, CHANGES_TIMED * timer_step_ns())
    timed = steps = WORK_AT_LEAST
    taken_ns = fastest_ns(timed)
    while taken_ns < long_enough_ns and timed < READS_MAX:
        timed *= 2
        taken_ns = fastest_ns(timed)
    while steps < timed and steps * taken_ns < spread_ns * timed:
        steps *= 2
    return steps


def timer_step_ns():
    """The shortest of three changes of the timer."""
    changes = []
    for _ in range(3):
        begin = end = timer()
        while end == begin:
            end = timer()
        changes.append(end - begin)
    return min(changes)


def fastest_ns(steps):
    taken = []
    for _ in range(3):
        begin = timer()
        work(1, steps)
        taken.append(timer() - begin)
    return min(taken)


def read_irregularly(clock, count, most):
    """A reading after each of 1 to `most` steps of work; `most` is a power of two."""
    global sink
    readings = [None] * count
    one = [None]
    state = count
    for i in range(count):
        state = work(state, 1 + (state >> RANDOM_SHIFT & (most - 1)))
        clock.readings(one)
        readings[i] = one[0]
    sink += state
    changes = [clock.ticks_of(after - before) for before, after in zip(readings, readings[1:])]
    say("readings", clock=clock.name, changes=changes)


class Latch:
    def __init__(self):
        lock = threading.Lock()
        self.condition, self.all_wait = threading.Condition(lock), threading.Condition(lock)
        self.waiting = 0
        self.is_open = self.abandoned = False

    def wait(self):
        """False if the latch was opened only to let the threads end."""
        with self.condition:
            self.waiting += 1
            self.all_wait.notify()
            while not self.is_open:
                self.condition.wait()
        return not self.abandoned

    def open(self):
        with self.condition:
            self.is_open = True
            self.condition.notify_all()

    def start(self, threads):
        """Returns when all of them wait. If one cannot be started, ends the others and raises RuntimeError."""
        for i, thread in enumerate(threads):
            try:
                thread.start()
            except RuntimeError:
                self.abandoned = True
                self.open()
                join(threads[:i])
                raise
        with self.condition:
            while self.waiting < len(threads):
                self.all_wait.wait()


def join(threads):
    for thread in threads:
        thread.join()


def read_concurrently(latch, loop, reads, share_ns, first, begins, ends, made):
    if not latch.wait():
        return
    while timer() < first[0]:
        loop(1)
    for i in range(len(begins)):
        begins[i] = timer()
        loop(reads)
        end = ends[i] = timer()
        made[0] = i + 1
        if end >= first[0] + share_ns:
            break


def concurrent(clock, reads, number, share_ns):
    latch = Latch()
    room = CONCURRENT_BATCHES // number
    records = [([0] * room, [0] * room, [0]) for _ in range(number)]
    first = [0]  # when batches begin
    arguments = (latch, clock.lane, reads, share_ns, first)
    threads = [threading.Thread(target=read_concurrently, args=arguments + record) for record in records]
    try:
        latch.start(threads)
    except RuntimeError as error:
        sys.stderr.write("probe.py: no concurrent reads: %s\n" % error)
        return
    first[0] = timer() + CONCURRENT_LEAD_NS
    latch.open()
    join(threads)
    batches = [
        [thread, begins[i], ends[i]] for thread, (begins, ends, made) in enumerate(records) for i in range(made[0])
    ]
    say("concurrent", clock=clock.name, threads=number, reads=reads, batches=batches)


def clocks(request):
    first, batch_ns, threads = request.number("rotation"), request.number("batch_ns"), request.number("threads")
    warm_ns, lanes_ns = request.ns("warm_ms"), request.ns("lanes_ms")
    steps, steps_ns, reads = request.number("steps"), request.ns("steps_ms"), request.number("reads")
    readings, spread_ns = request.number("readings"), request.number("spread_ns")
    concurrent_ns = request.ns("concurrent_ms") if threads else 0
    lanes = [Lane(loops) for loops in LANES]
    if lanes_ns or concurrent_ns:
        warm_lanes(lanes, first, batch_ns, warm_ns)
    if lanes_ns:
        measure_lanes(lanes, first, lanes_ns)
    for clock in CLOCKS if steps and steps_ns else ():
        await_steps(clock, steps, steps_ns // len(CLOCKS))
    for clock in CLOCKS if reads else ():
        count_differences(clock, reads)
    most = steps_of(spread_ns) if readings else 0
    for clock in CLOCKS if readings else ():
        read_irregularly(clock, readings, most)
    concurrent_clocks = [(clock, lane) for clock, lane in zip(CLOCKS, lanes[1:]) if clock.kind != "cpu"]
    for clock, lane in concurrent_clocks if concurrent_ns else ():
        share_ns = concurrent_ns // len(concurrent_clocks)
        # Longer batches where more than CONCURRENT_BATCHES would fit into the share.
        longer = 1 + share_ns * threads // (CONCURRENT_BATCHES * max(1, batch_ns))
        # Code that was compiled since the warm-up may need more reads.
        while min(lane.batch(lane.reads) for _ in range(3)) < batch_ns / 2 and lane.reads < READS_MAX:
            lane.reads *= 2
        concurrent(clock, lane.reads * longer, threads, share_ns)


# ---- task pause ----


def pause_sleep(begin, length_ns):
    time.sleep(length_ns / 1e9)


def pause_event(begin, length_ns):
    never.wait(length_ns / 1e9)


def pause_busy(begin, length_ns):
    while timer() - begin < length_ns:
        pass


def pause_yielding(begin, length_ns):
    sleep = time.sleep
    while timer() - begin < length_ns:
        sleep(0)


never = threading.Event()
WAYS = [
    ("time.sleep", pause_sleep),
    ("threading.Event.wait", pause_event),
    ("busy wait", pause_busy),
    ("busy wait, sleep(0)", pause_yielding),
]

cpu_ns = getattr(time, "thread_time_ns", time.process_time_ns)


class Pauses:
    def __init__(self, way, pause, length_ns):
        self.way, self.pause, self.length_ns = way, pause, length_ns
        self.taken = []
        self.wall_ns = self.cpu_ns = 0

    def turn(self):
        pause, length_ns = self.pause, self.length_ns
        taken = [0] * PAUSES_A_TURN
        done = 0
        cpu = cpu_ns()
        first = timer()
        while True:
            begin = timer()
            pause(begin, length_ns)
            end = timer()
            taken[done] = end - begin
            done += 1
            passed = end - first
            if done == PAUSES_A_TURN or passed + passed // done > PAUSE_TURN_NS:
                break
        self.wall_ns += timer() - first
        self.cpu_ns += cpu_ns() - cpu
        self.taken += taken[:done]


def pause(request):
    first, budget_ns, lengths = request.number("rotation"), request.ns("budget_ms"), request.numbers("lengths_ns")
    begin = timer()
    every = [[Pauses(*way, length_ns) for length_ns in lengths if length_ns] for way in WAYS] if budget_ns else []
    turn = 0
    while every and any(every) and (turn == 0 or timer() - begin < budget_ns):
        for ways in turned(every, first + turn):
            for pauses in ways:
                if turn == 0 or timer() - begin < budget_ns:
                    pauses.turn()
        turn += 1
    for pauses in sum(every, []):
        say(
            "pause",
            way=pauses.way,
            requested_ns=pauses.length_ns,
            wall_ns=pauses.wall_ns,
            cpu_ns=pauses.cpu_ns,
            taken_ns=counts(pauses.taken),
        )


# ---- task latch ----


class Calls:
    def __init__(self, loops):
        self.loops = loops
        self.lane = Lane(loops)
        self.serial, self.release, self.inside, self.wake = [], [], [], []

    def opened(self, threads, latch, starts):
        begin = timer()
        latch.start(threads)
        starts.append(timer() - begin)
        opening = timer()
        latch.open()
        join(threads)
        return opening

    def turn(self, number, starts):
        self.serial.append(self.lane.batch(number * SERIAL_CALLS_PER_THREAD))

        # Two threads may both see that all are done: the earlier stamp is the nearer one.
        latch, done, ends = Latch(), [], []
        arguments = (latch.wait, number, done, ends)
        threads = [threading.Thread(target=self.loops.released, args=arguments) for _ in range(number)]
        opening = self.opened(threads, latch, starts)
        self.release.append(min(ends) - opening)

        latch, stamps = Latch(), []
        threads = [threading.Thread(target=self.loops.stamped, args=(latch.wait, stamps)) for _ in range(number)]
        opening = self.opened(threads, latch, starts)
        self.wake += [woken - opening for woken, _ in stamps]
        self.inside += [end - woken for woken, end in stamps]


def latch(request):
    number, first, budget_ns = request.number("threads"), request.number("rotation"), request.ns("budget_ms")
    if number == 0:
        fail(2, "invalid request: no threads to release")
    if budget_ns == 0:
        return
    every, starts = [Calls(loops) for loops in CALLS], []
    begin = timer()
    turn = 0
    try:
        while turn < LATCH_TURNS_AT_LEAST or (turn < LATCH_TURNS and timer() - begin < budget_ns):
            for calls in turned(every, first + turn):
                calls.turn(number, starts)
            turn += 1
    except RuntimeError as error:
        return say("latch_unavailable", reason=str(error))
    for calls in every:
        say(
            "latch",
            call=calls.loops.name,
            serial_calls=number * SERIAL_CALLS_PER_THREAD,
            serial=calls.serial,
            release=calls.release,
            inside=counts(calls.inside),
            wake=counts(calls.wake),
        )
    say("latch_start", start=starts)


# ---- task sweep ----


class Cell(Lane):
    """A loop with an amount of work; its reads are operations."""

    def __init__(self, loops, tokens):
        super().__init__(loops)
        self.tokens = tokens
        if tokens:
            self.loop = lambda operations: loops.sweep(operations, tokens)

    def enlarge(self, least_ns):
        while min(self.batch(self.reads) for _ in range(3)) < least_ns and self.reads < READS_MAX:
            self.reads += self.reads // 4 + 1


class Member:
    def __init__(self):
        self.called = threading.Lock()
        self.called.acquire()
        self.begins, self.ends = [0] * ITERATION_BATCHES, [0] * ITERATION_BATCHES
        self.batches = 0
        self.sum = 0

    def iteration(self, team):
        loop, operations, length_ns = team.cell.loop, team.cell.reads, team.length_ns
        begins, ends = self.begins, self.ends
        team.meeting.wait()
        folded = loop(operations)
        first = timer()
        for i in range(ITERATION_BATCHES):
            begins[i] = timer()
            folded += loop(operations)
            end = ends[i] = timer()
            if end - first >= length_ns:
                break
        self.batches = i + 1
        self.sum += folded

    def serve(self, team):
        while True:
            self.called.acquire()
            self.iteration(team)
            team.done.release()


class Team:
    """Threads that make iterations together; member 0 is the one that calls iteration."""

    def __init__(self, threads, iteration_ns, iteration_together_ns):
        self.iteration_ns, self.iteration_together_ns = iteration_ns, iteration_together_ns
        self.done = threading.Semaphore(0)
        self.members = [Member() for _ in range(threads)]
        for member in self.members[1:]:
            threading.Thread(target=member.serve, args=(self,), daemon=True).start()

    def iteration(self, cell, together):
        self.cell, self.meeting = cell, threading.Barrier(together)
        self.length_ns = self.iteration_together_ns if together > 1 else self.iteration_ns
        for member in self.members[1:together]:
            member.called.release()
        self.members[0].iteration(self)
        for _ in range(together - 1):
            self.done.acquire()
        return [
            [thread, member.begins[i], member.ends[i]]
            for thread, member in enumerate(self.members[:together])
            for i in range(member.batches)
        ]


def swept(request):
    """The loops to sweep."""
    wanted = request.numbers("clocks")
    if any(index >= len(CLOCKS) for index in wanted):
        fail(2, "invalid request: no such clock in clocks")
    return [NOTHING] + [
        clock for i, clock in enumerate(CLOCKS) if i in wanted or (not wanted and clock.kind != "cpu")
    ]


def make_rounds(team, cells, first, threads_list, budget_ns):
    origin = timer()
    made = 0
    while made < ROUNDS_AT_LEAST or timer() - origin < budget_ns:
        iterations = [
            (cell, together, team.iteration(cell, together))
            for cell in turned(cells, first + made)
            for together in (threads_list[::-1] if made % 2 else threads_list)
        ]
        for cell, together, batches in iterations:
            say(
                "sweep",
                clock=cell.name,
                tokens=cell.tokens,
                threads=together,
                round=made,
                operations=cell.reads,
                batches=[[thread, begin - origin, end - origin] for thread, begin, end in batches],
            )
        made += 1


def sweep(request):
    global sink
    first, batch_ns, iteration_ns = request.number("rotation"), request.number("batch_ns"), request.number("iteration_ns")
    warm_ns, budget_ns = request.ns("warm_ms"), request.ns("budget_ms")
    threads_list = request.numbers("threads_list")
    cells = [Cell(loops, tokens) for loops in swept(request) for tokens in request.numbers("tokens")]
    if 0 in threads_list:
        fail(2, "invalid request: an iteration without threads")
    if not (cells and threads_list and iteration_ns and budget_ns):
        return
    least_ns, iteration_together_ns = max(batch_ns, iteration_ns // ITERATION_BATCHES + 1), iteration_ns
    if LOCKED and max(threads_list) > 1:
        turn_ns = max(TURN_LEAST_NS, iteration_ns // ITERATION_TURNS)
        least_ns = max(least_ns, BATCH_TURNS * turn_ns)
        iteration_together_ns = max(iteration_ns, ITERATION_TURNS * turn_ns)
        sys.setswitchinterval(turn_ns / 1e9)
    try:
        team = Team(max(threads_list), iteration_ns, iteration_together_ns)
    except RuntimeError as error:
        return say("sweep_unavailable", reason=str(error))
    warm_lanes(cells, first, least_ns, warm_ns)
    for cell in cells:
        cell.enlarge(least_ns)
    make_rounds(team, cells, first, threads_list, budget_ns)
    sink += sum(member.sum for member in team.members)


def tell_elapsed(first):
    """Ticks of every clock but those of CPU time since `first`, which is filled if it is empty."""
    for clock in CLOCKS:
        if clock.kind == "cpu":
            continue
        now = [None]
        clock.readings(now)
        say("elapsed", clock=clock.name, ticks=clock.ticks_of(now[0] - first.setdefault(clock.name, now[0])))


def main():
    if len(sys.argv) != 2:
        fail(2, "usage: probe.py REQUEST")
    request = Request(sys.argv[1])
    tasks = {"count": count, "clocks": clocks, "pause": pause, "latch": latch, "sweep": sweep}
    task = tasks.get(str(request.values.get("task")))
    if task is None:
        fail(2, "invalid request: unknown task %s" % request.values.get("task"))
    if CPYTHON:
        gc.disable()
    identity()
    first = {}
    tell_elapsed(first)
    task(request)
    tell_elapsed(first)
    say("end", sink=str(sink))


main()
