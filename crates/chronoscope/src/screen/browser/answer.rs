//! What a page for browsers begins with: the host in a word, which clock to use, what can be trusted, what to mend.

use chronoscope_harness::finding::HostState;
use chronoscope_render::browser::Choice;
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

/// Which clock to use for what; what is left to say of it, without a purpose.
pub fn choices(record: &Record, judgement: &Judgement) -> Vec<Choice> {
    // The first names the columns.
    let rows = uses(record, judgement).into_iter().filter(Row::says).skip(1);
    rows.flat_map(|row| {
        let cells: Vec<String> = row.cells.iter().map(|cell| cell.line.text().trim().to_owned()).collect();
        match &cells[..] {
            [purpose, name, cost, good] => {
                let [purpose, name, good] = [purpose, name, good].map(Clone::clone);
                vec![Choice { purpose, name, cost: format!("{cost} a read"), good }]
            }
            remarks => remarks.iter().map(|name| Choice { name: name.clone(), ..Choice::default() }).collect(),
        }
    })
    .collect()
}

/// What the first screen says of trust and of warnings, in boxes.
pub fn boxes(record: &Record, judgement: &Judgement, host: &Host) -> Vec<Lines> {
    let cells = |row: Row| row.cells.into_iter().map(|cell| signed(&cell.line));
    let lost: Vec<(Mood, String)> = cells(gaps(&judgement.noise, &record.findings)).collect();
    let mood = lost.first().map_or(Mood::Quiet, |(mood, _)| *mood);
    let lost = lost.into_iter().map(|(_, text)| text).collect::<Vec<_>>().join("; ");
    let trusted = cells(trust(record, judgement)).chain([(mood, format!("gaps {lost}"))]).collect();
    let warnings = warnings(record, host, &judgement.noise).into_iter().filter(Row::says);
    let mend = warnings.map(|row| (Mood::Warning, row.cells.iter().map(|cell| cell.line.text()).collect())).collect();
    [("Can it be trusted?".to_owned(), trusted), ("What to mend".to_owned(), mend)]
        .into_iter()
        .filter(|(_, lines): &Lines| !lines.is_empty())
        .collect()
}

/// A line that begins with the sign of its mood.
fn signed(line: &Line) -> (Mood, String) {
    let text = line.text();
    let moods = [("✔ ", Mood::Good), ("! ", Mood::Warning), ("✘ ", Mood::Bad), ("? ", Mood::Quiet)];
    let found = moods.iter().find_map(|(sign, mood)| Some((*mood, text.strip_prefix(sign)?.to_owned())));
    found.unwrap_or((Mood::Plain, text))
}
