//! Plain readings on every CPU.

use std::io;
use std::time::Instant;

use crate::check::Check;
use crate::crew::{Until, read_on_every_cpu};
use crate::plant::Plant;
use crate::row::Row;

/// Takes `wanted` readings of either kind.
pub fn run(wanted: u64, plant: Option<Plant>) -> io::Result<Row> {
    let began = Instant::now();
    let (both, ()) = read_on_every_cpu(Until::Readings(wanted), plant, |_| Ok(()))?;
    Ok(Row::new(Check::Readings.name(), both, wanted, began.elapsed()))
}
