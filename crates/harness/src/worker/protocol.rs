use serde::{Deserialize, Serialize};

/// The version of the protocol: a worker that does not speak it says so and ends.
pub const PROTOCOL: u32 = 1;
/// The environment variable that holds the request to a program that is its own worker.
pub(super) const VARIABLE: &str = "CHRONOSCOPE_REQUEST";
/// The environment variable that holds the process id of who asks. A process that a worker starts inherits the request, but is no
/// worker: its parent is another.
pub(super) const COORDINATOR: &str = "CHRONOSCOPE_COORDINATOR";
/// Precedes a message, so that whatever else the program prints does no harm (RFC 7464).
const SEPARATOR: char = '\u{1e}';

/// The first message of a program that is its own worker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// The version of the protocol that it speaks.
    pub protocol: u32,
    /// `native`; a probe names its runtime.
    pub runtime: String,
    /// The version of this library.
    pub version: String,
}

impl Identity {
    /// That of this process.
    pub fn of_this_process() -> Self {
        Self { protocol: PROTOCOL, runtime: "native".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() }
    }

    /// Whether this program understands what follows.
    ///
    /// # Errors
    /// If it speaks another version of the protocol.
    pub fn check(&self) -> Result<(), String> {
        check(self.protocol)
    }
}

/// Whether `protocol` is the version spoken here.
///
/// # Errors
/// If not.
pub(super) fn check(protocol: u32) -> Result<(), String> {
    if protocol == PROTOCOL { Ok(()) } else { Err(format!("it speaks protocol {protocol}, not {PROTOCOL}")) }
}

/// `message`, a JSON text, as a line.
///
/// # Examples
/// ```
/// use chronoscope_harness::worker::{line, message};
///
/// let line = line(r#"{"type":"end"}"#);
/// assert_eq!(message(&format!("printed before{}", line.trim_end())), Some(r#"{"type":"end"}"#));
/// assert_eq!(message("printed"), None);
/// ```
pub fn line(message: &str) -> String {
    format!("{SEPARATOR}{message}\n")
}

/// The message in a line of output, if it has one.
pub fn message(line: &str) -> Option<&str> {
    line.rsplit_once(SEPARATOR).map(|(_, message)| message.trim_end())
}
