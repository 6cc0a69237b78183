use anstyle::Style;
use unicode_width::UnicodeWidthStr;

use crate::palette::PLAIN;
use chronoscope_harness::record::clean;

/// One line of styled text. All text added to it is sanitized here, once for all sections.
#[derive(Clone, Debug, Default)]
pub struct Line {
    spans: Vec<(Style, String)>,
}

impl Line {
    /// An empty line.
    pub fn new() -> Self {
        Self::default()
    }

    /// `text` without a style.
    pub fn plain(text: &str) -> Self {
        Self::new().and(text)
    }

    /// `text` in `style`.
    pub fn styled(style: Style, text: &str) -> Self {
        Self::new().with(style, text)
    }

    /// Appends `text` without a style.
    #[must_use]
    pub fn and(self, text: &str) -> Self {
        self.with(PLAIN, text)
    }

    /// Appends `text` in `style`; control characters become pictures.
    #[must_use]
    pub fn with(mut self, style: Style, text: &str) -> Self {
        if !text.is_empty() {
            self.spans.push((style, clean(text).into_owned()));
        }
        self
    }

    /// Spaces up to `width` columns.
    #[must_use]
    pub fn padded(self, width: usize) -> Self {
        let missing = width.saturating_sub(self.width());
        self.and(&" ".repeat(missing))
    }

    /// Appends another line.
    #[must_use]
    pub fn joined(mut self, other: Self) -> Self {
        self.spans.extend(other.spans);
        self
    }

    /// Its width in columns.
    pub fn width(&self) -> usize {
        self.spans.iter().map(|(_, text)| text.width()).sum()
    }

    /// The text without its styles.
    pub fn text(&self) -> String {
        self.spans.iter().map(|(_, text)| text.as_str()).collect()
    }

    /// Its pieces, each in its style.
    #[cfg(feature = "html")]
    pub(crate) fn spans(&self) -> impl Iterator<Item = (&Style, &str)> {
        self.spans.iter().map(|(style, text)| (style, text.as_str()))
    }

    /// Writes it with its escapes.
    pub fn render(&self, out: &mut String) {
        let last = self.spans.iter().rposition(|(_, text)| !text.trim_end_matches(' ').is_empty());
        for (i, (style, text)) in self.spans.iter().enumerate().take(last.map_or(0, |last| last + 1)) {
            let text = if Some(i) == last { text.trim_end_matches(' ') } else { text };
            out.push_str(&format!("{style}{text}{style:#}"));
        }
        out.push('\n');
    }
}
