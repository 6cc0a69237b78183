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
 * Operations behind some tokens of work, each on fields of its thread: what the article's model of a volatile write
 * is made of.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(5)
@Warmup(iterations = 5, time = 200, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 200, timeUnit = TimeUnit.MILLISECONDS)
@State(Scope.Thread)
public class Backoff {
    @Param({"0", "2", "5", "10", "20"})
    public int tokens;

    private int plain;
    private volatile int shared;

    @Benchmark
    public void consume() {
        Blackhole.consumeCPU(tokens);
    }

    @Benchmark
    public int return42() {
        Blackhole.consumeCPU(tokens);
        return 42;
    }

    @Benchmark
    public int returnField() {
        Blackhole.consumeCPU(tokens);
        return plain;
    }

    @Benchmark
    public void plainIncrement() {
        Blackhole.consumeCPU(tokens);
        plain++;
    }

    @Benchmark
    public void volatileIncrement() {
        Blackhole.consumeCPU(tokens);
        shared++;
    }
}
