//! The page of a document for browsers.

mod answer;
pub mod curve;
mod findings;
pub mod look;
pub mod over_time;
mod ruler;
pub mod told;

pub use answer::badge;

use chronoscope_render::browser::{Figure, Sheet};
use chronoscope_render::page::Page;
use chronoscope_render::title::circumstances;

use super::View;
use crate::document::Record;
use crate::judgement::Judgement;
use crate::judgement::host::Host;
use crate::registry::each_section;
use crate::sections;

macro_rules! figures {
    ($($(#[$meta:meta])* $field:ident: sections::$folder:ident::$Section:ident;)*) => {
        /// What the section `name` draws of a document; every section of a check draws itself.
        fn figures(name: Option<&str>, record: &Record) -> Vec<Figure> {
            let mut all = Vec::new();
            $(if name.is_none_or(|name| name == stringify!($field)) && !record.content.sections.$field.is_untouched() {
                all.extend(sections::$field::browser::figures(record));
            })*
            all
        }
    };
}
each_section!(figures);

/// The page of a check, or of one section.
pub fn of_check(record: &Record) -> Sheet {
    let view = View::of(record);
    let sheet = sheet(record, title(record, view));
    match record.content.concluded().filter(|_| view == View::CHECK) {
        Some((judgement, host)) => concluded(sheet, record, judgement, host),
        None => {
            let mut drawn = figures((view != View::CHECK).then_some(view.name()), record);
            drawn.push(findings::figure(record, view));
            let is_unconcluded = view == View::CHECK && record.content.judgement.is_none();
            let lead = match is_unconcluded {
                true => told::sentence(record.content.reason_unconcluded()),
                false => String::new(),
            };
            Sheet { lead, figures: drawn, ..sheet }
        }
    }
}

fn concluded(sheet: Sheet, record: &Record, judgement: &Judgement, host: &Host) -> Sheet {
    let mut drawn: Vec<Figure> = ruler::figure(record, judgement).into_iter().collect();
    drawn.extend(figures(None, record));
    drawn.push(findings::figure(record, View::CHECK));
    Sheet {
        badge: Some(answer::badge(host)),
        lead: ruler::answer(record, judgement),
        choices: answer::choices(record, judgement),
        boxes: answer::boxes(record, judgement, host),
        figures: drawn,
        ..sheet
    }
}

/// The page of a document that consists of what its run printed.
pub fn of_page(record: &Record, page: Page) -> Sheet {
    Sheet { rest: page, ..of_command(record) }
}

/// The page of a command that measures outside a check, without its figures.
pub fn of_command(record: &Record) -> Sheet {
    sheet(record, format!("chronoscope {}", record.command))
}

fn sheet(record: &Record, title: String) -> Sheet {
    let tool = &record.tool;
    let source = format!("one document of {} {} (schema {})", tool.name, tool.version, record.schema_version);
    Sheet { title, meta: circumstances(record), source, ..Sheet::default() }
}

fn title(record: &Record, view: View) -> String {
    let machine = super::first_screen::machine(record);
    if view == View::CHECK { machine } else { format!("{machine}: {}", view.name().replace('_', " ")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::tests::blank;

    #[test]
    fn a_check_of_which_nothing_was_measured_says_so() {
        let page = of_check(&blank()).finish();
        assert!(page.contains("Nothing was measured, so nothing is concluded."), "{page}");
        assert_eq!(page.matches("nothing was measured, so nothing is concluded").count(), 1, "under the verdict, too");
    }
}
