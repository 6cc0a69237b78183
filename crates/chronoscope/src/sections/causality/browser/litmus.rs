use chronoscope_harness::quantity::{PERCENT, count, ns, share};
use chronoscope_render::axis::Scale;
use chronoscope_render::browser::{Chart, Entry, Figure, Mark, Row, Rows, Shape};
use chronoscope_render::page::Page;
use chronoscope_render::text::Mood;
use chronoscope_render::words::counted;

use crate::clock_id::ClockId;
use crate::document::Record;
use crate::judgement::causality::AcrossCores;
use crate::judgement::rules::non_causal_read::{NON_CAUSAL_READ, UNORDERED_READ_NOT_CAUSAL};
use crate::screen::browser::look::{key, of_named};
use crate::screen::browser::told::{code, sentence};
use crate::sections::causality::plan::LITMUS;
use crate::sections::causality::report::{Litmus, LitmusOutcome};
use crate::sections::causality::view;

/// Maximum clocks named in a sentence, and marks of one.
const NAMES: usize = 3;
const MARKS: usize = 24;

pub fn figure(record: &Record) -> Option<Figure> {
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
    let steps_back = steps_back(record, &outcomes);
    let how = "One CPU shows its reading to another, which then reads the same clock. A mark is the share of new values at which the second \
               reading was the earlier, one mark for each CPU that shows and each that reads; an arrow is the 95 % bound where it never was: the share is \
               below it.";
    let of_steps = match steps_back {
        Some(_) => {
            " Of steps back, the mark is the median, the line ends at the 99th percentile, and × is the longest."
        }
        None => "",
    };
    let mut numbers = Page::default();
    view::show_litmus(&mut numbers, record);
    let rates = rates(record, &outcomes);
    Some(Figure {
        says: said_of_litmus(record, &outcomes),
        key: key(&rates),
        charts: [Some(rates), steps_back].into_iter().flatten().map(Chart::Rows).collect(),
        how: format!("{how}{of_steps}"),
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
    let often = often(record, first).map(|often| format!("in {often} of new values, "));
    Some((code(first), format!("{}by up to {by}", often.unwrap_or_default())))
}

/// At how large a share of new values it went backwards, where more than one run tells, at most; None where none was counted.
fn often(record: &Record, clock: &ClockId) -> Option<String> {
    let causality = record.content.causality();
    let worst = share(causality.worst_share(clock)?);
    let runs = causality.litmus.iter().filter(|run| run.name == *clock).count();
    Some(if runs > 1 { format!("up to {worst}") } else { worst })
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
    let axis_name = "share of new values that went backwards".to_owned();
    Rows { entries, scale: Scale::Log, word: share, axis_name, reference: None }
}

fn rate(record: &Record, clock: &ClockId, outcome: &LitmusOutcome) -> Row {
    let causality = record.content.causality();
    let (hue, shape) = of_named(clock, record);
    let runs: Vec<&Litmus> = causality.litmus.iter().filter(|run| run.name == *clock).take(MARKS).collect();
    let (value, mood) = match outcome {
        LitmusOutcome::WentBack { .. } => {
            let by = ns(causality.worst_step_back_ns(clock));
            let often = often(record, clock).unwrap_or_else(|| "went back".to_owned());
            let is_broken = record.content.must_be_causal(clock) && record.content.causal(clock) == Some(false);
            let mood = if is_broken { Mood::Bad } else { Mood::Plain };
            (format!("{often}, by up to {by}"), mood)
        }
        LitmusOutcome::Held { rate_below } => (PERCENT.below(100.0 * rate_below), Mood::Plain),
        LitmusOutcome::TooFewValues => ("too few values to tell".to_owned(), Mood::Quiet),
    };
    let marks = match outcome {
        LitmusOutcome::Held { rate_below } => vec![Mark::Below { at: *rate_below }],
        LitmusOutcome::TooFewValues => Vec::new(),
        LitmusOutcome::WentBack { .. } => runs.iter().filter_map(|run| mark(run, shape)).collect(),
    };
    let of_run = |run: &&Litmus| {
        let went_back = run.went_back().map_or_else(|| "not counted".to_owned(), count);
        format!("CPU {} → {}: {went_back} of {} new values", run.writer, run.reader, count(run.fresh))
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
        LitmusOutcome::WentBack { share } => Some(Mark::Point { at: share?, shape, is_hollow: false }),
        LitmusOutcome::Held { rate_below } => Some(Mark::Below { at: rate_below }),
        LitmusOutcome::TooFewValues => None,
    }
}

/// How far back the new values of each clock were, in the run with the largest share of them; None if no run tells.
fn steps_back(record: &Record, outcomes: &[(&ClockId, LitmusOutcome)]) -> Option<Rows> {
    let causality = record.content.causality();
    let row = |(clock, _): &(&ClockId, LitmusOutcome)| {
        let (clock, of) = (*clock, causality.worst_run(clock)?.back_ns?);
        let worst = causality.worst_step_back_ns(clock);
        let (hue, shape) = of_named(clock, record);
        let marks = vec![
            Mark::Reach { from: of.p50, to: of.p99 },
            Mark::Point { at: of.p50, shape, is_hollow: false },
            Mark::Extreme { at: worst },
        ];
        let value = format!("{}, 99 % by ≤ {}", ns(of.p50), ns(of.p99));
        Some(Entry::Row(Row { name: clock.name().to_owned(), is_code: true, hue, marks, value, ..Row::default() }))
    };
    let rows: Vec<Entry> = outcomes.iter().filter_map(row).collect();
    let heading = Entry::Heading("how far those that went backwards did".to_owned());
    (!rows.is_empty()).then(|| Rows {
        entries: std::iter::once(heading).chain(rows).collect(),
        scale: Scale::Log,
        word: ns,
        axis_name: "step back".to_owned(),
        reference: None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::{MONOTONIC, figure, record, rows, says};
    use super::*;
    use crate::rules::tests::litmus as run;
    use chronoscope_harness::record::Quantiles;
    use chronoscope_sources::SourceId;

    const RDTSC: SourceId = SourceId::CounterUnordered;

    #[test]
    fn clocks_that_hold_have_a_bound_and_those_that_went_back_a_share() {
        let back_ns = Some(Quantiles { p50: 14.0, p99: 60.0 });
        let runs = vec![
            run(MONOTONIC, 10_000, 0),
            run(RDTSC, 2_000, 20),
            Litmus { worst_ns: 75.0, back_ns, ..run(RDTSC, 2_000, 200) },
        ];
        let held = record(Vec::new(), runs);
        let litmus = figure(&held, "litmus");
        let said = says(&litmus);
        assert_eq!(
            said[0],
            (Mood::Plain, "None of 1 clock that must not go backwards did, in 10\u{202f}000 new values.")
        );
        let back = "Of those that may, `rdtsc` did in up to 10.0 % of new values, by up to 75.0 ns. Between threads use an ordered read";
        assert!(said[1].0 == Mood::Plain && said[1].1.starts_with(back), "{said:?}");
        let (of_clocks, headings) = rows(&litmus.charts[0]);
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
        assert_eq!(of_clocks[1].value, "up to 10.0 %, by up to 75.0 ns");
        let (steps, _) = rows(&litmus.charts[1]);
        assert_eq!(
            (steps.len(), steps[0].name.as_str(), steps[0].value.as_str()),
            (1, "rdtsc", "14.0 ns, 99 % by ≤ 60.0 ns")
        );
        assert_eq!(steps[0].marks[0], Mark::Reach { from: 14.0, to: 60.0 });
        assert_eq!(steps[0].marks[2], Mark::Extreme { at: 75.0 });
    }

    #[test]
    fn a_clock_that_must_not_go_back_and_did_is_bad_unless_by_one_count() {
        let back = |by_one_count| Litmus { by_one_count, worst_ns: 300.0, ..run(MONOTONIC, 2_000, 20) };
        let broken = record(Vec::new(), vec![back(false)]);
        let litmus = figure(&broken, "litmus");
        let said = says(&litmus);
        let text = "`CLOCK_MONOTONIC` went backwards in 1.00 % of new values, by up to 300 ns. Do not compare times";
        assert!(said[0].0 == Mood::Bad && said[0].1.starts_with(text), "{said:?}");
        assert_eq!(rows(&litmus.charts[0]).0[0].mood, Mood::Bad);
        let by_one = record(Vec::new(), vec![back(true)]);
        let litmus = figure(&by_one, "litmus");
        assert!(litmus.says.iter().all(|(mood, _)| *mood != Mood::Bad), "{:?}", litmus.says);
        assert!(litmus.says[0].1.contains("did by more than one count"), "{:?}", litmus.says);
        assert_eq!(rows(&litmus.charts[0]).0[0].mood, Mood::Plain);
    }

    #[test]
    fn a_document_that_does_not_count_new_values_has_no_mark_among_shares_of_them() {
        let earlier = Litmus { violated: None, worst_ns: 75.0, ..run(RDTSC, 2_000, 200) };
        let litmus = figure(&record(Vec::new(), vec![run(MONOTONIC, 10_000, 0), earlier]), "litmus");
        let (of_clocks, _) = rows(&litmus.charts[0]);
        assert_eq!((of_clocks[1].value.as_str(), of_clocks[1].marks.len()), ("went back, by up to 75.0 ns", 0));
        assert!(
            of_clocks[1].more.ends_with("CPU 0 → 1: not counted of 2\u{202f}000 new values"),
            "{}",
            of_clocks[1].more
        );
        assert_eq!((litmus.charts.len(), of_clocks[0].marks.len()), (1, 1));
        assert!(
            says(&litmus)[1].1.starts_with("Of those that may, `rdtsc` did by up to 75.0 ns."),
            "{:?}",
            litmus.says
        );
    }
}
