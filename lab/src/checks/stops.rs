//! Processes that read without pause, stopped and continued.

use std::io;
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use crate::check::Check;
use crate::crew::cpus;
use crate::helper::{self, Role};
use crate::random::Random;
use crate::reader::Both;
use crate::row::Row;
use crate::said::Said;
use crate::size::Size;
use crate::sys;

const SHORT_STOP_US: (u64, u64) = (1_000, 20_000);
const LONG_STOP: Duration = Duration::from_secs(1);
const BETWEEN_US: (u64, u64) = (1_000, 5_000);
/// What one process reads between two stops, at the very least.
const READINGS_PER_STOP: u64 = 10;

/// One process with a thread on every CPU and one process for each CPU; each is stopped by a thread of its own.
pub fn run(size: Size) -> io::Result<Row> {
    let roles: Vec<Role> = std::iter::once(Role::Threads).chain((0..cpus()).map(Role::Single)).collect();
    let short = size.short_stops().div_ceil(roles.len() as u64);
    let long = size.long_stops().div_ceil(roles.len() as u64);
    let began = Instant::now();
    let seen: Vec<io::Result<(Both, Said)>> = thread::scope(|scope| {
        let stoppers: Vec<_> = roles
            .iter()
            .enumerate()
            .map(|(seed, &role)| scope.spawn(move || stop_and_go(role, short, long, Random::new(seed as u64))))
            .collect();
        stoppers.into_iter().map(|stopper| stopper.join().expect("a stopper panicked")).collect()
    });
    let mut both = Both::default();
    let mut all_said: Option<Said> = None;
    for process in seen {
        let (read, said) = process?;
        both.merge(read);
        match &mut all_said {
            Some(all) => all.merge(&said),
            none => *none = Some(said),
        }
    }
    let said = all_said.ok_or_else(|| io::Error::other("no process was started"))?;
    let (short, long) = (short * roles.len() as u64, long * roles.len() as u64);
    Ok(Row::new(Check::Stops.name(), both, (short + long) * READINGS_PER_STOP, began.elapsed())
        .said(said)
        .note("processes", roles.len())
        .note("stops_of_1_to_20_ms", short)
        .note("stops_of_1_s", long))
}

fn stop_and_go(role: Role, short: u64, long: u64, mut random: Random) -> io::Result<(Both, Said)> {
    let child = helper::start(role)?;
    let pid = child.id();
    for stop in 0..short + long {
        sleep(Duration::from_micros(random.between(BETWEEN_US.0, BETWEEN_US.1)));
        sys::signal(pid, libc::SIGSTOP)?;
        sleep(if stop < short {
            Duration::from_micros(random.between(SHORT_STOP_US.0, SHORT_STOP_US.1))
        } else {
            LONG_STOP
        });
        sys::signal(pid, libc::SIGCONT)?;
    }
    helper::finish(child)
}
