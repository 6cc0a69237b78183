//! The lines that a guest prints and the verdict reads: a mark, then JSON.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// What tells our lines from those of the kernel on the same console.
pub const MARK: &str = "LAB ";

pub fn print(value: &impl Serialize) {
    println!("{MARK}{}", serde_json::json!(value));
}

/// What one line of a console says; None for lines that are not ours.
pub fn parse<T: DeserializeOwned>(line: &str) -> Option<T> {
    let (_, text) = line.split_once(MARK)?;
    serde_json::from_str(text.trim_end()).ok()
}
