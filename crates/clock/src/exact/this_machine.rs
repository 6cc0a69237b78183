use super::machine::{Effort, Machine, NotLocated};
use crate::arch::Counter;
use crate::os::{self, CounterAccess, Located, OsClock};
use crate::trust::Reason;

/// This process on this computer.
#[derive(Debug)]
pub(crate) struct ThisMachine;

impl Machine for ThisMachine {
    #[inline(always)]
    fn counter<const ORDERED: bool>(&self, self_ordered: bool) -> u64 {
        match Counter::assume() {
            Some(counter) if ORDERED => counter.ordered_in_place(self_ordered),
            Some(counter) => counter.unordered_in_place(),
            None => 0, // nobody locates data for a processor whose counter is not known
        }
    }

    fn has_self_ordered(&self) -> bool {
        Counter::assume().is_some_and(Counter::has_self_ordered)
    }

    #[inline(always)]
    fn system_ns(&self) -> u64 {
        os::system_ns::<{ os::id(OsClock::Monotonic) }>()
    }

    fn system_call_ns(&self) -> u64 {
        os::try_read_by_system_call_ns(OsClock::Monotonic).unwrap_or(0)
    }

    fn realtime_ns(&self) -> u64 {
        os::system_ns::<{ os::id(OsClock::Realtime) }>()
    }

    fn realtime_by_system_call_ns(&self) -> u64 {
        os::try_read_by_system_call_ns(OsClock::Realtime).unwrap_or(0)
    }

    fn may_read_counter(&self) -> bool {
        os::counter_access() != CounterAccess::Faults
    }

    fn locate(&self, effort: Effort) -> Result<Located, NotLocated> {
        if Counter::assume().is_none() {
            return Err(Reason::SystemNotSupported.into());
        }
        os::locate(effort)
    }
}
