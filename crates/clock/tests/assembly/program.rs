use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;
use std::{env, fs};

use object::{Object, ObjectSection, ObjectSymbol, SymbolKind};

use crate::arch;
use crate::function::Function;

/// The example as a package of its own: what this crate's tests need beside it is not built a second time.
const MANIFEST: &str = r#"[package]
name = "reads"
version = "0.0.0"
edition = "2024"

[[bin]]
name = "reads"
path = "CRATE/examples/reads.rs"

[dependencies]
chronoscope-clock = { path = "CRATE" }

[workspace]
"#;

/// The example `reads`, compiled in release mode.
pub(crate) struct Program {
    file: Vec<u8>,
}

impl Program {
    /// The program, built by whoever asks first.
    pub(crate) fn get() -> &'static Self {
        static PROGRAM: LazyLock<Program> = LazyLock::new(|| Program { file: build() });
        &PROGRAM
    }

    fn object(&self) -> object::File<'_> {
        object::File::parse(&*self.file).expect("cargo builds a file of the system's own format")
    }

    /// Where the only symbol lies whose mangled name contains `part`.
    pub(crate) fn symbol(&self, part: &str) -> Range<u64> {
        let mut found = self.symbols(part);
        assert_eq!(found.len(), 1, "symbols with {part} in their names: {found:x?}");
        found.remove(0)
    }

    fn symbols(&self, part: &str) -> Vec<Range<u64>> {
        let object = self.object();
        let is_meant = |symbol: &object::Symbol| symbol.name().is_ok_and(|name| name.contains(part));
        let place = |symbol: object::Symbol| symbol.address()..symbol.address() + symbol.size();
        object.symbols().filter(is_meant).map(place).collect()
    }

    /// The instructions of the function `name`.
    pub(crate) fn function(&self, name: &str) -> Function {
        let mut found = self.functions(name);
        assert_eq!(found.len(), 1, "functions with {name} in their names: {found:?}");
        found.remove(0)
    }

    /// The instructions of every function `name`.
    pub(crate) fn functions(&self, name: &str) -> Vec<Function> {
        // Both ways of mangling write a name behind its length.
        let places = self.symbols(&format!("{}{name}", name.len()));
        places.into_iter().map(|place| self.function_at(name, place)).collect()
    }

    fn function_at(&self, name: &str, place: Range<u64>) -> Function {
        let object = self.object();
        let code =
            object.sections().find_map(|section| section.data_range(place.start, place.end - place.start).ok()?);
        let functions: HashMap<_, _> = object
            .symbols()
            .filter(|symbol| symbol.kind() == SymbolKind::Text && symbol.is_definition())
            .filter_map(|symbol| Some((symbol.address(), symbol.name().ok()?.to_owned())))
            .collect();
        let instructions = arch::decode(code.expect("a function has code"), place.start, |address| {
            functions.get(&address).map(String::as_str)
        });
        Function { name: name.to_owned(), instructions }
    }

    /// What the loader writes into the slot at `address`: an address in the program, relative to where it is loaded.
    pub(crate) fn relocated(&self, address: u64) -> Option<u64> {
        let object = self.object();
        let mut relocations = object.dynamic_relocations()?;
        relocations.find(|(slot, _)| *slot == address).map(|(_, relocation)| relocation.addend() as u64)
    }
}

fn build() -> Vec<u8> {
    let here = env!("CARGO_MANIFEST_DIR");
    let package = Path::new(env!("CARGO_TARGET_TMPDIR")).join("assembly");
    fs::create_dir_all(&package).expect("the target folder is writable");
    fs::write(package.join("Cargo.toml"), MANIFEST.replace("CRATE", here)).expect("the target folder is writable");
    // The versions that this test was built with; without the file, as in a published package, cargo chooses.
    let _ = fs::copy(Path::new(here).join("../../Cargo.lock"), package.join("Cargo.lock"));
    let output = Command::new(env::var_os("CARGO").unwrap_or_else(|| env!("CARGO").into()))
        .args(["build", "--release", "--quiet", "--manifest-path"])
        .arg(package.join("Cargo.toml"))
        .arg("--target-dir")
        .arg(package.join("target"))
        // Judged is what a user gets who sets nothing; instrumented code would fail for what it is.
        .env_remove("RUSTFLAGS")
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .env_remove("CARGO_BUILD_TARGET")
        .output()
        .expect("cargo, which runs this test, can be started");
    assert!(output.status.success(), "the example does not build:\n{}", String::from_utf8_lossy(&output.stderr));
    fs::read(package.join("target/release/reads")).expect("cargo has built the program")
}
