//! The counter's frequency according to other sources.

use chronoscope_sources::arch::Counter;
use chronoscope_sources::os::{self, CounterAccess};

use super::cpuid::Cpuid;
use super::cpuinfo;
use super::files::Files;
use crate::record::FrequencySource;

const KERNEL_EXPORT: &str = "/sys/devices/system/cpu/cpu0/tsc_freq_khz";

pub(super) fn declared(
    files: &Files,
    cpuid: Result<&Cpuid, &String>,
    cpuinfo: Result<&str, &String>,
    log: Result<&[String], &String>,
) -> Vec<FrequencySource> {
    match std::env::consts::ARCH {
        "x86_64" => x86(files, cpuid, cpuinfo, log),
        "aarch64" => vec![
            source("CNTFRQ_EL0", counter_register()),
            source("kernel log: arch_timer", from_log(log, arch_timer_hz, "arch_timer: … running at")),
        ],
        _ => Vec::new(),
    }
}

fn x86(
    files: &Files,
    cpuid: Result<&Cpuid, &String>,
    cpuinfo: Result<&str, &String>,
    log: Result<&[String], &String>,
) -> Vec<FrequencySource> {
    let of_cpuid = |read: fn(&Cpuid) -> Result<f64, String>| cpuid.map_err(String::clone).and_then(read);
    let of_cpuinfo = |read: fn(&str) -> Result<f64, String>| cpuinfo.map_err(String::clone).and_then(read);
    let name = cpuid.ok().and_then(|cpuid| cpuid.brand.as_deref());
    let name = name.or_else(|| cpuinfo.ok().and_then(|text| cpuinfo::first(text, "model name")));
    vec![
        source("CPUID 0x15 (crystal × ratio)", of_cpuid(crystal_leaf)),
        source("CPUID 0x16 (the processor's base frequency, in steps of 1 MHz)", of_cpuid(base_frequency_leaf)),
        source("CPUID 0x40000010 (from the hypervisor)", of_cpuid(hypervisor_leaf)),
        source("kernel: tsc_freq_khz", files.text(KERNEL_EXPORT).and_then(|text| khz(&text))),
        source(
            "kernel log: refined TSC calibration",
            from_log(log, refined_hz, "tsc: Refined TSC clocksource calibration"),
        ),
        source("kernel log: tsc detected at boot", from_log(log, detected_hz, "tsc: Detected … MHz")),
        source("kernel: cpu MHz in /proc/cpuinfo", of_cpuinfo(cpu_mhz)),
        source("kernel: half of bogomips in /proc/cpuinfo (in steps of 5 kHz)", of_cpuinfo(half_of_bogomips)),
        source(
            "the processor's name (nominal, rounded)",
            match name {
                Some(name) => brand_hz(name).ok_or_else(|| format!("\"{name}\" names no frequency")),
                None => Err("the processor gives no name".to_owned()),
            },
        ),
    ]
}

fn source(name: &str, said: Result<f64, String>) -> FrequencySource {
    let said = said.and_then(|hz| {
        if hz.is_finite() && hz > 0.0 { Ok(hz) } else { Err(format!("it declares {hz} Hz, which is impossible")) }
    });
    FrequencySource { source: name.to_owned(), hz: said.into() }
}

/// What the counter's frequency register holds, in hertz.
pub(super) fn counter_register() -> Result<f64, String> {
    // On Linux, the switch that disables reads of the counter disables this register too.
    if os::counter_access() == CounterAccess::Faults {
        return Err("the process may not read the counter (PR_SET_TSC)".to_owned());
    }
    let counter = Counter::new().map_err(|unavailable| unavailable.reason().to_owned())?;
    counter.declared_frequency_hz().map(|hz| hz as f64).ok_or_else(|| "the firmware left the register 0".to_owned())
}

fn crystal_leaf(cpuid: &Cpuid) -> Result<f64, String> {
    let Some(crystal) = cpuid.crystal else { return Err(no_leaf(cpuid, 0x15)) };
    crystal.tsc_hz().ok_or_else(|| match (crystal.hz, crystal.numerator, crystal.denominator) {
        (0, 1.., 1..) => {
            format!("it gives the ratio {}/{} but not the crystal frequency", crystal.numerator, crystal.denominator)
        }
        _ => "the leaf exists but gives no ratio".to_owned(),
    })
}

fn base_frequency_leaf(cpuid: &Cpuid) -> Result<f64, String> {
    match cpuid.base_mhz {
        Some(mhz) => Ok(f64::from(mhz) * 1e6),
        None if cpuid.highest_leaf < 0x16 => Err(no_leaf(cpuid, 0x16)),
        None => Err("the leaf exists but is empty".to_owned()),
    }
}

fn hypervisor_leaf(cpuid: &Cpuid) -> Result<f64, String> {
    if !cpuid.hypervisor {
        return Err("CPUID shows no hypervisor".to_owned());
    }
    if cpuid.hypervisor_signatures.iter().any(|name| name == "Microsoft Hv") {
        return Err("under Hyper-V's interface the leaf has another meaning".to_owned());
    }
    match cpuid.hypervisor_tsc_khz {
        None => Err(format!("the hypervisor's highest leaf is {:#x}", cpuid.highest_hypervisor_leaf)),
        Some(0) => Err("the leaf exists but is empty".to_owned()),
        Some(khz) => Ok(f64::from(khz) * 1e3),
    }
}

fn no_leaf(cpuid: &Cpuid, leaf: u32) -> String {
    if cpuid.highest_leaf < leaf {
        format!("the highest leaf is {:#x}", cpuid.highest_leaf)
    } else {
        "the leaf exists but is empty".to_owned()
    }
}

fn khz(text: &str) -> Result<f64, String> {
    text.trim().parse::<f64>().map(|khz| khz * 1e3).map_err(|_| format!("{KERNEL_EXPORT} holds no number"))
}

/// Here the kernel reports the counter's frequency only if it has no means to see the core's own.
fn cpu_mhz(cpuinfo: &str) -> Result<f64, String> {
    let flags = cpuinfo::flags(cpuinfo).unwrap_or_default();
    if !(flags.contains(&"constant_tsc") && flags.contains(&"hypervisor")) || flags.contains(&"aperfmperf") {
        return Err("here this is the core's current frequency, not the counter's".to_owned());
    }
    let mhz = cpuinfo::first(cpuinfo, "cpu MHz").and_then(|value| value.parse::<f64>().ok());
    mhz.map(|mhz| mhz * 1e6).ok_or_else(|| "/proc/cpuinfo has no such line".to_owned())
}

/// The kernel derives its delay loop from the first TSC calibration: bogomips is twice that, in MHz.
/// Sources: `tsc_init` in Linux, arch/x86/kernel/tsc.c; `calibrate_delay` in init/calibrate.c.
fn half_of_bogomips(cpuinfo: &str) -> Result<f64, String> {
    if !cpuinfo::flags(cpuinfo).unwrap_or_default().contains(&"constant_tsc") {
        return Err("the kernel does not list constant_tsc, so its delay loop may not count the TSC".to_owned());
    }
    let bogomips = cpuinfo::first(cpuinfo, "bogomips").and_then(|value| value.parse::<f64>().ok());
    bogomips.map(|bogomips| bogomips / 2.0 * 1e6).ok_or_else(|| "/proc/cpuinfo has no such line".to_owned())
}

fn from_log(log: Result<&[String], &String>, read: fn(&str) -> Option<f64>, line: &str) -> Result<f64, String> {
    // Use the last such line: the kernel corrects itself.
    log.map_err(String::clone)?
        .iter()
        .rev()
        .find_map(|message| read(message))
        .ok_or_else(|| format!("{} \"{line}\"", FrequencySource::NOT_LOGGED))
}

fn refined_hz(message: &str) -> Option<f64> {
    let (_, rest) = message.split_once("Refined TSC clocksource calibration:")?;
    frequency(rest)
}

/// `Detected … MHz TSC` where the kernel distinguishes core and counter, else `Detected … MHz processor`.
fn detected_hz(message: &str) -> Option<f64> {
    let (_, rest) = message.split_once("tsc: Detected ")?;
    frequency(rest)
}

fn arch_timer_hz(message: &str) -> Option<f64> {
    let (before, rest) = message.split_once("running at ")?;
    before.contains("timer").then(|| frequency(rest))?
}

fn brand_hz(brand: &str) -> Option<f64> {
    let (_, rest) = brand.rsplit_once('@')?;
    frequency(rest)
}

/// The number and unit at the start of `text`: `2.80GHz`, `2659.981 MHz`.
fn frequency(text: &str) -> Option<f64> {
    let text = text.trim_start();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let (number, unit) = text.split_at(end);
    let unit = unit.trim_start();
    let scale = [("GHz", 1e9), ("MHz", 1e6), ("kHz", 1e3)].into_iter().find(|(name, _)| unit.starts_with(name))?.1;
    number.parse::<f64>().ok().map(|value| value * scale)
}

#[cfg(test)]
mod tests {
    use super::super::cpuid::Crystal;
    use super::*;
    use crate::record::{MeasuredFrequency, Tsc};
    use proptest::prelude::*;

    const GUEST: &str = "cpu MHz\t\t: 2793.434\nbogomips\t: 5586.86\nflags\t\t: tsc constant_tsc hypervisor\n";

    fn close(seen: Option<f64>, expected: f64) {
        let seen = seen.expect("a frequency");
        assert!((seen - expected).abs() < 1.0, "{seen} is not {expected}");
    }

    #[test]
    fn names_and_log_lines_are_read() {
        close(brand_hz("Intel(R) Xeon(R) Processor @ 2.80GHz"), 2.8e9);
        assert_eq!(brand_hz("AMD EPYC 7763 64-Core Processor"), None);
        close(refined_hz("[    5.007798] tsc: Refined TSC clocksource calibration: 2659.981 MHz"), 2_659_981_000.0);
        close(detected_hz("[    0.000000] tsc: Detected 2793.434 MHz processor"), 2_793_434_000.0);
        close(arch_timer_hz("[    0.000000] arch_timer: cp15 timer(s) running at 25.00MHz (virt)."), 25e6);
        assert_eq!(arch_timer_hz("[    0.1] cpu running at 25.00MHz"), None);
    }

    #[test]
    fn the_last_line_of_the_log_counts() {
        let log = ["tsc: Detected 3400.000 MHz processor", "tsc: Detected 3399.906 MHz TSC"].map(str::to_owned);
        close(from_log(Ok(&log), detected_hz, "").ok(), 3_399_906_000.0);
    }

    #[test]
    fn the_kernels_mhz_counts_only_in_a_guest_with_a_constant_counter() {
        close(cpu_mhz(GUEST).ok(), 2_793_434_000.0);
        assert!(cpu_mhz(&GUEST.replace("hypervisor", "")).is_err());
        assert!(cpu_mhz(&GUEST.replace("hypervisor", "hypervisor aperfmperf")).is_err());
        close(half_of_bogomips(GUEST).ok(), 2_793_430_000.0);
        assert!(half_of_bogomips(&GUEST.replace("constant_tsc", "")).is_err());
    }

    #[test]
    fn a_leaf_without_a_value_leaves_a_reason() {
        let mut cpuid = Cpuid { highest_leaf: 0xd, ..Cpuid::default() };
        assert!(crystal_leaf(&cpuid).unwrap_err().contains("0xd"));
        cpuid.crystal = Some(Crystal { hz: 0, numerator: 176, denominator: 2 });
        assert!(crystal_leaf(&cpuid).unwrap_err().contains("176/2"));
        cpuid.hypervisor = true;
        cpuid.hypervisor_tsc_khz = Some(2_500_000);
        assert_eq!(hypervisor_leaf(&cpuid), Ok(2.5e9));
        cpuid.hypervisor_signatures = vec!["Microsoft Hv".into()];
        assert!(hypervisor_leaf(&cpuid).is_err());
    }

    #[test]
    fn every_source_has_a_frequency_or_a_reason() {
        let reason = "not here".to_owned();
        let sources = x86(&Files::Fake(vec![]), Err(&reason), Err(&reason), Err(&reason));
        assert_eq!(sources.len(), 9);
        assert!(sources.iter().all(|source| source.hz.reason().is_some()));
        let files = Files::Fake(vec![(KERNEL_EXPORT, "2793434\n")]);
        let sources = x86(&files, Err(&reason), Ok(GUEST), Ok(&[]));
        assert_eq!(sources.iter().filter(|source| source.hz.value().is_some()).count(), 3);
    }

    #[test]
    fn a_deviation_needs_two_frequencies() {
        let measured = |hz| Tsc {
            frequency: Some(MeasuredFrequency { hz, half_width_ppm: 1.0, over_ms: 300.0 }),
            ..Tsc::default()
        };
        let sources = [source("a", Ok(1.0001e9)), source("b", Err("no".into())), source("c", Ok(-1.0))];
        let [a, b, c] = sources.each_ref().map(|source| measured(1e9).deviation_ppm(source));
        assert!((a.unwrap() - 100.0).abs() < 1e-3);
        assert_eq!((b, c), (None, None));
        assert_eq!((measured(0.0).deviation_ppm(&sources[0]), Tsc::default().deviation_ppm(&sources[0])), (None, None));
    }

    proptest! {
        #[test]
        fn never_panics(text in ".*", number in "[0-9.]*[GMk]?Hz.*") {
            let _ = (frequency(&text), frequency(&number), brand_hz(&text), khz(&number), cpu_mhz(&text));
            let _ = (refined_hz(&text), detected_hz(&text), arch_timer_hz(&text), half_of_bogomips(&text));
            let _ = source("b", khz(&number));
        }
    }
}
