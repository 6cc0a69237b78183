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

/// What the children read.
pub const CHILDREN: &str = "forks";
/// What the parent's threads read meanwhile.
pub const PARENT: &str = "forks, the parent's threads";
const THREADS: usize = 3;
const CHILD_LIMIT: Duration = Duration::from_secs(10);
/// Children forked.
const COUNT: [u64; 3] = [50, 500, 10_000];

/// Forks one child after another.
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
            let mut bytes = [0; 48];
            for (half, way) in bytes.chunks_exact_mut(24).zip(ways) {
                let bracket = bracketed(way);
                half[..8].copy_from_slice(&bracket.before_ns.to_le_bytes());
                half[8..16].copy_from_slice(&bracket.reading_ns.to_le_bytes());
                half[16..].copy_from_slice(&bracket.after_ns.to_le_bytes());
            }
            bytes
        })?;
        let Some(bytes) = came else {
            lost += 1;
            continue;
        };
        let brackets = [bracket(&bytes[..24]), bracket(&bytes[24..])];
        both.of_mut(ways[0]).add(brackets[0], 0);
        both.of_mut(ways[1]).add(brackets[1], brackets[0].reading_ns);
    }
    Ok((both, lost))
}

fn bracket(bytes: &[u8]) -> Bracket {
    let word = |index: usize| u64::from_le_bytes(bytes[8 * index..8 * index + 8].try_into().expect("eight bytes"));
    Bracket { before_ns: word(0), reading_ns: word(1), after_ns: word(2) }
}
