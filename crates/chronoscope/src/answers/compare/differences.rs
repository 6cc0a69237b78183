//! What differs between two documents besides figures: where they were measured, by what, and how.

use chronoscope_harness::quantity::ns;
use chronoscope_harness::record::{Document, Machine};

use super::report::Difference;
use crate::document::{Content, Record};
use crate::plan::Depth;

/// One fact about a document, in words; empty where nothing is known.
type Fact = (&'static str, String);

/// Everything besides figures and findings that differs.
pub fn differences(base: &Record, this: &Record) -> Vec<Difference> {
    let pairs = facts(base).into_iter().zip(facts(this));
    let differing = pairs.filter(|((_, base), (_, this))| base != this);
    let said = |value: String| if value.is_empty() { "unknown".to_owned() } else { value };
    differing
        .map(|((what, base), (_, this))| Difference { what: what.to_owned(), base: said(base), this: said(this) })
        .collect()
}

/// Whether both ran under the same conditions, so that they differ by noise alone unless something changed.
pub fn is_alike(base: &Record, this: &Record) -> bool {
    conditions(base).is_some_and(|of_base| conditions(this) == Some(of_base))
}

/// The conditions of a run in words: machine, kernel, clocksource, tool, and plan. None for a machine without a name, of which no
/// other run is known to be.
pub fn conditions(record: &Record) -> Option<String> {
    record.machine.hostname.as_ref()?;
    let lines = facts(record).into_iter().map(|(what, value)| format!("{what}: {value}"));
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
        ("CPU", word(&machine.cpu.brand)),
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
        this.machine.cpu.brand = None;
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

    #[test]
    fn machines_without_a_name_are_not_known_to_be_one() {
        let mut unnamed = record();
        unnamed.machine.hostname = None;
        assert!(differences(&unnamed, &unnamed).is_empty() && !is_alike(&unnamed, &unnamed));
    }
}
