/// The page that explains the events.
pub const SHOWN_IN: &[&str] = &["watch"];
