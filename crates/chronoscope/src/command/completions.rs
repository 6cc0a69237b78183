use std::process::ExitCode;

use clap_complete::Shell;

use crate::arguments;
use chronoscope_bench::{Failure, print};

/// Prints completions for `shell`.
pub fn run(shell: Shell) -> Result<ExitCode, Failure> {
    let mut definition = arguments::definition();
    let name = definition.get_name().to_owned();
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut definition, name, &mut script);
    print(&String::from_utf8_lossy(&script))?;
    Ok(ExitCode::SUCCESS)
}
