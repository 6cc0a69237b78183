//! The section on a page for browsers: what a read costs, in which steps clocks move, and how short an interval they time.

use chronoscope_harness::estimators::intervals::{IntervalTrial, Promise, ShortestInterval, TimedIntervals, Tolerance};
use chronoscope_harness::quantity::{PERCENT, TIME, ns, share};
use chronoscope_render::axis::{Axis, Scale};
use chronoscope_render::browser::{Chart, Curve, Entry, Figure, Hue, Mark, Plot, Row, Rows, Shape};
use chronoscope_render::page::Page;
use chronoscope_render::text::Mood;
use chronoscope_render::words::given;

use super::report::ClockReport;
use super::{detail, table};
use crate::document::Record;
use crate::judgement::Judgement;
use crate::screen::browser::look::{key, of_clock};
use crate::screen::browser::told::{code, sentence};
use crate::screen::step::observed_step;
use crate::screen::verdict;

/// Clocks whose trials are drawn.
const DRAWN: usize = 4;

pub fn figures(record: &Record) -> Vec<Figure> {
    [latency(record), steps(record), intervals(record)].into_iter().flatten().collect()
}

fn available(record: &Record) -> impl Iterator<Item = &ClockReport> {
    record.content.clocks().clocks.iter().filter(|clock| clock.available)
}

/// Whether the reader should use it for anything.
fn is_best(record: &Record, clock: &ClockReport) -> bool {
    record.content.judgement.iter().flat_map(Judgement::recommended).any(|best| best.name == clock.name)
}

fn latency(record: &Record) -> Option<Figure> {
    let mut clocks: Vec<(&ClockReport, f64)> =
        available(record).filter_map(|clock| Some((clock, clock.latency_ns.as_ref()?.per_read.estimate))).collect();
    clocks.sort_by(|(_, a), (_, b)| a.total_cmp(b));
    let is_all_sure = clocks.iter().all(|(clock, _)| has_interval(clock));
    let fine = clocks.iter().find(|(clock, _)| !clock.is_coarse());
    let (cheapest, dearest) = (fine.or(clocks.first())?, clocks.last()?);
    let says = format!(
        "The cheapest read of a clock that is not coarse is {} at {}, the dearest {} at {}.",
        code(&cheapest.0.name),
        ns(cheapest.1),
        code(&dearest.0.name),
        ns(dearest.1)
    );
    let entries = clocks.iter().map(|(clock, at)| Entry::Row(latency_row(record, clock, *at))).collect();
    let rows = Rows { entries, scale: Scale::Log, word: ns, axis_name: "time per read".to_owned(), reference: None };
    let mut numbers = Page::default();
    table::show(&mut numbers, record);
    Some(Figure {
        id: "latency",
        short: "reads cost",
        title: "What a read costs".to_owned(),
        says: vec![(Mood::Plain, says)],
        key: key(&rows),
        charts: vec![Chart::Rows(rows)],
        how: format!(
            "Thick: the interval of the median over processes.{} Thin, to a tick: the 99th percentile of batches. Bold names are \
             recommended for intervals. Nothing is subtracted.",
            if is_all_sure { "" } else { " Hollow: there is none, for want of processes." }
        ),
        numbers,
    })
}

fn has_interval(clock: &ClockReport) -> bool {
    clock.latency_ns.as_ref().is_some_and(|latency| latency.per_read.has_interval())
}

fn latency_row(record: &Record, clock: &ClockReport, at: f64) -> Row {
    let (hue, shape) = of_clock(clock, &record.machine);
    let mut marks = Vec::new();
    let mut more = format!("{}\n{}", clock.name.name(), ns(at));
    if let Some(latency) = &clock.latency_ns {
        marks.push(Mark::Reach { from: latency.p50, to: latency.p99 });
        if let Some((from, to)) = latency.per_read.interval() {
            marks.push(Mark::Interval { from, to });
            more.push_str(&format!(" ({})", TIME.interval(from, to)));
        }
        more.push_str(&format!("\np99 {}", ns(latency.p99)));
    }
    marks.push(Mark::Point { at, shape, is_hollow: !has_interval(clock) });
    let name = clock.name.name().to_owned();
    Row { name, is_code: true, hue, marks, value: ns(at), more, is_best: is_best(record, clock), ..Row::default() }
}

fn steps(record: &Record) -> Option<Figure> {
    let entries: Vec<Entry> = available(record).filter_map(|clock| step_row(record, clock)).map(Entry::Row).collect();
    if entries.is_empty() {
        return None;
    }
    let coarser: Vec<&ClockReport> = available(record).filter(|clock| clock.is_coarser_than_declared()).collect();
    let first = coarser.first().and_then(|clock| {
        let (declared, step) = clock.declared_step_ns().zip(clock.moves_in_ns())?;
        Some(format!("{} declares {} and moves in steps of {}", code(&clock.name), ns(declared), ns(step)))
    });
    let hidden = available(record).filter(|clock| clock.step.is_some() && clock.moves_in_ns().is_none()).count();
    let hidden = match hidden {
        0 => String::new(),
        1 => " The steps of one are shorter than a read, and do not show.".to_owned(),
        many => format!(" The steps of {many} are shorter than a read, and do not show."),
    };
    let said = match (coarser.len(), first) {
        (2.., Some(first)) => {
            format!("{} clocks move in longer steps than they declare: {first}.{hidden}", coarser.len())
        }
        (1, Some(first)) => format!("{first}: longer than it says.{hidden}"),
        _ => format!("None of these clocks was seen to move in longer steps than it declares.{hidden}"),
    };
    let rows = Rows { entries, scale: Scale::Log, word: ns, axis_name: "step".to_owned(), reference: None };
    Some(Figure {
        id: "steps",
        short: "steps",
        title: "In which steps do clocks move?".to_owned(),
        says: vec![(Mood::Plain, said)],
        charts: vec![Chart::Rows(rows)],
        key: vec![(Hue::Ink, Some((Shape::Circle, true)), "hollow: declared; filled: observed".to_owned())],
        how: "The step is the finest difference that a clock can show: one that was seen, or, where a read takes longer, the unit \
              of which all readings are multiples. A clock marked `= read` differed at every read: it moves in steps no longer than a read."
            .to_owned(),
        ..Figure::default()
    })
}

fn step_row(record: &Record, clock: &ClockReport) -> Option<Row> {
    let (hue, shape) = of_clock(clock, &record.machine);
    let declared = clock.declared_step_ns();
    let observed = clock.moves_in_ns();
    if declared.is_none() && observed.is_none() {
        return None;
    }
    let point = |at: f64, is_hollow| Mark::Point { at, shape, is_hollow };
    let marks = declared.map(|at| point(at, true)).into_iter().chain(observed.map(|at| point(at, false))).collect();
    let said = observed_step(clock.step, "not seen");
    let more = declared
        .map_or_else(String::new, |step| format!("{}\ndeclared {}, observed {said}", clock.name.name(), ns(step)));
    let name = clock.name.name().to_owned();
    Some(Row { name, is_code: true, hue, marks, value: said, more, is_best: is_best(record, clock), ..Row::default() })
}

fn intervals(record: &Record) -> Option<Figure> {
    let timed: Vec<(&ClockReport, &TimedIntervals)> =
        available(record).filter_map(|clock| Some((clock, clock.intervals.as_ref()?))).collect();
    if timed.is_empty() {
        return None;
    }
    let (best, others): (Vec<_>, Vec<_>) = timed.iter().partition(|(clock, _)| is_best(record, clock));
    let plots =
        best.iter().chain(&others).filter_map(|(clock, timed)| trials(record, clock, timed)).take(DRAWN).collect();
    let says =
        timed.iter().filter(|(clock, _)| is_best(record, clock)).map(|(clock, timed)| shortest(clock, timed)).collect();
    let mut numbers = Page::default();
    detail::show(&mut numbers, record);
    Some(Figure {
        id: "intervals",
        short: "shortest interval",
        title: "How short an interval?".to_owned(),
        says,
        charts: vec![Chart::Plots(plots)],
        how: format!(
            "Known work was timed by two reads, many times for each length. Readings that something disturbed were left out; of the \
             others, 95 of 100 are off by no more than the curve. Dashed: the error allowed. Star: \
             the shortest length confirmed, rounded up. There, and at all longer ones taken together, {} readings kept within the \
             error allowed: more than the 95 of the curve, since a later run may do worse. Both axes are logarithmic.",
            verdict::CONFIRMING
        ),
        numbers,
        ..Figure::default()
    })
}

/// From where a pair of reads times an interval, in a sentence.
fn shortest(clock: &ClockReport, timed: &TimedIntervals) -> (Mood, String) {
    let promise = timed.promise();
    let (one, ten) = (promise.within_1pct, promise.within_10pct);
    let (mood, said) =
        match (ten.is_confirmed(), ten.known_from_ns(), one.known_from_ns().filter(|_| one.is_confirmed())) {
            (true, Some(ten), Some(one)) => (
                Mood::Plain,
                format!("{} times {} and longer to ±10 %, {} and longer to ±1 %.", code(&clock.name), ns(ten), ns(one)),
            ),
            (true, Some(ten), None) => (
                Mood::Plain,
                format!(
                    "{} times {} and longer to ±10 %; no length was confirmed to ±1 %.",
                    code(&clock.name),
                    ns(ten)
                ),
            ),
            (false, Some(ten), _) => (
                Mood::Warning,
                format!("{} should time {} and longer to ±10 %: no trial confirms it.", code(&clock.name), ns(ten)),
            ),
            (_, None, _) => (
                Mood::Warning,
                format!(
                    "{} was confirmed for no length: {}.",
                    code(&clock.name),
                    given(timed.reason_unvalidated.as_deref())
                ),
            ),
        };
    (mood, format!("{said}{}", reservations(&promise)))
}

/// How many readings count, and the longer lengths that fell short, each for itself.
fn reservations(promise: &Promise) -> String {
    let quiet =
        promise.quiet.map(|quiet| format!(" {} of the readings were undisturbed: only they count.", share(quiet)));
    let failed = verdict::reservation(promise).map(|failed| format!(" {}", sentence(&failed)));
    [quiet, failed].into_iter().flatten().collect()
}

/// The error of readings over the length of the work.
fn trials(record: &Record, clock: &ClockReport, timed: &TimedIntervals) -> Option<Plot> {
    let mut trials: Vec<&IntervalTrial> = timed.trials.iter().collect();
    trials.sort_by(|a, b| a.truth_ns.total_cmp(&b.truth_ns));
    let points: Vec<(f64, f64)> = trials.iter().map(|trial| (trial.truth_ns, trial.error_pct_abs_p95)).collect();
    let (first, last) = (points.first()?.0, points.last()?.0);
    let allowed = Tolerance::ALL.map(Tolerance::percent);
    let limits = allowed.map(|percent| Curve::dashed(format!("±{percent} %"), [(first, percent), (last, percent)]));
    let confirmed = Tolerance::ALL.into_iter().filter_map(|tolerance| match timed.shortest(tolerance) {
        ShortestInterval::Confirmed(from_ns) => Some((from_ns, tolerance.percent())),
        _ => None,
    });
    let confirmed = Curve {
        name: "shortest confirmed".to_owned(),
        hue: Hue::Ink,
        shape: Some(Shape::Star),
        points: confirmed.collect(),
        is_scattered: true,
        ..Curve::default()
    };
    let confirmed = (!confirmed.points.is_empty()).then_some(confirmed);
    let (hue, shape) = of_clock(clock, &record.machine);
    let x = Axis::of_results(points.iter().map(|(x, _)| *x), Scale::Log)?;
    let y = Axis::of_results(points.iter().map(|(_, y)| *y).chain(allowed), Scale::Log)?;
    let curve = Curve { hue, shape: Some(shape), points, ..Curve::default() };
    Some(Plot {
        title: code(&clock.name),
        x,
        y,
        words: [ns, |percent| PERCENT.value(percent)],
        names: ["length of the work".to_owned(), "error of 95 in 100 readings, at most".to_owned()],
        curves: std::iter::once(curve).chain(limits).chain(confirmed).collect(),
        reference: None,
        zone: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::tests::{blank, judged, readable};
    use chronoscope_harness::estimators::intervals::DirectInterval;
    use chronoscope_harness::estimators::latency::Latency;
    use chronoscope_harness::estimators::tick::Step;
    use chronoscope_harness::record::Histogram;
    use chronoscope_harness::record::study::Estimate;

    fn with(clocks: impl IntoIterator<Item = ClockReport>) -> Record {
        let mut record = blank();
        record.content.sections.clocks.report.clocks.extend(clocks);
        judged(record)
    }

    fn read_in(name: &str, ns: f64) -> ClockReport {
        let per_read = Estimate { estimate: ns, low: 0.9 * ns, high: 1.1 * ns, confidence: 0.999 };
        let latency = Latency {
            per_read,
            p50: ns,
            p99: 2.0 * ns,
            minimum: ns,
            batches: 100,
            reads_per_batch: 100,
            processes: Vec::new(),
            histogram: Histogram::default(),
        };
        ClockReport { latency_ns: Some(latency), ..readable(name) }
    }

    fn rows(figure: &Figure) -> Vec<&Row> {
        let Chart::Rows(rows) = &figure.charts[0] else { panic!("not rows") };
        rows.entries.iter().filter_map(|entry| if let Entry::Row(row) = entry { Some(row) } else { None }).collect()
    }

    #[test]
    fn nothing_measured_draws_nothing() {
        assert!(figures(&blank()).is_empty());
    }

    #[test]
    fn reads_are_drawn_the_cheapest_first() {
        let record = with([read_in("CLOCK_MONOTONIC", 21.0), read_in("rdtsc", 9.0)]);
        let figure = latency(&record).unwrap();
        let drawn: Vec<(&str, &str)> = rows(&figure).iter().map(|row| (&row.name[..], &row.value[..])).collect();
        assert_eq!(drawn, [("rdtsc", "9.00 ns"), ("CLOCK_MONOTONIC", "21.0 ns")]);
        assert!(rows(&figure)[1].marks.contains(&Mark::Interval { from: 0.9 * 21.0, to: 1.1 * 21.0 }));
        assert!(
            figure.says[0].1.contains("`rdtsc` at 9.00 ns, the dearest `CLOCK_MONOTONIC` at 21.0 ns"),
            "{:?}",
            figure.says
        );
    }

    #[test]
    fn a_latency_without_an_interval_is_hollow_and_has_no_ends() {
        let mut clock = read_in("rdtsc", 9.0);
        clock.latency_ns.as_mut().unwrap().per_read = Estimate::without_interval(9.0);
        let figure = latency(&with([clock])).unwrap();
        let row = rows(&figure)[0];
        assert!(row.marks.iter().all(|mark| !matches!(mark, Mark::Interval { .. })), "{row:?}");
        assert!(row.marks.contains(&Mark::Point { at: 9.0, shape: Shape::Circle, is_hollow: true }), "{row:?}");
        assert_eq!(row.more, "rdtsc\n9.00 ns\np99 18.0 ns");
    }

    #[test]
    fn a_step_is_said_to_be_longer_than_declared_only_where_it_is() {
        let of = |declared, observed| {
            let step = |clock: ClockReport| ClockReport {
                resolution_ns_declared: Some(declared),
                step: Some(Step::Seen { ns: observed }),
                ..clock
            };
            steps(&with([step(read_in("CLOCK_MONOTONIC", 21.0))])).unwrap().says[0].1.clone()
        };
        assert_eq!(
            of(1.0, 100.0),
            "`CLOCK_MONOTONIC` declares 1.00 ns and moves in steps of 100 ns: longer than it says."
        );
        assert!(of(100.0, 100.0).starts_with("None of these clocks"));
    }

    #[test]
    fn the_shortest_length_confirmed_has_a_mark() {
        let trial = |truth_ns, tolerance_pct| IntervalTrial {
            tolerance_pct,
            truth_ns,
            readings_made: 400,
            readings: 400,
            error_pct_p50: 5.0,
            error_pct_abs_p95: 8.0,
            share_within: 1.0,
            holds: true,
        };
        let timed = TimedIntervals {
            direct_interval_ns: DirectInterval { within_1pct: None, within_10pct: Some(300.0) },
            trials: vec![trial(300.0, 10.0), trial(600.0, 1.0)],
            ..TimedIntervals::default()
        };
        let plot = trials(&blank(), &readable("CLOCK_MONOTONIC"), &timed).unwrap();
        let marked: Vec<_> = plot.curves.iter().filter(|curve| curve.name == "shortest confirmed").collect();
        assert_eq!((marked.len(), &marked[0].points[..]), (1, &[(300.0, 10.0)][..]));
        let none = TimedIntervals { direct_interval_ns: DirectInterval::default(), ..timed };
        let plot = trials(&blank(), &readable("CLOCK_MONOTONIC"), &none).unwrap();
        assert!(plot.curves.iter().all(|curve| curve.name.is_empty() || curve.is_dashed));
    }

    #[test]
    fn what_no_trial_confirmed_is_said_to_be_predicted() {
        let direct = DirectInterval { within_1pct: Some(2_000.0), within_10pct: Some(200.0) };
        let clock = readable("CLOCK_MONOTONIC");
        let (mood, said) = shortest(&clock, &TimedIntervals::claimed(direct));
        assert_eq!(mood, Mood::Warning);
        assert!(said.contains("should time 200 ns"), "{said}");
        assert!(shortest(&clock, &TimedIntervals::default()).1.contains("confirmed for no length"));
    }
}
