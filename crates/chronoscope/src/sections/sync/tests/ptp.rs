use std::fs;

use super::super::ptp::{offset, read};
use super::super::slew::Bracket;
use super::*;

#[test]
fn clocks_are_listed_with_their_names_and_a_reason_where_one_cannot_be_read() {
    let root = tempfile::tempdir().unwrap();
    let clock = |device: &str, name: &str| {
        let folder = root.path().join("sys/class/ptp").join(device);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("clock_name"), name).unwrap();
    };
    clock("ptp10", "mlx5_ptp\n");
    clock("ptp2", "KVM virtual PTP\n");
    fs::create_dir_all(root.path().join("sys/class/ptp/ptp3")).unwrap();
    // A file that is no clock.
    fs::create_dir_all(root.path().join("dev")).unwrap();
    fs::write(root.path().join("dev/ptp10"), "").unwrap();
    let found = read(root.path(), Some(37));
    let found = found.value().unwrap();
    let names: Vec<&str> = found.iter().map(|device| device.device.as_str()).collect();
    assert_eq!(names, ["ptp2", "ptp3", "ptp10"]);
    assert_eq!(
        found.iter().map(|device| device.kind()).collect::<Vec<_>>(),
        [PtpKind::Host, PtpKind::Hardware, PtpKind::Hardware]
    );
    assert_eq!(found[0].clock_name, Known::Value("KVM virtual PTP".to_owned()));
    let reason = |known: &Known<PtpOffset>| match known {
        Known::Unavailable(why) => why.clone(),
        Known::Value(value) => panic!("{value:?}"),
    };
    assert!(reason(&found[0].offset).contains("dev/ptp2"));
    assert!(reason(&found[2].offset).contains("dev/ptp10"));
    assert!(matches!(&found[1].clock_name, Known::Unavailable(why) if why.contains("clock_name")));
}

#[test]
fn a_system_without_ptp_gives_the_reason() {
    let root = tempfile::tempdir().unwrap();
    assert!(matches!(read(root.path(), None), Known::Unavailable(why) if why.contains("class/ptp")));
}

#[test]
fn the_offset_has_the_bounds_of_its_bracket_and_names_the_timescale() {
    let second = 1_000_000_000_u64;
    let seen = |inner_ns: u64| Bracket { before_ns: 100 * second, inner_ns, after_ns: 100 * second + 4_000 };
    let near = offset(seen(100 * second + 1_000), None).unwrap();
    assert_eq!((near.low_ns, near.high_ns, near.timescale), (-3_001, 1_001, Timescale::Utc));
    for (ahead_s, told, timescale) in [
        (37, None, Timescale::Tai),
        (37, Some(37), Timescale::Tai),
        (37, Some(35), Timescale::Arbitrary),
        (35, Some(35), Timescale::Tai),
        (-90, None, Timescale::Arbitrary),
        (5, None, Timescale::Arbitrary),
    ] {
        let inner_ns = (100 * second + 2_000).checked_add_signed(ahead_s * second as i64).unwrap();
        assert_eq!(offset(seen(inner_ns), told).unwrap().timescale, timescale, "{ahead_s} {told:?}");
    }
}
