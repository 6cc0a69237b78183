use std::process::ExitCode;
use std::time::Duration;

use chronoscope_bench::{Failure, Interrupt, StudyProgress};
use chronoscope_harness::machine::identify;
use chronoscope_harness::record::study::StudyRecord;
use chronoscope_harness::rule::conclude;
use chronoscope_harness::{Start, StudyObserver, StudyOptions};

use crate::command::output::Output;
use crate::command::page::Shown;
use crate::command::study_run;
use crate::document::Record;
use crate::plan::Plan;
use crate::registry::Sections;
use crate::run_options::RunOptions;
use crate::sections::selftest::rules::RULES;
use crate::sections::selftest::{self, Part, Selftest, Verdict};

/// The `command` in its document.
const COMMAND: &str = "selftest";

/// Tests the harness, then prints and saves the verdict.
pub fn run(start: &Start, run: &RunOptions) -> Result<ExitCode, Failure> {
    let parts = selftest::parts(study_run::cpus(run, start));
    for part in &parts {
        part.study.serve_if_worker();
    }
    let wish = study_run::wish(run)?;
    let budgets = budgets(&parts, &wish, start)?;
    let output = Output::prepare(run.format, run.output.as_deref())?;
    let mut progress = StudyProgress::new(run.quiet, Interrupt::listen());
    progress.expects(budgets.iter().sum());
    let mut records = Vec::with_capacity(parts.len());
    let all: Vec<usize> = (0..parts.len()).collect();
    measure(&parts, &budgets, &wish, &all, &mut progress, |_, record| records.push(record))?;
    // There is no second attempt if the user sets the duration.
    let again = if run.duration.is_none() { selftest::unclear(&parts, &records) } else { Vec::new() };
    let mut second = Vec::new();
    measure(&parts, &budgets, &wish, &again, &mut progress, |part, record| second.push((part, record)))?;
    progress.finish();
    let verdict = selftest::judge(&parts, &records, &second);
    records.extend(second.into_iter().map(|(_, record)| record));
    let passed = verdict.passed;
    output.write(&document(verdict, records, start), Shown::default())?;
    Ok(ExitCode::from(u8::from(!passed)))
}

/// The document of a self-test based on `records`.
pub(super) fn document(verdict: Verdict, records: Vec<StudyRecord>, start: &Start) -> Record {
    let machine = match records.first() {
        Some(first) => first.machine.clone(),
        None => identify(start.counter_access(), start.allowed_cpus()),
    };
    let mut record = Record::new(COMMAND, study_run::tool(), machine, Plan::default(), Sections::default());
    if let Some(first) = records.first() {
        record.started_at.clone_from(&first.started_at);
    }
    record.elapsed_ms = records.iter().map(|record| record.elapsed_ms).sum();
    record.interrupted = verdict.interrupted;
    record.findings = conclude(RULES, &verdict);
    let studies = records.into_iter().map(|record| record.content.study).collect();
    record.selftest = Some(Selftest { verdict, studies });
    record
}

/// Measures the parts selected by `which`, each with its budget, until the user stops it.
fn measure(
    parts: &[Part],
    budgets: &[Duration],
    wish: &StudyOptions,
    which: &[usize],
    progress: &mut StudyProgress,
    mut keep: impl FnMut(usize, StudyRecord),
) -> Result<(), Failure> {
    let whole = which.iter().map(|part| budgets[*part]).sum::<Duration>().as_secs_f64().max(f64::MIN_POSITIVE);
    let mut done = 0.0;
    for part in which.iter().copied() {
        if progress.cancelled() {
            break;
        }
        let share = budgets[part].as_secs_f64() / whole;
        progress.enters(done, done + share);
        done += share;
        let wish = StudyOptions { budget: Some(budgets[part]), ..wish.clone() };
        let found = parts[part].study.run(&wish, study_run::tool(), progress);
        keep(part, found.map_err(|error| Failure::usage(error.to_string()))?);
    }
    Ok(())
}

/// The time of each part: its own, or its share of the user's.
fn budgets(parts: &[Part], wish: &StudyOptions, start: &Start) -> Result<Vec<Duration>, Failure> {
    let own = StudyOptions { budget: None, ..wish.clone() };
    let plans = parts.iter().map(|part| part.study.plan(&own, start.allowed_cpus()));
    let plans: Vec<_> = plans.collect::<Result<_, _>>().map_err(|error| Failure::usage(error.to_string()))?;
    let own: Vec<Duration> = plans.iter().map(|plan| Duration::from_millis(plan.budget_ms)).collect();
    let Some(whole) = wish.budget else { return Ok(own) };
    let sum = own.iter().sum::<Duration>().as_secs_f64();
    Ok(own.iter().map(|each| whole.mul_f64(each.as_secs_f64() / sum)).collect())
}
