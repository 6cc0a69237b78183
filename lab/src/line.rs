//! The lines that a guest prints and the verdict reads: a mark, then one JSON object.

use serde_json::Value;

/// What tells our lines from those of the kernel on the same console.
pub const MARK: &str = "LAB ";

pub fn print(value: &Value) {
    println!("{MARK}{value}");
}

/// The object in one line of a console; None for lines that are not ours.
pub fn parse(line: &str) -> Option<Value> {
    let (_, text) = line.split_once(MARK)?;
    serde_json::from_str(text.trim_end()).ok()
}
