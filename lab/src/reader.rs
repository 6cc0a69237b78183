use chronoscope_clock::{Clock, TickSource, Unordered};
use serde::{Deserialize, Serialize};

use crate::bracket::Bracket;
use crate::plant::Plant;
use crate::sys::{monotonic_ns, serialise};
use crate::tally::Tally;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Read {
    /// `Clock::now`
    Ordered,
    /// `Unordered::now`
    Unordered,
}

impl Read {
    pub const ALL: [Self; 2] = [Self::Ordered, Self::Unordered];

    pub fn name(self) -> &'static str {
        ["ordered", "unordered"][self as usize]
    }
}

/// Takes one reading between two of the system's clock. Safe in a signal handler and after `fork`.
#[inline(always)]
pub fn bracketed(read: Read) -> Bracket {
    let before_ns = monotonic_ns();
    let reading_ns = match read {
        Read::Ordered => TickSource::read(&Clock::or_system()),
        Read::Unordered => {
            // Without these a CPU may read the counter before the judge's own reading is done, or after the next has begun.
            serialise();
            let now = TickSource::read(&Unordered::or_system());
            serialise();
            now
        }
    };
    Bracket { before_ns, reading_ns, after_ns: monotonic_ns() }
}

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Both([Tally; 2]);

impl Both {
    pub fn of(&self, read: Read) -> Tally {
        self.0[read as usize]
    }

    /// What that read came to, to add to it.
    #[inline(always)]
    pub fn of_mut(&mut self, read: Read) -> &mut Tally {
        &mut self.0[read as usize]
    }

    pub fn merge(&mut self, other: Self) {
        Read::ALL.into_iter().for_each(|read| self.of_mut(read).merge(other.of(read)));
    }
}

/// One thread's checking of both reads in turns.
#[derive(Debug, Default)]
pub struct Reader {
    plant: Option<Plant>,
    pub both: Both,
    last: Option<Bracket>,
    latest_ns: u64,
}

impl Reader {
    pub fn new(plant: Option<Plant>) -> Self {
        Self { plant, ..Self::default() }
    }

    #[inline(always)]
    pub fn turn(&mut self) {
        self.add(Read::Ordered, bracketed(Read::Ordered));
        self.add(Read::Unordered, bracketed(Read::Unordered));
    }

    #[inline(always)]
    pub fn add(&mut self, read: Read, mut bracket: Bracket) {
        let tally = self.both.of_mut(read);
        if let Some(plant) = self.plant {
            bracket.reading_ns = plant.apply(tally.readings, bracket.reading_ns);
        }
        tally.add(bracket, self.latest_ns);
        if let Some(last) = self.last {
            tally.add_interval(last, bracket);
        }
        self.latest_ns = self.latest_ns.max(bracket.reading_ns);
        self.last = Some(bracket);
    }
}
