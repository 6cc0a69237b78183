//! What is advised reaches what it promises, on simulated clocks; texts that users paste are recognised.

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::interval_advice::advise;
use super::locking::{phases_needed, uneven};
use super::methods::{Setting, batch, direct, repetitions};
use super::repetitions::{deviation_in_steps, readings};
use super::report::{Fit, IntervalQuestion, Method, MethodAdvice};
use super::symptoms::{SYMPTOMS, commands, find, look_up, narrow, runtime_named};
use super::usable_clocks::UsableClock;
use crate::document::Record;
use crate::engine::Planned;
use crate::json::document;
use crate::part::Part;
use crate::probe::runtime::Runtime;
use crate::run_options::RunOptions;
use crate::{kinds, registry};
use chronoscope_harness::estimators::intervals::DirectInterval;
use chronoscope_harness::record::Estimate;

const EXPERIMENTS: usize = 1_000;

fn uniform(random: &mut Xoshiro256PlusPlus) -> f64 {
    (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

/// A clock that moves in steps, and whose read takes a while: at its middle, give or take, it samples the time.
struct SimulatedClock {
    step_ns: f64,
    latency_ns: f64,
    /// How much the time between two samples varies, as a share of the latency.
    jitter: f64,
    now_ns: f64,
    random: Xoshiro256PlusPlus,
}

impl SimulatedClock {
    fn new(step_ns: f64, latency_ns: f64, jitter: f64, seed: u64) -> Self {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let now_ns = uniform(&mut random) * 1e6;
        Self { step_ns, latency_ns, jitter, now_ns, random }
    }

    fn read(&mut self) -> f64 {
        let sampled_at = 0.5 + self.jitter * (uniform(&mut self.random) - 0.5);
        let sample = self.now_ns + self.latency_ns * sampled_at;
        self.now_ns += self.latency_ns;
        (sample / self.step_ns).floor() * self.step_ns
    }

    /// What a pair of reads around a time says.
    fn time(&mut self, for_ns: f64) -> f64 {
        let start = self.read();
        self.now_ns += for_ns;
        self.read() - start
    }

    fn wait_at_random(&mut self) {
        self.now_ns += uniform(&mut self.random) * self.step_ns;
    }
}

/// The clock as a document has it: its error is that of empty intervals, or its step.
fn usable(clock: &SimulatedClock) -> UsableClock {
    let spread = clock.latency_ns * (1.0 + clock.jitter);
    UsableClock {
        name: "simulated".to_owned(),
        latency_ns: Some(cost(clock.latency_ns, spread)),
        step_ns: Some(clock.step_ns),
        error_ns: spread.max(clock.step_ns) + if clock.step_ns > spread { spread } else { clock.step_ns },
        basis: "simulated".to_owned(),
        confirmed_from_ns: None,
        trials: Vec::new(),
        refuted: false,
        causal: None,
        loop_turn_ns: None,
    }
}

/// A cost that is known to be at most `high`.
fn cost(estimate: f64, high: f64) -> Estimate {
    Estimate { estimate, low: estimate, high, confidence: 0.999 }
}

fn question(interval_ns: f64, error_pct: f64) -> IntervalQuestion {
    IntervalQuestion { interval_ns, error_pct, threads: 1, clock: None, runtime: None, every_ns: None }
}

/// The share of experiments that end within the error.
fn share_within(error: f64, truth_ns: f64, mut experiment: impl FnMut() -> f64) -> f64 {
    let within = (0..EXPERIMENTS).filter(|_| (experiment() / truth_ns - 1.0).abs() <= error * (1.0 + 1e-9)).count();
    within as f64 / EXPERIMENTS as f64
}

#[test]
fn an_advised_batch_reaches_the_error() {
    for (seed, (step_ns, latency_ns, interval_ns, error_pct)) in
        [(1.0, 18.7, 50.0, 1.0), (1.0, 9.6, 3.0, 10.0), (100.0, 25.0, 700.0, 1.0), (1_000.0, 5.0, 50.0, 0.5)]
            .into_iter()
            .enumerate()
    {
        let mut clock = SimulatedClock::new(step_ns, latency_ns, 0.3, seed as u64);
        let asked = question(interval_ns, error_pct);
        let advice = batch(&usable(&clock), Setting { question: &asked });
        let size = advice.count.expect("a batch of some size does") as f64;
        assert!(size > 1.0 && advice.fit == Fit::Expected, "{advice:?}");
        let within = share_within(error_pct / 100.0, interval_ns, || clock.time(size * interval_ns) / size);
        assert!(within >= 0.95, "{step_ns} {latency_ns} {interval_ns}: {within}");
        // A tenth of it does not do: the advice is no more than is needed by an order of magnitude.
        let tenth = (size / 10.0).floor();
        let within = share_within(error_pct / 100.0, interval_ns, || clock.time(tenth * interval_ns) / tenth);
        assert!(within < 0.95, "a batch of {tenth} would do: {within}");
    }
}

#[test]
fn a_loop_turn_lengthens_the_batch_and_one_too_dear_forbids_it() {
    let clock = usable(&SimulatedClock::new(1.0, 18.7, 0.3, 1));
    let asked = question(50.0, 1.0);
    let with =
        |loop_turn_ns: Option<f64>| batch(&UsableClock { loop_turn_ns, ..clock.clone() }, Setting { question: &asked });
    let (without, cheap, dear) = (with(None), with(Some(0.25)), with(Some(0.5)));
    // Half the error is the loop's: the rest takes a batch of twice the length.
    let ratio = cheap.count.unwrap() as f64 / without.count.unwrap() as f64;
    assert!((1.99..2.01).contains(&ratio), "{ratio}");
    assert_eq!((dear.fit, dear.count), (Fit::No, None));
    assert!(dear.says.contains("0.500"), "{}", dear.says);
    // One that leaves next to nothing takes a batch that would be mostly interruptions.
    let nearly = with(Some(0.4975));
    assert!(nearly.count.is_none() && nearly.says.ends_with("nearly the accepted error"), "{nearly:?}");
}

#[test]
fn advised_repetitions_reach_the_error_and_few_of_them_do_not() {
    for (seed, (step_ns, latency_ns, interval_ns, error_pct)) in [
        (100.0, 0.5, 120.0, 5.0),
        (100.0, 20.0, 5_000.0, 1.0),
        (1_000.0, 2.0, 90.0, 10.0),
        (1_000.0, 3.0, 1_500.0, 2.0),
    ]
    .into_iter()
    .enumerate()
    {
        let mut clock = SimulatedClock::new(step_ns, latency_ns, 0.3, 100 + seed as u64);
        let asked = question(interval_ns, error_pct);
        let advice = repetitions(&usable(&clock), Setting { question: &asked });
        let needed = advice.count.expect("some number does");
        assert_eq!(advice.fit, Fit::Expected, "{advice:?}");
        let mut mean_of = |count: u64| {
            let sum: f64 = (0..count)
                .map(|_| {
                    clock.wait_at_random();
                    clock.time(interval_ns)
                })
                .sum();
            sum / count as f64
        };
        let within = share_within(error_pct / 100.0, interval_ns, || mean_of(needed));
        assert!(within >= 0.95, "{step_ns} {latency_ns}: {within}");
        let few = (needed / 30).max(1);
        let within = share_within(error_pct / 100.0, interval_ns, || mean_of(few));
        assert!(within < 0.95, "{few}: {within}");
    }
}

#[test]
fn repetitions_locked_to_the_tick_keep_the_predicted_error() {
    for (steps, phases, interval_ns) in [(1_000, 1_u32, 300.0), (3, 2, 300.0), (7, 3, 1_500.0), (9, 4, 700.0)] {
        let step_ns = 1_000.0;
        let every_ns = f64::from(steps) / f64::from(phases) * step_ns;
        let asked = IntervalQuestion { every_ns: Some(every_ns), ..question(interval_ns, 5.0) };
        let clock = SimulatedClock::new(step_ns, 0.0, 0.0, 0);
        let mut described = usable(&clock);
        described.latency_ns = Some(cost(1.0, 1.0));
        let advice = repetitions(&described, Setting { question: &asked });
        let (needed, words) = (advice.count.unwrap(), advice.advice.join(" "));
        assert!(words.contains(&format!("is close to {steps}/{phases} steps of the clock")), "{words}");
        let bound_ns = step_ns / f64::from(phases);
        let mut largest: f64 = 0.0;
        let mut off = 0;
        for seed in 0..200 {
            let mut clock = SimulatedClock::new(step_ns, 0.0, 0.0, seed);
            let mut sum = 0.0;
            let start_ns = clock.now_ns;
            let count = needed.next_multiple_of(u64::from(phases));
            for turn in 0..count {
                clock.now_ns = start_ns + turn as f64 * every_ns;
                sum += clock.time(interval_ns);
            }
            let error_ns = (sum / count as f64 - interval_ns).abs();
            largest = largest.max(error_ns);
            off += usize::from(error_ns > 0.05 * interval_ns);
        }
        assert!(largest <= bound_ns * 1.001, "{steps}/{phases}: {largest} of {bound_ns}");
        assert!(largest >= bound_ns * 0.4, "{steps}/{phases}: hardly off, {largest} of {bound_ns}");
        assert!(off == 200, "{steps}/{phases}: {off} of 200 means are off");
    }
}

#[test]
fn a_rhythm_that_meets_the_tick_unevenly_is_found() {
    let rhythm = |every, count| uneven(every, count, 0.1).map(|found| (found.steps, found.phases));
    assert_eq!(rhythm(1.5, 1_000), Some((3, 2)));
    assert_eq!(rhythm(1_000.0, 1_000_000), Some((1_000, 1)));
    // So near to 3/2 that 1 000 repetitions drift by 0.1 steps, and 100 000 by 10.
    assert_eq!(rhythm(1.500_1, 1_000), Some((3, 2)));
    assert_eq!(rhythm(1.500_1, 200_000), None);
    assert_eq!(rhythm(std::f64::consts::PI, 100_000), None);
    for nonsense in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(uneven(nonsense, 10, 0.1), None);
    }
    assert_eq!((phases_needed(0.05), phases_needed(0.0)), (20, u64::MAX));
}

/// However the repetitions begin and whatever the fraction of a step, the mean is off by what is said at most, and nearly by that.
#[test]
fn a_slow_drift_leaves_the_error_that_is_said() {
    const COUNT: u64 = 684;
    for drift in [0.3, 1.2, 1.5, 2.5, 3.5, 4.5, 6.5, 20.0] {
        let every = 1.0 + drift / COUNT as f64;
        let said = uneven(every, COUNT, 0.0).expect("no mean is exact").off;
        let mut worst: f64 = 0.0;
        for begin in (0..200).map(|part| f64::from(part) / 200.0) {
            for fraction in (1..20).map(|part| f64::from(part) / 20.0) {
                let up = (0..COUNT).filter(|turn| (begin + every * *turn as f64).fract() >= 1.0 - fraction).count();
                worst = worst.max((up as f64 / COUNT as f64 - fraction).abs());
            }
        }
        assert!(worst <= said + 1e-9 && worst >= said * 0.7 - 0.01, "{drift}: {worst} of {said}");
        assert!(uneven(every, COUNT, worst * 0.99).is_some(), "{drift}: it may be that far off");
    }
    // Seen: called even, with a worst error of a third of the interval's 2 ms on a step of 4 ms, where 10 % were asked for.
    assert!(uneven(4.008_772 / 4.0, COUNT, 0.05).is_some());
}

/// P(X = k) of a binomial distribution, summed over what is within.
fn coverage(count: u64, fraction: f64, room: f64) -> f64 {
    let mut ln_choose = 0.0_f64;
    let mut within = 0.0;
    for k in 0..=count {
        if k > 0 {
            ln_choose += ((count - k + 1) as f64).ln() - (k as f64).ln();
        }
        if (k as f64 / count as f64 - fraction).abs() <= room * (1.0 + 1e-12) {
            within += (ln_choose + k as f64 * fraction.ln() + (count - k) as f64 * (1.0 - fraction).ln()).exp();
        }
    }
    within
}

proptest! {
    /// Exactly, by the binomial distribution, for every fraction of a step and every error.
    #[test]
    fn the_number_of_readings_covers(fraction in 0.01_f64..0.99, room in 0.02_f64..1.0) {
        let needed = readings(0.5, room).unwrap();
        prop_assert!(coverage(needed, fraction, room) >= 0.98, "{} {} {}", needed, fraction, room);
    }

    #[test]
    fn the_number_of_readings_covers_where_the_fraction_is_known(fraction in 0.02_f64..0.5, error in 0.1_f64..0.9) {
        let room = error * fraction;
        let needed = readings(deviation_in_steps(fraction, 1.0), room).unwrap();
        prop_assert!(coverage(needed, fraction, room) >= 0.98, "{} {} {}", needed, fraction, room);
    }

    #[test]
    fn no_question_panics(
        interval_ns in 1.0_f64..8.64e13,
        error_pct in 0.001_f64..50.0,
        threads in 1_u32..=1024,
        every in prop::option::of(1.0_f64..8.64e13),
        which in 0_usize..64,
    ) {
        let documents = documents();
        let (_, record) = &documents[which % documents.len()];
        let asked = IntervalQuestion { threads, every_ns: every, ..question(interval_ns, error_pct) };
        let advice = advise(&asked, record);
        prop_assert!(serde_json::to_string(&advice).is_ok() && !advice.answer.is_empty());
        for method in &advice.methods {
            prop_assert!(method.fit == Fit::No || method.error_pct.is_none_or(|error| error <= error_pct * 1.000_001), "{method:?}");
            prop_assert!(method.takes_ns.is_none_or(f64::is_finite) && method.error_pct.is_none_or(f64::is_finite));
        }
    }
}

#[test]
fn readings_that_no_number_makes_right() {
    assert_eq!((readings(0.5, 0.0), readings(0.5, -1.0), readings(0.5, f64::NAN)), (None, None, None));
    assert_eq!(readings(0.5, 1e-9), None);
    assert_eq!((deviation_in_steps(1_300.0, 1_000.0), deviation_in_steps(10.0, 1_000.0)), (0.5, 0.0099_f64.sqrt()));
}

/// Every document of the repository: fixtures, and those shown in its pages.
fn documents() -> &'static [(String, Record)] {
    static DOCUMENTS: std::sync::LazyLock<Vec<(String, Record)>> = std::sync::LazyLock::new(|| {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let folders = [root.join("tests/fixtures"), root.join("../../docs/shown")];
        let mut found: Vec<(String, Record)> = folders
            .iter()
            .flat_map(|folder| fs::read_dir(folder).expect("the folder is there"))
            .map(|entry| entry.expect("it can be listed").path())
            .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
            .map(|path| {
                let record = document(&fs::read_to_string(&path).expect("it is text")).expect("it is a document");
                (path.display().to_string(), record)
            })
            .collect();
        found.sort_by(|a, b| a.0.cmp(&b.0));
        found
    });
    &DOCUMENTS
}

fn shown(name: &str) -> &'static Record {
    documents().iter().find(|(path, _)| path.ends_with(name)).map(|(_, record)| record).expect("it is there")
}

fn of(methods: &[MethodAdvice], method: Method) -> Option<&MethodAdvice> {
    methods.iter().find(|found| found.method == method)
}

#[test]
fn one_thread_takes_a_batch_and_several_a_backoff_model() {
    let record = shown("shown/check.json");
    let alone = advise(&question(50.0, 1.0), record);
    assert_eq!(alone.choose, Some(Method::Batch), "{}", alone.answer);
    let batch = of(&alone.methods, Method::Batch).unwrap();
    assert_eq!((batch.fit, batch.clock.as_deref()), (Fit::Confirmed, Some("lfence; rdtsc")));
    assert!(batch.takes_ns.unwrap() >= 1_500.0, "{batch:?}");
    assert_ne!(of(&alone.methods, Method::Repetitions).unwrap().fit, Fit::Confirmed);
    let many = advise(&IntervalQuestion { threads: 8, ..question(50.0, 1.0) }, record);
    assert_eq!(many.choose, Some(Method::BackoffModel), "{}", many.answer);
    assert!(many.reservations[0].starts_with("8 "), "{:?}", many.reservations);
    let model = of(&many.methods, Method::BackoffModel).unwrap();
    assert!(model.advice[0].contains("1,8"), "{model:?}");
}

/// The verdict and the advice say the same.
#[test]
fn a_single_reading_is_advised_from_where_the_verdict_confirms_it() {
    let record = shown("shown/check.json");
    for clock in &record.content.judgement.as_ref().unwrap().clocks {
        let timed = record.content.clocks().intervals_of(&clock.name).unwrap();
        let confirmed = timed.direct_interval_ns;
        for (error_pct, confirmed) in [(1.0, confirmed.within_1pct), (10.0, confirmed.within_10pct)] {
            let Some(from_ns) = confirmed.filter(|_| timed.validated) else { continue };
            let asked = |interval_ns| IntervalQuestion {
                clock: Some(clock.name.to_string()),
                ..question(interval_ns, error_pct)
            };
            let fit = |interval_ns| of(&advise(&asked(interval_ns), record).methods, Method::Direct).unwrap().fit;
            assert_eq!((fit(from_ns), fit(from_ns * 0.99)), (Fit::Confirmed, Fit::No), "{} {error_pct}", clock.name);
        }
    }
}

#[test]
fn an_error_between_those_of_the_verdict_is_read_off_the_trials() {
    let record = shown("shown/check.json");
    let from = |error_pct: f64| {
        let asked = IntervalQuestion { clock: Some("rdtscp".to_owned()), ..question(1.0, error_pct) };
        super::usable_clocks::usable(&asked, record).unwrap()[0].confirmed_from_ns
    };
    let lengths: Vec<f64> = [10.0, 5.0, 2.0, 1.0, 0.5].into_iter().map(|pct| from(pct).expect("trials tell")).collect();
    assert!(lengths.is_sorted(), "{lengths:?}");
    let timed = record.content.clocks().intervals_of(&"rdtscp".into()).unwrap();
    let confirmed = timed.direct_interval_ns;
    assert!(timed.validated);
    assert_eq!((Some(lengths[0]), Some(lengths[3])), (confirmed.within_10pct, confirmed.within_1pct), "of the verdict");
    assert_eq!(from(0.1), None);
}

#[test]
fn what_cannot_be_had_is_said_with_its_reason() {
    let check = shown("shown/check.json");
    let answer = |asked: IntervalQuestion, record: &Record| {
        let advice = advise(&asked, record);
        assert_eq!(advice.choose, None, "{}", advice.answer);
        advice.answer
    };
    assert!(answer(question(50.0, 0.01), check).contains("slewed"));
    let sundial = IntervalQuestion { clock: Some("sundial".to_owned()), ..question(50.0, 1.0) };
    assert!(answer(sundial, check).contains("rdtsc"));
    answer(question(50.0, 1.0), shown("shown/sync.json"));
    let php = IntervalQuestion { runtime: Some(chronoscope_probes::RuntimeKind::Php), ..question(50.0, 1.0) };
    assert!(answer(php, shown("shown/sync.json")).contains("PHP"));
}

#[test]
fn a_coarse_clock_is_averaged_only_where_that_takes_no_year() {
    let record = shown("shown/check.json");
    let coarse = |interval_ns| {
        let asked =
            IntervalQuestion { clock: Some("CLOCK_MONOTONIC_COARSE".to_owned()), ..question(interval_ns, 10.0) };
        let advice = advise(&asked, record);
        of(&advice.methods, Method::Repetitions).unwrap().clone()
    };
    let short = coarse(50.0);
    assert!(short.fit == Fit::No && short.says.contains("days"), "{short:?}");
    let long = coarse(2_000_000.0);
    assert!(long.fit == Fit::Expected && long.advice[0].contains("4.00"), "{long:?}");
}

#[test]
fn a_clock_of_a_runtime_is_one_of_its_own() {
    let record = shown("shown/runtimes.json");
    let runtime =
        record.content.runtimes().iter().find(|runtime| runtime.available && !runtime.clocks.is_empty()).unwrap();
    let asked = IntervalQuestion { runtime: Some(runtime.kind), ..question(5e6, 1.0) };
    let advice = advise(&asked, record);
    let direct = of(&advice.methods, Method::Direct).unwrap();
    assert_eq!((advice.choose, direct.fit), (Some(Method::Direct), Fit::Expected), "{}", advice.answer);
    assert!(direct.clock.as_ref().unwrap().starts_with(&runtime.title()), "{direct:?}");
}

/// A Zen 5: 15 ns at 150 ns, and 43 ns at 16.8 µs, where the clock runs on and the work does not.
#[test]
fn a_long_interval_is_as_good_as_trials_show() {
    let clock = UsableClock {
        confirmed_from_ns: Some(2_100.0),
        trials: vec![(150.0, 9.0), (16_800.0, 0.254), (4_200.0, 0.5)],
        ..usable(&SimulatedClock::new(1.0, 15.0, 0.0, 1))
    };
    let within = |interval_ns| direct(&clock, Setting { question: &question(interval_ns, 1.0) }).error_pct;
    assert_eq!([within(5_000.0), within(50_000.0)], [Some(0.5), Some(0.254)]);
}

/// Two versions of one runtime, whose loops differ.
#[test]
fn a_batch_of_a_runtime_takes_that_runtimes_own_loop() {
    let mut record = shown("shown/runtimes.json").clone();
    let runtimes = &mut record.content.sections.runtimes.report;
    let has_loop = |runtime: &&Runtime| runtime.monotonic_clock().is_some() && runtime.loop_overhead_ns.is_some();
    let mut newer = runtimes.iter().find(has_loop).unwrap().clone();
    let kind = newer.kind;
    newer.version = Some("999.0".to_owned());
    newer.loop_overhead_ns.as_mut().unwrap().per_read.estimate = 2.5;
    for clock in &mut newer.clocks {
        clock.claimed_interval_ns = DirectInterval { within_1pct: Some(1_500.0), within_10pct: Some(150.0) };
    }
    runtimes.push(newer);
    let advice = advise(&IntervalQuestion { runtime: Some(kind), ..question(1_000.0, 1.0) }, &record);
    let batch = of(&advice.methods, Method::Batch).unwrap();
    assert!(batch.clock.as_ref().unwrap().contains("999.0"), "{batch:?}");
    assert!(batch.formula.as_ref().unwrap().contains("2.5000 ns"), "{batch:?}");
    assert_eq!(batch.count, Some((15.0_f64 / (0.01 - 0.0025) / 1_000.0).ceil() as u64));
    assert!(advice.evidence.iter().any(|figure| figure.clock.is_none() && figure.ns.estimate == 2.5));
}

#[test]
fn a_reading_of_enough_is_advised_with_what_it_is_off_by() {
    let clock = usable(&SimulatedClock::new(1.0, 20.0, 0.0, 1));
    let asked = question(21_000.0, 1.0);
    let advice = direct(&clock, Setting { question: &asked });
    assert_eq!((advice.fit, advice.count), (Fit::Expected, Some(1)));
    assert!((advice.error_pct.unwrap() - 0.1).abs() < 1e-9, "{advice:?}");
}

#[test]
fn what_was_not_measured_is_not_called_absent() {
    let record = document(include_str!("../../../../../docs/shown/sync.json")).unwrap();
    let absent = |text: &str| look_up(find(text).unwrap(), text, &record).absent;
    assert_eq!(
        absent("clock drifts"),
        ["monotonic_slewed", "frequency_at_limit", "frequency_misdeclared", "raw_clock_off"]
    );
    assert_eq!(absent("latency spikes"), [""; 0], "neither gaps nor stolen time were looked at");
}

#[test]
fn every_row_is_sound() {
    assert!(SYMPTOMS.len() <= 30);
    for row in SYMPTOMS {
        assert_eq!(find(row.symptom), Some(row));
        assert!(!row.runs.is_empty() && row.runs.iter().all(|name| registry::NAMES.contains(name)), "{row:?}");
        assert!(!row.findings.is_empty() && !row.usually.ends_with('.'), "{row:?}");
        // What it runs measures what it names.
        let runs: Vec<Part> = row.runs.iter().flat_map(|name| registry::parts_of(name)).map(|row| row.part).collect();
        let is_run = |rule: &Vec<Part>| rule.iter().all(|part| runs.contains(part));
        for id in row.findings {
            let rules = kinds::parts_yielding(id);
            let is_measured = rules.is_empty() || rules.iter().any(is_run);
            assert!(kinds::of_check(id).is_some() && is_measured, "{}: {id}", row.symptom);
        }
    }
}

#[test]
fn what_users_paste_is_recognised() {
    for (text, symptom) in [
        ("Marking clocksource 'tsc' as unstable because the skew is too large", "clocksource tsc marked unstable"),
        ("clock jumps after snapshot restore", "clock jumps after snapshot restore"),
        ("vdso: time goes backwards", "timestamps go backwards"),
        ("CPUThrottlingHigh: container throttled, p99 latency 100 ms", "container throttled"),
        ("sched: RT throttling activated", "sched: RT throttling activated"),
        ("overflow when subtracting duration from instant", "overflow when subtracting duration from instant"),
        ("my Java timestamps went backwards", "Java timestamps go backwards"),
        ("[Firmware Bug]: TSC doesn't count with P0 frequency!", "firmware bug: TSC does not count with P0 frequency"),
    ] {
        assert_eq!(find(text).map(|row| row.symptom), Some(symptom), "{text}");
    }
    for nothing in ["", "   ", "banana", "my cat is on the keyboard", "sometimes the backwardness", "\u{1b}[2J"] {
        assert_eq!(find(nothing), None, "{nothing}");
    }
}

/// The page's table between its two marks is that of the rows.
/// Java reads `CLOCK_MONOTONIC` and `CLOCK_REALTIME`: other runtimes, coarse clocks and types of this library answer nothing.
#[test]
fn a_question_about_a_runtime_is_answered_about_it() {
    let run = RunOptions::default();
    let planned = |asked: &str| {
        let row = find(asked).unwrap();
        let mut planned = Planned::sections("advise", row.runs, &run, &[0, 1]).unwrap();
        let kind = runtime_named(asked).unwrap();
        narrow(&mut planned.sections, kind);
        let clocks: Vec<String> =
            planned.sections.causality.plan.litmus_clocks.iter().map(ToString::to_string).collect();
        (kind.title(), planned.sections.runtimes.plan.unwrap().kinds, clocks.join(" "))
    };
    for (asked, title) in [
        ("my Java timestamps went backwards", "Java"),
        ("nanoTime went backwards", "Java"),
        ("python time goes backwards", "Python"),
        ("Node timestamps are negative", "Node.js"),
    ] {
        let (kind, kinds, clocks) = planned(asked);
        assert_eq!((kind, clocks.as_str()), (title, "CLOCK_MONOTONIC CLOCK_REALTIME"), "{asked}");
        assert!(kinds.len() == 1 && kinds[0].title() == title, "{asked}");
    }
    assert_eq!(runtime_named("timestamps go backwards"), None);
    let wall_clock_first = ["Java timestamps go backwards", "python timestamps go backwards"];
    assert!(wall_clock_first.iter().all(|text| find(text).unwrap().findings[0] == "wall_clock_for_intervals"));
    assert_eq!(find("timestamps go backwards").unwrap().findings[0], "wall_clock_stepped");
}

#[test]
fn the_documented_table_is_that_of_the_rows() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/advise.md");
    let text = fs::read_to_string(&path).expect("the page is there");
    let (before, rest) = text.split_once("\n<!-- symptoms: ").expect("the index has a beginning");
    let (note, rest) = rest.split_once(" -->\n").expect("the mark has an end");
    let (_, after) = rest.split_once("<!-- symptoms end -->").expect("the index has an end");
    let code = |of: &[&str]| of.iter().map(|id| format!("`{id}`")).collect::<Vec<_>>().join(", ");
    let mut table = "| symptom | measured by | findings | usually |\n|---|---|---|---|\n".to_owned();
    for row in SYMPTOMS {
        let runs = row.runs.iter().map(|name| commands(&[name])).collect::<Vec<_>>();
        let runs = code(&runs.iter().map(String::as_str).collect::<Vec<_>>());
        table += &format!("| {} | {runs} | {} | {} |\n", row.symptom, code(row.findings), row.usually);
    }
    let whole = format!("{before}\n<!-- symptoms: {note} -->\n{table}<!-- symptoms end -->{after}");
    crate::tests::golden_file::assert_same(&path, &whole);
}
