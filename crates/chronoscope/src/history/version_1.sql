-- A run: what lists, trends and comparisons ask for without opening its document.
CREATE TABLE run (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    command TEXT NOT NULL,
    started_at TEXT NOT NULL,
    started_s INTEGER NOT NULL,
    elapsed_ms INTEGER NOT NULL,
    machine TEXT NOT NULL,
    tool TEXT NOT NULL,
    kernel TEXT NOT NULL,
    clocksource TEXT NOT NULL,
    cpu TEXT NOT NULL,
    conditions TEXT,
    interrupted INTEGER NOT NULL,
    warnings INTEGER NOT NULL,
    criticals INTEGER NOT NULL,
    UNIQUE (machine, command, started_at, elapsed_ms)
);
CREATE INDEX run_by_time ON run (started_s, id);
CREATE INDEX run_of_machine ON run (machine, command, started_s);
-- The whole document: JSON, compressed with zlib.
CREATE TABLE document (
    run INTEGER PRIMARY KEY REFERENCES run (id) ON DELETE CASCADE,
    json BLOB NOT NULL
);
-- A figure by name, and its values in all runs.
CREATE TABLE series (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    UNIQUE (kind, subject)
);
CREATE TABLE figure (
    series INTEGER NOT NULL REFERENCES series (id),
    run INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    value REAL NOT NULL,
    low REAL NOT NULL,
    high REAL NOT NULL,
    confidence REAL NOT NULL,
    PRIMARY KEY (series, run)
) WITHOUT ROWID;
CREATE INDEX figure_of_run ON figure (run);
