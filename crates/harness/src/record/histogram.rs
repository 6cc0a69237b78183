#[cfg(feature = "read")]
use serde::Deserialize;
use serde::Serialize;

/// Counts of values in nanoseconds, in bins that are 3 to 7 % wide.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "read", derive(Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Histogram {
    /// Bins in ascending order; empty ones are left out.
    pub bins: Vec<Bin>,
}

/// One bin of a histogram.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "read", derive(Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Bin {
    /// Smallest value in the bin.
    pub from_ns: f64,
    /// Exclusive upper end of the bin.
    pub to_ns: f64,
    /// How many values fall into it.
    pub count: u64,
}

impl Histogram {
    /// The same values in no more than `most` bins: the two neighbours that lie closest together, as a ratio, become one until they
    /// are so few.
    ///
    /// # Examples
    /// ```
    /// use chronoscope_harness::record::{Bin, Histogram};
    ///
    /// let bin = |from_ns, to_ns, count| Bin { from_ns, to_ns, count };
    /// let of = Histogram { bins: vec![bin(1.0, 1.1, 4), bin(1.1, 1.2, 5), bin(9.0, 9.9, 1)] };
    /// assert_eq!(of.in_bins(2).bins, [bin(1.0, 1.2, 9), bin(9.0, 9.9, 1)]);
    /// ```
    #[must_use]
    pub fn in_bins(mut self, most: usize) -> Self {
        let spans = |pair: &[Bin]| pair[1].to_ns / pair[0].from_ns;
        while self.bins.len() > most.max(1) {
            let pairs = self.bins.windows(2).enumerate();
            let Some((closest, _)) = pairs.min_by(|(_, a), (_, b)| spans(a).total_cmp(&spans(b))) else { break };
            let upper = self.bins.remove(closest + 1);
            let lower = &mut self.bins[closest];
            (lower.to_ns, lower.count) = (upper.to_ns, lower.count.saturating_add(upper.count));
        }
        self
    }

    /// How many values the histogram holds.
    pub fn count(&self) -> u64 {
        self.bins.iter().fold(0, |sum, bin| sum.saturating_add(bin.count))
    }
}
