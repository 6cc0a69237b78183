//! This program as a process of its own: one that others stop, or one whose library has read nothing yet.

use std::io::{self, Read};
use std::process::{Child, Command, Stdio};
use std::thread;

use serde::{Deserialize, Serialize};

use crate::checks::timens;
use crate::crew::{self, Told, Until, cpus, read_on_every_cpu};
use crate::line;
use crate::reader::Both;
use crate::row::source;

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub enum Role {
    /// Reads on every CPU until its input ends.
    Threads,
    /// Reads on that CPU, on one thread, until its input ends.
    Single(usize),
    /// Goes through a time namespace, having read the clock before or not, and reads so often.
    Namespace { is_warm: bool, readings: u64 },
}

pub fn start(role: Role) -> io::Result<Child> {
    let role = serde_json::to_string(&role)?;
    Command::new("/proc/self/exe").args(["helper", &role]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()
}

/// Ends its input and gives what it saw and its clock's source, or why they cannot be known.
pub fn finish(child: Child) -> io::Result<(Both, String)> {
    let output = child.wait_with_output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines()
        .find_map(line::parse)
        .ok_or_else(|| io::Error::other(format!("a helper ended with {} and said {:?}", output.status, text.trim())))
}

pub fn work(role: Role) -> io::Result<()> {
    match role {
        Role::Threads => report(until_input_ends(|told| Ok(read_on_every_cpu(told, None, |_| Ok(()))?.0))?),
        Role::Single(cpu) => report(until_input_ends(|told| crew::read(cpu % cpus(), told, None))?),
        // There the child reports.
        Role::Namespace { is_warm, readings } => timens::through(is_warm, readings)?,
    }
    Ok(())
}

/// Prints what was read and where the clock's rate came from.
pub fn report(both: Both) {
    line::print(&(both, source()));
}

fn until_input_ends(read: impl FnOnce(Until<'_>) -> io::Result<Both>) -> io::Result<Both> {
    let told = Told::default();
    thread::scope(|scope| {
        scope.spawn(|| {
            // An error is an end as well.
            let _ = io::stdin().read_to_end(&mut Vec::new());
            told.end();
        });
        read(Until::Told(&told))
    })
}
