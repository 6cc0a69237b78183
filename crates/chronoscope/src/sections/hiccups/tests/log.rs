use std::io::{self, Write};
use std::time::{Duration, UNIX_EPOCH};

use chronoscope_clock::pause::Cancel;
use chronoscope_sources::hiccups::{HiccupInterval, HiccupObserver};
use hdrhistogram::Histogram;
use hdrhistogram::serialization::interval_log::{IntervalLogIterator, LogEntry};
use hdrhistogram::serialization::{Deserializer, V2DeflateSerializer};

use super::super::log::HiccupLog;
use super::HiccupWay;

/// Three intervals of a thread that sleeps.
fn seen() -> Vec<HiccupInterval> {
    let (cancel, mut seen) = (Cancel::new(), Vec::new());
    HiccupObserver::sleeping().interval(Duration::from_millis(5)).observe(&cancel, |interval: &HiccupInterval| {
        seen.push(interval.clone());
        if seen.len() == 3 {
            cancel.cancel();
        }
    });
    seen.truncate(3);
    seen
}

fn histogram(encoded: &str) -> Histogram<u64> {
    use base64_of_tests::decode;
    Deserializer::new().deserialize(&mut decode(encoded).as_slice()).unwrap()
}

/// The inverse of what the log's writer does to its bytes.
mod base64_of_tests {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    pub(super) fn decode(text: &str) -> Vec<u8> {
        let digits = text.bytes().filter_map(|letter| LETTERS.iter().position(|known| *known == letter));
        let digits: Vec<usize> = digits.collect();
        let byte = |chunk: &[usize]| {
            let bits = chunk.iter().fold(0, |bits, digit| bits << 6 | digit) << (6 * (4 - chunk.len()));
            let bytes = [bits >> 16, bits >> 8, bits].map(|bits| (bits & 0xFF) as u8);
            bytes[..chunk.len() - 1].to_vec()
        };
        digits.chunks(4).flat_map(byte).collect()
    }
}

#[test]
fn what_was_written_is_read_back_by_the_formats_own_reader() {
    let (mut file, mut serializer, seen) = (Vec::new(), V2DeflateSerializer::new(), seen());
    let wall = UNIX_EPOCH + Duration::from_millis(1_795_000_000_250);
    let mut log = HiccupLog::begin(&mut file, &mut serializer, seen[0].start(), wall).unwrap();
    for (cpu, interval) in (0_u32..).zip(&seen) {
        log.add(Some(cpu), HiccupWay::Sleep, interval);
    }
    assert_eq!((log.intervals, log.reason_ended), (3, None));
    let mut starts = 0;
    let mut found = Vec::new();
    for entry in IntervalLogIterator::new(&file) {
        match entry.unwrap() {
            LogEntry::StartTime(at) | LogEntry::BaseTime(at) => {
                assert_eq!(at, Duration::from_millis(1_795_000_000_250));
                starts += 1;
            }
            LogEntry::Interval(interval) => found.push(interval),
        }
    }
    assert_eq!((starts, found.len()), (2, 3));
    for ((cpu, read), wrote) in (0..).zip(&found).zip(&seen) {
        assert_eq!(read.tag().map(|tag| tag.as_str().to_owned()), Some(format!("cpu{cpu}-sleep")));
        let since_start = wrote.start().saturating_duration_since(seen[0].start());
        assert!(read.start_timestamp().abs_diff(since_start) < Duration::from_millis(1));
        assert!((read.max() - wrote.histogram().max() as f64 / 1e6).abs() < 0.001, "in milliseconds");
        assert!(histogram(read.encoded_histogram()) == *wrote.histogram());
    }
}

/// A disk that is full after a while.
struct Full(usize);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.checked_sub(bytes.len()).ok_or_else(|| io::Error::other("no space"))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_ends_the_log_and_nothing_else() {
    let (mut disk, mut serializer, seen) = (Full(700), V2DeflateSerializer::new(), seen());
    let mut log = HiccupLog::begin(&mut disk, &mut serializer, seen[0].start(), UNIX_EPOCH).unwrap();
    for _ in 0..100 {
        log.add(None, HiccupWay::Spin, &seen[0]);
    }
    assert!(log.intervals < 100);
    assert!(log.reason_ended.as_ref().is_some_and(|reason| reason.contains("space")), "{:?}", log.reason_ended);
}
