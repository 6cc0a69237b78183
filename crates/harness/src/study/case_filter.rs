use std::fmt;

/// Which cases of a study to measure, by path: `study/case`.
///
/// # Examples
/// ```
/// use chronoscope_harness::{CaseFilter, CasePattern};
///
/// let filter = CaseFilter {
///     wanted: vec![CasePattern::Under("gate".to_owned())],
///     skipped: vec![CasePattern::PathContains("slow".to_owned())],
/// };
/// assert!(filter.selects("gate", "open"));
/// assert!(!filter.selects("gate", "open_slowly"));
/// assert!(!filter.selects("floodgate", "open"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CaseFilter {
    /// A case that matches any of these is selected; empty for all.
    pub wanted: Vec<CasePattern>,
    /// A case that matches any of these is left out.
    pub skipped: Vec<CasePattern>,
}

/// One condition of a [`CaseFilter`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CasePattern {
    /// The case's name contains this.
    NameContains(String),
    /// The path contains this.
    PathContains(String),
    /// The path equals this.
    Path(String),
    /// The path equals this, or continues it with a `/`.
    Under(String),
}

impl CaseFilter {
    /// Whether it selects this case.
    pub fn selects(&self, study: &str, case: &str) -> bool {
        let any = |patterns: &[CasePattern]| patterns.iter().any(|pattern| pattern.matches(study, case));
        (self.wanted.is_empty() || any(&self.wanted)) && !any(&self.skipped)
    }
}

/// What was asked for, as errors name it.
impl fmt::Display for CaseFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = |patterns: &[CasePattern]| patterns.iter().map(CasePattern::text).collect::<Vec<_>>().join(" or ");
        f.write_str(&if self.wanted.is_empty() { "the filter".to_owned() } else { words(&self.wanted) })?;
        if self.skipped.is_empty() { Ok(()) } else { write!(f, " without {}", words(&self.skipped)) }
    }
}

impl CasePattern {
    fn matches(&self, study: &str, case: &str) -> bool {
        let path = || format!("{study}/{case}");
        match self {
            Self::NameContains(text) => case.contains(text.as_str()),
            Self::PathContains(text) => path().contains(text.as_str()),
            Self::Path(text) => path() == *text,
            Self::Under(text) => {
                path().strip_prefix(text.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            }
        }
    }

    fn text(&self) -> &str {
        match self {
            Self::NameContains(text) | Self::PathContains(text) | Self::Path(text) | Self::Under(text) => text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_names_or_whole_parts_of_paths() {
        let matches = |pattern: CasePattern, case: &str| pattern.matches("gate", case);
        assert!(matches(CasePattern::NameContains("n".to_owned()), "unaligned"));
        assert!(!matches(CasePattern::NameContains("gate".to_owned()), "n"), "the study is no part of a case's name");
        assert!(matches(CasePattern::PathContains("te/un".to_owned()), "unaligned"));
        assert!(matches(CasePattern::Path("gate/n".to_owned()), "n"));
        assert!(!matches(CasePattern::Path("gate".to_owned()), "n"));
        for (under, case, is_match) in [
            ("gate", "n", true),
            ("gate/n", "n", true),
            ("gate/n", "unaligned", false),
            ("gate/n", "n/4", true),
            ("gate/n", "n4", false),
            ("ga", "n", false),
        ] {
            assert_eq!(matches(CasePattern::Under(under.to_owned()), case), is_match, "{under} {case}");
        }
    }

    #[test]
    fn what_is_skipped_is_left_out_of_what_is_wanted() {
        let filter = CaseFilter {
            wanted: vec![CasePattern::NameContains("a".to_owned())],
            skipped: vec![CasePattern::Path("s/ab".to_owned())],
        };
        let selected: Vec<&str> = ["a", "ab", "b"].into_iter().filter(|case| filter.selects("s", case)).collect();
        assert_eq!(selected, ["a"]);
        assert_eq!(filter.to_string(), "a without s/ab");
        assert!(CaseFilter::default().selects("s", "b"));
    }
}
