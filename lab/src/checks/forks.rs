//! Children forked while three threads read: their very first reading must be right.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::bracket::Bracket;
use crate::crew::{Until, cpus, read};
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

/// What the children of one run came to.
#[derive(Default)]
struct Children {
    both: Both,
    lost: u64,
}

/// Forks one child after another.
pub fn run(size: Size, plant: Option<Plant>, print: &mut dyn FnMut(Row)) -> io::Result<()> {
    let began = Instant::now();
    let stop = AtomicBool::new(false);
    let (children, parent) = thread::scope(|scope| {
        let stop = &stop;
        let readers: Vec<_> =
            (0..THREADS).map(|thread| scope.spawn(move || read(thread % cpus(), Until::Told(stop), plant))).collect();
        let children = fork(size.forks());
        stop.store(true, Ordering::Relaxed);
        let mut parent = Both::default();
        for reader in readers {
            parent.merge(reader.join().expect("a reader panicked")?);
        }
        io::Result::Ok((children?, parent))
    })?;
    print(
        Row::new(CHILDREN, children.both, size.forks(), began.elapsed())
            .require(children.lost == 0, format!("{} children died or hung", children.lost)),
    );
    print(Row::new(PARENT, parent, size.forks(), began.elapsed()));
    Ok(())
}

/// Every other child's first reading is an unordered one.
fn fork(count: u64) -> io::Result<Children> {
    let mut children = Children::default();
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
            children.lost += 1;
            continue;
        };
        let brackets = [bracket(&bytes[..24]), bracket(&bytes[24..])];
        children.both.of_mut(ways[0]).add(brackets[0], 0);
        children.both.of_mut(ways[1]).add(brackets[1], brackets[0].reading_ns);
    }
    Ok(children)
}

fn bracket(bytes: &[u8]) -> Bracket {
    let word = |index: usize| u64::from_le_bytes(bytes[8 * index..8 * index + 8].try_into().expect("eight bytes"));
    Bracket { before_ns: word(0), reading_ns: word(1), after_ns: word(2) }
}
