//! What a guest tells whoever booted it, a line of JSON each.

use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    Begin {
        kernel: String,
    },
    Step {
        step: usize,
        clocksource: String,
    },
    Row {
        step: usize,
        row: Value,
    },
    Done(Box<Done>),
    /// What the monitor of the machine is to do.
    Ask(String),
    End,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Done {
    pub step: usize,
    pub clocksource: String,
    pub exit: Option<i64>,
    pub document: Value,
    pub output: String,
    pub errors: String,
    pub failed: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::{Done, Event};
    use crate::line::{MARK, parse};

    #[test]
    fn comes_back_as_it_was_printed() {
        let done = Event::Done(Box::new(Done { step: 2, exit: Some(1), ..Done::default() }));
        for event in [done, Event::End, Event::Ask("stop; cont".to_owned())] {
            let text = serde_json::to_string(&event).unwrap();
            assert_eq!(parse(&format!("[ 1.2] noise {MARK}{text}\r")), Some(event));
        }
        assert_eq!(parse::<Event>("[ 1.2] noise"), None);
    }
}
