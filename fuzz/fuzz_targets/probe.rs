//! Whatever a probe says: hearing it must not panic, and what is an answer must give estimates that can be written and shown.
#![no_main]

use chronoscope_measure::estimate::{self, CountedCalls, Fork, NativeRounds};
use chronoscope_measure::record::{Disturbance, RuntimeKind};
use chronoscope_measure::runtime::Answer;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut answer = Answer::default();
    // What came before a fault is used as well: a process may be ended in the middle.
    for line in String::from_utf8_lossy(bytes).lines() {
        if answer.hear(line).is_err() {
            break;
        }
    }
    let forks = [Fork { round: 0, answer: answer.clone() }, Fork { round: 1, answer }];
    let counted = (&forks[0].answer, &CountedCalls::new());
    let clocks = estimate::runtime_clocks(RuntimeKind::Java, &forks, Some(counted), &NativeRounds::new());
    let text = serde_json::to_string(&clocks).expect("estimates can be written");
    assert!(text.starts_with('['));
    let _ = estimate::runtime_loop(&forks);
    let _ = estimate::runtime_pause(&forks, true);
    let _ = estimate::runtime_latch(&forks, 100, Disturbance::default());
});
