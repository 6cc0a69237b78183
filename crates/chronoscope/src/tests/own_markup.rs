//! What pages for browsers may consist of.

/// The elements of a page and of its charts.
const ELEMENTS: &str = "!doctype html head meta title style script body main footer section nav a h1 h2 h3 h4 p ul li b i code span div \
    details summary dl dt dd pre table thead tbody tr th td figure svg defs g use text line circle rect path";

/// That every element is one of the page's own, that they are closed in order, and that no character is one of control.
pub fn assert_own_markup(page: &str) {
    assert!(page.chars().all(|c| c == '\n' || !c.is_control()), "a control character in the page");
    let mut open: Vec<String> = Vec::new();
    for piece in page.split('<').skip(1) {
        let (tag, _) = piece.split_once('>').expect("every element ends");
        let name = tag.trim_start_matches('/').trim_end_matches('/').split([' ', '\n']).next().unwrap_or_default();
        let name = &name.to_lowercase();
        assert!(ELEMENTS.split(' ').any(|own| own == name), "<{tag}>");
        // Anything may appear between quotes, but no attribute may be a handler.
        let attributes: String = tag.split('"').step_by(2).collect();
        assert!(!attributes.contains(" on"), "<{tag}>");
        // No style but the width that a drawing has.
        let parts: Vec<&str> = tag.split('"').collect();
        for value in parts.chunks(2).filter(|pair| pair[0].trim_end().ends_with(" style=")).map(|pair| pair[1]) {
            let width = value.strip_prefix("max-width:").and_then(|width| width.strip_suffix("px"));
            assert!(width.is_some_and(|width| width.bytes().all(|byte| byte.is_ascii_digit())), "<{tag}>");
        }
        if tag.starts_with('/') {
            assert_eq!(open.pop().as_ref(), Some(name), "</{name}>");
        } else if !["!doctype", "meta"].contains(&&name[..]) {
            open.push(name.clone());
        }
    }
    assert!(open.is_empty(), "{open:?}");
}
