//! Runs one scenario: its machine, its console, its monitor, and its time.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use wait_timeout::ChildExt;

use crate::console;
use crate::event::Event;
use crate::machine::{self, Image};
use crate::monitor::Monitor;
use crate::plant::Plant;
use crate::scenario::{MachineKind, Scenario};
use crate::size::Size;
use crate::steps::{self, Means};

/// What a run left.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// What the guest told, in order.
    pub events: Vec<Event>,
    /// How long it took.
    pub took: Duration,
    /// What went wrong with the run as a whole.
    pub faults: Vec<String>,
}

/// Where a run finds and leaves things.
#[derive(Clone, Debug)]
pub struct Place<'a> {
    /// The scenario's file.
    pub file: &'a Path,
    /// What it starts.
    pub image: &'a Image,
    /// The peers, if they could be had.
    pub peers: Option<&'a Path>,
    /// Begins the names of all files that it leaves.
    pub stem: PathBuf,
}

const POLL: Duration = Duration::from_millis(100);
/// A machine whose console is closed ends within this.
const ENDS_WITHIN: Duration = Duration::from_secs(20);
/// A long run does ten times as much.
const LONG: u64 = 10;

/// Runs it until the guest ends, the time is over, or `stop` says so.
pub fn run(scenario: &Scenario, place: &Place<'_>, size: Size, plant: Option<Plant>, stop: &AtomicBool) -> Run {
    let began = Instant::now();
    let mut run = match scenario.machine {
        MachineKind::Host => here(scenario, place.image, size),
        _ => boot(scenario, place, size, plant, stop)
            .unwrap_or_else(|error| Run { faults: vec![error.to_string()], ..Run::default() }),
    };
    run.took = began.elapsed();
    run
}

/// Without a machine: the image is a program that starts the tool.
fn here(scenario: &Scenario, image: &Image, size: Size) -> Run {
    let tool = vec![image.initramfs.display().to_string()];
    let means = Means { tool, size, plant: None, limit_s: Some(scenario.limit_s) };
    let mut events = Vec::new();
    steps::run(scenario, &means, &mut |event| events.push(event));
    Run { events, ..Run::default() }
}

fn boot(
    scenario: &Scenario,
    place: &Place<'_>,
    size: Size,
    plant: Option<Plant>,
    stop: &AtomicBool,
) -> io::Result<Run> {
    let limit = Duration::from_secs(scenario.limit_s * if size == Size::Full { LONG } else { 1 });
    let mut machine = machine::start(scenario, place.file, place.image, place.peers, &place.stem, size, plant)?;
    let output = machine.qemu.stdout.take().ok_or_else(|| io::Error::other("QEMU has no output"))?;
    let (socket, console) = (machine.monitor.clone(), place.stem.with_extension("console"));
    let follower = thread::spawn(move || -> io::Result<(Vec<Event>, String)> {
        let mut events = Vec::new();
        let last = console::follow(output, &console, &mut |event| {
            if let Event::Ask(commands) = &event {
                Monitor::connect(&socket)?.run(commands)?;
            }
            events.push(event);
            Ok(())
        })?;
        Ok((events, last))
    });
    let began = Instant::now();
    let mut faults = Vec::new();
    while machine.qemu.wait_timeout(POLL)?.is_none() {
        let fault = if stop.load(Ordering::Relaxed) {
            Some("interrupted".to_owned())
        } else if began.elapsed() > limit {
            Some(format!("timed out after {} s", limit.as_secs()))
        } else if follower.is_finished() && machine.qemu.wait_timeout(ENDS_WITHIN)?.is_none() {
            // Whoever follows the console ends before the machine only where something failed.
            Some("its console cannot be followed".to_owned())
        } else {
            None
        };
        if let Some(fault) = fault {
            faults.push(fault);
            machine.qemu.kill()?;
            machine.qemu.wait()?;
            break;
        }
    }
    let (events, last) = match follower.join().expect("no panic in what follows the console") {
        Ok(followed) => followed,
        Err(error) => (Vec::new(), error.to_string()),
    };
    if !matches!(events.last(), Some(Event::End)) {
        let complaints = fs::read_to_string(&machine.complaints).unwrap_or_default();
        let complaint = complaints.lines().last().unwrap_or_default();
        faults.push(format!("the guest did not finish; its last line: {last} {complaint}").trim().to_owned());
    }
    Ok(Run { events, faults, ..Run::default() })
}
