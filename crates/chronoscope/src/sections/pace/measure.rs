//! Keeps a pace, on this process's own thread, and says how well it was kept.

use super::rules::RULES;
use chronoscope_harness::rule::conclude;
use std::ffi::OsString;
use std::sync::OnceLock;
use std::time::Duration;

use chronoscope_clock::os::{self, OsClock};
use chronoscope_clock::pacer::{self, Behind, PaceRecord, Pacer, Poisson};
use chronoscope_clock::pause::{Cancel, Pauser};
use chronoscope_clock::{Clock, Instant, Now};

pub use super::consumer::ConsumerError;
use super::consumer::{Consumer, Pipe};
use super::seen;
use crate::document::Record;
use crate::plan::Plan;
use crate::registry::Sections;
use crate::sections::pace::report::Pace;
use chronoscope_harness::Start;
use chronoscope_harness::record::Tool;

/// What its document says was run.
const COMMAND: &str = "pace";
/// The stall comes when so much of the time is over.
const STALL_AT: f64 = 0.25;
/// How often the observer is asked.
const LOOK: Duration = Duration::from_millis(50);
/// A program that has not taken all events so long after the time is over is ended.
pub const OVERDUE: Duration = Duration::from_secs(2);
/// From the making of the schedule to its zero: the pauser learns first.
const LEAD: Duration = Duration::from_millis(1);

/// What to do.
#[derive(Clone, Debug)]
pub struct PaceWish {
    /// The rate.
    pub pace: pacer::Pace,
    /// For how long.
    pub length: Duration,
    /// What becomes of late events.
    pub behind: Behind,
    /// Events at random times of that rate, by this seed.
    pub poisson: Option<u64>,
    /// How long the handling of one event takes longer.
    pub stall: Option<Duration>,
    /// Whether to ask for the real-time policy.
    pub real_time: bool,
    /// The program that gets a line for each event; empty for none.
    pub command: Vec<OsString>,
}

/// Keeps the pace that `wish` asks for. `observe` is told which share of the time is over, on another thread, and says whether
/// to stop.
///
/// # Guarantees
/// What was seen until a stop, or until the consumer ended, is in the record. No process is left behind.
///
/// # Errors
/// [`ConsumerError`] where the program could not be started.
pub fn pace(
    start: &Start,
    wish: &PaceWish,
    tool: Tool,
    observe: impl FnMut(f64) -> bool + Send,
) -> Result<Record, ConsumerError> {
    let began = std::time::Instant::now();
    let started_at = humantime::format_rfc3339_seconds(std::time::SystemTime::now()).to_string();
    let machine = chronoscope_harness::machine::identify(start.counter_access(), start.allowed_cpus());
    let consumer = Consumer::start(&wish.command)?;
    let length = wish.length;
    let (paced, interrupted) = match wish.poisson {
        None => watched(wish, wish.pace.schedule().before(length), consumer, observe),
        Some(seed) => {
            let schedule = Poisson::new(wish.pace, seed).take_while(move |at| *at < length);
            watched(wish, schedule, consumer, observe)
        }
    };
    let elapsed_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    let mut record = Record::new(COMMAND, tool, machine, Plan::default(), Sections::default());
    (record.started_at, record.elapsed_ms, record.interrupted) = (started_at, elapsed_ms, interrupted);
    record.findings = conclude(RULES, &paced);
    record.pace = Some(paced);
    Ok(record)
}

/// Keeps the pace while another thread asks the observer.
fn watched(
    wish: &PaceWish,
    schedule: impl Iterator<Item = Duration> + Clone,
    consumer: Consumer,
    mut observe: impl FnMut(f64) -> bool + Send,
) -> (Pace, bool) {
    let (cancel, over) = (Cancel::new(), Cancel::new());
    let killer = consumer.killer();
    // When the last event is intended at the latest: known once the pauser has learnt.
    let planned_end = OnceLock::<Instant>::new();
    std::thread::scope(|scope| {
        let (stop, over, planned_end) = (&cancel, &over, &planned_end);
        let watch = scope.spawn(move || {
            let began = Instant::now();
            let mut pauser = Pauser::new();
            while !pauser.pause_or(LOOK, over).cancelled {
                let elapsed = began.elapsed();
                if planned_end.get().is_some_and(|end| Instant::now() > end.saturating_add(OVERDUE)) {
                    // It may read no more, and events would be handed to it for ever.
                    killer.kill_overdue();
                }
                if observe(elapsed.as_secs_f64() / wish.length.as_secs_f64().max(f64::MIN_POSITIVE)) {
                    stop.cancel();
                    // It may wait for a consumer that reads no more.
                    killer.kill();
                    return true;
                }
            }
            false
        });
        let paced = keep(wish, schedule, consumer, &cancel, planned_end);
        over.cancel();
        (paced, watch.join().unwrap_or(false))
    })
}

fn keep(
    wish: &PaceWish,
    schedule: impl Iterator<Item = Duration> + Clone,
    mut consumer: Consumer,
    cancel: &Cancel,
    planned_end: &OnceLock<Instant>,
) -> Pace {
    let mut pauser = Pauser::with_target(pacer::TARGET);
    let real_time = wish.real_time.then(|| pauser.enter_real_time());
    pauser.calibrate();
    let mut record = PaceRecord::new();
    let start = pauser.timer().now() + LEAD;
    let length = wish.length;
    let _ = planned_end.set(start.saturating_add(length));
    let mut pacer = Pacer::starting_at(start, schedule, wish.behind, pauser);
    let mut stall = wish.stall.map(|stall| (start + length.mul_f64(STALL_AT), stall));
    let cpu_ns = || os::try_read_ns(OsClock::ThreadCpuTime).ok();
    let (cpu_before, began) = (cpu_ns(), Instant::now());
    let mut ends: Option<(Instant, Instant)> = None;
    let mut reason_ended = None;
    let error_before = Clock::or_system().trust().error_bound;
    pacer.worked(Duration::ZERO);
    while let Some(slot) = pacer.next_slot_or(cancel) {
        if let Err(reason) = consumer.take(&slot) {
            reason_ended = (!cancel.is_cancelled()).then_some(reason);
            break;
        }
        // An event that is handed over ends with that, whatever the program makes of it.
        let handed_over = consumer.is_there().then(|| pacer.finish(&slot));
        let stalled = stall.take_if(|(at, _)| slot.intended >= *at).map(|(_, stall)| std::thread::sleep(stall));
        let times = handed_over.unwrap_or_else(|| pacer.finish(&slot));
        // Where nothing was done, nothing is late by what was done.
        let work = match (stalled, handed_over) {
            (Some(()), _) => pacer.finish(&slot).service,
            (None, Some(times)) => times.service,
            (None, None) => Duration::ZERO,
        };
        pacer.worked(work);
        record.add(&slot, times);
        // A late first event is lateness, and no other rate.
        let first = ends.map_or(slot.intended, |(first, _)| first);
        ends = Some((first, slot.started));
    }
    let (cpu_after, wall) = (cpu_ns(), began.elapsed());
    let handed_over = consumer.is_there().then(|| Instant::now().duration_since(start));
    let pipe = if reason_ended.is_none() && !cancel.is_cancelled() { consumer.pipe() } else { Pipe::default() };
    let command_killed = consumer.finish();
    let cpu = cpu_before.zip(cpu_after).map(|(before, after)| after.saturating_sub(before));
    let cpu_share = cpu.map(|ns| (ns as f64 / wall.as_nanos().max(1) as f64).min(1.0));
    let reason_no_real_time = real_time.as_ref().and_then(|asked| asked.as_ref().err()).map(ToString::to_string);
    seen::pace(
        wish,
        &record,
        ends,
        seen::Surroundings {
            cpu_share,
            real_time: matches!(real_time, Some(Ok(()))),
            reason_no_real_time,
            reason_ended,
            pipe,
            handed_over,
            clock_error: Clock::or_system().trust().error_bound.max(error_before),
            command_killed,
        },
    )
}
