pub mod advice;
pub mod browser;
pub mod card;
pub mod disturbance;
pub mod findings;
pub mod first_screen;
pub mod gallery;
pub mod published_pauses;
pub mod step;
pub mod verdict;

use chronoscope_render::machine;
use chronoscope_render::title::head;
use clap::builder::PossibleValue;

use crate::document::Record;
use crate::part::Part;
use crate::registry::{self, ALIASES, each_section};
use crate::sections;
use chronoscope_render::Width;
use chronoscope_render::line::Line;
use chronoscope_render::page::Page;
use chronoscope_render::palette::{PLAIN, TITLE};

/// The view of a document: all of a check, or one section in full.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct View(&'static str);

impl View {
    /// A check: its first screen, or all of it.
    pub const CHECK: Self = Self("check");

    /// The view of section `name`; that of a check if there is no such section.
    pub fn named(name: &str) -> Self {
        let name = &name.replace('-', "_");
        let full = ALIASES.iter().find(|(alias, _)| alias == name).map_or(name.as_str(), |(_, name)| name);
        registry::NAMES.iter().find(|section| **section == full).map_or(Self::CHECK, |section| Self(section))
    }

    /// Its name.
    pub const fn name(self) -> &'static str {
        self.0
    }

    /// Every view.
    pub fn all() -> impl Iterator<Item = Self> {
        [Self::CHECK].into_iter().chain(registry::NAMES.iter().map(|name| Self(name)))
    }

    /// The names of all, as accepted from users.
    pub fn names() -> impl Iterator<Item = PossibleValue> {
        Self::all().map(|view| {
            let aliases = ALIASES.iter().filter(move |(_, name)| *name == view.0).map(|(alias, _)| *alias);
            let written = (view.0.contains('_')).then(|| view.0.replace('_', "-"));
            PossibleValue::new(view.0).aliases(aliases).aliases(written)
        })
    }

    /// The view of what was planned.
    pub fn of(record: &Record) -> Self {
        let planned: Vec<Part> = record.content.plan.parts.iter().map(|part| part.part).collect();
        let is_planned = |name: &&&str| registry::parts_of(name).iter().map(|row| row.part).eq(planned.iter().copied());
        registry::NAMES.iter().find(is_planned).map_or(Self::CHECK, |name| Self(name))
    }
}

macro_rules! views {
    ($($(#[$meta:meta])* $field:ident: sections::$folder:ident::$Section:ident;)*) => {
        /// Draws the section `name`; false if there is none.
        fn show(name: &str, page: &mut Page, record: &Record) -> bool {
            match name {
                $(stringify!($field) => sections::$field::view::show(page, record),)*
                _ => return false,
            }
            true
        }

        /// Draws every section in its form for the page of a check.
        fn show_in_check(page: &mut Page, record: &Record) {
            $(sections::$field::view::show_in_check(page, record);)*
        }
    };
}
each_section!(views);

/// As [`terminal_at`], 118 columns wide.
#[cfg(test)]
pub fn terminal(record: &Record, view: View) -> String {
    terminal_at(record, view, Width::default())
}

/// Renders a record as text with ANSI styles, for a terminal of this width.
///
/// # Guarantees
/// Never panics, for any record. The record's own strings cannot control the terminal: control characters in them are
/// shown as pictures. Quantities and their units are written the same way in every locale. A narrower page has more
/// lines and the same numbers: no column of a table is left out.
pub fn terminal_at(record: &Record, view: View, width: Width) -> String {
    page_at(record, view, width).finish()
}

/// The same before it is laid out.
pub fn page_at(record: &Record, view: View, width: Width) -> Page {
    let mut page = Page::with_width(width);
    let tool = format!("{} {}", record.tool.name, record.tool.version);
    head(&mut page, &tool, record);
    if show(view.0, &mut page, record) {
        findings::concerning(&mut page, record, view.0);
    } else {
        verdict::show(&mut page, record);
        machine::show(&mut page, &record.machine);
        show_in_check(&mut page, record);
        chronoscope_render::findings::notices(&mut page, &findings::of_check(record));
    }
    disturbance::show(&mut page, record);
    if let Some(since) = record.content.since.as_ref().filter(|_| view == View::CHECK) {
        page.paragraph(Line::styled(TITLE, "SINCE "), PLAIN, &since.sentence);
    }
    page
}
