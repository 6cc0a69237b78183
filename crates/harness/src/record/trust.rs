//! The machine's own evidence about its counter and clocksources.

use super::{Clocksource, CpuidFlag, Machine, TscClass};

/// Clocksources that the vDSO can read without entering the kernel.
///
/// Sources: Linux, arch/x86/include/asm/vdso/gettimeofday.h, drivers/clocksource/arm_arch_timer.c.
pub const READ_BY_VDSO: [&str; 4] = ["tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter"];

/// The clocksource that is the counter itself.
pub const COUNTER: &str = "tsc";

impl Clocksource {
    /// Whether the vDSO can read the clocksource `name` without entering the kernel.
    ///
    /// # Examples
    /// ```
    /// use chronoscope_harness::record::Clocksource;
    ///
    /// assert!(Clocksource::is_read_by_vdso("kvm-clock") && !Clocksource::is_read_by_vdso("hpet"));
    /// ```
    pub fn is_read_by_vdso(name: &str) -> bool {
        READ_BY_VDSO.contains(&name)
    }

    /// Whether the kernel offers the clocksource `name`.
    pub fn offers(&self, name: &str) -> bool {
        self.available.iter().any(|available| available == name)
    }
}

impl Machine {
    /// Whether the kernel has the TSC but does not offer it as a clocksource, or reports it as unstable.
    pub fn kernel_distrusts_counter(&self) -> bool {
        let missing = self.tsc.cpuid.as_ref().is_some_and(|flags| flags.contains(&CpuidFlag::Tsc))
            && !self.clocksource.available.is_empty()
            && !self.clocksource.offers(COUNTER);
        missing || self.kernel.messages_of_distrust().next().is_some()
    }

    /// The machine's own evidence against the counter as a time source; None if there is none.
    pub fn counter_doubt(&self) -> Option<String> {
        match self.tsc.class {
            Some(class @ (TscClass::Absent | TscClass::Variant | TscClass::Constant)) => {
                return Some(format!("the counter is {}, not invariant", class.word()));
            }
            None => return Some("it is unknown whether the counter keeps its rate".to_owned()),
            Some(TscClass::Invariant) => {}
        }
        self.kernel_distrusts_counter().then(|| "the kernel does not trust the counter".to_owned())
    }
}
