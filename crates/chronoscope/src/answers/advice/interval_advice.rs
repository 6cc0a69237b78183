//! How to measure an interval within an error on the machine of a document.

use super::methods::{SLEW_PCT, Setting, backoff_model, batch, direct, repetitions};
use super::report::{Figure, Fit, IntervalAdvice, IntervalQuestion, Method, MethodAdvice};
use super::usable_clocks::{UsableClock, usable};
use crate::document::Record;
use crate::sections::reads::lost::losses;
use chronoscope_harness::estimators::reads::Gaps;
use chronoscope_harness::quantity::{count, limit, ns, percent, share};
use chronoscope_harness::record::Estimate;
use chronoscope_render::words::quoted;

/// The advice for `question`, from the figures of `record`.
pub fn advise(question: &IntervalQuestion, record: &Record) -> IntervalAdvice {
    let advice = |answer: String| IntervalAdvice {
        asked: question.clone(),
        cpus: cpus(record),
        choose: None,
        answer,
        methods: Vec::new(),
        reservations: Vec::new(),
        evidence: Vec::new(),
    };
    if question.error_pct < SLEW_PCT {
        return advice(format!(
            "not here: while the clock is slewed its rate is off by up to {}, so {} cannot be promised",
            limit(SLEW_PCT),
            limit(question.error_pct)
        ));
    }
    let clocks = match usable(question, record) {
        Ok(clocks) => clocks,
        Err(reason) => return advice(format!("not here: {reason}")),
    };
    let setting = Setting { question };
    let methods = methods(&clocks, setting);
    let chosen = choose(&methods, question);
    let mut evidence = figures(&clocks, &methods);
    evidence.extend(clocks.first().and_then(|best| best.loop_turn_ns).map(|turn_ns| Figure {
        name: "turn of an empty loop".to_owned(),
        clock: None,
        ns: Estimate::certain(turn_ns),
        basis: match question.runtime {
            None => "measured in the harness's own loop; never subtracted".to_owned(),
            Some(_) => "measured in the runtime's own loop; never subtracted".to_owned(),
        },
    }));
    IntervalAdvice {
        choose: chosen.map(|method| method.method),
        reservations: reservations(chosen, &clocks, question, record),
        evidence,
        ..advice(answer(chosen, &methods, question))
    }
    .with(methods)
}

impl IntervalAdvice {
    fn with(self, methods: Vec<MethodAdvice>) -> Self {
        Self { methods, ..self }
    }
}

/// The CPUs that the run could use; 0 if unknown.
fn cpus(record: &Record) -> u64 {
    let planned = record.content.plan.cpus.len();
    let known = if planned > 0 { planned } else { record.machine.cpu.allowed.len() };
    known as u64
}

fn methods(clocks: &[UsableClock], setting: Setting<'_>) -> Vec<MethodAdvice> {
    let Some(best) = clocks.first() else { return Vec::new() };
    let direct = direct(best, setting);
    let is_direct = direct.fit != Fit::No;
    let threads = setting.question.threads;
    let mut methods = vec![direct];
    if !is_direct {
        let batch = batch(best, setting);
        let is_loop_too_dear = batch.fit == Fit::No && batch.takes_ns.is_none() && best.loop_turn_ns.is_some();
        methods.push(batch);
        methods.extend(quickest(clocks, setting));
        if threads > 1 || is_loop_too_dear {
            methods.push(backoff_model(setting));
        }
    }
    methods
}

/// Repetitions with the clock that takes the least time; if none does, with the best one.
fn quickest(clocks: &[UsableClock], setting: Setting<'_>) -> Option<MethodAdvice> {
    let tried = clocks.iter().map(|clock| repetitions(clock, setting));
    let time = |method: &MethodAdvice| method.takes_ns.filter(|_| method.fit != Fit::No).unwrap_or(f64::INFINITY);
    tried.min_by(|a, b| time(a).total_cmp(&time(b)))
}

/// One thread: the first that fits. More: what reads around each operation can tell, if they cost less than the accepted error, or a
/// backoff model; no batch, which has no other work in between.
fn choose<'m>(methods: &'m [MethodAdvice], question: &IntervalQuestion) -> Option<&'m MethodAdvice> {
    let mut fitting = methods.iter().filter(|method| method.fit != Fit::No);
    match question.threads {
        0 | 1 => fitting.next(),
        _ => fitting.find(|method| method.method != Method::Batch),
    }
}

fn answer(chosen: Option<&MethodAdvice>, methods: &[MethodAdvice], question: &IntervalQuestion) -> String {
    let clock = |method: &MethodAdvice| quoted(method.clock.as_deref().unwrap_or_default());
    let within = limit(question.error_pct);
    let counted = |method: &MethodAdvice| count(method.count.unwrap_or(1));
    let basis = if chosen.is_some_and(|method| method.fit == Fit::Expected) { ", by calculation" } else { "" };
    match chosen {
        Some(method) => match method.method {
            Method::Direct => {
                let expected = method.error_pct.map(percent).unwrap_or_default();
                format!("yes: 95 of 100 undisturbed pairs of reads of {} are within {expected}{basis}", clock(method))
            }
            Method::Batch => format!(
                "not directly: time {} operations between two reads of {} and divide; within {within}{basis}",
                counted(method),
                clock(method)
            ),
            Method::Repetitions => format!(
                "not directly: average {} single readings of {}, each after a random delay; within {within}{basis}",
                counted(method),
                clock(method)
            ),
            Method::BackoffModel => "not with reads around each operation: measure a backoff model instead".to_owned(),
        },
        None => {
            let why: Vec<&str> = methods.iter().map(|method| method.says.as_str()).take(2).collect();
            format!("not here: {}", why.join("; "))
        }
    }
}

/// The figures of the clocks that the methods name.
fn figures(clocks: &[UsableClock], methods: &[MethodAdvice]) -> Vec<Figure> {
    let is_named = |clock: &&UsableClock| methods.iter().any(|method| method.clock.as_ref() == Some(&clock.name));
    clocks.iter().filter(is_named).flat_map(UsableClock::figures).collect()
}

fn reservations(
    chosen: Option<&MethodAdvice>,
    clocks: &[UsableClock],
    question: &IntervalQuestion,
    record: &Record,
) -> Vec<String> {
    let (cpus, threads) = (cpus(record), u64::from(question.threads));
    let mut said = Vec::new();
    if cpus > 0 && threads > cpus {
        said.push(format!(
            "{} threads share {}: readings include time that a thread waits for a CPU; use at most {} to see the operation \
             alone",
            count(threads),
            if cpus == 1 { "one CPU".to_owned() } else { format!("{} CPUs", count(cpus)) },
            count(cpus)
        ));
    }
    let named = |method: &MethodAdvice| clocks.iter().find(|clock| method.clock.as_ref() == Some(&clock.name));
    let clock = chosen.and_then(named);
    if let Some(clock) = clock.filter(|_| threads > 1) {
        said.push(between_threads(clock, question, record));
        if question.runtime.is_none() {
            said.push(format!(
                "the cost of a read is that on one thread; `chronoscope scaling --threads 1,{threads}` measures it on {threads}"
            ));
        }
    }
    if let Some(clock) = clock.filter(|clock| clock.refuted) {
        said.push(format!("trials of {} confirmed no length within this error", quoted(&clock.name)));
    }
    said.extend(chosen.and_then(|method| interrupted(method, question, record)));
    said.extend(disturbances(record));
    said
}

fn between_threads(clock: &UsableClock, question: &IntervalQuestion, record: &Record) -> String {
    let name = quoted(&clock.name);
    let error = question.error_pct / 100.0;
    let room_ns = question.interval_ns * error - clock.error_within_ns(error);
    match (clock.causal, record.content.judgement.as_ref().and_then(|judgement| judgement.skew.bound_ns())) {
        (Some(true), Some(skew_ns)) if skew_ns > room_ns => format!(
            "start and end an interval on one CPU: a skew between CPUs of up to {}, {} of the interval, is not excluded, and the accepted \
             error leaves {}",
            ns(skew_ns),
            percent(skew_ns / question.interval_ns * 100.0),
            ns(room_ns.max(0.0))
        ),
        (Some(true), Some(skew_ns)) => format!(
            "an interval may end on another thread: {name} is causal here; its skew between CPUs, if any, is under {}",
            ns(skew_ns)
        ),
        (Some(true), None) => format!("an interval may end on another thread: {name} is causal here"),
        (Some(false), _) => format!("start and end an interval on one thread: {name} went backwards between CPUs"),
        (None, _) => format!("start and end an interval on one thread: {name} is not known to be causal"),
    }
}

/// How many batches contain an interruption, where some do.
fn interrupted(method: &MethodAdvice, question: &IntervalQuestion, record: &Record) -> Option<String> {
    const LEAST_SHARE: f64 = 0.001;
    let takes_ns = method.takes_ns.filter(|_| matches!(method.method, Method::Direct | Method::Batch))?;
    let loss = *losses(record.content.reads()).first()?;
    let reads = loss.reads;
    let (lost_pct, in_each) = (100.0 * loss.gaps.share_of_time, loss.gaps.count as f64 / reads.span_ns * takes_ns);
    if in_each >= 1.0 && lost_pct >= question.error_pct {
        return Some(format!(
            "of so long a time {} is lost to interruptions over {}, about {} in each: more than the accepted error",
            percent(lost_pct),
            ns(loss.gaps.above_ns),
            count(in_each.round() as u64)
        ));
    }
    // Shorter ones are within the error.
    let matters = |gaps: &&Gaps| gaps.above_ns >= takes_ns * question.error_pct / 100.0;
    let gaps = reads.shown_gaps().filter(matters).min_by(|a, b| a.above_ns.total_cmp(&b.above_ns))?;
    let hit = 1.0 - (-(gaps.count as f64) / reads.span_ns * takes_ns).exp();
    let what = if method.method == Method::Batch { "batches" } else { "intervals" };
    (hit >= LEAST_SHARE).then(|| {
        format!(
            "{} of {what} that long contain an interruption over {} ({} seen in {} of {})",
            share(hit),
            ns(gaps.above_ns),
            count(gaps.count),
            ns(reads.span_ns),
            reads.clock
        )
    })
}

/// Findings that make every figure here doubtful.
fn disturbances(record: &Record) -> Vec<String> {
    const DOUBTFUL: [&str; 5] = ["emulated", "noisy_machine", "core_shared", "stolen_time", "interrupted"];
    let is_doubtful = |id: &str| DOUBTFUL.contains(&id);
    let found = record.findings.iter().filter(|finding| is_doubtful(&finding.id));
    found.map(|finding| finding.evidence.summary.clone()).collect()
}
