//! The first line: the tool, the machine, the time that the check took, and the state of the host.

use chronoscope_harness::finding::HostState;
use chronoscope_harness::quantity::ms;
use chronoscope_render::line::Line;
use chronoscope_render::page::fitted;
use chronoscope_render::palette::TITLE;
use chronoscope_render::words::counted;

use super::style_of;
use crate::document::Record;
use crate::judgement::host::Host;
use crate::machine::processor;

/// Columns of what a record says itself, which may be of any length.
const TOOL: usize = 34;
const PROCESSOR: usize = 34;
const HYPERVISOR: usize = 24;

/// The title, and the state of the host.
pub fn title(record: &Record, host: &Host) -> (Line, Line) {
    let tool = fitted(&format!("{} {}", record.tool.name, record.tool.version), TOOL);
    let rest = format!(" · {} · {}", machine_named(record), ms(record.elapsed_ms as f64));
    let state = Line::styled(TITLE, "HOST: ").with(style_of(host.state), &state(host));
    (Line::styled(TITLE, &tool).and(&rest), state)
}

/// The state of the host in a word, and that it may be graver where not all was checked.
pub fn state(host: &Host) -> String {
    let doubt = match host.state {
        HostState::Ok if !host.complete => " so far",
        HostState::Noisy | HostState::Degraded if !host.complete => " or worse",
        _ => "",
    };
    format!("{}{doubt}", host.state.word())
}

/// The processor's name, as far as it has room.
pub fn processor(record: &Record) -> String {
    match processor::name(&record.machine.cpu) {
        name if name.is_empty() => "unknown CPU".to_owned(),
        name => fitted(&name, PROCESSOR),
    }
}

/// The machine by its processor, how many CPUs it has, and what they run in.
pub fn machine_named(record: &Record) -> String {
    format!("{} · {}", processor(record), cpus(record))
}

/// How many CPUs it has, and what they run in.
pub fn cpus(record: &Record) -> String {
    let cpus = record.machine.cpu.online.map_or_else(|| record.content.plan.cpus.len() as u64, u64::from);
    let cpus = counted(cpus, "CPU", "CPUs");
    match (record.machine.is_emulated(), record.machine.hypervisor.present, surroundings(record)) {
        (true, _, Some(by)) => format!("{cpus} emulated by {by}"),
        (_, Some(true), Some(by)) => format!("{cpus} in {by}"),
        (_, _, Some(bare)) => format!("{cpus}, {bare}"),
        (_, _, None) => cpus,
    }
}

/// What emulates the machine, or what it runs in; None if unknown.
pub fn surroundings(record: &Record) -> Option<String> {
    let hypervisor = &record.machine.hypervisor;
    match (record.machine.emulated_by(), hypervisor.present) {
        (Some(by), _) => Some(fitted(by, HYPERVISOR)),
        (None, Some(true)) => Some(fitted(hypervisor.name.as_deref().unwrap_or("a virtual machine"), HYPERVISOR)),
        (None, Some(false)) => Some("bare metal".to_owned()),
        (None, None) => None,
    }
}
