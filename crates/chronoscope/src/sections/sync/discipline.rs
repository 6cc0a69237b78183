//! Whether the wall clock is disciplined and by what, from all sources.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::chrony::Chrony;
use super::daemon::{Daemon, DaemonKind};
use super::kernel::Kernel;
use chronoscope_harness::record::Known;

/// Whether the wall clock is disciplined, and by what.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Discipline {
    /// Whether it is kept to a reference.
    pub state: DisciplineState,
    /// What disciplines it, or would; null if unknown.
    pub by: Option<DaemonKind>,
    /// The evidence, a clause each.
    pub evidence: Vec<String>,
}

/// Whether the wall clock is kept to a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DisciplineState {
    Disciplined,
    NotDisciplined,
    Unknown,
}

/// The kinds that certainly steer the system clock, without duplicates.
pub fn steering(daemons: &Known<Vec<Daemon>>) -> Vec<DaemonKind> {
    let daemons = daemons.value().map_or(&[][..], Vec::as_slice);
    let mut kinds: Vec<DaemonKind> =
        daemons.iter().filter(|daemon| daemon.steers == Some(true)).map(|daemon| daemon.kind).collect();
    kinds.dedup();
    kinds
}

/// Whether chronyd was found to run without steering (`-x`), and nothing else steers.
pub fn chronyd_only_watches(daemons: &Known<Vec<Daemon>>) -> bool {
    let seen = daemons.value().map_or(&[][..], Vec::as_slice);
    let chronyd: Vec<&Daemon> = seen.iter().filter(|daemon| daemon.kind == DaemonKind::Chronyd).collect();
    !chronyd.is_empty() && chronyd.iter().all(|daemon| daemon.steers == Some(false))
}

/// The answer.
pub fn conclude(kernel: &Known<Kernel>, chrony: &Known<Chrony>, daemons: &Known<Vec<Daemon>>) -> Discipline {
    if let Some(chrony) = chrony.value().filter(|_| !chronyd_only_watches(daemons)) {
        if chrony.is_synchronised() {
            return by_chrony(chrony, kernel);
        }
        if chrony.is_local() && steering(daemons) == [DaemonKind::Chronyd] {
            let evidence = "chronyd follows its own clock (local mode)".to_owned();
            return answer(DisciplineState::NotDisciplined, None, evidence);
        }
    }
    match kernel {
        Known::Value(kernel) if kernel.is_synchronised() => by_kernel(daemons),
        Known::Value(_) => by_nobody(chrony, daemons),
        Known::Unavailable(why) => {
            let by = steering(daemons).first().copied();
            let seen =
                by.map_or("no daemon that steers it is visible".to_owned(), |kind| format!("{} runs", kind.name()));
            answer(DisciplineState::Unknown, by, format!("the kernel does not say: {why}")).and(seen)
        }
    }
}

fn answer(state: DisciplineState, by: Option<DaemonKind>, evidence: String) -> Discipline {
    Discipline { state, by, evidence: vec![evidence] }
}

impl Discipline {
    fn and(mut self, evidence: String) -> Self {
        self.evidence.push(evidence);
        self
    }
}

fn by_chrony(chrony: &Chrony, kernel: &Known<Kernel>) -> Discipline {
    let reference = chrony.reference.as_deref().unwrap_or(&chrony.reference_id);
    let found = answer(
        DisciplineState::Disciplined,
        Some(DaemonKind::Chronyd),
        format!("chronyd follows {reference} at stratum {}", chrony.stratum),
    );
    match kernel.value() {
        Some(kernel) if !kernel.is_synchronised() => found.and("it does not tell the kernel".to_owned()),
        Some(_) => found.and("the kernel says synchronised".to_owned()),
        None => found,
    }
}

/// The kernel was told that the clock is synchronised: by what?
fn by_kernel(daemons: &Known<Vec<Daemon>>) -> Discipline {
    let synchronised = "the kernel says synchronised".to_owned();
    let kinds = steering(daemons);
    let found = answer(DisciplineState::Disciplined, kinds.first().copied(), synchronised);
    match (daemons, kinds.as_slice()) {
        (Known::Unavailable(why), _) => found.and(format!("processes cannot be seen: {why}")),
        (_, []) => {
            found.and("no daemon that steers the clock is visible; in a container it may run outside".to_owned())
        }
        (_, [one]) => found.and(format!("{} runs", one.name())),
        (_, several) => found.and(format!("{} run at once", names(several))),
    }
}

/// The kernel reports that the clock is not synchronised.
fn by_nobody(chrony: &Known<Chrony>, daemons: &Known<Vec<Daemon>>) -> Discipline {
    let unsynchronised = "the kernel says unsynchronised".to_owned();
    let kinds = steering(daemons);
    let not = |by| answer(DisciplineState::NotDisciplined, by, unsynchronised.clone());
    let unknown = |by| answer(DisciplineState::Unknown, Some(by), unsynchronised.clone());
    if kinds.contains(&DaemonKind::Chronyd) {
        return match chrony {
            Known::Value(_) => not(None).and("chronyd runs but has not synchronised".to_owned()),
            Known::Unavailable(why) => unknown(DaemonKind::Chronyd).and(format!(
                "chronyd runs but cannot be queried ({why}); without rtcsync it does not tell the \
                              kernel"
            )),
        };
    }
    if !kinds.is_empty() {
        return not(None).and(format!("{} has not synchronised", names(&kinds)));
    }
    let seen = daemons.value().map_or(&[][..], Vec::as_slice);
    if let Some(host) = seen.iter().find(|daemon| daemon.kind.is_host_sync()) {
        return unknown(host.kind)
            .and(format!("{} may set the clock to the host's and does not tell the kernel", host.kind.name()));
    }
    match daemons {
        Known::Unavailable(why) => not(None).and(format!("processes cannot be seen: {why}")),
        Known::Value(_) if chronyd_only_watches(daemons) => {
            not(None).and("chronyd runs with -x and leaves the clock alone".to_owned())
        }
        Known::Value(_) => not(None).and("no daemon that steers the clock is visible".to_owned()),
    }
}

/// `chronyd`, `chronyd and ntpd`, `chronyd, ntpd and phc2sys`.
pub fn names(kinds: &[DaemonKind]) -> String {
    let names: Vec<&str> = kinds.iter().map(|kind| kind.name()).collect();
    match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => names.concat(),
    }
}
