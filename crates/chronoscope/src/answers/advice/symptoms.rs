//! The symptoms, one row each.

use chronoscope_harness::study_rules::NOISY_MACHINE;

use super::diagnose::{Sign, Suspect, Symptom};
use super::exclusions;
use super::looks;
use crate::engine::rules::{CORE_SHARED, STOLEN_TIME};
use crate::machine::rules::{
    BETTER_CLOCKSOURCE_AVAILABLE, CPU_QUOTA, EMULATED, FREQUENCY_MISDECLARED, FREQUENCY_SCALING, TSC_DISTRUSTED,
    TSC_NOT_INVARIANT,
};
use crate::sections::causality::rules::{
    CROSS_CPU_SKEW, NON_CAUSAL_READ, OFFSET_NOT_CONSTANT, UNORDERED_READ_NOT_CAUSAL,
};
use crate::sections::clocks::rules::{CLOCK_STANDS_STILL, COUNTER_TRAPS, OS_CLOCK_COARSE, OS_CLOCK_ON_SLOW_PATH};
use crate::sections::contention::rules::{BARE_SOURCE_HELD_BACK, NO_GRANULARITY_SCALES};
use crate::sections::hiccups::rules::{COMPUTING_HELD_UP, WOKEN_LATE};
use crate::sections::pauses::rules::{SLEEP_HELD_BY_SLACK, SLEEP_SAVES_NO_CPU, YIELD_COSTS_A_SLICE};
use crate::sections::runtimes::rules::{RUNTIME_ON_SLOW_PATH, RUNTIME_TICK_COARSE, WALL_CLOCK_FOR_INTERVALS};
use crate::sections::sync::rules::{
    FREQUENCY_AT_LIMIT, KERNEL_NOT_TOLD, LEAP_SECOND_PENDING, MONOTONIC_SLEWED, RAW_CLOCK_OFF, TIME_DAEMONS_COMPETE,
    WALL_CLOCK_NEEDS_STEP, WALL_CLOCK_STEPPED, WALL_CLOCK_UNDISCIPLINED,
};
use crate::shared_findings::{EARLY_PAUSE, NEGATIVE_ELAPSED};

const BACK_ON_ONE_THREAD: Suspect = Suspect {
    cause: "a clock that goes backwards within a thread",
    sign: Sign::FindingsUnless {
        kinds: &[NEGATIVE_ELAPSED],
        of: &["clocks", "reads"],
        excluded: exclusions::steady_on_one_thread,
    },
};
const BACK_BETWEEN_CPUS: Suspect = Suspect {
    cause: "a clock that goes backwards between CPUs",
    sign: Sign::FindingsUnless {
        kinds: &[NON_CAUSAL_READ, CROSS_CPU_SKEW, OFFSET_NOT_CONSTANT],
        of: &["causality"],
        excluded: exclusions::causal,
    },
};
const UNORDERED: Suspect = Suspect {
    cause: "unordered reads of the counter, compared between threads",
    sign: Sign::Findings { kinds: &[UNORDERED_READ_NOT_CAUSAL], of: &["causality"] },
};
const WALL_SET: Suspect = Suspect {
    cause: "a wall clock that is being set",
    sign: Sign::FindingsUnless {
        kinds: &[WALL_CLOCK_STEPPED, WALL_CLOCK_NEEDS_STEP, TIME_DAEMONS_COMPETE],
        of: &["sync"],
        excluded: exclusions::not_set_meanwhile,
    },
};
const UNDISCIPLINED: Suspect = Suspect {
    cause: "a wall clock that nothing disciplines",
    sign: Sign::FindingsUnless {
        kinds: &[WALL_CLOCK_UNDISCIPLINED, KERNEL_NOT_TOLD],
        of: &["sync"],
        excluded: exclusions::disciplined,
    },
};
const LEAP_SECOND: Suspect = Suspect {
    cause: "a leap second",
    sign: Sign::FindingsUnless { kinds: &[LEAP_SECOND_PENDING], of: &["sync"], excluded: exclusions::no_leap_second },
};
const TSC_IN_DOUBT: Suspect = Suspect {
    cause: "a counter that does not keep time",
    sign: Sign::FindingsUnless {
        kinds: &[TSC_DISTRUSTED, TSC_NOT_INVARIANT],
        of: &[],
        excluded: exclusions::counter_trusted,
    },
};
const SLOW_PATH: Suspect = Suspect {
    cause: "reads that enter the kernel",
    sign: Sign::FindingsUnless { kinds: &[OS_CLOCK_ON_SLOW_PATH], of: &["clocks"], excluded: exclusions::fast },
};
const TRAPS: Suspect = Suspect {
    cause: "reads that exit to the hypervisor",
    sign: Sign::Findings { kinds: &[COUNTER_TRAPS], of: &["clocks"] },
};
const CLOCKSOURCE: Suspect = Suspect {
    cause: "a clocksource slower than the one available",
    sign: Sign::FindingsUnless {
        kinds: &[BETTER_CLOCKSOURCE_AVAILABLE],
        of: &[],
        excluded: exclusions::clocksource_known,
    },
};
const OS_COARSE: Suspect = Suspect {
    cause: "a system clock that moves in coarse steps",
    sign: Sign::Findings { kinds: &[OS_CLOCK_COARSE, CLOCK_STANDS_STILL], of: &["clocks"] },
};
const NOISE: Suspect = Suspect {
    cause: "interruptions by whatever else runs",
    sign: Sign::Findings { kinds: &[NOISY_MACHINE], of: &["reads"] },
};
const NEIGHBOURS: Suspect = Suspect {
    cause: "neighbours on the core or on the host",
    sign: Sign::FindingsUnless {
        kinds: &[CORE_SHARED, STOLEN_TIME],
        of: &["clocks"],
        excluded: exclusions::core_alone,
    },
};
const FREQUENCY: Suspect = Suspect {
    cause: "a CPU frequency that changes",
    sign: Sign::FindingsUnless { kinds: &[FREQUENCY_SCALING], of: &[], excluded: exclusions::governor_known },
};
const QUOTA: Suspect = Suspect {
    cause: "a CPU quota that stops all threads until the next period",
    sign: Sign::FindingsUnless { kinds: &[CPU_QUOTA], of: &[], excluded: exclusions::quota_known },
};
const EMULATION: Suspect = Suspect {
    cause: "an emulated CPU",
    sign: Sign::FindingsUnless { kinds: &[EMULATED], of: &[], excluded: exclusions::real_cpu },
};
const SLACK: Suspect = Suspect {
    cause: "timer slack, by which the kernel delays wake-ups to join them",
    sign: Sign::Findings { kinds: &[SLEEP_HELD_BY_SLACK], of: &["pauses"] },
};
const HELD_UP: Suspect = Suspect {
    cause: "a machine that holds up or wakes threads late",
    sign: Sign::Findings { kinds: &[COMPUTING_HELD_UP, WOKEN_LATE], of: &["hiccups"] },
};

/// The index, in the order of the documentation.
pub const SYMPTOMS: &[Symptom] = &[
    Symptom {
        id: "timestamps_go_backwards",
        phrases: &[
            "timestamps go backwards",
            "elapsed time is negative",
            "negative duration",
            "clock went back in time, time jumps back",
            "timestamp goes backward, decreases",
        ],
        usually: "intervals taken with the wall clock, which may be set; seldom a clock that lies",
        needs: &["clocks", "reads", "causality", "sync"],
        suspects: &[
            BACK_ON_ONE_THREAD,
            BACK_BETWEEN_CPUS,
            UNORDERED,
            WALL_SET,
            UNDISCIPLINED,
            TSC_IN_DOUBT,
            Suspect {
                cause: "intervals taken with the wall clock",
                sign: Sign::YourCode {
                    look_for: "look for CLOCK_REALTIME, gettimeofday, SystemTime, Date.now or currentTimeMillis in the program",
                    advice: &["use a monotonic clock for intervals: CLOCK_MONOTONIC, Instant, System.nanoTime"],
                },
            },
        ],
    },
    Symptom {
        id: "java_timestamps_go_backwards",
        phrases: &["Java timestamps go backwards", "nanoTime goes backwards", "JVM elapsed time negative"],
        usually: "System.currentTimeMillis or Instant.now, which read the wall clock",
        needs: &["runtimes", "causality", "sync"],
        suspects: &[
            Suspect { cause: "Java's wall clocks, if used for intervals", sign: Sign::Figures(looks::java_wall_clock) },
            Suspect { cause: "a clock of Java that goes backwards", sign: Sign::Figures(looks::java_went_backwards) },
            BACK_BETWEEN_CPUS,
            WALL_SET,
            UNDISCIPLINED,
            TSC_IN_DOUBT,
        ],
    },
    Symptom {
        id: "nanotime_is_slow",
        phrases: &[
            "nanoTime is slow",
            "System.nanoTime takes long, expensive",
            "currentTimeMillis is slow",
            "Java clock reads are slow",
        ],
        usually: "a clocksource other than the TSC, so that every read is a system call",
        needs: &["runtimes", "clocks"],
        suspects: &[
            Suspect { cause: "System.nanoTime that enters the kernel", sign: Sign::Figures(looks::nano_time_path) },
            Suspect {
                cause: "clocks of runtimes that enter the kernel",
                sign: Sign::Findings { kinds: &[RUNTIME_ON_SLOW_PATH], of: &["runtimes"] },
            },
            CLOCKSOURCE,
            TRAPS,
            EMULATION,
            NEIGHBOURS,
        ],
    },
    Symptom {
        id: "clock_in_profiles",
        phrases: &[
            "clock_gettime shows up in profiles",
            "gettimeofday hot in perf flame graph",
            "reading the clock is slow, expensive",
            "clock_gettime is slow",
            "gettimeofday is expensive, slow",
            "Date.now is slow",
        ],
        usually: "a read that enters the kernel; or very many reads of a fast clock",
        needs: &["clocks"],
        suspects: &[
            SLOW_PATH,
            Suspect { cause: "a read that is dear", sign: Sign::Figures(looks::read_cost) },
            CLOCKSOURCE,
            TRAPS,
            EMULATION,
            Suspect {
                cause: "more reads than the program needs",
                sign: Sign::YourCode {
                    look_for: "count the reads: `perf stat -e 'syscalls:sys_enter_clock_gettime'` sees those that enter the kernel",
                    advice: &[
                        "read once per event and pass the time on; where 1 µs will do, `chronoscope_clock::Granular` is cheaper",
                    ],
                },
            },
        ],
    },
    Symptom {
        id: "sleep_takes_longer",
        phrases: &[
            "sleep(1) takes 1.1 ms",
            "sleep takes longer than asked, oversleeps",
            "usleep nanosleep inaccurate",
            "Thread.sleep too long",
        ],
        usually: "50 µs of timer slack, plus the time to wake a thread",
        needs: &["pauses"],
        suspects: &[
            SLACK,
            Suspect { cause: "sleeps that overrun by slack and wake-up", sign: Sign::Figures(looks::sleep_overruns) },
            Suspect { cause: "timers that wait for a tick of the kernel", sign: Sign::Figures(looks::timer_tick) },
            Suspect {
                cause: "yields that cost a time slice",
                sign: Sign::Findings { kinds: &[YIELD_COSTS_A_SLICE], of: &["pauses"] },
            },
            QUOTA,
            NEIGHBOURS,
        ],
    },
    Symptom {
        id: "timer_fires_late",
        phrases: &[
            "timer fires late under load",
            "periodic task misses its schedule",
            "wake-up late, scheduling delay, jitter",
        ],
        usually: "a CPU that runs something else when the timer fires",
        needs: &["hiccups", "pauses"],
        suspects: &[
            HELD_UP,
            SLACK,
            Suspect { cause: "timers that wait for a tick of the kernel", sign: Sign::Figures(looks::timer_tick) },
            NEIGHBOURS,
            QUOTA,
            Suspect {
                cause: "a schedule that restarts at every event, so that delays add up",
                sign: Sign::YourCode {
                    look_for: "look for a sleep of one period after each event, instead of a sleep to the next deadline",
                    advice: &[
                        "keep an absolute schedule: `chronoscope_clock::pacer`; `chronoscope pace --rate RATE` tries it here",
                    ],
                },
            },
        ],
    },
    Symptom {
        id: "timeout_fires_early",
        phrases: &["timeout fires early", "sleep returns too early", "wait ended before its time"],
        usually: "a deadline on the wall clock, which was set forward",
        needs: &["pauses", "sync"],
        suspects: &[
            Suspect { cause: "pauses that end early", sign: Sign::Findings { kinds: &[EARLY_PAUSE], of: &["pauses"] } },
            WALL_SET,
            Suspect {
                cause: "a signal that ended the wait",
                sign: Sign::YourCode {
                    look_for: "look for a nanosleep or poll whose EINTR is not handled",
                    advice: &["wait again until the deadline, as `chronoscope_clock::pause::sleep` does"],
                },
            },
        ],
    },
    Symptom {
        id: "sleep_burns_cpu",
        phrases: &["short sleep uses as much CPU as spinning", "sleep burns CPU", "busy wait or sleep"],
        usually: "sleeps shorter than what going to sleep and waking costs",
        needs: &["pauses"],
        suspects: &[
            Suspect {
                cause: "sleeps too short to save CPU time",
                sign: Sign::Findings { kinds: &[SLEEP_SAVES_NO_CPU], of: &["pauses"] },
            },
            Suspect {
                cause: "yields that cost a time slice",
                sign: Sign::Findings { kinds: &[YIELD_COSTS_A_SLICE], of: &["pauses"] },
            },
        ],
    },
    Symptom {
        id: "percentiles_too_good",
        phrases: &[
            "latency percentiles look too good",
            "p99 too low, load generator hides latency",
            "coordinated omission",
            "users see stalls that the benchmark does not",
        ],
        usually: "coordinated omission: requests that should have been sent during a stall were not, and are in no percentile",
        needs: &["reads", "hiccups"],
        suspects: &[
            Suspect {
                cause: "stalls of this machine that percentiles must show",
                sign: Sign::Figures(looks::machine_stalls),
            },
            HELD_UP,
            NOISE,
            Suspect { cause: "clocks too coarse for the latencies", sign: Sign::Figures(looks::coarse_clocks) },
            Suspect {
                cause: "latencies counted from the actual start instead of the intended one",
                sign: Sign::YourCode {
                    look_for: "look in the load generator for a clock read right before the request is sent, and a wait for the answer \
                               before the next one",
                    advice: &[
                        "chronoscope pace --rate 1k --for 10s --stall 50ms",
                        "chronoscope experiment omission --quick",
                        "count from the intended start: `chronoscope_clock::pacer`, wrk2, or Gatling with an open model",
                    ],
                },
            },
        ],
    },
    Symptom {
        id: "latency_spikes",
        phrases: &["latency spikes", "outliers of milliseconds", "occasional stalls, hiccups, pauses"],
        usually: "the kernel or the hypervisor gave the CPU to something else",
        needs: &["hiccups", "reads"],
        suspects: &[HELD_UP, NOISE, NEIGHBOURS, QUOTA, FREQUENCY, OS_COARSE],
    },
    Symptom {
        id: "benchmark_says_zero",
        phrases: &["benchmark says 0 ns", "elapsed time is always zero", "measured duration is zero or a multiple"],
        usually: "an interval shorter than the clock's step, or an operation that the compiler removed",
        needs: &["clocks"],
        suspects: &[
            Suspect {
                cause: "a clock whose step is longer than the operation",
                sign: Sign::Figures(looks::coarse_clocks),
            },
            OS_COARSE,
            Suspect {
                cause: "a loop that the compiler removed",
                sign: Sign::YourCode {
                    look_for: "four times as many turns must take four times as long",
                    advice: &[
                        "pass inputs and results through black_box, or a Blackhole in JMH",
                        "chronoscope advise --interval 50ns",
                    ],
                },
            },
        ],
    },
    Symptom {
        id: "clock_moves_in_steps",
        phrases: &[
            "DateTime.Now moves in 15 ms steps",
            "clock has low resolution, coarse steps",
            "TickCount resolution",
            "many equal timestamps",
        ],
        usually: "a clock that the system updates at its timer tick: 1 to 16 ms",
        needs: &["runtimes", "clocks"],
        suspects: &[
            Suspect { cause: "clocks of runtimes in steps of milliseconds", sign: Sign::Figures(looks::runtime_steps) },
            Suspect {
                cause: "clocks of runtimes coarser than declared",
                sign: Sign::Findings { kinds: &[RUNTIME_TICK_COARSE], of: &["runtimes"] },
            },
            Suspect { cause: "clocks of the system in coarse steps", sign: Sign::Figures(looks::coarse_clocks) },
            OS_COARSE,
        ],
    },
    Symptom {
        id: "hosts_disagree",
        phrases: &[
            "two hosts disagree on the order of events",
            "logs of different machines out of order",
            "clock skew between servers",
        ],
        usually: "wall clocks that differ by more than the events are apart",
        needs: &["sync"],
        suspects: &[
            UNDISCIPLINED,
            Suspect {
                cause: "a wall clock whose error is unknown, or larger than the events are apart",
                sign: Sign::Figures(looks::wall_clock_bound),
            },
            WALL_SET,
            LEAP_SECOND,
            Suspect {
                cause: "the other host",
                sign: Sign::YourCode {
                    look_for: "the errors of both hosts add up; this document is of one",
                    advice: &["chronoscope sync --output there.json"],
                },
            },
        ],
    },
    Symptom {
        id: "wall_clock_jumps",
        phrases: &[
            "currentTimeMillis jumps",
            "wall clock jumps forward",
            "system time changes suddenly",
            "clock jumped back after NTP",
            "time of day wrong after suspend",
        ],
        usually: "a daemon or a person that sets the clock, or a machine that was suspended",
        needs: &["sync"],
        suspects: &[
            WALL_SET,
            UNDISCIPLINED,
            LEAP_SECOND,
            Suspect {
                cause: "a suspended machine or a migrated guest",
                sign: Sign::YourCode {
                    look_for: "compare CLOCK_BOOTTIME with CLOCK_MONOTONIC across the jump: suspend advances the first alone",
                    advice: &["journalctl -b | grep -i -e suspend -e 'time has been changed'"],
                },
            },
        ],
    },
    Symptom {
        id: "clock_drifts",
        phrases: &[
            "clock runs too fast or too slow",
            "clock drifts",
            "intervals differ from a stopwatch, wrong frequency",
        ],
        usually: "a wall clock that is slewed, or a counter whose frequency is not what it says",
        needs: &["sync", "clocks"],
        suspects: &[
            Suspect {
                cause: "a clock that is slewed fast",
                sign: Sign::FindingsUnless {
                    kinds: &[MONOTONIC_SLEWED, FREQUENCY_AT_LIMIT],
                    of: &["sync"],
                    excluded: exclusions::not_slewed,
                },
            },
            Suspect {
                cause: "a counter off its frequency",
                sign: Sign::FindingsUnless {
                    kinds: &[FREQUENCY_MISDECLARED, RAW_CLOCK_OFF],
                    of: &["clocks", "sync"],
                    excluded: exclusions::frequency_known,
                },
            },
            UNDISCIPLINED,
            TSC_IN_DOUBT,
        ],
    },
    Symptom {
        id: "core_is_ahead",
        phrases: &[
            "one core is ahead",
            "TSC not synchronized between cores, sockets",
            "different time on different CPUs",
            "rdtsc differs between cores",
        ],
        usually: "a machine with several sockets whose counters were not started together",
        needs: &["causality"],
        suspects: &[BACK_BETWEEN_CPUS, UNORDERED, TSC_IN_DOUBT],
    },
    Symptom {
        id: "results_differ",
        phrases: &["results differ between runs", "benchmark is not reproducible", "noisy measurements, high variance"],
        usually: "interruptions, neighbours, and a CPU whose frequency changes",
        needs: &["reads", "clocks"],
        suspects: &[
            NOISE,
            NEIGHBOURS,
            FREQUENCY,
            QUOTA,
            EMULATION,
            Suspect {
                cause: "layout and warm-up, which differ per process",
                sign: Sign::YourCode {
                    look_for: "one process per result hides them; `chronoscope-bench` measures several, and compares in one run",
                    advice: &["cargo bench --bench NAME -- --against-rev main"],
                },
            },
        ],
    },
    Symptom {
        id: "timestamps_slow_with_threads",
        phrases: &[
            "timestamps get slow with many threads",
            "adding threads makes clock reads slower",
            "clock does not scale",
        ],
        usually: "a clock that keeps a shared word, or a program whose threads do little else",
        needs: &["contention"],
        suspects: &[
            Suspect {
                cause: "causal clocks that do not scale",
                sign: Sign::Findings { kinds: &[NO_GRANULARITY_SCALES], of: &["contention"] },
            },
            Suspect {
                cause: "CPUs that were not free",
                sign: Sign::Findings { kinds: &[BARE_SOURCE_HELD_BACK], of: &["contention"] },
            },
            SLOW_PATH,
            Suspect {
                cause: "too little work between reads",
                sign: Sign::YourCode {
                    look_for: "`chronoscope scaling` finds how much work between reads it takes until they no longer limit",
                    advice: &["chronoscope scaling --quick --threads 1,2"],
                },
            },
        ],
    },
    Symptom {
        id: "wall_clock_in_use",
        phrases: &[
            "which clock measures intervals in my language",
            "Date.now or performance.now",
            "is currentTimeMillis good for durations",
        ],
        usually: "a wall clock where a monotonic one is meant",
        needs: &["runtimes"],
        suspects: &[
            Suspect {
                cause: "wall clocks of runtimes, which may be set during an interval",
                sign: Sign::Findings { kinds: &[WALL_CLOCK_FOR_INTERVALS], of: &["runtimes"] },
            },
            Suspect { cause: "clocks of runtimes in steps of milliseconds", sign: Sign::Figures(looks::runtime_steps) },
        ],
    },
];
