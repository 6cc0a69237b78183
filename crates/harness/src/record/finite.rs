//! Numbers that are not finite: JSON cannot represent them.

use std::fmt::Debug;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_path_to_error::Segment;

use super::error::{Kind, ReportError};

/// The fields of `record` that hold a number that is not finite, each once, without places in lists, by the names in the code:
/// `content.study.cells.time_ns`.
///
/// # Examples
/// ```
/// use chronoscope_harness::record::not_finite;
///
/// # let mut record = chronoscope_harness::record::parse_study(include_str!("../../tests/fixtures/study.json"))?;
/// assert!(not_finite(&record).is_empty());
/// record.content.study.plan.margin_pct = f64::NAN;
/// assert_eq!(not_finite(&record), ["content.study.plan.margin_pct"]);
/// # Ok::<(), chronoscope_harness::record::ReportError>(())
/// ```
pub fn not_finite(record: &impl Debug) -> Vec<String> {
    // A serializer would have to know every shape of value. This text has a line for each, and an escape for each line break in it.
    let text = format!("{record:#?}");
    let (mut around, mut found) = (Vec::new(), Vec::new());
    for line in text.lines() {
        let inner = line.trim_start();
        let (name, value) = inner.rsplit_once(": ").unwrap_or(("", inner));
        around.truncate((line.len() - inner.len()) / 4);
        around.push(name);
        if matches!(value, "NaN," | "inf," | "-inf,") {
            let path = around.iter().copied().filter(|name| !name.is_empty()).collect::<Vec<_>>().join(".");
            found.extend(Some(path).filter(|path| !found.contains(path)));
        }
    }
    found
}

/// `record` without its numbers that are not finite, and the fields that hold them: each is null, or if it may not be, the
/// nearest field around it that may; in a list, the item around it is gone. None if all numbers are finite.
///
/// # Errors
/// [`ReportError::is_not_writable`], with the fields, where nothing around such a number can be left out.
///
/// # Examples
/// ```
/// use chronoscope_harness::record::without_non_finite;
///
/// # let mut record = chronoscope_harness::record::parse_study(include_str!("../../tests/fixtures/study.json"))?;
/// record.content.study.cells[0].autocorrelation = Some(f64::INFINITY);
/// let (record, left_out) = without_non_finite(&record)?.expect("a number is infinite");
/// assert_eq!(record.content.study.cells[0].autocorrelation, None);
/// assert_eq!(left_out, ["content.study.cells.autocorrelation"]);
/// # Ok::<(), chronoscope_harness::record::ReportError>(())
/// ```
pub fn without_non_finite<T: Serialize + DeserializeOwned + Debug>(
    record: &T,
) -> Result<Option<(T, Vec<String>)>, ReportError> {
    let fields = not_finite(record);
    if fields.is_empty() {
        return Ok(None);
    }
    // It writes null for them.
    let mut value = serde_json::to_value(record).map_err(Kind::Write)?;
    loop {
        let path: Vec<Segment> = match serde_path_to_error::deserialize(&value) {
            Ok(spared) => return Ok(Some((spared, fields))),
            Err(error) => error.path().iter().cloned().collect(),
        };
        if !leave_out(&mut value, &path) {
            return Err(Kind::NotWritable(fields).into());
        }
    }
}

/// Makes what is at `path` null. What is null already, and may not be, is taken out of its list, or left out with what is around it.
/// False if that is everything.
fn leave_out(value: &mut Value, path: &[Segment]) -> bool {
    let Some((last, around)) = path.split_last() else { return false };
    match (around.iter().try_fold(&mut *value, part), last) {
        (Some(Value::Array(items)), Segment::Seq { index }) if items.get(*index).is_some_and(Value::is_null) => {
            items.remove(*index);
        }
        (Some(whole), _) => match part(whole, last).filter(|part| !part.is_null()) {
            Some(part) => *part = Value::Null,
            None => return leave_out(value, around),
        },
        (None, _) => return leave_out(value, around),
    }
    true
}

fn part<'v>(whole: &'v mut Value, segment: &Segment) -> Option<&'v mut Value> {
    match segment {
        Segment::Seq { index } => whole.get_mut(index),
        Segment::Map { key } | Segment::Enum { variant: key } => whole.get_mut(key),
        Segment::Unknown => None,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::Deserialize;

    use super::*;

    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    struct Row {
        needed: f64,
        optional: Option<f64>,
    }

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    enum Shape {
        Round(f64),
        Square { side: f64 },
        Line(f64, f64),
    }

    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    struct Page {
        text: String,
        rows: Vec<Row>,
        best: Option<Row>,
        by_name: BTreeMap<String, f64>,
        shapes: Vec<Shape>,
        #[serde(flatten)]
        more: BTreeMap<String, Option<f64>>,
    }

    #[test]
    fn every_field_with_a_number_that_is_not_finite_is_named() {
        let row = Row { needed: f64::NAN, optional: Some(f64::INFINITY) };
        let page = Page {
            text: "a: NaN,\nb: inf,".to_owned(),
            rows: vec![Row::default(), row.clone(), row],
            best: Some(Row { needed: 1.0, optional: Some(f64::NEG_INFINITY) }),
            by_name: BTreeMap::from([("x".to_owned(), f64::NAN), ("y: z".to_owned(), 1.0)]),
            shapes: vec![Shape::Square { side: f64::NAN }, Shape::Line(0.0, 1.0)],
            more: BTreeMap::new(),
        };
        let paths = ["rows.needed", "rows.optional", "best.optional", "by_name.\"x\"", "shapes.side"];
        assert_eq!(not_finite(&page), paths);
        assert_eq!(not_finite(&Page::default()), [""; 0]);
    }

    #[test]
    fn what_may_be_null_is_left_out_and_nothing_else() {
        let sound = Row { needed: 1.0, optional: Some(2.0) };
        let wrong = Row { needed: f64::INFINITY, optional: Some(f64::NAN) };
        let page = Page {
            rows: vec![wrong.clone(), sound.clone(), Row { optional: Some(f64::NAN), ..sound.clone() }, wrong.clone()],
            best: Some(wrong),
            shapes: vec![Shape::Round(f64::NAN), Shape::Line(0.0, f64::NAN), Shape::Line(0.0, 1.0)],
            more: BTreeMap::from([("flat".to_owned(), Some(f64::INFINITY)), ("kept".to_owned(), Some(3.0))]),
            ..Page::default()
        };
        let (spared, _) = without_non_finite(&page).unwrap().unwrap();
        let more = BTreeMap::from([("flat".to_owned(), None), ("kept".to_owned(), Some(3.0))]);
        let rows = vec![sound.clone(), Row { optional: None, ..sound }];
        assert_eq!(spared, Page { rows, more, shapes: vec![Shape::Line(0.0, 1.0)], ..Page::default() });
        assert_eq!(without_non_finite(&spared).unwrap(), None);
    }

    #[test]
    fn what_cannot_be_left_out_is_named() {
        let page = Page { by_name: BTreeMap::from([("x".to_owned(), f64::NAN)]), ..Page::default() };
        let error = without_non_finite(&page).unwrap_err();
        assert!(error.is_not_writable() && error.to_string().contains("by_name"), "{error}");
    }
}
