//! Whatever a probe says: hearing it must not panic, and what is an answer must give estimates that can be written.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let estimates = chronoscope::untrusted::heard(&String::from_utf8_lossy(bytes)).expect("estimates can be written");
    assert!(estimates.starts_with('['));
});
