//! Every way to pause that is compared.

use std::time::{Duration, Instant};

use chronoscope_clock::pause::{self, Pauser, TimeSlice, TimerSlack};

use crate::crew::{Order, Way};
use crate::pauses::take;

pub(crate) const BARE_SLEEP: &str = "nanosleep, slack 1 ns";
pub(crate) const PAUSER: &str = "Pauser";

/// A margin of spin_sleep that suits the least timer slack.
const TUNED_NS: u32 = 20_000;
const SLICE: Duration = Duration::from_micros(100);
const LEAST_SLACK: Duration = Duration::from_nanos(1);

fn way<R: 'static, Pause: FnMut(Duration) -> R + 'static>(
    name: &'static str,
    make: impl FnOnce() -> Pause + Send + 'static,
) -> Way {
    Way::start(name, move || {
        let mut pause = make();
        move |order: Order| take(order, &mut pause)
    })
}

/// `pause`, with what `set` sets for the thread kept as it is.
fn with<Kept: 'static>(name: &'static str, set: fn() -> Kept, pause: impl FnMut(Duration) + Send + 'static) -> Way {
    way(name, move || {
        let (kept, mut pause) = (set(), pause);
        move |length| {
            let _kept = &kept;
            pause(length);
        }
    })
}

fn least_slack() -> impl Sized {
    TimerSlack::set(LEAST_SLACK)
}

fn with_pauser<Kept: 'static>(name: &'static str, set: fn() -> Kept) -> Way {
    way(name, move || {
        let (kept, mut pauser) = (set(), Pauser::new());
        pauser.calibrate();
        move |length| {
            let _kept = &kept;
            pauser.pause(length)
        }
    })
}

pub(crate) fn all() -> Vec<Way> {
    let tuned = spin_sleep::SpinSleeper::new(TUNED_NS).with_spin_strategy(spin_sleep::SpinStrategy::SpinLoopHint);
    vec![
        way("std::thread::sleep", || std::thread::sleep),
        with(BARE_SLEEP, least_slack, std::thread::sleep),
        way("tokio::time::sleep", || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
            move |length| {
                if let Ok(runtime) = &runtime {
                    // Within the runtime: a sleep is made where its timer is.
                    runtime.block_on(async { tokio::time::sleep(length).await });
                }
            }
        }),
        way("spin_sleep, default", || |length| spin_sleep::SpinSleeper::default().sleep(length)),
        with("spin_sleep, 20 µs, hint, slack 1 ns", least_slack, move |length| tuned.sleep(length)),
        way("spin on Instant", || {
            |length| {
                let start = Instant::now();
                while start.elapsed() < length {
                    std::hint::spin_loop();
                }
            }
        }),
        way("pause::spin", || |length| pause::spin(length)),
        way("pause::sleep", || |length| pause::sleep(length)),
        with_pauser(PAUSER, || ()),
        with_pauser("Pauser, slice 100 µs", || TimeSlice::request(SLICE)),
    ]
}
