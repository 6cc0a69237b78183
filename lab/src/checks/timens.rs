//! Processes in a time namespace whose CLOCK_MONOTONIC is 1000 s ahead.

use std::hint::black_box;
use std::io;
use std::time::Duration;

use crate::check::Check;
use crate::helper::{self, Role};
use crate::reader::Reader;
use crate::row::Row;
use crate::size::Size;
use crate::sys;

/// Readings in each child, of either kind.
const COUNT: [u64; 3] = [2_000, 50_000, 500_000];
const OFFSET_S: u64 = 1_000;
const CHILD_LIMIT: Duration = Duration::from_secs(300);

/// A process that first reads inside the namespace, and one forked by a process that has read outside.
pub fn run(size: Size, print: &mut dyn FnMut(Row)) -> io::Result<()> {
    let readings = size.of(COUNT);
    for (name, is_warm) in Check::Timens.rows().iter().zip([false, true]) {
        let role = Role::Namespace { is_warm, readings };
        let (both, source) = helper::start(role).and_then(helper::finish)?;
        print(Row::new(name, both, readings).read_by(vec![source]));
    }
    Ok(())
}

/// Unshares the time namespace, sets the offset, and has a child in it read and report.
pub fn through(warm: bool, readings: u64) -> io::Result<()> {
    if warm {
        // So that everything the library remembers is of this namespace.
        let mut outside = Reader::default();
        (0..1_000).for_each(|_| outside.turn());
        black_box(outside);
    }
    sys::unshare_time(OFFSET_S)?;
    let ahead_ns = sys::monotonic_ns() + OFFSET_S * 1_000_000_000;
    // This process has one thread, so that its child may do anything.
    let came = sys::in_child(CHILD_LIMIT, || {
        let mut reader = Reader::default();
        (0..readings).for_each(|_| reader.turn());
        let is_ahead = sys::monotonic_ns() >= ahead_ns;
        if is_ahead {
            helper::report(reader.both);
        }
        [u64::from(is_ahead)]
    })?;
    match came {
        Some([1]) => Ok(()),
        Some(_) => Err(io::Error::other("the child was not in the new namespace")),
        None => Err(io::Error::other("the child in the namespace died")),
    }
}
