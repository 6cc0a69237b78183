//! Whatever bytes come in: reading a document of any kind must not panic, and what reads as one must render in every way.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    // A document is text; what is not UTF-8 never reaches the parser.
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = chronoscope::untrusted::shown(text);
    }
});
