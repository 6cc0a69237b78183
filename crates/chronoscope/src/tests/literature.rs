//! docs/literature.md, made from the claims as a machine judged them, and from the published figures.

use std::path::PathBuf;

use chronoscope_harness::literature::{Article, Figure, figures};

use super::golden_file::assert_same;
use crate::answers::literature::report::{JudgedClaim, Literature};
use crate::answers::literature::view::summary;
use crate::document::Record;

const HEAD: &str = "# Literature\n\n\
    Chronoscope implements what five articles describe. Each of their claims has a row here: the command that looks at it, the place in \
    that command's document, and the test that must hold there. `chronoscope literature` runs those commands, about seven minutes, and \
    judges every claim; `chronoscope literature FILE` does so by documents that are there. A state is computed, never written:\n\n\
    | state | it means |\n|---|---|\n\
    | agreed, differs | the test holds, or fails, for the whole interval; another machine than the article's may differ rightly |\n\
    | shown | it is measured or drawn; the claim gives nothing to test |\n\
    | inconclusive | the interval allows both, or has less than 95 % confidence |\n\
    | unknown, not run | it was looked for and not found; nobody looked |\n\
    | needs | it takes what this machine lacks |\n\
    | missing | no command looks |\n\n";

fn recorded() -> Record {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/shown/literature.json");
    let text = std::fs::read_to_string(path).expect("it is there");
    crate::json::document(&text).expect("the document is whole")
}

/// Bars would end a cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

fn code(text: &str) -> String {
    format!("`{}`", cell(text))
}

fn of_article(article: Article, literature: &Literature) -> String {
    let claims: Vec<&JudgedClaim> = literature.claims.iter().filter(|claim| claim.article == article.cited()).collect();
    let mut text = format!("## {}\n\n", article.cited());
    let remark = article.remark().map(str::to_owned);
    let facts: Vec<String> = [article.url().map(|url| format!("<{url}>")), remark].into_iter().flatten().collect();
    if !facts.is_empty() {
        text += &format!("{}\n\n", facts.join("; "));
    }
    if !claims.is_empty() {
        text += "| claim | it says | published | here | state | command, place and test |\n|---|---|---|---|---|---|\n";
        text.extend(claims.iter().map(|claim| row(claim)));
        text += "\n";
    }
    text
}

fn row(claim: &JudgedClaim) -> String {
    let reason = claim.reason.as_ref().map_or_else(String::new, |reason| format!(": {reason}"));
    let command = claim.command.as_ref().map(|command| code(&format!("chronoscope {command}")));
    let looks: Vec<String> =
        [command, claim.field.as_deref().map(code), claim.predicate.clone()].into_iter().flatten().collect();
    let ours = claim.ours_said.as_deref().unwrap_or("–");
    format!(
        "| {} | {} | {} | {} | {}{} | {} |\n",
        claim.id,
        cell(&claim.says),
        cell(&claim.published.join(", ")),
        cell(ours),
        claim.state.word(),
        cell(&reason),
        looks.join("; ")
    )
}

fn table_of_figures() -> String {
    let mut text = "## All published figures\n\nThe data file is \
        [figures.tsv](../crates/harness/src/literature/figures.tsv). Digits are the author's. `jmh` are figures of ours, measured with other \
        tools.\n\n| claim | source | of | where | threads | at | published |\n|---|---|---|---|---|---|---|\n"
        .to_owned();
    for figure in figures() {
        let Figure { row, measure, call, threads, at, .. } = figure;
        let threads = threads.map_or_else(String::new, |threads| threads.to_string());
        let call = if call.is_empty() { String::new() } else { format!(" of {}", code(call)) };
        text += &format!(
            "| {row} | {} | {measure}{call} | {} | {threads} | {at} | {} |\n",
            figure.article.cited_in_short(),
            figure.surroundings(),
            figure.said()
        );
    }
    text
}

#[test]
fn the_page_of_the_literature_is_what_a_machine_judged() {
    let record = recorded();
    let literature = record.content.literature.as_ref().expect("it judges the literature");
    let cpu = record.machine.cpu.microarchitecture.clone().or_else(|| record.machine.cpu.brand.clone());
    let day = record.started_at.split('T').next().unwrap_or_default();
    let mut text = format!(
        "{HEAD}*Here* is {}, on {day}: {}. From [literature.json](shown/literature.json), which has [a page](shown/literature.html).\n\n\
         Generated: `UPDATE_GOLDEN=1 cargo test -p chronoscope --lib literature`.\n\n",
        cpu.unwrap_or_else(|| "a CPU without a name".to_owned()),
        summary(&literature.claims)
    );
    text.extend(
        Article::ALL
            .into_iter()
            .filter(|article| *article != Article::Jmh)
            .map(|article| of_article(article, literature)),
    );
    text += &table_of_figures();
    assert_same(&PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/literature.md"), &text);
}
