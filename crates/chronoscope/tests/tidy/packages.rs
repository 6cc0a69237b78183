//! Packages use each other in the declared directions.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::tree::root;

/// What each package may use, of ours. Tests may use more.
const ARROWS: [(&str, &[&str]); 9] = [
    ("probes", &[]),
    ("docs", &[]),
    ("crates/clock", &[]),
    ("crates/sources", &["chronoscope-clock"]),
    ("crates/harness", &["chronoscope-clock", "chronoscope-sources"]),
    ("crates/render", &["chronoscope-harness"]),
    ("crates/bench", &["chronoscope-harness", "chronoscope-render"]),
    ("examples", &["chronoscope-clock", "chronoscope-harness", "chronoscope-render"]),
    (
        "crates/chronoscope",
        &[
            "chronoscope-bench",
            "chronoscope-clock",
            "chronoscope-examples",
            "chronoscope-harness",
            "chronoscope-probes",
            "chronoscope-render",
            "chronoscope-sources",
        ],
    ),
];

/// Workspaces of their own, which nothing may use, and what their packages may use of ours, tests included.
const APART: [(&str, &[&str]); 4] = [
    (
        "bench",
        &[
            "chronoscope-bench",
            "chronoscope-clock",
            "chronoscope-harness",
            "chronoscope-lab",
            "chronoscope-render",
            "chronoscope-sources",
        ],
    ),
    ("lab", &["chronoscope-clock"]),
    ("pages", &[]),
    ("fuzz", &["chronoscope"]),
];

/// How many crates whoever writes a benchmark compiles at most, ours included.
const MOST_CRATES: usize = 50;

/// A dependency on a package of ours, by whichever name and table it is declared.
struct Dependency {
    name: String,
    /// Where it lies, if that is said.
    path: Option<PathBuf>,
    is_of_tests: bool,
}

/// Every package of a workspace by its folder, with its dependencies on ours, as cargo reads them.
fn packages(workspace: &Path) -> BTreeMap<PathBuf, Vec<Dependency>> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--offline", "--no-deps", "--format-version", "1", "--manifest-path"])
        .arg(workspace.join("Cargo.toml"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let of_package = |package: &Value| {
        let manifest = Path::new(package["manifest_path"].as_str().unwrap());
        let all = package["dependencies"].as_array().unwrap().iter().map(dependency);
        let is_ours = |found: &Dependency| found.path.is_some() || found.name.starts_with("chronoscope");
        (manifest.parent().unwrap().to_owned(), all.filter(is_ours).collect())
    };
    metadata["packages"].as_array().unwrap().iter().map(of_package).collect()
}

fn dependency(found: &Value) -> Dependency {
    Dependency {
        name: found["name"].as_str().unwrap().to_owned(),
        path: found["path"].as_str().map(PathBuf::from),
        is_of_tests: found["kind"] == "dev",
    }
}

fn names<'a>(dependencies: impl IntoIterator<Item = &'a Dependency>) -> BTreeSet<&'a str> {
    dependencies.into_iter().map(|found| found.name.as_str()).collect()
}

#[test]
fn packages_use_each_other_in_the_declared_directions() {
    let root = root().canonicalize().unwrap();
    let packages = packages(&root);
    let declared: BTreeSet<PathBuf> = ARROWS.iter().map(|(folder, _)| root.join(folder)).collect();
    assert_eq!(packages.keys().cloned().collect::<BTreeSet<_>>(), declared);
    for (folder, allowed) in ARROWS {
        let dependencies = &packages[&root.join(folder)];
        let used = names(dependencies.iter().filter(|found| !found.is_of_tests));
        assert_eq!(used, allowed.iter().copied().collect(), "{folder}");
        for path in dependencies.iter().filter_map(|found| found.path.as_ref()) {
            let apart = APART.iter().find(|(apart, _)| path.starts_with(root.join(apart)));
            assert!(apart.is_none(), "{folder} uses {}", path.display());
        }
    }
}

#[test]
fn workspaces_apart_use_what_they_measure_and_no_more() {
    let root = root().canonicalize().unwrap();
    for (folder, allowed) in APART {
        let own = root.join(folder);
        let packages = packages(&own);
        let is_foreign = |found: &&Dependency| found.path.as_ref().is_none_or(|path| !path.starts_with(&own));
        let used = names(packages.values().flatten().filter(is_foreign));
        assert_eq!(used, allowed.iter().copied().collect(), "{folder}");
    }
}

#[test]
fn a_benchmark_compiles_few_crates() {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--offline", "--locked", "--package", "chronoscope-bench", "--edges", "normal,build"])
        .args(["--target", "x86_64-unknown-linux-gnu", "--prefix", "none", "--manifest-path"])
        .arg(root().join("Cargo.toml"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let crates: BTreeSet<String> = (String::from_utf8_lossy(&output.stdout).lines())
        .map(|line| line.split(' ').take(2).collect::<Vec<_>>().join(" "))
        .collect();
    println!("{} crates compiled for a benchmark", crates.len());
    assert!(
        crates.contains("chronoscope-harness v0.1.0") && crates.len() <= MOST_CRATES,
        "{}: {crates:?}",
        crates.len()
    );
}

#[test]
fn a_dependency_is_found_in_whichever_table_it_is_declared() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("src")).unwrap();
    fs::write(folder.path().join("src/lib.rs"), "").unwrap();
    let manifest = "[package]\nname = \"made-up\"\n[workspace]\n\
                    [dependencies.chronoscope-render]\nversion = \"1\"\n\
                    [dependencies.clocks]\npackage = \"chronoscope-clock\"\nversion = \"1\"\n\
                    [target.'cfg(unix)'.dependencies]\nchronoscope-harness = \"1\"\nlibc = \"1\"\n\
                    [target.'cfg(unix)'.dependencies.chronoscope]\nversion = \"1\"\n\
                    [build-dependencies]\nchronoscope-examples = \"1\"\n\
                    [dev-dependencies]\nchronoscope-bench = \"1\"\n";
    fs::write(folder.path().join("Cargo.toml"), manifest).unwrap();
    let packages = packages(folder.path());
    let all = packages.values().next().unwrap();
    let used =
        ["chronoscope", "chronoscope-clock", "chronoscope-examples", "chronoscope-harness", "chronoscope-render"];
    assert_eq!(names(all.iter().filter(|found| !found.is_of_tests)), BTreeSet::from(used));
    assert_eq!(names(all.iter().filter(|found| found.is_of_tests)), BTreeSet::from(["chronoscope-bench"]));
}
