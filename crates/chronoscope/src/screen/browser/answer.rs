//! What a page for browsers begins with: the host in a word, which clock to use, what can be trusted, what to mend.

use chronoscope_harness::finding::HostState;
use chronoscope_render::line::Line;
use chronoscope_render::text::Mood;

use crate::document::Record;
use crate::judgement::Judgement;
use crate::judgement::host::Host;
use crate::screen::first_screen::{Row, gaps, trust, uses, warnings};

/// A heading and its lines.
pub type Lines = (String, Vec<(Mood, String)>);

/// The state of the host, as a badge.
pub fn badge(host: &Host) -> (Mood, String) {
    let mood = match host.state {
        HostState::Ok => Mood::Good,
        HostState::Unknown => Mood::Quiet,
        HostState::Noisy | HostState::Degraded => Mood::Warning,
        HostState::Broken => Mood::Bad,
    };
    (mood, host.state.word().to_owned())
}

/// What the first screen says, in boxes.
pub fn boxes(record: &Record, judgement: &Judgement, host: &Host) -> Vec<Lines> {
    let mut rows = uses(record, judgement).into_iter().filter(Row::says);
    // The titles of columns.
    let titles = rows.next();
    let used = rows.map(|row| (Mood::Plain, joined(&row))).collect();
    let checks = [trust(record, judgement), gaps(&judgement.noise)];
    let trusted = checks.iter().flat_map(|row| &row.cells).map(|cell| signed(&cell.line)).collect();
    let mend: Vec<(Mood, String)> =
        warnings(record, host, &judgement.noise).iter().filter(|row| row.says()).map(warning).collect();
    let headed = titles.map_or_else(String::new, |row| joined(&row));
    [(headed, used), ("Can it be trusted?".to_owned(), trusted), ("What to mend".to_owned(), mend)]
        .into_iter()
        .filter(|(_, lines)| !lines.is_empty())
        .collect()
}

/// The cells of a row in one line.
fn joined(row: &Row) -> String {
    let cells = row.cells.iter().map(|cell| cell.line.text().trim().to_owned());
    cells.filter(|cell| !cell.is_empty()).collect::<Vec<_>>().join(" · ")
}

/// A line that begins with the sign of its mood.
fn signed(line: &Line) -> (Mood, String) {
    let text = line.text();
    let moods = [("✔ ", Mood::Good), ("! ", Mood::Warning), ("✘ ", Mood::Bad), ("? ", Mood::Quiet)];
    let found = moods.iter().find_map(|(sign, mood)| Some((*mood, text.strip_prefix(sign)?.to_owned())));
    found.unwrap_or((Mood::Plain, text))
}

fn warning(row: &Row) -> (Mood, String) {
    (Mood::Warning, joined(row))
}
