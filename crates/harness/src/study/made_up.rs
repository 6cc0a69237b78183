//! Made-up cells and records, for tests.

use crate::record::study::{
    Cell, CellProcess, ComparisonPoint, Difference, Estimate, Leading, Mode, StudyContent, StudyPlan, StudyRecord,
    StudyReport,
};
use crate::record::{Document, Machine, Tool};

/// A cell of processes with these times, on one thread.
pub(crate) fn cell(case: &str, backoff_tokens: u64, processes_ns: &[f64]) -> Cell {
    let processes = processes_ns.iter().enumerate();
    Cell {
        case: case.to_owned(),
        role: None,
        parameters: Default::default(),
        backoff_tokens,
        threads: 1,
        oversubscribed: false,
        operations_per_batch: 1000,
        leads: Leading::Typical,
        time_ns: Some(Estimate { estimate: processes_ns[0], low: 0.0, high: 1e9, confidence: 0.999 }),
        below_ns: None,
        reason_no_time: None,
        typical_ns: Some(Estimate { estimate: processes_ns[0], low: 0.0, high: 1e9, confidence: 0.999 }),
        mean_ns: Some(Estimate { estimate: processes_ns[0], low: 0.0, high: 1e9, confidence: 0.999 }),
        rare_calls: None,
        states: Vec::new(),
        throughput_per_s: None,
        handles: None,
        allocates: None,
        clock_share_pct: 0.0,
        steadiness: None,
        overlap_share: None,
        own_threads: false,
        iterations: 0,
        iterations_quiet: 0,
        latencies: None,
        part: None,
        processes: processes.map(|(process, ns)| CellProcess::alike(process as u32, *ns)).collect(),
    }
}

/// A point at which two operations take the same time.
pub(super) fn point(backoff_tokens: u64) -> ComparisonPoint {
    let about = |estimate: f64, half: f64| Estimate {
        estimate,
        low: estimate - half,
        high: estimate + half,
        confidence: 0.999,
    };
    ComparisonPoint {
        backoff_tokens,
        leads: Leading::Typical,
        difference_ns: about(0.0, 0.1),
        ratio: about(1.0, 0.01),
        other_ratio: None,
        verdict: Difference::Same,
        has_states: false,
        pairs: 60,
    }
}

/// The plan of one case on one thread.
pub(super) fn plan() -> StudyPlan {
    StudyPlan {
        cases: vec!["a".to_owned()],
        backoff_tokens: vec![0],
        threads: vec![1],
        parameters: Vec::new(),
        comparisons: Vec::new(),
        mode: Mode::AverageTime,
        budget_ms: 1,
        processes: 5,
        rounds: 1,
        batches: 0,
        warm_up_batches: 0,
        cpus: vec![0],
        margin_pct: 1.0,
        confidence: 0.99,
        seed: 1,
    }
}

/// A record of these cells.
pub(super) fn record(cells: Vec<Cell>) -> StudyRecord {
    let study = StudyReport {
        name: "publish".to_owned(),
        measured_ms: 1,
        plan: plan(),
        clock: None,
        empty_loop_ns: None,
        tokens: None,
        interference_probe: None,
        cells,
        comparisons: Vec::new(),
        control: None,
        failures: Vec::new(),
        processes: Vec::new(),
        conclusions: Vec::new(),
    };
    let tool = Tool { name: "test".to_owned(), version: "1".to_owned() };
    Document::new("study", tool, Machine::default(), StudyContent { study, against: None })
}
