//! The section on a page for browsers: what follows one read after another, and what the machine takes meanwhile.

use chronoscope_harness::estimators::reads::{GAP_THRESHOLDS_NS, Gaps};
use chronoscope_harness::quantity::{count, ns, share};
use chronoscope_harness::record::Disturbance;
use chronoscope_render::axis::{Axis, Scale};
use chronoscope_render::browser::{Chart, Curve, Entry, Figure, Hue, Mark, Plot, Row, Rows, Shape};
use chronoscope_render::disturbance;
use chronoscope_render::page::Page;
use chronoscope_render::text::Mood;
use chronoscope_render::words::{counted, given};

mod over_time;

use super::lost::reason_hidden;
use super::report::{Reads, most_equal, mostly_repeats, went_backwards};
use super::view;
use crate::document::Record;
use crate::judgement::noise::LITTLE;
use crate::screen::browser::look::{key, of_named};
use crate::screen::browser::told::{after, code};

/// Clocks whose differences are drawn, and their most frequent clusters that are named.
const DRAWN: usize = 16;
const MODES: usize = 3;
/// The least width of a bin, as a share of the axis, so that it can be seen.
const BIN: f64 = 0.006;

pub fn figures(record: &Record) -> Vec<Figure> {
    [reads(record), noise(record)].into_iter().flatten().collect()
}

fn reads(record: &Record) -> Option<Figure> {
    let all = record.content.reads();
    if all.is_empty() {
        return None;
    }
    let more = match all.len().saturating_sub(DRAWN) {
        0 => String::new(),
        more => format!(" {} are in the numbers.", counted(more as u64, "more clock", "more clocks")),
    };
    let mut numbers = Page::default();
    view::show(&mut numbers, record);
    Some(Figure {
        id: "reads",
        short: "read after read",
        title: "Read after read".to_owned(),
        says: said_of_reads(record, all),
        charts: vec![Chart::Plots(distributions(record, &all[..all.len().min(DRAWN)]))],
        how: format!(
            "How many differences between one reading and the next there were of each length; equal readings have none. Both axes \
             are logarithmic; that of counts has 0 below 1. Dots: where most differences cluster.{more}"
        ),
        numbers,
        ..Figure::default()
    })
}

fn said_of_reads(record: &Record, all: &[Reads]) -> Vec<(Mood, String)> {
    let used = record.content.judgement.as_ref().and_then(|judgement| judgement.uses.durations.as_ref());
    let of_used = all.iter().find(|reads| Some(&reads.clock) == used);
    let next = of_used.or(all.first()).map(next);
    let equal = match most_equal(all) {
        None => "No reading equals the one before.".to_owned(),
        Some((most, had)) => {
            let repeated =
                format!("{} of the readings of {} equal the one before", share(most.zero_share), code(&most.clock));
            match had {
                1 => format!("{repeated}."),
                many => format!("{repeated}; {} clocks repeat readings.", count(many as u64)),
            }
        }
    };
    let back = went_backwards(all);
    let backwards = match back.first() {
        None => (Mood::Plain, "No clock went backwards within a thread.".to_owned()),
        Some(most) => {
            let others = match back.len() {
                1 => String::new(),
                many => format!("; {} clocks did", count(many as u64)),
            };
            let times = counted(most.backward_steps, "time", "times");
            (Mood::Bad, format!("{} went backwards {times} in {} reads{others}.", code(&most.clock), count(most.count)))
        }
    };
    next.into_iter().map(|next| (Mood::Plain, next)).chain([(Mood::Plain, equal), backwards]).collect()
}

/// What comes after one reading.
fn next(reads: &Reads) -> String {
    let (clock, longest) = (code(&reads.clock), ns(reads.maximum_ns));
    if mostly_repeats(reads) {
        return match reads.minimum_ns {
            Some(step) => format!("{clock} moves in steps of {} or longer, the longest {longest}.", ns(step)),
            None => format!("{clock} did not move while it was read."),
        };
    }
    let (half, most) = (ns(reads.p50_ns), ns(reads.p99_ns));
    format!(
        "Half of the readings of {clock} come within {half} of the one before, 99 of 100 within {most}, all within {longest}."
    )
}

/// The distributions, on the same axes.
fn distributions(record: &Record, all: &[Reads]) -> Vec<Plot> {
    let bins = || all.iter().flat_map(|reads| &reads.histogram.bins);
    let ends = bins().flat_map(|bin| [bin.from_ns, bin.to_ns]).chain(all.iter().map(|reads| reads.maximum_ns));
    let Some(x) = Axis::of_results(ends, Scale::Log) else {
        return Vec::new();
    };
    let most = bins().map(|bin| bin.count).max().unwrap_or(0);
    all.iter().map(|reads| distribution(record, reads, &x, most)).collect()
}

fn distribution(record: &Record, reads: &Reads, x: &Axis, most: u64) -> Plot {
    let (hue, _) = of_named(&reads.clock, record);
    let high = most as f64;
    let upright = |at: f64| Curve::dashed("", [(at, 0.0), (at, high)]);
    let named: Vec<String> =
        reads.modes.iter().take(MODES).map(|mode| format!("{} ({})", ns(mode.at_ns), share(mode.share))).collect();
    let modes = reads.modes.iter().take(MODES).enumerate().map(|(place, mode)| Curve {
        name: if place == 0 { format!("clusters {}", named.join(", ")) } else { String::new() },
        hue: Hue::Ink,
        shape: Some(Shape::Circle),
        points: vec![(mode.at_ns, at(reads, mode.at_ns))],
        ..Curve::default()
    });
    let area = Curve::of_steps(hue, outline(reads, x));
    let quantiles = [reads.p50_ns, reads.p99_ns, reads.maximum_ns].map(upright);
    Plot {
        title: code(&reads.clock),
        x: x.clone(),
        y: Axis::of_counts(most),
        words: [ns, |value| count(value as u64)],
        names: [
            "time from one reading to the next".to_owned(),
            format!(
                "differences; dashed: median {}, 99th percentile {}, longest {}",
                ns(reads.p50_ns),
                ns(reads.p99_ns),
                ns(reads.maximum_ns)
            ),
        ],
        curves: quantiles.into_iter().chain([area]).chain(modes).collect(),
        reference: None,
        zone: None,
    }
}

/// The height of the distribution at a difference.
fn at(reads: &Reads, at_ns: f64) -> f64 {
    let bin = reads.histogram.bins.iter().find(|bin| (bin.from_ns..bin.to_ns).contains(&at_ns));
    bin.map_or(0.0, |bin| bin.count as f64)
}

/// The bins as steps, none narrower than can be seen.
fn outline(reads: &Reads, x: &Axis) -> impl Iterator<Item = [f64; 3]> {
    let span = x.ticks.last().zip(x.ticks.first()).map_or(1.0, |(last, first)| last / first);
    let wide = span.powf(BIN);
    let bins = reads.histogram.bins.iter().filter(|bin| bin.count > 0);
    bins.map(move |bin| [bin.from_ns, bin.to_ns.max(bin.from_ns * wide), bin.count as f64])
}

fn noise(record: &Record) -> Option<Figure> {
    let all = record.content.reads();
    if all.is_empty() {
        return None;
    }
    let mut entries = Vec::new();
    for reads in all {
        let hidden = view::hidden(reads).map_or_else(String::new, |hidden| format!("; {hidden}"));
        entries.push(Entry::Heading(format!("{}, read for {}{hidden}", code(&reads.clock), ns(reads.span_ns))));
        entries
            .extend(GAP_THRESHOLDS_NS.into_iter().filter_map(|above_ns| gap(record, reads, above_ns)).map(Entry::Row));
    }
    let rows = Rows {
        entries,
        scale: Scale::Log,
        word: share,
        axis_name: "share of the time in gaps".to_owned(),
        reference: Some(LITTLE),
    };
    let plots = over_time::plots(record, all);
    let how_over_time = if plots.is_empty() { "" } else { over_time::HOW };
    let mut says = said_of_noise(record, all);
    says.extend(over_time::said(all).map(|when| (Mood::Plain, when)));
    Some(Figure {
        id: "noise",
        short: "noise",
        title: "What the machine takes".to_owned(),
        says,
        key: key(&rows),
        charts: vec![Chart::Rows(rows), Chart::Plots(plots)],
        how: format!(
            "A gap is a difference between two readings that is much longer than a read: something else had the CPU. Dashed: {} of \
             the time; more in gaps over 10 µs is worth a remedy.{how_over_time}",
            share(LITTLE)
        ),
        numbers: over_time::numbers(all),
    })
}

/// What the first screen says of gaps, and what the kernel counted while clocks were read.
fn said_of_noise(record: &Record, all: &[Reads]) -> Vec<(Mood, String)> {
    let mut suffered = Disturbance::default();
    all.iter().for_each(|reads| suffered.merge(&reads.disturbance));
    let span_ns = all.iter().map(|reads| reads.span_ns).sum();
    let counted = format!("In {} of reads: {}.", ns(span_ns), disturbance::said(&suffered));
    let lost = record.content.judgement.as_ref().map(|judgement| {
        let noise = &judgement.noise;
        let Some(lost) = &noise.lost else {
            let reason = given(noise.reason_unmeasured.as_deref());
            return (Mood::Quiet, format!("What the machine takes is not known: {reason}."));
        };
        let text = format!(
            "{} of the time{} was lost in gaps over {}, mostly to {}",
            share(lost.share),
            after("reading", lost.clock.as_ref()),
            ns(lost.above_ns),
            lost.mostly_by.words()
        );
        match noise.advice {
            Some(advice) => (Mood::Warning, format!("{text}: {}.", advice.words())),
            None => (Mood::Plain, format!("{text}. Up to {} needs no remedy.", share(LITTLE))),
        }
    });
    lost.into_iter().chain([(Mood::Plain, counted)]).collect()
}

/// The share of time in gaps of one clock; None where the document does not count gaps of this length.
fn gap(record: &Record, reads: &Reads, above_ns: f64) -> Option<Row> {
    let (hue, shape) = of_named(&reads.clock, record);
    let name = format!("gaps over {}", view::threshold(above_ns));
    if let Some(reason) = reason_hidden(reads, above_ns) {
        return Some(Row {
            name,
            hue,
            value: "not known".to_owned(),
            mood: Mood::Quiet,
            more: reason,
            ..Row::default()
        });
    }
    let Gaps { count: gaps, share_of_time, .. } = *reads.shown_gaps().find(|gaps| gaps.above_ns == above_ns)?;
    let (value, marks) = match gaps {
        0 => ("not seen".to_owned(), Vec::new()),
        _ => {
            let words = format!("{} in {}", share(share_of_time), counted(gaps, "gap", "gaps"));
            (words, vec![Mark::Point { at: share_of_time, shape, is_hollow: false }])
        }
    };
    let more = format!("{}, {name}\n{value}", reads.clock);
    Some(Row { name, hue, marks, value, more, ..Row::default() })
}

#[cfg(test)]
mod tests {
    use super::super::report::tests::of;
    use super::*;
    use crate::rules::judged;
    use crate::rules::tests::blank;

    fn record(reads: Vec<Reads>) -> Record {
        let mut record = blank();
        record.content.sections.reads.report = reads;
        judged(record)
    }

    fn figure(record: &Record, id: &str) -> Figure {
        figures(record).into_iter().find(|figure| figure.id == id).unwrap()
    }

    fn texts(figure: &Figure) -> Vec<&str> {
        figure.says.iter().map(|(_, text)| text.as_str()).collect()
    }

    fn rows(figure: &Figure) -> Vec<&Row> {
        let Some(Chart::Rows(rows)) = figure.charts.first() else { panic!("{:?}", figure.charts) };
        let of_rows = rows.entries.iter().filter_map(|entry| match entry {
            Entry::Row(row) => Some(row),
            Entry::Heading(_) => None,
        });
        of_rows.collect()
    }

    #[test]
    fn a_distribution_has_its_bins_modes_and_quantiles() {
        let record = record(vec![of("CLOCK_MONOTONIC", &[(20, 90_000), (30, 9_999), (50_000, 1)])]);
        let reads = figure(&record, "reads");
        let Some(Chart::Plots(plots)) = reads.charts.first() else { panic!("{:?}", reads.charts) };
        let curves = &plots[0].curves;
        let area = curves.iter().find(|curve| curve.is_filled).unwrap();
        let heights: Vec<f64> = area.points.iter().map(|(_, y)| *y).collect();
        assert_eq!(heights, [0.0, 90_000.0, 90_000.0, 0.0, 0.0, 9_999.0, 9_999.0, 0.0, 0.0, 1.0, 1.0, 0.0]);
        let dashed: Vec<f64> = curves.iter().filter(|curve| curve.is_dashed).map(|curve| curve.points[0].0).collect();
        assert_eq!(dashed, [20.0, 30.0, 50_000.0]);
        let modes: Vec<(f64, f64)> =
            curves.iter().filter(|curve| curve.shape.is_some()).map(|curve| curve.points[0]).collect();
        assert_eq!(modes, [(20.0, 90_000.0), (30.0, 9_999.0)]);
        assert!(curves.iter().any(|curve| curve.name == "clusters 20.0 ns (90.0 %), 30.0 ns (10.0 %)"), "{curves:?}");
        let said = texts(&reads);
        let next = "Half of the readings of `CLOCK_MONOTONIC` come within 20.0 ns of the one before, 99 of 100 within 30.0 ns, \
                    all within 50.0 µs.";
        assert_eq!(said, [next, "No reading equals the one before.", "No clock went backwards within a thread."]);
    }

    #[test]
    fn clocks_that_repeat_or_go_backwards_are_named() {
        let coarse = of("CLOCK_MONOTONIC_COARSE", &[(0, 9_990), (4_000_000, 10)]);
        let back = of("CLOCK_REALTIME", &[(-7, 2), (0, 8), (20, 990)]);
        let reads = figure(&record(vec![coarse, back]), "reads");
        let said = texts(&reads);
        assert_eq!(said[0], "`CLOCK_MONOTONIC_COARSE` moves in steps of 4.00 ms or longer, the longest 4.00 ms.");
        let repeat =
            "99.9 % of the readings of `CLOCK_MONOTONIC_COARSE` equal the one before; 2 clocks repeat readings.";
        assert_eq!(said[1], repeat);
        let backwards = (Mood::Bad, "`CLOCK_REALTIME` went backwards 2 times in 1\u{202f}000 reads.".to_owned());
        assert_eq!(reads.says[2], backwards);
        let still = figure(&record(vec![of("still", &[(0, 100)])]), "reads");
        assert_eq!(texts(&still)[0], "`still` did not move while it was read.");
    }

    #[test]
    fn little_lost_is_told_plainly_and_much_with_what_to_do() {
        let quiet = record(vec![of("CLOCK_MONOTONIC", &[(20, 1_000_000), (50_000, 4)])]);
        let noise = figure(&quiet, "noise");
        let (mood, text) = &noise.says[0];
        let lost = "0.990 % of the time reading `CLOCK_MONOTONIC` was lost in gaps over 10.0 µs, mostly to";
        assert!(
            *mood == Mood::Plain && text.starts_with(lost) && text.ends_with("Up to 2.00 % needs no remedy."),
            "{text}"
        );
        let of_gaps = rows(&noise);
        let values: Vec<&str> = of_gaps.iter().map(|row| row.value.as_str()).collect();
        assert_eq!(values, ["0.990 % in 4 gaps", "0.990 % in 4 gaps", "not seen"]);
        assert!(matches!(of_gaps[0].marks[..], [Mark::Point { at, .. }] if (at - 0.0099).abs() < 1e-4), "{of_gaps:?}");
        assert!(of_gaps[2].marks.is_empty());
        let loud = figure(&record(vec![of("CLOCK_MONOTONIC", &[(20, 1_000_000), (50_000, 40)])]), "noise");
        let (mood, text) = &loud.says[0];
        assert!(*mood == Mood::Warning && text.starts_with("9.09 % of the time reading"), "{text}");
    }

    /// A guest whose clocksource is an HPET that the hypervisor emulates.
    #[test]
    fn where_a_read_takes_longer_than_a_gap_it_is_not_known() {
        let slow = figure(&record(vec![of("CLOCK_MONOTONIC", &[(13_900, 9_000), (150_000, 1)])]), "noise");
        let reason =
            "What the machine takes is not known: a read of CLOCK_MONOTONIC takes 13.9 µs, which hides gaps > 10.0 µs.";
        assert_eq!(slow.says[0], (Mood::Quiet, reason.to_owned()));
        assert!(rows(&slow).iter().all(|row| row.value == "not known" && row.marks.is_empty()));
        let Some(Chart::Rows(Rows { entries, .. })) = slow.charts.first() else { panic!() };
        let Some(Entry::Heading(heading)) = entries.first() else { panic!("{entries:?}") };
        assert!(
            heading.ends_with("gaps under 139 µs are hidden: a read of CLOCK_MONOTONIC takes 13.9 µs"),
            "{heading}"
        );
    }

    #[test]
    fn nothing_read_is_no_figure_and_numbers_without_a_place_do_no_harm() {
        assert!(figures(&blank()).is_empty());
        let mut hostile = of("CLOCK_MONOTONIC", &[(20, 10)]);
        (hostile.p50_ns, hostile.p99_ns, hostile.span_ns) = (f64::NAN, f64::INFINITY, f64::NAN);
        for bin in &mut hostile.histogram.bins {
            (bin.from_ns, bin.to_ns) = (f64::NAN, -1.0);
        }
        let many = figure(&record(vec![hostile; DRAWN + 4]), "reads");
        let Some(Chart::Plots(plots)) = many.charts.first() else { panic!() };
        assert_eq!(plots.len(), DRAWN);
        assert!(many.how.ends_with("4 more clocks are in the numbers."), "{}", many.how);
    }
}
