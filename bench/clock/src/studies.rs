//! The studies: what reads cost back to back, what they add to work, and how they scale over threads.

use std::time::Duration;

use bench_common::{Failure, cpus};
use chronoscope_harness::{Mode, Study};

use crate::subjects::{self, NOTHING, NOW, RDTSC, RDTSCP, READING, STD, Subject, UNORDERED};

/// The parameter that names the read: so a read on one thread and on several are next to each other in a round.
pub const READ: &str = "read";
const PROCESSES: u32 = 12;
/// Iterations of each cell per process: few and long, so that what adapts to contention has adapted.
const ROUNDS: u32 = 12;

/// All of them; without one that cannot be made here.
pub fn all() -> Vec<Study> {
    [latency(), work(), threads()].into_iter().flatten().collect()
}

fn study(name: &str, seconds: u64) -> Study {
    Study::new(name).budget(Duration::from_secs(seconds)).processes(PROCESSES)
}

/// Every read as a case, those that look at the counter compared with the bare ones and std, and our cheapest with every
/// peer that returns nanoseconds.
///
/// Coarse reads are not compared: batches of cases that are compared are as long as the fastest of them needs, and a read
/// that takes a nanosecond would leave the others a fraction of their iterations.
pub fn latency() -> Result<Study, Failure> {
    use subjects::Unit::{Coarse, Nanoseconds};

    let subjects = subjects::of('l')?;
    let names = |wanted: fn(&Subject) -> bool| -> Vec<&str> {
        subjects.iter().filter(|subject| wanted(subject)).map(|subject| subject.name).collect()
    };
    let compared = names(|subject| subject.unit != Coarse);
    let peers =
        names(|subject| subject.unit == Nanoseconds && !subject.name.starts_with("our ") && subject.name != STD);
    let mut study =
        subjects.into_iter().fold(study("latency", 30), |study, subject| study.case(subject.name, subject.reads));
    for baseline in [RDTSC, RDTSCP, STD].into_iter().filter(|baseline| compared.contains(baseline)) {
        let others = compared.iter().filter(|name| **name != baseline);
        study = others.fold(study, |study, name| study.compare(*name, baseline));
    }
    let study = study.compare(READING, NOW);
    Ok(peers.into_iter().fold(study, |study, peer| study.compare(UNORDERED, peer)))
}

/// Every read as a case in work, compared with the work alone.
pub fn work() -> Result<Study, Failure> {
    let subjects = subjects::of('w')?;
    let reads: Vec<&str> = subjects.iter().map(|subject| subject.name).filter(|name| *name != NOTHING).collect();
    let study = subjects.into_iter().fold(study("work", 20), |study, subject| study.case(subject.name, subject.works));
    Ok(reads.into_iter().fold(study, |study, name| study.compare(name, NOTHING)))
}

/// Every read on one thread, and on 2, 4, … up to all CPUs.
pub fn threads() -> Result<Study, Failure> {
    let counts = thread_counts(cpus::allowed()?.len() as u32);
    let subjects = subjects::of('t')?;
    let names: Vec<&str> = subjects.iter().map(|subject| subject.name).collect();
    let study = study("threads", 60).mode(Mode::Throughput).threads(counts).rounds(ROUNDS).parameter(READ, names);
    Ok(study.case("reads", move |bencher| {
        let name: String = bencher.parameter(READ);
        match subjects.iter().find(|subject| subject.name == name) {
            Some(subject) => (subject.reads)(bencher),
            None => panic!("there is no read called {name}"),
        }
    }))
}

fn thread_counts(cpus: u32) -> Vec<u32> {
    let powers = std::iter::successors(Some(1), |threads| Some(threads * 2));
    powers.take_while(|threads| *threads < cpus).chain([cpus]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronoscope_harness::StudyOptions;

    #[test]
    fn every_read_of_the_counter_is_compared_with_std_and_no_coarse_one() {
        let comparisons = latency().unwrap().plan(&StudyOptions::default(), &[0]).unwrap().comparisons;
        let with_std = |name: &str| comparisons.contains(&(name.to_owned(), STD.to_owned()));
        for subject in subjects::of('l').unwrap() {
            let is_compared = subject.unit != subjects::Unit::Coarse && subject.name != STD;
            assert_eq!(with_std(subject.name), is_compared, "{}", subject.name);
        }
    }

    #[test]
    fn every_study_makes_sense() {
        assert_eq!(all().len(), 3);
        for study in all() {
            assert!(study.plan(&StudyOptions::default(), &[0, 1]).is_ok(), "{}", study.name());
        }
    }

    #[test]
    fn threads_are_doubled_up_to_all_cpus() {
        assert_eq!(thread_counts(1), [1]);
        assert_eq!(thread_counts(2), [1, 2]);
        assert_eq!(thread_counts(6), [1, 2, 4, 6]);
    }
}
