use super::files::Files;
use super::messages;
use crate::os;
use crate::record::Kernel;

/// Parameters that affect clocks, or how quickly a CPU wakes from idle.
const PARAMETERS: [&str; 27] = [
    "tsc",
    "notsc",
    "tsc_early_khz",
    "clocksource",
    "nohz",
    "nohz_full",
    "highres",
    "hpet",
    "nohpet",
    "hpet_clocksource",
    "acpi_pm_good",
    "pmtmr",
    "no_kvmclock",
    "no_kvmclock_vsyscall",
    "vdso",
    "vdso64",
    "xen_timer_slop",
    "no_timer_check",
    "lapic",
    "lapic_timer_c2_ok",
    "nolapic_timer",
    "skew_tick",
    "trace_clock",
    "idle",
    "processor.max_cstate",
    "intel_idle.max_cstate",
    "cpuidle.off",
];

/// The kernel, and the machine's hostname.
pub(super) fn identify(files: &Files, log: Result<&[String], &String>) -> (Kernel, Option<String>) {
    let system = os::system().unwrap_or_default();
    let parameters = files.text("/proc/cmdline").map(|line| boot_parameters(&line));
    let kernel = Kernel {
        name: system.name,
        release: system.release,
        architecture: system.architecture,
        boot_parameters: parameters.into(),
        messages: log.map(messages::shortened).into(),
    };
    let hostname = Some(system.hostname).filter(|name| !name.is_empty() && name != "(none)");
    (kernel, hostname)
}

fn boot_parameters(line: &str) -> Vec<String> {
    line.split_whitespace()
        // Everything after it is for init.
        .take_while(|&token| token != "--")
        .filter(|token| {
            // The kernel treats `-` and `_` in a name as the same.
            let name = token.split('=').next().unwrap_or_default().replace('-', "_");
            PARAMETERS.contains(&name.as_str()) || name.starts_with("clocksource.")
        })
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn parameters_are_matched_by_their_whole_name() {
        let line = "ro quiet tsc=reliable my_tsc=1 clocksource=hpet no-kvmclock clocksource.verify_n_cpus=2 \
            hpet=disable idle=poll console=tsc -- tsc=unstable";
        assert_eq!(
            boot_parameters(line),
            [
                "tsc=reliable",
                "clocksource=hpet",
                "no-kvmclock",
                "clocksource.verify_n_cpus=2",
                "hpet=disable",
                "idle=poll"
            ]
        );
        assert!(boot_parameters("").is_empty());
    }

    #[test]
    fn a_hidden_log_leaves_its_reason() {
        let (kernel, _) = identify(&Files::Fake(vec![]), Err(&"forbidden".to_owned()));
        assert!(kernel.messages.all().is_empty() && kernel.boot_parameters.all().is_empty());
        assert_eq!(kernel.messages.reason(), Some("forbidden"));
        assert!(!kernel.release.is_empty());
    }

    proptest! {
        #[test]
        fn never_panics(line in ".*") {
            let _ = boot_parameters(&line);
        }
    }
}
