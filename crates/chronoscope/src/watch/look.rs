//! One look at the machine: every source, read-only and without privileges.

use std::time::Duration;

use chronoscope_sources::os::{OsClock, try_read_ns};

use super::ration::Ration;
use super::sample::{Sample, Skew, Steal};
use super::skew_test;
use super::steal_counter;
use crate::sections::sync::kernel;
use crate::sections::sync::slew::{Bracket, between_in};
use chronoscope_harness::record::Known;

/// Attempts at reading two clocks at once.
const TRIES: usize = 16;
/// The share of a CPU that each of the two costly sources may use, and how often it is read at most.
const COSTLY_SHARE: f64 = 0.000_2;
const STEAL_EVERY: Duration = Duration::from_secs(5);
const SKEW_EVERY: Duration = Duration::from_secs(30);
const CLOCKSOURCE: &str = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
/// How far other systems may slew their wall clock against the clock that it is compared with.
const SLEWED_APART_PPM: f64 = 1_000.0;

/// Reads what a sample consists of.
pub struct Looker {
    steal: Ration,
    skew: Ration,
    /// The CPUs that are compared with the first, in turn.
    cpus: Vec<u32>,
    turn: usize,
    rationed_cpu_ns: u64,
}

impl Looker {
    pub fn new(cpus: &[u32]) -> Self {
        Self {
            steal: Ration::new(COSTLY_SHARE, STEAL_EVERY),
            skew: Ration::new(COSTLY_SHARE, SKEW_EVERY),
            cpus: cpus.to_vec(),
            turn: 0,
            rationed_cpu_ns: 0,
        }
    }

    /// What the costly sources have used, each within its own share.
    pub fn rationed_cpu_ns(&self) -> u64 {
        self.rationed_cpu_ns
    }

    /// How far the wall clock may be slewed against the clock that it is compared with: on Linux both are slewed alike.
    pub fn slewed_apart_ppm() -> f64 {
        if cfg!(target_os = "linux") { 0.0 } else { SLEWED_APART_PPM }
    }

    /// Looks at everything.
    pub fn look(&mut self, due_ns: Option<u64>) -> Sample {
        let monotonic_ns = monotonic_ns();
        let utc_ns = try_read_ns(OsClock::Realtime).unwrap_or(0);
        Sample {
            monotonic_ns,
            utc_ns,
            due_ns,
            wall: wall(),
            boot: boot(),
            rate: bracket(OsClock::MonotonicRaw, OsClock::Monotonic),
            clocksource: text(CLOCKSOURCE).map(|name| name.trim().to_owned()).into(),
            kernel: kernel::read(),
            steal: rationed(&mut self.steal, &mut self.rationed_cpu_ns, monotonic_ns, steal),
            skew: rationed(&mut self.skew, &mut self.rationed_cpu_ns, monotonic_ns, || {
                next_skew(&self.cpus, &mut self.turn)
            }),
        }
    }
}

/// [`OsClock::Monotonic`] now; 0 where there is none.
pub fn monotonic_ns() -> u64 {
    try_read_ns(OsClock::Monotonic).unwrap_or(0)
}

/// How much of a CPU this process has used.
pub fn cpu_ns() -> u64 {
    try_read_ns(OsClock::ProcessCpuTime).unwrap_or(0)
}

fn rationed<T>(
    ration: &mut Ration,
    used_ns: &mut u64,
    now_ns: u64,
    read: impl FnOnce() -> Result<T, String>,
) -> Option<Known<T>> {
    if !ration.is_due(now_ns) {
        return None;
    }
    let before_ns = cpu_ns();
    let seen = read();
    let cost_ns = cpu_ns().saturating_sub(before_ns);
    ration.used(now_ns, cost_ns);
    *used_ns = used_ns.saturating_add(cost_ns);
    Some(seen.into())
}

fn bracket(outer: OsClock, inner: OsClock) -> Known<Bracket> {
    between_in(TRIES, outer, inner).into()
}

/// Within the clock that counts suspend too, where the wall clock's time of a suspend is no setting of it.
fn wall() -> Known<Bracket> {
    let outer = if cfg!(windows) { OsClock::Monotonic } else { OsClock::Boottime };
    match bracket(outer, OsClock::Realtime) {
        Known::Unavailable(_) => bracket(OsClock::Monotonic, OsClock::Realtime),
        known => known,
    }
}

fn boot() -> Known<Bracket> {
    if cfg!(windows) {
        return Known::Unavailable("CLOCK_MONOTONIC counts suspend too on this system".to_owned());
    }
    bracket(OsClock::Monotonic, OsClock::Boottime)
}

fn text(path: &str) -> Result<String, String> {
    if cfg!(not(target_os = "linux")) {
        return Err("only Linux has it".to_owned());
    }
    std::fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))
}

/// The name of this machine, where Linux tells it.
pub fn hostname() -> Option<String> {
    text("/proc/sys/kernel/hostname").ok().map(|name| name.trim().to_owned()).filter(|name| !name.is_empty())
}

fn steal() -> Result<Steal, String> {
    steal_counter::parse(&text(steal_counter::FILE)?, monotonic_ns())
}

fn next_skew(cpus: &[u32], turn: &mut usize) -> Result<Skew, String> {
    let Some((first, others)) = cpus.split_first().filter(|(_, others)| !others.is_empty()) else {
        return Err("it takes two CPUs".to_owned());
    };
    let other = others[*turn % others.len()];
    *turn = turn.wrapping_add(1);
    skew_test::between(*first, other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_sees_what_this_system_has() {
        let mut looker = Looker::new(&[]);
        let (first, second) = (looker.look(None), looker.look(Some(1)));
        assert!(first.monotonic_ns > 0 && second.monotonic_ns >= first.monotonic_ns && second.due_ns == Some(1));
        assert!(first.wall.value().is_some());
        assert!(matches!(first.skew, Some(Known::Unavailable(_))));
        assert!(first.steal.is_some() && second.steal.is_none() && second.skew.is_none());
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn linux_has_all_clocks() {
        let seen = Looker::new(&[]).look(None);
        assert!(seen.boot.value().is_some() && seen.rate.value().is_some(), "{seen:?}");
    }

    #[test]
    fn cpus_take_turns() {
        let mut turn = 0;
        for _ in 0..3 {
            // Whether it succeeds is the machine's affair.
            let _ = next_skew(&[0, 1_022, 1_023], &mut turn);
        }
        assert_eq!(turn, 3);
    }
}
