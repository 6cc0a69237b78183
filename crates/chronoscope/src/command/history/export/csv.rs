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
        let Some(figure) = run.figure else { continue };
        let numbers = numbers(&figure);
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

/// The estimate, its interval, and the confidence of that; empty where there is no interval.
fn numbers(figure: &Estimate) -> [String; 4] {
    let (low, high) = figure.interval().unzip();
    let confidence = figure.has_interval().then_some(figure.confidence);
    [Some(figure.estimate), low, high, confidence].map(|number| number.map_or_else(String::new, |it| it.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_interval_has_no_ends() {
        assert_eq!(numbers(&Estimate::without_interval(18.5)), ["18.5", "", "", ""]);
        let whole = Estimate { low: 18.0, high: 19.5, confidence: 0.999, ..Estimate::certain(18.5) };
        assert_eq!(numbers(&whole), ["18.5", "18", "19.5", "0.999"]);
    }
}
