use std::ffi::OsString;
use std::fmt;
use std::io::Write;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use chronoscope_clock::pacer::Slot;

/// A program that has been told that no more comes gets so long to end.
const GRACE: Duration = Duration::from_secs(2);
const LOOK: Duration = Duration::from_millis(5);

/// Why a consumer could not be started.
#[derive(Debug)]
pub struct ConsumerError {
    program: String,
    error: std::io::Error,
}

impl fmt::Display for ConsumerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} could not be started: {}; name a program that is there", self.program, self.error)
    }
}

impl std::error::Error for ConsumerError {}

/// What events are handed to: nobody, or a program that reads lines.
pub(super) struct Consumer(Option<Running>);

struct Running {
    child: Arc<Mutex<Child>>,
    input: Option<ChildStdin>,
    line: Vec<u8>,
}

/// Ends the program from another thread.
pub(super) struct Killer(Option<Arc<Mutex<Child>>>);

impl Killer {
    pub(super) fn kill(&self) {
        if let Some(child) = &self.0 {
            // Whether it has ended already makes no difference.
            let _ = child.lock().unwrap_or_else(PoisonError::into_inner).kill();
        }
    }
}

impl Consumer {
    /// What the program prints goes to standard error: standard output is the report's.
    pub(super) fn start(command: &[OsString]) -> Result<Self, ConsumerError> {
        let Some((program, arguments)) = command.split_first() else { return Ok(Self(None)) };
        let failed = |error| ConsumerError { program: program.to_string_lossy().into_owned(), error };
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::from(std::io::stderr()))
            .spawn()
            .map_err(failed)?;
        let input = child.stdin.take();
        Ok(Self(Some(Running { child: Arc::new(Mutex::new(child)), input, line: Vec::with_capacity(80) })))
    }

    pub(super) fn killer(&self) -> Killer {
        Killer(self.0.as_ref().map(|running| running.child.clone()))
    }

    /// Hands over an event: its number, and its intended and actual start in nanoseconds of `CLOCK_MONOTONIC`.
    pub(super) fn take(&mut self, slot: &Slot) -> Result<(), String> {
        let Some(Running { input: Some(input), line, .. }) = &mut self.0 else { return Ok(()) };
        line.clear();
        // Into memory, which cannot fail; then in one call.
        let _ = writeln!(line, "{} {} {}", slot.number, slot.intended.as_nanos(), slot.started.as_nanos());
        input.write_all(line).map_err(|error| format!("the consumer takes no more events: {error}"))
    }

    /// Tells the program that no more comes, and waits for its end; ends it where it does not.
    pub(super) fn finish(self) {
        let Some(mut running) = self.0 else { return };
        drop(running.input.take());
        let until = Instant::now() + GRACE;
        loop {
            let mut child = running.child.lock().unwrap_or_else(PoisonError::into_inner);
            if !matches!(child.try_wait(), Ok(None)) {
                return;
            }
            if Instant::now() >= until {
                let _ = child.kill();
                let _ = child.wait();
                return;
            }
            drop(child);
            std::thread::sleep(LOOK);
        }
    }
}
