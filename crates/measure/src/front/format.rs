use clap::ValueEnum;

/// What is printed on standard output.
///
/// # Examples
/// ```
/// assert_eq!(chronoscope_measure::front::Format::default(), chronoscope_measure::front::Format::Human);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Text for people
    #[default]
    Human,
    /// The whole record as JSON
    Json,
}
