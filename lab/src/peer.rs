//! Other people's programs that look for faults of clocks, and how each says what it found.

use crate::answer::Outcome;

#[derive(Debug, PartialEq, Eq)]
pub struct Peer {
    pub name: &'static str,
    /// How a line begins and ends that says that something is wrong.
    alarm: [&'static str; 2],
    /// Likewise that all is well.
    all_well: [&'static str; 2],
}

/// All, as the table lists them: three of the kernel's selftests and fio.
pub static PEERS: [Peer; 4] = [
    // Whether successive readings by one thread are in order.
    Peer { name: "inconsistency-check", alarm: ["not ok ", ""], all_well: ["ok ", ""] },
    // Whether readings by threads that take turns are in order.
    Peer { name: "threadtest", alarm: ["", "[FAILED]"], all_well: ["", "[OK]"] },
    // Whether `CLOCK_MONOTONIC` is slewed as much as `adjtimex` says.
    Peer { name: "raw_skew", alarm: ["", "[FAILED]"], all_well: ["", "[OK]"] },
    // `fio --cpuclock-test`: whether the counters of all CPUs are in order.
    Peer { name: "fio", alarm: ["cs: Failed:", ""], all_well: ["cs: Pass!", ""] },
];
/// A clock that the kernel lacks is `ok` too.
const SKIPPED: &str = "# SKIP";

impl Peer {
    /// The one that a command starts.
    pub fn of(command: &str) -> Option<&'static Self> {
        let program = command.split_whitespace().next()?;
        PEERS.iter().find(|peer| peer.name == program)
    }

    /// What a line of its output says, if anything.
    pub fn says(&self, line: &str) -> Option<Outcome> {
        let line = line.trim();
        let is = |[begin, end]: [&str; 2]| line.starts_with(begin) && line.ends_with(end) && !line.contains(SKIPPED);
        if is(self.alarm) { Some(Outcome::Detected) } else { is(self.all_well).then_some(Outcome::NothingSeen) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_as_they_were_printed() {
        let [inconsistency_check, threadtest, raw_skew, fio] = &PEERS;
        for (peer, line, said) in [
            (inconsistency_check, "ok 1 CLOCK_MONOTONIC                ", Some(Outcome::NothingSeen)),
            (inconsistency_check, "not ok 1 CLOCK_REALTIME                 ", Some(Outcome::Detected)),
            (inconsistency_check, "ok 1 # SKIP UNKNOWN_CLOCKID                ", None),
            (inconsistency_check, "# Delta: 4012 ns", None),
            (threadtest, "Testing consistency with 8 threads for 2 seconds: [OK]", Some(Outcome::NothingSeen)),
            (threadtest, "[FAILED]", Some(Outcome::Detected)),
            (threadtest, "---------------", None),
            (raw_skew, "Estimating clock drift: 0.0(est) 0.0(act)\t[OK]", Some(Outcome::NothingSeen)),
            (raw_skew, "Estimating clock drift: 500.1(est) 0.0(act)\t[FAILED]", Some(Outcome::Detected)),
            (raw_skew, "Estimating clock drift: 7.1(est) 0.0(act)\t[SKIP]", None),
            (fio, "cs: Pass!", Some(Outcome::NothingSeen)),
            (fio, "cs: Failed: 51204", Some(Outcome::Detected)),
            (fio, "cs: CPU clock mismatch (diff=912):", None),
        ] {
            assert_eq!(peer.says(line), said, "{line}");
        }
    }
}
