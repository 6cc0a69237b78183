//! Readings and rate against `CLOCK_MONOTONIC`, in processes of their own; idle, and with a CPU hog beside each.

use std::process::{Child, Command, Stdio};

use bench_common::cpus::{self, beside_hogs};
use bench_common::process::{all, failed, parse, sibling, stdout_of};
use bench_common::{Count, Failure, Run, Section, Table, Value};
use serde_json::Value as Json;

const WHAT: &str = "an accuracy process";

pub(crate) fn measure(run: &Run, section: &mut Section) -> Result<(), Failure> {
    let (seconds, window_seconds) = run.pick((60, 10), (4, 1));
    let (cpus, program) = (cpus::allowed()?, sibling("accuracy")?);
    let mut checks = Table::new(2, "load | CPU | our clock | outside | worst, ns outside");
    let columns = "load | clock | CPU | largest rate error, ppm | uncertain by, ppm | after the first window, ppm";
    let mut rates = Table::new(3, columns);
    for (load, each) in [("idle", run.pick(4, 1)), ("hog", run.pick(2, 1))] {
        run.now(format!("accuracy, {load}: {each} processes for {seconds} s"));
        let start = |cpu: &u32| {
            let mut command = Command::new(&program);
            command.args([seconds, window_seconds, *cpu].map(|number: u32| number.to_string()));
            command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
            (*cpu, command.spawn().map_err(failed(WHAT)))
        };
        let hogs: Vec<u32> = cpus.iter().copied().take(if load == "hog" { each } else { 0 }).collect();
        let ended = beside_hogs(&hogs, || {
            // They sleep nearly all the time and hardly meet. All are waited for, also if one has failed.
            let started: Vec<_> = cpus.iter().cycle().take(each).map(start).collect();
            Ok(started.into_iter().map(|(cpu, child)| (cpu, child.and_then(answer))).collect::<Vec<_>>())
        })?;
        for (cpu, seen) in ended {
            let (seen, cpu) = (seen?, Value::from(format!("CPU {cpu}")));
            let [all_checks, outside, worst_ns] =
                ["checks", "outside", "worst_ns"].map(|name| seen[name].as_u64().unwrap_or(0));
            checks.row([
                load.into(),
                cpu.clone(),
                seen["state"].as_str().unwrap_or("?").into(),
                Count { of: outside, all: all_checks }.into(),
                worst_ns.into(),
            ]);
            for rate in all(&seen["rates"]) {
                let windows: Vec<f64> = all(&rate["windows_ppm"]).filter_map(Json::as_f64).collect();
                let largest = |ppm: &[f64]| Value::number(ppm.iter().fold(0.0, |most, ppm| ppm.abs().max(most)), 4);
                rates.row([
                    load.into(),
                    rate["clock"].as_str().unwrap_or("?").into(),
                    cpu.clone(),
                    largest(&windows),
                    rate["uncertain_ppm"].as_f64().map(|ppm| Value::number(ppm, 4)).into(),
                    largest(windows.get(1..).unwrap_or_default()),
                ]);
            }
        }
    }
    section.table(checks);
    section.table(rates);
    section.say(format!("{seconds} s each. Rates are compared over windows of {window_seconds} s."));
    Ok(())
}

fn answer(child: Child) -> Result<Json, Failure> {
    parse(&stdout_of(child.wait_with_output().map_err(failed(WHAT))?, WHAT)?, WHAT)
}
