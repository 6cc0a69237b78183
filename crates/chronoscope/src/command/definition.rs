//! Output derived from the definitions of arguments and documents: completions, manual page, schema.

use std::process::ExitCode;

use chronoscope_bench::{Failure, print};
use clap::CommandFactory;
use clap_complete::Shell;

use super::arguments::Arguments;
use crate::document;

/// Prints completions for `shell`.
pub fn completions(shell: Shell) -> Result<ExitCode, Failure> {
    let mut definition = Arguments::command();
    let name = definition.get_name().to_owned();
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut definition, name, &mut script);
    print(&String::from_utf8_lossy(&script))?;
    Ok(ExitCode::SUCCESS)
}

/// Prints the manual page, which includes every command.
pub fn man() -> Result<ExitCode, Failure> {
    let mut page = Vec::new();
    let mut definition = Arguments::command();
    definition.build();
    let cannot = |error: std::io::Error| Failure::run(format!("could not write the manual page: {error}"));
    clap_mangen::Man::new(definition.clone()).render(&mut page).map_err(cannot)?;
    for command in definition.get_subcommands().filter(|command| command.get_name() != "help") {
        let named = command.clone().name(format!("chronoscope-{}", command.get_name()));
        clap_mangen::Man::new(named).render(&mut page).map_err(cannot)?;
    }
    print(&String::from_utf8_lossy(&page))?;
    Ok(ExitCode::SUCCESS)
}

/// Prints the schema of every document.
pub fn schema() -> Result<ExitCode, Failure> {
    print(document::SCHEMA)?;
    Ok(ExitCode::SUCCESS)
}
