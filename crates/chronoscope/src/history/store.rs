use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use chronoscope_sources::SourceId;
use chronoscope_sources::os::OsClock;
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use rusqlite::{Connection, OpenFlags, OptionalExtension, Transaction, TransactionBehavior, params};

use super::error::HistoryError;
use super::format::{Found, MIGRATIONS, examine, migrate};
use super::run::{Run, estimate};
use crate::document::Record;
use crate::figures::figure::{Figure, FigureKind};
use crate::figures::table::figures;
use crate::json;
use crate::private_file;
use crate::sections::clocks::figures::LATENCY;

/// How long to wait for another process that is writing.
const PATIENCE: Duration = Duration::from_secs(30);
/// The same for a look at the last check, for which a document that was measured waits.
const PATIENCE_OF_GLANCE: Duration = Duration::from_secs(1);
/// The longest file that is read whole before each document that is added: beyond this, damage is found where it is read.
const MOST_CHECKED: u64 = 32 << 20;
/// Earlier runs from which noise is known: more would tell little, and of longer ago.
const MOST_EARLIER: i64 = 30;

/// The kept runs.
#[derive(Debug)]
pub struct History {
    file: PathBuf,
    /// None while there is no file.
    connection: Option<Connection>,
}

/// What became of a document that was to be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Saved {
    /// It is kept under this number.
    As(i64),
    /// It was kept before, under this number.
    Already(i64),
}

/// A figure that some runs have.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Its number.
    pub id: i64,
    /// What it is.
    pub kind: &'static FigureKind,
    /// What it is about.
    pub subject: String,
}

/// Which runs to list.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// Only of this machine.
    pub machine: Option<String>,
    /// Only the latest.
    pub most: Option<u32>,
}

/// What was removed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    /// How many runs.
    pub removed: usize,
    /// Why the file is as large as before.
    pub reason_not_shrunk: Option<String>,
}

impl Scope {
    fn limit(&self) -> i64 {
        self.most.map_or(-1, i64::from)
    }
}

impl History {
    /// The history in `file`, for reading; empty if there is no file.
    ///
    /// # Errors
    /// If the file is not a history, or a newer build's, or cannot be read.
    pub fn to_read(file: PathBuf) -> Result<Self, HistoryError> {
        Self::to_read_within(PATIENCE, file)
    }

    /// As [`to_read`](Self::to_read), but does not wait long for another process that is writing.
    ///
    /// # Errors
    /// Those, and if another process keeps writing.
    pub fn to_glance(file: PathBuf) -> Result<Self, HistoryError> {
        Self::to_read_within(PATIENCE_OF_GLANCE, file)
    }

    fn to_read_within(patience: Duration, file: PathBuf) -> Result<Self, HistoryError> {
        let connection = match examine(&file)? {
            Found::Nothing => None,
            Found::History => Some(open(&file, OpenFlags::SQLITE_OPEN_READ_WRITE, patience)?),
        };
        let mut history = Self { file, connection };
        history.with(|connection| migrate(connection, MIGRATIONS))?;
        Ok(history)
    }

    /// The history in `file`, for writing; made if there is none.
    ///
    /// # Errors
    /// If the file is not a history, or a newer build's, or damaged, or cannot be written.
    pub fn to_write(file: PathBuf) -> Result<Self, HistoryError> {
        let found = examine(&file)?;
        if found == Found::Nothing {
            make_folder(&file)?;
            make_file(&file)?;
        }
        let mut connection = open(&file, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE, PATIENCE)?;
        let of_database = |error: rusqlite::Error| HistoryError::of_database(&file, &error);
        if found == Found::History && file.metadata().is_ok_and(|found| found.len() <= MOST_CHECKED) {
            let said: String =
                connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0)).map_err(of_database)?;
            if said != "ok" {
                return Err(HistoryError::refused(&file, format!("damaged ({said})")));
            }
        }
        migrate(&mut connection, MIGRATIONS).map_err(of_database)?;
        Ok(Self { file, connection: Some(connection) })
    }

    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Keeps a document; on return it is on the disk.
    ///
    /// # Errors
    /// If it cannot be written, or does not say when it began.
    pub fn save(&mut self, record: &Record) -> Result<Saved, HistoryError> {
        let run = Run::of(record).map_err(|why| HistoryError::new(&self.file, why))?;
        let json = compressed(record).map_err(|why| HistoryError::new(&self.file, why))?;
        let figures = figures(record);
        self.with(|connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let saved = insert(&transaction, &run, &json, &figures)?;
            transaction.commit()?;
            Ok(saved)
        })?
        .ok_or_else(|| HistoryError::new(&self.file, "was opened for reading"))
    }

    /// Runs, the latest first, each with the latency of `CLOCK_MONOTONIC` or what this system has for it.
    pub fn runs(&mut self, scope: &Scope) -> Result<Vec<Run>, HistoryError> {
        let sql = format!(
            "SELECT {}, figure.value, figure.low, figure.high, figure.confidence FROM run \
             LEFT JOIN figure ON figure.run = run.id AND figure.series = (SELECT id FROM series WHERE kind = ?1 AND subject = ?2) \
             WHERE ?3 IS NULL OR run.machine = ?3 ORDER BY run.started_s DESC, run.id DESC LIMIT ?4",
            Run::COLUMNS
        );
        let (kind, clock) = (LATENCY.name, SourceId::Os(OsClock::Monotonic).name());
        let limit = scope.limit();
        let found = self.with(|connection| {
            connection.prepare(&sql)?.query_map(params![kind, clock, scope.machine, limit], Run::read)?.collect()
        })?;
        Ok(found.unwrap_or_default())
    }

    /// The run of this number.
    pub fn run(&mut self, id: i64) -> Result<Option<Run>, HistoryError> {
        let sql = format!("SELECT {} FROM run WHERE id = ?1", Run::COLUMNS);
        let found = self.with(|connection| connection.query_row(&sql, [id], Run::read).optional())?;
        Ok(found.flatten())
    }

    /// The latest complete check of a machine before `started_s`.
    pub fn last_check(&mut self, machine: &str, started_s: i64) -> Result<Option<Run>, HistoryError> {
        let sql = format!(
            "SELECT {} FROM run WHERE machine = ?1 AND command = 'check' AND started_s <= ?2 AND NOT interrupted \
             ORDER BY started_s DESC, id DESC LIMIT 1",
            Run::COLUMNS
        );
        let found =
            self.with(|connection| connection.query_row(&sql, params![machine, started_s], Run::read).optional())?;
        Ok(found.flatten())
    }

    /// The numbers of the latest complete checks of a machine, the latest first.
    pub fn checks(&mut self, machine: &str, most: u32) -> Result<Vec<i64>, HistoryError> {
        let sql = "SELECT id FROM run WHERE machine = ?1 AND command = 'check' AND NOT interrupted \
                   ORDER BY started_s DESC, id DESC LIMIT ?2";
        let found = self.with(|connection| {
            connection.prepare(sql)?.query_map(params![machine, most], |row| row.get(0))?.collect()
        })?;
        Ok(found.unwrap_or_default())
    }

    /// The document of the run of this number.
    ///
    /// # Errors
    /// Also if it cannot be read by this build.
    pub fn document(&mut self, id: i64) -> Result<Option<Record>, HistoryError> {
        let sql = "SELECT json FROM document WHERE run = ?1";
        let found =
            self.with(|connection| connection.query_row(sql, [id], |row| row.get::<_, Vec<u8>>(0)).optional())?;
        let Some(bytes) = found.flatten() else { return Ok(None) };
        let cannot = |why: String| HistoryError::new(&self.file, format!("run {id} cannot be read: {why}"));
        let text = json::bounded_text(ZlibDecoder::new(&bytes[..]), json::MOST_BYTES).map_err(cannot)?;
        json::document(&text).map(Some).map_err(|error| cannot(error.to_string()))
    }

    /// The figures of the latest other runs under the conditions of `base`, from which the noise between runs is known.
    pub fn earlier(&mut self, base: &Run, but: &[i64]) -> Result<Vec<Vec<Figure>>, HistoryError> {
        let sql = "SELECT id FROM run WHERE machine = ?1 AND command = ?2 AND conditions = ?3 AND started_s <= ?4 \
                   ORDER BY started_s DESC, id DESC LIMIT ?5";
        let wanted = params![base.machine, base.command, base.conditions, base.started_s, MOST_EARLIER];
        let found = self.with(|connection| {
            let mut statement = connection.prepare(sql)?;
            let ids: Vec<i64> = statement.query_map(wanted, |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
            let others = ids.into_iter().filter(|id| *id != base.id && !but.contains(id));
            others.map(|id| figures_of(connection, id)).collect()
        })?;
        Ok(found.unwrap_or_default())
    }

    /// Every figure that some run has.
    pub fn series(&mut self) -> Result<Vec<Series>, HistoryError> {
        let sql = "SELECT id, kind, subject FROM series WHERE EXISTS (SELECT 1 FROM figure WHERE series = series.id) \
                   ORDER BY kind, subject";
        let found = self.with(|connection| {
            let mut statement = connection.prepare(sql)?;
            let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get::<_, String>(1)?, row.get(2)?)))?;
            let rows = rows.collect::<rusqlite::Result<Vec<(i64, String, String)>>>()?;
            // A kind that this build does not know can be shown by the one that does.
            let known = |(id, kind, subject): (i64, String, String)| {
                FigureKind::named(&kind).map(|kind| Series { id, kind, subject })
            };
            Ok(rows.into_iter().filter_map(known).collect())
        })?;
        Ok(found.unwrap_or_default())
    }

    /// The runs that have a figure, the earliest first, each with its value.
    pub fn of_series(&mut self, series: i64, scope: &Scope) -> Result<Vec<Run>, HistoryError> {
        let sql = format!(
            "SELECT {}, figure.value, figure.low, figure.high, figure.confidence FROM figure JOIN run ON run.id = figure.run \
             WHERE figure.series = ?1 AND (?2 IS NULL OR run.machine = ?2) ORDER BY run.started_s DESC, run.id DESC LIMIT ?3",
            Run::COLUMNS
        );
        let found = self.with(|connection| {
            connection.prepare(&sql)?.query_map(params![series, scope.machine, scope.limit()], Run::read)?.collect()
        })?;
        let mut runs: Vec<Run> = found.unwrap_or_default();
        runs.reverse();
        Ok(runs)
    }

    /// Removes all runs but the latest `keep`, or those that began before `before_s`.
    pub fn prune(&mut self, keep: Option<u32>, before_s: Option<i64>) -> Result<Pruned, HistoryError> {
        let pruned = self.with(|connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let mut removed = 0;
            if let Some(keep) = keep {
                let sql =
                    "DELETE FROM run WHERE id NOT IN (SELECT id FROM run ORDER BY started_s DESC, id DESC LIMIT ?1)";
                removed += transaction.execute(sql, [keep])?;
            }
            if let Some(before_s) = before_s {
                removed += transaction.execute("DELETE FROM run WHERE started_s < ?1", [before_s])?;
            }
            transaction.commit()?;
            Ok(Pruned { removed, reason_not_shrunk: if removed > 0 { shrink(connection) } else { None } })
        })?;
        Ok(pruned.unwrap_or_default())
    }

    /// What `act` does with the database; None without one.
    fn with<T>(&mut self, act: impl FnOnce(&mut Connection) -> rusqlite::Result<T>) -> Result<Option<T>, HistoryError> {
        let Some(connection) = self.connection.as_mut() else { return Ok(None) };
        act(connection).map(Some).map_err(|error| HistoryError::of_database(&self.file, &error))
    }
}

/// Gives the room of removed runs back, for which there has to be room for a copy; why not, if it cannot. Nothing hangs on it: what is
/// kept next takes the room.
fn shrink(connection: &Connection) -> Option<String> {
    connection.execute_batch("VACUUM").err().map(|error| error.to_string())
}

fn open(file: &Path, flags: OpenFlags, patience: Duration) -> Result<Connection, HistoryError> {
    // SQLite takes some names, such as `:memory:`, for something else than a file; no absolute path is among them.
    let place = std::path::absolute(file)
        .map_err(|error| HistoryError::new(file, format!("its place cannot be told: {error}")))?;
    let opened = Connection::open_with_flags(place, flags).and_then(|connection| {
        connection.busy_timeout(patience)?;
        connection
            .execute_batch("PRAGMA foreign_keys = ON; PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF;")?;
        Ok(connection)
    });
    opened.map_err(|error| HistoryError::of_database(file, &error))
}

/// The folder of `file`, which others need not read.
fn make_folder(file: &Path) -> Result<(), HistoryError> {
    let Some(folder) = file.parent().filter(|folder| !folder.as_os_str().is_empty()) else { return Ok(()) };
    private_file::create_folders(folder).map_err(|error| {
        HistoryError::new(file, format!("cannot make its folder ({error}); name another file in CHRONOSCOPE_HISTORY"))
    })
}

/// Creates an empty `file` that only its owner can read, whatever the umask. SQLite gives its journal the same permissions.
fn make_file(file: &Path) -> Result<(), HistoryError> {
    match private_file::create(file) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => {
            Err(HistoryError::new(file, format!("cannot be made ({error}); name another file in CHRONOSCOPE_HISTORY")))
        }
        _ => Ok(()),
    }
}

fn compressed(record: &Record) -> Result<Vec<u8>, String> {
    let json = json::json(record).map_err(|error| error.to_string())?;
    if let Some(reason) = json::reason_unreadable(&json) {
        return Err(reason);
    }
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(json.as_bytes()).and_then(|()| encoder.finish()).map_err(|error| error.to_string())
}

fn insert(transaction: &Transaction<'_>, run: &Run, json: &[u8], figures: &[Figure]) -> rusqlite::Result<Saved> {
    let sql = "SELECT id FROM run WHERE machine = ?1 AND command = ?2 AND started_at = ?3 AND elapsed_ms = ?4";
    let same = params![run.machine, run.command, run.started_at, run.elapsed_ms];
    if let Some(id) = transaction.query_row(sql, same, |row| row.get(0)).optional()? {
        return Ok(Saved::Already(id));
    }
    transaction.execute(
        "INSERT INTO run (command, started_at, started_s, elapsed_ms, machine, tool, kernel, clocksource, cpu, conditions, \
         interrupted, warnings, criticals) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
        params![
            run.command,
            run.started_at,
            run.started_s,
            run.elapsed_ms,
            run.machine,
            run.tool,
            run.kernel,
            run.clocksource,
            run.cpu,
            run.conditions,
            run.interrupted,
            run.warnings,
            run.criticals
        ],
    )?;
    let id = transaction.last_insert_rowid();
    transaction.execute("INSERT INTO document (run, json) VALUES (?1, ?2)", params![id, json])?;
    let mut name = transaction.prepare("INSERT INTO series (kind, subject) VALUES (?1, ?2) ON CONFLICT DO NOTHING")?;
    let mut value = transaction.prepare(
        "INSERT INTO figure (series, run, value, low, high, confidence) \
         VALUES ((SELECT id FROM series WHERE kind = ?1 AND subject = ?2), ?3, ?4, ?5, ?6, ?7)",
    )?;
    for Figure { kind, subject, value: of } in figures {
        name.execute(params![kind.name, subject])?;
        value.execute(params![kind.name, subject, id, of.estimate, of.low, of.high, of.confidence])?;
    }
    Ok(Saved::As(id))
}

fn figures_of(connection: &Connection, run: i64) -> rusqlite::Result<Vec<Figure>> {
    let mut statement = connection.prepare(
        "SELECT series.kind, series.subject, figure.value, figure.low, figure.high, figure.confidence FROM figure \
         JOIN series ON series.id = figure.series WHERE figure.run = ?1",
    )?;
    let rows = statement
        .query_map([run], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?, estimate(row, 2)?)))?;
    let rows = rows.collect::<rusqlite::Result<Vec<_>>>()?;
    let figure =
        |(kind, subject, value): (String, String, Option<_>)| Figure::new(FigureKind::named(&kind)?, subject, value?);
    Ok(rows.into_iter().filter_map(figure).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_cannot_be_made_smaller_is_said_to_keep_its_size() {
        let mut connection = Connection::open_in_memory().unwrap();
        assert_eq!(shrink(&connection), None);
        let transaction = connection.transaction().unwrap();
        let why = shrink(&transaction).unwrap();
        assert!(why.contains("VACUUM"), "{why}");
    }
}
