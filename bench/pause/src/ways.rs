//! Every way to pause that is compared.

use std::time::{Duration, Instant};

use chronoscope_clock::pause::{self, Pauser, TimeSlice, TimerSlack};

use crate::crew::Worker;
use crate::pauses::{Order, take};
use crate::turns;

/// A thread that pauses in its way.
type Way = turns::Way<Order>;

pub(crate) const BARE_SLEEP: &str = "nanosleep, slack 1 ns";
pub(crate) const PAUSER: &str = "Pauser";

/// A margin of spin_sleep that suits the least timer slack.
const TUNED_NS: u32 = 20_000;
const SLICE: Duration = Duration::from_micros(100);
const LEAST_SLACK: Duration = Duration::from_nanos(1);

fn way<Pause: FnMut(Duration) + 'static>(name: &'static str, make: impl FnOnce() -> Pause + Send + 'static) -> Way {
    Worker::start(name, move || {
        let mut pause = make();
        move |order: Order| take(order, &mut pause)
    })
}

/// All of them, the peers first.
pub(crate) fn all() -> Vec<Way> {
    vec![
        way("std::thread::sleep", || std::thread::sleep),
        way(BARE_SLEEP, || {
            let slack = TimerSlack::set(LEAST_SLACK);
            move |length| {
                let _slack = &slack;
                std::thread::sleep(length);
            }
        }),
        way("tokio::time::sleep", || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
            move |length| {
                if let Ok(runtime) = &runtime {
                    // Within the runtime: a sleep is made where its timer is.
                    runtime.block_on(async { tokio::time::sleep(length).await });
                }
            }
        }),
        way("spin_sleep, default", || {
            let sleeper = spin_sleep::SpinSleeper::default();
            move |length| sleeper.sleep(length)
        }),
        way("spin_sleep, 20 µs, hint, slack 1 ns", || {
            let slack = TimerSlack::set(LEAST_SLACK);
            let sleeper =
                spin_sleep::SpinSleeper::new(TUNED_NS).with_spin_strategy(spin_sleep::SpinStrategy::SpinLoopHint);
            move |length| {
                let _slack = &slack;
                sleeper.sleep(length);
            }
        }),
        way("spin on Instant", || {
            |length| {
                let start = Instant::now();
                while start.elapsed() < length {
                    std::hint::spin_loop();
                }
            }
        }),
        way("pause::spin", || {
            |length| {
                let _ = pause::spin(length);
            }
        }),
        way("pause::sleep", || {
            |length| {
                let _ = pause::sleep(length);
            }
        }),
        way(PAUSER, || {
            let mut pauser = Pauser::new();
            pauser.calibrate();
            move |length| {
                let _ = pauser.pause(length);
            }
        }),
        way("Pauser, slice 100 µs", || {
            let slice = TimeSlice::request(SLICE);
            let mut pauser = Pauser::new();
            pauser.calibrate();
            move |length| {
                let _slice = &slice;
                let _ = pauser.pause(length);
            }
        }),
    ]
}
