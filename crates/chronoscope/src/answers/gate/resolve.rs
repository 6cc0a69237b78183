//! The rule that a difference of this size can be told here.

use chronoscope_bench::percentage_to;
use chronoscope_harness::quantity::{PERCENT, RATIO, confidence, count, limit};
use chronoscope_harness::record::study::Leading;
use chronoscope_render::words::counted;

use super::report::{Judged, LimitUnit, Measured, RuleOutcome};
use super::rule::Rule;
use crate::answers::noise_floor::report::{IdenticalPair, NoiseFloor};
use crate::answers::noise_floor::size::{MOST_PROCESSES, duration_of};

/// The option of a gate.
pub const OPTION: &str = "resolve";
/// Nobody needs a measurement to tell more, in percent.
const MOST_PCT: f64 = 50.0;

/// The rule that a difference of so many percent can be told here: `2%`, `0.5`.
///
/// # Errors
/// What is wrong, and what is accepted.
pub fn rule(text: &str) -> Result<Rule, String> {
    let asked_pct =
        percentage_to(text, MOST_PCT, "more than 0% to 50%").map_err(|why| format!("`{}`: {why}", text.trim()))?;
    let told = format!("{OPTION} {asked_pct}%");
    let rule = Rule::new(told, move |record| match &record.content.noise_floor {
        Some(floor) => judge(floor, asked_pct),
        None => Judged::unknown("no identical operations were compared"),
    });
    Ok(rule.of_noise_floor())
}

/// Whether a difference of `asked_pct` percent would be told in every pair.
pub fn judge(floor: &NoiseFloor, asked_pct: f64) -> Judged {
    let known_pct = floor.floor_pct;
    let judged = match (known_pct, floor.unsure()) {
        (Some(pct), _) if pct > asked_pct => cannot(floor, asked_pct, pct),
        (_, Some(pair)) => too_few(floor, pair),
        (Some(pct), None) => {
            let words = format!("yes: the noise floor is {}{}", PERCENT.reach(pct), alarms(floor));
            Judged::seen(RuleOutcome::Passed, words)
        }
        (None, None) => Judged::unknown("no identical operations were compared"),
    };
    let measured = known_pct.map(|pct| Measured {
        unit: LimitUnit::Percent,
        limit: asked_pct,
        estimate: None,
        low: None,
        high: Some(pct),
    });
    Judged { measured, ..judged }
}

/// How many processes would tell a difference of `asked_pct` percent, if intervals narrow with the root of their number; None where
/// more than a sensible number would be needed, or where none helps: a difference between identical operations stays however often
/// it is measured, and so do groups of processes and calls that other programs hold up.
fn enough(floor: &NoiseFloor, asked_pct: f64, floor_pct: f64) -> Option<u32> {
    let stays = |pair: &IdenticalPair| {
        let is_beyond = pair.told_pct.is_some_and(|pct| pct > asked_pct);
        !pair.is_sure || is_beyond && (pair.is_false_alarm || pair.has_states || pair.leads == Leading::Mean)
    };
    let processes = (f64::from(floor.processes) * (floor_pct / asked_pct).powi(2)).ceil();
    (processes <= f64::from(MOST_PROCESSES) && !floor.pairs.iter().any(stays)).then_some(processes as u32)
}

fn cannot(floor: &NoiseFloor, asked_pct: f64, floor_pct: f64) -> Judged {
    let worst = floor.worst().map_or_else(String::new, |pair| format!(", set by {}", pair.operation));
    let words = format!("no: the noise floor is {}{worst}{}", PERCENT.reach(floor_pct), alarms(floor));
    let (judged, causes) = (Judged::seen(RuleOutcome::Failed, words), causes(floor, asked_pct));
    let judged = match enough(floor, asked_pct, floor_pct) {
        Some(processes) => judged.advice(format!(
            "about {processes} processes would tell {}: --duration {}s here, --processes {processes} of a bench program",
            limit(asked_pct),
            duration_of(processes).as_secs(),
        )),
        None if floor.unsure().is_some() => judged.advice(more_time(floor)),
        None if causes.is_empty() => judged.advice(format!(
            "no sensible number of processes would tell {}; {} of {} iterations were undisturbed: take a quieter machine",
            limit(asked_pct),
            count(floor.iterations_quiet),
            count(floor.iterations)
        )),
        None => judged,
    };
    causes.into_iter().fold(judged, Judged::advice)
}

/// What is known to widen the intervals, and what to do about it.
fn causes(floor: &NoiseFloor, asked_pct: f64) -> Vec<String> {
    let mut causes = Vec::new();
    if floor.is_noisy() {
        causes.push(format!(
            "the machine is noisy, {} of {} iterations were undisturbed: stop other work, or take a machine of its own",
            count(floor.iterations_quiet),
            count(floor.iterations)
        ));
    }
    if let Some(quota) = floor.cpu_quota {
        causes.push(format!("a limit of {quota:.2} CPUs stops a busy thread again and again: raise it above 1"));
    }
    let is_beyond = |pair: &&IdenticalPair| pair.is_sure && pair.told_pct.is_some_and(|pct| pct > asked_pct);
    let mut by_mean = floor.pairs.iter().filter(is_beyond).filter(|pair| pair.leads == Leading::Mean);
    if let Some(pair) = by_mean.next() {
        causes.push(format!(
            "so many calls of {}{} were held up that means were compared: stop other work, or take a machine of its own",
            pair.operation,
            match by_mean.count() {
                0 => String::new(),
                more => format!(" and {more} more"),
            }
        ));
    }
    if let Some(pair) = floor.pairs.iter().filter(is_beyond).find(|pair| pair.has_states) {
        causes.push(format!(
            "processes fall into groups that disagree about {}: more of them would not change that",
            pair.operation
        ));
    }
    causes
}

/// That identical operations were told apart; empty if none were.
fn alarms(floor: &NoiseFloor) -> String {
    let alarm = floor.pairs.iter().filter(|pair| pair.is_false_alarm);
    let worst = alarm.max_by(|a, b| a.told_pct.unwrap_or(0.0).total_cmp(&b.told_pct.unwrap_or(0.0)));
    let Some((pair, ratio)) = worst.and_then(|pair| Some((pair, pair.ratio?))) else { return String::new() };
    format!(
        "; {} in {} ({}: {})",
        counted(floor.false_alarms.into(), "false alarm", "false alarms"),
        counted(floor.pairs.len() as u64, "pair", "pairs"),
        pair.operation,
        RATIO.amount(&ratio)
    )
}

fn too_few(floor: &NoiseFloor, pair: &IdenticalPair) -> Judged {
    let words = format!(
        "unknown: {} of {} processes measured {}, and {} over all pairs takes {}",
        pair.processes,
        floor.processes,
        pair.operation,
        confidence(floor.confidence),
        floor.processes_needed
    );
    causes(floor, 0.0).into_iter().fold(Judged::unknown(words).advice(more_time(floor)), Judged::advice)
}

fn more_time(floor: &NoiseFloor) -> String {
    format!("give it more time, such as --duration {}s", duration_of(2 * floor.processes.min(MOST_PROCESSES)).as_secs())
}

#[cfg(test)]
mod tests {
    use chronoscope_harness::record::Known;
    use chronoscope_harness::record::study::{InterferenceProbe, StudyRecord};

    use super::*;
    use crate::answers::noise_floor::tests::{point_of, study};

    fn judged(record: &StudyRecord, asked_pct: f64) -> Judged {
        judge(&NoiseFloor::of(record), asked_pct)
    }

    #[test]
    fn yes_if_no_pair_reaches_farther_than_asked() {
        let quiet = study(&[(0.99, 1.012)]);
        let yes = judged(&quiet, 2.0);
        assert_eq!((yes.outcome, yes.seen.as_str()), (RuleOutcome::Passed, "yes: the noise floor is 1.8 %"));
        assert!(yes.advice.is_empty());
        assert_eq!(judged(&quiet, 1.8).outcome, RuleOutcome::Passed);
        assert_eq!(judged(&quiet, 1.79).outcome, RuleOutcome::Failed);
        let measured = yes.measured.unwrap();
        assert_eq!((measured.limit, measured.high, measured.unit), (2.0, Some(1.8), LimitUnit::Percent));
    }

    #[test]
    fn no_with_how_many_processes_would_tell() {
        let no = judged(&study(&[(0.97, 1.01), (0.975, 1.02)]), 2.0);
        assert_eq!(no.outcome, RuleOutcome::Failed);
        assert_eq!(no.seen, "no: the noise floor is 4.0 %, set by operation 0");
        // 24 processes times (4 / 2)².
        let told = "about 96 processes would tell 2 %: --duration 80s here, --processes 96 of a bench program";
        assert_eq!(no.advice, [told]);
    }

    #[test]
    fn no_without_a_number_of_processes_where_none_would_tell() {
        let far = study(&[(0.9, 1.01)]);
        assert!(judged(&far, 3.25).advice[0].contains("384 processes"), "{:?}", judged(&far, 3.25));
        let told = judged(&far, 3.2).advice;
        assert!(told[0].starts_with("no sensible number of processes would tell 3.2 %; 650 of 700"), "{told:?}");
        let mut grouped = study(&[(0.97, 1.01)]);
        point_of(&mut grouped, 0).has_states = true;
        let told = judged(&grouped, 2.0).advice;
        assert!(told.len() == 1 && told[0].contains("disagree about operation 0"), "{told:?}");
        let mut held_up = study(&[(0.97, 1.01)]);
        point_of(&mut held_up, 0).leads = Leading::Mean;
        let told = judged(&held_up, 2.0).advice;
        assert!(told.len() == 1 && told[0].starts_with("so many calls of operation 0 were held up"), "{told:?}");
        let mut few = study(&[(0.97, 1.01)]);
        point_of(&mut few, 5).ratio.confidence = 0.9;
        let no = judged(&few, 2.0);
        assert!(no.outcome == RuleOutcome::Failed && no.advice[0].contains("more time"), "{no:?}");
    }

    #[test]
    fn a_false_alarm_is_said_and_denies_what_it_reaches() {
        let alarm = study(&[(1.01, 1.03)]);
        let no = judged(&alarm, 2.0);
        assert!(no.outcome == RuleOutcome::Failed && no.advice[0].starts_with("no sensible"), "{no:?}");
        assert!(no.seen.contains("1 false alarm in 10 pairs (operation 0: 1.02"), "{}", no.seen);
        let yes = judged(&alarm, 3.5);
        assert!(yes.outcome == RuleOutcome::Passed && yes.seen.contains("1 false alarm"), "{yes:?}");
    }

    #[test]
    fn too_few_processes_leave_it_unknown() {
        let mut few = study(&[]);
        (point_of(&mut few, 4).pairs, point_of(&mut few, 4).ratio.confidence) = (9, 0.996);
        let unknown = judged(&few, 2.0);
        assert_eq!(unknown.outcome, RuleOutcome::Unknown);
        let told = "unknown: 9 of 24 processes measured operation 4, and 99.9 % over all pairs takes 15";
        assert_eq!(
            (unknown.seen.as_str(), unknown.advice[0].as_str()),
            (told, "give it more time, such as --duration 40s")
        );
        let nothing = judged(&crate::experiment::synthetic::record(), 2.0);
        assert_eq!(nothing.outcome, RuleOutcome::Unknown);
    }

    #[test]
    fn causes_that_are_known_are_named() {
        let mut noisy = study(&[(0.9, 1.1)]);
        let probe = InterferenceProbe { iterations: 700, iterations_quiet: 120, ..InterferenceProbe::default() };
        noisy.content.study.interference_probe = Some(probe);
        noisy.machine.cpu_quota = Known::Value(Some(0.5));
        let told = judged(&noisy, 1.0).advice;
        assert!(told[0].contains("120 of 700 iterations") && told[1].contains("0.50 CPUs"), "{told:?}");
        assert!(judged(&noisy, 20.0).outcome == RuleOutcome::Passed);
    }

    #[test]
    fn a_difference_is_a_percentage_that_makes_sense() {
        for (text, told) in
            [("2%", "resolve 2%"), ("2", "resolve 2%"), (" 0.5 % ", "resolve 0.5%"), ("50", "resolve 50%")]
        {
            assert_eq!(format!("{:?}", rule(text).unwrap()), told);
        }
        for wrong in ["0", "-2%", "NaN", "51%", "inf", "", "%", "two"] {
            let refused = rule(wrong).unwrap_err();
            assert!(refused.contains("choose more than 0% to 50%"), "{refused}");
        }
    }
}
