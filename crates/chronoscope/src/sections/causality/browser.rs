//! The section on a page for browsers.

use chronoscope_render::browser::Figure;
use chronoscope_render::page::Page;

use super::view;
use crate::document::Record;

pub fn figures(record: &Record) -> Vec<Figure> {
    let mut numbers = Page::default();
    view::show(&mut numbers, record);
    vec![Figure { id: "cpus", short: "CPUs", title: "Do the CPUs agree?".to_owned(), numbers, ..Figure::default() }]
}
