//! The one place where messages leave for a terminal.

use std::borrow::Cow;
use std::io::{ErrorKind, Write};

use chronoscope_harness::record::clean;

/// Writes `text` to standard error, after the program's name.
///
/// # Guarantees
/// A document, an argument or the name of a file that it quotes steers no terminal: such characters are made visible.
///
/// # Examples
/// ```
/// chronoscope_bench::tell("mytool", "\u{1b}[2Jrecord.json is not valid JSON");
/// ```
pub fn tell(program: &str, text: &str) {
    // With standard error closed, the exit code must suffice.
    let _ = anstream::stderr().write_fmt(format_args!("{program}: {}\n", cleaned(text)));
}

/// The text with every line cleaned.
fn cleaned(text: &str) -> String {
    text.lines().map(clean).collect::<Vec<Cow<'_, str>>>().join("\n")
}

/// Reports arguments that were refused, or prints the help or the version that was asked for. Returns the exit code.
///
/// # Guarantees
/// As [`tell`]. Help that could not be written is a failure.
///
/// # Examples
/// ```
/// let error = clap::Command::new("mytool").try_get_matches_from(["mytool", "--fast"]).unwrap_err();
/// assert_eq!(chronoscope_bench::refuse("mytool", &error), 2);
/// ```
pub fn refuse(program: &str, error: &clap::Error) -> u8 {
    if error.use_stderr() {
        // Only clap colours it, and as text it is without what steers a terminal; so the arguments are looked at.
        let mut arguments = std::env::args_os().map(|argument| argument.to_string_lossy().into_owned());
        let _ = match arguments.all(|argument| clean(&argument) == argument) {
            true => error.print(),
            false => anstream::stderr().write_fmt(format_args!("{}\n", cleaned(&error.render().to_string()))),
        };
        return 2;
    }
    match error.print().and_then(|()| std::io::stdout().flush()) {
        Err(why) if why.kind() != ErrorKind::BrokenPipe => {
            tell(program, &format!("could not write to standard output: {why}"));
            1
        }
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_stay_lines_and_nothing_steers_a_terminal() {
        assert_eq!(cleaned("a\u{1b}]0;title\u{7}\nb\u{9b}2J"), "a\u{241b}]0;title\u{2407}\nb\u{fffd}2J");
    }
}
