//! Where the history is, and whether it is kept.

use std::env;
use std::path::PathBuf;

use etcetera::BaseStrategy;

/// The file, if it is not to be the usual one.
const FILE: &str = "CHRONOSCOPE_HISTORY";
/// Whether nothing is to be kept.
const OFF: &str = "CHRONOSCOPE_NO_HISTORY";

/// Whether checks are kept, as far as the environment says.
pub fn is_kept() -> bool {
    env::var_os(OFF).is_none_or(|value| value.is_empty())
}

/// The file of the history: `CHRONOSCOPE_HISTORY`, else `chronoscope/history.db` in the platform's folder for a user's data.
///
/// # Errors
/// If the user has no such folder.
pub fn file() -> Result<PathBuf, String> {
    if let Some(file) = env::var_os(FILE).filter(|file| !file.is_empty()) {
        return Ok(PathBuf::from(file));
    }
    let strategy = etcetera::base_strategy::choose_native_strategy().map_err(|error| cannot(&error.to_string()))?;
    let folder = strategy.data_dir();
    // As a home directory, for which a service's user often has none.
    if !folder.is_absolute() {
        return Err(cannot("the home directory is not an absolute path"));
    }
    Ok(folder.join("chronoscope").join("history.db"))
}

fn cannot(why: &str) -> String {
    format!("there is no folder for the history ({why}); name a file in {FILE}, or set {OFF}=1")
}
