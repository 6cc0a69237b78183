//! Identifies the machine, its counter, and the kernel's view of both.
//!
//! Everything is read unprivileged and without reading a clock, so it also works in a process started without the right
//! to read the counter. Anything unavailable is left out and the reason recorded.

mod clocksource;
mod container;
mod cpu;
mod cpu_list;
mod cpuid;
mod cpuinfo;
mod emulation;
mod files;
mod frequency;
mod governor;
mod hypervisor;
mod kernel;
mod known_core;
mod limits;
mod load;
mod messages;
pub mod microarchitecture;
mod topology;
mod tsc;

pub use clocksource::current as current_clocksource;
pub use known_core::KnownCore;
pub use limits::throttled_ms;
pub use microarchitecture::published_rdtsc_cycles;

use files::Files;

use crate::record::{Machine, Tsc, TscAccess};

/// Turns per link on cores with published cycle counts.
pub fn known_turns_per_link() -> f64 {
    microarchitecture::turns_per_link("Skylake").expect("its cycles are published")
}

/// What the machine's identity alone reveals about its cores.
pub fn known_core(machine: &Machine) -> KnownCore {
    let named = machine.cpu.microarchitecture.as_deref();
    KnownCore { is_emulated: machine.is_emulated(), turns_per_link: named.and_then(microarchitecture::turns_per_link) }
}

/// Identifies the machine, except for the counter's measured frequency.
///
/// `started_with_counter_access` is the state before the process changed anything; `allowed` are the CPUs it may run
/// on.
///
/// # Guarantees
/// Reads no clock and never panics; unavailable values are `None`, with a reason.
///
/// # Platform
/// Linux on x86-64 and aarch64, on bare metal, in a VM or in a container, with or without /proc and /sys.
///
/// # Examples
/// ```
/// use chronoscope_harness::machine::identify;
/// use chronoscope_harness::record::TscAccess;
///
/// let machine = identify(TscAccess::Allowed, &[0]);
/// assert_eq!(machine.tsc.frequency, None);
/// assert!(machine.clocksource.current.is_some() || machine.clocksource.reason_unavailable.is_some());
/// ```
pub fn identify(started_with_counter_access: TscAccess, allowed: &[u32]) -> Machine {
    identify_from(&Files::System, started_with_counter_access, allowed)
}

fn identify_from(files: &Files, access: TscAccess, allowed: &[u32]) -> Machine {
    let cpuid = cpuid::read();
    let cpuid = cpuid.as_ref();
    let cpuinfo = files.text(cpuinfo::PATH);
    let cpuinfo = cpuinfo.as_deref();
    let log = messages::read(files);
    let log = log.as_deref();

    let kernel_flags = cpuinfo.map_err(String::clone).and_then(tsc::kernel_flags);
    let cpuid_flags = cpuid.ok().map(|cpuid| cpuid.flags.clone());
    let (class, class_evidence) = tsc::classify(std::env::consts::ARCH, cpuid.ok(), kernel_flags.as_deref());
    let (kernel, hostname) = kernel::identify(files, log);
    let hypervisor = hypervisor::identify(files, cpuid, cpuinfo);
    let emulation = emulation::identify(files, cpuid, cpuinfo, &hypervisor);
    Machine {
        hostname,
        clocksource: clocksource::identify(files),
        cpu: cpu::emulated(cpu::identify(files, cpuid, cpuinfo, allowed), emulation),
        tsc: Tsc {
            class,
            class_evidence,
            cpuid: cpuid_flags,
            kernel_flags: kernel_flags.into(),
            access: Some(access),
            frequency: None,
            frequency_sources: frequency::declared(files, cpuid, cpuinfo, log),
        },
        kernel,
        hypervisor,
        load: load::identify(files),
        governors: governor::identify(files, allowed),
        cpu_quota: limits::identify(files),
        timer_slack_ns: files.text("/proc/self/timerslack_ns").ok().and_then(|text| text.trim().parse().ok()),
    }
}

#[cfg(test)]
mod tests {
    use chronoscope_sources::os::{CounterAccess, set_counter_access};

    use super::*;

    #[test]
    fn the_timer_slack_is_the_main_threads() {
        let given = |text| {
            let files = Files::Fake(vec![("/proc/self/timerslack_ns", text)]);
            identify_from(&files, TscAccess::Allowed, &[0]).timer_slack_ns
        };
        assert_eq!(given("1000000000\n"), Some(1_000_000_000));
        assert_eq!(given("unknown\n"), None);
    }

    #[test]
    fn a_machine_without_proc_and_sys_gives_reasons() {
        let machine = identify_from(&Files::Fake(vec![]), TscAccess::Allowed, &[0, 1]);
        assert_eq!(machine.cpu.allowed, [0, 1]);
        assert!(machine.cpu.online.is_some());
        assert!(machine.tsc.kernel_flags.reason().is_some());
        assert!(!machine.tsc.class_evidence.is_empty());
        assert!(machine.clocksource.reason_unavailable.is_some());
        assert!(machine.kernel.messages.reason().is_some());
        assert!(machine.load.averages.reason().is_some());
        assert!(machine.governors.reason().is_some());
        assert!(machine.cpu_quota.reason().is_some());
    }

    #[test]
    fn this_machine_is_identified() {
        let machine = identify(TscAccess::Allowed, &[0]);
        assert_eq!(machine.tsc.access, Some(TscAccess::Allowed));
        assert!(!machine.kernel.release.is_empty());
        assert!(machine.kernel.messages.all().len() <= 40);
    }

    /// If a clock were read here, SIGSEGV would end the test.
    #[test]
    fn identifying_reads_no_clock() {
        std::thread::spawn(|| {
            if set_counter_access(CounterAccess::Faults).is_ok() {
                let machine = identify(TscAccess::Faults, &[0]);
                let restored = set_counter_access(CounterAccess::Allowed);
                assert!(restored.is_ok());
                assert_eq!(machine.tsc.access, Some(TscAccess::Faults));
            }
        })
        .join()
        .expect("the thread ends");
    }
}
