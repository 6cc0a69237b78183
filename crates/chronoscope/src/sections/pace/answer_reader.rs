use std::io::{self, ErrorKind, Read};
use std::sync::atomic::{
    AtomicBool, AtomicU64,
    Ordering::{Acquire, Release},
};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use chronoscope_clock::Instant;
use chronoscope_clock::pacer::{PaceRecord, Slot};

use super::answers::{AnswerTimes, Answers, Note, Sent};

/// What one read may return.
const BUFFER: usize = 64 << 10;
/// A program with more events open does not answer; each takes some memory.
const MOST_OPEN: u64 = 1 << 20;

/// Reads a program's answers on a thread of its own and times each as it arrives.
///
/// The pacing thread never waits for it: what is sent goes through a queue.
pub struct AnswerReader {
    notes: Sender<Note>,
    sent: u64,
    state: Arc<State>,
}

struct State {
    answers: Mutex<Answers>,
    answered: AtomicU64,
    /// Whether the program has closed its output.
    is_closed: AtomicBool,
}

impl State {
    fn answers(&self) -> MutexGuard<'_, Answers> {
        self.answers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Until the output ends.
    fn read(&self, mut output: impl Read) {
        let mut buffer = vec![0; BUFFER];
        loop {
            let read = output.read(&mut buffer);
            let at = Instant::now();
            match read {
                Ok(0) => break,
                Ok(bytes) => {
                    let mut answers = self.answers();
                    answers.take(&buffer[..bytes.min(BUFFER)], at);
                    self.answered.store(answers.answered(), Release);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
        let mut answers = self.answers();
        answers.end(Instant::now());
        self.answered.store(answers.answered(), Release);
        self.is_closed.store(true, Release);
    }
}

impl AnswerReader {
    /// Starts reading.
    ///
    /// # Errors
    /// If no thread can be started.
    pub fn start(output: impl Read + Send + 'static) -> io::Result<Self> {
        let (tell, notes) = channel();
        let state = Arc::new(State {
            answers: Mutex::new(Answers::new(notes, PaceRecord::new().response())),
            answered: AtomicU64::new(0),
            is_closed: AtomicBool::new(false),
        });
        let reading = state.clone();
        // Never joined: a process that the program started may keep its output open.
        std::thread::Builder::new().name("answers".to_owned()).spawn(move || reading.read(output))?;
        Ok(Self { notes: tell, sent: 0, state })
    }

    /// To be told before the event's line is written, so that no answer is earlier than its event.
    ///
    /// # Errors
    /// Why no answer to it can come.
    pub fn will_send(&mut self, slot: &Slot) -> Result<(), String> {
        if self.state.is_closed.load(Acquire) {
            return Err("the consumer closed its standard output: no more answers".to_owned());
        }
        if self.open() >= MOST_OPEN {
            return Err(format!("the consumer left {MOST_OPEN} events without an answer"));
        }
        self.sent += 1;
        self.tell(Note::Sent(Sent { number: slot.number, intended: slot.intended, started: slot.started }));
        Ok(())
    }

    /// That its line could not be written.
    pub fn did_not_send(&mut self, number: u64) {
        self.sent -= 1;
        self.tell(Note::NotSent(number));
    }

    fn tell(&self, note: Note) {
        // The other end is in the state, which this holds too.
        let _ = self.notes.send(note);
    }

    fn open(&self) -> u64 {
        self.sent.saturating_sub(self.state.answered.load(Acquire))
    }

    /// Whether no further answer is to be waited for.
    pub fn is_over(&self) -> bool {
        self.open() == 0 || self.state.is_closed.load(Acquire)
    }

    /// All times as known now.
    pub fn times(&self) -> AnswerTimes {
        let mut answers = self.state.answers();
        // After the lock: whatever was read before then is among the answers.
        answers.times(Instant::now())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronoscope_clock::pacer::Late;
    use std::time::Duration;

    fn slot(number: u64) -> Slot {
        let at = Instant::now();
        let late = Late::default();
        Slot { number, intended: at, started: at, late, skipped: 0, slipped: Duration::ZERO }
    }

    fn over(reader: &AnswerReader) {
        while !reader.is_over() {
            std::thread::yield_now();
        }
    }

    #[test]
    fn answers_through_a_pipe_end_their_events() {
        let (output, mut program) = io::pipe().unwrap();
        let mut reader = AnswerReader::start(output).unwrap();
        for number in 0..3 {
            reader.will_send(&slot(number)).unwrap();
        }
        io::Write::write_all(&mut program, b"2\n1\nx\n0\n").unwrap();
        over(&reader);
        let acks = reader.times().acks;
        assert_eq!((acks.answered, acks.unanswered, acks.unreadable), (3, 0, 1));
    }

    #[test]
    fn a_closed_output_is_over_and_refuses_more() {
        let (output, program) = io::pipe().unwrap();
        let mut reader = AnswerReader::start(output).unwrap();
        reader.will_send(&slot(0)).unwrap();
        assert!(!reader.is_over());
        drop(program);
        over(&reader);
        assert!(reader.will_send(&slot(1)).unwrap_err().contains("closed its standard output"));
        assert_eq!(reader.times().acks.unanswered, 1);
        reader.did_not_send(0);
        assert_eq!(reader.times().acks.unanswered, 0);
    }
}
