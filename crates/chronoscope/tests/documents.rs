//! Pictures in the pages are what the program prints.
//!
//! A block of text below `<!-- shown: FILE [--view VIEW] | SECTION… -->` holds what `chronoscope show FILE` prints of these
//! sections today; "…" replaces each that is left out, and charts. Without sections it holds all of it. `UPDATE_GOLDEN=1 cargo test -p chronoscope --test it documents`
//! writes the blocks of all pages anew; read the difference before you commit it.

use std::fs;

use crate::pages::{self, Page, chronoscope, root};

const MARK: &str = "<!-- shown: ";
const PICTURE: &str = "```text";
const FENCE: &str = "```";
/// The head of a table that explains the columns of a picture on its page.
const COLUMNS: &str = "| column |";
/// A diagram of the code, and no picture of the program.
const DRAWN_BY_HAND: &[&str] = &["DESIGN.md"];

fn printed(arguments: &[&str]) -> String {
    let output = chronoscope(arguments).output().expect("the program starts");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("it prints UTF-8")
}

fn is_title(line: &str) -> bool {
    line.starts_with(char::is_uppercase) && line.ends_with("───")
}

/// Whether it belongs to a chart, which takes more room than a page has.
fn is_charted(line: &str) -> bool {
    let titles = ["time per operation,", "difference of ", "  tokens "];
    line.contains(['│', '└']) || titles.iter().any(|title| line.starts_with(title))
}

/// The first line and the sections whose titles begin with one of `wanted`.
fn excerpt(output: &str, wanted: &[&str]) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let mut keeps = true;
    for line in output.lines() {
        if is_title(line) {
            keeps = wanted.iter().any(|word| line.starts_with(word));
        }
        match (keeps && !is_charted(line), kept.last()) {
            (true, _) => kept.push(line.trim_end()),
            (false, Some(&"…")) => {}
            (false, _) => kept.push("…"),
        }
    }
    kept.join("\n") + "\n"
}

/// `text` with every picture as it should be.
fn shown(text: &str) -> String {
    let mut pieces = text.split(MARK);
    let mut wanted = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (order, rest) = piece.split_once(" -->\n").expect("the comment ends on its line");
        let (command, sections) = order.split_once(" | ").unwrap_or((order, ""));
        let arguments: Vec<&str> = ["show"].into_iter().chain(command.split_whitespace()).collect();
        let sections: Vec<&str> = sections.split(", ").filter(|section| !section.is_empty()).collect();
        let (opening, rest) = rest.split_once('\n').expect("a block follows");
        assert_eq!(opening, PICTURE, "below `{order}`");
        let (_, behind) = rest.split_once("```\n").expect("the block ends");
        let output = printed(&arguments);
        for section in &sections {
            assert!(
                output.lines().any(|line| is_title(line) && line.starts_with(section)),
                "{command} has no {section}"
            );
        }
        wanted += &format!("{MARK}{order} -->\n{PICTURE}\n{}{FENCE}\n{behind}", excerpt(&output, &sections));
    }
    wanted
}

/// The blocks of a page that show what a program prints.
fn pictures(page: &Page) -> Vec<&str> {
    let blocks = page.text.split(PICTURE).skip(1);
    blocks.map(|rest| rest.split_once("\n```").expect("the block ends").0).collect()
}

#[test]
fn pictures_are_what_the_program_prints() {
    for page in pages::all() {
        let wanted = shown(&page.text);
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            fs::write(root().join(&page.name), wanted).expect("the page can be written");
        } else {
            assert!(
                page.text == wanted,
                "{} shows what the program does not print; UPDATE_GOLDEN=1 writes it anew",
                page.name
            );
        }
    }
}

#[test]
fn no_picture_is_drawn_by_hand_and_no_record_is_left_unshown() {
    let pages = pages::all();
    for page in pages.iter().filter(|page| !DRAWN_BY_HAND.contains(&page.name.as_str())) {
        let marks = page.text.matches(MARK).count();
        assert_eq!(pictures(page).len(), marks, "{}", page.name);
    }
    for record in fs::read_dir(root().join("docs/shown")).expect("the folder is there") {
        let file = format!("docs/shown/{}", record.expect("it can be listed").file_name().to_string_lossy());
        let [mark, link] = [format!("{MARK}{file} "), format!("]({})", file.trim_start_matches("docs/"))];
        let is_shown = |page: &Page| page.text.contains(&mark) || page.text.contains(&link);
        assert!(pages.iter().any(is_shown), "no page shows {file}");
    }
}

/// A column that was renamed in the program is renamed where it is explained.
#[test]
fn explained_columns_are_those_of_a_picture() {
    let mut explained = 0;
    for page in pages::all() {
        let pictures = pictures(&page).join("\n");
        let tables = page.text.split(COLUMNS).skip(1);
        let rows = tables.flat_map(|table| table.lines().skip(2).take_while(|line| line.starts_with("| ")));
        for cell in rows.filter_map(|row| row.split('|').nth(1)) {
            for column in cell.split(", ").map(|name| name.trim().trim_matches('`')) {
                assert!(pictures.contains(column), "{} explains `{column}`, which none of its pictures has", page.name);
                explained += 1;
            }
        }
    }
    assert!(explained > 10, "{explained} columns were found");
}

#[test]
fn an_excerpt_keeps_what_is_asked_for() {
    let page = "chronoscope 0.1.0\nVERDICT ───\n✔ one\nMACHINE ───\na\nCPUs ───\nb\nCLOCKS ───\nc  \n";
    assert_eq!(excerpt(page, &["VERDICT", "CLOCKS"]), "chronoscope 0.1.0\nVERDICT ───\n✔ one\n…\nCLOCKS ───\nc\n");
}
