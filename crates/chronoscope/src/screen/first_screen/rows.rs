//! The rows of the first screen, in order.

use chronoscope_render::line::Line;
use chronoscope_render::page::fitted;
use chronoscope_render::palette::DIM;
use chronoscope_render::words::counted;

use super::attention::attention;
use super::cells::Row;
use super::gaps::gaps;
use super::trust::{graded, trust};
use super::uses::uses;
use crate::document::Record;
use crate::judgement::Judgement;
use crate::judgement::host::Host;
use crate::screen::verdict::answered;

/// Columns of a sentence of the record.
const SENTENCE: usize = 140;

/// Every row of the screen but the first and the last.
pub fn rows(record: &Record, judgement: &Judgement, host: &Host) -> Vec<Row> {
    let mut rows = attention(record, host, &judgement.noise);
    rows.push(Row::empty());
    rows.extend(uses(record, judgement));
    rows.push(Row::empty());
    rows.extend(judgement.questions.iter().map(|question| {
        let (grade, text) = answered(question);
        Row::named("TIME", [graded(grade, &fitted(&text, SENTENCE))]).ranked(1)
    }));
    rows.push(trust(record, judgement));
    rows.push(gaps(&judgement.noise, &record.findings));
    let since = record.content.since.as_ref().map(|since| Line::plain(&fitted(&since.sentence, SENTENCE)));
    rows.extend(since.map(|said| Row::named("SINCE", [said]).ranked(1)));
    rows
}

/// Where everything else is.
pub fn more(left_out: usize) -> Row {
    let full = match left_out {
        0 => "--full".to_owned(),
        more => format!("--full ({} left out)", counted(more as u64, "row", "rows")),
    };
    let said = format!("{full} · advise --interval 1us · runtimes · history");
    Row::named("MORE", [Line::styled(DIM, &said)])
}
