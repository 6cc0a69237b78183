use crate::{Anchor, Line};

/// Baselines longer than this are shortened, so that the rate follows the system's clock: they begin anew at the narrowest
/// anchor of their third quarter.
const LONGEST_BASELINE_NS: u64 = 16_000_000_000;
/// A lag beyond the looks' own widths by this much says that the rate has changed.
const SURPRISE_NS: u64 = 20;

/// The rate of the system's clock per tick, from anchors taken as calls go by: the longer the baseline, the surer.
///
/// # Sources
/// The narrowest bracket as the least disturbed sample: D. Mills, RFC 5905 section 10.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Baseline {
    from: Anchor,
    middle: Anchor,
    last: Anchor,
    rate: Line,
    error_ppb: u64,
}

impl Baseline {
    /// A baseline that begins at `anchor`, with a rate that is already known to `error_ppb`.
    pub(super) fn begin(anchor: Anchor, rate: Line, error_ppb: u64) -> Self {
        Self { from: anchor, middle: anchor, last: anchor, rate, error_ppb }
    }

    /// The rate between two anchors, as a baseline's beginning. None if they do not differ enough to tell.
    pub(super) fn between(earlier: Anchor, later: Anchor) -> Option<Self> {
        let rate = rate_between(earlier, later)?;
        let error_ppb = error_ppb(rate, earlier, later);
        Some(Self { from: earlier, middle: later, last: later, rate, error_ppb })
    }

    /// Takes in one more anchor, at which the clock was found `lag_ns` from its reference.
    pub(super) fn observe(&mut self, anchor: Anchor, lag_ns: i64) {
        let widths = self.rate.length_ns(anchor.half_width_ticks + self.last.half_width_ticks);
        if lag_ns.unsigned_abs() > widths + SURPRISE_NS {
            self.from = self.last;
            self.middle = anchor;
            self.error_ppb = u64::MAX;
        }
        let length_ns = anchor.reference_ns.saturating_sub(self.from.reference_ns);
        if length_ns > LONGEST_BASELINE_NS {
            let age_ns = anchor.reference_ns.saturating_sub(self.middle.reference_ns);
            // Where nobody read the clock in the third quarter, the last anchor is the best there is.
            self.from = if age_ns <= LONGEST_BASELINE_NS && self.middle != self.from { self.middle } else { self.last };
            self.middle = self.from;
            self.error_ppb = u64::MAX; // the rate of the old baseline is too old to hold
        } else if self.could_begin_at(anchor, length_ns) {
            self.middle = anchor;
        }
        self.last = anchor;
        if let Some(rate) = rate_between(self.from, anchor) {
            let error_ppb = error_ppb(rate, self.from, anchor);
            if error_ppb <= self.error_ppb {
                self.rate = rate;
                self.error_ppb = error_ppb;
            }
        }
    }

    /// Whether the next baseline had better begin at `anchor`, `length_ns` into this one.
    fn could_begin_at(&self, anchor: Anchor, length_ns: u64) -> bool {
        let quarter_ns = LONGEST_BASELINE_NS / 4;
        let is_first = self.middle.reference_ns.saturating_sub(self.from.reference_ns) < 2 * quarter_ns;
        length_ns >= 2 * quarter_ns
            && (is_first || length_ns < 3 * quarter_ns && anchor.half_width_ticks < self.middle.half_width_ticks)
    }

    pub(super) fn rate(&self) -> Line {
        self.rate
    }

    /// How far the rate may be off, in parts per billion, while the system's clock keeps its own.
    pub(super) fn error_ppb(&self) -> u64 {
        self.error_ppb
    }

    pub(super) const WORDS: usize = 11;

    pub(super) fn to_words(self) -> [u64; Self::WORDS] {
        let [a, b, c] = [self.from, self.middle, self.last];
        [
            a.ticks,
            a.reference_ns,
            a.half_width_ticks,
            b.ticks,
            b.reference_ns,
            b.half_width_ticks,
            c.ticks,
            c.reference_ns,
            c.half_width_ticks,
            self.rate.slope(),
            self.error_ppb,
        ]
    }

    pub(super) fn from_words(words: [u64; Self::WORDS]) -> Self {
        let anchor =
            |at: usize| Anchor { ticks: words[at], reference_ns: words[at + 1], half_width_ticks: words[at + 2] };
        Self {
            from: anchor(0),
            middle: anchor(3),
            last: anchor(6),
            rate: Line::from_parts(words[9], 0),
            error_ppb: words[10],
        }
    }
}

/// The slope alone, as a line through the origin.
fn rate_between(earlier: Anchor, later: Anchor) -> Option<Line> {
    Some(Line::from_parts(Line::between(earlier, later)?.slope(), 0))
}

fn error_ppb(rate: Line, earlier: Anchor, later: Anchor) -> u64 {
    // One nanosecond for the reference's own rounding at each end.
    let uncertain_ns = rate.length_ns(earlier.half_width_ticks + later.half_width_ticks) + 2;
    let length_ns = later.reference_ns.saturating_sub(earlier.reference_ns).max(1);
    (u128::from(uncertain_ns) * 1_000_000_000 / u128::from(length_ns)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    const HZ: u64 = 2_000_000_000;

    fn anchor(ns: u64) -> Anchor {
        Anchor { ticks: 1_000 + ns * 2, reference_ns: 5_000 + ns, half_width_ticks: 30 }
    }

    #[test]
    fn the_rate_gets_surer_with_time() {
        let mut baseline = Baseline::between(anchor(0), anchor(25_000)).unwrap();
        assert!(baseline.error_ppb() > 1_000_000);
        let mut errors = std::vec::Vec::new();
        for ms in 1..2_000 {
            baseline.observe(anchor(ms * 1_000_000), 0);
            errors.push(baseline.error_ppb());
        }
        assert!(errors.is_sorted_by(|a, b| a >= b), "never less sure with a longer baseline");
        assert!(*errors.last().unwrap() < 50, "{} ppb", errors.last().unwrap());
        assert!(baseline.rate().ppm_faster_than(Line::with_frequency(HZ).unwrap()).abs() < 0.05);
    }

    #[test]
    fn a_surprise_shortens_the_baseline() {
        let mut baseline = Baseline::between(anchor(0), anchor(1_000_000_000)).unwrap();
        let fast = |ns: u64| Anchor { reference_ns: 5_000 + ns + (ns - 1_000_000_000) / 2_000, ..anchor(ns) };
        for ms in 1_001..1_100 {
            baseline.observe(fast(ms * 1_000_000), if ms < 1_003 { 500 } else { 0 });
        }
        let ppm = baseline.rate().ppm_faster_than(Line::with_frequency(HZ).unwrap());
        assert!((499.0..501.0).contains(&ppm), "{ppm} ppm");
    }

    #[test]
    fn an_old_baseline_is_left_behind() {
        let mut baseline = Baseline::between(anchor(0), anchor(25_000)).unwrap();
        for ms in (100..80_000).step_by(100) {
            // One bracket in ten is undisturbed.
            let half_width_ticks = if ms % 1_000 == 0 { 30 } else { 3_000 };
            baseline.observe(Anchor { half_width_ticks, ..anchor(ms * 1_000_000) }, 0);
            let age_ns = baseline.last.reference_ns - baseline.from.reference_ns;
            assert!(age_ns <= LONGEST_BASELINE_NS && (ms < 8_000 || age_ns >= LONGEST_BASELINE_NS / 4), "{age_ns}");
        }
        assert_eq!(baseline.from.half_width_ticks, 30);
        assert!(baseline.error_ppb() <= 10, "{} ppb", baseline.error_ppb());
    }

    #[test]
    fn a_clock_that_was_left_alone_forgets_what_it_knew() {
        let mut baseline = Baseline::between(anchor(0), anchor(25_000)).unwrap();
        for s in (30..3_000).step_by(30) {
            baseline.observe(anchor(s * 1_000_000_000), 0);
            assert!(baseline.last.reference_ns - baseline.from.reference_ns <= 30_000_000_000);
        }
    }

    #[test]
    fn words_give_the_baseline_back() {
        let baseline = Baseline::between(anchor(0), anchor(25_000)).unwrap();
        assert_eq!(Baseline::from_words(baseline.to_words()), baseline);
    }
}
