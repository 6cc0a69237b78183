//! The page of a gate.

use anstyle::Style;

use super::report::{Gate, Judged, RuleOutcome};
use crate::answers::noise_floor;
use crate::document::Record;
use chronoscope_render::Width;
use chronoscope_render::line::Line;
use chronoscope_render::page::Page;
use chronoscope_render::palette::{CRITICAL, DIM, GOOD, PLAIN, WARNING};
use chronoscope_render::title::head;
use chronoscope_render::words::counted;

/// The judgement, for a terminal of this width.
pub fn gate_at(record: &Record, gate: &Gate, width: Width) -> Page {
    let mut page = Page::with_width(width);
    head(&mut page, &format!("{} {}", record.tool.name, record.tool.version), record);
    page.section("GATE");
    for rule in &gate.rules {
        judged(&mut page, rule);
    }
    let (style, text) = if gate.passed { (GOOD, passed(gate)) } else { (CRITICAL, not_passed(gate)) };
    page.paragraph(Line::new(), style, &text);
    if let Some(floor) = &record.content.noise_floor {
        noise_floor::view::section(&mut page, floor);
    }
    page
}

fn judged(page: &mut Page, rule: &Judged) {
    let (style, sign): (Style, &str) = match rule.outcome {
        RuleOutcome::Passed => (GOOD, "✔ "),
        RuleOutcome::Failed => (CRITICAL, "✘ "),
        RuleOutcome::Unresolved | RuleOutcome::Unknown => (WARNING, "? "),
    };
    page.paragraph(Line::styled(style, sign), PLAIN, &format!("{}: {}", rule.rule, rule.seen));
    for advice in &rule.advice {
        page.paragraph(Line::styled(DIM, "  → "), PLAIN, advice);
    }
}

fn passed(gate: &Gate) -> String {
    match gate.rules.len() {
        1 => "passed".to_owned(),
        all => format!("passed: all {all} rules"),
    }
}

/// How many rules did not pass, by outcome; or that the run was interrupted, if all did.
fn not_passed(gate: &Gate) -> String {
    let ends = [RuleOutcome::Failed, RuleOutcome::Unresolved, RuleOutcome::Unknown].map(|end| (gate.count(end), end));
    let parts: Vec<String> =
        ends.iter().filter(|(rules, _)| *rules > 0).map(|(rules, end)| format!("{rules} {}", end.words())).collect();
    if parts.is_empty() {
        return "not passed: the run was interrupted".to_owned();
    }
    format!("not passed: {} of {}", parts.join(", "), counted(gate.rules.len() as u64, "rule", "rules"))
}
