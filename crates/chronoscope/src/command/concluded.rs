//! Commands that conclude more from a study than the study itself does. What they print is a function of the record alone,
//! so that a saved record shows what the run showed.

use crate::record::study::StudyRecord;
use chronoscope_bench::Failure;
use chronoscope_examples::{Conclusions, Experiment};
use chronoscope_render::Width;
use chronoscope_render::study::{Detail, terminal_at};
use serde::Serialize;

use super::study_run;
use crate::experiment;
use crate::sections::scaling;

const SCALING: &str = "scaling";
const EXPERIMENT: &str = "experiment ";

/// Which command.
#[derive(Clone, Copy, Debug)]
pub enum Concluded {
    Scaling,
    Experiment(Experiment),
}

/// A record of a study with one more field: what it is read with as a record leaves that out.
#[derive(Serialize)]
struct Printed<'a> {
    #[serde(flatten)]
    record: &'a StudyRecord,
    #[serde(skip_serializing_if = "Option::is_none")]
    conclusions: Option<Conclusions>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scaling: Option<Vec<scaling::Conclusion>>,
}

impl Concluded {
    /// By the name that a record holds; none for one that this build does not know.
    pub fn named(command: &str) -> Option<Self> {
        match command.strip_prefix(EXPERIMENT) {
            Some(name) => Some(Self::Experiment(Experiment::from_name(name)?)),
            None => (command == SCALING).then_some(Self::Scaling),
        }
    }

    /// The name that its record holds.
    pub fn name(self) -> String {
        match self {
            Self::Scaling => SCALING.to_owned(),
            Self::Experiment(which) => format!("{EXPERIMENT}{}", which.name()),
        }
    }

    /// The page, and with `full` all that was seen of every combination.
    pub fn human(self, record: &StudyRecord, full: bool, width: Width) -> String {
        let page = match self {
            Self::Scaling => scaling::page(record, &scaling::conclude(record), width),
            Self::Experiment(which) => experiment::show::terminal(&which.conclude(record), record, width),
        };
        if full { page + &terminal_at(record, Detail::Full, width) } else { page }
    }

    /// The record with its conclusions.
    pub fn json(self, record: &StudyRecord) -> Result<String, Failure> {
        let (conclusions, scaling) = match self {
            Self::Scaling => (None, Some(scaling::conclude(record))),
            Self::Experiment(which) => (Some(which.conclude(record)), None),
        };
        study_run::json(&Printed { record, conclusions, scaling })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::sample::Index;
    use serde_json::{Value, json};

    use super::*;
    use crate::experiment::synthetic::assert_fits;

    fn all() -> Vec<Concluded> {
        Experiment::ALL.iter().copied().map(Concluded::Experiment).chain([Concluded::Scaling]).collect()
    }

    /// Places in a document.
    fn pointers(value: &Value, at: &str, found: &mut Vec<String>) {
        match value {
            Value::Object(fields) => {
                for (name, field) in fields {
                    pointers(field, &format!("{at}/{}", name.replace('~', "~0").replace('/', "~1")), found);
                }
            }
            Value::Array(values) => {
                found.push(at.to_owned());
                for (i, value) in values.iter().enumerate() {
                    pointers(value, &format!("{at}/{i}"), found);
                }
            }
            _ => found.push(at.to_owned()),
        }
    }

    /// A study with the cases that `concluded` looks for, so that its conclusions have something to go by.
    fn document(concluded: Concluded) -> Value {
        let names: &[(&str, &str)] = match concluded {
            Concluded::Scaling => &[("relaxed", "nothing"), ("seq_cst", "CLOCK_MONOTONIC")],
            Concluded::Experiment(experiment) => match experiment.name() {
                "volatile" => &[("relaxed", "plain"), ("seq_cst", "volatile"), ("empty", "baseline")],
                "backoff" => &[("relaxed", "plain v++"), ("seq_cst", "volatile v++"), ("empty", "baseline: consume")],
                "omission" => &[("request", "setup(); work()")],
                "fibonacci" => &[("fibonacci", "next, timed in batches")],
                other => panic!("{other} has no cases here"),
            },
        };
        let mut text = include_str!("../../tests/fixtures/study.json").to_owned();
        for (old, new) in names {
            let quoted = format!("\"{old}\"");
            assert!(text.contains(&quoted), "{old}");
            text = text.replace(&quoted, &format!("\"{new}\""));
        }
        let mut root: Value = serde_json::from_str(&text).unwrap();
        root["plan"]["parameters"] = json!([{ "name": "loop", "values": ["a"] }]);
        for cell in root["cells"].as_array_mut().unwrap() {
            cell["parameters"] = json!({ "loop": "a" });
        }
        // What more threads than CPUs claim is compared with what one does.
        let cells = root["cells"].as_array_mut().unwrap();
        if let Some(mut alone) = cells.iter().find(|cell| cell["case"] == "setup(); work()").cloned() {
            alone["threads"] = json!(1);
            cells.push(alone);
            root["plan"]["threads"] = json!([1, 8]);
        }
        root
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn whatever_a_record_holds_its_page_is_printed(
            which: Index,
            mutations in prop::collection::vec((any::<Index>(), 0_usize..9), 0..12),
        ) {
            let concluded = *which.get(&all());
            let mut root = document(concluded);
            for (place, mutation) in &mutations {
                let mut found = Vec::new();
                pointers(&root, "", &mut found);
                let mut mutated = root.clone();
                if let Some(value) = mutated.pointer_mut(place.get::<String>(&found)) {
                    let values = [
                        json!(0), json!(-1.0), json!(1e308), json!(-1e308), json!(u64::MAX), json!(null), json!([]),
                        json!(1e-308), json!("\u{1b}]0;owned"),
                    ];
                    *value = values[*mutation].clone();
                }
                if serde_json::from_value::<StudyRecord>(mutated.clone()).is_ok() {
                    root = mutated;
                }
            }
            let record: StudyRecord = serde_json::from_value(root).unwrap();
            for full in [false, true] {
                let page = concluded.human(&record, full, Width::default());
                prop_assert!(!page.contains("\u{1b}]"), "a record steers no terminal");
            }
            prop_assert!(concluded.json(&record).is_ok());
        }
    }

    #[test]
    fn every_page_fits_any_terminal() {
        for concluded in all() {
            let record: StudyRecord = serde_json::from_value(document(concluded)).unwrap();
            assert_fits(|width| concluded.human(&record, false, width));
        }
    }

    #[test]
    fn every_command_is_known_by_its_name() {
        for name in all().into_iter().map(Concluded::name) {
            assert_eq!(Concluded::named(&name).map(Concluded::name), Some(name));
        }
        for unknown in ["", "experiment", "experiment ", "experiment perpetuum", "Scaling", "pace"] {
            assert!(Concluded::named(unknown).is_none(), "{unknown}");
        }
    }
}
