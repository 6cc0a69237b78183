use serde::{Deserialize, Serialize};

/// A case without what it runs, as one build tells another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CaseOutline {
    pub(super) name: String,
    /// The name and the threads of each role, where the case sets them.
    pub(super) roles: Vec<(Option<String>, Option<u32>)>,
}
