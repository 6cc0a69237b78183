use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

/// Whether the user pressed Ctrl-C, or the program was asked to terminate.
///
/// # Examples
/// ```
/// assert!(!chronoscope_bench::Interrupt::default().happened());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

/// A process has one handler, so it is installed once.
static LISTENING: OnceLock<Interrupt> = OnceLock::new();

impl Interrupt {
    /// Starts listening. The first signal asks the run to stop; a second ends the program at once with code 1.
    pub fn listen() -> Self {
        LISTENING.get_or_init(Self::handled).clone()
    }

    fn handled() -> Self {
        let interrupt = Self::default();
        let seen = interrupt.clone();
        // If no handler can be installed, Ctrl-C ends the program as usual.
        let _ = ctrlc::set_handler(move || {
            if seen.0.swap(true, Relaxed) {
                std::process::exit(1);
            }
        });
        interrupt
    }

    /// Whether it has been requested.
    pub fn happened(&self) -> bool {
        self.0.load(Relaxed)
    }
}
