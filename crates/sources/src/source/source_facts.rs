//! What is known about a source before it is read.

use core::time::Duration;

use super::id::{SourceId, Unit};

/// The kind of a source.
///
/// # Examples
/// ```
/// use chronoscope_sources::{Family, Guarantee, SourceId};
///
/// assert_eq!(SourceId::CounterOrdered.facts().family, Family::Counter);
/// assert_eq!(SourceId::Clock(Guarantee::Ordered).facts().family, Family::Library);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// The CPU's counter, read by an instruction.
    Counter,
    /// A clock of the operating system.
    System,
    /// A read of chronoscope-clock.
    Library,
}

/// A row of the table of clocks: what is known about a source before it is read.
///
/// # Examples
/// ```
/// use chronoscope_sources::{SourceId, os::OsClock};
///
/// let is_settable = |clock| SourceId::Os(clock).facts().is_settable;
/// assert!(is_settable(OsClock::Realtime) && !is_settable(OsClock::Monotonic));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SourceFacts {
    /// Which source it is.
    pub id: SourceId,
    /// The name under which reports show it.
    pub name: &'static str,
    /// What kind of thing it is.
    pub family: Family,
    /// The unit of the values that it returns.
    pub unit: Unit,
    /// Whether a read keeps its place after earlier loads of the same thread.
    ///
    /// A granular read does not, and yet it is causal.
    ///
    /// # Sources
    /// For the system's clocks: the kernel reads its counter with `rdtsc_ordered()` or behind `isb`, and the coarse
    /// clocks are plain loads, which neither architecture moves before an acquire load.
    pub is_ordered: bool,
    /// Whether no thread may read a time earlier than one it was shown.
    pub is_causal: bool,
    /// How far a read that is not causal may be behind a time already shown; None if unbounded.
    pub step_back_below: Option<Duration>,
    /// Whether values read on different threads belong to one timeline and can be compared.
    pub is_shared_timeline: bool,
    /// Whether people or NTP may set it, so that it may step either way.
    pub is_settable: bool,
    /// Whether each read exits to the hypervisor in a virtual machine.
    pub traps_under_hypervisor: bool,
    /// The step that chronoscope-clock declares; None if the system or the counter's frequency declares it.
    pub declared_step: Option<Duration>,
    /// Whether it suits timing intervals, unless something observed speaks against it.
    pub times_intervals: bool,
    /// What it suits, or why not intervals, as a clause. `{causal}` is replaced by its observed causality.
    pub advice: &'static str,
}
