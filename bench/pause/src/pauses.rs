//! How long pauses take.

use std::time::Duration;

use bench_common::failure::Failure;
use bench_common::spread::Spread;
use bench_common::table;
use chronoscope_clock::Clock;
use serde::Serialize;

use crate::crew::{Hog, cpu_ns};
use crate::size::Size;
use crate::unavoidable;
use crate::ways::{self, Way};

/// A Pauser's usual target: one pause of so many may be late.
const ONE_IN: usize = 100;

/// Pauses to make.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Order {
    length: Duration,
    pauses: u32,
}

/// What they took.
#[derive(Clone, Debug)]
pub(crate) struct Taken {
    /// Rising.
    ns: Vec<u64>,
    cpu_share: f64,
}

/// Makes pauses in a row, each timed from outside.
pub(crate) fn take(order: Order, pause: &mut impl FnMut(Duration)) -> Taken {
    let clock = Clock::or_system();
    pause(order.length);
    let (cpu, began) = (cpu_ns(), clock.now());
    let mut ns: Vec<u64> = Vec::with_capacity(order.pauses as usize);
    for _ in 0..order.pauses {
        let before = clock.now();
        pause(order.length);
        ns.push(clock.now().as_nanos() - before.as_nanos());
    }
    let wall = clock.now().as_nanos() - began.as_nanos();
    let cpu_share = cpu_ns().saturating_sub(cpu) as f64 / wall.max(1) as f64;
    ns.sort_unstable();
    Taken { ns, cpu_share: cpu_share.min(1.0) }
}

impl Taken {
    /// Of bare sleeps of `length`: what being on time takes.
    fn unavoidable_share(&self, length: Duration) -> Option<f64> {
        let length_ns = length.as_nanos() as u64;
        let late_ns: Vec<u64> = self.ns.iter().map(|ns| ns.saturating_sub(length_ns)).collect();
        let each_ns = self.ns.iter().sum::<u64>() as f64 / self.ns.len().max(1) as f64;
        unavoidable::share(&late_ns, self.cpu_share * each_ns, length_ns as f64, ONE_IN)
    }
}

/// One way at one length, over rounds.
#[derive(Debug, Serialize)]
pub(crate) struct Row {
    pub(crate) length_ns: u64,
    pub(crate) way: &'static str,
    /// Beyond what was asked for, in microseconds: each round's median and 99th percentile.
    pub(crate) late_p50_us: Vec<f64>,
    pub(crate) late_p99_us: Vec<f64>,
    pub(crate) cpu_share: Vec<f64>,
    /// What being on time 99 times in 100 takes of a CPU at least, in each round; of bare sleeps alone.
    pub(crate) unavoidable_share: Vec<f64>,
    pub(crate) early: usize,
}

/// A whole section.
#[derive(Debug, Serialize)]
pub(crate) struct Pauses {
    pub(crate) rows: Vec<Row>,
    loaded: bool,
}

pub(crate) fn measure(size: &Size, lengths: &[Duration], loaded: bool) -> Result<Pauses, Failure> {
    let _hog = loaded.then(Hog::start);
    let ways: Vec<Way> = ways::all();
    let mut rows: Vec<Row> = lengths
        .iter()
        .flat_map(|length| ways.iter().map(move |way| (length, way.name)))
        .map(|(length, way)| Row {
            length_ns: length.as_nanos() as u64,
            way,
            late_p50_us: Vec::new(),
            late_p99_us: Vec::new(),
            cpu_share: Vec::new(),
            unavoidable_share: Vec::new(),
            early: 0,
        })
        .collect();
    for round in 0..size.rounds {
        eprintln!(
            "bench-pause: pauses{}, round {} of {}",
            if loaded { " under load" } else { "" },
            round + 1,
            size.rounds
        );
        for at in 0..rows.len() {
            // Another way and length first in each round.
            let row = (at + round * 7) % rows.len();
            let length = lengths[row / ways.len()];
            let fitting = (size.pauses.as_nanos() / length.as_nanos().max(1)).min(u128::from(u32::MAX)) as u32;
            let order = Order { length, pauses: fitting.clamp(size.fewest_pauses, size.most_pauses) };
            let taken = ways[row % ways.len()].ask(order)?;
            let late_us = |quantile: f64| {
                let at = ((taken.ns.len() - 1) as f64 * quantile).round() as usize;
                (taken.ns[at] as f64 - length.as_nanos() as f64) / 1e3
            };
            let row = &mut rows[row];
            if row.way == ways::BARE_SLEEP {
                row.unavoidable_share.extend(taken.unavoidable_share(length));
            }
            row.late_p50_us.push(late_us(0.5));
            row.late_p99_us.push(late_us(0.99));
            row.cpu_share.push(taken.cpu_share);
            row.early += taken.ns.iter().filter(|ns| **ns < row.length_ns).count();
        }
    }
    Ok(Pauses { rows, loaded })
}

/// Round by round.
pub(crate) fn ratios(ours: &[f64], theirs: &[f64]) -> Vec<f64> {
    ours.iter().zip(theirs).filter(|(_, theirs)| **theirs > 0.0).map(|(ours, theirs)| ours / theirs).collect()
}

impl Pauses {
    pub(crate) fn row(&self, length: Duration, way: &str) -> Option<&Row> {
        self.rows.iter().find(|row| u128::from(row.length_ns) == length.as_nanos() && row.way == way)
    }

    pub(crate) fn show(&self) -> String {
        let shown =
            |values: &[f64], places| table::or_dash(Spread::of(values.iter().copied()).map(|of| of.show(places)));
        let median = |values: &[f64]| Spread::of(values.iter().copied()).map(|of| of.median);
        let rows = self.rows.iter().map(|row| {
            let best =
                self.row(Duration::from_nanos(row.length_ns), ways::PAUSER).and_then(|row| median(&row.late_p50_us));
            let ratio =
                median(&row.late_p50_us).zip(best).filter(|(_, best)| *best > 0.0).map(|(own, best)| own / best);
            vec![
                format!("{}", row.length_ns / 1_000),
                row.way.to_owned(),
                shown(&row.late_p50_us, 2),
                shown(&row.late_p99_us, 2),
                shown(&row.cpu_share.iter().map(|share| share * 100.0).collect::<Vec<_>>(), 1),
                table::or_dash(ratio.map(|ratio| format!("× {ratio:.2}"))),
                row.early.to_string(),
            ]
        });
        let headings = [
            "µs",
            "way",
            "late p50 µs (quartiles)",
            "late p99 µs (quartiles)",
            "CPU % (quartiles)",
            "p50 / Pauser's",
            "early",
        ];
        let unavoidable = self.rows.iter().filter(|row| !row.unavoidable_share.is_empty()).map(|row| {
            let percent: Vec<f64> = row.unavoidable_share.iter().map(|share| share * 100.0).collect();
            let ours = self.row(Duration::from_nanos(row.length_ns), ways::PAUSER);
            vec![
                format!("{}", row.length_ns / 1_000),
                shown(&percent, 1),
                table::or_dash(ours.map(|ours| shown(&ratios(&ours.cpu_share, &row.unavoidable_share), 2))),
            ]
        });
        let unavoidable = table::numbers(&["µs", "unavoidable CPU % (quartiles)", "Pauser's CPU × that"], unavoidable);
        let beside = if self.loaded { " A thread that never sleeps runs on the same CPU." } else { "" };
        format!(
            "{}\n\nLate: beyond what was asked for. Medians over rounds, in which all ways and lengths take turns.{beside}\n\n\
             {unavoidable}\n\nUnavoidable: what a sleep takes of the CPU, and the spinning that is left when it has ended, with the margin \
             that 99 of 100 bare sleeps of the same round (nanosleep, slack 1 ns) keep.",
            table::numbers(&headings, rows)
        )
    }
}
