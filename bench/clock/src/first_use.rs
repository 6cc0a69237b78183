//! The first call in a fresh process, and what a library does before `main`.
//!
//! No study: a study times operations inside its own processes, this starts other programs.

use std::process::Command;

use bench_clock::monotonic::monotonic_ns;
use bench_common::process::{output_of, sibling};
use bench_common::value::{quantile, sorted};
use bench_common::{Failure, Run, Section, Table, Value};

use crate::constructors;

/// The first links no library.
const LIBRARIES: [&str; 8] =
    ["nothing", "std", "chronoscope", "quanta", "minstant", "fastant", "coarsetime", "clocksource"];

/// What a process took, in microseconds: from spawn to `main`, for the first call, and for the second.
type Took = [f64; 3];

pub(crate) fn measure(run: &Run, section: &mut Section) -> Result<(), Failure> {
    let programs = LIBRARIES.iter().map(|name| sibling(&format!("first_use_{name}"))).collect::<Result<Vec<_>, _>>()?;
    let rounds: usize = run.pick(31, 5);
    run.now(format!("first use, {rounds} processes of each library"));
    let spawn = |at: usize| -> Result<Took, Failure> {
        let what = format!("the first-use process of {}", LIBRARIES[at]);
        let spawned_ns = monotonic_ns();
        let said = output_of(&mut Command::new(&programs[at]), &what)?;
        match said.split_whitespace().filter_map(|word| word.parse().ok()).collect::<Vec<u64>>()[..] {
            [entered_ns, first_ns, second_ns] => {
                Ok([entered_ns.saturating_sub(spawned_ns), first_ns, second_ns].map(|ns| ns as f64 / 1e3))
            }
            _ => Err(Failure::run(format!("{what} printed an unexpected answer: {}", said.trim()))),
        }
    };
    // The pages of all executables are read once before anything counts.
    (0..LIBRARIES.len()).try_for_each(|at| spawn(at).map(drop))?;
    let mut took = vec![Vec::new(); LIBRARIES.len()];
    for round in 0..rounds {
        for at in order(round, LIBRARIES.len()) {
            took[at].push(spawn(at)?);
        }
    }
    let constructors = programs.iter().map(|path| constructors::count(path)).collect::<Result<Vec<_>, _>>()?;
    let columns =
        "library | first call µs | p90 µs | second call µs | spawn to main µs | before main µs | constructors";
    let mut table = Table::new(1, columns);
    for (at, name) in LIBRARIES.into_iter().enumerate() {
        let of = |which: usize| took[at].iter().map(move |took| took[which]);
        let before_main = took[at].iter().zip(&took[0]).map(|(with, without)| with[0] - without[0]);
        table.row([
            name.into(),
            Value::extremes(of(1), 1),
            sorted(of(1)).map(|us| Value::number(quantile(&us, 0.9), 1)).into(),
            Value::extremes(of(2), 2),
            Value::extremes(of(0), 0),
            Value::quartiles(before_main, 0),
            Value::number(constructors[at] as f64 - constructors[0] as f64, 0),
        ]);
    }
    section.table(table);
    section.say(format!("{rounds} fresh processes of each. In parentheses: extremes; before main: quartiles."));
    Ok(())
}

/// The order of a round: each begins with the next subject and every other one goes backwards, so that no subject always
/// follows the same one or always comes first of two.
fn order(round: usize, count: usize) -> impl Iterator<Item = usize> {
    (0..count).map(move |turn| (round + if round.is_multiple_of(2) { turn } else { count - turn }) % count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_round_has_each_subject_once_from_another_start() {
        assert_eq!([order(0, 3).collect::<Vec<_>>(), order(1, 3).collect()], [[0, 1, 2], [1, 0, 2]]);
    }
}
