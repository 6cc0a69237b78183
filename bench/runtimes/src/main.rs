//! Measures the clocks of language runtimes by our probes and by each language's own harness, in turns, and says whether
//! the two agree; see README.md.

mod agreement;
mod backoff;
mod language;
mod oracle;
mod ours;

use std::process::ExitCode;

use bench_common::{Bench, Failure, Run, Section};

use agreement::Side;
use language::{GO, JAVA, Language, PYTHON};

fn main() -> ExitCode {
    Bench {
        name: "runtimes",
        about: "Compares `chronoscope runtimes` with each language's own harness, in turns, and says whether they agree",
        peers: &[],
        sections: &[
            ("java", |run, section| compare(&JAVA, run, section)),
            ("go", |run, section| compare(&GO, run, section)),
            ("python", |run, section| compare(&PYTHON, run, section)),
            ("backoff", backoff::compare),
        ],
    }
    .main()
}

/// Has either side measure once in each round. Who begins changes from round to round.
fn compare(language: &Language, run: &Run, section: &mut Section) -> Result<(), Failure> {
    let program = run.runtime(language.name).unwrap_or(language.program.as_ref());
    // A harness that is not there is not asked.
    let oracle = match oracle::find(language, program) {
        Ok(oracle) => oracle,
        Err(reason) => {
            section.say(format!("Skipped: {reason}"));
            return Ok(());
        }
    };
    let mut rounds: Vec<Vec<[Side; 2]>> = vec![Vec::new(); language.pairs.len()];
    let (mut harness, mut runtime) = (String::new(), String::new());
    // What failed does not take along what was measured before.
    let done = run.repeat(language.name, 9, 3, |round| {
        let ours = || ours::measure(language, program, run);
        let before = if round % 2 == 0 { Some(ours()?) } else { None };
        let theirs = oracle(run)?;
        let document = before.map_or_else(ours, Ok)?;
        let found = ours::find(&document, language, &theirs.interpreter)?;
        for ((clock, figure, benchmark), rounds) in language.pairs.iter().zip(&mut rounds) {
            let theirs = theirs.benchmarks.get(*benchmark).map(|ns| figure.of_repetitions(ns));
            rounds.extend(ours::reading(found, clock, *figure).zip(theirs).map(|(ours, theirs)| [ours, theirs]));
        }
        (harness, runtime) = (theirs.harness, ours::show(found));
        Ok(())
    });
    agreement::table(language, &rounds, section);
    section.say(format!("{runtime}, {harness}"));
    done.map(drop)
}
