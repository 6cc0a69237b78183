//! Every command that a page shows is one that the program takes, and every command of the program is on a page.

use crate::pages::{self, Page, chronoscope};

/// What a page tells its reader to type: lines of its shell blocks, and code in its text.
fn commands(page: &Page) -> Vec<String> {
    let mut found = Vec::new();
    let mut language = None;
    for line in page.text.lines() {
        match (line.strip_prefix("```"), language) {
            (Some(_), Some(_)) => language = None,
            (Some(word), None) => language = Some(word),
            (None, Some("sh")) => found.push(line.to_owned()),
            (None, Some(_)) => {}
            (None, None) => found.extend(line.split('`').skip(1).step_by(2).map(str::to_owned)),
        }
    }
    found
}

/// The words of a command; one in quotes may have spaces.
fn words(command: &str) -> Vec<&str> {
    let mut is_quoted = false;
    let is_end = |letter: char| {
        is_quoted ^= letter == '"';
        letter.is_whitespace() && !is_quoted
    };
    command.split(is_end).filter(|word| !word.is_empty()).map(|word| word.trim_matches('"')).collect()
}

/// What the program is given, without what the shell keeps and without words that a reader replaces, such as FILE.
fn arguments(command: &str) -> Option<Vec<&str>> {
    let mut words = words(command).into_iter();
    if !matches!(words.next()?, "chronoscope" | "./run") {
        return None;
    }
    let is_placeholder = |word: &str| word.chars().all(|letter| letter.is_ascii_uppercase());
    let own = words.take_while(|word| !matches!(*word, "|" | ">" | "#" | "--" | "…"));
    Some(own.filter(|word| !is_placeholder(word)).collect())
}

#[test]
fn every_command_shown_is_taken() {
    let mut tried = 0;
    for page in pages::all() {
        let commands = commands(&page);
        for arguments in commands.iter().filter_map(|command| arguments(command)) {
            // Arguments are judged in their order, so all of them before the help is printed.
            let output = chronoscope(&arguments).arg("--help").output().expect("the program starts");
            let complaint = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{}: chronoscope {}: {complaint}", page.name, arguments.join(" "));
            tried += 1;
        }
    }
    assert!(tried > 50, "{tried} commands were found");
}

#[test]
fn every_command_is_in_the_readme_and_among_the_commands() {
    let output = chronoscope(&["--help"]).output().expect("the program starts");
    let help = String::from_utf8(output.stdout).expect("it prints UTF-8");
    let (_, commands) = help.split_once("Commands:\n").expect("the help lists commands");
    // The description of a command continues in further lines, indented deeper.
    let is_named = |line: &&str| line.starts_with("  ") && !line.starts_with("   ");
    let lines = commands.lines().take_while(|line| !line.is_empty()).filter(is_named);
    let names: Vec<&str> =
        lines.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help").collect();
    assert!(names.len() > 10, "{help}");
    for page in pages::all().iter().filter(|page| ["README.md", "docs/commands.md"].contains(&page.name.as_str())) {
        let missing: Vec<_> =
            names.iter().filter(|name| !page.text.contains(&format!("`chronoscope {name}"))).collect();
        assert!(missing.is_empty(), "the table of {} lacks {missing:?}", page.name);
    }
}

#[test]
fn arguments_are_those_of_the_program() {
    assert_eq!(arguments("chronoscope show FILE"), Some(vec!["show"]));
    assert_eq!(arguments("chronoscope man > page  # for man"), Some(vec!["man"]));
    assert_eq!(arguments("./run hiccups --for 10s -- cat"), Some(vec!["hiccups", "--for", "10s"]));
    assert_eq!(
        arguments("chronoscope advise --symptom \"it is slow\""),
        Some(vec!["advise", "--symptom", "it is slow"])
    );
    assert_eq!(arguments("cargo test"), None);
}
