use chronoscope_harness::Study;
use chronoscope_harness::record::study::StudyRecord;

use super::runtime_operations::RuntimeOperations;
use crate::{Block, Chart, Conclusions};

/// A question, the study that measures it, and the conclusions from its record.
#[derive(Clone, Copy, Debug)]
pub struct Experiment {
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    pub(super) study: fn(cpus: u32, threads: &[u32]) -> Study,
    pub(super) conclude: fn(&StudyRecord) -> Conclusions,
    pub(super) in_runtimes: Option<&'static RuntimeOperations>,
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

    /// The study that measures it. `cpus`: the number of CPUs available to its threads. `threads`: how many threads to use, for
    /// a study where that can be chosen; empty for its own choice.
    ///
    /// # Examples
    /// ```
    /// use chronoscope_examples::Experiment;
    ///
    /// let omission = Experiment::from_name("omission").unwrap();
    /// assert!(omission.study(8, &[]).cells().len() > omission.study(1, &[]).cells().len());
    /// ```
    pub fn study(&self, cpus: u32, threads: &[u32]) -> Study {
        (self.study)(cpus, threads)
    }

    /// What of it the probes of language runtimes measure, too; None if it is native only.
    ///
    /// # Examples
    /// ```
    /// use chronoscope_examples::Experiment;
    ///
    /// assert!(Experiment::from_name("backoff").unwrap().in_runtimes().is_some());
    /// ```
    pub const fn in_runtimes(&self) -> Option<&'static RuntimeOperations> {
        self.in_runtimes
    }

    /// The conclusions from its study's record; for any other record, that nothing was measured. On an emulated CPU they
    /// leave out what was published of hardware.
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
        let mut conclusions = (self.conclude)(record);
        let compares = !conclusions.published.items.is_empty();
        if let Some(by) = record.machine.emulated_by().filter(|_| compares) {
            conclusions.charts.iter_mut().for_each(Chart::forget_published);
            conclusions.published = Block::default();
            conclusions.published.say(format!(
                "The CPU is emulated by {by}: published figures are those of hardware, and are not compared with it."
            ));
        }
        conclusions
    }
}

#[cfg(test)]
mod tests {
    use chronoscope_harness::record::Emulation;

    use super::*;
    use crate::synthetic;

    #[test]
    fn an_emulated_cpu_is_not_compared_with_published_figures() {
        let mut record = synthetic::record(&[0, 10], &[1]);
        for experiment in Experiment::ALL {
            assert!(!experiment.conclude(&record).published.text().contains("emulated"));
        }
        record.machine.cpu.emulation = Emulation { is_emulated: Some(true), ..Emulation::default() };
        for experiment in Experiment::ALL {
            let published = experiment.conclude(&record).published;
            // Nothing is published of the self-test.
            assert_eq!(published.items.len(), usize::from(experiment.name() != "selftest"), "{published:?}");
            assert_eq!(published.text().contains("emulated"), experiment.name() != "selftest", "{published:?}");
        }
    }
}
