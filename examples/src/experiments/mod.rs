mod backoff;
mod experiment;
mod fibonacci;
mod omission;
mod volatile;

pub use self::experiment::Experiment;

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
