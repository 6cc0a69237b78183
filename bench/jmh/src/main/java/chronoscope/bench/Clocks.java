package chronoscope.bench;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Latency: the average time of a read. Granularity: the average time until a reading differs from the last one.
 *
 * <p>The subclasses set how many threads read at once. Each thread has a last reading of its own.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(5)
@Warmup(iterations = 5, time = 200, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 200, timeUnit = TimeUnit.MILLISECONDS)
@State(Scope.Thread)
public abstract class Clocks {
    private long last;

    /** JMH's own loop. Shown, never subtracted. */
    @Benchmark
    public void nothing() {
    }

    @Benchmark
    public long nanoTimeLatency() {
        return System.nanoTime();
    }

    @Benchmark
    public long nanoTimeGranularity() {
        long now;
        do {
            now = System.nanoTime();
        } while (now == last);
        last = now;
        return now;
    }

    @Benchmark
    public long currentTimeMillisLatency() {
        return System.currentTimeMillis();
    }

    @Benchmark
    public long currentTimeMillisGranularity() {
        long now;
        do {
            now = System.currentTimeMillis();
        } while (now == last);
        last = now;
        return now;
    }

    /** One thread. */
    @Threads(1)
    public static class OneThread extends Clocks {
    }

    /** As many threads as there are processors. */
    @Threads(Threads.MAX)
    public static class AllThreads extends Clocks {
    }
}
