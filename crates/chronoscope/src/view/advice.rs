use anstyle::Style;
use chronoscope_harness::quantity::{TIME, count, limit, ns};
use chronoscope_harness::record::Estimate;

use crate::answers::advice::index::{IndexRow, commands, title};
use crate::answers::advice::report::{
    Advice, Cause, Figure, Fit, IntervalAdvice, IntervalQuestion, MethodAdvice, SymptomAdvice,
};
use crate::document::Record;
use chronoscope_render::Width;
use chronoscope_render::line::Line;
use chronoscope_render::page::Page;
use chronoscope_render::palette::{CRITICAL, DIM, GOOD, PLAIN, TITLE, WARNING};
use chronoscope_render::title::head;
use chronoscope_render::words::quoted;

/// The answer to what a user asked, for a terminal of this width.
pub fn terminal_at(record: &Record, advice: &Advice, width: Width) -> String {
    let mut page = Page::with_width(width);
    head(&mut page, &format!("{} {}", record.tool.name, record.tool.version), record);
    match advice {
        Advice::Interval(advice) => interval(&mut page, advice),
        Advice::Symptom(advice) => symptom(&mut page, advice),
    }
    page.finish()
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
        let value = match (figure.low_ns, figure.high_ns) {
            (Some(low), Some(high)) => TIME.amount(&Estimate { estimate: figure.value_ns, low, high, confidence: 1.0 }),
            _ => ns(figure.value_ns),
        };
        let clock = figure.clock.as_ref().map_or_else(String::new, |clock| format!(", {}", quoted(clock)));
        let text = format!("{}{clock}: {value}; {}", figure.name, figure.basis);
        page.paragraph(Line::styled(DIM, "· "), PLAIN, &text);
    }
}

fn symptom(page: &mut Page, advice: &SymptomAdvice) {
    page.section("ADVICE");
    page.entry("asked", PLAIN, &advice.asked);
    page.entry("taken for", PLAIN, &format!("\"{}\"", advice.title));
    page.entry("usually", PLAIN, &advice.usually);
    let (style, mark): (Style, &str) = if advice.found.is_empty() { (DIM, "? ") } else { (WARNING, "! ") };
    page.paragraph(Line::styled(style, mark), TITLE, &advice.answer);
    causes(page, "SEEN HERE", &advice.found, Line::styled(WARNING, "! "));
    causes(page, "EXCLUDED HERE", &advice.excluded, Line::styled(GOOD, "✔ "));
    causes(page, "NOT KNOWN", &advice.unknown, Line::styled(DIM, "? "));
    if !advice.others.is_empty() {
        page.line(Line::new());
        let others: Vec<String> =
            advice.others.iter().map(|id| format!("\"{}\" (--symptom {id})", title(id))).collect();
        page.entry("or", DIM, &others.join("; "));
    }
}

fn causes(page: &mut Page, heading: &str, causes: &[Cause], mark: Line) {
    if causes.is_empty() {
        return;
    }
    page.section(heading);
    for cause in causes {
        let ids = match cause.findings.as_slice() {
            [] => String::new(),
            ids => format!(" [{}]", ids.join(", ")),
        };
        page.paragraph(mark.clone(), PLAIN, &format!("{}: {}{ids}", cause.cause, cause.evidence));
        for line in &cause.advice {
            page.paragraph(Line::styled(DIM, "  → "), PLAIN, line);
        }
    }
}

/// The index of symptoms.
pub fn index_at(rows: &[IndexRow], width: Width) -> String {
    let mut page = Page::with_width(width);
    page.section("SYMPTOMS");
    for row in rows {
        let lead = Line::styled(TITLE, row.phrases.first().copied().unwrap_or_default());
        page.line(lead);
        page.paragraph(Line::plain("  "), PLAIN, &format!("usually: {}", row.usually));
        page.paragraph(Line::plain("  "), DIM, &format!("{} · runs {}", row.id, commands(row)));
    }
    page.line(Line::new());
    page.paragraph(Line::new(), DIM, "chronoscope advise --symptom TEXT, in your own words or by id");
    page.finish()
}
