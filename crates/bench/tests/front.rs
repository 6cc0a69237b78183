//! A program with studies, run with arguments as a user runs it: what it prints, saves and ends with. The program is this
//! very one, which makes itself a program of studies where its environment says so. No time is judged by its length.

use std::path::Path;
use std::process::{Command, Output};

use chronoscope_bench::Study;

/// Names the program that a process is to be.
const PROGRAM: &str = "CHRONOSCOPE_TEST_PROGRAM";
const SHORT: [&str; 4] = ["--duration", "300ms", "--processes", "3"];
/// Whether this build writes pages for browsers.
const PAGES: bool = cfg!(feature = "html");

fn main() {
    match std::env::var(PROGRAM).as_deref() {
        Ok("one") => return chronoscope_bench::main([sound("one")]),
        Ok("newer") => {
            return chronoscope_bench::main([sound("one").case("new", |b| b.iter(|| 2_u64))]);
        }
        Ok("short") => return chronoscope_bench::main([chain(1_000)]),
        Ok("long") => return chronoscope_bench::main([chain(10_000)]),
        Ok("several") => return chronoscope_bench::main([sound("read"), sound("write")]),
        Ok("alike") => return chronoscope_bench::main([gates(), sound("rare")]),
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
    let all: [(&str, fn()); 16] = [
        ("combinations are listed and nothing is measured", lists),
        ("wrong arguments end with 2 and say what to do", refusals),
        ("records are printed and saved", records),
        ("processes of two builds take turns", takes_turns),
        ("what only one build has is named", names_what_is_lost),
        ("what became slower ends with 1", gate),
        ("another build that cannot be compared with is refused", refuses_builds),
        ("every case runs once", tries),
        ("without --bench every case is tested, unless a measurement is meant", tests_by_default),
        ("nextest lists cases and runs each by its name", serves_nextest),
        ("paths come before parts of names", selects_by_path),
        ("flags of other harnesses are accepted", takes_foreign_flags),
        ("named baselines are refused with what to use instead", refuses_baselines),
        ("a case that fails ends with 1 and takes nothing along", failures),
        ("every file that cannot be written is told, and what is printed stays", full_disk),
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

/// A study whose cases have names like others.
fn gates() -> Study {
    ["n", "unaligned", "rare"]
        .into_iter()
        .fold(Study::new("gate"), |study, case| study.case(case, |b| b.iter(|| 1_u64)))
}

/// A study of a chain of so many links.
fn chain(links: u64) -> Study {
    let chain = move || (0..links).fold(1_u64, |value, _| std::hint::black_box(value).wrapping_mul(3));
    Study::new("chain").case("chain", move |b| b.iter(chain))
}

fn run(program: &str, target: &Path, arguments: &[&str]) -> Output {
    run_at("118", program, target, arguments)
}

fn run_at(columns: &str, program: &str, target: &Path, arguments: &[&str]) -> Output {
    start(columns, program, target, &[arguments, &["--bench"]].concat())
}

/// As anything but `cargo bench` starts it.
fn run_without_bench(program: &str, arguments: &[&str]) -> Output {
    start("118", program, nowhere(), arguments)
}

fn start(columns: &str, program: &str, target: &Path, arguments: &[&str]) -> Output {
    let itself = std::env::current_exe().expect("the test has a file");
    let mut command = Command::new(itself);
    command.env(PROGRAM, program).env("CARGO_TARGET_DIR", target).env("COLUMNS", columns).args(arguments);
    command.output().expect("the test can be started again")
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The flags that write a page to `file`, where this build can.
fn to_page(file: &str) -> Vec<&str> {
    if PAGES { vec!["--html", file] } else { Vec::new() }
}

/// A folder that nothing is written to.
fn nowhere() -> &'static Path {
    Path::new("/no/such/folder")
}

fn lists() {
    let listed = run("one", nowhere(), &["--list", "divides", "--backoff", "0,2-3"]);
    assert_eq!(stdout(&listed), "divides, 0 tokens\ndivides, 2 tokens\ndivides, 3 tokens\n");
    assert_eq!((listed.status.code(), listed.stderr.len()), (Some(0), 0));
    let unswept = stdout(&run("one", nowhere(), &["--list", "--backoff", "0"]));
    assert_eq!(unswept, "plain\ndivides\n", "nothing is named that is the same everywhere");
    let several = stdout(&run("several", nowhere(), &["--list", "write/plain"]));
    assert_eq!(several, "write/plain, 0 tokens\nwrite/plain, 8 tokens\n");
}

fn refusals() {
    let wrong: [(&[&str], &str); 9] = [
        (&["--frobnicate"], "--frobnicate"),
        (&["--format", "json", "no such case"], "plain, divides"),
        (&["--threads", "0"], "out of range (1–"),
        (&["--backoff", "3-1"], "1-3"),
        (&["--backoff", ""], "e.g. 0-40"),
        (&["--cpus", "60000"], "60000"),
        (&["--processes", "1"], "1 processes"),
        (&["--duration", "0s"], "duration 0 s is out of range (10 ms–24 h)"),
        (&["--output", "/no/such/folder/record.json"], "choose a file"),
    ];
    for (arguments, what) in wrong {
        let output = run("one", nowhere(), arguments);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(output.stdout.is_empty() && said.contains(what), "{arguments:?}: {said}");
    }
    if PAGES {
        let twice = run("one", nowhere(), &["--output", "page.html", "--html", "page.html"]);
        let told = String::from_utf8_lossy(&twice.stderr);
        assert!(twice.status.code() == Some(2) && told.contains("--html page.html would replace --output"), "{told}");
    }
    let page = run("one", nowhere(), &["--html", "/no/such/folder/page.html"]);
    let what = if PAGES { "choose a file" } else { "features = [\"html\"]" };
    let said = String::from_utf8_lossy(&page.stderr);
    assert_eq!((page.status.code(), page.stdout.len()), (Some(2), 0), "{said}");
    assert!(said.contains(what), "{said}");
    let output = run("several", nowhere(), &["--output", "record.json"]);
    assert_eq!(output.status.code(), Some(2), "one file holds one study");
}

fn records() {
    let target = tempfile::tempdir().expect("there is room for a folder");
    let with = |more: &[&str]| run("one", target.path(), &[&SHORT[..], more].concat());
    let file = target.path().join("one.json");
    let page = target.path().join("page.html");
    let (file, page) = (file.to_string_lossy(), page.to_string_lossy());
    let json = with(&[&["--output", &file, "--format", "json"], &to_page(&page)[..]].concat());
    assert_eq!(json.status.code(), Some(0), "{json:?}");
    let said = String::from_utf8_lossy(&json.stderr);
    assert!(
        said.lines().count() == 1 && said.contains("too short for verdicts"),
        "no progress without a terminal: {said}"
    );
    assert!(with(&["--quiet"]).stderr.is_empty());
    let record = chronoscope_render::study::parse(&stdout(&json)).expect("a reader of records reads it");
    assert_eq!((record.study().name.as_str(), record.study().cells.len()), ("one", 4));
    assert_eq!(std::fs::read_to_string(&*file).expect("it is there"), stdout(&json));
    if PAGES {
        let page = std::fs::read_to_string(&*page).expect("the page is there");
        assert!(page.contains("<html") || page.contains("<!doctype html>"), "{}", &page[..page.len().min(200)]);
    }
    let human = stdout(&with(&[]));
    for title in ["HARNESS", "MACHINE", "1 thread"] {
        assert!(!human.contains(title), "{title} is in full detail only: {human}");
    }
    let narrow = stdout(&run_at("80", "one", target.path(), &SHORT));
    assert!(narrow.lines().all(|line| line.chars().count() <= 80), "{narrow}");
}

fn gate() {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let before = build(folder.path(), "short");
    let slower = run("long", nowhere(), &["--duration", "8s", "--processes", "24", "--against", &before]);
    assert_eq!(slower.status.code(), Some(1), "{slower:?}");
    assert!(stdout(&slower).contains("became slower"), "{slower:?}");
}

/// A program that starts this one as `program`.
fn build(folder: &Path, program: &str) -> String {
    use std::os::unix::fs::PermissionsExt;
    let itself = std::env::current_exe().expect("the test has a file");
    let file = folder.join(program);
    let script = format!("#!/bin/sh\n{PROGRAM}={program} exec '{}' \"$@\"\n", itself.display());
    std::fs::write(&file, script).expect("the script can be written");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).expect("it can be made executable");
    file.to_string_lossy().into_owned()
}

fn takes_turns() {
    let itself = std::env::current_exe().expect("the test has a file").to_string_lossy().into_owned();
    let page = tempfile::tempdir().expect("there is room for a folder");
    let file = page.path().join("page.html").to_string_lossy().into_owned();
    let with = |more: &[&str]| run("one", nowhere(), &[&SHORT[..], &["--against", &itself], more].concat());
    let output = with(&[&["--format", "json", "--margin", "40"], &to_page(&file)[..]].concat());
    let record = chronoscope_render::study::parse(&stdout(&output)).expect("it is a record");
    let against = record.content.against.as_ref().expect("it was compared");
    assert_eq!((against.cells.len(), against.margin_pct, record.study().plan.margin_pct), (4, 40.0, 40.0));
    let padding = |processes: &[chronoscope_harness::record::study::StudyProcess]| -> Vec<u32> {
        processes.iter().map(|process| process.environment_padding).collect()
    };
    assert_eq!(
        padding(&record.study().processes),
        padding(&against.processes),
        "each process has a partner that is alike"
    );
    for cell in &against.cells {
        assert!(cell.pairs > 0 && cell.ratio.is_some() && cell.difference_ns.is_some(), "{cell:?}");
    }
    assert!(against.only_this.is_empty() && against.only_other.is_empty() && against.failures.is_empty());
    assert!(against.warnings.iter().any(|warning| warning.contains("too few")), "{:?}", against.warnings);
    if PAGES {
        let page = std::fs::read_to_string(&file).expect("the page is there");
        assert!(page.contains("this build against"), "the page has it too");
    }
    assert!(stdout(&with(&[])).to_lowercase().contains("this build against"));
    let strict = with(&["--fail-on", "unresolved"]);
    assert_eq!(strict.status.code(), Some(1), "three pairs at most decide nothing");
}

fn names_what_is_lost() {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let newer = build(folder.path(), "newer");
    let output = run("one", nowhere(), &[&SHORT[..], &["--against", &newer, "--format", "json"]].concat());
    let record = chronoscope_render::study::parse(&stdout(&output)).expect("it is a record");
    let against = record.content.against.as_ref().expect("it was compared");
    assert_eq!((against.cells.len(), against.only_other.as_slice()), (4, &["new".to_owned()][..]));
    let itself = build(folder.path(), "one");
    let output = run("newer", nowhere(), &[&SHORT[..], &["--against", &itself, "--format", "json"]].concat());
    let record = chronoscope_render::study::parse(&stdout(&output)).expect("it is a record");
    let against = record.content.against.expect("it was compared");
    assert_eq!(against.only_this, ["new, 0 tokens", "new, 8 tokens"]);
}

fn refuses_builds() {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let stranger = build(folder.path(), "several");
    for (program, what) in [
        ("/no/such/program", "No such file"),
        ("/bin/true", "is no benchmark program"),
        ("/etc/passwd", "Permission denied"),
        (stranger.as_str(), "no study of this name"),
    ] {
        let output = run("one", nowhere(), &["--against", program]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{program}: {said}");
        assert!(said.contains(program) && said.contains(what) && said.contains("--no-run"), "{program}: {said}");
        assert!(output.stdout.is_empty());
    }
}

fn tries() {
    let tried = run("one", nowhere(), &["--test"]);
    assert_eq!(stdout(&tried), "test one/plain ... ok\ntest one/divides ... ok\n");
    // On several threads one operation may be over before the next thread begins: it has run all the same.
    let on_four = run("one", nowhere(), &["--test", "--threads", "1,4"]);
    assert_eq!(stdout(&on_four), "test one/plain ... ok\ntest one/divides ... ok\n");
    let alone = run("one", nowhere(), &["--test", "--threads", "4"]);
    assert_eq!((alone.status.code(), stdout(&alone)), (Some(0), stdout(&on_four)));
    let failed = run("faulty", nowhere(), &["--test"]);
    assert_eq!(failed.status.code(), Some(1));
    assert!(stdout(&failed).contains("test faulty/panics ... FAILED"), "{failed:?}");
}

fn tests_by_default() {
    let tested = run_without_bench("one", &[]);
    assert_eq!((tested.status.code(), tested.stderr.len()), (Some(0), 0), "{tested:?}");
    assert_eq!(stdout(&tested), "test one/plain ... ok\ntest one/divides ... ok\n");
    let failed = run_without_bench("faulty", &[]);
    assert_eq!(failed.status.code(), Some(1));
    assert!(stdout(&failed).contains("test faulty/panics ... FAILED: "), "{failed:?}");
    assert!(stdout(&failed).contains("out of luck") && stdout(&failed).contains("test faulty/plain ... ok"));
    // One filter goes to every program of a workspace; some have none of its cases.
    let other = run_without_bench("one", &["sideways"]);
    assert_eq!((other.status.code(), stdout(&other).as_str()), (Some(0), ""));
    assert!(String::from_utf8_lossy(&other.stderr).contains("no case matches sideways; cases: plain, divides"));
    let measured = run_without_bench("one", &[&SHORT[..], &["--format", "json"]].concat());
    assert!(chronoscope_render::study::parse(&stdout(&measured)).is_ok(), "{measured:?}");
}

fn serves_nextest() {
    let list = ["--list", "--format", "terse"];
    let listed = run_without_bench("alike", &list);
    let names = ["gate/n", "gate/unaligned", "gate/rare", "rare/plain", "rare/divides"];
    assert_eq!(stdout(&listed), names.map(|name| format!("{name}: benchmark\n")).concat());
    assert_eq!((listed.status.code(), listed.stderr.len()), (Some(0), 0), "{listed:?}");
    let ignored = run_without_bench("alike", &[&list[..], &["--ignored"]].concat());
    assert_eq!((ignored.status.code(), ignored.stdout.len(), ignored.stderr.len()), (Some(0), 0, 0), "{ignored:?}");
    for name in names {
        let tested = run_without_bench("alike", &["--exact", name, "--nocapture"]);
        assert_eq!((tested.status.code(), stdout(&tested)), (Some(0), format!("test {name} ... ok\n")), "{tested:?}");
    }
    let alone = stdout(&run_without_bench("one", &list));
    assert_eq!(alone, "one/plain: benchmark\none/divides: benchmark\n", "with the study, even if it is the only one");
    let failed = run_without_bench("faulty", &["--exact", "faulty/panics", "--nocapture"]);
    assert_eq!(failed.status.code(), Some(1), "{failed:?}");
    let measured = run("alike", nowhere(), &[&SHORT[..], &["--exact", "gate/n", "--nocapture"]].concat());
    assert!(stdout(&measured).contains("study gate") && !stdout(&measured).contains("unaligned"), "{measured:?}");
    let ignored = run("alike", nowhere(), &["--ignored"]);
    assert_eq!((ignored.status.code(), ignored.stdout.len()), (Some(0), 0), "none is ignored");
}

fn selects_by_path() {
    for (arguments, names) in [
        (&["rare"][..], "rare/plain rare/divides"),
        (&["gate/n"], "gate/n"),
        (&["gate/"], "gate/n gate/unaligned gate/rare"),
        (&["gate/un"], "gate/unaligned"),
        (&["rar"], "gate/rare rare/plain rare/divides"),
        (&["rare/plain", "gate/n"], "gate/n rare/plain"),
        (&["--skip", "rare"], "gate/n gate/unaligned"),
        (&["gate", "--skip", "gate/n", "--skip", "rare"], "gate/unaligned"),
        (&["--exact", "--skip", "gate/rare", "--skip", "rare/plain"], "gate/n gate/unaligned rare/divides"),
        (&["--exact", "gate/rare", "rare/plain"], "gate/rare rare/plain"),
    ] {
        let listed = run("alike", nowhere(), &[&["--list", "--format", "terse"], arguments].concat());
        let found =
            stdout(&listed).lines().map(|line| line.trim_end_matches(": benchmark")).collect::<Vec<_>>().join(" ");
        assert_eq!(found, names, "{arguments:?}: {listed:?}");
    }
    let part = run("alike", nowhere(), &["--exact", "gate"]);
    assert_eq!((part.status.code(), part.stdout.len()), (Some(0), 0), "another program may have it: {part:?}");
    assert!(String::from_utf8_lossy(&part.stderr).contains("--exact takes whole names"), "{part:?}");
}

fn takes_foreign_flags() {
    let libtest =
        ["--nocapture", "--show-output", "--test-threads", "1", "--include-ignored", "-q", "-Zunstable-options"];
    let tested = run_without_bench("one", &[&libtest[..], &["--color", "never", "plain"]].concat());
    assert_eq!((tested.status.code(), stdout(&tested).as_str()), (Some(0), "test one/plain ... ok\n"), "{tested:?}");
    let criterion = ["--noplot", "--discard-baseline", "--quiet", "--bench", "--color", "always"];
    let measured = run("one", nowhere(), &[&SHORT[..], &criterion].concat());
    assert_eq!(measured.status.code(), Some(0), "{measured:?}");
    assert!(stdout(&measured).contains('\x1b'), "in colour");
    let plain = run("one", nowhere(), &[&SHORT[..], &["--color", "never"]].concat());
    assert!(!stdout(&plain).contains('\x1b'));
    let help = stdout(&run_without_bench("one", &["--help"]));
    for flag in ["--exact", "--skip", "--color", "Accepted for cargo", "--nocapture"] {
        assert!(help.contains(flag), "{flag}: {help}");
    }
}

fn refuses_baselines() {
    for flag in ["--save-baseline", "--baseline", "--load-baseline"] {
        for refused in [run("one", nowhere(), &[flag, "before"]), run_without_bench("one", &[flag, "before"])] {
            let said = String::from_utf8_lossy(&refused.stderr);
            assert_eq!((refused.status.code(), refused.stdout.len()), (Some(2), 0), "{refused:?}");
            assert!(said.contains(&format!("{flag} before: ")) && said.contains("--against-rev REV"), "{said}");
        }
    }
}

fn failures() {
    let output = run("faulty", nowhere(), &[&SHORT[..], &["--format", "json"]].concat());
    assert_eq!(output.status.code(), Some(1));
    let record = chronoscope_render::study::parse(&stdout(&output)).expect("it is a record");
    let study = record.study();
    assert!(study.failures.iter().any(|failure| failure.case == "panics" && failure.reason.contains("out of luck")));
    assert!(study.cells.iter().any(|cell| cell.case == "plain" && !cell.processes.is_empty()), "the others are kept");
}

/// A disk without room: no file may be longer than 2 kB.
fn full_disk() {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let [saved, page] = ["saved.json", "page.html"].map(|name| folder.path().join(name).to_string_lossy().into_owned());
    let itself = std::env::current_exe().expect("the test has a file");
    let output = Command::new("sh")
        .args(["-c", "trap '' XFSZ && ulimit -f 4 && exec \"$0\" \"$@\""])
        .arg(itself)
        .env(PROGRAM, "one")
        .env("CARGO_TARGET_DIR", nowhere())
        .args(SHORT)
        .args(["--bench", "--format", "json", "--output", &saved])
        .args(to_page(&page))
        .output()
        .expect("the test can be started again");
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{told}");
    for (what, is_due) in [("the record", true), ("the page", PAGES)] {
        assert_eq!(told.contains(&format!("could not write {what} to")), is_due, "{told}");
    }
    assert!(!told.contains("--format"), "no page is had in this way: {told}");
    assert!(chronoscope_render::study::parse(&stdout(&output)).is_ok());
    assert_eq!(std::fs::read_dir(folder.path()).expect("it can be listed").count(), 0, "no part of a file is left");
}

fn several() {
    let one = run("several", nowhere(), &[&SHORT[..], &["write/plain", "--format", "json"]].concat());
    let record = chronoscope_render::study::parse(&stdout(&one)).expect("it is one record");
    assert_eq!((record.study().name.as_str(), record.study().plan.cases.len()), ("write", 1));
    let pages = run("several", nowhere(), &[&SHORT[..], &["--verbose"]].concat());
    let pages = stdout(&pages);
    for (title, times) in [("HARNESS ─", 1), ("MACHINE ─", 1), ("STUDY ─", 2), ("TIME PER OPERATION ", 2)] {
        assert_eq!(pages.matches(title).count(), times, "{title}: {pages}");
    }
    let both = run("in turn", nowhere(), &[&SHORT[..], &["--format", "json"]].concat());
    let records: Vec<serde_json::Value> =
        serde_json::Deserializer::from_slice(&both.stdout).into_iter().map(|one| one.expect("it is JSON")).collect();
    let names: Vec<&serde_json::Value> = records.iter().map(|record| &record["content"]["study"]["name"]).collect();
    assert_eq!(names, ["first", "second"], "no worker of one study runs the other");
}
