use chronoscope_harness::record::study::{StudyClock, StudyProcess};
use chronoscope_harness::stats::median;
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
    let error_ns = timer_error_ns(processes);
    let clock = StudyClock { name: format!("{label} {}", identity.timer), error_ns, batch_ns: error_ns };
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

/// How far off its timer can make a batch: by its unit, or by a reading, and what it takes to note it, as between the end of a batch and
/// the begin of the next: the shortest of each process, and the median of those.
fn timer_error_ns(processes: &[ProbeProcess]) -> f64 {
    let of_process = |process: &ProbeProcess| {
        let unit_ns = 1e9 / process.answer.identity.as_ref()?.timer_hz.max(1) as f64;
        let between = process.answer.sweeps.iter().flat_map(between_batches).min().unwrap_or(0);
        Some(unit_ns * between.max(1) as f64)
    };
    median(processes.iter().filter_map(of_process).collect::<Vec<f64>>()).unwrap_or(f64::INFINITY)
}

/// In ticks, from the end of each batch to the begin of the same thread's next.
fn between_batches(sweep: &Sweep) -> impl Iterator<Item = u64> {
    let of_thread = |thread| sweep.batches.iter().filter(move |batch| batch.0 == thread);
    (0..sweep.threads).flat_map(move |thread| {
        of_thread(thread).zip(of_thread(thread).skip(1)).map(|((_, _, end), (_, begin, _))| begin.saturating_sub(*end))
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
    use crate::probe::{Answer, unasked};
    use chronoscope_probes::RuntimeKind;

    #[test]
    fn a_timer_is_as_far_off_as_a_reading_of_it_takes_and_no_less_than_its_unit() {
        const IDENTITY: &str = r#"{"type":"identity","protocol":1,"runtime":"R","version":"1","executable":"","timer":"now","timer_hz":1000000000,"parallel":true,"notes":[]}"#;
        let process = |[between, longer]: [u64; 2]| {
            let begins = [100, 1_100 + between, 2_100 + between + longer];
            let batches = begins.map(|begin| format!("[0,{begin},{}]", begin + 1_000)).join(",");
            let sweep = format!(
                r#"{{"type":"sweep","clock":"nothing","tokens":0,"threads":1,"round":0,"operations":9,"batches":[{batches}]}}"#
            );
            ProbeProcess { round: 0, answer: Answer::of(&format!("{IDENTITY}\n{sweep}")).unwrap() }
        };
        let error_ns =
            |between: &[[u64; 2]]| timer_error_ns(&between.iter().map(|of| process(*of)).collect::<Vec<_>>());
        assert_eq!(error_ns(&[[40, 90_000], [44, 46], [70, 43]]), 43.0);
        assert_eq!(error_ns(&[[0, 5]]), 1.0, "not told from its unit");
    }

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
