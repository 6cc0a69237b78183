/// Why the system refused to let a thread sleep, as a sandbox does that forbids the call. A signal that cuts a sleep short is no
/// failure.
///
/// # Examples
/// ```
/// use chronoscope_clock::pause::SleepFailed;
///
/// let failed = SleepFailed::because("a sandbox forbids it");
/// assert_eq!(failed.to_string(), "a sandbox forbids it");
/// ```
pub type SleepFailed = crate::Unavailable;
