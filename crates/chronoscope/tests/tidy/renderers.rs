//! No renderer concludes.

use std::collections::BTreeSet;

use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};
use syn::{BinOp, Expr, ExprBinary, ExprCall, ExprMethodCall, Ident, Item, ItemConst, Lit, Token, Visibility};

use super::tree::{Source, attributes, is_of_tests, made_up, sources};

/// What only rules need.
const OF_RULES: [&str; 3] = ["Rule", "conclude", "RULES"];
/// Where judgements are made; what they yield is kept in the document.
const JUDGING: [&str; 6] = ["diagnose", "interval_advice", "locking", "looks", "methods", "usable_clocks"];
/// What places a curve in a figure compares coordinates.
const GEOMETRY: [&str; 6] = ["axis", "canvas", "chart", "curve", "figure", "plot"];
/// What lays pages for browsers out knows shapes and no document.
const TOOLKIT: &str = "crates/render/src/browser/";

/// Whether a file draws, by its name.
fn draws(source: &Source) -> bool {
    let is_named = |name: &str| source.module.iter().any(|part| part == name);
    ["view", "browser", "screen", "show", "page", "detail", "study"].iter().any(|name| is_named(name))
        && !GEOMETRY.iter().any(|name| is_named(name))
        && !source.path.starts_with(TOOLKIT)
}

/// Whether a file judges, by its name.
fn judges(source: &Source) -> bool {
    let Some(file) = source.module.last() else { return false };
    // The root's `rules` lists those of all.
    let is_rules = file == "rules" && source.module.len() > 1;
    is_rules || is_of(source, "judgement") || is_of(source, "answers") && JUDGING.contains(&file.as_str())
}

fn is_of(source: &Source, room: &str) -> bool {
    source.module.first().is_some_and(|folder| folder == room)
}

/// The functions that are written in these files.
#[derive(Default)]
struct Functions {
    names: BTreeSet<String>,
    /// Only those that other files can call.
    public: bool,
    /// Without methods: those of a conclusion read what was concluded.
    free: bool,
}

impl Functions {
    fn of<'a>(public: bool, sources: impl Iterator<Item = &'a Source>) -> BTreeSet<String> {
        let mut functions = Self { public, ..Self::default() };
        sources.for_each(|source| {
            functions.free = public && is_of(source, "judgement");
            functions.visit_file(&source.file);
        });
        functions.names
    }

    fn add(&mut self, visibility: &Visibility, name: &Ident) {
        if !self.public || !matches!(visibility, Visibility::Inherited) {
            self.names.insert(name.to_string());
        }
    }
}

impl<'ast> Visit<'ast> for Functions {
    fn visit_item(&mut self, item: &'ast Item) {
        if !is_of_tests(attributes(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        self.add(&function.vis, &function.sig.ident);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        if !self.free {
            self.add(&function.vis, &function.sig.ident);
        }
    }
}

/// Whether an expression reads a field of the data, itself or within a conversion: `row.threads`, `u64::from(row.threads)`.
fn reads_field(expression: &Expr) -> bool {
    match expression {
        Expr::Field(field) => {
            // What the drawing itself counts is in its own fields.
            let is_own = matches!(&*field.base, Expr::Path(path) if path.path.is_ident("self"));
            !is_own && matches!(field.member, syn::Member::Named(_))
        }
        Expr::Paren(inner) => reads_field(&inner.expr),
        Expr::Unary(inner) => reads_field(&inner.expr),
        Expr::Reference(inner) => reads_field(&inner.expr),
        Expr::Cast(inner) => reads_field(&inner.expr),
        Expr::Binary(both) => reads_field(&both.left) || reads_field(&both.right),
        Expr::Call(call) => call.args.iter().any(reads_field),
        Expr::MethodCall(call) => reads_field(&call.receiver) && call.method != "len",
        _ => false,
    }
}

/// Whether an expression is a whole number written out, for those count things, as in "1 thread" and "2 threads"; or a
/// value that has a name, as `Severity::Warning`.
fn is_plain(expression: &Expr) -> bool {
    match expression {
        Expr::Lit(literal) => matches!(literal.lit, Lit::Int(_)),
        Expr::Path(path) => path.path.segments.len() > 1,
        _ => false,
    }
}

/// What a file says that only a rule may say.
#[derive(Default)]
struct Judgements<'a> {
    /// Functions that judge.
    judging: Option<&'a BTreeSet<String>>,
    /// The constants of the file that are limits, being numbers with a point.
    limits: BTreeSet<String>,
    found: Vec<String>,
}

impl Judgements<'_> {
    /// Whether an expression is a limit: a number with a point, or a constant that is one.
    fn is_limit(&self, expression: &Expr) -> bool {
        match expression {
            Expr::Lit(literal) => {
                matches!(&literal.lit, Lit::Float(_))
            }
            Expr::Path(path) => path.path.get_ident().is_some_and(|name| self.limits.contains(&name.to_string())),
            Expr::Paren(inner) => self.is_limit(&inner.expr),
            Expr::Unary(inner) => self.is_limit(&inner.expr),
            Expr::Binary(both) => self.is_limit(&both.left) || self.is_limit(&both.right),
            _ => false,
        }
    }

    fn calls(&mut self, name: &Ident) {
        if self.judging.is_some_and(|judging| judging.contains(&name.to_string())) {
            self.found.push(format!("line {}: {name} judges", name.span().start().line));
        }
    }
}

impl<'ast> Visit<'ast> for Judgements<'_> {
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
        } else if compares && chooses(&expression.left, &expression.right) {
            let line = syn::spanned::Spanned::span(expression).start().line;
            self.found.push(format!("line {line}: numbers of the document are compared with each other"));
        }
        visit::visit_expr_binary(self, expression);
    }

    fn visit_expr_call(&mut self, call: &'ast ExprCall) {
        if let Expr::Path(path) = &*call.func
            && let Some(last) = path.path.segments.last()
        {
            self.calls(&last.ident);
        }
        visit::visit_expr_call(self, call);
    }

    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        self.calls(&call.method);
        visit::visit_expr_method_call(self, call);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        if let Ok(arguments) = call.parse_body_with(Punctuated::<Expr, Token![,]>::parse_terminated) {
            let mut inner = Judgements { judging: self.judging, limits: self.limits.clone(), found: Vec::new() };
            arguments.iter().for_each(|argument| inner.visit_expr(argument));
            self.found.extend(inner.found);
        }
    }

    fn visit_ident(&mut self, name: &'ast Ident) {
        if OF_RULES.iter().any(|word| name == word) {
            self.found.push(format!("line {}: {name}", name.span().start().line));
        }
    }
}

/// Whether a comparison decides something about the data: numbers of it, with each other or with one made from it.
fn chooses(left: &Expr, right: &Expr) -> bool {
    (reads_field(left) || reads_field(right)) && !is_plain(left) && !is_plain(right)
}

fn judgements(source: &Source, judging: &BTreeSet<String>) -> Vec<String> {
    let mut judgements = Judgements { judging: Some(judging), ..Judgements::default() };
    // Constants first, wherever they stand.
    judgements.visit_file(&source.file);
    judgements.found.clear();
    judgements.visit_file(&source.file);
    judgements.found
}

#[test]
fn no_renderer_concludes() {
    let mut drawing = 0;
    let mut found = Vec::new();
    for package in ["crates/render", "crates/chronoscope"] {
        let all = sources(package);
        // A name that others have too says nothing.
        let others = Functions::of(false, all.iter().filter(|source| !judges(source)));
        let judging = Functions::of(true, all.iter().filter(|source| judges(source)));
        let judging: BTreeSet<String> = judging.difference(&others).cloned().collect();
        for source in all.iter().filter(|source| draws(source)) {
            drawing += 1;
            found.extend(judgements(source, &judging).into_iter().map(|what| format!("{}, {what}", source.path)));
        }
    }
    assert!(drawing > 20, "{drawing}");
    assert!(found.is_empty(), "renderers that conclude:\n{}", found.join("\n"));
}

#[test]
fn a_limit_in_a_renderer_is_found() {
    let judging = Functions::of(true, [made_up("rules", "pub fn counter_doubt() {}")].iter());
    let file = |text: &str| judgements(&made_up("view", text), &judging).len();
    assert_eq!(file("fn a(x: f64) -> bool { x > MOST } const MOST: f64 = 2.0;"), 1);
    assert_eq!(file("fn a(x: f64) -> bool { (0.5 * x) <= 2.0 }"), 1);
    assert_eq!(file("fn a(x: f64) -> bool { x > -2.0 }"), 1);
    assert_eq!(file("use chronoscope_harness::rule::Rule;"), 1);
    assert_eq!(
        file("fn a(x: f64, n: usize) -> bool { x > X && n < 3 } #[cfg(test)] mod tests { const X: f64 = 1.0; }"),
        0
    );
    // A sign, two numbers of the document, and a function of a rule choose as much as a limit does.
    assert_eq!(file("fn a(c: &C) -> &str { if c.ahead_ns > 0.0 { \"ahead\" } else { \"behind\" } }"), 1);
    assert_eq!(file("fn a(r: &Row, cpus: u64) -> bool { u64::from(r.threads) > cpus }"), 1);
    assert_eq!(file("fn a(r: &Record) -> Option<String> { r.counter_doubt() }"), 1);
    assert_eq!(file("fn a(r: &Record) -> String { format!(\"{:?}\", r.counter_doubt()) }"), 1);
    // What counts things, and what counts columns.
    assert_eq!(file("fn a(r: &Row, shown: usize) -> bool { r.threads > 1 && shown < r.cells.len() }"), 0);
}
