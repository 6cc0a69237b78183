//! The page over a folder of documents.

use std::path::Path;

use assert_cmd::Command;

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures");

fn gallery(folder: &Path, page: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chronoscope"));
    command.arg("gallery").arg(folder).arg("--html").arg(page);
    command
}

fn copy(name: &str, folder: &Path) {
    let from = Path::new(FIXTURES).join(name);
    std::fs::copy(&from, folder.join(name.replace('/', "-"))).unwrap();
}

#[test]
fn one_check_is_enough_and_the_rest_is_named() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["record.json", "zen4/check.json", "study.json"] {
        copy(name, folder.path());
    }
    for (name, text) in [("broken.json", "{"), ("packed.json.gz", "?"), ("notes.txt", "no document")] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    std::fs::create_dir(folder.path().join("more.json")).unwrap();
    let page = folder.path().join("gallery.html");
    let output = gallery(folder.path(), &page).assert().code(0).get_output().clone();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.starts_with("2 checks in "), "{said}");
    let left_out: Vec<&str> = said.lines().filter_map(|line| line.strip_prefix("left out: ")).collect();
    assert!(left_out.len() == 3 && left_out[0].starts_with("broken.json: not JSON"), "{left_out:?}");
    assert_eq!(
        left_out[1..],
        [
            "packed.json.gz: it is compressed; unpack it first",
            "study.json: it is no check; `chronoscope study` wrote it"
        ]
    );
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains("Clocks of 2 checks") && page.contains("3 files left out"), "{page}");
}

#[test]
fn a_folder_without_a_check_is_refused_and_nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("gallery.html");
    let refused = |folder: &Path| {
        let output = gallery(folder, &page).assert().code(2).get_output().clone();
        assert!(output.stdout.is_empty() && !page.exists());
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(refused(folder.path()).contains("has no file that ends in .json"));
    copy("study.json", folder.path());
    assert!(refused(folder.path()).contains("study.json: it is no check"), "with the reason");
    assert!(refused(&folder.path().join("none")).contains("name a folder of documents"));
}

#[test]
fn a_page_replaces_no_document() {
    let folder = tempfile::tempdir().unwrap();
    copy("record.json", folder.path());
    let document = folder.path().join("record.json");
    let before = std::fs::read_to_string(&document).unwrap();
    gallery(folder.path(), &document).assert().code(2);
    assert_eq!(std::fs::read_to_string(&document).unwrap(), before);
}
