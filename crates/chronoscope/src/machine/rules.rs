use chronoscope_harness::finding::{Finding, HostState, Kind, Meaning};
use chronoscope_harness::record::{Machine, TscAccess};
use chronoscope_harness::rule::Rule;

pub const RULES: &[Rule<Machine>] = &[
    Rule { yields: &[COUNTER_FORBIDDEN], find: counter_forbidden },
    Rule { yields: &[TSC_DISTRUSTED], find: tsc_distrusted },
    Rule { yields: &[FREQUENCY_SCALING], find: frequency_scaling },
    Rule { yields: &[CPU_QUOTA], find: cpu_quota },
    Rule { yields: &[EMULATED], find: emulated },
];

pub const COUNTER_FORBIDDEN: Kind = Kind::critical(
    "counter_forbidden",
    Meaning {
        about: "the process may not read the counter",
        evidence: "that prctl(PR_GET_TSC) reports reads of the counter as forbidden",
        mend: "find what calls prctl(PR_SET_TSC, PR_TSC_SIGSEGV) above this process: a sandbox, or a \
            record-and-replay tool",
    },
)
.shown_in(&["clocks"])
.classed(HostState::Degraded);
pub const TSC_DISTRUSTED: Kind = Kind::warning(
    "tsc_distrusted",
    Meaning {
        about: "the kernel does not trust the TSC",
        evidence: "the kernel's message, or the clocksources it offers without the TSC",
        mend: "do not read the TSC directly here, whatever CPUID says; the boot log may say why the kernel rejected it",
    },
)
.shown_in(&["clocks", "causality"])
.classed(HostState::Degraded);
pub const FREQUENCY_SCALING: Kind = Kind::notice(
    "frequency_scaling",
    Meaning {
        about: "the governor may change the CPU frequency during a measurement",
        evidence: "the governors in use",
        mend: "while measuring: sudo cpupower frequency-set -g performance",
    },
)
.shown_in(&["clocks", "reads"]);
pub const CPU_QUOTA: Kind = Kind::notice(
    "cpu_quota",
    Meaning {
        about: "the container's CPU quota is below its number of CPUs",
        evidence: "the quota (`quota_cpus`) and the CPUs that the process may use (`cpus_allowed`)",
        mend: "raise the quota while you measure, or use a cpuset instead of a quota",
    },
)
.shown_in(&["clocks", "reads"]);
pub const EMULATED: Kind = Kind::notice(
    "emulated",
    Meaning {
        about: "the CPU is emulated: no duration is one of hardware",
        evidence: "the emulator, and how it was recognised",
        mend: "judge here whether clocks are right, not what they cost; measure that on hardware",
    },
);

fn counter_forbidden(machine: &Machine) -> Vec<Finding> {
    if machine.tsc.access != Some(TscAccess::Faults) {
        return Vec::new();
    }
    vec![
        Finding::new(
            COUNTER_FORBIDDEN,
            "this process may not read the counter: rdtsc, and any system clock that reads it through the vDSO, \
             raises SIGSEGV",
        )
        .advice(COUNTER_FORBIDDEN.mend),
    ]
}

fn tsc_distrusted(machine: &Machine) -> Vec<Finding> {
    if !machine.kernel_distrusts_counter() {
        return Vec::new();
    }
    let (saw, advice) = match machine.kernel.messages_of_distrust().next() {
        Some(message) => (
            format!("the kernel said: {message}"),
            "do not read the TSC directly here: whatever CPUID says, the kernel does not trust it",
        ),
        None => (
            format!(
                "the kernel does not offer the TSC as a clocksource, only {}",
                machine.clocksource.available.join(", ")
            ),
            TSC_DISTRUSTED.mend,
        ),
    };
    vec![Finding::new(TSC_DISTRUSTED, saw).about("tsc").advice(advice)]
}

fn frequency_scaling(machine: &Machine) -> Vec<Finding> {
    let others: Vec<&str> =
        machine.governors.all().iter().map(String::as_str).filter(|governor| *governor != "performance").collect();
    if others.is_empty() {
        return Vec::new();
    }
    vec![
        Finding::new(
            FREQUENCY_SCALING,
            format!("the frequency governor is {}: equal work takes varying time", others.join(", ")),
        )
        .advice(FREQUENCY_SCALING.mend),
    ]
}

fn cpu_quota(machine: &Machine) -> Vec<Finding> {
    let allowed = machine.cpu.allowed.len() as f64;
    let Some(quota) = machine.cpu_quota.value().copied().flatten().filter(|quota| *quota < allowed) else {
        return Vec::new();
    };
    vec![
        Finding::new(
            CPU_QUOTA,
            format!(
                "the container sees {allowed} CPUs but is limited to {quota:.2}: beyond that, all its threads are throttled"
            ),
        )
        .value("quota_cpus", quota)
        .value("cpus_allowed", allowed)
        .advice(CPU_QUOTA.mend),
    ]
}

fn emulated(machine: &Machine) -> Vec<Finding> {
    let Some(by) = machine.emulated_by() else { return Vec::new() };
    let evidence = &machine.cpu.emulation.evidence;
    vec![
        Finding::new(EMULATED, format!("the CPU is emulated by {by}: no duration is one of hardware ({evidence})"))
            .about("cpu")
            .advice(EMULATED.mend),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronoscope_harness::record::Emulation;
    use chronoscope_harness::rule::conclude;

    #[test]
    fn an_emulated_cpu_is_named() {
        let mut machine = Machine::default();
        machine.cpu.emulation = Emulation {
            is_emulated: Some(true),
            by: Some("QEMU (TCG)".to_owned()),
            evidence: "CPUID 0x40000000: TCGTCGTCGTCG".to_owned(),
        };
        let found = conclude(RULES, &machine);
        assert!(found.len() == 1 && found[0].is(EMULATED), "{found:?}");
        assert!(found[0].evidence.summary.contains("(TCG)"), "{found:?}");
    }
}
