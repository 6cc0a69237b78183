//! The section on a page for browsers.

use chronoscope_render::browser::Figure;
use chronoscope_render::page::Page;

use super::view;
use crate::document::Record;

pub fn figures(record: &Record) -> Vec<Figure> {
    let mut numbers = Page::default();
    view::show(&mut numbers, record);
    vec![Figure {
        id: "hiccups",
        short: "hiccups",
        title: "Stalls that threads would see".to_owned(),
        numbers,
        ..Figure::default()
    }]
}
