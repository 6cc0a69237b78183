//! The peers: a program beside this one, and what they say in the most exact form that each has.

use std::path::Path;
use std::process::Command;

use bench_common::Failure;
use bench_common::process::{all, output_of, parse, read, sibling};
use serde_json::Value as Json;

use crate::claim::Claim;

/// The other harnesses.
pub(crate) const PEERS: [&str; 3] = ["criterion", "divan", "zenbench"];

/// How long a peer measures, and how often it resamples where it does.
#[derive(Clone, Copy)]
pub(crate) struct Size {
    pub(crate) milliseconds: u32,
    pub(crate) resamples: u32,
}

/// Runs the peer called `name` once. What it leaves behind stays in `home`.
pub(crate) fn run(name: &str, size: Size, operations: &[&str], home: &Path) -> Result<Vec<(String, Claim)>, Failure> {
    let mut command = Command::new(sibling("peer")?);
    command
        .args([name, &size.milliseconds.to_string(), &size.resamples.to_string()])
        .args(operations)
        .current_dir(home);
    command.env("CRITERION_HOME", home).env("XDG_CACHE_HOME", home).env("NO_COLOR", "1");
    // It would wait for a quieter machine, calibrate what is not asked for, and keep its results.
    for variable in ["ZENBENCH_NO_BUSY_GATE", "ZENBENCH_NO_CALIBRATE", "ZENBENCH_NO_SAVE"] {
        command.env(variable, "1");
    }
    let said = output_of(&mut command, name)?;
    let claims = match name {
        "criterion" => of_criterion(operations, home)?,
        "divan" => of_divan(&said),
        _ => of_zenbench(&parse(&said, name)?),
    };
    match operations.iter().find(|wanted| !claims.iter().any(|(name, _)| name == *wanted)) {
        Some(missing) => Err(Failure::run(format!("{name} says nothing of {missing}"))),
        None => Ok(claims.into_iter().filter(|(name, _)| operations.contains(&name.as_str())).collect()),
    }
}

fn claim(ns: f64, interval_ns: Option<(f64, f64)>) -> Claim {
    Claim { ns: Some(ns), interval_ns, below_ns: None, truth: None }
}

/// What it prints is the slope, where it sampled for one, or else the mean.
fn of_criterion(operations: &[&str], home: &Path) -> Result<Vec<(String, Claim)>, Failure> {
    let of = |name: &&str| {
        let found = read(&home.join(name).join("new/estimates.json"), "criterion")?;
        let typical = if found["slope"].is_object() { &found["slope"] } else { &found["mean"] };
        let ns = typical["point_estimate"].as_f64().unwrap_or(f64::NAN);
        Ok(((*name).to_owned(), claim(ns, interval(&typical["confidence_interval"], ["lower_bound", "upper_bound"]))))
    };
    operations.iter().map(of).collect()
}

fn interval(json: &Json, [low, high]: [&str; 2]) -> Option<(f64, f64)> {
    json[low].as_f64().zip(json[high].as_f64())
}

/// Whether criterion calls this run of an operation changed from the last: "improved" or "regressed", by the rule of its
/// own report. None if there was no run before.
///
/// # Sources
/// criterion 0.8.2, `report.rs`: a change is reported if the interval of the mean's change lies beyond the noise threshold,
/// 1 % unless set. It also wants p < 0.05, which its files do not hold; an interval beyond 1 % has that all but always.
pub(crate) fn criterion_sees_change(operation: &str, home: &Path) -> Result<Option<bool>, Failure> {
    const NOISE_THRESHOLD: f64 = 0.01;
    let path = home.join(operation).join("change/estimates.json");
    if !path.is_file() {
        return Ok(None);
    }
    let found = interval(&read(&path, "criterion")?["mean"]["confidence_interval"], ["lower_bound", "upper_bound"]);
    Ok(found.map(|(low, high)| low > NOISE_THRESHOLD || high < -NOISE_THRESHOLD))
}

/// divan has no form for machines: its table is read, in which values have four digits. The mean is taken as its claim.
fn of_divan(table: &str) -> Vec<(String, Claim)> {
    let row = |line: &str| {
        let line = line.trim_start_matches(|c: char| c.is_whitespace() || "├╰─│".contains(c));
        let columns: Vec<&str> = line.split('│').collect();
        // Name and fastest, slowest, median, mean, samples, iterations.
        let [first, _, _, mean, ..] = columns.as_slice() else { return None };
        Some((first.split_whitespace().next()?.to_owned(), claim(nanoseconds(mean)?, None)))
    };
    table.lines().filter_map(row).collect()
}

fn nanoseconds(text: &str) -> Option<f64> {
    let (value, unit) = text.trim().split_once(' ')?;
    let units = [("ps", 1e-3), ("ns", 1.0), ("µs", 1e3), ("ms", 1e6), ("s", 1e9)];
    let (_, factor) = units.into_iter().find(|(name, _)| *name == unit)?;
    Some(value.parse::<f64>().ok()? * factor)
}

fn of_zenbench(suite: &Json) -> Vec<(String, Claim)> {
    let benchmarks = all(&suite["comparisons"]).flat_map(|comparison| all(&comparison["benchmarks"]));
    let of = |found: &Json| {
        let ns = found["summary"]["mean"].as_f64()?;
        Some((found["name"].as_str()?.to_owned(), claim(ns, interval(&found["mean_ci"], ["lower", "upper"]))))
    };
    benchmarks.filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_of_divan_is_read() {
        let table = "\
Timer precision: 10 ns
peer           fastest       │ slowest       │ median        │ mean          │ samples │ iters
├─ chain_100   96.78 ns      │ 105.1 ns      │ 96.82 ns      │ 97.01 ns      │ 100     │ 6400
├─ chain_1000  967.2 ns      │ 1.021 µs      │ 967.9 ns      │ 1.002 µs      │ 100     │ 800
╰─ empty       0.002 ns      │ 0.022 ns      │ 0.003 ns      │ 0.004 ns      │ 100     │ 819200
";
        let claims = of_divan(table);
        let found: Vec<(&str, f64)> = claims.iter().map(|(name, claim)| (name.as_str(), claim.ns.unwrap())).collect();
        assert_eq!(found, [("chain_100", 97.01), ("chain_1000", 1002.0), ("empty", 0.004)]);
    }

    #[test]
    fn what_zenbench_says_is_read() {
        let json = serde_json::json!({"comparisons": [{"benchmarks": [
            {"name": "empty", "summary": {"mean": 0.1, "n": 3}, "mean_ci": {"lower": 0.0, "median": 0.1, "upper": 0.2}},
            {"name": "chain_1", "summary": {"mean": 0.65}}
        ]}], "total_time": 1});
        let claims = of_zenbench(&json);
        assert_eq!(claims[0], ("empty".to_owned(), claim(0.1, Some((0.0, 0.2)))));
        assert_eq!(claims[1].1.interval_ns, None);
        assert!(of_zenbench(&Json::Null).is_empty());
    }

    #[test]
    fn what_criterion_leaves_is_read() {
        let home = tempfile::tempdir().unwrap();
        let estimate = |low: f64, at: f64, high: f64| serde_json::json!({"confidence_interval": {"lower_bound": low, "upper_bound": high}, "point_estimate": at});
        let write = |folder: &str, mean: Json| {
            let folder = home.path().join("chain_1").join(folder);
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join("estimates.json"), format!(r#"{{"mean": {mean}, "slope": null}}"#)).unwrap();
        };
        let sees = || criterion_sees_change("chain_1", home.path()).unwrap();
        write("new", estimate(0.9, 1.0, 1.1));
        assert_eq!(sees(), None);
        write("change", estimate(-0.02, 0.0, 0.02));
        assert_eq!(sees(), Some(false));
        write("change", estimate(0.011, 0.02, 0.03));
        assert_eq!(sees(), Some(true));
        let claims = of_criterion(&["chain_1"], home.path()).unwrap();
        assert_eq!(claims[0].1, claim(1.0, Some((0.9, 1.1))));
    }
}
