//! The peers: programs beside this one, and what they say in the most exact form that each has.

use std::path::Path;
use std::process::Command;

use bench_common::failure::Failure;
use bench_common::process::{output_of, parse, sibling};
use bench_harness::orders::Orders;
use serde::{Deserialize, Serialize};

use crate::claim::Claim;

/// Another harness.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Peer {
    Criterion,
    Divan,
    Zenbench,
}

impl Peer {
    pub(crate) const ALL: [Self; 3] = [Self::Criterion, Self::Divan, Self::Zenbench];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Criterion => "criterion",
            Self::Divan => "divan",
            Self::Zenbench => "zenbench",
        }
    }

    /// Runs it once. What it leaves behind stays in `home`.
    pub(crate) fn run(self, orders: &Orders, home: &Path) -> Result<Vec<(String, Claim)>, Failure> {
        let mut command = Command::new(sibling(&format!("peer_{}", self.name()))?);
        command
            .args(orders.arguments())
            .current_dir(home)
            .env("CRITERION_HOME", home)
            .env("XDG_CACHE_HOME", home)
            .env("NO_COLOR", "1")
            // It would wait for a quieter machine, calibrate what is not asked for, and keep its results.
            .env("ZENBENCH_NO_BUSY_GATE", "1")
            .env("ZENBENCH_NO_CALIBRATE", "1")
            .env("ZENBENCH_NO_SAVE", "1");
        let said = output_of(command, self.name())?;
        let claims = match self {
            Self::Criterion => of_criterion(&orders.operations, home)?,
            Self::Divan => of_divan(&said),
            Self::Zenbench => of_zenbench(&said)?,
        };
        let claims: Vec<(String, Claim)> = claims.into_iter().filter(|(name, _)| orders.wants(name)).collect();
        match orders.operations.iter().find(|wanted| !claims.iter().any(|(name, _)| name == *wanted)) {
            Some(missing) => Err(Failure::because(format!("{} says nothing of {missing}", self.name()))),
            None => Ok(claims),
        }
    }
}

fn claim(ns: f64, interval_ns: Option<(f64, f64)>) -> Claim {
    Claim { ns: Some(ns), interval_ns, below_ns: None, truth: None }
}

#[derive(Deserialize)]
struct CriterionEstimate {
    point_estimate: f64,
    confidence_interval: CriterionInterval,
}

#[derive(Deserialize)]
struct CriterionInterval {
    lower_bound: f64,
    upper_bound: f64,
}

#[derive(Deserialize)]
struct CriterionEstimates {
    mean: CriterionEstimate,
    slope: Option<CriterionEstimate>,
}

/// What it prints is the slope, where it sampled for one, or else the mean.
fn of_criterion(operations: &[String], home: &Path) -> Result<Vec<(String, Claim)>, Failure> {
    let of = |name: &String| {
        let found: CriterionEstimates = read(&home.join(name).join("new/estimates.json"), "criterion")?;
        let typical = found.slope.unwrap_or(found.mean);
        let CriterionInterval { lower_bound, upper_bound } = typical.confidence_interval;
        Ok((name.clone(), claim(typical.point_estimate, Some((lower_bound, upper_bound)))))
    };
    operations.iter().map(of).collect()
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
    let found: CriterionEstimates = read(&path, "criterion")?;
    let CriterionInterval { lower_bound, upper_bound } = found.mean.confidence_interval;
    Ok(Some(lower_bound > NOISE_THRESHOLD || upper_bound < -NOISE_THRESHOLD))
}

fn read<T: serde::de::DeserializeOwned>(path: &Path, what: &str) -> Result<T, Failure> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::because(format!("{what} left no {}: {error}", path.display())))?;
    parse(&text, what)
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
    let factor = match unit {
        "ps" => 1e-3,
        "ns" => 1.0,
        "µs" => 1e3,
        "ms" => 1e6,
        "s" => 1e9,
        _ => return None,
    };
    Some(value.parse::<f64>().ok()? * factor)
}

#[derive(Deserialize)]
struct ZenbenchSuite {
    comparisons: Vec<ZenbenchComparison>,
}

#[derive(Deserialize)]
struct ZenbenchComparison {
    benchmarks: Vec<ZenbenchBenchmark>,
}

#[derive(Deserialize)]
struct ZenbenchBenchmark {
    name: String,
    summary: ZenbenchSummary,
    mean_ci: Option<ZenbenchInterval>,
}

#[derive(Deserialize)]
struct ZenbenchSummary {
    mean: f64,
}

#[derive(Deserialize)]
struct ZenbenchInterval {
    lower: f64,
    upper: f64,
}

fn of_zenbench(json: &str) -> Result<Vec<(String, Claim)>, Failure> {
    let suite: ZenbenchSuite = parse(json, "zenbench")?;
    let benchmarks = suite.comparisons.into_iter().flat_map(|comparison| comparison.benchmarks);
    let of = |found: ZenbenchBenchmark| {
        (found.name, claim(found.summary.mean, found.mean_ci.map(|interval| (interval.lower, interval.upper))))
    };
    Ok(benchmarks.map(of).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_of_divan_is_read() {
        let table = "\
Timer precision: 10 ns
peer_divan     fastest       │ slowest       │ median        │ mean          │ samples │ iters
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
        let json = r#"{"comparisons": [{"benchmarks": [
            {"name": "empty", "summary": {"mean": 0.1, "n": 3}, "mean_ci": {"lower": 0.0, "median": 0.1, "upper": 0.2}},
            {"name": "chain_1", "summary": {"mean": 0.65}}
        ]}], "total_time": 1}"#;
        let claims = of_zenbench(json).unwrap();
        assert_eq!(claims[0], ("empty".to_owned(), claim(0.1, Some((0.0, 0.2)))));
        assert_eq!(claims[1].1.interval_ns, None);
        assert!(of_zenbench("what?").is_err());
    }

    #[test]
    fn what_criterion_leaves_is_read() {
        let home = tempfile::tempdir().unwrap();
        let estimate = |low: f64, at: f64, high: f64| {
            format!(
                r#"{{"confidence_interval": {{"confidence_level": 0.95, "lower_bound": {low}, "upper_bound": {high}}},
                   "point_estimate": {at}, "standard_error": 0.1}}"#
            )
        };
        let write = |folder: &str, mean: String| {
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
        let claims = of_criterion(&["chain_1".to_owned()], home.path()).unwrap();
        assert_eq!(claims[0].1, claim(1.0, Some((0.9, 1.1))));
    }
}
