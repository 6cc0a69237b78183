use chronoscope_render::page::Page;

use super::{detail, table};
use crate::answers::verdict_words;
use crate::document::Record;

/// All of it.
pub fn show(page: &mut Page, record: &Record) {
    verdict_words::asked(page, record);
    table::show(page, record);
    detail::show(page, record);
}

/// The table.
pub fn show_in_check(page: &mut Page, record: &Record) {
    table::show(page, record);
}
