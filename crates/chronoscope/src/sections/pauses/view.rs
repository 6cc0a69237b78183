use crate::document::Record;
use crate::sections::pauses::plan::PAUSES;
use crate::sections::pauses::report::{Pause, PauseMethod, PauseWay, PublishedPause};

use crate::view::reason::not_tested;
use chronoscope_harness::quantity::{confidence, count, ns, percent};
use chronoscope_render::line::Line;
use chronoscope_render::page::Page;
use chronoscope_render::palette::{DIM, PLAIN, TITLE};
use chronoscope_render::table::{Align, Table};
use chronoscope_render::words::given;

const NONE: &str = "–";
/// A yield that takes so much longer than asked for was answered by another thread's time slice. None is shorter by default:
/// 0.7 ms and more.
const SLICE_NS: f64 = 500_000.0;
/// A sleep that is so many times as late as another is worth a word.
const MUCH_LATER: f64 = 2.0;
const WORTH_SAYING_NS: f64 = 10_000.0;

/// The table of every way and length.
pub fn show(page: &mut Page, record: &Record) {
    let load = record.pauses.report.as_ref().is_some_and(|pause| pause.loaded);
    page.section(if load {
        "PAUSES: what was asked for, and what it took, beside a busy thread on the same CPU"
    } else {
        "PAUSES: what was asked for, and what it took"
    });
    let Some(seen) = &record.pauses.report else {
        page.paragraph(Line::plain("  "), DIM, &not_tested(record, &[PAUSES]));
        return;
    };
    let mut table = Table::new(&[
        ("asked for", Align::Right),
        ("way", Align::Left),
        ("mean", Align::Right),
        ("late p50", Align::Right),
        ("p99", Align::Right),
        ("p99.9", Align::Right),
        ("most", Align::Right),
        ("of a CPU", Align::Right),
        ("early", Align::Right),
        ("inv. switches", Align::Right),
        ("pauses", Align::Right),
    ])
    .named_by(2)
    .apart(&[("p99", "late p99"), ("p99.9", "late p99.9"), ("most", "late at most")]);
    for (at, length_ns) in lengths(seen).into_iter().enumerate() {
        if at > 0 {
            table.row(DIM, [const { String::new() }; 11]);
        }
        for (place, method) in of_length(seen, length_ns).enumerate() {
            table.row(PLAIN, cells(method, place == 0));
        }
    }
    page.table(table);
    for missing in &seen.unavailable {
        let reason = given(Some(&missing.reason));
        page.paragraph(Line::plain("  "), DIM, &format!("not tried: {}: {reason}", missing.name));
    }
    for said in advice(seen) {
        page.paragraph(Line::styled(TITLE, "→ "), PLAIN, &said);
    }
    published_figures(page, &seen.published, &lengths(seen));
    page.paragraph(Line::plain("  "), DIM, &note(seen));
}

/// A few lines of it, for a check that looked at it.
pub fn brief(page: &mut Page, record: &Record) {
    if record.parts.iter().all(|report| report.part != PAUSES) {
        return;
    }
    page.section("PAUSES");
    let Some(seen) = &record.pauses.report else {
        page.paragraph(Line::plain("  "), DIM, &not_tested(record, &[PAUSES]));
        return;
    };
    let mut ways: Vec<PauseWay> = seen.methods.iter().map(|method| method.way).collect();
    ways.sort_unstable();
    ways.dedup();
    let lengths = lengths(seen);
    let heads: Vec<String> =
        lengths.iter().map(|length| format!("{}: late p50 / p99, CPU", ns(*length as f64))).collect();
    let columns: Vec<(&str, Align)> = std::iter::once(("asked for", Align::Left))
        .chain(heads.iter().map(|head| (head.as_str(), Align::Right)))
        .collect();
    let mut table = Table::new(&columns);
    for way in ways {
        let cell = |length: &u64| {
            let method = of_length(seen, *length).find(|method| method.way == way);
            method.map_or_else(
                || NONE.to_owned(),
                |method| {
                    let late = |ns_taken: f64| ns((ns_taken - method.figures.requested_ns as f64).max(0.0));
                    format!(
                        "{} / {}, {}",
                        late(method.figures.p50_ns.median),
                        late(method.figures.p99_ns),
                        share_of_cpu(method)
                    )
                },
            )
        };
        table.cells(PLAIN, std::iter::once(way.name().to_owned()).chain(lengths.iter().map(cell)).collect());
    }
    page.table(table);
}

fn lengths(seen: &Pause) -> Vec<u64> {
    let mut lengths: Vec<u64> = seen.methods.iter().map(|method| method.figures.requested_ns).collect();
    lengths.sort_unstable();
    lengths.dedup();
    lengths
}

fn of_length(seen: &Pause, length_ns: u64) -> impl Iterator<Item = &PauseMethod> {
    seen.methods.iter().filter(move |method| method.figures.requested_ns == length_ns)
}

fn late_p50_ns(method: &PauseMethod) -> f64 {
    method.figures.p50_ns.median - method.figures.requested_ns as f64
}

/// No wait takes nothing of a CPU: 0 is what is not told.
fn share_of_cpu(method: &PauseMethod) -> String {
    cpu_ns(method).map_or_else(|| NONE.to_owned(), |_| percent(method.figures.cpu_share * 100.0))
}

fn cells(method: &PauseMethod, first: bool) -> [String; 11] {
    let late = |taken_ns: f64| ns((taken_ns - method.figures.requested_ns as f64).max(0.0));
    [
        if first { ns(method.figures.requested_ns as f64) } else { String::new() },
        method.figures.name.clone(),
        ns(method.figures.mean_ns),
        late(method.figures.p50_ns.median),
        late(method.figures.p99_ns),
        method.figures.p999_ns.map_or_else(|| NONE.to_owned(), late),
        ns(method.figures.max_over_ns.max(0.0)),
        share_of_cpu(method),
        count(method.figures.early),
        count(method.preempted),
        count(method.figures.samples),
    ]
}

/// The CPU time that one pause takes; None where it is not told.
fn cpu_ns(method: &PauseMethod) -> Option<f64> {
    let ns = method.figures.cpu_share * method.figures.mean_ns;
    (ns > 0.0).then_some(ns)
}

/// The lengths, from the shortest on, for which a sleep takes no less CPU time than a spin; and what both take for the longest.
fn costs_a_spin(seen: &Pause) -> Option<(u64, f64, f64)> {
    let of =
        |length_ns: u64, way: PauseWay| of_length(seen, length_ns).find(|method| method.way == way).and_then(cpu_ns);
    let costs = lengths(seen).into_iter().map_while(|length| {
        let (sleep, spin) = (of(length, PauseWay::Sleep)?, of(length, PauseWay::Spin)?);
        (sleep >= spin).then_some((length, sleep, spin))
    });
    costs.last()
}

/// What follows for one who has to pause.
fn advice(seen: &Pause) -> Vec<String> {
    let mut said = Vec::new();
    let of = |length_ns: u64, way: PauseWay| of_length(seen, length_ns).find(|method| method.way == way);
    let lengths = lengths(seen);
    let spin_up_to = costs_a_spin(seen);
    if let Some((longest, sleep, spin)) = spin_up_to {
        said.push(format!(
            "up to {} spin: pause::sleep is late and saves no CPU time; it takes {} of it per pause, pause::spin {}",
            ns(longest as f64),
            ns(sleep),
            ns(spin)
        ));
    }
    for length in lengths.iter().filter(|length| spin_up_to.is_none_or(|(longest, ..)| **length > longest)) {
        let figures = |way: PauseWay, name: &str| {
            let method = of(*length, way)?;
            Some(format!(
                "{name} by {} (p99 {}) at {} of a CPU",
                ns(late_p50_ns(method).max(0.0)),
                ns((method.figures.p99_ns - *length as f64).max(0.0)),
                share_of_cpu(method)
            ))
        };
        let (Some(pauser), Some(spin)) =
            (figures(PauseWay::Pauser, "a Pauser is late"), figures(PauseWay::Spin, PauseWay::Spin.name()))
        else {
            continue;
        };
        let sleep =
            figures(PauseWay::Sleep, PauseWay::Sleep.name()).map_or_else(String::new, |sleep| format!(", {sleep}"));
        said.push(format!("for {} {pauser}, {spin}{sleep}", ns(*length as f64)));
    }
    let slack = lengths.iter().filter_map(|length| {
        let (std, own) = (of(*length, PauseWay::StdSleep)?, of(*length, PauseWay::Sleep)?);
        let (std, own) = (late_p50_ns(std), late_p50_ns(own).max(1.0));
        (std > own * MUCH_LATER && std - own > WORTH_SAYING_NS).then_some((length, std, own))
    });
    if let Some((length, std, own)) = slack.min_by_key(|(length, ..)| **length) {
        said.push(format!(
            "std::thread::sleep of {} is late by {}; pause::sleep, with an absolute deadline and the least timer slack, by {}; on \
             Linux, pause::TimerSlack or prctl(PR_SET_TIMERSLACK, 1) in your thread sets the slack alone",
            ns(*length as f64),
            ns(std),
            ns(own)
        ));
    }
    let yields = lengths.iter().filter_map(|length| Some((length, of(*length, PauseWay::Yield)?)));
    let worst = yields
        .filter(|(length, method)| late_p50_ns(method) > SLICE_NS.max(**length as f64))
        .max_by_key(|(length, _)| **length);
    if let Some((length, method)) = worst {
        let half =
            format!("half of the pauses of {} took {} or longer", ns(*length as f64), ns(method.figures.p50_ns.median));
        said.push(if seen.loaded {
            format!(
                "do not yield while you wait where another thread keeps the CPU busy: beside one, {half}, since who yields to a \
                 busy thread gets the CPU back a time slice later"
            )
        } else {
            format!("do not yield while you wait: {half}; another thread had the CPU meanwhile")
        });
    }
    said
}

/// Published means for those of `lengths` that they were published for.
pub fn published_figures(page: &mut Page, published: &[PublishedPause], lengths: &[u64]) {
    let of_lengths = |row: &PublishedPause| -> Vec<String> {
        let known = row.mean_ns.iter().filter(|(length, _)| lengths.contains(length));
        known.map(|(length, mean)| format!("{} took {}", ns(*length as f64), ns(*mean))).collect()
    };
    let mut source = None;
    for row in published {
        let figures = of_lengths(row);
        if !figures.is_empty() {
            source = Some(&row.source);
            page.paragraph(Line::plain("  "), DIM, &format!("published: {}: {}", row.name, figures.join(", ")));
        }
    }
    if let Some(source) = source {
        page.paragraph(Line::plain("  "), DIM, &format!("means, from {source}"));
    }
}

fn note(seen: &Pause) -> String {
    let lowest = seen.methods.iter().map(|method| method.figures.p50_ns.confidence).fold(f64::INFINITY, f64::min);
    format!(
        "late: beyond what was asked for, call and return included; {} rounds, each a process of its own, in which ways and \
         lengths take turns; medians have intervals with confidence {} in the record; a Pauser has learnt for 30 ms before; \
         inv. switches: involuntary switches as the kernel counts them, among them those of a yield to another thread",
        count(seen.rounds),
        confidence(lowest)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sections::pauses::report::PauseFigures;
    use chronoscope_harness::record::{Disturbance, Spread};

    fn method(way: PauseWay, requested_ns: u64, late_ns: f64, cpu_share: f64) -> PauseMethod {
        let taken = requested_ns as f64 + late_ns;
        let figures = PauseFigures {
            name: way.name().to_owned(),
            requested_ns,
            samples: 2_000,
            mean_ns: taken,
            p50_ns: Spread { median: taken, low: taken, high: taken, confidence: 0.999 },
            p99_ns: taken + 500.0,
            p999_ns: None,
            max_over_ns: late_ns + 900.0,
            cpu_share,
            early: 0,
        };
        PauseMethod { way, figures, preempted: 0 }
    }

    fn seen(methods: Vec<PauseMethod>) -> Pause {
        let (unavailable, published) = (Vec::new(), Vec::new());
        Pause { methods, unavailable, rounds: 11, loaded: false, published, disturbance: Disturbance::default() }
    }

    #[test]
    fn advice_follows_from_the_figures() {
        let said = advice(&seen(vec![
            method(PauseWay::Pauser, 1_000, 40.0, 1.0),
            method(PauseWay::Spin, 1_000, 30.0, 1.0),
            method(PauseWay::Sleep, 1_000, 4_000.0, 0.9),
            method(PauseWay::StdSleep, 100_000, 53_000.0, 0.03),
            method(PauseWay::Sleep, 100_000, 3_000.0, 0.03),
            method(PauseWay::Pauser, 100_000, 60.0, 0.08),
            method(PauseWay::Spin, 100_000, 40.0, 1.0),
            method(PauseWay::Yield, 100_000, 3_900_000.0, 0.01),
        ]))
        .join("\n");
        for part in [
            "up to 1.00 µs spin: pause::sleep is late and saves no CPU time; it takes 4.50 µs of it per pause, pause::spin 1.03 µs",
            "for 100 µs a Pauser is late by 60.0 ns (p99 560 ns) at 8.00 % of a CPU, pause::spin by 40.0 ns (p99 540 ns) at 100 % of \
             a CPU, pause::sleep by 3.00 µs (p99 3.50 µs) at 3.00 % of a CPU",
            "std::thread::sleep of 100 µs is late by 53.0 µs; pause::sleep, with an absolute deadline and the least timer slack, by \
             3.00 µs",
            "do not yield while you wait: half of the pauses of 100 µs took 4.00 ms or longer; another",
        ] {
            assert!(said.contains(part), "{part} is not in: {said}");
        }
        assert!(!said.contains("a sleep"), "two ways sleep, and are not late by the same: {said}");
    }

    #[test]
    fn yields_are_advised_against_where_they_gave_way() {
        let mut loaded = seen(vec![method(PauseWay::Yield, 1_000_000, 3_000_000.0, 0.001)]);
        loaded.loaded = true;
        let said = advice(&loaded).join("\n");
        assert!(said.contains("beside one, half of the pauses of 1.00 ms took 4.00 ms or longer"), "{said}");
        assert!(said.contains("where another thread keeps the CPU busy") && !said.contains("never"), "{said}");
    }

    /// The Pauser keeps the CPU here, but a sleep does not: 16 % is not 100 %.
    #[test]
    fn a_sleep_that_leaves_the_cpu_alone_is_not_said_to_cost_as_much() {
        let methods = vec![
            method(PauseWay::Pauser, 100_000, 700.0, 0.68),
            method(PauseWay::Spin, 100_000, 130.0, 1.0),
            method(PauseWay::Sleep, 100_000, 33_000.0, 0.16),
        ];
        let said = advice(&seen(methods)).join("\n");
        assert!(!said.contains("spin:") && said.contains("at 16.0 % of a CPU"), "{said}");
    }

    #[test]
    fn up_to_a_length_holds_for_each_shorter_one() {
        let of = |length_ns: u64, sleep_late_ns: f64, sleep_share: f64| {
            [
                method(PauseWay::Spin, length_ns, 30.0, 1.0),
                method(PauseWay::Sleep, length_ns, sleep_late_ns, sleep_share),
            ]
        };
        let lengths = |all: Vec<[PauseMethod; 2]>| costs_a_spin(&seen(all.concat())).map(|(length, ..)| length);
        let dear = || of(1_000, 5_000.0, 0.9);
        assert_eq!(lengths(vec![dear(), of(10_000, 9_000.0, 0.6), of(100_000, 9_000.0, 0.2)]), Some(10_000));
        assert_eq!(lengths(vec![of(1_000, 400.0, 0.5), of(10_000, 9_000.0, 0.6)]), None);
        assert_eq!(lengths(vec![dear(), of(10_000, 9_000.0, 0.1), of(100_000, 9_000.0, 1.0)]), Some(1_000));
        // What is not known supports nothing.
        assert_eq!(lengths(vec![of(1_000, 5_000.0, 0.0)]), None);
    }

    #[test]
    fn a_yield_that_waited_for_nobody_is_not_said_to_have() {
        let said = advice(&seen(vec![method(PauseWay::Yield, 1_000, 1_200.0, 1.0)]));
        assert_eq!(said, Vec::<String>::new());
    }

    #[test]
    fn a_share_that_is_not_told_is_none() {
        assert_eq!(share_of_cpu(&method(PauseWay::Spin, 1_000, 30.0, 0.0)), NONE);
    }

    #[test]
    fn nothing_is_advised_of_what_was_not_seen() {
        assert!(advice(&seen(vec![method(PauseWay::Hybrid, 1_000, 40.0, 1.0)])).is_empty());
    }
}
