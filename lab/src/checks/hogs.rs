//! A thread that never sleeps competes with the reader on every CPU.

use std::hint::spin_loop;
use std::io;
use std::sync::atomic::Ordering;
use std::thread;

use crate::check::Check;
use crate::crew::{Until, cpus, read_on_every_cpu};
use crate::plant::Plant;
use crate::row::Row;
use crate::size::Size;
use crate::sys;

const COUNT: [u64; 3] = [100_000, 1_000_000, 10_000_000];

/// Takes intervals of either kind, many of them over a turn of the hog.
pub fn run(size: Size, plant: Option<Plant>) -> io::Result<Row> {
    let count = size.of(COUNT);
    // One reading more than intervals on each CPU.
    let until = Until::Readings(count + cpus() as u64);
    let (both, ()) = read_on_every_cpu(until, plant, |done| {
        thread::scope(|scope| {
            let hog = move |cpu| {
                sys::pin(cpu)?;
                while !done.load(Ordering::Relaxed) {
                    spin_loop();
                }
                io::Result::Ok(())
            };
            let hogs: Vec<_> = (0..cpus()).map(|cpu| scope.spawn(move || hog(cpu))).collect();
            hogs.into_iter().try_for_each(|hog| hog.join().expect("a hog panicked"))
        })
    })?;
    Ok(Row::new(Check::Hogs.name(), both, count))
}
