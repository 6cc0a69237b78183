//! The time of a call by its index, with what three ways to measure answer instead.

use chronoscope_harness::literature::measure::MEAN_OF_FIRST;
use chronoscope_harness::literature::{self, Article};
use chronoscope_harness::record::study::StudyRecord;
use chronoscope_render::text::count;

use super::growth::Growth;
use super::rivals::{self, Compared};
use super::says::{FIRST_CALLS, MS, WINDOWS, curve, stamped_ns};
use crate::{Block, Chart, Level, Panel, Series, Spot, Topic, Unit};

pub(super) fn call_times(
    record: &StudyRecord,
    growth: &Growth,
    compared: &[Compared],
    [naive, model]: [&Block; 2],
) -> Option<Chart> {
    let points = curve(growth).into_iter().map(|(index, time)| Some(Spot::new(index as f64, time)));
    let of_first = literature::of(Article::Jmh, MEAN_OF_FIRST);
    let first = of_first.filter_map(|figure| figure.place().zip(figure.ns()));
    let published = Series::published("mean of so many first calls, JMH 1.37 on JDK 25", first);
    let panel =
        Panel::over("index of the call", "time of a call", Unit::Ns, vec![Series::of("a call", points), published]);
    let sentences = naive.main().into_iter().chain(model.main()).collect();
    let panel = Panel { levels: answers(record, growth), ..panel };
    let panels = [panel].into_iter().chain(rivals::panel(compared)).collect();
    Chart::of(Topic::CallTimes, "The time of a call, and three bad answers", sentences, panels)
}

/// Of the shortest and the longest run for a time that was long enough, of stamps, and of so many first calls.
fn answers(record: &StudyRecord, growth: &Growth) -> Vec<Level> {
    let of_runs = WINDOWS.iter().filter_map(|ms| {
        let mean = growth.mean_of_window(ms * MS)?;
        Some(Level { name: format!("run for {ms} ms"), value: mean.estimate })
    });
    let runs: Vec<Level> = of_runs.collect();
    let last = runs.last().filter(|_| runs.len() > 1).cloned();
    let stamped = stamped_ns(record).map(|mean| Level { name: "stamp each call".to_owned(), value: mean.estimate });
    let most = FIRST_CALLS.iter().rev().find_map(|calls| {
        let mean = growth.mean_of_first(*calls)?;
        Some(Level { name: format!("the first {} calls", count(*calls)), value: mean.estimate })
    });
    runs.into_iter().take(1).chain(last).chain(stamped).chain(most).collect()
}
