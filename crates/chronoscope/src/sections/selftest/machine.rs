use chronoscope_harness::record::study::StudyRecord;
use chronoscope_render::text::{count, ns, percent};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Share of disturbed visits above which errors are attributed to the machine.
const DISTURBED: f64 = 0.5;
/// Share of stolen time above which the same applies.
const STOLEN: f64 = 0.02;
/// Share of false alarms in comparisons of an operation with itself, likewise.
const ALARMS: f64 = 0.1;

/// Disturbance of the runs, over all studies of the self-test.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MachineState {
    pub visits: u64,
    pub visits_quiet: u64,
    pub visits_shared: u64,
    pub visits_slow: u64,
    pub visits_preempted: u64,
    pub elapsed_ms: f64,
    pub steal_ms: f64,
    pub control_comparisons: u64,
    pub control_alarms: u64,
    pub control_verdicts_wrong: u64,
    /// Resolution of comparisons, in percent.
    pub resolvable_pct: Option<f64>,
}

impl MachineState {
    /// Over `records`; the caller excludes studies with more threads than CPUs, which disturb themselves.
    pub fn of<'a>(records: impl IntoIterator<Item = &'a StudyRecord>) -> Self {
        let mut state = Self::default();
        for record in records {
            state.elapsed_ms += record.elapsed_ms as f64;
            if let Some(canary) = &record.canary {
                state.visits += canary.visits;
                state.visits_quiet += canary.visits_quiet;
                state.visits_shared += canary.visits_shared;
                state.visits_slow += canary.visits_slow;
                state.visits_preempted += canary.visits_preempted;
            }
            state.steal_ms += record.forks.iter().filter_map(|fork| fork.disturbance.steal_ms).sum::<f64>();
            if let Some(control) = &record.control {
                state.control_comparisons += u64::from(control.comparisons);
                state.control_alarms += u64::from(control.alarms);
                state.control_verdicts_wrong += u64::from(control.verdicts_wrong);
                state.resolvable_pct = Some(state.resolvable_pct.unwrap_or(0.0).max(control.resolvable_pct));
            }
        }
        state
    }

    /// The faults, most severe first; empty if there are none.
    pub fn faults(&self) -> Vec<String> {
        let mut faults: Vec<(f64, String)> = Vec::new();
        let share = |count: u64| count as f64 / self.visits.max(1) as f64;
        let mut add = |visits: u64, what: &str, todo: &str| {
            if share(visits) > DISTURBED / 5.0 {
                let seen = format!("{} of {} iterations", count(visits), count(self.visits));
                faults.push((share(visits), format!("in {seen} {what}; {todo}")));
            }
        };
        add(
            self.visits_shared,
            "a neighbour shared the core, which no kernel counter shows",
            "stop what else runs here, or run on another core with --cpus",
        );
        add(
            self.visits_slow,
            "the core ran slow: another frequency, or stolen time",
            "fix the frequency, or try again later",
        );
        add(
            self.visits_preempted,
            "a thread lost its CPU to another process",
            "stop what else runs here, or run on other CPUs with --cpus",
        );
        if self.steal_ms > STOLEN * self.elapsed_ms {
            let stolen = self.steal_ms / self.elapsed_ms.max(1.0);
            let text = format!("the hypervisor gave {} to others; try again later", ns(self.steal_ms * 1e6));
            faults.push((stolen, text));
        }
        let alarms = self.control_alarms as f64 / self.control_comparisons.max(1) as f64;
        if alarms > ALARMS {
            let text = format!(
                "{} of {} comparisons of an operation with itself alarmed ({})",
                count(self.control_alarms),
                count(self.control_comparisons),
                percent(alarms * 100.0)
            );
            faults.push((alarms, text));
        }
        faults.sort_by(|one, other| other.0.total_cmp(&one.0));
        faults.into_iter().map(|(_, text)| text).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quiet() -> MachineState {
        MachineState {
            visits: 1_000,
            visits_quiet: 980,
            visits_shared: 20,
            elapsed_ms: 60_000.0,
            control_comparisons: 40,
            control_alarms: 1,
            ..MachineState::default()
        }
    }

    #[test]
    fn a_quiet_machine_is_not_at_fault() {
        assert!(quiet().faults().is_empty());
    }

    #[test]
    fn the_gravest_fault_comes_first() {
        let state = MachineState { visits_quiet: 100, visits_shared: 700, visits_preempted: 200, ..quiet() };
        let faults = state.faults();
        assert!(faults.len() == 2, "{faults:?}");
        assert!(faults[0].contains("neighbour") && faults[1].contains("lost its CPU"), "{faults:?}");
    }

    #[test]
    fn stolen_time_and_false_alarms_are_faults() {
        let stolen = MachineState { steal_ms: 6_000.0, ..quiet() };
        assert!(stolen.faults()[0].contains("6.00 s"), "{:?}", stolen.faults());
        let alarmed = MachineState { control_alarms: 20, ..quiet() };
        assert!(alarmed.faults()[0].contains("20 of 40"), "{:?}", alarmed.faults());
    }
}
