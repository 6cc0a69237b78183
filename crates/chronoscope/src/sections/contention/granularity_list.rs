use std::str::FromStr;
use std::time::Duration;

/// Granularities, in nanoseconds or with a unit: `0,100,1us`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GranularityList(pub Vec<Duration>);

impl FromStr for GranularityList {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let granularity = |word: &str| {
            let word = word.trim();
            let plain = word.parse().map(Duration::from_nanos).ok();
            plain
                .or_else(|| humantime::parse_duration(word).ok())
                .ok_or_else(|| format!("\"{word}\" is not a granularity; write nanoseconds or a time, e.g. 0,100,1us"))
        };
        text.split(',').map(granularity).collect::<Result<_, _>>().map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn granularities_are_nanoseconds_or_times() {
        let expected = [0, 100, 1_000, 2_000_000].map(Duration::from_nanos).to_vec();
        assert_eq!("0,100,1us,2ms".parse(), Ok(GranularityList(expected)));
        for wrong in ["", "coarse", "1,,2", "-1", "1.5", "1 parsec", "99999999999999999999"] {
            assert!(wrong.parse::<GranularityList>().is_err(), "{wrong}");
        }
    }
}
