package chronoscope.bench;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Blackhole;

/**
 * What a volatile write costs among other work: `backoff` tokens are consumed before each operation.
 *
 * <p>The valid comparison is plain against volatile at the same backoff. The baselines are data of their own: what is
 * left after subtracting one of them may be negative, and differs from one to the next.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(5)
@Warmup(iterations = 5, time = 200, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 200, timeUnit = TimeUnit.MILLISECONDS)
@State(Scope.Thread)
public class VolatileWrite {
    @Param({"0", "1", "2", "5", "10", "20", "40"})
    private int backoff;

    private int plain;
    private volatile int shared;

    @Benchmark
    public void baselineConsume() {
        Blackhole.consumeCPU(backoff);
    }

    @Benchmark
    public int baselineConstant() {
        Blackhole.consumeCPU(backoff);
        return 42;
    }

    @Benchmark
    public int baselineField() {
        Blackhole.consumeCPU(backoff);
        return plain;
    }

    @Benchmark
    public int plainWrite() {
        Blackhole.consumeCPU(backoff);
        return plain++;
    }

    @Benchmark
    public int volatileWrite() {
        Blackhole.consumeCPU(backoff);
        return shared++;
    }
}
