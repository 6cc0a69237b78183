//! Carries out a scenario's steps, in a guest or, for those that need none, here.

use std::fs;
use std::io;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::answer::Answer;
use crate::check::Check;
use crate::child;
use crate::clocksource;
use crate::disturber::Disturber;
use crate::event::{Done, Event};
use crate::plant::Plant;
use crate::scenario::{Action, Scenario, Step};
use crate::size::Size;
use crate::stop::Stop;

#[derive(Clone, Debug)]
pub struct Means<'a> {
    /// The tool, with what starts it.
    pub tool: Vec<String>,
    pub size: Size,
    pub plant: Option<Plant>,
    /// What ends a program early: how long it may take, and who is asked; a machine is ended as a whole.
    pub limits: Option<(u64, &'a Stop)>,
}

impl Means<'_> {
    fn run(&self, words: impl IntoIterator<Item = String>) -> io::Result<Output> {
        let mut words = words.into_iter();
        let program = words.next().ok_or_else(|| io::Error::other("no program"))?;
        let Some((limit_s, stop)) = self.limits else {
            return Command::new(program).args(words).stdin(Stdio::null()).output();
        };
        let output = child::output(child::tree(program, Some(limit_s)).args(words).stderr(Stdio::piped()), stop)?;
        output.ok_or_else(|| io::Error::other("it was ended early"))
    }

    fn is_stopped(&self) -> bool {
        self.limits.is_some_and(|(_, stop)| stop.cause().is_some())
    }
}

/// Carries out every step and tells what came of each. One that cannot be done does not keep the others from being done.
pub fn run(scenario: &Scenario, means: &Means<'_>, tell: &mut dyn FnMut(Event)) {
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    // A host need not have one.
    let clocksource = || clocksource::current().unwrap_or_default();
    tell(Event::Begin { kernel: kernel.trim().to_owned() });
    for (step, what) in scenario.steps.iter().enumerate() {
        tell(Event::Step { step, clocksource: clocksource() });
        let mut silent = means.plant == Some(Plant::Silent);
        let done = carry_out(scenario, what, means, &mut |row| {
            if !std::mem::take(&mut silent) {
                tell(Event::Row { step, row });
            }
        });
        let done = done.unwrap_or_else(|error| Done { failed: Some(error.to_string()), ..Done::default() });
        tell(Event::Done(Box::new(Done { step, clocksource: clocksource(), ..done })));
        // The rest is not done, and the end is not told.
        if means.plant == Some(Plant::Crash) || means.is_stopped() {
            return;
        }
    }
    tell(Event::End);
}

fn carry_out(scenario: &Scenario, step: &Step, means: &Means<'_>, row: &mut dyn FnMut(Value)) -> io::Result<Done> {
    let action = step.action().map_err(io::Error::other)?;
    // To peers it happens each time.
    let mut meanwhile = step.meanwhile.as_deref().filter(|_| step.peers.is_none()).map(Disturber::new);
    // That check begins it itself, when it has read before.
    if let Some(disturber) = meanwhile.as_mut().filter(|_| action != Action::Check(Check::Disturbed)) {
        disturber.start()?;
    }
    let mut done = match action {
        Action::Switch(name) => {
            clocksource::settle(name)?;
            Done::default()
        }
        Action::Check(check) => {
            check.run(means.size, means.plant, meanwhile.as_mut(), &mut |found| {
                found.to_json().into_iter().for_each(&mut *row)
            })?;
            Done::default()
        }
        Action::Tool(arguments) => tool(step, arguments, means)?,
        Action::Peers(fault) => ask_peers(scenario, step, fault, row)?,
        // A command that fails ends the shell, whatever would follow.
        Action::Run(text) => ran(means.run(["/bin/sh", "-ec", text].map(str::to_owned))?),
    };
    if let Some(disturber) = meanwhile {
        done.failed = disturber.finish().err().or(done.failed);
    }
    Ok(done)
}

/// Asks every peer, each time with all that happens meanwhile.
fn ask_peers(scenario: &Scenario, step: &Step, fault: &str, row: &mut dyn FnMut(Value)) -> io::Result<Done> {
    let mut done = Done::default();
    for command in scenario.peers_of(step) {
        for _ in 0..step.rounds() {
            let mut meanwhile = step.meanwhile.as_deref().map(Disturber::new);
            meanwhile.as_mut().map_or(Ok(()), Disturber::start)?;
            row(serde_json::to_value(Answer::get(fault, command, &under(step)))?);
            if let Some(disturber) = meanwhile {
                done.failed = disturber.finish().err().or(done.failed);
            }
        }
    }
    Ok(done)
}

fn tool(step: &Step, arguments: &str, means: &Means<'_>) -> io::Result<Done> {
    let arguments = arguments.split_whitespace().chain(["--format", "json"]).map(str::to_owned);
    let output = means.run(under(step).into_iter().chain(means.tool.iter().cloned()).chain(arguments))?;
    let document: Value = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
    let done = ran(output);
    // The document says it all; what is no document is kept for whoever must find out why.
    let output = if document.is_null() { done.output } else { String::new() };
    Ok(Done { document, output, ..done })
}

fn under(step: &Step) -> Vec<String> {
    step.under.iter().flat_map(|words| words.split_whitespace().map(str::to_owned)).collect()
}

fn ran(output: Output) -> Done {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Done {
        exit: output.status.code().map(i64::from),
        output: text(&output.stdout),
        errors: text(&output.stderr),
        failed: output.status.code().is_none().then(|| format!("it ended with {}", output.status)),
        ..Done::default()
    }
}
