//! How a clock is drawn: by the path of its reads, in colour and in shape.

use chronoscope_harness::record::{Machine, Path};
use chronoscope_render::browser::{Hue, InKey, Shape};

use crate::clock_id::ClockId;
use crate::document::Record;
use crate::sections::clocks::report::ClockReport;

/// How a clock's marks look, by the path of its reads; those of an unknown one are in the colour of text.
pub const fn of_path(path: Option<Path>) -> (Hue, Shape) {
    match path {
        Some(Path::Register) => (Hue::Blue, Shape::Circle),
        Some(Path::Vdso) => (Hue::Green, Shape::Diamond),
        Some(Path::Syscall) => (Hue::Orange, Shape::Square),
        None => (Hue::Ink, Shape::Circle),
    }
}

/// The same for a clock of this machine, whose reads may exit to the hypervisor.
pub fn of_clock(clock: &ClockReport, machine: &Machine) -> (Hue, Shape) {
    if clock.exits_on(machine) { TRAPS } else { of_path(clock.path) }
}

/// The same for the clock of this name.
pub fn of_named(clock: &ClockId, record: &Record) -> (Hue, Shape) {
    let report = record.content.clocks().clock(clock);
    report.map_or_else(|| of_path(None), |clock| of_clock(clock, &record.machine))
}

/// Reads that exit to the hypervisor.
const TRAPS: (Hue, Shape) = (Hue::Purple, Shape::Triangle);
const TRAPS_WORDS: &str = "exits to the hypervisor";

/// What the marks stand for.
pub fn key() -> Vec<InKey> {
    let of = |(hue, shape): (Hue, Shape), words: &str| (hue, Some((shape, false)), words.to_owned());
    let mut key: Vec<_> = [Path::Register, Path::Vdso, Path::Syscall]
        .into_iter()
        .map(|path| of(of_path(Some(path)), words(path)))
        .collect();
    key.push(of(TRAPS, TRAPS_WORDS));
    key
}

/// How a clock of this machine is read; None where that is not known.
pub fn path_words(clock: &ClockReport, machine: &Machine) -> Option<&'static str> {
    if clock.exits_on(machine) { Some(TRAPS_WORDS) } else { clock.path.map(words) }
}

const fn words(path: Path) -> &'static str {
    match path {
        Path::Register => "the CPU's counter, no call",
        Path::Vdso => "vDSO: no system call",
        Path::Syscall => "system call",
    }
}
