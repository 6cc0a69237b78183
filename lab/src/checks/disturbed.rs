//! Readings on every CPU while something is done to the machine, until it is done and a while longer.

use std::io;
use std::process::Child;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use chronoscope_clock::Clock;

use crate::check::Check;
use crate::crew::{Until, read_on_every_cpu};
use crate::plant::Plant;
use crate::row::Row;

const POLL: Duration = Duration::from_millis(20);
/// How long reading goes on after the disturbance has ended.
const AFTERWARDS: Duration = Duration::from_secs(1);
/// So few show that it was read before, during and after.
const WANTED: u64 = 1_000;

/// Reads until `disturber` has ended. The row tells the states of the library's clock on the way.
pub fn run(disturber: Option<&mut Child>, plant: Option<Plant>) -> io::Result<Row> {
    let began = Instant::now();
    let disturber = disturber.ok_or_else(|| io::Error::other("nothing disturbs: the step has no `meanwhile`"))?;
    let stop = AtomicBool::new(false);
    let mut states = Vec::new();
    let mut see = || {
        let trust = Clock::or_system().trust();
        let reasons = trust.reasons.iter().map(|reason| format!("{reason:?}")).collect::<Vec<_>>().join(", ");
        let state = format!("{:?} ({reasons})", trust.state);
        if states.last() != Some(&state) {
            states.push(state);
        }
    };
    let (both, ()) = read_on_every_cpu(Until::Told(&stop), plant, |_| {
        while disturber.try_wait()?.is_none() {
            see();
            sleep(POLL);
        }
        let ended = Instant::now();
        while ended.elapsed() < AFTERWARDS {
            see();
            sleep(POLL);
        }
        stop.store(true, Ordering::Relaxed);
        Ok(())
    })?;
    Ok(Row::new(Check::Disturbed.name(), both, WANTED, began.elapsed()).note("states", states))
}
