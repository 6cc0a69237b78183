//! No module of a package leans on one that leans on it, be it by way of others.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Item, ItemMod, ItemUse, Macro, Path, UseTree, Visibility};

use super::tree::{PACKAGES, Source, attributes, is_of_tests, made_up, sources};

type Arrows = BTreeMap<String, BTreeSet<String>>;
/// Where a module has a name from that it shows as its own.
type Shown = BTreeMap<(String, String), Vec<String>>;

/// The paths that a file names, from the root of its package.
struct Names<'a> {
    /// Where it stands: the file's module, and those written out within.
    module: Vec<String>,
    files: &'a BTreeSet<String>,
    /// Those it imports or spells out.
    named: Vec<Vec<String>>,
    /// What a name stands for in the file, by its imports.
    imported: BTreeMap<String, Vec<String>>,
    /// Those it shows as its own, under which name.
    shown: Vec<(String, Vec<String>)>,
}

impl Names<'_> {
    /// A path from the root of the package; none for another package's.
    fn absolute(&self, path: &[String]) -> Option<Vec<String>> {
        let mut base = self.module.clone();
        let mut rest = path;
        match rest.first()?.as_str() {
            "crate" => (base, rest) = (Vec::new(), &rest[1..]),
            "self" => rest = &rest[1..],
            "super" => {
                while rest.first().is_some_and(|part| part == "super") {
                    base.pop();
                    rest = &rest[1..];
                }
            }
            child => {
                base.push(child.to_owned());
                let is_child = self.files.contains(&base.join("::"));
                base.pop();
                if !is_child {
                    return Some(self.imported.get(child)?.iter().chain(&rest[1..]).cloned().collect());
                }
            }
        }
        base.extend_from_slice(rest);
        Some(base)
    }

    /// The paths among the arguments of a macro.
    fn in_tokens(&mut self, tokens: TokenStream) {
        let mut path = Vec::new();
        let mut may_go_on = true;
        for token in tokens {
            match token {
                TokenTree::Ident(name) if may_go_on => {
                    path.push(name.to_string());
                    may_go_on = false;
                    continue;
                }
                TokenTree::Punct(punct) if punct.as_char() == ':' && !path.is_empty() => {
                    may_go_on = true;
                    continue;
                }
                TokenTree::Group(group) => self.in_tokens(group.stream()),
                _ => {}
            }
            self.named.extend(
                Some(std::mem::take(&mut path)).filter(|path| path.len() > 1).and_then(|path| self.absolute(&path)),
            );
            may_go_on = true;
        }
        self.named.extend(Some(path).filter(|path| path.len() > 1).and_then(|path| self.absolute(&path)));
    }

    fn take(&mut self, tree: &UseTree, before: &mut Vec<String>, is_shown: bool) {
        match tree {
            UseTree::Path(path) => {
                before.push(path.ident.to_string());
                self.take(&path.tree, before, is_shown);
                before.pop();
            }
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.take(tree, before, is_shown)),
            UseTree::Glob(_) => self.named.extend(self.absolute(before)),
            UseTree::Name(syn::UseName { ident }) => self.leaf(before, ident, ident, is_shown),
            UseTree::Rename(syn::UseRename { ident, rename, .. }) => self.leaf(before, ident, rename, is_shown),
        }
    }

    fn leaf(&mut self, before: &[String], name: &syn::Ident, shown_as: &syn::Ident, is_shown: bool) {
        let mut path = before.to_vec();
        if name != "self" {
            path.push(name.to_string());
        }
        let Some(path) = self.absolute(&path) else { return };
        self.imported.insert(shown_as.to_string(), path.clone());
        if is_shown {
            self.shown.push((shown_as.to_string(), path));
        } else {
            self.named.push(path);
        }
    }
}

impl<'ast> Visit<'ast> for Names<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        if !is_of_tests(attributes(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        if item.content.is_some() {
            self.module.push(item.ident.to_string());
            visit::visit_item_mod(self, item);
            self.module.pop();
        }
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        self.take(&item.tree, &mut Vec::new(), !matches!(item.vis, Visibility::Inherited));
    }

    fn visit_macro(&mut self, call: &'ast Macro) {
        self.in_tokens(call.tokens.clone());
    }

    fn visit_path(&mut self, path: &'ast Path) {
        let parts: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        if parts.len() > 1 {
            self.named.extend(self.absolute(&parts));
        }
        visit::visit_path(self, path);
    }
}

/// The file that a path leads to, through what modules show as their own.
fn file_of(path: &[String], files: &BTreeSet<String>, shown: &Shown) -> String {
    let mut path = path.to_vec();
    // Longer than any chain of re-exports.
    for _ in 0..16 {
        let known = (0..=path.len()).rev().find(|length| files.contains(&path[..*length].join("::"))).unwrap_or(0);
        let file = path[..known].join("::");
        match path.get(known).and_then(|name| shown.get(&(file.clone(), name.clone()))) {
            Some(from) => path = from.iter().chain(&path[known + 1..]).cloned().collect(),
            None => return file,
        }
    }
    path.join("::")
}

/// Which file of a package names which.
fn arrows(sources: &[Source]) -> Arrows {
    let files: BTreeSet<String> = sources.iter().map(|source| source.module.join("::")).collect();
    let (mut shown, mut named) = (Shown::new(), Vec::new());
    for source in sources {
        let mut names = Names {
            module: source.module.clone(),
            files: &files,
            named: Vec::new(),
            imported: BTreeMap::new(),
            shown: Vec::new(),
        };
        // Imports first: what they name is known wherever they stand.
        names.visit_file(&source.file);
        names.named.clear();
        names.shown.clear();
        names.visit_file(&source.file);
        let file = source.module.join("::");
        shown.extend(names.shown.into_iter().map(|(name, path)| ((file.clone(), name), path)));
        named.push((file, names.named));
    }
    let to = |file: &str, paths: &[Vec<String>]| -> BTreeSet<String> {
        paths.iter().map(|path| file_of(path, &files, &shown)).filter(|other| other != file).collect()
    };
    named.into_iter().map(|(file, paths)| (file.clone(), to(&file, &paths))).collect()
}

/// Those from which a way leads back to themselves.
fn in_circles(arrows: &Arrows) -> BTreeSet<String> {
    let leads_back = |start: &String| {
        let mut reached = BTreeSet::new();
        let mut open: Vec<&String> = arrows[start].iter().collect();
        while let Some(next) = open.pop() {
            if reached.insert(next) {
                open.extend(arrows.get(next).into_iter().flatten());
            }
        }
        reached.contains(start)
    };
    arrows.keys().filter(|file| leads_back(file)).cloned().collect()
}

#[test]
fn no_module_leans_on_one_that_leans_on_it() {
    for package in PACKAGES {
        let arrows = arrows(&sources(package));
        assert!(arrows.len() > 10 && arrows.values().map(BTreeSet::len).sum::<usize>() > 10, "{package}: {arrows:?}");
        let circles = in_circles(&arrows);
        let within = |file: &String| -> Vec<&String> { arrows[file].intersection(&circles).collect() };
        let told: Vec<String> = circles.iter().map(|file| format!("{file} -> {:?}", within(file))).collect();
        assert!(circles.is_empty(), "circles in {package}:\n{}", told.join("\n"));
    }
}

#[test]
fn a_circle_is_found_through_imports_paths_and_what_others_show() {
    let files = [
        made_up("", "mod a; mod b; mod c; mod d;"),
        made_up("a", "use crate::b::{self, x::Y};"),
        made_up("b", "pub use crate::c::Name; fn b() { c::of() }"),
        made_up("c", "fn c() { super::d::of(); } #[cfg(test)] mod tests { use crate::a; }"),
        made_up("d", "use super::b::Name; mod within { use super::Own; }"),
    ];
    assert_eq!(in_circles(&arrows(&files)), BTreeSet::from(["c".to_owned(), "d".to_owned()]));
    let through = |text: &str| {
        let files = [made_up("b", ""), made_up("b::c", "use crate::a::A;"), made_up("a", text)];
        in_circles(&arrows(&files)).len()
    };
    assert_eq!(through("use crate::b; fn a() { b::c::of() }"), 2);
    assert_eq!(through("fn a() { println!(\"{}\", crate::b::c::of()) }"), 2);
    assert_eq!(through("fn a() { b::c::of() }"), 0);
}
