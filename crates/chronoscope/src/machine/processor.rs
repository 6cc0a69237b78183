//! Which processor a machine has, and when that of another run is another one.

use chronoscope_harness::quantity::hertz;
use chronoscope_harness::record::{Cpu, Machine};

/// Rates of a counter that differ by less may be of one processor: a clock that is steered is up to 500 ppm off, and so may both be.
const STEERED_PPM: f64 = 1_000.0;
/// Between the parts of an identity.
const COMMA: &str = ", ";

/// Its name without trade marks, and its microarchitecture; empty if unknown.
pub fn name(cpu: &Cpu) -> String {
    let brand = cpu.brand.as_deref().unwrap_or_default().replace("(R)", "").replace("(TM)", "");
    // The clock rate that a brand may end with is that of no counter here.
    let brand = brand.split('@').next().unwrap_or_default();
    let brand = brand.split_whitespace().filter(|word| *word != "Processor" && *word != "CPU").collect::<Vec<_>>();
    // Of a name in parentheses the brand says enough.
    let core = cpu.microarchitecture.as_deref().map(|core| core.split(" (").next().unwrap_or_default());
    match (brand.join(" "), core) {
        (brand, Some(core)) if brand.is_empty() => core.to_owned(),
        (brand, Some(core)) => format!("{brand} ({core})"),
        (brand, None) => brand,
    }
}

/// Its name, and the numbers that tell apart those of one name: hypervisors give all of a maker's the same. Empty if nothing is known.
pub fn identity(cpu: &Cpu) -> String {
    let numbers = [("family", cpu.family), ("model", cpu.model), ("stepping", cpu.stepping)];
    let numbers = numbers.into_iter().filter_map(|(what, number)| Some(format!("{what} {}", number?)));
    let rate = cpu.brand.iter().filter_map(|brand| Some(format!("@ {}", brand.split_once('@')?.1.trim())));
    let parts = [name(cpu)].into_iter().chain(rate).chain(numbers).chain(cpu.vendor.clone());
    parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join(COMMA)
}

/// Two identities, each as far as the first part in which they differ.
pub fn apart(base: &str, this: &str) -> [String; 2] {
    let [of_base, of_this] = [base, this].map(|identity| identity.split(COMMA).collect::<Vec<_>>());
    let alike = of_base.iter().zip(&of_this).take_while(|(base, this)| base == this).count();
    [of_base, of_this].map(|parts| parts[..parts.len().min(alike + 1)].join(COMMA))
}

/// The processors of two machines, if they are known to differ: by name, by number, or by the rate of their counters.
pub fn other(base: &Machine, this: &Machine) -> Option<[String; 2]> {
    let machines = [base, this];
    let [of_base, of_this] = machines.map(|machine| identity(&machine.cpu));
    if of_base != of_this {
        return Some(apart(&of_base, &of_this));
    }
    let [before, now] = [base.tsc.frequency.as_ref()?, this.tsc.frequency.as_ref()?];
    let known_ppm = STEERED_PPM + before.half_width_ppm + now.half_width_ppm;
    let is_other = 1e6 * (now.hz / before.hz - 1.0).abs() > known_ppm;
    let words = |hz: f64| format!("{}, counter of {}", name(&base.cpu), hertz(hz));
    is_other.then(|| [before, now].map(|rate| words(rate.hz).trim_start_matches(COMMA).to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronoscope_harness::record::MeasuredFrequency;

    fn epyc(microarchitecture: &str, family: u32, model: u32) -> Cpu {
        Cpu {
            vendor: Some("AuthenticAMD".to_owned()),
            brand: Some("AMD EPYC".to_owned()),
            family: Some(family),
            model: Some(model),
            stepping: Some(1),
            microarchitecture: Some(microarchitecture.to_owned()),
            ..Cpu::default()
        }
    }

    fn found(base: Cpu, this: Cpu) -> Option<[String; 2]> {
        let of = |cpu| Machine { cpu, ..Machine::default() };
        other(&of(base), &of(this))
    }

    fn said(base: &str, this: &str) -> Option<[String; 2]> {
        Some([base, this].map(str::to_owned))
    }

    #[test]
    fn another_microarchitecture_under_one_brand_is_another_processor() {
        let (zen4, zen5) = (epyc("Zen 4", 25, 17), epyc("Zen 5", 26, 2));
        assert_eq!(found(zen4.clone(), zen5), said("AMD EPYC (Zen 4)", "AMD EPYC (Zen 5)"));
        assert_eq!(found(zen4.clone(), zen4), None);
        assert_eq!(found(Cpu::default(), Cpu::default()), None);
    }

    #[test]
    fn where_names_are_equal_what_tells_them_apart_is_said() {
        let one = epyc("Zen 4", 25, 17);
        let found = |this: Cpu| found(one.clone(), this);
        let model = Cpu { model: Some(97), ..one.clone() };
        assert_eq!(
            found(model),
            said("AMD EPYC (Zen 4), family 25, model 17", "AMD EPYC (Zen 4), family 25, model 97")
        );
        let stepping = found(Cpu { stepping: Some(2), ..one.clone() }).unwrap();
        assert_eq!(stepping[1], "AMD EPYC (Zen 4), family 25, model 17, stepping 2");
        let vendor = found(Cpu { vendor: Some("HygonGenuine".to_owned()), ..one.clone() }).unwrap();
        assert!(vendor[1].ends_with(", HygonGenuine"), "{vendor:?}");
        let rate = found(Cpu { brand: Some("AMD EPYC @ 2.60GHz".to_owned()), ..one.clone() }).unwrap();
        assert_eq!(rate[1], "AMD EPYC (Zen 4), @ 2.60GHz");
    }

    #[test]
    fn another_rate_of_the_counter_is_another_processor_and_a_steered_clock_is_none() {
        let of = |hz: f64| {
            let mut machine = Machine { cpu: epyc("Zen 4", 25, 17), ..Machine::default() };
            machine.tsc.frequency = Some(MeasuredFrequency { hz, half_width_ppm: 0.5, over_ms: 310.0 });
            machine
        };
        assert_eq!(other(&of(2.6e9), &of(2.6e9 * 1.0009)), None);
        let found = other(&of(2.6e9), &of(2.9e9)).unwrap();
        assert!(found[0].contains("(Zen 4), counter of 2") && found[1].contains("900.000 MHz"), "{found:?}");
        assert_eq!(other(&of(2.6e9), &Machine { cpu: epyc("Zen 4", 25, 17), ..Machine::default() }), None);
    }
}
