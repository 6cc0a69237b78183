//! Keeps every check in the history, without ever harming the check.

use chronoscope_bench::tell;

use crate::answers::since::report::Since;
use crate::answers::since::since;
use crate::document::Record;
use crate::history::{History, HistoryError, Run, file};

/// Keeps a check in the history. Whatever goes wrong with that does not harm the check: a warning follows on standard error, once the
/// output is written.
pub struct Keeper {
    /// What went wrong so far.
    warning: Option<String>,
}

impl Keeper {
    /// For the user's history.
    pub fn new() -> Self {
        Self { warning: None }
    }

    /// What changed since the last check of this machine; None if none is kept.
    pub fn since(&mut self, record: &Record) -> Option<Since> {
        match Self::compared(record) {
            Ok(since) => since,
            Err(why) => {
                self.warning = Some(why);
                None
            }
        }
    }

    fn compared(record: &Record) -> Result<Option<Since>, String> {
        let words = |error: HistoryError| error.to_string();
        let Some(machine) = &record.machine.hostname else { return Ok(None) };
        let mut history = History::to_glance(file()?).map_err(words)?;
        let began_s = Run::of(record)?.started_s;
        let Some(last) = history.last_check(machine, began_s).map_err(words)? else { return Ok(None) };
        let Some(document) = history.document(last.id).map_err(words)? else { return Ok(None) };
        let earlier = history.earlier(&last, &[]).map_err(words)?;
        Ok(since(record, &document, &earlier))
    }

    /// Keeps it, and tells what went wrong.
    pub fn keep(self, record: &Record) {
        let saved = file().and_then(|file| {
            let mut history = History::to_write(file).map_err(|error| error.to_string())?;
            history.save(record).map_err(|error| error.to_string())
        });
        let warning = match (saved, self.warning) {
            (Err(why), _) => format!("this check is not kept: {why}"),
            (Ok(_), Some(why)) => format!("not compared with the last check: {why}"),
            (Ok(_), None) => return,
        };
        tell("chronoscope", &format!("warning: {warning}"));
    }
}
