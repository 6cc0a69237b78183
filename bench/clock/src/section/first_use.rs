//! The first call in a fresh process, and what a library does before `main`.

use std::process::Command;

use bench_common::process::{output_of, sibling};
use serde::Serialize;

use crate::constructors;
use crate::failure::Failure;
use crate::monotonic::monotonic_ns;
use crate::rounds::Rounds;
use crate::size::Size;
use crate::spread::Spread;
use crate::table;

/// The process that links no library.
const NOTHING: &str = "nothing";
const OURS: &str = "chronoscope";
const LIBRARIES: &[&str] = &[NOTHING, "std", OURS, "quanta", "minstant", "fastant", "coarsetime", "clocksource"];

/// What the section saw.
#[derive(Debug, Serialize)]
pub(crate) struct FirstUse {
    processes_each: usize,
    libraries: Vec<Row>,
}

#[derive(Debug, Serialize)]
struct Row {
    name: String,
    first_call_us: Option<Spread>,
    second_call_us: Option<Spread>,
    spawn_to_main_us: Option<Spread>,
    /// That, less that of the process that links nothing, in the same round.
    before_main_us: Option<Spread>,
    /// Functions in its executable that run before `main`.
    constructors: u64,
}

pub(crate) fn measure(size: &Size) -> Result<FirstUse, Failure> {
    let programs = LIBRARIES.iter().map(|name| sibling(&format!("first_use_{name}"))).collect::<Result<Vec<_>, _>>()?;
    eprintln!("bench-clock: first use, {} processes of each library", size.first_uses);
    let (mut firsts, mut seconds) = (vec![Vec::new(); LIBRARIES.len()], vec![Vec::new(); LIBRARIES.len()]);
    let spawn = |at: usize| {
        let what = format!("the first-use process of {}", LIBRARIES[at]);
        let spawned_ns = monotonic_ns();
        let said = output_of(Command::new(&programs[at]), &what)?;
        let numbers: Vec<u64> = said.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        let [entered_ns, first_ns, second_ns] = numbers[..] else {
            return Err(Failure::because(format!("{what} printed an unexpected answer: {}", said.trim())));
        };
        firsts[at].push(first_ns as f64 / 1e3);
        seconds[at].push(second_ns as f64 / 1e3);
        Ok(entered_ns.saturating_sub(spawned_ns) as f64 / 1e3)
    };
    // The pages of all executables are read once before anything counts.
    for program in &programs {
        output_of(Command::new(program), "a first-use process")?;
    }
    let to_main = Rounds::interleave(LIBRARIES, size.first_uses, spawn)?;
    let constructors = programs.iter().map(|path| constructors::count(path)).collect::<Result<Vec<_>, _>>()?;
    let row = |(at, name): (usize, &&str)| Row {
        name: (*name).into(),
        first_call_us: Spread::of(firsts[at].iter().copied()),
        second_call_us: Spread::of(seconds[at].iter().copied()),
        spawn_to_main_us: to_main.spread(name),
        before_main_us: Spread::of(to_main.difference(name, NOTHING)),
        constructors: constructors[at],
    };
    Ok(FirstUse { processes_each: size.first_uses, libraries: LIBRARIES.iter().enumerate().map(row).collect() })
}

impl FirstUse {
    fn ours(&self) -> Option<&Row> {
        self.libraries.iter().find(|row| row.name == OURS)
    }

    pub(crate) fn our_first_call_us(&self) -> Option<Spread> {
        self.ours()?.first_call_us
    }

    pub(crate) fn ours_before_main_us(&self) -> Option<Spread> {
        self.ours()?.before_main_us
    }

    /// How many more functions run before `main` with our library than without one.
    pub(crate) fn our_constructors(&self) -> Option<u64> {
        let without = self.libraries.iter().find(|row| row.name == NOTHING)?.constructors;
        Some(self.ours()?.constructors.saturating_sub(without))
    }

    pub(crate) fn show(&self) -> String {
        let rows = self.libraries.iter().map(|row| {
            vec![
                row.name.clone(),
                table::or_dash(row.first_call_us.map(|us| us.show_extremes(1))),
                table::or_dash(row.first_call_us.map(|us| format!("{:.1}", us.p90))),
                table::or_dash(row.second_call_us.map(|us| us.show_extremes(2))),
                table::or_dash(row.spawn_to_main_us.map(|us| us.show_extremes(0))),
                table::or_dash(row.before_main_us.map(|us| us.show(0))),
                row.constructors.to_string(),
            ]
        });
        let headings = [
            "library",
            "first call µs (extremes)",
            "p90",
            "second call µs",
            "spawn to main µs (extremes)",
            "before main µs (quartiles)",
            "constructors",
        ];
        format!(
            "{}\n\n{} fresh processes of each, each linking this library alone. Before main: the time from spawn to main less\n\
             that of the process without a library, in the same round. Constructors: entries of the executable's `.init_array`.",
            table::numbers(&headings, rows),
            self.processes_each,
        )
    }
}
