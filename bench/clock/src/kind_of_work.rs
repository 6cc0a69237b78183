//! Work for a read to stand in: what it costs there is what a program pays.

use std::hint::black_box;
use std::str::FromStr;
use std::sync::{Mutex, PoisonError};

use chronoscope_harness::Bencher;

/// Steps of a turn of arithmetic: some 60 ns together.
const STEPS: u32 = 20;
/// Values that a step of arithmetic mixes, independently of each other: enough to keep the CPU's units busy.
const LANES: u64 = 4;
/// Words of a cache line, all written in a turn of the store stream.
const LINE_WORDS: usize = 8;
/// Words of the table, a power of two: 32 MiB, which no cache of a core holds.
const TABLE_WORDS: usize = 1 << 22;
/// An odd number without pattern: multiples of it, by their upper bits, visit a table in no order a CPU would foresee.
const SCATTER: u64 = 0x9E37_79B9_7F4A_7C15;

/// The kinds of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Two loads per turn from a table much larger than the cache; turns do not wait for each other.
    MissingLoads,
    /// Shifts and multiplications in registers, in chains side by side.
    Arithmetic,
    /// A cache line written per turn, one after the other.
    StoreStream,
}

impl Kind {
    pub const ALL: [Self; 3] = [Self::MissingLoads, Self::Arithmetic, Self::StoreStream];

    pub fn name(self) -> &'static str {
        match self {
            Self::MissingLoads => "cache-missing loads",
            Self::Arithmetic => "arithmetic",
            Self::StoreStream => "store stream",
        }
    }
}

impl FromStr for Kind {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|kind| kind.name() == name).ok_or_else(|| "there is no such work".to_owned())
    }
}

impl Kind {
    /// What a study calls the parameter that chooses among the kinds.
    pub const PARAMETER: &str = "work";
    /// Turns that are one operation of a study, so that what a turn needs is in the registers of a loop of its own.
    pub const TURNS: u32 = 256;

    /// Measures operations of [`TURNS`](Self::TURNS) turns each with `read` in each turn.
    pub fn measure(self, bencher: &mut Bencher<'_>, read: impl Fn()) {
        /// One for the process: a table for each kind and case would be more than the caches that cores share.
        static WORK: Mutex<Work> = Mutex::new(Work { table: Vec::new(), place: 0 });

        let mut work = WORK.lock().unwrap_or_else(PoisonError::into_inner);
        if work.table.is_empty() {
            *work = Work::new(TABLE_WORDS);
        }
        bencher.iter(|| work.turns(self, Self::TURNS.into(), &read));
    }
}

/// The memory of all kinds, and the place that they have reached.
struct Work {
    table: Vec<u64>,
    /// Turns done so far: each operation goes on where the last one stopped and so finds nothing in the cache.
    place: u64,
}

impl Work {
    /// Work over a table of so many words, a power of two.
    fn new(words: usize) -> Self {
        // Written once, so that every page is there.
        Self { table: (0..words as u64).collect(), place: 0 }
    }

    /// Does `turns` turns with `read` in each.
    #[inline(always)]
    fn turns(&mut self, kind: Kind, turns: u64, read: impl Fn()) {
        match kind {
            Kind::MissingLoads => missing_loads(&self.table, self.place, turns, read),
            Kind::Arithmetic => arithmetic(self.place, turns, read),
            Kind::StoreStream => store_stream(&mut self.table, self.place, turns, read),
        }
        self.place += turns;
    }
}

#[inline(never)]
fn missing_loads(table: &[u64], place: u64, turns: u64, read: impl Fn()) {
    let shift = 64 - table.len().ilog2();
    let load = |number: u64| table[(number.wrapping_mul(SCATTER) >> shift) as usize];
    let mut sum = 0_u64;
    for turn in place..place + turns {
        sum = sum.wrapping_add(load(2 * turn) ^ load(2 * turn + 1));
        read();
    }
    black_box(sum);
}

#[inline(never)]
fn arithmetic(place: u64, turns: u64, read: impl Fn()) {
    let mut lanes: [u64; LANES as usize] = std::array::from_fn(|lane| place * LANES + lane as u64 + 1);
    for _ in 0..turns {
        for _ in 0..STEPS {
            // The steps of xorshift64*, G. Marsaglia and S. Vigna.
            for lane in &mut lanes {
                *lane ^= *lane >> 12;
                *lane ^= *lane << 25;
                *lane ^= *lane >> 27;
                *lane = lane.wrapping_mul(SCATTER);
            }
        }
        // The lanes stay in registers: told to the optimiser one by one, they are not made a vector.
        lanes = lanes.map(chronoscope_harness::black_box);
        read();
    }
    black_box(lanes);
}

#[inline(never)]
fn store_stream(table: &mut [u64], place: u64, turns: u64, read: impl Fn()) {
    let lines = table.len() / LINE_WORDS;
    let mask = lines - 1;
    for turn in place..place + turns {
        let first = (turn as usize & mask) * LINE_WORDS;
        if let Some(line) = table.get_mut(first..first + LINE_WORDS) {
            line.fill(turn);
        }
        read();
    }
    black_box(table);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn a_name_leads_back_to_its_kind() {
        for kind in Kind::ALL {
            assert_eq!(kind.name().parse(), Ok(kind));
        }
        assert!("leisure".parse::<Kind>().is_err());
    }

    #[test]
    fn each_turn_reads_once() {
        for kind in Kind::ALL {
            let (mut work, reads) = (Work::new(1 << 10), Cell::new(0));
            work.turns(kind, 300, || reads.set(reads.get() + 1));
            assert_eq!((reads.get(), work.place), (300, 300));
        }
    }

    #[test]
    fn the_stream_writes_every_line() {
        let mut work = Work::new(64);
        work.turns(Kind::StoreStream, 8, || ());
        assert!(work.table.chunks(LINE_WORDS).enumerate().all(|(turn, line)| line == [turn as u64; LINE_WORDS]));
    }
}
