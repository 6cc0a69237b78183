use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use chronoscope_harness::pin;
use chronoscope_sources::hiccups::{HiccupInterval, HiccupObserver, HiccupRecorder, Lateness};

use super::report::HiccupWay;

/// A thread that does not get to run for so long is not waited for: something keeps its CPU.
const LONGEST_START: Duration = Duration::from_secs(2);

/// Starts a thread that watches `cpu`, if given. Threads inherit the CPU of the one that starts them, so another one
/// is pinned for it.
///
/// # Errors
/// Why it could not be pinned, or not started.
pub fn start(way: HiccupWay, cpu: Option<u32>) -> Result<HiccupRecorder, String> {
    let observer = match way {
        HiccupWay::Spin => HiccupObserver::spinning(),
        HiccupWay::Sleep => HiccupObserver::sleeping(),
    };
    elsewhere(move || {
        cpu.map_or(Ok(()), |cpu| pin(&[cpu]))?;
        HiccupRecorder::start(observer).map_err(not_started)
    })?
}

/// Ends a thread that watches; what it has seen since the last time, and how late it was since it was last asked for that.
///
/// # Errors
/// If it does not get to run for long; then what it has seen is lost.
pub fn stop(recorder: HiccupRecorder) -> Result<(HiccupInterval, Lateness), String> {
    elsewhere(move || recorder.finish())
}

/// Does it on a thread of its own, which is not waited for too long.
fn elsewhere<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, String> {
    let (done, result) = mpsc::channel();
    // Nobody may listen any more.
    let work = move || drop(done.send(work()));
    thread::Builder::new().spawn(work).map_err(not_started)?;
    result
        .recv_timeout(LONGEST_START)
        .map_err(|_| format!("a thread did not get to run on it within {} s", LONGEST_START.as_secs()))
}

fn not_started(error: std::io::Error) -> String {
    format!("could not start a thread: {error}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_watcher_sees_looks_wherever_it_is() {
        for way in HiccupWay::ALL {
            let watcher = start(way, None).unwrap();
            let mut looks = 0;
            while looks < 20 {
                thread::sleep(Duration::from_millis(5));
                looks += watcher.take().histogram().len();
            }
        }
    }

    #[test]
    fn a_cpu_that_is_not_there_is_refused_with_its_number() {
        let refused = start(HiccupWay::Sleep, Some(1_023)).map(drop).unwrap_err();
        assert!(refused.contains("1023"), "{refused}");
    }

    #[test]
    fn the_pin_is_not_the_coordinators() {
        let allowed = chronoscope_harness::Start::of_this_process().allowed_cpus().to_vec();
        drop(start(HiccupWay::Sleep, allowed.first().copied()));
        assert_eq!(chronoscope_harness::Start::of_this_process().allowed_cpus(), allowed);
    }
}
