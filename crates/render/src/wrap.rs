//! Truncates and wraps text.

use chronoscope_harness::record::clean;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Words kept on the same line as the number before them.
pub(crate) const UNITS: [&str; 9] = ["ns", "µs", "ms", "s", "%", "ppm", "MHz", "Hz", "cycles"];

/// `text` truncated to `width` columns, with an ellipsis.
pub fn fitted(text: &str, width: usize) -> String {
    let text = clean(text);
    if text.width() <= width {
        return text.into_owned();
    }
    let mut cut = String::new();
    let mut used = 1;
    for c in text.chars() {
        used += c.width().unwrap_or(0);
        if used > width {
            break;
        }
        cut.push(c);
    }
    cut.push('…');
    cut
}

/// `text` wrapped to at most `width` columns; at least one piece.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let width = width.max(10);
    let mut pieces = Vec::new();
    let mut piece = String::new();
    let mut used = 0;
    for word in words(&clean(text)) {
        let wide = word.width();
        if used > 0 && used + 1 + wide > width {
            pieces.push(std::mem::take(&mut piece));
            used = 0;
        }
        if used > 0 {
            piece.push(' ');
            used += 1;
        }
        for c in word.chars() {
            let columns = c.width().unwrap_or(0);
            if used + columns > width {
                pieces.push(std::mem::take(&mut piece));
                used = 0;
            }
            piece.push(c);
            used += columns;
        }
    }
    if !piece.is_empty() || pieces.is_empty() {
        pieces.push(piece);
    }
    pieces
}

/// The words of `text`, each number together with its unit.
pub(crate) fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let bare = word.trim_end_matches([',', ';', '.', ':', ')']);
        match words.last_mut() {
            Some(last) if UNITS.contains(&bare) && last.ends_with(|c: char| c.is_ascii_digit()) => {
                last.push(' ');
                last.push_str(word);
            }
            _ => words.push(word.to_owned()),
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_number_keeps_its_unit() {
        assert_eq!(wrapped("it takes 8.10 ns, at best", 13), ["it takes", "8.10 ns, at", "best"]);
        assert_eq!(wrapped("", 20), [""]);
        assert_eq!(fitted("CLOCK_MONOTONIC", 6), "CLOCK…");
    }

    proptest! {
        #[test]
        fn pieces_fit(text in ".{0,200}", width in 10_usize..80) {
            for piece in wrapped(&text, width) {
                // A character's width in isolation may differ from its width in a string, by at most one column each.
                prop_assert!(piece.chars().filter_map(UnicodeWidthChar::width).sum::<usize>() <= width);
            }
        }
    }
}
