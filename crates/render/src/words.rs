//! Words shared by pages.

use chronoscope_harness::quantity::confidence;
use chronoscope_harness::record::Estimate;

/// The recorded reason, or a note that there is none.
pub fn given(reason: Option<&str>) -> String {
    reason.filter(|reason| !reason.trim().is_empty()).unwrap_or("no reason recorded").to_owned()
}

/// The count with `singular` or `plural`.
pub fn counted(count: u64, singular: &str, plural: &str) -> String {
    format!("{} {}", chronoscope_harness::quantity::count(count), if count == 1 { singular } else { plural })
}

/// A clock's name within a sentence, quoted where it would otherwise fall apart, like `lfence; rdtsc`.
pub fn quoted(name: &str) -> String {
    let name = unquoted(name);
    if name.contains([' ', ';']) { format!("`{name}`") } else { name }
}

/// A name without the quotes that mark names in a sentence: one of its own would end it, or begin another.
pub fn unquoted(name: &str) -> String {
    name.replace('`', "'")
}

/// That intervals drawn together promise different things, which a reader who compares them must know; None where they promise
/// the same.
pub fn confidences(of: impl Iterator<Item = Estimate>) -> Option<String> {
    let mut known: Vec<f64> = of.filter(Estimate::has_interval).map(|one| one.confidence).collect();
    known.sort_by(f64::total_cmp);
    let (least, most) = (confidence(*known.first()?), confidence(*known.last()?));
    (least != most).then(|| format!("The bands differ in confidence: from {least} to {most}."))
}

/// A round value as an axis has it: `1 µs`, not `1.00 µs`.
pub(crate) fn tick(word: &str) -> String {
    let (number, unit) = word.split_once(' ').unwrap_or((word, ""));
    let number = if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { number };
    format!("{number} {unit}").trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_that_promise_different_things_are_told() {
        let of = |known: &[f64]| {
            confidences(known.iter().map(|confidence| Estimate { confidence: *confidence, ..Estimate::certain(1.0) }))
        };
        let told = of(&[0.999, 0.75, 0.0]).unwrap();
        assert_eq!(told, "The bands differ in confidence: from 75.0 % to 99.9 %.");
        assert_eq!((of(&[0.999, 0.9991]), of(&[0.0]), of(&[])), (None, None, None), "none is no interval");
    }

    #[test]
    fn a_name_has_no_quotes_but_those_around_it() {
        assert_eq!(
            ["rdtsc", "lfence; rdtsc", "a`b", "a` b"].map(quoted),
            ["rdtsc", "`lfence; rdtsc`", "a'b", "`a' b`"]
        );
    }

    #[test]
    fn a_tick_has_no_digits_that_say_nothing() {
        assert_eq!([tick("1.00 µs"), tick("0.500 ns"), tick("10 %"), tick("100")], ["1 µs", "0.5 ns", "10 %", "100"]);
    }
}
