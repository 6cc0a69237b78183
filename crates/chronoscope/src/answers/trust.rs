//! How far a record supports the machine's counter and clocksources: the common basis of verdict, advice and pages.

use chronoscope_sources::SourceId;
use chronoscope_sources::os::OsClock;

use crate::answers::report::{ClocksourceAdvice, Trust};
use crate::clock_id::ClockId;
use crate::document::Record;
use chronoscope_harness::record::{COUNTER, Clocksource, Path, READ_BY_VDSO};

impl Record {
    /// The case against the counter as a time source, from the machine or the measurements; None if there is none.
    pub fn counter_doubt(&self) -> Option<String> {
        if let Some(doubt) = self.machine.counter_doubt() {
            return Some(doubt);
        }
        let counters = || self.clocks.iter().filter(|clock| clock.is_counter());
        let ordered = || counters().filter(|clock| clock.causal_by_design);
        if ordered().any(|clock| clock.causal == Some(false)) || self.skewed_pairs().any(ClockId::is_counter) {
            return Some("the CPUs' counters disagree".to_owned());
        }
        let stepped_back = |id: &ClockId, steps: Option<u64>| {
            let in_reads = self.reads.iter().filter(|reads| reads.clock == *id).map(|reads| reads.backward_steps);
            in_reads.chain(steps).any(|steps| steps > 0)
        };
        counters()
            .any(|clock| stepped_back(&clock.name, clock.granularity.as_ref().map(|seen| seen.backward_steps)))
            .then(|| "the counter stepped back".to_owned())
    }

    /// What verdict and pages say of both, to be kept.
    pub fn trust(&self) -> Trust {
        let names = self.machine.clocksource.ratings.iter().map(|rating| rating.name.clone());
        let advice = |name: String| ClocksourceAdvice { advice: self.clocksource_use(&name), name };
        Trust { counter_doubt: self.counter_doubt(), clocksources: names.map(advice).collect() }
    }

    /// Whether the vDSO reads the clocksource in use: it is one of those that it can, or it was seen to.
    fn clocksource_is_read_by_vdso(&self, current: &str) -> bool {
        let monotonic = SourceId::Os(OsClock::Monotonic);
        let was_seen = || self.clocks.iter().any(|clock| clock.name == monotonic && clock.path == Some(Path::Vdso));
        Clocksource::is_read_by_vdso(current) || was_seen()
    }

    /// The clocks on which two CPUs disagreed.
    fn skewed_pairs(&self) -> impl Iterator<Item = &ClockId> {
        self.causality.pairs.iter().filter(|pair| pair.shows_skew()).map(|pair| &pair.clock)
    }

    /// The case against switching to clocksource `name`; None if there is none.
    pub fn clocksource_doubt(&self, name: &str) -> Option<String> {
        self.counter_doubt().filter(|_| name == COUNTER)
    }

    /// Whether the kernel reads the clocksource `name`, and if not, how or why not to have it do so.
    fn clocksource_use(&self, name: &str) -> String {
        if self.machine.clocksource.current.as_deref() == Some(name) {
            return "in use".to_owned();
        }
        let current = self.machine.clocksource.current.as_deref();
        let would_enter_the_kernel =
            current.filter(|current| self.clocksource_is_read_by_vdso(current) && !Clocksource::is_read_by_vdso(name));
        match (self.clocksource_doubt(name), would_enter_the_kernel) {
            (Some(doubt), _) => format!("do not switch to it: {doubt}"),
            (None, Some(current)) => {
                format!("do not switch to it: every read would enter the kernel, and the vDSO reads {current}")
            }
            (None, None) => format!("switch with {}", Clocksource::switch_command(name)),
        }
    }

    /// The clocksource to switch to in place of the one in use, if there is a better one that nothing speaks against: one
    /// that the vDSO can read, or the TSC where the kernel rates it higher.
    pub fn better_clocksource(&self) -> Option<&'static str> {
        let source = &self.machine.clocksource;
        let current = source.current.as_deref()?;
        let is_read_by_vdso = self.clocksource_is_read_by_vdso(current);
        let is_fit = |name: &str| self.clocksource_doubt(name).is_none();
        let rating =
            |name: &str| source.ratings.iter().find(|rating| rating.name == name).and_then(|known| known.rating);
        let is_better = |name: &str| !is_read_by_vdso || rating(name).zip(rating(current)).is_some_and(|(a, b)| a > b);
        READ_BY_VDSO.into_iter().find(|name| *name != current && source.offers(name) && is_fit(name) && is_better(name))
    }

    /// Why no clocksource readable by the vDSO can be selected; None where one can, or is already in use.
    pub fn reason_no_better_clocksource(&self) -> Option<String> {
        let source = &self.machine.clocksource;
        let current = source.current.as_deref()?;
        if self.clocksource_is_read_by_vdso(current) || self.better_clocksource().is_some() {
            return None;
        }
        if source.offers(COUNTER) {
            return self.counter_doubt().map(|doubt| format!("tsc is available, but {doubt}"));
        }
        let rest: Vec<&str> = source.available.iter().map(String::as_str).filter(|name| *name != current).collect();
        let others = if rest.is_empty() { "no other".to_owned() } else { format!("only {}", rest.join(", ")) };
        Some(format!("the kernel offers {others} besides {current}, but the vDSO can read none of them"))
    }

    /// Remedies where reads of the system clock enter the kernel.
    pub fn way_off_the_slow_path(&self) -> String {
        if let Some(better) = self.better_clocksource() {
            // How much cheaper is known of hardware only.
            let gain = if self.machine.is_emulated() { "" } else { ": reads get several times cheaper" };
            return format!("the vDSO can read {better}{gain}");
        }
        if let Some(reason) = self.reason_no_better_clocksource() {
            return format!("no clocksource that the vDSO can read is available: {reason}");
        }
        match &self.machine.clocksource.current {
            Some(current) => {
                format!("the vDSO can read {current}: look for a sandbox or tracer that prevents it")
            }
            None => {
                "check which clocksource the kernel uses; the vDSO can read tsc, kvm-clock and a few others".to_owned()
            }
        }
    }
}

impl Record {
    /// The system clock to recommend for intervals: `CLOCK_MONOTONIC`, where it can be read, is fine enough and was not
    /// observed to go backwards.
    pub fn steady_os_clock(&self) -> Option<&'static str> {
        let id = SourceId::Os(OsClock::Monotonic);
        let clock = self.clocks.iter().find(|clock| clock.available && clock.name == id)?;
        let stepped_back = self.reads.iter().any(|reads| reads.clock == id && reads.backward_steps > 0)
            || clock.granularity.as_ref().is_some_and(|seen| seen.backward_steps > 0);
        (clock.causal != Some(false) && !stepped_back && !clock.is_coarse()).then_some(id.name())
    }

    /// The clocks to recommend where threads compare times: ordered, readable, and with no evidence against them.
    pub fn clocks_between_threads(&self) -> Vec<&'static str> {
        let counter = SourceId::CounterOrdered;
        let is_readable = |id: SourceId| {
            self.clocks.iter().any(|clock| clock.available && clock.name == id && clock.causal != Some(false))
        };
        let counter = (is_readable(counter) && self.counter_doubt().is_none()).then_some(counter.name());
        counter.into_iter().chain(self.steady_os_clock()).collect()
    }
}
