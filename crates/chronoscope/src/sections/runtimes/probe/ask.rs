//! One process of a probe, from its start to its end.

use std::collections::BTreeMap;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use chronoscope_clock::calls::{self, Call};

use super::answer::Answer;
use super::become_probe::become_arguments;
use super::protocol::Request;
use super::recipe::Launch;
use chronoscope_harness::process::ChildProcess;
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
    pub fn ask(&self, launch: &Launch, request: &Request, cancelled: &dyn Fn() -> bool) -> ProbeRun {
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
        request: &Request,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<ProbeRun, String> {
        let mut command = self.command(launch, request);
        thread::scope(|scope| {
            let (tell, told) = channel();
            let (keep, kept) = channel::<()>();
            // The filter applies to the thread that installs it, and to everything that thread starts.
            let starter = move || {
                let numbers: Vec<u32> = CALLS.iter().map(|(number, _)| *number as u32).collect();
                let held = calls::hold(&numbers);
                let _ = tell.send(held.map(|listener| (listener, ChildProcess::start(&mut command))));
                // The process ends with the thread that started it, so this thread must not end earlier.
                let _ = kept.recv();
            };
            let refused = |error: &dyn std::fmt::Display| format!("seccomp cannot hold system calls here: {error}");
            thread::Builder::new().spawn_scoped(scope, starter).map_err(|error| refused(&error))?;
            let held = told.recv().map_err(|error| refused(&error))?;
            let (listener, started) = held.map_err(|error| refused(&error))?;
            let asked = match started {
                Ok(process) => self.attend(process, Some(&listener), request, cancelled),
                Err(error) => ProbeRun::failed(format!("could not start: {error}")),
            };
            drop(keep);
            Ok(asked)
        })
    }

    fn command(&self, launch: &Launch, request: &Request) -> Command {
        let mut command = Command::new(self.launcher.program());
        command
            .args(become_arguments(self.counter_faults))
            .arg(&launch.program)
            .args(&launch.arguments)
            .arg(request.argument())
            .envs(launch.environment.iter().map(|(name, value)| (name, value)))
            .current_dir(&launch.directory)
            .stdin(Stdio::null());
        command
    }

    /// Receives the process's output until it ends.
    fn attend(
        &self,
        mut process: ChildProcess,
        listener: Option<&OwnedFd>,
        request: &Request,
        cancelled: &dyn Fn() -> bool,
    ) -> ProbeRun {
        let mut hearing = Hearing {
            began: Instant::now(),
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
    listener: Option<&'a OwnedFd>,
    /// System calls held so far, whoever made them: a virtual machine that starts asks for the time thousands of times.
    held: u32,
    /// The most that these may have cost.
    most_delay: Duration,
    asked: ProbeRun,
}

impl Hear for Hearing<'_> {
    fn line(&mut self, line: &str) -> Result<bool, String> {
        self.asked.answer.push_line(line).map_err(|garbled| garbled.to_string())?;
        if self.asked.start_ms.is_none() && self.asked.answer.identity.is_some() {
            self.asked.start_ms = Some(self.began.elapsed().as_secs_f64() * 1e3);
        }
        Ok(true)
    }

    fn is_complete(&self) -> bool {
        self.asked.answer.ended
    }

    fn events(&self) -> Option<BorrowedFd<'_>> {
        self.listener.map(AsFd::as_fd)
    }

    /// The output before a pending call has been taken in, so the call belongs to the current count.
    fn event(&mut self) {
        if let Some(listener) = self.listener {
            count(listener, &mut self.asked);
            self.held = self.held.saturating_add(1);
        }
    }

    fn delay(&self) -> Duration {
        HELD_CALL.saturating_mul(self.held).min(self.most_delay)
    }
}

/// What a held call may cost its process: two turns of the scheduler, which take an emulated machine half a millisecond.
const HELD_CALL: Duration = Duration::from_micros(500);

/// System calls that query the time.
const CALLS: &[(i64, &str)] = &[
    (libc::SYS_clock_gettime, "clock_gettime"),
    (libc::SYS_gettimeofday, "gettimeofday"),
    (libc::SYS_times, "times"),
    (libc::SYS_getrusage, "getrusage"),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_time, "time"),
];

/// Counts the pending call, and lets it continue.
fn count(listener: &OwnedFd, asked: &mut ProbeRun) {
    let Ok(call) = calls::next(listener.as_fd()) else { return };
    if let Some(clock) = asked.answer.counting.as_deref() {
        *asked.calls.entry(clock.to_owned()).or_default().entry(named(&call)).or_default() += 1;
    }
    // Its caller may have died in the meantime.
    let _ = calls::release(listener.as_fd(), &call);
}

/// The request, as a programmer writes it.
fn named(call: &Call) -> String {
    let name = CALLS.iter().find(|(number, _)| *number == i64::from(call.number)).map_or("?", |(_, name)| name);
    if i64::from(call.number) != libc::SYS_clock_gettime {
        return name.to_owned();
    }
    let clock = match call.clock() {
        Some(clock) => clock.name(),
        None if (call.first_argument as i32) < 0 => "the CPU time of one process or thread",
        None => "another clock",
    };
    format!("{name}({clock})")
}
