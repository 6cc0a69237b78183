//! How well a rate is kept.
//!
//! No study: a study has no lateness against a schedule, no share of a CPU, and no neighbour that never sleeps.

use std::num::NonZeroU32;
use std::time::Duration;

use bench_common::value::sorted;
use bench_common::{Failure, Run, Section, Table, Value};
use chronoscope_clock::pacer::{self, Behind, Pace, Pacer};
use chronoscope_clock::pause::{self, Pauser};
use chronoscope_clock::{Clock, Instant, TickSource};
use governor::clock::Clock as _;
use governor::{Quota, RateLimiter};
use spin_sleep_util::MissedTickBehavior;

use crate::crew::{Order, Taken, Way, cpu_share_of, on_one_cpu};
use crate::turns::Turns;

const RATES: [u64; 4] = [1_000, 10_000, 100_000, 1_000_000];
/// Ours alone: also such as have no whole number of nanoseconds between events.
const ALONE_RATES: [u64; 6] = [1_000, 10_000, 30_000, 100_000, 700_000, 1_000_000];
/// Pacers of others: what a programmer would write, or take.
const PEERS: [&str; 5] = [
    "std::thread::sleep to the schedule",
    "spin_sleep to the schedule",
    "spin_sleep Interval, burst",
    "tokio Interval, burst",
    "governor, std::thread::sleep",
];
const LEAD: Duration = Duration::from_micros(100);
/// Events in a round at least: with fewer, three late ones decide p99.
const FEWEST: usize = 500;
/// A limiter may fall this far behind and still catch up.
const BURST: Duration = Duration::from_millis(10);
const BARE_SLEEP: &str = "pause::sleep to the schedule";
/// A pacer's target: one event of so many may be late by a sleep.
const ONE_IN: usize = 500;
const OURS: &str = "Pacer, catch up";

/// Times events, for each of which `wait` waits; it is told how many there were before.
fn watch<T>(order: Order, mut wait: impl FnMut(u32) -> T) -> Taken {
    let clock = Clock::or_system();
    let mut at_ns = Vec::with_capacity(order.count);
    let period_ns = 1e9 / order.setting as f64;
    // A pacer that falls far behind ends in time all the same.
    let end = clock.read() + (period_ns * order.count as f64) as u64;
    let cpu_share = cpu_share_of(|| {
        while at_ns.len() < order.count && at_ns.last().is_none_or(|last| *last < end) {
            let _ = wait(at_ns.len() as u32);
            at_ns.push(clock.read());
        }
    });
    let (late_ns, error_ppm) = (late_ns(&at_ns, period_ns), error_ppm(&at_ns, order.setting));
    Taken { late_ns, cpu_share, each_ns: period_ns, planned_ns: period_ns, error_ppm }
}

fn period(order: Order) -> Duration {
    Duration::from_nanos(1_000_000_000 / order.setting)
}

fn start() -> Instant {
    Instant::now() + LEAD
}

fn ours(order: Order) -> Taken {
    let Ok(pace) = Pace::per_second(order.setting) else { return Taken::default() };
    let mut pacer = calibrated(pace.schedule());
    watch(order, |_| pacer.next_slot())
}

/// A pacer that has learnt before its schedule starts.
pub(crate) fn calibrated<S: Iterator<Item = Duration> + Clone>(schedule: S) -> Pacer<S> {
    let mut pauser = Pauser::with_target(pacer::TARGET);
    pauser.calibrate();
    Pacer::starting_at(start(), schedule, Behind::CatchUp, pauser)
}

fn bare_sleep(order: Order) -> Taken {
    let (start, period) = (start(), period(order));
    watch(order, |event| pause::sleep_until(start + period * event))
}

/// The obvious pacer: sleeps until each event's time on an absolute schedule.
fn sleeping(name: &'static str, sleep: fn(Duration)) -> Way {
    Way::start(name, move || {
        move |order| {
            let (start, period) = (std::time::Instant::now() + LEAD, period(order));
            watch(order, |event| {
                let left = (start + period * event).saturating_duration_since(std::time::Instant::now());
                if !left.is_zero() {
                    sleep(left);
                }
            })
        }
    })
}

fn burst(order: Order) -> Taken {
    let mut interval = spin_sleep_util::interval(period(order)).with_missed_tick_behavior(MissedTickBehavior::Burst);
    watch(order, |_| interval.tick())
}

/// In one task, as a load generator on tokio has it.
fn ticking(order: Order) -> Taken {
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_time().build() else {
        return Taken::default();
    };
    let mut interval = {
        let _within = runtime.enter();
        tokio::time::interval(period(order))
    };
    watch(order, |_| runtime.block_on(interval.tick()))
}

/// A limiter that starts without credit, and sleeps for as long as it says.
fn limited(order: Order) -> Taken {
    let cells = (order.setting as f64 * BURST.as_secs_f64()) as u32;
    let (Some(cells), Some(quota)) = (NonZeroU32::new(cells), Quota::with_period(period(order))) else {
        return Taken::default();
    };
    let limiter = RateLimiter::direct(quota.allow_burst(cells));
    let _ = limiter.check_n(cells);
    watch(order, |_| {
        while let Err(not_yet) = limiter.check() {
            std::thread::sleep(not_yet.wait_time_from(limiter.clock().now()));
        }
    })
}

fn keepers() -> Vec<Way> {
    let [on_std, on_spin_sleep, interval, tokio, governor] = PEERS;
    vec![
        sleeping(on_std, std::thread::sleep),
        sleeping(on_spin_sleep, spin_sleep::sleep),
        Way::start(interval, || burst),
        Way::start(tokio, || ticking),
        Way::start(governor, || limited),
        Way::start(BARE_SLEEP, || bare_sleep),
        Way::start(OURS, || ours),
    ]
}

pub(crate) fn measure(run: &Run, section: &mut Section, is_loaded: bool) -> Result<(), Failure> {
    let count = |per_second: u64, length: Duration| (per_second as f64 * length.as_secs_f64()) as usize + 1;
    let (rounds, length, fewest) = run.pick((9, Duration::from_millis(250), FEWEST), (1, Duration::from_millis(20), 0));
    let alone_for = run.pick(Duration::from_secs(3), Duration::from_millis(50));
    let (table, alone) = on_one_cpu(is_loaded, |_| {
        let ways = keepers();
        let turns = Turns {
            unit: "per s",
            settings: &RATES,
            ways: &ways,
            count: &|per_second| count(per_second, length).max(fewest),
            bare: BARE_SLEEP,
            one_in: ONE_IN,
            references: ("best peer", &PEERS),
        };
        let table = turns.measure(run, section.name, rounds)?;
        let mut alone = Table::new(1, "ours alone, per s | rate error alone, ppm");
        for keeper in ways.iter().filter(|keeper| keeper.name == OURS && !is_loaded) {
            for setting in ALONE_RATES {
                run.now(format!("{}, {setting} per second alone", section.name));
                let ppm = keeper.ask(Order { setting, count: count(setting, alone_for) })?.error_ppm;
                alone.row([setting.to_string().into(), ppm.map(|ppm| Value::number(ppm, 3)).into()]);
            }
        }
        Ok((table, alone))
    })?;
    section.table(table);
    section.table(alone);
    section.say("Medians over rounds with quartiles.");
    Ok(())
}

/// The rate against what was asked for: the median over all events of what they are apart from the one half a run later, which no
/// single event and no short backlog decides.
fn error_ppm(at_ns: &[u64], per_second: u64) -> Option<f64> {
    let half = at_ns.len() / 2;
    let mut apart_ns: Vec<u64> =
        at_ns.iter().zip(at_ns.get(half..)?).filter_map(|(one, other)| other.checked_sub(*one)).collect();
    if half == 0 || apart_ns.is_empty() {
        return None;
    }
    let middle = apart_ns.len() / 2;
    let median_ns = *apart_ns.select_nth_unstable(middle).1;
    (median_ns > 0).then(|| (half as f64 * 1e9 / median_ns as f64 / per_second as f64 - 1.0) * 1e6)
}

/// How late each event came on the schedule with the right period on which none is early, rising.
fn late_ns(at_ns: &[u64], period_ns: f64) -> Vec<f64> {
    let off = at_ns.iter().enumerate().map(|(event, ns)| (*ns - at_ns[0]) as f64 - event as f64 * period_ns);
    let off = sorted(off).unwrap_or_default();
    off.iter().map(|ns| ns - off[0]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_that_of_all_events() {
        let mut at_ns: Vec<u64> = (0..=1_000).map(|event| 5_000 + event * 1_000_100).collect();
        assert!((error_ppm(&at_ns, 1_000).unwrap() + 99.99).abs() < 0.01);
        at_ns[1_000] += 15_000;
        assert!((error_ppm(&at_ns, 1_000).unwrap() + 99.99).abs() < 0.1);
        assert_eq!(error_ppm(&[7], 1_000), None);
    }

    #[test]
    fn lateness_does_not_count_a_constant_delay() {
        let late = late_ns(&[500, 1_000_500, 2_010_500, 3_000_500], 1e6);
        assert_eq!(late, [0.0, 0.0, 0.0, 10_000.0]);
        assert!(late_ns(&[], 1e6).is_empty());
    }
}
