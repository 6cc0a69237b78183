//! The kernel's clock, slewed back and forth by `adjtimex` while it is read.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::crew::{Until, read_on_every_cpu};
use crate::plant::Plant;
use crate::row::Row;
use crate::size::Size;
use crate::sys;

/// One microsecond of tick in ten thousand.
const PPM_PER_TICK_US: i64 = 100;

/// One slew: how far, and how long one way.
#[derive(Clone, Copy, Debug)]
pub struct Slew {
    ppm: i64,
    period_ms: u64,
}

/// NTP's own limit, ten times that, chrony's default limit slowly and fast, and adjtimex's limit.
pub const ROWS: [Slew; 5] = [
    Slew { ppm: 500, period_ms: 200 },
    Slew { ppm: 5_000, period_ms: 200 },
    Slew { ppm: 83_000, period_ms: 200 },
    Slew { ppm: 83_000, period_ms: 7 },
    Slew { ppm: 100_000, period_ms: 37 },
];

impl Slew {
    /// As the row is named.
    pub fn name(&self) -> String {
        format!("slew {} ppm / {} ms", self.ppm, self.period_ms)
    }

    /// Frequency reaches 500 ppm, NTP's limit; all beyond needs the tick.
    fn apply(self, sign: i64) -> io::Result<()> {
        if self.ppm <= 500 {
            sys::slew(sys::NOMINAL_TICK_US, sign * self.ppm)
        } else {
            sys::slew(sys::NOMINAL_TICK_US + sign * self.ppm / PPM_PER_TICK_US, 0)
        }
    }

    /// Slews until the readers are done; gives the changes made and the strongest slew seen against the raw clock, ppm.
    fn alternate(self, done: &AtomicBool) -> io::Result<(u64, i64)> {
        let (mut changes, mut strongest_ppm) = (0, 0);
        while !done.load(Ordering::Relaxed) {
            self.apply(if changes % 2 == 0 { 1 } else { -1 })?;
            changes += 1;
            let (slewed_ns, raw_ns) = (sys::monotonic_ns(), sys::raw_ns());
            sleep(Duration::from_millis(self.period_ms));
            let (slewed_ns, raw_ns) = (sys::monotonic_ns() - slewed_ns, sys::raw_ns() - raw_ns);
            strongest_ppm = strongest_ppm.max((slewed_ns as i64 - raw_ns as i64).abs() * 1_000_000 / raw_ns as i64);
        }
        Ok((changes, strongest_ppm))
    }
}

/// Runs every row, and leaves the clock as it was.
pub fn run(size: Size, plant: Option<Plant>, print: &mut dyn FnMut(Row)) -> io::Result<()> {
    for slew in ROWS {
        let began = Instant::now();
        let run = read_on_every_cpu(Until::Readings(size.slewed()), plant, |done| slew.alternate(done));
        sys::slew(sys::NOMINAL_TICK_US, 0)?;
        let (both, (changes, strongest_ppm)) = run?;
        print(
            Row::new(slew.name(), both, size.slewed(), began.elapsed())
                .note("changes", changes)
                .note("slew_seen_ppm", strongest_ppm)
                .require(strongest_ppm >= slew.ppm / 2, format!("the kernel slewed by {strongest_ppm} ppm at most")),
        );
    }
    Ok(())
}
