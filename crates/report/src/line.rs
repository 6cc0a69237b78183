use anstyle::Style;
use unicode_width::UnicodeWidthStr;

use crate::clean::clean;
use crate::palette::PLAIN;

/// One line of styled text. Whatever enters it is made harmless here, once for all sections.
#[derive(Clone, Debug, Default)]
pub(crate) struct Line {
    spans: Vec<(Style, String)>,
}

impl Line {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn plain(text: &str) -> Self {
        Self::new().and(text)
    }

    pub(crate) fn styled(style: Style, text: &str) -> Self {
        Self::new().with(style, text)
    }

    #[must_use]
    pub(crate) fn and(self, text: &str) -> Self {
        self.with(PLAIN, text)
    }

    #[must_use]
    pub(crate) fn with(mut self, style: Style, text: &str) -> Self {
        if !text.is_empty() {
            self.spans.push((style, clean(text).into_owned()));
        }
        self
    }

    /// Spaces up to `width` columns.
    #[must_use]
    pub(crate) fn padded(self, width: usize) -> Self {
        let missing = width.saturating_sub(self.width());
        self.and(&" ".repeat(missing))
    }

    #[must_use]
    pub(crate) fn joined(mut self, other: Self) -> Self {
        self.spans.extend(other.spans);
        self
    }

    pub(crate) fn width(&self) -> usize {
        self.spans.iter().map(|(_, text)| text.width()).sum()
    }

    /// The text without its styles.
    pub(crate) fn text(&self) -> String {
        self.spans.iter().map(|(_, text)| text.as_str()).collect()
    }

    pub(crate) fn render(&self, out: &mut String) {
        let last = self.spans.iter().rposition(|(_, text)| !text.trim_end_matches(' ').is_empty());
        for (i, (style, text)) in self.spans.iter().enumerate().take(last.map_or(0, |last| last + 1)) {
            let text = if Some(i) == last { text.trim_end_matches(' ') } else { text };
            out.push_str(&format!("{style}{text}{style:#}"));
        }
        out.push('\n');
    }
}
