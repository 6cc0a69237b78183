use clap::ValueEnum;

/// The format of standard output.
///
/// # Examples
/// ```
/// assert_eq!(chronoscope_bench::Format::default(), chronoscope_bench::Format::Human);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Text for people
    #[default]
    Human,
    /// The whole record as JSON
    Json,
}
