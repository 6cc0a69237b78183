//! The format of /proc/cpuinfo: lines of `key : value`.

pub(super) const PATH: &str = "/proc/cpuinfo";

/// Every value of `key`, in file order.
pub(super) fn values<'a>(text: &'a str, key: &'a str) -> impl Iterator<Item = &'a str> {
    text.lines().filter_map(move |line| {
        let (name, value) = line.split_once(':')?;
        (name.trim() == key).then(|| value.trim())
    })
}

/// The first non-empty value of `key`.
pub(super) fn first<'a>(text: &'a str, key: &'a str) -> Option<&'a str> {
    values(text, key).find(|value| !value.is_empty())
}

/// The words in the flags line: `flags` on x86, `Features` on Arm.
pub(super) fn flags(text: &str) -> Option<Vec<&str>> {
    let line = first(text, "flags").or_else(|| first(text, "Features"))?;
    Some(line.split_whitespace().collect())
}

/// A number in decimal or, with `0x`, in hexadecimal.
pub(super) fn number(text: &str) -> Option<u32> {
    match text.strip_prefix("0x") {
        Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16).ok(),
        None => text.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TEXT: &str =
        "processor\t: 0\nmodel\t\t: 106\nmodel name\t: A @ 2.80GHz\nflags\t\t: fpu tsc\n\nprocessor\t: 1\n";

    #[test]
    fn a_key_is_matched_whole() {
        assert_eq!(first(TEXT, "model"), Some("106"));
        assert_eq!(values(TEXT, "processor").collect::<Vec<_>>(), ["0", "1"]);
        assert_eq!(flags(TEXT), Some(vec!["fpu", "tsc"]));
        assert_eq!(first(TEXT, "flag"), None);
    }

    #[test]
    fn numbers_have_two_forms() {
        assert_eq!(number("0xd0c"), Some(0xd0c));
        assert_eq!(number("106"), Some(106));
        assert_eq!(number("106 "), None);
    }

    proptest! {
        #[test]
        fn never_panics(text in ".*", key in ".*") {
            let _ = (first(&text, &key), flags(&text), number(&text));
        }
    }
}
