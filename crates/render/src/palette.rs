use anstyle::{AnsiColor, Style};

/// Text.
pub const PLAIN: Style = Style::new();
/// Titles and names.
pub const TITLE: Style = Style::new().bold();
/// Explanations.
pub const DIM: Style = Style::new().dimmed();
/// Table headings.
pub const HEADER: Style = Style::new().underline();
/// As it should be.
pub const GOOD: Style = AnsiColor::Green.on_default();
/// Possibly misleading.
pub const WARNING: Style = AnsiColor::Yellow.on_default();
/// Broken.
pub const CRITICAL: Style = AnsiColor::Red.on_default().bold();
/// Bars.
pub const BAR: Style = AnsiColor::Cyan.on_default();
