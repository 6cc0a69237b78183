//! When the gaps between reads began, and how long each was.

use chronoscope_harness::estimators::gaps_over_time::{Gap, GapsOverTime, PARTS};
use chronoscope_harness::quantity::{count, ns};
use chronoscope_render::axis::{Axis, Scale};
use chronoscope_render::browser::{Curve, Hue, Plot};
use chronoscope_render::page::Page;
use chronoscope_render::palette::PLAIN;
use chronoscope_render::table::{Align, Table};

use super::super::report::{Reads, over_time};
use super::super::view::threshold;
use crate::document::Record;
use crate::screen::browser::look::of_named;
use crate::screen::browser::told::code;

/// Maximum pauses that are drawn: more than any run has.
const PAUSES: usize = 64;
/// Clocks that are drawn, those with the longest gaps; their longest gaps that are in the numbers.
const DRAWN: usize = 4;
const LISTED: usize = 10;

/// How to read the plots.
pub const HOW: &str = " Below: a dot per gap, at the time at which it began. Dots at equal distances suggest a timer. Grey: the \
                       clock was not read.";

/// When the longest gap began, and over how much of the time gaps spread; None where no clock tells.
pub fn said(all: &[Reads]) -> Option<String> {
    let (reads, gaps) = *over_time(all).first()?;
    let (clock, above) = (code(&reads.clock), threshold(gaps.above_ns));
    let Some(worst) = gaps.worst() else {
        return Some(format!("While {clock} was read there was no gap over {above}."));
    };
    let longest = format!(
        "The longest gap of {clock} began {} after the first reading and took {}",
        ns(worst.began_ms * 1e6),
        ns(worst.length_ns)
    );
    let known = match (gaps.longest.len(), gaps.more) {
        (1, 0) => return Some(format!("{longest}; it is the only one over {above}.")),
        (all, 0) => format!("all {all} gaps over {above}"),
        (all, more) => format!("the {all} longest of {} gaps over {above}", count(more.saturating_add(all as u64))),
    };
    let read = ns(gaps.read_ms() * 1e6);
    Some(match gaps.parts_with_gaps() {
        PARTS => format!("{longest}; {known} are spread over all of the {read} of reads."),
        parts => format!("{longest}; {known} began in {parts} of {PARTS} equal parts of the {read} of reads."),
    })
}

/// When the last stretch of reads ended.
fn end_ms(gaps: &GapsOverTime) -> f64 {
    gaps.read.iter().map(|stretch| stretch.to_ms).fold(0.0, f64::max)
}

/// A plot per clock that had gaps, on the same axes.
pub fn plots(record: &Record, all: &[Reads]) -> Vec<Plot> {
    let had: Vec<_> = over_time(all).into_iter().filter(|(_, gaps)| !gaps.longest.is_empty()).take(DRAWN).collect();
    let lengths = had.iter().flat_map(|(_, gaps)| &gaps.longest).map(|gap| gap.length_ns);
    let ends = had.iter().map(|(_, gaps)| end_ms(gaps) * 1e6).chain([0.0]);
    let axes = Axis::of_results(ends, Scale::Linear).zip(Axis::of_results(lengths, Scale::Log));
    let Some((x, y)) = axes else { return Vec::new() };
    let plot = |(reads, gaps): (&Reads, &GapsOverTime)| Plot {
        title: code(&reads.clock),
        x: x.clone(),
        y: y.clone(),
        words: [ns, ns],
        names: ["time since the first reading".to_owned(), "length of the gap".to_owned()],
        curves: curves(record, reads, gaps, &x),
        reference: None,
        zone: None,
    };
    had.into_iter().map(plot).collect()
}

fn curves(record: &Record, reads: &Reads, gaps: &GapsOverTime, x: &Axis) -> Vec<Curve> {
    let (hue, _) = of_named(&reads.clock, record);
    let points = gaps.longest.iter().map(|gap| (gap.began_ms * 1e6, gap.length_ns)).collect();
    let shade = |(from, to): (f64, f64)| Curve {
        hue: Hue::Ink,
        // From the bottom to the top, whatever the axis.
        band: [from, to].map(|at| (at, 0.0, f64::MAX)).into(),
        ..Curve::default()
    };
    let shades = pauses(gaps, x).into_iter().map(shade);
    shades.chain([Curve { hue, points, is_scattered: true, ..Curve::default() }]).collect()
}

/// When the clock was not read, in nanoseconds: before, between and after what was timed, to the end of the axis.
fn pauses(gaps: &GapsOverTime, x: &Axis) -> Vec<(f64, f64)> {
    let end = x.ticks.last().copied().unwrap_or(0.0);
    let begins = gaps.read.iter().map(|stretch| stretch.from_ms * 1e6).chain([end]);
    let ends = std::iter::once(0.0).chain(gaps.read.iter().map(|stretch| stretch.to_ms * 1e6));
    ends.zip(begins).filter(|(from, to)| to > from).take(PAUSES).collect()
}

/// The longest gaps of the clocks that are drawn.
pub fn numbers(all: &[Reads]) -> Page {
    let mut page = Page::default();
    let mut table = Table::new(&[("clock", Align::Left), ("gap began after", Align::Right), ("length", Align::Right)]);
    let (mut is_empty, mut more) = (true, 0);
    for (reads, gaps) in over_time(all).into_iter().take(DRAWN) {
        let mut longest: Vec<&Gap> = gaps.longest.iter().collect();
        longest.sort_by(|a, b| b.length_ns.total_cmp(&a.length_ns));
        more = gaps.more.saturating_add(more).saturating_add(longest.len().saturating_sub(LISTED) as u64);
        for gap in longest.into_iter().take(LISTED) {
            is_empty = false;
            table.row(PLAIN, [reads.clock.to_string(), ns(gap.began_ms * 1e6), ns(gap.length_ns)]);
        }
    }
    if !is_empty {
        page.table(table);
    }
    if more > 0 {
        page.paragraph(Default::default(), PLAIN, &format!("{} shorter ones are not listed.", count(more)));
    }
    page
}

#[cfg(test)]
mod tests {
    use chronoscope_harness::estimators::gaps_over_time::Stretch;

    use super::super::super::report::tests::of;
    use super::*;
    use crate::rules::tests::blank;

    fn with_gaps(clock: &str, longest: &[(f64, f64)], more: u64) -> Reads {
        let longest = longest.iter().map(|(began_ms, length_ns)| Gap { began_ms: *began_ms, length_ns: *length_ns });
        let read = vec![Stretch { from_ms: 0.0, to_ms: 5.0 }, Stretch { from_ms: 15.0, to_ms: 20.0 }];
        let gaps = GapsOverTime { above_ns: 1_000.0, longest: longest.collect(), more, read };
        Reads { gaps_over_time: Some(gaps), ..of(clock, &[(20, 1_000)]) }
    }

    fn drawn(reads: Vec<Reads>) -> String {
        let mut record = blank();
        record.content.sections.reads.report = reads;
        let figures = super::super::figures(&record).into_iter().filter(|figure| figure.id == "noise").collect();
        chronoscope_render::browser::Sheet { figures, ..Default::default() }.finish()
    }

    #[test]
    fn each_gap_has_its_dot_and_each_pause_its_shade() {
        let page = drawn(vec![with_gaps("tsc", &[(0.0, 10_000.0), (4.0, 2_000.0), (16.0, 1_250.0)], 0)]);
        assert!(page.contains(r#"<path class="dots ink" d="M0 37h0M200 159h0M800 195h0">"#), "{page}");
        let shades = page.matches("class=\"area ink\"").count();
        assert!(shades == 1 && page.contains(r#"d="M250.0 0.0L750.0 0.0L750.0 210.0L250.0 210.0Z""#), "{page}");
        assert!(page.contains("time since the first reading") && page.contains("Dots at equal distances"));
        let said = "The longest gap of <code>tsc</code> began 0 ns after the first reading and took 10.0 µs; all 3 gaps over 1 µs began \
                    in 3 of 10 equal parts of the 10.0 ms of reads.";
        assert!(page.replace('\u{a0}', " ").contains(said), "{page}");
        assert!(page.replace('\u{a0}', " ").contains("<td>16.0 ms</td><td>1.25 µs</td>"), "{page}");
    }

    #[test]
    fn it_says_when_there_was_one_gap_none_or_more_than_are_listed() {
        let said_of = |longest: &[(f64, f64)], more| said(&[with_gaps("tsc", longest, more)]).unwrap();
        assert_eq!(said_of(&[], 0), "While `tsc` was read there was no gap over 1 µs.");
        assert!(said_of(&[(3.0, 5_000.0)], 0).ends_with("took 5.00 µs; it is the only one over 1 µs."));
        let many: Vec<(f64, f64)> = (0..200).map(|at| (f64::from(at) * 0.01, 2_000.0)).collect();
        let spread =
            "; the 200 longest of 1\u{202f}200 gaps over 1 µs began in 2 of 10 equal parts of the 10.0 ms of reads.";
        assert!(said_of(&many, 1_000).ends_with(spread), "{}", said_of(&many, 1_000));
        let page = drawn(vec![with_gaps("tsc", &many, 1_000)]);
        assert!(page.contains("1\u{202f}190 shorter ones are not listed."), "{page}");
        assert!(drawn(vec![with_gaps("tsc", &[], 0)]).matches("<svg class=\"st\"").count() == 0);
    }

    /// As every document of an earlier version.
    #[test]
    fn gaps_without_a_time_are_not_drawn_and_nothing_is_said_of_when() {
        let reads = of("tsc", &[(20, 1_000), (50_000, 2)]);
        assert_eq!(said(std::slice::from_ref(&reads)), None);
        let page = drawn(vec![reads]);
        assert!(page.contains("gaps over") && !page.contains("since the first reading") && !page.contains("<table"));
    }

    #[test]
    fn of_many_clocks_those_with_the_longest_gaps_are_drawn() {
        let all: Vec<Reads> =
            (0..9).map(|clock| with_gaps(&format!("c{clock}"), &[(1.0, 2_000.0 + f64::from(clock))], 0)).collect();
        let titles: Vec<String> = plots(&blank(), &all).into_iter().map(|plot| plot.title).collect();
        assert_eq!(titles, ["`c8`", "`c7`", "`c6`", "`c5`"]);
        let hostile = with_gaps("c", &[(f64::NAN, f64::INFINITY), (-1.0, 0.0)], u64::MAX);
        drawn(vec![hostile]);
    }
}
