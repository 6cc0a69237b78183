//! Shows that checks and expectations can fail.

use crate::plant::Plant;
use crate::verdict::Verdict;
use crate::word::word;

/// A machine that passes, if nothing is planted.
pub const SCENARIO: &str = "about = 'faults planted on purpose'\nkernel = 'tsc=reliable'\nreads_counter = true\n\
    [[step]]\nswitch = 'tsc'\n[[step]]\ncheck = 'readings'\n";

/// One run.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// What is planted.
    pub plant: Option<Plant>,
    /// What the verdict must say then.
    reason: &'static str,
}

/// Every plant, and none.
pub const CASES: [Case; 5] = [
    Case { plant: None, reason: "" },
    Case { plant: Some(Plant::Ahead), reason: "readings outside" },
    Case { plant: Some(Plant::Behind), reason: "backward steps" },
    Case { plant: Some(Plant::Silent), reason: "missing" },
    Case { plant: Some(Plant::Crash), reason: "did not finish" },
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
