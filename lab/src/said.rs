use chronoscope_clock::Clock;
use serde::{Deserialize, Serialize};

/// What the library says of its clock, in one process or in several.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Said {
    /// Where its rate comes from.
    pub source: String,
    /// How far it can be trusted.
    pub state: String,
}

impl Said {
    /// What it says here and now.
    pub fn now() -> Self {
        let trust = Clock::or_system().trust();
        Self { source: format!("{:?}", trust.rate_source), state: format!("{:?}", trust.state) }
    }

    /// What another process was told, added where it differs.
    pub fn merge(&mut self, other: &Self) {
        for (all, one) in [(&mut self.source, &other.source), (&mut self.state, &other.state)] {
            if !all.split('/').any(|said| said == one) {
                *all = format!("{all}/{one}");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Said;

    #[test]
    fn says_each_thing_once() {
        let said = |source: &str| Said { source: source.to_owned(), state: "Verified".to_owned() };
        let mut all = said("KernelData");
        all.merge(&said("SystemClock"));
        all.merge(&said("SystemClock"));
        assert_eq!((all.source.as_str(), all.state.as_str()), ("KernelData/SystemClock", "Verified"));
    }
}
