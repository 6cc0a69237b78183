use std::collections::BTreeMap;
use std::fmt;

use chronoscope_examples::RuntimeOperations;
use chronoscope_sources::Rate;

use super::protocol::{Clock, Concurrent, Identity, Line, NOTHING, PROTOCOL, Paused, Sweep, Task};
use crate::probe::runtime::TimeKind;
use chronoscope_harness::estimators::latch::{self, CallSamples};
use chronoscope_harness::estimators::pauses::PauseUnavailable;
use chronoscope_harness::estimators::reads;
use chronoscope_harness::estimators::steps::Steps;

/// Maximum clocks of a runtime.
const MOST_CLOCKS: usize = 64;
/// Every loop, every latch call and every part of a sweep takes this many turns, however slow.
const FEWEST_TURNS: usize = 3;
/// Calls released by a latch: of nothing, of a monotonic clock and of a wall clock.
const LATCH_CALLS: usize = 3;
/// Maximum batches of a thread in one iteration of a sweep.
const MOST_ITERATION_BATCHES: u64 = 200;
/// Maximum length of a name, version or reason, in bytes.
const LONGEST_TEXT: usize = 1000;

/// Everything sent by one process of a probe.
///
/// Built line by line, so that everything before a fault is kept.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    pub identity: Option<Identity>,
    pub clocks: Vec<Clock>,
    /// By clock, the reads during which system calls were counted.
    pub counted: BTreeMap<String, u64>,
    /// Loops by clock; [`NOTHING`] is the empty one.
    pub lanes: BTreeMap<String, Lane>,
    pub steps: BTreeMap<String, Steps>,
    /// Differences between consecutive reads by clock.
    pub differences: BTreeMap<String, reads::Samples>,
    /// Readings at irregular times by clock: each less the one before.
    pub readings: BTreeMap<String, Vec<i64>>,
    /// How far each clock had come, in order of time.
    pub elapsed: Vec<Elapsed>,
    pub concurrent: Vec<Concurrent>,
    pub pauses: Vec<Paused>,
    /// Unavailable methods of pausing.
    pub pauses_unavailable: Vec<PauseUnavailable>,
    /// Calls in one thread and in many released together.
    pub latch: latch::Samples,
    pub latch_unavailable: Option<String>,
    /// Iterations of a sweep, in the order made.
    pub sweeps: Vec<Sweep>,
    pub sweep_unavailable: Option<String>,
    /// Whether the probe reported completion.
    pub ended: bool,
    /// The clock whose reads are being counted.
    pub counting: Option<String>,
}

/// How far a clock had come.
#[derive(Clone, Debug, PartialEq)]
pub struct Elapsed {
    pub clock: String,
    /// Since its first such reading.
    pub ticks: i64,
    /// When that was heard, since the process was started; None if nobody noted it.
    pub heard_ns: Option<u64>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Lane {
    pub reads_per_batch: u64,
    /// Its batches, in timer ticks.
    pub batch_ticks: Vec<u64>,
    /// The first batches of the warm-up: reads and ticks.
    pub warm: Vec<(u64, u64)>,
    /// Ticks of a batch, and of one of four times as many reads.
    pub check: Vec<(u64, u64)>,
}

impl Answer {
    /// Everything in `text`.
    ///
    /// # Errors
    /// [`ProtocolError`] for the first line that violates the protocol.
    #[cfg(test)]
    pub fn of(text: &str) -> Result<Self, ProtocolError> {
        let mut answer = Self::default();
        text.lines().try_for_each(|line| answer.push_line(line)).map(|()| answer)
    }

    /// Takes in one line.
    ///
    /// # Errors
    /// [`ProtocolError`] if it violates the protocol or is out of place; everything before it is kept.
    pub fn push_line(&mut self, line: &str) -> Result<(), ProtocolError> {
        let message = serde_json::from_str(line).map_err(|error| error.to_string());
        message.and_then(|message| self.take(message)).map_err(|why| ProtocolError { line: shortened(line), why })
    }

    fn take(&mut self, line: Line) -> Result<(), String> {
        if self.ended {
            return Err("nothing may follow the end".to_owned());
        }
        match line {
            Line::Identity(identity) => {
                no_second(self.identity.is_some(), "identity")?;
                check_identity(&identity)?;
                self.identity = Some(identity);
            }
            _ if self.identity.is_none() => return Err("the identity must come first".to_owned()),
            Line::Clock(clock) => self.take_clock(clock)?,
            Line::CountBegin { clock } => {
                self.known(&clock)?;
                no_second(self.counting.is_some(), "count at once")?;
                self.counting = Some(clock);
            }
            Line::CountEnd { clock, reads } => {
                if self.counting.take().as_ref() != Some(&clock) {
                    return Err("this count was not begun".to_owned());
                }
                self.counted.insert(clock, reads);
            }
            Line::Pause(paused) => {
                short(&paused.way)?;
                sum_of(&paused.taken_ns)?;
                self.pauses.push(paused);
            }
            Line::PauseUnavailable { way, reason } => {
                short(&way)?;
                short(&reason)?;
                self.pauses_unavailable.push(PauseUnavailable { name: way, reason });
            }
            Line::LatchStart { start } => self.latch.start_ticks = start,
            Line::LatchUnavailable { reason } => {
                short(&reason)?;
                self.latch_unavailable = Some(reason);
            }
            Line::Sweep(sweep) => self.take_sweep(sweep)?,
            Line::SweepUnavailable { reason } => {
                short(&reason)?;
                self.sweep_unavailable = Some(reason);
            }
            Line::End { .. } => self.ended = true,
            of_a_clock => self.take_samples(of_a_clock)?,
        }
        Ok(())
    }

    fn take_clock(&mut self, clock: Clock) -> Result<(), String> {
        no_second(self.clock(&clock.clock).is_some(), "clock of this name")?;
        let begun = !(self.lanes.is_empty() && self.counted.is_empty() && self.counting.is_none());
        if begun || self.clocks.len() >= MOST_CLOCKS {
            return Err("no clock can be named here".to_owned());
        }
        check_clock(&clock)?;
        self.clocks.push(clock);
        Ok(())
    }

    fn take_sweep(&mut self, sweep: Sweep) -> Result<(), String> {
        // An operation of an experiment is no clock.
        if !RuntimeOperations::ALL.iter().any(|of| of.cases.contains(&sweep.clock.as_str())) {
            self.known_or_nothing(&sweep.clock)?;
        }
        positive(u64::from(sweep.threads), "threads of an iteration")?;
        positive(sweep.operations, "operations of a batch")?;
        check_batches(sweep.threads, &sweep.batches)?;
        if sweep.batches.len() as u64 > MOST_ITERATION_BATCHES * u64::from(sweep.threads) {
            return Err("an iteration has more batches than any may".to_owned());
        }
        // Within a round at most, so that long answers are taken in quickly.
        let last = self.sweeps.iter().rev().find(|known| cell(known) == cell(&sweep)).map(|known| known.round);
        if Some(sweep.round) != last.map_or(Some(0), |round| round.checked_add(1)) {
            return Err("rounds of a sweep do not count up from 0".to_owned());
        }
        self.sweeps.push(sweep);
        Ok(())
    }

    /// Takes in samples of a clock, or of an empty call.
    fn take_samples(&mut self, line: Line) -> Result<(), String> {
        match line {
            Line::Lane { clock, reads, ticks, warm, check } => {
                self.known_or_nothing(&clock)?;
                no_second(self.lanes.contains_key(&clock), "lane of this clock")?;
                positive(reads, "reads of a batch")?;
                self.lanes.insert(clock, Lane { reads_per_batch: reads, batch_ticks: ticks, warm, check });
            }
            Line::Steps { clock, reads, unchanged, changes } => {
                self.known(&clock)?;
                no_second(self.steps.contains_key(&clock), "steps of this clock")?;
                let seen = (changes.len() as u64).saturating_add(unchanged);
                if changes.contains(&0) || changes.contains(&i64::MIN) || seen > reads {
                    return Err("these are no changes between so many readings".to_owned());
                }
                self.steps.insert(clock, Steps { changes, reads, unchanged, stretches: None });
            }
            Line::Differences { clock, span, counts } => {
                self.known(&clock)?;
                no_second(self.differences.contains_key(&clock), "differences of this clock")?;
                let samples = differences(counts, span)?;
                self.differences.insert(clock, samples);
            }
            Line::Readings { clock, changes } => {
                self.known(&clock)?;
                no_second(self.readings.contains_key(&clock), "readings of this clock")?;
                self.readings.insert(clock, changes);
            }
            Line::Elapsed { clock, ticks } => {
                self.known(&clock)?;
                if self.elapsed.iter().filter(|known| known.clock == clock).count() >= 2 {
                    return Err("a clock tells twice how far it has come".to_owned());
                }
                self.elapsed.push(Elapsed { clock, ticks, heard_ns: None });
            }
            Line::Concurrent(concurrent) => {
                self.known(&concurrent.clock)?;
                no_second(
                    self.concurrent.iter().any(|known| known.clock == concurrent.clock),
                    "concurrent at this clock",
                )?;
                positive(concurrent.reads, "reads of a batch")?;
                check_batches(concurrent.threads, &concurrent.batches)?;
                self.concurrent.push(concurrent);
            }
            Line::Latch { call, serial_calls, serial, release, inside, wake } => {
                self.known_or_nothing(&call)?;
                no_second(self.latch.calls.iter().any(|known| known.call == call), "latch of this call")?;
                positive(serial_calls, "calls in one thread")?;
                sum_of(&inside)?;
                sum_of(&wake)?;
                self.latch.calls.push(CallSamples {
                    call,
                    serial_calls,
                    serial_ticks: serial,
                    release_ticks: release,
                    inside_ticks: inside,
                    wake_ticks: wake,
                });
            }
            _ => {}
        }
        Ok(())
    }

    /// What is missing from an answer to `task`.
    pub fn missing(&self, task: &Task) -> Option<String> {
        let of_clocks = |what: &str, is_whole: &dyn Fn(&str) -> bool| {
            let lacking = self.clocks.iter().find(|clock| !is_whole(&clock.clock));
            lacking.map(|clock| format!("{what} of {}", clock.clock))
        };
        match task {
            Task::Count { .. } | Task::Clocks { .. } if self.clocks.is_empty() => Some("clocks".to_owned()),
            Task::Count { reads } => {
                let is_whole = |name: &str| self.counted.get(name).is_some_and(|made| *made >= u64::from(*reads));
                of_clocks("counted reads", &is_whole)
            }
            Task::Clocks { steps, reads, readings, .. } => {
                let is_timed =
                    |name: &str| self.lanes.get(name).is_some_and(|lane| lane.batch_ticks.len() >= FEWEST_TURNS);
                let has_steps = |name: &str| *steps == 0 || self.steps.contains_key(name);
                let has_reads = |name: &str| {
                    let made = self.differences.get(name).map_or(0, |found| found.empty_intervals.saturating_add(1));
                    made >= u64::from(*reads)
                };
                let has_readings = |name: &str| {
                    let made = self.readings.get(name).map_or(0, |changes| changes.len() as u64 + 1);
                    *readings == 0 || made >= u64::from(*readings)
                };
                (!is_timed(NOTHING))
                    .then(|| "batches of the empty loop".to_owned())
                    .or_else(|| of_clocks("batches", &is_timed))
                    .or_else(|| of_clocks("changes", &has_steps))
                    .or_else(|| of_clocks("consecutive reads", &has_reads))
                    .or_else(|| of_clocks("readings at irregular times", &has_readings))
            }
            Task::Pause { .. } if self.pauses.is_empty() => Some("pauses".to_owned()),
            Task::Pause { lengths_ns, .. } => {
                let is_made = |way: &str, length| {
                    let of_way = |of: &&Paused| of.way == way && of.requested_ns == length;
                    self.pauses.iter().filter(of_way).any(|paused| !paused.taken_ns.is_empty())
                };
                let mut wanted = self.pauses.iter().flat_map(|of| lengths_ns.iter().map(|length| (&of.way, *length)));
                let lacking = wanted.find(|(way, length)| !is_made(way, *length));
                lacking.map(|(way, length)| format!("pauses of {length} ns by {way}"))
            }
            Task::Latch { .. } => {
                let is_whole = |call: &&CallSamples| {
                    call.serial_ticks.len() >= FEWEST_TURNS && call.release_ticks.len() >= FEWEST_TURNS
                };
                let whole = self.latch.calls.iter().filter(is_whole).count();
                (self.latch_unavailable.is_none() && whole < LATCH_CALLS).then(|| "released calls".to_owned())
            }
            Task::Sweep { .. } | Task::Experiment { .. } if self.sweep_unavailable.is_some() => None,
            Task::Sweep { tokens, threads_list, clocks, .. } => {
                let swept = [Some(NOTHING)].into_iter().chain(self.swept(clocks));
                self.missing_rounds(tokens, threads_list, swept)
            }
            Task::Experiment { experiment, tokens, threads_list, .. } => {
                let of = RuntimeOperations::ALL.iter().find(|of| of.experiment == *experiment);
                let cases = of.map(|of| of.cases).unwrap_or_default();
                self.missing_rounds(tokens, threads_list, cases.iter().copied().map(Some))
            }
        }
    }

    /// The clocks that a sweep of these was to read; None for one that the probe does not have.
    fn swept(&self, clocks: &[u64]) -> Vec<Option<&str>> {
        if clocks.is_empty() {
            let swept = self.clocks.iter().filter(|clock| clock.kind != TimeKind::Cpu);
            return swept.map(|clock| Some(clock.clock.as_str())).collect();
        }
        let at = |index: &u64| self.clocks.get(usize::try_from(*index).ok()?).map(|clock| clock.clock.as_str());
        clocks.iter().map(at).collect()
    }

    /// A part of a sweep that was visited too rarely.
    fn missing_rounds<'a>(
        &self,
        tokens: &[u64],
        threads_list: &[u32],
        names: impl Iterator<Item = Option<&'a str>>,
    ) -> Option<String> {
        let mut iterations: BTreeMap<_, usize> = BTreeMap::new();
        for sweep in &self.sweeps {
            *iterations.entry(cell(sweep)).or_default() += 1;
        }
        for name in names {
            let Some(name) = name else { return Some("a clock of the sweep".to_owned()) };
            for (tokens, threads) in
                tokens.iter().flat_map(|of| threads_list.iter().map(move |threads| (*of, *threads)))
            {
                if iterations.get(&(name, tokens, threads)).is_none_or(|made| *made < FEWEST_TURNS) {
                    return Some(format!("rounds of {name} with {tokens} tokens and {threads} threads"));
                }
            }
        }
        None
    }

    fn clock(&self, name: &str) -> Option<&Clock> {
        self.clocks.iter().find(|clock| clock.clock == name)
    }

    fn known(&self, name: &str) -> Result<(), String> {
        match self.clock(name) {
            Some(_) => Ok(()),
            None => Err(format!("unknown clock {}", shortened(name))),
        }
    }

    fn known_or_nothing(&self, name: &str) -> Result<(), String> {
        if name == NOTHING { Ok(()) } else { self.known(name) }
    }
}

/// What is visited once in each round of a sweep.
fn cell(sweep: &Sweep) -> (&str, u64, u32) {
    (&sweep.clock, sweep.tokens, sweep.threads)
}

fn check_batches(threads: u32, batches: &[(u32, u64, u64)]) -> Result<(), String> {
    if batches.iter().any(|(thread, begin, end)| *thread >= threads || end < begin) {
        return Err("a batch ends before it begins, or belongs to no thread".to_owned());
    }
    Ok(())
}

fn no_second(is_second: bool, what: &str) -> Result<(), String> {
    if is_second { Err(format!("second {what}")) } else { Ok(()) }
}

fn positive(value: u64, what: &str) -> Result<(), String> {
    if value == 0 { Err(format!("no {what}")) } else { Ok(()) }
}

/// Differences of which only the counts are known.
fn differences(counts: Vec<(i64, u64)>, span_ticks: u64) -> Result<reads::Samples, String> {
    // Two consecutive reads are an empty interval.
    let empty_intervals = sum_of(&counts)?;
    let largest_empty_ticks = counts.iter().map(|(ticks, _)| *ticks).max().unwrap_or(0);
    let differences = counts;
    Ok(reads::Samples { differences, span_ticks, empty_intervals, largest_empty_ticks, ..reads::Samples::default() })
}

/// The sum of counts, if plausible.
fn sum_of<T>(counts: &[(T, u64)]) -> Result<u64, String> {
    let sum = counts.iter().try_fold(0, |sum: u64, (_, count)| sum.checked_add(*count)).filter(|sum| *sum < 1 << 48);
    sum.ok_or_else(|| "there are more values than any process could take".to_owned())
}

fn short(text: &str) -> Result<(), String> {
    if text.len() <= LONGEST_TEXT { Ok(()) } else { Err(format!("a text is longer than {LONGEST_TEXT} bytes")) }
}

fn check_identity(identity: &Identity) -> Result<(), String> {
    if identity.protocol != PROTOCOL {
        return Err(format!("it speaks protocol {}, not {PROTOCOL}", identity.protocol));
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
    Rate::from_hz(hz).map(|_| ()).ok_or_else(|| format!("{hz} Hz is out of range"))
}

/// The beginning of `text`, for a message.
fn shortened(text: &str) -> String {
    const MOST_CHARACTERS: usize = 80;
    match text.char_indices().nth(MOST_CHARACTERS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// A line that violates the protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProtocolError {
    line: String,
    why: String,
}

impl fmt::Display for ProtocolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.line, self.why)
    }
}

impl std::error::Error for ProtocolError {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const IDENTITY: &str = r#"{"type":"identity","protocol":1,"runtime":"R","version":"1","executable":"","timer":"t","timer_hz":1000000000,"parallel":true,"notes":[]}"#;
    const CLOCK: &str = r#"{"type":"clock","clock":"now","kind":"monotonic","hz":1000000000,"declared_hz":null,"declared_resolution_ns":1,"high_resolution":null}"#;

    fn answer(lines: &[&str]) -> Result<Answer, ProtocolError> {
        Answer::of(&[&[IDENTITY, CLOCK], lines].concat().join("\n"))
    }

    #[test]
    fn an_answer_is_taken_in_line_by_line() {
        let found = answer(&[
            r#"{"type":"lane","clock":"nothing","reads":10,"ticks":[5,6],"warm":[[1,9]],"check":[[5,20]]}"#,
            r#"{"type":"lane","clock":"now","reads":10,"ticks":[250,251],"warm":[],"check":[]}"#,
            r#"{"type":"steps","clock":"now","reads":9,"unchanged":1,"changes":[25,-3]}"#,
            r#"{"type":"differences","clock":"now","span":50,"counts":[[-3,1],[25,2]]}"#,
            r#"{"type":"readings","clock":"now","changes":[25,0,-3]}"#,
            r#"{"type":"concurrent","clock":"now","threads":2,"reads":5,"batches":[[0,1,9],[1,2,8]]}"#,
            r#"{"type":"sweep","clock":"nothing","tokens":16,"threads":2,"round":0,"operations":9,"batches":[[0,1,9],[1,2,8]]}"#,
            r#"{"type":"sweep","clock":"now","tokens":16,"threads":1,"round":0,"operations":5,"batches":[[0,1,9]]}"#,
            r#"{"type":"sweep","clock":"now","tokens":16,"threads":1,"round":1,"operations":5,"batches":[[0,9,11]]}"#,
            r#"{"type":"end","sink":"77"}"#,
        ])
        .unwrap();
        let swept = &found.sweeps[2];
        assert_eq!((swept.round, swept.operations, &*swept.batches), (1, 5, &[(0, 9, 11)][..]));
        assert_eq!(
            (found.lanes.len(), found.steps["now"].changes[1], found.concurrent[0].batches[1]),
            (2, -3, (1, 2, 8))
        );
        assert_eq!(found.readings["now"], [25, 0, -3]);
        assert!(found.ended);
    }

    #[test]
    fn counted_reads_are_bracketed() {
        let begin = r#"{"type":"count_begin","clock":"now"}"#;
        let end = r#"{"type":"count_end","clock":"now","reads":200}"#;
        let mut found = answer(&[begin]).unwrap();
        assert_eq!(found.counting.as_deref(), Some("now"));
        found.push_line(end).unwrap();
        assert_eq!((found.counting.as_deref(), found.counted["now"]), (None, 200));
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
            r#"{"type":"readings","clock":"other","changes":[25]}"#,
            r#"{"type":"readings","clock":"now","changes":[0.5]}"#,
            r#"{"type":"concurrent","clock":"now","threads":2,"reads":5,"batches":[[2,1,9]]}"#,
            r#"{"type":"concurrent","clock":"now","threads":2,"reads":5,"batches":[[0,9,1]]}"#,
            r#"{"type":"sweep","clock":"other","tokens":0,"threads":1,"round":0,"operations":5,"batches":[]}"#,
            r#"{"type":"sweep","clock":"now","tokens":0,"threads":1,"round":0,"operations":0,"batches":[]}"#,
            r#"{"type":"sweep","clock":"now","tokens":0,"threads":1,"round":1,"operations":5,"batches":[]}"#,
            r#"{"type":"sweep","clock":"now","tokens":0,"threads":1,"round":0,"operations":5,"batches":[[1,1,9]]}"#,
            r#"{"type":"sweep","clock":"now","tokens":0,"threads":1,"round":0,"operations":5,"batches":[[0,9,1]]}"#,
            r#"{"type":"sweep","clock":"now","tokens":0.5,"threads":1,"round":0,"operations":5,"batches":[]}"#,
            r#"{"type":"clock","clock":"nothing","kind":"wall","hz":1,"declared_hz":null,"declared_resolution_ns":null,"high_resolution":null}"#,
            r#"{"type":"clock","clock":"zero","kind":"wall","hz":0,"declared_hz":null,"declared_resolution_ns":null,"high_resolution":null}"#,
            r#"{"type":"end","sink":"1","mean":3}"#,
            r#"{"type":"count_begin","clock":"now","mean":3}"#,
            r#"{"type":"gossip"}"#,
        ] {
            let error = answer(&[line]).expect_err(line).to_string();
            assert!(error.contains(" ("), "{error}");
        }
        let end = r#"{"type":"end","sink":"1"}"#;
        assert!(answer(&[end, end]).is_err());
        let readings = r#"{"type":"readings","clock":"now","changes":[25]}"#;
        assert!(answer(&[readings]).is_ok() && answer(&[readings, readings]).is_err());
        let other = IDENTITY.replace("\"protocol\":1", "\"protocol\":2");
        assert!(Answer::of(&other).unwrap_err().to_string().contains("protocol 2"));
    }

    #[test]
    fn an_answer_that_is_too_short_says_of_what() {
        let at_irregular_times = |steps, reads, readings| {
            let (batch_ns, warm_ms, lanes_ms, steps_ms, spread_ns, threads, concurrent_ms) = (1, 1, 1, 1, 1, 1, 1);
            Task::Clocks {
                batch_ns,
                warm_ms,
                lanes_ms,
                steps,
                steps_ms,
                reads,
                readings,
                spread_ns,
                threads,
                concurrent_ms,
            }
        };
        let asked = |steps, reads| at_irregular_times(steps, reads, 0);
        let pause = Task::Pause { lengths_ns: vec![1_000, 2_000], budget_ms: 1 };
        let latch = Task::Latch { threads: 2, budget_ms: 1 };
        let lane = |clock: &str, ticks: &str| {
            format!(r#"{{"type":"lane","clock":"{clock}","reads":10,"ticks":{ticks},"warm":[],"check":[]}}"#)
        };
        let paused = |length: u64| {
            format!(
                r#"{{"type":"pause","way":"sleep","requested_ns":{length},"wall_ns":1,"cpu_ns":null,"taken_ns":[[9,1]]}}"#
            )
        };
        let [nothing, now] = ["nothing", "now"].map(|clock| lane(clock, "[5,5,5]"));
        let counted = [
            r#"{"type":"count_begin","clock":"now"}"#.to_owned(),
            r#"{"type":"count_end","clock":"now","reads":5}"#.to_owned(),
        ];
        let differences = r#"{"type":"differences","clock":"now","span":50,"counts":[[25,2]]}"#;
        let readings = r#"{"type":"readings","clock":"now","changes":[25,0,-3]}"#;
        let missing = |task: &Task, lines: &[&str]| answer(lines).unwrap().missing(task);
        for (task, lines, wanted) in [
            (Task::Count { reads: 5 }, vec![&*counted[0], &*counted[1]], None),
            (Task::Count { reads: 6 }, vec![&*counted[0], &*counted[1]], Some("counted reads of now")),
            (Task::Count { reads: 5 }, vec![], Some("counted reads of now")),
            (asked(0, 0), vec![&*nothing, &*now], None),
            (asked(0, 0), vec![&*now], Some("batches of the empty loop")),
            (asked(0, 0), vec![&*nothing, &*lane("now", "[5,5]")], Some("batches of now")),
            (asked(1, 0), vec![&*nothing, &*now], Some("changes of now")),
            (asked(0, 3), vec![&*nothing, &*now, differences], None),
            (asked(0, 4), vec![&*nothing, &*now, differences], Some("consecutive reads of now")),
            (at_irregular_times(0, 0, 4), vec![&*nothing, &*now, readings], None),
            (at_irregular_times(0, 0, 5), vec![&*nothing, &*now, readings], Some("readings at irregular times of now")),
            (pause.clone(), vec![&*paused(1_000), &*paused(2_000)], None),
            (pause.clone(), vec![&*paused(1_000)], Some("pauses of 2000 ns by sleep")),
            (pause, vec![], Some("pauses")),
            (latch.clone(), vec![r#"{"type":"latch_unavailable","reason":"one thread"}"#], None),
            (latch, vec![], Some("released calls")),
        ] {
            assert_eq!(missing(&task, &lines).as_deref(), wanted, "{task:?} {lines:?}");
        }
        let no_clock = Answer::of(IDENTITY).unwrap();
        assert_eq!(no_clock.missing(&Task::Count { reads: 1 }).as_deref(), Some("clocks"));
    }

    #[test]
    fn a_sweep_that_is_too_short_says_of_what() {
        const CPU: &str = r#"{"type":"clock","clock":"cpu","kind":"cpu","hz":1000,"declared_hz":null,"declared_resolution_ns":null,"high_resolution":null}"#;
        let asked = |clocks: &[u64]| {
            let (tokens, threads_list, clocks) = (vec![0, 16], vec![1, 2], clocks.to_vec());
            Task::Sweep { tokens, threads_list, clocks, batch_ns: 1, iteration_ns: 1, warm_ms: 1, budget_ms: 1 }
        };
        let iterations = |rounds: u32, clocks: &[&str]| {
            let mut lines = vec![CPU.to_owned()];
            for round in 0..rounds {
                for (clock, tokens, threads) in
                    clocks.iter().flat_map(|of| [(of, 0, 1), (of, 0, 2), (of, 16, 1), (of, 16, 2)])
                {
                    lines.push(format!(
                        r#"{{"type":"sweep","clock":"{clock}","tokens":{tokens},"threads":{threads},"round":{round},"operations":5,"batches":[[0,1,2]]}}"#
                    ));
                }
            }
            lines
        };
        for (task, lines, wanted) in [
            (asked(&[]), iterations(3, &["nothing", "now"]), None),
            (asked(&[0]), iterations(3, &["nothing", "now"]), None),
            (asked(&[1]), iterations(3, &["nothing", "cpu"]), None),
            (asked(&[]), iterations(3, &["now"]), Some("rounds of nothing with 0 tokens and 1 threads")),
            (asked(&[]), iterations(2, &["nothing", "now"]), Some("rounds of nothing with 0 tokens and 1 threads")),
            (asked(&[0, 1]), iterations(3, &["nothing", "now"]), Some("rounds of cpu with 0 tokens and 1 threads")),
            (asked(&[2]), iterations(3, &["nothing", "now"]), Some("a clock of the sweep")),
            (asked(&[]), vec![r#"{"type":"sweep_unavailable","reason":"one thread"}"#.to_owned()], None),
        ] {
            let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
            assert_eq!(answer(&lines).unwrap().missing(&task).as_deref(), wanted, "{task:?}");
        }
    }

    #[test]
    fn a_iteration_has_few_batches_and_its_rounds_follow_each_other() {
        let iteration = |threads: u32, round: u32, batches: usize| {
            let batches = vec!["[0,1,2]"; batches].join(",");
            format!(
                r#"{{"type":"sweep","clock":"now","tokens":0,"threads":{threads},"round":{round},"operations":5,"batches":[{batches}]}}"#
            )
        };
        for (lines, is_valid) in [
            (vec![iteration(1, 0, 200)], true),
            (vec![iteration(1, 0, 201)], false),
            (vec![iteration(2, 0, 400)], true),
            (vec![iteration(0, 0, 0)], false),
            (vec![iteration(1, 0, 1), iteration(2, 0, 1), iteration(1, 1, 1)], true),
            (vec![iteration(1, 0, 1), iteration(1, 0, 1)], false),
            (vec![iteration(1, 0, 1), iteration(1, 2, 1)], false),
            (vec![iteration(1, 0, 1), iteration(2, 1, 1)], false),
        ] {
            let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
            assert_eq!(answer(&lines).is_ok(), is_valid, "{lines:?}");
        }
    }

    #[test]
    fn what_came_before_a_fault_is_kept() {
        let mut found = answer(&[]).unwrap();
        found.push_line("garbage").unwrap_err();
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
