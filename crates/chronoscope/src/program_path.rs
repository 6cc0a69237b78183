//! Where programs are. Nothing is started by a bare name: with an empty or relative entry in `PATH`, that would be a file in whichever
//! folder this program is started in, which may be anybody's.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The absolute directories in `PATH`, in its order.
pub fn directories() -> Vec<PathBuf> {
    absolute_in(&std::env::var_os("PATH").unwrap_or_default())
}

fn absolute_in(path: &OsStr) -> Vec<PathBuf> {
    std::env::split_paths(path).filter(|directory| directory.is_absolute()).collect()
}

/// Every program of this name in `directories`.
pub fn all_in(directories: &[PathBuf], name: &str) -> Vec<PathBuf> {
    let path = std::env::join_paths(directories).unwrap_or_default();
    which::which_in_all(name, Some(path), "/").map(Iterator::collect).unwrap_or_default()
}

/// The program that the user means by `name`: a path, or a name in one of the absolute directories of `PATH`. None if there is no such
/// program, or it may not be executed.
pub fn program(name: &str) -> Option<PathBuf> {
    match Path::new(name).components().count() {
        1 if !name.contains(std::path::is_separator) => all_in(&directories(), name).into_iter().next(),
        _ => which::which(std::path::absolute(name).ok()?).ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_absolute_directories_are_searched() {
        let path = std::env::join_paths(["", "/usr/bin", ".", "bin", "/bin"]).unwrap();
        assert_eq!(absolute_in(&path), ["/usr/bin", "/bin"].map(PathBuf::from));
    }

    #[test]
    #[cfg(unix)]
    fn a_program_is_named_by_its_path_or_its_name() {
        assert!(program("sh").is_some_and(|found| found.is_absolute()));
        assert_eq!(program("/bin/sh"), Some(PathBuf::from("/bin/sh")));
        assert_eq!(["/dev/null", "no such program", ""].map(program), [None, None, None]);
    }
}
