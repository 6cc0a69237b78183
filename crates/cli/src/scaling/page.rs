use chronoscope_measure::record::study::{Estimate, StudyRecord};
use chronoscope_report::text::{Column, Mood, Text, count, ns};

use super::chart::{WIDTH, chart};
use super::front::{Conclusion, Rise};
use super::grid::NOTHING;
use super::words::{self, Said};
use crate::experiment::show;

/// Backoffs that a table has room for.
const COLUMNS: usize = 6;
const NONE: &str = "–";

/// What was found, as text for a terminal.
pub(crate) fn page(record: &StudyRecord, conclusions: &[Conclusion]) -> String {
    let mut page = Text::new();
    show::title(&mut page, record, "scaling");
    if record.interrupted {
        page.sentence(Mood::Warning, "!", "interrupted: what follows was measured until then");
    }
    for failure in &record.failures {
        page.sentence(Mood::Bad, "✘", &format!("{} failed ({}): {}", failure.case, failure.at, failure.reason));
    }
    fronts(&mut page, conclusions);
    charts(&mut page, conclusions);
    reads(&mut page, conclusions);
    operations(&mut page, record, conclusions);
    added(&mut page, record, conclusions);
    crowded(&mut page, conclusions);
    page.section("HOW SURE");
    for sentence in show::how_sure(record) {
        page.sentence(Mood::Quiet, "·", &sentence);
    }
    page.finish()
}

fn fronts(page: &mut Text, conclusions: &[Conclusion]) {
    page.section("SCALABILITY FRONT");
    let all: Vec<(&str, Said)> =
        conclusions.iter().map(|conclusion| (conclusion.clock.as_str(), words::said(conclusion))).collect();
    for (i, (_, said)) in all.iter().enumerate() {
        if !said.is_shared {
            page.sentence(said.mood, said.sign, &said.words);
        } else if !all[..i].iter().any(|(_, before)| before == said) {
            // What fits many clocks is said once.
            let names: Vec<&str> = all.iter().filter(|(_, other)| other == said).map(|(name, _)| *name).collect();
            page.sentence(said.mood, said.sign, &format!("{}: {}", said.words, names.join(", ")));
        }
    }
    page.sentence(Mood::Quiet, " ", &words::definition());
}

/// The clock that suffers most, beside one that programs use.
fn charts(page: &mut Text, conclusions: &[Conclusion]) {
    let worst = conclusions.iter().max_by(|a, b| a.worst_rise().total_cmp(&b.worst_rise()));
    let usual = ["CLOCK_MONOTONIC", "ordered"].iter().find_map(|name| {
        let mut others = conclusions.iter().filter(|other| worst.is_none_or(|worst| worst.clock != other.clock));
        others.find(|conclusion| conclusion.clock == *name)
    });
    let mut drawn: Vec<Vec<String>> = worst.into_iter().chain(usual).map(chart).collect();
    drawn.retain(|chart| !chart.is_empty());
    if drawn.is_empty() {
        return;
    }
    page.section("OVER THREADS (a line for each amount of work between reads, log scale)");
    let rows = drawn.iter().map(Vec::len).max().unwrap_or(0);
    for row in 0..rows {
        let empty = " ".repeat(usize::from(WIDTH));
        let pieces: Vec<&str> =
            drawn.iter().map(|chart| chart.get(row).map_or(empty.as_str(), String::as_str)).collect();
        page.verbatim(Mood::Plain, &pieces.join("   "));
    }
    page.sentence(Mood::Quiet, " ", "▲ more than on one thread; ░ the forbidden zone, in which you measure the clock");
}

/// Reads in a row and steps of the value.
fn reads(page: &mut Text, conclusions: &[Conclusion]) {
    let mut threads: Vec<u32> = conclusions.iter().flat_map(|one| one.reads.iter().map(|read| read.threads)).collect();
    threads.sort_unstable();
    threads.dedup();
    // One thread and all.
    threads = threads.first().into_iter().chain(threads.last().filter(|_| threads.len() > 1)).copied().collect();
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
        let of = |count: &u32| conclusion.reads.iter().find(|read| read.threads == *count);
        let cells = threads.iter().flat_map(|count| {
            let Some(read) = of(count) else { return [NONE.to_owned(), NONE.to_owned()] };
            [about_or_below(read.latency_ns, read.latency_below_ns), about_or_below(read.step_ns, read.step_below_ns)]
        });
        std::iter::once(conclusion.clock.clone()).chain(cells).collect()
    });
    page.table(&columns, rows.collect::<Vec<Vec<String>>>());
    page.sentence(
        Mood::Quiet,
        " ",
        "a step: mean time until the value changes; where it takes as long as a read, the step is shorter and hidden by it",
    );
}

/// Time per operation between work.
fn operations(page: &mut Text, record: &StudyRecord, conclusions: &[Conclusion]) {
    let columns = backoffs(conclusions);
    if columns.is_empty() {
        return;
    }
    page.section("TIME PER OPERATION: the work, then one read");
    let mut rows = Vec::new();
    let time = |case: &str, threads: u32, tokens: u64| {
        let mut cells = record.cells.iter().filter(|cell| cell.case == case && cell.threads == threads);
        let cell = cells.find(|cell| cell.backoff_tokens == tokens)?;
        Some(cell.time_ns.map_or_else(
            || cell.below_ns.map_or_else(|| NONE.to_owned(), |below| format!("< {}", ns(below))),
            |time| ns(time.estimate),
        ))
    };
    let named = conclusions.iter().map(|conclusion| (conclusion.clock.as_str(), Some(conclusion)));
    for (case, conclusion) in std::iter::once((NOTHING, None)).chain(named) {
        for threads in within(conclusions) {
            let cells = columns.iter().map(|(tokens, _)| {
                let point = conclusion.and_then(|one| {
                    one.points.iter().find(|point| (point.backoff_tokens, point.threads) == (*tokens, threads))
                });
                let mark = match point.map(|point| point.rise) {
                    Some(Rise::Raised) => " ▲",
                    Some(Rise::Unresolved) => " ?",
                    Some(Rise::Flat) | None => "  ",
                };
                time(case, threads, *tokens).map(|time| format!("{time}{mark}"))
            });
            let cells: Vec<Option<String>> = cells.collect();
            if cells.iter().all(Option::is_none) {
                continue;
            }
            let cells = cells.into_iter().map(|cell| cell.unwrap_or_else(|| format!("{NONE}  ")));
            let is_first = threads == 1;
            let name = if is_first { case.to_owned() } else { String::new() };
            let mood = if case == NOTHING { Mood::Quiet } else { Mood::Plain };
            rows.push((mood, [name, threads.to_string()].into_iter().chain(cells).collect()));
        }
    }
    page.table_with_moods(&heads(&columns), rows);
    page.sentence(
        Mood::Quiet,
        " ",
        "columns: the work between reads; ▲ in the forbidden zone; ? unresolved; – not measured: work so short beside a read \
         is the same as none",
    );
}

/// What a read adds to the work beside it, from pairs of the same round.
fn added(page: &mut Text, record: &StudyRecord, conclusions: &[Conclusion]) {
    let columns = backoffs(conclusions);
    let mut rows = Vec::new();
    for conclusion in conclusions {
        for threads in within(conclusions) {
            let difference = |tokens: u64| {
                let of = record.comparisons.iter().filter(|comparison| {
                    comparison.case == conclusion.clock
                        && comparison.threads == threads
                        && comparison.baseline == NOTHING
                });
                let mut points = of.flat_map(|comparison| &comparison.points);
                points.find(|point| point.backoff_tokens == tokens).map(|point| point.difference_ns)
            };
            let found: Vec<Option<Estimate>> = columns.iter().map(|(tokens, _)| difference(*tokens)).collect();
            if found.iter().all(Option::is_none) {
                continue;
            }
            let name = if threads == 1 { conclusion.clock.clone() } else { String::new() };
            let cells = found.into_iter().map(extra);
            rows.push([name, threads.to_string()].into_iter().chain(cells).collect::<Vec<String>>());
        }
    }
    if rows.is_empty() {
        return;
    }
    page.section("WHAT A READ ADDS to the work beside it, compared directly");
    page.table(&heads(&columns), rows);
    page.sentence(
        Mood::Quiet,
        " ",
        "from pairs of one round; (± …): within what this run resolves, so no cost is known",
    );
}

fn crowded(page: &mut Text, conclusions: &[Conclusion]) {
    let rows: Vec<Vec<String>> = conclusions
        .iter()
        .flat_map(|conclusion| {
            conclusion.crowded.iter().enumerate().map(|(i, crowded)| {
                let name = if i == 0 { conclusion.clock.clone() } else { String::new() };
                let work = count(crowded.backoff_tokens);
                vec![name, work, count(u64::from(crowded.threads)), about(Some(crowded.time_ns))]
            })
        })
        .collect();
    if rows.is_empty() {
        return;
    }
    page.section("MORE THREADS THAN CPUs: threads wait for a CPU, not for the clock");
    let columns =
        [Column::left("clock"), Column::right("tokens"), Column::right("threads"), Column::right("time per operation")];
    page.table(&columns, rows);
    page.sentence(Mood::Quiet, " ", "a regime of its own: it tells nothing of a front");
}

/// The backoffs that get a column, with the work that they are; spread evenly over all.
fn backoffs(conclusions: &[Conclusion]) -> Vec<(u64, f64)> {
    let points = conclusions.iter().flat_map(|conclusion| &conclusion.points).filter(|point| point.backoff_tokens > 0);
    let mut all: Vec<(u64, f64)> = points.map(|point| (point.backoff_tokens, point.work_ns)).collect();
    all.sort_by_key(|(tokens, _)| *tokens);
    all.dedup_by_key(|(tokens, _)| *tokens);
    let most = COLUMNS.min(all.len());
    (0..most).map(|i| all[i * (all.len() - 1) / (most - 1).max(1)]).collect()
}

/// Numbers of threads that do not share CPUs, one first.
fn within(conclusions: &[Conclusion]) -> Vec<u32> {
    let all = conclusions.iter().flat_map(|conclusion| conclusion.points.iter().map(|point| point.threads));
    let mut threads: Vec<u32> = std::iter::once(1).chain(all).collect();
    threads.sort_unstable();
    threads.dedup();
    threads
}

fn heads(columns: &[(u64, f64)]) -> Vec<Column> {
    let works = columns.iter().map(|(_, work)| Column::right(ns(*work)));
    [Column::left("clock"), Column::right("threads")].into_iter().chain(works).collect()
}

/// An estimate with the half width of its interval.
fn about(estimate: Option<Estimate>) -> String {
    estimate.map_or_else(|| NONE.to_owned(), |found| format!("{} ± {}", ns(found.estimate), ns(found.half_width())))
}

/// An estimate, or what it is less than.
fn about_or_below(estimate: Option<Estimate>, below_ns: Option<f64>) -> String {
    match (estimate, below_ns) {
        (None, Some(below)) => format!("< {}", ns(below)),
        _ => about(estimate),
    }
}

/// A difference; one that is not resolved is no cost.
fn extra(difference: Option<Estimate>) -> String {
    match difference {
        None => NONE.to_owned(),
        Some(found) if found.holds(0.0) || found.confidence <= 0.0 => format!("(± {})", ns(found.half_width())),
        Some(found) => ns(found.estimate),
    }
}
