use std::ffi::OsString;
use std::fmt;
use std::io::Write;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use chronoscope_clock::pacer::Slot;
use chronoscope_harness::quantity::length;

use super::answer_reader::AnswerReader;
use super::answers::AnswerTimes;
use super::group;

/// A program that delays the pacer by this much after the planned end of the run is killed: see [`super::patience`].
pub const OVERDUE: Duration = Duration::from_secs(2);
/// Time for a program to answer all events once its input is closed.
pub const ANSWERS: Duration = Duration::from_secs(5);
/// Time for a program to exit once its input is closed, and its answers are in or no longer waited for.
const GRACE: Duration = Duration::from_secs(2);
/// Time for a program to end by itself once it was interrupted.
const INTERRUPTED: Duration = Duration::from_millis(200);
const LOOK: Duration = Duration::from_millis(5);

/// Why a consumer could not be started.
#[derive(Debug)]
pub struct ConsumerError {
    program: String,
    error: std::io::Error,
}

impl fmt::Display for ConsumerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "could not start {}: {}; name an existing program", self.program, self.error)
    }
}

impl std::error::Error for ConsumerError {}

/// The receiver of events: none, or a program that reads lines.
pub struct Consumer(Option<Running>);

struct Running {
    shared: Arc<Mutex<Shared>>,
    input: Option<ChildStdin>,
    line: Vec<u8>,
    /// Lengths of the lines, each with the number of consecutive lines: numbers occasionally gain a digit.
    handed_over: Vec<(u64, u64)>,
    answers: Option<AnswerReader>,
}

/// How a program ended.
#[derive(Debug, Default)]
pub struct Ended {
    /// Whether it was killed; None without a program.
    pub killed: Option<bool>,
    /// Its exit status; None if it was killed.
    status: Option<ExitStatus>,
    /// Its answers, if it was to give any.
    pub answers: Option<AnswerTimes>,
}

impl Ended {
    /// Why it took no more events, and how it ended where `reason` does not say it.
    pub fn explain(&self, reason: String) -> String {
        match (self.status, self.killed) {
            (Some(status), _) => format!("{reason}; {}", words(status)),
            (None, Some(true)) if !reason.starts_with(KILLED) => format!("{reason}; it did not exit and was killed"),
            (None, _) => reason,
        }
    }

    /// How it ended by itself, if not with success.
    pub fn failure(&self) -> Option<String> {
        self.status.filter(|status| !status.success()).map(words)
    }
}

/// How a process ended by itself.
fn words(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return format!("it was ended by {}", chronoscope_harness::process::signal_name(signal));
    }
    let code = status.code().map_or_else(|| "unknown".to_owned(), |code| code.to_string());
    format!("its exit status is {code}")
}

/// State shared between the thread that may kill the program and the one that writes to it.
struct Shared {
    child: Child,
    /// Whether the program was killed because it stopped reading.
    is_overdue: bool,
    /// Whether its input is closed: the program then has its own time to exit.
    is_closed: bool,
    /// Whether nothing is left that is to be killed: its number may be another process's.
    is_over: bool,
}

impl Shared {
    /// Ends the program and what it started.
    fn kill(&mut self) {
        if !std::mem::replace(&mut self.is_over, true) {
            group::kill(&self.child);
            // It makes no difference if it has already ended.
            let _ = self.child.kill();
        }
    }

    /// How the program ended, once it and what it started have; nothing else is waited for after a kill.
    fn look(&mut self) -> Option<Option<ExitStatus>> {
        let status = match self.child.try_wait() {
            Ok(None) => return None,
            found => found.ok().flatten(),
        };
        self.is_over |= !group::is_there(&self.child);
        self.is_over.then_some(status)
    }
}

fn locked(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The state of the pipe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pipe {
    /// Its capacity.
    pub bytes: Option<u64>,
    /// Lines not read, or not completely.
    pub unread_lines: Option<u64>,
}

/// Kills the program from another thread.
pub struct Killer(Option<Arc<Mutex<Shared>>>);

impl Killer {
    /// Passes on Ctrl-C, which reaches no other process group, and kills the program if it does not end.
    pub fn interrupt(&self) {
        self.interrupt_within(INTERRUPTED);
    }

    fn interrupt_within(&self, grace: Duration) {
        let Some(shared) = &self.0 else { return };
        let until = Instant::now() + grace;
        if !locked(shared).is_over {
            group::interrupt(&locked(shared).child);
        }
        while Instant::now() < until && locked(shared).look().is_none() {
            std::thread::sleep(LOOK);
        }
        locked(shared).kill();
    }

    /// Kills a program that has not taken all events in time. One that has is left the time to exit given by
    /// [`Consumer::finish`].
    pub fn kill_overdue(&self) {
        let Some(shared) = &self.0 else { return };
        let mut shared = locked(shared);
        if !shared.is_closed {
            shared.is_overdue = true;
            shared.kill();
        }
    }
}

impl Consumer {
    /// With `ack` the program's output is read as answers; else it goes to standard error: standard output is the report's.
    pub fn start(command: &[OsString], ack: bool) -> Result<Self, ConsumerError> {
        let Some((program, arguments)) = command.split_first() else { return Ok(Self(None)) };
        let failed = |error| ConsumerError { program: program.to_string_lossy().into_owned(), error };
        let mut command = Command::new(program);
        group::lead(&mut command);
        let mut child = command
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(if ack { Stdio::piped() } else { Stdio::from(std::io::stderr()) })
            .spawn()
            .map_err(failed)?;
        let input = child.stdin.take();
        let answers = child.stdout.take().map(AnswerReader::start).transpose();
        if answers.is_err() {
            group::kill(&child);
            let _ = child.kill();
        }
        let answers = answers.map_err(failed)?;
        let shared = Arc::new(Mutex::new(Shared { child, is_overdue: false, is_closed: false, is_over: false }));
        let (line, handed_over) = (Vec::with_capacity(80), Vec::with_capacity(64));
        Ok(Self(Some(Running { shared, input, line, handed_over, answers })))
    }

    pub fn killer(&self) -> Killer {
        Killer(self.0.as_ref().map(|running| running.shared.clone()))
    }

    pub fn is_there(&self) -> bool {
        self.0.is_some()
    }

    /// Hands over an event: its number, and its intended and actual start in nanoseconds of `CLOCK_MONOTONIC`.
    pub fn take(&mut self, slot: &Slot) -> Result<(), String> {
        let Some(Running { input: Some(input), line, handed_over, shared, answers }) = &mut self.0 else {
            return Ok(());
        };
        line.clear();
        // Into memory, which cannot fail; then in one write.
        let _ = writeln!(line, "{} {} {}", slot.number, slot.intended.as_nanos(), slot.started.as_nanos());
        answers.as_mut().map_or(Ok(()), |answers| answers.will_send(slot))?;
        if let Err(error) = input.write_all(line) {
            if let Some(answers) = answers {
                answers.did_not_send(slot.number);
            }
            return Err(not_taken(locked(shared).is_overdue, &error));
        }
        match handed_over.last_mut() {
            Some((bytes, lines)) if *bytes == line.len() as u64 => *lines += 1,
            _ => handed_over.push((line.len() as u64, 1)),
        }
        Ok(())
    }

    /// How much of it is currently unread.
    pub fn pipe(&self) -> Pipe {
        let Some(Running { input: Some(input), handed_over, .. }) = &self.0 else { return Pipe::default() };
        let (bytes, unread) = pipe_bytes(input);
        Pipe { bytes, unread_lines: unread.map(|unread| lines(unread, handed_over)) }
    }

    /// Tells the program that there are no more events, and waits for its answers and for it to exit; kills it if it
    /// does not.
    pub fn finish(self) -> Ended {
        let Some(running) = self.0 else { return Ended::default() };
        locked(&running.shared).is_closed = true;
        drop(running.input);
        if let Some(answers) = &running.answers {
            let until = Instant::now() + ANSWERS;
            while !answers.is_over() && Instant::now() < until {
                std::thread::sleep(LOOK);
            }
        }
        let (killed, status) = await_exit(&running.shared);
        Ended { killed: Some(killed), status, answers: running.answers.map(|answers| answers.times()) }
    }
}

/// Whether it had to be killed, and its status if not.
fn await_exit(shared: &Mutex<Shared>) -> (bool, Option<ExitStatus>) {
    let until = Instant::now() + GRACE;
    loop {
        let mut shared = locked(shared);
        if let Some(status) = shared.look() {
            return (shared.is_overdue, status.filter(|_| !shared.is_overdue));
        }
        if Instant::now() >= until {
            // If it has ended and only what it started has not, it was not killed.
            let status = shared.child.try_wait().ok().flatten();
            shared.kill();
            let _ = shared.child.wait();
            return (status.is_none(), status);
        }
        drop(shared);
        std::thread::sleep(LOOK);
    }
}

/// How a reason begins that says so.
const KILLED: &str = "the consumer was killed";

/// Why a line was not taken.
fn not_taken(is_overdue: bool, error: &std::io::Error) -> String {
    if is_overdue {
        format!("{KILLED}: after the last event was due it delayed the rest by {}", length(OVERDUE))
    } else {
        format!("the consumer stopped taking events: {error}")
    }
}

/// Its capacity, and how much of it is unread.
#[cfg(target_os = "linux")]
fn pipe_bytes(input: &ChildStdin) -> (Option<u64>, Option<u64>) {
    let holds = rustix::pipe::fcntl_getpipe_size(input).ok().and_then(|bytes| u64::try_from(bytes).ok());
    (holds, rustix::io::ioctl_fionread(input).ok())
}

#[cfg(not(target_os = "linux"))]
fn pipe_bytes(_input: &ChildStdin) -> (Option<u64>, Option<u64>) {
    (None, None)
}

/// How many of the last lines the final `bytes` bytes touch, where lines had these lengths, each this many times in a
/// row.
fn lines(mut bytes: u64, handed_over: &[(u64, u64)]) -> u64 {
    let mut found = 0;
    for (length, count) in handed_over.iter().rev() {
        let of_these = bytes.div_ceil(*length).min(*count);
        found += of_these;
        bytes = bytes.saturating_sub(of_these * length);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unread_bytes_are_those_of_the_last_lines() {
        let handed_over = [(28, 10), (29, 90), (30, 5)];
        let of = |bytes| lines(bytes, &handed_over);
        assert_eq!((of(0), of(1), of(30), of(31), of(150)), (0, 1, 1, 2, 5));
        assert_eq!((of(150 + 29), of(150 + 90 * 29), of(150 + 90 * 29 + 280), of(u64::MAX)), (6, 95, 105, 105));
        assert_eq!(lines(10, &[]), 0);
    }

    #[test]
    fn no_consumer_has_no_pipe() {
        let none = Consumer::start(&[], false).unwrap();
        assert!(!none.is_there());
        assert_eq!((none.pipe(), none.finish().killed), (Pipe::default(), None));
    }

    /// The time it has to exit counts from its last line, however late that came.
    #[test]
    #[cfg(unix)]
    fn a_consumer_that_has_all_its_lines_is_not_overdue() {
        let words = ["sh", "-c", "cat > /dev/null; sleep 0.3"].map(OsString::from);
        let consumer = Consumer::start(&words, false).unwrap();
        let killer = consumer.killer();
        let finished = std::thread::spawn(move || consumer.finish());
        while !locked(killer.0.as_ref().unwrap()).is_closed {
            std::thread::yield_now();
        }
        killer.kill_overdue();
        assert_eq!(finished.join().unwrap().killed, Some(false), "it ended by itself");
    }

    #[test]
    #[cfg(unix)]
    fn a_consumer_that_has_not_taken_its_lines_in_time_is_ended() {
        let consumer = Consumer::start(&["sleep", "60"].map(OsString::from), false).unwrap();
        consumer.killer().kill_overdue();
        assert_eq!(consumer.finish().killed, Some(true));
    }

    /// Whatever it started would keep the pipe open, and the pacer waiting.
    #[test]
    #[cfg(unix)]
    fn what_a_consumer_started_ends_with_it() {
        use chronoscope_clock::Instant;
        use chronoscope_clock::pacer::Late;

        let folder = tempfile::tempdir().unwrap();
        let survived = folder.path().join("survived");
        let script = format!("(sleep 3; touch '{}'); cat", survived.display());
        let mut consumer = Consumer::start(&["sh", "-c", &script].map(OsString::from), false).unwrap();
        let killer = consumer.killer();
        let at = Instant::from_nanos(1_000_000_000);
        let slot =
            Slot { number: 0, intended: at, started: at, late: Late::default(), skipped: 0, slipped: Duration::ZERO };
        let written = std::thread::spawn(move || {
            let reason = loop {
                if let Err(reason) = consumer.take(&slot) {
                    break reason;
                }
            };
            (reason, consumer.finish().killed)
        });
        std::thread::sleep(Duration::from_millis(100));
        killer.kill_overdue();
        let (reason, killed) = written.join().unwrap();
        assert!(reason.starts_with(KILLED) && killed == Some(true), "{reason}");
        assert!(!survived.exists());
    }

    /// A process that its shell does not wait for has the same time to write what it has.
    #[test]
    #[cfg(unix)]
    fn what_a_consumer_started_may_end_by_itself() {
        let folder = tempfile::tempdir().unwrap();
        let ended = folder.path().join("ended");
        let script = format!("(sleep 0.3; touch '{}') & exit 0", ended.display());
        let consumer = Consumer::start(&["sh", "-c", &script].map(OsString::from), false).unwrap();
        assert_eq!(consumer.finish().killed, Some(false));
        assert!(ended.exists());
    }

    #[test]
    #[cfg(unix)]
    fn how_it_ended_is_said() {
        let explained = |script: &str| {
            let consumer = Consumer::start(&["sh", "-c", script].map(OsString::from), false).unwrap();
            consumer.finish().explain("it takes no more".to_owned())
        };
        assert_eq!(explained("exit 42"), "it takes no more; its exit status is 42");
        let failure = |script: &str| {
            let consumer = Consumer::start(&["sh", "-c", script].map(OsString::from), false).unwrap();
            consumer.finish().failure()
        };
        assert_eq!(failure("cat > /dev/null; exit 3").as_deref(), Some("its exit status is 3"));
        assert_eq!(failure("cat > /dev/null"), None);
        assert_eq!(explained("kill -9 $$"), "it takes no more; it was ended by SIGKILL");
        let consumer = Consumer::start(&["sleep", "60"].map(OsString::from), false).unwrap();
        consumer.killer().kill_overdue();
        assert_eq!(consumer.finish().explain(KILLED.to_owned()), KILLED);
    }

    #[test]
    #[cfg(unix)]
    fn an_interruption_is_passed_on() {
        use chronoscope_clock::Instant;
        use chronoscope_clock::pacer::Late;

        // It answers once its trap is set, and not before the event is sent: such an answer would be to nothing.
        let script = "trap 'exit 7' INT; read -r _; echo 0; while :; do sleep 0.01; done";
        let mut consumer = Consumer::start(&["sh", "-c", script].map(OsString::from), true).unwrap();
        let at = Instant::from_nanos(1_000_000_000);
        let slot =
            Slot { number: 0, intended: at, started: at, late: Late::default(), skipped: 0, slipped: Duration::ZERO };
        consumer.take(&slot).unwrap();
        while !consumer.0.as_ref().unwrap().answers.as_ref().unwrap().is_over() {
            std::thread::sleep(Duration::from_millis(1));
        }
        consumer.killer().interrupt_within(Duration::from_secs(60));
        assert_eq!(consumer.finish().explain("over".to_owned()), "over; its exit status is 7");
    }

    /// It sleeps before reading: the lines handed over are unread, and the pipe shows it.
    #[test]
    #[cfg(target_os = "linux")]
    fn what_a_consumer_has_not_read_is_counted() {
        use chronoscope_clock::Instant;
        use chronoscope_clock::pacer::Late;

        let words = ["sleep", "60"].map(OsString::from);
        let mut consumer = Consumer::start(&words, false).unwrap();
        for number in 0..100 {
            let at = Instant::from_nanos(1_000_000_000 + number);
            let late = Late::default();
            let slot = Slot { number, intended: at, started: at, late, skipped: 0, slipped: Duration::ZERO };
            consumer.take(&slot).unwrap();
        }
        let pipe = consumer.pipe();
        consumer.killer().interrupt();
        assert_eq!(consumer.finish().killed, Some(false), "it was interrupted by the test");
        assert_eq!(pipe.unread_lines, Some(100));
        assert!(pipe.bytes.unwrap() >= 4_096, "{pipe:?}");
    }
}
