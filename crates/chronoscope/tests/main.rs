//! The program as users run it, and the house as it is built: one binary, which is linked once. `cargo test -p chronoscope
//! --test it runs::` runs the tests of one file.

mod advise;
mod commands;
mod documents;
mod gallery;
mod gate;
mod hiccups;
mod history;
mod literature;
mod pages;
mod refused;
mod runs;
mod runtimes;
mod scaling;
mod show;
mod shown_commands;
mod shown_pages;
mod sync;
mod tidy;
mod usage;
mod width;

/// A file that is in no list would never be compiled.
#[test]
fn every_file_is_a_module() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("it can be listed").path();
        let name = path.file_stem().expect("it has a name").to_string_lossy().into_owned();
        let is_code = path.extension().is_some_and(|ending| ending == "rs") || path.join("mod.rs").exists();
        assert!(!is_code || name == "main" || include_str!("main.rs").contains(&format!("\nmod {name};\n")), "{name}");
    }
}
