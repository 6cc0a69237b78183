//! A process stopped and continued at any moment, for as long as it takes.

use core::sync::atomic::Ordering::Relaxed;
use core::time::Duration;
use std::{assert_eq, println, thread};

use super::check::check_reads;
use super::child::{Child, Ended};
use super::fresh::in_fresh_process;
use super::here;
use super::shared::Shared;
use crate::Clock;

const STOPS: u64 = 50;
const READERS: usize = 3;

#[test]
fn a_stopped_process_goes_on_with_the_right_time() {
    in_fresh_process(here!(a_stopped_process_goes_on_with_the_right_time), || {
        let shared = Shared::new();
        let is_over = shared.number(READERS);
        let checks = || [0, 1, 2].map(|reader| shared.number(reader).load(Relaxed));
        let child = Child::running(|| {
            thread::scope(|scope| {
                let readers = [0, 1, 2].map(|reader| {
                    let checks = shared.number(reader);
                    scope.spawn(move || {
                        while is_over.load(Relaxed) == 0 {
                            // Whoever sees something wrong ends the others too.
                            check_reads().inspect_err(|_| is_over.store(1, Relaxed))?;
                            if reader == 0 {
                                Clock::warm_up();
                            }
                            checks.fetch_add(1, Relaxed);
                        }
                        Ok(())
                    })
                });
                readers.into_iter().try_for_each(|reader| reader.join().expect("no panic"))
            })
        });
        for stop in 0..STOPS {
            let before = checks();
            // Everybody has read since the last one.
            while is_over.load(Relaxed) == 0 && checks().iter().zip(before).any(|(now, before)| *now == before) {
                thread::sleep(Duration::from_micros(500));
            }
            child.send(libc::SIGSTOP);
            child.wait_for_stop();
            thread::sleep(Duration::from_millis(1 + stop % 5));
            child.send(libc::SIGCONT);
        }
        is_over.store(1, Relaxed);
        let ended = child.end();
        println!("{STOPS} stops within {:?} checks", checks());
        assert_eq!(ended, Ended::Well);
    });
}
