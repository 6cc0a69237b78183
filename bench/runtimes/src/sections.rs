//! The sections of a run: a language each.

use bench_common::failure::Failure;
use serde::Serialize;

use crate::arguments::Arguments;
use crate::compared::{self, Compared};
use crate::language::Language;
use crate::oracle::{self, Measured, Oracle, Reading};
use crate::ours::{self, Runtime};
use crate::size::Size;

/// What was measured.
#[derive(Debug, Serialize)]
pub(crate) struct Sections {
    pub(crate) is_quick: bool,
    pub(crate) languages: Vec<Section>,
}

/// One language.
#[derive(Serialize)]
pub(crate) struct Section {
    pub(crate) language: Language,
    /// As it calls itself; None before the first round.
    pub(crate) runtime: Option<String>,
    /// With its version; None before the first round.
    pub(crate) harness: Option<String>,
    /// Why it was not compared: the harness is not there.
    pub(crate) skipped: Option<Failure>,
    pub(crate) rows: Vec<Compared>,
    /// Why it was not compared to the end.
    #[serde(skip)]
    pub(crate) failed: Option<Failure>,
    #[serde(skip)]
    oracle: Option<Box<dyn Oracle>>,
    /// For each pair of the language, ours and the harness's.
    #[serde(skip)]
    rounds: Vec<Vec<(Reading, Reading)>>,
}

impl std::fmt::Debug for Section {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Section").field("language", &self.language).field("rows", &self.rows).finish_non_exhaustive()
    }
}

impl Section {
    /// Nothing yet.
    pub(crate) fn new(language: Language) -> Self {
        Self {
            language,
            runtime: None,
            harness: None,
            skipped: None,
            rows: Vec::new(),
            failed: None,
            oracle: None,
            rounds: vec![Vec::new(); language.pairs().len()],
        }
    }

    /// Looks for the harness.
    pub(crate) fn get_ready(&mut self, arguments: &Arguments) {
        match oracle::find(self.language, arguments) {
            Ok(oracle) => self.oracle = Some(oracle),
            Err(reason) => {
                eprintln!("bench-runtimes: skipped: {}: {reason}", self.title());
                self.skipped = Some(reason);
            }
        }
    }

    /// Has either side measure once. Who begins changes from round to round.
    pub(crate) fn measure(&mut self, round: u32, arguments: &Arguments, size: &Size) {
        let Some(oracle) = self.oracle.as_ref().filter(|_| self.failed.is_none()) else { return };
        let ours = || ours::measure(self.language, arguments);
        let theirs = || oracle.measure(size);
        let sides = if round.is_multiple_of(2) {
            ours().and_then(|ours| Ok((ours, theirs()?)))
        } else {
            theirs().and_then(|theirs| Ok((ours()?, theirs)))
        };
        if let Err(failure) = sides.and_then(|(ours, theirs)| self.add(&ours, theirs)) {
            self.failed = Some(failure);
        }
    }

    fn add(&mut self, ours: &[Runtime], theirs: Measured) -> Result<(), Failure> {
        let runtime = ours::find(ours, self.language, &theirs.interpreter)?;
        for (pair, rounds) in self.language.pairs().iter().zip(&mut self.rounds) {
            let ours = runtime.reading(pair.clock, pair.figure);
            rounds.extend(ours.zip(theirs.benchmarks.get(pair.benchmark).map(|found| found.reading(pair.figure))));
        }
        let pairs = self.language.pairs().iter().zip(&self.rounds);
        self.rows = pairs.filter_map(|(pair, rounds)| Compared::of(pair, rounds)).collect();
        self.runtime = Some(runtime.show());
        self.harness = Some(theirs.harness);
        Ok(())
    }

    /// Its name in the report.
    pub(crate) const fn title(&self) -> &'static str {
        match self.language {
            Language::Java => "Java: probe and JMH",
            Language::Go => "Go: probe and testing.B",
            Language::Python => "Python: probe and pyperf",
        }
    }

    fn show(&self) -> Option<String> {
        if let Some(reason) = &self.skipped {
            return Some(format!("Skipped: {reason}"));
        }
        let (runtime, harness) = self.runtime.as_ref().zip(self.harness.as_ref())?;
        let confidence = self.rows.first()?.ratio.confidence * 100.0;
        let rounds = self.rows.iter().map(|row| row.rounds.len()).max()?;
        let mut text = format!(
            "{runtime}, {harness}\n\n{}\n\nRounds: {rounds}. Medians over rounds with {confidence:.1} % intervals; the ratio is \
             taken within each round. All, least: median\nand least of all our batches and of all its repetitions, disturbed \
             or not.",
            compared::show(&self.rows, harness)
        );
        if self.rows.iter().any(|row| !row.is_same) {
            text += "\n* not the same thing: the row shows by how much the two differ.";
        }
        Some(text)
    }
}

impl bench_common::report::Sections for Sections {
    fn is_quick(&self) -> bool {
        self.is_quick
    }

    fn shown(&self) -> Vec<(&'static str, Option<String>)> {
        self.languages.iter().map(|section| (section.title(), section.show())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_skipped_says_why() {
        let skipped = Section { skipped: Some(Failure::because("there is no go")), ..Section::new(Language::Go) };
        assert_eq!(skipped.show().as_deref(), Some("Skipped: there is no go"));
        assert_eq!(Section::new(Language::Java).show(), None);
    }
}
