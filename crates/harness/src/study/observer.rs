/// Observes a study.
pub trait StudyObserver {
    /// `share` of the run (0 to 1) is complete, and `what` is being measured.
    fn goes_on(&mut self, share: f64, what: &str);

    /// Whether the user wants to stop the run; called often.
    fn cancelled(&self) -> bool;
}

/// Observes nothing and never stops a run.
impl StudyObserver for () {
    fn goes_on(&mut self, _share: f64, _what: &str) {}

    fn cancelled(&self) -> bool {
        false
    }
}
