use chronoscope_harness::record::study::{StudyClock, StudyProcess};
use chronoscope_harness::{ExternalIteration, ExternalStudy};

use super::Operations;
use crate::plan::MOST_THREADS;
use crate::probe::probe_process::ProbeProcess;
use crate::probe::protocol::{NOTHING, Sweep};
use crate::probe::runtime::Runtime;

/// A runtime's name before those of its clocks: with its version, and its program, if another has the shorter name.
pub fn label(runtime: &Runtime, taken: &[String]) -> String {
    let row = runtime.kind.row();
    let version = runtime.title().replacen(row.title, row.word, 1);
    let program = format!("{version} {}", runtime.executable.as_deref().unwrap_or_default());
    let names = [row.word.to_owned(), version, program.clone()];
    names.into_iter().find(|name| !taken.contains(name)).unwrap_or(program)
}

/// The sweeps of a runtime's processes as a study; None if nothing was visited.
pub fn study(
    (name, label): (&str, &str),
    operations: &Operations,
    processes: &[ProbeProcess],
    elapsed_ms: &[u64],
    cpus: &[u32],
) -> Option<ExternalStudy> {
    let identity = processes.first()?.answer.identity.as_ref()?;
    let case = |name: &str| operations.case(label, name);
    let iterations: Vec<ExternalIteration> =
        (0..).zip(processes).flat_map(|(at, process)| iterations(at, process, &case)).collect();
    let mut cases: Vec<String> = Vec::new();
    for iteration in &iterations {
        if !cases.contains(&iteration.case) {
            cases.push(iteration.case.clone());
        }
    }
    let comparisons = operations.comparisons(label, &cases);
    // Nothing else is known of the timer in a loop of that runtime.
    let tick_ns = 1e9 / identity.timer_hz.max(1) as f64;
    let clock = StudyClock { name: format!("{label} {}", identity.timer), error_ns: tick_ns, batch_ns: tick_ns };
    let process = |(process, elapsed_ms): (u32, &u64)| StudyProcess {
        process,
        elapsed_ms: *elapsed_ms,
        ..StudyProcess::default()
    };
    let processes = (0..).zip(elapsed_ms).map(process).collect();
    // The work alone is no study.
    let is_any = cases.iter().any(|name| *name != case(NOTHING));
    is_any.then(|| ExternalStudy {
        name: name.to_owned(),
        cpus: cpus.to_vec(),
        comparisons,
        clock,
        processes,
        iterations,
    })
}

fn iterations(at: u32, process: &ProbeProcess, case: &dyn Fn(&str) -> String) -> Vec<ExternalIteration> {
    let answer = &process.answer;
    let hz = answer.identity.as_ref().map_or(1, |identity| identity.timer_hz.max(1));
    // Ticks have any origin; nanoseconds count from the first.
    let origin = answer.sweeps.iter().flat_map(|sweep| &sweep.batches).map(|(_, begin, _)| *begin).min().unwrap_or(0);
    let ns = |ticks: u64| {
        let ns = u128::from(ticks.saturating_sub(origin)) * 1_000_000_000 / u128::from(hz);
        u64::try_from(ns).unwrap_or(u64::MAX)
    };
    let iteration = |sweep: &Sweep| {
        let of = |thread: u32| sweep.batches.iter().filter(move |batch| batch.0 == thread);
        ExternalIteration {
            case: case(&sweep.clock),
            tokens: sweep.tokens,
            threads: sweep.threads,
            process: at,
            round: sweep.round,
            operations: sweep.operations,
            batches_ns: (0..sweep.threads)
                .map(|thread| of(thread).map(|batch| (ns(batch.1), ns(batch.2))).collect())
                .collect(),
        }
    };
    // More threads than were asked for are no answer.
    answer.sweeps.iter().filter(|sweep| sweep.threads <= MOST_THREADS).map(iteration).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::unasked;
    use chronoscope_probes::RuntimeKind;

    #[test]
    fn runtimes_of_one_kind_have_names_of_their_own() {
        let of = |version: &str, program: &str| Runtime {
            version: Some(version.to_owned()),
            executable: Some(program.to_owned()),
            ..unasked(RuntimeKind::Java)
        };
        let mut taken = Vec::new();
        for runtime in [of("17.0.1+8", "/a"), of("25.0.3", "/b"), of("25.0.3", "/c")] {
            taken.push(label(&runtime, &taken));
        }
        assert_eq!(taken, ["java", "java 25.0.3", "java 25.0.3 /c"]);
    }
}
