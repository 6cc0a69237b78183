//! Processes that read without pause, stopped and continued.

use std::io;
use std::thread::{self, sleep};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::check::Check;
use crate::crew::cpus;
use crate::helper::{self, Role};
use crate::reader::Both;
use crate::row::Row;
use crate::size::Size;

/// Multiples of it have no pattern that a stop could follow.
const SCATTER: u64 = 0x9E37_79B9_7F4A_7C15;
const SHORT_STOP_US: (u64, u64) = (1_000, 20_000);
const LONG_STOP: Duration = Duration::from_secs(1);
const BETWEEN_US: (u64, u64) = (1_000, 5_000);
/// Short stops and long ones, all processes together.
const SHORT: [u64; 3] = [30, 600, 10_000];
const LONG: [u64; 3] = [3, 3, 21];
/// What one process reads between two stops, at the very least.
const READINGS_PER_STOP: u64 = 10;

/// One process with a thread on every CPU and one process for each CPU; each is stopped by a thread of its own.
pub fn run(size: Size) -> io::Result<Row> {
    let roles: Vec<Role> = std::iter::once(Role::Threads).chain((0..cpus()).map(Role::Single)).collect();
    let short = size.of(SHORT).div_ceil(roles.len() as u64);
    let long = size.of(LONG).div_ceil(roles.len() as u64);
    let (mut both, mut sources) = (Both::default(), Vec::new());
    thread::scope(|scope| {
        let stop = |(seed, &role)| scope.spawn(move || stop_and_go(role, short, long, seed as u64));
        let stoppers: Vec<_> = roles.iter().enumerate().map(stop).collect();
        stoppers.into_iter().try_for_each(|stopper| {
            let (read, source) = stopper.join().expect("a stopper panicked")?;
            both.merge(read);
            sources.push(source);
            io::Result::Ok(())
        })
    })?;
    let (short, long) = (short * roles.len() as u64, long * roles.len() as u64);
    Ok(Row::new(Check::Stops.name(), both, (short + long) * READINGS_PER_STOP)
        .read_by(sources)
        .note("stops_of_1_to_20_ms", short)
        .note("stops_of_1_s", long))
}

fn stop_and_go(role: Role, short: u64, long: u64, seed: u64) -> io::Result<(Both, String)> {
    let child = helper::start(role)?;
    let pid = Pid::from_raw(child.id() as i32);
    for stop in 0..short + long {
        let scattered = SCATTER.wrapping_mul(stop + 1) ^ SCATTER.rotate_left(seed as u32);
        let between = |(low, high): (u64, u64)| Duration::from_micros(low + scattered % (high - low));
        sleep(between(BETWEEN_US));
        kill(pid, Signal::SIGSTOP)?;
        sleep(if stop < short { between(SHORT_STOP_US) } else { LONG_STOP });
        kill(pid, Signal::SIGCONT)?;
    }
    helper::finish(child)
}
