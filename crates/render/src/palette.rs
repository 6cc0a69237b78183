use anstyle::{AnsiColor, Style};

/// Text.
pub const PLAIN: Style = Style::new();
/// Titles and names.
pub const TITLE: Style = Style::new().bold();
/// What explains.
pub const DIM: Style = Style::new().dimmed();
/// Heads of tables.
pub const HEADER: Style = Style::new().underline();
/// What is as it should be.
pub const GOOD: Style = AnsiColor::Green.on_default();
/// What may mislead.
pub const WARNING: Style = AnsiColor::Yellow.on_default();
/// What is broken.
pub const CRITICAL: Style = AnsiColor::Red.on_default().bold();
/// Bars.
pub const BAR: Style = AnsiColor::Cyan.on_default();
