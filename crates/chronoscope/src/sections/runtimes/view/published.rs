//! What was published of the calls that were measured, in columns of their own and with the digits of its authors.

use crate::probe::runtime::Runtime;
use chronoscope_harness::literature::measure::{GRANULARITY, LATENCY, RESOLUTION, TICK};
use chronoscope_harness::literature::{Article, Figure, figures};
use chronoscope_probes::RuntimeKind;
use chronoscope_render::page::Page;
use chronoscope_render::palette::{PLAIN, TITLE};
use chronoscope_render::table::{Align, Table};

const NONE: &str = "–";
/// The two articles name the smallest step differently.
const MEASURES: [&[&str]; 3] = [&[LATENCY], &[GRANULARITY, RESOLUTION], &[TICK]];

/// The table; nothing if nothing was published of these calls.
pub fn show(page: &mut Page, measured: &[&Runtime]) {
    let mut table = Table::new(&[
        ("published", Align::Left),
        ("system", Align::Left),
        ("timer", Align::Left),
        ("latency", Align::Right),
        ("granularity", Align::Right),
        ("tick", Align::Right),
    ])
    .named_by(3);
    let mut titles: Vec<(Article, &str)> = Vec::new();
    for setting in settings(measured) {
        let title = (setting.article, setting.call);
        if !titles.contains(&title) {
            titles.push(title);
            table.title(TITLE, setting.call, &setting.article.cited());
        }
        table.row(PLAIN, cells(setting));
    }
    if !titles.is_empty() {
        page.table(table);
    }
}

/// A figure of each setting in which one of the calls was measured, article by article and call by call.
fn settings(measured: &[&Runtime]) -> Vec<&'static Figure> {
    let is_of = |figure: &Figure| {
        measured.iter().any(|one| {
            names(one.kind).contains(&figure.runtime) && one.clocks.iter().any(|clock| clock.name == figure.call)
        })
    };
    let mut found: Vec<&'static Figure> = Vec::new();
    for figure in figures().iter().filter(|figure| MEASURES.concat().contains(&figure.measure) && is_of(figure)) {
        if !found.iter().any(|other| is_like(other, figure)) {
            found.push(figure);
        }
    }
    // Stable: within one, as in the file.
    found.sort_by_key(|figure| (figure.article, figure.call, figure.runtime));
    found
}

/// The names that articles have for a runtime.
const fn names(kind: RuntimeKind) -> &'static [&'static str] {
    match kind {
        RuntimeKind::Java => &["Java"],
        RuntimeKind::Dotnet => &[".NET", ".NET Framework"],
        RuntimeKind::Mono => &["Mono"],
        _ => &[],
    }
}

fn is_like(a: &Figure, b: &Figure) -> bool {
    let setting = |figure: &Figure| {
        let Figure { article, runtime, call, system, timer, hardware, threads, .. } = *figure;
        (article, (runtime, call), (system, timer, hardware), threads)
    };
    setting(a) == setting(b)
}

fn cells(setting: &Figure) -> [String; 6] {
    let or_none = |text: &str| if text.is_empty() { NONE.to_owned() } else { text.to_owned() };
    let mut name = match setting.hardware {
        "" => setting.runtime.to_owned(),
        hardware => format!("{}, {hardware}", setting.runtime),
    };
    if let Some(threads) = setting.threads.filter(|threads| *threads > 1) {
        name.push_str(&format!(", {threads} threads"));
    }
    let [latency, granularity, tick] = MEASURES.map(|measures| {
        let found = figures().iter().find(|figure| measures.contains(&figure.measure) && is_like(figure, setting));
        found.map_or_else(|| NONE.to_owned(), Figure::said)
    });
    [name, or_none(setting.system), or_none(setting.timer), latency, granularity, tick]
}
