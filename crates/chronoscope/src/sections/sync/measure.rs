//! Queries every source, while the clocks run.

use std::path::Path;
use std::time::{Duration, Instant};

use super::discipline::chronyd_only_watches;
use super::kernel::{self, Kernel};
use super::plan::{SYNC, SyncPlan};
use super::report::SyncReport;
use super::slew::{self, Declared, Slew};
use super::step::{self, WallStep};
use super::{bound, chrony, daemon, discipline, ptp, timesyncd};
use crate::engine::session::Session;
use crate::engine::stages::{Found, needs_linux};
use crate::program_path;
use chronoscope_harness::record::Known;
use chronoscope_sources::os::OsClock;

const CHRONYC: &str = "chronyc";
/// Time between checks for an interrupt.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Runs in the coordinator: nothing here benefits from a separate worker.
pub fn run(session: &mut Session<'_>, plan: &SyncPlan) -> Found<Option<SyncReport>> {
    needs_linux("the wall clock's discipline is examined, so far,")?;
    let over_ms = plan.over_ms.unwrap_or_else(|| session.budget_ms(SYNC));
    let report = observe(|| watch(session, Duration::from_millis(over_ms)));
    Ok((Some(report), session.uninterrupted(" while observing the clocks")))
}

/// Waits this long, or until the run is stopped.
fn watch(session: &mut Session<'_>, over: Duration) {
    let began = Instant::now();
    while began.elapsed() < over && !session.observer.cancelled() {
        session.goes_on(SYNC, began.elapsed().div_duration_f64(over));
        chronoscope_harness::rest(LOOK_EVERY.min(over.saturating_sub(began.elapsed())));
    }
}

/// The answers of all sources, and both clocks before and after `wait`. Changes nothing.
pub fn observe(wait: impl FnOnce()) -> SyncReport {
    let root = Path::new("/");
    let kernel_at_start = kernel::read();
    let now = || {
        let wall = slew::between(OsClock::Monotonic, OsClock::Realtime);
        (wall, slew::between(OsClock::MonotonicRaw, OsClock::Monotonic))
    };
    let (wall_at_start, slewed_at_start) = now();
    let daemons = daemon::read(root);
    let timesyncd = timesyncd::read(root);
    let tai_offset_s = kernel_at_start.value().and_then(|kernel| kernel.tai_offset_s);
    let ptp = ptp::read(root, tai_offset_s);
    wait();
    let (wall_at_end, slewed_at_end) = now();
    // Both at once: the difference of their corrections is the current slew of an offset.
    let chrony = match program_path::program(CHRONYC) {
        Some(program) => chrony::read(&program),
        None => Known::Unavailable(format!("{CHRONYC} is not installed")),
    };
    let kernel = kernel::read();
    let discipline = discipline::conclude(&kernel, &chrony, &daemons);
    let steering = chrony.value().filter(|chrony| chrony.is_synchronised() && !chronyd_only_watches(&daemons));
    let stepped = wall_at_start.and_then(|start| step::step(start, wall_at_end?));
    SyncReport {
        bound: bound::conclude(&discipline, &kernel, &chrony),
        slew: Slew {
            declared: declared(&kernel_at_start, &kernel),
            observed: slewed_at_start.and_then(|start| slew::observed(start, slewed_at_end?)).into(),
            transient_ppm: slew::transient_ppm(&kernel, steering),
        },
        step: Known::<WallStep>::from(stepped),
        discipline,
        kernel,
        chrony,
        timesyncd,
        daemons,
        ptp,
    }
}

fn declared(start: &Known<Kernel>, end: &Known<Kernel>) -> Known<Declared> {
    start.and_then(|start| {
        end.and_then(|end| Known::Value(Declared { at_start_ppm: start.slew_ppm(), at_end_ppm: end.slew_ppm() }))
    })
}
