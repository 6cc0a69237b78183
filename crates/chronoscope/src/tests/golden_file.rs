//! Golden files. `UPDATE_GOLDEN=1` writes them anew; read the difference before it is committed.

use std::fs;
use std::path::PathBuf;

/// `text` is what the file of this name in `tests/golden` holds.
pub fn assert_golden(name: &str, text: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, text).expect("golden files can be written");
        return;
    }
    let golden = fs::read_to_string(&path).unwrap_or_default();
    assert!(golden == text, "{name} differs from what is rendered now:\n{text}");
}
