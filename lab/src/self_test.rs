//! Shows that checks and expectations can fail.

use crate::plant::Plant;
use crate::verdict::Verdict;
use crate::word::word;

/// A file of `lab/self_test`, what is planted in it, and what the verdict must say then.
#[derive(Clone, Copy, Debug)]
pub struct Case(pub &'static str, pub Option<Plant>, &'static str);

/// The scenario of plants in the tool's document.
pub const DOCUMENT: &str = "document";
/// Every plant, and none.
pub const CASES: [Case; 10] = [
    Case("readings", None, ""),
    Case("readings", Some(Plant::Ahead), "readings outside"),
    Case("readings", Some(Plant::Behind), "backward steps"),
    Case("readings", Some(Plant::Silent), "missing"),
    Case("readings", Some(Plant::Crash), "did not finish"),
    Case(DOCUMENT, None, ""),
    Case(DOCUMENT, Some(Plant::Misstated), "seen: \"syscall\""),
    Case(DOCUMENT, Some(Plant::Overlooked), "seen: no finding"),
    Case(DOCUMENT, Some(Plant::Invented), "seen: os_clock_coarse"),
    Case(DOCUMENT, Some(Plant::Undocumented), "it left no document"),
];

impl Case {
    /// Whether it was judged as it should be, and a line that says so.
    pub fn judge(self, verdict: &Verdict) -> (bool, String) {
        let Self(_, plant, reason) = self;
        let faults = verdict.faults.iter().chain(verdict.rows.iter().flat_map(|row| &row.faults));
        let (is_right, found) = match plant {
            None => (verdict.passed(), "passes"),
            Some(_) => (verdict.failed() && faults.clone().any(|fault| fault.contains(reason)), "found"),
        };
        let planted = plant.map_or_else(|| "nothing".to_owned(), word);
        let seen = if is_right { found.to_owned() } else { format!("{:?}", faults.collect::<Vec<_>>()) };
        (is_right, format!("{:<5} {planted} planted: {seen}", if is_right { "ok" } else { "FAIL" }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::ValueEnum;

    #[test]
    fn every_plant_has_a_case() {
        for plant in Plant::value_variants() {
            assert!(CASES.iter().any(|case| case.1 == Some(*plant)), "{plant:?}");
        }
        for Case(name, ..) in CASES {
            let file = format!("{}/self_test/{name}.toml", env!("CARGO_MANIFEST_DIR"));
            crate::scenario::Scenario::read(file.as_ref()).unwrap();
        }
    }
}
