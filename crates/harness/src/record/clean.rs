use std::borrow::Cow;

/// `text` with every character that could steer a terminal made visible.
///
/// A record may come from any machine; its strings must not move the cursor, colour the screen or change the text
/// direction.
pub fn clean(text: &str) -> Cow<'_, str> {
    if text.chars().any(|c| visible(c) != c) { Cow::Owned(text.chars().map(visible).collect()) } else { text.into() }
}

fn visible(c: char) -> char {
    match c {
        // The control pictures follow the same order, from U+2400.
        '\0'..='\x1f' => char::from_u32(0x2400 + u32::from(c)).unwrap_or('\u{fffd}'),
        '\x7f' => '\u{2421}',
        '\u{80}'..='\u{9f}'
        | '\u{ad}'
        | '\u{61c}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e007f}' => '\u{fffd}',
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::clean;

    #[test]
    fn escapes_become_visible() {
        assert_eq!(clean("a\x1b[31mb\nc\u{202e}d\u{9b}e"), "a␛[31mb␊c\u{fffd}d\u{fffd}e");
        assert_eq!(clean("21.7 µs · 1\u{202f}000"), "21.7 µs · 1\u{202f}000");
    }
}
