//! Numbers that JSON cannot represent: where a document holds them, and the document without them.

use std::fmt;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde::ser::{self, Serializer};
use serde_json::Value;

use super::error::{Kind, ReportError};

/// One step from a value to a part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Field(String),
    Item(usize),
}

/// The way from a document to one of its numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Path(Vec<Step>);

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, step) in self.0.iter().enumerate() {
            match step {
                Step::Field(name) if place == 0 => f.write_str(name)?,
                Step::Field(name) => write!(f, ".{name}")?,
                Step::Item(at) => write!(f, "[{at}]")?,
            }
        }
        Ok(())
    }
}

impl Path {
    /// What lies along this path in `value`.
    fn of<'v>(steps: &[Step], value: &'v mut Value) -> Option<&'v mut Value> {
        steps.iter().try_fold(value, |value, step| match step {
            Step::Field(name) => value.get_mut(name),
            Step::Item(at) => value.get_mut(at),
        })
    }

    fn put(&self, value: &mut Value, new: Value) {
        if let Some(part) = Self::of(&self.0, value) {
            *part = new;
        }
    }

    /// Takes the item at its end out of the list around it.
    fn take_out(&self, value: &mut Value) {
        if let Some((Step::Item(at), list)) = self.0.split_last()
            && let Some(Value::Array(items)) = Self::of(list, value)
            && *at < items.len()
        {
            items.remove(*at);
        }
    }
}

/// How a part of a document is left out: as null, or as an item that its list lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Cut {
    at: Path,
    is_taken_out: bool,
}

impl Cut {
    fn from(&self, value: &mut Value) {
        if self.is_taken_out { self.at.take_out(value) } else { self.at.put(value, Value::Null) }
    }

    /// Whether `other` is a part of what this leaves out.
    fn holds(&self, other: &Self) -> bool {
        other.at.0.len() > self.at.0.len() && other.at.0.starts_with(&self.at.0)
    }
}

/// The fields of `record` that hold a number that is not finite, as paths: `content.cells[3].time_ns`.
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
pub fn not_finite<T: Serialize>(record: &T) -> Vec<String> {
    paths(record).iter().map(ToString::to_string).collect()
}

/// `record` without its numbers that are not finite, and the fields left out: each is null, or if it may not be, the
/// nearest field around it that may; in a list, the item around it is gone. None if all numbers are finite.
///
/// # Errors
/// [`ReportError::is_not_writable`], with the field's path, where nothing around such a number can be left out.
///
/// # Examples
/// ```
/// use chronoscope_harness::record::without_non_finite;
///
/// # let mut record = chronoscope_harness::record::parse_study(include_str!("../../tests/fixtures/study.json"))?;
/// record.content.study.cells[0].autocorrelation = Some(f64::INFINITY);
/// let (record, left_out) = without_non_finite(&record)?.expect("a number is infinite");
/// assert_eq!(record.content.study.cells[0].autocorrelation, None);
/// assert_eq!(left_out, ["content.study.cells[0].autocorrelation"]);
/// # Ok::<(), chronoscope_harness::record::ReportError>(())
/// ```
pub fn without_non_finite<T: Serialize + DeserializeOwned>(
    record: &T,
) -> Result<Option<(T, Vec<String>)>, ReportError> {
    let paths = paths(record);
    if paths.is_empty() {
        return Ok(None);
    }
    let mut value = serde_json::to_value(record).map_err(Kind::Write)?;
    // Any number will do while the others are looked at.
    paths.iter().for_each(|path| path.put(&mut value, Value::from(0.0)));
    let can_be_read = |cut: &Cut| {
        let mut tried = value.clone();
        cut.from(&mut tried);
        serde_json::from_value::<T>(tried).is_ok()
    };
    let nearest = |path: &Path| {
        let around = (1..=path.0.len()).rev().map(|length| Path(path.0[..length].to_vec()));
        let cuts = around.flat_map(|at| {
            let is_item = matches!(at.0.last(), Some(Step::Item(_)));
            let null = Cut { at: at.clone(), is_taken_out: false };
            std::iter::once(null).chain(is_item.then_some(Cut { at, is_taken_out: true }))
        });
        cuts.into_iter().find(can_be_read).ok_or_else(|| Kind::NotWritable(vec![path.to_string()]))
    };
    let mut cuts = paths.iter().map(nearest).collect::<Result<Vec<Cut>, Kind>>()?;
    let all = cuts.clone();
    cuts.retain(|cut| !all.iter().any(|other| other.holds(cut)));
    cuts.dedup();
    // From behind, so that the places of items before it stay as they are.
    cuts.iter().rev().for_each(|cut| cut.from(&mut value));
    let spared = serde_json::from_value(value).map_err(Kind::Write)?;
    Ok(Some((spared, cuts.iter().map(|cut| cut.at.to_string()).collect())))
}

fn paths<T: Serialize>(record: &T) -> Vec<Path> {
    let mut walk = Walk::default();
    // What cannot be serialised at all is for the writer to say.
    let _ = record.serialize(&mut walk);
    walk.found
}

/// A serializer that writes nothing and remembers where numbers are not finite.
#[derive(Default)]
struct Walk {
    here: Path,
    found: Vec<Path>,
}

impl Walk {
    fn of<T: Serialize + ?Sized>(&mut self, step: Step, value: &T) -> Result<(), fmt::Error> {
        self.here.0.push(step);
        let walked = value.serialize(&mut *self);
        self.here.0.pop();
        walked
    }

    fn number(&mut self, is_finite: bool) -> Result<(), fmt::Error> {
        if !is_finite {
            self.found.push(self.here.clone());
        }
        Ok(())
    }

    /// The parts of a value, of a variant with a name if it has one.
    fn parts(&mut self, variant: Option<&str>) -> Parts<'_> {
        let depth = self.here.0.len();
        self.here.0.extend(variant.map(|name| Step::Field(name.to_owned())));
        Parts { walk: self, depth, items: 0, key: String::new() }
    }
}

/// The parts of a value, one after the other.
struct Parts<'a> {
    walk: &'a mut Walk,
    /// Steps to the value itself.
    depth: usize,
    items: usize,
    key: String,
}

impl Parts<'_> {
    fn item<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), fmt::Error> {
        self.items += 1;
        self.walk.of(Step::Item(self.items - 1), value)
    }

    fn field<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<(), fmt::Error> {
        self.walk.of(Step::Field(name.to_owned()), value)
    }

    fn done(self) {
        self.walk.here.0.truncate(self.depth);
    }
}

macro_rules! nothing_in {
    ($($name:ident: $of:ty),*) => { $(fn $name(self, _: $of) -> Result<(), fmt::Error> { Ok(()) })* };
}

impl<'a> Serializer for &'a mut Walk {
    type Ok = ();
    type Error = fmt::Error;
    type SerializeSeq = Parts<'a>;
    type SerializeTuple = Parts<'a>;
    type SerializeTupleStruct = Parts<'a>;
    type SerializeTupleVariant = Parts<'a>;
    type SerializeMap = Parts<'a>;
    type SerializeStruct = Parts<'a>;
    type SerializeStructVariant = Parts<'a>;

    nothing_in!(serialize_bool: bool, serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64,
        serialize_i128: i128, serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64,
        serialize_u128: u128, serialize_char: char, serialize_str: &str, serialize_bytes: &[u8],
        serialize_unit_struct: &'static str);

    fn serialize_f32(self, value: f32) -> Result<(), fmt::Error> {
        self.number(value.is_finite())
    }

    fn serialize_f64(self, value: f64) -> Result<(), fmt::Error> {
        self.number(value.is_finite())
    }

    fn serialize_none(self) -> Result<(), fmt::Error> {
        Ok(())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), fmt::Error> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), fmt::Error> {
        Ok(())
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, _: &'static str) -> Result<(), fmt::Error> {
        Ok(())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<(), fmt::Error> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), fmt::Error> {
        self.of(Step::Field(variant.to_owned()), value)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Parts<'a>, fmt::Error> {
        Ok(self.parts(None))
    }

    fn serialize_tuple(self, _: usize) -> Result<Parts<'a>, fmt::Error> {
        Ok(self.parts(None))
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Parts<'a>, fmt::Error> {
        Ok(self.parts(None))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Parts<'a>, fmt::Error> {
        Ok(self.parts(Some(variant)))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Parts<'a>, fmt::Error> {
        Ok(self.parts(None))
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Parts<'a>, fmt::Error> {
        Ok(self.parts(None))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Parts<'a>, fmt::Error> {
        Ok(self.parts(Some(variant)))
    }
}

macro_rules! items {
    ($($kind:ident: $method:ident),*) => { $(
        impl ser::$kind for Parts<'_> {
            type Ok = ();
            type Error = fmt::Error;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), fmt::Error> {
                self.item(value)
            }

            fn end(self) -> Result<(), fmt::Error> {
                self.done();
                Ok(())
            }
        }
    )* };
}

items!(SerializeSeq: serialize_element, SerializeTuple: serialize_element, SerializeTupleStruct: serialize_field,
    SerializeTupleVariant: serialize_field);

macro_rules! fields {
    ($($kind:ident),*) => { $(
        impl ser::$kind for Parts<'_> {
            type Ok = ();
            type Error = fmt::Error;

            fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), fmt::Error> {
                self.field(name, value)
            }

            fn end(self) -> Result<(), fmt::Error> {
                self.done();
                Ok(())
            }
        }
    )* };
}

fields!(SerializeStruct, SerializeStructVariant);

impl ser::SerializeMap for Parts<'_> {
    type Ok = ();
    type Error = fmt::Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), fmt::Error> {
        self.key = match serde_json::to_value(key) {
            Ok(Value::String(key)) => key,
            Ok(key) => key.to_string(),
            Err(_) => return Err(fmt::Error),
        };
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), fmt::Error> {
        let key = std::mem::take(&mut self.key);
        self.field(&key, value)
    }

    fn end(self) -> Result<(), fmt::Error> {
        self.done();
        Ok(())
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
        rows: Vec<Row>,
        best: Option<Row>,
        by_name: BTreeMap<String, f64>,
        by_number: BTreeMap<u32, f64>,
        shapes: Vec<Shape>,
        #[serde(flatten)]
        more: BTreeMap<String, Option<f64>>,
    }

    #[test]
    fn every_number_that_is_not_finite_is_named() {
        let row = Row { needed: f64::NAN, optional: Some(f64::INFINITY) };
        let page = Page {
            rows: vec![Row::default(), row],
            best: Some(Row { needed: 1.0, optional: Some(f64::NEG_INFINITY) }),
            by_name: BTreeMap::from([("x".to_owned(), f64::NAN), ("y".to_owned(), 1.0)]),
            by_number: BTreeMap::from([(7, f64::NAN)]),
            shapes: vec![
                Shape::Round(f64::NAN),
                Shape::Square { side: f64::NAN },
                Shape::Line(0.0, f64::NAN),
                Shape::Round(1.0),
            ],
            more: BTreeMap::from([("flat".to_owned(), Some(f64::NAN))]),
        };
        let paths = [
            "rows[1].needed",
            "rows[1].optional",
            "best.optional",
            "by_name.x",
            "by_number.7",
            "shapes[0].Round",
            "shapes[1].Square.side",
            "shapes[2].Line[1]",
            "flat",
        ];
        assert_eq!(not_finite(&page), paths);
        assert_eq!(not_finite(&Page::default()), [""; 0]);
    }

    #[test]
    fn what_may_be_null_is_left_out_and_nothing_else() {
        let sound = Row { needed: 1.0, optional: Some(2.0) };
        let wrong = Row { needed: f64::INFINITY, optional: Some(f64::NAN) };
        let page = Page {
            rows: vec![wrong.clone(), sound.clone(), Row { optional: Some(f64::NAN), ..sound.clone() }, wrong],
            best: Some(Row { needed: f64::NAN, optional: Some(f64::NAN) }),
            more: BTreeMap::from([("flat".to_owned(), Some(f64::INFINITY)), ("kept".to_owned(), Some(3.0))]),
            ..Page::default()
        };
        let (spared, left_out) = without_non_finite(&page).unwrap().unwrap();
        assert_eq!(left_out, ["rows[0]", "rows[2].optional", "rows[3]", "best", "flat"]);
        let more = BTreeMap::from([("flat".to_owned(), None), ("kept".to_owned(), Some(3.0))]);
        let rows = vec![sound.clone(), Row { optional: None, ..sound }];
        assert_eq!(spared, Page { rows, more, ..Page::default() });
        assert_eq!(without_non_finite(&spared).unwrap(), None);
    }

    #[test]
    fn what_cannot_be_left_out_is_named() {
        let page = Page { by_name: BTreeMap::from([("x".to_owned(), f64::NAN)]), ..Page::default() };
        let error = without_non_finite(&page).unwrap_err();
        assert!(error.is_not_writable() && error.to_string().contains("`by_name.x`"), "{error}");
    }
}
