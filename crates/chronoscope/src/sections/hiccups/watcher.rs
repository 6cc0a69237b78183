use std::thread;

use chronoscope_clock::hiccups::{HiccupObserver, HiccupRecorder};
use chronoscope_harness::pin;

use super::report::HiccupWay;

/// Starts a thread that looks out, on `cpu` if given. Threads inherit the CPU of the one that starts them, so another one
/// is pinned for it.
///
/// # Errors
/// Why it could not be pinned, or not started.
pub fn start(way: HiccupWay, cpu: Option<u32>) -> Result<HiccupRecorder, String> {
    let observer = match way {
        HiccupWay::Spin => HiccupObserver::spinning(),
        HiccupWay::Sleep => HiccupObserver::sleeping(),
    };
    let not_started = |error: std::io::Error| format!("could not start a thread: {error}");
    let starter = move || {
        cpu.map_or(Ok(()), |cpu| pin(&[cpu]))?;
        HiccupRecorder::start(observer).map_err(not_started)
    };
    let starter = thread::Builder::new().spawn(starter).map_err(not_started)?;
    starter.join().unwrap_or_else(|_| Err("the thread that starts another panicked".to_owned()))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

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
