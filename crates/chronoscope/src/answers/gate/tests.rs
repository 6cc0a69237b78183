//! Each rule on documents that meet it, that do not, and that cannot tell.

use chronoscope_harness::finding::{Finding, Kind};
use chronoscope_harness::record::TscClass;
use chronoscope_harness::study_rules::{NOISY_MACHINE, OVERSUBSCRIBED};
use proptest::prelude::*;

use super::junit::junit;
use super::options::OPTIONS;
use super::report::{Gate, Judged, RuleOutcome};
use super::rule::{Rule, gate};
use super::rules_file::rules;
use crate::document::{Outcome, PartReport, Record};
use crate::json::{document, json};
use crate::judgement::Judgement;
use crate::judgement::causality::AcrossCores;
use crate::judgement::monotonic::Monotonic;
use crate::judgement::path::{CLOCK, FastPath};
use crate::judgement::rules::machine::TSC_NOT_INVARIANT;
use crate::judgement::rules::noise::{CORE_SHARED, STOLEN_TIME};
use crate::judgement::rules::non_causal_read::NON_CAUSAL_READ;
use crate::judgement::rules::os_clock_on_slow_path::OS_CLOCK_ON_SLOW_PATH;
use crate::judgement::rules::runtime_failed::RUNTIME_ON_SLOW_PATH;
use crate::kinds;
use crate::probe::runtime::Runtime;
use crate::probe::unasked;
use crate::rules::tests::{blank, readable};
use crate::sections::causality::plan::LITMUS;
use crate::sections::clocks::plan::GRANULARITY;
use crate::sections::reads::plan::READS;
use crate::sections::runtimes::plan::RUNTIMES;
use crate::sections::runtimes::rules::RUNTIME_NOT_PARALLEL;
use crate::sections::runtimes::rules::latch::RELEASE_IS_WAKING;
use crate::sections::sync::discipline::DisciplineState;
use crate::sections::sync::plan::SYNC;
use crate::sections::sync::rules::{TIME_DAEMONS_COMPETE, WALL_CLOCK_STEPPED};
use crate::sections::sync::tests::well;
use crate::shared_findings::{EARLY_PAUSE, NEGATIVE_ELAPSED};
use RuleOutcome::{Failed, Passed, Unknown, Unresolved};
use chronoscope_harness::estimators::tick::Tick;
use chronoscope_harness::record::Known;
use chronoscope_harness::record::PathMethod;
use chronoscope_probes::RuntimeKind;

/// A check on kvm-clock with the vDSO: `CLOCK_MONOTONIC` costs 21.5 to 21.9 ns a read, and skew is below 61.4 ns.
fn check() -> Record {
    document(include_str!("../../../tests/fixtures/record.json")).unwrap()
}

/// One rule as a line of a file.
fn rule(line: &str) -> Rule {
    let [rule] = rules(line).unwrap().try_into().unwrap();
    rule
}

fn judged(record: &Record, line: &str) -> Judged {
    rule(line).judge(record)
}

fn outcome(record: &Record, line: &str) -> RuleOutcome {
    judged(record, line).outcome
}

fn forbid(kind: &Kind) -> String {
    format!("forbid = ['{}']", kind.id)
}

fn latency(limit: &str) -> String {
    format!("max-latency.monotonic = '{limit}'")
}

#[test]
fn a_limit_is_judged_by_the_ends_of_the_interval() {
    let check = check();
    for (limit, wanted) in [("40ns", Passed), ("22ns", Passed), ("21ns", Failed), ("1ns", Failed)] {
        assert_eq!(outcome(&check, &latency(limit)), wanted, "{limit}");
    }
    let mut wide = check;
    let clock = wide.content.sections.clocks.report.clock_mut(&"CLOCK_MONOTONIC".into()).unwrap();
    let latency_ns = clock.latency_ns.as_mut().unwrap();
    (latency_ns.per_read.low, latency_ns.per_read.high) = (18.0, 41.0);
    let between = judged(&wide, &latency("40ns"));
    assert_eq!(between.outcome, Unresolved);
    assert!(between.advice[0].contains("--thorough"), "{between:?}");
    assert_eq!([outcome(&wide, &latency("41ns")), outcome(&wide, &latency("17ns"))], [Passed, Failed]);
    let measured = between.measured.unwrap();
    assert_eq!((measured.low, measured.high, measured.limit), (Some(18.0), Some(41.0), 40.0));
}

#[test]
fn an_interval_of_little_confidence_settles_nothing() {
    let mut once = check();
    let clock = once.content.sections.clocks.report.clock_mut(&"CLOCK_MONOTONIC".into()).unwrap();
    clock.latency_ns.as_mut().unwrap().per_read.confidence = 0.75;
    let within = judged(&once, &latency("40ns"));
    assert!(within.outcome == Unresolved && within.seen.contains("confidence"), "{within:?}");
    let beyond = judged(&once, &latency("1ns"));
    assert!(beyond.outcome == Failed && beyond.seen.contains("even the fastest"), "{beyond:?}");
}

#[test]
fn what_was_not_measured_is_unknown_with_the_reason() {
    let nothing = blank();
    let limits = ["max-latency.monotonic", "max-granularity.monotonic", "max-skew", "max-ntp-error"];
    let properties = ["vdso", "causal", "monotonic", "invariant_tsc", "ntp", "clocksource=tsc"];
    let kinds = [NOISY_MACHINE, STOLEN_TIME, WALL_CLOCK_STEPPED, OVERSUBSCRIBED, CORE_SHARED, TSC_NOT_INVARIANT];
    let limits = limits.map(|name| format!("{name} = '1s'"));
    let properties = properties.map(|name| format!("require = ['{name}']"));
    for line in [&limits[..], &properties, &kinds.map(|kind| forbid(&kind))].concat() {
        let judged = judged(&nothing, &line);
        assert_eq!(judged.outcome, Unknown, "{line}: {judged:?}");
        assert!(!judged.seen.trim().is_empty(), "{line}");
    }
    let mut broken = check();
    let clock = broken.content.sections.clocks.report.clock_mut(&"CLOCK_MONOTONIC".into()).unwrap();
    (clock.available, clock.reason_unavailable) = (false, Some("EINVAL".to_owned()));
    let unreadable = judged(&broken, &latency("1s"));
    assert!(unreadable.outcome == Unknown && unreadable.seen.ends_with("EINVAL"), "{unreadable:?}");
    broken.content.sections.clocks.report.clocks.clear();
    assert_eq!(outcome(&broken, &latency("1s")), Unknown);
}

#[test]
fn a_step_hidden_by_the_read_may_be_anything_below_it() {
    let check = check();
    assert_eq!(
        outcome(&check, "max-granularity.monotonic = '21ns'"),
        Passed,
        "it moves with every read, 20.6 ns apart"
    );
    assert_eq!(outcome(&check, "max-granularity.monotonic = '20ns'"), Unresolved);
    assert_eq!(outcome(&check, "max-granularity.CLOCK_MONOTONIC_COARSE = '4ms'"), Passed);
    assert_eq!(outcome(&check, "max-granularity.CLOCK_MONOTONIC_COARSE = '3ms'"), Failed);
    let mut ticking = check;
    let clock = ticking.content.sections.clocks.report.clock_mut(&"CLOCK_MONOTONIC".into()).unwrap();
    let period = chronoscope_harness::record::Estimate { estimate: 10.0, low: 9.9, high: 10.1, confidence: 0.99 };
    clock.tick = Some(Tick { period_ns: Some(period), ..Tick::default() });
    clock.step = clock.step_by_evidence();
    assert_eq!(outcome(&ticking, "max-granularity.monotonic = '20ns'"), Passed);
    assert_eq!(outcome(&ticking, "max-granularity.monotonic = '9ns'"), Failed);
}

#[test]
fn skew_is_what_no_pair_excludes() {
    let mut check = check();
    assert_eq!([outcome(&check, "max-skew = '62ns'"), outcome(&check, "max-skew = '50ns'")], [Passed, Unresolved]);
    check.content.sections.causality.report.pairs_possible = 28;
    assert!(judged(&check, "max-skew = '62ns'").seen.contains("1 of 28 pairs"));
    check.content.sections.causality.report.pairs[0].offset_ns = 400.0;
    assert_eq!(outcome(&check, "max-skew = '300ns'"), Failed, "at least 352 ns");
    assert_eq!(outcome(&check, "max-skew = '400ns'"), Unresolved);
    check.content.sections.causality.report.pairs[0].reason_not_constant = Some("it jumped".to_owned());
    assert_eq!(outcome(&check, "max-skew = '1s'"), Unresolved, "it may have been larger");
    check.content.sections.causality.report.pairs.clear();
    check.content.sections.causality.report.reason_unavailable = Some("one CPU is allowed".to_owned());
    let alone = judged(&check, "max-skew = '1s'");
    assert!(alone.outcome == Unknown && alone.seen.contains("one CPU is allowed"), "{alone:?}");
}

#[test]
fn the_wall_clock_is_judged_by_its_bound_and_what_disciplines_it() {
    let mut check = check();
    assert_eq!([outcome(&check, "require = ['ntp']"), outcome(&check, "max-ntp-error = '5ms'")], [Unknown, Unknown]);
    check.content.sections.sync.report = Some(well());
    check.content.parts[0].part = SYNC;
    assert_eq!([outcome(&check, "require = ['ntp']"), outcome(&check, "max-ntp-error = '5ms'")], [Passed, Passed]);
    assert_eq!(outcome(&check, "max-ntp-error = '500us'"), Failed, "it is 799 µs");
    let sync = check.content.sections.sync.report.as_mut().unwrap();
    sync.bound = Known::Unavailable("the kernel says unsynchronised".to_owned());
    sync.discipline.state = DisciplineState::NotDisciplined;
    let mut check = crate::rules::judged(check);
    assert_eq!([outcome(&check, "require = ['ntp']"), outcome(&check, "max-ntp-error = '5ms'")], [Failed, Unknown]);
    check.content.sections.sync.report.as_mut().unwrap().discipline.state = DisciplineState::Unknown;
    assert_eq!(outcome(&crate::rules::judged(check), "require = ['ntp']"), Unknown);
}

#[test]
fn lost_time_is_that_of_the_worst_clock() {
    let mut check = check();
    assert_eq!([outcome(&check, "max-lost = '2%'"), outcome(&check, "max-lost = '1%'")], [Passed, Failed]);
    check.content.sections.reads.report.clear();
    assert_eq!(outcome(&check, "max-lost = '100%'"), Unknown);
    // The first screen, the finding and the gate tell one number.
    let mut noisy = document(include_str!("../../../../../docs/shown/check.json")).unwrap();
    noisy
        .content
        .sections
        .reads
        .report
        .iter_mut()
        .flat_map(|reads| &mut reads.gaps)
        .for_each(|it| it.share_of_time = 0.03);
    let check = crate::rules::judged(noisy);
    let lost = judged(&check, "max-lost = '1%'").measured.unwrap().estimate.unwrap() / 100.0;
    assert_eq!(check.content.judgement.unwrap().noise.lost.unwrap().share, lost);
    let noisy = check.findings.iter().find(|finding| finding.is(NOISY_MACHINE)).unwrap();
    assert_eq!(noisy.evidence.values["share_of_time"], lost);
}

#[test]
fn requirements_follow_the_conclusions() {
    let reason = || "why".to_owned();
    let of = |change: &dyn Fn(&mut Judgement), line: &str| {
        let mut record = check();
        change(record.content.judgement.as_mut().unwrap());
        outcome(&record, line)
    };
    let path = |found: FastPath| of(&|all| all.path = found.clone(), "require = ['vdso']");
    assert_eq!(path(FastPath::Vdso { method: PathMethod::Proved }), Passed);
    assert_eq!(path(FastPath::ProbablyVdso { method: Some(PathMethod::Inferred) }), Unresolved);
    assert_eq!(path(FastPath::SystemCall { method: None }), Failed);
    assert_eq!(path(FastPath::NotTested { reason: reason() }), Unknown);
    let causal = |found: AcrossCores| of(&|all| all.causality.across_cores = found.clone(), "require = ['causal']");
    assert_eq!(of(&|_| {}, "require = ['causal']"), Passed);
    assert_eq!(causal(AcrossCores::WentBackwards { violations: 1, new_values: Some(9), messages: 0 }), Failed);
    assert_eq!(causal(AcrossCores::Unknown { unknown: Vec::new(), clocks: 1, new_values: 2 }), Unknown);
    assert_eq!(causal(AcrossCores::NotTested { reason: reason() }), Unknown);
    let monotonic = |found: Monotonic| of(&|all| all.monotonic = found.clone(), "require = ['monotonic']");
    assert_eq!(monotonic(Monotonic::Steady), Passed);
    assert_eq!(monotonic(Monotonic::SteppedBack), Failed);
    assert_eq!(monotonic(Monotonic::PartlyTested { untested: vec!["rdtsc".into()] }), Unknown);
    assert_eq!(monotonic(Monotonic::NotTested { reason: reason() }), Unknown);
}

#[test]
fn facts_of_the_machine_are_required_by_name() {
    let mut check = check();
    assert_eq!(outcome(&check, "require = ['clocksource=kvm-clock']"), Passed);
    assert_eq!(outcome(&check, "require = ['clocksource=tsc']"), Failed);
    check.machine.clocksource.current = None;
    assert_eq!(outcome(&check, "require = ['clocksource=kvm-clock']"), Unknown);
    assert_eq!(outcome(&check, "require = ['invariant-tsc']"), Passed);
    check.machine.tsc.class = Some(TscClass::Constant);
    assert_eq!(outcome(&crate::rules::judged(check), "require = ['invariant_tsc']"), Failed);
}

#[test]
fn a_forbidden_finding_passes_only_where_it_was_looked_for() {
    let mut check = check();
    check.findings.clear();
    assert_eq!(outcome(&check, "forbid = ['noisy_machine']"), Passed);
    check.findings.push(Finding::new(NOISY_MACHINE, "2 % lost").advice("be quiet"));
    let found = judged(&check, "forbid = ['noisy_machine']");
    assert_eq!((found.outcome, found.seen.as_str(), found.advice), (Failed, "2 % lost", vec!["be quiet".to_owned()]));
    check.findings.clear();
    let reads = check.content.parts.iter_mut().find(|report| report.part == READS).unwrap();
    (reads.outcome, reads.reason) = (Outcome::Incomplete, Some("out of time".to_owned()));
    let missing = judged(&check, "forbid = ['noisy_machine']");
    assert!(missing.outcome == Unknown && missing.seen.contains("out of time"), "{missing:?}");
    for kind in [EARLY_PAUSE, WALL_CLOCK_STEPPED, OVERSUBSCRIBED, RELEASE_IS_WAKING] {
        let judged = judged(&check, &forbid(&kind));
        assert_eq!(judged.outcome, Unknown, "{judged:?}");
    }
    let study = document(include_str!("../../../tests/fixtures/study.json")).unwrap();
    assert_eq!(outcome(&study, &forbid(&EARLY_PAUSE)), Unknown, "a study has no pauses");
    let sync = document(include_str!("../../../../../docs/shown/sync.json")).unwrap();
    for kind in [CORE_SHARED, STOLEN_TIME, NOISY_MACHINE, NEGATIVE_ELAPSED] {
        assert_eq!(outcome(&sync, &forbid(&kind)), Unknown, "{kind:?} in a look at the wall clock");
    }
    assert_eq!(outcome(&sync, &forbid(&TIME_DAEMONS_COMPETE)), Passed);
    // All that a kind may come from: the clocks, their reads and the language runtimes.
    let mut whole = document(include_str!("../../../../../docs/shown/check.json")).unwrap();
    assert_eq!(outcome(&whole, &forbid(&OS_CLOCK_ON_SLOW_PATH)), Passed);
    whole.findings.clear();
    assert_eq!(outcome(&whole, &forbid(&NEGATIVE_ELAPSED)), Passed);
    let asked = judged(&whole, &forbid(&RUNTIME_NOT_PARALLEL));
    assert!(asked.outcome == Unknown && asked.seen.contains("chronoscope runtimes"), "{asked:?}");
    for part in [GRANULARITY, READS, RUNTIMES] {
        let mut less = whole.clone();
        less.content.parts.retain(|report| report.part != part);
        assert_eq!(outcome(&less, &forbid(&NEGATIVE_ELAPSED)), Unknown, "without {part:?}");
    }
    whole.machine.tsc.class = None;
    assert_eq!(outcome(&whole, &forbid(&TSC_NOT_INVARIANT)), Unknown, "its class is unknown");
}

#[test]
fn strict_is_a_rule_against_every_warning() {
    let mut check = check();
    let found = judged(&check, "strict = true");
    assert!(found.outcome == Failed && found.seen.contains("part_unavailable"), "{found:?}");
    check.findings.clear();
    assert_eq!(outcome(&check, "strict = true"), Unknown, "the intervals are incomplete");
    check.content.parts.retain(|report| report.outcome == Outcome::Done);
    assert_eq!([outcome(&check, "strict = true"), outcome(&blank(), "strict = true")], [Passed, Unknown]);
    let mut slow = check.clone();
    slow.content.parts.retain(|report| report.part != RUNTIMES);
    slow.content.parts.push(PartReport { part: RUNTIMES, outcome: Outcome::Skipped, ..slow.content.parts[0].clone() });
    let java = Runtime { executable: Some("/usr/bin/java".to_owned()), ..unasked(RuntimeKind::Java) };
    for (out_of_time, wanted) in [(true, Passed), (false, Unknown)] {
        slow.content.sections.runtimes.report = vec![Runtime { out_of_time, ..java.clone() }];
        assert_eq!(outcome(&slow, "strict = true"), wanted, "a check starts no Java: {out_of_time}");
        assert_eq!(outcome(&slow, &forbid(&RUNTIME_ON_SLOW_PATH)), Unknown);
    }
    let mut one_cpu = check;
    let litmus = one_cpu.content.parts.iter_mut().find(|report| report.part == LITMUS).unwrap();
    (litmus.outcome, litmus.reason) = (Outcome::Skipped, Some("one CPU is allowed".to_owned()));
    for (online, wanted) in [(Some(8), Unknown), (None, Unknown), (Some(1), Passed)] {
        one_cpu.machine.cpu.online = online;
        assert_eq!(outcome(&one_cpu, "strict = true"), wanted, "one of {online:?} CPUs");
        assert_eq!(outcome(&one_cpu, &forbid(&NON_CAUSAL_READ)), wanted);
    }
    assert!(rules("strict = false").unwrap().is_empty());
}

#[test]
fn a_file_and_the_command_line_name_rules_alike() {
    let text = "require = ['vdso', 'causal', 'clocksource=tsc', 'ntp', 'monotonic', 'invariant_tsc']\n\
                forbid = ['noisy_machine', 'stolen_time']\nmax-skew = '200ns'\nmax-ntp-error = '5ms'\nmax-lost = '1%'\n\
                [max-latency]\nmonotonic = '40ns'\n'lfence; rdtsc' = '20ns'\n[max-granularity]\nrealtime = '1us'\n";
    let told: Vec<String> = rules(text).unwrap().iter().map(|rule| format!("{rule:?}")).collect();
    let names = ["lfence; rdtsc=20ns", "CLOCK_MONOTONIC=40ns"].map(|limit| format!("max-latency {limit}"));
    if cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        assert_eq!(told[..2], names);
    }
    assert_eq!(told[3..7], ["max-skew 200ns", "max-ntp-error 5ms", "max-lost 1%", "require vdso"]);
    assert_eq!(told.len(), 14);
    // What is told is accepted again.
    for told in told.iter().filter_map(|told| told.strip_prefix("max-latency ")) {
        assert_eq!(format!("{:?}", (OPTIONS[0].rule)(told).unwrap()), format!("max-latency {told}"));
    }
}

#[test]
fn a_wrong_file_is_refused_with_the_line_and_what_is_accepted() {
    for (text, told) in [
        ("require = ['vdso']\nmax-latancy = 3", ["line 2", "max-latency"]),
        ("\n\nrequire = ['vdso', 'quick']", ["line 3", "choose vdso, causal"]),
        ("require = 'vdso'", ["line 1", "sequence"]),
        ("max-skew = 200", ["line 1", "string"]),
        ("max-skew = '200'", ["line 1", "a time such as 40ns"]),
        ("max-skew = '0ns'", ["line 1", "no time meets it"]),
        ("max-skew = '-3ns'", ["line 1", "negative"]),
        ("max-lost = '101%'", ["line 1", "100%"]),
        ("[max-latency]\nsundial = '40ns'", ["line 2", "CLOCK_MONOTONIC"]),
        ("[max-latency]\nmonotonic = 'fast'", ["line 2", "not a time"]),
        ("forbid = [\n'noise']", ["line 2", "chronoscope findings"]),
        ("require = ['clocksource=']", ["line 1", "clocksource=tsc"]),
        ("require = ['clocksource=a b']", ["line 1", "clocksource=tsc"]),
        ("max-skew = '1ns'\nmax-skew = '2ns'", ["line 2", "duplicate"]),
        ("= 3", ["line 1", ""]),
    ] {
        let refused = rules(text).unwrap_err();
        assert!(told.iter().all(|told| refused.contains(told)), "{text}: {refused}");
        assert!(!refused.contains('\n'), "{refused}");
    }
    assert!(rules("# nothing\n").unwrap().is_empty());
    assert!((OPTIONS[0].rule)("40ns").unwrap_err().contains("CLOCK=TIME"));
}

/// A gate with every outcome.
fn judged_gate() -> (Record, Gate) {
    let record = check();
    let text = "require = ['vdso', 'clocksource=tsc', 'ntp']\nmax-skew = '50ns'\nmax-latency.monotonic = '40ns'";
    let found = gate(&record, &rules(text).unwrap());
    (record, found)
}

#[test]
fn a_gate_passes_only_if_every_rule_does() {
    let (record, found) = judged_gate();
    let ends: Vec<RuleOutcome> = found.rules.iter().map(|rule| rule.outcome).collect();
    assert_eq!((ends, found.passed), (vec![Passed, Unresolved, Passed, Failed, Unknown], false));
    for rule in &found.rules {
        assert_eq!(rule.advice.is_empty(), matches!(rule.outcome, Passed | Unknown), "{rule:?}");
    }
    let vdso = [rule("require = ['vdso']")];
    assert!(gate(&record, &vdso).passed);
    let stopped = Record { interrupted: true, ..record };
    assert!(!gate(&stopped, &vdso).passed, "a run that was interrupted does not pass");
}

#[test]
fn the_judgement_is_kept_in_the_document() {
    let (mut record, found) = judged_gate();
    record.content.gate = Some(found);
    let schema: serde_json::Value = serde_json::from_str(crate::document::SCHEMA).unwrap();
    let value = serde_json::to_value(&record).unwrap();
    assert!(jsonschema::validator_for(&schema).unwrap().is_valid(&value));
    assert_eq!(document(&json(&record).unwrap()).unwrap(), record);
}

#[test]
fn the_xml_is_as_agreed_and_an_xml_parser_reads_it() {
    let (mut record, mut found) = judged_gate();
    record.machine.hostname = Some("web-7 <\"&'>".to_owned());
    found.rules[1].seen.push_str(" \u{1b}[31m]]>\u{0}\u{fffe}");
    let xml = junit(&record, &found).unwrap();
    let folder = std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    crate::tests::golden_file::assert_same(&folder.join("gate.junit.xml"), &xml);
    let tree = roxmltree::Document::parse(&xml).unwrap();
    let suite = tree.descendants().find(|node| node.has_tag_name("testsuite")).unwrap();
    assert_eq!(["tests", "failures", "errors"].map(|name| suite.attribute(name).unwrap()), ["5", "1", "2"]);
    assert_eq!(suite.attribute("hostname"), Some("web-7 <\"&'>"));
    let cases: Vec<_> = tree.descendants().filter(|node| node.has_tag_name("testcase")).collect();
    let names: Vec<&str> = cases.iter().map(|case| case.attribute("name").unwrap()).collect();
    assert_eq!(names, found.rules.iter().map(|rule| rule.rule.as_str()).collect::<Vec<_>>());
    let told = |case: &roxmltree::Node<'_, '_>| {
        let child = case.children().find(|child| child.is_element()).unwrap();
        format!("{} {}", child.tag_name().name(), child.attribute("type").unwrap_or_default())
    };
    let told: Vec<String> = cases.iter().map(told).collect();
    assert_eq!(told, ["system-out ", "error unresolved", "system-out ", "failure failed", "error unknown"]);
}

#[test]
fn every_known_finding_can_be_forbidden() {
    let record = check();
    for kind in kinds::all() {
        let judged = judged(&record, &forbid(kind));
        let is_found = record.findings.iter().any(|finding| finding.is(*kind));
        assert_eq!(judged.outcome == Failed, is_found, "{judged:?}");
    }
}

/// Only a check has conclusions.
#[test]
fn without_conclusions_it_is_unknown_and_so_is_what_was_not_planned() {
    let mut record = blank();
    record.content.sections.clocks.report.clocks = vec![readable(CLOCK)];
    assert_eq!(outcome(&record, "require = ['vdso']"), Unknown);
    let judged = judged(&crate::rules::judged(record), "require = ['vdso']");
    assert!(judged.outcome == Unknown && judged.seen.contains("not part of the plan"), "{judged:?}");
}

proptest! {
    #[test]
    fn no_text_of_rules_panics(text in ".{0,120}", value in ".{0,30}", key in "[a-z-]{0,15}") {
        let _ = rules(&text);
        let _ = rules(&format!("{key} = '{value}'\nrequire = ['{value}']\nmax-latency.monotonic = '{value}'"));
        for option in OPTIONS.iter() {
            let _ = (option.rule)(&value);
        }
    }
}
