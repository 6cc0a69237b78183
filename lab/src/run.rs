//! Runs one scenario: its machine, its console, its monitor, and its time.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Write};
use std::path::PathBuf;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use wait_timeout::ChildExt;

use crate::event::Event;
use crate::line;
use crate::machine::{self, Image, Machine, Place};
use crate::monitor::Monitor;
use crate::plant::Plant;
use crate::scenario::{MachineKind, Scenario};
use crate::size::Size;
use crate::steps::{self, Means};
use crate::stop::{Cause, Stop};

#[derive(Clone, Debug, Default)]
pub struct Run {
    /// What the guest told, in order.
    pub events: Vec<Event>,
    pub took: Duration,
    /// What went wrong with the run as a whole.
    pub faults: Vec<String>,
    pub interrupted: bool,
}

const POLL: Duration = Duration::from_millis(100);
/// A machine whose console is closed ends within this.
const ENDS_WITHIN: Duration = Duration::from_secs(20);
const LONG: u64 = 10;
const OUT_OF_TIME: &str = "out of time";

/// Runs it until the guest ends, the time is over, or `stop` says so.
pub fn run(scenario: &Scenario, place: &Place<'_>, size: Size, plant: Option<Plant>, stop: &Stop) -> Run {
    let began = Instant::now();
    let mut run = match scenario.machine {
        MachineKind::Host => here(scenario, place.image, size, stop),
        _ => boot(scenario, place, size, plant, stop)
            .unwrap_or_else(|error| Run { faults: vec![error.to_string()], ..Run::default() }),
    };
    run.took = began.elapsed();
    run
}

/// Without a machine: the image is a program that starts the tool.
fn here(scenario: &Scenario, image: &Image, size: Size, stop: &Stop) -> Run {
    let tool = vec![image.initramfs.display().to_string()];
    let limits = Some((scenario.limit_s, stop));
    let mut events = Vec::new();
    steps::run(scenario, &Means { tool, size, plant: None, limits }, &mut |event| events.push(event));
    let mut run = Run { events, ..Run::default() };
    if !is_whole(&run.events) {
        run.end_early(stop.cause());
    }
    run
}

impl Run {
    pub fn altered(&self, plant: Plant) -> Self {
        let mut run = self.clone();
        for event in &mut run.events {
            if let Event::Done(done) = event {
                plant.alter(&mut done.document);
            }
        }
        run
    }

    /// Says that it did not come to its end, and why, if there was a cause.
    fn end_early(&mut self, cause: Option<Cause>) {
        match cause {
            Some(Cause::Interrupted) => self.interrupted = true,
            Some(Cause::OutOfTime) => self.faults.push(OUT_OF_TIME.to_owned()),
            None => {}
        }
    }

    /// What a scenario left that was not even begun.
    pub fn not_begun(cause: Cause) -> Self {
        let mut run = Self::default();
        run.end_early(Some(cause));
        run
    }
}

fn is_whole(events: &[Event]) -> bool {
    matches!(events.last(), Some(Event::End))
}

/// What follows a console: the events, and the last line that is none.
type Follower = JoinHandle<io::Result<(Vec<Event>, String)>>;

fn boot(scenario: &Scenario, place: &Place<'_>, size: Size, plant: Option<Plant>, stop: &Stop) -> io::Result<Run> {
    let limit = Duration::from_secs(scenario.limit_s * if size == Size::Full { LONG } else { 1 });
    let mut machine = machine::start(scenario, place, size, plant)?;
    let follower = follow(&mut machine, place.stem.with_extension("console"))?;
    let began = Instant::now();
    let mut run = Run::default();
    while machine.qemu.wait_timeout(POLL)?.is_none() {
        if let Some(cause) = stop.cause() {
            run.end_early(Some(cause));
        } else if began.elapsed() > limit {
            run.faults.push(format!("timed out after {} s", limit.as_secs()));
        } else if follower.is_finished() && machine.qemu.wait_timeout(ENDS_WITHIN)?.is_none() {
            // Whoever follows the console ends before the machine only where something failed.
            run.faults.push("its console cannot be followed".to_owned());
        } else {
            continue;
        }
        machine.qemu.kill()?;
        machine.qemu.wait()?;
    }
    if run.interrupted {
        // Nothing is judged then, and the monitor may still be waiting.
        return Ok(run);
    }
    let (events, last) = match follower.join().expect("no panic in what follows the console") {
        Ok(followed) => followed,
        Err(error) => (Vec::new(), error.to_string()),
    };
    if !is_whole(&events) {
        let complaints = fs::read_to_string(&machine.complaints).unwrap_or_default();
        let complaint = complaints.lines().last().unwrap_or_default();
        run.faults.push(format!("the guest did not finish; its last line: {last} {complaint}").trim().to_owned());
    }
    Ok(Run { events, ..run })
}

/// Follows the console to its end: keeps all that it prints, and has the monitor do what the guest asks for.
fn follow(machine: &mut Machine, console: PathBuf) -> io::Result<Follower> {
    let output = machine.qemu.stdout.take().ok_or_else(|| io::Error::other("QEMU has no output"))?;
    let connection = machine.monitor.take().ok_or_else(|| io::Error::other("QEMU has no monitor"))?;
    let (mut monitor, mut kept) = (Monitor::new(connection)?, File::create(console)?);
    Ok(thread::spawn(move || {
        let (mut events, mut last) = (Vec::new(), String::new());
        for line in BufReader::new(output).split(b'\n') {
            let line = line?;
            kept.write_all(&[&line[..], b"\n"].concat())?;
            let text = String::from_utf8_lossy(&line);
            let event = line::parse(&text);
            if let Some(Event::Ask(commands)) = &event {
                monitor.run(commands)?;
            } else if event.is_none() && !text.trim().is_empty() {
                last = text.trim().chars().take(200).collect();
            }
            events.extend(event);
        }
        Ok((events, last))
    }))
}
