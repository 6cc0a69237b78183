use std::process::ExitCode;

use crate::arguments;
use chronoscope_bench::{Failure, print};

/// Prints the manual page, that of every command included.
pub fn run() -> Result<ExitCode, Failure> {
    let mut page = Vec::new();
    let mut definition = arguments::definition();
    definition.build();
    let cannot = |error: std::io::Error| Failure::run(format!("the manual page could not be made: {error}"));
    clap_mangen::Man::new(definition.clone()).render(&mut page).map_err(cannot)?;
    for command in definition.get_subcommands().filter(|command| command.get_name() != "help") {
        let named = command.clone().name(format!("chronoscope-{}", command.get_name()));
        clap_mangen::Man::new(named).render(&mut page).map_err(cannot)?;
    }
    print(&String::from_utf8_lossy(&page))?;
    Ok(ExitCode::SUCCESS)
}
