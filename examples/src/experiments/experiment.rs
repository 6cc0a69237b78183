use chronoscope_harness::Study;
use chronoscope_harness::record::study::StudyRecord;

use crate::Conclusions;

/// A question, the study that measures it, and the conclusions from its record.
#[derive(Clone, Copy, Debug)]
pub struct Experiment {
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    pub(super) study: fn(cpus: u32) -> Study,
    pub(super) conclude: fn(&StudyRecord) -> Conclusions,
}

impl Experiment {
    /// Its name on the command line.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(chronoscope_examples::Experiment::ALL[0].name(), "volatile");
    /// ```
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Its question, in one line.
    ///
    /// # Examples
    /// ```
    /// assert!(chronoscope_examples::Experiment::ALL[0].about().contains("volatile write"));
    /// ```
    pub const fn about(&self) -> &'static str {
        self.about
    }

    /// The study that measures it. `cpus`: the number of CPUs available to its threads.
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

    /// The conclusions from its study's record; for any other record, that nothing was measured.
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
