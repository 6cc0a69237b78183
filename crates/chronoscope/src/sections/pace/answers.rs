//! The answers of a consumer: a line per event, its number first.

use std::collections::HashMap;
use std::sync::mpsc::Receiver;

use chronoscope_clock::Instant;
use hdrhistogram::Histogram;

use super::report::Acks;

/// More bytes of a line are not kept: no number is longer.
const KEPT: usize = 40;

/// An event on its way to the consumer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent {
    pub number: u64,
    pub intended: Instant,
    pub started: Instant,
}

/// What the pacing thread tells the one that reads answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Note {
    /// Its line is about to be written.
    Sent(Sent),
    /// Its line could not be written.
    NotSent(u64),
}

/// Events and their answers so far.
#[derive(Debug)]
pub struct Answers {
    notes: Receiver<Note>,
    open: HashMap<u64, Sent>,
    last: Option<u64>,
    line: Vec<u8>,
    is_within_line: bool,
    response: Histogram<u64>,
    service: Histogram<u64>,
    acks: Acks,
}

/// The times of events with answers, and of all events.
#[derive(Clone, Debug)]
pub struct AnswerTimes {
    pub acks: Acks,
    /// From the intended start to the answer.
    pub response: Histogram<u64>,
    /// The same, with how long those have waited that were not answered.
    pub response_least: Histogram<u64>,
    /// From the actual start to the answer, or as long as was waited for it.
    pub service_least: Histogram<u64>,
}

impl Answers {
    /// No answers yet. `like` has the bounds of all times.
    pub fn new(notes: Receiver<Note>, like: &Histogram<u64>) -> Self {
        let empty = || Histogram::new_from(like);
        Self {
            notes,
            open: HashMap::new(),
            last: None,
            line: Vec::with_capacity(KEPT),
            is_within_line: false,
            response: empty(),
            service: empty(),
            acks: Acks::default(),
        }
    }

    /// Takes what one read returned, at `at`: no line in it was written later.
    pub fn take(&mut self, bytes: &[u8], at: Instant) {
        self.hear();
        let before = self.acks.answered;
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            let text = part.strip_suffix(b"\n").unwrap_or(part);
            let room = KEPT - self.line.len().min(KEPT);
            self.line.extend_from_slice(&text[..text.len().min(room)]);
            self.is_within_line = text.len() == part.len();
            if !self.is_within_line {
                self.line_ends(at);
            }
        }
        let answered = self.acks.answered - before;
        self.acks.reads += u64::from(answered > 0);
        self.acks.most_per_read = self.acks.most_per_read.max(answered);
    }

    /// Takes a last line without an end of its own.
    pub fn end(&mut self, at: Instant) {
        if std::mem::take(&mut self.is_within_line) {
            self.take(b"\n", at);
        }
    }

    fn line_ends(&mut self, at: Instant) {
        let number = number(&self.line);
        self.line.clear();
        match number {
            None => self.acks.unreadable += 1,
            Some(number) => match self.open.remove(&number) {
                Some(sent) => {
                    self.acks.answered += 1;
                    record(&mut self.response, &mut self.service, &sent, at);
                }
                None if self.last.is_some_and(|last| number <= last) => self.acks.repeated += 1,
                None => self.acks.unknown += 1,
            },
        }
    }

    fn hear(&mut self) {
        while let Ok(note) = self.notes.try_recv() {
            match note {
                Note::Sent(sent) => {
                    self.last = self.last.max(Some(sent.number));
                    self.open.insert(sent.number, sent);
                }
                Note::NotSent(number) => drop(self.open.remove(&number)),
            }
        }
    }

    /// How many answers came so far.
    pub fn answered(&self) -> u64 {
        self.acks.answered
    }

    /// All times as known at `at`.
    pub fn times(&mut self, at: Instant) -> AnswerTimes {
        self.hear();
        let (mut response_least, mut service_least) = (self.response.clone(), self.service.clone());
        for sent in self.open.values() {
            record(&mut response_least, &mut service_least, sent, at);
        }
        let acks = Acks { unanswered: self.open.len() as u64, ..self.acks.clone() };
        AnswerTimes { acks, response: self.response.clone(), response_least, service_least }
    }
}

fn record(response: &mut Histogram<u64>, service: &mut Histogram<u64>, sent: &Sent, at: Instant) {
    let ns = |from: Instant| u64::try_from(at.saturating_duration_since(from).as_nanos()).unwrap_or(u64::MAX);
    response.saturating_record(ns(sent.intended));
    service.saturating_record(ns(sent.started));
}

/// The number that a line begins with.
fn number(line: &[u8]) -> Option<u64> {
    let word = line.trim_ascii_start().split(u8::is_ascii_whitespace).next()?;
    let is_number = !word.is_empty() && word.iter().all(u8::is_ascii_digit);
    std::str::from_utf8(word).ok().filter(|_| is_number)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronoscope_clock::pacer::PaceRecord;
    use proptest::prelude::*;
    use std::sync::mpsc::{Sender, channel};

    const AT: fn(u64) -> Instant = |ns| Instant::from_nanos(1_000_000 + ns);

    /// Events 0 to `count`, intended every 1000 ns and started 100 ns late.
    fn sent(count: u64) -> (Answers, Sender<Note>) {
        let (tell, notes) = channel();
        for number in 0..count {
            let (intended, started) = (AT(number * 1_000), AT(number * 1_000 + 100));
            tell.send(Note::Sent(Sent { number, intended, started })).unwrap();
        }
        (Answers::new(notes, PaceRecord::new().response()), tell)
    }

    #[test]
    fn an_answer_ends_its_event_in_whatever_order() {
        let (mut answers, _tell) = sent(3);
        answers.take(b"2 ok\n0\n", AT(5_000));
        answers.take(b" 1\r\n", AT(6_000));
        let times = answers.times(AT(9_000));
        assert_eq!(
            (times.acks.answered, times.acks.unanswered, times.acks.reads, times.acks.most_per_read),
            (3, 0, 2, 2)
        );
        assert_eq!((times.response.min(), times.response.len()), (times.response.lowest_equivalent(3_000), 3));
        assert_eq!(times.service_least.max(), times.response.highest_equivalent(4_900));
    }

    #[test]
    fn a_line_may_come_in_pieces_and_ends_with_its_last() {
        let (mut answers, _tell) = sent(20);
        answers.take(b"1", AT(30_000));
        answers.take(b"9\n1", AT(40_000));
        answers.end(AT(50_000));
        answers.end(AT(60_000));
        let times = answers.times(AT(60_000));
        assert_eq!((times.acks.answered, times.acks.unreadable), (2, 0));
        assert_eq!(times.response.max(), times.response.highest_equivalent(49_000));
    }

    #[test]
    fn what_answers_no_event_is_counted_by_kind() {
        let (mut answers, tell) = sent(4);
        answers.take(b"0\n0\n99\nhello\n\n-1\n1.5\n+2\n18446744073709551616\n3\n", AT(9_000));
        let acks = answers.times(AT(9_000)).acks;
        assert_eq!((acks.answered, acks.repeated, acks.unknown, acks.unreadable), (2, 1, 1, 6));
        assert_eq!(acks.unanswered, 2);
        tell.send(Note::NotSent(1)).unwrap();
        assert_eq!(answers.times(AT(9_000)).acks.unanswered, 1, "its line was never written");
    }

    #[test]
    fn an_event_without_an_answer_has_waited_at_least_so_long() {
        let (mut answers, _tell) = sent(2);
        answers.take(b"0\n", AT(1_000));
        let times = answers.times(AT(50_000));
        assert_eq!((times.response.len(), times.response_least.len()), (1, 2));
        assert_eq!(times.response_least.max(), times.response.highest_equivalent(49_000));
    }

    proptest! {
        #[test]
        fn nothing_panics_and_every_line_is_counted_once(
            chunks in prop::collection::vec(prop::collection::vec(prop_oneof![Just(b'\n'), Just(b'1'), any::<u8>()], 0..80), 0..20),
        ) {
            let (mut answers, _tell) = sent(12);
            for chunk in &chunks {
                answers.take(chunk, AT(1_000_000));
            }
            answers.end(AT(2_000_000));
            let all: Vec<u8> = chunks.concat();
            let lines = all.iter().filter(|byte| **byte == b'\n').count() + usize::from(all.last().is_some_and(|byte| *byte != b'\n'));
            let acks = answers.times(AT(2_000_000)).acks;
            prop_assert_eq!(acks.answered + acks.repeated + acks.unknown + acks.unreadable, lines as u64);
            prop_assert_eq!(acks.answered + acks.unanswered, 12);
        }
    }
}
