//! No function is longer than a page.

use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Block, ImplItemFn, ItemFn, TraitItemFn};

use super::tree::{Source, made_up, root, rust_files, sources};

/// From `fn` to the closing brace.
const MOST_LINES: usize = 70;

struct Functions {
    long: Vec<(String, usize)>,
}

impl Functions {
    fn see(&mut self, name: &syn::Ident, block: &Block) {
        let lines = block.span().end().line - name.span().start().line + 1;
        if lines > MOST_LINES {
            self.long.push((name.to_string(), lines));
        }
    }
}

impl<'ast> Visit<'ast> for Functions {
    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        self.see(&item.sig.ident, &item.block);
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast ImplItemFn) {
        self.see(&item.sig.ident, &item.block);
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast TraitItemFn) {
        if let Some(block) = &item.default {
            self.see(&item.sig.ident, block);
        }
        visit::visit_trait_item_fn(self, item);
    }
}

fn long(source: &Source) -> Vec<(String, usize)> {
    let mut functions = Functions { long: Vec::new() };
    functions.visit_file(&source.file);
    functions.long
}

#[test]
fn no_function_is_longer_than_a_page() {
    let mut found = Vec::new();
    let mut files = 0;
    for folder in ["crates", "examples/src", "bench", "fuzz", "lab", "pages", "probes"] {
        for path in rust_files(&root().join(folder)) {
            files += 1;
            let path = path.strip_prefix(root()).unwrap().to_string_lossy().into_owned();
            let text = std::fs::read_to_string(root().join(&path)).unwrap();
            let source = Source { file: syn::parse_file(&text).unwrap(), module: Vec::new(), path };
            found.extend(
                long(&source).into_iter().map(|(name, lines)| format!("{}: {name}, {lines} lines", source.path)),
            );
        }
    }
    assert!(files > 500, "{files}");
    assert!(found.is_empty(), "more than {MOST_LINES} lines:\n{}", found.join("\n"));
}

#[test]
fn a_long_function_is_found_wherever_it_is() {
    let body = |lines: usize| "\n".repeat(lines - 1);
    let text = format!(
        "struct A; impl A {{ fn short() {{{}}} fn long() {{{}}} }} trait B {{ fn b(){{{}}} }}",
        body(MOST_LINES),
        body(MOST_LINES + 1),
        body(MOST_LINES + 2)
    );
    let found = long(&made_up("", &text));
    assert_eq!(found, [("long".to_owned(), MOST_LINES + 1), ("b".to_owned(), MOST_LINES + 2)]);
    assert!(sources("crates/chronoscope").iter().any(|source| source.module == ["registry"]));
}
