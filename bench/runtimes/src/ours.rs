//! Our side: what `chronoscope runtimes` says of a language's runtimes.

use std::path::Path;

use bench_common::process::{all, document};
use bench_common::{Failure, Run};
use serde_json::Value as Json;

use crate::agreement::Side;
use crate::language::{Figure, Language};

pub(crate) fn measure(language: &Language, program: &Path, run: &Run) -> Result<Json, Failure> {
    let runtime = format!("{}={}", language.name, program.display());
    document(&run.chronoscope, &["runtimes", "--quick", "--only", language.name, "--runtime", &runtime])
}

/// The file under whatever name.
pub(crate) fn itself(path: impl AsRef<Path>) -> std::path::PathBuf {
    path.as_ref().canonicalize().unwrap_or_else(|_| path.as_ref().to_owned())
}

/// The runtime that the file `interpreter` is, among those that the product measured.
pub(crate) fn find<'a>(document: &'a Json, language: &Language, interpreter: &Path) -> Result<&'a Json, Failure> {
    let runtimes = || all(&document["content"]["sections"]["runtimes"]["report"]);
    let of_kind = || runtimes().filter(|runtime| runtime["kind"] == language.name);
    let is_it = |runtime: &&Json| runtime["executable"].as_str().is_some_and(|path| itself(path) == interpreter);
    let Some(found) = of_kind().find(is_it) else {
        let (interpreter, seen) = (interpreter.display(), of_kind().map(show).collect::<Vec<_>>().join("; "));
        return Err(Failure::run(format!(
            "chronoscope did not measure {interpreter}, which the harness used, but {seen}"
        )));
    };
    if found["available"] == false {
        let reason = found["reason_unavailable"].as_str().unwrap_or("no reason given");
        return Err(Failure::run(format!("chronoscope could not measure {}: {reason}", show(found))));
    }
    Ok(found)
}

pub(crate) fn show(runtime: &Json) -> String {
    let [name, version, executable] =
        ["name", "version", "executable"].map(|of| runtime[of].as_str().unwrap_or("unknown"));
    format!("{name} {version} ({executable})")
}

/// One figure of one clock; None if it was not measured.
pub(crate) fn reading(runtime: &Json, clock: &str, figure: Figure) -> Option<Side> {
    let found = all(&runtime["clocks"]).find(|measured| measured["name"] == clock)?.pointer(figure.place)?;
    // A number, or what a document says of many batches.
    let ns = found.as_f64().or(found["estimate"].as_f64())?;
    Some(Side { ns, least_ns: found["minimum"].as_f64() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::{GO, JAVA, PYTHON};

    fn shown() -> Json {
        serde_json::from_str(include_str!("../../../docs/shown/runtimes.json")).unwrap()
    }

    #[test]
    fn the_product_says_whatever_is_compared() {
        let document = shown();
        for language in [JAVA, GO, PYTHON] {
            let of_kind = |runtime: &&Json| runtime["kind"] == language.name;
            let runtime = all(&document["content"]["sections"]["runtimes"]["report"]).find(of_kind).unwrap();
            let found = find(&document, &language, &itself(runtime["executable"].as_str().unwrap())).unwrap();
            for (clock, figure, _) in language.pairs {
                let side = reading(found, clock, *figure);
                assert!(side.is_some_and(|side| side.ns > 0.0), "{clock}, {}", figure.words);
            }
        }
    }

    #[test]
    fn another_runtime_is_not_taken_for_it() {
        let unknown = find(&shown(), &JAVA, Path::new("/opt/java")).unwrap_err();
        assert!(unknown.to_string().contains("did not measure /opt/java"), "{unknown}");
        let broken = serde_json::json!({ "content": { "sections": { "runtimes": { "report": [
            { "kind": "go", "executable": "/go", "available": false, "reason_unavailable": "it was refused" }
        ]}}}});
        let broken = find(&broken, &GO, Path::new("/go")).unwrap_err();
        assert!(broken.to_string().ends_with("it was refused"), "{broken}");
    }

    #[test]
    fn a_file_is_known_by_all_its_names() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("java-17"), folder.path().join("java"));
        std::fs::write(&file, "").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        assert_eq!(itself(&link), itself(&file));
        assert_ne!(itself(&link), itself("/nowhere"));
    }
}
