//! Words shared by pages.

/// The recorded reason, or a note that there is none.
pub fn given(reason: Option<&str>) -> String {
    reason.filter(|reason| !reason.trim().is_empty()).unwrap_or("no reason recorded").to_owned()
}

/// The count with `singular` or `plural`.
pub fn counted(count: u64, singular: &str, plural: &str) -> String {
    format!("{} {}", chronoscope_harness::quantity::count(count), if count == 1 { singular } else { plural })
}

/// A clock's name within a sentence, quoted where it would otherwise fall apart, like `lfence; rdtsc`.
pub fn quoted(name: &str) -> String {
    if name.contains([' ', ';']) { format!("`{name}`") } else { name.to_owned() }
}
