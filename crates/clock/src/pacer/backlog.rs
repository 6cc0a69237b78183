use core::time::Duration;

use super::Late;

/// Who made a wait end late: the position of the first schedule that it delays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    Machine = 1,
    Pacer = 2,
}

const CAUSES: usize = 3;

/// What the next event inherits of earlier lateness, by cause.
///
/// Three schedules are followed at once: one that only the caller delays, one that the machine delays too, and the real
/// one. In each, the time between two events makes up for earlier lateness. By how much the second is later than the
/// first is the machine's doing, and the real one than the second the pacer's: a backlog is charged to its first cause
/// until it is gone, and an event that fits into its time adds nothing.
///
/// # Sources
/// D. V. Lindley, "The theory of queues with a single server", 1952: the recursion that each of the three follows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Backlog {
    late: [Duration; CAUSES],
}

impl Backlog {
    pub(super) const NONE: Self = Self { late: [Duration::ZERO; CAUSES] };

    /// Adds what the time since the last event was spent on, by cause, and subtracts how far the two events are `apart`.
    pub(super) fn pass(&mut self, spent: [Duration; CAUSES], apart: Duration) {
        let mut so_far = Duration::ZERO;
        for (late, more) in self.late.iter_mut().zip(spent) {
            so_far += more;
            *late = (*late + so_far).saturating_sub(apart);
        }
    }

    /// Adds a delay that nothing makes up for before the event starts.
    pub(super) fn add(&mut self, delay: Duration, cause: Cause) {
        self.late.iter_mut().skip(cause as usize).for_each(|late| *late += delay);
    }

    /// Why the event was late by `total`. The parts add up to that whatever the clock did.
    pub(super) fn explain(&mut self, total: Duration) -> Late {
        self.late[CAUSES - 1] = total;
        for cause in (0..CAUSES - 1).rev() {
            self.late[cause] = self.late[cause].min(self.late[cause + 1]);
        }
        let [caller, machine, all] = self.late;
        Late { total, by_caller: caller, by_machine: machine - caller, by_pacer: all - machine }
    }
}

/// Splits a time of `held`: `work` is the caller's; the rest is the machine's if longer than the pacer's own steps, else
/// the pacer's.
pub(super) fn spent(held: Duration, work: Option<Duration>, own: Duration) -> [Duration; CAUSES] {
    let work = work.unwrap_or(held).min(held);
    let rest = held - work;
    if rest > own { [work, rest, Duration::ZERO] } else { [work, Duration::ZERO, rest] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::vec::Vec;

    const fn ns(ns: u64) -> Duration {
        Duration::from_nanos(ns)
    }

    #[test]
    fn a_backlog_counts_as_its_first_causes_until_it_is_gone() {
        let mut backlog = Backlog::NONE;
        backlog.add(ns(1_000), Cause::Machine);
        assert_eq!(backlog.explain(ns(1_000)).by_machine, ns(1_000));
        // Handling takes 90 of 100: ten are made up for each time, and none of it is the caller's.
        for event in 1..=100 {
            backlog.pass([ns(90), Duration::ZERO, Duration::ZERO], ns(100));
            let late = backlog.explain(ns(1_000 - event * 10));
            assert_eq!((late.by_machine, late.by_caller, late.by_pacer), (late.total, ns(0), ns(0)));
        }
    }

    #[test]
    fn what_handling_adds_is_the_callers_and_what_it_inherits_is_not() {
        let mut backlog = Backlog::NONE;
        backlog.add(ns(1_000), Cause::Pacer);
        backlog.pass([ns(150), Duration::ZERO, Duration::ZERO], ns(100));
        let late = backlog.explain(ns(1_050));
        assert_eq!((late.by_caller, late.by_pacer), (ns(50), ns(1_000)));
        backlog.pass([ns(20), Duration::ZERO, Duration::ZERO], ns(100));
        let late = backlog.explain(ns(970));
        assert_eq!((late.by_caller, late.by_pacer), (ns(0), ns(970)));
    }

    #[test]
    fn time_that_was_not_work_is_the_machines_unless_it_is_short() {
        assert_eq!(spent(ns(900), None, ns(50)), [ns(900), ns(0), ns(0)]);
        assert_eq!(spent(ns(900), Some(ns(100)), ns(50)), [ns(100), ns(800), ns(0)]);
        assert_eq!(spent(ns(900), Some(ns(860)), ns(50)), [ns(860), ns(0), ns(40)]);
        assert_eq!(spent(ns(900), Some(ns(9_000)), ns(50)), [ns(900), ns(0), ns(0)]);
    }

    /// How late the last of the events was if each was held so long and was so far from the one before it: the worst that
    /// any run of events up to it adds up to.
    fn worst_ending_here(held: &[i64], apart: &[i64]) -> i64 {
        let from = |first: usize| held[first..].iter().zip(&apart[first..]).map(|(held, apart)| held - apart).sum();
        (0..held.len()).map(from).max().unwrap_or(0).max(0)
    }

    proptest! {
        #[test]
        #[cfg_attr(miri, ignore = "thousands of events, and nothing in them is unsafe")]
        fn each_part_is_what_would_not_have_been_without_its_cause(
            events in prop::collection::vec((0_u64..300, 0_u64..300, 0_u64..30, 0_u64..400), 1..60),
        ) {
            let mut backlog = Backlog::NONE;
            let (mut caller, mut machine, mut all, mut apart) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
            for (work, taken, own, distance) in events {
                // Some are not interrupted.
                let taken = taken.saturating_sub(200);
                backlog.pass([ns(work), ns(taken), ns(own)], ns(distance));
                caller.push(work as i64);
                machine.push((work + taken) as i64);
                all.push((work + taken + own) as i64);
                apart.push(distance as i64);
                let late = |held: &[i64]| ns(worst_ending_here(held, &apart) as u64);
                let (by_caller, with_machine, total) = (late(&caller), late(&machine), late(&all));
                let parts = Late { total, by_caller, by_machine: with_machine - by_caller, by_pacer: total - with_machine };
                prop_assert_eq!(backlog.explain(total), parts);
                prop_assert_eq!(parts.by_caller + parts.by_machine + parts.by_pacer, total);
            }
        }

        #[test]
        fn parts_add_up_whatever_the_total(
            delays in prop::collection::vec((0_u64..1_000, 0_u64..1_000, 0_u64..2_000), 1..30),
        ) {
            let mut backlog = Backlog::NONE;
            for (held, apart, total) in delays {
                backlog.pass(spent(ns(held), None, ns(10)), ns(apart));
                backlog.add(ns(held), Cause::Machine);
                let late = backlog.explain(ns(total));
                prop_assert_eq!(late.by_caller + late.by_machine + late.by_pacer, ns(total));
            }
        }
    }
}
