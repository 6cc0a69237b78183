//! systemd-timesyncd's state in `/run`.

use std::io::ErrorKind;
use std::path::Path;
use std::time::UNIX_EPOCH;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use chronoscope_harness::record::Known;

/// Touched at each adjustment (systemd-timesyncd.service(8)).
const SYNCHRONISED: &str = "run/systemd/timesync/synchronized";

/// systemd-timesyncd's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Timesyncd {
    /// When it last adjusted the clock, according to that clock.
    pub synchronised_unix_ns: u64,
}

pub fn read(root: &Path) -> Known<Timesyncd> {
    let path = root.join(SYNCHRONISED);
    let touched = path.metadata().and_then(|found| found.modified());
    touched
        .map_err(|error| match error.kind() {
            ErrorKind::NotFound => "it does not run, or has not synchronised since boot".to_owned(),
            _ => format!("{}: {error}", path.display()),
        })
        .and_then(|at| at.duration_since(UNIX_EPOCH).map_err(|_| "the file is older than 1970".to_owned()))
        .map(|at| Timesyncd { synchronised_unix_ns: u64::try_from(at.as_nanos()).unwrap_or(u64::MAX) })
        .into()
}
