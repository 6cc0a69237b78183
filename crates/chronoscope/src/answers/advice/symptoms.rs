//! What users paste, what to run for it, and which findings answer: a table, looked up by whole words.

use serde::Serialize;

use chronoscope_probes::RuntimeKind;
use chronoscope_sources::SourceId;
use chronoscope_sources::os::OsClock;

use super::report::SymptomAdvice;
use crate::clock_id::ClockId;
use crate::document::Record;
use crate::kinds::{self, reason_not_looked_for};
use crate::registry::{Sections, parts_of};

/// A row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Symptom {
    /// In a user's words.
    pub symptom: &'static str,
    /// A text with every word of one of these is of this row; `|` is between words of which one is enough.
    pub words: &'static [&'static str],
    /// What is usually behind it.
    pub usually: &'static str,
    /// The sections to run, by name.
    pub runs: &'static [&'static str],
    /// The findings that answer, by id.
    pub findings: &'static [&'static str],
}

/// The table, in the order of the documentation. Of rows that fit equally well the first is taken.
pub const SYMPTOMS: &[Symptom] = &[
    Symptom {
        symptom: "Java timestamps go backwards",
        words: &["java|jvm|nanotime|currenttimemillis backward|backwards|negative"],
        usually: "System.currentTimeMillis or Instant.now, which read the wall clock; System.nanoTime reads CLOCK_MONOTONIC on \
                  Linux, which nobody sets",
        runs: &["runtimes", "causality", "sync"],
        findings: &["wall_clock_for_intervals", "wall_clock_stepped", "negative_elapsed", "non_causal_read"],
    },
    Symptom {
        symptom: "timestamps of Python, Node.js or another runtime go backwards",
        words: &[
            "dotnet|csharp|mono|golang|node|nodejs|javascript|python|ruby|php|runtime backward|backwards|negative",
        ],
        usually: "a call that reads the wall clock: time.time, Date.now, DateTime.UtcNow, Time.now, microtime",
        runs: &["runtimes", "causality", "sync"],
        findings: &["wall_clock_for_intervals", "wall_clock_stepped", "negative_elapsed", "non_causal_read"],
    },
    Symptom {
        symptom: "timestamps go backwards",
        words: &["timestamp|timestamps|time|clock|duration|elapsed backward|backwards|negative|decreases"],
        usually: "intervals taken with the wall clock, which may be set; seldom a clock that lies",
        runs: &["clocks", "reads", "causality", "sync"],
        findings: &[
            "wall_clock_stepped",
            "negative_elapsed",
            "non_causal_read",
            "cross_cpu_skew",
            "unordered_read_not_causal",
            "back_by_one_count",
        ],
    },
    Symptom {
        symptom: "overflow when subtracting duration from instant",
        words: &["overflow subtracting|duration instant", "supplied instant later"],
        usually: "a time before the clock's zero, which may be the start of the machine; seldom a clock that goes backwards",
        runs: &["clocks", "reads", "causality"],
        findings: &["negative_elapsed", "non_causal_read"],
    },
    Symptom {
        symptom: "one core is ahead of another",
        words: &["core|cores|cpus|sockets ahead|differs|different|synchronized", "tsc ahead|differs|synchronized"],
        usually: "a machine with several sockets whose counters were not started together",
        runs: &["causality"],
        findings: &["cross_cpu_skew", "offset_not_constant", "non_causal_read", "tsc_distrusted"],
    },
    Symptom {
        symptom: "clocksource tsc marked unstable",
        words: &["clocksource tsc|hpet|acpi_pm unstable|skew", "tsc|clocksource unstable"],
        usually: "a watchdog of the kernel that saw the TSC drift, and chose a clocksource that takes a system call",
        runs: &["clocks", "causality"],
        findings: &["tsc_distrusted", "better_clocksource_available", "os_clock_on_slow_path", "cross_cpu_skew"],
    },
    Symptom {
        symptom: "firmware bug: TSC does not count with P0 frequency",
        words: &["firmware bug tsc", "tsc frequency"],
        usually: "firmware or a hypervisor that does not declare a constant TSC, which may be one nevertheless",
        runs: &["clocks"],
        findings: &["frequency_misdeclared", "tsc_not_invariant", "tsc_distrusted"],
    },
    Symptom {
        symptom: "nanoTime is slow",
        words: &["java|jvm|nanotime|currenttimemillis slow|expensive"],
        usually: "a clocksource other than the TSC, so that every read is a system call",
        runs: &["runtimes", "clocks"],
        findings: &["runtime_on_slow_path", "better_clocksource_available", "counter_traps"],
    },
    Symptom {
        symptom: "clock_gettime shows up in profiles",
        words: &["clock_gettime|gettimeofday|clock|timestamps|now slow|expensive|hot|perf|profile|profiles|flame"],
        usually: "a read that enters the kernel; or very many reads of a fast clock",
        runs: &["clocks"],
        findings: &["os_clock_on_slow_path", "better_clocksource_available", "counter_traps", "emulated"],
    },
    Symptom {
        symptom: "sleep takes longer than asked",
        words: &["sleep|usleep|nanosleep takes|long|longer|late|inaccurate"],
        usually: "50 µs of timer slack, plus the time to wake a thread",
        runs: &["pauses"],
        findings: &["timer_slack_inherited", "sleep_held_by_slack", "yield_costs_a_slice", "cpu_quota"],
    },
    Symptom {
        symptom: "timer fires late under load",
        words: &["timer|timers|task|thread|wakeup late|delay|delayed|misses|jitter"],
        usually: "a CPU that runs something else when the timer fires",
        runs: &["hiccups", "pauses"],
        findings: &["woken_late", "computing_held_up", "sleep_held_by_slack", "cpu_quota"],
    },
    Symptom {
        symptom: "timeout fires too early",
        words: &["timeout|timer|sleep|wait early"],
        usually: "a deadline on the wall clock, which was set forward",
        runs: &["pauses", "sync"],
        findings: &["early_pause", "wall_clock_stepped", "wall_clock_needs_step", "time_daemons_compete"],
    },
    Symptom {
        symptom: "short sleep uses as much CPU as spinning",
        words: &["sleep|wait cpu|spin|spinning"],
        usually: "sleeps shorter than what going to sleep and waking costs",
        runs: &["pauses"],
        findings: &["sleep_saves_no_cpu", "yield_costs_a_slice"],
    },
    Symptom {
        symptom: "latency percentiles look too good",
        words: &["percentile|percentiles|p99 good|low", "coordinated omission"],
        usually: "coordinated omission: requests that a stall kept from being sent are in no percentile: see `chronoscope pace`",
        runs: &["reads", "hiccups"],
        findings: &["noisy_machine", "computing_held_up", "woken_late"],
    },
    Symptom {
        symptom: "latency spikes",
        words: &["latency|occasional spike|spikes|outlier|outliers|stalls|hiccups|pauses"],
        usually: "the kernel or the hypervisor gave the CPU to something else",
        runs: &["hiccups", "reads"],
        findings: &["computing_held_up", "woken_late", "noisy_machine", "stolen_time"],
    },
    Symptom {
        symptom: "container throttled",
        words: &["cputhrottlinghigh", "container|pod|cgroup|cpu throttled|throttling", "cpu quota"],
        usually: "a CPU quota, which stops all threads until its next period: 100 ms unless set otherwise",
        runs: &["hiccups"],
        findings: &["cpu_throttled", "cpu_quota", "computing_held_up", "woken_late"],
    },
    Symptom {
        symptom: "sched: RT throttling activated",
        words: &["rt|realtime throttling|throttled"],
        usually: "a real-time thread that spins: the kernel stops it for the rest of each period, usually 50 ms of every second",
        runs: &["hiccups"],
        findings: &["computing_held_up", "woken_late"],
    },
    Symptom {
        symptom: "benchmark says 0 ns",
        words: &["benchmark|elapsed|duration|measured 0|zero"],
        usually: "an interval shorter than the clock's step, or an operation that the compiler removed",
        runs: &["clocks"],
        findings: &["os_clock_coarse", "clock_stands_still", "resolution_is_not_granularity"],
    },
    Symptom {
        symptom: "DateTime.Now moves in 15 ms steps",
        words: &["datetime|clock|timestamps|tickcount steps|coarse|resolution", "equal timestamps"],
        usually: "a clock that the system updates at its timer tick: 1 to 16 ms",
        runs: &["runtimes", "clocks"],
        findings: &["runtime_tick_coarse", "os_clock_coarse", "clock_stands_still"],
    },
    Symptom {
        symptom: "two hosts disagree on the order of events",
        words: &["hosts|servers|machines|logs disagree|order|skew"],
        usually: "wall clocks that differ by more than the events are apart",
        runs: &["sync"],
        findings: &["wall_clock_undisciplined", "wall_clock_error_unknown", "wall_clock_error_large"],
    },
    Symptom {
        symptom: "clock jumps after snapshot restore",
        words: &["clock|time|date snapshot|restore|restored|suspend|resume|migration"],
        usually: "a wall clock that stood still meanwhile, and is set once the guest runs again",
        runs: &["sync"],
        findings: &["wall_clock_stepped", "wall_clock_needs_step", "wall_clock_undisciplined", "kernel_not_told"],
    },
    Symptom {
        symptom: "wall clock jumps",
        words: &["clock|time|currenttimemillis|date jump|jumps|jumped|changes|changed"],
        usually: "a daemon or a person that sets the clock, or a machine that was suspended",
        runs: &["sync"],
        findings: &["wall_clock_stepped", "wall_clock_needs_step", "time_daemons_compete", "leap_second_pending"],
    },
    Symptom {
        symptom: "clock drifts",
        words: &["clock|time drift|drifts|drifting", "clock runs fast|slow", "wrong frequency"],
        usually: "a wall clock that is slewed, or a counter whose frequency is not what it says",
        runs: &["sync", "clocks"],
        findings: &["monotonic_slewed", "frequency_at_limit", "frequency_misdeclared", "raw_clock_off"],
    },
    Symptom {
        symptom: "results differ between runs",
        words: &["results|benchmark|measurements differ|noisy|variance|reproducible|unstable"],
        usually: "interruptions, neighbours, and a CPU whose frequency changes",
        runs: &["reads", "clocks"],
        findings: &["noisy_machine", "cpu_throttled", "core_shared", "stolen_time", "frequency_scaling", "cpu_quota"],
    },
    Symptom {
        symptom: "which clock measures intervals in my language",
        words: &["which clock|timer", "performance now", "good durations|intervals"],
        usually: "a wall clock where a monotonic one is meant",
        runs: &["runtimes"],
        findings: &["wall_clock_for_intervals", "runtime_tick_coarse"],
    },
];

/// Words that name a runtime; `go` is a word of its own.
const RUNTIME_WORDS: [(&str, &[&str]); 8] = [
    ("java", &["java", "jvm", "nanotime", "currenttimemillis"]),
    ("dotnet", &["dotnet", "csharp"]),
    ("mono", &["mono"]),
    ("go", &["golang"]),
    ("node", &["node", "nodejs", "javascript"]),
    ("python", &["python"]),
    ("ruby", &["ruby"]),
    ("php", &["php"]),
];
/// What runtimes read on Linux: their clocks for intervals and for the time of day.
const READ_BY_RUNTIMES: [SourceId; 2] = [SourceId::Os(OsClock::Monotonic), SourceId::Os(OsClock::Realtime)];

/// The runtime that `text` names, if any.
pub fn runtime_named(text: &str) -> Option<RuntimeKind> {
    let lower = text.to_lowercase();
    let asked = words(&lower);
    let named = RUNTIME_WORDS.iter().find(|(_, words)| words.iter().any(|word| asked.contains(word)));
    named.and_then(|(word, _)| RuntimeKind::named(word).ok())
}

/// Leaves in the plans what bears on a question about `kind`: that runtime, and the system's clocks that runtimes read.
pub fn narrow(sections: &mut Sections, kind: RuntimeKind) {
    if let Some(plan) = &mut sections.runtimes.plan {
        plan.kinds.retain(|planned| *planned == kind);
        // One process of it tells which calls read what, and by which path.
        plan.rounds = 1;
        let is_read = |clock: &ClockId| matches!(clock, ClockId::Known(id) if READ_BY_RUNTIMES.contains(id));
        sections.causality.plan.pair_clocks.retain(is_read);
        sections.causality.plan.litmus_clocks.retain(is_read);
    }
}

fn words(lower: &str) -> Vec<&str> {
    lower.split(|letter: char| !letter.is_alphanumeric() && letter != '_').collect()
}

/// The row with most words in `text`.
pub fn find(text: &str) -> Option<&'static Symptom> {
    let lower = text.to_lowercase();
    let asked = words(&lower);
    let fit = |words: &str| {
        let mut words = words.split(' ');
        let count = words.clone().count();
        words.all(|one| one.split('|').any(|word| asked.contains(&word))).then_some(count)
    };
    let fits = SYMPTOMS.iter().map(|row| (row.words.iter().filter_map(|words| fit(words)).max(), row));
    let best = fits.rev().max_by_key(|(fit, _)| *fit)?;
    best.0.map(|_| best.1)
}

/// Which of the row's findings are in `record`; `asked` are the user's words.
pub fn look_up(row: &Symptom, asked: &str, record: &Record) -> SymptomAdvice {
    let has = |id: &&str| record.findings.iter().any(|finding| finding.id == *id);
    let (found, mut absent): (Vec<&str>, Vec<&str>) = row.findings.iter().partition(|id| has(id));
    absent.retain(|id| kinds::of_check(id).is_some_and(|kind| reason_not_looked_for(record, *kind).is_none()));
    let owned = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
    SymptomAdvice {
        asked: asked.to_owned(),
        symptom: row.symptom.to_owned(),
        usually: row.usually.to_owned(),
        runs: owned(row.runs),
        found: owned(&found),
        absent: owned(&absent),
    }
}

/// Why a document has nothing for `row`, and what measures it; None if it has something.
pub fn lacking(row: &Symptom, record: &Record) -> Option<String> {
    let measured = kinds::measured(record);
    let is_measured = |section: &&str| parts_of(section).iter().any(|row| measured.contains(&row.part));
    let measures = commands(&row.runs[..1]);
    (!row.runs.iter().any(is_measured))
        .then(|| format!("it has nothing about \"{}\"; {measures} --output FILE measures it", row.symptom))
}

/// Sections as their commands are called.
pub fn commands<S: AsRef<str>>(sections: &[S]) -> String {
    let command = |section: &S| format!("chronoscope {}", section.as_ref().replace('_', "-"));
    sections.iter().map(command).collect::<Vec<_>>().join(", ")
}
