//! A judgement as JUnit XML: one test case per rule.

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};

use super::report::{Gate, Judged, RuleOutcome};
use crate::document::Record;
use chronoscope_harness::record;

const NAME: &str = "chronoscope gate";

/// The judgement in the form that CI systems read. A rule that failed is a failure; one that could not be judged is an
/// error. Both fail the build.
///
/// # Errors
/// None in practice: writing to memory does not fail.
pub fn junit(record: &Record, gate: &Gate) -> std::io::Result<String> {
    let mut writer = Writer::new_with_indent(Vec::new(), b' ', 2);
    writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let tests = gate.rules.len().to_string();
    let failures = gate.count(RuleOutcome::Failed).to_string();
    let errors = (gate.count(RuleOutcome::Unresolved) + gate.count(RuleOutcome::Unknown)).to_string();
    let seconds = format!("{:.3}", record.elapsed_ms as f64 / 1e3);
    let hostname = clean(record.machine.hostname.as_deref().unwrap_or("unknown"));
    let started_at = clean(&record.started_at);
    let totals = [
        ("name", NAME),
        ("tests", tests.as_str()),
        ("failures", failures.as_str()),
        ("errors", errors.as_str()),
        ("time", seconds.as_str()),
    ];
    let suite = totals.into_iter().chain([
        ("skipped", "0"),
        ("timestamp", started_at.trim_end_matches('Z')),
        ("hostname", &hostname),
    ]);
    writer.create_element("testsuites").with_attributes(totals).write_inner_content(|writer| {
        writer
            .create_element("testsuite")
            .with_attributes(suite)
            .write_inner_content(|writer| gate.rules.iter().try_for_each(|rule| test_case(writer, rule)))?;
        Ok(())
    })?;
    let mut text = String::from_utf8_lossy(&writer.into_inner()).into_owned();
    text.push('\n');
    Ok(text)
}

/// `text` without control characters and the others that XML has no place for.
fn clean(text: &str) -> String {
    record::clean(text).replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}")
}

fn test_case(writer: &mut Writer<Vec<u8>>, rule: &Judged) -> std::io::Result<()> {
    let (name, seen) = (clean(&rule.rule), clean(&rule.seen));
    let case = [("classname", "chronoscope.gate"), ("name", &name), ("time", "0")];
    let case = writer.create_element("testcase").with_attributes(case);
    let element = match rule.outcome {
        RuleOutcome::Passed => {
            let seen = BytesText::new(&seen);
            let write =
                |writer: &mut Writer<_>| writer.create_element("system-out").write_text_content(seen).map(|_| ());
            return case.write_inner_content(write).map(|_| ());
        }
        RuleOutcome::Failed => "failure",
        RuleOutcome::Unresolved | RuleOutcome::Unknown => "error",
    };
    let words = std::iter::once(seen.as_str()).chain(rule.advice.iter().map(String::as_str));
    let words = clean(&words.collect::<Vec<_>>().join(" → "));
    let told = [("message", seen.as_str()), ("type", rule.outcome.words())];
    case.write_inner_content(|writer| {
        writer.create_element(element).with_attributes(told).write_text_content(BytesText::new(&words)).map(|_| ())
    })?;
    Ok(())
}
