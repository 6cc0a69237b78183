//! How a clock is drawn: by the path of its reads, in colour and in shape.

use chronoscope_harness::record::{Machine, Path};
use chronoscope_render::browser::{Entry, Hue, InKey, Mark, Row, Rows, Shape};

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

/// What the marks in `rows` stand for, of those that are drawn there.
pub fn key(rows: &Rows) -> Vec<InKey> {
    let of_paths = [Path::Register, Path::Vdso, Path::Syscall].map(|path| (of_path(Some(path)), words(path)));
    let all = of_paths.into_iter().chain([(TRAPS, TRAPS_WORDS)]);
    let drawn = all.filter(|((hue, shape), _)| draws(rows, *hue, *shape));
    drawn.map(|((hue, shape), words)| (hue, Some((shape, false)), words.to_owned())).collect()
}

/// Whether any of `rows` has a mark of this hue, and no point of another shape.
fn draws(rows: &Rows, hue: Hue, shape: Shape) -> bool {
    let is_other = |mark: &Mark| matches!(mark, Mark::Point { shape: of_mark, .. } if *of_mark != shape);
    let is_drawn = |row: &Row| row.hue == hue && !row.marks.is_empty() && !row.marks.iter().any(is_other);
    rows.entries.iter().any(|entry| matches!(entry, Entry::Row(row) if is_drawn(row)))
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

#[cfg(test)]
mod tests {
    use super::*;
    use chronoscope_render::axis::Scale;

    #[test]
    fn the_key_has_what_is_drawn_and_nothing_else() {
        let row = |hue, marks| Entry::Row(Row { hue, marks, ..Row::default() });
        let point = |shape| vec![Mark::Point { at: 1.0, shape, is_hollow: false }];
        let of = |entries| {
            let rows =
                Rows { entries, scale: Scale::Log, word: |_| String::new(), axis_name: String::new(), reference: None };
            key(&rows).into_iter().map(|(_, _, words)| words).collect::<Vec<_>>()
        };
        assert_eq!(
            of(vec![row(Hue::Green, point(Shape::Diamond)), row(Hue::Blue, Vec::new())]),
            ["vDSO: no system call"]
        );
        assert_eq!(of(vec![row(Hue::Purple, vec![Mark::Below { at: 1.0 }])]), [TRAPS_WORDS]);
        assert!(of(vec![row(Hue::Blue, point(Shape::Square)), Entry::Heading("native".to_owned())]).is_empty());
    }
}
