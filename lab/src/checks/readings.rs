//! Plain readings on every CPU.

use std::io;

use crate::check::Check;
use crate::crew::{Until, read_on_every_cpu};
use crate::plant::Plant;
use crate::row::Row;

pub const MANY: [u64; 3] = [20_000, 1_000_000, 10_000_000];
/// The same where each reading is a system call that leaves the machine.
pub const FEWER: [u64; 3] = [5_000, 200_000, 2_000_000];

pub fn run(wanted: u64, plant: Option<Plant>) -> io::Result<Row> {
    let (both, ()) = read_on_every_cpu(Until::Readings(wanted), plant, |_| Ok(()))?;
    Ok(Row::new(Check::Readings.name(), both, wanted))
}
