//! What the comparison is to show, and whether it did in this run.

use bench_common::goal::{Goal, Verdict};

use crate::compared::Compared;
use crate::language::{Figure, Language};
use crate::sections::Sections;

/// A side whose figure is more than this times its least was disturbed almost all the time, and says nothing against the
/// other.
const DISTURBED: f64 = 1.15;
/// An interval that is wider than this share of its median agrees with almost anything.
const WIDEST: f64 = 0.25;

type Chosen = fn(Figure) -> bool;

const GOALS: [(Language, Chosen, &str); 4] = [
    (Language::Java, Figure::is_latency, "JVM latency agrees with JMH within both intervals"),
    (
        Language::Java,
        |figure| figure == Figure::MedianStep,
        "JVM: steps of nanoTime agree with JMH within both intervals",
    ),
    (Language::Go, Figure::is_latency, "Go latency agrees with testing.B within both intervals"),
    (Language::Python, Figure::is_latency, "Python latency agrees with pyperf within both intervals"),
];

/// All goals in their order.
pub(crate) fn all(sections: &Sections) -> Vec<Goal> {
    GOALS.iter().map(|(language, chosen, goal)| agrees(sections, *language, *chosen, goal)).collect()
}

fn agrees(sections: &Sections, language: Language, chosen: Chosen, goal: &'static str) -> Goal {
    let Some(section) = sections.languages.iter().find(|section| section.language == language) else {
        return Goal::open(goal, "not asked for");
    };
    if section.skipped.is_some() {
        return Goal::open(goal, "the harness is not there");
    }
    let rows: Vec<&Compared> = section.rows.iter().filter(|row| row.is_same && chosen(row.figure)).collect();
    let ratios = || rows.iter().map(|row| row.ratio.median);
    let Some((least, most)) = ratios().reduce(f64::min).zip(ratios().reduce(f64::max)) else {
        return Goal::open(goal, "not measured");
    };
    let measured = format!("ours / theirs {least:.3} to {most:.3}");
    let verdict = if sections.is_quick { Verdict::Open("the quick run is too short".into()) } else { judged(&rows) };
    Goal { goal, measured, verdict }
}

/// Met if the intervals of every row overlap and are narrow enough to tell, missed if one does not overlap on a machine
/// that was quiet.
fn judged(rows: &[&Compared]) -> Verdict {
    let apart: Vec<String> = rows
        .iter()
        .filter(|row| !row.intervals_overlap && row.disturbed() <= DISTURBED)
        .map(|row| format!("{:.1} % ({})", row.apart() * 100.0, row.name()))
        .collect();
    if !apart.is_empty() {
        return Verdict::Missed(apart.join(", "));
    }
    let disturbed = rows.iter().find(|row| !row.intervals_overlap);
    if let Some(row) = disturbed {
        return Verdict::Open(format!(
            "the machine was too busy: a figure of {} is {:.2} times its least",
            row.name(),
            row.disturbed()
        ));
    }
    let wide = |row: &&&Compared| row.ours_ns.width().max(row.oracle_ns.width()) > WIDEST;
    match rows.iter().find(wide) {
        Some(row) => Verdict::Open(format!("the machine was too busy: an interval of {} is too wide", row.name())),
        None => Verdict::Met,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Pair;
    use crate::oracle::Reading;
    use crate::sections::Section;

    const PAIR: Pair = Pair { clock: "now", figure: Figure::Latency, benchmark: "now", is_same: true };

    fn row(ours: [f64; 2], theirs: [f64; 2]) -> Compared {
        let reading = |ns| Reading { ns, all_ns: None, least_ns: None };
        let rounds = [0, 1].map(|round| (reading(ours[round]), reading(theirs[round])));
        Compared::of(&PAIR, &rounds).unwrap()
    }

    #[test]
    fn all_must_agree_and_be_able_to_disagree() {
        let (agrees, apart, wide) =
            (row([10.0, 11.0], [10.5, 11.5]), row([10.0, 11.0], [20.0, 21.0]), row([5.0, 50.0], [9.0, 10.0]));
        assert!(judged(&[&agrees]).is_met());
        assert_eq!(judged(&[&agrees, &apart, &wide]).show(), "missed by 43.9 % (now, latency, 1 thread)");
        assert!(judged(&[&agrees, &wide]).is_open());
        let disturbed = Compared { least_ns: (Some(9.9), Some(10.0)), ..apart };
        assert!(judged(&[&agrees, &disturbed]).show().ends_with("is 2.05 times its least"));
    }

    #[test]
    fn what_was_not_measured_is_open() {
        let languages = vec![Section::new(Language::Java)];
        for goal in all(&Sections { is_quick: false, languages }) {
            assert!(goal.verdict.is_open(), "{goal:?}");
        }
    }

    #[test]
    fn a_quick_run_says_nothing_and_shows_its_ratio() {
        let mut section = Section::new(Language::Go);
        section.rows.push(row([10.0, 12.0], [10.0, 12.0]));
        let goals = all(&Sections { is_quick: true, languages: vec![section] });
        assert_eq!((goals[2].measured.as_str(), goals[2].verdict.is_open()), ("ours / theirs 1.000 to 1.000", true));
    }
}
