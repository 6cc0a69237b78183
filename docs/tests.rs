use std::fs;
use std::path::{Path, PathBuf};

use crate::PAGES;

/// The README is read in one go; what it leaves out has a page of its own.
const MOST_README_LINES: usize = 200;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(page: &str) -> String {
    fs::read_to_string(root().join(page)).unwrap_or_else(|error| panic!("{page}: {error}"))
}

/// Every page in `folder`, by its path from the root.
fn pages_in(folder: &str) -> Vec<String> {
    let entries = fs::read_dir(root().join(folder)).expect("the folder is there");
    let names = entries.map(|entry| entry.expect("it can be listed").file_name().into_string().expect("it is UTF-8"));
    names.filter(|name| name.ends_with(".md")).map(|name| format!("{folder}{name}")).collect()
}

/// The text without its fenced blocks, in which brackets and hashes are code.
fn prose(page: &str) -> String {
    let text = read(page);
    let mut is_code = false;
    let mut lines = Vec::new();
    for line in text.lines() {
        if line.starts_with("```") {
            is_code = !is_code;
        } else if !is_code {
            lines.push(line);
        }
    }
    assert!(!is_code, "{page}: a block has no end");
    lines.join("\n")
}

/// The anchors that GitHub makes of a page's headings.
fn anchors(page: &str) -> Vec<String> {
    let headings = prose(page);
    let titles = headings.lines().filter(|line| line.starts_with('#')).map(|line| line.trim_start_matches('#').trim());
    let slug = |title: &str| {
        let kept = title.to_lowercase().replace(' ', "-");
        kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_')).collect()
    };
    titles.map(slug).collect()
}

/// The targets of a page's links.
fn links(page: &str) -> Vec<String> {
    let text = prose(page);
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    targets.map(|(target, _)| target.to_owned()).collect()
}

#[test]
fn every_page_is_compiled() {
    let mut found = pages_in("");
    found.extend(pages_in("docs/"));
    let missing: Vec<_> = found.iter().filter(|page| !PAGES.contains(&page.as_str())).collect();
    assert!(missing.is_empty(), "docs/pages.rs lacks {missing:?}");
    assert_eq!(found.len(), PAGES.len());
}

#[test]
fn every_link_leads_somewhere() {
    let mut followed = 0;
    for page in PAGES {
        let folder = Path::new(page).parent().expect("a file is in a folder");
        for link in links(page).iter().filter(|link| !link.starts_with("http")) {
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let file = if file.is_empty() { PathBuf::from(page) } else { folder.join(file) };
            let path = root().join(&file);
            assert!(path.exists(), "{page} links to {link}: there is no {}", path.display());
            if !anchor.is_empty() {
                let known = anchors(file.to_str().expect("it is UTF-8"));
                assert!(known.iter().any(|known| known == anchor), "{page} links to {link}: no such heading");
            }
            followed += 1;
        }
    }
    assert!(followed > 10, "{followed} links were found");
}

#[test]
fn the_readme_is_short_and_links_every_page() {
    let lines = read("README.md").lines().count();
    assert!(lines <= MOST_README_LINES, "the README has {lines} lines; {MOST_README_LINES} are the most");
    let linked = links("README.md");
    let missing: Vec<_> =
        PAGES.iter().filter(|page| **page != "README.md" && !linked.iter().any(|link| link == *page)).collect();
    assert!(missing.is_empty(), "the README does not link {missing:?}");
}

/// The rows of the list that scripts compile for: the target, and what it is used for.
fn targets() -> Vec<(String, Vec<String>)> {
    let text = read("scripts/targets.txt");
    let rows = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    rows.map(|row| {
        let mut words = row.split_whitespace().map(str::to_owned);
        (words.next().expect("a row is not empty"), words.collect())
    })
    .collect()
}

#[test]
fn the_table_of_compile_targets_is_the_list_that_scripts_read() {
    let platform = read("PLATFORM.md");
    let (_, table) = platform.split_once("\n| target | use |\n|---|---|\n").expect("the table is there");
    let rows = table.lines().take_while(|line| line.starts_with("| "));
    let told: Vec<(String, Vec<String>)> = rows
        .map(|row| {
            let cells: Vec<&str> = row.split('|').map(str::trim).collect();
            let bare = |cell: &str| cell.trim_matches('`').to_owned();
            (bare(cells[1]), cells[2].split(", ").map(bare).collect())
        })
        .collect();
    assert_eq!(told, targets());
    assert!(told.len() > 10, "{told:?}");
}

/// What docs.rs builds, CI builds: the host's own target aside.
#[test]
fn what_docs_rs_compiles_is_among_the_targets() {
    let manifest = read("crates/clock/Cargo.toml");
    let (_, list) = manifest.split_once("\ntargets = [").expect("the manifest names them");
    let (list, _) = list.split_once(']').expect("the list ends");
    let known = targets();
    for target in list.split(',').map(|target| target.trim().trim_matches('"')) {
        let is_known = known.iter().any(|(triple, _)| triple == target) || target == "x86_64-unknown-linux-gnu";
        assert!(is_known, "docs.rs compiles for {target}, and CI does not");
    }
}
