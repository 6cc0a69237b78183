//! A part of a benchmark: tables of what it measured, with words.

use chronoscope_bench::page_width;
use chronoscope_harness::record::study::StudyRecord;
use chronoscope_render::line::Line;
use chronoscope_render::page::Page;
use chronoscope_render::palette::{DIM, PLAIN, WARNING};
use chronoscope_render::study::{Detail, terminal};
use chronoscope_render::table::{Align, Table as Drawn};

use crate::Value;

/// Between the parts of a row's name, and between columns.
const SEPARATOR: &str = " | ";

#[derive(Debug)]
pub struct Section {
    pub name: &'static str,
    parts: Vec<Part>,
    /// Why it was not measured to the end.
    pub failure: Option<String>,
}

#[derive(Debug)]
enum Part {
    Words(String),
    Table(Table),
    /// A page as `cargo bench` prints it, and its times and comparisons as tables for goals.
    Study(String, [Table; 2]),
}

/// Rows of values; the leading ones name the row.
#[derive(Debug)]
pub struct Table {
    columns: Vec<String>,
    naming: usize,
    rows: Vec<Vec<Value>>,
}

impl Table {
    /// The first `naming` of the columns, which are written as `one | other`, name the rows.
    pub fn new(naming: usize, columns: &str) -> Self {
        Self { columns: columns.split(SEPARATOR).map(str::to_owned).collect(), naming, rows: Vec::new() }
    }

    pub fn row(&mut self, cells: impl Into<Vec<Value>>) {
        self.rows.push(cells.into());
    }

    /// The name of a row, in parts.
    fn name(&self, row: &[Value]) -> String {
        let parts = row.iter().take(self.naming).map(Value::show).filter(|part| !part.is_empty());
        parts.collect::<Vec<_>>().join(SEPARATOR)
    }

    fn draw(&self, page: &mut Page) {
        let has_any =
            |at: &usize| *at < self.naming || self.rows.iter().any(|row| row.get(*at) != Some(&Value::Nothing));
        let shown: Vec<usize> = (0..self.columns.len()).filter(has_any).collect();
        let align = |at: usize| {
            let is_text = |row: &Vec<Value>| matches!(row.get(at), None | Some(Value::Words(_) | Value::Nothing));
            if at < self.naming || self.rows.iter().all(is_text) { Align::Left } else { Align::Right }
        };
        let columns: Vec<_> = shown.iter().map(|at| (self.columns[*at].as_str(), align(*at))).collect();
        let mut table = Drawn::new(&columns).named_by(self.naming);
        for row in &self.rows {
            table.cells(PLAIN, shown.iter().filter_map(|at| row.get(*at)).map(Value::show).collect());
        }
        page.table(table);
    }
}

impl Section {
    pub(crate) fn new(name: &'static str) -> Self {
        Self { name, parts: Vec::new(), failure: None }
    }

    pub fn table(&mut self, table: Table) {
        self.parts.push(Part::Table(table));
    }

    pub fn say(&mut self, words: impl Into<String>) {
        self.parts.push(Part::Words(words.into()));
    }

    pub fn study(&mut self, record: &StudyRecord) {
        let mut cells = Table::new(2, "case | where | ns | number");
        for cell in &record.study().cells {
            let place = record.study().plan.place(&cell.parameters, cell.backoff_tokens, cell.threads);
            let ns = cell.time_ns.map(|ns| Value::estimate(ns, 2)).or(cell.below_ns.map(Value::Below));
            cells.row([cell.case.as_str().into(), place.into(), ns.into(), cell.leads.word().into()]);
        }
        let mut comparisons = Table::new(3, "case | baseline | where | ratio | difference, ns");
        for comparison in &record.study().comparisons {
            for point in &comparison.points {
                let place = record.study().plan.place(&comparison.parameters, point.backoff_tokens, comparison.threads);
                let names = [&comparison.case, &comparison.baseline, &place].map(|name| name.as_str().into());
                let figures = [Value::estimate(point.ratio, 3), Value::estimate(point.difference_ns, 2)];
                comparisons.row([names.as_slice(), figures.as_slice()].concat());
            }
        }
        let page = terminal(record, Detail::Usual, page_width());
        self.parts.push(Part::Study(page, [cells, comparisons]));
    }

    /// The cells in `column` of all rows called so, or whose name begins with these parts; of all rows for no name.
    pub(crate) fn find<'s>(&'s self, row: &'s str, column: &'s str) -> impl Iterator<Item = (String, &'s Value)> {
        let tables = self.parts.iter().flat_map(|part| match part {
            Part::Words(_) => &[],
            Part::Table(table) => std::slice::from_ref(table),
            Part::Study(_, tables) => &tables[..],
        });
        tables.flat_map(move |table| {
            let at = table.columns.iter().position(|name| name == column);
            table.rows.iter().filter_map(move |cells| {
                let (name, cell) = (table.name(cells), cells.get(at?)?);
                let rest = name.strip_prefix(row)?;
                (row.is_empty() || rest.is_empty() || rest.starts_with(SEPARATOR)).then_some((name, cell))
            })
        })
    }

    pub(crate) fn draw(&self) -> String {
        let mut text = on_page(|page| page.section(self.name));
        for part in &self.parts {
            text += &match part {
                Part::Words(words) => on_page(|page| page.paragraph(Line::new(), DIM, words)),
                Part::Table(table) => on_page(|page| table.draw(page)),
                Part::Study(page, _) => page.clone(),
            };
            text += "\n";
        }
        if let Some(failure) = &self.failure {
            text += &on_page(|page| page.paragraph(Line::styled(WARNING, "not measured: "), PLAIN, failure));
        }
        text
    }
}

/// What `draw` draws, over the width of the terminal.
pub(crate) fn on_page(draw: impl FnOnce(&mut Page)) -> String {
    let mut page = Page::with_width(page_width());
    draw(&mut page);
    page.finish()
}
