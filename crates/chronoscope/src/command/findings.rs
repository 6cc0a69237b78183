use std::process::ExitCode;

use chronoscope_bench::{Failure, Format, page_width, print};
use chronoscope_render::Width;
use chronoscope_render::page::Page;
use chronoscope_render::palette::PLAIN;
use chronoscope_render::table::{Align, Table};
use clap::Args;
use serde::Serialize;

use crate::answers::gate::forbidden::kind;
use crate::kinds;
use chronoscope_harness::finding::{Kind, Severity};

#[derive(Args, Clone, Debug)]
pub struct FindingsOptions {
    /// Explain only these [default: list all]
    #[arg(value_name = "ID", value_parser = kind)]
    pub ids: Vec<Kind>,

    /// What to print on standard output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub format: Format,
}

/// A kind of finding as JSON.
#[derive(Serialize)]
struct Explained {
    id: &'static str,
    severity: Severity,
    meaning: &'static str,
    evidence: &'static str,
    fix: &'static str,
    shown_in: &'static [&'static str],
}

impl From<&Kind> for Explained {
    fn from(kind: &Kind) -> Self {
        let Kind { id, severity, shown_in, about, evidence, mend: fix, .. } = *kind;
        Self { id, severity, meaning: about, evidence, fix, shown_in }
    }
}

/// Lists the kinds of findings, or explains those asked for.
pub fn run(options: &FindingsOptions) -> Result<ExitCode, Failure> {
    let asked: Vec<Kind> = match options.ids.is_empty() {
        true => kinds::all().copied().collect(),
        false => options.ids.clone(),
    };
    print(&match options.format {
        Format::Json => {
            let rows: Vec<Explained> = asked.iter().map(Explained::from).collect();
            let text = serde_json::to_string_pretty(&rows).map_err(|error| Failure::run(error.to_string()))?;
            text + "\n"
        }
        Format::Human if options.ids.is_empty() => list(&asked, page_width()),
        Format::Human => explanations(&asked, page_width()),
    })?;
    Ok(ExitCode::SUCCESS)
}

fn list(kinds: &[Kind], width: Width) -> String {
    let mut page = Page::with_width(width);
    let mut table =
        Table::new(&[("id", Align::Left), ("severity", Align::Left), ("meaning", Align::Left)]).folding_last();
    for kind in kinds {
        table.row(PLAIN, [kind.id.to_owned(), kind.severity.word().to_owned(), kind.about.to_owned()]);
    }
    page.table(table);
    page.finish()
}

fn explanations(kinds: &[Kind], width: Width) -> String {
    let mut page = Page::with_width(width);
    for kind in kinds {
        page.section(kind.id);
        for (name, text) in [
            ("severity", kind.severity.word()),
            ("meaning", kind.about),
            ("evidence", kind.evidence),
            ("fix", kind.mend),
        ] {
            page.entry(name, PLAIN, text);
        }
    }
    page.finish()
}
