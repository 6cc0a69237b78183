/// One reading of the library's clock and the two of `CLOCK_MONOTONIC` around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bracket {
    pub before_ns: u64,
    pub reading_ns: u64,
    pub after_ns: u64,
}

impl Bracket {
    /// How far the reading lies outside; 0 within.
    pub fn beyond_ns(self) -> u64 {
        self.before_ns.saturating_sub(self.reading_ns).max(self.reading_ns.saturating_sub(self.after_ns))
    }

    pub fn width_ns(self) -> u64 {
        self.after_ns.saturating_sub(self.before_ns)
    }

    /// By how much more than the brackets allow our interval since `earlier` differs from that of `CLOCK_MONOTONIC`.
    pub fn interval_beyond_ns(self, earlier: Self) -> u64 {
        let ours = self.reading_ns as i64 - earlier.reading_ns as i64;
        let least = self.before_ns as i64 - earlier.after_ns as i64;
        let most = self.after_ns as i64 - earlier.before_ns as i64;
        (least - ours).max(ours - most).max(0) as u64
    }

    /// The advance of `CLOCK_MONOTONIC` since `earlier` minus ours, to half the widths of both brackets.
    pub fn lag_ns(self, earlier: Self) -> i64 {
        let theirs = self.middle_ns() - earlier.middle_ns();
        theirs - (self.reading_ns as i64 - earlier.reading_ns as i64)
    }

    fn middle_ns(self) -> i64 {
        (self.before_ns + self.width_ns() / 2) as i64
    }
}

#[cfg(test)]
mod tests {
    use super::Bracket;

    const fn bracket(before_ns: u64, reading_ns: u64, after_ns: u64) -> Bracket {
        Bracket { before_ns, reading_ns, after_ns }
    }

    #[test]
    fn a_reading_on_either_edge_is_within() {
        assert_eq!(bracket(10, 10, 20).beyond_ns(), 0);
        assert_eq!(bracket(10, 20, 20).beyond_ns(), 0);
        assert_eq!(bracket(10, 9, 20).beyond_ns(), 1);
        assert_eq!(bracket(10, 23, 20).beyond_ns(), 3);
    }

    #[test]
    fn an_interval_is_off_only_by_what_the_brackets_cannot_explain() {
        let first = bracket(100, 150, 200);
        assert_eq!(bracket(1100, 1150, 1200).interval_beyond_ns(first), 0);
        assert_eq!(bracket(1100, 1050, 1200).interval_beyond_ns(first), 0, "the least");
        assert_eq!(bracket(1100, 1049, 1200).interval_beyond_ns(first), 1);
        assert_eq!(bracket(1100, 1250, 1200).interval_beyond_ns(first), 0, "the most");
        assert_eq!(bracket(1100, 1255, 1200).interval_beyond_ns(first), 5);
    }

    #[test]
    fn a_clock_that_stands_still_lags() {
        let first = bracket(100, 150, 200);
        assert_eq!(bracket(5100, 150, 5200).lag_ns(first), 5000);
        assert_eq!(bracket(5100, 6150, 5200).lag_ns(first), -1000);
    }
}
