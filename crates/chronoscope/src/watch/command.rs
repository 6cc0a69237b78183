use std::process::ExitCode;
use std::time::Duration;

use chronoscope_bench::{Failure, Format, Interrupt, page_width, print_to_reader};
use chronoscope_harness::Start as Process;
use chronoscope_harness::finding::{Finding, Kind};

use super::alarm::{Alarm, Woken, is_output_open};
use super::budget::Budget;
use super::detect::{Detectors, KINDS};
use super::entry::{Entry, Event, Start, Summary, unavailable, utc};
use super::log::Log;
use super::look::{Looker, cpu_ns, hostname, monotonic_ns};
use super::options::Options;
use super::sample::Sample;
use super::view;
use crate::command::study_run::tool;
use crate::plan::within;
use crate::standalone::Standalone;

/// The time between looks, and the time of a watch.
const EVERY: (Duration, Duration) = (Duration::from_millis(10), Duration::from_secs(3600));
const LENGTHS: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(365 * 24 * 3600));

impl Standalone for Options {
    fn kinds() -> Vec<&'static Kind> {
        KINDS.iter().collect()
    }

    /// Watches until the time is over, somebody stops it, or nobody listens.
    fn run(&self, process: &Process) -> Result<ExitCode, Failure> {
        within(self.every, EVERY, "--every")?;
        self.length.map(|length| within(length, LENGTHS, "--for")).transpose()?;
        let log = self.log.as_deref().map(Log::open).transpose()?;
        let mut watch = Watch {
            output: Output { format: self.format, log, is_read: true },
            summary: Summary { events: KINDS.iter().map(|kind| (kind.id, 0)).collect(), ..Summary::default() },
            detectors: Detectors::allowing(Looker::slewed_apart_ppm()),
            last_ns: None,
        };
        let interrupt = Interrupt::listen();
        // Before the first look, so that no setting of the clock after it goes unnoticed.
        let mut alarm = Alarm::new();
        let began_ns = monotonic_ns();
        let budget = Budget::new(self.every, began_ns, cpu_ns());
        let mut looker = Looker::new(process.allowed_cpus());
        let first = looker.look(None);
        watch.output.say(&Entry::Start(at_start(self, &first)), true)?;
        watch.sees(&first)?;
        let end_ns = self.length.map_or(u64::MAX, |length| began_ns.saturating_add(nanos(length)));
        let mut last_began_ns = first.monotonic_ns;
        let mut is_over = false;
        while !is_over {
            let due_ns = budget.next_ns(last_began_ns, cpu_ns().saturating_sub(looker.rationed_cpu_ns())).min(end_ns);
            let woken = alarm.wait_until(due_ns, || interrupt.happened());
            watch.output.is_read &= is_output_open();
            let sample = looker.look((woken != Woken::Stopped).then_some(due_ns));
            watch.sees(&sample)?;
            last_began_ns = sample.monotonic_ns;
            watch.summary.stopped = woken == Woken::Stopped;
            is_over = watch.summary.stopped || last_began_ns >= end_ns || watch.output.is_lost();
        }
        let is_logged = watch.ends(began_ns, last_began_ns)?;
        Ok(ExitCode::from(u8::from(!is_logged)))
    }
}

fn nanos(of: Duration) -> u64 {
    u64::try_from(of.as_nanos()).unwrap_or(u64::MAX)
}

fn millis(of: Duration) -> u64 {
    u64::try_from(of.as_millis()).unwrap_or(u64::MAX)
}

fn at_start(options: &Options, first: &Sample) -> Start {
    Start {
        at: utc(first.utc_ns),
        monotonic_ns: first.monotonic_ns,
        tool: tool(),
        hostname: hostname(),
        every_ms: millis(options.every),
        for_ms: options.length.map(millis),
        clocksource: first.clocksource.value().cloned(),
        is_synchronised: first.kernel.value().map(|kernel| kernel.is_synchronised()),
        unavailable: unavailable(first),
    }
}

/// A watch in progress.
struct Watch {
    output: Output,
    summary: Summary,
    detectors: Detectors,
    last_ns: Option<u64>,
}

impl Watch {
    fn sees(&mut self, sample: &Sample) -> Result<(), Failure> {
        self.summary.looks += 1;
        let since = self.last_ns.replace(sample.monotonic_ns).map(|last| sample.monotonic_ns.saturating_sub(last));
        self.summary.longest_between_looks_ns = self.summary.longest_between_looks_ns.max(since);
        self.detectors.look(sample).into_iter().try_for_each(|finding| self.tell(sample, finding))
    }

    fn tell(&mut self, sample: &Sample, finding: Finding) -> Result<(), Failure> {
        let id = KINDS.iter().find(|kind| finding.is(**kind)).map(|kind| kind.id);
        let times = id.and_then(|id| self.summary.events.get_mut(id));
        let is_first = times.is_some_and(|times| {
            *times += 1;
            *times == 1
        });
        self.output.say(&Entry::Event(Event::new(sample, finding)), is_first)
    }

    /// Whether the log holds all of it.
    fn ends(mut self, began_ns: u64, ended_ns: u64) -> Result<bool, Failure> {
        let (passed_ns, cpu_ns) = (ended_ns.saturating_sub(began_ns), cpu_ns());
        let summary = Summary {
            at: utc(chronoscope_sources::os::try_read_ns(chronoscope_sources::os::OsClock::Realtime).unwrap_or(0)),
            monotonic_ns: ended_ns,
            elapsed_ms: passed_ns / 1_000_000,
            cpu_ms: cpu_ns as f64 / 1e6,
            cpu_share: cpu_ns as f64 / passed_ns.max(1) as f64,
            reason_log_ended: self.output.log.as_ref().and_then(|log| log.reason_ended.clone()),
            ..self.summary
        };
        self.output.say(&Entry::Summary(summary), true)?;
        Ok(self.output.log.is_none_or(|log| log.reason_ended.is_none()))
    }
}

/// Where lines go.
struct Output {
    format: Format,
    log: Option<Log>,
    /// Whether anybody reads standard output.
    is_read: bool,
}

impl Output {
    fn say(&mut self, entry: &Entry, with_advice: bool) -> Result<(), Failure> {
        let line = serde_json::to_string(entry);
        let line = line.map_err(|error| Failure::run(format!("could not write an event as JSON: {error}")))?;
        if let Some(log) = &mut self.log {
            log.write(&line);
        }
        let text = match (self.format, entry) {
            (Format::Json, _) => format!("{line}\n"),
            (Format::Human, Entry::Start(start)) => view::start(start, page_width()),
            (Format::Human, Entry::Event(event)) => view::event(event, with_advice, page_width()),
            (Format::Human, Entry::Summary(summary)) => view::summary(summary, page_width()),
        };
        self.is_read = self.is_read && print_to_reader(&text)?;
        Ok(())
    }

    /// Whether nobody would know of another event.
    fn is_lost(&self) -> bool {
        !self.is_read && self.log.as_ref().is_none_or(|log| log.reason_ended.is_some())
    }
}
