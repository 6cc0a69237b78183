//! The format of the file: recognised before SQLite touches it, and brought up to date step by step.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;

use rusqlite::{Connection, TransactionBehavior};

use super::error::HistoryError;

/// Marks a file as ours: `Chro`.
const APPLICATION_ID: u32 = 0x4368_726f;

/// The steps from one version of the format to the next; never changed once released.
pub const MIGRATIONS: &[&str] = &[include_str!("version_1.sql")];

/// Where SQLite's header has these numbers.
/// Sources: sqlite.org/fileformat2.html, "The Database Header".
const HEADER: usize = 100;
const MAGIC: &[u8] = b"SQLite format 3\0";
const USER_VERSION_AT: usize = 60;
const APPLICATION_ID_AT: usize = 68;

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// There is none, or it is empty.
    Nothing,
    /// A history that this build can read.
    History,
}

/// Looks at a file's header, without SQLite, which would recover or lock it.
///
/// # Errors
/// If it is not a history, or one of a newer build.
pub fn examine(file: &Path) -> Result<Found, HistoryError> {
    let cannot = |error: std::io::Error| HistoryError::new(file, format!("cannot be read: {error}"));
    let mut header = Vec::new();
    // Before it is opened: opening a pipe waits for whoever writes to it.
    match file.metadata() {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Found::Nothing),
        Err(error) => return Err(cannot(error)),
        Ok(found) if !found.is_file() => return Err(HistoryError::refused(file, "not a regular file")),
        Ok(_) => {}
    }
    match File::open(file) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Found::Nothing),
        Err(error) => return Err(cannot(error)),
        Ok(opened) => opened.take(HEADER as u64).read_to_end(&mut header).map_err(cannot)?,
    };
    if header.is_empty() {
        return Ok(Found::Nothing);
    }
    if header.len() < HEADER || !header.starts_with(MAGIC) {
        return Err(HistoryError::refused(file, "not an SQLite database"));
    }
    let number = |at: usize| header[at..at + 4].iter().fold(0_u32, |number, byte| number << 8 | u32::from(*byte));
    let newest = MIGRATIONS.len() as u32;
    match (number(APPLICATION_ID_AT), number(USER_VERSION_AT)) {
        (APPLICATION_ID, version) if (1..=newest).contains(&version) => Ok(Found::History),
        (APPLICATION_ID, version) => {
            let by = if version > newest { ": a newer chronoscope wrote it" } else { "" };
            let why = format!("of format {version}, and this build knows 1 to {newest}{by}");
            Err(HistoryError::refused(file, why))
        }
        _ => Err(HistoryError::refused(file, "a database of another program")),
    }
}

/// Brings a database up to date, in one transaction: all of it or nothing.
///
/// # Errors
/// Those of SQLite.
pub fn migrate(connection: &mut Connection, steps: &[&str]) -> rusqlite::Result<()> {
    let version =
        |connection: &Connection| connection.pragma_query_value(None, "user_version", |row| row.get::<_, u32>(0));
    let newest = u32::try_from(steps.len()).unwrap_or(u32::MAX);
    if version(connection)? == newest {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have done it while this one waited.
    let found = version(&transaction)?;
    for step in steps.iter().skip(found as usize) {
        transaction.execute_batch(step)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", newest.max(found))?;
    transaction.commit()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_taken_once_and_in_order() {
        let mut connection = Connection::open_in_memory().unwrap();
        let steps = ["CREATE TABLE a (x);", "ALTER TABLE a ADD COLUMN y; INSERT INTO a VALUES (1, 2);"];
        migrate(&mut connection, &steps[..1]).unwrap();
        for _ in 0..3 {
            migrate(&mut connection, &steps).unwrap();
        }
        let rows: i64 = connection.query_row("SELECT count(*) FROM a", [], |row| row.get(0)).unwrap();
        assert_eq!(rows, 1);
    }

    #[test]
    fn a_step_that_fails_leaves_everything_as_it_was() {
        let mut connection = Connection::open_in_memory().unwrap();
        migrate(&mut connection, &["CREATE TABLE a (x);"]).unwrap();
        assert!(migrate(&mut connection, &["", "CREATE TABLE b (x);", "nonsense"]).is_err());
        let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
        let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).unwrap();
        assert_eq!((version, tables), (1, 1));
    }
}
