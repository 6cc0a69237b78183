use std::io;

use chronoscope_render::Width;
use terminal_size::{Width as Columns, terminal_size_of};

/// A terminal that reports more than this is wrong.
const MOST: usize = 10_000;

/// The page width: that of the environment variable `COLUMNS` if it is a number from 1 to 10000, else that of the
/// terminal on standard output, else 118 columns.
///
/// # Examples
/// ```
/// use chronoscope_bench::page_width;
/// use chronoscope_render::Width;
///
/// assert!(page_width().columns() >= Width::LEAST);
/// ```
pub fn page_width() -> Width {
    let terminal = terminal_size_of(io::stdout()).map(|(Columns(columns), _)| usize::from(columns));
    chosen(std::env::var("COLUMNS").ok().as_deref(), terminal)
}

fn chosen(variable: Option<&str>, terminal: Option<usize>) -> Width {
    let wanted = variable.and_then(|columns| columns.trim().parse().ok());
    let is_sane = |columns: &usize| (1..=MOST).contains(columns);
    wanted.filter(is_sane).or(terminal.filter(is_sane)).map_or_else(Width::default, Width::of_columns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_user_is_asked_first_and_the_terminal_second() {
        let columns = |variable, terminal| chosen(variable, terminal).columns();
        assert_eq!(columns(None, None), 118);
        assert_eq!(columns(None, Some(80)), 80);
        assert_eq!(columns(Some("100"), Some(80)), 100);
        assert_eq!(columns(Some(" 100 "), None), 100);
        assert_eq!(columns(None, Some(200)), 200);
        assert_eq!(columns(Some("20"), None), Width::LEAST);
    }

    #[test]
    fn nonsense_is_not_a_width() {
        for nonsense in ["", "0", "-80", "80.5", "wide", "10001", "99999999999999999999999"] {
            assert_eq!(chosen(Some(nonsense), None), Width::default(), "{nonsense}");
            assert_eq!(chosen(Some(nonsense), Some(80)).columns(), 80, "{nonsense}");
        }
        // A terminal whose size was never set reports 0.
        assert_eq!(chosen(None, Some(0)), Width::default());
    }
}
