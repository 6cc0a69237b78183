use std::ops::RangeInclusive;
use std::str::FromStr;

/// No machine has more.
const MOST_CPUS: u64 = 65_536;
/// A longer list is a typo.
const MOST_NUMBERS: usize = 100_000;

/// CPUs in Linux list syntax: `0-3,6`.
///
/// # Examples
/// ```
/// use chronoscope_bench::CpuList;
///
/// assert_eq!("0-2,5".parse(), Ok(CpuList(vec![0, 1, 2, 5])));
/// assert!("3-1".parse::<CpuList>().unwrap_err().contains("1-3"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CpuList(pub Vec<u32>);

/// Thread counts: `1,2,4` or `1-4`. The plan decides whether they can be run.
///
/// # Examples
/// ```
/// use chronoscope_bench::ThreadList;
///
/// assert_eq!("1-3, 8".parse(), Ok(ThreadList(vec![1, 2, 3, 8])));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadList(pub Vec<u32>);

/// Tokens of backoff: `0-40` or `0,5,10`.
///
/// # Examples
/// ```
/// use chronoscope_bench::TokenList;
///
/// assert_eq!("0,5,10-12".parse(), Ok(TokenList(vec![0, 5, 10, 11, 12])));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenList(pub Vec<u64>);

impl FromStr for CpuList {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        numbers(text, "CPU", "0-3,6", 0..=MOST_CPUS - 1).map(small).map(Self)
    }
}

impl FromStr for ThreadList {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        numbers(text, "number of threads", "1,2,4", 0..=u64::from(u32::MAX)).map(small).map(Self)
    }
}

impl FromStr for TokenList {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        numbers(text, "number of tokens", "0-40 or 0,5,10", 0..=u64::MAX).map(Self)
    }
}

/// The numbers of a list, in order; `noun` names one in errors.
fn numbers(text: &str, noun: &str, example: &str, allowed: RangeInclusive<u64>) -> Result<Vec<u64>, String> {
    let number = |word: &str| match word.trim().parse::<u64>() {
        Ok(number) if allowed.contains(&number) => Ok(number),
        _ => Err(format!("\"{}\" is not a {noun}; write a list, e.g. {example}", word.trim())),
    };
    let mut found = Vec::new();
    for piece in text.split(',') {
        let (first, last) = match piece.split_once('-') {
            // A negative number, not a range.
            Some((first, _)) if first.trim().is_empty() => (number(piece)?, number(piece)?),
            Some((first, last)) => (number(first)?, number(last)?),
            None => (number(piece)?, number(piece)?),
        };
        if first > last {
            return Err(format!("\"{}\" is backwards; write {last}-{first}", piece.trim()));
        }
        if last - first >= (MOST_NUMBERS - found.len()) as u64 {
            return Err(format!("\"{}\" names more than {MOST_NUMBERS} numbers; name fewer", text.trim()));
        }
        found.extend(first..=last);
    }
    Ok(found)
}

/// Numbers known to fit in 32 bits.
fn small(numbers: Vec<u64>) -> Vec<u32> {
    numbers.into_iter().filter_map(|number| u32::try_from(number).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lists_and_ranges() {
        assert_eq!("0-2,5".parse(), Ok(CpuList(vec![0, 1, 2, 5])));
        assert_eq!(" 1 ".parse(), Ok(CpuList(vec![1])));
        assert_eq!("1, 2,4".parse(), Ok(ThreadList(vec![1, 2, 4])));
        assert_eq!("0-3,1048576".parse(), Ok(TokenList(vec![0, 1, 2, 3, 1_048_576])));
    }

    #[test]
    fn nonsense_is_refused() {
        for wrong in ["", "a", "3-1", "1,,2", "-1", "0-99999999", "1-2-3", "1.5"] {
            assert!(wrong.parse::<CpuList>().is_err(), "{wrong}");
            assert!(wrong.parse::<TokenList>().is_err(), "{wrong}");
        }
        for wrong in ["", "one", "1,,2", "-1", "1.5", "99999999999"] {
            assert!(wrong.parse::<ThreadList>().is_err(), "{wrong}");
        }
        // A negative number is named whole, and so is a list that is too long.
        assert!("2,-3-4".parse::<TokenList>().unwrap_err().contains("\"-3-4\""));
        assert!("0-18446744073709551615".parse::<TokenList>().unwrap_err().contains("fewer"));
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "[-0-9, ]{0,60}") {
            let _ = (text.parse::<CpuList>(), text.parse::<ThreadList>(), text.parse::<TokenList>());
        }

        #[test]
        fn what_is_written_is_read(numbers in prop::collection::vec(any::<u64>(), 1..20)) {
            let text: Vec<String> = numbers.iter().map(u64::to_string).collect();
            prop_assert_eq!(text.join(",").parse(), Ok(TokenList(numbers)));
        }
    }
}
