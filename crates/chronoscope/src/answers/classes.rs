//! The table from kinds of findings to states of a host. Every kind has one row.

use chronoscope_harness::finding::{Finding, Severity};

use super::host::HostState;

/// The ids of the findings that put a host in each state. Those under `Ok` concern a program, or are only good to know.
pub const CLASSES: [(HostState, &[&str]); 5] = [
    (
        HostState::Broken,
        &[
            "negative_elapsed",
            "non_causal_read",
            "cross_cpu_skew",
            "offset_not_constant",
            "early_pause",
            "clock_stands_still",
            "skew_grown",
        ],
    ),
    (
        HostState::Degraded,
        &[
            "os_clock_on_slow_path",
            "os_clock_coarse",
            "counter_traps",
            "counter_forbidden",
            "tsc_distrusted",
            "tsc_not_invariant",
            "better_clocksource_available",
            "runtime_tick_coarse",
            "runtime_on_slow_path",
            "wall_clock_undisciplined",
            "wall_clock_error_large",
            "wall_clock_needs_step",
            "time_daemons_compete",
            "frequency_at_limit",
            "frequency_misdeclared",
            "wall_clock_stepped",
            "monotonic_slewed",
            "leap_second_pending",
            "wall_clock_set",
            "clocksource_changed",
            "sync_changed",
        ],
    ),
    (
        HostState::Noisy,
        &[
            "noisy_machine",
            "core_shared",
            "stolen_time",
            "computing_held_up",
            "woken_late",
            "time_stolen",
            "not_run",
            "selftest_too_noisy",
        ],
    ),
    (
        HostState::Unknown,
        &[
            "part_unavailable",
            "interrupted",
            "number_not_finite",
            "no_workers",
            "measured_once",
            "harness_wrong",
            "selftest_stopped",
            "nothing_tried",
        ],
    ),
    (
        HostState::Ok,
        &[
            "resolution_is_not_granularity",
            "path_inferred",
            "interval_near_latency",
            "interval_claim_refuted",
            "unordered_read_not_causal",
            "sleep_saves_no_cpu",
            "sleep_held_by_slack",
            "yield_costs_a_slice",
            "wall_clock_for_intervals",
            "runtime_loop_doubtful",
            "runtime_not_steady",
            "runtime_not_parallel",
            "runtime_failed",
            "granularity_scales",
            "no_granularity_scales",
            "bare_source_held_back",
            "release_is_waking",
            "release_is_mostly_waking",
            "release_is_more",
            "release_undecided",
            "control_looks_slower",
            "wall_clock_error_unknown",
            "kernel_not_told",
            "raw_clock_off",
            "slew_not_as_declared",
            "ptp_clock_unused",
            "hiccups_unpinned",
            "frequency_scaling",
            "cpu_quota",
            "emulated",
            "one_cpu",
            "not_pinned",
            "case_failed",
            "no_steady_state",
            "drifts_over_run",
            "threads_did_not_overlap",
            "omission_inflates",
            "false_alarms",
            "below_resolution",
            "oversubscribed",
            "slows_core",
            "own_threads",
            "gives_up_cpu",
            "bimodal",
            "autocorrelated",
            "tokens_not_linear",
            "not_compared",
            "no_difference",
            "slower",
            "faster",
            "hidden_by_work",
            "not_hidden_by_work",
            "grows_with_backoff",
            "unresolved_difference",
            "claim_of_a_part",
            "time_per_operation",
            "rate_missed",
            "rate_kept",
            "causes_of_lateness",
            "coordinated_omission",
            "pacer_late",
            "events_left_out",
            "one_thread",
            "scales",
            "scales_from",
            "front_between",
            "front_above",
            "front_beyond",
            "front_unknown",
            "slowed_most",
            "harness_right",
            "became_slower",
            "not_slower",
            "not_known_slower",
            "slew_changed",
            "leap_changed",
            "suspended",
        ],
    ),
];

/// The state that `finding` puts a host in. Noise counts even as a notice, because it affects every measurement; other
/// kinds count only as warnings or worse. A kind that this build does not know counts by its severity.
pub fn class_of(finding: &Finding) -> HostState {
    let row = CLASSES.iter().find(|(_, ids)| ids.contains(&finding.id.as_ref())).map(|(class, _)| *class);
    match (row, finding.severity) {
        (Some(HostState::Noisy), _) => HostState::Noisy,
        (_, Severity::Notice) => HostState::Ok,
        (Some(class), _) => class,
        (None, Severity::Warning) => HostState::Degraded,
        (None, Severity::Critical) => HostState::Broken,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronoscope_harness::finding::{Kind, Meaning, NO_ACTION};

    const X: Meaning = Meaning { about: "x", evidence: "x", mend: NO_ACTION };

    #[test]
    fn a_notice_leaves_a_host_ok_unless_it_tells_of_noise() {
        let class = |kind: Kind| class_of(&Finding::new(kind, "seen"));
        assert_eq!(class(Kind::notice("noisy_machine", X)), HostState::Noisy);
        assert_eq!(class(Kind::notice("part_unavailable", X)), HostState::Ok);
        assert_eq!(class(Kind::warning("part_unavailable", X)), HostState::Unknown);
        assert_eq!(class(Kind::warning("wall_clock_undisciplined", X)), HostState::Degraded);
        assert_eq!(class(Kind::critical("non_causal_read", X)), HostState::Broken);
        assert_eq!(class(Kind::notice("of_a_later_build", X)), HostState::Ok);
        assert_eq!(class(Kind::warning("of_a_later_build", X)), HostState::Degraded);
        assert_eq!(class(Kind::critical("of_a_later_build", X)), HostState::Broken);
    }
}
