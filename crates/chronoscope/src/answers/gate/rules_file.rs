use std::collections::BTreeMap;
use std::ops::Range;
use std::str::FromStr;

use serde::Deserialize;
use toml::Spanned;

use super::rule::{ClockLimit, Rule};

/// A file of rules, with the names of the command line's options.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct RulesFile {
    max_latency: BTreeMap<String, Spanned<String>>,
    max_granularity: BTreeMap<String, Spanned<String>>,
    max_skew: Option<Spanned<String>>,
    max_ntp_error: Option<Spanned<String>>,
    max_lost: Option<Spanned<String>>,
    require: Vec<Spanned<String>>,
    forbid: Vec<Spanned<String>>,
    strict: bool,
}

/// The rules in a TOML file's text.
///
/// # Errors
/// `line 3: ` what is wrong there, and what is accepted.
pub fn rules(text: &str) -> Result<Vec<Rule>, String> {
    let at = |span: Option<Range<usize>>, why: &str| match span {
        Some(span) => format!("line {}: {why}", line(text, span.start)),
        None => why.to_owned(),
    };
    let file: RulesFile = toml::from_str(text).map_err(|error| at(error.span(), &one_line(error.message())))?;
    let of_value = |value: &Spanned<String>, why: String| at(Some(value.span()), &why);
    let mut rules = limits(&file.max_latency, Rule::MaxLatency, of_value)?;
    rules.extend(limits(&file.max_granularity, Rule::MaxGranularity, of_value)?);
    rules.extend(parsed(&file.max_skew, Rule::MaxSkew, of_value)?);
    rules.extend(parsed(&file.max_ntp_error, Rule::MaxNtpError, of_value)?);
    rules.extend(parsed(&file.max_lost, Rule::MaxLost, of_value)?);
    rules.extend(parsed(&file.require, Rule::Require, of_value)?);
    rules.extend(parsed(&file.forbid, Rule::Forbid, of_value)?);
    rules.extend(file.strict.then_some(Rule::Strict));
    Ok(rules)
}

/// The rules from a table of limits by clock.
fn limits(
    table: &BTreeMap<String, Spanned<String>>,
    rule: fn(ClockLimit) -> Rule,
    told: impl Fn(&Spanned<String>, String) -> String,
) -> Result<Vec<Rule>, String> {
    let parsed = |(clock, limit): (&String, &Spanned<String>)| {
        ClockLimit::new(clock, limit.as_ref()).map(rule).map_err(|why| told(limit, why))
    };
    table.iter().map(parsed).collect()
}

/// The rules from texts of one kind.
fn parsed<'a, T: FromStr<Err = String>>(
    texts: impl IntoIterator<Item = &'a Spanned<String>>,
    rule: fn(T) -> Rule,
    told: impl Fn(&Spanned<String>, String) -> String,
) -> Result<Vec<Rule>, String> {
    texts.into_iter().map(|text| text.as_ref().parse().map(rule).map_err(|why| told(text, why))).collect()
}

/// The number of the line that holds this byte.
fn line(text: &str, byte: usize) -> usize {
    text.bytes().take(byte).filter(|byte| *byte == b'\n').count() + 1
}

fn one_line(message: &str) -> String {
    message.lines().map(str::trim).collect::<Vec<_>>().join(", ")
}
