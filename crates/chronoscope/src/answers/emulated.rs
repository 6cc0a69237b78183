//! An emulated CPU: what was published for hardware does not belong next to what was measured on software.

use crate::document::Record;

/// Leaves out every published figure, if the record's CPU is emulated.
pub fn leave_out_published(record: &mut Record) {
    if !record.machine.is_emulated() {
        return;
    }
    for rating in &mut record.machine.clocksource.ratings {
        rating.published_cost = None;
    }
    for cycles in record.clocks.iter_mut().filter_map(|clock| clock.latency_tsc_cycles.as_mut()) {
        cycles.published = None;
    }
    if let Some(pause) = &mut record.pauses.report {
        pause.published.clear();
    }
    for runtime in &mut record.runtimes.report {
        runtime.clocks.iter_mut().for_each(|clock| clock.published.clear());
        runtime.pause.iter_mut().for_each(|pause| pause.published.clear());
        runtime.latch.iter_mut().flat_map(|latch| &mut latch.rows).for_each(|row| row.published = None);
    }
}

#[cfg(test)]
mod tests {
    use chronoscope_harness::record::Emulation;

    use super::*;
    use crate::rules::judge;
    use crate::rules::tests::{blank, readable};
    use crate::sections::clocks::report::Cycles;
    use chronoscope_harness::machine::published_rdtsc_cycles;
    use chronoscope_harness::record::ClocksourceRating;

    fn judged(is_emulated: Option<bool>) -> Record {
        let mut record = blank();
        record.machine.cpu.emulation = Emulation { is_emulated, ..Emulation::default() };
        record.machine.clocksource.ratings = vec![ClocksourceRating {
            name: "hpet".to_owned(),
            rating: Some(250),
            class: None,
            published_cost: Some("0.5–0.8 µs a read".to_owned()),
        }];
        let mut clock = readable("rdtsc");
        clock.latency_tsc_cycles = Some(Cycles {
            reciprocal_throughput: 40.0,
            serialised: None,
            published: published_rdtsc_cycles("Skylake"),
        });
        record.clocks.push(clock);
        judge(&mut record);
        record
    }

    #[test]
    fn an_emulated_cpu_has_no_published_figures_next_to_it() {
        let published = |record: &Record| {
            let cycles = record.clocks[0].latency_tsc_cycles.as_ref().and_then(|cycles| cycles.published.as_ref());
            (cycles.is_some(), record.machine.clocksource.ratings[0].published_cost.is_some())
        };
        assert_eq!(published(&judged(Some(true))), (false, false));
        assert_eq!(published(&judged(Some(false))), (true, true));
        assert_eq!(published(&judged(None)), (true, true));
    }
}
