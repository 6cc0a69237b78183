use std::str::FromStr;

/// No machine has more.
const MOST_CPUS: u32 = 65_536;

/// CPUs as Linux writes lists of them: `0-3,6`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CpuList(pub(crate) Vec<u32>);

impl FromStr for CpuList {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |word: &str| match word.trim().parse::<u32>() {
            Ok(cpu) if cpu < MOST_CPUS => Ok(cpu),
            _ => Err(format!("\"{word}\" is no CPU; write a list such as 0-3,6")),
        };
        let mut cpus = Vec::new();
        for piece in text.split(',') {
            match piece.split_once('-') {
                Some((first, last)) => {
                    let (first, last) = (number(first)?, number(last)?);
                    if first > last {
                        return Err(format!("\"{piece}\" runs backwards; write {last}-{first}"));
                    }
                    cpus.extend(first..=last);
                }
                None => cpus.push(number(piece)?),
            }
        }
        Ok(Self(cpus))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_ranges() {
        assert_eq!("0-2,5".parse(), Ok(CpuList(vec![0, 1, 2, 5])));
        assert_eq!(" 1 ".parse(), Ok(CpuList(vec![1])));
    }

    #[test]
    fn nonsense_is_refused() {
        for wrong in ["", "a", "3-1", "1,,2", "-1", "0-99999999", "1-2-3"] {
            assert!(wrong.parse::<CpuList>().is_err(), "{wrong}");
        }
    }
}
