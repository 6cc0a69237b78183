//! This program as a process of its own: one that others stop, or one whose library has read nothing yet.

use std::io::{self, Read};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use serde_json::json;

use crate::checks::timens;
use crate::crew::{self, Until, cpus, read_on_every_cpu};
use crate::line;
use crate::reader::Both;
use crate::said::Said;

/// What a helper is started for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Reads on every CPU until its input ends.
    Threads,
    /// Reads on that CPU, on one thread, until its input ends.
    Single(usize),
    /// Goes through a time namespace without having read the clock, and reads as often as it is told.
    ColdNamespace(u64),
    /// The same after having read the clock.
    WarmNamespace(u64),
}

impl Role {
    /// As `guest` understands them.
    fn words(self) -> [String; 3] {
        let (name, number) = match self {
            Self::Threads => ("threads", 0),
            Self::Single(cpu) => ("single", cpu as u64),
            Self::ColdNamespace(readings) => ("cold_namespace", readings),
            Self::WarmNamespace(readings) => ("warm_namespace", readings),
        };
        ["helper".to_owned(), name.to_owned(), number.to_string()]
    }

    /// The role that a command line names.
    pub fn from_words(name: &str, number: &str) -> Option<Self> {
        let number: u64 = number.parse().ok()?;
        match name {
            "threads" => Some(Self::Threads),
            "single" => Some(Self::Single(usize::try_from(number).ok()?)),
            "cold_namespace" => Some(Self::ColdNamespace(number)),
            "warm_namespace" => Some(Self::WarmNamespace(number)),
            _ => None,
        }
    }
}

/// Starts one.
pub fn start(role: Role) -> io::Result<Child> {
    Command::new("/proc/self/exe").args(role.words()).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()
}

/// Ends its input and gives what it saw, or why it cannot be known.
pub fn finish(child: Child) -> io::Result<(Both, Said)> {
    let output = child.wait_with_output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines()
        .find_map(line::parse)
        .and_then(|value| serde_json::from_value(value).ok())
        .ok_or_else(|| io::Error::other(format!("a helper ended with {} and said {:?}", output.status, text.trim())))
}

/// What a helper does.
pub fn work(role: Role) -> io::Result<()> {
    match role {
        Role::Threads => report(until_input_ends(|told| Ok(read_on_every_cpu(told, None, |_| Ok(()))?.0))?),
        Role::Single(cpu) => report(until_input_ends(|told| crew::read(cpu % cpus(), told, None))?),
        // There the child reports.
        Role::ColdNamespace(readings) => timens::through(false, readings)?,
        Role::WarmNamespace(readings) => timens::through(true, readings)?,
    }
    Ok(())
}

/// Prints what was read and what the library says of itself in this process.
pub fn report(both: Both) {
    line::print(&json!((both, Said::now())));
}

fn until_input_ends(read: impl FnOnce(Until<'_>) -> io::Result<Both>) -> io::Result<Both> {
    let told = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            // An error is an end as well.
            let _ = io::stdin().read_to_end(&mut Vec::new());
            told.store(true, Ordering::Relaxed);
        });
        read(Until::Told(&told))
    })
}
