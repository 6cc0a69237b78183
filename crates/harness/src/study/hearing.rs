//! What worker processes have reported so far.

use std::cell::RefCell;

use super::observer::StudyObserver;
use super::protocol::{IterationLog, Message, parse};
use super::schedule::CellSpec;
use crate::record::Disturbance;
use crate::record::study::StudyClock;
use crate::worker::Hear;

/// What one process has reported so far.
#[derive(Default)]
pub(super) struct ProcessLog {
    pub(super) clock: Option<StudyClock>,
    pub(super) iterations: Vec<IterationLog>,
    /// Cells that failed, with the reason.
    pub(super) failures: Vec<(usize, String)>,
    /// Cells whose operation uses threads of its own.
    pub(super) own_threads: Vec<usize>,
    /// The cell being measured.
    pub(super) current: Option<usize>,
    /// What disturbed it, once it is complete.
    pub(super) disturbance: Option<Disturbance>,
}

/// Hears one process, and tells the observer what it measures.
pub(super) struct Hearing<'a, 'o> {
    pub(super) log: &'a mut ProcessLog,
    pub(super) cells: &'a [CellSpec],
    /// The share of the run before this process, of the process, and of each of its iterations.
    pub(super) shares: (f64, f64, f64),
    /// Also asked whether to stop.
    pub(super) observer: &'a RefCell<&'o mut dyn StudyObserver>,
}

impl Hear for Hearing<'_, '_> {
    /// Output of the user's own code is no message.
    fn line(&mut self, line: &str) -> Result<bool, String> {
        let log = &mut *self.log;
        match parse(line) {
            None => return Ok(false),
            Some(Message::Identity(identity)) => identity.check()?,
            Some(Message::Clock { name, error_ns, batch_ns }) => {
                log.clock = Some(StudyClock { name, error_ns, batch_ns });
            }
            Some(Message::Begin { cell, .. }) => {
                if let (Some(spec), true) = (self.cells.get(cell), log.current != Some(cell)) {
                    let (before, own, iteration) = self.shares;
                    let share = before + own * (log.iterations.len() as f64 * iteration).min(1.0);
                    self.observer.borrow_mut().goes_on(share, &spec.to_string());
                }
                log.current = Some(cell);
            }
            Some(Message::OwnThreads { cell }) => log.own_threads.push(cell),
            Some(Message::Iteration(iteration)) if iteration.cell < self.cells.len() => {
                // What happens until the next iteration begins is nobody's doing.
                log.current = None;
                log.iterations.push(iteration);
            }
            // No cell of another build's: it promised others.
            Some(Message::Iteration(_) | Message::Outline { .. }) => {}
            Some(Message::Failed { cell, reason }) => {
                log.current = None;
                log.failures.push((cell, reason));
            }
            Some(Message::End { disturbance }) => log.disturbance = Some(disturbance),
        }
        Ok(true)
    }

    fn is_complete(&self) -> bool {
        self.log.disturbance.is_some()
    }
}
