//! How long pauses take.
//!
//! No study: a study has no share of a CPU, and no neighbour that never sleeps.

use std::time::Duration;

use bench_common::{Failure, Run, Section};
use chronoscope_clock::Clock;

use crate::crew::{Order, Taken, cpu_share_of, on_one_cpu};
use crate::turns::Turns;
use crate::ways;

const LENGTHS_US: [u64; 6] = [1, 10, 50, 100, 1_000, 10_000];
const LOADED_LENGTHS_US: [u64; 2] = [100, 1_000];
/// A Pauser's usual target: one pause of so many may be late.
const ONE_IN: usize = 100;

/// Makes pauses in a row, each timed from outside.
pub(crate) fn take<R>(order: Order, pause: &mut impl FnMut(Duration) -> R) -> Taken {
    let clock = Clock::or_system();
    let length = Duration::from_micros(order.setting);
    let planned_ns = length.as_nanos() as f64;
    pause(length);
    let mut late_ns: Vec<f64> = Vec::with_capacity(order.count);
    let cpu_share = cpu_share_of(|| {
        for _ in 0..order.count {
            let before = clock.now();
            pause(length);
            late_ns.push(clock.now().signed_nanos_since(before) as f64 - planned_ns);
        }
    });
    late_ns.sort_unstable_by(f64::total_cmp);
    let each_ns = planned_ns + late_ns.iter().sum::<f64>() / late_ns.len().max(1) as f64;
    Taken { late_ns, cpu_share, each_ns, planned_ns, error_ppm: None }
}

pub(crate) fn measure(run: &Run, section: &mut Section, is_loaded: bool) -> Result<(), Failure> {
    let (rounds, time_us, fewest, most) = run.pick((9, 200_000, 30, 3_000), (1, 10_000, 2, 200));
    let settings = if is_loaded { &LOADED_LENGTHS_US[..] } else { &LENGTHS_US };
    section.table(on_one_cpu(is_loaded, |_| {
        let turns = Turns {
            unit: "µs",
            settings,
            ways: &ways::all(),
            count: &|us| (time_us / us as usize).clamp(fewest, most),
            bare: ways::BARE_SLEEP,
            one_in: ONE_IN,
            references: (ways::PAUSER, &[ways::PAUSER]),
        };
        turns.measure(run, section.name, rounds)
    })?);
    section.say("Medians over rounds with quartiles.");
    Ok(())
}
