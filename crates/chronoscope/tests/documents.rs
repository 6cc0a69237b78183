//! What the README shows is what the program prints, and every command is in its table.
//!
//! A block of text below `<!-- shown: FILE [--view VIEW] | SECTION… -->` holds what `chronoscope show FILE` prints of these
//! sections today; "…" stands for each that is left out, and for drawings. `UPDATE_GOLDEN=1 cargo test -p chronoscope --test documents` writes
//! the blocks anew; read the difference before it is committed.

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;

const MARK: &str = "<!-- shown: ";
const FENCE: &str = "```";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn chronoscope(arguments: &[&str]) -> String {
    let output = Command::cargo_bin("chronoscope")
        .expect("the program is built")
        .current_dir(root())
        .env_remove("COLUMNS")
        .args(arguments)
        .output()
        .expect("the program starts");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("it prints UTF-8")
}

fn is_title(line: &str) -> bool {
    line.starts_with(char::is_uppercase) && line.ends_with("───")
}

/// Whether it is of a drawing, which takes more room than a document has.
fn is_drawn(line: &str) -> bool {
    line.contains(['│', '└']) || line.starts_with("time per operation,") || line.starts_with("  tokens ")
}

/// The first line and the sections whose titles begin with one of `wanted`.
fn excerpt(page: &str, wanted: &[&str]) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let mut keeps = true;
    for line in page.lines() {
        if is_title(line) {
            keeps = wanted.iter().any(|word| line.starts_with(word));
        }
        match (keeps && !is_drawn(line), kept.last()) {
            (true, _) => kept.push(line.trim_end()),
            (false, Some(&"…")) => {}
            (false, _) => kept.push("…"),
        }
    }
    kept.join("\n") + "\n"
}

/// `document` with every shown block as it should be.
fn shown(document: &str) -> String {
    let mut pieces = document.split(MARK);
    let mut text = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (order, rest) = piece.split_once(" -->\n").expect("the comment ends on its line");
        let (command, sections) = order.split_once(" | ").expect("a bar stands before the sections");
        let arguments: Vec<&str> = ["show"].into_iter().chain(command.split_whitespace()).collect();
        let sections: Vec<&str> = sections.split(", ").collect();
        let (opening, rest) = rest.split_once('\n').expect("a block follows");
        assert!(opening.starts_with(FENCE), "below `{order}` there is no block");
        let (_, behind) = rest.split_once("\n```\n").expect("the block ends");
        let block = excerpt(&chronoscope(&arguments), &sections);
        text += &format!("{MARK}{order} -->\n{opening}\n{block}{FENCE}\n{behind}");
    }
    text
}

#[test]
fn pictures_are_what_the_program_prints() {
    let path = root().join("README.md");
    let document = fs::read_to_string(&path).expect("the document is there");
    assert!(document.contains(MARK), "the README shows nothing");
    let wanted = shown(&document);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, wanted).expect("the document can be written");
    } else {
        assert!(document == wanted, "the README shows what the program does not print; UPDATE_GOLDEN=1 writes it anew");
    }
}

#[test]
fn an_excerpt_keeps_what_is_asked_for() {
    let page = "chronoscope 0.1.0\nVERDICT ───\n✔ one\nMACHINE ───\na\nCPUs ───\nb\nCLOCKS ───\nc  \n";
    assert_eq!(excerpt(page, &["VERDICT", "CLOCKS"]), "chronoscope 0.1.0\nVERDICT ───\n✔ one\n…\nCLOCKS ───\nc\n");
}

#[test]
fn every_command_is_in_the_readme() {
    let readme = fs::read_to_string(root().join("README.md")).expect("the README is there");
    let help = chronoscope(&["--help"]);
    let (_, commands) = help.split_once("Commands:\n").expect("the help lists commands");
    // What a command does goes on in further lines, indented deeper.
    let is_named = |line: &&str| line.starts_with("  ") && !line.starts_with("   ");
    let lines = commands.lines().take_while(|line| !line.is_empty()).filter(is_named);
    let names = lines.filter_map(|line| line.split_whitespace().next());
    let missing: Vec<&str> =
        names.filter(|name| *name != "help" && !readme.contains(&format!("`chronoscope {name}"))).collect();
    assert!(missing.is_empty(), "the README's table lacks {missing:?}");
    assert!(commands.lines().count() > 10, "{help}");
}
