//! Children forked while three threads read: their very first reading must be right.

use std::io;
use std::thread;
use std::time::Duration;

use crate::bracket::Bracket;
use crate::crew::{Told, Until, cpus, read};
use crate::plant::Plant;
use crate::reader::{Both, Read, bracketed};
use crate::row::Row;
use crate::size::Size;
use crate::sys;

pub const CHILDREN: &str = "forks";
pub const PARENT: &str = "forks, the parent's threads";
const THREADS: usize = 3;
const CHILD_LIMIT: Duration = Duration::from_secs(10);
const COUNT: [u64; 3] = [50, 500, 10_000];

pub fn run(size: Size, plant: Option<Plant>, print: &mut dyn FnMut(Row)) -> io::Result<()> {
    let (told, count) = (Told::default(), size.of(COUNT));
    let ((children, lost), parent) = thread::scope(|scope| {
        let told = &told;
        let readers: Vec<_> =
            (0..THREADS).map(|thread| scope.spawn(move || read(thread % cpus(), Until::Told(told), plant))).collect();
        let children = fork(count);
        told.end();
        let mut parent = Both::default();
        for reader in readers {
            parent.merge(reader.join().expect("a reader panicked")?);
        }
        io::Result::Ok((children?, parent))
    })?;
    print(Row::new(CHILDREN, children, count).note("lost", lost));
    print(Row::new(PARENT, parent, count));
    Ok(())
}

/// What the children read, and how many died or hung. Every other child's first reading is an unordered one.
fn fork(count: u64) -> io::Result<(Both, u64)> {
    let (mut both, mut lost) = (Both::default(), 0);
    for number in 0..count {
        let ways = if number % 2 == 0 { Read::ALL } else { [Read::Unordered, Read::Ordered] };
        let came = sys::in_child(CHILD_LIMIT, || {
            let [a, b] = ways.map(bracketed);
            [a.before_ns, a.reading_ns, a.after_ns, b.before_ns, b.reading_ns, b.after_ns]
        })?;
        let Some([a_before, a_reading, a_after, b_before, b_reading, b_after]) = came else {
            lost += 1;
            continue;
        };
        let bracket = |before_ns, reading_ns, after_ns| Bracket { before_ns, reading_ns, after_ns };
        both.of_mut(ways[0]).add(bracket(a_before, a_reading, a_after), 0);
        both.of_mut(ways[1]).add(bracket(b_before, b_reading, b_after), a_reading);
    }
    Ok((both, lost))
}
