use chronoscope_harness::record::{Cpu, CpuidFlag, FrequencySource, Known, Machine, Tsc};

use crate::page::Page;
use crate::palette::{PLAIN, WARNING};
use crate::words::given;
use chronoscope_harness::quantity::{PPM, hertz, ms, share, three_digits};

/// The name of the last fact; the kernel's messages come before it.
const LOAD: &str = "load";

/// The machine as a section of `page`.
pub fn show(page: &mut Page, machine: &Machine) {
    page.section("MACHINE");
    for (name, text) in facts(machine) {
        if name == LOAD {
            messages(page, machine);
        }
        page.entry(name, PLAIN, &text);
    }
}

/// Facts about the machine as names and values.
pub fn facts(machine: &Machine) -> [(&'static str, String); 7] {
    let [counter, rate] = match machine.kernel.architecture.as_str() {
        "aarch64" => ["counter", "its rate"],
        _ => ["TSC", "TSC rate"],
    };
    [
        ("CPU", cpu(&machine.cpu)),
        (counter, tsc(&machine.tsc)),
        (rate, frequency(&machine.tsc)),
        ("clocksource", clocksource(machine)),
        ("hypervisor", hypervisor(machine)),
        ("kernel", kernel(machine)),
        (LOAD, format!("{} · governor {}", load(machine), governor(machine))),
    ]
}

fn join(parts: Vec<String>) -> String {
    parts.join(" · ")
}

fn cpu(cpu: &Cpu) -> String {
    let mut parts = Vec::new();
    match (&cpu.brand, &cpu.vendor) {
        (Some(brand), _) => parts.push(brand.clone()),
        (None, Some(vendor)) => parts.push(format!("{vendor}, brand unknown")),
        (None, None) => parts.push(format!("not identified: {}", given(cpu.reason_unavailable.as_deref()))),
    }
    parts.push(match (&cpu.microarchitecture, &cpu.microarchitecture_masked) {
        (Some(name), _) => name.clone(),
        (None, Some(_)) => format!("microarchitecture {}", given(cpu.reason_unavailable.as_deref())),
        (None, None) => "microarchitecture unknown".to_owned(),
    });
    let numbers: Vec<String> = [("family", cpu.family), ("model", cpu.model), ("stepping", cpu.stepping)]
        .into_iter()
        .filter_map(|(name, number)| number.map(|number| format!("{name} {number}")))
        .collect();
    if !numbers.is_empty() {
        parts.push(numbers.join(" "));
    }
    if cpu.emulation.is_emulated == Some(true) {
        let by = cpu.emulation.by.as_deref().unwrap_or("software");
        parts.push(format!("emulated by {by} ({})", cpu.emulation.evidence));
    }
    let online = cpu.online.map_or_else(|| "unknown number of".to_owned(), |online| online.to_string());
    let all = cpu.online.is_some_and(|online| usize::try_from(online) == Ok(cpu.allowed.len()));
    let allowed = if all { "all allowed".to_owned() } else { format!("allowed {}", cpu_list(&cpu.allowed)) };
    parts.push(format!("{online} CPUs, {allowed}"));
    join(parts)
}

/// `0–3, 8`, as compact as possible.
pub fn cpu_list(cpus: &[u32]) -> String {
    if cpus.is_empty() {
        return "unknown".to_owned();
    }
    let mut sorted = cpus.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for cpu in sorted {
        match ranges.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(cpu) => *last = cpu,
            _ => ranges.push((cpu, cpu)),
        }
    }
    let words = ranges.into_iter().map(|(first, last)| match last - first {
        0 => first.to_string(),
        1 => format!("{first}, {last}"),
        _ => format!("{first}–{last}"),
    });
    words.collect::<Vec<_>>().join(", ")
}

fn tsc(tsc: &Tsc) -> String {
    use chronoscope_harness::record::TscAccess;

    let mut parts = Vec::new();
    let class = tsc.class.map_or("class unknown", |class| class.word());
    parts.push(if tsc.class_evidence.is_empty() {
        class.to_owned()
    } else {
        format!("{class}: {}", tsc.class_evidence)
    });
    if tsc.access == Some(TscAccess::Faults) {
        parts.push("not readable by this process".to_owned());
    }
    join(parts)
}

/// The names of the flags set in CPUID.
pub fn cpuid(tsc: &Tsc) -> String {
    let Some(flags) = &tsc.cpuid else {
        return "not there".to_owned();
    };
    let named = [
        ("TSC", CpuidFlag::Tsc),
        ("invariant TSC", CpuidFlag::Invariant),
        ("RDTSCP", CpuidFlag::Rdtscp),
        ("TSC deadline", CpuidFlag::Deadline),
        ("TSC_ADJUST", CpuidFlag::Adjust),
    ];
    let words = named.map(|(name, flag)| format!("{name} {}", if flags.contains(&flag) { "yes" } else { "no" }));
    words.join(", ")
}

/// The measured frequency, and the source closest to it; the clocks view lists all of them.
fn frequency(tsc: &Tsc) -> String {
    let mut parts = vec![measured(tsc)];
    let distance = |source: &&FrequencySource| tsc.deviation_ppm(source).map_or(f64::INFINITY, f64::abs);
    let named = tsc.frequency_sources.iter().filter(|source| source.hz.value().is_some());
    parts.extend(named.clone().min_by(|a, b| distance(a).total_cmp(&distance(b))).map(|nearest| source(tsc, nearest)));
    match tsc.frequency_sources.len() {
        0 => {}
        all => parts.push(format!("{} of {all} sources state one: chronoscope clocks", named.count())),
    }
    join(parts)
}

/// The measured frequency of the counter with its bound.
pub fn measured(tsc: &Tsc) -> String {
    match tsc.frequency {
        Some(f) => format!("measured {} ± {} over {}", hertz(f.hz), PPM.value(f.half_width_ppm), ms(f.over_ms)),
        None => "not measured".to_owned(),
    }
}

/// One source's frequency, or why it has none.
pub fn source(tsc: &Tsc, source: &FrequencySource) -> String {
    let name = &source.source;
    match (source.hz.value(), tsc.deviation_ppm(source)) {
        (Some(hz), Some(deviation)) => format!("{name} {} ({})", hertz(*hz), PPM.signed().value(deviation)),
        (Some(hz), None) => format!("{name} {}", hertz(*hz)),
        (None, _) => format!("{name} unavailable: {}", given(source.hz.reason())),
    }
}

fn clocksource(machine: &Machine) -> String {
    let clocksource = &machine.clocksource;
    let Some(current) = &clocksource.current else {
        return format!("unavailable: {}", given(clocksource.reason_unavailable.as_deref()));
    };
    let rated = |name: &String| format!("{name} ({})", machine.clocksource_class(name));
    let others: Vec<String> = clocksource.available.iter().filter(|name| *name != current).map(rated).collect();
    let others = if others.is_empty() { "none".to_owned() } else { others.join(", ") };
    format!("{} · others available: {others}", rated(current))
}

/// What is known of one of the machine's clocksources. What was published of its cost is known of hardware only.
pub fn rating(machine: &Machine, name: &str) -> String {
    let number = machine
        .clocksource_rating(name)
        .map_or_else(|| "rating unknown".to_owned(), |rating| format!("rating {rating}"));
    let cost = match machine.is_emulated() {
        true => "emulated: no published cost applies".to_owned(),
        false => machine.clocksource_cost(name).unwrap_or_else(|| "no published cost".to_owned()),
    };
    format!("{} · {number} · {cost}", machine.clocksource_class(name))
}

fn hypervisor(machine: &Machine) -> String {
    let hypervisor = &machine.hypervisor;
    let mut text = match hypervisor.present {
        Some(true) => hypervisor.name.clone().unwrap_or_else(|| "present, name unknown".to_owned()),
        Some(false) => "none".to_owned(),
        None => "unknown".to_owned(),
    };
    if let Some(evidence) = &hypervisor.evidence {
        text.push_str(&format!(" ({evidence})"));
    }
    let container = hypervisor.container.as_deref().unwrap_or("none seen");
    let quota = match &machine.cpu_quota {
        Known::Value(Some(cpus)) => format!("{} CPUs", three_digits(*cpus)),
        Known::Value(None) => "none".to_owned(),
        Known::Unavailable(reason) => format!("unknown: {reason}"),
    };
    format!("{text} · container {container} · CPU quota {quota}")
}

fn kernel(machine: &Machine) -> String {
    let kernel = &machine.kernel;
    let parameters = match &kernel.boot_parameters {
        Known::Unavailable(reason) => format!("unavailable: {reason}"),
        Known::Value(none) if none.is_empty() => "none".to_owned(),
        Known::Value(some) => some.join(" "),
    };
    let messages = match &kernel.messages {
        Known::Unavailable(reason) => format!("messages unavailable: {reason}"),
        Known::Value(none) if none.is_empty() => "no messages on clocks".to_owned(),
        Known::Value(some) => match (some.len(), kernel.messages_of_distrust().count()) {
            (all, 0) => format!("{all} messages on clocks, none of an unstable TSC"),
            (_, bad) => format!("{bad} of an unstable TSC:"),
        },
    };
    join(vec![
        format!("{} {} {}", kernel.name, kernel.release, kernel.architecture),
        format!("boot parameters on clocks: {parameters}"),
        messages,
    ])
}

/// Messages in which the kernel reports that it no longer trusts the counter; the others are in the clocks view.
fn messages(page: &mut Page, machine: &Machine) {
    for message in machine.kernel.messages_of_distrust() {
        page.entry("", WARNING, message);
    }
}

fn load(machine: &Machine) -> String {
    let load = &machine.load;
    let reasons = [load.averages.reason(), load.steal_share_since_boot.reason()];
    let reasons: Vec<&str> = reasons.into_iter().flatten().filter(|reason| !reason.is_empty()).collect();
    let reason = given(Some(&reasons.join("; ")));
    match (&load.averages, &load.steal_share_since_boot) {
        (Known::Unavailable(_), Known::Unavailable(_)) => format!("unavailable: {reason}"),
        (Known::Unavailable(_), Known::Value(steal)) => {
            format!("unavailable: {reason} · stolen since boot {}", share(*steal))
        }
        (Known::Value(averages), steal) => {
            let stolen = steal.value().map_or_else(|| format!("unknown: {reason}"), |steal| share(*steal));
            format!("{} over 1, 5, 15 minutes · stolen since boot {stolen}", averages.map(load_average).join(", "))
        }
    }
}

/// Two decimals, as the system itself shows it.
fn load_average(value: f64) -> String {
    if value.abs() < 1e6 { format!("{value:.2}") } else { three_digits(value) }
}

fn governor(machine: &Machine) -> String {
    match &machine.governors {
        Known::Value(governors) if !governors.is_empty() => governors.join(", "),
        none => format!("unavailable: {}", given(none.reason())),
    }
}

#[cfg(test)]
mod tests {
    use super::cpu_list;

    #[test]
    fn cpus_in_ranges() {
        assert_eq!(cpu_list(&[]), "unknown");
        assert_eq!(cpu_list(&[1, 0]), "0, 1");
        assert_eq!(cpu_list(&[0, 1, 2, 3, 8, u32::MAX]), "0–3, 8, 4294967295");
    }
}
