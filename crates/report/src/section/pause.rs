use chronoscope_record::{Part, Pause, PauseMethod, PauseWay, PublishedPause, Record};

use crate::line::Line;
use crate::page::Page;
use crate::palette::{DIM, PLAIN, TITLE};
use crate::quantity::{confidence, count, ns, percent};
use crate::section::{given, not_tested};
use crate::table::{Align, Table};

const NONE: &str = "–";
/// From this share of a CPU on a wait that could sleep hardly does.
const MOSTLY_SPINS: f64 = 0.5;
/// A sleep that is so many times as late as another is worth a word.
const MUCH_LATER: f64 = 2.0;
const WORTH_SAYING_NS: f64 = 10_000.0;

/// The table of every way and length.
pub(crate) fn show(page: &mut Page, record: &Record) {
    let load = record.pause.as_ref().is_some_and(|pause| pause.loaded);
    page.section(if load {
        "PAUSES: what was asked for, and what it took, beside a busy thread on the same CPU"
    } else {
        "PAUSES: what was asked for, and what it took"
    });
    let Some(seen) = &record.pause else {
        page.paragraph(Line::plain("  "), DIM, &not_tested(record, &[Part::Pause]));
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
        ("preempted", Align::Right),
        ("pauses", Align::Right),
    ]);
    for (at, length_ns) in lengths(seen).into_iter().enumerate() {
        if at > 0 {
            table.row(DIM, [const { String::new() }; 11]);
        }
        for (place, method) in of_length(seen, length_ns).enumerate() {
            table.row(PLAIN, cells(method, place == 0));
        }
    }
    page.lines(table.lines());
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
pub(crate) fn brief(page: &mut Page, record: &Record) {
    if record.parts.iter().all(|report| report.part != Part::Pause) {
        return;
    }
    page.section("PAUSES");
    let Some(seen) = &record.pause else {
        page.paragraph(Line::plain("  "), DIM, &not_tested(record, &[Part::Pause]));
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
                        percent(method.figures.cpu_share * 100.0)
                    )
                },
            )
        };
        table.cells(PLAIN, std::iter::once(way.name().to_owned()).chain(lengths.iter().map(cell)).collect());
    }
    page.lines(table.lines());
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
        percent(method.figures.cpu_share * 100.0),
        count(method.figures.early),
        count(method.preempted),
        count(method.figures.samples),
    ]
}

/// What follows for one who has to pause.
fn advice(seen: &Pause) -> Vec<String> {
    let mut said = Vec::new();
    let of = |length_ns: u64, way: PauseWay| of_length(seen, length_ns).find(|method| method.way == way);
    let lengths = lengths(seen);
    let spins =
        |length: &&u64| of(**length, PauseWay::Pauser).is_some_and(|pauser| pauser.figures.cpu_share >= MOSTLY_SPINS);
    let (spun, slept): (Vec<&u64>, Vec<&u64>) = lengths.iter().partition(spins);
    if let Some(longest) = spun.iter().max() {
        said.push(format!("up to {} spin: a sleep costs as much of the CPU, and is late", ns(**longest as f64)));
    }
    for length in slept {
        let (Some(pauser), Some(spin)) = (of(*length, PauseWay::Pauser), of(*length, PauseWay::Spin)) else { continue };
        said.push(format!(
            "for {} a Pauser is late by {} (p99 {}) at {} of a CPU, a spin by {} (p99 {}) at {}",
            ns(*length as f64),
            ns(late_p50_ns(pauser).max(0.0)),
            ns((pauser.figures.p99_ns - *length as f64).max(0.0)),
            percent(pauser.figures.cpu_share * 100.0),
            ns(late_p50_ns(spin).max(0.0)),
            ns((spin.figures.p99_ns - *length as f64).max(0.0)),
            percent(spin.figures.cpu_share * 100.0),
        ));
    }
    let slack = lengths.iter().filter_map(|length| {
        let (std, own) = (of(*length, PauseWay::StdSleep)?, of(*length, PauseWay::Sleep)?);
        let (std, own) = (late_p50_ns(std), late_p50_ns(own).max(1.0));
        (std > own * MUCH_LATER && std - own > WORTH_SAYING_NS).then_some((length, std, own))
    });
    if let Some((length, std, own)) = slack.min_by_key(|(length, ..)| **length) {
        said.push(format!(
            "a sleep of {} is late by {}, of which {} are the thread's timer slack: prctl(PR_SET_TIMERSLACK, 1) in your \
             thread, or pause::TimerSlack, leaves {}",
            ns(*length as f64),
            ns(std),
            ns(std - own),
            ns(own)
        ));
    }
    let yields = lengths.iter().filter_map(|length| Some((length, of(*length, PauseWay::Yield)?)));
    let worst =
        yields.filter(|(length, method)| late_p50_ns(method) > **length as f64).max_by_key(|(length, _)| **length);
    if let Some((length, method)) = worst {
        said.push(format!(
            "never yield while you wait: {} took {}, since who yields to a busy thread gets the CPU back a time slice later",
            ns(*length as f64),
            ns(method.figures.p50_ns.median)
        ));
    }
    said
}

/// Published means for those of `lengths` that they were published for.
pub(crate) fn published_figures(page: &mut Page, published: &[PublishedPause], lengths: &[u64]) {
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
         lengths take turns; medians have intervals with confidence {} in the record; a Pauser has learnt for 30 ms before",
        count(seen.rounds),
        confidence(lowest)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronoscope_record::{Disturbance, PauseFigures, Spread};

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
            method(PauseWay::StdSleep, 100_000, 53_000.0, 0.03),
            method(PauseWay::Sleep, 100_000, 3_000.0, 0.03),
            method(PauseWay::Pauser, 100_000, 60.0, 0.08),
            method(PauseWay::Spin, 100_000, 40.0, 1.0),
            method(PauseWay::Yield, 100_000, 3_900_000.0, 0.01),
        ]))
        .join("\n");
        for part in [
            "up to 1.00 µs spin",
            "for 100 µs a Pauser is late by 60.0 ns (p99 560 ns) at 8.00 % of a CPU",
            "late by 53.0 µs, of which 50.0 µs are the thread's timer slack",
            "never yield while you wait: 100 µs took 4.00 ms",
        ] {
            assert!(said.contains(part), "{part} is not in: {said}");
        }
    }

    #[test]
    fn nothing_is_advised_of_what_was_not_seen() {
        assert!(advice(&seen(vec![method(PauseWay::Hybrid, 1_000, 40.0, 1.0)])).is_empty());
    }
}
