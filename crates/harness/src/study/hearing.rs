//! Has a worker answer a request of a study.

use super::protocol::{Message, StudyRequest, parse};
use crate::worker::{Hear, Launch, Terms, WorkerFailure};

/// Has a worker answer `request`, and hands every message to `take` as it comes.
///
/// # Errors
/// Whatever prevented a complete answer, such as what `take` says against a message.
pub(super) fn hear(
    workers: &dyn Launch,
    request: &StudyRequest,
    terms: Terms<'_>,
    take: impl FnMut(Message) -> Result<(), String>,
) -> Result<(), WorkerFailure> {
    let request = serde_json::to_string(request).map_err(|error| WorkerFailure::NotStarted(error.to_string()))?;
    workers.converse(&request, &mut Hearing { take, is_complete: false }, terms)
}

struct Hearing<F> {
    take: F,
    is_complete: bool,
}

impl<F: FnMut(Message) -> Result<(), String>> Hear for Hearing<F> {
    /// Output of the user's own code is no message.
    fn line(&mut self, line: &str) -> Result<bool, String> {
        let Some(message) = parse(line) else { return Ok(false) };
        self.is_complete |= matches!(message, Message::End { .. });
        if let Message::Identity(identity) = &message {
            identity.check()?;
        }
        (self.take)(message).map(|()| true)
    }

    fn is_complete(&self) -> bool {
        self.is_complete
    }
}
