//! What a first-use process does: it stamps the entry of `main`, makes one call, and prints what that took.
//!
//! Each process links one library at most, since some of them work before `main` in every program that links them.

#[path = "monotonic.rs"]
mod monotonic;

use monotonic::monotonic_ns;

/// Prints `CLOCK_MONOTONIC` at the entry of `main`, and the length of the first and the second `call`, in nanoseconds.
pub(crate) fn report<T>(call: impl Fn() -> T) {
    // Also touches the pages of the system's clock, which are not to be counted to the library.
    let entered_ns = monotonic_ns();
    let time_one = || {
        let begun_ns = monotonic_ns();
        std::hint::black_box(call());
        monotonic_ns() - begun_ns
    };
    let (first_ns, second_ns) = (time_one(), time_one());
    println!("{entered_ns} {first_ns} {second_ns}");
}
