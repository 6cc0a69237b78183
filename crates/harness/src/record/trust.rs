//! How far the machine itself speaks for its counter and its clocksources.

use super::{Clocksource, Machine, TscClass};

/// Clocksources that the vDSO can read, so that the kernel is not entered.
///
/// Sources: Linux, arch/x86/include/asm/vdso/gettimeofday.h, drivers/clocksource/arm_arch_timer.c.
pub const READ_BY_VDSO: [&str; 4] = ["tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter"];

/// The clocksource that is the counter itself.
pub const COUNTER: &str = "tsc";

impl Clocksource {
    /// Whether the vDSO can read the clocksource `name`, so that the kernel is not entered.
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
    /// Whether the kernel has the TSC and does not offer it as a clocksource, or says that it is unstable.
    pub fn kernel_distrusts_counter(&self) -> bool {
        let missing = self.tsc.cpuid.is_some_and(|cpuid| cpuid.tsc)
            && !self.clocksource.available.is_empty()
            && !self.clocksource.offers(COUNTER);
        missing || self.kernel.messages_of_distrust().next().is_some()
    }

    /// What the machine itself says against the counter as a measure of time; None where nothing does.
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
