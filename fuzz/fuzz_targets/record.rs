//! Whatever bytes come in: reading a record of any kind must not panic, and what reads as one must render in every way.
#![no_main]

use chronoscope_report::study::{self, Detail};
use chronoscope_report::{Document, View, document};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    // A record is text; what is not UTF-8 never reaches the parser.
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match document(text) {
        Ok(Document::Check(record)) => {
            for view in View::ALL {
                let _ = chronoscope_report::terminal(&record, view);
            }
            let _ = chronoscope_report::json(&record);
        }
        Ok(Document::Study(record)) => {
            for detail in [Detail::Usual, Detail::Full] {
                let _ = study::terminal(&record, detail);
            }
            let _ = study::html(&record);
            let _ = study::json(&record);
        }
        Ok(Document::Pace(run)) => {
            let _ = chronoscope_report::pace(&run);
            let _ = chronoscope_report::pace_json(&run);
        }
        Err(error) => drop(error.to_string()),
    }
});
