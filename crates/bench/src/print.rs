use std::io::{ErrorKind, Write};

use super::Failure;

/// Prints `text` on standard output, with its colours if that is wanted there. A reader that has had enough is no failure.
///
/// # Errors
/// With exit code 1, where standard output cannot be written.
///
/// # Examples
/// ```
/// chronoscope_bench::print("8.10 ns\n")?;
/// # Ok::<(), chronoscope_bench::Failure>(())
/// ```
pub fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = anstream::stdout();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        // Whoever read the output has had enough of it.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(Failure::run(format!("standard output could not be written: {error}"))),
        Ok(()) => Ok(()),
    }
}
