//! The product, run as its users run it.

use std::path::Path;
use std::process::Command;

use bench_common::failure::Failure;
use bench_common::process::{output_of, parse};
use serde_json::Value;

/// The document that `program` prints for these arguments, the first of which is a command.
pub(crate) fn document(program: &Path, arguments: &[&str]) -> Result<Value, Failure> {
    let mut command = Command::new(program);
    command.args(arguments).args(["--quiet", "--format", "json"]);
    parse(&output_of(command, arguments[0])?, arguments[0])
}

/// The items of a list; none of anything else.
pub(crate) fn all(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}
