use chronoscope_harness::finding::Severity;
use chronoscope_sources::os::KernelDiscipline;

use super::*;
use crate::sections::sync::kernel::kernel;
use crate::watch::sample::tests::{Jitter, blank};
use crate::watch::sample::{Skew, Steal};
use chronoscope_harness::record::Known;

const S: u64 = 1_000_000_000;

/// A machine whose clocks do as they are told: time is real time in nanoseconds since its boot.
struct Machine {
    jitter: Jitter,
    now_ns: u64,
    /// What has been added to the wall clock.
    set_ns: f64,
    /// Time spent in suspend.
    suspended_ns: f64,
    /// How far `CLOCK_MONOTONIC` is ahead of the raw clock, and by how much it runs faster.
    slewed_ns: f64,
    slew_ppm: f64,
    detectors: Detectors,
}

impl Machine {
    fn new(seed: u64) -> Self {
        Self {
            jitter: Jitter::new(seed),
            now_ns: 3_600 * S,
            set_ns: 1e13,
            suspended_ns: 0.0,
            slewed_ns: 0.0,
            slew_ppm: 0.0,
            detectors: Detectors::default(),
        }
    }

    /// One look, `ns` after the last.
    fn after(&mut self, ns: u64) -> Vec<Finding> {
        let due_ns = self.now_ns + ns;
        self.now_ns = due_ns + 50_000 + self.jitter.below(3_000_000);
        self.slewed_ns += (self.now_ns - due_ns + ns) as f64 * self.slew_ppm * 1e-6;
        let (base, start) = (self.slewed_ns, self.now_ns);
        // Within a look of some milliseconds the slew goes on.
        let slew = self.slew_ppm * 1e-6;
        let mono = move |at: u64| at as f64 + base + (at - start) as f64 * slew;
        let (suspended, set) = (self.suspended_ns, self.set_ns);
        let boot = move |at: u64| mono(at) + suspended;
        // Whole nanoseconds are exact in a float of this size.
        let wall = move |at: u64| boot(at) + set;
        let at = |offset: u64| start + offset;
        let mut sample = blank(mono(start) as u64);
        sample.due_ns = Some((due_ns as f64 + base) as u64);
        sample.wall = Known::Value(self.jitter.bracket(at(1_000), boot, wall));
        sample.boot = Known::Value(self.jitter.bracket(at(9_000), mono, boot));
        sample.rate = Known::Value(self.jitter.bracket(at(20_000), |at| at as f64, mono));
        self.detectors.look(&sample)
    }

    fn quiet(&mut self, looks: usize) {
        for _ in 0..looks {
            let found = self.after(S);
            assert!(found.is_empty(), "{found:?}");
        }
    }
}

fn value(finding: &Finding, name: &str) -> f64 {
    finding.evidence.values[name]
}

#[test]
fn nothing_happens_on_a_quiet_machine_however_long() {
    for seed in 0..4 {
        let mut machine = Machine::new(seed);
        machine.slew_ppm = -12.5 * seed as f64;
        machine.quiet(50_000);
    }
}

#[test]
fn a_step_of_the_wall_clock_is_seen_with_its_bounds() {
    for (seed, step_ns) in [(1, 250e6), (2, -40e6), (3, 1e9), (4, -3_600e9), (5, 40_000_000.0)] {
        let mut machine = Machine::new(seed);
        machine.quiet(20);
        machine.set_ns += step_ns;
        let found = machine.after(S);
        assert!(found.len() == 1 && found[0].is(stepped::WALL_CLOCK_SET), "{found:?}");
        let (step, error) = (value(&found[0], "step_ns"), value(&found[0], "error_ns"));
        assert!((step - step_ns).abs() <= error, "{step} ± {error}, not {step_ns}");
        assert!(error < 12e6, "{error}");
        machine.quiet(20);
    }
}

/// Of a thousand steps of 20 µs each that is told holds the truth, and most looks are quick enough to tell.
#[test]
fn the_bounds_of_a_step_hold_whatever_interrupts_the_reads() {
    let mut machine = Machine::new(9);
    machine.quiet(5);
    let mut told = 0;
    for look in 0..1_000 {
        let step_ns = if look % 2 == 0 { 20e3 } else { -20e3 };
        machine.set_ns += step_ns;
        for found in machine.after(S).iter().filter(|found| found.is(stepped::WALL_CLOCK_SET)) {
            assert!((value(found, "step_ns") - step_ns).abs() <= value(found, "error_ns"), "{found:?}");
            told += 1;
        }
    }
    assert!(told > 900, "{told}");
}

#[test]
fn a_wall_clock_that_is_slewed_apart_is_allowed_to() {
    let mut detector = stepped::Detector::allowing(1_000.0);
    let look = |at: u64, wall_ahead_ns: i64| {
        let mut sample = blank(at);
        let bracket = crate::sections::sync::slew::Bracket {
            before_ns: at,
            inner_ns: (at as i64 + 100 + wall_ahead_ns) as u64,
            after_ns: at + 200,
        };
        sample.wall = Known::Value(bracket);
        sample
    };
    assert_eq!(detector.look(&look(S, 0)), None);
    assert_eq!(detector.look(&look(2 * S, 500_000)), None);
    assert!(detector.look(&look(3 * S, 2_500_000)).is_some());
}

#[test]
fn a_slew_is_seen_when_it_begins_and_when_it_ends() {
    for ppm in [500.0, -500.0, 20.0] {
        let mut machine = Machine::new(11);
        machine.quiet(20);
        machine.slew_ppm = ppm;
        let found: Vec<Finding> = (0..20).flat_map(|_| machine.after(S)).collect();
        // The interval in which it begins may have a rate in between.
        let last = found.last().unwrap();
        assert!((1..=2).contains(&found.len()) && found.iter().all(|found| found.is(slew::SLEW_CHANGED)), "{found:?}");
        assert!((value(last, "slew_ppm") - ppm).abs() <= value(last, "error_ppm") + 0.01, "{last:?}");
        assert!(value(last, "error_ppm") <= 1.0);
        machine.slew_ppm = 0.0;
        let found: Vec<Finding> = (0..20).flat_map(|_| machine.after(S)).collect();
        assert!((1..=2).contains(&found.len()), "{found:?}");
        machine.quiet(20);
    }
    let mut fast = Machine::new(12);
    fast.slew_ppm = 300.0;
    let found: Vec<Finding> = (0..5).flat_map(|_| fast.after(S)).collect();
    assert!(found.len() == 1 && !found[0].evidence.values.contains_key("change_ppm"), "{found:?}");
}

#[test]
fn a_suspend_is_no_step_and_no_gap() {
    let mut machine = Machine::new(13);
    machine.quiet(5);
    machine.suspended_ns += 3e9;
    let found = machine.after(S);
    assert!(found.len() == 1 && found[0].is(suspended::SUSPENDED), "{found:?}");
    assert!((value(&found[0], "suspended_ns") - 3e9).abs() <= value(&found[0], "error_ns"));
    machine.quiet(5);
}

#[test]
fn a_long_wait_is_told_and_a_usual_one_is_not() {
    let mut sample = blank(5 * S);
    for (late_ns, is_told) in [(0, false), (49_000_000, false), (51_000_000, true), (4 * S, true)] {
        sample.due_ns = Some(5 * S - late_ns);
        let found = gap::look(&sample);
        assert_eq!(found.as_ref().is_some_and(|found| found.is(gap::NOT_RUN)), is_told, "{late_ns}");
    }
    sample.due_ns = None;
    assert_eq!(gap::look(&sample), None);
}

#[test]
fn a_change_of_clocksource_is_told_once() {
    let mut detector = clocksource::Detector::default();
    let mut look = |name: Option<&str>| {
        let mut sample = blank(0);
        let hidden = || Known::Unavailable("hidden".to_owned());
        sample.clocksource = name.map_or_else(hidden, |name| Known::Value(name.to_owned()));
        detector.look(&sample)
    };
    assert_eq!((look(Some("tsc")), look(Some("tsc")), look(None)), (None, None, None));
    let found = look(Some("hpet")).unwrap();
    assert!(found.is(CLOCKSOURCE_CHANGED) && found.evidence.summary.ends_with("hpet"));
    assert_eq!(look(Some("hpet")), None);
}

#[test]
fn loss_of_synchronisation_and_leap_seconds_are_told() {
    let (mut synchronised, mut leap) = (synchronised::Detector::default(), leap::Detector::default());
    let mut look = |status: i32, state: i32| {
        let mut sample = blank(0);
        let mut told = KernelDiscipline::default();
        (told.status, told.state, told.max_error_us) = (status, state, 16_000);
        sample.kernel = Known::Value(kernel(&told, Known::Unavailable("unknown".to_owned())));
        (synchronised.look(&sample), leap.look(&sample))
    };
    assert_eq!((look(0, 0), look(0, 0)), ((None, None), (None, None)));
    let (lost, _) = look(0x40, 5);
    let lost = lost.unwrap();
    assert!(lost.is(synchronised::SYNC_CHANGED) && lost.severity == Severity::Warning);
    assert!(lost.evidence.summary.contains("16.0"), "{lost:?}");
    assert_eq!(look(0, 0).0.unwrap().severity, Severity::Notice);
    for (status, state, words) in [
        (0x10, 1, "inserted"),
        (0x10, 3, "progress"),
        (0, 4, "over"),
        (0x20, 2, "out"),
        (0, 0, "no "),
        (0x50, 5, "inserted"),
    ] {
        let found = look(status, state).1.unwrap();
        assert!(found.is(leap::LEAP_CHANGED) && found.evidence.summary.contains(words), "{found:?}");
    }
}

#[test]
fn skew_is_told_when_it_is_certain_and_when_it_grows() {
    let mut detector = skew::Detector::default();
    let mut look = |b: u32, low_ns: i64, high_ns: i64| {
        let mut sample = blank(0);
        sample.skew = Some(Known::Value(Skew { a: 0, b, low_ns, high_ns }));
        detector.look(&sample).inspect(|found| assert!(found.is(skew::SKEW_GROWN)))
    };
    assert_eq!((look(1, -90, 110), look(1, -20_000, 30_000)), (None, None));
    assert!(look(1, 200, 400).unwrap().evidence.summary.contains("ahead"));
    assert_eq!((look(1, 300, 500), look(1, -100, 250)), (None, None));
    let grown = look(1, 600, 800).unwrap();
    assert_eq!(
        (value(&grown, "skew_ns"), value(&grown, "error_ns"), value(&grown, "before_ns")),
        (700.0, 100.0, 300.0)
    );
    assert_eq!(look(1, -90, 110), None);
    assert!(look(1, -900, -700).unwrap().evidence.summary.contains("behind"));
    assert_eq!(look(2, -90, 110), None);
}

#[test]
fn stolen_time_is_told_when_it_begins_and_when_it_doubles() {
    let mut detector = steal::Detector::default();
    let (mut at_ns, mut stolen_ns) = (S, 0);
    let mut look = |passed_s: u64, stolen_ms: u64, cpus: u32| {
        (at_ns, stolen_ns) = (at_ns + passed_s * S, stolen_ns + stolen_ms * 1_000_000);
        let mut sample = blank(at_ns);
        sample.steal = Some(Known::Value(Steal { at_ns, stolen_ns, step_ns: 10_000_000, cpus }));
        detector.look(&sample).inspect(|found| assert!(found.is(steal::TIME_STOLEN)))
    };
    assert_eq!((look(0, 0, 2), look(10, 100, 2)), (None, None));
    let found = look(10, 600, 2).unwrap();
    assert_eq!((value(&found, "stolen_share"), value(&found, "stolen_ns")), (0.03, 6e8));
    assert_eq!(look(10, 600, 2), None);
    assert!(look(10, 2_000, 2).is_some());
    assert_eq!((look(10, 0, 2), look(1, 500, 2)), (None, None));
    assert!(look(9, 500, 2).is_some());
    assert_eq!(look(10, 9_000, 4), None);
    let mut backwards = blank(at_ns + 60 * S);
    backwards.steal = Some(Known::Value(Steal { at_ns: at_ns + 60 * S, stolen_ns: 0, step_ns: 10_000_000, cpus: 4 }));
    assert_eq!(detector.look(&backwards), None);
}

#[test]
fn every_kind_is_listed_once() {
    for (place, kind) in KINDS.iter().enumerate() {
        assert!(KINDS[..place].iter().all(|other| other.id != kind.id) && kind.is_shown_in("watch"));
    }
}
