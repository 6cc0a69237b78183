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

/// One microsecond of tick in ten thousand.
const PPM_PER_TICK_US: i64 = 100;

/// Readings of either kind per row.
const COUNT: [u64; 3] = [200_000, 5_000_000, 10_000_000];

/// One slew: how far, and how long one way.
#[derive(Clone, Copy, Debug)]
struct Slew {
    ppm: i64,
    period_ms: u64,
}

/// NTP's own limit, ten times that, chrony's default limit slowly and fast, and adjtimex's limit.
const SLEWS: [Slew; 5] = [
    Slew { ppm: 500, period_ms: 200 },
    Slew { ppm: 5_000, period_ms: 200 },
    Slew { ppm: 83_000, period_ms: 200 },
    Slew { ppm: 83_000, period_ms: 7 },
    Slew { ppm: 100_000, period_ms: 37 },
];

impl Slew {
    /// Frequency reaches 500 ppm, NTP's limit; all beyond needs the tick.
    fn apply(self, sign: i64) -> io::Result<()> {
        if self.ppm <= 500 {
            sys::slew(sys::NOMINAL_TICK_US, sign * self.ppm)
        } else {
            sys::slew(sys::NOMINAL_TICK_US + sign * self.ppm / PPM_PER_TICK_US, 0)
        }
    }

    /// Slews until the readers are done.
    fn alternate(self, done: &AtomicBool) -> io::Result<Seen> {
        let mut seen = Seen::default();
        while !done.load(Ordering::Relaxed) {
            let (sign, ways) =
                if seen.changes % 2 == 0 { (1, &mut seen.ahead_ppm) } else { (-1, &mut seen.behind_ppm) };
            self.apply(sign)?;
            let (slewed_ns, raw_ns) = (sys::monotonic_ns(), sys::raw_ns());
            sleep(Duration::from_millis(self.period_ms));
            let (slewed_ns, raw_ns) = (sys::monotonic_ns() - slewed_ns, sys::raw_ns() - raw_ns);
            ways.push((slewed_ns as i64 - raw_ns as i64) * 1_000_000 / raw_ns as i64);
            seen.changes += 1;
        }
        Ok(seen)
    }
}

/// How the slewed clock ran against the raw one after each change, in ppm.
#[derive(Debug, Default)]
struct Seen {
    changes: u64,
    ahead_ppm: Vec<i64>,
    behind_ppm: Vec<i64>,
}

/// The middle one; 0 of none.
fn median(mut values: Vec<i64>) -> i64 {
    values.sort_unstable();
    values.get(values.len() / 2).copied().unwrap_or(0)
}

/// Runs every row, and leaves the clock as it was.
pub fn run(size: Size, plant: Option<Plant>, print: &mut dyn FnMut(Row)) -> io::Result<()> {
    let count = size.of(COUNT);
    for (slew, name) in SLEWS.into_iter().zip(Check::Slews.rows()) {
        let run = read_on_every_cpu(Until::Readings(count), plant, |done| slew.alternate(done));
        sys::slew(sys::NOMINAL_TICK_US, 0)?;
        let (both, seen) = run?;
        let share = |ppm: Vec<i64>| median(ppm) as f64 / slew.ppm as f64;
        print(
            Row::new(name, both, count)
                .note("changes", seen.changes)
                .note("ahead_share", share(seen.ahead_ppm))
                .note("behind_share", -share(seen.behind_ppm)),
        );
    }
    Ok(())
}
