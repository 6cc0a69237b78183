//! Whether a run met its objectives, as far as its events can tell.

use chronoscope_harness::stats::{CONFIDENCE, fewest_for_quantile, quantile_ranks};
use hdrhistogram::Histogram;

use super::objective::{Objective, Quantile};
use super::report::{Slo, SloOutcome};

/// The normal quantile of the confidence of every interval, for a rough number of events.
const Z: f64 = 3.29;

/// The times of all events of a run.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// Of every event that started; of one without an answer, how long it has waited.
    pub least: &'a Histogram<u64>,
    /// Of those only whose end is known.
    pub ended: &'a Histogram<u64>,
    /// Events that were due and never started.
    pub dropped: u64,
}

impl Seen<'_> {
    fn events(&self) -> u64 {
        self.least.len().saturating_add(self.dropped)
    }

    /// Times are known to a thousandth: the longest that cannot be told from `limit_ns`.
    fn limit(&self, limit_ns: u64) -> u64 {
        self.least.highest_equivalent(limit_ns)
    }

    /// Events of which no longest time is known.
    fn open(&self) -> u64 {
        self.events().saturating_sub(self.ended.len())
    }

    /// Events that started and have no answer.
    fn unanswered(&self) -> u64 {
        self.open().saturating_sub(self.dropped)
    }
}

/// Whether `objective` was met by the times `of`.
pub fn judge(objective: &Objective, of: &str, seen: Seen<'_>) -> Slo {
    let limit_ns = u64::try_from(objective.limit.as_nanos()).unwrap_or(u64::MAX);
    let blank = Slo { objective: objective.name.clone(), limit_ns, of: of.to_owned(), ..Slo::default() };
    if seen.events() == 0 {
        return Slo { reason: Some("there were no events".to_owned()), ..blank };
    }
    match objective.of {
        Quantile::Max => max(blank, seen),
        Quantile::Share(q) => quantile(blank, q, seen),
    }
}

/// The largest of the run itself: nothing is said of other runs.
fn max(slo: Slo, seen: Seen<'_>) -> Slo {
    let observed_ns = (seen.dropped == 0).then(|| seen.least.max());
    let is_missed = observed_ns.is_none_or(|observed| observed > seen.limit(slo.limit_ns));
    let (outcome, reason) = match (is_missed, seen.open()) {
        (true, _) if seen.dropped > 0 => (SloOutcome::Missed, Some(never(seen))),
        (true, _) => (SloOutcome::Missed, None),
        (false, 0) => (SloOutcome::Met, None),
        (false, _) => (SloOutcome::Unresolved, Some(must_be_answered(seen))),
    };
    Slo { observed_ns, is_least: seen.open() > 0, outcome, reason, ..slo }
}

fn quantile(slo: Slo, q: f64, seen: Seen<'_>) -> Slo {
    let events = seen.events();
    let (low, high) = quantile_ranks(events, q, CONFIDENCE);
    let rank = ((events as f64 * q).ceil() as u64).clamp(1, events);
    let observed_ns = at_rank(seen.least, rank);
    // An end beyond all that ended is not known; a low end beyond all that started never came.
    let low_ns = low.map_or(Some(0), |rank| at_rank(seen.least, rank));
    let high_ns = high.and_then(|rank| at_rank(seen.ended, rank));
    let limit_ns = seen.limit(slo.limit_ns);
    let outcome = match (low_ns, high_ns) {
        (None, _) => SloOutcome::Missed,
        (Some(low), _) if low > limit_ns => SloOutcome::Missed,
        (_, Some(high)) if high <= limit_ns => SloOutcome::Met,
        _ => SloOutcome::Unresolved,
    };
    let is_open = outcome == SloOutcome::Unresolved;
    let fewest = fewest_for_quantile(q, CONFIDENCE).filter(|fewest| *fewest > events);
    let is_answered = seen.unanswered() == 0;
    // As many events again, as often without an answer, would tell no more.
    let events_needed = fewest.or_else(|| enough(q, limit_ns, seen)).filter(|_| is_open && is_answered);
    let why = match fewest {
        Some(_) => Some("too few events to know it"),
        None if high_ns.is_some() => Some("the limit is within the interval"),
        None => None,
    };
    let reason = match (is_open, why) {
        (true, Some(why)) if is_answered => Some(why.to_owned()),
        (true, Some(why)) => Some(format!("{why}, and {}", must_be_answered(seen))),
        (true, None) if is_answered => Some(never(seen)),
        (true, None) => Some(must_be_answered(seen)),
        (false, _) => (low_ns.is_none() || seen.open() > 0).then(|| never(seen)),
    };
    Slo {
        observed_ns,
        low_ns,
        high_ns,
        confidence: Some(CONFIDENCE),
        is_least: seen.open() > 0,
        outcome,
        reason,
        events_needed,
        ..slo
    }
}

fn must_be_answered(seen: Seen<'_>) -> String {
    format!("{}: all must be answered to know it", never(seen))
}

fn never(seen: Seen<'_>) -> String {
    match (seen.unanswered(), seen.dropped) {
        (0, dropped) => format!("{dropped} events were dropped"),
        (unanswered, 0) => format!("{unanswered} events were not answered"),
        (unanswered, dropped) => format!("{unanswered} events were not answered, {dropped} were dropped"),
    }
}

/// About how many events would tell the share of events above the limit from the share that may be. None if the two
/// look alike.
fn enough(q: f64, limit_ns: u64, seen: Seen<'_>) -> Option<u64> {
    let events = seen.events();
    let above = events.saturating_sub(seen.ended.count_between(0, limit_ns));
    let difference = (above as f64 / events as f64 - (1.0 - q)).abs();
    let needed = (Z / difference).powi(2) * q * (1.0 - q);
    (difference > 0.0 && needed < 1e15).then(|| (needed.ceil() as u64).max(events.saturating_add(1)))
}

/// The value of this rank, counted from 1 in ascending order.
fn at_rank(values: &Histogram<u64>, rank: u64) -> Option<u64> {
    let mut below = 0_u64;
    values.iter_recorded().find_map(|step| {
        below = below.saturating_add(step.count_at_value());
        (below >= rank).then(|| step.value_iterated_to())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(values: impl IntoIterator<Item = u64>) -> Histogram<u64> {
        let mut times = Histogram::new_with_bounds(1, 1 << 40, 3).unwrap();
        values.into_iter().for_each(|value| times.record(value).unwrap());
        times
    }

    fn judged(text: &str, least: &Histogram<u64>, ended: &Histogram<u64>, dropped: u64) -> Slo {
        judge(&text.parse().unwrap(), "response", Seen { least, ended, dropped })
    }

    fn all(text: &str, values: &Histogram<u64>) -> Slo {
        judged(text, values, values, 0)
    }

    #[test]
    fn an_objective_is_met_only_by_its_whole_interval() {
        let values = times((1..=10_000).map(|at| at * 1_000));
        let met = all("p99=10ms", &values);
        assert_eq!((met.outcome, met.reason), (SloOutcome::Met, None));
        let [low, at, high] = [met.low_ns, met.observed_ns, met.high_ns].map(Option::unwrap);
        assert!(low < 9_900_000 && (9_890_000..9_910_000).contains(&at) && high > 9_900_000 && high < 10_000_000);
        assert_eq!(all("p99=9.8ms", &values).outcome, SloOutcome::Missed);
        let open = all("p99=9.92ms", &values);
        assert_eq!(
            (open.outcome, open.reason.as_deref()),
            (SloOutcome::Unresolved, Some("the limit is within the interval"))
        );
        // 80 of 10 000 are above, 100 may be: about 27 000 events tell the two apart.
        assert!((20_000..30_000).contains(&open.events_needed.unwrap()), "{:?}", open.events_needed);
    }

    #[test]
    fn too_few_events_know_no_tail_and_say_how_many_would() {
        let values = times([1_000; 1_000]);
        let found = all("p99.9=2ms", &values);
        assert_eq!((found.outcome, found.events_needed, found.high_ns), (SloOutcome::Unresolved, Some(7_598), None));
        assert_eq!(found.reason.as_deref(), Some("too few events to know it"));
        assert_eq!(all("p99=2ms", &values).outcome, SloOutcome::Met);
        assert_eq!(all("p99.9=1ns", &values).outcome, SloOutcome::Missed, "what is surely above needs no more");
    }

    #[test]
    fn the_largest_is_that_of_the_run() {
        let values = times([1_000, 5_000]);
        assert_eq!(
            (all("max=5us", &values).outcome, all("max=4us", &values).outcome),
            (SloOutcome::Met, SloOutcome::Missed)
        );
        assert_eq!(all("max=5us", &times([])).reason.as_deref(), Some("there were no events"));
    }

    #[test]
    fn an_event_without_an_answer_never_helps() {
        let ended = times([1_000; 10_000]);
        let mut least = ended.clone();
        least.record_n(1_500, 50).unwrap();
        let found = judged("p99=2us", &least, &ended, 0);
        assert_eq!(found.outcome, SloOutcome::Met, "{found:?}: 50 of 10 050 are fewer than one in a hundred");
        let found = judged("max=2us", &least, &ended, 0);
        assert_eq!((found.outcome, found.is_least), (SloOutcome::Unresolved, true));
        assert_eq!(found.reason.as_deref(), Some("50 events were not answered: all must be answered to know it"));
        least.record_n(1_500, 950).unwrap();
        let found = judged("p99=2us", &least, &ended, 0);
        assert_eq!((found.outcome, found.high_ns), (SloOutcome::Unresolved, None));
        assert_eq!(
            judged("p99=1us", &least, &ended, 0).outcome,
            SloOutcome::Missed,
            "they have waited longer than that"
        );
    }

    /// Where one event in fifty is not answered, 2001 events know no more than 2000.
    #[test]
    fn no_number_of_events_replaces_an_answer() {
        let ended = times([1_000; 1_960]);
        let mut least = ended.clone();
        least.record_n(1_500, 40).unwrap();
        let found = judged("p99=1s", &least, &ended, 0);
        assert_eq!((found.outcome, found.events_needed), (SloOutcome::Unresolved, None));
        assert_eq!(found.reason.as_deref(), Some("40 events were not answered: all must be answered to know it"));
        let few = times([1_000; 99]);
        let mut least = few.clone();
        least.record_n(1_500, 1).unwrap();
        let found = judged("p99=1s", &least, &few, 0);
        assert_eq!((found.outcome, found.events_needed), (SloOutcome::Unresolved, None));
        let reason = found.reason.unwrap();
        assert!(reason.starts_with("too few events to know it, and 1 event"), "{reason}");
    }

    #[test]
    fn a_dropped_event_was_not_in_time() {
        let values = times([1_000; 10_000]);
        assert_eq!(judged("p99=2us", &values, &values, 10).outcome, SloOutcome::Met);
        let missed = judged("p99=2us", &values, &values, 500);
        assert_eq!((missed.outcome, missed.observed_ns), (SloOutcome::Missed, None));
        assert_eq!(missed.reason.as_deref(), Some("500 events were dropped"));
        assert_eq!(judged("max=2us", &values, &values, 1).outcome, SloOutcome::Missed);
    }
}
