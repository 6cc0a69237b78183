mod backoff;
mod cold;
mod contention;
mod experiment;
mod fibonacci;
mod monotime;
mod omission;
mod runtime_operations;
mod selftest;
mod thread_release;
mod timers;
mod volatile;

pub use self::experiment::Experiment;
pub use self::runtime_operations::RuntimeOperations;

impl Experiment {
    /// All of them.
    ///
    /// # Examples
    /// ```
    /// use chronoscope_examples::Experiment;
    ///
    /// assert!(Experiment::ALL.iter().any(|experiment| experiment.name() == "omission"));
    /// ```
    pub const ALL: &[Self] = &[
        volatile::EXPERIMENT,
        backoff::EXPERIMENT,
        omission::EXPERIMENT,
        fibonacci::EXPERIMENT,
        cold::EXPERIMENT,
        timers::EXPERIMENT,
        Self::THREAD_RELEASE,
        Self::CONTENTION,
        Self::SELFTEST,
    ];
    /// The cost of a call in one thread, and in many released together.
    pub const THREAD_RELEASE: Self = thread_release::EXPERIMENT;
    /// The cost of causal times when many threads read them.
    pub const CONTENTION: Self = contention::EXPERIMENT;
    /// Whether the harness can be trusted.
    pub const SELFTEST: Self = selftest::EXPERIMENT;

    /// The experiment with this name; None if there is none.
    ///
    /// # Examples
    /// ```
    /// use chronoscope_examples::Experiment;
    ///
    /// assert_eq!(Experiment::from_name("backoff").map(|experiment| experiment.name()), Some("backoff"));
    /// assert!(Experiment::from_name("perpetuum").is_none());
    /// ```
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|experiment| experiment.name() == name).copied()
    }
}

impl RuntimeOperations {
    /// Those of all experiments.
    ///
    /// # Examples
    /// ```
    /// assert!(!chronoscope_examples::RuntimeOperations::ALL.is_empty());
    /// ```
    pub const ALL: &[Self] = &[backoff::IN_RUNTIMES, timers::IN_RUNTIMES];
}
