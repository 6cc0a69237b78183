//! The clock that times batches as a whole, and the deadlines of tasks.

use chronoscope_clock::TickSource;
use chronoscope_sources::arch::Counter;
use chronoscope_sources::os::{self, OsClock};
use chronoscope_sources::{Rate, SourceVisitor};
use serde::{Deserialize, Serialize};

/// Which clock times batches.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TimerSpec {
    /// The CPU's counter between fences, at this frequency.
    Counter {
        /// Its frequency.
        hz: u64,
    },
    /// `CLOCK_MONOTONIC` as programs normally read it.
    OsClock,
    /// `CLOCK_MONOTONIC` by the real system call: the only option where the counter may not be read.
    SystemCall,
}

/// A clock that times batches.
#[derive(Clone, Copy, Debug)]
pub enum Timer {
    Counter(Counter, Rate),
    OsClock,
    SystemCall,
}

impl Timer {
    /// The timer for `spec`.
    ///
    /// # Errors
    /// Why it is unavailable.
    pub fn new(spec: TimerSpec) -> Result<Self, String> {
        Ok(match spec {
            TimerSpec::Counter { hz } => {
                let counter = Counter::new().map_err(|unavailable| unavailable.to_string())?;
                let rate = Rate::from_hz(hz).ok_or_else(|| format!("counter frequency {hz} Hz is out of range"))?;
                Self::Counter(counter, rate)
            }
            TimerSpec::OsClock => Self::OsClock,
            TimerSpec::SystemCall => Self::SystemCall,
        })
    }

    /// Ticks of the timer.
    #[inline]
    pub fn now(&self) -> u64 {
        match self {
            Self::Counter(counter, _) => counter.bracket(),
            // Both were read successfully before a timer over them was planned; a failure now would be a change in the
            // kernel.
            Self::OsClock => os::try_read_ns(OsClock::Monotonic).unwrap_or(0),
            Self::SystemCall => os::try_read_by_system_call_ns(OsClock::Monotonic).unwrap_or(0),
        }
    }

    /// The length of a tick.
    pub fn rate(&self) -> Rate {
        match self {
            Self::Counter(_, rate) => *rate,
            Self::OsClock | Self::SystemCall => Rate::NANOSECONDS,
        }
    }

    /// Nanoseconds since `start`, a value of [`now`](Self::now).
    pub fn ns_since(&self, start: u64) -> u64 {
        self.rate().ns(self.now().saturating_sub(start))
    }

    /// The smallest difference that two readings resolve: the cost of a reading, or the timer's step if longer.
    pub fn error_ticks(&self) -> u64 {
        const CHANGES: usize = 100;
        const MOST_READS: usize = 1_000_000;
        let mut last = self.now();
        let differences = (0..MOST_READS).map(|_| {
            let now = self.now();
            std::mem::replace(&mut last, now).abs_diff(now)
        });
        differences.filter(|ticks| *ticks > 0).take(CHANGES).min().unwrap_or(1)
    }
}

/// The time at which a task stops taking samples.
#[derive(Clone, Copy, Debug)]
pub struct Deadline {
    timer: Timer,
    start: u64,
    budget_ns: u64,
}

impl Deadline {
    /// `budget_ns` from now.
    pub fn after_ns(timer: Timer, budget_ns: u64) -> Self {
        Self { timer, start: timer.now(), budget_ns }
    }

    /// `budget_ms` from now.
    pub fn after_ms(timer: Timer, budget_ms: u64) -> Self {
        Self::after_ns(timer, budget_ms.saturating_mul(1_000_000))
    }

    /// Whether it has passed.
    pub fn passed(&self) -> bool {
        self.timer.ns_since(self.start) >= self.budget_ns
    }
}

/// Reads a source once, to check that it can be read and to warm the caches.
pub struct ReadOnce;

impl SourceVisitor for ReadOnce {
    type Output = u64;

    fn visit<S: TickSource>(self, source: S) -> u64 {
        source.read()
    }
}
