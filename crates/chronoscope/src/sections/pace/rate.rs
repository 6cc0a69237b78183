use std::str::FromStr;
use std::time::Duration;

/// Events per time: `100k`, `2.5M`, `30/1min`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate(pub (u64, Duration));

const HOW: &str = "write events per second, e.g. 1500, 100k or 2.5M, or events per time, e.g. 30/1min";
/// Maximum digits after the point.
const MOST_DECIMALS: usize = 9;

impl FromStr for Rate {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (events, per) = match text.split_once('/') {
            None => (text, Duration::from_secs(1)),
            Some((events, per)) => {
                // In `1k/s` the time is one second.
                let per = if per.starts_with(|first: char| first.is_ascii_digit()) {
                    per.to_owned()
                } else {
                    format!("1{per}")
                };
                (events, humantime::parse_duration(&per).map_err(|error| format!("{per}: {error}; {HOW}"))?)
            }
        };
        let (number, factor) = match events.trim().char_indices().last() {
            Some((at, 'k' | 'K')) => (&events.trim()[..at], 1_000),
            Some((at, 'M')) => (&events.trim()[..at], 1_000_000),
            _ => (events.trim(), 1_u64),
        };
        let wrong = || format!("{text} is not a rate; {HOW}");
        let (whole, decimals) = number.split_once('.').unwrap_or((number, ""));
        let is_number = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() || !is_number(whole) || !is_number(decimals) || decimals.len() > MOST_DECIMALS {
            return Err(wrong());
        }
        // Exact: decimals make the time longer instead of the number of events a float.
        let scale = 10_u64.pow(decimals.len() as u32);
        let digits: u64 = format!("{whole}{decimals}").parse().map_err(|_| wrong())?;
        let events = digits.checked_mul(factor).ok_or_else(wrong)?;
        let common = greatest_common_divisor(events.max(1), scale);
        let scale = u32::try_from(scale / common).map_err(|_| wrong())?;
        let per = per.checked_mul(scale).ok_or_else(wrong)?;
        Ok(Self((events / common, per)))
    }
}

fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn rates_are_exact() {
        let second = Duration::from_secs(1);
        for (text, events, per) in [
            ("1500", 1_500, second),
            ("100k", 100_000, second),
            ("2.5M", 2_500_000, second),
            ("0.5", 1, second * 2),
            ("33.3", 333, second * 10),
            ("30/1min", 30, Duration::from_secs(60)),
            ("7/s", 7, second),
            ("1k/10ms", 1_000, Duration::from_millis(10)),
            ("0", 0, second),
        ] {
            assert_eq!(text.parse(), Ok(Rate((events, per))), "{text}");
        }
    }

    #[test]
    fn what_is_no_rate_is_refused() {
        for text in
            ["", "k", "-5", "1e6", "fast", "1.2.3", "99999999999999999999", "18446744073709551615M", "5/", "5/soon"]
        {
            let refused = text.parse::<Rate>().unwrap_err();
            assert!(refused.contains("events per"), "{text}: {refused}");
        }
    }

    proptest! {
        #[test]
        fn nothing_panics(text in ".{0,20}") {
            let _ = text.parse::<Rate>();
        }
    }
}
