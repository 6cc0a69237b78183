//! Every public item of a package is used outside of the lines that define it.

use std::collections::BTreeMap;
use std::fs;

use syn::{ImplItem, Item, Type, Visibility};

use super::tree::{PACKAGES, Source, attributes, is_of_tests, made_up, root, rust_files, sources};

/// The names of public items and of public functions of types.
fn public_names(items: &[Item]) -> Vec<String> {
    let is_public = |visibility: &Visibility| matches!(visibility, Visibility::Public(_));
    let mut names = Vec::new();
    for item in items.iter().filter(|item| !is_of_tests(attributes(item))) {
        match item {
            Item::Const(item) if is_public(&item.vis) => names.push(item.ident.to_string()),
            Item::Enum(item) if is_public(&item.vis) => names.push(item.ident.to_string()),
            Item::Fn(item) if is_public(&item.vis) => names.push(item.sig.ident.to_string()),
            Item::Struct(item) if is_public(&item.vis) => names.push(item.ident.to_string()),
            Item::Trait(item) if is_public(&item.vis) => names.push(item.ident.to_string()),
            Item::Type(item) if is_public(&item.vis) => names.push(item.ident.to_string()),
            Item::Mod(item) => names.extend(item.content.iter().flat_map(|(_, items)| public_names(items))),
            Item::Impl(block) if block.trait_.is_none() && matches!(*block.self_ty, Type::Path(_)) => {
                for item in &block.items {
                    match item {
                        ImplItem::Fn(item) if is_public(&item.vis) => names.push(item.sig.ident.to_string()),
                        ImplItem::Const(item) if is_public(&item.vis) => names.push(item.ident.to_string()),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
    names
}

/// How often each word is written, comments left out except for examples, which are uses.
fn count_words(text: &str, counts: &mut BTreeMap<String, usize>) {
    for line in text.lines() {
        let code = line.trim_start();
        let is_prose = code.starts_with("//") && !code.contains("::") && !code.contains('(');
        if is_prose {
            continue;
        }
        for word in code.split(|letter: char| !letter.is_alphanumeric() && letter != '_') {
            *counts.entry(word.to_owned()).or_default() += 1;
        }
    }
}

/// The public names that are written once only, where they are defined.
fn unused(sources: &[Source], counts: &BTreeMap<String, usize>) -> Vec<String> {
    let names = sources
        .iter()
        .flat_map(|source| public_names(&source.file.items).into_iter().map(move |name| (source.path.clone(), name)));
    let mut defined = BTreeMap::<String, Vec<String>>::new();
    for (path, name) in names {
        defined.entry(name).or_default().push(path);
    }
    let is_dead = |name: &String, places: usize| counts.get(name).copied().unwrap_or(0) <= places;
    let dead = defined.into_iter().filter(|(name, paths)| is_dead(name, paths.len()));
    dead.map(|(name, paths)| format!("{name}: {}", paths.join(", "))).collect()
}

#[test]
fn no_public_item_is_dead() {
    let mut counts = BTreeMap::new();
    let files = ["crates", "examples", "bench", "fuzz", "lab", "pages", "probes", "docs"]
        .iter()
        .flat_map(|folder| rust_files(&root().join(folder)));
    for path in files {
        count_words(&fs::read_to_string(path).unwrap(), &mut counts);
    }
    assert!(counts.len() > 5_000, "{}", counts.len());
    let mut dead = Vec::new();
    for package in PACKAGES {
        dead.extend(unused(&sources(package), &counts));
    }
    assert!(dead.is_empty(), "nobody uses:\n{}", dead.join("\n"));
}

#[test]
fn an_item_that_nobody_names_is_dead() {
    let text = "pub fn used() {} pub fn dead() {} pub struct A; impl A { pub fn new() {} pub const LOST: u8 = 1; } fn x() { used(); A::new() }";
    let mut counts = BTreeMap::new();
    count_words(text, &mut counts);
    count_words("// dead, said in prose\n", &mut counts);
    let found = unused(&[made_up("a", text)], &counts);
    assert!(found.len() == 2 && found[0].starts_with("LOST") && found[1].starts_with("dead"), "{found:?}");
}
