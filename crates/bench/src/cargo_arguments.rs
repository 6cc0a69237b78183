use std::fmt;
use std::str::FromStr;

/// Arguments for cargo, given as one text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct CargoArguments {
    text: String,
    words: Vec<String>,
}

impl CargoArguments {
    pub(super) fn words(&self) -> &[String] {
        &self.words
    }
}

impl FromStr for CargoArguments {
    type Err = String;

    /// Splits as a shell does. What cargo would silently not use is refused: it would not build what is asked for.
    fn from_str(text: &str) -> Result<Self, String> {
        const ACCEPTED: &str = "give options of cargo bench, e.g. \"--features simd\"";
        let words = shlex::split(text).ok_or_else(|| format!("a quotation is not closed; {ACCEPTED}"))?;
        if words.first().is_some_and(|first| !first.starts_with('-')) || words.iter().any(|word| word == "--") {
            return Err(format!("cargo would pass this on to the benchmark; {ACCEPTED}"));
        }
        Ok(Self { text: text.trim().to_owned(), words })
    }
}

impl fmt::Display for CargoArguments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split_as_a_shell_does() {
        let words = |text: &str| text.parse::<CargoArguments>().map(|found| found.words);
        assert_eq!(words(" --features simd  ").unwrap(), ["--features", "simd"]);
        assert_eq!(words("--features 'simd fast' --profile=x").unwrap(), ["--features", "simd fast", "--profile=x"]);
        assert_eq!(words("").unwrap(), Vec::<String>::new());
        for (wrong, why) in [
            ("--features 'simd", "is not closed"),
            ("simd", "to the benchmark"),
            ("--features simd -- --quick", "to the benchmark"),
        ] {
            let refused = words(wrong).unwrap_err();
            assert!(refused.contains(why) && refused.contains("e.g."), "{wrong}: {refused}");
        }
    }
}
