use chronoscope_render::page::Page;

use super::{detail, table};
use crate::document::Record;
use crate::screen::verdict;

/// All of it.
pub fn show(page: &mut Page, record: &Record) {
    verdict::asked(page, record);
    table::show(page, record);
    detail::show(page, record);
}

/// The table.
pub fn show_in_check(page: &mut Page, record: &Record) {
    table::show(page, record);
}
