//! Asks another build of a study's program for its cases.

use std::path::Path;
use std::time::Duration;

use super::error::StudyError;
use super::hearing::hear;
use super::options::StudyOptions;
use super::other_build::OtherBuild;
use super::protocol::{Message, StudyRequest};
use super::study::Study;
use crate::worker::{Launcher, Limit, Terms, WorkerFailure};

/// How long a build may take to say which cases it has: a program that does not know the question may be running its benchmarks.
const PATIENCE: Duration = Duration::from_secs(10);

impl Study {
    /// The build at `program`, which must have a study of this name. `name` is what pages and documents call it.
    ///
    /// The program is started once, to report its cases; it must give way to its study first thing in `main`, as this one.
    ///
    /// # Errors
    /// [`StudyError`] if it cannot be started, has no such study or speaks another protocol, and if `cancelled`.
    pub fn other_build(
        &self,
        program: &Path,
        name: impl Into<String>,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<OtherBuild, StudyError> {
        let name = name.into();
        let refuse = |why: &str| StudyError::usage(format!("cannot compare {} with {name}: {why}", self.name()));
        let program = program.canonicalize().map_err(|error| refuse(&error.to_string()))?;
        let at_once = StudyOptions { budget: Some(Duration::ZERO), ..StudyOptions::default() };
        let plan = self.plan(&at_once, &[0])?;
        let request = StudyRequest { outline: true, ..StudyRequest::new(self.name(), plan) };
        let mut outlines = None;
        let take = |message: Message| match message {
            Message::Identity(_) | Message::End { .. } => Ok(()),
            Message::Outline { cases } => {
                outlines = Some(cases);
                Ok(())
            }
            _ => Err("it measures instead of saying which cases it has".to_owned()),
        };
        let terms = Terms { limit: Limit::Whole(PATIENCE), padding: 0, cancelled };
        let ended = hear(&Launcher::of(program.clone()).restarting(), &request, terms, take);
        match (ended, outlines) {
            (Ok(()), Some(outlines)) => Ok(OtherBuild { program, name, outlines }),
            (Err(failure @ (WorkerFailure::Cancelled | WorkerFailure::ProtocolError(_))), _) => {
                Err(refuse(&failure.to_string()))
            }
            (Ok(()), None) => Err(refuse("it does not say which cases it has")),
            (Err(failure), _) => Err(refuse(&format!(
                "{failure}; it has no study of this name, or is no benchmark program of this version of chronoscope"
            ))),
        }
    }
}
