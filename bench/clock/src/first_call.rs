//! What a first-use process does: it stamps the entry of `main`, makes one call, and prints what that took.
//!
//! Each process links one library at most, since some of them work before `main` in every program that links them.
#![allow(unsafe_code)]

#[path = "monotonic.rs"]
mod monotonic;

use monotonic::monotonic_ns;

// The linker's names of the list of functions that run before `main`.
unsafe extern "C" {
    static __init_array_start: usize;
    static __init_array_end: usize;
}

/// Prints `CLOCK_MONOTONIC` at the entry of `main`, the length of the first and the second `call`, in nanoseconds, and how
/// many functions ran before `main`.
pub(crate) fn report<T>(call: impl Fn() -> T) {
    // Also touches the pages of the system's clock, which are not to be counted to the library.
    let entered_ns = monotonic_ns();
    let time_one = || {
        let begun_ns = monotonic_ns();
        std::hint::black_box(call());
        monotonic_ns() - begun_ns
    };
    let (first_ns, second_ns) = (time_one(), time_one());
    let constructors =
        ((&raw const __init_array_end).addr() - (&raw const __init_array_start).addr()) / size_of::<usize>();
    println!("{entered_ns} {first_ns} {second_ns} {constructors}");
}
