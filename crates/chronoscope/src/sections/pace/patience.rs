//! How long a consumer may keep the pacer waiting once the run should be over.

use std::sync::OnceLock;
use std::sync::atomic::{
    AtomicU64,
    Ordering::{Acquire, Release},
};
use std::time::Duration;

use chronoscope_clock::Instant;

use super::consumer::OVERDUE;

/// Adds up what writing lines takes longer than their events are apart, from the end that was planned: what the pacer does
/// itself, a stall or a schedule that moves, is not the consumer's delay. Nor is a backlog that is drained faster than events
/// are due.
///
/// One thread writes, another looks.
pub struct Patience {
    /// When the last event is due at the latest: known once the pauser has learnt.
    due: OnceLock<Instant>,
    /// Between two events, on average.
    apart_ns: u64,
    /// Since when a line has been being written; 0 for none.
    since_ns: AtomicU64,
    waited_ns: AtomicU64,
}

impl Patience {
    pub fn new(events_per_s: f64) -> Self {
        let apart_ns = (1e9 / events_per_s) as u64;
        Self { due: OnceLock::new(), apart_ns, since_ns: AtomicU64::new(0), waited_ns: AtomicU64::new(0) }
    }

    /// Sets when the last event is due; once.
    pub fn counts_from(&self, due: Instant) {
        let _ = self.due.set(due);
    }

    pub fn will_write(&self, at: Instant) {
        self.since_ns.store(at.as_nanos().max(1), Release);
    }

    pub fn has_written(&self, at: Instant) {
        // First, so that no wait counts twice.
        let since_ns = self.since_ns.swap(0, Release);
        if let Some(due) = self.due.get().filter(|due| at > **due) {
            let took_ns = at.as_nanos().saturating_sub(since_ns.max(due.as_nanos()));
            let waited_ns = self.waited_ns.load(Acquire).saturating_add(took_ns).saturating_sub(self.apart_ns);
            self.waited_ns.store(waited_ns, Release);
        }
    }

    pub fn is_over(&self, at: Instant) -> bool {
        let Some(due) = self.due.get() else { return false };
        let waited_ns = self.waited_ns.load(Acquire);
        let now_ns = match self.since_ns.load(Acquire) {
            0 => 0,
            since_ns => at.as_nanos().saturating_sub(since_ns.max(due.as_nanos())),
        };
        Duration::from_nanos(waited_ns.saturating_add(now_ns)) > OVERDUE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: fn(u64) -> Instant = |ms| Instant::from_nanos(1_000_000_000 + ms * 1_000_000);

    /// Events are 10 ms apart, and the last is due after 4 s.
    fn patience() -> Patience {
        let patience = Patience::new(100.0);
        patience.counts_from(AT(4_000));
        patience
    }

    fn writes(patience: &Patience, from_ms: u64, to_ms: u64) {
        patience.will_write(AT(from_ms));
        patience.has_written(AT(to_ms));
    }

    #[test]
    fn what_the_pacer_does_itself_is_not_waited_for() {
        let patience = patience();
        // A stall of 11 s, then a schedule that has moved.
        for event in 0..300 {
            writes(&patience, 15_000 + 10 * event, 15_001 + 10 * event);
            assert!(!patience.is_over(AT(15_009 + 10 * event)), "{event}");
        }
        assert!(!patience.is_over(AT(1_000_000)), "nothing is being written");
    }

    #[test]
    fn a_consumer_that_takes_no_more_is_waited_for_so_long() {
        let patience = patience();
        patience.will_write(AT(1_000));
        assert!(!patience.is_over(AT(5_999)));
        assert!(patience.is_over(AT(6_001)));
        let due_later = Patience::new(100.0);
        due_later.will_write(AT(0));
        assert!(!due_later.is_over(AT(1_000_000)), "nothing is due yet");
    }

    #[test]
    fn a_line_may_take_as_long_as_events_are_apart() {
        let (keeps_up, slow) = (patience(), patience());
        let mut until_ms = None;
        for event in 0..1_000 {
            writes(&keeps_up, 4_000 + 9 * event, 4_009 + 9 * event);
            assert!(!keeps_up.is_over(AT(4_009 + 9 * event)), "{event}");
            writes(&slow, 4_000 + 20 * event, 4_020 + 20 * event);
            until_ms = until_ms.or(slow.is_over(AT(4_020 + 20 * event)).then_some(4_020 + 20 * event));
        }
        // Half of the time counts.
        assert!(until_ms.is_some_and(|until| (8_000..8_100).contains(&until)), "{until_ms:?}");
    }
}
