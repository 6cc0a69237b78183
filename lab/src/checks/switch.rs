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

/// Switches round after round, and on to tsc at the end, where the library must be back on the counter.
pub fn run(size: Size, plant: Option<Plant>) -> io::Result<Row> {
    let (seconds, afterwards) = (size.of(SECONDS), size.of(readings::FEWER));
    let counter = source();
    let told = Told::default();
    let (mut all, refused) = read_on_every_cpu(Until::Told(&told), plant, |_| {
        let refused = switch_for(Duration::from_secs(seconds));
        told.end();
        refused
    })?;
    clocksource::settle("tsc")?;
    let (back, ()) = read_on_every_cpu(Until::Readings(afterwards), plant, |_| Ok(()))?;
    all.merge(back);
    Ok(Row::new(Check::Switch.name(), all, seconds * READINGS_PER_SECOND + afterwards)
        .note("refused", refused)
        .note("began_on_counter", counter != NO_COUNTER)
        .note("is_back", source() == counter))
}

/// How many switches had no effect.
fn switch_for(time: Duration) -> io::Result<u64> {
    let (began, mut refused) = (Instant::now(), 0);
    while began.elapsed() < time {
        for name in ROUND {
            clocksource::choose(name)?;
            refused += u64::from(clocksource::current()? != name);
            sleep(PERIOD);
        }
    }
    Ok(refused)
}
