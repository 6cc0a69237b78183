use chronoscope_harness::record::Disturbance;

use crate::machine::cpu_list;
use crate::words::counted;
use chronoscope_harness::quantity::{count, ms};

/// A disturbance in words.
pub fn said(disturbance: &Disturbance) -> String {
    let steal =
        disturbance.steal_ms.map_or_else(|| "steal not counted".to_owned(), |steal| format!("steal {}", ms(steal)));
    let switches = disturbance.involuntary_switches.map_or_else(
        || "involuntary switches not counted".to_owned(),
        |switches| counted(switches, "involuntary switch", "involuntary switches"),
    );
    let migrations = disturbance
        .migrations
        .map_or_else(|| "migrations not counted".to_owned(), |count| counted(count, "migration", "migrations"));
    let waited =
        disturbance.waited_ms.map_or_else(String::new, |waited| format!(" ({} of waiting for a CPU)", ms(waited)));
    format!("{steal}, {switches}{waited}, {migrations}, {}", bound_said(disturbance))
}

/// Steal, involuntary switches and migrations as cells of a table.
pub fn figures(disturbance: &Disturbance) -> [String; 3] {
    let counted = |value: Option<u64>| value.map_or_else(|| "–".to_owned(), count);
    [
        disturbance.steal_ms.map_or_else(|| "–".to_owned(), ms),
        counted(disturbance.involuntary_switches),
        counted(disturbance.migrations),
    ]
}

/// The CPUs that threads were pinned to, or why they were not.
pub fn bound(disturbance: &Disturbance) -> String {
    match &disturbance.reason_unpinned {
        Some(reason) => format!("no: {reason}"),
        None if disturbance.cpus.is_empty() => "no".to_owned(),
        None => cpu_list(&disturbance.cpus),
    }
}

fn bound_said(disturbance: &Disturbance) -> String {
    match &disturbance.reason_unpinned {
        Some(reason) => format!("threads not bound to CPUs: {reason}"),
        None if disturbance.cpus.is_empty() => "threads not bound to CPUs".to_owned(),
        None if disturbance.cpus.len() == 1 => format!("bound to CPU {}", cpu_list(&disturbance.cpus)),
        None => format!("bound to CPUs {}", cpu_list(&disturbance.cpus)),
    }
}
