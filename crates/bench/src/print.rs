use std::io::{ErrorKind, Write};

use super::Failure;

/// Prints `text` to standard output, in colour if supported. A closed pipe is not a failure.
///
/// # Errors
/// With exit code 1, if standard output cannot be written.
///
/// # Examples
/// ```
/// chronoscope_bench::print("8.10 ns\n")?;
/// # Ok::<(), chronoscope_bench::Failure>(())
/// ```
pub fn print(text: &str) -> Result<(), Failure> {
    print_to_reader(text).map(drop)
}

/// The same, for whoever prints again and again; returns whether anybody reads it: false once the pipe is closed.
///
/// # Errors
/// As [`print()`].
///
/// # Examples
/// ```
/// assert!(chronoscope_bench::print_to_reader("8.10 ns\n")?);
/// # Ok::<(), chronoscope_bench::Failure>(())
/// ```
pub fn print_to_reader(text: &str) -> Result<bool, Failure> {
    let mut stdout = anstream::stdout();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Failure::run(format!("could not write to standard output: {error}"))),
        Ok(()) => Ok(true),
    }
}
