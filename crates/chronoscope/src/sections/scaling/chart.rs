//! A chart of one clock: threads to the right, time per operation upwards (log scale), a line for each of a few backoffs.

use std::collections::BTreeMap;

use chronoscope_render::text::{count, ns};
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::symbols::Marker;
use ratatui_core::widgets::Widget;
use ratatui_widgets::chart::{Axis, Chart, Dataset, GraphType};

use super::report::{Conclusion, Rise};

/// Rows between the top and the bottom of the drawing, about; each decade has as many as the others.
const ROWS: u16 = 12;
/// A chart of more decades is none: from a femtosecond to eleven days there are 21. The drawing's own arithmetic overflows at some 250.
const MOST_DECADES: f64 = 24.0;
/// Rows of the axis below and of the chart's own labels there.
const AXIS: u16 = 2;
/// Lines at most.
const LINES: usize = 5;
/// The sign of each line.
const SIGNS: [char; LINES] = ['o', 'x', '+', '#', '@'];
const RAISED: char = '▲';
/// Where points of several lines share a place, and not all of them are raised.
const SEVERAL: char = '*';
const FORBIDDEN: char = '░';
const BETWEEN: char = '·';

/// One backoff: its time per operation by number of threads, as (place from 0 to 1, logarithm).
struct Line {
    label: String,
    path: Vec<(f64, f64)>,
    raised: Vec<(f64, f64)>,
}

/// The chart in lines of `width` characters, below its title; none where there are not two numbers of threads, or times of no
/// real machine.
pub fn chart(conclusion: &Conclusion, width: u16) -> Vec<String> {
    let times = times(conclusion);
    let mut threads: Vec<u32> = times.iter().map(|time| time.threads).collect();
    threads.sort_unstable();
    threads.dedup();
    if threads.len() < 2 {
        return Vec::new();
    }
    let place = |count: u32| {
        let at = threads.iter().position(|threads| *threads == count).unwrap_or(0);
        at as f64 / (threads.len() - 1) as f64
    };
    let lines = lines(&times, place);
    let values = || lines.iter().flat_map(|line| line.path.iter().map(|(_, y)| *y));
    let low = values().fold(f64::INFINITY, f64::min).floor();
    let high = values().fold(f64::NEG_INFINITY, f64::max).ceil().max(low + 1.0);
    if high - low > MOST_DECADES {
        return Vec::new();
    }
    let zone = zone(conclusion, &times, place, low, width);
    let drawn = drawn(&lines, &zone, (low, high), width);
    let title = format!("{}: time per operation by threads", conclusion.clock);
    let mut text = vec![padded(&title, width), padded(&legend(&lines, &drawn), width)];
    text.extend(drawn);
    text.push(below(&threads, place, width));
    text
}

struct Time {
    tokens: u64,
    work_ns: f64,
    threads: u32,
    ns: f64,
    is_raised: bool,
}

/// Everything that is known of the clock between work.
fn times(conclusion: &Conclusion) -> Vec<Time> {
    let mut times: Vec<Time> = Vec::new();
    for point in &conclusion.points {
        let (tokens, work_ns) = (point.backoff_tokens, point.work_ns);
        let time = |threads, ns, is_raised| Time { tokens, work_ns, threads, ns, is_raised };
        let is_new = !times.iter().any(|time| time.tokens == tokens && time.threads == 1);
        times.extend(point.alone_ns.filter(|_| is_new).map(|found| time(1, found.estimate, false)));
        times.extend(point.crowd_ns.map(|found| time(point.threads, found.estimate, point.rise == Rise::Raised)));
    }
    for crowded in &conclusion.crowded {
        let tokens = crowded.backoff_tokens;
        // Only beside what it continues.
        if let Some(work_ns) = times.iter().find(|time| time.tokens == tokens).map(|time| time.work_ns) {
            let (threads, ns) = (crowded.threads, crowded.time_ns.estimate);
            times.push(Time { tokens, work_ns, threads, ns, is_raised: false });
        }
    }
    times.retain(|time| time.ns.is_finite() && time.ns > 0.0);
    times
}

/// A few backoffs, spread evenly over those that there are, the smallest and the largest among them.
fn lines(times: &[Time], place: impl Fn(u32) -> f64) -> Vec<Line> {
    let mut tokens: Vec<u64> = times.iter().map(|time| time.tokens).collect();
    tokens.sort_unstable();
    tokens.dedup();
    let most = LINES.min(tokens.len());
    let chosen = (0..most).map(|i| tokens[i * (tokens.len() - 1) / (most - 1).max(1)]);
    let line = |tokens: u64| {
        let mut its: Vec<&Time> = times.iter().filter(|time| time.tokens == tokens).collect();
        its.sort_by_key(|time| time.threads);
        let at = |time: &&Time| (place(time.threads), time.ns.log10());
        let work = its.first().map_or(0.0, |time| time.work_ns);
        Line {
            label: if tokens == 0 { "in a row".to_owned() } else { ns(work) },
            path: its.iter().map(at).collect(),
            raised: its.iter().filter(|time| time.is_raised).map(at).collect(),
        }
    };
    chosen.map(line).collect()
}

/// Points below the front, as far as that is known: up to the most work at which threads slow each other down.
fn zone(conclusion: &Conclusion, times: &[Time], place: impl Fn(u32) -> f64, low: f64, width: u16) -> Vec<(f64, f64)> {
    let at =
        |tokens: u64| times.iter().find(|time| time.tokens == tokens && time.threads == 1).map(|time| time.ns.log10());
    let Some(top) = conclusion.front.low().and_then(|low| at(low.tokens)) else { return Vec::new() };
    let right = place(conclusion.threads);
    let columns = (0..width).map(|column| f64::from(column) / f64::from(width)).filter(|x| *x > 0.0 && *x <= right);
    let steps = 4 * ROWS;
    let rows = (0..steps).map(|step| low + (top - low) * f64::from(step) / f64::from(steps));
    let rows: Vec<f64> = rows.collect();
    columns.flat_map(|x| rows.iter().map(move |y| (x, *y)).collect::<Vec<_>>()).collect()
}

/// Which sign is which line: those that are on the drawing, and those of which every point shares its place.
fn legend(lines: &[Line], drawn: &[String]) -> String {
    let is_drawn = |sign: char| drawn.iter().any(|row| row.chars().skip(NUMBERS).any(|drawn| drawn == sign));
    let mut named: Vec<String> = Vec::new();
    let mut hidden: Vec<&str> = Vec::new();
    for (sign, line) in SIGNS.iter().zip(lines) {
        if is_drawn(*sign) {
            named.push(format!("{sign} {}", line.label));
        } else {
            hidden.push(&line.label);
        }
    }
    if is_drawn(SEVERAL) {
        hidden.push("several");
    }
    if !hidden.is_empty() {
        let sign = if is_drawn(SEVERAL) { SEVERAL } else { RAISED };
        named.push(format!("{sign} {}", hidden.join(", ")));
    }
    named.join("  ")
}

/// Columns of the numbers at the left, and of the axis.
const NUMBERS: usize = 9;

fn set(data: &[(f64, f64)], sign: char, kind: GraphType) -> Dataset<'_> {
    Dataset::default().data(data).marker(Marker::Custom(sign)).graph_type(kind)
}

fn drawn(lines: &[Line], zone: &[(f64, f64)], (low, high): (f64, f64), width: u16) -> Vec<String> {
    let intervals = ((high - low).round() as u16).max(1);
    // The chart puts a label on a whole row: decades are equal only if each has a whole number of rows.
    let height = intervals * (ROWS / intervals).max(1) + 1 + AXIS;
    let labels: Vec<String> =
        (low as i32..=high as i32).map(|power| format!("{:>8}", ns(10_f64.powi(power)))).collect();
    let rendered = |sets: Vec<Dataset<'_>>| {
        let plot = Chart::new(sets)
            .legend_position(None)
            .x_axis(Axis::default().bounds([0.0, 1.0]).labels([" ", " "]))
            .y_axis(Axis::default().bounds([low, high]).labels(labels.clone()));
        let mut buffer = Buffer::empty(Rect::new(0, 0, width, height));
        plot.render(buffer.area, &mut buffer);
        let symbols = buffer.content.iter().map(|cell| cell.symbol().chars().next().unwrap_or(' '));
        symbols.collect::<Vec<char>>()
    };
    let mut sets = vec![set(zone, FORBIDDEN, GraphType::Scatter)];
    sets.extend(lines.iter().map(|line| set(&line.path, BETWEEN, GraphType::Line)));
    let mut drawn = rendered(sets);
    let places = |points: &[(f64, f64)], sign: char| -> Vec<usize> {
        let alone = rendered(vec![set(points, sign, GraphType::Scatter)]);
        alone.iter().enumerate().filter(|(_, symbol)| **symbol == sign).map(|(at, _)| at).collect()
    };
    // For each place the signs of the points there.
    let mut signs: BTreeMap<usize, Vec<char>> = BTreeMap::new();
    for (line, sign) in lines.iter().zip(SIGNS) {
        let raised = |point: &&(f64, f64)| line.raised.contains(point);
        let others: Vec<(f64, f64)> = line.path.iter().filter(|point| !raised(point)).copied().collect();
        places(&others, sign).into_iter().for_each(|at| signs.entry(at).or_default().push(sign));
        places(&line.raised, RAISED).into_iter().for_each(|at| signs.entry(at).or_default().push(RAISED));
    }
    for (at, signs) in signs {
        drawn[at] = if signs.iter().all(|sign| *sign == signs[0]) { signs[0] } else { SEVERAL };
    }
    let rows = drawn.chunks(usize::from(width)).map(|row| row.iter().collect());
    // The last row has the chart's own labels of the axis below, which are written by `below`.
    rows.take(usize::from(height) - 1).collect()
}

/// The numbers of threads below the axis.
fn below(threads: &[u32], place: impl Fn(u32) -> f64, width: u16) -> String {
    let width = usize::from(width);
    let mut row: Vec<char> = "threads".chars().chain(std::iter::repeat(' ')).take(width).collect();
    let mut free = NUMBERS - 1;
    for number in threads {
        let text: Vec<char> = count(u64::from(*number)).chars().collect();
        let at = NUMBERS + (place(*number) * (width - NUMBERS - 1) as f64).round() as usize;
        let start = at.min(width - text.len());
        if start >= free {
            row[start..start + text.len()].copy_from_slice(&text);
            free = start + text.len() + 1;
        }
    }
    row.into_iter().collect()
}

fn padded(text: &str, width: u16) -> String {
    let width = usize::from(width);
    let cut: String = text.chars().take(width).collect();
    format!("{cut:<width$}")
}

#[cfg(test)]
mod tests {
    use chronoscope_harness::record::study::Estimate;

    use super::super::report::{Front, Point};
    use super::*;

    fn conclusion(front: Front) -> Conclusion {
        let about = |estimate: f64| Estimate { estimate, low: estimate, high: estimate, confidence: 0.999 };
        let point = |tokens: u64, threads: u32, crowd: f64, rise: Rise| Point {
            backoff_tokens: tokens,
            work_ns: tokens as f64,
            threads,
            alone_ns: Some(about(tokens as f64 + 10.0)),
            crowd_ns: Some(about(crowd)),
            rise,
        };
        Conclusion {
            clock: "granular 0 ns".to_owned(),
            threads: 4,
            front,
            points: vec![
                point(1, 2, 90.0, Rise::Raised),
                point(1, 4, 300.0, Rise::Raised),
                point(256, 2, 270.0, Rise::Flat),
                point(256, 4, 280.0, Rise::Flat),
            ],
            reads: Vec::new(),
            crowded: Vec::new(),
        }
    }

    #[test]
    fn the_chart_marks_what_is_raised_and_shades_what_is_forbidden() {
        let front = Front::From { tokens: 256, ns: 256.0, raised_tokens: 1, raised_ns: 1.0 };
        for width in [48, 60, 80] {
            let text = chart(&conclusion(front.clone()), width);
            assert!(text.iter().all(|line| line.chars().count() == usize::from(width)), "{text:#?}");
        }
        let text = chart(&conclusion(front), 57);
        let whole = text.join("\n");
        assert!(whole.contains(RAISED) && whole.contains(FORBIDDEN), "{whole}");
        assert!(text.last().is_some_and(|line| line.starts_with("threads  1")), "{whole}");
        let open = chart(&conclusion(Front::Everywhere { tokens: 1, ns: 1.0 }), 57).join("\n");
        assert!(!open.contains(FORBIDDEN), "{open}");
    }

    #[test]
    fn times_of_no_machine_are_not_drawn() {
        for ns in [1e-308, 1e308] {
            let mut odd = conclusion(Front::Everywhere { tokens: 1, ns: 1.0 });
            odd.points[0].crowd_ns = Some(Estimate { estimate: ns, low: ns, high: ns, confidence: 0.999 });
            assert_eq!(chart(&odd, 57), Vec::<String>::new(), "{ns}");
        }
    }

    #[test]
    fn what_lies_between_the_ends_of_the_front_is_not_shaded() {
        // Times from 11 to 300 ns, on one thread 11 ns at 1 token and 266 ns at 256.
        let shaded = |front: Front| {
            let rows = chart(&conclusion(front), 57);
            rows.iter().filter(|row| row.contains(FORBIDDEN)).count()
        };
        let bracket = shaded(Front::From { tokens: 256, ns: 256.0, raised_tokens: 1, raised_ns: 1.0 });
        let known = shaded(Front::Beyond { tokens: 1, ns: 1.0 });
        assert_eq!(bracket, known, "the upper end is not the front");
        assert!(bracket > 0 && bracket < shaded(Front::Beyond { tokens: 256, ns: 256.0 }));
    }

    /// A line of one sign at these times, from left to right.
    fn line(label: &str, times: &[f64], raised: &[usize]) -> Line {
        let place = |i: usize| i as f64 / (times.len() - 1).max(1) as f64;
        let path: Vec<(f64, f64)> = times.iter().enumerate().map(|(i, ns)| (place(i), ns.log10())).collect();
        let raised = raised.iter().map(|i| path[*i]).collect();
        Line { label: label.to_owned(), path, raised }
    }

    #[test]
    fn points_lie_on_the_rows_of_their_ticks() {
        for (low, high) in [(1, 2), (1, 3), (1, 4), (0, 4), (0, 5), (0, 6), (-1, 6), (0, 9)] {
            let ends = (f64::from(low), f64::from(high));
            let rows_of = |text: &[String], find: &dyn Fn(&str) -> bool| -> Vec<usize> {
                text.iter().enumerate().filter(|(_, row)| find(row)).map(|(at, _)| at).collect()
            };
            let empty = drawn(&[], &[], ends, 57);
            let ticks = rows_of(&empty, &|row| row.contains('s'));
            assert_eq!(ticks.len(), (high - low + 1) as usize, "{empty:#?}");
            assert!(ticks.windows(2).all(|pair| pair[1] - pair[0] == ticks[1] - ticks[0]), "{ticks:?}");
            for (i, power) in (low..=high).rev().enumerate() {
                let text = drawn(&[line("", &[10_f64.powi(power); 2], &[])], &[], ends, 57);
                let point = rows_of(&text, &|row| row.chars().skip(NUMBERS).any(|c| c == SIGNS[0]));
                assert_eq!(point, [ticks[i]], "10^{power} between 10^{low} and 10^{high}: {text:#?}");
            }
        }
        // Four rows a decade: 67 is nearer to the row below 100.
        let row = |ns: f64| {
            let text = drawn(&[line("", &[ns; 2], &[])], &[], (1.0, 4.0), 57);
            text.iter().position(|row| row.chars().skip(NUMBERS).any(|c| c == SIGNS[0])).unwrap()
        };
        assert_eq!(row(106.0), row(100.0));
        assert_eq!(row(67.0), row(100.0) + 1);
    }

    #[test]
    fn a_mark_is_of_the_points_that_are_there() {
        let lines = [
            line("in a row", &[10.4, 60.0], &[]),
            line("2.34 ns", &[10.4, 106.0], &[1]),
            line("52.1 ns", &[58.8, 106.0], &[]),
            line("3.22 µs", &[3_230.0, 3_300.0], &[]),
        ];
        let text = drawn(&lines, &[], (1.0, 4.0), 57).join("\n");
        assert!(!text.contains(RAISED), "a raised point and one that is not, in one place: {text}");
        assert_eq!(text.matches(SEVERAL).count(), 2, "{text}");
        let rows: Vec<String> = text.lines().map(str::to_owned).collect();
        assert_eq!(legend(&lines, &rows), "o in a row  + 52.1 ns  # 3.22 µs  * 2.34 ns, several");
        let apart = drawn(&lines[1..2], &[], (1.0, 4.0), 57);
        assert_eq!(apart.join("").matches(RAISED).count(), 1);
        assert_eq!(legend(&lines[1..2], &apart), "o 2.34 ns");
    }

    #[test]
    fn one_number_of_threads_is_no_chart() {
        let mut lone = conclusion(Front::Everywhere { tokens: 1, ns: 1.0 });
        lone.points.clear();
        assert!(chart(&lone, 57).is_empty());
    }
}
