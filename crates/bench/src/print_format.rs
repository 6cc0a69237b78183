use clap::ValueEnum;

use super::Format;

/// What `--format` takes: a format of the page, or libtest's lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum PrintFormat {
    /// Text for people
    #[value(alias = "pretty")]
    Human,
    /// The whole record as JSON
    Json,
    /// With --list: one line per case, as libtest has them
    Terse,
}

impl PrintFormat {
    /// Of what is measured.
    pub(super) fn of_page(self) -> Format {
        if self == Self::Json { Format::Json } else { Format::Human }
    }
}
