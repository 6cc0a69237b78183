//! How long pauses take.
//!
//! No study: a study has no share of a CPU, and no neighbour that never sleeps.

use std::time::Duration;

use bench_common::{Failure, Run, Section};
use chronoscope_clock::Clock;

use crate::crew::{cpu_share_of, on_one_cpu};
use crate::turns::{Taken, Turns};
use crate::ways;

const LENGTHS_US: [u64; 6] = [1, 10, 50, 100, 1_000, 10_000];
const LOADED_LENGTHS_US: [u64; 2] = [100, 1_000];
/// A Pauser's usual target: one pause of so many may be late.
const ONE_IN: usize = 100;

/// Pauses to make.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Order {
    length: Duration,
    pauses: u32,
}

/// Makes pauses in a row, each timed from outside.
pub(crate) fn take<R>(order: Order, pause: &mut impl FnMut(Duration) -> R) -> Taken {
    let clock = Clock::or_system();
    let planned_ns = order.length.as_nanos() as f64;
    pause(order.length);
    let mut late_ns: Vec<f64> = Vec::with_capacity(order.pauses as usize);
    let cpu_share = cpu_share_of(|| {
        for _ in 0..order.pauses {
            let before = clock.now();
            pause(order.length);
            late_ns.push((clock.now().as_nanos() - before.as_nanos()) as f64 - planned_ns);
        }
    });
    late_ns.sort_unstable_by(f64::total_cmp);
    let each_ns = planned_ns + late_ns.iter().sum::<f64>() / late_ns.len().max(1) as f64;
    Taken { late_ns, cpu_share, each_ns, planned_ns, error_ppm: None }
}

pub(crate) fn idle(run: &Run, section: &mut Section) -> Result<(), Failure> {
    measure(run, section, &LENGTHS_US, false)
}

pub(crate) fn loaded(run: &Run, section: &mut Section) -> Result<(), Failure> {
    measure(run, section, &LOADED_LENGTHS_US, true)
}

fn measure(run: &Run, section: &mut Section, settings: &[u64], is_loaded: bool) -> Result<(), Failure> {
    let (rounds, time_us, fewest, most) = run.pick((9, 200_000, 30, 3_000), (1, 10_000, 2, 200));
    let order =
        |us: u64| Order { length: Duration::from_micros(us), pauses: (time_us / us as u32).clamp(fewest, most) };
    section.table(on_one_cpu(is_loaded, |_| {
        let turns = Turns {
            unit: "µs",
            settings,
            ways: &ways::all(),
            order: &order,
            bare: ways::BARE_SLEEP,
            one_in: ONE_IN,
            reference: ways::PAUSER,
        };
        turns.measure(run, section.name, rounds)
    })?);
    section.say("Medians over rounds with quartiles.");
    Ok(())
}
