//! Whether a runtime's clocks run at the rate of this machine's. A library that is loaded before the runtime can replace its clock, and all
//! that it then says of costs and steps is wrong by one factor.

use chronoscope_sources::Rate;

use super::answer::Answer;
use super::protocol::Clock;
use super::runtime::RuntimeClock;
use chronoscope_harness::estimators::intervals::DirectInterval;
use chronoscope_harness::stats::median;

/// Between two readings that are closer, the time until they are heard counts.
const LEAST_NS: f64 = 100e6;
/// A clock that comes farther than this multiple of the time since its process was started runs too fast, whenever that is heard.
const CERTAIN: f64 = 1.1;
/// The rates of processes that are all beyond these are no chance.
const SLOW: f64 = 0.8;
const FAST: f64 = 1.25;

/// How far a clock came in one process.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Way {
    clock_ns: f64,
    /// From hearing the first reading to hearing the second.
    heard_ns: f64,
    /// From the start of the process to hearing the second.
    whole_ns: f64,
}

impl Way {
    fn rate(&self) -> f64 {
        self.clock_ns / self.heard_ns
    }
}

/// The rate of a clock, as a multiple of this machine's, where it is another; None where it is not, or cannot be told.
pub fn wrong_rate<'a>(clock: &Clock, answers: impl IntoIterator<Item = &'a Answer>) -> Option<f64> {
    let unit = Rate::from_hz(clock.hz).unwrap_or(Rate::NANOSECONDS);
    let way = |answer: &Answer| {
        let mut told = answer.elapsed.iter().filter(|told| told.clock == clock.clock);
        let (first, second) = (told.next()?, told.next()?);
        let (first_ns, whole_ns) = (first.heard_ns? as f64, second.heard_ns? as f64);
        let clock_ns = unit.ns_of_mean((second.ticks as f64) - (first.ticks as f64));
        Some(Way { clock_ns, heard_ns: whole_ns - first_ns, whole_ns }).filter(|way| way.heard_ns > 0.0)
    };
    wrong(&answers.into_iter().filter_map(way).collect::<Vec<_>>())
}

/// The same of the clock that times batches.
pub fn wrong_timer<'a>(answers: impl Iterator<Item = &'a Answer> + Clone) -> Option<f64> {
    let named = answers.clone().find(|answer| !answer.clocks.is_empty())?;
    let timer = &named.identity.as_ref()?.timer;
    wrong_rate(named.clocks.iter().find(|clock| clock.clock == *timer)?, answers)
}

fn wrong(ways: &[Way]) -> Option<f64> {
    let long: Vec<f64> = ways.iter().filter(|way| way.heard_ns >= LEAST_NS).map(Way::rate).collect();
    let is_certain = |way: &Way| way.clock_ns > CERTAIN * way.whole_ns && way.clock_ns >= LEAST_NS;
    let agree = |is_wrong: fn(f64) -> bool| long.len() > 1 && long.iter().all(|rate| is_wrong(*rate));
    if agree(|rate| rate > FAST) || agree(|rate| rate < SLOW) {
        return median(long);
    }
    let certain = ways.iter().filter(|way| is_certain(way)).map(Way::rate);
    median(certain.collect::<Vec<_>>())
}

/// Drops what a clock of a wrong rate measured; `by_timer`: so is the clock that times batches.
pub fn forget(clock: &mut RuntimeClock, by_timer: bool) {
    if by_timer {
        (clock.latency_ns, clock.added, clock.concurrent) = (None, None, None);
        (clock.loop_ratio, clock.warm_up) = (None, None);
    }
    if clock.wrong_rate.is_some() {
        (clock.step, clock.granularity_ns, clock.granularity_is_latency) = (None, None, None);
        clock.granularity = None;
        (clock.tick, clock.reads, clock.claimed_interval_ns) = (None, None, DirectInterval::default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn way(clock_ms: f64, heard_ms: f64, before_ms: f64) -> Way {
        Way { clock_ns: clock_ms * 1e6, heard_ns: heard_ms * 1e6, whole_ns: (heard_ms + before_ms) * 1e6 }
    }

    #[test]
    fn a_clock_that_runs_ten_times_too_fast_is_found_in_one_process() {
        assert_eq!(wrong(&[way(1_000.0, 100.0, 40.0)]), Some(10.0));
    }

    #[test]
    fn one_that_is_too_slow_takes_two_processes() {
        let slow = way(100.0, 1_000.0, 40.0);
        assert_eq!([wrong(&[slow]), wrong(&[slow, slow])], [None, Some(0.1)]);
    }

    #[test]
    fn readings_that_are_heard_late_make_no_clock_wrong() {
        // The first is heard late in one process, the last in another.
        let (early, late) = (way(300.0, 200.0, 150.0), way(300.0, 500.0, 40.0));
        assert_eq!([wrong(&[early]), wrong(&[late]), wrong(&[early, late]), wrong(&[])], [None; 4]);
        // Too short to tell.
        assert_eq!(wrong(&[way(8.0, 4.0, 2.0), way(8.0, 4.0, 2.0)]), None);
    }

    #[test]
    fn readings_and_when_they_were_heard_give_the_rate() {
        const LINES: &str = concat!(
            r#"{"type":"identity","protocol":1,"runtime":"R","version":"1","executable":"","timer":"now","timer_hz":1000,"parallel":true,"notes":[]}"#,
            "\n",
            r#"{"type":"clock","clock":"now","kind":"monotonic","hz":1000,"declared_hz":null,"declared_resolution_ns":null,"high_resolution":null}"#,
            "\n",
            r#"{"type":"elapsed","clock":"now","ticks":0}"#,
            "\n",
            r#"{"type":"elapsed","clock":"now","ticks":5000}"#,
        );
        let mut answer = Answer::of(LINES).unwrap();
        for (told, heard_ns) in answer.elapsed.iter_mut().zip([30_000_000, 530_000_000]) {
            told.heard_ns = Some(heard_ns);
        }
        assert_eq!(wrong_rate(&answer.clocks[0], [&answer]), Some(10.0));
    }
}
