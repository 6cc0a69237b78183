//! Values of options, parsed from text.

use std::str::FromStr;
use std::time::Duration;

/// A duration with its unit, such as `500ns` or `1min`; errors name what is `accepted`.
///
/// # Errors
/// Why `text` is invalid.
///
/// # Examples
/// ```
/// use chronoscope_bench::time;
///
/// assert_eq!(time("5us", "1 ns to 1 s"), Ok(std::time::Duration::from_micros(5)));
/// assert_eq!(time("-5us", "1 ns to 1 s").unwrap_err(), "it is negative; choose 1 ns to 1 s");
/// ```
pub fn time(text: &str, accepted: &str) -> Result<Duration, String> {
    let text = text.trim();
    let is_negative = text.strip_prefix(['-', '−']).is_some_and(|rest| humantime::parse_duration(rest).is_ok());
    if is_negative {
        return Err(format!("it is negative; choose {accepted}"));
    }
    humantime::parse_duration(text).map_err(|error| format!("not a time ({error}); choose {accepted}"))
}

/// A whole number; errors name what is `accepted`.
///
/// # Errors
/// Why `text` is invalid.
///
/// # Examples
/// ```
/// use chronoscope_bench::whole_number;
///
/// assert_eq!(whole_number::<u32>("4", "1 to 4096"), Ok(4));
/// assert_eq!(whole_number::<u32>("-4", "1 to 4096").unwrap_err(), "it is negative; choose 1 to 4096");
/// ```
pub fn whole_number<T: FromStr>(text: &str, accepted: &str) -> Result<T, String> {
    let is_number = |digits: &str| !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
    match text.parse() {
        Ok(number) => Ok(number),
        Err(_) if text.strip_prefix('-').is_some_and(is_number) => Err(format!("it is negative; choose {accepted}")),
        Err(_) if is_number(text) => Err(format!("too large; choose {accepted}")),
        Err(_) => Err(format!("not a whole number; choose {accepted}")),
    }
}

/// A percentage above 0 and up to 100, with or without its sign; errors name what is `accepted`.
///
/// # Errors
/// Why `text` is invalid.
///
/// # Examples
/// ```
/// use chronoscope_bench::percentage;
///
/// assert_eq!(percentage("2.5%", "more than 0 to 100"), Ok(2.5));
/// assert_eq!(percentage("0", "more than 0 to 100").unwrap_err(), "out of range; choose more than 0 to 100");
/// ```
pub fn percentage(text: &str, accepted: &str) -> Result<f64, String> {
    percentage_to(text, 100.0, accepted)
}

/// The same up to `most`, for what may be more than the whole.
///
/// # Errors
/// As for [`percentage`].
///
/// # Examples
/// ```
/// assert_eq!(chronoscope_bench::percentage_to("150%", 1000.0, "more than 0 to 1000"), Ok(150.0));
/// ```
pub fn percentage_to(text: &str, most: f64, accepted: &str) -> Result<f64, String> {
    match text.trim().trim_end_matches('%').trim_end().parse::<f64>() {
        Ok(value) if value > 0.0 && value <= most => Ok(value),
        Ok(value) if value < 0.0 => Err(format!("it is negative; choose {accepted}")),
        Ok(_) => Err(format!("out of range; choose {accepted}")),
        Err(_) => Err(format!("not a percentage; choose {accepted}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_wrong_is_told_with_what_is_accepted() {
        for (text, told) in [
            ("-5us", "it is negative; choose X"),
            ("−5us", "it is negative; choose X"),
            ("5", "not a time (time unit needed, for example 5sec or 5ms); choose X"),
            ("--quick", "not a time"),
            ("", "not a time"),
        ] {
            let refused = time(text, "X").unwrap_err();
            assert!(refused.starts_with(told) && refused.ends_with("choose X"), "{text}: {refused}");
        }
        for (text, told) in [
            ("-1", "it is negative"),
            ("99999999999", "too large"),
            ("1.5", "not a whole number"),
            ("", "not a whole number"),
            ("-", "not a whole number"),
        ] {
            let refused = whole_number::<u32>(text, "X").unwrap_err();
            assert!(refused.starts_with(told) && refused.ends_with("choose X"), "{text}: {refused}");
        }
    }

    proptest! {
        #[test]
        fn nothing_panics(text in ".{0,20}") {
            let _ = (time(&text, ""), whole_number::<u32>(&text, ""), percentage(&text, ""));
        }
    }
}
