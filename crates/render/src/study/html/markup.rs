use crate::grid::{Column, Grid, Mood};
use chronoscope_harness::record::clean;

/// Maximum characters per table cell.
const CELL: usize = 200;

/// `text` escaped for an element or a quoted attribute: harmless to the page and to terminals.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in clean(text).chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            // XML and HTML do not allow these two.
            '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}

/// The attribute for the mood; empty if neutral.
pub(super) fn class(mood: Mood) -> &'static str {
    match mood {
        Mood::Quiet => " class=\"quiet\"",
        Mood::Warning => " class=\"warning\"",
        Mood::Bad => " class=\"bad\"",
        Mood::Plain | Mood::Good => "",
    }
}

/// A list item; what is wrong, or may be, is also marked with a sign.
pub(super) fn sentence(mood: Mood, text: &str) -> String {
    let sign = match mood {
        Mood::Bad => "✘ ",
        Mood::Warning => "! ",
        Mood::Plain | Mood::Quiet | Mood::Good => "",
    };
    format!("<li{}>{sign}{}</li>", class(mood), escaped(text))
}

/// A table with a caption; scrolls by itself where it is wider than the page.
pub(super) fn grid(grid: &Grid, caption: &str) -> String {
    let caption = escaped(caption);
    let mut markup = format!(
        "<div class=\"scroll\" role=\"region\" aria-label=\"{caption}\" tabindex=\"0\">\n\
         <table>\n<caption>{caption}</caption>\n<thead><tr>"
    );
    for column in &grid.columns {
        markup.push_str(&format!("<th scope=\"col\"{}>{}</th>", side(column), escaped(&shortened(&column.title))));
    }
    markup.push_str("</tr></thead>\n<tbody>\n");
    for (mood, cells) in &grid.rows {
        markup.push_str(&format!("<tr{}>", class(*mood)));
        for (cell, column) in cells.iter().zip(&grid.columns) {
            markup.push_str(&format!("<td{}>{}</td>", side(column), escaped(&shortened(cell))));
        }
        markup.push_str("</tr>\n");
    }
    markup.push_str("</tbody>\n</table>\n</div>");
    markup
}

fn side(column: &Column) -> &'static str {
    if column.is_right { " class=\"number\"" } else { "" }
}

fn shortened(text: &str) -> String {
    let mut characters = text.chars();
    let mut short: String = characters.by_ref().take(CELL).collect();
    if characters.next().is_some() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_becomes_text() {
        assert_eq!(escaped("<b a='1' c=\"2\">&\n\u{202e}"), "&lt;b a=&#39;1&#39; c=&quot;2&quot;&gt;&amp;␊\u{fffd}");
        assert_eq!(sentence(Mood::Warning, "<x>"), "<li class=\"warning\">! &lt;x&gt;</li>");
        assert_eq!(shortened(&"长".repeat(300)).chars().count(), CELL + 1);
    }
}
