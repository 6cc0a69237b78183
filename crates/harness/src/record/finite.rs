//! Numbers that are not finite: JSON cannot represent them.

use std::fmt::Debug;

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

#[cfg(test)]
#[expect(dead_code, reason = "their text is what is read")]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[derive(Clone, Debug, Default)]
    struct Row {
        needed: f64,
        optional: Option<f64>,
    }

    #[derive(Clone, Debug)]
    enum Shape {
        Square { side: f64 },
        Line(f64, f64),
    }

    #[derive(Clone, Debug, Default)]
    struct Page {
        text: String,
        rows: Vec<Row>,
        best: Option<Row>,
        by_name: BTreeMap<String, f64>,
        shapes: Vec<Shape>,
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
        };
        let paths = ["rows.needed", "rows.optional", "best.optional", "by_name.\"x\"", "shapes.side"];
        assert_eq!(not_finite(&page), paths);
        assert_eq!(not_finite(&Page::default()), [""; 0]);
    }
}
