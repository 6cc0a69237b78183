//! A program with studies, run with arguments as a user runs it: what it prints, saves and ends with. The program is this
//! very one, which makes itself a program of studies where its environment says so. No time is judged by its length.

use std::path::Path;
use std::process::{Command, Output};

use chronoscope_bench::Study;

/// Names the program that a process is to be.
const PROGRAM: &str = "CHRONOSCOPE_TEST_PROGRAM";
const SHORT: [&str; 4] = ["--duration", "300ms", "--forks", "3"];

fn main() {
    match std::env::var(PROGRAM).as_deref() {
        Ok("one") => return chronoscope_bench::main([sound("one")]),
        Ok("several") => return chronoscope_bench::main([sound("read"), sound("write")]),
        Ok("faulty") => {
            return chronoscope_bench::main([
                sound("faulty").case("panics", |b| b.iter(|| -> u64 { panic!("out of luck") }))
            ]);
        }
        Ok("in turn") => {
            chronoscope_bench::main([sound("first")]);
            return chronoscope_bench::main([sound("second")]);
        }
        _ => {}
    }
    let all: [(&str, fn()); 6] = [
        ("combinations are listed and nothing is measured", lists),
        ("wrong arguments end with 2 and say what to do", refusals),
        ("records are printed, saved and compared", records),
        ("every case runs once", tries),
        ("a case that fails ends with 1 and takes nothing along", failures),
        ("studies in one program are told apart", several),
    ];
    let filter = std::env::args().nth(1).filter(|argument| !argument.starts_with('-'));
    for (name, test) in all {
        if filter.as_ref().is_none_or(|part| name.contains(part.as_str())) {
            test();
            println!("ok    {name}");
        }
    }
}

fn sound(name: &str) -> Study {
    Study::new(name)
        .backoff([0, 8])
        .case("plain", |b| b.iter(|| 1_u64))
        .case("divides", |b| b.iter(|| std::hint::black_box(100_u64) / std::hint::black_box(7)))
        .compare("divides", "plain")
}

fn run(program: &str, target: &Path, arguments: &[&str]) -> Output {
    let itself = std::env::current_exe().expect("the test has a file");
    let mut command = Command::new(itself);
    command.env(PROGRAM, program).env("CARGO_TARGET_DIR", target).args(arguments).arg("--bench");
    command.output().expect("the test can be started again")
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A folder that nothing is written to.
fn nowhere() -> &'static Path {
    Path::new("/no/such/folder")
}

fn lists() {
    let listed = run("one", nowhere(), &["--list", "divides", "--backoff", "0,2-3"]);
    assert_eq!(
        stdout(&listed),
        "divides, 0 tokens, 1 thread\ndivides, 2 tokens, 1 thread\ndivides, 3 tokens, 1 thread\n"
    );
    assert_eq!((listed.status.code(), listed.stderr.len()), (Some(0), 0));
    let several = stdout(&run("several", nowhere(), &["--list", "write/plain"]));
    assert_eq!(several, "write/plain, 0 tokens, 1 thread\nwrite/plain, 8 tokens, 1 thread\n");
}

fn refusals() {
    let wrong: [(&[&str], &str); 10] = [
        (&["--frobnicate"], "--frobnicate"),
        (&["no such case"], "plain, divides"),
        (&["--threads", "0"], "out of range (1–"),
        (&["--backoff", "3-1"], "1-3"),
        (&["--backoff", ""], "e.g. 0-40"),
        (&["--cpus", "60000"], "60000"),
        (&["--forks", "1"], "1 processes"),
        (&["--duration", "0s"], "duration 0 s is out of range (10 ms–24 h)"),
        (&["--compare", "main"], "--save NAME"),
        (&["--output", "/no/such/folder/record.json"], "choose a file"),
    ];
    for (arguments, what) in wrong {
        let output = run("one", nowhere(), arguments);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(output.stdout.is_empty() && said.contains(what), "{arguments:?}: {said}");
    }
    let output = run("several", nowhere(), &["--output", "record.json"]);
    assert_eq!(output.status.code(), Some(2), "one file holds one study");
}

fn records() {
    let target = tempfile::tempdir().expect("there is room for a folder");
    let with = |more: &[&str]| run("one", target.path(), &[&SHORT[..], more].concat());
    let saved = with(&["--save", "before"]);
    assert_eq!(saved.status.code(), Some(0), "{saved:?}");
    assert!(stdout(&saved).contains("chronoscope/one/before.json"), "{saved:?}");
    assert!(saved.stderr.is_empty(), "nothing is shown where standard error is no terminal");
    let page = target.path().join("page.html");
    let page = page.to_string_lossy();
    let compared = with(&["--compare", "before", "--format", "json", "--html", &page]);
    let record: serde_json::Value = serde_json::from_slice(&compared.stdout).expect("it is JSON");
    assert_eq!(record["content"]["compared"]["cells"].as_array().map(Vec::len), Some(4));
    assert_eq!(record["content"]["study"]["name"], "one");
    chronoscope_render::study::parse(&stdout(&compared)).expect("a reader of records reads it");
    let page = std::fs::read_to_string(&*page).expect("the page is there");
    assert!(page.contains("<html") || page.contains("<!doctype html>"), "{}", &page[..page.len().min(200)]);
    let unknown = with(&["--compare", "after"]);
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("before"), "it says what there is");
    let human = stdout(&with(&["--compare", "before"]));
    assert!(human.contains("one compared with"), "{human}");
}

fn tries() {
    let tried = run("one", nowhere(), &["--test"]);
    assert_eq!(stdout(&tried), "test one/plain ... ok\ntest one/divides ... ok\n");
    let failed = run("faulty", nowhere(), &["--test"]);
    assert_eq!(failed.status.code(), Some(1));
    assert!(stdout(&failed).contains("test faulty/panics ... FAILED"), "{failed:?}");
}

fn failures() {
    let output = run("faulty", nowhere(), &[&SHORT[..], &["--format", "json"]].concat());
    assert_eq!(output.status.code(), Some(1));
    let record = chronoscope_render::study::parse(&stdout(&output)).expect("it is a record");
    assert!(record.failures.iter().any(|failure| failure.case == "panics" && failure.reason.contains("out of luck")));
    assert!(record.cells.iter().any(|cell| cell.case == "plain" && !cell.forks.is_empty()), "the others are kept");
}

fn several() {
    let one = run("several", nowhere(), &[&SHORT[..], &["write/plain", "--format", "json"]].concat());
    let record = chronoscope_render::study::parse(&stdout(&one)).expect("it is one record");
    assert_eq!((record.study.name.as_str(), record.plan.cases.len()), ("write", 1));
    let both = run("in turn", nowhere(), &[&SHORT[..], &["--format", "json"]].concat());
    let records: Vec<serde_json::Value> =
        serde_json::Deserializer::from_slice(&both.stdout).into_iter().map(|one| one.expect("it is JSON")).collect();
    let names: Vec<&serde_json::Value> = records.iter().map(|record| &record["content"]["study"]["name"]).collect();
    assert_eq!(names, ["first", "second"], "no worker of one study runs the other");
}
