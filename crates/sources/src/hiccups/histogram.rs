use hdrhistogram::Histogram;

/// Longer times than 18 minutes count as that.
pub(super) const LONGEST_NS: u64 = 1 << 40;
const DIGITS: u8 = 3;

/// An empty histogram of nanoseconds up to 18 minutes, to a thousandth of each: 256 KiB.
pub(super) fn empty() -> Histogram<u64> {
    Histogram::new_with_bounds(1, LONGEST_NS, DIGITS).expect("bounds that the histogram allows")
}
