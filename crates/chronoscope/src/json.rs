//! Documents as JSON: written in the current shape, read in that and in the shapes of version 1.

use std::borrow::Cow;
use std::cmp::Reverse;

use chronoscope_examples::Experiment;
use chronoscope_harness::finding::Finding;
use chronoscope_harness::record::{
    ReportError, SCHEMA_KEY, SCHEMA_VERSION, STUDY_SCHEMA_KEY, object, study_of_version_1, typed, typed_value,
    version_of, without_non_finite, written,
};
use chronoscope_harness::rule::{Rule, conclude};

use crate::answers::conclude::draw_conclusions;
use crate::answers::first_screen::conclude::draw_first_screen;
use crate::clock_id::ClockId;
use crate::document::Record;
use crate::engine::rules::{NUMBER_NOT_FINITE, number_not_finite};
use crate::experiment::against;
use crate::sections::scaling::rules::SLOWED_MOST;
use crate::sections::{contention, pace, pauses, scaling, selftest, thread_release};
use crate::upgrade;
use crate::view::View;

/// Fields that mark the shape of a version 1 document, in addition to [`SCHEMA_KEY`].
const PACE_SCHEMA_KEY: &str = "pace_schema_version";
const SELFTEST_SCHEMA_KEY: &str = "selftest_schema_version";

/// Writes a document as indented JSON with a final newline.
///
/// # Guarantees
/// [`document`] returns an equal one.
///
/// # Errors
/// [`ReportError::is_not_writable`] where a number is not finite.
pub fn json(record: &Record) -> Result<String, ReportError> {
    written(record)
}

/// `record` as it can be written: without its numbers that are not finite, and with the finding that names them.
///
/// # Errors
/// [`ReportError::is_not_writable`], which names the field, where such a number cannot be left out.
pub fn writable(record: &Record) -> Result<Cow<'_, Record>, ReportError> {
    let Some((mut spared, left_out)) = without_non_finite(record)? else { return Ok(Cow::Borrowed(record)) };
    if !spared.findings.iter().any(|finding| finding.is(NUMBER_NOT_FINITE)) {
        spared.findings.push(number_not_finite(&left_out));
        spared.findings.sort_by_key(|finding| Reverse(finding.severity));
    }
    Ok(Cow::Owned(spared))
}

/// Reads a document of any kind.
///
/// # Errors
/// [`ReportError::is_syntax`], [`is_not_a_record`](ReportError::is_not_a_record),
/// [`is_schema_version`](ReportError::is_schema_version) or [`is_field`](ReportError::is_field); the message names the
/// field, if any, the line and the column.
pub fn document(text: &str) -> Result<Record, ReportError> {
    let mut value = object(text)?;
    if value.get(STUDY_SCHEMA_KEY).is_some() {
        return typed_value(study_of_version_1(value)?).map(concluded);
    }
    if value.get(PACE_SCHEMA_KEY).is_some() {
        version_of(&value, PACE_SCHEMA_KEY, 1)?;
        return typed_value(upgrade::pace(value)).map(concluded);
    }
    if value.get(SELFTEST_SCHEMA_KEY).is_some() {
        version_of(&value, SELFTEST_SCHEMA_KEY, 1)?;
        return typed_value(upgrade::selftest(value)).map(concluded);
    }
    match version_of(&value, SCHEMA_KEY, SCHEMA_VERSION)? {
        1 => typed_value(upgrade::check(value)).map(|mut record: Record| {
            record.command = View::of(&record).name().to_owned();
            concluded(record)
        }),
        _ if upgrade::gathered(&mut value) => typed_value(value).map(concluded),
        _ => typed(text).map(with_verdict),
    }
}

/// Adds conclusions that documents of earlier versions left to the renderer.
fn concluded(mut record: Record) -> Record {
    if let Some(study) = record.as_study() {
        match record.command.strip_prefix("experiment ") {
            Some(name) if record.experiment.is_none() => {
                record.experiment = Experiment::from_name(name).map(|which| which.conclude(&study));
            }
            None if record.command == "scaling" && record.scaling.is_none() => {
                record.scaling = Some(scaling::conclude(&study));
            }
            _ => {}
        }
    }
    let mut findings = std::mem::take(&mut record.findings);
    for rules in [thread_release::rules::RULES, contention::rules::RULES, pauses::rules::ADVICE] {
        complete(&mut findings, rules, Some(&record));
    }
    complete(&mut findings, pace::rules::RULES, record.pace.as_ref());
    complete(&mut findings, scaling::rules::RULES, record.scaling.as_ref());
    complete(&mut findings, selftest::rules::RULES, record.selftest.as_ref().map(|selftest| &selftest.verdict));
    if record.scaling.is_some() || record.experiment.is_some() {
        against::worst_first(&mut findings);
    }
    record.findings = findings;
    with_verdict(record)
}

/// Adds the conclusions of a check or section, which the first builds of version 2 drew while rendering, and the first
/// screen of a check, which they did not have.
fn with_verdict(mut record: Record) -> Record {
    if record.is_check() && record.verdict.conclusions.is_none() {
        draw_conclusions(&mut record);
    } else if record.is_check() && record.verdict.trust.is_none() {
        record.verdict.trust = Some(record.trust());
    }
    if record.first_screen.is_none() {
        draw_first_screen(&mut record);
    }
    record
}

/// Whether both speak of one clock, by its name of today or a former one, of one other thing, or of the whole.
fn is_of_same_subject(told: &Finding, found: &Finding) -> bool {
    let subject = |finding: &Finding| finding.subject.as_deref().map(ClockId::from);
    subject(told) == subject(found)
}

/// Adds what `rules` find, save where `findings` has one of the same rule and subject already: what was concluded then is
/// not contradicted.
fn complete<R>(findings: &mut Vec<Finding>, rules: &[Rule<R>], part: Option<&R>) {
    let Some(part) = part else { return };
    let is_told = |rule: &Rule<R>, found: &Finding| {
        let mut told = findings.iter().filter(|told| rule.yields.iter().any(|kind| told.is(*kind)));
        // There is one worst.
        told.any(|told| found.is(SLOWED_MOST) || is_of_same_subject(told, found))
    };
    let of_rule = |rule| conclude([rule], part).into_iter().filter(|found| !is_told(rule, found)).collect::<Vec<_>>();
    let more: Vec<Finding> = rules.iter().flat_map(of_rule).collect();
    if !more.is_empty() {
        findings.extend(more);
        findings.sort_by_key(|finding| Reverse(finding.severity));
    }
}
