//! A table: a line per run and figure.

use std::borrow::Cow;

use csv::Writer;

use crate::history::{Run, Series};
use chronoscope_harness::record::{Estimate, clean};

pub const HEAD: &str =
    "run,started_at,command,machine,cpu,kernel,clocksource,tool,figure,subject,value,low,high,confidence\n";

pub fn of_series(series: &Series, runs: Vec<Run>, _: bool) -> String {
    let mut table = Writer::from_writer(Vec::new());
    for run in runs {
        let Some(Estimate { estimate, low, high, confidence }) = run.figure else { continue };
        let numbers = [estimate, low, high, confidence].map(|number| number.to_string());
        let (id, figure) = (run.id.to_string(), format!("{}_ns", series.kind.name));
        let words =
            [&id, &run.started_at, &run.command, &run.machine, &run.cpu, &run.kernel, &run.clocksource, &run.tool];
        let words = words.into_iter().chain([&figure, &series.subject]).map(|word| clean(word));
        // Writing to memory does not fail.
        let _ = table
            .write_record(words.chain(numbers.iter().map(|number| Cow::from(number.as_str()))).map(Cow::into_owned));
    }
    String::from_utf8_lossy(&table.into_inner().unwrap_or_default()).into_owned()
}
