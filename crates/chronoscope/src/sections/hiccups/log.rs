use std::fs::File;
use std::io::{self, LineWriter, Write};
use std::path::Path;
use std::time::SystemTime;

use chronoscope_clock::Instant;
use chronoscope_sources::hiccups::HiccupInterval;
use hdrhistogram::serialization::V2DeflateSerializer;
use hdrhistogram::serialization::interval_log::{IntervalLogWriter, IntervalLogWriterBuilder, Tag};

use super::report::HiccupWay;
use crate::plan::PlanError;

/// The longest line: an interval is handed to the system as a whole.
const LONGEST_LINE: usize = 1 << 18;
/// Maxima are written in milliseconds, as by other writers of this format.
const MAX_VALUE_UNIT_RATIO: f64 = 1e6;
const FORMAT: &str = "[Histogram log format version 1.3]";
const UNITS: &str = "[Lateness of looks in nanoseconds; Interval_Max in milliseconds]";
const LEGEND: &str = "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"";

/// Checks that the log can be written, and leaves what is there as it is.
///
/// # Errors
/// If it cannot.
pub fn check(file: Option<&str>) -> Result<(), PlanError> {
    file.map_or(Ok(()), |file| open(file, false).map(drop).map_err(PlanError::new))
}

/// # Errors
/// What was tried, and why it failed.
pub fn create(file: &str) -> Result<LineWriter<File>, String> {
    Ok(LineWriter::with_capacity(LONGEST_LINE, open(file, true)?))
}

fn open(file: &str, anew: bool) -> Result<File, String> {
    let opened = File::options().write(true).create(true).truncate(anew).open(Path::new(file));
    opened.map_err(|error| format!("could not create the log {file}: {error}; name a writable file"))
}

/// An HdrHistogram interval log that is being written: a line per interval, complete in the file as soon as it is written.
pub struct HiccupLog<'a, W: Write> {
    writer: IntervalLogWriter<'a, 'a, W, V2DeflateSerializer>,
    start: Instant,
    /// Intervals written.
    pub intervals: u64,
    /// Why no more are written.
    pub reason_ended: Option<String>,
}

impl<'a, W: Write> HiccupLog<'a, W> {
    /// Writes the head of a log of what is seen from `start`, which was at `wall`.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn begin(
        output: &'a mut W,
        serializer: &'a mut V2DeflateSerializer,
        start: Instant,
        wall: SystemTime,
    ) -> io::Result<Self> {
        let written_by = format!("[Logged with chronoscope {}]", env!("CARGO_PKG_VERSION"));
        writeln!(output, "#{written_by}\n#{FORMAT}\n#{UNITS}\n{LEGEND}")?;
        let writer = IntervalLogWriterBuilder::new()
            .with_start_time(wall)
            .with_base_time(wall)
            .with_max_value_divisor(MAX_VALUE_UNIT_RATIO)
            .begin_log_with(output, serializer)?;
        Ok(Self { writer, start, intervals: 0, reason_ended: None })
    }

    /// Writes an interval; the first failure is the last attempt.
    pub fn add(&mut self, cpu: Option<u32>, way: HiccupWay, interval: &HiccupInterval) {
        if self.reason_ended.is_some() {
            return;
        }
        let since_start = interval.start().saturating_duration_since(self.start);
        let length = interval.end().saturating_duration_since(interval.start());
        let tag = tag(cpu, way);
        match self.writer.write_histogram(interval.histogram(), since_start, length, Tag::new(&tag)) {
            Ok(()) => self.intervals += 1,
            Err(error) => self.reason_ended = Some(error.to_string()),
        }
    }
}

/// The tag of a CPU's intervals: viewers show each tag on its own.
fn tag(cpu: Option<u32>, way: HiccupWay) -> String {
    match cpu {
        Some(cpu) => format!("cpu{cpu}-{}", way.name()),
        None => way.name().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_name_cpu_and_way_and_are_accepted_by_the_format() {
        let tags = [(Some(0), HiccupWay::Sleep), (Some(17), HiccupWay::Spin), (None, HiccupWay::Sleep)]
            .map(|(cpu, way)| tag(cpu, way));
        assert_eq!(tags, ["cpu0-sleep", "cpu17-spin", "sleep"]);
        assert!(tags.iter().all(|tag| Tag::new(tag).is_some()));
    }

    #[test]
    fn a_log_that_cannot_be_created_is_refused_with_its_name() {
        let refused = check(Some("/nonexistent/folder/hiccups.hlog")).unwrap_err().to_string();
        assert!(refused.contains("/nonexistent/folder/hiccups.hlog"), "{refused}");
        assert_eq!(check(None), Ok(()));
    }

    #[test]
    fn a_log_that_is_there_is_not_emptied_before_the_run() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "last night").unwrap();
        assert_eq!(check(file.path().to_str()), Ok(()));
        assert_eq!(std::fs::read_to_string(file.path()).unwrap(), "last night");
    }
}
