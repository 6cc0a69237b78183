use crate::record::{Latch, LatchRow, LatchVerdict, Record, Spread};
use crate::sections::thread_release::plan::THREAD_RELEASE;

use crate::line::Line;
use crate::page::Page;
use crate::palette::{DIM, PLAIN, TITLE};
use crate::quantity::{confidence, count, ns, ns_range, percent, share, three_digits};
use crate::sections::clocks::library_clock::view as library_clock;
use crate::sections::thread_release::judgement::{Control, Looks, OwnShare, control as control_is, looks, own_share};
use crate::table::{Align, Table};
use crate::view::reason::not_tested;
use crate::words::{counted, given, quoted};

const NONE: &str = "–";

/// Calls in one thread beside calls of many threads that were released together, and what the latter measure.
pub fn show(page: &mut Page, record: &Record) {
    page.section("LATCH: calls in one thread, and by many released together");
    let Some(seen) = &record.thread_release.report else {
        page.paragraph(Line::plain("  "), DIM, &not_tested(record, &[THREAD_RELEASE]));
        return;
    };
    let mut table = table(seen, &COLUMNS);
    for (clock, reason) in missing(record, seen) {
        table.remark(DIM, clock, &format!("not read: {reason}"));
    }
    page.table(table);
    judgements(page, seen);
    for note in notes(record, seen) {
        page.paragraph(Line::plain("  "), DIM, &note);
    }
}

/// The table and what follows from it, without what is said of the run that it belongs to.
pub fn calls(page: &mut Page, seen: &Latch) {
    page.table(table(seen, &COLUMNS[..COLUMNS.len() - PUBLISHED_COLUMNS]));
    judgements(page, seen);
    let published = seen.rows.iter().filter_map(|row| row.published.as_ref());
    for of in published {
        let (serial, concurrent) = (ns(of.serial_ns), ns(of.concurrent_ns));
        let text =
            format!("published: {}: {serial} a call in one thread, {concurrent} per thread ({})", of.call, of.source);
        page.paragraph(Line::plain("  "), DIM, &text);
    }
}

fn judgements(page: &mut Page, seen: &Latch) {
    let control = seen.rows.iter().find(|row| row.is_control);
    for said in seen
        .rows
        .iter()
        .filter_map(|row| judged(row, control?, seen.stamp_step_ns))
        .chain(control.and_then(|row| absurd(row, seen)))
    {
        page.paragraph(Line::styled(TITLE, "→ "), PLAIN, &said);
    }
}

const COLUMNS: [(&str, Align); 11] = [
    ("call", Align::Left),
    ("serial", Align::Right),
    ("interval", Align::Right),
    ("concurrent", Align::Right),
    ("interval", Align::Right),
    ("in thread", Align::Right),
    ("p99", Align::Right),
    ("woken p50", Align::Right),
    ("max", Align::Right),
    ("JVM serial", Align::Right),
    ("conc.", Align::Right),
];
/// So many of them, the last, are published figures.
const PUBLISHED_COLUMNS: usize = 2;

fn table(seen: &Latch, columns: &[(&str, Align)]) -> Table {
    let mut table = Table::new(columns).tied(&["interval", "p99", "max", "conc."]).apart(&[
        ("p99", "in thread p99"),
        ("max", "woken max"),
        ("conc.", "JVM conc."),
    ]);
    for row in &seen.rows {
        table.cells(PLAIN, cells(row).into_iter().take(columns.len()).collect());
    }
    table
}

fn cells(row: &LatchRow) -> [String; 11] {
    let none = || NONE.to_owned();
    let median = |spread: &Option<Spread>| spread.map_or_else(none, |spread| ns(spread.median));
    let range = |spread: &Option<Spread>| spread.map_or_else(none, |spread| ns_range(spread.low, spread.high));
    let published = row.published.as_ref();
    [
        row.call.clone(),
        median(&row.serial_ns),
        range(&row.serial_ns),
        median(&row.concurrent_ns),
        range(&row.concurrent_ns),
        median(&row.inside_ns_p50),
        median(&row.inside_ns_p99),
        median(&row.wake_ns_p50),
        row.wake_ns_max.map_or_else(none, ns),
        published.map_or_else(none, |published| ns(published.serial_ns)),
        published.map_or_else(none, |published| ns(published.concurrent_ns)),
    ]
}

/// Clocks that were to be read and were not, each with its reason.
fn missing<'r>(record: &'r Record, seen: &'r Latch) -> impl Iterator<Item = (&'r str, String)> {
    let unread = |name: &&String| seen.rows.iter().all(|row| row.call != **name);
    record.thread_release.plan.clocks.iter().filter(unread).map(|name| {
        let clock = record.clocks.iter().find(|clock| clock.name == *name);
        (name.as_str(), given(clock.and_then(|clock| clock.reason_unavailable.as_deref())))
    })
}

/// What the figures of a clock look like, and what they are.
fn judged(row: &LatchRow, control: &LatchRow, step_ns: Option<f64>) -> Option<String> {
    let (verdict, control_share) = (row.verdict?, row.control_share?);
    let (concurrent, nothing) = (row.concurrent_ns?.median, ns(control.concurrent_ns?.median));
    let of_it = format!("{} of it", shares(&control_share));
    let truth = match verdict {
        LatchVerdict::WakingThreads => {
            format!("calling nothing costs {}: waking threads is what is measured", as_much(&control_share, &nothing))
        }
        LatchVerdict::MoreThanWaking => {
            format!("calling nothing costs {nothing} per thread, {of_it}: waking threads does not explain the rest")
        }
        LatchVerdict::MostlyWaking => format!(
            "calling nothing costs {nothing} per thread, {of_it}: more than half of what is measured is waking threads"
        ),
        LatchVerdict::Undecided => format!(
            "calling nothing costs {nothing} per thread, {of_it}, which is too uncertain to say what is measured: take \
             longer, or a quieter machine"
        ),
    };
    let own = own_share(row, control, step_ns).map(|own| own_words(own, control, concurrent));
    Some(format!("{}; {truth}{}", naive(row)?, own.unwrap_or_default()))
}

/// The call's own share of `concurrent_ns`, which waking takes part in and the call's thread does not see.
fn own_words(own: OwnShare, control: &LatchRow, concurrent_ns: f64) -> String {
    let stamps = control
        .inside_ns_p50
        .map_or_else(String::new, |empty| format!(" (its stamps alone show {})", ns(empty.median)));
    let of_all = |own_ns: f64| format!("{} of the {}", percent(own_ns / concurrent_ns * 100.0), ns(concurrent_ns));
    match own {
        OwnShare::Adds { median_ns, low_ns, high_ns } => format!(
            "; in its own thread the clock adds {} ({}), {}{stamps}",
            ns(median_ns),
            ns_range(low_ns, high_ns),
            of_all(median_ns)
        ),
        OwnShare::AtMost(most_ns) => {
            format!("; the clock's own share is at most {}, {}{stamps}", ns(most_ns), of_all(most_ns))
        }
        OwnShare::Unknown => format!("; the clock's own share is unknown: too small to tell from its stamps{stamps}"),
    }
}

fn naive(row: &LatchRow) -> Option<String> {
    let (serial, concurrent, slowdown) = (row.serial_ns?, row.concurrent_ns?, row.slowdown?);
    let figures = format!("{} per thread, and {} a call in one thread", ns(concurrent.median), ns(serial.median));
    let call = quoted(&row.call);
    Some(match looks(&slowdown) {
        Looks::Slower => format!("{call} looks {} slower in parallel: {figures}", times(slowdown.median)),
        Looks::NotSlower => format!("{call} does not look slower in parallel: {figures}"),
        Looks::Undecided => format!(
            "whether {call} looks slower in parallel is unknown ({}–{}): {figures}",
            three_digits(slowdown.low),
            times(slowdown.high)
        ),
    })
}

/// How the control's cost compares to a call's, where it is no less or hardly less.
fn as_much(control_share: &Spread, nothing: &str) -> String {
    let range = shares(control_share);
    match control_is(control_share) {
        Control::Less => format!("{nothing} per thread, {range} of it"),
        Control::More => format!("even more, {nothing} per thread ({range} of it)"),
        Control::AboutTheSame => format!("about the same, {nothing} per thread ({range} of it)"),
        Control::AsMuchOrMore => format!("as much or more, {nothing} per thread ({range} of it)"),
    }
}

/// The naive reading of the control itself, where it shows that the reading is at fault.
fn absurd(control: &LatchRow, seen: &Latch) -> Option<String> {
    let is_shown = seen.rows.iter().any(|row| row.verdict == Some(LatchVerdict::WakingThreads));
    let slowdown = control.slowdown.filter(|slowdown| is_shown && slowdown.low > 1.0)?;
    Some(format!("read the same way, calling nothing is {} slower in parallel", times(slowdown.median)))
}

/// What a ratio is that is not the quotient of the two figures behind it.
pub fn ratios(seen: &Latch) -> Option<&'static str> {
    seen.rows
        .iter()
        .any(|row| row.slowdown.is_some())
        .then_some("×: the median of the ratios of every round, not the quotient of the two medians")
}

fn times(ratio: f64) -> String {
    format!("{}×", three_digits(ratio))
}

fn shares(spread: &Spread) -> String {
    format!("{}–{}", share(spread.low).trim_end_matches(" %"), percent(spread.high * 100.0))
}

fn notes(record: &Record, seen: &Latch) -> Vec<String> {
    let spreads = seen.rows.iter().flat_map(|row| [row.serial_ns, row.concurrent_ns]).flatten();
    let lowest = spreads.map(|spread| spread.confidence).fold(f64::INFINITY, f64::min);
    let threads = counted(u64::from(seen.threads), "thread", "threads");
    let mut notes = vec![
        format!(
            "concurrent: threads started anew wait at one latch (a mutex with a condition variable), are released together \
             and call once each; from the release until the last has called, over {threads}; serial: per call of many in one \
             thread; both timed from outside, median of {} rounds, each a process of its own, intervals with confidence {}",
            count(seen.rounds),
            confidence(lowest)
        ),
        "in thread: one call between two stamps of its own thread, in releases of their own; the row of nothing shows what \
         the stamps cost, and nothing is subtracted in the table; woken: from the release to the thread's first stamp"
            .to_owned(),
    ];
    notes.extend(ratios(seen).map(str::to_owned));
    let on = counted(record.plan.cpus.len() as u64, "CPU", "CPUs");
    notes.push(match &seen.thread_start_ns {
        Some(start) => format!(
            "starting a thread takes {} ({}), which is in none of these figures; {threads} on {on}",
            ns(start.median),
            ns_range(start.low, start.high)
        ),
        None => format!("no release: {}", crate::view::reason::reason(record, &[THREAD_RELEASE])),
    });
    if let Some(published) = seen.rows.iter().find_map(|row| row.published.as_ref()) {
        let calls: Vec<String> = seen
            .rows
            .iter()
            .filter_map(|row| Some(format!("{} beside {}", row.published.as_ref()?.call, row.call)))
            .collect();
        notes.push(format!(
            "JVM: published for {threads} on {} ({}), {}",
            published.machine,
            published.source,
            calls.join(", ")
        ));
    }
    notes.extend(library_clock::said(record));
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spread(low: f64, median: f64, high: f64) -> Option<Spread> {
        Some(Spread { median, low, high, confidence: 0.999 })
    }

    fn row(call: &str, concurrent_ns: f64, control_share: Option<Spread>, verdict: Option<LatchVerdict>) -> LatchRow {
        LatchRow {
            call: call.to_owned(),
            is_control: verdict.is_none(),
            serial_ns: spread(24.0, 25.0, 26.0),
            concurrent_ns: spread(concurrent_ns, concurrent_ns, concurrent_ns),
            slowdown: spread(concurrent_ns / 26.0, concurrent_ns / 25.0, concurrent_ns / 24.0),
            control_share,
            verdict,
            inside_ns_p50: spread(200.0, 200.0, 200.0),
            inside_ns_p99: None,
            wake_ns_p50: None,
            wake_ns_max: None,
            published: None,
        }
    }

    fn said(verdict: LatchVerdict, low: f64, high: f64, control_ns: f64) -> String {
        let control = row("nothing", control_ns, None, None);
        judged(&row("CLOCK_MONOTONIC", 40_000.0, spread(low, 1.0, high), Some(verdict)), &control, Some(0.5)).unwrap()
    }

    #[test]
    fn the_control_is_called_the_same_only_where_it_is() {
        let waking = |low, high, control_ns| said(LatchVerdict::WakingThreads, low, high, control_ns);
        let same = waking(0.9, 1.1, 40_000.0);
        assert!(same.contains("looks 1\u{202f}600× slower in parallel"), "{same}");
        assert!(
            same.contains("about the same, 40.0 µs per thread (90.0–110 % of it): waking threads is what"),
            "{same}"
        );
        assert!(
            same.contains("own share is at most 1.00 ns, 0.00250 % of the 40.0 µs (its stamps alone show 200 ns)"),
            "{same}"
        );
        assert!(waking(0.9, 0.95, 37_000.0).contains("costs 37.0 µs per thread, 90.0–95.0 % of it: waking threads is"));
        assert!(waking(1.1, 1.2, 46_000.0).contains("even more, 46.0 µs"));
        assert!(waking(0.9, 1.6, 46_000.0).contains("as much or more, 46.0 µs"));
    }

    #[test]
    fn the_clocks_own_share_is_what_it_adds_to_its_stamps() {
        let control = row("nothing", 36_000.0, None, None);
        let said = |own| own_words(own, &control, 35_800.0);
        let adds = said(OwnShare::Adds { median_ns: 30.0, low_ns: 27.0, high_ns: 33.0 });
        assert!(
            adds.contains(
                "the clock adds 30.0 ns (27.0–33.0 ns), 0.0838 % of the 35.8 µs (its stamps alone show 200 ns)"
            ),
            "{adds}"
        );
        let unknown = said(OwnShare::Unknown);
        assert!(unknown.contains("is unknown") && !unknown.contains('%'), "{unknown}");
    }

    #[test]
    fn a_slowdown_around_one_is_not_denied() {
        let mut clock = row("ordered", 25.0, spread(0.8, 0.8, 0.8), Some(LatchVerdict::WakingThreads));
        clock.slowdown = spread(0.5, 1.4, 3.0);
        let said = judged(&clock, &row("nothing", 20.0, None, None), Some(0.5)).unwrap();
        assert!(said.starts_with("whether ordered looks slower in parallel is unknown (0.500–3.00×)"), "{said}");
    }

    #[test]
    fn a_control_that_is_not_close_is_not_said_to_be() {
        let more = said(LatchVerdict::MoreThanWaking, 0.2, 0.3, 10_000.0);
        assert!(more.contains("10.0 µs per thread, 20.0–30.0 % of it: waking threads does not explain"), "{more}");
        let mostly = said(LatchVerdict::MostlyWaking, 0.6, 1.3, 30_000.0);
        assert!(mostly.contains("60.0–130 % of it: more than half of what is measured is waking"), "{mostly}");
        let undecided = said(LatchVerdict::Undecided, 0.4, 1.3, 30_000.0);
        assert!(undecided.contains("too uncertain to say what is measured"), "{undecided}");
        for said in [more, mostly, undecided] {
            assert!(!said.contains("the same") && !said.contains("waking threads is what"), "{said}");
        }
    }

    #[test]
    fn a_ratio_says_that_it_is_no_quotient() {
        let seen = |rows| Latch {
            threads: 3,
            rounds: 11,
            releases: 11,
            thread_start_ns: None,
            rows,
            stamp_step_ns: None,
            control_share_pct_least: 80.0,
            disturbance: crate::record::Disturbance::default(),
        };
        let mut clock = row("ordered", 25.0, None, None);
        assert!(ratios(&seen(vec![clock.clone()])).unwrap().contains("not the quotient"));
        clock.slowdown = None;
        assert_eq!(ratios(&seen(vec![clock])), None);
    }

    #[test]
    fn a_call_that_is_not_slower_does_not_look_so() {
        let control = row("nothing", 20.0, None, None);
        let clock = row("ordered", 25.0, spread(0.8, 0.8, 0.8), Some(LatchVerdict::WakingThreads));
        assert!(judged(&clock, &control, Some(0.5)).unwrap().starts_with("ordered does not look slower in parallel"));
    }
}
