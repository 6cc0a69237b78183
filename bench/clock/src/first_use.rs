//! The first call in a fresh process, and what a library does before `main`.
//!
//! No study: a study times operations inside its own processes, this starts other programs.

use std::process::Command;

use bench_clock::monotonic::monotonic_ns;
use bench_common::process::{output_of, sibling};
use bench_common::value::{quantile, sorted};
use bench_common::{Failure, Run, Section, Table, Value};

/// The first links no library.
const LIBRARIES: [&str; 8] =
    ["nothing", "std", "chronoscope", "quanta", "minstant", "fastant", "coarsetime", "clocksource"];

/// Microseconds of a process: from spawn to `main`, for the first call and for the second; and constructors.
type Timings = [f64; 4];

pub(crate) fn measure(run: &Run, section: &mut Section) -> Result<(), Failure> {
    let programs = LIBRARIES.iter().map(|name| sibling(&format!("first_use_{name}"))).collect::<Result<Vec<_>, _>>()?;
    let rounds: usize = run.pick(31, 5);
    run.now(format!("first use, {rounds} processes of each library"));
    let spawn = |at: usize| -> Result<Timings, Failure> {
        let what = format!("the first-use process of {}", LIBRARIES[at]);
        let spawned_ns = monotonic_ns();
        let said = output_of(&mut Command::new(&programs[at]), &what)?;
        let numbers: Vec<u64> = said.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        let [entered_ns, first_ns, second_ns, constructors] = numbers[..] else {
            return Err(Failure::run(format!("{what} printed an unexpected answer: {}", said.trim())));
        };
        let us = |ns: u64| ns as f64 / 1e3;
        Ok([us(entered_ns.saturating_sub(spawned_ns)), us(first_ns), us(second_ns), constructors as f64])
    };
    // The pages of all executables are read once before anything counts.
    (0..LIBRARIES.len()).try_for_each(|at| spawn(at).map(drop))?;
    let mut said = vec![Vec::new(); LIBRARIES.len()];
    for round in 0..rounds {
        // Each round begins with the next library and every other one goes backwards, so that none always follows the same one.
        let mut order: Vec<usize> = (0..LIBRARIES.len()).collect();
        order.rotate_left(round % LIBRARIES.len());
        if round % 2 == 1 {
            order.reverse();
        }
        for at in order {
            said[at].push(spawn(at)?);
        }
    }
    let columns =
        "library | first call µs | p90 µs | second call µs | spawn to main µs | before main µs | constructors";
    let mut table = Table::new(1, columns);
    for (name, of_library) in LIBRARIES.into_iter().zip(&said) {
        let of = |which: usize| of_library.iter().map(move |said| said[which]);
        let beyond_none =
            |which: usize| of_library.iter().zip(&said[0]).map(move |(with, none)| with[which] - none[which]);
        table.row([
            name.into(),
            Value::extremes(of(1), 1),
            sorted(of(1)).map(|us| Value::number(quantile(&us, 0.9), 1)).into(),
            Value::extremes(of(2), 2),
            Value::extremes(of(0), 0),
            Value::quartiles(beyond_none(0), 0),
            Value::extremes(beyond_none(3), 0),
        ]);
    }
    section.table(table);
    section.say(format!("{rounds} fresh processes of each. In parentheses: extremes; before main: quartiles."));
    Ok(())
}
