//! Destinations of what a command found: standard output, and files that are written atomically.

use std::path::Path;

use chronoscope_bench::{Failure, Format, OutputFile, each_tried, page_width, print, tell};

use super::page::{Shown, browser_page, page};
use crate::document::Record;
use crate::history;
use crate::json::{json, reason_unreadable};
use crate::run_options::{Destinations, Presentation};

/// Standard output and the page for browsers.
pub struct Presenter {
    format: Format,
    browser: Option<OutputFile>,
}

/// The destinations of a document.
pub struct Output {
    presenter: Presenter,
    file: Option<OutputFile>,
}

/// Refuses a destination that is one of the files read, the history, or another destination: it would be lost.
///
/// # Errors
/// With exit code 2.
pub fn keep_apart(written: &[(&str, Option<&Path>)], read: &[(&str, Option<&Path>)]) -> Result<(), Failure> {
    let history = history::file().ok();
    chronoscope_bench::keep_apart(written, &[read, &[("the history", history.as_deref())]].concat())
}

fn written(file: Option<OutputFile>, text: impl FnOnce() -> String) -> Result<(), Failure> {
    file.map_or(Ok(()), |file| file.write(&text()))
}

impl Presenter {
    /// Checks, before anything is measured, that the page's file can be written.
    ///
    /// # Errors
    /// If it cannot.
    pub fn prepare(to: &Presentation) -> Result<Self, Failure> {
        keep_apart(&[to.page()], &[])?;
        let browser = to.html.as_deref().map(|path| OutputFile::prepare("the page", path)).transpose()?;
        Ok(Self { format: to.format, browser })
    }

    /// Prints `human` or `json`, whichever is wanted, and writes the page that `browser` makes.
    ///
    /// # Errors
    /// If either fails, or there is no JSON of it.
    pub fn present(
        self,
        human: impl FnOnce() -> String,
        json: impl FnOnce() -> Result<String, Failure>,
        browser: impl FnOnce() -> String,
    ) -> Result<(), Failure> {
        let printed = match self.format {
            Format::Human => print(&human()),
            Format::Json => json().and_then(|json| print(&json)),
        };
        each_tried("chronoscope", [printed, written(self.browser, browser)])
    }
}

impl Output {
    /// Checks, before anything is measured, that the files can be written.
    ///
    /// # Errors
    /// If one cannot.
    pub fn prepare(to: &Destinations) -> Result<Self, Failure> {
        keep_apart(&to.files(), &[])?;
        let file = to.output.as_deref().map(|path| OutputFile::prepare("the record", path)).transpose()?;
        Ok(Self { presenter: Presenter::prepare(&to.presented)?, file })
    }

    /// Prints and saves the document, and writes its page.
    ///
    /// # Errors
    /// If any fails.
    pub fn write(self, record: &Record, shown: Shown) -> Result<(), Failure> {
        let json = json(record).map_err(|error| Failure::run(error.to_string()));
        let printed = match (self.presenter.format, &json) {
            (Format::Human, _) => print(&page(record, shown, page_width())),
            (Format::Json, Ok(json)) => print(json),
            // Told once, as what cannot be saved.
            (Format::Json, Err(_)) => Ok(()),
        };
        if let Some(reason) = json.as_deref().ok().and_then(reason_unreadable) {
            tell("chronoscope", &format!("warning: {reason}"));
        }
        let saved = json.and_then(|json| written(self.file, || json));
        each_tried("chronoscope", [saved, written(self.presenter.browser, || browser_page(record, shown)), printed])
    }
}
