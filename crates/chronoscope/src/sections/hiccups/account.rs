use std::time::Duration;

use chronoscope_harness::watch::waited_ms_of;
use chronoscope_sources::hiccups::{HiccupRecorder, Lateness};

use super::report::HiccupWay;

/// How late the threads of a CPU were since the last look at the kernel's counts, and for how long the kernel let them wait meanwhile.
#[derive(Debug, Default)]
pub struct Account {
    open: [Open; HiccupWay::ALL.len()],
    /// What the kernel had counted of the thread that watches now.
    waited_before_ms: Option<f64>,
}

/// Of one way to watch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Open {
    /// How late wake-ups were.
    pub late: Lateness,
    /// How long the thread was runnable without a CPU; None where the kernel does not count that.
    pub waited_ms: Option<f64>,
}

impl Open {
    fn add(&mut self, late: Lateness, waited_ms: Option<f64>) {
        self.late.longest = self.late.longest.max(late.longest);
        self.late.sum += late.sum;
        self.waited_ms = match (self.waited_ms, waited_ms) {
            (Some(before), Some(more)) => Some(before + more),
            (before, more) => before.or(more),
        };
    }
}

impl Account {
    /// From here on a thread watches, or counts as one that has just begun.
    pub fn begin(&mut self, recorder: &HiccupRecorder) {
        let _ = recorder.take_lateness();
        self.open = Default::default();
        self.follow(recorder);
    }

    /// Another thread watches from here on.
    pub fn follow(&mut self, recorder: &HiccupRecorder) {
        self.waited_before_ms = recorder.thread_id().and_then(waited_ms_of);
    }

    /// Adds what a thread has seen since it was last asked.
    pub fn gather(&mut self, way: HiccupWay, recorder: &HiccupRecorder) {
        let waited_ms = recorder.thread_id().and_then(waited_ms_of);
        let before_ms = std::mem::replace(&mut self.waited_before_ms, waited_ms);
        let more_ms = waited_ms.zip(before_ms).map(|(now, then)| (now - then).max(0.0));
        self.add(way, recorder.take_lateness(), more_ms);
    }

    /// Adds what a thread saw last, after which the kernel knows it no more.
    pub fn end(&mut self, way: HiccupWay, late: Lateness) {
        self.add(way, late, None);
    }

    fn add(&mut self, way: HiccupWay, late: Lateness, waited_ms: Option<f64>) {
        self.open[way as usize].add(late, waited_ms);
    }

    /// What came since the last time, of the ways in which anything was late.
    pub fn close(&mut self) -> impl Iterator<Item = (HiccupWay, Open)> {
        let open = std::mem::take(&mut self.open);
        HiccupWay::ALL.into_iter().zip(open).filter(|(_, open)| open.late.longest > Duration::ZERO)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn late(longest: u64, sum: u64) -> Lateness {
        Lateness { longest: Duration::from_micros(longest), sum: Duration::from_micros(sum) }
    }

    #[test]
    fn what_came_is_added_up_by_way_and_told_once() {
        let mut account = Account::default();
        account.add(HiccupWay::Spin, late(5, 8), Some(1.0));
        account.add(HiccupWay::Sleep, late(70, 700), None);
        account.end(HiccupWay::Spin, late(9, 9));
        account.add(HiccupWay::Spin, late(2, 3), Some(0.5));
        let found: Vec<_> = account.close().collect();
        let spun = Open { late: late(9, 20), waited_ms: Some(1.5) };
        assert_eq!(found, [(HiccupWay::Spin, spun), (HiccupWay::Sleep, Open { late: late(70, 700), waited_ms: None })]);
        assert_eq!(account.close().count(), 0);
    }

    #[test]
    fn a_thread_that_watches_has_lateness_and_where_the_kernel_counts_a_wait() {
        let recorder = super::super::watcher::start(HiccupWay::Sleep, None).unwrap();
        let mut account = Account::default();
        account.begin(&recorder);
        std::thread::sleep(Duration::from_millis(20));
        account.gather(HiccupWay::Sleep, &recorder);
        let (_, open) = account.close().next().unwrap();
        assert!(open.late.longest > Duration::ZERO && open.late.sum >= open.late.longest, "{open:?}");
        assert_eq!(open.waited_ms.is_some(), recorder.thread_id().and_then(waited_ms_of).is_some());
    }
}
