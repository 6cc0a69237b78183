//! Golden files. `UPDATE_GOLDEN=1` rewrites them; review the difference before committing.

use std::fs;
use std::path::{Path, PathBuf};

/// Asserts that `text` matches the file of this name in `tests/golden`.
pub fn assert_golden(name: &str, text: &str) {
    assert_same(&PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name), text);
}

/// Asserts that `text` matches this file.
pub fn assert_same(path: &Path, text: &str) {
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(path, text).expect("golden files can be written");
        return;
    }
    let golden = fs::read_to_string(path).unwrap_or_default();
    assert!(golden == text, "{} differs from what is rendered now:\n{text}", path.display());
}
