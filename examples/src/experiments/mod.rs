mod backoff;
mod fibonacci;
mod omission;
mod volatile;

use chronoscope_harness::Study;
use chronoscope_harness::record::study::StudyRecord;

use crate::Conclusions;

/// A question, the study that measures it, and what is concluded from its record.
#[derive(Clone, Copy, Debug)]
pub struct Experiment {
    name: &'static str,
    about: &'static str,
    study: fn(cpus: u32) -> Study,
    conclude: fn(&StudyRecord) -> Conclusions,
}

impl Experiment {
    /// All of them.
    ///
    /// # Examples
    /// ```
    /// use chronoscope_examples::Experiment;
    ///
    /// assert!(Experiment::ALL.iter().any(|experiment| experiment.name() == "omission"));
    /// ```
    pub const ALL: &[Self] = &[volatile::EXPERIMENT, backoff::EXPERIMENT, omission::EXPERIMENT, fibonacci::EXPERIMENT];

    /// The one of this name; none where there is none.
    ///
    /// # Examples
    /// ```
    /// use chronoscope_examples::Experiment;
    ///
    /// assert_eq!(Experiment::from_name("backoff").map(|experiment| experiment.name()), Some("backoff"));
    /// assert!(Experiment::from_name("perpetuum").is_none());
    /// ```
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|experiment| experiment.name == name).copied()
    }

    /// Its name on the command line.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(chronoscope_examples::Experiment::ALL[0].name(), "volatile");
    /// ```
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// What it asks, in a line.
    ///
    /// # Examples
    /// ```
    /// assert!(chronoscope_examples::Experiment::ALL[0].about().contains("volatile write"));
    /// ```
    pub const fn about(&self) -> &'static str {
        self.about
    }

    /// The study that measures it. `cpus`: how many the threads will have.
    ///
    /// # Examples
    /// ```
    /// use chronoscope_examples::Experiment;
    ///
    /// let omission = Experiment::from_name("omission").unwrap();
    /// assert!(omission.study(8).cells().len() > omission.study(1).cells().len());
    /// ```
    pub fn study(&self, cpus: u32) -> Study {
        (self.study)(cpus)
    }

    /// What the record of its study says; a record of anything else says that nothing was measured.
    ///
    /// # Examples
    /// ```
    /// use chronoscope_examples::Experiment;
    /// use chronoscope_harness::record::study::StudyRecord;
    ///
    /// fn question(record: &StudyRecord) -> String {
    ///     Experiment::from_name("volatile").unwrap().conclude(record).question
    /// }
    /// ```
    pub fn conclude(&self, record: &StudyRecord) -> Conclusions {
        (self.conclude)(record)
    }
}
