//! One process of a probe, from its start to its end.

use std::collections::BTreeMap;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::answer::Answer;
use super::become_probe::become_arguments;
use super::calls::{self, Listener};
use super::protocol::ProbeRequest;
use super::recipe::{Launch, WORKING_DIRECTORY};
use chronoscope_clock::Clock;
use chronoscope_harness::process::{ChildProcess, Events};
use chronoscope_harness::worker::{Hear, Launcher, Limit, Terms, attend};

/// The answer of one process, and how it ended.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProbeRun {
    /// Everything it sent until then.
    pub answer: Answer,
    /// Time from its start until it identified itself.
    pub start_ms: Option<f64>,
    /// Time-related system calls during each clock's reads, by request.
    pub calls: BTreeMap<String, BTreeMap<String, u64>>,
    /// Why it did not complete.
    pub failure: Option<String>,
}

impl ProbeRun {
    fn failed(why: impl Into<String>) -> Self {
        Self { failure: Some(why.into()), ..Self::default() }
    }
}

pub struct ProbeRunner<'a> {
    pub launcher: &'a Launcher,
    /// Whether probes drop the right to read the counter, as their users' programs would have to.
    pub counter_faults: bool,
    /// Time allowed for a process beyond its task.
    pub patience: Duration,
}

impl ProbeRunner<'_> {
    /// Has a new process answer `request`.
    pub fn ask(&self, launch: &Launch, request: &ProbeRequest, cancelled: &dyn Fn() -> bool) -> ProbeRun {
        match ChildProcess::start(&mut self.command(launch, request)) {
            Ok(process) => self.attend(process, None, request, cancelled),
            Err(error) => ProbeRun::failed(format!("could not start: {error}")),
        }
    }

    /// The same, and counts its system calls that ask for the time.
    ///
    /// # Errors
    /// Why they cannot be counted here; no process has then been started.
    pub fn ask_and_count(
        &self,
        launch: &Launch,
        request: &ProbeRequest,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<ProbeRun, String> {
        calls::held(self.command(launch, request), |listener, started| match started {
            Ok(process) => self.attend(process, Some(listener), request, cancelled),
            Err(error) => ProbeRun::failed(format!("could not start: {error}")),
        })
    }

    fn command(&self, launch: &Launch, request: &ProbeRequest) -> Command {
        let mut command = Command::new(self.launcher.program());
        command
            .args(become_arguments(self.counter_faults))
            .arg(&launch.program)
            .args(&launch.arguments)
            .arg(request.argument())
            .envs(launch.environment.iter().map(|(name, value)| (name, value)))
            .current_dir(WORKING_DIRECTORY)
            .stdin(Stdio::null());
        command
    }

    /// Receives the process's output until it ends.
    fn attend(
        &self,
        mut process: ChildProcess,
        listener: Option<&Listener>,
        request: &ProbeRequest,
        cancelled: &dyn Fn() -> bool,
    ) -> ProbeRun {
        let clock = Clock::or_system();
        let mut hearing = Hearing {
            began: Instant::now(),
            clock,
            started: clock.now(),
            listener,
            held: 0,
            most_delay: 2 * self.patience,
            asked: ProbeRun::default(),
        };
        let limit = Limit::Whole(self.patience + 2 * Duration::from_millis(request.takes_ms()));
        let ended = attend(&mut process, &mut hearing, Terms { limit, padding: 0, cancelled });
        let mut asked = hearing.asked;
        asked.failure = match ended {
            Err(failure) => Some(failure.to_string()),
            Ok(()) => {
                let missing = asked.answer.missing(&request.task);
                missing.map(|missing| format!("its answer is too short: it lacks {missing}"))
            }
        };
        asked
    }
}

/// Hears a probe, and its system calls if they are counted.
struct Hearing<'a> {
    began: Instant,
    clock: Clock,
    started: chronoscope_clock::Instant,
    listener: Option<&'a Listener>,
    /// System calls held so far, whoever made them: a virtual machine that starts asks for the time thousands of times.
    held: u32,
    /// The most that these may have cost.
    most_delay: Duration,
    asked: ProbeRun,
}

impl Hear for Hearing<'_> {
    fn line(&mut self, line: &str) -> Result<bool, String> {
        self.asked.answer.push_line(line).map_err(|error| error.to_string())?;
        if let Some(elapsed) = self.asked.answer.elapsed.last_mut() {
            // By a clock that no runtime and no library around it can turn.
            let heard_ns = || self.clock.now().saturating_duration_since(self.started).as_nanos();
            elapsed.heard_ns.get_or_insert_with(|| u64::try_from(heard_ns()).unwrap_or(u64::MAX));
        }
        if self.asked.start_ms.is_none() && self.asked.answer.identity.is_some() {
            self.asked.start_ms = Some(self.began.elapsed().as_secs_f64() * 1e3);
        }
        Ok(true)
    }

    fn is_complete(&self) -> bool {
        self.asked.answer.ended
    }

    fn events(&self) -> Option<Events<'_>> {
        self.listener.map(Listener::events)
    }

    /// The output before a pending call has been taken in, so the call belongs to the current count.
    fn event(&mut self) {
        let Some(call) = self.listener.and_then(Listener::next) else { return };
        self.held = self.held.saturating_add(1);
        if let Some(clock) = self.asked.answer.counting.as_deref() {
            *self.asked.calls.entry(clock.to_owned()).or_default().entry(call).or_default() += 1;
        }
    }

    fn delay(&self) -> Duration {
        HELD_CALL.saturating_mul(self.held).min(self.most_delay)
    }
}

/// What a held call may cost its process: two turns of the scheduler, which take an emulated machine half a millisecond.
const HELD_CALL: Duration = Duration::from_micros(500);
