//! The kernel's clocksource, switched under a program that reads.

use std::io;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::check::Check;
use crate::checks::readings;
use crate::clocksource;
use crate::crew::{Told, Until, read_on_every_cpu};
use crate::plant::Plant;
use crate::row::{NO_COUNTER, Row, source};
use crate::size::Size;

const ROUND: [&str; 3] = ["hpet", "acpi_pm", "tsc"];
const PERIOD: Duration = Duration::from_millis(50);
/// How long the clocksource is switched back and forth.
const SECONDS: [u64; 3] = [2, 10, 120];
/// Two thirds of the time a reading leaves the machine.
const READINGS_PER_SECOND: u64 = 5_000;

/// What a run of switching came to.
struct Switches {
    made: u64,
    refused: u64,
    sources: Vec<String>,
}

/// Switches round after round, and on to tsc at the end, where the library must be back on the counter.
pub fn run(size: Size, plant: Option<Plant>) -> io::Result<Row> {
    let (seconds, afterwards) = (size.of(SECONDS), size.of(readings::FEWER));
    let counter = source();
    let told = Told::default();
    let (mut all, switches) = read_on_every_cpu(Until::Told(&told), plant, |_| {
        let switches = switch_for(Duration::from_secs(seconds));
        told.end();
        switches
    })?;
    clocksource::settle("tsc")?;
    let (back, ()) = read_on_every_cpu(Until::Readings(afterwards), plant, |_| Ok(()))?;
    all.merge(back);
    Ok(Row::new(Check::Switch.name(), all, seconds * READINGS_PER_SECOND + afterwards)
        .note("switches", switches.made)
        .note("refused", switches.refused)
        .note("sources", switches.sources)
        .note("began_on_counter", counter != NO_COUNTER)
        .note("is_back", source() == counter))
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
