use chronoscope_examples::{Block, Conclusions, Grid, Item, Value};
use chronoscope_harness::quantity::TIME;
use chronoscope_harness::record::Document;
use chronoscope_harness::record::study::StudyRecord;
use chronoscope_render::Width;
use chronoscope_render::page::Page;
use chronoscope_render::study::resolution;
use chronoscope_render::text::{self, Column, Mood, Text};
use chronoscope_render::title::emulated;

use super::against;

/// The conclusions as text for a terminal; the record provides the machine and the disturbance.
pub fn terminal(conclusions: &Conclusions, record: &StudyRecord, width: Width) -> Page {
    let mut page = Text::with_width(width);
    title(&mut page, record, &record.command);
    page.line(Mood::Plain, &conclusions.question);
    if record.interrupted {
        page.sentence(Mood::Warning, "!", "interrupted: results so far");
    }
    concluded(&mut page, conclusions, record);
    page.into_page()
}

/// What is concluded, without the circumstances.
pub fn conclusions(conclusions: &Conclusions, record: &StudyRecord) -> Page {
    let mut page = Text::new();
    concluded(&mut page, conclusions, record);
    page.into_page()
}

fn concluded(page: &mut Text, conclusions: &Conclusions, record: &StudyRecord) {
    for failure in &record.study().failures {
        let words = format!("{} failed: {}", failure.name(), failure.reason);
        page.sentence(Mood::Bad, "✘", &words);
    }
    for objection in against::objections(&record.findings) {
        page.sentence(Mood::Warning, "!", &objection.words);
    }
    block(page, "NAIVE CONCLUSION", &conclusions.naive);
    block(page, if conclusions.passed.is_some() { "VERDICT" } else { "MODEL" }, &conclusions.model);
    block(page, "PUBLISHED FIGURES AGAINST OURS", &conclusions.published);
    page.section("HOW SURE");
    for sentence in how_sure(record) {
        page.sentence(Mood::Quiet, "·", &sentence);
    }
}

/// What ran, where, when and for how long.
pub fn title<C>(page: &mut Text, record: &Document<C>, what: &str) {
    let host = record.machine.hostname.as_deref().unwrap_or("hostname unknown");
    let seconds = text::ns(record.elapsed_ms as f64 * 1e6);
    page.line(
        Mood::Quiet,
        &format!("{} {} · {what} · {host} · {} · {seconds}", record.tool.name, record.tool.version, record.started_at),
    );
    if let Some(text) = emulated(&record.machine) {
        page.sentence(Mood::Warning, "!", &text);
    }
}

fn block(page: &mut Text, title: &str, block: &Block) {
    if block.items.is_empty() {
        return;
    }
    page.section(title);
    for item in &block.items {
        match item {
            Item::Statement(statement) if statement.is_main => page.sentence(Mood::Good, "➤", &statement.text),
            Item::Statement(statement) => page.sentence(Mood::Plain, "·", &statement.text),
            Item::Table(grid) => table(page, grid),
        }
    }
}

fn table(page: &mut Text, grid: &Grid) {
    if !grid.title.is_empty() {
        page.heading(&grid.title);
    }
    let column = |(i, title): (usize, &String)| {
        let is_words = grid.rows.iter().all(|row| matches!(row.get(i), Some(Value::Text(_))));
        // Cases, tokens and threads come first: they name the rows.
        let is_name = |row: &Vec<Value>| matches!(row.get(i), Some(Value::Text(_) | Value::Count(_)));
        let column = if is_words { Column::left(title) } else { Column::right(title) };
        if grid.rows.iter().all(is_name) { column.naming() } else { column }
    };
    let columns: Vec<Column> = grid.columns.iter().enumerate().map(column).collect();
    page.table(&columns, grid.rows.iter().map(|row| row.iter().map(Value::to_string).collect()));
}

/// The number of processes behind an estimate: as planned, or fewer if the run ended early.
fn processes(record: &StudyRecord) -> u32 {
    let began = u32::try_from(record.study().processes.len()).unwrap_or(u32::MAX);
    if record.study().processes.is_empty() {
        record.study().plan.processes
    } else {
        began.min(record.study().plan.processes)
    }
}

/// The basis of the intervals, and the disturbance of the run.
pub fn how_sure(record: &StudyRecord) -> Vec<String> {
    let mut said = vec![match processes(record) {
        0 | 1 => {
            "no estimate has an interval, which takes at least two processes: a process is one draw of layout and \
             frequency, however often it measures"
                .to_owned()
        }
        several => format!(
            "intervals have at least {} confidence over {}: a process is one draw of layout and frequency, however often it \
             measures",
            chronoscope_harness::quantity::confidence(record.study().confidence()),
            text::counted(u64::from(several), "process", "processes"),
        ),
    }];
    if let Some(clock) = &record.study().clock {
        said.push(format!(
            "batches are timed from outside with the clock {}, {}",
            clock.name,
            TIME.off(clock.error_ns)
        ));
    }
    if let Some(empty) = &record.study().empty_loop_ns {
        said.push(format!("an empty loop takes {} per turn and is not subtracted", TIME.amount(empty)));
    }
    if let Some(control) = record.study().control.filter(|control| control.comparisons > 0) {
        said.push(format!(
            "an operation compared with itself, {} times: {} by chance, {} beyond the margin; {}",
            text::count(control.comparisons.into()),
            text::counted(u64::from(control.alarms), "false alarm", "false alarms"),
            text::count(control.verdicts_wrong.into()),
            resolution(&control),
        ));
    }
    if let Some(interference_probe) = &record.study().interference_probe {
        said.push(format!(
            "{} of {} iterations with a CPU for each thread were undisturbed; a neighbour shared the core in {}, the core ran slow in {}, a \
             thread lost its CPU in {}",
            text::count(interference_probe.iterations_quiet),
            text::count(interference_probe.iterations),
            text::count(interference_probe.iterations_shared),
            text::count(interference_probe.iterations_slow),
            text::count(interference_probe.iterations_preempted),
        ));
    }
    for process in &record.study().processes {
        if let Some(reason) = &process.reason_incomplete {
            said.push(format!("process {} did not finish: {reason}", process.process));
        }
    }
    said
}

#[cfg(test)]
mod tests {
    use chronoscope_examples::Experiment;
    use chronoscope_harness::finding::Finding;
    use chronoscope_harness::record::study::{Control, StudyProcess};
    use chronoscope_harness::study_rules::NOISY_MACHINE;

    use super::super::synthetic::record;
    use super::*;

    #[test]
    fn a_warning_of_the_study_is_on_the_page_before_what_it_undermines() {
        let mut made = record();
        made.findings = vec![Finding::new(NOISY_MACHINE, "6 of 18 iterations were undisturbed")];
        let conclusions = Experiment::ALL[0].conclude(&made);
        let text = terminal(&conclusions, &made, Width::default()).finish();
        let (warning, naive) =
            (text.find("6 of 18 iterations were undisturbed").unwrap(), text.find("NAIVE CONCLUSION").unwrap());
        assert!(warning < naive, "{text}");
        for title in ["MODEL", "PUBLISHED FIGURES AGAINST OURS", "HOW SURE"] {
            assert!(text.contains(title), "{title}: {text}");
        }
    }

    #[test]
    fn how_sure_it_is() {
        let mut made = record();
        let mut said = vec![how_sure(&made)];
        // Stopped after two processes, and after one; six passes of four.
        for processes in [2, 1, 24] {
            made.content.study.processes = vec![StudyProcess::default(); processes];
            said.push(how_sure(&made));
        }
        for comparisons in [2, 20] {
            made.content.study.control = Some(Control {
                comparisons,
                alarms: 0,
                verdicts_wrong: 0,
                resolvable_pct: 0.00816,
                resolvable_ns: 0.000136,
            });
            said.push(how_sure(&made));
        }
        let said: String = said.iter().map(|said| said.join("\n") + "\n\n").collect();
        crate::tests::golden_file::assert_golden("how-sure.txt", &said);
    }
}
