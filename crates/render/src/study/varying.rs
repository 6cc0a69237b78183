//! Whether the rows of a table differ in backoff and threads, and so have a column for them.

use chronoscope_harness::quantity::count;

use super::words::{threads, token_count};
use crate::grid::Column;

/// Which of the two are not the same in every row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Varying {
    pub(crate) tokens: bool,
    pub(crate) threads: bool,
}

impl Varying {
    /// Of rows with these tokens and threads.
    pub(crate) fn over(rows: impl Iterator<Item = (u64, u32)>) -> Self {
        let rows: Vec<(u64, u32)> = rows.collect();
        let differ = |of: fn(&[(u64, u32)]) -> bool| rows.windows(2).any(of);
        Self { tokens: differ(|two| two[0].0 != two[1].0), threads: differ(|two| two[0].1 != two[1].1) }
    }

    pub(crate) fn columns() -> [Column; 2] {
        [Column::right("tokens").naming(), Column::right("threads").naming()]
    }

    /// The cells of these columns: empty where all rows are alike.
    pub(crate) fn cells(self, tokens: u64, threads: u32) -> [String; 2] {
        let some = |holds: bool, number: u64| if holds { count(number) } else { String::new() };
        [some(self.tokens, tokens), some(self.threads, threads.into())]
    }

    /// ` (4 threads)`, what all rows have in common with this one; empty for one thread without backoff.
    pub(crate) fn common(self, row: Option<(u64, u32)>) -> String {
        let Some((backoff, number)) = row else { return String::new() };
        let said = [
            (!self.threads && number != 1, threads(number)),
            (!self.tokens && backoff != 0, format!("{} of backoff", token_count(backoff))),
        ];
        let said: Vec<String> = said.into_iter().filter(|(holds, _)| *holds).map(|(_, words)| words).collect();
        if said.is_empty() { String::new() } else { format!(" ({})", said.join(", ")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_all_rows_share_has_no_column() {
        let of = |rows: &[(u64, u32)]| {
            let varying = Varying::over(rows.iter().copied());
            (varying.cells(rows[0].0, rows[0].1), varying.common(rows.first().copied()))
        };
        let said =
            |tokens: &str, threads: &str, common: &str| ([tokens.to_owned(), threads.to_owned()], common.to_owned());
        assert_eq!(of(&[(0, 1), (0, 1)]), said("", "", ""));
        assert_eq!(of(&[(16, 4)]), said("", "", " (4 threads, 16 tokens of backoff)"));
        assert_eq!(of(&[(0, 4), (16, 4)]), said("0", "", " (4 threads)"));
        assert_eq!(of(&[(0, 1), (0, 2)]), said("", "1", ""));
    }
}
