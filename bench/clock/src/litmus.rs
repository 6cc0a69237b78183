//! Times that go back between threads: one CPU publishes its clock, another looks at it and reads its own.

use std::time::Duration;

use bench_clock::monotonic::monotonic_ns;
use bench_common::process::failed;
use bench_common::{Count, Failure, Run, Section, Table, Value, cpus};
use chronoscope_clock::{Clock, Granular, TickSource};
use chronoscope_sources::arch::{Counter, NAME_ORDERED, NAME_UNORDERED, NAME_WITH_PROCESSOR_ID, WithProcessorId};
use chronoscope_sources::causality;

struct Function<F>(F);

impl<F: Fn() -> u64> TickSource for Function<F> {
    #[inline(always)]
    fn read(&self) -> u64 {
        (self.0)()
    }
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
    let many = litmus.run.pick(100_000_000, 1_000_000);
    let clock = Clock::or_system();
    let ns_per_tick = clock.trust().counter_hz.map_or(f64::NAN, |hz| 1e9 / hz);
    let (granular, unordered) = (Granular::process(), clock.unordered());
    litmus.of("our Clock::now", 1.0, many, move || clock.read())?;
    litmus.of("our Granular 1 µs", 1.0, many, move || granular.read())?;
    litmus.of("our Unordered", 1.0, 0, move || unordered.read())?;
    if let Ok(counter) = Counter::new() {
        litmus.of(NAME_UNORDERED, ns_per_tick, 0, move || counter.unordered())?;
        litmus.of(NAME_ORDERED, ns_per_tick, 0, move || counter.ordered())?;
    }
    if let Ok(counter) = WithProcessorId::new() {
        litmus.of(NAME_WITH_PROCESSOR_ID, ns_per_tick, 0, move || counter.read())?;
    }
    let standard = std::time::Instant::now();
    let (quanta, minstant, fastant) = (quanta::Instant::now(), minstant::Instant::now(), fastant::Instant::now());
    litmus.of("clock_gettime MONOTONIC", 1.0, 0, monotonic_ns)?;
    litmus.of("std elapsed", 1.0, 0, move || standard.elapsed().as_nanos() as u64)?;
    litmus.of("quanta elapsed", 1.0, 0, move || quanta.elapsed().as_nanos() as u64)?;
    litmus.of("minstant elapsed", 1.0, 0, move || minstant.elapsed().as_nanos() as u64)?;
    litmus.of("fastant elapsed", 1.0, 0, move || fastant.elapsed().as_nanos() as u64)
}

impl Litmus<'_> {
    /// Looks at a clock in slices, in both directions, until there are `enough` observations or the time is over.
    fn of(&mut self, name: &str, ns_per_unit: f64, enough: u64, read: impl Fn() -> u64 + Sync) -> Result<(), Failure> {
        self.run.now(format!("litmus, {name}"));
        let (slice, longest) = self.run.pick(
            (Duration::from_secs(1), Duration::from_secs(45)),
            (Duration::from_millis(100), Duration::from_secs(1)),
        );
        let (source, [one, other]) = (Function(read), self.cpus);
        let mut directions = [[one, other], [other, one]].map(|cpus| (cpus, Count::default(), 0, 0_u64));
        let mut each = Duration::ZERO;
        while each.is_zero()
            || each < longest && directions.iter().map(|(_, count, ..)| count.all).sum::<u64>() < enough
        {
            for (cpus, violations, fresh, worst) in &mut directions {
                let seen = causality::litmus(&source, *cpus, slice).map_err(failed(format!("the litmus of {name}")))?;
                *violations = *violations + Count { of: seen.violations, all: seen.observations };
                *fresh += seen.fresh;
                *worst = seen.worst_ticks.max(*worst);
            }
            each += slice;
        }
        for ([from, to], violations, fresh, worst) in directions {
            self.table.row([
                name.into(),
                format!("{from} → {to}").into(),
                violations.into(),
                Value::number(violations.of as f64 / violations.all.max(1) as f64 * 100.0, 4),
                Value::number(worst as f64 * ns_per_unit, 0),
                Value::number(fresh as f64 / 1e6, 1),
                Value::number(violations.all as f64 / 1e6 / each.as_secs_f64(), 1),
            ]);
        }
        Ok(())
    }
}
