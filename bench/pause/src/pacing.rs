//! How well a rate is kept.

use std::time::{Duration, Instant};

use bench_common::failure::Failure;
use bench_common::spread::Spread;
use bench_common::table;
use chronoscope_clock::Clock;
use chronoscope_clock::pacer::{self, Behind, Pace, Pacer};
use chronoscope_clock::pause::{self, Pauser, TimeSlice};
use serde::Serialize;
use spin_sleep_util::MissedTickBehavior;

use crate::crew::{Hog, Worker, cpu_ns};
use crate::pauses::ratios;
use crate::size::Size;
use crate::unavoidable;

pub(crate) const RATES: [u64; 6] = [1_000, 10_000, 30_000, 100_000, 700_000, 1_000_000];
pub(crate) const LOADED_RATE: u64 = 10_000;
pub(crate) const PEER: &str = "spin_sleep Interval, burst";
const BARE_SLEEP: &str = "pause::sleep to the schedule";
/// A pacer's target: one event of so many may be late by a sleep.
const ONE_IN: usize = 500;
pub(crate) const OURS: &str = "Pacer, catch up";
pub(crate) const OURS_SLICE: &str = "Pacer, slice 100 µs";
const SLICE: Duration = Duration::from_micros(100);

/// A rate for so long.
#[derive(Clone, Copy, Debug)]
struct Order {
    per_second: u64,
    length: Duration,
}

/// When events came, in nanoseconds of the same clock.
#[derive(Debug)]
struct Came {
    at_ns: Vec<u64>,
    cpu_share: f64,
}

type Keeper = Worker<Order, Came>;

/// Times the events of `pace`, which calls what it is given for each until that says that it is enough.
fn watch(order: Order, pace: impl FnOnce(&mut dyn FnMut() -> bool)) -> Came {
    let clock = Clock::or_system();
    let most = (order.per_second as f64 * order.length.as_secs_f64()) as usize + 1;
    let mut at_ns = Vec::with_capacity(most);
    let (cpu, began) = (cpu_ns(), clock.now().as_nanos());
    // A pacer that falls far behind ends in time all the same.
    let end = began + order.length.as_nanos() as u64;
    pace(&mut || {
        let now = clock.now().as_nanos();
        at_ns.push(now);
        now < end && at_ns.len() < most
    });
    let wall = clock.now().as_nanos() - began;
    Came { at_ns, cpu_share: (cpu_ns().saturating_sub(cpu) as f64 / wall.max(1) as f64).min(1.0) }
}

fn period(order: Order) -> Duration {
    Duration::from_nanos(1_000_000_000 / order.per_second)
}

fn ours(order: Order) -> Came {
    let Ok(pace) = Pace::per_second(order.per_second) else { return Came { at_ns: Vec::new(), cpu_share: 0.0 } };
    let mut pauser = Pauser::with_target(pacer::TARGET);
    pauser.calibrate();
    let start = chronoscope_clock::Instant::now() + Duration::from_micros(100);
    let mut pacer = Pacer::starting_at(start, pace.schedule(), Behind::CatchUp, pauser);
    watch(order, |event| while pacer.next_slot().is_some() && event() {})
}

fn keepers() -> Vec<Keeper> {
    vec![
        Worker::start("std::thread::sleep(period)", || {
            |order| {
                watch(order, |event| {
                    while event() {
                        std::thread::sleep(period(order));
                    }
                })
            }
        }),
        Worker::start("spin_sleep::sleep(period)", || {
            |order| {
                watch(order, |event| {
                    while event() {
                        spin_sleep::sleep(period(order));
                    }
                })
            }
        }),
        Worker::start("spin_sleep Interval, skip", || {
            |order| {
                let mut interval = spin_sleep_util::interval(period(order));
                watch(order, |event| {
                    while event() {
                        interval.tick();
                    }
                })
            }
        }),
        Worker::start(PEER, || {
            |order| {
                let mut interval =
                    spin_sleep_util::interval(period(order)).with_missed_tick_behavior(MissedTickBehavior::Burst);
                watch(order, |event| {
                    while event() {
                        interval.tick();
                    }
                })
            }
        }),
        Worker::start(BARE_SLEEP, || {
            |order| {
                let start = chronoscope_clock::Instant::now() + Duration::from_micros(100);
                let mut events = 0_u32;
                watch(order, |event| {
                    loop {
                        let _ = pause::sleep_until(start + period(order) * events);
                        events += 1;
                        if !event() {
                            return;
                        }
                    }
                })
            }
        }),
        Worker::start(OURS, || ours),
        Worker::start(OURS_SLICE, || {
            let slice = TimeSlice::request(SLICE);
            move |order| {
                let _slice = &slice;
                ours(order)
            }
        }),
    ]
}

/// One pacer at one rate, over rounds.
#[derive(Debug, Serialize)]
pub(crate) struct Row {
    pub(crate) per_second: u64,
    pub(crate) pacer: &'static str,
    /// Events from the first to the last over the time between them, against what was asked for.
    pub(crate) error_ppm: Vec<f64>,
    /// Beyond the schedule that begins with the quickest event, in microseconds.
    pub(crate) late_p50_us: Vec<f64>,
    pub(crate) late_p99_us: Vec<f64>,
    pub(crate) cpu_share: Vec<f64>,
    /// What being on time 499 times in 500 takes of a CPU at least, in each round; of bare sleeps alone.
    pub(crate) unavoidable_share: Vec<f64>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Pacing {
    pub(crate) rows: Vec<Row>,
    /// Ours alone for seconds: rate and error in ppm.
    pub(crate) alone_ppm: Vec<(u64, f64)>,
    loaded: bool,
}

pub(crate) fn measure(size: &Size, rates: &[u64], rounds: usize, loaded: bool) -> Result<Pacing, Failure> {
    let _hog = loaded.then(Hog::start);
    let keepers = keepers();
    let mut rows: Vec<Row> = rates
        .iter()
        .flat_map(|rate| keepers.iter().map(move |keeper| (*rate, keeper.name)))
        .map(|(per_second, pacer)| Row {
            per_second,
            pacer,
            error_ppm: Vec::new(),
            late_p50_us: Vec::new(),
            late_p99_us: Vec::new(),
            cpu_share: Vec::new(),
            unavoidable_share: Vec::new(),
        })
        .collect();
    for round in 0..rounds {
        eprintln!("bench-pause: pacing{}, round {} of {rounds}", if loaded { " under load" } else { "" }, round + 1);
        for at in 0..rows.len() {
            let row = (at + round * 7) % rows.len();
            let order = Order { per_second: rates[row / keepers.len()], length: size.pacing };
            let came = keepers[row % keepers.len()].ask(order)?;
            rows[row].add(&came);
        }
    }
    let mut alone_ppm = Vec::new();
    if let Some(keeper) = keepers.iter().find(|keeper| keeper.name == OURS) {
        for per_second in rates {
            eprintln!("bench-pause: pacing at {per_second} per second alone");
            let came = keeper.ask(Order { per_second: *per_second, length: size.pacing_alone })?;
            alone_ppm.extend(error_ppm(&came.at_ns, *per_second).map(|ppm| (*per_second, ppm)));
        }
    }
    Ok(Pacing { rows, alone_ppm, loaded })
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

/// How late each event came on the schedule with the right period on which none is early.
fn late_us(at_ns: &[u64], per_second: u64) -> Vec<f64> {
    let planned = |event: usize| event as f64 * 1e9 / per_second as f64;
    let off: Vec<f64> = at_ns.iter().enumerate().map(|(event, ns)| (*ns - at_ns[0]) as f64 - planned(event)).collect();
    let least = off.iter().copied().fold(f64::INFINITY, f64::min);
    let mut late: Vec<f64> = off.iter().map(|ns| (ns - least) / 1e3).collect();
    late.sort_by(f64::total_cmp);
    late
}

impl Row {
    fn add(&mut self, came: &Came) {
        let late = late_us(&came.at_ns, self.per_second);
        let at = |quantile: f64| late.get(((late.len().saturating_sub(1)) as f64 * quantile).round() as usize).copied();
        self.error_ppm.extend(error_ppm(&came.at_ns, self.per_second));
        self.late_p50_us.extend(at(0.5));
        self.late_p99_us.extend(at(0.99));
        self.cpu_share.push(came.cpu_share);
        if self.pacer == BARE_SLEEP {
            let late_ns: Vec<u64> = late.iter().map(|us| (us * 1e3) as u64).collect();
            let period_ns = 1e9 / self.per_second as f64;
            self.unavoidable_share.extend(unavoidable::share(&late_ns, came.cpu_share * period_ns, period_ns, ONE_IN));
        }
    }
}

impl Pacing {
    pub(crate) fn row(&self, per_second: u64, pacer: &str) -> Option<&Row> {
        self.rows.iter().find(|row| row.per_second == per_second && row.pacer == pacer)
    }

    /// Ours against the peer's, round by round: medians and 99th percentiles of lateness.
    pub(crate) fn beside_peer(&self, per_second: u64) -> Option<(Vec<f64>, Vec<f64>)> {
        let (ours, peer) = (self.row(per_second, OURS)?, self.row(per_second, PEER)?);
        Some((ratios(&ours.late_p50_us, &peer.late_p50_us), ratios(&ours.late_p99_us, &peer.late_p99_us)))
    }

    /// What ours takes of a CPU against what is unavoidable, round by round.
    pub(crate) fn beside_unavoidable(&self, per_second: u64) -> Option<Vec<f64>> {
        let (ours, bare) = (self.row(per_second, OURS)?, self.row(per_second, BARE_SLEEP)?);
        Some(ratios(&ours.cpu_share, &bare.unavoidable_share))
    }

    /// What being on time takes of a CPU at least: the median over rounds.
    pub(crate) fn unavoidable(&self, per_second: u64) -> Option<f64> {
        Spread::of(self.row(per_second, BARE_SLEEP)?.unavoidable_share.iter().copied()).map(|of| of.median)
    }

    pub(crate) fn show(&self) -> String {
        let shown =
            |values: &[f64], places| table::or_dash(Spread::of(values.iter().copied()).map(|of| of.show(places)));
        let rows = self.rows.iter().map(|row| {
            vec![
                row.per_second.to_string(),
                row.pacer.to_owned(),
                shown(&row.error_ppm, 1),
                shown(&row.late_p50_us, 2),
                shown(&row.late_p99_us, 2),
                shown(&row.cpu_share.iter().map(|share| share * 100.0).collect::<Vec<_>>(), 1),
            ]
        });
        let headings = [
            "per s",
            "pacer",
            "rate error ppm (quartiles)",
            "late p50 µs (quartiles)",
            "late p99 µs (quartiles)",
            "CPU % (quartiles)",
        ];
        let alone: Vec<String> = self.alone_ppm.iter().map(|(rate, ppm)| format!("{rate}: {ppm:+.3}")).collect();
        let rates = self.rows.iter().filter(|row| row.pacer == OURS).map(|row| row.per_second);
        let ratios = rates.filter_map(|rate| {
            let (p50, p99) = self.beside_peer(rate)?;
            let bare = self.row(rate, BARE_SLEEP)?;
            let percent: Vec<f64> = bare.unavoidable_share.iter().map(|share| share * 100.0).collect();
            let cpu = self.beside_unavoidable(rate)?;
            Some(vec![rate.to_string(), shown(&p50, 2), shown(&p99, 2), shown(&percent, 1), shown(&cpu, 2)])
        });
        let ratios = table::numbers(
            &["per s", "p50 × burst's", "p99 × burst's", "unavoidable CPU % (quartiles)", "our CPU × that"],
            ratios,
        );
        let beside = if self.loaded { " A thread that never sleeps runs on the same CPU." } else { "" };
        format!(
            "{}\n\nRate: by the median distance of events half a run apart. Late: on the schedule of the right\n\
             period on which no event is early, so that a constant delay does not count.{beside}\n\n{ratios}\n\n\
             Ours (catch up) over spin_sleep's burst interval, and over the CPU that being on time in 499 of 500 events takes at least:\n\
             a sleep, and the spinning that is left when it has ended, by the bare sleeps of the same round.\n\nOurs alone for longer, ppm at \
             events per second: {}",
            table::numbers(&headings, rows),
            alone.join(", ")
        )
    }
}

/// A moment on the standard library's clock, for what looks from outside.
pub(crate) fn since(start: Instant) -> u64 {
    start.elapsed().as_nanos() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_that_of_all_events() {
        let mut at_ns: Vec<u64> = (0..=1_000).map(|event| 5_000 + event * 1_000_100).collect();
        assert!((error_ppm(&at_ns, 1_000).unwrap() + 99.99).abs() < 0.01);
        at_ns[1_000] += 15_000;
        assert!((error_ppm(&at_ns, 1_000).unwrap() + 99.99).abs() < 0.1, "15 ppm by its ends");
        assert_eq!(error_ppm(&[7], 1_000), None);
    }

    #[test]
    fn lateness_does_not_count_a_constant_delay() {
        let late = late_us(&[500, 1_000_500, 2_010_500, 3_000_500], 1_000);
        assert_eq!(late, [0.0, 0.0, 0.0, 10.0]);
    }
}
