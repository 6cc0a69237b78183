//! Ways to wait that take turns: each with a thread of its own, at every setting, in every round.

use bench_common::{Count, Failure, Run, Table, Value, value};

use crate::crew::{Order, Taken, Way};

/// With fewer sleeps beyond it, a margin is not known.
const FEWEST_BEYOND: usize = 2;

/// One way at one setting, over rounds; times in microseconds.
#[derive(Debug, Default)]
pub(crate) struct Rounds {
    late_p50_us: Vec<f64>,
    late_p99_us: Vec<f64>,
    cpu_share: Vec<f64>,
    error_ppm: Vec<f64>,
    /// What being on time takes of a CPU at least; of bare sleeps alone.
    unavoidable_share: Vec<f64>,
    early: Count,
}

pub(crate) struct Turns<'a> {
    pub(crate) unit: &'a str,
    pub(crate) settings: &'a [u64],
    pub(crate) ways: &'a [Way],
    pub(crate) count: &'a dyn Fn(u64) -> usize,
    /// The way whose sleeps say what is unavoidable, if all but one in so many are to be on time.
    pub(crate) bare: &'a str,
    pub(crate) one_in: usize,
    /// The ways whose best others are held against, under a name of its own if they are several.
    pub(crate) references: (&'a str, &'a [&'a str]),
}

impl Turns<'_> {
    /// Measures `rounds` rounds; a table of medians over them with quartiles.
    pub(crate) fn measure(&self, run: &Run, section: &str, rounds: usize) -> Result<Table, Failure> {
        let of_setting =
            |setting: &u64| self.ways.iter().map(|way| (*setting, way.name, Rounds::default())).collect::<Vec<_>>();
        let mut rows: Vec<(u64, &str, Rounds)> = self.settings.iter().flat_map(of_setting).collect();
        for round in 0..rounds {
            run.now(format!("{section}, round {} of {rounds}", round + 1));
            for at in 0..rows.len() {
                // Another way and setting first in each round.
                let at = (at + round * 7) % rows.len();
                let (setting, way, seen) = &mut rows[at];
                let taken =
                    self.ways[at % self.ways.len()].ask(Order { setting: *setting, count: (self.count)(*setting) })?;
                seen.add(&taken, (*way == self.bare).then_some(self.one_in));
            }
        }
        Ok(self.table(&rows))
    }

    fn table(&self, rows: &[(u64, &str, Rounds)]) -> Table {
        let columns = format!(
            "{} | way | late p50 µs | late p99 µs | CPU % | unavoidable CPU % | × unavoidable CPU | p50 × {reference}'s | \
             p99 × {reference}'s | early | rate error, ppm",
            self.unit,
            reference = self.references.0
        );
        let mut table = Table::new(2, &columns);
        for (setting, way, seen) in rows {
            let at_setting = || rows.iter().filter(|(of, ..)| of == setting);
            let bare = at_setting().find(|(_, way, _)| *way == self.bare).map_or(seen, |(.., seen)| seen);
            let references = || at_setting().filter(|(_, way, _)| self.references.1.contains(way));
            let best = |figure: fn(&Rounds) -> &[f64]| best(references().map(|(.., seen)| figure(seen)));
            let percent = |shares: &[f64]| Value::quartiles(shares.iter().map(|share| share * 100.0), 1);
            table.row([
                setting.to_string().into(),
                (*way).into(),
                Value::quartiles(seen.late_p50_us.iter().copied(), 3),
                Value::quartiles(seen.late_p99_us.iter().copied(), 2),
                percent(&seen.cpu_share),
                percent(&seen.unavoidable_share),
                over_unavoidable(&seen.cpu_share, &bare.unavoidable_share),
                Value::quartiles(ratios(&seen.late_p50_us, best(|seen| &seen.late_p50_us)), 2),
                Value::quartiles(ratios(&seen.late_p99_us, best(|seen| &seen.late_p99_us)), 2),
                seen.early.into(),
                Value::quartiles(seen.error_ppm.iter().copied(), 2),
            ]);
        }
        table
    }
}

impl Rounds {
    fn add(&mut self, taken: &Taken, one_in: Option<usize>) {
        let late_us =
            |share: f64| Some(value::quantile(&taken.late_ns, share) / 1e3).filter(|_| !taken.late_ns.is_empty());
        self.late_p50_us.extend(late_us(0.5));
        self.late_p99_us.extend(late_us(0.99));
        self.cpu_share.push(taken.cpu_share);
        self.error_ppm.extend(taken.error_ppm);
        self.early = self.early + Count::of(taken.late_ns.iter().map(|ns| *ns < 0.0));
        self.unavoidable_share.extend(one_in.and_then(|one_in| unavoidable_share(taken, one_in)));
    }
}

/// The rounds of the way with the least median; none of no way.
fn best<'a>(ways: impl Iterator<Item = &'a [f64]>) -> &'a [f64] {
    let median = |rounds: &&[f64]| value::median(rounds.iter().copied()).unwrap_or(f64::INFINITY);
    ways.min_by(|one, other| median(one).total_cmp(&median(other))).unwrap_or_default()
}

fn ratios<'a>(ours: &'a [f64], theirs: &'a [f64]) -> impl Iterator<Item = f64> + 'a {
    ours.iter().zip(theirs).filter(|(_, theirs)| **theirs > 0.0).map(|(ours, theirs)| ours / theirs)
}

/// What of a CPU was taken, over the share that being on time takes at least, round by round. Whatever is done does not take more
/// than all of it: then there is nothing to compare.
fn over_unavoidable(taken: &[f64], unavoidable: &[f64]) -> Value {
    match value::median(unavoidable.iter().copied()) {
        None => "too few sleeps".into(),
        Some(share) if share >= 1.0 => "all is unavoidable".into(),
        Some(_) => Value::quartiles(ratios(taken, unavoidable), 2),
    }
}

/// The share of a CPU that waits take at least if they sleep until a margin before the end and spin the rest, where all but one in
/// `one_in` are to be on time: from how late bare sleeps were, and what each took of the CPU. All of it where a sleep takes more than
/// the wait, or ends too late. None if too few sleeps were seen to tell the margin.
fn unavoidable_share(bare: &Taken, one_in: usize) -> Option<f64> {
    let late_ns = &bare.late_ns;
    let beyond = late_ns.len() / one_in;
    if beyond < FEWEST_BEYOND {
        return None;
    }
    let margin_ns = late_ns[late_ns.len() - 1 - beyond].max(0.0);
    let spun_ns = late_ns.iter().map(|late| (margin_ns - late.max(0.0)).max(0.0)).sum::<f64>() / late_ns.len() as f64;
    let taken_ns = bare.cpu_share * bare.each_ns + spun_ns;
    Some(if margin_ns < bare.planned_ns { (taken_ns / bare.planned_ns).min(1.0) } else { 1.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bare sleeps, each of which takes 5 µs of CPU.
    fn bare(late_ns: &[f64], planned_ns: f64) -> Taken {
        Taken { late_ns: late_ns.to_vec(), cpu_share: 0.5, each_ns: 10_000.0, planned_ns, error_ppm: None }
    }

    #[test]
    fn unavoidable_is_a_sleep_and_what_the_margin_leaves() {
        // One in a hundred is 90 µs late, the others 30.
        let mut late_ns = vec![30_000.0; 990];
        late_ns.extend([90_000.0; 10]);
        let share_of = |late_ns: &[f64], planned_ns| unavoidable_share(&bare(late_ns, planned_ns), 100).unwrap();
        assert!((share_of(&late_ns, 1_000_000.0) - 0.005).abs() < 1e-9);
        late_ns[985..].fill(90_000.0);
        assert!((share_of(&late_ns, 1_000_000.0) - (0.005 + 0.06 * 0.985)).abs() < 1e-9);
        assert_eq!((share_of(&late_ns, 90_000.0), share_of(&late_ns, 60_000.0)), (1.0, 1.0));
        assert_eq!(unavoidable_share(&bare(&[3_000.0; 99], 100_000.0), 100), None, "too few sleeps");
    }

    #[test]
    fn the_best_way_is_the_one_with_the_least_median() {
        let ways: [&[f64]; 3] = [&[4.0, 4.0, 4.0], &[1.0, 3.0, 90.0], &[]];
        assert_eq!(best(ways.into_iter()), [1.0, 3.0, 90.0]);
    }

    #[test]
    fn what_is_unavoidable_in_whole_is_not_compared() {
        assert_eq!(over_unavoidable(&[0.5, 0.75], &[0.5, 0.5]), Value::quartiles([1.0, 1.5], 2));
        assert!(matches!(over_unavoidable(&[1.0], &[1.0]), Value::Words(_)));
        assert!(matches!(over_unavoidable(&[1.0], &[]), Value::Words(_)));
    }

    #[test]
    fn a_wait_that_ends_before_its_time_is_early() {
        let mut rounds = Rounds::default();
        rounds.add(&bare(&[-1.0, 0.0, 5_000.0], 10_000.0), None);
        assert_eq!(
            (rounds.early, rounds.late_p50_us[0], rounds.unavoidable_share.len()),
            (Count { of: 1, all: 3 }, 0.0, 0)
        );
    }
}
