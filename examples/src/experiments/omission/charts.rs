//! What the stamps claim and what is done, over threads.

use chronoscope_harness::quantity::PER_SECOND;
use chronoscope_harness::record::study::{Estimate, OperationPart, StudyRecord};

use super::figures::{Figures, Row};
use super::says::{over_report, published_rates};
use crate::{Chart, Level, Panel, Series, Spot, Topic, Unit};

pub(super) fn claims(record: &StudyRecord, figures: &[Figures]) -> Option<Chart> {
    let says = |each: &Figures| {
        let alone = each.alone().filter(|_| each.ceiling_per_s.is_some())?;
        Some(format!("{}: {}", each.name, over_report(each, &alone)))
    };
    let sentences = figures.iter().filter_map(says).collect();
    let panels = figures.iter().enumerate().map(|(at, each)| panel(record, each, at == 0)).collect();
    Chart::of(Topic::Claims, "What the stamps claim, and what is done", sentences, panels)
}

/// What the level is: no measured limit, but one thread's rate times the CPUs, with its interval.
fn ceiling_name(cpus: u32, ceiling: &Estimate) -> String {
    let name = if cpus == 1 { "one thread".to_owned() } else { format!("one thread × {cpus}") };
    let interval = ceiling.interval().map(|(low, high)| format!(": {}", PER_SECOND.interval(low, high)));
    name + &interval.unwrap_or_default()
}

/// The published rates are of a loop like the first.
fn panel(record: &StudyRecord, each: &Figures, is_first: bool) -> Panel {
    let of = |name: &str, spot: fn(&OperationPart) -> _| {
        let point = |row: &Row| Some(Spot::new(row.threads.into(), spot(row.part.as_ref()?)));
        Series::of(name, each.rows.iter().map(point))
    };
    let ours = [of("claimed by the stamps", |part| part.claimed_per_s), of("done", |part| part.external_per_s)];
    let published = is_first.then(published_rates).into_iter().flatten();
    let panel = Panel::over("threads", &each.name, Unit::PerSecond, ours.into_iter().chain(published).collect());
    let ceiling = each.ceiling_per_s.map(|of| Level { name: ceiling_name(record.cpus(), &of), value: of.estimate });
    Panel { levels: ceiling.into_iter().collect(), cpus: Some(record.cpus()), ..panel }
}
