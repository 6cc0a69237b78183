use std::fmt;

use chronoscope_clock::Rate;

use super::protocol::{
    Clock, CountEnd, Crowd, Differences, Identity, Lane, Latched, Line, NOTHING, PROTOCOL, PauseUnavailable, Paused,
    Steps,
};

/// A runtime with more clocks than this is none.
const MOST_CLOCKS: usize = 64;
/// No name, version or reason is longer, in bytes.
const LONGEST_TEXT: usize = 1000;

/// All that one process of a probe said.
///
/// Made line by line, so that what came before a fault is there all the same.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Who answered.
    pub identity: Option<Identity>,
    /// Its clocks.
    pub clocks: Vec<Clock>,
    /// Reads behind which system calls were counted.
    pub counted: Vec<CountEnd>,
    /// Loops.
    pub lanes: Vec<Lane>,
    /// Changes.
    pub steps: Vec<Steps>,
    /// Differences.
    pub differences: Vec<Differences>,
    /// Batches of several threads.
    pub crowds: Vec<Crowd>,
    /// Pauses.
    pub pauses: Vec<Paused>,
    /// Ways to pause that are not there.
    pub pauses_unavailable: Vec<PauseUnavailable>,
    /// Calls in one thread and in many.
    pub latches: Vec<Latched>,
    /// How long threads took to start.
    pub latch_start: Vec<u64>,
    /// Why there is no latch.
    pub latch_unavailable: Option<String>,
    /// Whether the probe said that it was done.
    pub ended: bool,
    /// The clock whose reads are being counted.
    counting: Option<String>,
}

impl Answer {
    /// Everything in `text`.
    ///
    /// # Errors
    /// [`Garbled`] for the first line that does not speak the protocol.
    #[cfg(test)]
    pub fn of(text: &str) -> Result<Self, Garbled> {
        let mut answer = Self::default();
        text.lines().try_for_each(|line| answer.hear(line)).map(|()| answer)
    }

    /// The clock whose reads are being counted.
    pub fn counting(&self) -> Option<&str> {
        self.counting.as_deref()
    }

    /// Takes in one line.
    ///
    /// # Errors
    /// [`Garbled`] if it does not speak the protocol or stands in the wrong place; what came before is kept.
    pub fn hear(&mut self, line: &str) -> Result<(), Garbled> {
        let garbled = |why: String| Err(Garbled { line: shortened(line), why });
        let said: Line = match serde_json::from_str(line) {
            Ok(said) => said,
            Err(error) => return garbled(error.to_string()),
        };
        match self.take(said) {
            Ok(()) => Ok(()),
            Err(why) => garbled(why),
        }
    }

    fn take(&mut self, said: Line) -> Result<(), String> {
        if self.ended {
            return Err("nothing may follow the end".to_owned());
        }
        let begun = !(self.lanes.is_empty() && self.counted.is_empty() && self.counting.is_none());
        match said {
            Line::Identity(identity) => {
                no_second(self.identity.is_some(), "identity")?;
                check_identity(&identity)?;
                self.identity = Some(identity);
            }
            _ if self.identity.is_none() => return Err("a probe says first who it is".to_owned()),
            Line::Clock(clock) => {
                no_second(self.clock(&clock.clock).is_some(), "clock of this name")?;
                if begun || self.clocks.len() >= MOST_CLOCKS {
                    return Err("no clock can be named here".to_owned());
                }
                check_clock(&clock)?;
                self.clocks.push(clock);
            }
            Line::CountBegin(begin) => {
                self.known(&begin.clock)?;
                no_second(self.counting.is_some(), "count at once")?;
                self.counting = Some(begin.clock);
            }
            Line::CountEnd(end) => {
                if self.counting.take().as_ref() != Some(&end.clock) {
                    return Err("this count was not begun".to_owned());
                }
                self.counted.push(end);
            }
            Line::Lane(lane) => {
                self.known_or_nothing(&lane.clock)?;
                no_second(self.lanes.iter().any(|known| known.clock == lane.clock), "lane of this clock")?;
                positive(lane.reads, "reads of a batch")?;
                self.lanes.push(lane);
            }
            Line::Steps(steps) => {
                self.known(&steps.clock)?;
                no_second(self.steps.iter().any(|known| known.clock == steps.clock), "steps of this clock")?;
                let seen = (steps.changes.len() as u64).saturating_add(steps.unchanged);
                if steps.changes.contains(&0) || steps.changes.contains(&i64::MIN) || seen > steps.reads {
                    return Err("these are no changes between so many readings".to_owned());
                }
                self.steps.push(steps);
            }
            Line::Differences(found) => {
                self.known(&found.clock)?;
                no_second(
                    self.differences.iter().any(|known| known.clock == found.clock),
                    "differences of this clock",
                )?;
                sum_of(found.counts.iter().map(|(_, count)| *count))?;
                self.differences.push(found);
            }
            Line::Crowd(crowd) => {
                self.known(&crowd.clock)?;
                no_second(self.crowds.iter().any(|known| known.clock == crowd.clock), "crowd at this clock")?;
                positive(crowd.reads, "reads of a batch")?;
                if crowd.batches.iter().any(|(thread, begin, end)| *thread >= crowd.threads || end < begin) {
                    return Err("a batch of a crowd ends before it begins, or belongs to no thread".to_owned());
                }
                self.crowds.push(crowd);
            }
            Line::Pause(paused) => {
                short(&paused.way)?;
                sum_of(paused.taken_ns.iter().map(|(_, count)| *count))?;
                self.pauses.push(paused);
            }
            Line::PauseUnavailable(missing) => {
                short(&missing.way)?;
                short(&missing.reason)?;
                self.pauses_unavailable.push(missing);
            }
            Line::Latch(latched) => {
                self.known_or_nothing(&latched.call)?;
                no_second(self.latches.iter().any(|known| known.call == latched.call), "latch of this call")?;
                positive(latched.serial_calls, "calls in one thread")?;
                sum_of(latched.inside.iter().map(|(_, count)| *count))?;
                sum_of(latched.wake.iter().map(|(_, count)| *count))?;
                self.latches.push(latched);
            }
            Line::LatchStart(start) => self.latch_start = start.start,
            Line::LatchUnavailable(missing) => {
                short(&missing.reason)?;
                self.latch_unavailable = Some(missing.reason);
            }
            Line::End(_) => self.ended = true,
        }
        Ok(())
    }

    /// The clock of this name.
    fn clock(&self, name: &str) -> Option<&Clock> {
        self.clocks.iter().find(|clock| clock.clock == name)
    }

    fn known(&self, name: &str) -> Result<(), String> {
        match self.clock(name) {
            Some(_) => Ok(()),
            None => Err(format!("it named no clock {}", shortened(name))),
        }
    }

    fn known_or_nothing(&self, name: &str) -> Result<(), String> {
        if name == NOTHING { Ok(()) } else { self.known(name) }
    }
}

fn no_second(is_second: bool, what: &str) -> Result<(), String> {
    if is_second { Err(format!("there is a second {what}")) } else { Ok(()) }
}

fn positive(value: u64, what: &str) -> Result<(), String> {
    if value == 0 { Err(format!("there are no {what}")) } else { Ok(()) }
}

/// Refuses counts that could not have been made.
fn sum_of(mut counts: impl Iterator<Item = u64>) -> Result<(), String> {
    let sum = counts.try_fold(0_u64, u64::checked_add).filter(|sum| *sum < 1 << 48);
    sum.map(|_| ()).ok_or_else(|| "there are more values than any process could take".to_owned())
}

fn short(text: &str) -> Result<(), String> {
    if text.len() <= LONGEST_TEXT { Ok(()) } else { Err(format!("a text is longer than {LONGEST_TEXT} bytes")) }
}

fn check_identity(identity: &Identity) -> Result<(), String> {
    if identity.protocol != PROTOCOL {
        return Err(format!("it speaks protocol {}, this program {PROTOCOL}", identity.protocol));
    }
    let texts = [&identity.runtime, &identity.version, &identity.executable, &identity.timer];
    texts.into_iter().chain(&identity.notes).try_for_each(|text| short(text))?;
    check_rate(identity.timer_hz)
}

fn check_clock(clock: &Clock) -> Result<(), String> {
    short(&clock.clock)?;
    if clock.clock.is_empty() || clock.clock == NOTHING {
        return Err("a clock needs a name of its own".to_owned());
    }
    clock.declared_hz.map_or(Ok(()), check_rate)?;
    check_rate(clock.hz)
}

fn check_rate(hz: u64) -> Result<(), String> {
    Rate::from_hz(hz).map(|_| ()).ok_or_else(|| format!("{hz} is no frequency of a clock"))
}

/// The beginning of `text`, for a message.
fn shortened(text: &str) -> String {
    const MOST_CHARACTERS: usize = 80;
    match text.char_indices().nth(MOST_CHARACTERS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// A line that does not speak the protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Garbled {
    line: String,
    why: String,
}

impl fmt::Display for Garbled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "it said what cannot be understood: {} ({})", self.line, self.why)
    }
}

impl std::error::Error for Garbled {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const IDENTITY: &str = r#"{"type":"identity","protocol":1,"runtime":"R","version":"1","executable":"","timer":"t","timer_hz":1000000000,"parallel":true,"notes":[]}"#;
    const CLOCK: &str = r#"{"type":"clock","clock":"now","kind":"monotonic","hz":1000000000,"declared_hz":null,"declared_resolution_ns":1,"high_resolution":null}"#;

    fn answer(lines: &[&str]) -> Result<Answer, Garbled> {
        Answer::of(&[&[IDENTITY, CLOCK], lines].concat().join("\n"))
    }

    #[test]
    fn an_answer_is_taken_in_line_by_line() {
        let found = answer(&[
            r#"{"type":"lane","clock":"nothing","reads":10,"ticks":[5,6],"warm":[[1,9]],"check":[[5,20]]}"#,
            r#"{"type":"lane","clock":"now","reads":10,"ticks":[250,251],"warm":[],"check":[]}"#,
            r#"{"type":"steps","clock":"now","reads":9,"unchanged":1,"changes":[25,-3]}"#,
            r#"{"type":"differences","clock":"now","span":50,"counts":[[-3,1],[25,2]]}"#,
            r#"{"type":"crowd","clock":"now","threads":2,"reads":5,"batches":[[0,1,9],[1,2,8]]}"#,
            r#"{"type":"end","sink":"77"}"#,
        ])
        .unwrap();
        assert_eq!((found.lanes.len(), found.steps[0].changes[1], found.crowds[0].batches[1]), (2, -3, (1, 2, 8)));
        assert!(found.ended);
    }

    #[test]
    fn counted_reads_are_bracketed() {
        let begin = r#"{"type":"count_begin","clock":"now"}"#;
        let end = r#"{"type":"count_end","clock":"now","reads":200}"#;
        let mut found = answer(&[begin]).unwrap();
        assert_eq!(found.counting(), Some("now"));
        found.hear(end).unwrap();
        assert_eq!((found.counting(), found.counted[0].reads), (None, 200));
        assert!(answer(&[end]).is_err() && answer(&[begin, begin]).is_err());
    }

    #[test]
    fn what_is_not_the_protocol_is_refused() {
        for line in [
            " ",
            "Exception in thread \"main\"",
            IDENTITY,
            CLOCK,
            r#"{"type":"lane","clock":"other","reads":10,"ticks":[],"warm":[],"check":[]}"#,
            r#"{"type":"lane","clock":"now","reads":0,"ticks":[],"warm":[],"check":[]}"#,
            r#"{"type":"lane","clock":"now","reads":10,"ticks":[1,5],"warm":[],"check":[],"mean":3}"#,
            r#"{"type":"lane","clock":"now","reads":10,"ticks":[1.5],"warm":[],"check":[]}"#,
            r#"{"type":"lane","clock":"now","reads":10,"ticks":[-1],"warm":[],"check":[]}"#,
            r#"{"type":"steps","clock":"now","reads":1,"unchanged":1,"changes":[25]}"#,
            r#"{"type":"steps","clock":"now","reads":9,"unchanged":1,"changes":[0]}"#,
            r#"{"type":"differences","clock":"now","span":0,"counts":[[1,18446744073709551615],[2,2]]}"#,
            r#"{"type":"crowd","clock":"now","threads":2,"reads":5,"batches":[[2,1,9]]}"#,
            r#"{"type":"crowd","clock":"now","threads":2,"reads":5,"batches":[[0,9,1]]}"#,
            r#"{"type":"clock","clock":"nothing","kind":"wall","hz":1,"declared_hz":null,"declared_resolution_ns":null,"high_resolution":null}"#,
            r#"{"type":"clock","clock":"zero","kind":"wall","hz":0,"declared_hz":null,"declared_resolution_ns":null,"high_resolution":null}"#,
            r#"{"type":"gossip"}"#,
        ] {
            let error = answer(&[line]).expect_err(line).to_string();
            assert!(error.contains("cannot be understood"), "{error}");
        }
        let end = r#"{"type":"end","sink":"1"}"#;
        assert!(answer(&[end, end]).is_err());
        let other = IDENTITY.replace("\"protocol\":1", "\"protocol\":2");
        assert!(Answer::of(&other).unwrap_err().to_string().contains("protocol 2"));
    }

    #[test]
    fn what_came_before_a_fault_is_kept() {
        let mut found = answer(&[]).unwrap();
        found.hear("garbage").unwrap_err();
        assert_eq!(found.clocks.len(), 1);
    }

    proptest! {
        #[test]
        fn no_line_brings_it_down(line in ".{0,200}") {
            let _ = answer(&[&line]);
        }

        #[test]
        fn a_message_stays_short(line in "é{1,300}") {
            prop_assert!(answer(&[&line]).unwrap_err().to_string().chars().count() < 300);
        }
    }
}
