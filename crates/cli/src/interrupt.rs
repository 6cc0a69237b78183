use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Whether the user pressed Ctrl-C, or something asked the program to end.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Listens from now on. The first signal asks the run to stop; a second one ends the program at once.
    pub(crate) fn listen() -> Self {
        let interrupt = Self::default();
        let seen = interrupt.clone();
        // Where no handler can be set, Ctrl-C ends the program as it would have.
        let _ = ctrlc::set_handler(move || {
            if seen.0.swap(true, Relaxed) {
                std::process::exit(1);
            }
        });
        interrupt
    }

    pub(crate) fn happened(&self) -> bool {
        self.0.load(Relaxed)
    }
}
