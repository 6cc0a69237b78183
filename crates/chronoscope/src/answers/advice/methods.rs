//! What each way to measure an interval achieves with a clock.

use super::locking::{Uneven, phases_needed, uneven};
use super::repetitions::{CONFIDENCE_PCT, Z_99, deviation_in_steps, readings};
use super::report::{Fit, IntervalQuestion, Method, MethodAdvice};
use super::usable_clocks::UsableClock;
use chronoscope_harness::quantity::{PERCENT, count, limit, ns, percent, three_digits};
use chronoscope_probes::RuntimeKind;

/// What is asked.
#[derive(Clone, Copy, Debug)]
pub struct Setting<'a> {
    pub question: &'a IntervalQuestion,
}

impl Setting<'_> {
    pub fn interval_ns(self) -> f64 {
        self.question.interval_ns
    }

    /// The error accepted, as a fraction.
    pub fn error(self) -> f64 {
        self.question.error_pct / 100.0
    }

    /// The error accepted, in nanoseconds.
    pub fn room_ns(self) -> f64 {
        self.interval_ns() * self.error()
    }

    /// The cost of a loop's turn, as a share of the interval.
    fn loop_share(self, clock: &UsableClock) -> f64 {
        clock.loop_turn_ns.map_or(0.0, |turn| (turn / self.interval_ns()).max(0.0))
    }

    fn pct_of_interval(self, of_ns: f64) -> f64 {
        of_ns / self.interval_ns() * 100.0
    }
}

/// The clock may be slewed by this much, so no interval is known better (`MAXFREQ` of Linux' kernel/time/ntp.c).
pub const SLEW_PCT: f64 = 0.05;
/// A batch or a series that takes longer is none that anybody waits for.
const LONGEST_NS: f64 = 3_600e9;
/// What a loop must leave of the accepted error: with less, ten times as long a batch would still be mostly the loop's error.
const LEAST_ROOM: f64 = 0.1;
/// What a count may be: more cannot be written exactly.
const MOST: f64 = 1e15;

fn blank(method: Method, clock: &UsableClock) -> MethodAdvice {
    MethodAdvice {
        method,
        fit: Fit::No,
        clock: Some(clock.name.clone()),
        count: None,
        takes_ns: None,
        error_pct: None,
        says: String::new(),
        formula: None,
        advice: Vec::new(),
    }
}

fn fit_of(clock: &UsableClock) -> Fit {
    if clock.confirmed_from_ns.is_some() { Fit::Confirmed } else { Fit::Expected }
}

/// A pair of reads around each operation.
pub fn direct(clock: &UsableClock, setting: Setting<'_>) -> MethodAdvice {
    let (interval_ns, from_ns) = (setting.interval_ns(), clock.shortest_ns(setting.error()));
    let within = limit(setting.question.error_pct);
    let tried = clock.longest_trial_ns(interval_ns).filter(|_| clock.confirmed_from_ns.is_some());
    let (error_pct, formula) = match tried {
        Some((truth_ns, error_pct)) => (
            error_pct.min(setting.question.error_pct),
            format!("trials of {}: 95 % of errors {}", ns(truth_ns), PERCENT.below(error_pct)),
        ),
        None => {
            let error_ns = clock.error_within_ns(setting.error());
            let error_pct = setting.pct_of_interval(error_ns);
            let quotient = format!("{} / {} = {}", ns(error_ns), ns(interval_ns), percent(error_pct));
            (error_pct, format!("error of one reading / interval = {quotient}"))
        }
    };
    let (share, basis) = match clock.confirmed_from_ns {
        Some(_) => ("98 of 100 undisturbed readings were", "in trials"),
        None => ("95 of 100 undisturbed readings should be", "calculated, not tried"),
    };
    let fits = interval_ns >= from_ns;
    let verdict = if fits { String::new() } else { format!("; {} is too short", ns(interval_ns)) };
    let says = format!("{share} within {within} for intervals ≥ {} ({basis}){verdict}", ns(from_ns));
    MethodAdvice {
        fit: if fits { fit_of(clock) } else { Fit::No },
        count: fits.then_some(1),
        takes_ns: fits.then_some(interval_ns),
        error_pct: Some(error_pct),
        says,
        formula: Some(formula),
        ..blank(Method::Direct, clock)
    }
}

/// A pair of reads around `n` operations: what the reads add is divided by `n`, the loop's turns are not.
pub fn batch(clock: &UsableClock, setting: Setting<'_>) -> MethodAdvice {
    let (interval_ns, error) = (setting.interval_ns(), setting.error());
    let loop_share = setting.loop_share(clock);
    let room = error - loop_share;
    let blank = blank(Method::Batch, clock);
    if room <= error * LEAST_ROOM {
        let says = format!(
            "a turn of the loop costs {}, {} of the operation: {} the accepted error",
            clock.loop_turn_ns.map(ns).unwrap_or_default(),
            percent(loop_share * 100.0),
            if room > 0.0 { "nearly" } else { "no less than" }
        );
        let advice = "unroll the loop so that a turn has several operations, or compare with an empty loop in a study";
        return MethodAdvice { says, advice: vec![advice.to_owned()], ..blank };
    }
    // The clock's own limit for this error, lengthened for the loop's part of it.
    let length_ns = clock.shortest_ns(error) * error / room;
    let size = (length_ns / interval_ns).ceil().max(1.0);
    let takes_ns = size * interval_ns;
    if !(size <= MOST && takes_ns <= LONGEST_NS) {
        let says = format!("a batch would have to last {}", ns(length_ns));
        return MethodAdvice { says, ..blank };
    }
    let error_pct = (clock.error_within_ns(error) / takes_ns + loop_share) * 100.0;
    let size = size as u64;
    // With digits enough to check the difference, however small it is.
    let turn = match clock.loop_turn_ns {
        Some(turn) => format!(" − {turn:.4} ns / {}", ns(interval_ns)),
        None => String::new(),
    };
    let formula = format!(
        "n ≥ shortest interval × error / ((error − loop / interval) × interval) = {} × {} / (({}{turn}) × {}) → {}",
        ns(clock.shortest_ns(error)),
        limit(error * 100.0),
        limit(error * 100.0),
        ns(interval_ns),
        count(size)
    );
    MethodAdvice {
        fit: fit_of(clock),
        count: Some(size),
        takes_ns: Some(takes_ns),
        error_pct: Some(error_pct),
        says: format!(
            "{} operations between two reads take {}; divide by their number. The result is their mean, not their \
             distribution{}",
            count(size),
            ns(takes_ns),
            if setting.question.threads > 1 { ", on one thread with no other work in between" } else { "" }
        ),
        formula: Some(formula),
        advice: vec!["take the median of 40 batches or more, which a few interruptions do not move".to_owned()],
        ..blank
    }
}

/// The mean of many readings of a clock whose step is longer than a read.
pub fn repetitions(clock: &UsableClock, setting: Setting<'_>) -> MethodAdvice {
    let blank = blank(Method::Repetitions, clock);
    let no = |says: String| MethodAdvice { says, ..blank.clone() };
    let Some((bias_ns, latency)) = clock.bias_ns().zip(clock.latency_ns) else {
        return no("the cost of a read is unknown, and with it what a mean keeps".to_owned());
    };
    let interval_ns = setting.interval_ns();
    let share = percent(setting.pct_of_interval(bias_ns));
    if bias_ns >= setting.room_ns() {
        return no(format!(
            "the reads add up to {}, {share} of the interval, to every reading; averaging does not remove that",
            ns(bias_ns)
        ));
    }
    let Some(step_ns) = clock.step_ns.filter(|_| clock.is_coarse()) else {
        return no("the clock's step is shorter than a read: there is no tick to average out".to_owned());
    };
    let room = (setting.room_ns() - bias_ns) / step_ns;
    let deviation = deviation_in_steps(interval_ns + bias_ns, step_ns);
    let Some(needed) = readings(deviation, room) else {
        return no(format!("no number of readings is enough: the step is {}", ns(step_ns)));
    };
    let each_ns = setting.question.every_ns.unwrap_or(interval_ns + 2.0 * latency.estimate + step_ns / 2.0);
    let takes_ns = needed as f64 * each_ns;
    let formula = format!(
        "n ≥ ((a + √(a² + 2t)) / 2t)², a = z × √(f(1 − f)) = {} × {}, t = (error × interval − reads) / step = ({} − {}) / {} = {} \
         → {}",
        three_digits(Z_99),
        three_digits(deviation),
        ns(setting.room_ns()),
        ns(bias_ns),
        ns(step_ns),
        three_digits(room),
        count(needed)
    );
    let is_endless = takes_ns > LONGEST_NS;
    let says = match is_endless {
        true => format!("it takes {} readings: {} at {} each", count(needed), days(takes_ns), ns(each_ns)),
        false => format!(
            "{} of the {} step is within {} in {} of 100 experiments",
            match needed {
                1 => "one reading at a random phase".to_owned(),
                _ => format!("the mean of {} readings at random phases", count(needed)),
            },
            ns(step_ns),
            limit(setting.question.error_pct),
            CONFIDENCE_PCT
        ),
    };
    MethodAdvice {
        fit: if is_endless { Fit::No } else { Fit::Expected },
        count: Some(needed),
        takes_ns: Some(takes_ns.min(f64::MAX)),
        error_pct: (!is_endless).then_some(setting.question.error_pct),
        says,
        formula: Some(formula),
        advice: phase_advice(setting, step_ns, needed, room),
        ..blank
    }
}

fn days(of_ns: f64) -> String {
    const DAY_NS: f64 = 86_400e9;
    if of_ns < DAY_NS {
        format!("{} h", three_digits(of_ns / DAY_NS * 24.0))
    } else {
        format!("{} days", three_digits(of_ns / DAY_NS))
    }
}

/// When repetitions lock to the tick, and what to do about it.
fn phase_advice(setting: Setting<'_>, step_ns: f64, needed: u64, room: f64) -> Vec<String> {
    let enough = phases_needed(room);
    let delay = format!("wait a random time between 0 and {} before each repetition", ns(step_ns));
    let condition = format!(
        "without it, repetitions that start close to p/q × {} apart, q < {}, meet the same q phases of the tick every time, \
         and the mean stays off by up to {} / q however many there are",
        ns(step_ns),
        count(enough),
        ns(step_ns)
    );
    let own = setting.question.every_ns.map(|every_ns| match uneven(every_ns / step_ns, needed, room) {
        Some(Uneven { steps, phases, off }) => format!(
            "every {} is close to {steps}/{phases} steps of the clock: averaging alone leaves an error of up to {}, {} of \
             the interval",
            ns(every_ns),
            ns(step_ns * off),
            percent(setting.pct_of_interval(step_ns * off))
        ),
        None => format!("{} repetitions exactly {} apart meet the tick evenly enough", count(needed), ns(every_ns)),
    });
    [delay, condition].into_iter().chain(own).collect()
}

/// A benchmark with work between the operations, timed from outside.
pub fn backoff_model(setting: Setting<'_>) -> MethodAdvice {
    let threads = setting.question.threads.max(1);
    let list = if threads == 1 { "1".to_owned() } else { format!("1,{threads}") };
    let advice = match setting.question.runtime {
        None => vec![
            format!("cargo bench --bench NAME -- --threads {list} --backoff 0-40"),
            "chronoscope experiment backoff --quick".to_owned(),
        ],
        Some(RuntimeKind::Java) => {
            vec![format!("JMH: -t {threads}, with Blackhole.consumeCPU(tokens) before the operation")]
        }
        Some(kind) => vec![format!(
            "a benchmark of {} whose threads do known work before each operation, timed as a whole",
            kind.title()
        )],
    };
    let why = match threads {
        1 => "a study times the operation against an empty loop, both in batches, and reports the difference",
        _ => {
            "reads around each operation slow it down and line the threads up, and a batch has no other work in between; a \
             study varies the work before each operation (backoff) and the number of threads, and times it from outside"
        }
    };
    MethodAdvice {
        method: Method::BackoffModel,
        fit: Fit::Expected,
        clock: None,
        count: None,
        takes_ns: None,
        error_pct: None,
        says: format!("{why}; each result comes with its own interval"),
        formula: Some(
            "time per operation = backoff + exposed cost; the cost left at long backoffs is contention".to_owned(),
        ),
        advice,
    }
}
