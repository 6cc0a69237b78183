//! The kernel's clock, slewed back and forth by `adjtimex` while it is read.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::Duration;

use crate::check::Check;
use crate::crew::{Until, read_on_every_cpu};
use crate::plant::Plant;
use crate::row::Row;
use crate::size::Size;
use crate::sys;

const PPM_PER_TICK_US: i64 = 100;

const COUNT: [u64; 3] = [200_000, 5_000_000, 10_000_000];

/// How far in ppm, and how long one way in milliseconds: NTP's own limit, ten times that, chrony's default limit slowly and fast,
/// and adjtimex's limit.
const SLEWS: [(i64, u64); 5] = [(500, 200), (5_000, 200), (83_000, 200), (83_000, 7), (100_000, 37)];

/// Frequency reaches 500 ppm, NTP's limit; all beyond needs the tick.
fn slew(ppm: i64) -> io::Result<()> {
    if ppm.abs() <= 500 {
        sys::slew(sys::NOMINAL_TICK_US, ppm)
    } else {
        sys::slew(sys::NOMINAL_TICK_US + ppm / PPM_PER_TICK_US, 0)
    }
}

/// Slews until the readers are done, and tells how the clock ran against the raw one after each change, in ppm: ahead, and behind.
fn alternate((ppm, period_ms): (i64, u64), done: &AtomicBool) -> io::Result<[Vec<i64>; 2]> {
    let mut seen = [Vec::new(), Vec::new()];
    for (way, ppm) in [(0, ppm), (1, -ppm)].into_iter().cycle().take_while(|_| !done.load(Ordering::Relaxed)) {
        slew(ppm)?;
        let (slewed_ns, raw_ns) = (sys::monotonic_ns(), sys::raw_ns());
        sleep(Duration::from_millis(period_ms));
        let (slewed_ns, raw_ns) = (sys::monotonic_ns() - slewed_ns, sys::raw_ns() - raw_ns);
        seen[way].push((slewed_ns as i64 - raw_ns as i64) * 1_000_000 / raw_ns as i64);
    }
    Ok(seen)
}

fn median(mut values: Vec<i64>) -> i64 {
    values.sort_unstable();
    values.get(values.len() / 2).copied().unwrap_or(0)
}

/// Runs every row, and leaves the clock as it was.
pub fn run(size: Size, plant: Option<Plant>, print: &mut dyn FnMut(Row)) -> io::Result<()> {
    let count = size.of(COUNT);
    for (slew, name) in SLEWS.into_iter().zip(Check::Slews.rows()) {
        let run = read_on_every_cpu(Until::Readings(count), plant, |done| alternate(slew, done));
        sys::slew(sys::NOMINAL_TICK_US, 0)?;
        let (both, [ahead, behind]) = run?;
        let changes = ahead.len() + behind.len();
        let share = |ppm: Vec<i64>| median(ppm) as f64 / slew.0 as f64;
        let row = Row::new(name, both, count).note("changes", changes);
        print(row.note("ahead_share", share(ahead)).note("behind_share", -share(behind)));
    }
    Ok(())
}
