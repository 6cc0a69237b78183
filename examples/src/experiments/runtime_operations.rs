/// What of an experiment the probes of language runtimes measure, too.
///
/// # Examples
/// ```
/// use chronoscope_examples::RuntimeOperations;
///
/// let backoff = RuntimeOperations::ALL.iter().find(|of| of.experiment == "backoff").unwrap();
/// assert_eq!((backoff.cases.len(), backoff.threads(8)), (5, vec![1, 8]));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuntimeOperations {
    /// The name of the experiment.
    pub experiment: &'static str,
    /// The operations, by their names in studies.
    pub cases: &'static [&'static str],
    /// Which are compared: the operation, then what it is compared with.
    pub compared: &'static [(&'static str, &'static str)],
    /// The amounts of work before each operation, in tokens.
    pub tokens: &'static [u64],
    /// What the number of CPUs is divided by for the numbers of threads, besides one thread.
    pub shares: &'static [u32],
}

impl RuntimeOperations {
    /// The most work of a study that leaves none out, in tokens.
    ///
    /// # Examples
    /// ```
    /// use chronoscope_examples::RuntimeOperations;
    ///
    /// assert!(RuntimeOperations::ALL.iter().any(|of| of.most_tokens() == 40));
    /// ```
    pub fn most_tokens(&self) -> u64 {
        self.tokens.iter().copied().max().unwrap_or(0)
    }

    /// The numbers of threads on so many CPUs, ascending.
    ///
    /// # Examples
    /// ```
    /// use chronoscope_examples::RuntimeOperations;
    ///
    /// let timers = RuntimeOperations::ALL.iter().find(|of| of.experiment == "timers").unwrap();
    /// assert_eq!(timers.threads(8), [1, 4, 8]);
    /// ```
    pub fn threads(&self, cpus: u32) -> Vec<u32> {
        threads(self.shares, cpus)
    }
}

/// One thread, and the number of CPUs divided by each of `shares`, ascending.
pub(super) fn threads(shares: &[u32], cpus: u32) -> Vec<u32> {
    let mut threads: Vec<u32> = shares.iter().map(|share| cpus / (*share).max(1)).chain([1]).collect();
    threads.retain(|threads| *threads > 0);
    threads.sort_unstable();
    threads.dedup();
    threads
}
