use std::collections::BTreeMap;
use std::time::Duration;

use chronoscope_harness::estimators::peaks::Peaks;
use chronoscope_harness::machine::throttled_ms;
use chronoscope_harness::watch::{stolen_ms_by_cpu, tick_ms};

use super::account::Account;
use super::cause::{Counted, cause};
use super::report::{HiccupWay, LongestStall, StallCause, StallsOverTime};

/// The shortest time between looks at the kernel's counts, and that for each CPU: a look takes some 10 µs for each, on a CPU that is
/// watched.
const SHORTEST: Duration = Duration::from_millis(100);
const PER_CPU: Duration = Duration::from_millis(5);

/// The longest stalls over time.
pub struct Timeline {
    period: Duration,
    /// When to look next, and when it was done last.
    due: Duration,
    looked: Duration,
    stalls: [Peaks<Stall>; HiccupWay::ALL.len()],
    stolen_before_ms: BTreeMap<u32, f64>,
    throttled_before_ms: Option<f64>,
}

/// Where a stall was, and why.
#[derive(Clone, Copy, Debug)]
struct Stall {
    cpu: Option<u32>,
    cause: StallCause,
}

impl Timeline {
    /// Of so many CPUs, for `whole` if that is known.
    pub fn new(cpus: usize, whole: Option<Duration>) -> Self {
        let period = SHORTEST.max(PER_CPU.saturating_mul(u32::try_from(cpus).unwrap_or(u32::MAX)));
        let peaks = || whole.map_or_else(|| Peaks::every(period), |whole| Peaks::within(whole, period));
        let stalls = HiccupWay::ALL.map(|_| peaks());
        let (stolen_before_ms, throttled_before_ms) = (stolen_ms_by_cpu(), throttled_ms());
        Self { period, due: period, looked: Duration::ZERO, stalls, stolen_before_ms, throttled_before_ms }
    }

    /// When to look again.
    pub fn due(&self) -> Duration {
        self.due
    }

    /// Looks at the kernel's counts after `elapsed`, and takes what accounts have been told since.
    pub fn look<'a>(&mut self, elapsed: Duration, accounts: impl Iterator<Item = (Option<u32>, &'a mut Account)>) {
        let since_ms =
            |now: Option<f64>, then: Option<f64>| now.zip(then).map_or(0.0, |(now, then)| (now - then).max(0.0));
        let (stolen_ms, throttled) = (stolen_ms_by_cpu(), throttled_ms());
        let throttled_ms = since_ms(throttled, self.throttled_before_ms);
        for (cpu, account) in accounts {
            let [now, then] = [&stolen_ms, &self.stolen_before_ms].map(|of| cpu.and_then(|cpu| of.get(&cpu)).copied());
            // The first of these ticks may have been almost over.
            let stolen_ms = (since_ms(now, then) - tick_ms().unwrap_or(0.0)).max(0.0);
            for (way, open) in account.close() {
                let late_ns = u64::try_from(open.late.longest.as_nanos()).unwrap_or(u64::MAX);
                let cause = cause(&open, Counted { stolen_ms, throttled_ms });
                self.stalls[way as usize].add(self.looked, late_ns, Stall { cpu, cause });
            }
        }
        (self.stolen_before_ms, self.throttled_before_ms, self.looked) = (stolen_ms, throttled, elapsed);
        while self.due <= elapsed {
            self.due += self.period;
        }
    }

    /// The stalls, as late as `as_counted` writes lateness in nanoseconds; None without any.
    pub fn finish(self, as_counted: impl Fn(HiccupWay, u64) -> u64) -> Option<StallsOverTime> {
        let width = self.stalls.iter().map(Peaks::width).max().unwrap_or(self.period);
        let mut longest = Vec::new();
        for (way, mut stalls) in HiccupWay::ALL.into_iter().zip(self.stalls) {
            // Ways are told in the same intervals.
            stalls.widen(width);
            longest.extend(stalls.iter().map(|(from, late_ns, stall)| LongestStall {
                from_ms: from.as_secs_f64() * 1e3,
                way,
                cpu: stall.cpu,
                late_ns: as_counted(way, late_ns) as f64,
                cause: stall.cause,
            }));
        }
        (!longest.is_empty()).then(|| StallsOverTime { interval_ms: width.as_secs_f64() * 1e3, longest })
    }
}

#[cfg(test)]
mod tests {
    use chronoscope_sources::hiccups::Lateness;

    use super::*;

    const MS: Duration = Duration::from_millis(1);

    fn late_by(account: &mut Account, way: HiccupWay, longest: Duration) {
        account.end(way, Lateness { longest, sum: longest });
    }

    #[test]
    fn each_interval_has_its_longest_stall_of_each_way_and_where() {
        let mut timeline = Timeline::new(2, Some(400 * MS));
        let mut accounts = [Account::default(), Account::default()];
        for look in 1..=4 {
            assert_eq!(timeline.due(), look * 100 * MS);
            late_by(&mut accounts[0], HiccupWay::Sleep, look * MS);
            late_by(&mut accounts[1], HiccupWay::Sleep, (5 - look) * MS);
            if look == 2 {
                late_by(&mut accounts[1], HiccupWay::Spin, 7 * MS);
            }
            let cpus = [Some(0), Some(1)];
            timeline.look(look * 100 * MS, cpus.into_iter().zip(&mut accounts));
        }
        let found = timeline.finish(|_, ns| ns + 1).unwrap();
        assert_eq!(found.interval_ms, 100.0);
        let told: Vec<_> =
            found.longest.iter().map(|stall| (stall.way, stall.from_ms, stall.cpu, stall.late_ns)).collect();
        let (spin, sleep) = (HiccupWay::Spin, HiccupWay::Sleep);
        let expected = [
            (spin, 100.0, Some(1), 7_000_001.0),
            (sleep, 0.0, Some(1), 4_000_001.0),
            (sleep, 100.0, Some(1), 3_000_001.0),
            (sleep, 200.0, Some(0), 3_000_001.0),
            (sleep, 300.0, Some(0), 4_000_001.0),
        ];
        assert_eq!(told, expected);
    }

    #[test]
    fn a_run_without_a_known_end_has_few_intervals_too() {
        let mut timeline = Timeline::new(64, None);
        assert_eq!(timeline.due(), 320 * MS);
        let mut account = Account::default();
        for look in 1..=1_000 {
            late_by(&mut account, HiccupWay::Sleep, MS);
            timeline.look(look * 320 * MS, std::iter::once((None, &mut account)));
        }
        late_by(&mut account, HiccupWay::Spin, MS);
        timeline.look(1_000 * 320 * MS, std::iter::once((None, &mut account)));
        let found = timeline.finish(|_, ns| ns).unwrap();
        assert_eq!((found.interval_ms, found.longest.len()), (8.0 * 320.0, 126));
        assert!(Timeline::new(1, None).finish(|_, ns| ns).is_none());
    }
}
