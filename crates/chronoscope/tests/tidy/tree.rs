//! The source files of a package, parsed.

use std::fs;
use std::path::{Path, PathBuf};

use syn::{Attribute, Item};

/// The packages whose sources are looked at.
pub(crate) const PACKAGES: [&str; 7] = [
    "crates/clock",
    "crates/sources",
    "crates/harness",
    "crates/render",
    "crates/bench",
    "crates/chronoscope",
    "examples",
];

/// A source file, and the module that it is.
pub(crate) struct Source {
    /// Below the root of the repository.
    pub(crate) path: String,
    /// `["sections", "clocks", "report"]`; empty for the root of the package.
    pub(crate) module: Vec<String>,
    pub(crate) file: syn::File,
}

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Every source file of the package in `folder`, tests in files of their own left out.
pub(crate) fn sources(folder: &str) -> Vec<Source> {
    let src = root().join(folder).join("src");
    let mut found = Vec::new();
    for path in rust_files(&src) {
        let below = path.strip_prefix(&src).unwrap().with_extension("");
        let module: Vec<String> = below.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        if module.iter().any(|part| part == "tests" || part.ends_with("_tests")) {
            continue;
        }
        let path = path.strip_prefix(root()).unwrap().to_string_lossy().into_owned();
        found.push(parsed(path, module));
    }
    found
}

fn parsed(path: String, mut module: Vec<String>) -> Source {
    let text = fs::read_to_string(root().join(&path)).unwrap();
    let file = syn::parse_file(&text).unwrap_or_else(|error| panic!("{path}: {error}"));
    module.pop_if(|last| ["lib", "main", "mod"].contains(&last.as_str()));
    Source { path, module, file }
}

/// A file made up for a test.
pub(crate) fn made_up(module: &str, text: &str) -> Source {
    let module = module.split("::").filter(|part| !part.is_empty()).map(str::to_owned).collect();
    Source { path: format!("{module:?}"), module, file: syn::parse_file(text).unwrap() }
}

/// The `.rs` files below `folder`, built ones left out.
pub(crate) fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("target") {
            found.extend(rust_files(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
    found
}

/// Whether something is compiled for tests alone.
pub(crate) fn is_of_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let is_test = attribute.path().is_ident("test");
        let is_cfg = attribute.path().is_ident("cfg");
        is_test || is_cfg && attribute.meta.require_list().is_ok_and(|list| names_test(list.tokens.clone()))
    })
}

/// Whether a condition holds in tests only: `test`, `all(test, unix)`.
fn names_test(condition: proc_macro2::TokenStream) -> bool {
    let text = condition.to_string();
    text == "test" || text.starts_with("all (") && text.contains("test")
}

pub(crate) fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}
