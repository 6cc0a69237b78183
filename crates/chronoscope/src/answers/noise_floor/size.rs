//! How many processes measure identical operations, and for how long.

use std::time::Duration;

use chronoscope_harness::defaults::PROCESSES;

/// Time for all processes of the usual run.
pub const USUAL: Duration = Duration::from_secs(20);
/// At most so many times the usual processes: more would take a machine for longer than its state lasts.
const MOST_TIMES: u32 = 16;
/// The most processes that are started, or that are suggested.
pub const MOST_PROCESSES: u32 = MOST_TIMES * PROCESSES;

/// Processes of a run of this length: never fewer than usual, so that a short run has its confidence, and more in a longer one, since
/// a process is one draw of layout and frequency, however long it takes.
pub fn processes_in(duration: Duration) -> u32 {
    let times = duration.as_secs_f64() / USUAL.as_secs_f64();
    ((times * f64::from(PROCESSES)) as u32).clamp(PROCESSES, MOST_PROCESSES)
}

/// The length of a run of so many processes, in whole seconds.
pub fn duration_of(processes: u32) -> Duration {
    let seconds = USUAL.as_secs() * u64::from(processes);
    Duration::from_secs(seconds.div_ceil(u64::from(PROCESSES))).max(USUAL)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_of_that_length_has_at_least_as_many_processes() {
        for processes in 1..=MOST_PROCESSES {
            assert!(processes_in(duration_of(processes)) >= processes, "{processes}");
        }
        let seconds = |seconds| processes_in(Duration::from_secs(seconds));
        assert_eq!([1, 20, 40, 320, 86_400].map(seconds), [24, 24, 48, 384, 384]);
        assert_eq!(duration_of(58), Duration::from_secs(49));
    }
}
