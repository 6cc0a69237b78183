use chronoscope_harness::record::{Bin, Histogram};

use crate::line::Line;
use crate::palette::{BAR, DIM};
use chronoscope_harness::quantity::{TIME, count};

const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
/// Columns of the longest bar: the usual number, and the least on a narrow page.
const LONGEST: usize = 28;
const SHORTEST: usize = 8;
/// Columns before each bar.
const LABEL: usize = 17;
/// Initial number of slots; where most are empty, the others can be this fine.
const FINEST: usize = 96;
/// Bins starting below this are drawn as if they start here, for the logarithm.
const LEAST_NS: f64 = 1e-3;
/// The meaning of bar lengths, and the sign before a row.
pub const SCALE: &str = "bars on a log scale, ⋮ after a gap";

/// Draws a histogram in at most `limit` rows whose bins widen with the value, for a page or a column of `width`.
pub fn bars(histogram: &Histogram, limit: usize, width: usize) -> Vec<Line> {
    let rows: Vec<Bin> = finest(histogram, limit).into_iter().flatten().collect();
    let most = rows.iter().map(|bin| bin.count).max().unwrap_or(0);
    if most == 0 {
        return vec![Line::styled(DIM, "the histogram is empty")];
    }
    let longest = width.saturating_sub(LABEL + 1 + Line::plain(&count(most)).width()).clamp(SHORTEST, LONGEST);
    let mut end = f64::INFINITY;
    let mut lines = Vec::with_capacity(rows.len());
    for bin in rows {
        let label = format!("{:>15} ", TIME.interval(bin.from_ns, bin.to_ns));
        let line = Line::styled(DIM, if bin.from_ns > end { "⋮" } else { " " }).and(&label);
        lines.push(line.with(BAR, &bar(bin.count, most, longest)).and(" ").and(&count(bin.count)));
        // Adjoining bins may differ in the last digit at their common edge.
        end = bin.to_ns * (1.0 + 1e-9);
    }
    lines
}

/// The finest slots of which at most `limit` are non-empty.
fn finest(histogram: &Histogram, limit: usize) -> Vec<Option<Bin>> {
    let mut all = (1..=FINEST).rev().map(|slots| merged(histogram, slots));
    all.find(|slots| slots.iter().flatten().count() <= limit).unwrap_or_default()
}

/// The bins of `histogram` merged into `slots` of equal logarithmic width; None for an empty slot.
fn merged(histogram: &Histogram, slots: usize) -> Vec<Option<Bin>> {
    let filled = || histogram.bins.iter().filter(|bin| bin.count > 0);
    let place = |bin: &Bin| bin.from_ns.max(LEAST_NS).ln();
    let low = filled().map(place).fold(f64::INFINITY, f64::min);
    let high = filled().map(place).fold(f64::NEG_INFINITY, f64::max);
    let mut merged: Vec<Option<Bin>> = vec![None; slots];
    for bin in filled() {
        let part = if high > low { (place(bin) - low) / (high - low) } else { 0.0 };
        // A float-to-int cast saturates, and the index is capped.
        let slot = ((part * slots as f64) as usize).min(slots - 1);
        merged[slot] = Some(match merged[slot] {
            None => *bin,
            Some(sum) => Bin {
                from_ns: sum.from_ns.min(bin.from_ns),
                to_ns: sum.to_ns.max(bin.to_ns),
                count: sum.count.saturating_add(bin.count),
            },
        });
    }
    merged
}

fn bar(count: u64, most: u64, longest: usize) -> String {
    let part = (1.0 + count as f64).ln() / (1.0 + most as f64).ln();
    let eighths = ((part * longest as f64 * 8.0).round() as usize).max(1);
    format!("{}{}", "█".repeat(eighths / 8), EIGHTHS[eighths % 8])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn bin(from_ns: f64, to_ns: f64, count: u64) -> Bin {
        Bin { from_ns, to_ns, count }
    }

    #[test]
    fn one_bin_and_none() {
        assert_eq!(bars(&Histogram::default(), 12, 118).len(), 1);
        assert_eq!(bars(&Histogram { bins: vec![bin(1.0, 2.0, 0)] }, 12, 118).len(), 1);
        assert_eq!(bars(&Histogram { bins: vec![bin(1.0, 2.0, 5)] }, 12, 118).len(), 1);
    }

    #[test]
    fn nothing_is_lost_in_merging() {
        let histogram = Histogram { bins: (1..100).map(|i| bin(f64::from(i), f64::from(i + 1), 3)).collect() };
        let slots = finest(&histogram, 12);
        assert!((6..=12).contains(&slots.iter().flatten().count()));
        assert_eq!(slots.iter().flatten().map(|bin| bin.count).sum::<u64>(), 297);
    }

    proptest! {
        #[test]
        fn no_histogram_panics(bins in prop::collection::vec((any::<f64>(), any::<f64>(), any::<u64>()), 0..40)) {
            let bins = bins.into_iter().map(|(from, to, count)| bin(from, to, count)).collect();
            let rows = bars(&Histogram { bins }, 12, 118).len();
            prop_assert!((1..=12).contains(&rows));
        }
    }
}
