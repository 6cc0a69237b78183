//! Sandboxes that refuse system calls: what needs them says so, and the rest is measured.
#![cfg(target_os = "linux")]

use std::process::{Command, Stdio};
use std::thread;

use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, apply_filter};
use serde_json::Value;

/// What a check prints where `calls` fail with `errno`: its document, which must be whole, as text.
fn checked_without(calls: &[i64], errno: i32, arguments: &[&str]) -> (Value, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chronoscope"));
    command.args(arguments).args(["--quick", "--format", "json"]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let rules = calls.iter().map(|call| (*call, Vec::new())).collect();
    let architecture = std::env::consts::ARCH.try_into().unwrap();
    let refuse = SeccompAction::Errno(errno.cast_unsigned());
    let filter: BpfProgram =
        SeccompFilter::new(rules, SeccompAction::Allow, refuse, architecture).unwrap().try_into().unwrap();
    // The filter is the thread's, and that of what it starts.
    let start = move || {
        apply_filter(&filter).unwrap();
        command.spawn().unwrap()
    };
    let output = thread::spawn(start).join().unwrap().wait_with_output().unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {complaint}", output.status);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(!(text.clone() + &complaint).contains("panicked"), "{text}{complaint}");
    (serde_json::from_str(&text).unwrap(), text)
}

fn has_latencies(record: &Value) -> bool {
    let clocks = record["content"]["sections"]["clocks"]["report"]["clocks"].as_array().unwrap();
    clocks.iter().any(|clock| clock["latency_ns"]["estimate"].is_number())
}

#[test]
fn without_the_affinity_of_threads_the_kernels_list_tells_the_cpus() {
    for errno in [libc::EPERM, libc::ENOSYS] {
        let (record, text) = checked_without(&[libc::SYS_sched_getaffinity], errno, &["check"]);
        assert!(has_latencies(&record), "{text}");
        let allowed = record["machine"]["cpu"]["allowed"].as_array().unwrap_or_else(|| panic!("{}", record["machine"]));
        assert!(!allowed.is_empty());
        assert!(!text.contains("cannot tell which CPUs"), "{text}");
    }
}

#[test]
fn threads_that_may_not_be_bound_are_measured_where_they_are() {
    for errno in [libc::EPERM, libc::ENOSYS] {
        let (record, text) = checked_without(&[libc::SYS_sched_setaffinity], errno, &["check"]);
        assert!(has_latencies(&record) && text.contains("sched_setaffinity to CPU"), "{text}");
        assert!(text.contains("was refused"), "{text}");
    }
}

#[test]
fn where_nothing_may_sleep_whatever_does_not_sleep_is_measured() {
    for errno in [libc::EPERM, libc::ENOSYS] {
        let sleeps = [libc::SYS_clock_nanosleep, libc::SYS_nanosleep];
        let (record, text) = checked_without(&sleeps, errno, &["check"]);
        assert!(has_latencies(&record), "{text}");
        let (_, text) = checked_without(&sleeps, errno, &["pauses"]);
        assert!(text.contains("clock_nanosleep was refused"), "{text}");
        assert!(text.contains("\"spin\""), "{text}");
        for command in ["hiccups", "causality", "sync"] {
            checked_without(&sleeps, errno, &[command]);
        }
    }
}
