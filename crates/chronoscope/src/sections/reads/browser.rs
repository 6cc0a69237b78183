//! The section on a page for browsers.

use chronoscope_render::browser::Figure;
use chronoscope_render::page::Page;

use super::view;
use crate::document::Record;

pub fn figures(record: &Record) -> Vec<Figure> {
    let mut numbers = Page::default();
    view::show(&mut numbers, record);
    vec![Figure {
        id: "reads",
        short: "read after read",
        title: "Read after read".to_owned(),
        numbers,
        ..Figure::default()
    }]
}
