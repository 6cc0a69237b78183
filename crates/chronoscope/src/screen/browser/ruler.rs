//! Everything that limits what can be timed, on one axis of time.

use chronoscope_harness::estimators::intervals::{ShortestInterval, Tolerance};
use chronoscope_harness::quantity::{TIME, ns};
use chronoscope_render::axis::Scale;
use chronoscope_render::browser::{Chart, Entry, Figure, Hue, Mark, Row, Rows, Shape};
use chronoscope_render::text::Mood;

use super::look::{key, of_clock};
use super::told::code;
use crate::clock_id::ClockId;
use crate::document::Record;
use crate::judgement::Judgement;
use crate::judgement::skew::Skew;

/// The ruler, if any clock can be recommended.
pub fn figure(record: &Record, judgement: &Judgement) -> Option<Figure> {
    let uses = &judgement.uses;
    let named = [&uses.durations, &uses.short_intervals, &uses.time_of_day, &uses.rust_hot_path];
    let clocks: Vec<&ClockId> = named.into_iter().flatten().collect();
    let mut entries = vec![Entry::Heading("one read".to_owned())];
    entries.extend(clocks.iter().filter_map(|clock| read(record, clock)).map(Entry::Row));
    entries.push(Entry::Heading("the shortest interval that two reads time".to_owned()));
    entries.extend(clocks.iter().filter_map(|clock| interval(record, clock)).map(Entry::Row));
    entries.push(Entry::Heading("between CPUs, and between two reads".to_owned()));
    entries.extend(skew(&judgement.skew).map(Entry::Row));
    entries.extend(judgement.noise.lost.as_ref().map(|lost| {
        let marks = vec![Mark::Reach { from: lost.above_ns, to: lost.worst_ns }, Mark::Extreme { at: lost.worst_ns }];
        let value = format!("up to {}", ns(lost.worst_ns));
        Entry::Row(Row { name: "gaps between two reads".to_owned(), hue: Hue::Ochre, marks, value, ..Row::default() })
    }));
    let rows = Rows { entries, scale: Scale::Log, word: ns, axis_name: "time".to_owned(), reference: None };
    Some(Figure {
        id: "ruler",
        short: "ruler",
        title: "Everything on one ruler".to_owned(),
        says: said(judgement),
        key: key(&rows),
        charts: vec![Chart::Rows(rows)],
        how: "Every mark is a time on one logarithmic axis. A band begins at the interval that is right to ±10 %, and ends where ±1 % \
              begins. An arrow is a bound: the truth is below it. Line to a cross: gaps, up to the longest; they \
              come on top of every figure above them."
            .to_owned(),
        ..Figure::default()
    })
}

/// What follows for whoever times durations.
pub fn answer(record: &Record, judgement: &Judgement) -> String {
    let Some(clock) = judgement.uses.durations.as_ref() else {
        return "No clock here can be recommended for durations.".to_owned();
    };
    let report = record.content.clocks().clock(clock);
    let latency = report.and_then(|clock| clock.latency_ns.as_ref()).map(|latency| ns(latency.per_read.estimate));
    let read = latency.map_or_else(String::new, |read| format!(": a read takes {read}"));
    let ten = report.and_then(|clock| clock.intervals.as_ref()).map(|timed| timed.shortest(Tolerance::TenPercent));
    let from = match ten {
        Some(ShortestInterval::Confirmed(from)) => {
            format!(", and two reads that nothing disturbs time {} and longer to ±10 %", ns(from))
        }
        Some(ShortestInterval::Claimed(from)) => {
            format!(", and two reads that nothing disturbs should time {} and longer to ±10 %", ns(from))
        }
        Some(ShortestInterval::NotConfirmed { tried_to_ns, .. }) => {
            format!(", and no interval up to {} was timed to ±10 %", ns(tried_to_ns))
        }
        Some(ShortestInterval::Unknown) | None => String::new(),
    };
    format!("Use {} for durations{read}{from}.", code(clock))
}

/// What comes on top of an interval's error.
fn said(judgement: &Judgement) -> Vec<(Mood, String)> {
    let between = match &judgement.skew {
        Skew::NotExcluded { below_ns } => {
            (Mood::Plain, format!("Between CPUs the skew, if any, adds {}.", TIME.below(*below_ns)))
        }
        Skew::Apart { up_to_ns } => (Mood::Bad, format!("Clocks of two CPUs are up to {} apart.", ns(*up_to_ns))),
        Skew::NotTested { .. } => (Mood::Quiet, "How far apart the clocks of two CPUs are was not tested.".to_owned()),
    };
    let gaps = match &judgement.noise.lost {
        Some(lost) => (Mood::Plain, format!("Gaps of up to {} came between two reads.", ns(lost.worst_ns))),
        None => (Mood::Quiet, "How long a gap comes between two reads is not known.".to_owned()),
    };
    vec![between, gaps]
}

fn read(record: &Record, name: &ClockId) -> Option<Row> {
    let clock = record.content.clocks().clock(name)?;
    let latency = clock.latency_ns.as_ref()?;
    let (hue, shape) = of_clock(clock, &record.machine);
    let at = latency.per_read.estimate;
    let marks = vec![Mark::Point { at, shape, is_hollow: false }];
    Some(Row { name: name.name().to_owned(), is_code: true, hue, marks, value: ns(at), ..Row::default() })
}

fn interval(record: &Record, name: &ClockId) -> Option<Row> {
    let clock = record.content.clocks().clock(name)?;
    let timed = clock.intervals.as_ref()?;
    let (hue, shape) = of_clock(clock, &record.machine);
    let [one, ten] = Tolerance::ALL.map(|tolerance| (timed.shortest(tolerance), tolerance.percent()));
    let from = ten.0.known_from_ns()?;
    let said = |(shortest, percent): (ShortestInterval, f64)| {
        let predicted = if shortest.is_confirmed() { "" } else { " (predicted)" };
        Some(format!("{} ±{percent} %{predicted}", ns(shortest.known_from_ns()?)))
    };
    let mut marks = vec![Mark::Point { at: from, shape, is_hollow: !ten.0.is_confirmed() }];
    marks.extend(one.0.known_from_ns().map(|to| Mark::Band { from, to }));
    let value = [ten, one].into_iter().filter_map(said).collect::<Vec<_>>().join(", ");
    Some(Row { name: name.name().to_owned(), is_code: true, hue, marks, value, ..Row::default() })
}

fn skew(found: &Skew) -> Option<Row> {
    let row = |marks: Vec<Mark>, value: String, hue| Row {
        name: "skew between CPUs".to_owned(),
        hue,
        marks,
        value,
        ..Row::default()
    };
    match found {
        Skew::NotExcluded { below_ns } => {
            Some(row(vec![Mark::Below { at: *below_ns }], format!("if any, {}", TIME.below(*below_ns)), Hue::Ink))
        }
        Skew::Apart { up_to_ns } => {
            let at = Mark::Point { at: *up_to_ns, shape: Shape::Square, is_hollow: false };
            Some(row(vec![at], format!("up to {}", ns(*up_to_ns)), Hue::Orange))
        }
        Skew::NotTested { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judgement::noise::{Lost, LostTo};
    use crate::rules::tests::{blank, judged, readable};

    fn judgement(record: &Record) -> Judgement {
        record.content.judgement.clone().unwrap()
    }

    #[test]
    fn the_answer_names_a_clock_only_if_one_is_recommended() {
        let record = judged(blank());
        assert_eq!(answer(&record, &judgement(&record)), "No clock here can be recommended for durations.");
        let mut record = blank();
        record.content.sections.clocks.report.clocks.push(readable("CLOCK_MONOTONIC"));
        let record = judged(record);
        assert!(answer(&record, &judgement(&record)).starts_with("Use `CLOCK_MONOTONIC` for durations"));
    }

    #[test]
    fn what_no_trial_confirmed_is_predicted() {
        use chronoscope_harness::estimators::intervals::{DirectInterval, TimedIntervals};

        let claimed = DirectInterval { within_1pct: Some(2_000.0), within_10pct: Some(200.0) };
        let mut record = blank();
        let mut clock = readable("CLOCK_MONOTONIC");
        clock.intervals = Some(TimedIntervals::claimed(claimed));
        let name = clock.name.clone();
        record.content.sections.clocks.report.clocks.push(clock);
        let row = interval(&record, &name).unwrap();
        assert_eq!(row.value, "200 ns ±10 % (predicted), 2.00 µs ±1 % (predicted)");
        assert!(matches!(row.marks[0], Mark::Point { is_hollow: true, .. }), "{:?}", row.marks);
    }

    #[test]
    fn what_comes_on_top_is_said_as_it_was_found() {
        let mut found = judgement(&judged(blank()));
        let said = |found: &Judgement| said(found).iter().map(|(_, text)| text.clone()).collect::<Vec<_>>().join(" ");
        assert!(said(&found).contains("was not tested") && said(&found).contains("is not known"));
        found.skew = Skew::NotExcluded { below_ns: 64.0 };
        let clock = Some("rdtsc".into());
        found.noise.lost =
            Some(Lost { clock, above_ns: 1e4, share: 0.01, worst_ns: 5e4, clocks: 2, mostly_by: LostTo::Unknown });
        assert_eq!(
            said(&found),
            "Between CPUs the skew, if any, adds < 64.0 ns. Gaps of up to 50.0 µs came between two reads."
        );
        found.skew = Skew::Apart { up_to_ns: 900.0 };
        assert!(said(&found).contains("up to 900 ns apart"));
    }
}
