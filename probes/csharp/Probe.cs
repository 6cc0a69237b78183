/*
 * Reads the clocks of a .NET runtime and answers as probes/PROTOCOL.md says: `probe.exe REQUEST`. One file of C# 7 for
 * Mono and CoreCLR alike: `mcs -optimize+ -out:probe.exe Probe.cs`, then `mono probe.exe` or `dotnet exec`.
 *
 * Why no reading can be left out. Every loop adds its readings to a sum or keeps them; the line `end` prints the sum of
 * the sums. What a clock will answer is not known to the compiler: two reads cannot become one, and none can leave the
 * loop. The lane `nothing` reads a static with Volatile.Read; such reads may not be merged or moved out of a loop.
 *
 * Decisions:
 * - Every clock has a loop of its own for sums (`...Lane`) and one that keeps its readings (`...Fill`), never inlined.
 * - Steps are found in chunks of kept readings, behind each chunk, so that looking for them does not slow the reading.
 * - A loop that the protocol does not warm up is settled here: it runs for a moment, and what it gave is thrown away.
 *   Newer runtimes compile twice, and may begin with slow code. The budget of a part, if any, pays for it.
 * - Environment.TickCount64 is not in Mono's class library, with which this file must compile. It is found by
 *   reflection and called through a delegate. Without it, Environment.TickCount is read.
 * - No clock of kind `cpu`: Process.TotalProcessorTime opens a file on Linux and goes in steps of 10 ms, and
 *   AppDomain.MonitoringTotalProcessorTime leaves the kernel's share out there. For pauses the C library is asked.
 * - The end of the last call behind a latch is stamped by the thread that ends last. A stamp of the thread that opened
 *   the latch would contain its own wake-up.
 * - The loops of a sweep are written out as the lanes are. The probe's own thread is the first of a team and needs no
 *   wake-up; the others are let in by an AutoResetEvent of their own each, and all spin until the last one has come.
 * - A bad request ends with 2 before anything is measured: every task takes its keys first.
 */

using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text;
using System.Text.RegularExpressions;
using System.Threading;
using static System.Diagnostics.Stopwatch;

static class Probe
{
    const int Protocol = 1;
    public const long NsPerMs = 1000000;
    public const long NsPerS = 1000000000;

    public static readonly Stream Out = new BufferedStream(Console.OpenStandardOutput(), 1 << 16);
    public static Request Asked;
    public static long Sink;

    static int Main(string[] args)
    {
        try
        {
            Asked = new Request(args);
            if (Asked.Number("protocol", long.MaxValue) != Protocol)
                throw new BadRequest(3, "this probe speaks only protocol " + Protocol);
            Answer(Asked.Text("task"));
            return 0;
        }
        catch (BadRequest bad)
        {
            Console.Error.WriteLine("probe: " + bad.Message);
            return bad.Code;
        }
        catch (Exception failed)
        {
            Console.Error.WriteLine("probe: " + failed);
            return 1;
        }
    }

    static void Answer(string task)
    {
        SendIdentity();
        Out.Flush();
        foreach (var clock in Clock.All)
        {
            bool declares = clock == Clock.OfStopwatch;
            new Line("clock").Text("clock", clock.Name).Text("kind", clock.Kind).Put("hz", clock.Hz)
                .Put("declared_hz", declares ? (object)Stopwatch.Frequency : null).Put("declared_resolution_ns", null)
                .Put("high_resolution", declares ? (object)Stopwatch.IsHighResolution : null).Send();
        }
        var first = new long[Clock.All.Length];
        SendElapsed(first, true);
        switch (task)
        {
            case "\"count\"": Count(Asked.Count("reads")); break;
            case "\"clocks\"": new ClocksTask().Run(); break;
            case "\"pause\"": new PauseTask().Run(); break;
            case "\"latch\"": new LatchTask().Run(); break;
            case "\"sweep\"": new SweepTask().Run(); break;
            default: throw new BadRequest(2, "request: \"task\" must be one of this protocol, not " + task);
        }
        SendElapsed(first, false);
        new Line("end").Text("sink", Sink.ToString(CultureInfo.InvariantCulture)).Send();
        Out.Flush();
    }

    /// <summary>Ticks of every clock since the first call; flushed, since when they are heard is compared with them.</summary>
    static void SendElapsed(long[] first, bool begins)
    {
        var now = new long[1];
        for (int i = 0; i < first.Length; i++)
        {
            var clock = Clock.All[i];
            clock.Fill(now);
            if (begins) first[i] = now[0];
            new Line("elapsed").Text("clock", clock.Name).Put("ticks", now[0] - first[i]).Send();
            Out.Flush();
        }
    }

    static void SendIdentity()
    {
        var mono = Type.GetType("Mono.Runtime");
        string framework = RuntimeInformation.FrameworkDescription; // ".NET Core 3.1.23"
        string version = mono == null ? framework.Substring(framework.LastIndexOf(' ') + 1)
            : (string)mono.GetMethod("GetDisplayName", BindingFlags.NonPublic | BindingFlags.Static).Invoke(null, null);
        string name = mono != null ? "Mono"
            : framework.StartsWith(".NET Framework", StringComparison.Ordinal) ? ".NET Framework" : "CoreCLR";
        string[] notes =
        {
            "The lane `nothing` reads a static field with Volatile.Read.",
            "`DateTime.UtcNow` is folded into its ticks of 100 ns since the year 1.",
            Clock.TickCount64 != null
                ? "`Environment.TickCount64` is called through a delegate, which adds a nanosecond or two."
                : "This class library lacks `Environment.TickCount64`. `Environment.TickCount` wraps after 2^32 ms.",
            "Steps are found in chunks of " + ClocksTask.Chunk + " readings, kept and compared afterwards.",
            "The loops of steps and differences, the ways to pause and the turns at a latch run for a moment before"
                + " they are measured, to be compiled.",
            "`Thread.Sleep` takes whole milliseconds; a length is rounded up to them.",
            "`SpinWait.SpinOnce` is called until the time is over. After some calls it yields or sleeps for 1 ms.",
            "The CPU time of pauses is " + CpuTime.Source + ".",
            "The latch is a ManualResetEvent. The thread that ends its call last takes the stamp.",
        };
        new Line("identity").Put("protocol", Protocol).Text("runtime", name).Text("version", version.Split(' ')[0])
            .Text("executable", Executable()).Text("timer", "Stopwatch.GetTimestamp").Put("timer_hz", Timing.Hz)
            .Put("parallel", true).Raw("notes", "[" + string.Join(",", notes.Select(Line.Quoted)) + "]").Send();
    }

    static string Executable()
    {
        try
        {
            return Process.GetCurrentProcess().MainModule.FileName;
        }
        catch (Exception)
        {
            return "";
        }
    }

    static void Count(int reads)
    {
        foreach (var clock in Clock.All)
        {
            Sink += clock.Lane(1);
            new Line("count_begin").Text("clock", clock.Name).Send();
            Out.Flush();
            Sink += clock.Lane(reads);
            new Line("count_end").Text("clock", clock.Name).Put("reads", reads).Send();
            Out.Flush();
        }
    }
}

/// <summary>Ticks of the timer and nanoseconds; exact where a tick is a whole number of nanoseconds.</summary>
static class Timing
{
    public static readonly long Hz = Stopwatch.Frequency;

    public static long Ns(long ticks)
        => Probe.NsPerS % Hz == 0 ? ticks * (Probe.NsPerS / Hz) : (long)((decimal)ticks * Probe.NsPerS / Hz);

    public static long Ticks(long ns) => (long)decimal.Ceiling((decimal)ns * Hz / Probe.NsPerS);

    public static long NsSince(long begin) => Ns(GetTimestamp() - begin);
}

/// <summary>CPU time of pauses: on Linux of the thread, from the C library; else of the process.</summary>
static class CpuTime
{
    const int ThreadCpuTimeOfLinux = 3;
    static readonly bool s_ofThread = RuntimeInformation.IsOSPlatform(OSPlatform.Linux) && Works(OfThread);
    static readonly bool s_ofProcess = !s_ofThread && Works(OfProcess);

    public static string Source
        => s_ofThread ? "of the thread, asked of the C library, for the runtime does not tell it"
        : s_ofProcess ? "of the process, by Process.TotalProcessorTime, which may go in steps of 10 ms" : "not known";

    public static long? Ns() => s_ofThread ? OfThread() : s_ofProcess ? OfProcess() : (long?)null;

    struct TimeSpec
    {
        public IntPtr Seconds, Nanoseconds; // of the size of C's `long`
    }

    [DllImport("libc")] static extern int clock_gettime(int clock, out TimeSpec time);

    static long OfThread()
    {
        if (clock_gettime(ThreadCpuTimeOfLinux, out TimeSpec time) != 0) throw new NotSupportedException();
        return (long)time.Seconds * Probe.NsPerS + (long)time.Nanoseconds;
    }

    static long OfProcess()
    {
        using (var process = Process.GetCurrentProcess()) return process.TotalProcessorTime.Ticks * 100;
    }

    static bool Works(Func<long> read)
    {
        try
        {
            return read() >= 0;
        }
        catch (Exception)
        {
            return false;
        }
    }
}

sealed class Clock
{
    public readonly string Name, Kind;
    public readonly long Hz;
    public Func<long> Once; // only where a latch calls it
    public Func<int, long> Lane;
    public Func<int, int, long> Sweep;
    public Action<long[]> Fill;

    public static readonly Func<long> TickCount64 = FindTickCount64();
    static long s_one = 1;

    public static readonly Clock Nothing = new Clock("nothing", "", 0)
        { Once = () => Volatile.Read(ref s_one), Lane = NothingLane, Sweep = NothingSweep };
    public static readonly Clock OfStopwatch = new Clock("Stopwatch.GetTimestamp", "monotonic", Timing.Hz)
        { Once = GetTimestamp, Lane = StopwatchLane, Sweep = StopwatchSweep, Fill = StopwatchFill };
    public static readonly Clock OfUtcNow = new Clock("DateTime.UtcNow", "wall", TimeSpan.TicksPerSecond)
        { Once = () => DateTime.UtcNow.Ticks, Lane = UtcNowLane, Sweep = UtcNowSweep, Fill = UtcNowFill };
    public static readonly Clock[] All = { OfStopwatch, OfUtcNow, TickCount64 != null
        ? new Clock("Environment.TickCount64", "monotonic", 1000)
            { Lane = TickCount64Lane, Sweep = TickCount64Sweep, Fill = TickCount64Fill }
        : new Clock("Environment.TickCount", "monotonic", 1000)
            { Lane = TickCountLane, Sweep = TickCountSweep, Fill = TickCountFill } };

    Clock(string name, string kind, long hz)
    {
        Name = name;
        Kind = kind;
        Hz = hz;
    }

    static Func<long> FindTickCount64()
    {
        var getter = typeof(Environment).GetProperty("TickCount64")?.GetGetMethod();
        return getter == null ? null : (Func<long>)Delegate.CreateDelegate(typeof(Func<long>), getter);
    }

    // A line each, so that they can be compared: they differ in nothing but the clock.
    const MethodImplOptions Alone = MethodImplOptions.NoInlining;
    [MethodImpl(Alone)]
    static long NothingLane(int n) { long s = 0; for (int i = 0; i < n; i++) s += Volatile.Read(ref s_one); return s; }
    [MethodImpl(Alone)]
    static long StopwatchLane(int n) { long s = 0; for (int i = 0; i < n; i++) s += GetTimestamp(); return s; }
    [MethodImpl(Alone)]
    static long UtcNowLane(int n) { long s = 0; for (int i = 0; i < n; i++) s += DateTime.UtcNow.Ticks; return s; }
    [MethodImpl(Alone)]
    static long TickCount64Lane(int n) { long s = 0; for (int i = 0; i < n; i++) s += TickCount64(); return s; }
    [MethodImpl(Alone)]
    static long TickCountLane(int n) { long s = 0; for (int i = 0; i < n; i++) s += TickCount(); return s; }

    // The loops of a sweep. What is added to the work changes, so that steps cannot be merged.
    const long Step = 0x5851F42D4C957F2D;

    /// <summary>Steps of work alone.</summary>
    [MethodImpl(Alone)]
    public static long Work(long w, int tokens)
    {
        for (int t = tokens; t > 0; t--) w = w * Step + t;
        return w;
    }
    [MethodImpl(Alone)]
    static long NothingSweep(int n, int tokens)
    {
        long w = n;
        for (int i = 0; i < n; i++)
        {
            for (int t = tokens; t > 0; t--) w = w * Step + t;
        }
        return w;
    }
    [MethodImpl(Alone)]
    static long StopwatchSweep(int n, int tokens)
    {
        long s = 0, w = n;
        for (int i = 0; i < n; i++)
        {
            for (int t = tokens; t > 0; t--) w = w * Step + t;
            s += GetTimestamp();
        }
        return s + w;
    }
    [MethodImpl(Alone)]
    static long UtcNowSweep(int n, int tokens)
    {
        long s = 0, w = n;
        for (int i = 0; i < n; i++)
        {
            for (int t = tokens; t > 0; t--) w = w * Step + t;
            s += DateTime.UtcNow.Ticks;
        }
        return s + w;
    }
    [MethodImpl(Alone)]
    static long TickCount64Sweep(int n, int tokens)
    {
        long s = 0, w = n;
        for (int i = 0; i < n; i++)
        {
            for (int t = tokens; t > 0; t--) w = w * Step + t;
            s += TickCount64();
        }
        return s + w;
    }
    [MethodImpl(Alone)]
    static long TickCountSweep(int n, int tokens)
    {
        long s = 0, w = n;
        for (int i = 0; i < n; i++)
        {
            for (int t = tokens; t > 0; t--) w = w * Step + t;
            s += TickCount();
        }
        return s + w;
    }

    [MethodImpl(Alone)]
    static void StopwatchFill(long[] to) { for (int i = 0; i < to.Length; i++) to[i] = GetTimestamp(); }
    [MethodImpl(Alone)]
    static void UtcNowFill(long[] to) { for (int i = 0; i < to.Length; i++) to[i] = DateTime.UtcNow.Ticks; }
    [MethodImpl(Alone)]
    static void TickCount64Fill(long[] to) { for (int i = 0; i < to.Length; i++) to[i] = TickCount64(); }
    [MethodImpl(Alone)]
    static void TickCountFill(long[] to) { for (int i = 0; i < to.Length; i++) to[i] = TickCount(); }

    static long TickCount() => (uint)Environment.TickCount;

    /// <summary>The lane with this much work before each read.</summary>
    public Clock Behind(int tokens)
    {
        var sweep = Sweep;
        return tokens == 0 ? this : new Clock(Name, Kind, Hz) { Lane = operations => sweep(operations, tokens) };
    }

    /// <summary>Ticks of the timer for one batch, taken from outside.</summary>
    public long Time(int reads)
    {
        long begin = GetTimestamp();
        long sum = Lane(reads);
        long end = GetTimestamp();
        Probe.Sink += sum;
        return end - begin;
    }

    /// <summary>Lets the runtime compile the loop <c>Fill</c>; some count calls for that, so they are short.</summary>
    public void Settle(long forNs)
    {
        var few = new long[64];
        long begin = GetTimestamp();
        for (; Timing.NsSince(begin) < forNs; Probe.Sink += few[0]) Fill(few);
    }
}

/// <summary>A lane and what was measured of it.</summary>
sealed class Measured
{
    public const int ReadsMax = 1 << 30;

    public readonly Clock Clock;
    public readonly Longs Warm = new Longs(), Ticks = new Longs(), Checks = new Longs();
    public int Reads = 1;
    public bool Enough;

    public Measured(Clock clock) { Clock = clock; }

    public void WarmUp(long batchNs)
    {
        long took = Clock.Time(Reads);
        Warm.Add(Reads, took);
        Enough = Timing.Ns(took) >= batchNs || Reads >= ReadsMax;
        Reads = Enough ? Reads : 2 * Reads;
    }

    /// <summary>Four times the reads may exceed an int, but only where a loop was compiled to nothing.</summary>
    public void Check()
        => Checks.Add(Clock.Time(Reads), Reads <= ReadsMax / 4 ? Clock.Time(4 * Reads)
            : Clock.Time(Reads) + Clock.Time(Reads) + Clock.Time(Reads) + Clock.Time(Reads));

    /// <summary>Reads of which the fastest of three batches takes long enough, on one thread.</summary>
    public int ReadsFor(long atLeastNs)
    {
        int batch = Math.Max(1, Reads / 2);
        while (batch < ReadsMax
            && Timing.Ns(Math.Min(Clock.Time(batch), Math.Min(Clock.Time(batch), Clock.Time(batch)))) < atLeastNs)
        {
            batch += batch / 4 + 1;
        }
        return batch;
    }
}

sealed class ClocksTask
{
    public const int Chunk = 1024;
    const int EnoughChanges = 10;
    const int WarmShownMax = 200;
    const int RoundsMin = 3;
    const int ChecksPerLane = 5;
    const int BatchesMax = 4000;
    const long SettleNs = 25 * Probe.NsPerMs;
    const int WorkAtLeast = 16; // steps of work between readings at irregular times
    const int ChangesTimed = 4; // of the timer, while such work is timed
    const int RandomShift = 33; // the upper bits of the work's state are random

    readonly int _reads = Probe.Asked.Count("reads");
    readonly int _readings = Probe.Asked.Count("readings");
    readonly long _spreadNs = Probe.Asked.Number("spread_ns", Probe.NsPerS);
    readonly int _threads = (int)Probe.Asked.Number("threads", BatchesMax);
    readonly int _steps = Probe.Asked.Count("steps");
    readonly int _rotation = Probe.Asked.Count("rotation");
    readonly long _batchNs = Probe.Asked.Number("batch_ns", Probe.NsPerS);
    readonly long _warmNs = Probe.Asked.MsAsNs("warm_ms");
    readonly long _lanesNs = Probe.Asked.MsAsNs("lanes_ms");
    readonly long _stepsNs = Probe.Asked.MsAsNs("steps_ms");
    readonly long _concurrentNs = Probe.Asked.MsAsNs("concurrent_ms");
    readonly Measured[] _lanes
        = new[] { Clock.Nothing }.Concat(Clock.All).Select(clock => new Measured(clock)).ToArray();

    public void Run()
    {
        foreach (var clock in Clock.All) clock.Settle(1); // .NET begins to count calls some time after the first
        if (_lanesNs > 0)
        {
            WarmUp();
            Measure();
            Check();
        }
        foreach (var clock in Clock.All)
        {
            if (_steps > 0 && _stepsNs > 0) Steps(clock, _stepsNs / Clock.All.Length);
        }
        foreach (var clock in Clock.All)
        {
            if (_reads > 0) Differences(clock);
        }
        int most = _readings > 0 ? StepsOfSpread() : 0;
        foreach (var clock in Clock.All)
        {
            if (_readings > 0) ReadIrregularly(clock, most);
        }
        foreach (var lane in _lanes.Skip(1))
        {
            if (_threads > 0 && _concurrentNs > 0) ReadTogether(lane, _concurrentNs / Clock.All.Length);
        }
    }

    Measured Lane(int round, int turn)
        => _lanes[(_rotation % _lanes.Length + round % _lanes.Length + turn) % _lanes.Length];

    void WarmUp()
    {
        long begin = GetTimestamp();
        for (int round = 0; Timing.NsSince(begin) < _warmNs; round++)
        {
            for (int turn = 0; turn < _lanes.Length; turn++) Lane(round, turn).WarmUp(_batchNs);
        }
        foreach (var lane in _lanes)
        {
            while (!lane.Enough) lane.WarmUp(_batchNs);
        }
    }

    void Measure()
    {
        long begin = GetTimestamp();
        for (int round = 0; round < RoundsMin || Timing.NsSince(begin) < _lanesNs; round++)
        {
            for (int turn = 0; turn < _lanes.Length; turn++)
            {
                var lane = Lane(round, turn);
                lane.Ticks.Add(lane.Clock.Time(lane.Reads));
            }
        }
    }

    void Check()
    {
        foreach (var lane in _lanes)
        {
            for (int i = 0; i < ChecksPerLane; i++) lane.Check();
            new Line("lane").Text("clock", lane.Clock.Name).Put("reads", lane.Reads).Rows("ticks", 1, lane.Ticks)
                .Rows("warm", 2, lane.Warm.First(2 * WarmShownMax)).Rows("check", 2, lane.Checks).Send();
        }
    }

    void Steps(Clock clock, long shareNs)
    {
        var chunk = new long[Chunk];
        var changes = new Longs();
        long made = 0, unchanged = 0, passed, begin = GetTimestamp();
        clock.Settle(Math.Min(SettleNs, shareNs / 2));
        do
        {
            clock.Fill(chunk);
            made++; // the first of a chunk has none before it
            for (int i = 1; i < Chunk && changes.Size < _steps; i++, made++)
            {
                if (chunk[i] == chunk[i - 1]) unchanged++;
                else changes.Add(chunk[i] - chunk[i - 1]);
            }
            passed = Timing.NsSince(begin);
        }
        while (changes.Size < _steps && passed < (changes.Size < EnoughChanges ? 4 * shareNs : shareNs));
        new Line("steps").Text("clock", clock.Name).Put("reads", made).Put("unchanged", unchanged)
            .Rows("changes", 1, changes).Send();
    }

    void Differences(Clock clock)
    {
        var readings = new long[_reads];
        for (int i = 0; i < _reads; i++) readings[i] = 1; // to touch its pages
        if (_steps == 0 || _stepsNs == 0) clock.Settle(SettleNs);
        clock.Fill(readings);
        long span = Math.Max(0, readings[_reads - 1] - readings[0]);
        var differences = new Longs();
        for (int i = 1; i < _reads; i++) differences.Add(readings[i] - readings[i - 1]);
        new Line("differences").Text("clock", clock.Name).Put("span", span).Counts("counts", differences).Send();
    }

    /// <summary>The least power of two of steps that takes as long as the readings are to be spread, from work that takes several
    /// changes of the timer.</summary>
    int StepsOfSpread()
    {
        // Compiled first: it would be while the readings are taken, and they would be spread less.
        long begin = GetTimestamp();
        while (Timing.NsSince(begin) < SettleNs) Probe.Sink += Clock.Work(Probe.Sink, WorkAtLeast);
        long longEnoughNs = Math.Max(_spreadNs, ChangesTimed * TimerStepNs());
        int timed = WorkAtLeast, steps = WorkAtLeast;
        long takenNs = FastestNs(timed);
        while (takenNs < longEnoughNs && timed < Measured.ReadsMax)
        {
            timed *= 2;
            takenNs = FastestNs(timed);
        }
        while (steps < timed && (double)steps * takenNs < (double)_spreadNs * timed) steps *= 2;
        return steps;
    }

    /// <summary>The shortest of three changes of the timer.</summary>
    static long TimerStepNs()
    {
        long shortest = long.MaxValue;
        for (int i = 0; i < 3; i++)
        {
            long begin = GetTimestamp(), change = 0;
            while (change == 0) change = Timing.NsSince(begin);
            shortest = Math.Min(shortest, change);
        }
        return shortest;
    }

    static long FastestNs(int steps)
    {
        long fastest = long.MaxValue;
        for (int i = 0; i < 3; i++)
        {
            long begin = GetTimestamp();
            Probe.Sink += Clock.Work(Probe.Sink, steps);
            fastest = Math.Min(fastest, Timing.NsSince(begin));
        }
        return fastest;
    }

    /// <summary>A reading after each of 1 to `most` steps of work; `most` is a power of two.</summary>
    void ReadIrregularly(Clock clock, int most)
    {
        var readings = new long[_readings];
        for (int i = 0; i < _readings; i++) readings[i] = 1; // to touch its pages
        var one = new long[1];
        long state = _readings;
        for (int i = 0; i < _readings; i++)
        {
            state = Clock.Work(state, 1 + ((int)(state >> RandomShift) & (most - 1)));
            clock.Fill(one);
            readings[i] = one[0];
        }
        Probe.Sink += state;
        var changes = new Longs();
        for (int i = 1; i < _readings; i++) changes.Add(readings[i] - readings[i - 1]);
        new Line("readings").Text("clock", clock.Name).Rows("changes", 1, changes).Send();
    }

    void ReadTogether(Measured lane, long shareNs)
    {
        int batch = lane.ReadsFor(Math.Max(_batchNs / 2, shareNs * _threads / BatchesMax));
        var concurrent = new Concurrent(lane.Clock.Lane, batch, Timing.Ticks(shareNs), _threads);
        new Line("concurrent").Text("clock", lane.Clock.Name).Put("threads", _threads).Put("reads", batch)
            .Rows("batches", 3, concurrent.Run(BatchesMax)).Send();
    }
}

/// <summary>
/// Threads that read one clock at once. The last to arrive fixes a time to begin, late enough for the scheduler to
/// spread the threads over processors. They spin until then: a thread that must be woken comes late.
/// </summary>
sealed class Concurrent
{
    const long SpreadNs = 5 * Probe.NsPerMs;

    readonly Func<int, long> _lane;
    readonly int _reads;
    readonly long _lengthTicks;
    readonly Longs[] _batches;
    int _absent;
    long _origin, _sum;
    volatile bool _known;

    public Concurrent(Func<int, long> lane, int reads, long lengthTicks, int threads)
    {
        _lane = lane;
        _reads = reads;
        _lengthTicks = lengthTicks;
        _absent = threads;
        _batches = Enumerable.Range(0, threads).Select(thread => new Longs()).ToArray();
    }

    public Longs Run(int batchesMax)
    {
        var readers = Enumerable.Range(0, _batches.Length).Select(thread
            => new Thread(() => Read(thread, batchesMax / _batches.Length)) { IsBackground = true }).ToArray();
        foreach (var reader in readers) reader.Start();
        foreach (var reader in readers) reader.Join();
        Probe.Sink += _sum;
        var all = new Longs();
        foreach (var of in _batches) all.Add(of.Trimmed());
        return all;
    }

    void Read(int thread, int batchesMax)
    {
        var mine = _batches[thread];
        mine.MakeRoom(3 * batchesMax);
        long begin, end, sum = 0;
        Await();
        do
        {
            begin = GetTimestamp();
            sum += _lane(_reads);
            end = GetTimestamp();
            mine.Add(thread, begin - _origin, end - _origin);
        }
        while (end - _origin < _lengthTicks && mine.Size < 3 * batchesMax);
        Interlocked.Add(ref _sum, sum);
    }

    void Await()
    {
        if (Interlocked.Decrement(ref _absent) == 0)
        {
            _origin = GetTimestamp() + Timing.Ticks(SpreadNs);
            _known = true;
        }
        while (!_known) Thread.Yield();
        while (GetTimestamp() < _origin) Thread.SpinWait(1);
    }
}

/// <summary>A way to wait: it is told the length in nanoseconds and in ticks of the timer.</summary>
delegate void Wait(long ns, long ticks);

sealed class PauseTask
{
    const int SettlePauses = 10;
    const long SettlePauseNs = 100000;

    readonly Longs _lengths = Probe.Asked.List("lengths_ns", 1000 * Probe.NsPerS);
    readonly long _budgetNs = Probe.Asked.MsAsNs("budget_ms");
    readonly int _rotation = Probe.Asked.Count("rotation");

    public void Run()
    {
        if (_budgetNs == 0 || _lengths.Size == 0) return;
        var ways = new[] { Way("Thread.Sleep", Sleep), Way("SpinWait.SpinOnce", SpinOnce),
            Way("busy wait, Thread.SpinWait", BusyWaitSpinWait), Way("busy wait", BusyWait),
            Way("busy wait, yield", BusyWaitYield) };
        long begin = GetTimestamp();
        foreach (var way in ways)
        {
            for (int i = 0; i < SettlePauses; i++) way[0].Wait(SettlePauseNs, Timing.Ticks(SettlePauseNs));
        }
        int all = ways.Length * _lengths.Size;
        for (int turn = 0; turn < all || Timing.NsSince(begin) < _budgetNs; turn++)
        {
            int round = turn / all % ways.Length;
            int way = (_rotation % ways.Length + round + turn % all / _lengths.Size) % ways.Length;
            ways[way][turn % _lengths.Size].Turn();
        }
        foreach (var pauses in ways.SelectMany(way => way)) pauses.Send();
    }

    Pauses[] Way(string name, Wait wait)
    {
        return _lengths.Trimmed().Select(ns => new Pauses { Way = name, Wait = wait, LengthNs = ns }).ToArray();
    }

    static void Sleep(long ns, long ticks) => Thread.Sleep((int)((ns + Probe.NsPerMs - 1) / Probe.NsPerMs));

    static void SpinOnce(long ns, long ticks)
    {
        var spin = new SpinWait();
        for (long begin = GetTimestamp(); GetTimestamp() - begin < ticks;) spin.SpinOnce();
    }

    static void BusyWaitSpinWait(long ns, long ticks)
    {
        for (long begin = GetTimestamp(); GetTimestamp() - begin < ticks;) Thread.SpinWait(1);
    }

    static void BusyWait(long ns, long ticks)
    {
        for (long begin = GetTimestamp(); GetTimestamp() - begin < ticks;) { }
    }

    static void BusyWaitYield(long ns, long ticks)
    {
        for (long begin = GetTimestamp(); GetTimestamp() - begin < ticks;) Thread.Yield();
    }
}

/// <summary>One way to wait, at one length.</summary>
sealed class Pauses
{
    const long TurnNs = 20 * Probe.NsPerMs;
    const int TurnMax = 200;
    static readonly long s_turnTicks = Timing.Ticks(TurnNs);

    public string Way;
    public Wait Wait;
    public long LengthNs;
    readonly Longs _taken = new Longs();
    long _wallTicks;
    long? _cpuNs = 0;

    /// <summary>Stops where one more like the last would not fit: a pause may take far more than was asked.</summary>
    public void Turn()
    {
        _taken.MakeRoom(TurnMax);
        int pauses = 0;
        long lengthTicks = Timing.Ticks(LengthNs);
        long before, behind;
        long begin = GetTimestamp();
        long? cpuBegin = CpuTime.Ns();
        do
        {
            before = GetTimestamp();
            Wait(LengthNs, lengthTicks);
            behind = GetTimestamp();
            _taken.Add(behind - before);
        }
        while (++pauses < TurnMax && behind - begin + (behind - before) <= s_turnTicks);
        _cpuNs += CpuTime.Ns() - cpuBegin;
        _wallTicks += GetTimestamp() - begin;
    }

    public void Send()
    {
        var takenNs = new Longs();
        foreach (long ticks in _taken.Trimmed()) takenNs.Add(Timing.Ns(ticks));
        new Line("pause").Text("way", Way).Put("requested_ns", LengthNs).Put("wall_ns", Timing.Ns(_wallTicks))
            .Put("cpu_ns", _cpuNs).Counts("taken_ns", takenNs).Send();
    }
}

sealed class LatchTask
{
    const int TurnsMin = 3;
    const int TurnsMax = 400;
    const int ThreadsMax = 4000;

    readonly int _threads = (int)Probe.Asked.Number("threads", ThreadsMax);
    readonly int _rotation = Probe.Asked.Count("rotation");
    readonly long _budgetNs = Probe.Asked.MsAsNs("budget_ms");
    Longs _start;
    Call[] _calls;

    sealed class Call
    {
        public Clock Clock;
        public readonly Longs Serial = new Longs(), Release = new Longs(), Inside = new Longs(), Wake = new Longs();
    }

    public void Run()
    {
        if (_threads == 0 || _budgetNs == 0) return;
        long begin = GetTimestamp();
        Forget();
        for (int turn = 0; Timing.NsSince(begin) < _budgetNs / 10; turn++) Turn(turn);
        Forget(); // those were to be compiled
        for (int turn = 0; turn < TurnsMin || turn < TurnsMax && Timing.NsSince(begin) < _budgetNs; turn++) Turn(turn);
        foreach (var call in _calls)
        {
            new Line("latch").Text("call", call.Clock.Name).Put("serial_calls", 10 * _threads)
                .Rows("serial", 1, call.Serial).Rows("release", 1, call.Release)
                .Counts("inside", call.Inside).Counts("wake", call.Wake).Send();
        }
        new Line("latch_start").Rows("start", 1, _start).Send();
    }

    void Forget()
    {
        _start = new Longs();
        var clocks = new[] { Clock.Nothing, Clock.OfStopwatch, Clock.OfUtcNow };
        _calls = clocks.Select(clock => new Call { Clock = clock }).ToArray();
    }

    void Turn(int turn)
    {
        for (int i = 0; i < _calls.Length; i++)
        {
            var call = _calls[(_rotation % _calls.Length + turn + i) % _calls.Length];
            call.Serial.Add(call.Clock.Time(10 * _threads));
            using (var gate = new Gate(_threads, call.Clock.Once, false))
            {
                _start.Add(gate.Start());
                gate.Open();
                call.Release.Add(gate.LastEnd - gate.Opened);
            }
            using (var gate = new Gate(_threads, call.Clock.Once, true))
            {
                _start.Add(gate.Start());
                gate.Open();
                foreach (var caller in gate.Callers)
                {
                    call.Wake.Add(caller.Before - gate.Opened);
                    call.Inside.Add(caller.Behind - caller.Before);
                }
            }
        }
    }
}

/// <summary>Threads that wait at one latch, to make one call each.</summary>
sealed class Gate : IDisposable
{
    const System.Threading.ThreadState Waiting = System.Threading.ThreadState.WaitSleepJoin;

    public readonly Caller[] Callers;
    public long Opened, LastEnd;
    readonly Func<long> _call;
    readonly bool _stamped;
    readonly ManualResetEvent _latch = new ManualResetEvent(false);
    int _running;

    public Gate(int threads, Func<long> call, bool stamped)
    {
        _call = call;
        _stamped = stamped;
        _running = threads;
        Callers = Enumerable.Range(0, threads).Select(i => new Caller(this)).ToArray();
    }

    /// <summary>Ticks until all threads wait. Their state tells it: one that only says so may not wait yet.</summary>
    public long Start()
    {
        long begin = GetTimestamp();
        foreach (var caller in Callers) caller.Thread.Start();
        foreach (var caller in Callers)
        {
            while (!caller.Arrived || (caller.Thread.ThreadState & Waiting) == 0) Thread.Yield();
        }
        return GetTimestamp() - begin;
    }

    public void Open()
    {
        Opened = GetTimestamp();
        _latch.Set();
        foreach (var caller in Callers)
        {
            caller.Thread.Join();
            Probe.Sink += caller.Reading;
        }
    }

    public void Dispose() => _latch.Dispose();

    public sealed class Caller
    {
        public readonly Thread Thread;
        public volatile bool Arrived;
        public long Before, Behind, Reading;
        readonly Gate _gate;

        public Caller(Gate gate)
        {
            _gate = gate;
            Thread = new Thread(Run) { IsBackground = true };
        }

        void Run()
        {
            Arrived = true;
            _gate._latch.WaitOne();
            if (_gate._stamped)
            {
                Before = GetTimestamp();
                Reading = _gate._call();
                Behind = GetTimestamp();
                return;
            }
            Reading = _gate._call();
            if (Interlocked.Decrement(ref _gate._running) == 0) _gate.LastEnd = GetTimestamp();
        }
    }
}

sealed class SweepTask
{
    public const int BatchesMax = 200;
    const int RoundsMin = 3;
    const int ThreadsMax = 4000;

    readonly long[] _tokens = Probe.Asked.List("tokens", Measured.ReadsMax).Trimmed();
    readonly long[] _threads = Probe.Asked.List("threads_list", ThreadsMax).Trimmed();
    readonly int _rotation = Probe.Asked.Count("rotation");
    readonly long _iterationNs = Probe.Asked.Number("iteration_ns", 1000 * Probe.NsPerS);
    readonly long _batchNs = Probe.Asked.Number("batch_ns", Probe.NsPerS);
    readonly long _warmNs = Probe.Asked.MsAsNs("warm_ms");
    readonly long _budgetNs = Probe.Asked.MsAsNs("budget_ms");
    readonly Cell[] _cells;

    /// <summary>A loop with an amount of work; the reads of its lane are operations.</summary>
    sealed class Cell
    {
        public readonly long Tokens;
        public readonly Measured Loop;
        public int Operations;

        public Cell(Clock clock, long tokens)
        {
            Tokens = tokens;
            Loop = new Measured(clock.Behind((int)tokens));
        }
    }

    public SweepTask()
    {
        var wanted = Probe.Asked.List("clocks", Clock.All.Length - 1).Trimmed();
        var clocks = wanted.Length == 0 ? Clock.All : wanted.Select(index => Clock.All[index]); // none is of kind cpu
        _cells = new[] { Clock.Nothing }.Concat(clocks)
            .SelectMany(clock => _tokens.Select(tokens => new Cell(clock, tokens))).ToArray();
        if (_threads.Contains(0)) throw new BadRequest(2, "request: \"threads_list\" must not contain 0");
    }

    public void Run()
    {
        if (_cells.Length == 0 || _threads.Length == 0 || _iterationNs == 0 || _budgetNs == 0) return;
        Team team;
        try
        {
            team = new Team((int)_threads.Max(), Timing.Ticks(_iterationNs));
        }
        catch (Exception none) when (none is OutOfMemoryException || none is ThreadStartException)
        {
            new Line("sweep_unavailable").Text("reason", none.Message).Send();
            return;
        }
        WarmUp(Math.Max(_batchNs, _iterationNs / BatchesMax + 1));
        long begin = GetTimestamp();
        for (int round = 0; round < RoundsMin || Timing.NsSince(begin) < _budgetNs; round++) MakeRound(team, round);
        Probe.Sink += team.Sum();
    }

    Cell CellOf(int round, int turn)
        => _cells[(_rotation % _cells.Length + round % _cells.Length + turn) % _cells.Length];

    void WarmUp(long batchNs)
    {
        long begin = GetTimestamp();
        for (int round = 0; Timing.NsSince(begin) < _warmNs; round++)
        {
            for (int turn = 0; turn < _cells.Length; turn++) CellOf(round, turn).Loop.WarmUp(batchNs);
        }
        foreach (var cell in _cells)
        {
            while (!cell.Loop.Enough) cell.Loop.WarmUp(batchNs);
        }
        foreach (var cell in _cells) cell.Operations = cell.Loop.ReadsFor(batchNs);
    }

    void MakeRound(Team team, int round)
    {
        var lines = new List<Line>();
        for (int turn = 0; turn < _cells.Length; turn++)
        {
            var cell = CellOf(round, turn);
            var clock = cell.Loop.Clock;
            for (int i = 0; i < _threads.Length; i++)
            {
                int together = (int)_threads[round % 2 == 0 ? i : _threads.Length - 1 - i];
                var batches = team.Iteration(clock.Lane, cell.Operations, together);
                lines.Add(new Line("sweep").Text("clock", clock.Name).Put("tokens", cell.Tokens)
                    .Put("threads", together).Put("round", round).Put("operations", cell.Operations)
                    .Rows("batches", 3, batches));
            }
        }
        foreach (var line in lines) line.Send();
        Probe.Out.Flush();
    }
}

/// <summary>Threads that make iterations together; the first is the one that calls <c>Iteration</c>.</summary>
sealed class Team
{
    static readonly long s_spinTicks = Timing.Ticks(2 * Probe.NsPerMs); // then a thread that waits gives way

    readonly long _origin = GetTimestamp(), _iterationTicks;
    readonly Member[] _members;
    Func<int, long> _lane;
    int _operations, _together, _met;

    public Team(int threads, long iterationTicks)
    {
        _iterationTicks = iterationTicks;
        _members = Enumerable.Range(0, threads).Select(thread => new Member(this)).ToArray();
        foreach (var member in _members.Skip(1)) new Thread(member.Serve) { IsBackground = true }.Start();
    }

    public Longs Iteration(Func<int, long> lane, int operations, int together)
    {
        _lane = lane;
        _operations = operations;
        _together = together;
        Volatile.Write(ref _met, 0);
        for (int thread = 1; thread < together; thread++) _members[thread].Called.Set();
        _members[0].Iteration();
        for (int thread = 1; thread < together; thread++) _members[thread].Done.WaitOne();
        var batches = new Longs();
        for (int thread = 0; thread < together; thread++)
        {
            var stamps = _members[thread].Stamps;
            for (int i = 0; i < stamps.Size; i += 2) batches.Add(thread, stamps.Values[i], stamps.Values[i + 1]);
        }
        return batches;
    }

    public long Sum() => _members.Aggregate(0L, (sum, member) => sum + member.Sum);

    public sealed class Member
    {
        public readonly AutoResetEvent Called = new AutoResetEvent(false), Done = new AutoResetEvent(false);
        public readonly Longs Stamps = new Longs();
        public long Sum;
        readonly Team _team;

        public Member(Team team)
        {
            _team = team;
            Stamps.MakeRoom(2 * SweepTask.BatchesMax);
        }

        public void Serve()
        {
            for (; ; Done.Set())
            {
                Called.WaitOne();
                Iteration();
            }
        }

        public void Iteration()
        {
            Stamps.Size = 0;
            Meet();
            var lane = _team._lane;
            int operations = _team._operations;
            long sum = lane(operations), first = GetTimestamp(), begin, end;
            do
            {
                begin = GetTimestamp();
                sum += lane(operations);
                end = GetTimestamp();
                Stamps.Add(begin - _team._origin);
                Stamps.Add(end - _team._origin);
            }
            while (Stamps.Size < 2 * SweepTask.BatchesMax && end - first < _team._iterationTicks);
            Sum += sum;
        }

        void Meet()
        {
            long came = GetTimestamp();
            Interlocked.Increment(ref _team._met);
            while (Volatile.Read(ref _team._met) < _team._together)
            {
                if (GetTimestamp() - came < s_spinTicks) Thread.SpinWait(1);
                else Thread.Yield();
            }
        }
    }
}

sealed class BadRequest : Exception
{
    public readonly int Code;

    public BadRequest(int code, string message) : base(message) { Code = code; }
}

/// <summary>A flat object of unsigned integers, strings without escapes, and lists of unsigned integers.</summary>
sealed class Request
{
    const string NumberForm = "(?:0|[1-9][0-9]{0,18})";
    const string ListForm = "\\[\\s*(?:" + NumberForm + "\\s*(?:,\\s*" + NumberForm + "\\s*)*)?\\]";
    const string StringForm = "\"[^\"\\\\\\p{Cc}]*\"";
    static readonly Regex s_member = new Regex(
        "\\G\\s*\"([^\"\\\\\\p{Cc}]*)\"\\s*:\\s*("
        + NumberForm + "|" + ListForm + "|" + StringForm + ")\\s*([,}])\\s*");

    readonly Dictionary<string, string> _values = new Dictionary<string, string>();

    public Request(string[] args)
    {
        if (args.Length != 1) throw new BadRequest(2, "expected one argument, the request, but got " + args.Length);
        string text = args[0].Trim();
        int at = text.StartsWith("{", StringComparison.Ordinal) ? 1 : 0;
        for (bool more = at == 1; more;)
        {
            var member = s_member.Match(text, at);
            if (!member.Success)
                throw new BadRequest(2, "request, behind character " + at + ": expected \"key\": value and , or }");
            _values[member.Groups[1].Value] = member.Groups[2].Value;
            at = member.Index + member.Length;
            more = member.Groups[3].Value == ",";
        }
        if (at == 0 || at != text.Length) throw new BadRequest(2, "the request is not one JSON object");
    }

    /// <summary>As it was written; a string with its quotes.</summary>
    public string Text(string key) => _values.TryGetValue(key, out string text) ? text : "missing";

    public long Number(string key, long max) => Parsed(key, Text(key), max);

    public int Count(string key) => (int)Number(key, Measured.ReadsMax);

    public long MsAsNs(string key) => Number(key, Probe.NsPerS) * Probe.NsPerMs;

    public Longs List(string key, long max)
    {
        string text = Text(key);
        if (text[0] != '[') throw new BadRequest(2, "request: \"" + key + "\" must be a list, not " + text);
        var list = new Longs();
        foreach (string number in text.Substring(1, text.Length - 2).Split(','))
        {
            if (number.Trim() != "") list.Add(Parsed(key, number.Trim(), max));
        }
        return list;
    }

    static long Parsed(string key, string text, long max)
    {
        if (long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out long number) && number <= max)
            return number;
        throw new BadRequest(2, "request: \"" + key + "\" must be an integer from 0 to " + max + ", not " + text);
    }
}

/// <summary>A list of numbers that grows only where it is told to.</summary>
sealed class Longs
{
    public long[] Values = new long[16];
    public int Size;

    public void Add(long value)
    {
        MakeRoom(1);
        Values[Size++] = value;
    }

    public void Add(params long[] row)
    {
        foreach (long value in row) Add(value);
    }

    public void MakeRoom(int more)
    {
        if (Size + more > Values.Length) Array.Resize(ref Values, Math.Max(Size + more, 2 * Values.Length));
    }

    public long[] Trimmed() => First(Size).Values;

    public Longs First(int count)
    {
        count = Math.Min(count, Size);
        var first = new Longs { Values = new long[count], Size = count };
        Array.Copy(Values, first.Values, count);
        return first;
    }
}

/// <summary>One line of the answer, in the invariant culture: others may have a minus of their own.</summary>
sealed class Line
{
    readonly StringBuilder _text = new StringBuilder("{\"type\":");

    public Line(string type) { _text.Append(Quoted(type)); }

    public Line Raw(string key, string json)
    {
        _text.Append(',').Append(Quoted(key)).Append(':').Append(json);
        return this;
    }

    public Line Put(string key, object value)
        => Raw(key, value == null ? "null" : value is bool ? ((bool)value ? "true" : "false")
            : Convert.ToString(value, CultureInfo.InvariantCulture));

    public Line Text(string key, string value) => Raw(key, Quoted(value));

    /// <summary>The list cut into rows of so many numbers; a row of one is the number itself.</summary>
    public Line Rows(string key, int width, Longs list)
    {
        Raw(key, "[");
        for (int i = 0; i < list.Size; i++)
        {
            _text.Append(i == 0 ? "" : ",").Append(width > 1 && i % width == 0 ? "[" : "");
            _text.Append(list.Values[i].ToString(CultureInfo.InvariantCulture));
            _text.Append(width > 1 && i % width == width - 1 ? "]" : "");
        }
        _text.Append(']');
        return this;
    }

    /// <summary>Every distinct number with how often it came.</summary>
    public Line Counts(string key, Longs list)
    {
        var sorted = list.Trimmed();
        Array.Sort(sorted);
        var counts = new Longs();
        for (int i = 0, begin = 0; i < sorted.Length; i++)
        {
            if (i + 1 < sorted.Length && sorted[i + 1] == sorted[i]) continue;
            counts.Add(sorted[i], i + 1 - begin);
            begin = i + 1;
        }
        return Rows(key, 2, counts);
    }

    public void Send()
    {
        var bytes = new UTF8Encoding(false).GetBytes(_text.Append("}\n").ToString());
        Probe.Out.Write(bytes, 0, bytes.Length);
    }

    public static string Quoted(string value)
    {
        var quoted = new StringBuilder("\"");
        foreach (char c in value)
        {
            if (c < ' ') quoted.Append("\\u").Append(((int)c).ToString("x4", CultureInfo.InvariantCulture));
            else quoted.Append(c == '"' || c == '\\' ? "\\" : "").Append(c);
        }
        return quoted.Append('"').ToString();
    }
}
