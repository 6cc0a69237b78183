/*
 * Reads the clocks of a Java runtime, as probes/PROTOCOL.md says. `java Probe.java REQUEST`, from Java 11 on.
 *
 * Why no reading can be left out. Every loop adds its readings to a sum or keeps them; the line `end` prints the sum of
 * the sums. What a clock will answer is not known to the compiler: two reads cannot become one, and none can leave the
 * loop. The lane `nothing` reads a volatile field; such reads may not be merged or moved out of a loop.
 *
 * Decisions:
 * - Every clock has a loop of its own for sums (`...Lane`) and one that keeps its readings (`...Fill`). They are called
 *   through an interface with so many implementations that HotSpot does not inline them: each is compiled alone.
 * - Steps are found in chunks of kept readings, behind each chunk, so that looking for them does not slow the reading.
 * - A loop that the protocol does not warm up is settled here: it runs for a moment, and what it gave is thrown away.
 *   A first chunk of readings would show the steps of the interpreter. The budget of a part, if any, pays for it.
 * - ThreadMXBean is reached by reflection, once, for its module may be missing. A constant method handle is inlined
 *   like a direct call.
 * - The end of the last call behind a latch is stamped by the thread that ends last. A stamp of the thread that opened
 *   the latch would contain its own wake-up.
 * - The loops of a sweep are written out as the lanes are. The probe's own thread is the first of a team and needs no
 *   wake-up; the others are let in by a Semaphore of their own each, and all spin until the last one has come.
 * - A bad request ends with 2 before anything is measured: every task takes its keys first.
 */

import java.io.*;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.*;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

public final class Probe {
    static final int PROTOCOL = 1;
    static final long NS_PER_MS = 1_000_000;
    static final long NS_PER_S = 1_000_000_000;

    static final OutputStream OUT = new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), 1 << 16);
    static final MethodHandle CPU_TIME = findCpuTime();
    static Request request;
    static long sink;
    static volatile long nothing = 1;

    public static void main(String[] args) throws Exception {
        try {
            request = new Request(args);
            if (request.number("protocol", Long.MAX_VALUE) != PROTOCOL) {
                throw new BadRequest(3, "this probe speaks only protocol " + PROTOCOL);
            }
            answer(request.values.getOrDefault("task", "missing"));
        } catch (BadRequest bad) {
            System.err.println("probe: " + bad.getMessage());
            System.exit(bad.code);
        }
    }

    static void answer(String task) throws Exception {
        List<Clock> clocks = clocks();
        sendIdentity();
        OUT.flush();
        for (Clock clock : clocks) {
            new Line("clock").text("clock", clock.name).text("kind", clock.kind).put("hz", clock.hz)
                .put("declared_hz", null).put("declared_resolution_ns", null).put("high_resolution", null).send();
        }
        long[] first = new long[clocks.size()];
        sendElapsed(clocks, first, true);
        switch (task) {
            case "\"count\"": count(clocks, request.count("reads")); break;
            case "\"clocks\"": new ClocksTask().run(clocks); break;
            case "\"pause\"": new PauseTask().run(); break;
            case "\"latch\"": new LatchTask().run(); break;
            case "\"sweep\"": new SweepTask(swept(clocks)).run(); break;
            case "\"experiment\"": new SweepTask(operations()).run(); break;
            default: throw new BadRequest(2, "request: \"task\" must be one of this protocol, not " + task);
        }
        sendElapsed(clocks, first, false);
        new Line("end").text("sink", Long.toString(sink)).send();
        OUT.flush();
    }

    /** Ticks of every clock but those of CPU time since the first call; flushed, since when they are heard is compared with them. */
    static void sendElapsed(List<Clock> clocks, long[] first, boolean begins) throws IOException {
        long[] now = new long[1];
        for (int i = 0; i < first.length; i++) {
            Clock clock = clocks.get(i);
            if (clock.kind.equals("cpu")) continue;
            clock.fill.run(now);
            if (begins) first[i] = now[0];
            new Line("elapsed").text("clock", clock.name).put("ticks", now[0] - first[i]).send();
            OUT.flush();
        }
    }

    static void sendIdentity() throws IOException {
        List<String> notes = new ArrayList<>();
        notes.add("The lane `nothing` reads a volatile static field.");
        notes.add("`Instant.now` is folded into nanoseconds since 1970. Where the compiler sees that the Instant does"
            + " not leave the loop, it allocates none.");
        notes.add("Steps are found in chunks of " + ClocksTask.CHUNK + " readings, kept and compared afterwards.");
        notes.add("The loops of counts, steps and differences, the ways to pause and the turns at a latch run for a"
            + " moment before they are measured, to be compiled.");
        notes.add("The latch is a CountDownLatch. The thread that ends its call last takes the stamp.");
        notes.add("The operations of experiments write fields of each thread's own; the work between them is not inlined.");
        notes.add(options());
        if (CPU_TIME == null) {
            notes.add("This runtime has no ThreadMXBean that tells the CPU time of a thread.");
        }
        if (Runtime.version().feature() < 21) {
            notes.add("`Thread.sleep` of this version rounds to whole milliseconds, to 1 ms at least.");
        }
        new Line("identity").put("protocol", PROTOCOL).text("runtime", System.getProperty("java.vm.name"))
            .text("version", System.getProperty("java.runtime.version"))
            .text("executable", System.getProperty("java.home") + "/bin/java")
            .text("timer", "System.nanoTime").put("timer_hz", NS_PER_S).put("parallel", true)
            .put("notes", notes.stream().map(Line::quoted).collect(Collectors.joining(",", "[", "]"))).send();
    }

    // ---- Clocks and their loops

    interface Lane { long run(int reads); }
    interface Sweep { long run(int operations, int tokens); }
    interface Fill { void run(long[] into); }

    static final class Clock {
        final String name, kind;
        final long hz;
        final LongSupplier once;
        final Lane lane;
        final Sweep sweep;
        final Fill fill;

        Clock(String name, String kind, long hz, LongSupplier once, Lane lane, Sweep sweep, Fill fill) {
            this.name = name;
            this.kind = kind;
            this.hz = hz;
            this.once = once;
            this.lane = lane;
            this.sweep = sweep;
            this.fill = fill;
        }

        /** The lane with this much work before each read. */
        Clock behind(int tokens) {
            return tokens == 0 ? this
                : new Clock(name, kind, hz, once, operations -> sweep.run(operations, tokens), sweep, fill);
        }

        /** Ticks of the timer for one batch, taken from outside. */
        long time(int reads) {
            long begin = System.nanoTime();
            long sum = lane.run(reads);
            long end = System.nanoTime();
            sink += sum;
            return end - begin;
        }

        /** Lets the runtime compile the loop `fill`; many short calls bring it there with the fewest readings. */
        void settle(long forNs) {
            long[] few = new long[64];
            for (long begin = System.nanoTime(); System.nanoTime() - begin < forNs; sink += few[0]) fill.run(few);
        }
    }

    static final Clock NOTHING = new Clock("nothing", "", 0, () -> nothing,
        Probe::nothingLane, Probe::nothingSweep, null);
    static final Clock NANO_TIME = new Clock("System.nanoTime", "monotonic", NS_PER_S,
        System::nanoTime, Probe::nanoTimeLane, Probe::nanoTimeSweep, Probe::nanoTimeFill);
    static final Clock MILLIS = new Clock("System.currentTimeMillis", "wall", 1000,
        System::currentTimeMillis, Probe::millisLane, Probe::millisSweep, Probe::millisFill);
    static final Clock INSTANT = new Clock("Instant.now", "wall", NS_PER_S,
        Probe::instant, Probe::instantLane, Probe::instantSweep, Probe::instantFill);
    static final Clock CPU = new Clock("getCurrentThreadCpuTime", "cpu", NS_PER_S,
        Probe::cpuTime, Probe::cpuTimeLane, Probe::cpuTimeSweep, Probe::cpuTimeFill);

    static List<Clock> clocks() {
        return CPU_TIME == null ? List.of(NANO_TIME, MILLIS, INSTANT) : List.of(NANO_TIME, MILLIS, INSTANT, CPU);
    }

    // A line each, so that they can be compared: they differ in nothing but the clock.
    static long nothingLane(int n) { long s = 0; for (int i = 0; i < n; i++) s += nothing; return s; }
    static long nanoTimeLane(int n) { long s = 0; for (int i = 0; i < n; i++) s += System.nanoTime(); return s; }
    static long millisLane(int n) { long s = 0; for (int i = 0; i < n; i++) s += System.currentTimeMillis(); return s; }
    static long instantLane(int n) { long s = 0; for (int i = 0; i < n; i++) s += instant(); return s; }
    static long cpuTimeLane(int n) { long s = 0; for (int i = 0; i < n; i++) s += cpuTime(); return s; }

    // The loops of a sweep. What is added to the work changes, so that steps cannot be merged.
    static final long STEP = 0x5851F42D4C957F2DL;

    /** Steps of work alone. */
    static long work(long w, int tokens) {
        for (int t = tokens; t > 0; t--) w = w * STEP + t;
        return w;
    }
    static long nothingSweep(int n, int tokens) {
        long w = n;
        for (int i = 0; i < n; i++) {
            for (int t = tokens; t > 0; t--) w = w * STEP + t;
        }
        return w;
    }
    static long nanoTimeSweep(int n, int tokens) {
        long s = 0, w = n;
        for (int i = 0; i < n; i++) {
            for (int t = tokens; t > 0; t--) w = w * STEP + t;
            s += System.nanoTime();
        }
        return s + w;
    }
    static long millisSweep(int n, int tokens) {
        long s = 0, w = n;
        for (int i = 0; i < n; i++) {
            for (int t = tokens; t > 0; t--) w = w * STEP + t;
            s += System.currentTimeMillis();
        }
        return s + w;
    }
    static long instantSweep(int n, int tokens) {
        long s = 0, w = n;
        for (int i = 0; i < n; i++) {
            for (int t = tokens; t > 0; t--) w = w * STEP + t;
            s += instant();
        }
        return s + w;
    }
    static long cpuTimeSweep(int n, int tokens) {
        long s = 0, w = n;
        for (int i = 0; i < n; i++) {
            for (int t = tokens; t > 0; t--) w = w * STEP + t;
            s += cpuTime();
        }
        return s + w;
    }

    // ---- The operations of experiments and their loops

    static volatile long leftOfWork = System.nanoTime();

    /**
     * So many tokens of work, built as those of JMH are: a chain of a multiplication, an addition, a mask and one more operation.
     * The launcher forbids to inline it, as JMH does, so that nothing that an operation does can move into the work or out of it.
     */
    static void consume(long tokens) {
        long w = leftOfWork;
        for (long t = tokens; t > 0; t--) w ^= w * STEP + t & Long.MAX_VALUE;
        if (w == 0) leftOfWork = tokens + 1;
    }

    /** A thread's own fields, on cache lines of their own: super classes come first in memory. */
    static class Before { long a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, aa, ab, ac, ad, ae, af; }
    static class Written extends Before { int plain; volatile int shared; }
    static final class Fields extends Written { long z0, z1, z2, z3, z4, z5, z6, z7, z8, z9, za, zb, zc, zd, ze, zf; }
    static final ThreadLocal<Fields> FIELDS = ThreadLocal.withInitial(Fields::new);

    static final Map<String, List<Clock>> EXPERIMENTS = Map.of(
        "\"backoff\"", List.of(
            operation("baseline: consume", Probe::consumeLoop),
            operation("baseline: consume, return 42", Probe::return42Loop),
            operation("baseline: consume, return a field", Probe::returnFieldLoop),
            operation("plain v++", Probe::plainLoop),
            operation("volatile v++", Probe::volatileLoop)),
        "\"timers\"", List.of(
            operation("a read", Probe::nanoTimeSweep),
            operation("a read until the value changes", Probe::stepLoop)));

    static List<Clock> operations() {
        List<Clock> found = EXPERIMENTS.get(request.values.getOrDefault("experiment", "missing"));
        if (found == null) throw new BadRequest(2, "request: \"experiment\" must be one of this protocol");
        return found;
    }

    static Clock operation(String name, Sweep loop) {
        return new Clock(name, "", 0, null, operations -> loop.run(operations, 0), loop, null);
    }

    static long consumeLoop(int n, int tokens) {
        for (int i = 0; i < n; i++) consume(tokens);
        return n;
    }
    static long return42Loop(int n, int tokens) {
        long s = 0;
        for (int i = 0; i < n; i++) {
            consume(tokens);
            s += 42;
        }
        return s;
    }
    static long returnFieldLoop(int n, int tokens) {
        Fields own = FIELDS.get();
        long s = 0;
        for (int i = 0; i < n; i++) {
            consume(tokens);
            s += own.plain;
        }
        return s;
    }
    static long plainLoop(int n, int tokens) {
        Fields own = FIELDS.get();
        for (int i = 0; i < n; i++) {
            consume(tokens);
            own.plain++;
        }
        return own.plain;
    }
    static long volatileLoop(int n, int tokens) {
        Fields own = FIELDS.get();
        for (int i = 0; i < n; i++) {
            consume(tokens);
            own.shared++;
        }
        return own.shared;
    }

    /** Without work, which could only hide a step. */
    static long stepLoop(int n, int tokens) {
        long last = System.nanoTime(), now;
        for (int i = 0; i < n; i++) {
            do {
                now = System.nanoTime();
            } while (now == last);
            last = now;
        }
        return last;
    }

    static void nanoTimeFill(long[] into) { for (int i = 0; i < into.length; i++) into[i] = System.nanoTime(); }
    static void millisFill(long[] into) { for (int i = 0; i < into.length; i++) into[i] = System.currentTimeMillis(); }
    static void instantFill(long[] into) { for (int i = 0; i < into.length; i++) into[i] = instant(); }
    static void cpuTimeFill(long[] into) { for (int i = 0; i < into.length; i++) into[i] = cpuTime(); }

    static long instant() {
        Instant now = Instant.now();
        return now.getEpochSecond() * NS_PER_S + now.getNano();
    }

    static long cpuTime() {
        try {
            return (long) CPU_TIME.invokeExact();
        } catch (Throwable failed) {
            throw new IllegalStateException(failed);
        }
    }

    /** What the virtual machine was told; its bean is reached by reflection, for its module may be missing. */
    static String options() {
        try {
            Object bean = Class.forName("java.lang.management.ManagementFactory").getMethod("getRuntimeMXBean").invoke(null);
            Object told = Class.forName("java.lang.management.RuntimeMXBean").getMethod("getInputArguments").invoke(bean);
            return "Options of the virtual machine: " + ((List<?>) told).stream().map(Object::toString).collect(Collectors.joining(" ")) + ".";
        } catch (ReflectiveOperationException | LinkageError none) {
            return "Options of the virtual machine: unknown.";
        }
    }

    /** `getCurrentThreadCpuTime` of the bean, or null where module, bean or support is missing. */
    static MethodHandle findCpuTime() {
        try {
            Class<?> type = Class.forName("java.lang.management.ThreadMXBean");
            Class<?> factory = Class.forName("java.lang.management.ManagementFactory");
            Object bean = factory.getMethod("getThreadMXBean").invoke(null);
            MethodHandle found = MethodHandles.lookup()
                .findVirtual(type, "getCurrentThreadCpuTime", MethodType.methodType(long.class)).bindTo(bean);
            return (long) found.invokeExact() < 0 ? null : found; // -1: supported, but switched off
        } catch (Throwable missing) {
            return null;
        }
    }

    // ---- Task count

    static final long COUNT_SETTLE_NS = 30 * NS_PER_MS;

    static void count(List<Clock> clocks, int reads) throws IOException {
        for (Clock clock : clocks) {
            // While HotSpot still counts calls, it asks for the time itself now and then, on the thread that reads.
            long begin = System.nanoTime();
            while (System.nanoTime() - begin < COUNT_SETTLE_NS) sink += clock.lane.run(64);
            new Line("count_begin").text("clock", clock.name).send();
            OUT.flush();
            sink += clock.lane.run(reads);
            new Line("count_end").text("clock", clock.name).put("reads", reads).send();
            OUT.flush();
        }
    }

    // ---- Task clocks

    /** A lane and what was measured of it. */
    static final class Measured {
        static final int READS_MAX = 1 << 30;

        final Clock clock;
        final Longs warm = new Longs(), ticks = new Longs(), check = new Longs();
        int reads = 1;
        boolean enough;

        Measured(Clock clock) {
            this.clock = clock;
        }

        void warm(long batchNs) {
            long took = clock.time(reads);
            warm.add(reads, took);
            enough = took >= batchNs || reads >= READS_MAX;
            reads = enough ? reads : 2 * reads;
        }

        /** Four times the reads may be more than an int holds, but only where a loop was compiled to nothing. */
        void check() {
            check.add(clock.time(reads), reads <= READS_MAX / 4 ? clock.time(4 * reads)
                : clock.time(reads) + clock.time(reads) + clock.time(reads) + clock.time(reads));
        }

        /** Reads of which the fastest of three batches takes long enough, on one thread. */
        int readsFor(long atLeastNs) {
            int batch = Math.max(1, reads / 2);
            while (batch < READS_MAX
                && Math.min(clock.time(batch), Math.min(clock.time(batch), clock.time(batch))) < atLeastNs) {
                batch += batch / 4 + 1;
            }
            return batch;
        }
    }

    static final class ClocksTask {
        static final int CHUNK = 1024;
        static final int ENOUGH_CHANGES = 10;
        static final int WARM_SHOWN_MAX = 200;
        static final int ROUNDS_MIN = 3;
        static final int CHECKS = 5;
        static final int BATCHES_MAX = 4000;
        static final long SETTLE_NS = 25 * NS_PER_MS;
        static final int WORK_AT_LEAST = 16; // steps of work between readings at irregular times
        static final int CHANGES_TIMED = 4; // of the timer, while such work is timed
        static final int RANDOM_SHIFT = 33; // the upper bits of the work's state are random

        final int reads = request.count("reads");
        final int readings = request.count("readings");
        final long spreadNs = request.number("spread_ns", NS_PER_S);
        final int threads = (int) request.number("threads", BATCHES_MAX);
        final int steps = request.count("steps");
        final int rotation = request.count("rotation");
        final long batchNs = request.number("batch_ns", NS_PER_S);
        final long warmNs = request.msAsNs("warm_ms");
        final long lanesNs = request.msAsNs("lanes_ms");
        final long stepsNs = request.msAsNs("steps_ms");
        final long concurrentNs = request.msAsNs("concurrent_ms");
        final List<Measured> lanes = new ArrayList<>();

        void run(List<Clock> clocks) throws Exception {
            lanes.add(new Measured(NOTHING));
            clocks.forEach(clock -> lanes.add(new Measured(clock)));
            if (lanesNs > 0) {
                warmUp();
                measure();
                check();
            }
            for (Clock clock : clocks) {
                if (steps > 0 && stepsNs > 0) steps(clock, stepsNs / clocks.size());
            }
            for (Clock clock : clocks) {
                if (reads > 0) differences(clock);
            }
            int most = readings > 0 ? stepsOfSpread() : 0;
            for (Clock clock : clocks) {
                if (readings > 0) readIrregularly(clock, most);
            }
            lanes.removeIf(lane -> lane.clock == NOTHING || lane.clock.kind.equals("cpu"));
            for (Measured lane : lanes) {
                if (threads > 0 && concurrentNs > 0) concurrent(lane, concurrentNs / lanes.size());
            }
        }

        Measured lane(int round, int turn) {
            return lanes.get((rotation % lanes.size() + round % lanes.size() + turn) % lanes.size());
        }

        void warmUp() {
            long begin = System.nanoTime();
            for (int round = 0; System.nanoTime() - begin < warmNs; round++) {
                for (int turn = 0; turn < lanes.size(); turn++) lane(round, turn).warm(batchNs);
            }
            for (Measured lane : lanes) {
                while (!lane.enough) lane.warm(batchNs);
            }
        }

        void measure() {
            long begin = System.nanoTime();
            for (int round = 0; round < ROUNDS_MIN || System.nanoTime() - begin < lanesNs; round++) {
                for (int turn = 0; turn < lanes.size(); turn++) {
                    Measured lane = lane(round, turn);
                    lane.ticks.add(lane.clock.time(lane.reads));
                }
            }
        }

        void check() throws IOException {
            for (Measured lane : lanes) {
                for (int i = 0; i < CHECKS; i++) lane.check();
                new Line("lane").text("clock", lane.clock.name).put("reads", lane.reads).rows("ticks", 1, lane.ticks)
                    .rows("warm", 2, lane.warm.first(2 * WARM_SHOWN_MAX)).rows("check", 2, lane.check).send();
            }
        }

        void steps(Clock clock, long shareNs) throws IOException {
            long[] chunk = new long[CHUNK];
            Longs changes = new Longs();
            long made = 0, unchanged = 0, passed, begin = System.nanoTime();
            clock.settle(Math.min(SETTLE_NS, shareNs / 2));
            do {
                clock.fill.run(chunk);
                made++; // the first of a chunk has none before it
                for (int i = 1; i < CHUNK && changes.size < steps; i++, made++) {
                    if (chunk[i] == chunk[i - 1]) {
                        unchanged++;
                    } else {
                        changes.add(chunk[i] - chunk[i - 1]);
                    }
                }
                passed = System.nanoTime() - begin;
            } while (changes.size < steps && passed < (changes.size < ENOUGH_CHANGES ? 4 * shareNs : shareNs));
            new Line("steps").text("clock", clock.name).put("reads", made).put("unchanged", unchanged)
                .rows("changes", 1, changes).send();
        }

        void differences(Clock clock) throws IOException {
            long[] readings = new long[reads]; // its pages are touched: Java zeroes it
            if (steps == 0 || stepsNs == 0) clock.settle(SETTLE_NS);
            clock.fill.run(readings);
            long span = Math.max(0, readings[reads - 1] - readings[0]);
            Longs differences = new Longs();
            for (int i = 1; i < reads; i++) differences.add(readings[i] - readings[i - 1]);
            new Line("differences").text("clock", clock.name).put("span", span).counts("counts", differences).send();
        }

        /** The least power of two of steps that takes as long as the readings are to be spread, from work that takes several changes of the timer. */
        int stepsOfSpread() {
            // Compiled first: it would be while the readings are taken, and they would be spread less.
            long begin = System.nanoTime();
            while (System.nanoTime() - begin < SETTLE_NS) sink += work(sink, WORK_AT_LEAST);
            long longEnoughNs = Math.max(spreadNs, CHANGES_TIMED * timerStepNs());
            int timed = WORK_AT_LEAST;
            int steps = WORK_AT_LEAST;
            long takenNs = fastestNs(timed);
            while (takenNs < longEnoughNs && timed < Measured.READS_MAX) {
                timed *= 2;
                takenNs = fastestNs(timed);
            }
            while (steps < timed && (double) steps * takenNs < (double) spreadNs * timed) steps *= 2;
            return steps;
        }

        /** The shortest of three changes of the timer. */
        static long timerStepNs() {
            long shortest = Long.MAX_VALUE;
            for (int i = 0; i < 3; i++) {
                long begin = System.nanoTime();
                long change = 0;
                while (change == 0) change = System.nanoTime() - begin;
                shortest = Math.min(shortest, change);
            }
            return shortest;
        }

        static long fastestNs(int steps) {
            long fastest = Long.MAX_VALUE;
            for (int i = 0; i < 3; i++) {
                long begin = System.nanoTime();
                sink += work(sink, steps);
                fastest = Math.min(fastest, System.nanoTime() - begin);
            }
            return fastest;
        }

        /** A reading after each of 1 to {@code most} steps of work; {@code most} is a power of two. */
        void readIrregularly(Clock clock, int most) throws IOException {
            long[] at = new long[readings], one = new long[1];
            long state = readings;
            for (int i = 0; i < readings; i++) {
                state = work(state, 1 + ((int) (state >>> RANDOM_SHIFT) & (most - 1)));
                clock.fill.run(one);
                at[i] = one[0];
            }
            sink += state;
            Longs changes = new Longs();
            for (int i = 1; i < readings; i++) changes.add(at[i] - at[i - 1]);
            new Line("readings").text("clock", clock.name).rows("changes", 1, changes).send();
        }

        void concurrent(Measured lane, long shareNs) throws Exception {
            int batch = lane.readsFor(Math.max(batchNs / 2, shareNs * threads / BATCHES_MAX));
            Concurrent concurrent = new Concurrent(lane.clock.lane, batch, shareNs, threads);
            new Line("concurrent").text("clock", lane.clock.name).put("threads", threads).put("reads", batch)
                .rows("batches", 3, concurrent.run(BATCHES_MAX)).send();
        }
    }

    /**
     * Threads that read one clock at once. The last to arrive fixes a time to begin, late enough for the scheduler to
     * spread the threads over processors. They spin until then: a thread that must be woken comes late.
     */
    static final class Concurrent {
        static final long SPREAD_NS = 5 * NS_PER_MS;

        final Lane lane;
        final int reads;
        final long lengthNs;
        final Longs[] batches;
        final AtomicInteger absent;
        final AtomicLong sum = new AtomicLong();
        long origin;
        volatile boolean known;

        Concurrent(Lane lane, int reads, long lengthNs, int threads) {
            this.lane = lane;
            this.reads = reads;
            this.lengthNs = lengthNs;
            absent = new AtomicInteger(threads);
            batches = new Longs[threads];
            Arrays.setAll(batches, thread -> new Longs());
        }

        Longs run(int batchesMax) throws InterruptedException {
            Thread[] readers = new Thread[batches.length];
            Arrays.setAll(readers, thread -> daemon(() -> read(thread, batchesMax / readers.length)));
            for (Thread reader : readers) reader.start();
            for (Thread reader : readers) reader.join();
            sink += sum.get();
            Longs all = new Longs();
            for (Longs of : batches) all.add(of.trimmed());
            return all;
        }

        void read(int thread, int batchesMax) {
            Longs mine = batches[thread];
            mine.makeRoom(3 * batchesMax);
            long begin, end, mySum = 0;
            await();
            do {
                begin = System.nanoTime();
                mySum += lane.run(reads);
                end = System.nanoTime();
                mine.add(thread, begin - origin, end - origin);
            } while (end - origin < lengthNs && mine.size < 3 * batchesMax);
            sum.addAndGet(mySum);
        }

        void await() {
            if (absent.decrementAndGet() == 0) {
                origin = System.nanoTime() + SPREAD_NS;
                known = true;
            }
            while (!known) Thread.yield();
            while (System.nanoTime() - origin < 0) Thread.onSpinWait();
        }
    }

    static Thread daemon(Runnable run) {
        Thread thread = new Thread(run);
        thread.setDaemon(true);
        return thread;
    }

    // ---- Task pause

    interface Wait { void pause(long ns) throws InterruptedException; }

    static final class PauseTask {
        static final int SETTLE_PAUSES = 10;
        static final long SETTLE_PAUSE_NS = 100_000;

        final Longs lengths = request.list("lengths_ns", 1000 * NS_PER_S);
        final long budgetNs = request.msAsNs("budget_ms");
        final int rotation = request.count("rotation");
        final Pauses[][] ways = {
            way("Thread.sleep", ns -> Thread.sleep(ns / NS_PER_MS, (int) (ns % NS_PER_MS))),
            way("LockSupport.parkNanos", LockSupport::parkNanos),
            way("busy wait", Probe::busyWait),
            way("busy wait, onSpinWait", Probe::busyWaitOnSpinWait),
            way("busy wait, yield", Probe::busyWaitYield),
        };

        Pauses[] way(String name, Wait wait) {
            return Arrays.stream(lengths.trimmed()).mapToObj(ns -> new Pauses(name, wait, ns)).toArray(Pauses[]::new);
        }

        void run() throws Exception {
            if (budgetNs == 0 || lengths.size == 0) return;
            long begin = System.nanoTime();
            for (Pauses[] way : ways) {
                for (int i = 0; i < SETTLE_PAUSES; i++) way[0].wait.pause(SETTLE_PAUSE_NS);
            }
            int all = ways.length * lengths.size;
            for (int turn = 0; turn < all || System.nanoTime() - begin < budgetNs; turn++) {
                int round = turn / all % ways.length;
                Pauses[] way = ways[(rotation % ways.length + round + turn % all / lengths.size) % ways.length];
                way[turn % lengths.size].turn();
            }
            for (Pauses[] way : ways) {
                for (Pauses pauses : way) pauses.send();
            }
        }
    }

    /** One way to wait, at one length. */
    static final class Pauses {
        static final long TURN_NS = 20 * NS_PER_MS;
        static final int TURN_MAX = 200;

        final String name;
        final Wait wait;
        final long lengthNs;
        final Longs taken = new Longs();
        long wallNs, cpuNs;

        Pauses(String name, Wait wait, long lengthNs) {
            this.name = name;
            this.wait = wait;
            this.lengthNs = lengthNs;
        }

        /** Stops where one more like the last would not fit: what a pause takes may be far from what was asked. */
        void turn() throws InterruptedException {
            taken.makeRoom(TURN_MAX);
            int pauses = 0;
            long before, behind;
            long begin = System.nanoTime();
            long cpuBegin = CPU_TIME == null ? 0 : cpuTime();
            do {
                before = System.nanoTime();
                wait.pause(lengthNs);
                behind = System.nanoTime();
                taken.add(behind - before);
            } while (++pauses < TURN_MAX && behind - begin + (behind - before) <= TURN_NS);
            cpuNs += CPU_TIME == null ? 0 : cpuTime() - cpuBegin;
            wallNs += System.nanoTime() - begin;
        }

        void send() throws IOException {
            new Line("pause").text("way", name).put("requested_ns", lengthNs).put("wall_ns", wallNs)
                .put("cpu_ns", CPU_TIME == null ? null : cpuNs).counts("taken_ns", taken).send();
        }
    }

    static void busyWait(long ns) {
        for (long begin = System.nanoTime(); System.nanoTime() - begin < ns; ) { }
    }

    static void busyWaitOnSpinWait(long ns) {
        for (long begin = System.nanoTime(); System.nanoTime() - begin < ns; ) Thread.onSpinWait();
    }

    static void busyWaitYield(long ns) {
        for (long begin = System.nanoTime(); System.nanoTime() - begin < ns; ) Thread.yield();
    }

    // ---- Task latch

    static final class LatchTask {
        static final int TURNS_MIN = 3;
        static final int TURNS_MAX = 400;
        static final int THREADS_MAX = 4000;

        final int threads = (int) request.number("threads", THREADS_MAX);
        final int rotation = request.count("rotation");
        final long budgetNs = request.msAsNs("budget_ms");
        final int serialCalls = 10 * threads;
        Longs start = new Longs();
        Call[] calls = {new Call(NOTHING), new Call(NANO_TIME), new Call(MILLIS)};

        static final class Call {
            final Clock clock;
            final Longs serial = new Longs(), release = new Longs(), inside = new Longs(), wake = new Longs();

            Call(Clock clock) {
                this.clock = clock;
            }
        }

        void run() throws Exception {
            if (threads == 0 || budgetNs == 0) return;
            long begin = System.nanoTime();
            settle(budgetNs / 10);
            for (int turn = 0; turn < TURNS_MIN || turn < TURNS_MAX && System.nanoTime() - begin < budgetNs; turn++) {
                turn(turn);
            }
            for (Call call : calls) {
                new Line("latch").text("call", call.clock.name).put("serial_calls", serialCalls)
                    .rows("serial", 1, call.serial).rows("release", 1, call.release)
                    .counts("inside", call.inside).counts("wake", call.wake).send();
            }
            new Line("latch_start").rows("start", 1, start).send();
        }

        /** Half the time for the calls alone, half for turns, both thrown away. */
        void settle(long forNs) throws InterruptedException {
            long begin = System.nanoTime();
            Gate plain = new Gate(1, NOTHING.once, false), stamped = new Gate(1, NOTHING.once, true);
            while (System.nanoTime() - begin < forNs / 2) {
                for (Call call : calls) {
                    call.clock.time(serialCalls);
                    plain.callers[0].call(call.clock.once);
                    stamped.callers[0].call(call.clock.once);
                }
            }
            for (int turn = 0; System.nanoTime() - begin < forNs; turn++) turn(turn);
            start = new Longs();
            Arrays.setAll(calls, i -> new Call(calls[i].clock));
        }

        void turn(int turn) throws InterruptedException {
            for (int i = 0; i < calls.length; i++) {
                Call call = calls[(rotation % calls.length + turn + i) % calls.length];
                call.serial.add(call.clock.time(serialCalls));
                Gate plain = new Gate(threads, call.clock.once, false);
                start.add(plain.start());
                plain.open();
                call.release.add(plain.lastEnd - plain.opened);
                Gate stamped = new Gate(threads, call.clock.once, true);
                start.add(stamped.start());
                stamped.open();
                for (Gate.Caller caller : stamped.callers) {
                    call.wake.add(caller.before - stamped.opened);
                    call.inside.add(caller.behind - caller.before);
                }
            }
        }
    }

    /** Threads that wait at one latch, to make one call each. */
    static final class Gate {
        final LongSupplier call;
        final boolean stamped;
        final Caller[] callers;
        final CountDownLatch latch = new CountDownLatch(1);
        final AtomicInteger running;
        long opened, lastEnd;

        Gate(int threads, LongSupplier call, boolean stamped) {
            this.call = call;
            this.stamped = stamped;
            running = new AtomicInteger(threads);
            callers = new Caller[threads];
            Arrays.setAll(callers, i -> new Caller());
        }

        /** Ticks until all threads wait. Their state tells it: a thread that only says so may not wait yet. */
        long start() {
            long begin = System.nanoTime();
            for (Caller caller : callers) caller.thread.start();
            for (Caller caller : callers) {
                while (!caller.arrived || caller.thread.getState() != Thread.State.WAITING) Thread.yield();
            }
            return System.nanoTime() - begin;
        }

        void open() throws InterruptedException {
            opened = System.nanoTime();
            latch.countDown();
            for (Caller caller : callers) {
                caller.thread.join();
                sink += caller.reading;
            }
        }

        final class Caller {
            final Thread thread = daemon(this::run);
            volatile boolean arrived;
            long before, behind, reading;

            void run() {
                arrived = true;
                try {
                    latch.await();
                } catch (InterruptedException never) {
                    throw new IllegalStateException(never);
                }
                call(call);
            }

            void call(LongSupplier clock) {
                if (stamped) {
                    before = System.nanoTime();
                    reading = clock.getAsLong();
                    behind = System.nanoTime();
                } else {
                    reading = clock.getAsLong();
                    if (running.decrementAndGet() == 0) lastEnd = System.nanoTime();
                }
            }
        }
    }

    // ---- Tasks sweep and experiment

    /** The clocks that a sweep is asked for, and none. */
    static Collection<Clock> swept(List<Clock> clocks) {
        Longs wanted = request.list("clocks", clocks.size() - 1);
        Set<Clock> swept = new LinkedHashSet<>(List.of(NOTHING));
        for (long index : wanted.trimmed()) swept.add(clocks.get((int) index));
        if (wanted.size == 0) clocks.stream().filter(clock -> !clock.kind.equals("cpu")).forEach(swept::add);
        return swept;
    }

    static final class SweepTask {
        static final int BATCHES_MAX = 200;
        static final int ROUNDS_MIN = 3;
        static final int THREADS_MAX = 4000;

        final long[] tokens = request.list("tokens", Measured.READS_MAX).trimmed();
        final long[] threads = request.list("threads_list", THREADS_MAX).trimmed();
        final int rotation = request.count("rotation");
        final long iterationNs = request.number("iteration_ns", 1000 * NS_PER_S);
        final long batchNs = Math.max(request.number("batch_ns", NS_PER_S), iterationNs / BATCHES_MAX + 1);
        final long warmNs = request.msAsNs("warm_ms");
        final long budgetNs = request.msAsNs("budget_ms");
        final List<Cell> cells = new ArrayList<>();

        static final class Cell {
            final long tokens;
            final Measured loop;
            int operations;

            Cell(Clock clock, long tokens) {
                this.tokens = tokens;
                loop = new Measured(clock.behind((int) tokens));
            }
        }

        SweepTask(Collection<Clock> loops) {
            for (Clock loop : loops) {
                for (long of : tokens) cells.add(new Cell(loop, of));
            }
            if (Arrays.stream(threads).anyMatch(of -> of == 0)) {
                throw new BadRequest(2, "request: \"threads_list\" must not contain 0");
            }
        }

        void run() throws Exception {
            if (cells.isEmpty() || threads.length == 0 || iterationNs == 0 || budgetNs == 0) return;
            Team team;
            try {
                team = new Team((int) Arrays.stream(threads).max().getAsLong(), iterationNs);
            } catch (OutOfMemoryError none) { // of threads, too
                new Line("sweep_unavailable").text("reason", none.getMessage()).send();
                return;
            }
            warmUp();
            long begin = System.nanoTime();
            for (int round = 0; round < ROUNDS_MIN || System.nanoTime() - begin < budgetNs; round++) {
                makeRound(team, round);
            }
            sink += team.sum();
        }

        Cell cell(int round, int turn) {
            return cells.get((rotation % cells.size() + round % cells.size() + turn) % cells.size());
        }

        void warmUp() {
            long begin = System.nanoTime();
            for (int round = 0; System.nanoTime() - begin < warmNs; round++) {
                for (int turn = 0; turn < cells.size(); turn++) cell(round, turn).loop.warm(batchNs);
            }
            for (Cell cell : cells) {
                while (!cell.loop.enough) cell.loop.warm(batchNs);
            }
            for (Cell cell : cells) cell.operations = cell.loop.readsFor(batchNs);
        }

        void makeRound(Team team, int round) throws Exception {
            List<Line> lines = new ArrayList<>();
            for (int turn = 0; turn < cells.size(); turn++) {
                Cell cell = cell(round, turn);
                for (int i = 0; i < threads.length; i++) {
                    int together = (int) threads[round % 2 == 0 ? i : threads.length - 1 - i];
                    Longs batches = team.iteration(cell.loop.clock.lane, cell.operations, together);
                    lines.add(new Line("sweep").text("clock", cell.loop.clock.name).put("tokens", cell.tokens)
                        .put("threads", together).put("round", round).put("operations", cell.operations)
                        .rows("batches", 3, batches));
                }
            }
            for (Line line : lines) line.send();
            OUT.flush();
        }
    }

    /** Threads that make iterations together; the first is the one that calls `iteration`. */
    static final class Team {
        static final long SPIN_NS = 2 * NS_PER_MS; // then a thread that waits for others gives way

        final long origin = System.nanoTime(), iterationNs;
        final Member[] members;
        final Semaphore done = new Semaphore(0);
        final AtomicInteger met = new AtomicInteger();
        Lane lane;
        int operations, together;

        Team(int threads, long iterationNs) {
            this.iterationNs = iterationNs;
            members = new Member[threads];
            Arrays.setAll(members, thread -> new Member());
            for (int thread = 1; thread < threads; thread++) daemon(members[thread]::serve).start();
        }

        Longs iteration(Lane lane, int operations, int together) throws InterruptedException {
            this.lane = lane;
            this.operations = operations;
            this.together = together;
            met.set(0);
            for (int thread = 1; thread < together; thread++) members[thread].called.release();
            members[0].iteration();
            done.acquire(together - 1);
            Longs batches = new Longs();
            for (int thread = 0; thread < together; thread++) {
                Longs stamps = members[thread].stamps;
                for (int i = 0; i < stamps.size; i += 2) batches.add(thread, stamps.values[i], stamps.values[i + 1]);
            }
            return batches;
        }

        long sum() {
            return Arrays.stream(members).mapToLong(member -> member.sum).sum();
        }

        final class Member {
            final Semaphore called = new Semaphore(0);
            final Longs stamps = new Longs();
            long sum;

            Member() {
                stamps.makeRoom(2 * SweepTask.BATCHES_MAX);
            }

            void serve() {
                for (; ; done.release()) {
                    called.acquireUninterruptibly();
                    iteration();
                }
            }

            void iteration() {
                stamps.size = 0;
                met.incrementAndGet();
                for (long came = System.nanoTime(); met.get() < together; ) {
                    if (System.nanoTime() - came < SPIN_NS) {
                        Thread.onSpinWait();
                    } else {
                        Thread.yield();
                    }
                }
                long mySum = lane.run(operations), first = System.nanoTime(), begin, end;
                do {
                    begin = System.nanoTime();
                    mySum += lane.run(operations);
                    end = System.nanoTime();
                    stamps.add(begin - origin);
                    stamps.add(end - origin);
                } while (stamps.size < 2 * SweepTask.BATCHES_MAX && end - first < iterationNs);
                sum += mySum;
            }
        }
    }

    // ---- The request and the answer

    static final class BadRequest extends RuntimeException {
        private static final long serialVersionUID = 1;
        final int code;

        BadRequest(int code, String message) {
            super(message);
            this.code = code;
        }
    }

    /** A flat object of unsigned integers, of strings without escapes, and of lists of unsigned integers. */
    static final class Request {
        static final String NUMBER = "(?:0|[1-9][0-9]{0,18})";
        static final String LIST = "\\[\\s*(?:" + NUMBER + "\\s*(?:,\\s*" + NUMBER + "\\s*)*)?\\]";
        static final String STRING = "\"[^\"\\\\\\p{Cntrl}]*\"";
        static final Pattern MEMBER = Pattern.compile(
            "\\s*(" + STRING + ")\\s*:\\s*(" + NUMBER + "|" + LIST + "|" + STRING + ")\\s*([,}])\\s*");

        /** As written, strings with their quotes. */
        final Map<String, String> values = new HashMap<>();

        Request(String[] args) {
            if (args.length != 1) throw new BadRequest(2, "expected one argument, the request, but got " + args.length);
            String text = args[0].trim();
            Matcher member = MEMBER.matcher(text);
            int at = text.startsWith("{") ? 1 : 0;
            for (boolean more = at == 1; more; at = member.end(), more = member.group(3).equals(",")) {
                if (!member.find(at) || member.start() != at) {
                    throw new BadRequest(2, "request, behind character " + at + ": expected \"key\": value and , or }");
                }
                values.put(member.group(1).substring(1, member.group(1).length() - 1), member.group(2));
            }
            if (at == 0 || at != text.length()) throw new BadRequest(2, "the request is not one JSON object");
        }

        long number(String key, long max) {
            return parsed(key, values.getOrDefault(key, "missing"), max);
        }

        int count(String key) {
            return (int) number(key, Measured.READS_MAX);
        }

        long msAsNs(String key) {
            return number(key, NS_PER_S) * NS_PER_MS;
        }

        Longs list(String key, long max) {
            String text = values.getOrDefault(key, "missing");
            if (!text.startsWith("[")) throw new BadRequest(2, "request: \"" + key + "\" must be a list, not " + text);
            Longs list = new Longs();
            for (String number : text.substring(1, text.length() - 1).trim().split("\\s*,\\s*")) {
                if (!number.isEmpty()) list.add(parsed(key, number, max));
            }
            return list;
        }

        static long parsed(String key, String text, long max) {
            try {
                long number = Long.parseLong(text);
                if (number <= max) return number;
            } catch (NumberFormatException bad) {
                // told below
            }
            throw new BadRequest(2, "request: \"" + key + "\" must be an integer from 0 to " + max + ", not " + text);
        }
    }

    /** A list of numbers without boxes. */
    static final class Longs {
        long[] values = new long[16];
        int size;

        void add(long value) {
            makeRoom(1);
            values[size++] = value;
        }

        void add(long... row) {
            for (long value : row) add(value);
        }

        void makeRoom(int more) {
            if (size + more > values.length) values = Arrays.copyOf(values, Math.max(size + more, 2 * values.length));
        }

        long[] trimmed() {
            return Arrays.copyOf(values, size);
        }

        Longs first(int count) {
            Longs first = new Longs();
            first.add(Arrays.copyOf(values, Math.min(count, size)));
            return first;
        }
    }

    /** One line of the answer. `append(long)` asks no locale. */
    static final class Line {
        final StringBuilder text = new StringBuilder("{\"type\":");

        Line(String type) {
            text.append(quoted(type));
        }

        Line put(String key, Object value) {
            text.append(',').append(quoted(key)).append(':').append(value);
            return this;
        }

        Line text(String key, String value) {
            return put(key, quoted(value == null ? "" : value));
        }

        /** The list cut into rows of so many numbers; a row of one is the number itself. */
        Line rows(String key, int width, Longs list) {
            put(key, "[");
            for (int i = 0; i < list.size; i++) {
                text.append(i == 0 ? "" : ",").append(width > 1 && i % width == 0 ? "[" : "").append(list.values[i]);
                text.append(width > 1 && i % width == width - 1 ? "]" : "");
            }
            text.append(']');
            return this;
        }

        /** Every distinct number with how often it came. */
        Line counts(String key, Longs list) {
            long[] sorted = list.trimmed();
            Arrays.sort(sorted);
            Longs counts = new Longs();
            for (int i = 0, begin = 0; i < sorted.length; i++) {
                if (i + 1 < sorted.length && sorted[i + 1] == sorted[i]) continue;
                counts.add(sorted[i], i + 1 - begin);
                begin = i + 1;
            }
            return rows(key, 2, counts);
        }

        void send() throws IOException {
            OUT.write(text.append("}\n").toString().getBytes(StandardCharsets.UTF_8));
        }

        static String quoted(String value) {
            StringBuilder quoted = new StringBuilder("\"");
            for (char c : value.toCharArray()) {
                if (c < ' ') {
                    quoted.append("\\u00").append(c < 16 ? "0" : "").append(Integer.toHexString(c));
                } else {
                    quoted.append(c == '"' || c == '\\' ? "\\" : "").append(c);
                }
            }
            return quoted.append('"').toString();
        }
    }
}
