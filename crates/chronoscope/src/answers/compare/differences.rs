//! What differs between two documents besides figures: where they were measured, by what, and how.

use chronoscope_harness::quantity::ns;
use chronoscope_harness::record::{Document, Machine};

use super::report::Difference;
use crate::document::{Content, Record};
use crate::machine::processor;
use crate::plan::Depth;

/// What a difference of processors is called.
const CPU: &str = "CPU";

/// One fact about a document, in words; empty where nothing is known.
type Fact = (&'static str, String);

/// Everything besides figures and findings that differs: first of all the processor, since a virtual machine may be moved to another host.
pub fn differences(base: &Record, this: &Record) -> Vec<Difference> {
    let of_cpus = processor::other(&base.machine, &this.machine).map(|[base, this]| (CPU, base, this));
    let pairs = facts(base).into_iter().zip(facts(this));
    let differing = pairs.filter(|((_, base), (_, this))| base != this);
    let differing = differing.map(|((what, base), (_, this))| (what, base, this));
    let said = |value: String| if value.is_empty() { "unknown".to_owned() } else { value };
    let difference =
        |(what, base, this): (&str, _, _)| Difference { what: what.to_owned(), base: said(base), this: said(this) };
    of_cpus.into_iter().chain(differing).map(difference).collect()
}

/// Whether both ran under the same conditions, so that they differ by noise alone unless something changed.
pub fn is_alike(base: &Record, this: &Record) -> bool {
    base.machine.hostname.is_some() && differences(base, this).is_empty()
}

/// The conditions of a run in words: processor, machine, kernel, clocksource, tool, and plan. None for a machine without a name, of which no
/// other run is known to be.
pub fn conditions(record: &Record) -> Option<String> {
    record.machine.hostname.as_ref()?;
    let facts = [(CPU, processor::identity(&record.machine.cpu))].into_iter().chain(facts(record));
    let lines = facts.map(|(what, value)| format!("{what}: {value}"));
    Some(lines.collect::<Vec<_>>().join("\n"))
}

fn facts(record: &Record) -> Vec<Fact> {
    [of_machine(&record.machine), of_run(record)].concat()
}

fn of_machine(machine: &Machine) -> Vec<Fact> {
    let word = |value: &Option<String>| value.clone().unwrap_or_default();
    let yes_or_no = |value: Option<bool>| match value {
        Some(true) => "yes".to_owned(),
        Some(false) => "no".to_owned(),
        None => String::new(),
    };
    let hypervisor = match (&machine.hypervisor.name, machine.hypervisor.present) {
        (Some(name), _) => name.clone(),
        (None, Some(false)) => "none".to_owned(),
        (None, present) => yes_or_no(present),
    };
    let limit = |quota: f64| format!("{quota} CPUs");
    let boot = machine.kernel.boot_parameters.all();
    vec![
        ("machine", word(&machine.hostname)),
        ("CPUs online", machine.cpu.online.map(|online| online.to_string()).unwrap_or_default()),
        ("emulated", yes_or_no(machine.cpu.emulation.is_emulated)),
        ("kernel", format!("{} {}", machine.kernel.name, machine.kernel.release).trim().to_owned()),
        ("architecture", machine.kernel.architecture.clone()),
        ("clocksource", word(&machine.clocksource.current)),
        ("counter", machine.tsc.class.map(|class| class.word().to_owned()).unwrap_or_default()),
        ("hypervisor", hypervisor),
        ("container", word(&machine.hypervisor.container)),
        ("governor", machine.governors.all().join(", ")),
        ("CPU limit", machine.cpu_quota.value().copied().flatten().map_or_else(|| "none".to_owned(), limit)),
        ("timer slack", machine.timer_slack_ns.map(|slack| ns(slack as f64)).unwrap_or_default()),
        ("boot parameters", if boot.is_empty() { "none".to_owned() } else { boot.join(" ") }),
    ]
}

fn of_run(record: &Document<Content>) -> Vec<Fact> {
    let plan = &record.content.plan;
    let depth = match plan.depth {
        _ if plan.parts.is_empty() => "",
        Depth::Quick => "quick",
        Depth::Normal => "normal",
        Depth::Thorough => "thorough",
    };
    let cpus = if plan.cpus.is_empty() { record.machine.cpu.allowed.len() } else { plan.cpus.len() };
    let interrupted = if record.interrupted { "yes" } else { "no" };
    vec![
        ("version", format!("{} {}", record.tool.name, record.tool.version)),
        ("command", record.command.clone()),
        ("depth", depth.to_owned()),
        ("CPUs used", cpus.to_string()),
        ("interrupted", interrupted.to_owned()),
    ]
}

#[cfg(test)]
mod tests {
    use chronoscope_harness::record::Cpu;

    use super::*;
    use crate::json::document;

    fn record() -> Record {
        document(include_str!("../../../tests/fixtures/record.json")).unwrap()
    }

    #[test]
    fn what_differs_is_named() {
        let (base, mut this) = (record(), record());
        assert!(differences(&base, &this).is_empty() && is_alike(&base, &this));
        this.machine.clocksource.current = Some("hpet".to_owned());
        this.machine.kernel.release = "7.0.1".to_owned();
        this.tool.version = "9.9".to_owned();
        this.machine.cpu = Cpu { online: base.machine.cpu.online, ..Cpu::default() };
        let found = differences(&base, &this);
        assert_eq!(
            found.iter().map(|one| one.what.as_str()).collect::<Vec<_>>(),
            ["CPU", "kernel", "clocksource", "version"]
        );
        assert_eq!((found[0].this.as_str(), found[2].this.as_str()), ("unknown", "hpet"));
        assert!(!is_alike(&base, &this));
    }

    #[test]
    fn another_timer_slack_is_a_condition() {
        let (mut base, mut this) = (record(), record());
        (base.machine.timer_slack_ns, this.machine.timer_slack_ns) = (Some(50_000), Some(1));
        let found = differences(&base, &this);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!((found[0].what.as_str(), found[0].this.as_str()), ("timer slack", "1.00 ns"));
        assert!(found[0].base.starts_with("50.0") && !is_alike(&base, &this), "{found:?}");
    }

    /// A virtual machine that was moved from one host to another.
    #[test]
    fn another_host_under_one_brand_is_the_first_difference() {
        let zen4 = document(include_str!("../../../tests/fixtures/zen4/check.json")).unwrap();
        let zen5 = document(include_str!("../../../../../docs/shown/check.json")).unwrap();
        let found = differences(&zen4, &zen5);
        let Difference { what, base, this } = &found[0];
        assert_eq!([what, base, this], ["CPU", "AMD EPYC (Zen 4)", "AMD EPYC (Zen 5)"], "{found:?}");
        assert_eq!(found.iter().filter(|one| one.what == "CPU").count(), 1);
        let mut moved = zen4.clone();
        moved.machine.cpu = zen5.machine.cpu;
        assert!(!is_alike(&zen4, &moved) && conditions(&zen4) != conditions(&moved));
    }

    #[test]
    fn machines_without_a_name_are_not_known_to_be_one() {
        let mut unnamed = record();
        unnamed.machine.hostname = None;
        assert!(differences(&unnamed, &unnamed).is_empty() && !is_alike(&unnamed, &unnamed));
    }
}
