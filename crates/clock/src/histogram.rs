use hdrhistogram::Histogram;

/// Values from a nanosecond to 18 minutes, to a thousandth of each. Longer ones count as that.
pub(crate) const LONGEST_NS: u64 = 1 << 40;
const DIGITS: u8 = 3;

/// An empty histogram of nanoseconds: 256 KiB.
pub(crate) fn empty() -> Histogram<u64> {
    Histogram::new_with_bounds(1, LONGEST_NS, DIGITS).expect("bounds that the histogram allows")
}
