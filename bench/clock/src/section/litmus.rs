//! Times that go back between threads: one CPU publishes its clock, another looks at it and reads its own.

use std::time::Duration;

use chronoscope_clock::{Clock, Granular, TickSource};
use chronoscope_sources::causality::{self, Seen};
use chronoscope_sources::{Guarantee, SourceId, SourceVisitor, Unit, os::OsClock};
use serde::Serialize;

use crate::cpus;
use crate::failure::Failure;
use crate::size::Size;
use crate::subjects::{GRANULAR, ORDERED};
use crate::table;

/// What the section saw.
#[derive(Debug, Serialize)]
pub(crate) struct Litmus {
    clocks: Vec<Row>,
}

#[derive(Debug, Serialize)]
struct Row {
    name: String,
    directions: [Direction; 2],
}

#[derive(Debug, Default, Serialize)]
struct Direction {
    from_cpu: u32,
    to_cpu: u32,
    observations: u64,
    fresh: u64,
    violations: u64,
    worst_ns: f64,
    seconds: f64,
}

/// A function as a source.
struct Function<F>(F);

impl<F: Fn() -> u64> TickSource for Function<F> {
    #[inline(always)]
    fn read(&self) -> u64 {
        (self.0)()
    }
}

/// How long to look at a clock.
#[derive(Clone, Copy)]
struct Limits {
    slice: Duration,
    observations: u64,
    longest: Duration,
}

pub(crate) fn measure(size: &Size) -> Result<Litmus, Failure> {
    let cpus = cpus::allowed()?;
    let [first, .., last] = cpus[..] else {
        return Err(Failure::because("the litmus needs two CPUs, and this process may use one only"));
    };
    let cpus = [first as u32, last as u32];
    let ours =
        Limits { slice: size.litmus_slice, observations: size.litmus_observations, longest: size.litmus_longest };
    let peers = Limits { slice: size.litmus_peer, observations: 0, longest: size.litmus_peer * 2 };

    let mut clocks = vec![
        of_source(ORDERED, &Clock::or_system(), 1.0, cpus, ours)?,
        of_source(GRANULAR, &Granular::process(), 1.0, cpus, ours)?,
    ];
    let by_id = [
        SourceId::Clock(Guarantee::Unordered),
        SourceId::CounterUnordered,
        SourceId::CounterOrdered,
        SourceId::CounterWithProcessorId,
        SourceId::Os(OsClock::Monotonic),
    ];
    for id in by_id {
        let name = if id.guarantee().is_some() { format!("our {}", id.name()) } else { id.name().to_owned() };
        match id.visit(Look { name, unit: id.facts().unit, cpus, limits: peers }) {
            Ok(row) => clocks.push(row?),
            Err(unavailable) => eprintln!("bench-clock: no litmus of {}: {unavailable}", id.name()),
        }
    }
    let start = std::time::Instant::now();
    clocks.push(of_source("std elapsed", &Function(|| start.elapsed().as_nanos() as u64), 1.0, cpus, peers)?);
    let start = quanta::Instant::now();
    clocks.push(of_source("quanta elapsed", &Function(|| start.elapsed().as_nanos() as u64), 1.0, cpus, peers)?);
    let start = minstant::Instant::now();
    clocks.push(of_source("minstant elapsed", &Function(|| start.elapsed().as_nanos() as u64), 1.0, cpus, peers)?);
    let start = fastant::Instant::now();
    clocks.push(of_source("fastant elapsed", &Function(|| start.elapsed().as_nanos() as u64), 1.0, cpus, peers)?);
    Ok(Litmus { clocks })
}

struct Look {
    name: String,
    unit: Unit,
    cpus: [u32; 2],
    limits: Limits,
}

impl SourceVisitor for Look {
    type Output = Result<Row, Failure>;

    fn visit<S: TickSource + Copy + Send + Sync + 'static>(self, source: S) -> Self::Output {
        let ns_per_unit = match self.unit {
            Unit::Nanoseconds => 1.0,
            Unit::CounterTicks => Clock::or_system().trust().counter_hz.map_or(f64::NAN, |hz| 1e9 / hz),
        };
        of_source(&self.name, &source, ns_per_unit, self.cpus, self.limits)
    }
}

/// Slices in both directions, in turns, until there are enough observations or the time is over.
fn of_source(
    name: &str,
    source: &(impl TickSource + Sync),
    ns_per_unit: f64,
    cpus: [u32; 2],
    limits: Limits,
) -> Result<Row, Failure> {
    eprintln!("bench-clock: litmus, {name}");
    let [one, other] = cpus;
    let direction = |from_cpu, to_cpu| Direction { from_cpu, to_cpu, ..Direction::default() };
    let mut directions = [direction(one, other), direction(other, one)];
    let mut spent = Duration::ZERO;
    loop {
        for direction in &mut directions {
            let seen: Seen = causality::litmus(source, [direction.from_cpu, direction.to_cpu], limits.slice)
                .map_err(|error| Failure::because(format!("the litmus of {name}: {error}")))?;
            direction.observations += seen.observations;
            direction.fresh += seen.fresh;
            direction.violations += seen.violations;
            direction.worst_ns = direction.worst_ns.max(seen.worst_ticks as f64 * ns_per_unit);
            direction.seconds += limits.slice.as_secs_f64();
            spent += limits.slice;
        }
        let observations: u64 = directions.iter().map(|direction| direction.observations).sum();
        if observations >= limits.observations || spent >= limits.longest {
            return Ok(Row { name: name.into(), directions });
        }
    }
}

impl Litmus {
    /// Observations of a clock, those of a new value among them, and violations; both directions together.
    pub(crate) fn totals(&self, name: &str) -> Option<[u64; 3]> {
        let row = self.clocks.iter().find(|row| row.name == name)?;
        let sum = |of: fn(&Direction) -> u64| row.directions.iter().map(of).sum();
        Some([
            sum(|direction| direction.observations),
            sum(|direction| direction.fresh),
            sum(|direction| direction.violations),
        ])
    }

    pub(crate) fn show(&self) -> String {
        let rows = self.clocks.iter().flat_map(|row| {
            row.directions.iter().map(|seen| {
                let share = seen.violations as f64 / seen.observations.max(1) as f64 * 100.0;
                vec![
                    row.name.clone(),
                    format!("{} → {}", seen.from_cpu, seen.to_cpu),
                    format!("{:.1}", seen.observations as f64 / 1e6),
                    format!("{:.1}", seen.fresh as f64 / 1e6),
                    format!("{:.1}", seen.observations as f64 / 1e6 / seen.seconds),
                    seen.violations.to_string(),
                    if seen.violations == 0 { "0".into() } else { format!("{share:.4}") },
                    format!("{:.0}", seen.worst_ns),
                ]
            })
        });
        let headings = ["clock", "CPUs", "observations, M", "of new values, M", "M/s", "violations", "%", "worst ns"];
        format!(
            "{}\n\nNo violation in n observations leaves a rate of up to 3 / n possible, with 95 % confidence.",
            table::numbers(&headings, rows)
        )
    }
}
