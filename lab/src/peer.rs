//! Other people's programs that look for faults of clocks, and how each says what it found.

/// One of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peer {
    /// The kernel's selftest of whether successive readings by one thread are in order.
    InconsistencyCheck,
    /// The kernel's selftest of whether readings by threads that take turns are in order.
    Threadtest,
    /// The kernel's selftest of whether `CLOCK_MONOTONIC` is slewed as much as `adjtimex` says.
    RawSkew,
    /// `fio --cpuclock-test`: whether the counters of all CPUs are in order.
    Fio,
}

/// What its output says, by the line that decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// Something is wrong.
    Alarm,
    /// All is well.
    AllWell,
}

impl Peer {
    /// All, as the table lists them.
    pub const ALL: [Self; 4] = [Self::InconsistencyCheck, Self::Threadtest, Self::RawSkew, Self::Fio];

    /// Its program.
    pub fn name(self) -> &'static str {
        match self {
            Self::InconsistencyCheck => "inconsistency-check",
            Self::Threadtest => "threadtest",
            Self::RawSkew => "raw_skew",
            Self::Fio => "fio",
        }
    }

    /// The one that a command starts.
    pub fn of(command: &str) -> Option<Self> {
        let program = command.split_whitespace().next()?;
        Self::ALL.into_iter().find(|peer| peer.name() == program)
    }

    /// What a line of its output says, if anything.
    pub fn mark(self, line: &str) -> Option<Mark> {
        let line = line.trim();
        let (alarm, all_well) = match self {
            // A clock that the kernel lacks is `ok` too.
            Self::InconsistencyCheck => {
                (line.starts_with("not ok "), line.starts_with("ok ") && !line.contains("# SKIP"))
            }
            Self::Threadtest | Self::RawSkew => (line.ends_with("[FAILED]"), line.ends_with("[OK]")),
            Self::Fio => (line.starts_with("cs: Failed:"), line == "cs: Pass!"),
        };
        match (alarm, all_well) {
            (true, _) => Some(Mark::Alarm),
            (false, true) => Some(Mark::AllWell),
            (false, false) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Mark, Peer};

    #[test]
    fn each_is_known_by_its_program() {
        for peer in Peer::ALL {
            assert_eq!(Peer::of(&format!("{} -t 3", peer.name())), Some(peer));
        }
        assert_eq!(Peer::of("clockperf"), None);
        assert_eq!(Peer::of(""), None);
    }

    #[test]
    fn lines_are_read_as_they_were_printed() {
        for (peer, line, mark) in [
            (Peer::InconsistencyCheck, "ok 1 CLOCK_MONOTONIC                ", Some(Mark::AllWell)),
            (Peer::InconsistencyCheck, "not ok 1 CLOCK_REALTIME                 ", Some(Mark::Alarm)),
            (Peer::InconsistencyCheck, "ok 1 # SKIP UNKNOWN_CLOCKID                ", None),
            (Peer::InconsistencyCheck, "# Delta: 4012 ns", None),
            (Peer::Threadtest, "Testing consistency with 8 threads for 2 seconds: [OK]", Some(Mark::AllWell)),
            (Peer::Threadtest, "[FAILED]", Some(Mark::Alarm)),
            (Peer::Threadtest, "---------------", None),
            (Peer::RawSkew, "Estimating clock drift: 0.0(est) 0.0(act)\t[OK]", Some(Mark::AllWell)),
            (Peer::RawSkew, "Estimating clock drift: 500.1(est) 0.0(act)\t[FAILED]", Some(Mark::Alarm)),
            (Peer::RawSkew, "Estimating clock drift: 7.1(est) 0.0(act)\t[SKIP]", None),
            (Peer::Fio, "cs: Pass!", Some(Mark::AllWell)),
            (Peer::Fio, "cs: Failed: 51204", Some(Mark::Alarm)),
            (Peer::Fio, "cs: CPU clock mismatch (diff=912):", None),
        ] {
            assert_eq!(peer.mark(line), mark, "{line}");
        }
    }
}
