//! The kernel's clocksource, switched under a program that reads.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use chronoscope_clock::{Clock, RateSource};

use crate::check::Check;
use crate::clocksource;
use crate::crew::{Until, read_on_every_cpu};
use crate::plant::Plant;
use crate::row::Row;
use crate::size::Size;

const ROUND: [&str; 3] = ["hpet", "acpi_pm", "tsc"];
const PERIOD: Duration = Duration::from_millis(50);
/// Two thirds of the time a reading leaves the machine.
const READINGS_PER_SECOND: u64 = 5_000;

/// What a run of switching came to.
struct Switches {
    made: u64,
    refused: u64,
    sources: Vec<RateSource>,
}

/// Switches round after round, and on to tsc at the end, where the library must be back on the counter.
pub fn run(size: Size, plant: Option<Plant>) -> io::Result<Row> {
    let counter = source();
    let stop = AtomicBool::new(false);
    let began = Instant::now();
    let (both, switches) = read_on_every_cpu(Until::Told(&stop), plant, |_| {
        let switches = switch_for(size.switching());
        stop.store(true, Ordering::Relaxed);
        switches
    })?;
    clocksource::settle("tsc")?;
    let (back, ()) = read_on_every_cpu(Until::Readings(size.slow_readings()), plant, |_| Ok(()))?;
    let back_on = source();
    let mut all = both;
    all.merge(back);
    let wanted = size.switching().as_secs() * READINGS_PER_SECOND + size.slow_readings();
    Ok(Row::new(Check::Switch.name(), all, wanted, began.elapsed())
        .note("switches", switches.made)
        .note("sources", switches.sources.iter().map(|source| format!("{source:?}")).collect::<Vec<_>>())
        .require(switches.refused == 0, format!("{} switches had no effect", switches.refused))
        .require(counter != RateSource::SystemClock, "the library did not read the counter before the first switch")
        .require(back_on == counter, format!("back on tsc the library reads {back_on:?}, not {counter:?} as before")))
}

fn source() -> RateSource {
    Clock::or_system().trust().rate_source
}

fn switch_for(time: Duration) -> io::Result<Switches> {
    let mut switches = Switches { made: 0, refused: 0, sources: vec![source()] };
    let began = Instant::now();
    while began.elapsed() < time {
        for name in ROUND {
            clocksource::choose(name)?;
            switches.made += 1;
            switches.refused += u64::from(clocksource::current()? != name);
            sleep(PERIOD);
            let source = source();
            if !switches.sources.contains(&source) {
                switches.sources.push(source);
            }
        }
    }
    Ok(switches)
}
