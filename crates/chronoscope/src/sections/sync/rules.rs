use chronoscope_harness::quantity::{PPM, ns};

use super::chrony::{Chrony, ChronyLeap};
use super::daemon::DaemonKind;
use super::discipline::{DisciplineState, chronyd_only_watches, names, steering};
use super::kernel::{ClockState, Kernel, StatusFlag};
use super::plan::SyncPlan;
use super::ptp::{PtpDevice, PtpKind};
use super::report::SyncReport;
use crate::section::rule::{self, SectionRule};
use chronoscope_harness::finding::{Finding, HostState, Kind, Meaning};
use chronoscope_harness::record::Known;

const WALL: &str = "CLOCK_REALTIME";
const MONOTONIC: &str = "CLOCK_MONOTONIC";
const RAW: &str = "CLOCK_MONOTONIC_RAW";

/// An error that makes the order of events ambiguous between machines on a network.
const LARGE_ERROR_NS: f64 = 100e6;
/// A slew that changes a second by 100 µs. Crystals stay within; slewing an offset away takes up to 500 ppm by the
/// kernel, and more by chronyd.
const SLEWED_PPM: f64 = 100.0;
/// The kernel's limit is 500 ppm, in units of 2⁻¹⁶ ppm.
const FREQUENCY_LIMIT_PPM: f64 = 499.99;
/// An offset that ntpd steps rather than slews (`STEPT` of RFC 5905).
const STEP_NS: f64 = 128e6;
/// The largest tolerated difference between observed and declared slew; a step of the kernel's multiplier is smaller.
const DECLARED_WITHIN_PPM: f64 = 1.0;
/// As above, as a share of the slewing, which shrinks each second.
const DECLARED_WITHIN_SHARE: f64 = 0.1;

type RuleInput<'a> = rule::RuleInput<'a, SyncPlan, Option<SyncReport>>;

pub const RULES: &[SectionRule<SyncPlan, Option<SyncReport>>] = &[
    SectionRule::new(&[WALL_CLOCK_UNDISCIPLINED], |seen: &RuleInput<'_>| of(seen, undisciplined)).lacking(|seen| {
        let is_unknown = seen.report.as_ref().is_none_or(|report| report.discipline.state == DisciplineState::Unknown);
        is_unknown.then_some("nothing shows whether the wall clock is disciplined")
    }),
    SectionRule::new(&[WALL_CLOCK_ERROR_LARGE], |seen| of(seen, error_large)),
    SectionRule::new(&[WALL_CLOCK_ERROR_UNKNOWN], |seen: &RuleInput<'_>| of(seen, error_unknown)).lacking(|seen| {
        let state = seen.report.as_ref().map(|report| report.discipline.state);
        (state != Some(DisciplineState::Disciplined)).then_some("nothing is seen to discipline the wall clock")
    }),
    SectionRule::new(&[WALL_CLOCK_NEEDS_STEP], |seen| of(seen, needs_step)),
    SectionRule::new(&[WALL_CLOCK_STEPPED], |seen| of(seen, stepped)),
    SectionRule::new(&[KERNEL_NOT_TOLD], |seen| of(seen, kernel_not_told)),
    SectionRule::new(&[TIME_DAEMONS_COMPETE], |seen| of(seen, daemons_compete)),
    SectionRule::new(&[LEAP_SECOND_PENDING], |seen| of(seen, leap_second)),
    SectionRule::new(&[MONOTONIC_SLEWED], |seen| of(seen, monotonic_slewed)),
    SectionRule::new(&[RAW_CLOCK_OFF], |seen| of(seen, raw_clock_off)),
    SectionRule::new(&[SLEW_NOT_AS_DECLARED], |seen| of(seen, slew_not_as_declared)),
    SectionRule::new(&[FREQUENCY_AT_LIMIT], |seen| of(seen, frequency_at_limit)),
    SectionRule::new(&[PTP_CLOCK_UNUSED], |seen| of(seen, ptp_unused)),
];

pub const WALL_CLOCK_UNDISCIPLINED: Kind = Kind::warning(
    "wall_clock_undisciplined",
    Meaning {
        about: "wall clock not seen to be synchronised",
        evidence: "what the kernel, chronyd and the process list say, a clause each",
        mend: "run chronyd, outside containers",
    },
)
.shown_in(SYNC);
pub const WALL_CLOCK_ERROR_LARGE: Kind = Kind::warning(
    "wall_clock_error_large",
    Meaning {
        about: "the wall clock may be off by more than 100 ms",
        evidence: "the bound on the wall clock's error (`error_ns`)",
        mend: "use a nearer time server, or wait until the daemon has settled",
    },
)
.shown_in(SYNC)
.classed(HostState::Degraded);
pub const WALL_CLOCK_ERROR_UNKNOWN: Kind = Kind::notice(
    "wall_clock_error_unknown",
    Meaning {
        about: "no bound on the wall clock's error is known",
        evidence: "why no source states a bound",
        mend: "chronyd with rtcsync provides one",
    },
)
.shown_in(SYNC);
pub const WALL_CLOCK_NEEDS_STEP: Kind = Kind::warning(
    "wall_clock_needs_step",
    Meaning {
        about: "the wall clock is far off, and slewing takes long",
        evidence: "how far the wall clock is ahead (`ahead_ns`; negative: behind), and the current slew",
        mend: "if programs here tolerate a step: chronyc makestep, or restart the daemon",
    },
)
.shown_in(SYNC)
.classed(HostState::Degraded);
pub const WALL_CLOCK_STEPPED: Kind = Kind::warning(
    "wall_clock_stepped",
    Meaning {
        about: "the wall clock was set during the observation",
        evidence: "by how much it was set (`step_ns`)",
        mend: "find what sets it: a starting daemon, an administrator, the hypervisor",
    },
)
.shown_in(SYNC)
.classed(HostState::Degraded);
pub const KERNEL_NOT_TOLD: Kind = Kind::notice(
    "kernel_not_told",
    Meaning {
        about: "a daemon disciplines the wall clock but does not tell the kernel",
        evidence: "chronyd's state, and the kernel's",
        mend: "add rtcsync to chrony.conf and restart chronyd",
    },
)
.shown_in(SYNC);
pub const TIME_DAEMONS_COMPETE: Kind = Kind::warning(
    "time_daemons_compete",
    Meaning {
        about: "two daemons steer the wall clock",
        evidence: "the daemons that run and steer (`daemons`)",
        mend: "stop and disable all but one",
    },
)
.shown_in(SYNC)
.classed(HostState::Degraded);
pub const LEAP_SECOND_PENDING: Kind = Kind::warning(
    "leap_second_pending",
    Meaning {
        about: "a leap second is near",
        evidence: "what the kernel or chronyd announces, and for when",
        mend: "across it `CLOCK_REALTIME` repeats or skips a second: order events by `CLOCK_MONOTONIC` or `CLOCK_TAI`",
    },
)
.shown_in(SYNC)
.classed(HostState::Degraded);
pub const MONOTONIC_SLEWED: Kind = Kind::warning(
    "monotonic_slewed",
    Meaning {
        about: "`CLOCK_MONOTONIC` is slewed so fast that intervals come out wrong",
        evidence: "the rate of `CLOCK_MONOTONIC` against `CLOCK_MONOTONIC_RAW` (`slew_ppm`), over 100 ppm",
        mend: "until the offset is gone, time intervals with `CLOCK_MONOTONIC_RAW` or the CPU's counter",
    },
)
.shown_in(SYNC)
.classed(HostState::Degraded);
pub const RAW_CLOCK_OFF: Kind = Kind::notice(
    "raw_clock_off",
    Meaning {
        about: "the counter's frequency is off, and `CLOCK_MONOTONIC` corrects for it",
        evidence: "the lasting correction (`correction_ppm`), over 100 ppm",
        mend: "time long intervals with `CLOCK_MONOTONIC`",
    },
)
.shown_in(SYNC);
pub const SLEW_NOT_AS_DECLARED: Kind = Kind::notice(
    "slew_not_as_declared",
    Meaning {
        about: "`CLOCK_MONOTONIC` does not run as the kernel declares",
        evidence: "the slew observed (`observed_ppm`) and the one that the kernel declares (`declared_ppm`)",
        mend: "run again: if a daemon changed the rate meanwhile, they will agree",
    },
)
.shown_in(SYNC);
pub const FREQUENCY_AT_LIMIT: Kind = Kind::warning(
    "frequency_at_limit",
    Meaning {
        about: "the frequency correction is at the kernel's limit",
        evidence: "the frequency correction (`frequency_ppm`), at the kernel's limit of 500 ppm",
        mend: "delete the daemon's drift file and restart it; if it recurs, the counter's frequency is \
            wrong: chronoscope clocks shows which source",
    },
)
.shown_in(SYNC)
.classed(HostState::Degraded);
pub const PTP_CLOCK_UNUSED: Kind = Kind::notice(
    "ptp_clock_unused",
    Meaning {
        about: "a PTP clock is present but unused",
        evidence: "the PTP clock, and that no visible daemon uses it",
        mend: "follow it with chronyd (refclock PHC), or with ptp4l and phc2sys where the network has a PTP \
            grandmaster",
    },
)
.shown_in(SYNC);

/// The page that shows them.
const SYNC: &[&str] = &["sync"];

fn of(seen: &RuleInput<'_>, rule: fn(&SyncReport) -> Option<Finding>) -> Vec<Finding> {
    seen.report.as_ref().and_then(rule).into_iter().collect()
}

fn undisciplined(report: &SyncReport) -> Option<Finding> {
    let found = &report.discipline;
    if found.state != DisciplineState::NotDisciplined {
        return None;
    }
    let summary = format!("nothing disciplines the wall clock: {}", found.evidence.join("; "));
    let finding = Finding::new(WALL_CLOCK_UNDISCIPLINED, summary).about(WALL);
    let kinds = steering(&report.daemons);
    let host = report.ptp.value().into_iter().flatten().find(|device| device.kind() == PtpKind::Host);
    Some(match (kinds.first(), host) {
        (Some(DaemonKind::Chronyd), _) => finding.advice("find out why: chronyc sources -v, chronyc tracking"),
        (Some(DaemonKind::Timesyncd), _) => finding.advice("find out why: timedatectl timesync-status"),
        (Some(DaemonKind::Ntpd), _) => finding.advice("find out why: ntpq -pn"),
        (Some(other), _) => finding.advice(format!("find out why in the log of {}", other.name())),
        (None, _) if chronyd_only_watches(&report.daemons) => {
            finding.advice("start chronyd without -x where it may set the clock: on the host, if this is a container")
        }
        (None, Some(PtpDevice { device, .. })) => finding.advice(format!(
            "run chronyd with \"refclock PHC /dev/{device} poll 2\" and rtcsync: it follows the host's clock and needs no network"
        )),
        (None, None) => finding.advice(WALL_CLOCK_UNDISCIPLINED.mend),
    })
}

fn error_large(report: &SyncReport) -> Option<Finding> {
    let bound = report.bound.value().filter(|bound| bound.error_ns > LARGE_ERROR_NS)?;
    let summary = format!("the wall clock may be off by up to {}", ns(bound.error_ns));
    Some(
        Finding::new(WALL_CLOCK_ERROR_LARGE, summary)
            .about(WALL)
            .value("error_ns", bound.error_ns)
            .advice(WALL_CLOCK_ERROR_LARGE.mend)
            .advice("do not order timestamps of two machines that differ by less than the sum of both errors"),
    )
}

fn error_unknown(report: &SyncReport) -> Option<Finding> {
    let Known::Unavailable(why) = &report.bound else { return None };
    if report.discipline.state == DisciplineState::NotDisciplined {
        return None;
    }
    let summary = format!("no bound on the wall clock's error is known: {why}");
    let finding = Finding::new(WALL_CLOCK_ERROR_UNKNOWN, summary).about(WALL);
    Some(match (&report.kernel, report.discipline.by) {
        (Known::Unavailable(_), _) => finding.advice("run it where adjtimex is allowed, outside the sandbox"),
        (_, Some(DaemonKind::Chronyd)) => finding.advice("install chronyc, and let this user reach chronyd by it"),
        _ => finding.advice(WALL_CLOCK_ERROR_UNKNOWN.mend),
    })
}

/// chronyd's report, if it steers the clock and follows a reference.
fn steering_chrony(report: &SyncReport) -> Option<&Chrony> {
    report.chrony.value().filter(|chrony| chrony.is_synchronised() && !chronyd_only_watches(&report.daemons))
}

fn needs_step(report: &SyncReport) -> Option<Finding> {
    let chrony = steering_chrony(report);
    // The kernel's offset is still to be added.
    let ahead_ns = chrony
        .map(|chrony| chrony.ahead_ns)
        .or_else(|| report.kernel.value().map(|kernel| -(kernel.to_slew_ns() as f64)))?;
    if ahead_ns.abs() < STEP_NS {
        return None;
    }
    let way = if ahead_ns > 0.0 { "ahead" } else { "behind" };
    let rate_ppm = report.slew.transient_ppm.value().copied().filter(|rate| rate * ahead_ns < 0.0);
    let rest = rate_ppm.map_or_else(String::new, |rate| {
        format!(
            "; at the current slew of {} that takes {}",
            PPM.signed().value(rate),
            ns((ahead_ns / rate).abs() * 1e6)
        )
    });
    let summary = format!("the wall clock is {} {way} and is being slewed{rest}", ns(ahead_ns.abs()));
    let finding = Finding::new(WALL_CLOCK_NEEDS_STEP, summary).about(WALL).value("ahead_ns", ahead_ns);
    Some(match chrony {
        Some(_) => finding
            .advice("if programs here tolerate a step: chronyc makestep")
            .advice("to step only at start: makestep 1 3 in chrony.conf"),
        None => finding.advice("if programs here tolerate a step: restart the daemon so that it steps once"),
    })
}

fn stepped(report: &SyncReport) -> Option<Finding> {
    let step = report.step.value().filter(|step| step.is_step())?;
    let by_ns = step.low_ns.midpoint(step.high_ns) as f64;
    let way = if by_ns > 0.0 { "forward" } else { "back" };
    let summary = format!("the wall clock was set {way} by {} during the observation", ns(by_ns.abs()));
    Some(
        Finding::new(WALL_CLOCK_STEPPED, summary)
            .about(WALL)
            .value("step_ns", by_ns)
            .advice(WALL_CLOCK_STEPPED.mend)
            .advice(format!("do not time intervals with {WALL}; use {MONOTONIC}")),
    )
}

fn kernel_not_told(report: &SyncReport) -> Option<Finding> {
    let found = &report.discipline;
    let by_chrony = found.state == DisciplineState::Disciplined && found.by == Some(DaemonKind::Chronyd);
    if !by_chrony || report.kernel.value().is_none_or(|kernel| kernel.is_synchronised()) {
        return None;
    }
    let summary = "chronyd disciplines the clock, but the kernel says unsynchronised: programs that ask the kernel \
                   (ntp_adjtime, chronoscope_clock::utc) get no error bound";
    Some(Finding::new(KERNEL_NOT_TOLD, summary).about(WALL).advice(KERNEL_NOT_TOLD.mend))
}

fn daemons_compete(report: &SyncReport) -> Option<Finding> {
    let kinds = steering(&report.daemons);
    if kinds.len() < 2 {
        return None;
    }
    let summary = format!("{} steer the wall clock at once and fight each other", names(&kinds));
    Some(
        Finding::new(TIME_DAEMONS_COMPETE, summary)
            .about(WALL)
            .value("daemons", kinds.len() as f64)
            .advice(TIME_DAEMONS_COMPETE.mend),
    )
}

fn leap_second(report: &SyncReport) -> Option<Finding> {
    let by_kernel = report.kernel.value().and_then(leap_of_kernel);
    let by_chrony = || match report.chrony.value()?.leap {
        ChronyLeap::Insert => Some("a leap second will be inserted at the end of this month"),
        ChronyLeap::Delete => Some("a leap second will be left out at the end of this month"),
        ChronyLeap::Normal | ChronyLeap::NotSynchronised => None,
    };
    let summary = by_kernel.or_else(by_chrony)?;
    Some(
        Finding::new(LEAP_SECOND_PENDING, summary).about(WALL).advice(format!(
            "across it {WALL} repeats or skips a second: order events by {MONOTONIC}, or by CLOCK_TAI"
        )),
    )
}

fn leap_of_kernel(kernel: &Kernel) -> Option<&'static str> {
    match kernel.state {
        ClockState::InLeapSecond => Some("a leap second is under way"),
        // It has passed, but its flag is not cleared yet.
        ClockState::LeapSecondOver => None,
        _ if kernel.has(StatusFlag::InsertLeap) => Some("a leap second will be inserted at the end of this UTC day"),
        _ if kernel.has(StatusFlag::DeleteLeap) => Some("a leap second will be left out at the end of this UTC day"),
        _ => None,
    }
}

/// Certain bounds on the current rate of `CLOCK_MONOTONIC`.
fn slew_now(report: &SyncReport) -> Option<(f64, f64)> {
    let observed = report.slew.observed.value().map(|seen| (seen.low_ppm, seen.high_ppm));
    observed.or_else(|| report.slew.declared.value().map(|told| (told.at_end_ppm, told.at_end_ppm)))
}

/// The value nearest to 0 in an interval; 0 if it contains it.
fn least((low, high): (f64, f64)) -> f64 {
    if low > 0.0 { low } else { high.min(0.0) }
}

fn monotonic_slewed(report: &SyncReport) -> Option<Finding> {
    let slewed = |slew_ppm: f64, summary: String| {
        Finding::new(MONOTONIC_SLEWED, summary).about(MONOTONIC).value("slew_ppm", slew_ppm)
    };
    let per_second = |rate_ppm: f64| ns(rate_ppm.abs() * 1e3);
    match report.slew.transient_ppm {
        Known::Value(rate) if rate.abs() > SLEWED_PPM => {
            let way = if rate > 0.0 { "long" } else { "short" };
            let summary = format!(
                "{MONOTONIC} is being slewed by {} to remove an offset: an interval of 1 s comes out {} too {way}",
                PPM.signed().value(rate),
                per_second(rate)
            );
            let advice = format!("until the offset is gone, time intervals with {RAW} or the CPU's counter");
            Some(slewed(rate, summary).advice(advice))
        }
        Known::Value(_) => None,
        Known::Unavailable(_) => {
            let (low, high) = slew_now(report).filter(|between| least(*between).abs() > SLEWED_PPM)?;
            let rate = low.midpoint(high);
            let summary = format!(
                "{MONOTONIC} runs {} against {RAW}: one of them is off by {} per second, and nothing here tells which",
                PPM.signed().value(rate),
                per_second(rate)
            );
            let advice = if report.discipline.state == DisciplineState::NotDisciplined {
                "a daemon left this correction behind: run one again, or clear it (adjtimex -f 0 -t 10000)"
            } else {
                "if a daemon is removing an offset, wait until it is done; if the rate persists, the counter's \
                 frequency is off and the daemon corrects it"
            };
            Some(slewed(rate, summary).advice(advice))
        }
    }
}

/// A lasting correction makes `CLOCK_MONOTONIC` right: the uncorrected clock is wrong.
fn raw_clock_off(report: &SyncReport) -> Option<Finding> {
    let transient = report.slew.transient_ppm.value()?;
    let correction = report.kernel.value()?.slew_ppm() - transient;
    if report.discipline.state != DisciplineState::Disciplined || correction.abs() <= SLEWED_PPM {
        return None;
    }
    let way = if correction > 0.0 { "slow" } else { "fast" };
    let summary = format!(
        "the counter runs {} {way}; {MONOTONIC} corrects for it, but {RAW} and ticks scaled by the declared frequency \
         are off by {} per second",
        PPM.value(correction.abs()),
        ns(correction.abs() * 1e3)
    );
    Some(
        Finding::new(RAW_CLOCK_OFF, summary)
            .about(RAW)
            .value("correction_ppm", correction)
            .advice(format!("time long intervals with {MONOTONIC}")),
    )
}

fn slew_not_as_declared(report: &SyncReport) -> Option<Finding> {
    let (seen, told) = (report.slew.observed.value()?, report.slew.declared.value()?);
    let offset_slew = report.kernel.value().map_or(0.0, |kernel| kernel.offset_slew_ppm().abs());
    let within = DECLARED_WITHIN_PPM + DECLARED_WITHIN_SHARE * offset_slew;
    let low = told.at_start_ppm.min(told.at_end_ppm) - within;
    let high = told.at_start_ppm.max(told.at_end_ppm) + within;
    if seen.low_ppm <= high && seen.high_ppm >= low {
        return None;
    }
    let summary = format!(
        "{MONOTONIC} was observed to run {} against {RAW}, but adjtimex declares {}",
        PPM.signed().value(seen.ppm),
        PPM.signed().value(told.at_end_ppm)
    );
    Some(
        Finding::new(SLEW_NOT_AS_DECLARED, summary)
            .about(MONOTONIC)
            .value("observed_ppm", seen.ppm)
            .value("declared_ppm", told.at_end_ppm)
            .advice(SLEW_NOT_AS_DECLARED.mend),
    )
}

fn frequency_at_limit(report: &SyncReport) -> Option<Finding> {
    let frequency_ppm = report.kernel.value()?.frequency_ppm;
    if frequency_ppm.abs() < FREQUENCY_LIMIT_PPM {
        return None;
    }
    let summary = format!(
        "the frequency correction is {}, the kernel's limit: the clock drifts faster than it can be corrected",
        PPM.signed().value(frequency_ppm)
    );
    Some(
        Finding::new(FREQUENCY_AT_LIMIT, summary)
            .about(WALL)
            .value("frequency_ppm", frequency_ppm)
            .advice("delete the daemon's drift file and restart it")
            .advice("if it recurs, the counter's frequency is wrong: chronoscope clocks shows which source"),
    )
}

fn ptp_unused(report: &SyncReport) -> Option<Finding> {
    let devices = report.ptp.value().filter(|devices| !devices.is_empty())?;
    let daemons = report.daemons.value()?;
    // A reference that is not an address is a clock of this machine, possibly this one.
    let is_reference_clock =
        |chrony: &Chrony| chrony.reference.as_ref().is_some_and(|name| name.parse::<std::net::IpAddr>().is_err());
    if daemons.iter().any(|daemon| daemon.kind.uses_ptp()) || report.chrony.value().is_some_and(is_reference_clock) {
        return None;
    }
    let device = devices.iter().find(|device| device.kind() == PtpKind::Host).unwrap_or(&devices[0]);
    let name = device.clock_name.value().map_or_else(String::new, |name| format!(" ({name})"));
    let path = format!("/dev/{}", device.device);
    let summary = format!("{path}{name} is present, but no daemon visible from here uses it");
    let finding = Finding::new(PTP_CLOCK_UNUSED, summary).about(&path);
    Some(match device.kind() {
        PtpKind::Host => finding.advice(format!(
            "it gives the host's clock to a few µs: make chronyd follow it with \"refclock PHC {path} poll 2\""
        )),
        PtpKind::Hardware => finding.advice(
            "if the network has a PTP grandmaster, ptp4l and phc2sys keep the wall clock within a few µs of it"
                .to_owned(),
        ),
    })
}
