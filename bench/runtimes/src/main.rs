//! Measures the clocks of language runtimes by our probes and by each language's own harness, in turns, and says whether
//! the two agree; see README.md.

mod agreement;
mod language;
mod oracle;
mod ours;

use std::process::ExitCode;

use bench_common::{Bench, Failure, Run, Section};

use agreement::Side;
use language::{GO, JAVA, Language, PYTHON};
use oracle::Oracle;

fn main() -> ExitCode {
    Bench {
        name: "runtimes",
        about: "Compares `chronoscope runtimes` with each language's own harness, in turns, and says whether they agree",
        peers: &[],
        sections: &[
            ("java", |run, section| compare(&JAVA, run, section)),
            ("go", |run, section| compare(&GO, run, section)),
            ("python", |run, section| compare(&PYTHON, run, section)),
        ],
        takes: &["runs", "chronoscope", "runtime"],
    }
    .main()
}

/// Has either side measure once in each round. Who begins changes from round to round.
fn compare(language: &Language, run: &Run, section: &mut Section) -> Result<(), Failure> {
    if !run.chronoscope.is_file() {
        return Err(Failure::run(format!(
            "there is no program {}; bench/runtimes/run builds it",
            run.chronoscope.display()
        )));
    }
    let program = run.runtime(language.name).unwrap_or(language.program.as_ref());
    // A harness that is not there is not asked.
    let oracle = match Oracle::find(language, program) {
        Ok(oracle) => oracle,
        Err(reason) => {
            section.say(format!("Skipped: {reason}"));
            return Ok(());
        }
    };
    let mut rounds: Vec<Vec<[Side; 2]>> = vec![Vec::new(); language.pairs.len()];
    let (mut harness, mut runtime) = (String::new(), String::new());
    let mut measure = |round: u32| -> Result<(), Failure> {
        run.now(format!("{}, round {}", language.name, round + 1));
        let (ours, theirs) = match round % 2 {
            0 => (ours::measure(language, program, run)?, oracle.measure(run)?),
            _ => {
                let theirs = oracle.measure(run)?;
                (ours::measure(language, program, run)?, theirs)
            }
        };
        let found = ours::find(&ours, language, &theirs.interpreter)?;
        for (pair, rounds) in language.pairs.iter().zip(&mut rounds) {
            let theirs = theirs.benchmarks.get(pair.benchmark).map(|ns| pair.figure.of_repetitions(ns));
            rounds.extend(ours::reading(found, pair).zip(theirs).map(|(ours, theirs)| [ours, theirs]));
        }
        (harness, runtime) = (theirs.harness, ours::show(found));
        Ok(())
    };
    // What failed does not take along what was measured before.
    let done = run.times(9, 3).try_for_each(&mut measure);
    agreement::table(language, &rounds, section);
    section.say(format!("{runtime}, {harness}"));
    done
}
