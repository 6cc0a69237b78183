use crate::document::Record;
use chronoscope_render::page::Page;
use chronoscope_render::title::{circumstances, head};

pub fn show(page: &mut Page, record: &Record) {
    let tool = format!("{} {}", record.tool.name, record.tool.version);
    let circumstances = circumstances(&record.machine, &record.started_at, record.elapsed_ms);
    head(page, &tool, &circumstances, record.interrupted);
}
