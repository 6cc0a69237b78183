//! A file of rules, with the names of the command line's options.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::Deserialize;
use serde::de::IntoDeserializer;
use toml::Spanned;
use toml::de::{DeTable, DeValue, Error};

use super::forbidden::strict;
use super::options::OPTIONS;
use super::rule::Rule;
use crate::figures::limit::Takes;

/// What is wrong, and where.
type Wrong = (Option<Range<usize>>, String);

/// The rules in a TOML file's text.
///
/// # Errors
/// `line 3: ` what is wrong there, and what is accepted.
pub fn rules(text: &str) -> Result<Vec<Rule>, String> {
    read(text).map_err(|(span, why)| match span {
        Some(span) => format!("line {}: {why}", line(text, span.start)),
        None => why,
    })
}

fn read(text: &str) -> Result<Vec<Rule>, Wrong> {
    const STRICT: &str = "strict";
    let mut file = DeTable::parse(text).map_err(of_toml)?.into_inner();
    let mut rules = Vec::new();
    for option in OPTIONS.iter() {
        let Some(value) = file.remove(option.name) else { continue };
        for (clock, text) in texts(option.takes, value).map_err(of_toml)? {
            let rule = (option.rule)(&format!("{clock}{}", text.get_ref()));
            rules.push(rule.map_err(|why| (Some(text.span()), why))?);
        }
    }
    if let Some(value) = file.remove(STRICT) {
        rules.extend(bool::deserialize(value.into_deserializer()).map_err(of_toml)?.then(strict));
    }
    let Some(key) = file.keys().next() else { return Ok(rules) };
    let known: Vec<_> =
        OPTIONS.iter().map(|option| option.name).chain([STRICT]).map(|name| format!("`{name}`")).collect();
    Err((Some(key.span()), format!("unknown field `{}`, expected one of {}", key.get_ref(), known.join(", "))))
}

/// The values of an option, each behind the clock that it is of and `=`.
fn texts(takes: Takes, value: Spanned<DeValue<'_>>) -> Result<Vec<(String, Spanned<String>)>, Error> {
    let (value, bare) = (value.into_deserializer(), |text| (String::new(), text));
    Ok(match takes {
        Takes::TimeOfClock => {
            let table = BTreeMap::<String, Spanned<String>>::deserialize(value)?;
            table.into_iter().map(|(clock, text)| (clock + "=", text)).collect()
        }
        Takes::Time | Takes::Share => vec![bare(Spanned::deserialize(value)?)],
        Takes::List => Vec::deserialize(value)?.into_iter().map(bare).collect(),
    })
}

fn of_toml(error: Error) -> Wrong {
    (error.span(), error.message().lines().map(str::trim).collect::<Vec<_>>().join(", "))
}

/// The number of the line that holds this byte.
fn line(text: &str, byte: usize) -> usize {
    text.bytes().take(byte).filter(|byte| *byte == b'\n').count() + 1
}
