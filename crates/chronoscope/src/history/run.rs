//! A run as the history lists it.

use jiff::Timestamp;
use rusqlite::Row;
use serde::Serialize;

use chronoscope_harness::finding::Severity;
use chronoscope_harness::record::Estimate;

use crate::answers::compare::conditions;
use crate::document::Record;
use crate::machine::processor;

/// What the history knows of a run without opening its document.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Run {
    /// Its number.
    pub id: i64,
    /// What was run.
    pub command: String,
    /// When it began: RFC 3339, UTC.
    pub started_at: String,
    /// The same in seconds since 1970.
    pub started_s: i64,
    /// Wall time in milliseconds.
    pub elapsed_ms: i64,
    /// The hostname; empty if unknown.
    pub machine: String,
    /// The program that wrote it, with its version.
    pub tool: String,
    /// The kernel's name and release.
    pub kernel: String,
    /// The clocksource; empty if unknown.
    pub clocksource: String,
    /// The processor, by name, family, model and stepping; empty if unknown.
    pub cpu: String,
    /// Machine, kernel, clocksource, tool and plan in words; null for a machine without a name.
    #[serde(skip)]
    pub conditions: Option<String>,
    /// Whether it was interrupted.
    pub interrupted: bool,
    /// Findings of severity warning.
    pub warnings: i64,
    /// Findings of severity critical.
    pub criticals: i64,
    /// The figure that was asked for, in its unit.
    pub figure: Option<Estimate>,
}

impl Run {
    /// The columns of a run, in the order of [`Self::read`].
    pub const COLUMNS: &str = "run.id, run.command, run.started_at, run.started_s, run.elapsed_ms, run.machine, run.tool, run.kernel, \
         run.clocksource, run.cpu, run.conditions, run.interrupted, run.warnings, run.criticals";
    /// How many there are.
    const COUNT: usize = 14;

    /// Of a document that is about to be kept.
    ///
    /// # Errors
    /// If it does not say when it began.
    pub fn of(record: &Record) -> Result<Self, String> {
        let started: Timestamp = record.started_at.parse().map_err(|_| {
            format!("started_at \"{}\" is not RFC 3339, or after {}", record.started_at, Timestamp::MAX)
        })?;
        let word = |value: &Option<String>| value.clone().unwrap_or_default();
        let machine = &record.machine;
        let count = |severity: Severity| {
            let found = record.findings.iter().filter(|finding| finding.severity == severity).count();
            i64::try_from(found).unwrap_or(i64::MAX)
        };
        Ok(Self {
            id: 0,
            command: record.command.clone(),
            started_at: started.to_string(),
            started_s: started.as_second(),
            elapsed_ms: i64::try_from(record.elapsed_ms).unwrap_or(i64::MAX),
            machine: word(&machine.hostname),
            tool: format!("{} {}", record.tool.name, record.tool.version),
            kernel: format!("{} {}", machine.kernel.name, machine.kernel.release).trim().to_owned(),
            clocksource: word(&machine.clocksource.current),
            cpu: processor::identity(&machine.cpu),
            conditions: conditions(record),
            interrupted: record.interrupted,
            warnings: count(Severity::Warning),
            criticals: count(Severity::Critical),
            figure: None,
        })
    }

    /// Of a row of [`Self::COLUMNS`], which the columns of a figure may follow.
    pub fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        let has_figure = row.as_ref().column_count() > Self::COUNT;
        Ok(Self {
            id: row.get(0)?,
            command: row.get(1)?,
            started_at: row.get(2)?,
            started_s: row.get(3)?,
            elapsed_ms: row.get(4)?,
            machine: row.get(5)?,
            tool: row.get(6)?,
            kernel: row.get(7)?,
            clocksource: row.get(8)?,
            cpu: row.get(9)?,
            conditions: row.get(10)?,
            interrupted: row.get(11)?,
            warnings: row.get(12)?,
            criticals: row.get(13)?,
            figure: if has_figure { estimate(row, Self::COUNT)? } else { None },
        })
    }
}

/// The columns `value, low, high, confidence` of a figure; None where there is none.
pub fn estimate(row: &Row<'_>, first: usize) -> rusqlite::Result<Option<Estimate>> {
    let Some(estimate) = row.get(first)? else { return Ok(None) };
    let [low, high, confidence] = [row.get(first + 1)?, row.get(first + 2)?, row.get(first + 3)?];
    Ok(Some(Estimate { estimate, low, high, confidence }))
}
