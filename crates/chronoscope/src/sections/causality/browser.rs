//! The section on a page for browsers: whether the CPUs agree on the time, and which clocks go backwards between threads.

use chronoscope_harness::quantity::{TIME, count, ns, share};
use chronoscope_render::axis::Scale;
use chronoscope_render::browser::{Cell, Chart, Entry, Figure, Mark, Matrix, Row, Rows, Shape};
use chronoscope_render::page::Page;
use chronoscope_render::text::Mood;
use chronoscope_render::words::counted;

use super::plan::{LITMUS, OFFSETS};
use super::report::{Causality, Litmus, LitmusOutcome, PairOffset, worst_skew_ns};
use super::rules::CROSS_CPU_SKEW;
use super::view;
use crate::clock_id::ClockId;
use crate::document::Record;
use crate::judgement::causality::AcrossCores;
use crate::judgement::rules::non_causal_read::{NON_CAUSAL_READ, UNORDERED_READ_NOT_CAUSAL};
use crate::judgement::skew::Skew;
use crate::screen::browser::look::{key, of_named};
use crate::screen::browser::told::{code, sentence};

/// From so many pairs of CPUs they are drawn as a matrix, and the worst of them as rows below it.
const FEWEST_OF_MATRIX: usize = 12;
const WORST: usize = 4;
/// Maximum clocks named in a sentence, and marks of one.
const NAMES: usize = 3;
const MARKS: usize = 24;

pub fn figures(record: &Record) -> Vec<Figure> {
    [cpus(record), litmus(record)].into_iter().flatten().collect()
}

fn cpus(record: &Record) -> Option<Figure> {
    let causality = record.content.causality();
    let figure = Figure { id: "cpus", short: "CPUs", title: "Do the CPUs agree?".to_owned(), ..Figure::default() };
    let groups = causality.pairs_worst_first();
    if groups.is_empty() {
        let reason = causality.reason_unavailable.as_ref().map(|reason| format!("not tested: {reason}"));
        let reason = reason.unwrap_or_else(|| record.content.not_tested(&[OFFSETS]));
        return Some(Figure { says: vec![(Mood::Quiet, sentence(&reason))], ..figure });
    }
    let is_matrix = groups.len() >= FEWEST_OF_MATRIX;
    let mut charts = Vec::new();
    if is_matrix {
        charts.push(Chart::Matrix(matrix(causality, &groups)));
    }
    charts.push(Chart::Rows(offsets(record, if is_matrix { &groups[..WORST] } else { &groups })));
    let how = "A band is all that the messages between two CPUs leave possible for the difference of their clocks; the dashed line is no \
               difference, the value is the largest that is possible.";
    let of_matrix = format!(
        "Each cell is a pair of CPUs, in the colour of the larger bound of its clocks; a pointer on it shows them. Below, the \
         {WORST} worst pairs. "
    );
    let mut numbers = Page::default();
    view::show_pairs(&mut numbers, record);
    Some(Figure {
        says: said_of_cpus(record, &groups),
        charts,
        how: if is_matrix { of_matrix + how } else { how.to_owned() },
        numbers,
        ..figure
    })
}

fn said_of_cpus(record: &Record, groups: &[Vec<&PairOffset>]) -> Vec<(Mood, String)> {
    let causality = record.content.causality();
    let found = record.content.judgement.as_ref().map(|judgement| match &judgement.skew {
        Skew::NotExcluded { below_ns } => {
            let below = TIME.below(*below_ns);
            let text = format!(
                "Every interval holds 0: a skew, if any, is {below}. Readings on two CPUs that are closer have no certain order."
            );
            (Mood::Plain, text)
        }
        Skew::Apart { .. } => (Mood::Bad, apart(groups)),
        Skew::NotTested { reason } => (Mood::Quiet, sentence(&format!("not tested: {reason}"))),
    });
    let tried = match (causality.pairs_tested_of_more(), causality.pairs_possible) {
        (Some(tested), possible) => Some(format!("{} of {} pairs of CPUs were tried.", count(tested), count(possible))),
        (None, 0) => None,
        (None, 1) => Some("It is the only pair of CPUs.".to_owned()),
        (None, possible) => Some(format!("All {} pairs of CPUs were tried.", count(possible))),
    };
    found.into_iter().chain(tried.map(|tried| (Mood::Plain, tried))).collect()
}

/// Which CPUs disagree, by how much, and what to do.
fn apart(groups: &[Vec<&PairOffset>]) -> String {
    let disagree: Vec<&PairOffset> =
        groups.iter().filter_map(|group| group.iter().find(|pair| pair.shows_skew()).copied()).collect();
    let more = match disagree.len().saturating_sub(1) {
        0 => String::new(),
        more => format!(" and {}", counted(more as u64, "more pair", "more pairs")),
    };
    let first = disagree.first().map_or_else(String::new, |pair| {
        let by = disagreement(pair);
        format!("CPUs {} and {} disagree{more}: {} is {by} apart. ", pair.a, pair.b, code(&pair.clock))
    });
    format!("{first}{}", sentence(CROSS_CPU_SKEW.mend))
}

fn disagreement(pair: &PairOffset) -> String {
    let [offset, skew] = view::offset_and_skew(pair);
    if pair.reason_not_constant.is_some() { skew } else { offset }
}

fn offsets(record: &Record, groups: &[Vec<&PairOffset>]) -> Rows {
    let mut entries = Vec::new();
    for group in groups {
        entries.extend(group.first().map(|pair| Entry::Heading(between(pair))));
        entries.extend(group.iter().map(|pair| Entry::Row(offset(record, pair))));
    }
    Rows {
        entries,
        scale: Scale::Linear,
        word: |value| TIME.signed().value(value),
        axis_name: "clock of the second CPU less that of the first".to_owned(),
        reference: Some(0.0),
    }
}

fn between(pair: &PairOffset) -> String {
    format!("CPU {} and CPU {}", pair.a, pair.b)
}

fn offset(record: &Record, pair: &PairOffset) -> Row {
    let (hue, shape) = of_named(&pair.clock, record);
    let [said, skew] = view::offset_and_skew(pair);
    let is_bad = pair.shows_skew();
    let at = pair.offset_ns;
    let marks = vec![
        Mark::Band { from: at - pair.half_width_ns, to: at + pair.half_width_ns },
        Mark::Point { at, shape, is_hollow: pair.reason_not_constant.is_some() },
    ];
    Row {
        name: pair.clock.name().to_owned(),
        is_code: true,
        hue,
        marks,
        value: if is_bad { format!("✘ {}", disagreement(pair)) } else { skew },
        mood: if is_bad { Mood::Bad } else { Mood::Plain },
        more: format!("{}, {}\n{said}\n{} round trips", between(pair), pair.clock, count(pair.rounds)),
        ..Row::default()
    }
}

fn matrix(causality: &Causality, groups: &[Vec<&PairOffset>]) -> Matrix {
    let cpus = causality.cpus_compared();
    let place = |cpu: u32| cpus.binary_search(&cpu).ok();
    let cell = |group: &Vec<&PairOffset>| {
        let pair = group.first()?;
        let lines = [place(pair.a)?, place(pair.b)?];
        let each: Vec<String> =
            group.iter().map(|pair| format!("{}: {}", pair.clock, view::offset_and_skew(pair).join(", "))).collect();
        Some(Cell {
            lines,
            value: worst_skew_ns(group),
            more: format!("{}\n{}", between(pair), each.join("\n")),
            is_bad: group.iter().any(|pair| pair.shows_skew()),
        })
    };
    Matrix {
        names: cpus.iter().map(u32::to_string).collect(),
        cells: groups.iter().filter_map(cell).collect(),
        word: |value| TIME.below(value),
        lines: "CPU".to_owned(),
        amount: "skew, if any".to_owned(),
    }
}

fn litmus(record: &Record) -> Option<Figure> {
    let causality = record.content.causality();
    let figure = Figure {
        id: "litmus",
        short: "between threads",
        title: "Backwards between threads?".to_owned(),
        ..Figure::default()
    };
    let mut outcomes = causality.outcomes();
    if outcomes.is_empty() {
        // Where CPUs cannot be compared at all, the figure before says so.
        let reason = record.content.not_tested(&[LITMUS]);
        return causality
            .reason_unavailable
            .is_none()
            .then(|| Figure { says: vec![(Mood::Quiet, sentence(&reason))], ..figure });
    }
    outcomes.sort_by(|(_, a), (_, b)| b.is_worse_than(a).cmp(&a.is_worse_than(b)));
    outcomes.sort_by_key(|(_, outcome)| matches!(outcome, LitmusOutcome::TooFewValues));
    let of = match causality.litmus.iter().any(|run| run.rate_is_of() == "observations") {
        true => "observations, since the document does not count such values",
        false => "new values",
    };
    let mut numbers = Page::default();
    view::show_litmus(&mut numbers, record);
    let rows = rates(record, &outcomes);
    Some(Figure {
        says: said_of_litmus(record, &outcomes),
        key: key(&rows),
        charts: vec![Chart::Rows(rows)],
        how: format!(
            "One CPU shows its reading to another, which then reads the same clock. A mark is the share of {of} at which the second \
             reading was the earlier, one mark for each pair of CPUs; an arrow is the 95 % bound where it never was: the share is \
             below it."
        ),
        numbers,
        ..figure
    })
}

fn said_of_litmus(record: &Record, outcomes: &[(&ClockId, LitmusOutcome)]) -> Vec<(Mood, String)> {
    let went_back = |must_be: bool| -> Vec<&ClockId> {
        let of = outcomes.iter().filter(|(clock, _)| record.content.must_be_causal(clock) == must_be);
        of.filter(|(_, outcome)| matches!(outcome, LitmusOutcome::WentBack { .. })).map(|(clock, _)| *clock).collect()
    };
    let (broken, by_one_count): (Vec<&ClockId>, Vec<&ClockId>) =
        went_back(true).into_iter().partition(|clock| record.content.causal(clock) == Some(false));
    let mut says: Vec<(Mood, String)> = Vec::new();
    says.extend(record.content.judgement.as_ref().map(|judgement| match &judgement.causality.across_cores {
        AcrossCores::Causal { clocks, new_values, .. } => {
            (Mood::Plain, format!("{}.", none_did(*clocks, *new_values, !by_one_count.is_empty())))
        }
        AcrossCores::WentBackwards { .. } => {
            let went_back = worst(record, &broken).map(|(first, by)| match broken.len() {
                1 => format!("{first} went backwards {by}"),
                many => {
                    format!("{} clocks that must not go backwards did, most often {first}: {by}", count(many as u64))
                }
            });
            let went_back = went_back.unwrap_or_else(|| judgement.causality.words());
            (Mood::Bad, format!("{} {}", sentence(&went_back), sentence(NON_CAUSAL_READ.mend)))
        }
        AcrossCores::Unknown { unknown, clocks, new_values } => {
            let unknown = names(unknown);
            let text = match clocks {
                0 => format!("It is not known of {unknown}."),
                _ => {
                    let others = none_did(*clocks, *new_values, !by_one_count.is_empty());
                    format!("{others}; of {unknown} it is not known.")
                }
            };
            (Mood::Plain, text)
        }
        AcrossCores::NotTested { reason } => (Mood::Quiet, sentence(&format!("not tested: {reason}"))),
    }));
    let may = outcomes.iter().any(|(clock, _)| !record.content.must_be_causal(clock));
    says.extend(may.then(|| {
        let by_design = went_back(false);
        let text = worst(record, &by_design).map(|(first, by)| match by_design.len() {
            1 => format!("Of those that may, {first} did {by}."),
            many => format!("Of those that may, {} did, most often {first}: {by}.", count(many as u64)),
        });
        let instead = sentence(UNORDERED_READ_NOT_CAUSAL.mend);
        let text = text.map(|text| format!("{text} {instead}"));
        (Mood::Plain, text.unwrap_or_else(|| "Those that may were not seen to go backwards.".to_owned()))
    }));
    says
}

fn none_did(clocks: u64, new_values: u64, some_by_one_count: bool) -> String {
    let clocks = counted(clocks, "clock that must not go backwards", "clocks that must not go backwards");
    let did = if some_by_one_count { "did by more than one count of the counter" } else { "did" };
    format!("None of {clocks} {did}, in {}", counted(new_values, "new value", "new values"))
}

/// Some clocks by name.
fn names(clocks: &[ClockId]) -> String {
    let named: Vec<String> = clocks.iter().take(NAMES).map(code).collect();
    let more = match clocks.len().saturating_sub(NAMES) {
        0 => String::new(),
        more => format!(" and {} more", count(more as u64)),
    };
    format!("{}{more}", named.join(", "))
}

/// The first of these clocks, with how often and by how much it went backwards; None if there are none.
fn worst(record: &Record, clocks: &[&ClockId]) -> Option<(String, String)> {
    let first = *clocks.first()?;
    let causality = record.content.causality();
    let by = ns(causality.worst_step_back_ns(first));
    let of = causality
        .litmus
        .iter()
        .find(|run| run.name == *first && matches!(run.outcome(), LitmusOutcome::WentBack { .. }))?;
    let often = causality.worst_share(first).map(|rate| format!("in {} of {}, ", share(rate), of.rate_is_of()));
    Some((code(first), format!("{}by up to {by}", often.unwrap_or_default())))
}

fn rates(record: &Record, outcomes: &[(&ClockId, LitmusOutcome)]) -> Rows {
    let mut entries = Vec::new();
    for (must_be, title) in [(true, "must not go backwards"), (false, "may go backwards: the CPU may read them early")]
    {
        let of: Vec<Entry> = outcomes
            .iter()
            .filter(|(clock, _)| record.content.must_be_causal(clock) == must_be)
            .map(|(clock, outcome)| Entry::Row(rate(record, clock, outcome)))
            .collect();
        entries.extend((!of.is_empty()).then(|| Entry::Heading(title.to_owned())));
        entries.extend(of);
    }
    let axis_name = "share that went backwards".to_owned();
    Rows { entries, scale: Scale::Log, word: share, axis_name, reference: None }
}

fn rate(record: &Record, clock: &ClockId, outcome: &LitmusOutcome) -> Row {
    let causality = record.content.causality();
    let (hue, shape) = of_named(clock, record);
    let runs: Vec<&Litmus> = causality.litmus.iter().filter(|run| run.name == *clock).take(MARKS).collect();
    let (value, mood) = match outcome {
        LitmusOutcome::WentBack { .. } => {
            let by = ns(causality.worst_step_back_ns(clock));
            let often = causality.worst_share(clock).map_or_else(|| "went back".to_owned(), share);
            let is_broken = record.content.must_be_causal(clock) && record.content.causal(clock) == Some(false);
            let mood = if is_broken { Mood::Bad } else { Mood::Plain };
            (format!("{often}, by up to {by}"), mood)
        }
        LitmusOutcome::Held { rate_below } => (format!("< {}", share(*rate_below)), Mood::Plain),
        LitmusOutcome::TooFewValues => ("too few values to tell".to_owned(), Mood::Quiet),
    };
    let marks = match outcome {
        LitmusOutcome::Held { rate_below } => vec![Mark::Below { at: *rate_below }],
        LitmusOutcome::TooFewValues => Vec::new(),
        LitmusOutcome::WentBack { .. } => runs.iter().filter_map(|run| mark(run, shape)).collect(),
    };
    let of_run = |run: &&Litmus| {
        let (went_back, of) = run.went_back();
        format!("CPU {} → {}: {} of {} {}", run.writer, run.reader, count(went_back), count(of), run.rate_is_of())
    };
    let more: Vec<String> = std::iter::once(clock.name().to_owned()).chain(runs.iter().map(of_run)).collect();
    Row {
        name: clock.name().to_owned(),
        is_code: true,
        hue,
        marks,
        value,
        mood,
        more: more.join("\n"),
        ..Row::default()
    }
}

/// The share of one run, or the bound on it.
fn mark(run: &Litmus, shape: Shape) -> Option<Mark> {
    match run.outcome() {
        LitmusOutcome::WentBack { share } => Some(Mark::Point { at: share, shape, is_hollow: false }),
        LitmusOutcome::Held { rate_below } => Some(Mark::Below { at: rate_below }),
        LitmusOutcome::TooFewValues => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::judged;
    use crate::rules::tests::{blank, litmus as run, pair, readable};
    use chronoscope_sources::SourceId;
    use chronoscope_sources::os::OsClock;

    const MONOTONIC: SourceId = SourceId::Os(OsClock::Monotonic);
    const RDTSC: SourceId = SourceId::CounterUnordered;

    fn record(pairs: Vec<PairOffset>, litmus: Vec<Litmus>) -> Record {
        let mut record = blank();
        record.content.sections.clocks.report.clocks = vec![readable(MONOTONIC)];
        record.content.sections.causality.plan.litmus_pairs = vec![(0, 1)];
        let report = Causality { pairs, pairs_possible: 1, litmus, reason_unavailable: None };
        record.content.sections.causality.report = report;
        judged(record)
    }

    fn figure(record: &Record, id: &str) -> Figure {
        figures(record).into_iter().find(|figure| figure.id == id).unwrap()
    }

    fn says(figure: &Figure) -> Vec<(Mood, &str)> {
        figure.says.iter().map(|(mood, text)| (*mood, text.as_str())).collect()
    }

    /// The rows of the last chart, and its headings.
    fn rows(figure: &Figure) -> (Vec<&Row>, Vec<&str>) {
        let Some(Chart::Rows(rows)) = figure.charts.last() else { panic!("{:?}", figure.charts) };
        let of_rows = rows.entries.iter().filter_map(|entry| match entry {
            Entry::Row(row) => Some(row),
            Entry::Heading(_) => None,
        });
        let headings = rows.entries.iter().filter_map(|entry| match entry {
            Entry::Heading(title) => Some(title.as_str()),
            Entry::Row(_) => None,
        });
        (of_rows.collect(), headings.collect())
    }

    #[test]
    fn an_interval_that_holds_zero_is_a_bound() {
        let record = record(vec![pair(4.0, 0)], Vec::new());
        let cpus = figure(&record, "cpus");
        let (of_pairs, headings) = rows(&cpus);
        assert_eq!(headings, ["CPU 0 and CPU 1"]);
        assert_eq!(of_pairs[0].marks[0], Mark::Band { from: -6.0, to: 14.0 });
        assert!(matches!(of_pairs[0].marks[1], Mark::Point { at: 4.0, is_hollow: false, .. }), "{of_pairs:?}");
        assert_eq!((of_pairs[0].value.as_str(), of_pairs[0].mood), ("< 14.0 ns", Mood::Plain));
        let said = says(&cpus);
        assert!(
            said[0].0 == Mood::Plain && said[0].1.starts_with("Every interval holds 0: a skew, if any, is < 14.0 ns")
        );
        assert_eq!(said[1].1, "It is the only pair of CPUs.");
    }

    #[test]
    fn cpus_that_disagree_are_named_and_come_first() {
        let moved = PairOffset { reason_not_constant: Some("it jumped".to_owned()), a: 1, b: 2, ..pair(90.0, 0) };
        let mut apart = record(vec![pair(4.0, 0), PairOffset { b: 2, ..pair(-500.0, 3) }, moved], Vec::new());
        apart.content.sections.causality.report.pairs_possible = 6;
        let cpus = figure(&apart, "cpus");
        let said = says(&cpus);
        let disagree = "CPUs 0 and 2 disagree and 1 more pair: `CLOCK_MONOTONIC` is -500 ns ± 10.0 ns apart.";
        assert!(said[0].0 == Mood::Bad && said[0].1.starts_with(disagree), "{said:?}");
        assert!(said[0].1.ends_with("bind what you time to one of them."), "{said:?}");
        assert_eq!(said[1].1, "3 of 6 pairs of CPUs were tried.");
        let (of_pairs, headings) = rows(&cpus);
        assert_eq!(headings, ["CPU 0 and CPU 2", "CPU 1 and CPU 2", "CPU 0 and CPU 1"]);
        let values: Vec<(&str, Mood)> = of_pairs.iter().map(|row| (row.value.as_str(), row.mood)).collect();
        let wanted = [("✘ -500 ns ± 10.0 ns", Mood::Bad), ("✘ ≥ 100 ns", Mood::Bad), ("< 14.0 ns", Mood::Plain)];
        assert_eq!(values, wanted);
        assert!(matches!(of_pairs[1].marks[1], Mark::Point { is_hollow: true, .. }), "{of_pairs:?}");
    }

    #[test]
    fn many_pairs_are_a_matrix_and_the_worst_of_them_rows() {
        let between = |b: u32| PairOffset { b, half_width_ns: f64::from(b), ..pair(0.0, 0) };
        let few = record((1..FEWEST_OF_MATRIX as u32).map(between).collect(), Vec::new());
        assert_eq!(figure(&few, "cpus").charts.len(), 1);
        let many = record((1..=FEWEST_OF_MATRIX as u32).map(between).collect(), Vec::new());
        let cpus = figure(&many, "cpus");
        let [Chart::Matrix(matrix), Chart::Rows(_)] = &cpus.charts[..] else { panic!("{:?}", cpus.charts) };
        assert_eq!((matrix.names.len(), matrix.cells.len()), (13, 12));
        assert_eq!((matrix.cells[0].lines, matrix.cells[0].value), ([0, 12], 12.0));
        assert!(matrix.cells[0].more.contains("CLOCK_MONOTONIC: 0 ns ± 12.0 ns"), "{:?}", matrix.cells[0]);
        assert_eq!(rows(&cpus).0.len(), WORST);
    }

    #[test]
    fn clocks_that_hold_have_a_bound_and_those_that_went_back_a_share() {
        let runs =
            vec![run(MONOTONIC, 10_000, 0), run(RDTSC, 2_000, 20), Litmus { worst_ns: 75.0, ..run(RDTSC, 2_000, 200) }];
        let held = record(Vec::new(), runs);
        let litmus = figure(&held, "litmus");
        let said = says(&litmus);
        assert_eq!(
            said[0],
            (Mood::Plain, "None of 1 clock that must not go backwards did, in 10\u{202f}000 new values.")
        );
        let back = "Of those that may, `rdtsc` did in 10.0 % of new values, by up to 75.0 ns. Between threads use an ordered read";
        assert!(said[1].0 == Mood::Plain && said[1].1.starts_with(back), "{said:?}");
        let (of_clocks, headings) = rows(&litmus);
        assert_eq!(headings, ["must not go backwards", "may go backwards: the CPU may read them early"]);
        assert!(matches!(of_clocks[0].marks[..], [Mark::Below { at }] if at < 0.001), "{of_clocks:?}");
        let shares: Vec<[f64; 2]> = of_clocks[1]
            .marks
            .iter()
            .map(|mark| match mark {
                Mark::Point { at, .. } => [*at; 2],
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(shares, [[0.01; 2], [0.1; 2]]);
        assert_eq!(of_clocks[1].value, "10.0 %, by up to 75.0 ns");
    }

    #[test]
    fn a_clock_that_must_not_go_back_and_did_is_bad_unless_by_one_count() {
        let back = |by_one_count| Litmus { by_one_count, worst_ns: 300.0, ..run(MONOTONIC, 2_000, 20) };
        let broken = record(Vec::new(), vec![back(false)]);
        let litmus = figure(&broken, "litmus");
        let said = says(&litmus);
        let text = "`CLOCK_MONOTONIC` went backwards in 1.00 % of new values, by up to 300 ns. Do not compare times";
        assert!(said[0].0 == Mood::Bad && said[0].1.starts_with(text), "{said:?}");
        assert_eq!(rows(&litmus).0[0].mood, Mood::Bad);
        let by_one = record(Vec::new(), vec![back(true)]);
        let litmus = figure(&by_one, "litmus");
        assert!(litmus.says.iter().all(|(mood, _)| *mood != Mood::Bad), "{:?}", litmus.says);
        assert!(litmus.says[0].1.contains("did by more than one count"), "{:?}", litmus.says);
        assert_eq!(rows(&litmus).0[0].mood, Mood::Plain);
    }

    #[test]
    fn what_was_not_tested_or_told_nothing_says_so() {
        let few = record(Vec::new(), vec![run(MONOTONIC, 7, 0)]);
        let litmus = figure(&few, "litmus");
        assert_eq!(rows(&litmus).0[0].value, "too few values to tell");
        assert_eq!(says(&litmus), [(Mood::Plain, "It is not known of `CLOCK_MONOTONIC`.")]);
        let cpus = figure(&few, "cpus");
        assert!(cpus.charts.is_empty() && cpus.says[0].1.starts_with("Not tested: "), "{:?}", cpus.says);
        let mut alone = blank();
        alone.content.sections.causality.report.reason_unavailable = Some("one CPU is allowed".to_owned());
        let all = figures(&alone);
        assert_eq!(all.len(), 1);
        assert_eq!(says(&all[0]), [(Mood::Quiet, "Not tested: one CPU is allowed.")]);
        // Numbers that no chart has a place for.
        let hostile = PairOffset { offset_ns: f64::NAN, half_width_ns: f64::INFINITY, ..pair(0.0, 0) };
        let uncounted = Litmus { violated: Some(0), violations: 3, worst_ns: f64::NAN, ..run(MONOTONIC, 2_000, 0) };
        assert_eq!(figures(&record(vec![hostile; 40], vec![uncounted; 40])).len(), 2);
    }
}
