//! chronyd's tracking report, in the machine-readable form of its own `chronyc`.
//!
//! The crate that speaks chronyd's protocol, chrony-candm, is under the GPL alone and cannot be linked here.

use std::io::ErrorKind;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use chronoscope_harness::process::{NotEnded, run_to_end};
use chronoscope_harness::record::Known;

const ARGUMENTS: [&str; 3] = ["-n", "-c", "tracking"];
/// chronyc itself gives up after about 7 s; a local daemon answers much sooner or not at all.
const PATIENCE: Duration = Duration::from_secs(2);
/// Fields after the name of the reference.
const FIELDS_BEHIND_NAME: usize = 12;
/// The reference in `local` mode.
const LOCAL_REFERENCE: &str = "7F7F0101";
/// At this stratum and above, a clock counts as unsynchronised (RFC 5905).
const LAST_STRATUM: u32 = 16;

/// chronyd's report on how it keeps the clock.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Chrony {
    /// The reference, as eight hexadecimal digits.
    pub reference_id: String,
    /// Its address or name; null if there is none.
    pub reference: Option<String>,
    /// Hops from a reference clock.
    pub stratum: u32,
    /// How far the system clock is ahead of chronyd's estimate of the time; to be slewed away.
    pub ahead_ns: f64,
    /// The offset at the last update.
    pub last_offset_ns: f64,
    /// A long-term average of offsets.
    pub rms_offset_ns: f64,
    /// The frequency correction that chronyd considers right, excluding the slewing of an offset.
    pub correction_ppm: f64,
    /// The change to it implied by the last measurements.
    pub residual_ppm: f64,
    /// chronyd's estimate of the correction's error bound.
    pub skew_ppm: f64,
    /// Round-trip network delay to the reference clock.
    pub root_delay_ns: f64,
    /// Error that may have accumulated on the way.
    pub root_dispersion_ns: f64,
    /// Time between the last two updates.
    pub update_interval_s: f64,
    /// Leap seconds, and whether chronyd is synchronised.
    pub leap: ChronyLeap,
}

/// chronyd's leap status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChronyLeap {
    Normal,
    Insert,
    Delete,
    NotSynchronised,
}

impl Chrony {
    /// Whether its reference is its own clock.
    pub fn is_local(&self) -> bool {
        self.reference_id == LOCAL_REFERENCE && self.reference.is_none()
    }

    /// Whether it follows a reference.
    pub fn is_synchronised(&self) -> bool {
        self.leap != ChronyLeap::NotSynchronised && (1..LAST_STRATUM).contains(&self.stratum) && !self.is_local()
    }

    /// What it says of itself: whom it follows.
    pub fn state(&self) -> &'static str {
        if self.is_synchronised() {
            "follows"
        } else if self.is_local() {
            "follows its own clock"
        } else {
            "not synchronised"
        }
    }

    /// On which side of chronyd's estimate the clock is.
    pub fn side(&self) -> &'static str {
        if self.ahead_ns > 0.0 { "ahead" } else { "behind" }
    }

    /// How far the clock is off at most, if the reference clock at the root is right.
    ///
    /// # Sources
    /// chronyc(1), tracking: |system time offset| + root dispersion + root delay / 2.
    pub fn error_bound_ns(&self) -> f64 {
        self.ahead_ns.abs() + self.root_dispersion_ns + self.root_delay_ns / 2.0
    }
}

/// Queries chronyd through `program`, which is `chronyc` except in tests.
pub fn read(program: &Path) -> Known<Chrony> {
    ask(program).and_then(|text| parse(&text)).into()
}

fn ask(program: &Path) -> Result<String, String> {
    let name = program.file_name().map_or_else(|| program.to_string_lossy(), |name| name.to_string_lossy());
    let failed = |why| match why {
        NotEnded::Error(error) if error.kind() == ErrorKind::NotFound => format!("{name} is not installed"),
        NotEnded::Error(error) => format!("{name}: {error}"),
        NotEnded::TimedOut | NotEnded::Cancelled => format!("{name} timed out after {} s", PATIENCE.as_secs()),
    };
    let mut command = Command::new(program);
    command.args(ARGUMENTS).env("LC_ALL", "C").current_dir("/");
    let ended = run_to_end(&mut command, Some(PATIENCE), &|| false).map_err(failed)?;
    match ended.output.lines().next().unwrap_or_default().trim() {
        text if ended.status.success() => Ok(text.to_owned()),
        "" => Err(format!("{name} failed ({})", ended.status)),
        said => Err(format!("{name} said: {said}")),
    }
}

/// Parses the report of `chronyc -n -c tracking`: reference, name, and twelve more fields, separated by commas.
///
/// # Errors
/// Which part of it is invalid.
pub fn parse(text: &str) -> Result<Chrony, String> {
    let mut fields: Vec<&str> = text.trim_end_matches(['\r', '\n']).split(',').collect();
    if text.trim().is_empty() || fields.len() < FIELDS_BEHIND_NAME + 2 {
        return Err(format!("chronyc's report has {} fields, not {}", fields.len(), FIELDS_BEHIND_NAME + 2));
    }
    // A reference clock's name may contain commas.
    let behind = fields.split_off(fields.len() - FIELDS_BEHIND_NAME);
    let name = fields.split_off(1).join(",");
    let reference_id = fields[0].to_owned();
    if reference_id.len() != 8 || !reference_id.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return Err("chronyc's report does not begin with a reference id".to_owned());
    }
    let number = |place: usize, what: &str| -> Result<f64, String> {
        let value = behind[place].parse::<f64>().ok().filter(|value| value.is_finite());
        value.ok_or_else(|| format!("chronyc's report gives no number for the {what}"))
    };
    let ns = |place: usize, what: &str| number(place, what).map(|seconds| seconds * 1e9);
    let size = |place: usize, what: &str| ns(place, what).map(f64::abs);
    Ok(Chrony {
        reference_id,
        reference: (!name.is_empty()).then_some(name),
        stratum: behind[0].parse().map_err(|_| "chronyc's report gives no stratum".to_owned())?,
        // There, "slow of NTP time" is positive; and a frequency is how fast the clock would run.
        ahead_ns: -ns(2, "system time")?,
        last_offset_ns: ns(3, "last offset")?,
        rms_offset_ns: ns(4, "RMS offset")?,
        correction_ppm: -number(5, "frequency")?,
        residual_ppm: number(6, "residual frequency")?,
        skew_ppm: number(7, "skew")?,
        root_delay_ns: size(8, "root delay")?,
        root_dispersion_ns: size(9, "root dispersion")?,
        update_interval_s: number(10, "update interval")?,
        leap: match behind[11] {
            "Normal" => ChronyLeap::Normal,
            "Insert second" => ChronyLeap::Insert,
            "Delete second" => ChronyLeap::Delete,
            "Not synchronised" => ChronyLeap::NotSynchronised,
            _ => return Err("chronyc's report gives no leap status".to_owned()),
        },
    })
}
