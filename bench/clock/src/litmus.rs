//! Times that go back between threads: one CPU publishes its clock, another looks at it and reads its own.

use std::time::Duration;

use bench_clock::monotonic::monotonic_ns;
use bench_clock::raw::{
    self, Counter, NAME_ORDERED, NAME_UNORDERED, NAME_WITH_PROCESSOR_ID, TickSource, WithProcessorId,
};
use bench_common::process::failed;
use bench_common::{Count, Failure, Run, Section, Table, Value, cpus};
use chronoscope_clock::{Clock, Granular};

/// A function as a source.
struct Function<F>(F);

impl<F: Fn() -> u64> TickSource for Function<F> {
    #[inline(always)]
    fn read(&self) -> u64 {
        (self.0)()
    }
}

/// How long to look at a clock: slices in both directions, in turns, until there are enough observations or the time is over.
#[derive(Clone, Copy)]
struct Limits {
    slice: Duration,
    observations: u64,
    longest: Duration,
}

struct Litmus<'a> {
    run: &'a Run,
    cpus: [u32; 2],
    table: Table,
}

pub(crate) fn measure(run: &Run, section: &mut Section) -> Result<(), Failure> {
    let [first, .., last] = cpus::allowed()?[..] else {
        return Err(Failure::run("the litmus needs two CPUs, and this process may use one only"));
    };
    let columns = "clock | CPUs | violations | % | worst ns | of new values, M | M/s";
    let mut litmus = Litmus { run, cpus: [first, last], table: Table::new(2, columns) };
    let done = all(&mut litmus);
    section.table(litmus.table);
    section.say("No violation in n observations leaves a rate of up to 3 / n possible, with 95 % confidence.");
    done
}

fn all(litmus: &mut Litmus<'_>) -> Result<(), Failure> {
    let run = litmus.run;
    let (slice, longest) = (run.pick(2_000, 100), run.pick(90, 2));
    let (slice, longest) = (Duration::from_millis(slice), Duration::from_secs(longest));
    let ours = Limits { slice, observations: run.pick(100_000_000, 1_000_000), longest };
    let slice = run.pick(Duration::from_secs(1), Duration::from_millis(200));
    let peers = Limits { slice, observations: 0, longest: 2 * slice };
    let clock = Clock::or_system();
    let ns_per_tick = clock.trust().counter_hz.map_or(f64::NAN, |hz| 1e9 / hz);
    let (granular, unordered) = (Granular::process(), clock.unordered());
    litmus.of("our Clock::now", move || clock.now().as_nanos(), 1.0, ours)?;
    litmus.of("our Granular 1 µs", move || granular.now().as_nanos(), 1.0, ours)?;
    litmus.of("our Unordered", move || unordered.now().as_nanos(), 1.0, peers)?;
    if let Ok(counter) = Counter::new() {
        litmus.of(NAME_UNORDERED, move || counter.unordered(), ns_per_tick, peers)?;
        litmus.of(NAME_ORDERED, move || counter.ordered(), ns_per_tick, peers)?;
    }
    if let Ok(counter) = WithProcessorId::new() {
        litmus.of(NAME_WITH_PROCESSOR_ID, move || counter.read(), ns_per_tick, peers)?;
    }
    litmus.of("clock_gettime MONOTONIC", monotonic_ns, 1.0, peers)?;
    let start = std::time::Instant::now();
    litmus.of("std elapsed", move || start.elapsed().as_nanos() as u64, 1.0, peers)?;
    let start = quanta::Instant::now();
    litmus.of("quanta elapsed", move || start.elapsed().as_nanos() as u64, 1.0, peers)?;
    let start = minstant::Instant::now();
    litmus.of("minstant elapsed", move || start.elapsed().as_nanos() as u64, 1.0, peers)?;
    let start = fastant::Instant::now();
    litmus.of("fastant elapsed", move || start.elapsed().as_nanos() as u64, 1.0, peers)?;
    Ok(())
}

impl Litmus<'_> {
    fn of(
        &mut self,
        name: &str,
        read: impl Fn() -> u64 + Sync,
        ns_per_unit: f64,
        limits: Limits,
    ) -> Result<(), Failure> {
        self.run.now(format!("litmus, {name}"));
        let (source, [one, other]) = (Function(read), self.cpus);
        let mut directions = [[one, other], [other, one]].map(|cpus| (cpus, Count::default(), 0, 0_u64));
        let mut spent = Duration::ZERO;
        while spent.is_zero()
            || spent < limits.longest
                && directions.iter().map(|(_, count, ..)| count.all).sum::<u64>() < limits.observations
        {
            for (cpus, violations, fresh, worst) in &mut directions {
                let seen =
                    raw::litmus(&source, *cpus, limits.slice).map_err(failed(format!("the litmus of {name}")))?;
                *violations = *violations + Count { of: seen.violations, all: seen.observations };
                *fresh += seen.fresh;
                *worst = seen.worst_ticks.max(*worst);
                spent += limits.slice;
            }
        }
        let seconds = spent.as_secs_f64() / 2.0;
        for ([from, to], violations, fresh, worst) in directions {
            self.table.row([
                name.into(),
                format!("{from} → {to}").into(),
                violations.into(),
                Value::number(violations.of as f64 / violations.all.max(1) as f64 * 100.0, 4),
                Value::number(worst as f64 * ns_per_unit, 0),
                Value::number(fresh as f64 / 1e6, 1),
                Value::number(violations.all as f64 / 1e6 / seconds, 1),
            ]);
        }
        Ok(())
    }
}
