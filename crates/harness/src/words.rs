//! Numbers in sentences.

/// Nanoseconds for a sentence, to three digits.
pub fn ns(value: f64) -> String {
    let (scaled, unit) = match value.abs() {
        v if v < 999.5 => (value, "ns"),
        v if v < 999.5e3 => (value / 1e3, "µs"),
        v if v < 999.5e6 => (value / 1e6, "ms"),
        _ => (value / 1e9, "s"),
    };
    let decimals = match scaled.abs() {
        v if v >= 99.95 || v == 0.0 => 0,
        v if v >= 9.995 => 1,
        v if v >= 0.9995 => 2,
        _ => 3,
    };
    format!("{scaled:.decimals$} {unit}")
}

/// A count for a sentence, its digits in groups of three.
pub fn count(value: u64) -> String {
    let digits = value.to_string();
    let first = digits.len() % 3;
    let (head, tail) = digits.split_at(first);
    let groups = tail.as_bytes().chunks(3).map(|group| String::from_utf8_lossy(group).into_owned());
    let groups: Vec<String> = std::iter::once(head.to_owned()).filter(|head| !head.is_empty()).chain(groups).collect();
    groups.join("\u{202f}")
}

#[cfg(test)]
mod tests {
    #[test]
    fn lengths_have_three_digits() {
        let said = [0.0, 0.358, 1.0, 8.876, 16.91, 999.4, 999.6, 10_000.0, -1_234_567.0].map(super::ns);
        assert_eq!(
            said,
            ["0 ns", "0.358 ns", "1.00 ns", "8.88 ns", "16.9 ns", "999 ns", "1.00 µs", "10.0 µs", "-1.23 ms"]
        );
    }

    #[test]
    fn counts_are_grouped() {
        assert_eq!(super::count(0), "0");
        assert_eq!(super::count(123), "123");
        assert_eq!(super::count(12_345_678), "12\u{202f}345\u{202f}678");
    }
}
