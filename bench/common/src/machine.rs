//! What the numbers belong to: the machine as the harness identifies it, our clock's own word, the versions compared.

use chronoscope_clock::Clock;
use chronoscope_harness::machine::identify;
use chronoscope_harness::record::{self, TscAccess};
use chronoscope_sources::os::{CounterAccess, counter_access};
use serde::Serialize;

use crate::cpus;

/// The versions of the libraries are those of this workspace's lock file.
const LOCK_FILE: &str = include_str!("../../Cargo.lock");

/// Where a run took place, and between whom.
#[derive(Debug, Serialize)]
pub struct Machine {
    #[serde(flatten)]
    machine: record::Machine,
    our_clock: String,
    peers: Vec<String>,
}

impl Machine {
    /// This machine, for a comparison with the crates `peers`. To be called before the process is bound to a CPU.
    pub fn look(peers: &[&str]) -> Self {
        let access = match counter_access() {
            CounterAccess::Allowed => TscAccess::Allowed,
            CounterAccess::Faults => TscAccess::Faults,
        };
        // Where the system does not say which CPUs may be used, the machine's record says so.
        let allowed: Vec<u32> = cpus::allowed().unwrap_or_default().into_iter().map(|cpu| cpu as u32).collect();
        let trust = Clock::or_system().trust();
        Self {
            machine: identify(access, &allowed),
            our_clock: std::iter::once(trust.state.to_string())
                .chain(trust.reasons.iter().map(|reason| reason.to_string()))
                .collect::<Vec<_>>()
                .join("; "),
            peers: peers
                .iter()
                .filter_map(|name| Some(format!("{name} {}", locked_version(LOCK_FILE, name)?)))
                .collect(),
        }
    }

    /// In two lines.
    pub fn show(&self) -> String {
        let known = |what: &Option<String>| what.clone().unwrap_or_else(|| "unknown".into());
        let peers = if self.peers.is_empty() { String::new() } else { format!(" Peers: {}.", self.peers.join(", ")) };
        let record::Machine { cpu, kernel, clocksource, .. } = &self.machine;
        format!(
            "{}, {} CPUs, {} {}, clocksource {}\nOur clock: {}.{peers}",
            known(&cpu.brand),
            cpu.allowed.len(),
            kernel.name,
            version_of(&kernel.release),
            known(&clocksource.current),
            self.our_clock,
        )
    }
}

/// The kernel's version without what its builder has put behind it.
fn version_of(release: &str) -> &str {
    let end = release.find(|character: char| !character.is_ascii_digit() && character != '.');
    &release[..end.unwrap_or(release.len())]
}

fn locked_version<'a>(lock: &'a str, name: &str) -> Option<&'a str> {
    let mut lines = lock.lines().skip_while(|line| *line != format!("name = \"{name}\"")).skip(1);
    lines.next()?.strip_prefix("version = \"")?.strip_suffix('"')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_those_of_the_lock_file() {
        assert!(locked_version(LOCK_FILE, "quanta").is_some());
        assert_eq!(locked_version("name = \"a\"\nversion = \"1.2\"", "a"), Some("1.2"));
        assert_eq!(locked_version("name = \"a\"", "a"), None);
    }

    #[test]
    fn a_release_begins_with_its_version() {
        assert_eq!([version_of("6.12.3-amd64"), version_of("6.12"), version_of("")], ["6.12.3", "6.12", ""]);
    }
}
