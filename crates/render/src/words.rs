//! Words that pages share.

/// A reason of the record, or that it gives none.
pub fn given(reason: Option<&str>) -> String {
    reason.filter(|reason| !reason.trim().is_empty()).unwrap_or("no reason recorded").to_owned()
}

/// `singular` or `plural`, behind the count.
pub fn counted(count: u64, singular: &str, plural: &str) -> String {
    format!("{} {}", chronoscope_harness::quantity::count(count), if count == 1 { singular } else { plural })
}

/// A clock's name within a sentence, where `lfence; rdtsc` would fall apart.
pub fn quoted(name: &str) -> String {
    if name.contains([' ', ';']) { format!("`{name}`") } else { name.to_owned() }
}
