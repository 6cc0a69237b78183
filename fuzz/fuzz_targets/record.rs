//! Whatever bytes come in: reading a record must not panic, and what reads as a record must render in every way.
#![no_main]

use chronoscope_report::View;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    // A record is text; what is not UTF-8 never reaches the parser.
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(record) = chronoscope_report::parse(text) {
        for view in View::ALL {
            let _ = chronoscope_report::terminal(&record, view);
        }
        let _ = chronoscope_report::json(&record);
    }
});
