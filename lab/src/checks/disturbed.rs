//! Readings on every CPU while something is done to the machine: before, until it is done, and a while longer.

use std::io;
use std::thread::sleep;
use std::time::{Duration, Instant};

use chronoscope_clock::Clock;

use crate::check::Check;
use crate::crew::{Told, Until, read_on_every_cpu};
use crate::disturber::Disturber;
use crate::plant::Plant;
use crate::row::Row;

const POLL: Duration = Duration::from_millis(20);
/// How long reading goes on after the disturbance has ended.
const AFTERWARDS: Duration = Duration::from_secs(1);
/// So many readings of either kind, and what disturbs begins.
const WANTED: u64 = 1_000;

/// Reads until `disturber` has ended, which begins as soon as there are enough readings. The row tells the states of the
/// library's clock on the way.
pub fn run(disturber: Option<&mut Disturber<'_>>, plant: Option<Plant>) -> io::Result<Row> {
    let disturber = disturber.ok_or_else(|| io::Error::other("nothing disturbs: the step has no `meanwhile`"))?;
    let told = Told::default();
    let mut states = Vec::new();
    let mut see = || {
        let trust = Clock::or_system().trust();
        let reasons = trust.reasons.iter().map(|reason| format!("{reason:?}")).collect::<Vec<_>>().join(", ");
        let state = format!("{:?} ({reasons})", trust.state);
        if states.last() != Some(&state) {
            states.push(state);
        }
        sleep(POLL);
    };
    let (both, [begun, ended]) = read_on_every_cpu(Until::Told(&told), plant, |_| {
        while told.turns() < WANTED {
            see();
        }
        let begun = told.turns();
        disturber.start()?;
        while !disturber.has_ended()? {
            see();
        }
        let (ended, since) = (told.turns(), Instant::now());
        while since.elapsed() < AFTERWARDS {
            see();
        }
        told.end();
        Ok([begun, ended])
    })?;
    Ok(Row::new(Check::Disturbed.name(), both, WANTED)
        .note("states", states.join(" → "))
        .note("before", begun)
        .note("during", ended - begun)
        .note("afterwards", told.turns() - ended))
}
