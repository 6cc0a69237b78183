//! What is done to one machine, and what must be seen: a file of `lab/scenarios`.

use std::fs;
use std::io;
use std::path::Path;

use serde::Deserialize;

use crate::check::Check;
use crate::expectation::Expectation;
use crate::peer::Peer;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    #[serde(skip)]
    pub name: String,
    pub about: String,
    #[serde(default)]
    pub quick: bool,
    /// Its initramfs, built by the script of that name in `lab/images`.
    #[serde(default = "plain")]
    pub image: String,
    #[serde(default)]
    pub machine: MachineKind,
    #[serde(default = "one")]
    pub cpus: usize,
    #[serde(default = "memory_mib")]
    pub memory_mib: u32,
    #[serde(default)]
    pub qemu: String,
    #[serde(default)]
    pub kernel: String,
    /// Whether it needs a disk that can hold the state of the machine.
    #[serde(default)]
    pub snapshots: bool,
    /// How long it may take; with `--long` ten times that.
    #[serde(default = "limit_s")]
    pub limit_s: u64,
    /// Whether nothing may be built meanwhile: its CPUs must run at the same time.
    #[serde(default)]
    pub undisturbed: bool,
    /// Whether the library must read the counter: a clock that falls back is right, and proves nothing.
    #[serde(default)]
    pub reads_counter: bool,
    /// The peers that its steps ask, each with its options, where a step does not say which.
    #[serde(default)]
    pub peers: Vec<String>,
    /// Whether steps that ask peers were taken out.
    #[serde(skip)]
    pub leaves_out_peers: bool,
    #[serde(rename = "step")]
    pub steps: Vec<Step>,
    /// What must be seen, besides what every step is judged by.
    #[serde(default, rename = "expect")]
    pub expectations: Vec<Expectation>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MachineKind {
    #[default]
    Q35,
    Virt,
    /// A PC whose kernel runs under Xen.
    Xen,
    /// No machine: the steps run here.
    Host,
}

/// One thing that is done: exactly one of `switch`, `check`, `tool`, `run` and `peers`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// How expectations call it; what it does, if it has none.
    pub name: Option<String>,
    pub switch: Option<String>,
    /// Reads the library's clock between readings of the system's.
    pub check: Option<Check>,
    /// Runs the tool with these arguments and keeps its document.
    pub tool: Option<String>,
    /// Runs a command in a shell and keeps what it prints.
    pub run: Option<String>,
    /// Asks the peers what they say of this fault, which the machine has by now, or of `no fault`.
    pub peers: Option<String>,
    /// Those peers, where they are not the scenario's.
    pub by: Option<Vec<String>>,
    /// How often each is asked: whether they see a fault is partly chance.
    pub rounds: Option<usize>,
    /// Runs the tool or the peers under a launcher that takes something from them.
    pub under: Option<String>,
    pub meanwhile: Option<String>,
    /// The clocksource at its end, if it changes.
    pub ends_on: Option<String>,
    /// Whether the library must read the counter, where that differs from the rest.
    pub reads_counter: Option<bool>,
}

/// As many runs of a second take a peer about as long as the tool takes once.
const ROUNDS: usize = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action<'a> {
    Switch(&'a str),
    Check(Check),
    Tool(&'a str),
    Run(&'a str),
    Peers(&'a str),
}

impl Step {
    pub fn action(&self) -> Result<Action<'_>, String> {
        match (&self.switch, &self.check, &self.tool, &self.run, &self.peers) {
            (Some(name), None, None, None, None) => Ok(Action::Switch(name)),
            (None, Some(check), None, None, None) => Ok(Action::Check(*check)),
            (None, None, Some(arguments), None, None) => Ok(Action::Tool(arguments)),
            (None, None, None, Some(command), None) => Ok(Action::Run(command)),
            (None, None, None, None, Some(fault)) => Ok(Action::Peers(fault)),
            _ => Err("a step has exactly one of switch, check, tool, run and peers".to_owned()),
        }
    }

    pub fn title(&self) -> String {
        if let Some(name) = &self.name {
            return name.clone();
        }
        match self.action() {
            Ok(Action::Switch(name)) => format!("switch to {name}"),
            Ok(Action::Check(check)) => check.name(),
            Ok(Action::Tool(words) | Action::Run(words)) => words.to_owned(),
            Ok(Action::Peers(fault)) => format!("peers, {fault}"),
            Err(_) => "?".to_owned(),
        }
    }

    pub fn rounds(&self) -> usize {
        self.rounds.unwrap_or(ROUNDS)
    }

    pub fn changes_machine(&self) -> bool {
        self.switch.is_some()
            || self.meanwhile.is_some()
            || self.run.is_some()
            || matches!(self.action(), Ok(Action::Check(Check::Slews | Check::Switch)))
    }
}

impl Scenario {
    pub fn read(path: &Path) -> io::Result<Self> {
        let told = |why: String| io::Error::other(format!("{}: {why}", path.display()));
        let text = fs::read_to_string(path).map_err(|error| told(error.to_string()))?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        Self::parse(&name, &text).map_err(told)
    }

    pub fn parse(name: &str, text: &str) -> Result<Self, String> {
        let mut scenario: Self = toml::from_str(text).map_err(|error| error.to_string())?;
        scenario.name = name.to_owned();
        let mut titles: Vec<String> = Vec::new();
        for step in &scenario.steps {
            let (action, title, asked) = (step.action()?, step.title(), scenario.peers_of(step));
            let (is_check, is_asking) = (matches!(action, Action::Check(_)), step.peers.is_some());
            let is_undisturbed = action == Action::Check(Check::Disturbed) && step.meanwhile.is_none();
            first_that_holds(
                &title,
                &[
                    (step.reads_counter.is_some() && !is_check, "reads_counter is for checks; expect it of a document"),
                    (is_undisturbed, "nothing disturbs it; say what by `meanwhile`"),
                    (titles.contains(&title), "two steps are called so; give one a name"),
                    (asked.iter().any(|command| Peer::of(command).is_none()), "there is no such peer"),
                    (is_asking && (asked.is_empty() || step.rounds == Some(0)), "it asks nobody"),
                    (!is_asking && (step.by.is_some() || step.rounds.is_some()), "it asks no peers"),
                ],
            )?;
            titles.push(title);
        }
        for expectation in &scenario.expectations {
            let Expectation { fault, finding, .. } = expectation;
            let wrong = expectation.validate().err();
            first_that_holds(
                &expectation.says,
                &[
                    (wrong.is_some(), wrong.unwrap_or_default()),
                    (fault.is_some() && finding.is_none(), "a fault is detected by a finding, or not at all"),
                    (expectation.may_miss && fault.is_none(), "only the detection of a fault may be missed"),
                    (!titles.contains(&expectation.of), "no step is called as what it is of"),
                ],
            )?;
        }
        Ok(scenario)
    }

    /// How many of the host's CPUs it takes: its machine's, or all where the steps are done by the host, such as a compiler's.
    pub fn slots(&self) -> usize {
        if self.machine == MachineKind::Host { usize::MAX } else { self.cpus }
    }

    pub fn peers_of<'a>(&'a self, step: &'a Step) -> &'a [String] {
        if step.peers.is_none() { &[] } else { step.by.as_deref().unwrap_or(&self.peers) }
    }

    pub fn asks_peers(&self) -> bool {
        self.steps.iter().any(|step| step.peers.is_some())
    }

    pub fn without_peers(mut self) -> Self {
        self.steps.retain(|step| step.peers.is_none());
        self.leaves_out_peers = true;
        self
    }

    pub fn expected_of(&self, step: &Step) -> impl Iterator<Item = &Expectation> {
        let title = step.title();
        self.expectations.iter().filter(move |expectation| expectation.of == title)
    }

    pub fn all(folder: &Path) -> io::Result<Vec<Self>> {
        let mut paths = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
        paths.retain(|path| path.extension().is_some_and(|end| end == "toml"));
        paths.sort();
        paths.iter().map(|path| Self::read(path)).collect()
    }
}

/// An error for the first of these wrongs that there is.
fn first_that_holds(what: &str, wrongs: &[(bool, &str)]) -> Result<(), String> {
    match wrongs.iter().find(|(is_so, _)| *is_so) {
        Some((_, why)) => Err(format!("{what:?}: {why}")),
        None => Ok(()),
    }
}

fn plain() -> String {
    "plain".to_owned()
}

fn one() -> usize {
    1
}

fn memory_mib() -> u32 {
    512
}

fn limit_s() -> u64 {
    180
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::NO_FAULT;
    use crate::peer::PEERS;

    fn parse(steps: &str) -> Result<Scenario, String> {
        Scenario::parse("hpet", &format!("about = 'a slow clock'\n{steps}"))
    }

    #[test]
    fn every_scenario_can_be_read_and_every_finding_that_one_names_exists() {
        let lab = Path::new(env!("CARGO_MANIFEST_DIR"));
        let known = fs::read_to_string(lab.join("../docs/findings.md")).unwrap();
        let scenarios = Scenario::all(&lab.join("scenarios")).unwrap();
        assert!(scenarios.iter().any(|scenario| scenario.quick));
        for scenario in scenarios {
            for expectation in &scenario.expectations {
                for id in [&expectation.finding, &expectation.no_finding].into_iter().flatten() {
                    assert!(known.contains(&format!("`{id}`")), "{}: there is no finding {id}", scenario.name);
                }
            }
        }
    }

    #[test]
    fn every_peer_is_asked_about_a_machine_without_a_fault_too() {
        let scenarios = Scenario::all(&Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios")).unwrap();
        let asked = |without_fault: bool| -> Vec<(String, &'static str)> {
            let steps = scenarios.iter().flat_map(|scenario| scenario.steps.iter().map(move |step| (scenario, step)));
            steps
                .filter(|(_, step)| (step.peers.as_deref() == Some(NO_FAULT)) == without_fault)
                .flat_map(|(scenario, step)| {
                    let peers = scenario.peers_of(step).iter().filter_map(|command| Peer::of(command));
                    peers.map(|peer| (scenario.name.clone(), peer.name))
                })
                .collect()
        };
        let controls = asked(true);
        for (scenario, peer) in asked(false) {
            // Its TSC is distrusted from the start, so it has no state without the fault.
            let elsewhere = scenario == "unstable" && controls.iter().any(|(_, other)| *other == peer);
            assert!(elsewhere || controls.contains(&(scenario.clone(), peer)), "{scenario}: no control of {peer}");
        }
        for peer in &PEERS {
            assert!(controls.iter().any(|(_, other)| *other == peer.name), "nobody asks {}", peer.name);
        }
    }

    #[test]
    fn what_asks_peers_can_be_left_out() {
        let text = "peers = ['fio --cpuclock-test']\n[[step]]\npeers = 'no fault'\n[[step]]\nrun = 'a'\n[[step]]\npeers = 'b'\nby = ['threadtest']";
        let scenario = parse(text).unwrap();
        assert_eq!(scenario.peers_of(&scenario.steps[0]), ["fio --cpuclock-test"]);
        assert!(scenario.peers_of(&scenario.steps[1]).is_empty());
        assert_eq!(scenario.peers_of(&scenario.steps[2]), ["threadtest"]);
        let rest = scenario.clone().without_peers();
        assert!(scenario.asks_peers() && !rest.asks_peers());
        assert_eq!(rest.steps.iter().map(Step::title).collect::<Vec<_>>(), ["a"]);
    }

    #[test]
    fn what_cannot_be_done_is_refused() {
        for (steps, why) in [
            ("[[step]]\nswitch = 'a'\nrun = 'b'", "exactly one"),
            ("[[step]]\nname = 'a'", "exactly one"),
            ("[[step]]\ncheck = 'nothing'", "unknown variant `nothing`"),
            ("[[step]]\nchek = 'readings'", "chek"),
            ("[[step]]\nrun = 'a'\n[[step]]\nrun = 'a'", "two steps"),
            ("[[step]]\npeers = 'a'", "asks nobody"),
            ("[[step]]\npeers = 'a'\nby = ['clockperf']", "no such peer"),
            ("[[step]]\nrun = 'a'\nby = ['fio']", "asks no peers"),
            ("[[step]]\npeers = 'a'\nby = ['fio']\nrounds = 0", "asks nobody"),
            ("[[step]]\nrun = 'a'\n[[expect]]\nof = 'a'\nsays = 'c'\nexit = 0\nmay_miss = true", "may be missed"),
            ("[[step]]\ntool = 'a'\nreads_counter = true", "for checks"),
            ("[[step]]\ncheck = 'disturbed'", "nothing disturbs"),
            ("[[step]]\nrun = 'a'\n[[expect]]\nof = 'b'\nsays = 'c'\nexit = 0", "no step is called"),
            ("[[step]]\nrun = 'a'\n[[expect]]\nof = 'a'\nsays = 'c'", "exactly one"),
            ("[[step]]\nrun = 'a'\n[[expect]]\nof = 'a'\nsays = 'c'\nexit = 0\nfault = 'd'", "detected by a finding"),
        ] {
            let error = parse(steps).unwrap_err();
            assert!(error.contains(why), "{steps}: {error}");
        }
    }
}
