use std::path::Path;

use chronoscope_harness::record::study::StudyRecord;
#[cfg(feature = "html")]
use chronoscope_render::study::html;

use super::{Failure, OutputFile};

/// What to do without the feature.
const LACKING: &str = "--html: this benchmark was built without pages for browsers; add features = [\"html\"] to chronoscope-bench \
    in Cargo.toml, or write the record with --output FILE, which `chronoscope show FILE --html PAGE` turns into a page";

/// The file that receives the page for browsers, which needs the feature `html`.
pub(super) struct Page(OutputFile);

impl Page {
    /// Checks that it can be written.
    pub(super) fn prepare(path: &Path) -> Result<Self, Failure> {
        match cfg!(feature = "html") {
            true => OutputFile::prepare("the page", path).map(Self),
            false => Err(Failure::usage(LACKING)),
        }
    }

    pub(super) fn write(self, record: &StudyRecord) -> Result<(), Failure> {
        self.0.write(&html(record))
    }
}

#[cfg(not(feature = "html"))]
fn html(_: &StudyRecord) -> String {
    unreachable!("{LACKING}")
}
