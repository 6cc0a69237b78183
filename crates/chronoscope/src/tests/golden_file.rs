//! Golden files. `UPDATE_GOLDEN=1` writes them anew; read the difference before it is committed.

use std::fs;
use std::path::{Path, PathBuf};

/// `text` is what the file of this name in `tests/golden` holds.
pub fn assert_golden(name: &str, text: &str) {
    assert_same(&PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name), text);
}

/// `text` is what this file holds.
pub fn assert_same(path: &Path, text: &str) {
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(path, text).expect("golden files can be written");
        return;
    }
    let golden = fs::read_to_string(path).unwrap_or_default();
    assert!(golden == text, "{} differs from what is rendered now:\n{text}", path.display());
}
