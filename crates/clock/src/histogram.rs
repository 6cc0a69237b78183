use hdrhistogram::Histogram;

/// Longer times than 18 minutes count as that.
pub(crate) const LONGEST_NS: u64 = 1 << 40;
const DIGITS: u8 = 3;

/// An empty histogram of nanoseconds up to 18 minutes, to a thousandth of each: 256 KiB.
pub(crate) fn empty() -> Histogram<u64> {
    empty_to(LONGEST_NS)
}

/// The same, up to `longest_ns`. Of longer times some are kept and some count as that.
pub(crate) fn empty_to(longest_ns: u64) -> Histogram<u64> {
    Histogram::new_with_bounds(1, longest_ns, DIGITS).expect("bounds that the histogram allows")
}
