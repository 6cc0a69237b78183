use chronoscope_harness::quantity::{RATIO, TIME, confidence};
use chronoscope_harness::record::study::{Estimate, StudyRecord};
use chronoscope_render::Width;
use chronoscope_render::page::Page;
use chronoscope_render::study::Lead;
use chronoscope_render::text::{Column, Mood, Text, count, counted, ns, percent};
use chronoscope_render::words::given;

use super::chart::chart;
use super::clock::{NOTHING, ticks_of};
use super::front::{TOLERANCE_PCT, difference, work_of};
use super::report::{Conclusion, End, Point, Rise, Scales, less_than, most_telling, telling};
use super::rules::{FRONT_ABOVE, FRONT_BETWEEN, FRONT_BEYOND, FRONTS, ONE_THREAD, SCALES};
use crate::experiment::against::{self, Objection, marks};
use crate::experiment::show;
use crate::plan::ascending;
use crate::probe::runtime::Runtime;
use chronoscope_harness::finding::Finding;

/// Maximum backoffs in a table.
const COLUMNS: usize = 6;
const NONE: &str = "–";

/// The results as text for a terminal.
pub fn page(record: &StudyRecord, conclusions: &[Conclusion], runtimes: &[Runtime], width: Width) -> Page {
    let mut page = Text::with_width(width);
    show::title(&mut page, record, "scaling");
    if record.interrupted {
        page.sentence(Mood::Warning, "!", "interrupted: results so far");
    }
    if let Some(drawn) = most_telling(conclusions).and_then(chart) {
        page.section(CHART);
        page.charts(&[drawn]);
        page.sentence(Mood::Quiet, " ", &definition());
    }
    let objections = against::objections(&record.findings);
    fronts(&mut page, &record.findings, conclusions, &objections);
    for failure in &record.study().failures {
        page.sentence(Mood::Bad, "✘", &format!("{} failed ({}): {}", failure.case, failure.at, failure.reason));
    }
    for sentence in left_out_of(runtimes) {
        page.sentence(Mood::Quiet, "·", &sentence);
    }
    reads(&mut page, conclusions, &objections);
    operations(&mut page, record, conclusions, &objections);
    added(&mut page, record, conclusions, &objections);
    oversubscribed(&mut page, conclusions, &objections);
    page.section("HOW SURE");
    for sentence in native(record).iter().flat_map(show::how_sure).chain(how_sure_of(runtimes)) {
        page.sentence(Mood::Quiet, "·", &sentence);
    }
    page.into_page()
}

/// What a page for browsers draws over threads: the chart of every clock, and what is known of their fronts.
pub fn lead(record: &StudyRecord, conclusions: &[Conclusion], runtimes: &[Runtime]) -> Lead {
    let main = most_telling(conclusions);
    let others = conclusions.iter().filter(|one| main.is_none_or(|main| main.clock != one.clock));
    Lead {
        title: "Clocks over threads".to_owned(),
        chart: main.and_then(chart),
        sentences: std::iter::once(definition()).chain(left_out_of(runtimes)).map(|words| words + ".").collect(),
        columns: front_columns().into(),
        rows: conclusions.iter().map(|one| front_row(&record.findings, one, &[]).to_vec()).collect(),
        more: others.filter_map(chart).collect(),
    }
}

const CHART: &str = "CLOCKS OVER THREADS (a line for each amount of work between reads, log scale)";
/// Explains the front and the forbidden zone to first-time readers.
fn definition() -> String {
    format!(
        "front: the least work between reads at which more threads, up to the number of CPUs, cost no more than {} over one \
         thread. Forbidden zone: less work than that, where the clock is measured rather than the program. The front is \
         known as a bracket: above the most work at which threads cost more (▲), at or below the least from which they do not",
        percent(TOLERANCE_PCT)
    )
}

/// The record without the cells of runtimes, whose processes are other ones; None if nothing else was measured.
fn native(record: &StudyRecord) -> Option<StudyRecord> {
    let mut native = record.clone();
    let of_runtimes = record.study().plan.comparisons.iter().filter(|(_, work)| work != NOTHING);
    let of_runtimes: Vec<&String> = of_runtimes.flat_map(|(clock, work)| [clock, work]).collect();
    native.content.study.cells.retain(|cell| !of_runtimes.contains(&&cell.case));
    (!native.study().cells.is_empty()).then_some(native)
}

/// The basis of the figures of runtimes.
fn how_sure_of(runtimes: &[Runtime]) -> Vec<String> {
    let processes = |runtime: &Runtime| {
        let processes = counted(u64::from(runtime.processes), "process", "processes");
        let start = runtime.start_ms.map_or_else(String::new, |ms| format!(", each {} to start", ns(ms * 1e6)));
        format!("{} ({processes}{start})", runtime.title())
    };
    let measured: Vec<String> = runtimes.iter().filter(|runtime| runtime.available).map(processes).collect();
    if measured.is_empty() {
        return Vec::new();
    }
    vec![
        format!("runtimes: {}; each front has the confidence in its row", measured.join(", ")),
        "processes of runtimes carry no interference probes: only iterations in which a thread lost its CPU are left out; \
         a token of work takes as long as the row of nothing in the same runtime shows"
            .to_owned(),
    ]
}

/// Why each runtime that was not measured is absent, and what the others lack.
fn left_out_of(runtimes: &[Runtime]) -> Vec<String> {
    let said = |runtime: &Runtime| {
        let absent = (!runtime.available).then(|| given(runtime.reason_unavailable.as_deref()));
        let lacking = runtime.reasons_incomplete.iter().cloned();
        absent.into_iter().chain(lacking).map(|why| format!("{}: {why}", runtime.title())).collect::<Vec<_>>()
    };
    runtimes.iter().flat_map(said).collect()
}

/// One row for each clock.
fn fronts(page: &mut Text, findings: &[Finding], conclusions: &[Conclusion], objections: &[Objection]) {
    page.section("FRONTS");
    page.table(&front_columns(), conclusions.iter().map(|one| front_row(findings, one, objections).to_vec()));
    for objection in objections {
        page.sentence(Mood::Warning, objection.sign, &objection.words);
    }
}

fn front_columns() -> [Column; 5] {
    [
        Column::left("clock"),
        Column::left("front"),
        Column::left("forbidden zone"),
        Column::left("slowed most"),
        Column::right("confidence"),
    ]
}

fn front_row(findings: &[Finding], one: &Conclusion, objections: &[Objection]) -> [String; 5] {
    let is_front = |finding: &&Finding| FRONTS.iter().any(|kind| finding.is(*kind));
    let found = findings.iter().filter(is_front).find(|finding| finding.subject.as_deref() == Some(&*one.clock));
    let (low, high) = (one.front.raised, one.front.flat);
    let front = match (low, high) {
        _ if found.is_some_and(|finding| finding.is(ONE_THREAD)) => "one thread only".to_owned(),
        (None, None) => "inconclusive".to_owned(),
        (None, Some(End { tokens: 0, .. })) if one.front.scales == Scales::Everywhere => "scales".to_owned(),
        (None, Some(End { tokens: 0, .. })) => "back to back".to_owned(),
        (Some(End { tokens: 0, .. }) | None, Some(high)) => format!("≤ {}", ns(high.ns)),
        (Some(low), Some(high)) => format!("{} to {}", ns(low.ns), ns(high.ns)),
        (Some(low), None) => format!("> {}", ns(low.ns)),
    };
    let sign = found.map_or("?", |finding| sign(finding));
    let zone = low.map(|low| if low.tokens == 0 { "back to back".to_owned() } else { format!("to {}", ns(low.ns)) });
    let worst = one.worst().map(|(point, factor)| {
        let at =
            if point.backoff_tokens == 0 { "back to back".to_owned() } else { format!("at {}", ns(point.work_ns)) };
        format!("{} {at}, {} threads", RATIO.value(factor.estimate), point.threads)
    });
    let none = || NONE.to_owned();
    let sure = one.confidence().map_or_else(none, confidence);
    [
        marked(objections, &one.clock),
        format!("{sign} {front}"),
        zone.unwrap_or_else(none),
        worst.unwrap_or_else(none),
        sure,
    ]
}

fn sign(finding: &Finding) -> &'static str {
    let signs = [(ONE_THREAD, "·"), (SCALES, "✔"), (FRONT_BETWEEN, "!"), (FRONT_ABOVE, "!"), (FRONT_BEYOND, "✘")];
    signs.iter().find(|(kind, _)| finding.is(*kind)).map_or("?", |(_, sign)| *sign)
}

/// A clock's name with the signs of objections to its figures.
fn marked(objections: &[Objection], clock: &str) -> String {
    format!("{clock}{}", marks(objections, &[clock]))
}

/// Back-to-back reads and steps of the value.
fn reads(page: &mut Text, conclusions: &[Conclusion], objections: &[Objection]) {
    let threads = ascending(conclusions.iter().flat_map(|one| one.reads.iter().map(|read| read.threads)));
    // One thread and all threads.
    let threads: Vec<u32> =
        threads.first().into_iter().chain(threads.last().filter(|_| threads.len() > 1)).copied().collect();
    if threads.is_empty() {
        return;
    }
    page.section("READS IN A ROW, AND UNTIL THE VALUE CHANGES");
    let mut columns = vec![Column::left("clock")];
    for count in &threads {
        let on = if *count == 1 { "1 thread".to_owned() } else { format!("{count} threads") };
        columns.extend([Column::right(format!("a read, {on}")), Column::right(format!("a step, {on}"))]);
    }
    let rows = conclusions.iter().filter(|conclusion| !conclusion.reads.is_empty()).map(|conclusion| {
        let (clock, ticks) = (conclusion.clock.as_str(), ticks_of(&conclusion.clock));
        let name = format!("{clock}{}", marks(objections, &[clock, &ticks]));
        let of = |count: &u32| conclusion.reads.iter().find(|read| read.threads == *count);
        let cells = threads.iter().flat_map(|count| {
            let Some(read) = of(count) else { return [NONE.to_owned(), NONE.to_owned()] };
            let time = about_or_below(read.latency_ns, read.latency_below_ns);
            // One thread has no reference to be longer than.
            let mark = if *count == 1 { "" } else { mark(conclusion.in_a_row(*count)) };
            [format!("{time}{mark}"), about_or_below(read.step_ns, read.step_below_ns)]
        });
        std::iter::once(name).chain(cells).collect()
    });
    page.table(&columns, rows.collect::<Vec<Vec<String>>>());
    page.sentence(
        Mood::Quiet,
        " ",
        "a step: time until the value changes; where it is no longer than a read, every read returns a new value and \
         the step may be shorter; ▲ longer than on one thread; ? inconclusive",
    );
}

/// Time per operation between work.
fn operations(page: &mut Text, record: &StudyRecord, conclusions: &[Conclusion], objections: &[Objection]) {
    let columns = backoffs(conclusions);
    if columns.is_empty() {
        return;
    }
    page.section("TIME PER OPERATION: so many tokens of work, then one read");
    let cell = |case: &str, threads: u32, tokens: u64| {
        let mut cells = record.study().cells.iter().filter(|cell| cell.case == case && cell.threads == threads);
        let cell = cells.find(|cell| cell.backoff_tokens == tokens)?;
        let time = match less_than(cell.time_ns, cell.below_ns) {
            Some(below) => TIME.below(below),
            None => cell.time_ns.map_or_else(|| NONE.to_owned(), |time| ns(time.estimate)),
        };
        let points = conclusions.iter().filter(|one| one.clock == case).flat_map(|one| &one.points);
        let is_here = |point: &&Point| (point.backoff_tokens, point.threads) == (tokens, threads);
        Some(format!("{time}{}", mark(points.filter(is_here).map(|point| point.rise).next())))
    };
    let mut cases: Vec<&str> = Vec::new();
    for clock in conclusions.iter().map(|conclusion| conclusion.clock.as_str()) {
        // Before the first clock of each runtime, its work alone.
        let work = work_of(record, clock);
        if !cases.contains(&work) {
            cases.push(work);
        }
        cases.push(clock);
    }
    let rows = over_work(cases.into_iter(), conclusions, objections, &columns, &format!("{NONE}  "), cell);
    page.table_with_moods(&heads(&columns), rows);
    page.sentence(
        Mood::Quiet,
        " ",
        &format!(
            "columns: tokens of work between reads{}; their time is that of nothing, in the rows of the same runtime; ▲ in the forbidden zone: more than {} longer \
             than on one thread, by the increase within each process rather than by two of these times; ? inconclusive; – not measured: too short next to a read, too long for an interpreter, or not needed for this clock's front",
            left_out(conclusions, columns.len()),
            percent(TOLERANCE_PCT)
        ),
    );
}

/// A row for each case and thread count with a cell; the case is named in its first row.
fn over_work<'a>(
    cases: impl Iterator<Item = &'a str>,
    conclusions: &[Conclusion],
    objections: &[Objection],
    columns: &[u64],
    none: &str,
    cell: impl Fn(&str, u32, u64) -> Option<String>,
) -> Vec<(Mood, Vec<String>)> {
    let row = |case: &str, threads: u32| {
        let cells: Vec<Option<String>> = columns.iter().map(|tokens| cell(case, threads, *tokens)).collect();
        cells.iter().any(Option::is_some).then(|| {
            let name = if threads == 1 { marked(objections, case) } else { String::new() };
            let cells = cells.into_iter().map(|cell| cell.unwrap_or_else(|| none.to_owned()));
            let mood = if case.ends_with(NOTHING) { Mood::Quiet } else { Mood::Plain };
            (mood, [name, threads.to_string()].into_iter().chain(cells).collect())
        })
    };
    cases.flat_map(|case| within(conclusions).into_iter().filter_map(move |threads| row(case, threads))).collect()
}

/// The time that a read adds to the work, from pairs of the same round.
fn added(page: &mut Text, record: &StudyRecord, conclusions: &[Conclusion], objections: &[Objection]) {
    let columns = backoffs(conclusions);
    let clocks = conclusions.iter().map(|conclusion| conclusion.clock.as_str());
    let rows = over_work(clocks, conclusions, objections, &columns, NONE, |clock, threads, tokens| {
        difference(record, clock, tokens, threads).map(extra)
    });
    if rows.is_empty() {
        return;
    }
    page.section("WHAT A READ ADDS to the work, compared directly");
    page.table_with_moods(&heads(&columns), rows);
    page.sentence(
        Mood::Quiet,
        " ",
        "from pairs in one round, so not the quotient or difference of two times above; … to …: inconclusive, the interval, which \
         includes 0; ? one process only, so no interval",
    );
}

fn oversubscribed(page: &mut Text, conclusions: &[Conclusion], objections: &[Objection]) {
    let rows: Vec<Vec<String>> = conclusions
        .iter()
        .flat_map(|conclusion| {
            conclusion.oversubscribed.iter().enumerate().map(|(i, oversubscribed)| {
                let name = if i == 0 { marked(objections, &conclusion.clock) } else { String::new() };
                let work = count(oversubscribed.backoff_tokens);
                vec![
                    name,
                    work,
                    count(u64::from(oversubscribed.threads)),
                    about_or_below(Some(oversubscribed.time_ns), None),
                ]
            })
        })
        .collect();
    if rows.is_empty() {
        return;
    }
    page.section("MORE THREADS THAN CPUs: threads wait for a CPU, not for the clock");
    let columns = [
        Column::left("clock"),
        Column::right("tokens").naming(),
        Column::right("threads").naming(),
        Column::right("time per operation"),
    ];
    page.table(&columns, rows);
    page.sentence(Mood::Quiet, " ", "a separate regime that says nothing about a front");
}

/// The backoffs that get a column: the least and the most, then those at which most fronts are known to end, then others.
fn backoffs(conclusions: &[Conclusion]) -> Vec<u64> {
    let all = all_backoffs(conclusions);
    let ends = conclusions.iter().flat_map(|one| [one.front.raised, one.front.flat]).flatten();
    let ends: Vec<u64> = ends.map(|end| end.tokens).collect();
    let mut of_fronts = all.clone();
    of_fronts.retain(|tokens| ends.contains(tokens));
    of_fronts.sort_by_key(|tokens| std::cmp::Reverse(ends.iter().filter(|end| *end == tokens).count()));
    telling(&all, of_fronts.into_iter(), COLUMNS)
}

/// Every backoff with work.
fn all_backoffs(conclusions: &[Conclusion]) -> Vec<u64> {
    let points = conclusions.iter().flat_map(|conclusion| &conclusion.points).filter(|point| point.backoff_tokens > 0);
    ascending(points.map(|point| point.backoff_tokens))
}

/// How many backoffs lack a column, in words.
fn left_out(conclusions: &[Conclusion], shown: usize) -> String {
    let all = all_backoffs(conclusions).len();
    if shown < all { format!(" ({shown} of {all}; the record has all)") } else { String::new() }
}

/// The sign after a time on several threads.
fn mark(rise: Option<Rise>) -> &'static str {
    match rise {
        Some(Rise::Raised) => " ▲",
        Some(Rise::Unresolved) => " ?",
        Some(Rise::Flat) | None => "  ",
    }
}

/// Thread counts that do not oversubscribe the CPUs, one first.
fn within(conclusions: &[Conclusion]) -> Vec<u32> {
    let all = conclusions.iter().flat_map(|conclusion| conclusion.points.iter().map(|point| point.threads));
    ascending(std::iter::once(1).chain(all))
}

fn heads(columns: &[u64]) -> Vec<Column> {
    let works = columns.iter().map(|tokens| Column::right(count(*tokens)));
    [Column::left("clock"), Column::right("threads").naming()].into_iter().chain(works).collect()
}

/// An estimate with the half width of its interval, or an upper bound if indistinguishable from an empty loop.
fn about_or_below(estimate: Option<Estimate>, below_ns: Option<f64>) -> String {
    let below = less_than(estimate, below_ns).map(|below| TIME.below(below));
    below.or_else(|| Some(TIME.difference(&estimate?))).unwrap_or_else(|| NONE.to_owned())
}

/// A difference; for an unresolved one, its interval.
fn extra(found: Estimate) -> String {
    let Some((low, high)) = found.interval() else { return "?".to_owned() };
    if found.holds(0.0) { TIME.signed().interval(low, high) } else { ns(found.estimate) }
}

#[cfg(test)]
mod tests {
    use chronoscope_harness::finding::Finding;
    use chronoscope_harness::record::study::{
        Cell, CellProcess, Comparison, ComparisonPoint, Difference, Leading, StudyReport,
    };
    use chronoscope_harness::study_rules::{STATES, THREADS_DID_NOT_OVERLAP};

    use super::super::front::conclude;
    use super::*;
    use crate::tests::golden_file::assert_golden;

    fn about(estimate: f64, half: f64) -> Estimate {
        Estimate { estimate, low: estimate - half, high: estimate + half, confidence: 0.999 }
    }

    /// Three clocks on one thread and on two: one that costs 6.38 ± 0.15 ns wherever that is resolved, one with
    /// contention in back-to-back reads and between 50 ns of work, and one whose intervals are inconclusive.
    fn record() -> StudyRecord {
        let text = include_str!("../../../tests/fixtures/study.json");
        let mut record = chronoscope_render::study::parse(text).unwrap();
        let empty = record.study().cells.iter().find(|cell| cell.case == "relaxed").unwrap().clone();
        record.content.study.cells.clear();
        record.content.study.comparisons.clear();
        // For each clock: back-to-back reads, at 50 ns and at 3 000 ns of work, each on one thread and on two.
        let clocks = [
            ("cheap", [about(6.4, 0.1); 2], [about(6.38, 0.15), about(6.4, 0.2)], [about(6.0, 9.0), about(6.1, 9.0)]),
            (
                "shared",
                [about(40.0, 1.0), about(190.0, 9.0)],
                [about(41.0, 1.0), about(188.0, 9.0)],
                [about(40.0, 9.0); 2],
            ),
            ("vague", [about(20.0, 30.0); 2], [about(20.0, 90.0); 2], [about(20.0, 900.0); 2]),
        ];
        let StudyReport { cells, comparisons, .. } = &mut record.content.study;
        let mut cell = |case: &str, tokens: u64, threads: u32, time: Estimate| {
            let time_ns = Some(Estimate { low: time.low.max(0.0), ..time });
            // Processes fill the interval; what is up on one thread is down on two.
            let process = |process: u32| {
                let place = (f64::from(process) / 5.5 - 1.0) * if threads == 1 { 1.0 } else { -1.0 };
                let ns = (time.estimate + place * time.half_width()).max(0.1);
                CellProcess::alike(process, ns)
            };
            let processes = (0..12).map(process).collect();
            cells.push(Cell {
                case: case.to_owned(),
                backoff_tokens: tokens,
                threads,
                time_ns,
                processes,
                ..empty.clone()
            });
        };
        for threads in [1, 2] {
            for (tokens, work) in [(64, 50.1), (4096, 3060.0)] {
                cell(NOTHING, tokens, threads, about(work, 0.5));
            }
        }
        for (clock, in_a_row, short, long) in clocks {
            for threads in [1, 2] {
                let at = threads as usize - 1;
                let plus = |work: f64, own: Estimate| about(work + own.estimate, own.half_width());
                cell(clock, 0, threads, in_a_row[at]);
                cell(clock, 64, threads, plus(50.1, short[at]));
                cell(clock, 4096, threads, plus(3060.0, long[at]));
                let point = |backoff_tokens, difference_ns: Estimate| ComparisonPoint {
                    backoff_tokens,
                    leads: Leading::Typical,
                    difference_ns,
                    ratio: about(1.1, 0.05),
                    other_ratio: None,
                    verdict: if difference_ns.holds(0.0) { Difference::Unresolved } else { Difference::Slower },
                    has_states: false,
                    pairs: 60,
                };
                comparisons.push(Comparison {
                    case: clock.to_owned(),
                    baseline: NOTHING.to_owned(),
                    parameters: Default::default(),
                    threads,
                    points: vec![point(64, short[at]), point(4096, long[at])],
                    model: None,
                });
            }
        }
        record
    }

    /// The conclusions; also adds their findings to the study's.
    fn concluded(record: &mut StudyRecord) -> Vec<Conclusion> {
        let conclusions = conclude(record);
        record.findings.extend(chronoscope_harness::rule::conclude(super::super::rules::RULES, &conclusions));
        conclusions
    }

    /// Without styles.
    fn plain(text: &str) -> String {
        let mut pieces = text.split("\x1b[");
        let first = pieces.next().unwrap_or("").to_owned();
        pieces.fold(first, |text, piece| text + piece.split_once('m').map_or("", |(_, rest)| rest))
    }

    /// A section of the page: the text after a clock's name and in the row below, on two threads.
    fn rows<'a>(text: &'a str, section: &str, clock: &str) -> Vec<&'a str> {
        let start = text.find(section).unwrap_or_else(|| panic!("{section} is missing:\n{text}"));
        let mut lines = text[start..].lines().skip_while(|line| !line.starts_with(clock));
        lines.by_ref().take(2).collect()
    }

    #[test]
    fn no_figure_hides_what_the_findings_hold_against_it() {
        let mut record = record();
        let modes = "shared (0 tokens, 2 threads): 18.9 ns in 6 of 24 processes, 160 ns in 18";
        let overlap =
            "cheap (64 tokens, 2 threads): in a typical iteration all threads ran at once for 34 % of the time only";
        record.findings = vec![
            Finding::new(THREADS_DID_NOT_OVERLAP, overlap).about("cheap").value("overlap_share", 0.34),
            Finding::new(STATES, modes).about("shared"),
            Finding::new(STATES, "ticks of vague: two").about("ticks of vague"),
        ];
        let conclusions = concluded(&mut record);
        let text = plain(&page(&record, &conclusions, &[], Width::default()).finish());
        assert!(rows(&text, "READS IN A ROW", "vague")[0].starts_with("vague ‡"), "{text}");
        assert!(!rows(&text, "TIME PER OPERATION", "vague")[0].contains('‡'), "{text}");
        for section in ["FRONTS", "READS IN A ROW", "TIME PER OPERATION", "WHAT A READ ADDS"] {
            assert!(rows(&text, section, "cheap")[0].starts_with("cheap †"), "{section}: {text}");
            assert!(rows(&text, section, "shared")[0].starts_with("shared ‡"), "{section}: {text}");
        }
    }

    #[test]
    fn a_bracket_has_its_columns() {
        let mut record = record();
        let cells: Vec<Cell> =
            record.study().cells.iter().filter(|cell| cell.backoff_tokens == 4096).cloned().collect();
        for power in 13..24 {
            let more = cells.iter().map(|cell| Cell { backoff_tokens: 1 << power, ..cell.clone() });
            record.content.study.cells.extend(more.collect::<Vec<Cell>>());
        }
        let conclusions = conclude(&record);
        let columns = backoffs(&conclusions);
        assert_eq!(columns.len(), COLUMNS);
        for end in conclusions.iter().flat_map(|one| [one.front.raised, one.front.flat]).flatten() {
            assert!(end.tokens == 0 || columns.contains(&end.tokens), "{end:?} in {columns:?}");
        }
        assert!(left_out(&conclusions, columns.len()).contains("6 of 13"));
        assert_eq!(left_out(&conclusions, 13), "");
    }

    #[test]
    fn what_was_measured_twice_is_judged_once() {
        let mut record = record();
        // A later pass with another time for the same combination, which no table shows.
        let mut cells = record.study().cells.iter();
        let mut again = cells.find(|cell| (cell.case.as_str(), cell.threads) == ("cheap", 2)).unwrap().clone();
        again.time_ns = Some(about(900.0, 1.0));
        record.content.study.cells.push(again);
        concluded(&mut record);
        let found = record.findings.iter().find(|finding| finding.subject.as_deref() == Some("cheap")).unwrap();
        assert!(found.is(super::super::rules::SCALES), "{found:?}");
    }

    #[test]
    fn a_length_of_work_that_cannot_be_told_is_that_of_the_calibration() {
        let mut record = record();
        let calibrated = record.study().tokens.as_ref().unwrap().ns(64.0);
        let head = |record: &StudyRecord| {
            let first = conclude(record).remove(0);
            first.points.iter().find(|point| point.backoff_tokens == 64).unwrap().work_ns
        };
        assert_eq!(head(&record), 50.1);
        let point = conclude(&record)[0].points.iter().find(|point| point.backoff_tokens == 64).cloned().unwrap();
        assert_eq!(point.work_all_ns, Some(50.1), "on two threads");
        record.content.study.cells[0].time_ns = Some(Estimate { low: 0.0, ..about(50.1, 90.0) });
        assert_eq!((record.study().cells[0].case.as_str(), head(&record)), (NOTHING, calibrated));
    }

    #[test]
    fn an_unresolved_difference_shows_its_interval() {
        assert_eq!(extra(Estimate { low: -139.0, high: 82.0, ..about(-28.0, 0.0) }), "-139 to +82 ns");
        assert_eq!(extra(Estimate { confidence: 0.0, ..about(5.0, 0.0) }), "?");
        assert_eq!(extra(about(6.38, 0.15)), "6.38 ns");
        assert_eq!(about_or_below(Some(about(3.12e6, 15.4e6)), None), "< 18.6 ms");
        assert_eq!(about_or_below(Some(about(13.9, 0.8)), None), "13.9 ns ± 0.8");
        assert_eq!(
            about_or_below(Some(Estimate { confidence: 0.0, ..about(5.0, 0.0) }), None),
            "5.00 ns (no interval)"
        );
        assert_eq!(about_or_below(None, Some(19.9)), "< 19.9 ns");
    }

    #[test]
    fn the_page_fits_any_terminal() {
        let mut record = record();
        let conclusions = concluded(&mut record);
        crate::experiment::synthetic::assert_fits(|width| page(&record, &conclusions, &[], width).finish());
    }

    #[test]
    fn the_page_begins_with_the_chart() {
        let mut record = record();
        let conclusions = concluded(&mut record);
        let runtimes = [Runtime {
            reason_unavailable: Some("its answer is too short".to_owned()),
            ..crate::probe::unasked(chronoscope_probes::RuntimeKind::Java)
        }];
        let text = page(&record, &conclusions, &runtimes, Width::of_columns(80)).finish();
        assert_golden("scaling-80.txt", &plain(&text));
        let browser = super::super::browser::page(&record, &conclusions, &runtimes).finish();
        let main = browser.find("<svg").unwrap();
        assert!(main < browser.find("<h2>Time per operation</h2>").unwrap());
        assert!(browser.contains("Java: its answer is too short") && browser.contains("<div class=\"small\">"));
    }
}
