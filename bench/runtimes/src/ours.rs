//! Our side: what `chronoscope runtimes` says of a language's runtimes.

use std::path::Path;

use bench_common::process::{all, document};
use bench_common::{Failure, Run};
use serde_json::Value as Json;

use crate::agreement::Side;
use crate::language::{Language, NOTHING, Pair};
use crate::oracle::Interpreter;

/// Has the product measure `language` once.
pub(crate) fn measure(language: &Language, program: &Path, run: &Run) -> Result<Json, Failure> {
    let runtime = format!("{}={}", language.name, program.display());
    document(&run.chronoscope, &["runtimes", "--quick", "--only", language.name, "--runtime", &runtime])
}

/// The runtime that `interpreter` is, among those that the product measured.
pub(crate) fn find<'a>(
    document: &'a Json,
    language: &Language,
    interpreter: &Interpreter,
) -> Result<&'a Json, Failure> {
    let runtimes = || all(&document["content"]["sections"]["runtimes"]["report"]);
    let of_kind = || runtimes().filter(|runtime| runtime["kind"] == language.name);
    let is_it = |runtime: &&Json| interpreter.is(runtime["executable"].as_str(), runtime["version"].as_str());
    let Some(found) = of_kind().find(is_it) else {
        let seen = of_kind().map(show).collect::<Vec<_>>().join("; ");
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

/// Name, version and file.
pub(crate) fn show(runtime: &Json) -> String {
    let [name, version, executable] =
        ["name", "version", "executable"].map(|of| runtime[of].as_str().unwrap_or("unknown"));
    format!("{name} {version} ({executable})")
}

/// One figure of one clock; None if it was not measured.
pub(crate) fn reading(runtime: &Json, pair: &Pair) -> Option<Side> {
    let clock = || all(&runtime["clocks"]).find(|clock| clock["name"] == pair.clock);
    let found = if pair.clock == NOTHING { Some(runtime) } else { clock() }?.pointer(pair.figure.place)?;
    // A number, or what a document says of many batches.
    let ns = found.as_f64().or(found["estimate"].as_f64())?;
    Some(Side { ns, all_ns: found["p50"].as_f64(), least_ns: found["minimum"].as_f64() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::{GO, JAVA, PYTHON};

    /// A document that the product wrote.
    fn shown() -> Json {
        serde_json::from_str(include_str!("../../../docs/shown/runtimes.json")).unwrap()
    }

    #[test]
    fn the_product_says_whatever_is_compared() {
        let document = shown();
        for language in [JAVA, GO, PYTHON] {
            let of_kind = |runtime: &&Json| runtime["kind"] == language.name;
            let runtime = all(&document["content"]["sections"]["runtimes"]["report"]).find(of_kind).unwrap();
            let itself = Interpreter::Version(runtime["version"].as_str().unwrap().to_owned());
            let found = find(&document, &language, &itself).unwrap();
            for pair in language.pairs {
                assert!(
                    reading(found, pair).is_some_and(|side| side.ns > 0.0),
                    "{}, {}",
                    pair.clock,
                    pair.figure.words
                );
            }
        }
    }

    #[test]
    fn another_runtime_is_not_taken_for_it() {
        let unknown = find(&shown(), &JAVA, &Interpreter::file("/opt/java")).unwrap_err();
        assert!(unknown.to_string().contains("did not measure /opt/java"), "{unknown}");
        let broken = serde_json::json!({ "content": { "sections": { "runtimes": { "report": [
            { "kind": "go", "version": "go1", "available": false, "reason_unavailable": "it was refused" }
        ]}}}});
        let broken = find(&broken, &GO, &Interpreter::Version("go1".into())).unwrap_err();
        assert!(broken.to_string().ends_with("it was refused"), "{broken}");
    }
}
