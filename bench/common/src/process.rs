//! Other processes: small executables built with a benchmark, and programs of others.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value as Json;

use crate::Failure;

/// A small executable that was built with this one.
pub fn sibling(name: &str) -> Result<PathBuf, Failure> {
    let program = std::env::current_exe().unwrap_or_default();
    let path = program.with_file_name(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    let lacking =
        || Failure::run(format!("{name} was not built with this program; the benchmark's run script builds all"));
    path.is_file().then_some(path).ok_or_else(lacking)
}

/// Runs `command` to its end and returns what it printed, if it ended well.
pub fn output_of(command: &mut Command, what: &str) -> Result<String, Failure> {
    let output = command.stdin(Stdio::null()).output().map_err(failed(format!("{what} did not start")))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(Failure::run(format!("{what} ended with {}: {}", output.status, said.trim())));
    }
    String::from_utf8(output.stdout).map_err(failed(format!("{what} printed what is not text")))
}

fn parse(json: &str, what: &str) -> Result<Json, Failure> {
    serde_json::from_str(json).map_err(failed(format!("{what} gave an unexpected answer")))
}

/// What `what` left at `path`, as JSON.
pub fn read(path: &Path, what: &str) -> Result<Json, Failure> {
    parse(&std::fs::read_to_string(path).map_err(failed(format!("{what} left no {}", path.display())))?, what)
}

/// The document that the product prints for these arguments, the first of which is a command.
pub fn document(product: &Path, arguments: &[&str]) -> Result<Json, Failure> {
    let what = format!("chronoscope {}", arguments[0]);
    parse(&output_of(Command::new(product).args(arguments).args(["--quiet", "--format", "json"]), &what)?, &what)
}

/// The items of a list; none of anything else.
pub fn all(list: &Json) -> impl Iterator<Item = &Json> {
    list.as_array().into_iter().flatten()
}

/// A failure of `what`, because of an error.
pub fn failed<E: Display>(what: impl Display) -> impl FnOnce(E) -> Failure {
    move |error| Failure::run(format!("{what}: {error}"))
}
