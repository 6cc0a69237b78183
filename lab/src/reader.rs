use chronoscope_clock::{Clock, Unordered};
use serde::{Deserialize, Serialize};

use crate::bracket::Bracket;
use crate::plant::Plant;
use crate::sys::{monotonic_ns, serialise};
use crate::tally::Tally;

/// How a clock is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Read {
    /// `Clock::now`
    Ordered,
    /// `Unordered::now`
    Unordered,
}

impl Read {
    /// Every way to read.
    pub const ALL: [Self; 2] = [Self::Ordered, Self::Unordered];

    /// As it is printed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ordered => "ordered",
            Self::Unordered => "unordered",
        }
    }
}

/// Takes one reading between two of the system's clock. Safe in a signal handler and after `fork`.
#[inline(always)]
pub fn bracketed(read: Read) -> Bracket {
    let before_ns = monotonic_ns();
    let reading_ns = match read {
        Read::Ordered => Clock::or_system().now().as_nanos(),
        Read::Unordered => {
            // Without these a CPU may read the counter before the judge's own reading is done, or after the next has begun.
            serialise();
            let now = Unordered::or_system().now().as_nanos();
            serialise();
            now
        }
    };
    Bracket { before_ns, reading_ns, after_ns: monotonic_ns() }
}

/// What both ways to read came to.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Both {
    /// Of `Clock::now`.
    pub ordered: Tally,
    /// Of `Unordered::now`.
    pub unordered: Tally,
}

impl Both {
    /// What that read came to.
    pub fn of(&self, read: Read) -> Tally {
        match read {
            Read::Ordered => self.ordered,
            Read::Unordered => self.unordered,
        }
    }

    /// What that read came to, to add to it.
    pub fn of_mut(&mut self, read: Read) -> &mut Tally {
        match read {
            Read::Ordered => &mut self.ordered,
            Read::Unordered => &mut self.unordered,
        }
    }

    /// Adds what another thread or process saw.
    pub fn merge(&mut self, other: Self) {
        self.ordered.merge(other.ordered);
        self.unordered.merge(other.unordered);
    }
}

/// One thread's checking of both reads in turns.
#[derive(Debug)]
pub struct Reader {
    plant: Option<Plant>,
    both: Both,
    last: Option<Bracket>,
    latest_ns: u64,
}

impl Reader {
    /// A reader that has read nothing yet.
    pub fn new(plant: Option<Plant>) -> Self {
        Self { plant, both: Both::default(), last: None, latest_ns: 0 }
    }

    /// One ordered and one unordered reading.
    #[inline(always)]
    pub fn turn(&mut self) {
        self.read(Read::Ordered);
        self.read(Read::Unordered);
    }

    /// What was seen so far.
    pub fn seen(&self) -> Both {
        self.both
    }

    #[inline(always)]
    fn read(&mut self, read: Read) {
        let mut bracket = bracketed(read);
        let tally = match read {
            Read::Ordered => &mut self.both.ordered,
            Read::Unordered => &mut self.both.unordered,
        };
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
