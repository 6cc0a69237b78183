//! The telling end of what a process wrote to standard error.

/// Characters that a complaint has at most: it is part of a sentence.
const MOST_CHARACTERS: usize = 200;
/// Replaces lines that were left out, or the end of one.
const CUT: &str = "…";
const BETWEEN: &str = " / ";

/// The last lines of `text` that say something, in one line of at most 200 characters, with `…` where something was left
/// out. Indented lines, which are frames of a stack or excerpts of a source file, and notes say least.
///
/// # Examples
/// ```
/// use chronoscope_harness::process::telling;
///
/// let trace = "Loading\nException in thread \"main\" java.lang.Error: no luck\n\tat Probe.main(Probe.java:7)\n";
/// assert_eq!(telling(trace), "Loading / Exception in thread \"main\" java.lang.Error: no luck / …");
/// ```
pub fn telling(text: &str) -> String {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let is_telling = |line: &&str| !line.starts_with(char::is_whitespace) && !line.starts_with("note: ");
    // Where none is, the last ones are as good as any.
    let all = !lines.iter().any(is_telling);
    // From the last to the first; consecutive ones that say little are one gap.
    let mut pieces: Vec<&str> = Vec::new();
    let mut room = MOST_CHARACTERS;
    for line in lines.iter().rev() {
        let piece = if all || is_telling(line) { line.trim() } else { CUT };
        if piece == CUT && pieces.last() == Some(&CUT) {
            continue;
        }
        let length = piece.chars().count() + BETWEEN.len();
        // A mark must fit behind whatever is taken.
        let Some(left) = room.checked_sub(length).filter(|left| *left >= CUT.chars().count()) else {
            return match pieces.iter().all(|piece| *piece == CUT) {
                true => begun(piece),
                false => joined(pieces.into_iter().chain([CUT])),
            };
        };
        room = left;
        pieces.push(piece);
    }
    joined(pieces)
}

/// The beginning of a line that is too long by itself.
fn begun(line: &str) -> String {
    line.chars().take(MOST_CHARACTERS - CUT.chars().count()).chain(CUT.chars()).collect()
}

fn joined<'a>(last_to_first: impl IntoIterator<Item = &'a str>) -> String {
    let mut pieces: Vec<&str> = last_to_first.into_iter().collect();
    pieces.dedup_by(|a, b| *a == CUT && *b == CUT);
    pieces.reverse();
    pieces.join(BETWEEN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_line_that_names_the_reason_is_kept() {
        assert_eq!(telling("  \n"), "");
        assert_eq!(telling("two\n"), "two");
        let panic = "\nthread 'main' panicked at probe.rs:3:5:\nno luck\nnote: run with `RUST_BACKTRACE=1`\n";
        assert_eq!(telling(panic), "thread 'main' panicked at probe.rs:3:5: / no luck / …");
        let python = "Traceback (most recent call last):\n  File \"probe.py\", line 3\n    luck()\nNameError: luck\n";
        assert_eq!(telling(python), "Traceback (most recent call last): / … / NameError: luck");
        assert_eq!(telling("\tat A\n\tat B"), "at A / at B");
    }

    #[test]
    fn of_much_the_last_lines_are_kept_and_of_a_long_line_its_beginning() {
        let many: String = (0..1000).map(|at| format!("warning {at}\n")).collect();
        let told = telling(&many);
        assert!(told.starts_with('…') && told.ends_with("999"), "{told}");
        let told = telling(&format!("first\nerror: {}\n  here\n", "x".repeat(5000)));
        assert!(told.starts_with("error:") && told.ends_with("x…"), "{told}");
    }

    proptest! {
        #[test]
        fn it_is_one_short_line(text in "([ \\ta-z…äé]{0,90}\n){0,12}") {
            let told = telling(&text);
            prop_assert!(told.chars().count() <= MOST_CHARACTERS && !told.contains('\n'), "{told}");
            prop_assert_eq!(told.is_empty(), text.trim().is_empty());
        }
    }
}
