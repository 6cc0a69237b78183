use chronoscope_clock::SourceId;
use chronoscope_clock::os::OsClock;

use crate::answers::report::{ClockVerdict, Question, ShortestInterval, Tolerance};
use crate::clock_id::ClockId;
use crate::document::Record;
use crate::part::Part;
use crate::sections::causality::report::Litmus;
use crate::sections::clocks::report::{ClockReport, PathMethod};
use anstyle::Style;

use crate::view::reason::not_tested;
use chronoscope_harness::quantity::{count, ns};
use chronoscope_render::findings;
use chronoscope_render::line::Line;
use chronoscope_render::page::Page;
use chronoscope_render::palette::{CRITICAL, DIM, GOOD, PLAIN, WARNING};
use chronoscope_render::words::{counted, given, quoted};

pub fn show(page: &mut Page, record: &Record) {
    page.section("VERDICT");
    intervals(page, record);
    answers(page, record);
    monotonic(page, record);
    causal(page, record);
    fast_path(page, record);
    findings::warnings(page, &record.findings);
}

/// A check that was made and passed is good; one that was not made is neither good nor a warning.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Mark {
    Good,
    Unknown,
    Warning,
    Critical,
}

fn bullet(page: &mut Page, mark: Mark, text: &str) {
    let (style, sign): (Style, &str) = match mark {
        Mark::Good => (GOOD, "✔ "),
        Mark::Unknown => (DIM, "? "),
        Mark::Warning => (WARNING, "! "),
        Mark::Critical => (CRITICAL, "✘ "),
    };
    page.paragraph(Line::styled(style, sign), PLAIN, text);
}

fn intervals(page: &mut Page, record: &Record) {
    let mut recommended = record.verdict.clocks.iter().filter(|clock| clock.recommended).peekable();
    if recommended.peek().is_none() {
        if record.verdict.clocks.is_empty() {
            let reason =
                not_tested(record, &[crate::sections::clocks::plan::INTERVALS, crate::sections::clocks::plan::LATENCY]);
            bullet(page, Mark::Unknown, &format!("which intervals a clock times directly: {reason}"));
        } else {
            bullet(page, Mark::Warning, "no clock of this machine is recommended for timing intervals");
        }
    }
    for clock in recommended {
        let (mark, text) = promise(clock);
        bullet(page, mark, &text);
    }
}

/// What a clock times directly, and whether trials say so.
fn promise(clock: &ClockVerdict) -> (Mark, String) {
    use ShortestInterval as S;

    let name = quoted(clock.name.name());
    let [one, ten] = Tolerance::ALL.map(|tolerance| clock.shortest(tolerance));
    let why = || given(clock.reason_unvalidated.as_deref());
    match (one, ten) {
        (S::Confirmed(one), S::Confirmed(ten)) => {
            let (one, ten) = (ns(one), ns(ten));
            let text = format!(
                "{name} can time a single interval ≥ {one} to 1 %, ≥ {ten} to 10 % ({CONFIRMED}{})",
                exceptions(clock)
            );
            (Mark::Good, text)
        }
        (S::Claimed(one), S::Claimed(ten)) => {
            let (one, ten) = (ns(one), ns(ten));
            let text = format!(
                "{name} should time a single interval ≥ {one} to 1 %, ≥ {ten} to 10 %, by its latency and step; not \
                 confirmed by trials: {}",
                why()
            );
            (Mark::Warning, text)
        }
        (S::Unknown, S::Unknown) => {
            (Mark::Unknown, format!("{name}: which intervals it times directly is not known: {}", why()))
        }
        (one, ten) => {
            let parts = [within(ten, "10 %"), within(one, "1 %")];
            (Mark::Warning, format!("{name}: {}", parts.join("; ")))
        }
    }
}

/// What trials that confirm a length say. Readings during which the work itself was disturbed are set aside.
const CONFIRMED: &str = "95 of 100 quiet trials";

/// Intervals longer than a confirmed one that did not hold by themselves, though all longer ones together did.
fn exceptions(clock: &ClockVerdict) -> String {
    let failed = clock.trials.iter().filter(|trial| !trial.holds);
    let said = Tolerance::ALL.into_iter().flat_map(|tolerance| {
        let from_ns = match clock.shortest(tolerance) {
            ShortestInterval::Confirmed(from_ns) => from_ns,
            _ => f64::INFINITY,
        };
        let percent = tolerance.percent();
        let longer = failed.clone().filter(move |trial| trial.tolerance_pct == percent && trial.truth_ns > from_ns);
        longer.map(move |trial| format!("; to {percent} % {:.1} at {}", trial.share_within * 100.0, ns(trial.truth_ns)))
    });
    said.collect()
}

/// From where a clock times an interval so well, with what that rests on.
fn within(shortest: ShortestInterval, limit: &str) -> String {
    match shortest {
        ShortestInterval::Confirmed(from) => {
            format!("can time a single interval ≥ {} to {limit} ({CONFIRMED})", ns(from))
        }
        ShortestInterval::Claimed(from) => {
            format!("{limit} was not tried; its latency and step claim ≥ {}", ns(from))
        }
        ShortestInterval::NotConfirmed { tried_to_ns, error_ns, expected_from_ns } => format!(
            "up to {} no interval held to {limit} in trials together with all longer ones; expect ≥ {} if its error stays at {}",
            ns(tried_to_ns),
            ns(expected_from_ns),
            ns(error_ns)
        ),
        ShortestInterval::Unknown => format!("what it times to {limit} is not known"),
    }
}

/// The intervals that the user asked about, each with its answer.
pub fn answers(page: &mut Page, record: &Record) {
    for question in &record.verdict.questions {
        let (mark, text) = answer(question, record);
        bullet(page, mark, &text);
    }
}

/// The same as a section of its own, where there are any.
pub fn asked(page: &mut Page, record: &Record) {
    if !record.verdict.questions.is_empty() {
        page.section("INTERVALS ASKED ABOUT");
        answers(page, record);
    }
}

fn answer(question: &Question, record: &Record) -> (Mark, String) {
    let interval = ns(question.interval_ns);
    if record.verdict.clocks.is_empty() {
        return (
            Mark::Unknown,
            format!(
                "{interval}: {}",
                not_tested(record, &[crate::sections::clocks::plan::INTERVALS, crate::sections::clocks::plan::LATENCY])
            ),
        );
    }
    let recommended = || record.verdict.clocks.iter().filter(|clock| clock.recommended);
    if recommended().next().is_none() {
        return (Mark::Warning, format!("{interval}: no clock of this machine is recommended for timing intervals"));
    }
    // Sure are those whose trials confirm it; of claims alone one says so.
    let is_sure = |name: &ClockId, tolerance: Tolerance| {
        let mut verdicts = record.verdict.clocks.iter().filter(|clock| clock.name == *name);
        verdicts.any(|clock| matches!(clock.shortest(tolerance), ShortestInterval::Confirmed(_)))
    };
    let mut mark = Mark::Good;
    let mut said = Vec::new();
    for (clocks, tolerance) in
        [(&question.within_1pct, Tolerance::OnePercent), (&question.within_10pct, Tolerance::TenPercent)]
    {
        let limit = format!("{} %", tolerance.percent());
        let (sure, claimed): (Vec<&ClockId>, Vec<&ClockId>) = clocks.iter().partition(|name| is_sure(name, tolerance));
        if tolerance == Tolerance::OnePercent && sure.is_empty() {
            mark = Mark::Warning;
        }
        let list = |names: &[&ClockId]| names.iter().map(|name| quoted(name.name())).collect::<Vec<_>>().join(", ");
        let verb = |names: &[&ClockId], one: &str, many: &str| if names.len() == 1 { one } else { many }.to_owned();
        if !sure.is_empty() {
            said.push(format!("{} {} it directly within {limit}", list(&sure), verb(&sure, "times", "time")));
        }
        if !claimed.is_empty() {
            said.push(format!("{} should time it within {limit}, not confirmed by trials", list(&claimed)));
        }
    }
    if !said.is_empty() {
        return (mark, format!("{interval}: {}", said.join("; ")));
    }
    let expected = recommended().filter_map(|clock| {
        Some((clock.shortest(Tolerance::TenPercent).expected_from_ns()?, clock)).filter(|(from, _)| from.is_finite())
    });
    match expected.min_by(|a, b| a.0.total_cmp(&b.0)) {
        Some((from, clock)) if question.interval_ns >= from => {
            let name = quoted(clock.name.name());
            (Mark::Warning, format!("{interval}: {name} is expected to time it within 10 %; no trial was that long"))
        }
        Some((from, clock)) => (
            Mark::Critical,
            format!(
                "{interval}: too short for two reads of any clock here; within 10 % the shortest is {} with {}: time a \
                 batch of it and divide",
                ns(from),
                quoted(clock.name.name())
            ),
        ),
        None => (Mark::Unknown, format!("{interval}: which intervals the clocks here time directly is not known")),
    }
}

fn monotonic(page: &mut Page, record: &Record) {
    let watched = record.watched_on_one_thread();
    let missing: Vec<&ClockReport> = watched.iter().filter(|(_, was)| !was).map(|(clock, _)| *clock).collect();
    match record.verdict.monotonic {
        Some(false) => {
            bullet(page, Mark::Critical, "not monotonic: a clock that must not step back did so on one thread");
        }
        Some(true) if missing.is_empty() => {
            bullet(page, Mark::Good, "monotonic: no clock that must not step back did so on one thread");
        }
        _ if missing.is_empty() || missing.len() == watched.len() => {
            let reason =
                not_tested(record, &[crate::sections::reads::plan::READS, crate::sections::clocks::plan::GRANULARITY]);
            bullet(page, Mark::Unknown, &format!("monotonic: {reason}"));
        }
        _ => {
            let text = format!(
                "monotonic: not tested for {}; no other clock that must not step back did so on one thread",
                names(&missing)
            );
            bullet(page, Mark::Unknown, &text);
        }
    }
}

fn names(clocks: &[&ClockReport]) -> String {
    clocks.iter().map(|clock| quoted(clock.name.name())).collect::<Vec<_>>().join(", ")
}

fn causal(page: &mut Page, record: &Record) {
    let (mark, text) = causality(record);
    bullet(page, mark, &format!("{text}; {}", skew(record)));
}

/// Whether causal reads were causal, of which clocks, and between which CPUs.
fn causality(record: &Record) -> (Mark, String) {
    let was_observed = |clock: &ClockReport| {
        let rows: Vec<&Litmus> = record.causality.litmus.iter().filter(|row| row.name == clock.name).collect();
        let is_telling = !rows.is_empty() && rows.iter().all(|row| row.is_telling());
        clock.causal == Some(false) || clock.causal == Some(true) && is_telling
    };
    let tested: Vec<&ClockReport> =
        record.clocks.iter().filter(|clock| clock.must_be_causal() && was_observed(clock)).collect();
    let is_tested = |id: &ClockId| tested.iter().any(|clock| clock.name == *id);
    let rows = || record.causality.litmus.iter().filter(|row| is_tested(&row.name));
    let seen =
        || counted(rows().map(|row| row.observations).fold(0, u64::saturating_add), "observation", "observations");
    // A value that was seen before adds nothing to the knowledge that none went backwards.
    let fresh = || counted(rows().map(|row| row.fresh).fold(0, u64::saturating_add), "new value", "new values");
    let unknown: Vec<&ClockReport> =
        record.relied_on_across_cpus().into_iter().filter(|clock| !was_observed(clock)).collect();
    match record.verdict.causal {
        Some(false) => {
            let in_rows = rows().map(|row| row.violations);
            let pairs = record.causality.pairs.iter().filter(|pair| is_tested(&pair.clock));
            let violations = in_rows.chain(pairs.clone().map(|pair| pair.violations)).fold(0, u64::saturating_add);
            let messages = pairs.map(|pair| pair.rounds.saturating_mul(2)).fold(0, u64::saturating_add);
            let text = format!(
                "not causal across cores: reads that must be causal went backwards {} in {} and {}",
                counted(violations, "time", "times"),
                seen(),
                counted(messages, "message", "messages")
            );
            (Mark::Critical, text)
        }
        Some(true) if unknown.is_empty() && !tested.is_empty() => {
            let mut cpus: Vec<(u32, u32)> = rows().map(|row| (row.writer, row.reader)).collect();
            cpus.sort_unstable();
            cpus.dedup();
            let whence = match cpus.as_slice() {
                [(writer, reader)] => format!("(CPU {writer} → {reader})"),
                cpus => format!("({} pairs of CPUs)", count(cpus.len() as u64)),
            };
            let clocks = counted(tested.len() as u64, "clock", "clocks");
            let text = format!("causal across cores: none of {clocks} went backwards in {} seen {whence}", fresh());
            (Mark::Good, text)
        }
        _ if unknown.is_empty() || record.causality.litmus.is_empty() => (
            Mark::Unknown,
            format!("causal across cores: {}", untested_across(record, &[crate::sections::causality::plan::LITMUS])),
        ),
        _ => {
            let reasons: Vec<String> = unknown
                .iter()
                .map(|clock| {
                    format!("{} ({})", quoted(clock.name.name()), given(clock.reason_causal_unknown.as_deref()))
                })
                .collect();
            let mut text = format!("causal across cores: not known of {}", reasons.join(", "));
            if !tested.is_empty() {
                let others = counted(tested.len() as u64, "other clock", "other clocks");
                text += &format!("; none of {others} went backwards in {} seen", fresh());
            }
            (Mark::Unknown, text)
        }
    }
}

/// What the offsets say, and of how many pairs of CPUs.
fn skew(record: &Record) -> String {
    let Some(skew) = record.verdict.skew_not_excluded_ns else {
        return format!("skew {}", untested_across(record, &[crate::sections::causality::plan::OFFSETS]));
    };
    let mut pairs: Vec<(u32, u32)> =
        record.causality.pairs.iter().map(|pair| (pair.a.min(pair.b), pair.a.max(pair.b))).collect();
    pairs.sort_unstable();
    pairs.dedup();
    let (tested, possible) = (pairs.len() as u64, record.causality.pairs_possible);
    let of = match tested < possible {
        true => format!(" on {} of {} pairs of CPUs", count(tested), count(possible)),
        false => String::new(),
    };
    if record.causality.pairs.iter().any(|pair| pair.shows_skew()) {
        return format!("CPUs are up to {} apart{of}", ns(skew));
    }
    format!("skew, if any, is under {}{of}", ns(skew))
}

fn untested_across(record: &Record, parts: &[Part]) -> String {
    match &record.causality.reason_unavailable {
        Some(reason) => format!("not tested: {reason}"),
        None => not_tested(record, parts),
    }
}

fn fast_path(page: &mut Page, record: &Record) {
    const CLOCK: SourceId = SourceId::Os(OsClock::Monotonic);
    let clock = record.clocks.iter().find(|clock| clock.name == CLOCK);
    let known = clock.and_then(how_known).unwrap_or("the record does not say how that is known");
    match record.verdict.os_clock_on_fast_path {
        Some(true) if clock.is_some_and(is_guess) => {
            bullet(page, Mark::Unknown, &format!("{CLOCK} is probably on its fast path, the vDSO ({known})"));
        }
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
            let unavailable = clock.and_then(|clock| clock.reason_unavailable.as_deref());
            let unclear = clock.and_then(|clock| clock.reason_path_unknown.as_deref());
            let reason = match (unavailable, unclear) {
                (Some(reason), _) => format!("not tested: {reason}"),
                (None, Some(reason)) => format!("unknown: {reason}"),
                (None, None) => not_tested(record, &[crate::sections::clocks::plan::PATHS]),
            };
            bullet(page, Mark::Unknown, &format!("fast path of {CLOCK}: {reason}"));
        }
    }
}

fn is_guess(clock: &ClockReport) -> bool {
    clock.path_evidence.as_ref().is_none_or(|evidence| evidence.method == PathMethod::Inferred)
}

fn how_known(clock: &ClockReport) -> Option<&'static str> {
    clock.path_evidence.as_ref().map(|evidence| match evidence.method {
        PathMethod::ByConstruction => "by construction",
        PathMethod::Proved => "proved",
        PathMethod::Counted => "counted",
        PathMethod::Inferred => "inferred from timing; may be wrong",
    })
}

/// What trials made of a claim: confirmed, to be expected after trials that failed, or not tried.
fn result(clock: &ClockVerdict, tolerance: Tolerance) -> String {
    match clock.shortest(tolerance) {
        ShortestInterval::Confirmed(from) => ns(from),
        ShortestInterval::NotConfirmed { tried_to_ns, .. } => {
            let mut trials = clock.trials.iter().filter(|trial| trial.tolerance_pct == tolerance.percent());
            let word = if trials.any(|trial| trial.holds) { "unsteady" } else { "none" };
            format!("{word} to {}", ns(tried_to_ns))
        }
        ShortestInterval::Claimed(_) | ShortestInterval::Unknown => "–".to_owned(),
    }
}

fn basis(clock: &ClockVerdict) -> &'static str {
    let was_tried = |tolerance: Tolerance| clock.trials.iter().any(|trial| trial.tolerance_pct == tolerance.percent());
    match Tolerance::ALL.map(was_tried) {
        [true, true] => "trials",
        [false, false] => "claim alone",
        [true, false] => "trials for 1 %",
        [false, true] => "trials for 10 %",
    }
}

/// Claim and measured error of every clock, for the detailed view.
pub fn trials(page: &mut Page, record: &Record) {
    use chronoscope_harness::quantity::{limit, percent, share};
    use chronoscope_render::table::{Align, Table, style_if};

    page.section("SHORTEST INTERVALS");
    if record.verdict.clocks.is_empty() {
        page.paragraph(
            Line::plain("  "),
            DIM,
            &not_tested(record, &[crate::sections::clocks::plan::INTERVALS, crate::sections::clocks::plan::LATENCY]),
        );
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
                clock.name.to_string(),
                if clock.recommended { "yes" } else { "no" }.to_owned(),
                from(clock.claimed_interval_ns.within_1pct),
                from(clock.claimed_interval_ns.within_10pct),
                result(clock, Tolerance::OnePercent),
                result(clock, Tolerance::TenPercent),
                basis(clock).to_owned(),
            ],
        );
    }
    page.table(claims);
    for clock in &record.verdict.clocks {
        let failed = exceptions(clock);
        if !failed.is_empty() {
            let text = format!("all longer intervals together hold, of each 95 of 100 readings but{}", &failed[1..]);
            page.paragraph(Line::plain(&format!("  {:<24} ", clock.name)), PLAIN, &text);
        }
        if !clock.why.is_empty() {
            page.paragraph(Line::plain(&format!("  {:<24} ", clock.name)), PLAIN, &clock.why);
        }
        let is_open = |tolerance| !matches!(clock.shortest(tolerance), ShortestInterval::Confirmed(_));
        if Tolerance::ALL.into_iter().any(is_open) {
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
    ])
    .named_by(2);
    for clock in &record.verdict.clocks {
        for trial in &clock.trials {
            trials.row(
                style_if(!trial.holds, WARNING),
                [
                    clock.name.to_string(),
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
    page.table(trials);
}
