//! A pace on a page for browsers: how late events started, and what their users waited for.

use chronoscope_harness::finding::Finding;
use chronoscope_harness::record::Times;
use chronoscope_render::axis::Scale;
use chronoscope_render::browser::{Chart, Entry, Figure, Hue, Row, Rows, Shape, Sheet};
use chronoscope_render::page::Page;
use chronoscope_render::text::Mood;

mod over_time;

use super::report::Pace;
use super::rules::{COORDINATED_OMISSION, EVENTS_LEFT_OUT, PACER_LATE, RATE_KEPT};
use super::view;
use super::words::time;
use crate::document::Record;
use crate::screen::browser::{curve, of_command, told};

/// The page of a document of this command.
pub fn page(record: &Record, pace: &Pace) -> Sheet {
    let figures = figures(record, pace);
    Sheet { figures, ..of_command(record) }
}

pub fn figures(record: &Record, pace: &Pace) -> Vec<Figure> {
    let mut numbers = Page::default();
    view::summary(&mut numbers, record, pace);
    let kept = Figure {
        id: "rate",
        short: "rate",
        title: "Was the rate kept?".to_owned(),
        says: rate(record),
        numbers,
        ..Figure::default()
    };
    if pace.events == 0 { vec![kept] } else { vec![kept, times(record, pace), lateness(pace)] }
}

/// The summaries of findings that `is_wanted`, as sentences.
fn summaries(record: &Record, is_wanted: impl Fn(&Finding) -> bool) -> Vec<(Mood, String)> {
    let wanted = record.findings.iter().filter(|finding| is_wanted(finding));
    wanted.map(|finding| (told::mood(finding), told::sentence(&finding.evidence.summary))).collect()
}

/// Whether the rate was kept, and what made events late.
fn rate(record: &Record) -> Vec<(Mood, String)> {
    let kept = record.findings.iter().find(|finding| finding.is(RATE_KEPT));
    let kept = kept.map(|finding| (Mood::Plain, told::sentence(&format!("It was: {}", finding.evidence.summary))));
    let mut said: Vec<(Mood, String)> = kept.into_iter().collect();
    said.extend(summaries(record, |finding| !finding.is(RATE_KEPT) && !is_of_times(finding)));
    if said.is_empty() {
        said.push((Mood::Quiet, "There is no rate of fewer than two events.".to_owned()));
    }
    said
}

/// Whether a finding is about times rather than about the rate.
fn is_of_times(finding: &Finding) -> bool {
    [COORDINATED_OMISSION, PACER_LATE, EVENTS_LEFT_OUT].iter().any(|kind| finding.is(*kind))
}

const RESPONSE: (Hue, Shape) = (Hue::Orange, Shape::Square);
const SERVICE: (Hue, Shape) = (Hue::Blue, Shape::Circle);
const LATENESS: (Hue, Shape) = (Hue::Purple, Shape::Triangle);

/// What users wait for, and what a tool measures that forgets the wait.
fn times(record: &Record, pace: &Pace) -> Figure {
    let row = |name: &str, (hue, shape): (Hue, Shape), times: &Times| {
        let value = format!("p99 {}, most {}", time(times.p99, pace), time(times.max, pace));
        let more = format!("{name}\n{}", curve::said(times));
        Entry::Row(Row { name: name.to_owned(), hue, marks: curve::marks(times, shape), value, more, ..Row::default() })
    };
    let entries = vec![
        row("response", RESPONSE, &pace.response_ns),
        row("service", SERVICE, &pace.service_ns),
        row("lateness", LATENESS, &pace.lateness_ns),
    ];
    let word = chronoscope_harness::quantity::ns;
    let rows = Rows { entries, scale: Scale::Log, word, axis_name: "time".to_owned(), reference: None };
    let curves = vec![("response", RESPONSE.0, &pace.response_ns), ("service", SERVICE.0, &pace.service_ns)];
    let panel = (String::new(), curves);
    let mut says = summaries(record, is_of_times);
    if says.is_empty() {
        let (response, service) = (time(pace.response_ns.p99, pace), time(pace.service_ns.p99, pace));
        let same = format!(
            "Timing from the actual start hides no wait: the p99 is {service}, and {response} from the intended one."
        );
        says.push((Mood::Plain, same));
    }
    let mut numbers = Page::default();
    view::times(&mut numbers, pace);
    Figure {
        id: "times",
        short: "times",
        title: "What users wait, and what a timer around the operation shows".to_owned(),
        says,
        charts: vec![
            Chart::Rows(rows),
            Chart::Plots(curve::plots(&[panel], "time", "share of events that took at least so long")),
        ],
        how: format!(
            "Response: from the intended start to the end. Service: from the actual start to the end. Lateness: from the intended to the actual \
             start. {} {}",
            curve::MARKS,
            curve::CURVES
        ),
        numbers,
        ..Figure::default()
    }
}

fn lateness(pace: &Pace) -> Figure {
    let late = &pace.lateness_ns;
    let panel = (String::new(), vec![("", LATENESS.0, late)]);
    let mut numbers = Page::default();
    view::lateness(&mut numbers, pace);
    over_time::numbers(&mut numbers, pace);
    let how_over_time = if pace.over_time.is_some() { over_time::HOW } else { "" };
    let mut says = vec![(
        Mood::Plain,
        format!(
            "Half of the events started no more than {} late, 1 in 1\u{202f}000 over {}, the latest {}.",
            time(late.p50, pace),
            time(late.p999, pace),
            time(late.max, pace)
        ),
    )];
    says.extend(over_time::said(pace).map(|when| (Mood::Plain, when)));
    Figure {
        id: "lateness",
        short: "lateness",
        title: "How late did events start?".to_owned(),
        says,
        charts: vec![
            Chart::Plots(curve::plots(&[panel], "lateness", "share of events at least so late")),
            Chart::Plots(over_time::plots(pace)),
        ],
        how: format!("{}{how_over_time}", curve::CURVES),
        numbers,
        ..Figure::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sections::pace::rules::RULES;
    use chronoscope_harness::rule::conclude;

    fn drawn(change: impl Fn(&mut Pace)) -> Vec<Figure> {
        let mut record = crate::json::document(include_str!("../../../tests/fixtures/pace.json")).unwrap();
        let mut pace = record.content.pace.take().unwrap();
        change(&mut pace);
        record.findings = conclude(RULES, &pace);
        figures(&record, &pace)
    }

    #[test]
    fn response_and_service_are_rows_and_curves_of_the_same_axis() {
        let figure = drawn(|pace| pace.response_ns.max = 77_000.0).remove(1);
        let [Chart::Rows(rows), Chart::Plots(plots)] = figure.charts.as_slice() else { panic!("{figure:?}") };
        let Entry::Row(response) = &rows.entries[0] else { panic!("{rows:?}") };
        assert!(response.value.ends_with("most 77.0 µs"), "{response:?}");
        let names: Vec<&str> = plots[0].curves.iter().map(|curve| curve.name.as_str()).collect();
        assert_eq!((rows.entries.len(), names.as_slice()), (3, ["response", "service"].as_slice()));
    }

    /// What a curve is drawn at: its last point, in parts of the box.
    fn last_of(path: &str) -> (f64, f64) {
        let last = path.trim_start_matches('M').rsplit('L').next().unwrap();
        let (x, y) = last.split_once(' ').unwrap();
        (x.parse::<f64>().unwrap() / 1_000.0, 1.0 - y.parse::<f64>().unwrap() / 210.0)
    }

    #[test]
    fn curves_end_at_one_event_of_all_at_the_longest() {
        let figures = drawn(|_| ());
        let Chart::Plots(plots) = &figures[1].charts[1] else { panic!("{:?}", figures[1]) };
        let page = Sheet { figures: drawn(|_| ()), ..Sheet::default() }.finish();
        // The first is filled, down to the axis.
        let path = page.split(r#"class="k0" d=""#).nth(1).unwrap().split('"').next().unwrap();
        let pace =
            crate::json::document(include_str!("../../../tests/fixtures/pace.json")).unwrap().content.pace.unwrap();
        let (longest, of_all) = (pace.service_ns.max, 100.0 / pace.service_ns.histogram.count() as f64);
        let (x, y) = last_of(path);
        assert!((x - plots[0].x.place(longest).unwrap()).abs() < 1e-3, "{path}");
        assert!((y - plots[0].y.place(of_all).unwrap()).abs() < 1e-3 && plots[0].y.ticks[0] <= of_all, "{path}");
    }

    #[test]
    fn a_wait_that_a_timer_forgets_is_told_and_that_there_is_none() {
        let omitted = &drawn(|_| ())[1].says;
        assert!(omitted[0].1.contains("coordinated omission"), "{omitted:?}");
        let none = &drawn(|pace| pace.response_ns = pace.service_ns.clone())[1].says;
        assert!(none[0].1.starts_with("Timing from the actual start hides no wait"), "{none:?}");
    }

    #[test]
    fn a_rate_that_was_missed_is_orange_and_one_that_was_kept_is_not() {
        let kept = &drawn(|_| ())[0].says;
        assert!(kept[0].0 == Mood::Plain && kept[0].1.starts_with("It was: "), "{kept:?}");
        let missed = drawn(|pace| (pace.achieved_per_s, pace.rate_error_ppm) = (Some(1.0), Some(-172_461.0)));
        assert!(missed[0].says[0].0 == Mood::Warning, "{:?}", missed[0].says);
    }

    #[test]
    fn a_run_without_events_has_no_times() {
        let none = drawn(|pace| (pace.events, pace.achieved_per_s, pace.rate_error_ppm) = (0, None, None));
        assert_eq!(none.len(), 1);
        assert_eq!(none[0].says[0].1, "There is no rate of fewer than two events.");
    }
}
