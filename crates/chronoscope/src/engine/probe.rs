//! Reads each source once. A worker that dies of it tells the coordinator what no flag can.

use serde::{Deserialize, Serialize};

use crate::task::source;
use crate::task::timer::ReadOnce;

/// Which sources to read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// Their names.
    pub sources: Vec<String>,
}

/// For each source, nothing or the reason why it cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Samples {
    /// In the order of the request.
    pub reasons_unavailable: Vec<Option<String>>,
}

pub fn run(request: &Request) -> Samples {
    let reason = |name: &String| match source(name) {
        Ok(id) => id.visit(ReadOnce).err().map(|unavailable| unavailable.to_string()),
        Err(reason) => Some(reason),
    };
    Samples { reasons_unavailable: request.sources.iter().map(reason).collect() }
}
