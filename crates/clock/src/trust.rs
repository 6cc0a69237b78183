use core::fmt;
use core::time::Duration;

/// How far a clock can be trusted at the moment.
///
/// The order is from best to worst, so that the larger of two states is the more cautious.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum TrustState {
    /// The kernel itself keeps time by this counter, and the clock follows it within the stated bound.
    Verified,
    /// The clock runs by the counter, and something is less sure than it should be; the reasons say what.
    Degraded,
    /// The counter cannot be trusted: times come from the system's clock.
    Fallback,
}

impl fmt::Display for TrustState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Verified => "verified",
            Self::Degraded => "degraded",
            Self::Fallback => "fallback",
        })
    }
}

/// Where the clock's rate and offset come from: the rungs of the ladder, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum RateSource {
    /// The kernel's own conversion data (`[vvar]`), the numbers by which `clock_gettime` itself converts.
    KernelData,
    /// The rate in the kernel's perf page, the offset from brackets around `clock_gettime`.
    PerfPage,
    /// The frequency that the CPU declares (CPUID leaf 0x15, `CNTFRQ_EL0`), the offset from brackets.
    Declared,
    /// Rate and offset from the narrowest of brackets around `clock_gettime`, refined as calls go by.
    Brackets,
    /// No counter: every read is one of the system's clock.
    SystemClock,
}

impl RateSource {
    pub(crate) const ALL: [Self; 5] =
        [Self::KernelData, Self::PerfPage, Self::Declared, Self::Brackets, Self::SystemClock];
}

impl fmt::Display for RateSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::KernelData => "the kernel's conversion data",
            Self::PerfPage => "the kernel's perf page",
            Self::Declared => "the frequency that the CPU declares",
            Self::Brackets => "brackets around the system's clock",
            Self::SystemClock => "the system's clock",
        })
    }
}

macro_rules! reasons {
    ($($(#[$doc:meta])* $name:ident: $state:ident, $clause:literal;)*) => {
        /// Why a clock is in its [`TrustState`], or what should be known of it in that state.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
        #[non_exhaustive]
        pub enum Reason {
            $($(#[$doc])* $name,)*
        }

        impl Reason {
            /// Every reason there is.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The best state that this reason leaves possible.
            pub const fn allows(self) -> TrustState {
                match self { $(Self::$name => TrustState::$state,)* }
            }

            /// The reason as a clause without a full stop.
            pub const fn clause(self) -> &'static str {
                match self { $(Self::$name => $clause,)* }
            }
        }
    };
}

reasons! {
    /// A hypervisor lies between the counter and its hardware.
    Hypervisor: Verified, "a hypervisor can move the machine or scale its counter";
    /// The kernel's conversion data could not be read or failed its check.
    NoKernelData: Verified, "the kernel's conversion data could not be used, so offsets come from brackets";
    /// Nobody declares the counter's rate.
    RateMeasured: Verified, "no trusted source declares the counter's rate, so it is measured against the system's clock";
    /// The kernel keeps time by another clocksource, though it lists the counter as fit.
    KernelUsesAnother: Degraded, "the kernel keeps time by another clocksource than this counter";
    /// The kernel's verdict on the counter cannot be read.
    NoKernelVerdict: Degraded, "the kernel does not say whether it trusts this counter";
    /// The counter or the system's clock jumped against the other: suspend, snapshot, migration.
    Jumped: Degraded, "the counter and the system's clock jumped against each other";
    /// The system's clock is slewed faster than this clock follows.
    Lagging: Degraded, "the system's clock is slewed faster than this clock follows without stepping";
    /// A skew between cores was measured and excludes causal reads.
    SkewBetweenCores: Degraded, "a time was read on one core before it was shown to it by another";
    /// The CPU does not promise a constant rate in all power states.
    NotInvariant: Fallback, "the CPU does not promise an invariant counter, and the kernel does not vouch for it";
    /// The kernel does not list the counter among fit clocksources.
    KernelRejects: Fallback, "the kernel does not list this counter among its clocksources";
    /// The kernel stopped keeping time by this counter while the clock ran.
    KernelLeftCounter: Fallback, "the kernel stopped keeping time by this counter";
    /// There is no counter that user space can read.
    CounterAbsent: Fallback, "the CPU has no counter that user space can read";
    /// The process may not read the counter (`PR_TSC_SIGSEGV`).
    CounterForbidden: Fallback, "this process is forbidden to read the counter";
    /// The counter ticks too slowly for the fixed-point conversion.
    CounterTooSlow: Fallback, "the counter ticks too slowly for the conversion";
    /// Another thread is still laying the foundation.
    NotFoundYet: Fallback, "another thread is still finding out whether the counter can be trusted";
    /// This system's verdict on its counter is not known to this crate.
    SystemNotSupported: Fallback, "whether this system's counter can be trusted is not known to this library";
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.clause())
    }
}

/// A set of [`Reason`]s.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Reasons(u32);

impl Reasons {
    pub(crate) const NONE: Self = Self(0);

    pub(crate) const fn of(reason: Reason) -> Self {
        Self(1 << reason as u32)
    }

    pub(crate) const fn with(self, reason: Reason) -> Self {
        Self(self.0 | 1 << reason as u32)
    }

    pub(crate) const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(crate) const fn bits(self) -> u32 {
        self.0
    }

    pub(crate) const fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    /// Whether `reason` is among them.
    pub const fn contains(self, reason: Reason) -> bool {
        self.0 & (1 << reason as u32) != 0
    }

    /// Whether there is none.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Each of them once, mildest first.
    pub fn iter(self) -> impl Iterator<Item = Reason> {
        Reason::ALL.iter().copied().filter(move |reason| self.contains(*reason))
    }

    /// The best state that all of them leave possible.
    pub fn state(self) -> TrustState {
        self.iter().map(Reason::allows).max().unwrap_or(TrustState::Verified)
    }
}

impl fmt::Debug for Reasons {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// What a clock knows about itself at one moment. From [`Clock::trust`](crate::Clock::trust).
///
/// # Examples
/// ```
/// use chronoscope_clock::{Clock, TrustState};
///
/// let trust = Clock::or_system().trust();
/// println!("{}: {} (± {:?})", trust.state, trust.rate_source, trust.error_bound);
/// for reason in trust.reasons.iter() {
///     println!("  {reason}");
/// }
/// assert!(trust.state != TrustState::Fallback || !trust.reasons.is_empty());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Trust {
    /// The verdict.
    pub state: TrustState,
    /// Where rate and offset come from.
    pub rate_source: RateSource,
    /// Why the state is not better, and what else should be known.
    pub reasons: Reasons,
    /// How far an ordered read may now lie from `CLOCK_MONOTONIC`, either way.
    ///
    /// It holds while the kernel changes its clock's rate by no more than 1000 ppm, all of NTP's range, between two looks
    /// at it, which are [`refresh_interval`](Self::refresh_interval) apart.
    pub error_bound: Duration,
    /// How far the clock's rate may be from that of `CLOCK_MONOTONIC`, in parts per billion, while that is not slewed.
    pub rate_error_ppb: u64,
    /// The time between two looks at the reference while the clock is being read.
    pub refresh_interval: Duration,
    /// The counter's frequency in hertz, as the clock converts it; None in fallback.
    pub counter_hz: Option<f64>,
    /// How often the clock has looked at its reference.
    pub looks: u64,
    /// How often counter and system clock have jumped against each other.
    pub jumps: u64,
    /// The furthest that the clock was found from its reference so far.
    pub worst_lag: Duration,
    /// The largest skew between cores that a measurement in this process could not exclude
    /// ([`causality::skew`](crate::causality::skew)); None if none was made.
    pub skew_not_excluded: Option<Duration>,
}

/// A clock was asked for that never reads the system's instead, and the counter cannot be trusted.
///
/// # Examples
/// ```
/// use chronoscope_clock::Clock;
///
/// match Clock::trusted() {
///     Ok(clock) => assert!(clock.now() <= clock.now()),
///     Err(distrust) => assert!(!distrust.reasons().is_empty()),
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Distrust {
    reasons: Reasons,
}

impl Distrust {
    pub(crate) const fn because(reasons: Reasons) -> Self {
        Self { reasons }
    }

    /// Why, in types.
    pub const fn reasons(self) -> Reasons {
        self.reasons
    }

    /// The gravest reason.
    pub fn reason(self) -> Reason {
        self.reasons.iter().max_by_key(|reason| reason.allows()).unwrap_or(Reason::SystemNotSupported)
    }
}

impl fmt::Display for Distrust {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the counter cannot be trusted: {}", self.reason())
    }
}

impl core::error::Error for Distrust {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gravest_reason_decides() {
        let reasons = Reasons::of(Reason::Hypervisor);
        assert_eq!(reasons.state(), TrustState::Verified);
        assert_eq!(reasons.with(Reason::Jumped).state(), TrustState::Degraded);
        let fallback = reasons.with(Reason::KernelRejects).with(Reason::Jumped);
        assert_eq!(fallback.state(), TrustState::Fallback);
        assert_eq!(Distrust::because(fallback).reason(), Reason::KernelRejects);
        assert!(fallback.iter().eq([Reason::Hypervisor, Reason::Jumped, Reason::KernelRejects]));
    }

    #[test]
    fn reasons_fit_their_set() {
        assert!(Reason::ALL.len() <= 32);
        for reason in Reason::ALL {
            assert!(Reasons::of(*reason).contains(*reason) && !reason.clause().ends_with('.'));
        }
    }
}
