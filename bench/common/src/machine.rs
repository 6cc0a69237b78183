//! What the numbers belong to: the machine, the kernel's clocksource, our clock's own word, the versions compared.

use std::fs;

use chronoscope_clock::Clock;
use serde::Serialize;

/// The versions of the libraries are those of this workspace's lock file.
const LOCK_FILE: &str = include_str!("../../Cargo.lock");

/// Where a run took place, and between whom.
#[derive(Debug, Serialize)]
pub struct Machine {
    cpu: Option<String>,
    cpus: usize,
    kernel: Option<String>,
    clocksource: Option<String>,
    our_clock: String,
    peers: Vec<String>,
}

impl Machine {
    /// This machine, for a comparison with the crates `peers`. `cpus` may be used.
    pub fn look(cpus: usize, peers: &[&str]) -> Self {
        let line = |path: &str| Some(fs::read_to_string(path).ok()?.trim().to_owned());
        let trust = Clock::or_system().trust();
        Self {
            cpu: fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| model_name(&text)),
            cpus,
            kernel: line("/proc/sys/kernel/osrelease").map(|release| version_of(&release).to_owned()),
            clocksource: line("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
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
        format!(
            "{}, {} CPUs, Linux {}, clocksource {}\nOur clock: {}.{peers}",
            known(&self.cpu),
            self.cpus,
            known(&self.kernel),
            known(&self.clocksource),
            self.our_clock,
        )
    }
}

/// The kernel's version without what its builder has put behind it.
fn version_of(release: &str) -> &str {
    let end = release.find(|character: char| !character.is_ascii_digit() && character != '.');
    &release[..end.unwrap_or(release.len())]
}

fn model_name(cpuinfo: &str) -> Option<String> {
    let (_, name) = cpuinfo.lines().find(|line| line.starts_with("model name"))?.split_once(':')?;
    Some(name.trim().to_owned())
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

    #[test]
    fn the_cpu_has_a_name_where_the_system_gives_one() {
        assert_eq!(model_name("processor : 0\nmodel name\t: A B @ 2 GHz\n").as_deref(), Some("A B @ 2 GHz"));
        assert_eq!(model_name("processor : 0\n"), None);
    }
}
