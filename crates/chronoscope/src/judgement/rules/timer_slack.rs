//! How late the kernel may end a timed wait of this process, if that is not what others have.

use super::of_parts::RuleOfParts;
use crate::document::Record;
use chronoscope_harness::finding::{Finding, Kind, Meaning};
use chronoscope_harness::quantity::ns;

pub const RULES: &[RuleOfParts] =
    &[RuleOfParts::new(&[], &[TIMER_SLACK_INHERITED], |record| Vec::from_iter(timer_slack_inherited(record))).lacking(
        |record| record.machine.timer_slack_ns.is_none().then_some("the timer slack of this process is unknown"),
    )];

pub const TIMER_SLACK_INHERITED: Kind = Kind::notice(
    "timer_slack_inherited",
    Meaning {
        about: "timed waits here are later or earlier than elsewhere, by an inherited timer slack",
        evidence: "the slack of the program's main thread, in /proc/self/timerslack_ns (`timer_slack_ns`)",
        mend: "`TimerSlackNSec=` of a systemd unit, or prctl(PR_SET_TIMERSLACK) in what starts the program",
    },
)
.shown_in(&["pauses"]);

/// The slack of a process that nobody gave another. Source: Linux, init/init_task.c.
const DEFAULT_SLACK_NS: u64 = 50_000;

fn timer_slack_inherited(record: &Record) -> Option<Finding> {
    // A real-time thread has 0, by its policy. Source: Linux, kernel/sched/syscalls.c.
    let slack_ns = record.machine.timer_slack_ns.filter(|slack| ![0, DEFAULT_SLACK_NS].contains(slack))? as f64;
    let summary = format!(
        "this process inherited a timer slack of {}, which is {} by default: a sleep, poll or timed wait may end up to that much late",
        ns(slack_ns),
        ns(DEFAULT_SLACK_NS as f64)
    );
    Some(
        Finding::new(TIMER_SLACK_INHERITED, summary)
            .value("timer_slack_ns", slack_ns)
            .advice(TIMER_SLACK_INHERITED.mend),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::tests::blank;

    #[test]
    fn a_slack_that_is_not_the_default_is_told() {
        let told = |slack_ns| {
            let mut record = blank();
            record.machine.timer_slack_ns = slack_ns;
            timer_slack_inherited(&record)
        };
        for slack_ns in [1, 1_000_000_000] {
            let found = told(Some(slack_ns)).unwrap();
            assert!(found.is(TIMER_SLACK_INHERITED) && found.severity == TIMER_SLACK_INHERITED.severity, "{found:?}");
        }
        assert_eq!([told(None), told(Some(0)), told(Some(DEFAULT_SLACK_NS))], [None, None, None]);
    }

    #[test]
    fn a_document_without_the_slack_does_not_tell_that_it_is_the_default() {
        let mut record = blank();
        assert!((RULES[0].lack)(&record).is_some());
        record.machine.timer_slack_ns = Some(DEFAULT_SLACK_NS);
        assert_eq!((RULES[0].lack)(&record), None);
    }
}
