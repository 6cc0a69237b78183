//! No renderer concludes.

use std::collections::BTreeSet;

use syn::visit::{self, Visit};
use syn::{BinOp, Expr, ExprBinary, Item, ItemConst, Lit};

use crate::tree::{Source, attributes, is_of_tests, made_up, sources};

/// What only rules need.
const OF_RULES: [&str; 3] = ["Rule", "conclude", "RULES"];
/// What places a curve in a figure compares coordinates.
const GEOMETRY: [&str; 5] = ["axis", "chart", "curve", "figure", "plot"];

/// Whether a file draws, by its name.
fn draws(source: &Source) -> bool {
    let is_named = |name: &str| source.module.iter().any(|part| part == name);
    ["view", "verdict_words", "show", "page", "detail", "study", "study_compared"].iter().any(|name| is_named(name))
        && !GEOMETRY.iter().any(|name| is_named(name))
}

/// What a file says that only a rule may say.
#[derive(Default)]
struct Judgements {
    /// The constants of the file that are limits, being numbers with a point.
    limits: BTreeSet<String>,
    found: Vec<String>,
}

impl Judgements {
    /// Whether an expression is a limit: a number with a point other than zero, or a constant that is one.
    fn is_limit(&self, expression: &Expr) -> bool {
        match expression {
            Expr::Lit(literal) => {
                matches!(&literal.lit, Lit::Float(float) if float.base10_parse().is_ok_and(|value: f64| value != 0.0))
            }
            Expr::Path(path) => path.path.get_ident().is_some_and(|name| self.limits.contains(&name.to_string())),
            Expr::Paren(inner) => self.is_limit(&inner.expr),
            Expr::Unary(inner) => self.is_limit(&inner.expr),
            Expr::Binary(both) => self.is_limit(&both.left) || self.is_limit(&both.right),
            _ => false,
        }
    }
}

impl<'ast> Visit<'ast> for Judgements {
    fn visit_item(&mut self, item: &'ast Item) {
        if !is_of_tests(attributes(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_const(&mut self, item: &'ast ItemConst) {
        if matches!(&*item.ty, syn::Type::Path(path) if path.path.is_ident("f64")) {
            self.limits.insert(item.ident.to_string());
        }
        visit::visit_item_const(self, item);
    }

    fn visit_expr_binary(&mut self, expression: &'ast ExprBinary) {
        let compares = matches!(expression.op, BinOp::Lt(_) | BinOp::Le(_) | BinOp::Gt(_) | BinOp::Ge(_));
        if compares && (self.is_limit(&expression.left) || self.is_limit(&expression.right)) {
            let line = syn::spanned::Spanned::span(expression).start().line;
            self.found.push(format!("line {line}: a number is compared with a limit"));
        }
        visit::visit_expr_binary(self, expression);
    }

    fn visit_ident(&mut self, name: &'ast proc_macro2::Ident) {
        if OF_RULES.iter().any(|word| name == word) {
            self.found.push(format!("line {}: {name}", name.span().start().line));
        }
    }
}

fn judgements(source: &Source) -> Vec<String> {
    let mut judgements = Judgements::default();
    // Constants first, wherever they stand.
    judgements.visit_file(&source.file);
    judgements.found.clear();
    judgements.visit_file(&source.file);
    judgements.found
}

#[test]
fn no_renderer_concludes() {
    let all = ["crates/render", "crates/chronoscope"].into_iter().flat_map(sources);
    let drawing: Vec<Source> = all.filter(draws).collect();
    assert!(drawing.len() > 20, "{}", drawing.len());
    let found: Vec<String> = drawing
        .iter()
        .flat_map(|source| judgements(source).into_iter().map(|what| format!("{}, {what}", source.path)))
        .collect();
    assert!(found.is_empty(), "renderers that conclude:\n{}", found.join("\n"));
}

#[test]
fn a_limit_in_a_renderer_is_found() {
    let file = |text: &str| judgements(&made_up("view", text)).len();
    assert_eq!(file("fn a(x: f64) -> bool { x > MOST } const MOST: f64 = 2.0;"), 1);
    assert_eq!(file("fn a(x: f64) -> bool { (0.5 * x) <= 2.0 }"), 1);
    assert_eq!(file("fn a(x: f64) -> bool { x > -2.0 }"), 1);
    assert_eq!(file("use chronoscope_harness::rule::Rule;"), 1);
    assert_eq!(
        file("fn a(x: f64, n: usize) -> bool { x > 0.0 && n < 3 } #[cfg(test)] mod tests { const A: f64 = 1.0; }"),
        0
    );
}
