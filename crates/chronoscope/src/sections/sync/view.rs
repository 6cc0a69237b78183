use std::time::{Duration, UNIX_EPOCH};

use anstyle::Style;
use chronoscope_harness::quantity::{PPM, ns};

use super::chrony::Chrony;
use super::daemon::Daemon;
use super::discipline::{Discipline, DisciplineState};
use super::kernel::Kernel;
use super::plan::SYNC;
use super::ptp::{PtpDevice, PtpOffset, Timescale};
use super::report::SyncReport;
use super::slew::Observed;
use crate::document::Record;
use chronoscope_harness::record::Known;
use chronoscope_render::line::Line;
use chronoscope_render::page::Page;
use chronoscope_render::palette::{DIM, GOOD, PLAIN, WARNING};
use chronoscope_render::table::{Align, Table};

const NONE: &str = "–";

/// What keeps the wall clock, its error, its slew, and each source's answer.
pub fn show(page: &mut Page, record: &Record) {
    page.section("SYNC: is the wall clock disciplined, by what, and its maximum error");
    let Some(report) = record.content.sync() else {
        page.paragraph(Line::plain("  "), DIM, &record.content.not_tested(&[SYNC]));
        return;
    };
    answers(page, report);
    page.section("SLEW: CLOCK_MONOTONIC against CLOCK_MONOTONIC_RAW");
    slew(page, report);
    page.section("SOURCES");
    sources(page, report);
    ptp(page, &report.ptp);
}

/// The answers alone, for a check that included it.
pub fn show_in_check(page: &mut Page, record: &Record) {
    if record.content.parts.iter().all(|report| report.part != SYNC) {
        return;
    }
    page.section("SYNC");
    match record.content.sync() {
        Some(report) => answers(page, report),
        None => page.paragraph(Line::plain("  "), DIM, &record.content.not_tested(&[SYNC])),
    }
}

fn sentence(page: &mut Page, style: Style, sign: &str, text: &str) {
    page.paragraph(Line::styled(style, &format!("{sign} ")), style, text);
}

fn table(page: &mut Page, mut table: Table, rows: impl IntoIterator<Item = Vec<String>>) {
    for row in rows {
        table.cells(PLAIN, row);
    }
    page.table(table);
}

fn ppm(value: f64) -> String {
    PPM.signed().value(value)
}

/// `+12.05 ppm ± 0.10`, or `< 0.110 ppm` if indistinguishable from zero.
fn observed(seen: &Observed) -> String {
    match seen.told_from_zero_ppm() {
        Some((rate, half)) => PPM.signed().plus_minus(rate, half),
        None => PPM.below(seen.most_ppm()),
    }
}

fn answers(page: &mut Page, report: &SyncReport) {
    let found = &report.discipline;
    let (style, sign, words) = match found.state {
        DisciplineState::Disciplined => (GOOD, "✔", disciplined(found)),
        DisciplineState::NotDisciplined => (WARNING, "!", "not disciplined".to_owned()),
        DisciplineState::Unknown => (PLAIN, "?", "discipline unknown".to_owned()),
    };
    sentence(page, style, sign, &format!("{words}: {}", found.evidence.join("; ")));
    match &report.bound {
        Known::Value(bound) => {
            let (formula, assumption) = (bound.basis.formula(), bound.basis.assumption());
            sentence(page, PLAIN, "·", &format!("off by {} at most: {formula}", ns(bound.error_ns)));
            sentence(page, DIM, " ", &format!("if {assumption}"));
        }
        Known::Unavailable(_) => {
            let why = report.reason_without_bound().map_or_else(String::new, |why| format!(": {why}"));
            let stated = report
                .kernel
                .value()
                .filter(|kernel| !kernel.is_synchronised())
                .map(|kernel| kernel.max_error_ns as f64);
            let stated = stated.map_or_else(String::new, |stated| {
                format!("; the kernel states {}, but says unsynchronised", ns(stated))
            });
            sentence(page, PLAIN, "·", &format!("no error bound{why}{stated}"));
        }
    }
    if let Some(step) = report.step.value().filter(|step| step.is_step()) {
        let by_ns = step.low_ns.midpoint(step.high_ns) as f64;
        sentence(page, WARNING, "!", &format!("set by {} during the observation", ns(by_ns)));
    }
}

/// By what the wall clock is disciplined.
pub fn disciplined(found: &Discipline) -> String {
    found.by.map_or_else(
        || "disciplined by a daemon not visible here".to_owned(),
        |kind| format!("disciplined by {}", kind.name()),
    )
}

/// A row: a rate and its meaning, or why there is none.
fn rate_row<T>(name: &str, found: &Known<T>, words: impl Fn(&T) -> (String, String)) -> Vec<String> {
    let (rate, words) = match found {
        Known::Value(found) => words(found),
        Known::Unavailable(why) => (NONE.to_owned(), why.clone()),
    };
    vec![name.to_owned(), rate, words]
}

fn slew(page: &mut Page, report: &SyncReport) {
    let slew = &report.slew;
    let rows = [
        rate_row("observed", &slew.observed, |seen| (observed(seen), format!("mean over {}", ns(seen.over_ns as f64)))),
        rate_row("declared", &slew.declared, |told| {
            let words = match told.earlier_ppm() {
                None => "adjtimex: frequency, tick and offset slew".to_owned(),
                Some(earlier) => format!("adjtimex; {} when the observation began", ppm(earlier)),
            };
            (ppm(told.at_end_ppm), words)
        }),
        rate_row("to remove an offset", &slew.transient_ppm, |rate| {
            (ppm(*rate), "intervals are off by this much; the rest sets the clock's rate right".to_owned())
        }),
    ];
    table(page, Table::new(&[("", Align::Left), ("rate", Align::Left), ("what it is", Align::Left)]), rows);
}

/// Rows of one source, named in the first: its answer, or why there is none.
fn source_rows<T>(source: &str, found: &Known<T>, says: impl Fn(&T) -> Vec<String>) -> Vec<Vec<String>> {
    let said = match found {
        Known::Value(found) => says(found),
        Known::Unavailable(why) => vec![format!("unavailable: {why}")],
    };
    let name = |at: usize| if at == 0 { source.to_owned() } else { String::new() };
    said.into_iter().enumerate().map(|(at, says)| vec![name(at), says]).collect()
}

fn sources(page: &mut Page, report: &SyncReport) {
    let rows = [
        source_rows("kernel", &report.kernel, of_kernel),
        source_rows("chronyd", &report.chrony, of_chrony),
        source_rows("systemd-timesyncd", &report.timesyncd, |told| {
            let at = UNIX_EPOCH + Duration::from_nanos(told.synchronised_unix_ns);
            vec![format!("last adjusted the clock at {}", humantime::format_rfc3339_seconds(at))]
        }),
        source_rows("processes", &report.daemons, |seen| match seen.as_slice() {
            [] => vec!["none that disciplines a clock".to_owned()],
            some => some.iter().map(of_daemon).collect(),
        }),
    ];
    table(page, Table::new(&[("source", Align::Left), ("says", Align::Left)]), rows.concat());
}

fn of_kernel(kernel: &Kernel) -> Vec<String> {
    let state = if kernel.is_synchronised() { "synchronised" } else { "unsynchronised" };
    let flags: Vec<&str> = kernel.flags.iter().map(|flag| flag.name()).collect();
    let flags = if flags.is_empty() { NONE.to_owned() } else { flags.join(" ") };
    let tai = kernel.tai_offset_s.map_or_else(|| "not set".to_owned(), |seconds| format!("{seconds} s"));
    let adjtime = kernel.adjtime_ns.map_or_else(|| "unknown".to_owned(), |left| ns(left as f64));
    let mut said = vec![
        format!("{state} · status {flags} · TAI − UTC {tai}"),
        format!("frequency correction {} · by the tick {}", ppm(kernel.frequency_ppm), ppm(kernel.tick_ppm)),
        format!("still to slew {}, by adjtime {adjtime}", ns(kernel.offset_ns as f64)),
        format!(
            "maximum error {} · estimated error {} · time constant {}",
            ns(kernel.max_error_ns as f64),
            ns(kernel.est_error_ns as f64),
            kernel.time_constant
        ),
    ];
    if let Some(pps) = kernel.pps {
        said.push(format!(
            "PPS {} · stability {} · jitter {}",
            ppm(pps.frequency_ppm),
            ppm(pps.stability_ppm),
            ns(pps.jitter_ns as f64)
        ));
    }
    said
}

fn of_chrony(chrony: &Chrony) -> Vec<String> {
    let name = chrony.reference.as_deref().unwrap_or("");
    vec![
        format!("{} {name} [{}] · stratum {}", chrony.state(), chrony.reference_id, chrony.stratum),
        format!(
            "the clock is {} {} · last offset {} · RMS {}",
            ns(chrony.ahead_ns.abs()),
            chrony.side(),
            ns(chrony.last_offset_ns),
            ns(chrony.rms_offset_ns)
        ),
        format!(
            "frequency correction {} · residual {}",
            PPM.signed().plus_minus(chrony.correction_ppm, chrony.skew_ppm.abs()),
            ppm(chrony.residual_ppm)
        ),
        format!(
            "root delay {} · root dispersion {} · updated every {}",
            ns(chrony.root_delay_ns),
            ns(chrony.root_dispersion_ns),
            ns(chrony.update_interval_s * 1e9)
        ),
    ]
}

fn of_daemon(daemon: &Daemon) -> String {
    let steers = match daemon.steers {
        Some(true) => "steers the wall clock",
        Some(false) => "leaves the wall clock alone",
        None => "may set the wall clock",
    };
    let process = daemon.pid.map_or_else(|| "in the kernel".to_owned(), |pid| format!("process {pid}"));
    let command = daemon.command.as_deref().map_or_else(String::new, |command| format!(": {command}"));
    format!("{} ({process}) {steers}{command}", daemon.kind.name())
}

fn ptp(page: &mut Page, clocks: &Known<Vec<PtpDevice>>) {
    page.section("PTP CLOCKS");
    let devices = match clocks {
        Known::Value(devices) if devices.is_empty() => return page.paragraph(Line::plain("  "), DIM, "none"),
        Known::Value(devices) => devices,
        Known::Unavailable(why) => return page.paragraph(Line::plain("  "), DIM, &format!("unavailable: {why}")),
    };
    let columns = Table::new(&[
        ("device", Align::Left),
        ("clock", Align::Left),
        ("ahead of the wall clock", Align::Right),
        ("±", Align::Right),
        ("counts", Align::Left),
    ])
    .tied(&["±"]);
    let rows = devices.iter().map(|device| {
        let name = device.clock_name.value().cloned().unwrap_or_else(|| NONE.to_owned());
        let mut row = vec![format!("/dev/{}", device.device), name];
        match &device.offset {
            Known::Value(offset) => {
                let counts = match offset.timescale {
                    Timescale::Utc => "UTC",
                    Timescale::Tai => "TAI",
                    Timescale::Arbitrary => "neither UTC nor TAI",
                };
                row.extend([ahead(offset), ns(offset.half_ns()), counts.to_owned()]);
            }
            Known::Unavailable(why) => {
                row.extend([NONE.to_owned(), NONE.to_owned(), format!("not readable: {why}")]);
            }
        }
        row
    });
    table(page, columns, rows);
}

/// `37 s + 50.0 ns` for a clock that counts TAI: of 37.0 s nobody could tell how far it is from that.
pub fn ahead(offset: &PtpOffset) -> String {
    let (seconds, rest) = offset.ahead();
    if offset.timescale != Timescale::Tai {
        return ns(rest as f64);
    }
    let sign = if rest < 0 { '-' } else { '+' };
    format!("{seconds} s {sign} {}", ns(rest.abs() as f64))
}
