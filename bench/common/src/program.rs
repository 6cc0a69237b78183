//! The program of a benchmark: what can be asked of it, and what it prints.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use chronoscope_bench::print;
use chronoscope_clock::Clock;
use chronoscope_harness::record::{Machine, TscAccess};
use chronoscope_harness::{Start, machine};
use chronoscope_render::machine::facts;
use chronoscope_render::palette::{PLAIN, WARNING};
use clap::builder::PossibleValuesParser;
use clap::{CommandFactory, FromArgMatches, Parser};

use crate::goal;
use crate::section::on_page;
use crate::{Failure, Section};

/// The versions of the libraries are those of this workspace's lock file.
const LOCK_FILE: &str = include_str!("../../Cargo.lock");
/// Where the product's own workspace builds its binary.
const CHRONOSCOPE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/release/chronoscope");
const EXIT_CODES: &str = "Exit codes: 0 measured, whether or not the goals are met; 1 something could not be measured; 2 the arguments \
     are wrong.";

/// Measures a section; what it has put there stays if it fails.
pub type Measure = fn(&Run, &mut Section) -> Result<(), Failure>;

pub struct Bench {
    pub name: &'static str,
    pub about: &'static str,
    pub peers: &'static [&'static str],
    pub sections: &'static [(&'static str, Measure)],
}

/// A run of a benchmark: what is asked of it.
#[derive(Debug, Parser)]
#[command(version, max_term_width = 100, after_help = EXIT_CODES)]
pub struct Run {
    #[arg(skip)]
    bench: &'static str,

    /// Smoke size: shows that everything works; too short for the goals
    #[arg(long = "quick")]
    pub is_quick: bool,

    /// Measure this section only; may be given several times
    #[arg(long, value_name = "SECTION")]
    only: Vec<String>,

    /// Repeat what is repeated so often, instead of as often as its goals ask for
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    runs: Option<u32>,

    /// The product's binary, for what runs it
    #[arg(long, value_name = "PATH", default_value = CHRONOSCOPE, hide_default_value = true, overrides_with = "chronoscope")]
    pub chronoscope: PathBuf,

    /// The program that runs a language, as in java=/opt/jdk/bin/java; may be given several times
    #[arg(long, value_name = "LANGUAGE=PROGRAM", value_parser = language_and_program)]
    runtime: Vec<(String, PathBuf)>,
}

fn language_and_program(text: &str) -> Result<(String, PathBuf), String> {
    let (language, program) = text.split_once('=').ok_or("it has no =, as java=/opt/jdk/bin/java has")?;
    Ok((language.to_owned(), program.into()))
}

impl Run {
    pub fn pick<T>(&self, full: T, quick: T) -> T {
        if self.is_quick { quick } else { full }
    }

    /// What `once` gives, so often; it is told how often it was done before.
    pub fn repeat<T>(
        &self,
        what: &str,
        full: u32,
        quick: u32,
        mut once: impl FnMut(u32) -> Result<T, Failure>,
    ) -> Result<Vec<T>, Failure> {
        let numbers = 0..self.runs.unwrap_or(self.pick(full, quick));
        let told = numbers.inspect(|number| self.now(format!("{what}, run {}", number + 1)));
        told.map(&mut once).collect()
    }

    pub fn now(&self, what: impl Display) {
        eprintln!("bench-{}: {what}", self.bench);
    }

    /// The program that runs `language`, if one was named.
    pub fn runtime(&self, language: &str) -> Option<&Path> {
        self.runtime.iter().rev().find(|(named, _)| named == language).map(|(_, program)| program.as_path())
    }
}

impl Bench {
    /// Measures what the arguments of the process ask for, prints it, and returns the exit code.
    pub fn main(&self) -> ExitCode {
        let asked = Run::from_arg_matches(&self.command().get_matches()).unwrap_or_else(|error| error.exit());
        match self.run(&Run { bench: self.name, ..asked }) {
            Ok(true) => ExitCode::SUCCESS,
            Ok(false) => ExitCode::FAILURE,
            Err(failure) => failure.report(&format!("bench-{}", self.name)),
        }
    }

    fn command(&self) -> clap::Command {
        let sections = PossibleValuesParser::new(self.names());
        let command = Run::command().name(format!("bench/{}/run", self.name)).about(self.about);
        command.mut_arg("only", |only| only.value_parser(sections))
    }

    fn names(&self) -> Vec<&'static str> {
        self.sections.iter().map(|(name, _)| *name).collect()
    }

    /// Says whether everything that was asked for could be measured.
    fn run(&self, run: &Run) -> Result<bool, Failure> {
        let goals = goal::of(self.name, &self.names())?;
        let start = Start::of_this_process();
        if start.counter_access() == TscAccess::Faults {
            return Err(Failure::run(
                "this process may not read the counter (PR_TSC_SIGSEGV), so nothing can be compared",
            ));
        }
        let machine = machine::identify(start.counter_access(), start.allowed_cpus());
        let is_wanted = |name: &str| run.only.is_empty() || run.only.iter().any(|only| only == name);
        let measured = |(name, measure): &(&'static str, Measure)| {
            let mut section = Section::new(name);
            // A failed section does not abort the others.
            section.failure = measure(run, &mut section).err().map(|failure| failure.to_string());
            section
        };
        let sections: Vec<Section> = self.sections.iter().filter(|(name, _)| is_wanted(name)).map(measured).collect();
        let goals = on_page(|page| {
            page.section("goals");
            goals.iter().for_each(|goal| goal.draw(&sections, run.is_quick, page));
        });
        print(&(self.head(&machine, run.is_quick) + &sections.iter().map(Section::draw).collect::<String>() + &goals))?;
        Ok(sections.iter().all(|section| section.failure.is_none()))
    }

    /// Where it runs, and what is compared.
    fn head(&self, machine: &Machine, is_quick: bool) -> String {
        on_page(|page| {
            let shown = ["CPU", "clocksource", "hypervisor", "kernel", "load"];
            for (name, fact) in facts(machine).into_iter().filter(|(name, _)| shown.contains(name)) {
                page.entry(name, PLAIN, &fact);
            }
            page.entry("our clock", PLAIN, &our_clock());
            let version = |name: &&str| Some(format!("{name} {}", locked_version(LOCK_FILE, name)?));
            let peers: Vec<String> = self.peers.iter().filter_map(version).collect();
            if !peers.is_empty() {
                page.entry("peers", PLAIN, &peers.join(", "));
            }
            if is_quick {
                let words = "quick: it shows that everything works; for the numbers, run without --quick";
                page.entry("size", WARNING, words);
            }
        })
    }
}

fn our_clock() -> String {
    let trust = Clock::or_system().trust();
    let reasons = trust.reasons.iter().map(|reason| reason.to_string());
    std::iter::once(trust.state.to_string()).chain(reasons).collect::<Vec<_>>().join("; ")
}

fn locked_version<'a>(lock: &'a str, name: &str) -> Option<&'a str> {
    let mut lines = lock.lines().skip_while(|line| *line != format!("name = \"{name}\"")).skip(1);
    lines.next()?.strip_prefix("version = \"")?.strip_suffix('"')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nothing(_: &Run, _: &mut Section) -> Result<(), Failure> {
        Ok(())
    }

    #[test]
    fn sections_are_chosen_by_name_and_the_last_binary_is_meant() {
        let bench = Bench { name: "x", about: "", peers: &[], sections: &[("a", nothing)] };
        bench.command().debug_assert();
        let parsed = |arguments: &[&str]| bench.command().try_get_matches_from([&["x"], arguments].concat());
        assert!(parsed(&["--only", "a"]).is_ok() && parsed(&["--only", "b"]).is_err());
        let given = ["--chronoscope", "a", "--quick", "--chronoscope=b", "--runtime", "go=/opt/go"];
        let given = Run::from_arg_matches(&parsed(&given).unwrap()).unwrap();
        assert_eq!(given.chronoscope, PathBuf::from("b"));
        assert_eq!(given.runtime, [("go".to_owned(), PathBuf::from("/opt/go"))]);
    }

    #[test]
    fn versions_are_those_of_the_lock_file() {
        assert!(locked_version(LOCK_FILE, "quanta").is_some());
        assert_eq!(locked_version("name = \"a\"\nversion = \"1.2\"", "a"), Some("1.2"));
        assert_eq!(locked_version("name = \"a\"", "a"), None);
    }
}
