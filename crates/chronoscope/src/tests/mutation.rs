//! Changes to a document that its reader may or may not survive.

use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json as value};

#[derive(Clone, Debug)]
pub enum Mutation {
    Drop,
    Empty,
    Repeat,
    Replace(Value),
}

pub fn mutation() -> impl Strategy<Value = Mutation> {
    let numbers = prop_oneof![
        any::<f64>().prop_filter("JSON has finite numbers only", |x| x.is_finite()).prop_map(|x| value!(x)),
        any::<u64>().prop_map(|x| value!(x)),
        any::<i64>().prop_map(|x| value!(x)),
        prop::sample::select(vec![
            value!(0),
            value!(-1),
            value!(u64::MAX),
            value!(u32::MAX),
            value!(f64::MAX),
            value!(f64::MIN_POSITIVE),
            value!(-f64::MAX),
        ]),
    ];
    let strings = prop_oneof![
        Just(String::new()),
        Just("\x1b[2J\x1b]0;owned\x07\r\n\u{9b}31m\u{202e}".to_owned()),
        Just("长".repeat(400)),
        Just("x".repeat(5000)),
        ".{0,60}",
    ];
    prop_oneof![
        2 => Just(Mutation::Drop),
        1 => Just(Mutation::Empty),
        1 => Just(Mutation::Repeat),
        2 => Just(Mutation::Replace(Value::Null)),
        1 => any::<bool>().prop_map(|x| Mutation::Replace(value!(x))),
        8 => numbers.prop_map(Mutation::Replace),
        4 => strings.prop_map(|x| Mutation::Replace(value!(x))),
    ]
}

/// `root` after those of the changes that its reader survives, as `is_read` says of the text.
pub fn mutated(root: Value, changes: &[(Index, Mutation)], is_read: impl Fn(&str) -> bool) -> Value {
    mutated_in(root, changes, |all| all, is_read)
}

/// The same, with changes only where `chosen` leaves them.
pub fn mutated_in(
    mut root: Value,
    changes: &[(Index, Mutation)],
    chosen: impl Fn(Vec<String>) -> Vec<String>,
    is_read: impl Fn(&str) -> bool,
) -> Value {
    for (place, change) in changes {
        let mut found = Vec::new();
        pointers(&root, "", &mut found);
        let before = root.clone();
        apply(&mut root, place.get::<String>(&chosen(found)), change);
        if !is_read(&root.to_string()) {
            root = before;
        }
    }
    root
}

/// The pointers of everything in `value`.
fn pointers(value: &Value, at: &str, found: &mut Vec<String>) {
    found.push(at.to_owned());
    match value {
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(i, item)| pointers(item, &format!("{at}/{i}"), found));
        }
        Value::Object(fields) => {
            fields.iter().for_each(|(name, field)| pointers(field, &format!("{at}/{name}"), found));
        }
        _ => {}
    }
}

fn apply(root: &mut Value, pointer: &str, mutation: &Mutation) {
    let Some((parent, last)) = pointer.rsplit_once('/') else {
        return;
    };
    match mutation {
        Mutation::Drop => match root.pointer_mut(parent) {
            Some(Value::Array(items)) => {
                if let Some(i) = last.parse::<usize>().ok().filter(|i| *i < items.len()) {
                    items.remove(i);
                }
            }
            Some(Value::Object(fields)) => drop(fields.remove(last)),
            _ => {}
        },
        Mutation::Empty => match root.pointer_mut(pointer) {
            Some(Value::Array(items)) => items.clear(),
            Some(other) if other.is_string() => *other = value!(""),
            _ => {}
        },
        Mutation::Repeat => {
            if let Some(Value::Array(items)) = root.pointer_mut(parent) {
                let copies = items.iter().take(12).cloned().collect::<Vec<_>>();
                items.extend(copies);
            }
        }
        // A leaf is replaced by a value of its own type, so that many mutated records still parse.
        Mutation::Replace(new) => match root.pointer_mut(pointer) {
            Some(old) if new.is_null() || new.is_number() && old.is_number() || new.is_string() && old.is_string() => {
                *old = new.clone();
            }
            Some(old) if old.is_boolean() && new.is_boolean() || old.is_null() => *old = new.clone(),
            _ => {}
        },
    }
}

/// Puts `text` in the place of every string for which the document still `is_read`. Returns how many these are.
pub fn replace_strings(root: &mut Value, text: &str, is_read: impl Fn(&str) -> bool) -> usize {
    let mut found = Vec::new();
    pointers(root, "", &mut found);
    let mut replaced = 0;
    for pointer in found {
        let old = match root.pointer(&pointer) {
            Some(Value::String(old)) => value!(old),
            _ => continue,
        };
        apply(root, &pointer, &Mutation::Replace(value!(text)));
        if is_read(&root.to_string()) {
            replaced += 1;
        } else {
            apply(root, &pointer, &Mutation::Replace(old));
        }
    }
    replaced
}
