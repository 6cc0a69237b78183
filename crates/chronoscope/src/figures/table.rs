//! Every figure: those of each section, one line per section.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::LazyLock;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::figure::{Figure, FigureKind, Figures};
use super::limit::{Absent, Bounds, FindBounds, Limit};
use crate::clock_id::ClockId;
use crate::document::Record;
use crate::experiment::figures as studies;
use crate::sections::pace::figures as pace;
use crate::sections::{causality, clocks, hiccups, pauses, reads, runtimes, sync};

static TABLE: LazyLock<[OfSection; 9]> = LazyLock::new(|| {
    [
        of(&clocks::figures::FIGURES, |record| record.content.clocks()),
        of(&causality::figures::FIGURES, |record| record.content.causality()),
        of(&pauses::figures::FIGURES, |record| record.content.pauses()),
        of(&runtimes::figures::FIGURES, |record| record.content.runtimes()),
        of(&studies::FIGURES, |record| &record.content.study),
        of(&pace::FIGURES, |record| &record.content.pace),
        of(&hiccups::figures::FIGURES, |record| record.content.hiccups()),
        of(&sync::figures::FIGURES, |record| record.content.sync()),
        of(&reads::figures::FIGURES, |record| record.content.reads()),
    ]
});

/// A limit on a figure of a document.
pub type LimitInDocument = Limit<Box<dyn Fn(&Record, Option<&ClockId>) -> Result<Bounds, Absent> + Send + Sync>>;

type Read = Box<dyn Fn(&Record) -> Vec<Figure> + Send + Sync>;

/// The figures of a section, read from documents.
struct OfSection {
    kinds: &'static [&'static FigureKind],
    figures: Read,
    limits: Vec<LimitInDocument>,
}

fn of<R: ?Sized>(declared: &'static Figures<R>, report: fn(&Record) -> &R) -> OfSection {
    let limit = |limit: &'static Limit<FindBounds<R>>| -> LimitInDocument {
        limit.found_by(Box::new(move |record, clock| (limit.find)(report(record), clock)))
    };
    OfSection {
        kinds: declared.kinds,
        figures: Box::new(move |record| (declared.of)(report(record))),
        limits: declared.limits.iter().map(limit).collect(),
    }
}

/// Every figure of a document that another may have too, each once.
pub fn figures(record: &Record) -> Vec<Figure> {
    let mut seen = BTreeSet::new();
    let mut all: Vec<Figure> = TABLE.iter().flat_map(|section| (section.figures)(record)).collect();
    all.retain(|figure| seen.insert((figure.kind.name, figure.subject.clone())));
    all
}

/// Every limit that a gate may set.
pub fn limits() -> impl Iterator<Item = &'static LimitInDocument> {
    TABLE.iter().flat_map(|section| &section.limits)
}

impl FigureKind {
    /// Every kind.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        TABLE.iter().flat_map(|section| section.kinds).copied()
    }

    /// The kind of this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        Self::all().find(|kind| kind.name == name)
    }
}

impl Serialize for FigureKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name)
    }
}

impl<'de> Deserialize<'de> for &'static FigureKind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        FigureKind::named(&name).ok_or_else(|| D::Error::custom(format!("unknown figure `{name}`")))
    }
}

impl JsonSchema for FigureKind {
    fn schema_name() -> Cow<'static, str> {
        "FigureKind".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let one = |kind: &Self| json_schema!({ "description": kind.what, "type": "string", "const": kind.name });
        json_schema!({ "description": "What a figure is.", "oneOf": Self::all().map(one).collect::<Vec<_>>() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::document;
    use chronoscope_harness::record::Estimate;

    #[test]
    fn every_kind_of_document_has_figures() {
        for (text, kind, subject) in [
            (include_str!("../../tests/fixtures/record.json"), clocks::figures::LATENCY, "CLOCK_MONOTONIC"),
            (include_str!("../../tests/fixtures/record.json"), clocks::figures::WITHIN_1PCT, "CLOCK_MONOTONIC"),
            (include_str!("../../tests/fixtures/record.json"), causality::figures::SKEW, "between CPUs"),
            (include_str!("../../tests/fixtures/runtimes.json"), runtimes::figures::LATENCY, "System.nanoTime"),
            (include_str!("../../tests/fixtures/study.json"), studies::TIME, "1 thread"),
            (include_str!("../../tests/fixtures/pace.json"), pace::LATENESS, "pace of"),
            (include_str!("../../../../docs/shown/hiccups.json"), hiccups::figures::LATENESS, "spin"),
        ] {
            let all = figures(&document(text).unwrap());
            assert!(all.iter().any(|figure| figure.kind == kind && figure.subject.contains(subject)), "{all:?}");
        }
    }

    #[test]
    fn a_document_that_names_a_clock_twice_has_its_figure_once() {
        let mut record = document(include_str!("../../tests/fixtures/record.json")).unwrap();
        let before = figures(&record).len();
        let again = record.content.clocks().clocks.clone();
        record.content.sections.clocks.report.clocks.extend(again);
        assert_eq!(figures(&record).len(), before);
    }

    #[test]
    fn names_are_those_of_documents_and_unique() {
        for kind in FigureKind::all() {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.name);
            assert_eq!(FigureKind::all().filter(|other| other.name == kind.name).count(), 1);
            assert_eq!(serde_json::from_value::<&FigureKind>(kind.name.into()).unwrap(), kind);
        }
        assert!(serde_json::from_value::<&FigureKind>("weight".into()).is_err());
    }

    #[test]
    fn what_is_no_number_above_zero_is_no_figure() {
        for wrong in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(Figure::bare(causality::figures::SKEW, "", wrong), None);
        }
        assert!(Figure::bare(pace::LATENESS, "", f64::NAN).is_none());
        let odd = Estimate { estimate: 5.0, low: 6.0, high: 7.0, confidence: 0.99 };
        let figure = Figure::new(clocks::figures::LATENCY, "a", odd).unwrap();
        assert_eq!(figure.value, Estimate::without_interval(5.0), "an interval without its estimate is none");
    }
}
