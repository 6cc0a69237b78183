//! How well a rate is kept.

use std::time::{Duration, Instant};

use bench_common::failure::Failure;
use bench_common::spread::Spread;
use bench_common::table;
use chronoscope_clock::Clock;
use chronoscope_clock::pacer::{Behind, Pace, Pacer};
use chronoscope_clock::pause::{Pauser, TimeSlice};
use serde::Serialize;
use spin_sleep_util::MissedTickBehavior;

use crate::crew::{Hog, Worker, cpu_ns};
use crate::size::Size;

pub(crate) const RATES: [u64; 6] = [1_000, 10_000, 30_000, 100_000, 700_000, 1_000_000];
pub(crate) const LOADED_RATE: u64 = 10_000;
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
    let mut pauser = Pauser::new();
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
        Worker::start("spin_sleep Interval, burst", || {
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

fn error_ppm(at_ns: &[u64], per_second: u64) -> Option<f64> {
    let whole = at_ns.last()?.checked_sub(*at_ns.first()?).filter(|whole| *whole > 0)?;
    Some(((at_ns.len() - 1) as f64 * 1e9 / whole as f64 / per_second as f64 - 1.0) * 1e6)
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
    }
}

impl Pacing {
    pub(crate) fn row(&self, per_second: u64, pacer: &str) -> Option<&Row> {
        self.rows.iter().find(|row| row.per_second == per_second && row.pacer == pacer)
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
        let beside = if self.loaded { " A thread that never sleeps runs on the same CPU." } else { "" };
        format!(
            "{}\n\nRate: events between the first and the last over the time between them. Late: on the schedule of the right\n\
             period on which no event is early, so that a constant delay does not count.{beside}\n\nOurs alone for longer, ppm at \
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
    fn a_rate_is_events_over_time() {
        let at_ns: Vec<u64> = (0..=1_000).map(|event| 5_000 + event * 1_000_100).collect();
        assert!((error_ppm(&at_ns, 1_000).unwrap() + 99.99).abs() < 0.1);
        assert_eq!(error_ppm(&[7], 1_000), None);
    }

    #[test]
    fn lateness_does_not_count_a_constant_delay() {
        let late = late_us(&[500, 1_000_500, 2_010_500, 3_000_500], 1_000);
        assert_eq!(late, [0.0, 0.0, 0.0, 10.0]);
    }
}
