use chronoscope_harness::record::{Cpu, Relation};

use crate::sections::causality::report::PairOffset;

/// Two CPUs by their numbers.
pub fn cpus(pair: &PairOffset) -> String {
    format!("CPU {} and CPU {}", pair.a, pair.b)
}

/// The same, and what they share, where the document says that.
pub fn between(pair: &PairOffset, cpu: &Cpu) -> String {
    let share = cpu.topology.as_ref().and_then(|topology| topology.relation(pair.a, pair.b)).map(Relation::words);
    share.map_or_else(|| cpus(pair), |share| format!("{}: {share}", cpus(pair)))
}
