//! Kernel counters of disturbances to a measuring thread.

use std::collections::BTreeMap;

use crate::affinity;
use crate::os;
use crate::record::Disturbance;

/// Counts steal, involuntary switches, migrations and waits of the calling thread since its creation.
pub struct Watch {
    cpus: Vec<u32>,
    is_bound: bool,
    reason_unpinned: Option<String>,
    steal_ms: Option<f64>,
    involuntary_switches: Option<u64>,
    migrations: Option<u64>,
    waited_ms: Option<f64>,
}

impl Watch {
    /// Pins the calling thread to `cpu`, if given, and starts counting.
    pub fn pinned(cpu: Option<u32>) -> Self {
        Self::among(cpu.as_slice())
    }

    /// Pins the calling thread, and the threads it will start, to `cpus`, if any, and starts counting.
    pub fn among(cpus: &[u32]) -> Self {
        let (cpus, reason_unpinned) = match cpus {
            [] => (Vec::new(), affinity::reason_unknown_cpus().or_else(|| Some("no CPU was named".to_owned()))),
            _ => match affinity::pin(cpus) {
                Ok(()) => (cpus.to_vec(), None),
                Err(reason) => (Vec::new(), Some(reason)),
            },
        };
        Self {
            steal_ms: steal_ms(&cpus),
            is_bound: true,
            cpus,
            reason_unpinned,
            involuntary_switches: involuntary_switches(),
            migrations: migrations(),
            waited_ms: waited_ms(),
        }
    }

    /// Counts the time stolen from `cpus` while opaque processes run on them.
    pub fn over(cpus: &[u32]) -> Self {
        let steal_ms = steal_ms(cpus);
        Self {
            cpus: cpus.to_vec(),
            is_bound: false,
            reason_unpinned: None,
            steal_ms,
            involuntary_switches: None,
            migrations: None,
            waited_ms: None,
        }
    }

    /// The counts so far.
    pub fn finish(self) -> Disturbance {
        Disturbance {
            steal_ms: difference(self.steal_ms, steal_ms(&self.cpus), |now, then| (now - then).max(0.0)),
            cpus: if self.is_bound { self.cpus } else { Vec::new() },
            reason_unpinned: self.reason_unpinned,
            involuntary_switches: difference(self.involuntary_switches, involuntary_switches(), u64::saturating_sub),
            migrations: difference(self.migrations, migrations(), u64::saturating_sub),
            waited_ms: difference(self.waited_ms, waited_ms(), |now, then| (now - then).max(0.0)),
        }
    }
}

fn difference<T>(then: Option<T>, now: Option<T>, minus: impl Fn(T, T) -> T) -> Option<T> {
    Some(minus(now?, then?))
}

/// How often the kernel has preempted the calling thread.
pub fn involuntary_switches() -> Option<u64> {
    os::involuntary_switches()
}

/// How long the calling thread has been runnable but waiting for a CPU.
///
/// # Sources
/// Linux, Documentation/scheduler/sched-stats.rst, "/proc/<pid>/schedstat".
fn waited_ms() -> Option<f64> {
    parse_waited_ms(&os::text("/proc/thread-self/schedstat").ok()?)
}

/// The same of a thread of this process, by the kernel's number of it.
pub fn waited_ms_of(thread: u32) -> Option<f64> {
    parse_waited_ms(&os::text(&format!("/proc/self/task/{thread}/schedstat")).ok()?)
}

/// None where nothing has been counted: a kernel without scheduler statistics writes zeros.
fn parse_waited_ms(schedstat: &str) -> Option<f64> {
    let figures: Vec<u64> = schedstat.split_ascii_whitespace().map(str::parse).collect::<Result<_, _>>().ok()?;
    let [ran_ns, waited_ns, slices] = figures.as_slice() else { return None };
    (*ran_ns > 0 && *slices > 0).then_some(*waited_ns as f64 / 1e6)
}

fn migrations() -> Option<u64> {
    parse_migrations(&os::text("/proc/thread-self/sched").ok()?)
}

fn parse_migrations(sched: &str) -> Option<u64> {
    let line = sched.lines().find(|line| line.split(':').next().is_some_and(|key| key.trim() == "se.nr_migrations"))?;
    line.split(':').nth(1)?.trim().parse().ok()
}

/// None without CPUs, or where one of them is not counted.
fn steal_ms(cpus: &[u32]) -> Option<f64> {
    if cpus.is_empty() {
        return None;
    }
    let stat = os::text("/proc/stat").ok()?;
    let ticks = cpus.iter().map(|cpu| parse_steal_ticks(&stat, *cpu)).sum::<Option<u64>>()?;
    Some(ticks as f64 * tick_ms()?)
}

/// The time that the hypervisor has taken from each CPU so far, in milliseconds, in whole ticks of the kernel; empty where that is not
/// counted.
pub fn stolen_ms_by_cpu() -> BTreeMap<u32, f64> {
    let counted = os::text("/proc/stat").ok().zip(tick_ms());
    counted.map_or_else(BTreeMap::new, |(stat, tick_ms)| parse_stolen_ms(&stat, tick_ms))
}

/// The unit in which the kernel tells the time of CPUs.
pub fn tick_ms() -> Option<f64> {
    Some(1000.0 / os::clock_ticks_per_second()? as f64)
}

fn parse_stolen_ms(stat: &str, tick_ms: f64) -> BTreeMap<u32, f64> {
    let of_cpu = |line: &str| {
        let mut fields = line.strip_prefix("cpu")?.split_ascii_whitespace();
        let cpu = fields.next()?.parse().ok()?;
        Some((cpu, fields.nth(7)?.parse::<u64>().ok()? as f64 * tick_ms))
    };
    stat.lines().take_while(|line| line.starts_with("cpu")).filter_map(of_cpu).collect()
}

fn parse_steal_ticks(stat: &str, cpu: u32) -> Option<u64> {
    let name = format!("cpu{cpu}");
    let line = stat.lines().find(|line| line.split_ascii_whitespace().next() == Some(&name))?;
    line.split_ascii_whitespace().nth(8)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_figures_of_the_kernel_are_found() {
        let stat = "cpu  1 2 3 4 5 6 7 99 9 10\ncpu1 1 2 3 4 5 6 7 8 9 10\ncpu11 1 2 3 4 5 6 7 77 9 10\n";
        assert_eq!([1, 11, 0].map(|cpu| parse_steal_ticks(stat, cpu)), [Some(8), Some(77), None]);
        assert_eq!(parse_steal_ticks("cpu0 1 2", 0), None);
        let sched = "se.statistics.nr_migrations_cold : 7\nse.nr_migrations                             :          3\n";
        assert_eq!([sched, ""].map(parse_migrations), [Some(3), None]);
        assert_eq!(parse_waited_ms("559461537 563706198 217\n"), Some(563.706_198));
        assert_eq!(["0 0 0\n", "", "1 2\n", "a b c\n"].map(parse_waited_ms), [None; 4]);
    }

    #[test]
    fn stolen_time_is_found_by_cpu() {
        let stat = "cpu  1 2 3 4 5 6 7 99 9 10\ncpu1 1 2 3 4 5 6 7 8 9 10\ncpu11 1 2 3 4 5 6 7 77 9 10\ncpu2 1 2\nintr 5\ncpu7 1\n";
        assert_eq!(parse_stolen_ms(stat, 10.0), BTreeMap::from([(1, 80.0), (11, 770.0)]));
        assert!(parse_stolen_ms("", 10.0).is_empty());
    }

    #[test]
    fn a_thread_that_is_not_there_has_no_wait() {
        assert_eq!(waited_ms_of(u32::MAX), None);
    }

    #[test]
    fn a_thread_that_cannot_be_bound_says_why() {
        let disturbance = Watch::pinned(Some(100_000)).finish();
        assert!(disturbance.cpus.is_empty());
        assert!(disturbance.reason_unpinned.unwrap().contains("100000"));
    }

    #[test]
    fn a_thread_may_have_several_cpus() {
        let allowed = affinity::allowed().unwrap();
        let disturbance = Watch::among(&allowed).finish();
        assert_eq!((disturbance.cpus, disturbance.reason_unpinned), (allowed.clone(), None));
        assert_eq!(affinity::allowed().unwrap(), allowed);
    }
}
