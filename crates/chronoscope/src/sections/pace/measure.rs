//! Keeps a pace on this process's own thread and measures how well.

use super::rules::RULES;
use chronoscope_harness::rule::conclude;
use std::time::Duration;

use chronoscope_clock::pacer::{self, PaceRecord, Pacer, Poisson};
use chronoscope_clock::pause::{Cancel, Pauser};
use chronoscope_clock::{Clock, Instant, Now};
use chronoscope_sources::os::{self, OsClock};

use super::estimate;
use super::plan::PacePlan;
use crate::document::{Content, Record};
use crate::sections::pace::report::Pace;
use chronoscope_harness::Start;
use chronoscope_harness::estimators::peaks::Peaks;
use chronoscope_harness::record::Tool;

/// The `command` in its document.
const COMMAND: &str = "pace";
/// The share of the time after which the stall occurs.
const STALL_AT: f64 = 0.25;
/// How often the observer is called.
const LOOK: Duration = Duration::from_millis(50);
/// Time from creating the schedule to its zero: the pauser learns first.
const LEAD: Duration = Duration::from_millis(1);

/// Keeps the pace in `plan`. On another thread, `observe` receives the completed share of the time and returns whether
/// to stop.
///
/// # Guarantees
/// The record includes everything up to a stop.
pub fn pace(start: &Start, plan: &PacePlan, tool: Tool, observe: impl FnMut(f64) -> bool + Send) -> Record {
    let began = std::time::Instant::now();
    let machine = chronoscope_harness::machine::identify(start.counter_access(), start.allowed_cpus());
    let mut record = Record::new(COMMAND, tool, machine, Content::default());
    let length = plan.length;
    let (paced, interrupted) = match plan.poisson {
        None => watched(plan, plan.pace.schedule().before(length), observe),
        Some(seed) => {
            let schedule = Poisson::new(plan.pace, seed).take_while(move |at| *at < length);
            watched(plan, schedule, observe)
        }
    };
    record.elapsed_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    record.interrupted = interrupted;
    record.findings = conclude(RULES, &paced);
    record.content.pace = Some(paced);
    record
}

/// Keeps the pace while another thread calls the observer.
fn watched(
    plan: &PacePlan,
    schedule: impl Iterator<Item = Duration> + Clone,
    mut observe: impl FnMut(f64) -> bool + Send,
) -> (Pace, bool) {
    let (cancel, over) = (Cancel::new(), Cancel::new());
    std::thread::scope(|scope| {
        let (stop, over) = (&cancel, &over);
        // Without it nobody sees how far it is, nor can stop it.
        let watch = std::thread::Builder::new().spawn_scoped(scope, move || {
            let began = Instant::now();
            let mut pauser = Pauser::new();
            while !pauser.pause_or(LOOK, over).cancelled {
                let elapsed = began.elapsed();
                if observe(elapsed.as_secs_f64() / plan.length.as_secs_f64().max(f64::MIN_POSITIVE)) {
                    stop.cancel();
                    return true;
                }
            }
            false
        });
        let paced = keep(plan, schedule, &cancel);
        over.cancel();
        (paced, watch.is_ok_and(|watch| watch.join().unwrap_or(false)))
    })
}

fn keep(plan: &PacePlan, schedule: impl Iterator<Item = Duration> + Clone, cancel: &Cancel) -> Pace {
    let mut pauser = Pauser::with_target(pacer::TARGET);
    let real_time = plan.real_time.then(|| pauser.enter_real_time());
    pauser.calibrate();
    let mut record = PaceRecord::new();
    let start = pauser.timer().now() + LEAD;
    let length = plan.length;
    let mut pacer = Pacer::starting_at(start, schedule, plan.behind, pauser);
    let mut stall = plan.stall.map(|stall| (start + length.mul_f64(STALL_AT), stall));
    let cpu_ns = || os::try_read_ns(OsClock::ThreadCpuTime).ok();
    let (cpu_before, began) = (cpu_ns(), Instant::now());
    let mut ends: Option<(Instant, Instant)> = None;
    let (error_before, clock_step) = (Clock::or_system().trust().error_bound, Clock::or_system().reading().step());
    // Nothing is allocated while events are due.
    let mut latest = Peaks::within(length, Duration::from_nanos(1));
    pacer.worked(Duration::ZERO);
    while let Some(slot) = pacer.next_slot_or(cancel) {
        let stalled = stall.take_if(|(at, _)| slot.intended >= *at).map(|(_, stall)| chronoscope_harness::rest(stall));
        let times = pacer.finish(&slot);
        // Without work, no lateness can be due to work.
        pacer.worked(stalled.map_or(Duration::ZERO, |()| times.service));
        record.add(&slot, times);
        let late_ns = u64::try_from(slot.late.total.as_nanos()).unwrap_or(u64::MAX);
        latest.add(slot.intended.saturating_duration_since(start), late_ns, estimate::main_cause(&slot.late));
        // A late first event is lateness, not another rate.
        let first = ends.map_or(slot.intended, |(first, _)| first);
        ends = Some((first, slot.started));
    }
    let (cpu_after, wall) = (cpu_ns(), began.elapsed());
    let clock_error = Clock::or_system().trust().error_bound.max(error_before);
    let cpu_ns = cpu_before.zip(cpu_after).map(|(before, after)| after.saturating_sub(before));
    let reason_no_real_time = real_time.as_ref().and_then(|asked| asked.as_ref().err()).map(ToString::to_string);
    Pace {
        real_time: matches!(real_time, Some(Ok(()))),
        reason_no_real_time,
        over_time: estimate::over_time(&latest, record.lateness()),
        cpu_share: cpu_ns.map(|ns| (ns as f64 / wall.as_nanos().max(1) as f64).min(1.0)),
        ..estimate::pace(plan, &record, ends, estimate::PaceClock { error: clock_error, step: clock_step })
    }
}
