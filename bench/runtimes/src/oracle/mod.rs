//! The other side: the harnesses that the languages' users measure with.

mod go;
mod jmh;
mod pyperf;

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use bench_common::failure::Failure;

use crate::arguments::Arguments;
use crate::language::{Figure, Language};
use crate::size::Size;

/// The folder of this benchmark, with what the harnesses run.
const FOLDER: &str = env!("CARGO_MANIFEST_DIR");

/// A harness that is ready to measure.
pub(crate) trait Oracle {
    /// Measures once.
    fn measure(&self, size: &Size) -> Result<Measured, Failure>;
}

/// What a harness measured in a round.
#[derive(Debug)]
pub(crate) struct Measured {
    /// The harness and its version.
    pub(crate) harness: String,
    /// What ran it.
    pub(crate) interpreter: Interpreter,
    /// By the benchmark's name.
    pub(crate) benchmarks: BTreeMap<String, Repetitions>,
}

/// What a harness measured of one benchmark in a round, in nanoseconds, rising; at least one.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Repetitions(Vec<f64>);

impl Repetitions {
    /// None if there is none or one is not finite.
    fn of(ns: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut ns: Vec<f64> = ns.into_iter().collect();
        ns.sort_unstable_by(f64::total_cmp);
        (!ns.is_empty() && ns.iter().all(|ns| ns.is_finite())).then_some(Self(ns))
    }

    /// What is held against our `figure`.
    ///
    /// Where we leave out what was disturbed, the lower decile takes the place of that: the harnesses cannot tell. Else the
    /// median. The harness's own figure is the mean, which holds what other programs took.
    pub(crate) fn reading(&self, figure: Figure) -> Reading {
        let (least, decile) = (self.0[0], self.0[self.0.len() / 10]);
        let median = f64::midpoint(self.0[(self.0.len() - 1) / 2], self.0[self.0.len() / 2]);
        let ns = if figure.is_undisturbed() { decile } else { median };
        Reading { ns, all_ns: Some(median), least_ns: Some(least) }
    }
}

/// What one side says of a clock in a round, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Reading {
    /// What is compared.
    pub(crate) ns: f64,
    /// The median of all batches or repetitions, disturbed or not; None where a side does not say.
    pub(crate) all_ns: Option<f64>,
    /// The least of them, which hardly anything disturbed; None where a side does not say.
    pub(crate) least_ns: Option<f64>,
}

/// Which of several runtimes of a language it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Interpreter {
    /// The one that is this file.
    File(PathBuf),
    /// The one of this version, where programs do not know what compiled them.
    Version(String),
}

impl Interpreter {
    /// The one that is this file, under whatever name.
    pub(crate) fn file(path: impl AsRef<Path>) -> Self {
        let path = path.as_ref();
        Self::File(path.canonicalize().unwrap_or_else(|_| path.to_owned()))
    }

    /// The one of this version.
    pub(crate) fn version(version: impl Into<String>) -> Self {
        Self::Version(version.into())
    }

    /// Whether it is the runtime that says this of itself.
    pub(crate) fn is(&self, executable: Option<&str>, version: Option<&str>) -> bool {
        match self {
            Self::File(_) => executable.is_some_and(|path| Self::file(path) == *self),
            Self::Version(own) => version == Some(own),
        }
    }
}

impl fmt::Display for Interpreter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Version(version) => f.write_str(version),
        }
    }
}

/// The harness of `language`.
///
/// # Errors
/// Why it cannot be had here.
pub(crate) fn find(language: Language, arguments: &Arguments) -> Result<Box<dyn Oracle>, Failure> {
    let program = arguments.program(language);
    Ok(match language {
        Language::Java => Box::new(jmh::Jmh::find(program)?),
        Language::Go => Box::new(go::Testing::find(program)?),
        Language::Python => Box::new(pyperf::Pyperf::find(program)?),
    })
}

/// A place for what a harness writes.
fn scratch() -> Result<tempfile::TempDir, Failure> {
    tempfile::tempdir().map_err(|error| Failure::because(format!("no temporary folder: {error}")))
}

/// What a harness wrote.
fn read(path: &Path, harness: &str) -> Result<String, Failure> {
    std::fs::read_to_string(path).map_err(|error| Failure::because(format!("{harness} left no results: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_is_held_against_its_like() {
        let found = Repetitions::of((0..20).rev().map(f64::from)).unwrap();
        let undisturbed = Reading { ns: 2.0, all_ns: Some(9.5), least_ns: Some(0.0) };
        assert_eq!(found.reading(Figure::Latency), undisturbed);
        assert_eq!(found.reading(Figure::LatencyOnAll), Reading { ns: 9.5, ..undisturbed });
        assert_eq!((Repetitions::of([]), Repetitions::of([1.0, f64::NAN])), (None, None));
    }

    #[test]
    fn a_file_is_known_by_all_its_names() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("java-17"), folder.path().join("java"));
        std::fs::write(&file, "").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        assert!(Interpreter::file(&link).is(file.to_str(), None));
        assert!(!Interpreter::file(&link).is(Some("/nowhere"), None) && !Interpreter::file(&link).is(None, None));
        assert!(Interpreter::version("go1.26.8").is(Some("/tmp/probe"), Some("go1.26.8")));
    }
}
