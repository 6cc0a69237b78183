use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use chronoscope_bench::{percentage, time};

use super::requirement::Requirement;
use crate::clock_id::ClockId;
use crate::kinds;
use chronoscope_harness::finding::Kind;
use chronoscope_harness::quantity::length;

/// A rule of a gate.
#[derive(Clone, Debug, PartialEq)]
pub enum Rule {
    /// A read of the clock costs at most this.
    MaxLatency(ClockLimit),
    /// The clock moves in steps of at most this.
    MaxGranularity(ClockLimit),
    /// The clocks of two CPUs differ by at most this.
    MaxSkew(TimeLimit),
    /// The bound on the wall clock's error is at most this.
    MaxNtpError(TimeLimit),
    /// At most this share of time is lost to gaps.
    MaxLost(Share),
    /// The machine has this property.
    Require(Requirement),
    /// There is no finding of this kind.
    Forbid(FindingKind),
    /// There is no finding of severity warning or worse.
    Strict,
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MaxLatency(limit) => write!(f, "max-latency {limit}"),
            Self::MaxGranularity(limit) => write!(f, "max-granularity {limit}"),
            Self::MaxSkew(limit) => write!(f, "max-skew {limit}"),
            Self::MaxNtpError(limit) => write!(f, "max-ntp-error {limit}"),
            Self::MaxLost(share) => write!(f, "max-lost {share}"),
            Self::Require(what) => write!(f, "require {what}"),
            Self::Forbid(kind) => write!(f, "forbid {kind}"),
            Self::Strict => f.write_str("strict"),
        }
    }
}

/// A limit on a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeLimit(Duration);

impl TimeLimit {
    /// In nanoseconds.
    pub fn ns(self) -> f64 {
        self.0.as_nanos() as f64
    }

    /// As in sentences: `40 ns`.
    pub fn words(self) -> String {
        length(self.0)
    }
}

impl FromStr for TimeLimit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        const ACCEPTED: &str = "a time such as 40ns or 5ms";
        match time(text, ACCEPTED).map_err(|why| format!("`{}`: {why}", text.trim()))? {
            Duration::ZERO => Err(format!("`{}`: no time meets it; choose {ACCEPTED}", text.trim())),
            limit => Ok(Self(limit)),
        }
    }
}

impl fmt::Display for TimeLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&humantime::format_duration(self.0).to_string().replace(' ', ""))
    }
}

/// A limit on a time of one clock: `monotonic=40ns`.
#[derive(Clone, Debug, PartialEq)]
pub struct ClockLimit {
    /// The clock.
    pub clock: ClockId,
    /// The limit.
    pub limit: TimeLimit,
}

impl ClockLimit {
    /// Both from text.
    ///
    /// # Errors
    /// What is wrong, and what is accepted.
    pub fn new(clock: &str, limit: &str) -> Result<Self, String> {
        let clock = clock.trim();
        let known = || {
            let names: Vec<&str> = chronoscope_sources::SourceId::all().map(|id| id.name()).collect();
            format!(
                "unknown clock `{clock}`; choose monotonic, realtime, a path such as /dev/ptp0, or {}",
                names.join(", ")
            )
        };
        Ok(Self { clock: ClockId::called(clock).ok_or_else(known)?, limit: limit.parse()? })
    }
}

impl FromStr for ClockLimit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (clock, limit) = text
            .rsplit_once('=')
            .ok_or_else(|| format!("`{text}` names no limit; choose CLOCK=TIME, such as monotonic=40ns"))?;
        Self::new(clock, limit)
    }
}

impl fmt::Display for ClockLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.clock, self.limit)
    }
}

/// A share, in percent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share(f64);

impl Share {
    /// In percent.
    pub const fn percent(self) -> f64 {
        self.0
    }
}

impl FromStr for Share {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        percentage(text, "more than 0% to 100%").map(Self).map_err(|why| format!("`{}`: {why}", text.trim()))
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}%", self.0)
    }
}

/// A kind of finding that this build knows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FindingKind(pub Kind);

impl FromStr for FindingKind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let known = kinds::all().find(|kind| kind.id == text);
        known.copied().map(Self).ok_or_else(|| format!("unknown finding `{text}`; `chronoscope findings` lists them"))
    }
}

impl fmt::Display for FindingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.id)
    }
}
