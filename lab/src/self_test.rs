//! Shows that checks and expectations can fail.

use crate::plant::Plant;
use crate::verdict::Verdict;
use crate::word::word;

/// A machine that passes, if nothing is planted.
pub const SCENARIO: &str = "about = 'faults planted on purpose'\nkernel = 'tsc=reliable'\nreads_counter = true\n\
    [[step]]\nswitch = 'tsc'\n[[step]]\ncheck = 'readings'\n";

/// The same for what the tool says.
pub const DOCUMENT: &str = "about = 'faults planted on purpose'\nkernel = 'tsc=reliable'\n\
    [[step]]\nswitch = 'tsc'\n[[step]]\nname = 'clocks'\ntool = 'clocks --quick'\n\
    [[expect]]\nof = 'clocks'\nsays = 'no system call'\n\
    at = 'clocks/report/clocks/name=CLOCK_MONOTONIC/path'\nis = 'vdso'\n\
    [[expect]]\nof = 'clocks'\nsays = 'the emulator is seen'\nfinding = 'emulated'\n\
    [[expect]]\nof = 'clocks'\nsays = 'the clock is not coarse'\nno_finding = 'os_clock_coarse'\n";

/// One run.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// What is run.
    pub scenario: &'static str,
    /// What is planted.
    pub plant: Option<Plant>,
    /// What the verdict must say then.
    reason: &'static str,
}

impl Case {
    const fn check(plant: Option<Plant>, reason: &'static str) -> Self {
        Self { scenario: SCENARIO, plant, reason }
    }

    const fn document(plant: Option<Plant>, reason: &'static str) -> Self {
        Self { scenario: DOCUMENT, plant, reason }
    }
}

/// Every plant, and none.
pub const CASES: [Case; 10] = [
    Case::check(None, ""),
    Case::check(Some(Plant::Ahead), "readings outside"),
    Case::check(Some(Plant::Behind), "backward steps"),
    Case::check(Some(Plant::Silent), "missing"),
    Case::check(Some(Plant::Crash), "did not finish"),
    Case::document(None, ""),
    Case::document(Some(Plant::Misstated), "seen: \"syscall\""),
    Case::document(Some(Plant::Overlooked), "seen: no finding"),
    Case::document(Some(Plant::Invented), "seen: os_clock_coarse"),
    Case::document(Some(Plant::Undocumented), "it left no document"),
];

impl Case {
    /// Whether it was judged as it should be, and a line that says so.
    pub fn judge(self, verdict: &Verdict) -> (bool, String) {
        let faults: Vec<&String> =
            verdict.faults.iter().chain(verdict.rows.iter().flat_map(|row| &row.faults)).collect();
        let planted = self.plant.map_or_else(|| "nothing".to_owned(), word);
        let found = match self.plant {
            None => verdict.passed(),
            Some(_) => verdict.failed() && faults.iter().any(|fault| fault.contains(self.reason)),
        };
        match (found, self.plant) {
            (true, None) => (true, "ok    nothing planted: passes".to_owned()),
            (true, Some(_)) => (true, format!("ok    {planted} planted: found")),
            (false, _) => (false, format!("FAIL  {planted} planted: {faults:?}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::ValueEnum;

    #[test]
    fn every_plant_has_a_case() {
        for plant in Plant::value_variants() {
            assert!(CASES.iter().any(|case| case.plant == Some(*plant)), "{plant:?}");
        }
        for text in [SCENARIO, DOCUMENT] {
            crate::scenario::Scenario::parse("self_test", text).unwrap();
        }
    }
}
