//! Asks another build of a study's program for its cases.

use std::path::Path;
use std::time::Duration;

use super::error::StudyError;
use super::options::StudyOptions;
use super::other_build::OtherBuild;
use super::outline::CaseOutline;
use super::protocol::{Message, StudyRequest, parse};
use super::study::Study;
use crate::worker::{Hear, Launch, Launcher, Limit, Terms, WorkerFailure};

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
        let request = StudyRequest::for_outline(self.name(), self.plan(&at_once, &[0])?);
        let request = serde_json::to_string(&request).map_err(|error| refuse(&error.to_string()))?;
        let mut asked = Asked::default();
        let terms = Terms { limit: Limit::Whole(PATIENCE), padding: 0, cancelled };
        let ended = Launcher::of(program.clone()).restarting().converse(&request, &mut asked, terms);
        match (ended, asked.outlines) {
            (Ok(()), Some(outlines)) => Ok(OtherBuild::new(program, name, outlines)),
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

/// Hears which cases a build has.
#[derive(Default)]
struct Asked {
    outlines: Option<Vec<CaseOutline>>,
    has_ended: bool,
}

impl Hear for Asked {
    fn line(&mut self, line: &str) -> Result<bool, String> {
        match parse(line) {
            None => return Ok(false),
            Some(Message::Identity(identity)) => identity.check()?,
            Some(Message::Outline { cases }) => {
                self.outlines = Some(cases);
            }
            Some(Message::End { .. }) => {
                self.has_ended = true;
            }
            Some(_) => return Err("it measures instead of saying which cases it has".to_owned()),
        }
        Ok(true)
    }

    fn is_complete(&self) -> bool {
        self.has_ended
    }
}
