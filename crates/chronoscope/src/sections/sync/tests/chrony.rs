use std::path::Path;

use proptest::prelude::*;

use super::super::chrony::{parse, read};
use super::*;

/// As chronyd 4.3 wrote it, while it watched a server on the same machine.
const FOLLOWS: &str = "7F000001,127.0.0.1,11,1795344991.165188407,-0.000000878,-0.000000053,0.000001530,0.039,-0.004,0.080,\
                       0.000004798,0.000000986,0.3,Normal";
/// The same in local mode.
const LOCAL: &str = "7F7F0101,,10,1795344963.079124439,0.000000000,0.000000000,0.000000000,0.000,0.000,0.000,0.000000000,\
                     0.000000000,0.0,Normal";
/// Before it has synchronised.
const NOT_YET: &str = "00000000,,0,0.000000000,0.000000000,0.000000000,0.000000000,-12.345,0.000,0.000,1.000000000,\
                       1.000000000,0.0,Not synchronised";

#[test]
fn signs_and_units_are_those_that_chronyc_explains() {
    // The words of the same moment: 878 ns fast of NTP time, 0.039 ppm fast.
    let found = parse(FOLLOWS).unwrap();
    let near = |value: f64, expected: f64| (value - expected).abs() < 1e-6;
    assert!(near(found.ahead_ns, 878.0) && near(found.correction_ppm, -0.039), "{found:?}");
    assert!(near(found.last_offset_ns, -53.0) && near(found.rms_offset_ns, 1_530.0), "{found:?}");
    assert!(near(found.root_delay_ns, 4_798.0) && near(found.root_dispersion_ns, 986.0), "{found:?}");
    assert!(near(found.residual_ppm, -0.004) && near(found.skew_ppm, 0.08), "{found:?}");
    assert_eq!((found.stratum, found.reference.as_deref()), (11, Some("127.0.0.1")));
    assert!(near(found.error_bound_ns(), 878.0 + 986.0 + 4_798.0 / 2.0));
    assert!(found.is_synchronised() && !found.is_local());
}

#[test]
fn its_own_clock_and_no_clock_are_not_a_reference() {
    let (local, not_yet) = (parse(LOCAL).unwrap(), parse(NOT_YET).unwrap());
    assert!(local.is_local() && !local.is_synchronised());
    assert!(!not_yet.is_local() && !not_yet.is_synchronised());
    assert_eq!((not_yet.leap, not_yet.correction_ppm), (ChronyLeap::NotSynchronised, 12.345));
    for stratum in [0, 16] {
        assert!(!Chrony { stratum, ..chrony() }.is_synchronised());
    }
    // The reference id of a server may be any, if it has an address.
    let odd = Chrony { reference_id: "7F7F0101".to_owned(), ..chrony() };
    assert!(odd.is_synchronised());
}

#[test]
fn leap_seconds_and_names_with_commas_are_read() {
    for (word, leap) in [("Insert second", ChronyLeap::Insert), ("Delete second", ChronyLeap::Delete)] {
        assert_eq!(parse(&FOLLOWS.replace("Normal", word)).unwrap().leap, leap);
    }
    let found = parse(&FOLLOWS.replace("127.0.0.1", "P,C")).unwrap();
    assert_eq!((found.reference.as_deref(), found.stratum), (Some("P,C"), 11));
}

#[test]
fn what_is_no_report_is_refused_with_what_is_wrong() {
    for (text, reason) in [
        ("", "has 1 fields, not 14"),
        ("506 Cannot talk to daemon", "has 1 fields"),
        (&FOLLOWS.replace("7F000001", "7F00"), "reference id"),
        (&FOLLOWS.replace("7F000001", "<script>"), "reference id"),
        (&FOLLOWS.replace(",11,", ",eleven,"), "stratum"),
        (&FOLLOWS.replace("0.000004798", "nan"), "no number for the root delay"),
        (&FOLLOWS.replace("0.000000986", "inf"), "no number for the root dispersion"),
        (&FOLLOWS.replace("0.039", ""), "no number for the frequency"),
        (&FOLLOWS.replace("Normal", "Splendid"), "leap status"),
    ] {
        let refused = parse(text).unwrap_err();
        assert!(refused.contains(reason), "{text}: {refused}");
    }
}

proptest! {
    #[test]
    fn no_text_panics(text in ".{0,300}", place in 0..14_usize, hostile in "[^,]{0,20}") {
        let _ = parse(&text);
        let mut fields: Vec<&str> = FOLLOWS.split(',').collect();
        fields[place] = &hostile;
        if let Ok(found) = parse(&fields.join(",")) {
            prop_assert!(found.error_bound_ns().is_finite() && found.error_bound_ns() >= 0.0);
        }
    }
}

/// Programs in place of chronyc.
fn by(program: &str) -> Known<Chrony> {
    read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/sections/sync/tests/chronyc").join(program))
}

#[test]
fn the_program_is_asked_and_its_failures_are_reasons() {
    assert_eq!(by("tracks"), Known::Value(parse(FOLLOWS).unwrap()));
    for (program, reason) in [
        ("refuses", "said: 506 Cannot talk to daemon"),
        ("garbles", "has 3 fields, not 14"),
        ("hangs", "timed out after 2 s"),
        ("missing", "is not installed"),
    ] {
        let Known::Unavailable(why) = by(program) else { panic!("{program} answered") };
        assert!(why.ends_with(reason), "{program}: {why}");
    }
    assert_eq!(read(Path::new("/bin/false")), Known::Unavailable("false failed (exit status: 1)".to_owned()));
}
