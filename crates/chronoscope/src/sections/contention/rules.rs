//! Conclusions from the scaling of each granularity.

use chronoscope_harness::finding::{Finding, Kind, Meaning};
use chronoscope_harness::quantity::{RATIO, count, limit};
use chronoscope_harness::rule::Rule;
use chronoscope_sources::{Guarantee, SourceId};

use super::report::{ContentionReport, ContentionRow};
use crate::clock_id::granularity;
use crate::document::Record;

const BARE: SourceId = SourceId::Clock(Guarantee::Unordered);
/// The bare source is never written, so it scales with its threads; below this share of them, they lacked CPUs.
const SCALES_FREELY: f64 = 0.8;

/// The page that shows them.
const SHOWN_IN: &[&str] = &["contention"];

pub const RULES: &[Rule<Record>] = &[
    Rule { yields: &[GRANULARITY_SCALES, NO_GRANULARITY_SCALES], find: |record| of(record, knee) },
    Rule { yields: &[BARE_SOURCE_HELD_BACK], find: |record| of(record, held_back) },
];

pub const GRANULARITY_SCALES: Kind = Kind::notice(
    "granularity_scales",
    Meaning {
        about: "from some granularity up, causal clocks scale over threads like their bare source",
        evidence: "the granularity (`granularity_ns`) at which reads scale like the bare source \
            (`bare_scaling`) on `threads` threads",
        mend: "use `Granular` with that granularity where many threads read the clock",
    },
)
.shown_in(SHOWN_IN);
pub const NO_GRANULARITY_SCALES: Kind = Kind::notice(
    "no_granularity_scales",
    Meaning {
        about: "at no granularity tried are causal clocks known to scale over threads like their bare source",
        evidence: "the scaling of the bare source (`bare_scaling`) on `threads` threads, which no granularity \
            is known to reach",
        mend: "measure longer or on idle CPUs; else read the clock less often",
    },
)
.shown_in(SHOWN_IN);
pub const BARE_SOURCE_HELD_BACK: Kind = Kind::notice(
    "bare_source_held_back",
    Meaning {
        about: "even the bare source did not scale over threads: the CPUs were not free",
        evidence: "the scaling of the bare source (`bare_scaling`), below the number of threads",
        mend: "free the CPUs of other work, and measure again",
    },
)
.shown_in(SHOWN_IN);

fn of(record: &Record, find: fn(&ContentionReport) -> Option<Finding>) -> Vec<Finding> {
    record.contention.report.iter().filter_map(find).collect()
}

fn of_row(row: &ContentionRow) -> String {
    row.scaling.map_or_else(|| "–".to_owned(), |scaling| RATIO.value(scaling.estimate))
}

/// Conclusions about scaling at the knee's thread count, clock by clock, as far as the intervals in the table allow.
fn knee(seen: &ContentionReport) -> Option<Finding> {
    let knee = seen.knee.as_ref()?;
    let rows = || seen.rows.iter().filter(|row| row.threads == knee.threads);
    let bare = rows().find(|row| row.clock == BARE).and_then(|row| row.scaling);
    let scales = |row: &ContentionRow| row.scales_like(&bare?, knee.tolerance_pct);
    // `100 ns (1.28×), 1 µs (1.26×)`.
    let named = |belongs: &dyn Fn(u64, Option<bool>) -> bool| {
        let granular = rows().filter_map(|row| Some((row.granularity_ns?, row)));
        let chosen = granular.filter(|(ns, row)| belongs(*ns, scales(row)));
        let names: Vec<String> = chosen.map(|(ns, row)| format!("{} ({})", granularity(ns), of_row(row))).collect();
        (!names.is_empty()).then(|| names.join(", "))
    };
    let good = knee.granularity_ns;
    let (threads, bare) = (count(u64::from(knee.threads)), RATIO.value(knee.bare_scaling));
    let like = format!("within {} of the bare source ({bare})", limit(knee.tolerance_pct));
    let mut said = match good.and_then(|good| named(&|ns, _| ns == good)) {
        Some(good) => format!("at {threads} threads a fixed granularity of {good} scales {like}"),
        None if rows().all(|row| row.granularity_ns.is_none()) => {
            format!("at {threads} threads no fixed granularity was tried")
        }
        None => format!("at {threads} threads no fixed granularity tried is known to scale {like}"),
    };
    for (verb, names) in [
        ("known to scale worse", named(&|_, scales| scales == Some(false))),
        ("inconclusive", named(&|ns, scales| scales.is_none() && good.is_none_or(|good| ns < good))),
    ] {
        said.extend(names.map(|names| format!("; {verb}: {names}")));
    }
    let finding = Finding::new(if good.is_some() { GRANULARITY_SCALES } else { NO_GRANULARITY_SCALES }, said)
        .value("threads", f64::from(knee.threads))
        .value("bare_scaling", knee.bare_scaling);
    Some(good.into_iter().fold(finding, |finding, good| finding.value("granularity_ns", good as f64)))
}

fn held_back(seen: &ContentionReport) -> Option<Finding> {
    let knee = seen.knee.as_ref().filter(|knee| knee.bare_scaling < SCALES_FREELY * f64::from(knee.threads))?;
    let said = format!(
        "the bare source scales only {} on {} threads: the CPUs were probably not free",
        RATIO.value(knee.bare_scaling),
        count(u64::from(knee.threads))
    );
    Some(Finding::new(BARE_SOURCE_HELD_BACK, said).value("bare_scaling", knee.bare_scaling))
}

#[cfg(test)]
mod tests {
    use chronoscope_harness::record::Estimate;

    use super::*;

    fn record() -> Record {
        crate::json::document(include_str!("../../../tests/fixtures/record.json")).unwrap()
    }

    /// What is said when the clock scales so at two threads, the others as in the fixture: the bare source 1.99×, 0 ns 0.404×
    /// and 1 µs 1.96×.
    fn said(change: impl Fn(&mut ContentionReport)) -> String {
        let mut seen = record().contention.report.clone().unwrap();
        change(&mut seen);
        seen.knee = super::super::estimate::knee(&seen.rows, 2);
        knee(&seen).unwrap().evidence.summary
    }

    fn scaling(seen: &mut ContentionReport, clock: &str, median: f64, half: f64) {
        let row = seen.rows.iter_mut().find(|row| row.clock == clock && row.threads == 2).unwrap();
        row.scaling = Some(Estimate { estimate: median, low: median - half, high: median + half, confidence: 0.999 });
    }

    #[test]
    fn the_sentence_follows_the_intervals_of_the_table() {
        assert_eq!(
            said(|_| ()),
            "at 2 threads a fixed granularity of 1 µs (1.96×) scales within 10 % of the bare source (1.99×); known \
             to scale worse: 0 ns (0.404×)"
        );
        let doubtful = said(|seen| scaling(seen, "granular 1000 ns", 1.85, 0.2));
        assert_eq!(
            doubtful,
            "at 2 threads no fixed granularity tried is known to scale within 10 % of the bare source (1.99×); known to scale \
             worse: 0 ns (0.404×); inconclusive: 1 µs (1.85×)"
        );
        let none = said(|seen| scaling(seen, "granular 1000 ns", 1.1, 0.1));
        assert!(none.ends_with("known to scale worse: 0 ns (0.404×), 1 µs (1.10×)"), "{none}");
    }

    #[test]
    fn each_finding_is_of_its_kind() {
        let mut seen = record().contention.report.clone().unwrap();
        assert!(knee(&seen).unwrap().is(GRANULARITY_SCALES) && held_back(&seen).is_none());
        seen.knee.as_mut().unwrap().granularity_ns = None;
        assert!(knee(&seen).unwrap().is(NO_GRANULARITY_SCALES));
        seen.knee.as_mut().unwrap().bare_scaling = 1.5;
        assert!(held_back(&seen).unwrap().is(BARE_SOURCE_HELD_BACK));
        seen.knee = None;
        assert_eq!((knee(&seen), held_back(&seen)), (None, None));
    }
}
