//! The machine's counter and clocksources, with what was measured of the clocks on them.

use super::of_parts::RuleOfParts;
use super::remedies::steady_os_clock;
use crate::document::Record;
use crate::judgement::clocksource;
use crate::judgement::facts::Facts;
use chronoscope_harness::finding::{Finding, HostState, Kind, Meaning};
use chronoscope_harness::quantity::{PPM, hertz};
use chronoscope_harness::record::{Clocksource, FrequencySource, TscClass};

pub const RULES: &[RuleOfParts] = &[
    RuleOfParts::new(&[], &[TSC_NOT_INVARIANT], tsc_not_invariant)
        .lacking(|record| record.machine.tsc.class.is_none().then_some("the class of the TSC is unknown")),
    RuleOfParts::new(&[], &[FREQUENCY_MISDECLARED], frequency_misdeclared)
        .lacking(|record| record.machine.tsc.frequency.is_none().then_some("the counter's frequency was not measured")),
    RuleOfParts::new(&[], &[BETTER_CLOCKSOURCE_AVAILABLE], better_clocksource)
        .lacking(|record| record.machine.clocksource.current.is_none().then_some("the clocksource is unknown")),
];

pub const TSC_NOT_INVARIANT: Kind = Kind::warning(
    "tsc_not_invariant",
    Meaning {
        about: "the TSC may change its rate or stop in deep sleep",
        evidence: "the class of the TSC and the CPUID flags behind it",
        mend: "do not use its ticks as time; use `CLOCK_MONOTONIC`",
    },
)
.shown_in(&["clocks"])
.classed(HostState::Degraded);

pub const FREQUENCY_MISDECLARED: Kind = Kind::warning(
    "frequency_misdeclared",
    Meaning {
        about: "the counter runs off its declared frequency",
        evidence: "the declared frequency (`hz`) and its distance from the measured one (`deviation_ppm`), over \
            600 ppm",
        mend: "calibrate against `CLOCK_MONOTONIC` instead of trusting this source; where the kernel keeps \
            time by it, look for CPUs whose counters differ",
    },
)
.shown_in(&["clocks"])
.classed(HostState::Degraded);

pub const BETTER_CLOCKSOURCE_AVAILABLE: Kind = Kind::warning(
    "better_clocksource_available",
    Meaning {
        about: "a better clocksource is available",
        evidence: "the clocksource in use, and the better one that the kernel offers",
        mend: "switch to it; permanently, boot with clocksource=NAME, once you know why the kernel chose otherwise",
    },
)
.shown_in(&["clocks"])
.classed(HostState::Degraded);

/// A larger error in a declared frequency is not explained by NTP slewing the reference, which is at most 500 ppm.
const MISDECLARED_PPM: f64 = 600.0;
/// Sources that report the counter's own frequency, to the hertz or nearly; the others round or report something else.
const EXACT_SOURCES: [&str; 5] =
    ["CPUID 0x15", "CPUID 0x40000010", "kernel: tsc_freq_khz", "kernel log: refined", "CNTFRQ_EL0"];

fn tsc_not_invariant(record: &Record) -> Vec<Finding> {
    let tsc = &record.machine.tsc;
    let Some(class @ (TscClass::Absent | TscClass::Variant | TscClass::Constant)) = tsc.class else {
        return Vec::new();
    };
    let mut advice = match class {
        TscClass::Constant => "the counter stops in deep sleep".to_owned(),
        _ => "do not use its ticks as time: the rate may change".to_owned(),
    };
    let is_clocksource = record.machine.clocksource.current.as_deref() == Some("tsc");
    match steady_os_clock(record) {
        Some(name) if is_clocksource => advice += &format!(", and {name} is built on it (clocksource tsc)"),
        Some(name) => advice += &format!("; use {name}"),
        None => {}
    }
    vec![
        Finding::new(TSC_NOT_INVARIANT, format!("the TSC is {}: {}", class.word(), tsc.class_evidence))
            .about("tsc")
            .advice(advice),
    ]
}

fn frequency_misdeclared(record: &Record) -> Vec<Finding> {
    // The uncertainty of the measured frequency.
    let measured_within_ppm = record.machine.tsc.frequency.map_or(0.0, |measured| measured.half_width_ppm);
    let is_told = |source: &&FrequencySource| {
        EXACT_SOURCES.iter().any(|exact| source.source.starts_with(exact)) || is_the_kernels_own(source, record)
    };
    let tsc = &record.machine.tsc;
    tsc.frequency_sources
        .iter()
        .filter(is_told)
        .filter_map(|source| Some((source, *source.hz.value()?, tsc.deviation_ppm(source)?)))
        .filter(|(_, _, deviation_ppm)| deviation_ppm.abs() > MISDECLARED_PPM + measured_within_ppm)
        .map(|(source, hz, deviation_ppm)| {
            let finding = Finding::new(
                FREQUENCY_MISDECLARED,
                format!(
                    "{} declares {}, {} off the measured frequency",
                    source.source,
                    hertz(hz),
                    PPM.signed().value(deviation_ppm)
                ),
            )
            .about(&source.source)
            .value("hz", hz)
            .value("deviation_ppm", deviation_ppm);
            if is_the_kernels_own(source, record) {
                return finding.advice(
                    "the kernel keeps time by this figure, so it is the measurement that must be wrong: look for CPUs whose \
                     counters differ (chronoscope causality)",
                );
            }
            match steady_os_clock(record).filter(|_| record.content.counter_doubt().is_none()) {
                Some(name) => finding.advice(format!("calibrate against {name} instead of trusting this source")),
                None => finding,
            }
        })
        .collect()
}

/// Whether the kernel converts the counter by this source's frequency: `CLOCK_MONOTONIC` then runs at it, up to a slew.
///
/// The calibration at boot counts only where the kernel's log shows that no later one replaced it.
fn is_the_kernels_own(source: &FrequencySource, record: &Record) -> bool {
    let sources = &record.machine.tsc.frequency_sources;
    let refined = sources.iter().find(|source| source.source.starts_with("kernel log: refined"));
    let is_not_refined = refined.is_some_and(FrequencySource::is_not_logged);
    record.machine.clocksource.current.as_deref() == Some("tsc")
        && match source.source.as_str() {
            name if name.starts_with("kernel: cpu MHz") => true,
            name if name.starts_with("kernel log: tsc detected at boot") => is_not_refined,
            _ => false,
        }
}

fn better_clocksource(record: &Record) -> Vec<Finding> {
    let better = clocksource::better(&Facts::from(record), record.content.counter_doubt());
    let Some((current, better)) = record.machine.clocksource.current.as_ref().zip(better) else {
        return Vec::new();
    };
    vec![
        Finding::new(BETTER_CLOCKSOURCE_AVAILABLE, format!("the kernel uses {current} although {better} is available"))
            .about(current)
            .advice(format!("now: {}", Clocksource::switch_command(better)))
            .advice(format!(
                "permanently: boot with clocksource={better}, once you know why the kernel chose otherwise"
            )),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judgement::rules::os_clock_on_slow_path::OS_CLOCK_ON_SLOW_PATH;
    use crate::machine::rules::{COUNTER_FORBIDDEN, CPU_QUOTA, FREQUENCY_SCALING, TSC_DISTRUSTED};
    use crate::rules::tests::{blank, conclude, judged, litmus, readable};
    use crate::tests::golden_file::assert_findings;
    use chronoscope_harness::finding::Kind;
    use chronoscope_harness::record::{CpuidFlag, Known, TscAccess};

    /// A machine that reads `current` while `available` are offered, with a counter of `class`.
    fn machine(current: &str, available: &[&str], class: TscClass) -> Record {
        let mut record = blank();
        record.content.sections.clocks.report.clocks.push(readable("CLOCK_MONOTONIC"));
        record.machine.tsc.class = Some(class);
        record.machine.tsc.cpuid = Some(vec![CpuidFlag::Tsc]);
        record.machine.clocksource = Clocksource {
            current: Some(current.to_owned()),
            available: available.iter().map(|&name| name.to_owned()).collect(),
            ..Clocksource::default()
        };
        record
    }

    fn advice(record: &Record) -> String {
        conclude(record).into_iter().flat_map(|finding| finding.advice).collect::<Vec<_>>().join("\n")
    }

    /// One fault after another, each with its finding.
    #[test]
    fn each_fault_of_a_machine_is_told_as_what_it_is() {
        type Fault = (Kind, fn(&mut Record));
        let faults: [Fault; 6] = [
            (COUNTER_FORBIDDEN, |record| record.machine.tsc.access = Some(TscAccess::Faults)),
            (TSC_NOT_INVARIANT, |record| record.machine.tsc.class = Some(TscClass::Variant)),
            (BETTER_CLOCKSOURCE_AVAILABLE, |record| record.machine.clocksource.current = Some("hpet".to_owned())),
            (FREQUENCY_SCALING, |record| record.machine.governors = Known::Value(vec!["powersave".to_owned()])),
            (CPU_QUOTA, |record| {
                record.machine.cpu.allowed = vec![0, 1];
                record.machine.cpu_quota = Known::Value(Some(0.5));
            }),
            (TSC_DISTRUSTED, |record| {
                record.machine.kernel.messages =
                    Known::Value(vec!["tsc: Marking TSC unstable due to clocksource watchdog".to_owned()]);
            }),
        ];
        let sound = machine("tsc", &["tsc", "hpet"], TscClass::Invariant);
        assert_eq!(conclude(&sound), []);
        for (kind, fault) in faults {
            let mut record = sound.clone();
            fault(&mut record);
            let found = conclude(&record);
            assert!(found.len() == 1 && found[0].is(kind) && found[0].severity == kind.severity, "{kind:?}: {found:?}");
        }
    }

    /// As in `tests/golden/findings/machine.txt`: no switch to a counter that is distrusted, nor to what the vDSO cannot read.
    #[test]
    fn advice_fits_the_machine() {
        use TscClass::{Absent, Constant, Invariant, Variant};
        let offered = |current: &str, available: &[&str], class| conclude(&machine(current, available, class));
        let mut unstable = machine("hpet", &["tsc", "hpet"], Invariant);
        unstable.machine.kernel.messages =
            Known::Value(vec!["tsc: Marking TSC unstable due to clocksource watchdog".to_owned()]);
        let mut unreadable = machine("hpet", &["tsc", "hpet"], Variant);
        unreadable.content.sections.clocks.report.clocks[0].available = false;
        let slow = |available: &[&str], class| {
            let mut record = machine("acpi_pm", available, class);
            record.content.sections.clocks.report.clocks[0].path = Some(chronoscope_harness::record::Path::Syscall);
            assert!(conclude(&record).iter().any(|finding| finding.is(OS_CLOCK_ON_SLOW_PATH)));
            conclude(&record)
        };
        let cases = vec![
            ("a sound counter", offered("acpi_pm", &["tsc", "acpi_pm"], Invariant)),
            ("a variant counter", offered("acpi_pm", &["tsc", "acpi_pm"], Variant)),
            ("a constant counter", offered("acpi_pm", &["tsc", "acpi_pm"], Constant)),
            ("no counter", offered("acpi_pm", &["tsc", "acpi_pm"], Absent)),
            ("a counter that the kernel distrusts", conclude(&unstable)),
            ("another source that the vDSO reads", offered("hpet", &["tsc", "kvm-clock", "hpet"], Variant)),
            ("kvm-clock", offered("kvm-clock", &["kvm-clock", "tsc"], Variant)),
            ("a variant counter behind the clocksource", offered("tsc", &["tsc", "hpet"], Variant)),
            ("a clock that can be read", offered("hpet", &["tsc", "hpet"], Variant)),
            ("a clock that cannot", conclude(&unreadable)),
            ("a slow clock, a variant counter", slow(&["tsc", "acpi_pm"], Variant)),
            ("a slow clock, nothing else", slow(&["acpi_pm", "hpet"], Invariant)),
            ("a slow clock, a sound counter", slow(&["tsc", "acpi_pm"], Invariant)),
        ];
        assert_findings("machine", cases);
    }

    #[test]
    fn skewed_counters_are_no_clocksource_to_switch_to() {
        let mut skewed = machine("hpet", &["tsc", "hpet"], TscClass::Invariant);
        skewed.content.sections.clocks.report.clocks.push(readable("lfence; rdtsc"));
        if cfg!(target_arch = "x86_64") {
            assert!(advice(&skewed).contains("echo tsc"));
            skewed.content.sections.causality.report.litmus.push(litmus("lfence; rdtsc", 100, 3));
            assert!(!advice(&skewed).contains("echo tsc"));
        }
    }

    #[test]
    fn no_switch_from_a_clocksource_that_the_vdso_reads_to_one_that_it_cannot() {
        let advice = |current: &str, other: &str| {
            let record = machine(current, &["tsc", "xen", "hpet"], TscClass::Invariant);
            let sources = clocksource::advice(&Facts::from(&record), None);
            sources.into_iter().find(|source| source.name == other).unwrap().advice
        };
        for other in ["xen", "hpet"] {
            assert!(advice("tsc", other).starts_with("do "));
        }
        assert!(advice("hpet", "tsc").starts_with("switch to it: echo tsc"));
        assert!(advice("hpet", "xen").starts_with("possible, but nothing here calls for it: echo xen"));
    }

    #[test]
    fn a_frequency_is_misdeclared_only_beyond_what_was_measured() {
        let mut record = machine("hpet", &["tsc", "hpet"], TscClass::Invariant);
        let source = FrequencySource { source: "CPUID 0x15".to_owned(), hz: Known::Value(1.0009e9) };
        record.machine.tsc.frequency_sources = vec![source];
        let measured =
            |half_width_ppm| chronoscope_harness::record::MeasuredFrequency { hz: 1e9, half_width_ppm, over_ms: 300.0 };
        record.machine.tsc.frequency = Some(measured(400.0));
        assert_eq!(frequency_misdeclared(&judged(record.clone())), []);
        record.machine.tsc.frequency = Some(measured(1.0));
        let found = frequency_misdeclared(&judged(record.clone()));
        assert!(found[0].is(FREQUENCY_MISDECLARED) && found[0].advice.len() == 1);
        record.machine.tsc.class = Some(TscClass::Variant);
        assert!(
            frequency_misdeclared(&judged(record))[0].advice.is_empty(),
            "a variant counter is not to be calibrated"
        );
    }

    #[test]
    fn the_measurement_is_doubted_where_it_contradicts_what_the_kernel_keeps_time_by() {
        let source = |name: &str, hz: Result<f64, &str>| FrequencySource { source: name.to_owned(), hz: hz.into() };
        let boot = source("kernel log: tsc detected at boot", Ok(2_299_974_000.0));
        let refined = |hz| source("kernel log: refined TSC calibration", hz);
        let found = |clocksource: &str, refined: FrequencySource| {
            let mut record = machine(clocksource, &["tsc", "hpet"], TscClass::Invariant);
            record.machine.tsc.frequency_sources = vec![refined, boot.clone()];
            let hz = 2_283_669_236.0;
            record.machine.tsc.frequency =
                Some(chronoscope_harness::record::MeasuredFrequency { hz, half_width_ppm: 0.42, over_ms: 304.0 });
            frequency_misdeclared(&judged(record))
        };
        let none = || refined(Err("the kernel's log holds no line \"tsc: Refined TSC\""));
        let told = found("tsc", none());
        assert!(told.len() == 1 && told[0].evidence.summary.contains("boot") && told[0].advice.len() == 1, "{told:?}");
        // What the kernel does not keep time by may be as rough as it is.
        assert_eq!(found("hpet", none()), []);
        assert_eq!(found("tsc", refined(Err("the kernel's log cannot be read"))), []);
        assert_eq!(found("tsc", refined(Ok(2_283_669_300.0))), []);
    }
}
