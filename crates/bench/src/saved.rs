//! Location of records saved by name: in cargo's target folder, one folder per study.

use std::path::{Path, PathBuf};

use super::Failure;

/// The file present in every cargo target folder.
const MARK: &str = "CACHEDIR.TAG";

/// The path of a study's record called `name`.
///
/// # Errors
/// If that is not a valid file name.
pub(super) fn path(study: &str, name: &str) -> Result<PathBuf, Failure> {
    let is_sound = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '+');
    if name.is_empty() || name.starts_with('.') || !name.chars().all(is_sound) {
        return Err(Failure::usage(format!(
            "\"{name}\" cannot name a saved record; use letters, digits, '-', '_', '+' and '.', or --output for a file"
        )));
    }
    Ok(folder(study).join(format!("{name}.json")))
}

/// The file meant by `--compare`: that path if it exists or looks like a path, else a saved record.
///
/// # Errors
/// If there is no such file.
pub(super) fn find(study: &str, name_or_file: &str) -> Result<PathBuf, Failure> {
    let file = Path::new(name_or_file);
    if file.is_file() {
        return Ok(file.to_owned());
    }
    let cannot = |why: &str| Failure::usage(format!("cannot compare {study} with {name_or_file}: {why}"));
    if name_or_file.contains('/') || file.extension().is_some_and(|extension| extension == "json") {
        return Err(cannot("no such file; write one with --save NAME or --output FILE"));
    }
    let saved = path(study, name_or_file)?;
    if saved.is_file() {
        return Ok(saved);
    }
    let names = names(study);
    Err(cannot(&if names.is_empty() {
        "no record of this study is saved; save one with --save NAME first".to_owned()
    } else {
        format!("no file or saved record has that name; saved: {}", names.join(", "))
    }))
}

/// The names of a study's saved records.
fn names(study: &str) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(folder(study)) else { return Vec::new() };
    let files = entries.flatten().map(|entry| entry.path());
    let records = files.filter(|path| path.extension().is_some_and(|extension| extension == "json"));
    let mut names: Vec<String> =
        records.filter_map(|path| Some(path.file_stem()?.to_string_lossy().into_owned())).collect();
    names.sort_unstable();
    names
}

fn folder(study: &str) -> PathBuf {
    let tame = |c: char| if c.is_alphanumeric() || matches!(c, '-' | '_' | '+') { c } else { '-' };
    let study: String = study.chars().map(tame).collect();
    target().join("chronoscope").join(study)
}

/// Cargo's target folder: `CARGO_TARGET_DIR`, the one that contains this program, or `target` in the working directory.
pub(super) fn target() -> PathBuf {
    let said = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from).filter(|path| path.is_absolute());
    said.or_else(around_the_program).unwrap_or_else(|| PathBuf::from("target"))
}

fn around_the_program() -> Option<PathBuf> {
    let program = std::env::current_exe().ok()?;
    program.ancestors().skip(1).find(|folder| folder.join(MARK).is_file()).map(Path::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_in_their_folder() {
        for wrong in ["", ".", "..", "../main", "a/b", "a b", "a\0b", ".hidden"] {
            assert_eq!(path("publish", wrong).unwrap_err().code(), 2, "{wrong:?}");
        }
        let found = path("a/../b c", "main").unwrap();
        assert!(found.ends_with("chronoscope/a----b-c/main.json"), "{}", found.display());
    }

    #[test]
    fn what_is_not_there_is_refused_with_what_to_do() {
        let refusal = find("no-such-study", "main").unwrap_err();
        assert!(refusal.to_string().contains("--save"), "{refusal}");
        assert!(find("no-such-study", "/no/such.json").unwrap_err().to_string().contains("no such file"));
    }
}
