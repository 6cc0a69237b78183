//! The program's roles as a worker, as the probe of a language runtime, or as the heir of a run.

use std::io::Write;
use std::process::ExitCode;

use crate::engine::task::{self, Served};
use crate::engine::{self, latency_study, noise_floor_study};
use crate::probe::{become_if_asked, inherit_if_asked};
use crate::registry;
use chronoscope_harness::worker;

/// If started as a worker, serves one request, and exits or tells the program to exit; if started as the probe of a language
/// runtime, becomes it; if as the heir of a run, serves until that has ended; otherwise does nothing.
pub fn serve_if_asked() -> Option<ExitCode> {
    if let Some(reason) = become_if_asked(std::env::args_os().skip(1)) {
        let _ = writeln!(std::io::stderr(), "{reason}");
        return Some(ExitCode::FAILURE);
    }
    if inherit_if_asked(std::env::args_os().skip(1)) {
        return Some(ExitCode::SUCCESS);
    }
    latency_study::serve_if_worker();
    noise_floor_study::serve_if_worker();
    worker::serve_if_asked(|request| task::answer(tasks(), request))
}

/// Every task of the engine and of the sections.
fn tasks() -> impl Iterator<Item = Served> {
    engine::TASKS.iter().chain(registry::tasks()).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_tasks_have_one_name() {
        let mut names: Vec<&str> = tasks().map(|served| served.name).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert!(count >= 12 && names.len() == count, "{names:?}");
    }
}
