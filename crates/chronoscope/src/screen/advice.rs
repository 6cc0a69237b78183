use anstyle::Style;
use chronoscope_harness::quantity::{TIME, count, limit, ns};

use crate::answers::advice::report::{
    Advice, Figure, Fit, IntervalAdvice, IntervalQuestion, MethodAdvice, SymptomAdvice,
};
use crate::answers::advice::symptoms::{SYMPTOMS, commands};
use crate::clock_id::ClockId;
use crate::document::Record;
use chronoscope_render::Width;
use chronoscope_render::findings::mark;
use chronoscope_render::line::Line;
use chronoscope_render::page::Page;
use chronoscope_render::palette::{CRITICAL, DIM, GOOD, PLAIN, TITLE, WARNING};
use chronoscope_render::title::head;
use chronoscope_render::words::quoted;

/// The answer to what a user asked, for a terminal of this width.
pub fn page_at(record: &Record, advice: &Advice, width: Width) -> Page {
    let mut page = Page::with_width(width);
    head(&mut page, &format!("{} {}", record.tool.name, record.tool.version), record);
    match advice {
        Advice::Interval(advice) => interval(&mut page, advice),
        Advice::Symptom(advice) => symptom(&mut page, record, advice),
    }
    page
}

fn interval(page: &mut Page, advice: &IntervalAdvice) {
    page.section("ADVICE");
    page.entry("asked", PLAIN, &asked(&advice.asked));
    let (style, mark): (Style, &str) = match advice.choose {
        Some(_) => (GOOD, "✔ "),
        None => (CRITICAL, "✘ "),
    };
    page.paragraph(Line::styled(style, mark), TITLE, &advice.answer);
    for method in &advice.methods {
        show_method(page, method);
    }
    if !advice.reservations.is_empty() {
        page.section("CAVEATS");
        for text in &advice.reservations {
            page.paragraph(Line::styled(WARNING, "! "), PLAIN, text);
        }
    }
    evidence(page, &advice.evidence);
}

fn asked(question: &IntervalQuestion) -> String {
    let mut text = format!("an interval of {} to {}", ns(question.interval_ns), limit(question.error_pct));
    if question.threads != 1 {
        text += &format!(" on {} threads", count(u64::from(question.threads)));
    }
    if let Some(kind) = question.runtime {
        text += &format!(", in {}", kind.title());
    }
    if let Some(clock) = &question.clock {
        text += &format!(", with {clock}");
    }
    if let Some(every_ns) = question.every_ns {
        text += &format!(", every {}", ns(every_ns));
    }
    text
}

fn show_method(page: &mut Page, method: &MethodAdvice) {
    let (style, mark, word): (Style, &str, &str) = match method.fit {
        Fit::Confirmed => (GOOD, "✔ ", "confirmed"),
        Fit::Expected => (GOOD, "✔ ", "expected"),
        Fit::No => (DIM, "– ", "not enough"),
    };
    page.line(Line::new());
    let clock = method.clock.as_ref().map_or_else(String::new, |clock| format!(" with {}", quoted(clock)));
    page.paragraph(Line::styled(style, mark), TITLE, &format!("{}{clock}: {word}", method.method.title()));
    page.paragraph(Line::plain("  "), PLAIN, &method.says);
    if let Some(formula) = &method.formula {
        page.paragraph(Line::plain("  "), DIM, formula);
    }
    for line in &method.advice {
        page.paragraph(Line::styled(DIM, "  → "), PLAIN, line);
    }
}

fn evidence(page: &mut Page, figures: &[Figure]) {
    if figures.is_empty() {
        return;
    }
    page.section("EVIDENCE");
    for figure in figures {
        let clock = figure.clock.as_ref().map_or_else(String::new, |clock| format!(", {}", quoted(clock)));
        let text = format!("{}{clock}: {}; {}", figure.name, TIME.amount(&figure.ns), figure.basis);
        page.paragraph(Line::styled(DIM, "· "), PLAIN, &text);
    }
}

fn symptom(page: &mut Page, record: &Record, advice: &SymptomAdvice) {
    page.section("ADVICE");
    page.entry("asked", PLAIN, &advice.asked);
    page.entry("taken for", PLAIN, &advice.symptom);
    page.entry("usually", PLAIN, &advice.usually);
    page.entry("measured by", PLAIN, &commands(&advice.runs));
    let known: Vec<&str> = advice.found.iter().chain(&advice.absent).map(String::as_str).collect();
    let of_row = SYMPTOMS.iter().filter(|row| row.symptom == advice.symptom).flat_map(|row| row.findings).copied();
    let unmeasured = of_row.filter(|id| !known.contains(id));
    for (label, ids) in
        [("not found", advice.absent.join(", ")), ("not measured", unmeasured.collect::<Vec<_>>().join(", "))]
    {
        if !ids.is_empty() {
            page.entry(label, DIM, &ids);
        }
    }
    for id in &advice.found {
        let mut of_kind: Vec<_> = record.findings.iter().filter(|finding| finding.id == *id).collect();
        // Who asks of a clock hardly means a type of this library.
        of_kind.sort_by_key(|finding| finding.subject.as_deref().is_some_and(is_of_this_library));
        let Some((first, others)) = of_kind.split_first() else { continue };
        let more = if others.is_empty() { String::new() } else { format!(", and {} more", count(others.len() as u64)) };
        page.paragraph(mark(first.severity), PLAIN, &format!("{} [{id}{more}]", first.evidence.summary));
        for line in &first.advice {
            page.paragraph(Line::styled(DIM, "  → "), PLAIN, line);
        }
    }
}

fn is_of_this_library(clock: &str) -> bool {
    matches!(ClockId::from(clock), ClockId::Known(id) if id.guarantee().is_some())
}

/// The table of symptoms.
pub fn symptoms_at(width: Width) -> String {
    let mut page = Page::with_width(width);
    page.section("SYMPTOMS");
    for row in SYMPTOMS {
        page.line(Line::styled(TITLE, row.symptom));
        page.paragraph(Line::plain("  "), PLAIN, &format!("usually: {}", row.usually));
        page.paragraph(Line::plain("  "), PLAIN, &format!("measured by {}", commands(row.runs)));
        page.paragraph(Line::plain("  "), DIM, &format!("findings: {}", row.findings.join(", ")));
    }
    page.line(Line::new());
    page.paragraph(
        Line::new(),
        DIM,
        "chronoscope advise --symptom TEXT, with the message or the words of one of these",
    );
    page.finish()
}
