use core::fmt;
use core::time::Duration;

/// How far a clock can be trusted right now, from best to worst: the larger of two states is the more cautious.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum TrustState {
    /// The kernel itself keeps time by the counter, and the clock computes what the kernel computes.
    Verified,
    /// Times come from the system's clock.
    Fallback,
}

impl fmt::Display for TrustState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Verified => "verified",
            Self::Fallback => "fallback",
        })
    }
}

/// Where the clock's readings come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum RateSource {
    /// The CPU's counter and the kernel's own conversion data (`[vvar]`): the numbers that `clock_gettime` uses.
    KernelData,
    /// The same through kvm-clock's page, where that is the kernel's clocksource.
    KvmClock,
    /// The same through Hyper-V's page, where that is the kernel's clocksource.
    HyperV,
    /// `clock_gettime`, for every reading.
    SystemClock,
}

impl fmt::Display for RateSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::KernelData => "the kernel's conversion data",
            Self::KvmClock => "the kernel's conversion data over kvm-clock",
            Self::HyperV => "the kernel's conversion data over Hyper-V's page",
            Self::SystemClock => "the system's clock",
        })
    }
}

macro_rules! reasons {
    ($($(#[$doc:meta])* $name:ident: $state:ident, $clause:literal;)*) => {
        /// Why a clock is in its [`TrustState`], or what else to know about it in that state.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
        #[non_exhaustive]
        pub enum Reason {
            $($(#[$doc])* $name,)*
        }

        impl Reason {
            /// Every reason there is.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The best state that this reason allows.
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
    /// The step could not be measured: the error bound is what the kernel's data or the system declare.
    StepDeclared: Verified, "the clock's step could not be measured: its bound is declared";
    /// The kernel was updating its data each time this reading looked.
    KernelDataChanging: Fallback, "the kernel was still updating its conversion data when this reading gave up waiting";
    /// The kernel's conversion data could not be found or failed their check.
    NoKernelData: Fallback, "the kernel's conversion data could not be found, or failed their check";
    /// The kernel keeps time by a clocksource that only it can read.
    KernelUsesAnother: Fallback, "the kernel keeps time by a clocksource that programs cannot read";
    /// The process is in a time namespace, whose offset only the system's clock adds.
    TimeNamespace: Fallback, "this process is in a time namespace";
    /// The process was restored from a checkpoint on another kernel, and does not know that kernel's data.
    Restored: Fallback, "this process was restored from a checkpoint on another kernel";
    /// The environment or the program switched the kernel's data off: see [`Clock::use_system`](crate::Clock::use_system).
    SwitchedOff: Fallback, "the kernel's data are switched off in this process";
    /// The process may not read the counter (`PR_TSC_SIGSEGV`).
    CounterForbidden: Fallback, "this process is forbidden to read the counter";
    /// This crate does not know how this system converts its counter.
    SystemNotSupported: Fallback, "this library does not know how this system converts its counter";
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.clause())
    }
}

/// A set of [`Reason`]s. Serialised, it is a list.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Reasons(u32);

impl Reasons {
    pub(crate) const NONE: Self = Self(0);

    #[cfg(test)]
    pub(crate) const fn of(reason: Reason) -> Self {
        Self(1 << reason as u32)
    }

    pub(crate) const fn with(self, reason: Reason) -> Self {
        Self(self.0 | 1 << reason as u32)
    }

    /// Whether `reason` is among them.
    #[must_use]
    pub const fn contains(self, reason: Reason) -> bool {
        self.0 & (1 << reason as u32) != 0
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Each reason once, mildest first.
    pub fn iter(self) -> impl Iterator<Item = Reason> {
        Reason::ALL.iter().copied().filter(move |reason| self.contains(*reason))
    }

    /// The best state that all of them allow.
    #[must_use]
    pub fn state(self) -> TrustState {
        self.iter().map(Reason::allows).max().unwrap_or(TrustState::Verified)
    }
}

impl fmt::Debug for Reasons {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// What a clock knows about itself at one moment, from [`Clock::trust`](crate::Clock::trust).
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
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Trust {
    /// The verdict.
    pub state: TrustState,
    /// Where readings come from.
    pub rate_source: RateSource,
    /// Why the state is no better, and what else to know.
    pub reasons: Reasons,
    /// How far an ordered read can be from `CLOCK_MONOTONIC`, either way: the clock's step, as measured here.
    pub error_bound: Duration,
    /// The counter's frequency in hertz, as the kernel's conversion implies it; None in fallback.
    pub counter_hz: Option<f64>,
}

/// A clock over the counter was requested, but readings come from the system's clock.
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
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Distrust {
    reasons: Reasons,
}

impl Distrust {
    pub(crate) const fn because(reasons: Reasons) -> Self {
        Self { reasons }
    }

    /// Why, as values to match on.
    #[must_use]
    pub const fn reasons(self) -> Reasons {
        self.reasons
    }

    /// The gravest reason.
    #[must_use]
    pub fn reason(self) -> Reason {
        self.reasons.iter().max_by_key(|reason| reason.allows()).unwrap_or(Reason::SystemNotSupported)
    }
}

impl fmt::Display for Distrust {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the counter cannot give the time: {}", self.reason())
    }
}

impl core::error::Error for Distrust {}

#[cfg(feature = "serde")]
mod with_serde {
    use core::fmt;

    use serde::de::{Deserialize, Deserializer, SeqAccess, Visitor};
    use serde::ser::{Serialize, SerializeSeq, Serializer};

    use super::Reasons;

    impl Serialize for Reasons {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut list = serializer.serialize_seq(Some(self.iter().count()))?;
            self.iter().try_for_each(|reason| list.serialize_element(&reason))?;
            list.end()
        }
    }

    impl<'de> Deserialize<'de> for Reasons {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            deserializer.deserialize_seq(List)
        }
    }

    struct List;

    impl<'de> Visitor<'de> for List {
        type Value = Reasons;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list of reasons")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Reasons, A::Error> {
            let mut reasons = Reasons::NONE;
            while let Some(reason) = list.next_element()? {
                reasons = reasons.with(reason);
            }
            Ok(reasons)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gravest_reason_decides() {
        let reasons = Reasons::of(Reason::Hypervisor);
        assert_eq!(reasons.state(), TrustState::Verified);
        let fallback = reasons.with(Reason::KernelUsesAnother);
        assert_eq!(fallback.state(), TrustState::Fallback);
        assert_eq!(Distrust::because(fallback).reason(), Reason::KernelUsesAnother);
        assert!(fallback.iter().eq([Reason::Hypervisor, Reason::KernelUsesAnother]));
    }

    #[cfg(feature = "serde")]
    #[test]
    fn what_a_clock_says_of_itself_survives_being_written() {
        let reasons = Reasons::of(Reason::Hypervisor).with(Reason::KernelUsesAnother);
        assert_eq!(serde_json::to_string(&reasons).unwrap(), r#"["hypervisor","kernel_uses_another"]"#);
        let trust = Trust {
            state: TrustState::Fallback,
            rate_source: RateSource::KvmClock,
            reasons,
            error_bound: Duration::from_nanos(1),
            counter_hz: Some(2.5e9),
        };
        let unknown = Trust { counter_hz: None, reasons: Reasons::NONE, ..trust };
        for trust in [trust, unknown] {
            let text = serde_json::to_string(&trust).unwrap();
            assert_eq!(serde_json::from_str::<Trust>(&text).unwrap(), trust, "{text}");
            let bytes = postcard::to_allocvec(&trust).unwrap();
            assert_eq!(postcard::from_bytes::<Trust>(&bytes).unwrap(), trust);
        }
        for reason in Reason::ALL {
            let distrust = Distrust::because(Reasons::of(*reason));
            let text = serde_json::to_string(&distrust).unwrap();
            assert_eq!(serde_json::from_str::<Distrust>(&text).unwrap(), distrust, "{text}");
        }
        for text in [r#"["full_moon"]"#, "3", r#""hypervisor""#, r#"{"hypervisor":true}"#] {
            assert!(serde_json::from_str::<Reasons>(text).is_err(), "{text}");
        }
        assert_eq!(serde_json::from_str::<Reasons>(r#"["hypervisor","hypervisor"]"#).unwrap().iter().count(), 1);
    }

    #[test]
    fn reasons_fit_their_set() {
        assert!(Reason::ALL.len() <= 32);
        for reason in Reason::ALL {
            assert!(Reasons::of(*reason).contains(*reason) && !reason.clause().ends_with('.'));
        }
    }
}
