use anstyle::Style;
use chronoscope_record::{ClockReport, ClockVerdict, Part, PathMethod, Question, Record};

use crate::line::Line;
use crate::page::Page;
use crate::palette::{CRITICAL, GOOD, PLAIN, WARNING};
use crate::quantity::{count, ns};
use crate::section::{counted, findings, given, not_tested, quoted};

pub(crate) fn show(page: &mut Page, record: &Record) {
    page.section("VERDICT");
    intervals(page, record);
    for question in &record.verdict.questions {
        answer(page, question);
    }
    monotonic(page, record);
    causal(page, record);
    fast_path(page, record);
    findings::warnings(page, record);
}

#[derive(Clone, Copy)]
enum Mark {
    Good,
    Warning,
    Critical,
}

fn bullet(page: &mut Page, mark: Mark, text: &str) {
    let (style, sign): (Style, &str) = match mark {
        Mark::Good => (GOOD, "✔ "),
        Mark::Warning => (WARNING, "! "),
        Mark::Critical => (CRITICAL, "✘ "),
    };
    page.paragraph(Line::styled(style, sign), PLAIN, text);
}

fn intervals(page: &mut Page, record: &Record) {
    let mut recommended = record.verdict.clocks.iter().filter(|clock| clock.recommended).peekable();
    if recommended.peek().is_none() {
        let text = if record.verdict.clocks.is_empty() {
            format!("which intervals a clock times directly: {}", not_tested(record, &[Part::Intervals, Part::Latency]))
        } else {
            "no clock of this machine is recommended for timing intervals".to_owned()
        };
        bullet(page, Mark::Warning, &text);
    }
    for clock in recommended {
        let times = clock.direct_interval_ns;
        let both = times.within_1pct.is_some() && times.within_10pct.is_some();
        let mark = if clock.validated && both { Mark::Good } else { Mark::Warning };
        bullet(page, mark, &promise(clock));
    }
}

fn promise(clock: &ClockVerdict) -> String {
    let times = clock.direct_interval_ns;
    let basis = if clock.validated {
        "confirmed by trials".to_owned()
    } else {
        format!("claimed, not confirmed by trials: {}", given(clock.reason_unvalidated.as_deref()))
    };
    let name = quoted(&clock.name);
    match (times.within_1pct, times.within_10pct) {
        (Some(one), Some(ten)) => {
            let (one, ten) = (ns(one), ns(ten));
            format!("{name} times one interval directly from {one} within 1 %, from {ten} within 10 % ({basis})")
        }
        (Some(one), None) => format!("{name} times one interval directly from {} within 1 % ({basis})", ns(one)),
        (None, Some(ten)) => format!(
            "{name} times one interval directly from {} within 10 %; none was found within 1 % ({basis})",
            ns(ten)
        ),
        (None, None) => format!("{name}: no interval was found that it times directly within 10 % ({basis})"),
    }
}

fn answer(page: &mut Page, question: &Question) {
    let interval = ns(question.interval_ns);
    let list = |clocks: &[String], limit: &str| match clocks {
        [] => None,
        [clock] => Some(format!("{} times it directly within {limit}", quoted(clock))),
        clocks => {
            let names: Vec<String> = clocks.iter().map(|clock| quoted(clock)).collect();
            Some(format!("{} time it directly within {limit}", names.join(", ")))
        }
    };
    let said: Vec<String> =
        [list(&question.within_1pct, "1 %"), list(&question.within_10pct, "10 %")].into_iter().flatten().collect();
    if said.is_empty() {
        bullet(page, Mark::Critical, &format!("{interval}: no clock times it directly; time a batch of it and divide"));
    } else {
        let mark = if question.within_1pct.is_empty() { Mark::Warning } else { Mark::Good };
        bullet(page, mark, &format!("{interval}: {}", said.join("; ")));
    }
}

fn monotonic(page: &mut Page, record: &Record) {
    match record.verdict.monotonic {
        Some(true) => bullet(page, Mark::Good, "monotonic: no clock that must not step back did so on one thread"),
        Some(false) => {
            bullet(page, Mark::Critical, "not monotonic: a clock that must not step back did so on one thread")
        }
        None => {
            let reason = not_tested(record, &[Part::Reads, Part::Granularity]);
            bullet(page, Mark::Warning, &format!("monotonic: {reason}"));
        }
    }
}

fn causal(page: &mut Page, record: &Record) {
    let skew = match record.verdict.skew_not_excluded_ns {
        Some(skew) => format!("cannot exclude a skew below {}", ns(skew)),
        None => format!("skew {}", untested_across(record, &[Part::Offsets])),
    };
    let messages =
        record.causality.pairs.iter().map(|pair| (&pair.clock, pair.rounds.saturating_mul(2), pair.violations));
    let observed = record.causality.litmus.iter().map(|litmus| (&litmus.name, litmus.observations, litmus.violations));
    let causal = messages.chain(observed).filter(|(name, ..)| must_be_causal(record, name));
    let (seen, violations) = causal.fold((0_u64, 0_u64), |(seen, violations), (_, more, violated)| {
        (seen.saturating_add(more), violations.saturating_add(violated))
    });
    match record.verdict.causal {
        Some(true) => {
            let text = format!(
                "causal across cores: no causal read went backwards in {}; {skew}",
                counted(seen, "observation", "observations")
            );
            bullet(page, Mark::Good, &text);
        }
        Some(false) => {
            let text = format!(
                "not causal across cores: reads that must be causal went backwards {} in {}; {skew}",
                counted(violations, "time", "times"),
                counted(seen, "observation", "observations")
            );
            bullet(page, Mark::Critical, &text);
        }
        None => {
            let text = format!("causal across cores: {}; {skew}", untested_across(record, &[Part::Litmus]));
            bullet(page, Mark::Warning, &text);
        }
    }
}

fn untested_across(record: &Record, parts: &[Part]) -> String {
    match &record.causality.reason_unavailable {
        Some(reason) => format!("not tested: {reason}"),
        None => not_tested(record, parts),
    }
}

fn must_be_causal(record: &Record, name: &str) -> bool {
    record.clocks.iter().any(|clock| clock.must_be_causal() && clock.name == name)
}

fn fast_path(page: &mut Page, record: &Record) {
    const CLOCK: &str = "CLOCK_MONOTONIC";
    let clock = record.clocks.iter().find(|clock| clock.name == CLOCK);
    let known = clock.and_then(how_known).unwrap_or("the record does not say how that is known");
    match record.verdict.os_clock_on_fast_path {
        Some(true) => {
            bullet(page, Mark::Good, &format!("{CLOCK} is on its fast path: the vDSO, no system call ({known})"));
        }
        Some(false) => {
            bullet(
                page,
                Mark::Warning,
                &format!("{CLOCK} is off its fast path: every read is a system call ({known})"),
            );
        }
        None => {
            let reason = match clock.and_then(|clock| clock.reason_unavailable.as_deref()) {
                Some(reason) => format!("not tested: {reason}"),
                None => not_tested(record, &[Part::Paths]),
            };
            bullet(page, Mark::Warning, &format!("fast path of {CLOCK}: {reason}"));
        }
    }
}

fn how_known(clock: &ClockReport) -> Option<&'static str> {
    clock.path_evidence.as_ref().map(|evidence| match evidence.method {
        PathMethod::ByConstruction => "by construction",
        PathMethod::Proved => "proved",
        PathMethod::Counted => "counted",
        PathMethod::Inferred => "inferred from timing; may be wrong",
    })
}

/// Claim and measured error of every clock, for the detailed view.
pub(crate) fn trials(page: &mut Page, record: &Record) {
    use crate::palette::DIM;
    use crate::quantity::{limit, percent, share};
    use crate::table::{Align, Table, style_if};

    page.section("SHORTEST INTERVALS");
    if record.verdict.clocks.is_empty() {
        page.paragraph(Line::plain("  "), DIM, &not_tested(record, &[Part::Intervals, Part::Latency]));
        return;
    }
    let from = |value: Option<f64>| value.map_or_else(|| "none found".to_owned(), ns);
    let mut claims = Table::new(&[
        ("clock", Align::Left),
        ("recommended", Align::Left),
        ("claimed 1 %", Align::Right),
        ("claimed 10 %", Align::Right),
        ("result 1 %", Align::Right),
        ("result 10 %", Align::Right),
        ("basis", Align::Left),
    ]);
    for clock in &record.verdict.clocks {
        claims.row(
            style_if(!clock.recommended, DIM),
            [
                clock.name.clone(),
                if clock.recommended { "yes" } else { "no" }.to_owned(),
                from(clock.claimed_interval_ns.within_1pct),
                from(clock.claimed_interval_ns.within_10pct),
                from(clock.direct_interval_ns.within_1pct),
                from(clock.direct_interval_ns.within_10pct),
                if clock.validated { "trials" } else { "claim alone" }.to_owned(),
            ],
        );
    }
    page.lines(claims.lines());
    for clock in &record.verdict.clocks {
        if !clock.why.is_empty() {
            page.paragraph(Line::plain(&format!("  {:<24} ", clock.name)), PLAIN, &clock.why);
        }
        if !clock.validated {
            let reason = format!("not confirmed: {}", given(clock.reason_unvalidated.as_deref()));
            page.paragraph(Line::plain(&format!("  {:<24} ", clock.name)), DIM, &reason);
        }
    }
    if record.verdict.clocks.iter().all(|clock| clock.trials.is_empty()) {
        return;
    }
    page.heading("Trials: known work timed once per reading, beside its duration in batches");
    let mut trials = Table::new(&[
        ("clock", Align::Left),
        ("claim", Align::Right),
        ("true duration", Align::Right),
        ("quiet readings", Align::Right),
        ("median error", Align::Right),
        ("95 % err below", Align::Right),
        ("within", Align::Right),
        ("holds", Align::Left),
    ]);
    for clock in &record.verdict.clocks {
        for trial in &clock.trials {
            trials.row(
                style_if(!trial.holds, WARNING),
                [
                    clock.name.clone(),
                    limit(trial.tolerance_pct),
                    ns(trial.truth_ns),
                    format!("{} of {}", count(trial.readings), count(trial.readings_made)),
                    percent(trial.error_pct_p50),
                    percent(trial.error_pct_abs_p95),
                    share(trial.share_within),
                    if trial.holds { "yes" } else { "no" }.to_owned(),
                ],
            );
        }
    }
    page.lines(trials.lines());
}
