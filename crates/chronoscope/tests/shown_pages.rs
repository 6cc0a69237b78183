//! The pages in docs/shown are those that the program makes today of documents in this repository, and docs/pages.md lists them.
//!
//! `UPDATE_GOLDEN=1 cargo test -p chronoscope --test it shown_pages` writes the pages and the list anew; look at a page that differs
//! before you commit it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::pages::{chronoscope, root};

const SHOWN: &str = "docs/shown";
/// The page that lists the others.
const LIST: &str = "docs/pages.md";
/// What the list begins below.
const MARK: &str = "<!-- pages: written by crates/chronoscope/tests/shown_pages.rs -->\n";
const HEAD: &str = "| page | of | made from | figures |\n|---|---|---|---|\n";
/// Ends of names of what is drawn.
const DRAWN: [&str; 2] = [".html", ".svg"];

/// What is drawn of documents, and how.
struct Shown {
    /// Its name in docs/shown.
    file: &'static str,
    /// What it is of.
    of: &'static str,
    how: How,
}

enum How {
    /// By `show`, of one document.
    Show(&'static str),
    /// By these arguments, which name the documents; the last one names the option for the file that is written.
    By(&'static [&'static str]),
    /// By `gallery`, of the checks of these machines.
    Gallery(&'static [Named]),
    /// By `history trend`, of documents that a history keeps.
    Trend(&'static [&'static str]),
}

/// A document, by its path from the root, and what the page is to call it.
type Named = (&'static str, &'static str);

const CHECK: &str = "docs/shown/check.json";
const NOISY: &str = "docs/shown/noisy.json";
const ZEN4: &str = "crates/chronoscope/tests/fixtures/zen4/check.json";
const ZEN4_CLOCKS: &str = "crates/chronoscope/tests/fixtures/zen4/clocks.json";
const LAB: &str = "crates/chronoscope/tests/fixtures/record.json";

const PAGES: [Shown; 28] = [
    Shown { file: "check.html", of: "`chronoscope check`", how: How::Show(CHECK) },
    Shown { file: "noisy.html", of: "the same, of a host that is NOISY", how: How::Show(NOISY) },
    Shown { file: "card.svg", of: "`chronoscope card`", how: How::By(&["card", CHECK, "--output"]) },
    Shown {
        file: "gallery.html",
        of: "`chronoscope gallery`",
        how: How::Gallery(&[
            (CHECK, "zen5.json"),
            (ZEN4, "zen4.json"),
            (NOISY, "emerald-rapids.json"),
            (LAB, "skylake.json"),
        ]),
    },
    Shown { file: "clocks.html", of: "`chronoscope clocks`", how: How::Show(ZEN4_CLOCKS) },
    Shown { file: "reads.html", of: "`chronoscope reads`", how: How::Show("docs/shown/reads.json") },
    Shown { file: "causality.html", of: "`chronoscope causality`", how: How::Show("docs/shown/causality.json") },
    Shown { file: "sync.html", of: "`chronoscope sync`", how: How::Show("docs/shown/sync.json") },
    Shown { file: "hiccups.html", of: "`chronoscope hiccups`", how: How::Show("docs/shown/hiccups.json") },
    Shown { file: "runtimes.html", of: "`chronoscope runtimes`", how: How::Show("docs/shown/runtimes.json") },
    Shown { file: "pauses.html", of: "`chronoscope pauses`", how: How::Show("docs/shown/pauses.json") },
    Shown { file: "pace.html", of: "`chronoscope pace`", how: How::Show("docs/shown/pace.json") },
    Shown {
        file: "contention.html",
        of: "`chronoscope experiment contention`",
        how: How::Show("docs/shown/contention.json"),
    },
    Shown {
        file: "thread-release.html",
        of: "`chronoscope experiment thread-release`",
        how: How::Show("docs/shown/thread-release.json"),
    },
    Shown { file: "scaling.html", of: "`chronoscope scaling`", how: How::Show("docs/shown/scaling.json") },
    Shown {
        file: "volatile.html",
        of: "`chronoscope experiment volatile`",
        how: How::Show("docs/shown/volatile.json"),
    },
    Shown { file: "backoff.html", of: "`chronoscope experiment backoff`", how: How::Show("docs/shown/backoff.json") },
    Shown {
        file: "omission.html",
        of: "`chronoscope experiment omission`",
        how: How::Show("docs/shown/omission.json"),
    },
    Shown {
        file: "fibonacci.html",
        of: "`chronoscope experiment fibonacci`",
        how: How::Show("docs/shown/fibonacci.json"),
    },
    Shown { file: "cold.html", of: "`chronoscope experiment cold`", how: How::Show("docs/shown/cold.json") },
    Shown {
        file: "timers.html",
        of: "`chronoscope experiment timers --runtime java`",
        how: How::Show("docs/shown/timers.json"),
    },
    Shown { file: "selftest.html", of: "`chronoscope selftest`", how: How::Show("docs/shown/selftest.json") },
    Shown { file: "publish.html", of: "a study of `cargo bench`", how: How::Show("docs/shown/publish.json") },
    Shown { file: "gate.html", of: "`chronoscope gate`", how: How::Show("docs/shown/gate.json") },
    Shown {
        file: "advise.html",
        of: "`chronoscope advise`",
        how: How::By(&["advise", "--interval", "1us", CHECK, "--html"]),
    },
    Shown { file: "compare.html", of: "`chronoscope compare`", how: How::By(&["compare", ZEN4, CHECK, "--html"]) },
    Shown { file: "literature.html", of: "`chronoscope literature`", how: How::Show("docs/shown/literature.json") },
    Shown { file: "trend.html", of: "`chronoscope history trend`", how: How::Trend(&[ZEN4, ZEN4_CLOCKS, CHECK]) },
];

impl Shown {
    fn path(&self) -> PathBuf {
        root().join(SHOWN).join(self.file)
    }

    /// What it is made from.
    fn documents(&self) -> Vec<&'static str> {
        match self.how {
            How::Show(document) => vec![document],
            How::By(arguments) => arguments.iter().copied().filter(|argument| argument.ends_with(".json")).collect(),
            How::Gallery(machines) => machines.iter().map(|(document, _)| *document).collect(),
            How::Trend(documents) => documents.to_vec(),
        }
    }

    /// What the program makes of it today.
    fn drawn(&self) -> String {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(self.file);
        let history = folder.path().join("history.db");
        match self.how {
            How::Show(document) => write(&["show", document, "--html"], &file, &history),
            How::By(arguments) => write(arguments, &file, &history),
            How::Gallery(machines) => {
                let checks = folder.path().join("checks");
                fs::create_dir(&checks).unwrap();
                for (document, name) in machines {
                    fs::copy(root().join(document), checks.join(name)).unwrap();
                }
                write(&["gallery", checks.to_str().unwrap(), "--html"], &file, &history);
            }
            How::Trend(documents) => {
                let kept = chronoscope(&["history", "import"])
                    .args(documents)
                    .env("CHRONOSCOPE_HISTORY", &history)
                    .output()
                    .unwrap();
                assert!(kept.status.success(), "{}", String::from_utf8_lossy(&kept.stderr));
                write(&["history", "trend", "CLOCK_MONOTONIC", "--html"], &file, &history);
            }
        }
        fs::read_to_string(file).unwrap()
    }

    /// Its row in the list.
    fn row(&self, drawn: &str) -> String {
        let documents: Vec<String> = self.documents().into_iter().map(linked).collect();
        let figures: Vec<String> = figures(drawn).into_iter().map(|id| format!("`{id}`")).collect();
        let figures = if figures.is_empty() { "–".to_owned() } else { figures.join(", ") };
        let Self { file, of, .. } = self;
        format!("| [{file}](shown/{file}) | {of} | {} | {} |\n", documents.join(", "), figures)
    }
}

/// Has the program write `file`.
fn write(arguments: &[&str], file: &Path, history: &Path) {
    let run = chronoscope(arguments).arg(file).env("CHRONOSCOPE_HISTORY", history).env("TZ", "UTC").output().unwrap();
    assert!(run.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&run.stderr));
}

/// A link to a document, from the list.
fn linked(document: &str) -> String {
    let name = document.trim_start_matches("docs/shown/").trim_start_matches("crates/chronoscope/tests/");
    let from_list = document.strip_prefix("docs/").map_or_else(|| format!("../{document}"), str::to_owned);
    format!("[{name}]({from_list})")
}

/// The names of a page's figures, in its order.
fn figures(page: &str) -> Vec<&str> {
    let sections = page.split("<section id=\"").skip(1).filter_map(|rest| rest.split('"').next());
    sections.filter(|id| *id != "rest").collect()
}

#[test]
fn pages_and_their_list_are_what_the_program_makes() {
    let mut list = HEAD.to_owned();
    let mut differs = Vec::new();
    for page in &PAGES {
        let drawn = page.drawn();
        list += &page.row(&drawn);
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            fs::write(page.path(), drawn).expect("the page can be written");
        } else if fs::read_to_string(page.path()).unwrap_or_default() != drawn {
            differs.push(page.file);
        }
    }
    assert!(
        differs.is_empty(),
        "{differs:?} in {SHOWN} are not what the program makes; UPDATE_GOLDEN=1 writes them anew"
    );
    let text = fs::read_to_string(root().join(LIST)).unwrap();
    let (before, rest) = text.split_once(MARK).expect("it has the mark");
    let (_, after) = rest.split_once("\n\n").expect("a blank line ends the list");
    let wanted = format!("{before}{MARK}{list}\n{after}");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(root().join(LIST), wanted).expect("the list can be written");
    } else {
        assert!(text == wanted, "{LIST} does not list what the pages have; UPDATE_GOLDEN=1 writes the list anew");
    }
}

#[test]
fn every_shown_document_has_a_page_and_no_page_is_left_over() {
    let documents: BTreeSet<&str> = PAGES.iter().flat_map(Shown::documents).collect();
    let files: BTreeSet<&str> = PAGES.iter().map(|page| page.file).collect();
    for entry in fs::read_dir(root().join(SHOWN)).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if name.ends_with(".json") {
            assert!(documents.contains(&*format!("{SHOWN}/{name}")), "{name} has no page");
        } else {
            assert!(DRAWN.iter().any(|end| name.ends_with(end)) && files.contains(&*name), "nothing makes {name}");
        }
    }
}

#[test]
fn figures_are_named_in_the_order_of_the_page() {
    let page =
        "<nav><a href=\"#b\">b</a></nav><section id=\"b\"></section><section id=\"a\"></section><section id=\"rest\">";
    assert_eq!(figures(page), ["b", "a"]);
}
