//! Work for a read to stand in: what it costs there is what a program pays.

use std::hint::black_box;

/// Steps of a turn of arithmetic: some 60 ns together.
const STEPS: u32 = 20;
/// Values that a step of arithmetic mixes, independently of each other: enough to keep the CPU's units busy.
const LANES: u64 = 4;
/// Words of a cache line, all written in a turn of the store stream.
const LINE_WORDS: usize = 8;
/// An odd number without pattern: multiples of it, by their upper bits, visit a table in no order a CPU would foresee.
const SCATTER: u64 = 0x9E37_79B9_7F4A_7C15;

/// The kinds of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Two loads per turn from a table much larger than the cache; turns do not wait for each other.
    MissingLoads,
    /// Shifts and multiplications in registers, in chains side by side.
    Arithmetic,
    /// A cache line written per turn, one after the other.
    StoreStream,
}

impl Kind {
    pub(crate) const ALL: [Self; 3] = [Self::MissingLoads, Self::Arithmetic, Self::StoreStream];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::MissingLoads => "cache-missing loads",
            Self::Arithmetic => "arithmetic",
            Self::StoreStream => "store stream",
        }
    }
}

/// One kind of work with its memory and the place it has reached.
pub(crate) struct Work {
    kind: Kind,
    table: Vec<u64>,
    /// Turns done so far: each batch goes on where the last one stopped and so finds nothing in the cache.
    place: u64,
}

impl Work {
    /// Work over a table of at least `words` words, rounded up to a power of two.
    pub(crate) fn new(kind: Kind, words: usize) -> Self {
        let words = match kind {
            Kind::Arithmetic => LINE_WORDS,
            _ => words.next_power_of_two().max(LINE_WORDS),
        };
        // Written once, so that every page is there.
        Self { kind, table: (0..words as u64).collect(), place: 0 }
    }

    /// Does `turns` turns with `read` in each.
    #[inline(always)]
    pub(crate) fn turns(&mut self, turns: u64, read: impl Fn()) {
        match self.kind {
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
        lanes = lanes.map(chronoscope_clock::work::opaque);
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
    fn each_turn_reads_once() {
        for kind in Kind::ALL {
            let (mut work, reads) = (Work::new(kind, 1 << 10), Cell::new(0));
            work.turns(300, || reads.set(reads.get() + 1));
            assert_eq!((reads.get(), work.place), (300, 300));
        }
    }

    #[test]
    fn the_stream_writes_every_line() {
        let mut work = Work::new(Kind::StoreStream, 64);
        work.turns(8, || ());
        assert!(work.table.chunks(LINE_WORDS).enumerate().all(|(turn, line)| line == [turn as u64; LINE_WORDS]));
    }
}
