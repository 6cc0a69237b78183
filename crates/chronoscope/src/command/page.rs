//! The page for any document: the output of the run that wrote it.

use chronoscope_render::Width;
use chronoscope_render::browser::Sheet;
use chronoscope_render::page::Page;
use chronoscope_render::study::{self, Detail, Lead};
use chronoscope_render::text::{Mood, Text};

use crate::answers::gate::view::gate_at;
use crate::answers::{compare, literature};
use crate::document::{self, Record};
use crate::screen::View;
use crate::{screen, standalone};

/// Which part of a document to show.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shown {
    /// None for the run's own output.
    pub view: Option<View>,
    /// For a check: all of it. For a study: every backoff and every chart. For a comparison: every figure.
    pub full: bool,
}

/// Renders a document for a terminal of this width.
pub fn page(record: &Record, shown: Shown, width: Width) -> String {
    drawn(record, shown, width).finish()
}

/// The page of a document before it is laid out.
fn drawn(record: &Record, shown: Shown, width: Width) -> Page {
    if let Some(advice) = record.content.advice.as_ref().filter(|_| shown.view.is_none()) {
        return screen::advice::page_at(record, advice, width);
    }
    if let Some(gate) = record.content.gate.as_ref().filter(|_| shown.view.is_none()) {
        return gate_at(record, gate, width);
    }
    if let Some(comparison) = &record.content.comparison {
        return compare::view::page(comparison, shown.full, width);
    }
    if let Some(literature) = &record.content.literature {
        return literature::view::page(literature, width);
    }
    let concluded = standalone::page(record, width);
    let Some(study) = document::as_study(record) else {
        return concluded.unwrap_or_else(|| check(record, shown, width));
    };
    let mut page = Page::with_width(width);
    let (is_concluded, is_known) = (concluded.is_some(), concluded.is_some() || record.command == STUDY);
    concluded.into_iter().for_each(|concluded| page.append(concluded));
    if shown.full {
        page.append(study::page(&study, Detail::Full, width));
        page.append(study::surroundings_page(&study, width));
    } else if !is_concluded {
        page.append(study::page(&study, Detail::Usual, width));
    }
    if !is_known {
        page.append(unknown(&record.command));
    }
    page
}

/// A check, or a section of one.
fn check(record: &Record, shown: Shown, width: Width) -> Page {
    let view = shown.view.unwrap_or_else(|| View::of(record));
    match record.content.concluded() {
        Some((judgement, host)) if view == View::CHECK && !shown.full => {
            screen::first_screen::page_at(record, judgement, host, width)
        }
        _ => screen::page_at(record, view, width),
    }
}

/// The page for browsers.
pub fn browser_page(record: &Record, shown: Shown) -> String {
    sheet(record, shown).finish()
}

/// The page for browsers with only the figure called `id`.
///
/// # Errors
/// If it has no such figure; says which it has.
pub fn page_of_one(record: &Record, shown: Shown, id: &str) -> Result<String, String> {
    let whole = sheet(record, shown);
    let known = whole.ids().join(", ");
    let hint = if known.is_empty() { "leave out --only".to_owned() } else { format!("choose from {known}") };
    whole.only(id).map(Sheet::finish).ok_or_else(|| format!("its page has no figure called {id}; {hint}"))
}

fn sheet(record: &Record, shown: Shown) -> Sheet {
    if let Some(comparison) = &record.content.comparison {
        let (meta, figures) = (compare::view::base(comparison), compare::browser::figures(comparison));
        return Sheet { meta, figures, ..screen::browser::of_page(record, Page::default()) };
    }
    if let Some(literature) = &record.content.literature {
        let figures = literature::browser::figures(literature);
        return Sheet { figures, ..screen::browser::of_page(record, Page::default()) };
    }
    let is_answer = record.content.advice.is_some() || record.content.gate.is_some();
    let of_page = || screen::browser::of_page(record, drawn(record, shown, Width::default()));
    let plain_study = || {
        let study = document::as_study(record).filter(|_| record.command == STUDY)?;
        Some(study::sheet(&study, &Lead::default()))
    };
    match record.content.plan.parts.is_empty() {
        _ if is_answer => of_page(),
        false => screen::browser::of_check(record),
        true => standalone::browser_page(record).or_else(plain_study).unwrap_or_else(of_page),
    }
}

/// The `command` in documents of users' own studies.
const STUDY: &str = "study";

/// Notes that there are more conclusions than are shown.
fn unknown(command: &str) -> Page {
    let mut text = Text::new();
    let words = format!("written by `chronoscope {command}`, which this build does not know: conclusions not shown");
    text.sentence(Mood::Warning, "!", &words);
    text.into_page()
}
