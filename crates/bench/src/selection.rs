//! Which cases the command line selects.

use chronoscope_harness::study_words::list;
use chronoscope_harness::{CaseFilter, CasePattern};

/// A study by its names.
#[derive(Clone, Debug)]
pub(super) struct Named<'a> {
    pub(super) study: &'a str,
    pub(super) cases: Vec<String>,
}

/// What the command line says about names. A text that is a path, or the beginning of one at a `/`, selects just that; any
/// other selects what contains it.
#[derive(Clone, Debug)]
pub(super) struct Selection<'a> {
    /// Empty for all cases.
    pub(super) texts: Vec<&'a str>,
    pub(super) skipped: &'a [String],
    /// Whole names only.
    pub(super) is_exact: bool,
}

impl Selection<'_> {
    /// The filter for each study; None where it leaves no case.
    pub(super) fn filters(&self, studies: &[Named<'_>]) -> Vec<Option<CaseFilter>> {
        let is_all = self.texts.is_empty() && self.skipped.is_empty();
        let leaves_any = |study: &Named<'_>, filter: &CaseFilter| {
            is_all || study.cases.iter().any(|case| filter.selects(study.study, case))
        };
        let of = |study: &Named<'_>| {
            let filter = CaseFilter {
                wanted: self.texts.iter().map(|text| self.wanted(text, study, studies)).collect(),
                skipped: self.skipped.iter().map(|text| self.skipped(text, studies)).collect(),
            };
            leaves_any(study, &filter).then_some(filter)
        };
        studies.iter().map(of).collect()
    }

    fn wanted(&self, text: &str, study: &Named<'_>, studies: &[Named<'_>]) -> CasePattern {
        match self.is_exact {
            true => whole_name(text, studies),
            false => path(text, studies).unwrap_or_else(|| part(text, study, studies.len() == 1)),
        }
    }

    fn skipped(&self, text: &str, studies: &[Named<'_>]) -> CasePattern {
        match self.is_exact {
            true => whole_name(text, studies),
            false => CasePattern::PathContains(text.to_owned()),
        }
    }

    /// What was asked for, where nothing is selected.
    pub(super) fn refusal(&self, studies: &[Named<'_>]) -> String {
        let (texts, skipped) = (self.texts.join(" or "), self.skipped.join(" or "));
        let what = if studies.len() == 1 { "case" } else { "study or case" };
        let nothing = match (self.is_exact, texts.is_empty(), skipped.is_empty()) {
            (_, true, _) => format!("--skip {skipped} leaves no case"),
            (true, _, true) => format!("no case is named {texts} (--exact takes whole names: study/case)"),
            (false, _, true) => format!("no {what} matches {texts}"),
            (_, _, false) => format!("no case matches {texts} after --skip {skipped}"),
        };
        match studies {
            [alone] => format!("{nothing}; cases: {}", list(alone.cases.iter().map(String::as_str))),
            _ => {
                let names: Vec<&str> = studies.iter().map(|named| named.study).collect();
                format!("{nothing}; studies: {} (--list shows their cases)", names.join(", "))
            }
        }
    }
}

/// A case by its path; in a program of one study, also by its name.
fn whole_name(text: &str, studies: &[Named<'_>]) -> CasePattern {
    let path = CasePattern::Path(text.to_owned());
    match studies {
        [alone] if !matches_any(&path, studies) => CasePattern::Path(format!("{}/{text}", alone.study)),
        _ => path,
    }
}

/// What is at this path or below it, if anything is. In a program of one study, paths may leave its name out.
fn path(text: &str, studies: &[Named<'_>]) -> Option<CasePattern> {
    let path = text.strip_suffix('/').unwrap_or(text);
    let within = studies.first().filter(|_| studies.len() == 1).map(|alone| format!("{}/{path}", alone.study));
    let places = [Some(path.to_owned()), within].into_iter().flatten().filter(|_| !path.is_empty());
    places.map(CasePattern::Under).find(|pattern| matches_any(pattern, studies))
}

/// The cases of `study` whose names contain the text, or all if its own name does, unless it is the only one.
fn part(text: &str, study: &Named<'_>, is_alone: bool) -> CasePattern {
    if !is_alone && study.study.contains(text) {
        return CasePattern::Under(study.study.to_owned());
    }
    let in_study = text.strip_prefix(study.study).and_then(|rest| rest.strip_prefix('/'));
    CasePattern::NameContains(in_study.unwrap_or(text).to_owned())
}

fn matches_any(pattern: &CasePattern, studies: &[Named<'_>]) -> bool {
    let filter = CaseFilter { wanted: vec![pattern.clone()], skipped: Vec::new() };
    studies.iter().any(|named| named.cases.iter().any(|case| filter.selects(named.study, case)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(study: &'static str, cases: &[&str]) -> Named<'static> {
        Named { study, cases: cases.iter().map(|case| (*case).to_owned()).collect() }
    }

    fn studies() -> [Named<'static>; 3] {
        [
            named("gate", &["n", "unaligned", "rare"]),
            named("rare", &["one", "two"]),
            named("rare calls", &["one", "a/b"]),
        ]
    }

    /// The paths that are selected.
    fn selected(studies: &[Named<'_>], texts: &[&str], skipped: &[&str], is_exact: bool) -> Vec<String> {
        let skipped: Vec<String> = skipped.iter().map(|text| (*text).to_owned()).collect();
        let selection = Selection { texts: texts.to_vec(), skipped: &skipped, is_exact };
        let mut paths = Vec::new();
        for (named, filter) in studies.iter().zip(selection.filters(studies)) {
            let Some(filter) = filter else { continue };
            let cases = named.cases.iter().filter(|case| filter.selects(named.study, case));
            paths.extend(cases.map(|case| format!("{}/{case}", named.study)));
        }
        paths
    }

    #[test]
    fn paths_come_before_parts_of_names() {
        let several = studies();
        for (text, paths) in [
            ("rare", &["rare/one", "rare/two"][..]),
            ("rare/", &["rare/one", "rare/two"]),
            ("gate/n", &["gate/n"]),
            ("rare calls/a", &["rare calls/a/b"]),
            // Nothing is at these paths.
            ("rar", &["gate/rare", "rare/one", "rare/two", "rare calls/one", "rare calls/a/b"]),
            ("gate/un", &["gate/unaligned"]),
            ("gate/aligned", &["gate/unaligned"]),
            ("one", &["rare/one", "rare calls/one"]),
            ("a/b", &["rare calls/a/b"]),
            ("/", &["rare calls/a/b"]),
            ("sideways", &[]),
        ] {
            assert_eq!(selected(&several, &[text], &[], false), paths, "{text}");
        }
        assert_eq!(selected(&several, &["gate/n", "two"], &[], false), ["gate/n", "rare/two"], "each adds");
    }

    #[test]
    fn the_only_study_may_be_left_out_of_paths() {
        let alone = [named("read", &["seq", "seq_cst", "reads"])];
        for (text, paths) in [
            ("seq", &["read/seq"][..]),
            ("read/seq", &["read/seq"]),
            ("read", &["read/seq", "read/seq_cst", "read/reads"]),
            ("cst", &["read/seq_cst"]),
            ("rea", &["read/reads"]),
        ] {
            assert_eq!(selected(&alone, &[text], &[], false), paths, "{text}");
        }
        for text in ["seq", "read/seq"] {
            assert_eq!(selected(&alone, &[text], &[], true), ["read/seq"], "{text}");
        }
        assert!(selected(&alone, &["read"], &[], true).is_empty(), "a study is no case");
    }

    #[test]
    fn exact_texts_are_whole_names() {
        let several = studies();
        assert_eq!(selected(&several, &["gate/n"], &[], true), ["gate/n"]);
        for part in ["gate", "n", "gate/", "gate/una", "rare"] {
            assert!(selected(&several, &[part], &[], true).is_empty(), "{part}");
        }
        assert_eq!(selected(&several, &["rare/one"], &["rare/one"], true), [""; 0]);
    }

    #[test]
    fn what_is_skipped_is_left_out() {
        let several = studies();
        assert_eq!(selected(&several, &["gate"], &["n"], false), ["gate/rare"]);
        assert_eq!(selected(&several[..1], &[], &["gate/n", "rare"], true), ["gate/unaligned"]);
        assert_eq!(selected(&several, &[], &["rare", "te/u"], false), ["gate/n"]);
        assert!(selected(&several, &[], &["a"], false).is_empty());
    }

    #[test]
    fn a_refusal_says_what_there_is() {
        let skipped = ["a".to_owned()];
        let several = studies();
        let said = |texts: &[&'static str], skipped: &[String], is_exact: bool, studies: &[Named<'_>]| {
            Selection { texts: texts.to_vec(), skipped, is_exact }.refusal(studies)
        };
        assert_eq!(said(&["x", "y"], &[], false, &several[..1]), "no case matches x or y; cases: n, unaligned, rare");
        let comma = named("n", &["v++, one line", "v++"]);
        assert_eq!(said(&["x"], &[], false, &[comma]), "no case matches x; cases: \"v++, one line\", v++");
        let other = said(&["x"], &[], false, &several);
        assert_eq!(other, "no study or case matches x; studies: gate, rare, rare calls (--list shows their cases)");
        assert!(said(&["x"], &[], true, &several).contains("study/case"));
        assert!(said(&[], &skipped, false, &several).starts_with("--skip a leaves no case"));
        assert!(said(&["x"], &skipped, false, &several).contains("x after --skip a"));
    }
}
