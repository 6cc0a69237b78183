use chronoscope_harness::quantity::{TIME, count, ns};
use chronoscope_render::axis::Scale;
use chronoscope_render::browser::{Chart, Entry, Figure, Mark, Row, Rows};
use chronoscope_render::page::Page;
use chronoscope_render::text::Mood;
use chronoscope_render::words::counted;

use super::between::{between, cpus};
use super::matrix::Lines;
use crate::document::Record;
use crate::judgement::skew::Skew;
use crate::screen::browser::look::of_named;
use crate::screen::browser::told::{code, sentence};
use crate::sections::causality::plan::OFFSETS;
use crate::sections::causality::report::PairOffset;
use crate::sections::causality::rules::CROSS_CPU_SKEW;
use crate::sections::causality::view;

/// From so many pairs of CPUs they are drawn as a matrix, and the worst of them as rows below it.
const FEWEST_OF_MATRIX: usize = 12;
const WORST: usize = 4;

pub fn figure(record: &Record) -> Option<Figure> {
    let causality = record.content.causality();
    let figure = Figure { id: "cpus", short: "CPUs", title: "Do the CPUs agree?".to_owned(), ..Figure::default() };
    let groups = causality.pairs_worst_first();
    if groups.is_empty() {
        let reason = causality.reason_unavailable.as_ref().map(|reason| format!("not tested: {reason}"));
        let reason = reason.unwrap_or_else(|| record.content.not_tested(&[OFFSETS]));
        return Some(Figure { says: vec![(Mood::Quiet, sentence(&reason))], ..figure });
    }
    let matrix = (groups.len() >= FEWEST_OF_MATRIX).then(|| Lines::of(record).matrix(record, &groups));
    let in_rows = if matrix.is_some() { &groups[..WORST] } else { &groups };
    let round_trips = round_trips(record, in_rows);
    let mut how = "A band is all that the messages between two CPUs leave possible for the difference of their clocks; the dashed line is no \
               difference, the value is the largest that is possible."
        .to_owned();
    if matrix.is_some() {
        how = format!(
            "Each cell is a pair of CPUs, in the colour of the larger bound of its clocks; a pointer on it shows them. {} Below, \
             the {WORST} worst pairs. {how}",
            Lines::of(record).order_in_words()
        );
    }
    if round_trips.is_some() {
        how += " Of round trips, the mark is the median, and the line ends at the 99th percentile.";
    }
    let mut numbers = Page::default();
    view::show_pairs(&mut numbers, record);
    Some(Figure {
        says: said_of_cpus(record, &groups),
        charts: matrix
            .map(Chart::Matrix)
            .into_iter()
            .chain([Chart::Rows(offsets(record, in_rows))])
            .chain(round_trips.map(Chart::Rows))
            .collect(),
        how,
        numbers,
        ..figure
    })
}

fn said_of_cpus(record: &Record, groups: &[Vec<&PairOffset>]) -> Vec<(Mood, String)> {
    let causality = record.content.causality();
    let found = record.content.judgement.as_ref().map(|judgement| match &judgement.skew {
        Skew::NotExcluded { below_ns } => {
            let below = TIME.below(*below_ns);
            let text = format!(
                "Every band includes 0: a skew, if any, is {below}. Readings on two CPUs that differ by more than that are in \
                 the order in which they were taken."
            );
            (Mood::Plain, text)
        }
        Skew::Apart { .. } => (Mood::Bad, apart(groups)),
        Skew::NotTested { reason } => (Mood::Quiet, sentence(&format!("not tested: {reason}"))),
    });
    let tried = match (causality.pairs_tested_of_more(), causality.pairs_possible) {
        (Some(tested), possible) => Some(format!("{} of {} pairs of CPUs were tried.", count(tested), count(possible))),
        (None, 0) => None,
        (None, 1) => Some("It is the only pair of CPUs.".to_owned()),
        (None, possible) => Some(format!("All {} pairs of CPUs were tried.", count(possible))),
    };
    let topology = record.machine.cpu.topology.as_ref();
    let of_shared = topology.map(|topology| causality.worst_skew_by_relation(topology)).unwrap_or_default();
    let by_shared: Vec<String> =
        of_shared.iter().map(|(relation, skew)| format!("{}, {}", relation.words(), TIME.below(*skew))).collect();
    // Of one kind of pairs, the first sentence has it.
    let by_shared =
        (by_shared.len() > 1).then(|| format!("The largest bound by what two CPUs share: {}.", by_shared.join("; ")));
    let more = tried.into_iter().chain(by_shared).map(|said| (Mood::Plain, said));
    found.into_iter().chain(more).collect()
}

/// Which CPUs disagree, by how much, and what to do.
fn apart(groups: &[Vec<&PairOffset>]) -> String {
    let disagree: Vec<&PairOffset> =
        groups.iter().filter_map(|group| group.iter().find(|pair| pair.shows_skew()).copied()).collect();
    let more = match disagree.len().saturating_sub(1) {
        0 => String::new(),
        more => format!(" and {}", counted(more as u64, "more pair", "more pairs")),
    };
    let first = disagree.first().map_or_else(String::new, |pair| {
        let by = disagreement(pair);
        format!("CPUs {} and {} disagree{more}: {} is {by} apart. ", pair.a, pair.b, code(&pair.clock))
    });
    format!("{first}{}", sentence(CROSS_CPU_SKEW.mend))
}

fn disagreement(pair: &PairOffset) -> String {
    let [offset, skew] = view::offset_and_skew(pair);
    if pair.reason_not_constant.is_some() { skew } else { offset }
}

fn offsets(record: &Record, groups: &[Vec<&PairOffset>]) -> Rows {
    let mut entries = Vec::new();
    for group in groups {
        entries.extend(group.first().map(|pair| Entry::Heading(between(pair, &record.machine.cpu))));
        entries.extend(group.iter().map(|pair| Entry::Row(offset(record, pair))));
    }
    Rows {
        entries,
        scale: Scale::Linear,
        word: |value| TIME.signed().value(value),
        axis_name: "clock of the second CPU less that of the first".to_owned(),
        reference: Some(0.0),
    }
}

fn offset(record: &Record, pair: &PairOffset) -> Row {
    let (hue, shape) = of_named(&pair.clock, record);
    let [said, skew] = view::offset_and_skew(pair);
    let is_bad = pair.shows_skew();
    let at = pair.offset_ns;
    let marks = vec![
        Mark::Band { from: at - pair.half_width_ns, to: at + pair.half_width_ns },
        Mark::Point { at, shape, is_hollow: pair.reason_not_constant.is_some() },
    ];
    Row {
        name: pair.clock.name().to_owned(),
        is_code: true,
        hue,
        marks,
        value: if is_bad { format!("✘ {}", disagreement(pair)) } else { skew },
        mood: if is_bad { Mood::Bad } else { Mood::Plain },
        more: format!(
            "{}, {}\n{said}\n{} round trips",
            between(pair, &record.machine.cpu),
            pair.clock,
            count(pair.rounds)
        ),
        ..Row::default()
    }
}

/// How long messages took there and back between these pairs, by the first clock that tells; None if none does.
fn round_trips(record: &Record, groups: &[Vec<&PairOffset>]) -> Option<Rows> {
    let timed = |pair: &PairOffset| Some((pair.clock.clone(), pair.round_trip_ns?));
    let (clock, _) = groups.iter().flatten().find_map(|pair| timed(pair))?;
    let (hue, shape) = of_named(&clock, record);
    let of_clock = groups.iter().filter_map(|group| group.iter().find(|pair| pair.clock == clock));
    let row = |pair: &&PairOffset| {
        let of = pair.round_trip_ns?;
        Some(Entry::Row(Row {
            name: cpus(pair),
            hue,
            marks: vec![Mark::Reach { from: of.p50, to: of.p99 }, Mark::Point { at: of.p50, shape, is_hollow: false }],
            value: format!("{}, 99 % in {}", ns(of.p50), ns(of.p99)),
            ..Row::default()
        }))
    };
    let heading = Entry::Heading(format!("a message there and back, by {}", code(&clock)));
    Some(Rows {
        entries: std::iter::once(heading).chain(of_clock.filter_map(row)).collect(),
        scale: Scale::Linear,
        word: ns,
        axis_name: "round trip".to_owned(),
        reference: Some(0.0),
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::{figure, record, rows, says, topology};
    use super::*;
    use crate::rules::tests::pair;
    use chronoscope_harness::record::Quantiles;

    #[test]
    fn an_interval_that_holds_zero_is_a_bound() {
        let record = record(vec![pair(4.0, 0)], Vec::new());
        let cpus = figure(&record, "cpus");
        let (of_pairs, headings) = rows(cpus.charts.last().unwrap());
        assert_eq!(headings, ["CPU 0 and CPU 1"]);
        assert_eq!(of_pairs[0].marks[0], Mark::Band { from: -6.0, to: 14.0 });
        assert!(matches!(of_pairs[0].marks[1], Mark::Point { at: 4.0, is_hollow: false, .. }), "{of_pairs:?}");
        assert_eq!((of_pairs[0].value.as_str(), of_pairs[0].mood), ("< 14.0 ns", Mood::Plain));
        let said = says(&cpus);
        assert!(
            said[0].0 == Mood::Plain && said[0].1.starts_with("Every band includes 0: a skew, if any, is < 14.0 ns")
        );
        assert_eq!(said[1].1, "It is the only pair of CPUs.");
    }

    #[test]
    fn cpus_that_disagree_are_named_and_come_first() {
        let moved = PairOffset { reason_not_constant: Some("it jumped".to_owned()), a: 1, b: 2, ..pair(90.0, 0) };
        let mut apart = record(vec![pair(4.0, 0), PairOffset { b: 2, ..pair(-500.0, 3) }, moved], Vec::new());
        apart.content.sections.causality.report.pairs_possible = 6;
        let cpus = figure(&apart, "cpus");
        let said = says(&cpus);
        let disagree = "CPUs 0 and 2 disagree and 1 more pair: `CLOCK_MONOTONIC` is -500 ns ± 10.0 ns apart.";
        assert!(said[0].0 == Mood::Bad && said[0].1.starts_with(disagree), "{said:?}");
        assert!(said[0].1.ends_with("bind what you time to one of them."), "{said:?}");
        assert_eq!(said[1].1, "3 of 6 pairs of CPUs were tried.");
        let (of_pairs, headings) = rows(cpus.charts.last().unwrap());
        assert_eq!(headings, ["CPU 0 and CPU 2", "CPU 1 and CPU 2", "CPU 0 and CPU 1"]);
        let values: Vec<(&str, Mood)> = of_pairs.iter().map(|row| (row.value.as_str(), row.mood)).collect();
        let wanted = [("✘ -500 ns ± 10.0 ns", Mood::Bad), ("✘ ≥ 100 ns", Mood::Bad), ("< 14.0 ns", Mood::Plain)];
        assert_eq!(values, wanted);
        assert!(matches!(of_pairs[1].marks[1], Mark::Point { is_hollow: true, .. }), "{of_pairs:?}");
    }

    #[test]
    fn many_pairs_are_a_matrix_and_the_worst_of_them_rows() {
        let between = |b: u32| PairOffset { b, half_width_ns: f64::from(b), ..pair(0.0, 0) };
        let few = record((1..FEWEST_OF_MATRIX as u32).map(between).collect(), Vec::new());
        assert_eq!(figure(&few, "cpus").charts.len(), 1);
        let many = record((1..=FEWEST_OF_MATRIX as u32).map(between).collect(), Vec::new());
        let cpus = figure(&many, "cpus");
        let [Chart::Matrix(matrix), Chart::Rows(_)] = &cpus.charts[..] else { panic!("{:?}", cpus.charts) };
        assert!(cpus.how.contains("in the order of their numbers"), "{}", cpus.how);
        assert_eq!((matrix.names.len(), matrix.cells.len()), (13, 12));
        assert_eq!((matrix.cells[0].lines, matrix.cells[0].value), ([0, 12], 12.0));
        assert!(matrix.cells[0].more.contains("CLOCK_MONOTONIC: 0 ns ± 12.0 ns"), "{:?}", matrix.cells[0]);
        assert_eq!(rows(cpus.charts.last().unwrap()).0.len(), WORST);
    }

    #[test]
    fn what_two_cpus_share_is_said_of_rows_and_bounds_and_round_trips_are_drawn() {
        let between = |a, b, half_width_ns: f64| PairOffset {
            a,
            b,
            half_width_ns,
            round_trip_ns: Some(Quantiles { p50: 2.0 * half_width_ns, p99: 9.0 * half_width_ns }),
            ..pair(0.0, 0)
        };
        let mut found = record(vec![between(0, 1, 20.0), between(0, 2, 30.0), between(0, 9, 90.0)], Vec::new());
        found.machine.cpu.topology = Some(topology(16));
        let cpus = figure(&found, "cpus");
        let wanted = [
            "CPU 0 and CPU 9: two packages",
            "CPU 0 and CPU 2: one last-level cache",
            "CPU 0 and CPU 1: threads of one core",
        ];
        assert_eq!(rows(&cpus.charts[0]).1, wanted);
        let shared = "The largest bound by what two CPUs share: threads of one core, < 20.0 ns; one last-level cache, < 30.0 ns; two \
                      packages, < 90.0 ns.";
        assert_eq!(cpus.says.last().unwrap().1, shared);
        let (trips, headings) = rows(&cpus.charts[1]);
        assert_eq!(headings, ["a message there and back, by `CLOCK_MONOTONIC`"]);
        assert_eq!((trips[0].name.as_str(), trips[0].value.as_str()), ("CPU 0 and CPU 9", "180 ns, 99 % in 810 ns"));
        assert_eq!(trips[2].marks[0], Mark::Reach { from: 40.0, to: 180.0 });
        found.machine.cpu.topology = None;
        let cpus = figure(&found, "cpus");
        assert_eq!(rows(&cpus.charts[0]).1[0], "CPU 0 and CPU 9");
        assert!(says(&cpus).iter().all(|(_, said)| !said.contains("share")), "{:?}", cpus.says);
    }
}
