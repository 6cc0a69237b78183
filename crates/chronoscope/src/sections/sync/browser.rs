//! The section on a page for browsers: how far off the wall clock can be, and what each source says of it.

use chronoscope_harness::quantity::ns;
use chronoscope_harness::record::Known;
use chronoscope_render::axis::Scale;
use chronoscope_render::browser::{Chart, Entry, Figure, Hue, Mark, Row, Rows, Shape};
use chronoscope_render::page::Page;
use chronoscope_render::text::Mood;

use super::chrony::Chrony;
use super::discipline::DisciplineState;
use super::kernel::Kernel;
use super::plan::SYNC;
use super::ptp::PtpDevice;
use super::report::SyncReport;
use super::rules::WALL_CLOCK_UNDISCIPLINED;
use super::view;
use crate::document::Record;
use crate::screen::browser::told;

pub fn figures(record: &Record) -> Vec<Figure> {
    let mut numbers = Page::default();
    view::show(&mut numbers, record);
    let report = record.content.sync().as_ref();
    let entries = Some(report.map_or_else(Vec::new, entries)).filter(|entries| marks(entries).any(is_telling));
    let how = how(entries.as_deref().unwrap_or_default());
    let rows = |entries| Rows { entries, scale: Scale::Log, word: ns, axis_name: "time".to_owned(), reference: None };
    vec![Figure {
        id: "sync",
        short: "wall clock",
        title: "Is the wall clock right?".to_owned(),
        says: said(record, report),
        charts: entries.map(|entries| Chart::Rows(rows(entries))).into_iter().collect(),
        how,
        numbers,
        ..Figure::default()
    }]
}

fn marks(entries: &[Entry]) -> impl Iterator<Item = &Mark> {
    entries.iter().flat_map(|entry| match entry {
        Entry::Row(row) => row.marks.as_slice(),
        Entry::Heading(_) => &[],
    })
}

/// Whether a mark bounds or measures anything: not what a source says that follows nothing.
const fn is_telling(mark: &Mark) -> bool {
    !matches!(mark, Mark::Point { is_hollow: true, .. })
}

/// How to read what is drawn.
fn how(entries: &[Entry]) -> String {
    let has = |is: fn(&Mark) -> bool| marks(entries).any(is);
    let all = [
        (has(|mark| matches!(mark, Mark::Below { .. })), "Arrow: a bound, the truth is below it."),
        (has(|mark| matches!(mark, Mark::Extreme { .. })), "Cross: by how much the clock was set, without the sign."),
        (
            has(|mark| matches!(mark, Mark::Point { is_hollow: false, .. })),
            "Point: what a source says. Offsets are drawn without their sign.",
        ),
        (has(|mark| matches!(mark, Mark::Interval { .. })), "Thick: its interval."),
        (
            has(|mark| !is_telling(mark)),
            "Hollow: what a source says that follows no other clock, which bounds nothing.",
        ),
    ];
    all.into_iter().filter(|(is_drawn, _)| *is_drawn).map(|(_, how)| how).collect::<Vec<_>>().join(" ")
}

fn said(record: &Record, report: Option<&SyncReport>) -> Vec<(Mood, String)> {
    let Some(report) = report else {
        return vec![(Mood::Quiet, told::sentence(&record.content.not_tested(&[SYNC])))];
    };
    let warnings = told::warnings(record, "sync");
    // It says of an undisciplined clock what there is to say.
    let is_told = record.findings.iter().any(|finding| finding.is(WALL_CLOCK_UNDISCIPLINED));
    let mut said: Vec<(Mood, String)> = if is_told { Vec::new() } else { vec![(Mood::Plain, discipline(report))] };
    said.extend(warnings);
    said.push(bound(report));
    said
}

fn discipline(report: &SyncReport) -> String {
    let found = &report.discipline;
    let evidence = found.evidence.join("; ");
    match found.state {
        DisciplineState::Disciplined => format!("The wall clock is {}: {evidence}.", view::disciplined(found)),
        DisciplineState::NotDisciplined => format!("Nothing disciplines the wall clock: {evidence}."),
        DisciplineState::Unknown => format!("Whether anything disciplines the wall clock is not known: {evidence}."),
    }
}

fn bound(report: &SyncReport) -> (Mood, String) {
    match &report.bound {
        Known::Value(bound) => {
            (Mood::Plain, format!("It is off by {} at most, if {}.", ns(bound.error_ns), bound.basis.assumption()))
        }
        Known::Unavailable(_) => {
            let why = report.reason_without_bound().map_or_else(String::new, |why| format!(": {why}"));
            (Mood::Plain, format!("How far off it is cannot be told{why}."))
        }
    }
}

fn entries(report: &SyncReport) -> Vec<Entry> {
    let mut bounds = Vec::new();
    bounds.extend(report.bound.value().map(|bound| {
        let marks = vec![Mark::Below { at: bound.error_ns }];
        row("off by at most", Hue::Blue, marks, ns(bound.error_ns))
    }));
    bounds.extend(report.step.value().filter(|step| step.is_step()).map(|step| {
        let by_ns = step.low_ns.midpoint(step.high_ns) as f64;
        let marks = vec![Mark::Extreme { at: by_ns.abs() }];
        Row { mood: Mood::Warning, ..row("set while observed", Hue::Orange, marks, ns(by_ns)) }
    }));
    let devices = report.ptp.value().map_or(&[][..], Vec::as_slice);
    let groups = [
        ("the wall clock", bounds),
        ("the kernel says", report.kernel.value().map_or_else(Vec::new, of_kernel)),
        ("chronyd says", report.chrony.value().map_or_else(Vec::new, of_chrony)),
        ("PTP clocks, ahead of the wall clock", devices.iter().filter_map(of_device).collect()),
    ];
    let headed = |(heading, rows): (&str, Vec<Row>)| {
        let heading = (!rows.is_empty()).then(|| Entry::Heading(heading.to_owned()));
        heading.into_iter().chain(rows.into_iter().map(Entry::Row))
    };
    groups.into_iter().flat_map(headed).collect()
}

fn row(name: &str, hue: Hue, marks: Vec<Mark>, value: String) -> Row {
    Row { name: name.to_owned(), hue, marks, value, ..Row::default() }
}

/// A row of one value; nothing has no place on a logarithmic axis.
fn of_one(name: &str, hue: Hue, value_ns: f64, is_hollow: bool) -> Row {
    let at = Some(value_ns.abs()).filter(|at| *at != 0.0);
    let marks = at.map(|at| Mark::Point { at, shape: Shape::Circle, is_hollow }).into_iter().collect();
    row(name, hue, marks, ns(value_ns))
}

fn of_kernel(kernel: &Kernel) -> Vec<Row> {
    let is_hollow = !kernel.is_synchronised();
    let one = |name, value: i64| of_one(name, Hue::Green, value as f64, is_hollow);
    let mut rows = vec![
        one("maximum error", kernel.max_error_ns),
        one("estimated error", kernel.est_error_ns),
        one("still to slew", kernel.offset_ns),
    ];
    rows.extend(kernel.adjtime_ns.map(|left| one("still to slew by adjtime", left)));
    rows.extend(kernel.pps.map(|pps| one("jitter of the PPS", pps.jitter_ns)));
    rows
}

fn of_chrony(chrony: &Chrony) -> Vec<Row> {
    let is_hollow = !chrony.is_synchronised();
    let one = |name, value| of_one(name, Hue::Purple, value, is_hollow);
    vec![
        one("offset", chrony.ahead_ns),
        one("last offset", chrony.last_offset_ns),
        one("offset, RMS", chrony.rms_offset_ns),
        one("root delay", chrony.root_delay_ns),
        one("root dispersion", chrony.root_dispersion_ns),
    ]
}

fn of_device(device: &PtpDevice) -> Option<Row> {
    let offset = device.offset.value()?;
    let marks = match offset.distance_ns() {
        (Some(least), most) => {
            let at = least.midpoint(most);
            vec![Mark::Interval { from: least, to: most }, Mark::Point { at, shape: Shape::Circle, is_hollow: false }]
        }
        (None, most) => vec![Mark::Below { at: most }],
    };
    let name = format!("/dev/{}", device.device);
    let more = device.clock_name.value().cloned().unwrap_or_default();
    let ahead = format!("{} ± {}", view::ahead(offset), ns(offset.half_ns()));
    Some(Row { is_code: true, more, ..row(&name, Hue::Ochre, marks, ahead) })
}

#[cfg(test)]
mod tests {
    use super::super::ptp::{PtpOffset, Timescale};
    use super::*;
    use crate::sections::sync::bound::{Bound, BoundBasis};
    use crate::sections::sync::daemon::DaemonKind;
    use chronoscope_harness::finding::Finding;

    fn shown() -> Record {
        let record = crate::json::document(include_str!("../../../../../docs/shown/sync.json")).unwrap();
        Record { findings: Vec::new(), ..record }
    }

    fn with(change: impl Fn(&mut SyncReport)) -> Record {
        let mut record = shown();
        change(record.content.sections.sync.report.as_mut().unwrap());
        record
    }

    fn names(figure: &Figure) -> Vec<String> {
        let Some(Chart::Rows(rows)) = figure.charts.first() else { return Vec::new() };
        let name = |entry: &Entry| match entry {
            Entry::Row(row) => row.name.clone(),
            Entry::Heading(heading) => format!("# {heading}"),
        };
        rows.entries.iter().map(name).collect()
    }

    fn row_of(figure: &Figure, name: &str) -> Row {
        let Some(Chart::Rows(rows)) = figure.charts.first() else { panic!("{figure:?}") };
        let found = rows.entries.iter().find_map(|entry| match entry {
            Entry::Row(row) if row.name == name => Some(row.clone()),
            _ => None,
        });
        found.unwrap_or_else(|| panic!("no {name}: {rows:?}"))
    }

    #[test]
    fn a_disciplined_clock_has_its_bound_and_another_has_none() {
        let disciplined = figures(&with(|report| {
            (report.discipline.state, report.discipline.by) = (DisciplineState::Disciplined, Some(DaemonKind::Chronyd));
            report.discipline.evidence = vec!["it follows a server".to_owned()];
            report.bound = Known::Value(Bound { error_ns: 1.2e6, basis: BoundBasis::Chrony });
        }))
        .remove(0);
        assert_eq!(disciplined.says[0].1, "The wall clock is disciplined by chronyd: it follows a server.");
        assert!(disciplined.says[1].1.starts_with("It is off by 1.20 ms at most, if "), "{:?}", disciplined.says);
        assert_eq!(row_of(&disciplined, "off by at most").marks, [Mark::Below { at: 1.2e6 }]);
        let alone = figures(&shown()).remove(0);
        assert!(alone.says[0].1.starts_with("Nothing disciplines the wall clock: "), "{:?}", alone.says);
        assert!(alone.says[0].1.contains("the kernel says unsynchronised"), "{:?}", alone.says);
        assert_eq!(alone.says[1].1, "How far off it is cannot be told.");
        let other =
            figures(&with(|report| report.bound = Known::Unavailable("no source states it".to_owned()))).remove(0);
        assert_eq!(other.says[1].1, "How far off it is cannot be told: no source states it.");
    }

    #[test]
    fn a_finding_takes_the_place_of_the_sentence() {
        let mut record = shown();
        record.findings.push(Finding::new(WALL_CLOCK_UNDISCIPLINED, "nothing disciplines the wall clock".to_owned()));
        let says = figures(&record).remove(0).says;
        assert_eq!(says[0], (Mood::Warning, "Nothing disciplines the wall clock.".to_owned()));
        assert_eq!(says.len(), 2, "{says:?}");
    }

    #[test]
    fn what_an_unsynchronised_kernel_says_is_hollow_and_nothing_is_not_drawn() {
        let figure = figures(&with(bounded)).remove(0);
        assert_eq!(names(&figure)[2], "# the kernel says");
        let at = 16e9;
        assert_eq!(row_of(&figure, "maximum error").marks, [Mark::Point { at, shape: Shape::Circle, is_hollow: true }]);
        let slewed = row_of(&figure, "still to slew");
        assert!(slewed.marks.is_empty() && slewed.value == "0 ns", "{slewed:?}");
    }

    fn bounded(report: &mut SyncReport) {
        report.bound = Known::Value(Bound { error_ns: 1.2e6, basis: BoundBasis::Chrony });
    }

    #[test]
    fn what_bounds_nothing_is_drawn_next_to_what_does_alone() {
        let page = |record: &Record| {
            chronoscope_render::browser::Sheet { figures: figures(record), ..Default::default() }.finish()
        };
        let alone = page(&shown());
        assert!(!alone.contains("<figure") && !alone.contains("Hollow: ") && alone.contains("SOURCES"), "{alone}");
        let both = page(&with(bounded));
        assert!(both.contains("<figure") && both.contains("Arrow: ") && both.contains("Hollow: "), "{both}");
        assert!(!both.contains("Cross: ") && !both.contains("Point: ") && !both.contains("Thick: "), "{both}");
        let synchronised = page(&with(|report| {
            let Known::Value(kernel) = &mut report.kernel else { panic!("{report:?}") };
            kernel.flags.clear();
            kernel.state = super::super::kernel::ClockState::Ok;
        }));
        assert!(synchronised.contains("Point: ") && !synchronised.contains("Hollow: "), "{synchronised}");
    }

    #[test]
    fn a_ptp_clock_is_as_far_off_as_its_bounds_say() {
        let drawn = |low_ns, high_ns, timescale| {
            let offset = Known::Value(PtpOffset { low_ns, high_ns, timescale });
            let device = PtpDevice { device: "ptp0".to_owned(), clock_name: Known::Value("KVM".to_owned()), offset };
            row_of(&figures(&with(|report| report.ptp = Known::Value(vec![device.clone()]))).remove(0), "/dev/ptp0")
                .marks
        };
        assert_eq!(drawn(-2_000, 3_000, Timescale::Utc), [Mark::Below { at: 3_000.0 }]);
        let point = Mark::Point { at: 5_000.0, shape: Shape::Circle, is_hollow: false };
        let apart = [Mark::Interval { from: 4_000.0, to: 6_000.0 }, point];
        assert_eq!(drawn(37_000_004_000, 37_000_006_000, Timescale::Tai), apart);
        assert_eq!(drawn(-6_000, -4_000, Timescale::Utc), apart);
    }

    #[test]
    fn an_empty_record_has_no_chart() {
        let figure = figures(&crate::rules::tests::blank()).remove(0);
        assert!(figure.charts.is_empty() && figure.says[0].0 == Mood::Quiet, "{figure:?}");
    }
}
