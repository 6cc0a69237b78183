//! The cost of a call in one thread, and its apparent cost in many threads that one latch releases together.
//!
//! The second is how clocks have been timed "under concurrency": the time from the release until the last thread has
//! called, divided by the number of threads. An empty call, timed the same way, shows what that measures; the same with threads that
//! run until the release, so that nobody is woken, shows what is left.
//!
//! # Sources
//! Published figures: see [`latch::published`].

use std::time::{Duration, Instant, SystemTime};

use chronoscope_clock::Clock;
use chronoscope_harness::Study;
use chronoscope_harness::estimators::latch::{self, CONTROL, ReleaseVerdict, verdict};
use chronoscope_harness::quantity::{PERCENT, RATIO, ns};
use chronoscope_harness::record::study::{Estimate, StudyRecord};
use chronoscope_harness::stats::over_processes;
use chronoscope_render::text::{counted, percent};

use crate::{Block, Chart, Conclusions, Experiment, Panel, Series, Spot, Topic, Unit, Value};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "thread-release",
    about: "Calls by one thread and by many released together, against an empty control",
    study: |_, threads| study(threads.first().copied().unwrap_or(THREADS)),
    conclude,
    in_runtimes: None,
};

/// As in the article.
const THREADS: u32 = 100;
/// The parameter with the number of threads.
const RELEASED: &str = "threads";
/// Each clock with the call for which figures were published.
const CLOCKS: [(&str, Option<&str>); 3] = [
    ("Instant::now", Some("System.nanoTime")),
    ("SystemTime::now", Some("System.currentTimeMillis")),
    ("Clock::now", None),
];

fn study(threads: u32) -> Study {
    let mut study =
        Study::new("thread-release").parameter(RELEASED, [threads]).processes(12).budget(Duration::from_secs(16));
    study = with_call(study, CONTROL, || ());
    study = with_call(study, CLOCKS[0].0, Instant::now);
    study = with_call(study, CLOCKS[1].0, SystemTime::now);
    study = with_call(study, CLOCKS[2].0, || Clock::or_system().now());
    CLOCKS.iter().fold(study, |study, (clock, _)| study.compare(released(clock), released(CONTROL)))
}

/// Adds a call in one thread, in many that sleep, and in many that run.
fn with_call<O>(study: Study, name: &str, call: impl Fn() -> O + Copy + Send + Sync + 'static) -> Study {
    study
        .case(name, move |b| b.iter(call))
        .case(released(name), move |b| {
            let threads = b.parameter(RELEASED);
            b.iter_released(threads, call);
        })
        .case(running(name), move |b| {
            let threads = b.parameter(RELEASED);
            b.iter_released_running(threads, call);
        })
}

fn released(call: &str) -> String {
    format!("{call}, released")
}

fn running(call: &str) -> String {
    format!("{call}, released while they run")
}

/// The figures of one call.
struct Call<'r> {
    name: &'static str,
    serial: Value,
    serial_ns: Option<Estimate>,
    /// From the release to the last call, per thread.
    released_ns: Option<Estimate>,
    /// The same where nobody is woken.
    running_ns: Option<Estimate>,
    /// The first over the second.
    waking: Option<Estimate>,
    slowdown: Option<Estimate>,
    /// The control's time over that of this call; none for the control itself.
    control_share: Option<Estimate>,
    record: &'r StudyRecord,
}

impl<'r> Call<'r> {
    fn of(record: &'r StudyRecord, name: &'static str) -> Self {
        let threads = f64::from(threads(record));
        let (serial, many) = (record.cell(name, 0, 1), record.cell(&released(name), 0, 1));
        let serial_ns = serial.and_then(|cell| cell.time_ns);
        let slowdown = serial.zip(many).filter(|_| serial_ns.is_some()).and_then(|(serial, many)| {
            over_processes(&[many, serial], record.study().plan.confidence, |ns| ns[0] / threads / ns[1])
        });
        let unwoken = record.cell(&running(name), 0, 1);
        let waking = many.zip(unwoken).and_then(|(many, unwoken)| {
            over_processes(&[many, unwoken], record.study().plan.confidence, |ns| ns[0] / ns[1])
        });
        let ratio = record.point(&released(name), &released(CONTROL), 0, 1).map(|point| point.ratio);
        Self {
            name,
            serial: Value::time(serial),
            serial_ns,
            released_ns: many.and_then(|cell| cell.time_ns).map(|time| time.times(1.0 / threads)),
            running_ns: unwoken.and_then(|cell| cell.time_ns).map(|time| time.times(1.0 / threads)),
            waking,
            slowdown,
            control_share: ratio.and_then(|ratio| Estimate::certain(1.0).over(&ratio)),
            record,
        }
    }

    fn released(&self) -> Value {
        Value::or(self.released_ns.map(Value::Ns), "not measured")
    }

    fn running(&self) -> Value {
        Value::or(self.running_ns.map(Value::Ns), "not measured")
    }

    /// How much longer a release takes if the threads must be woken.
    fn waking(&self, many: &str) -> Option<String> {
        let waking = self.waking?;
        let (asleep, awake) = (self.released_ns?, self.running_ns?);
        let figures = format!("{} per thread against {}", ns(asleep.estimate), ns(awake.estimate));
        let took = format!(
            "a release of {many} takes {} as long if they sleep as if they run, {figures}",
            RATIO.amount(&waking)
        );
        Some(match (waking.low, waking.high) {
            (low, high) if low > 1.0 && high.is_finite() => {
                let share = PERCENT.interval(100.0 * (1.0 - 1.0 / low), 100.0 * (1.0 - 1.0 / high));
                format!("{took}: waking them is {share} of it")
            }
            (_, high) if high < 1.0 => {
                format!("{took}: threads that run are in each other's way more than waking costs")
            }
            _ => format!("{took}: what waking costs is not seen"),
        })
    }

    /// Half of what a call seems to be slowed down.
    fn naive(&self) -> String {
        let name = self.name;
        match self.slowdown {
            Some(slower) if slower.low > 1.0 => format!("{name} looks {} slower", RATIO.value(slower.estimate)),
            Some(slower) => format!("{name} takes {} as long", RATIO.amount(&slower)),
            None => format!("{name} was not measured in both"),
        }
    }

    /// What the time of a release is, and the clock's own share of it.
    fn model(&self) -> Option<String> {
        let (share, released_ns) = (self.control_share?, self.released_ns?);
        let of_it = PERCENT.interval(100.0 * share.low, 100.0 * share.high);
        let means = match verdict(&share) {
            ReleaseVerdict::WakingThreads => "this measures the release, not the clock",
            ReleaseVerdict::MostlyWaking => "more than half of this is the release",
            ReleaseVerdict::MoreThanWaking => "the release does not explain the rest",
            ReleaseVerdict::Undecided => "inconclusive; measure longer or on a quieter machine",
        };
        let own = self.serial_ns.map_or_else(String::new, |serial| {
            // Process by process, as the slowdown.
            let slower = self.slowdown.map_or(released_ns.estimate / serial.estimate, |slower| slower.estimate);
            let pct = percent(100.0 / slower);
            format!(". The clock's own {} are {pct} of the {}", ns(serial.estimate), ns(released_ns.estimate))
        });
        Some(format!("{}: the empty control takes {of_it} of its time: {means}{own}", self.name))
    }
}

fn threads(record: &StudyRecord) -> u32 {
    let released = record.study().plan.parameters.iter().find(|parameter| parameter.name == RELEASED);
    released.and_then(|parameter| parameter.values.first()?.parse().ok()).unwrap_or(THREADS)
}

fn conclude(record: &StudyRecord) -> Conclusions {
    let many = counted(u64::from(threads(record)), "thread", "threads");
    let control = Call::of(record, CONTROL);
    let clocks = CLOCKS.map(|(name, _)| Call::of(record, name));
    let (naive, model) = (naive(&control, &clocks, &many), model(&control, &clocks, &many));
    Conclusions {
        experiment: EXPERIMENT.name.to_owned(),
        charts: chart(&control, &clocks, &many, [&naive, &model]).into_iter().collect(),
        question: format!("Is a clock slow when {many} call it at once, or is it slow to wake {many}?"),
        passed: None,
        naive,
        model,
        published: published(&clocks, &many),
    }
}

fn chart(control: &Call<'_>, clocks: &[Call<'_>], many: &str, [naive, model]: [&Block; 2]) -> Option<Chart> {
    let calls: Vec<&Call<'_>> = [control].into_iter().chain(clocks).collect();
    let places = || (0_u32..).map(f64::from);
    let serial = places().zip(&calls).map(|(at, call)| Spot::of_cell(at, call.record.cell(call.name, 0, 1)));
    let released = places().zip(&calls).map(|(at, call)| Some(Spot::new(at, call.released_ns?)));
    let published = |name: &str, of: fn(latch::PublishedRelease) -> Option<f64>| {
        // The control comes first.
        let figures = places()
            .skip(1)
            .zip(CLOCKS)
            .filter_map(|(at, (_, call))| Some((at, of(latch::published(call?, THREADS)?)?)));
        Series::published(name, figures)
    };
    let series = vec![
        Series::of("in one thread", serial),
        Series::of(&format!("{many}, per thread"), released),
        published("in one thread, published", |found| found.serial.ns()),
        published("100 threads, per thread, published", |found| found.concurrent.ns()),
    ];
    let names = calls.iter().map(|call| call.name.to_owned()).collect();
    let panel = Panel { names, ..Panel::over("", "", Unit::Ns, series) };
    let sentences = naive.main().into_iter().chain(model.main()).collect();
    Chart::of(Topic::Calls, "A call by one thread, and by many released together", sentences, vec![panel])
}

fn naive(control: &Call<'_>, clocks: &[Call<'_>], many: &str) -> Block {
    let mut block = Block::default();
    let row = |call: &Call<'_>| vec![Value::text(call.name), call.serial.clone(), call.released()];
    let rows = [control].into_iter().chain(clocks).map(row).collect();
    block.table("", &["call", "in one thread", &format!("{many}, per thread")], rows);
    let looks: Vec<String> = clocks.iter().map(Call::naive).collect();
    block.conclude(format!("in {many}: {}", looks.join(", ")));
    let below = control.record.cell(CONTROL, 0, 1).and_then(|cell| cell.below_ns);
    if let Some((below, released)) = below.zip(control.released_ns).filter(|(below, _)| *below > 0.0) {
        let slower = RATIO.value(released.low / below);
        block.say(format!("read the same way, a call of nothing looks more than {slower} slower"));
    }
    block
}

fn model(control: &Call<'_>, clocks: &[Call<'_>], many: &str) -> Block {
    let mut block = Block::default();
    // Documents of earlier builds have none.
    if control.running_ns.is_some() {
        let row = |call: &Call<'_>| vec![Value::text(call.name), call.released(), call.running()];
        let rows = [control].into_iter().chain(clocks).map(row).collect();
        block.table("", &["call", &format!("{many} that sleep, per thread"), "that run, per thread"], rows);
    }
    for clock in clocks {
        let Some(text) = clock.model() else { continue };
        let statement = block.conclude(text);
        for (name, value) in [("released_ns", clock.released_ns), ("control_share", clock.control_share)] {
            value.map(|value| statement.with(name, value));
        }
    }
    if block.main().is_empty() {
        block.conclude("no call was compared with the empty control: no conclusion");
    } else {
        block.say("shares and factors are taken within each process: they are not quotients of the times");
    }
    if let Some((text, waking)) = control.waking(many).zip(control.waking) {
        block.conclude(text).with("waking", waking);
    }
    block.say(
        "released together: the threads sleep at one latch, a mutex with a condition variable; the time runs from the release \
         until the last has called, divided by their number. Starting them is not timed",
    );
    if control.running_ns.is_some() {
        block.say("that run: each looks for the release again and again and gives up its CPU in between, so that nobody is woken");
    }
    block
}

fn published(clocks: &[Call<'_>], many: &str) -> Block {
    let mut block = Block::default();
    let of = |call| latch::published(call, THREADS);
    let row = |(clock, (_, call)): (&Call<'_>, &(&str, Option<&'static str>))| {
        let found = of((*call)?)?;
        let figures = [found.serial, found.concurrent].map(|figure| Value::text(figure.said()));
        let names = [clock.name, found.serial.call].map(Value::text);
        Some(names.into_iter().chain(figures).chain([clock.serial.clone(), clock.released()]).collect())
    };
    let rows: Vec<Vec<Value>> = clocks.iter().zip(&CLOCKS).filter_map(row).collect();
    let columns = ["ours", "published", "in one thread", "100 threads, per thread", "ours, in one thread"];
    let columns: Vec<&str> = columns.into_iter().chain([many]).collect();
    block.table("", &columns, rows);
    if let Some(found) = CLOCKS[0].1.and_then(of) {
        block.say(format!("published: {}; a JVM on a machine without a name", found.serial.article.cited()));
    }
    block
}

#[cfg(test)]
mod tests {
    use chronoscope_harness::record::study::{Difference, Parameter};

    use super::*;
    use crate::synthetic::{assert_pages, cell, comparison, interval, record};

    /// A record where reads take 25 ns, a release so long per thread, one of the control so much of that, and one of threads that run so
    /// long.
    fn made_up(released_ns: f64, control_share: f64, running_ns: f64) -> StudyRecord {
        let mut made = record(&[0], &[1]);
        made.content.study.plan.parameters = vec![Parameter { name: RELEASED.into(), values: vec!["100".into()] }];
        let mut empty = cell(CONTROL, 0, 1, [0.3; 4]);
        (empty.time_ns, empty.below_ns) = (None, Some(0.5));
        made.content.study.cells.push(empty);
        made.content.study.cells.push(cell(&released(CONTROL), 0, 1, [released_ns * control_share * 100.0; 4]));
        made.content.study.cells.push(cell(&running(CONTROL), 0, 1, [running_ns * 100.0; 4]));
        for (clock, _) in CLOCKS {
            let cells = [cell(clock, 0, 1, [25.0; 4]), cell(&released(clock), 0, 1, [released_ns * 100.0; 4])];
            made.content.study.cells.extend(cells);
            let mut compared =
                comparison(&released(clock), &released(CONTROL), 1, &[(0, interval(1.0, 0.1), Difference::Same)]);
            compared.points[0].ratio = interval(1.0 / control_share, 0.01);
            made.content.study.comparisons.push(compared);
        }
        made
    }

    #[test]
    fn every_kind_of_record_has_its_page() {
        let pages = vec![
            ("the control explains it", made_up(40_000.0, 0.98, 3_920.0)),
            ("the control takes less", made_up(40_000.0, 0.3, 12_000.0)),
            ("threads that run are in each other's way", made_up(40_000.0, 0.98, 100_000.0)),
            ("nothing was measured", record(&[0], &[1])),
        ];
        assert_pages("thread_release", conclude, pages);
    }
}
