//! Values of several subjects, taken in turns: what one round has seen belongs together.
//!
//! For what a study cannot take: a study times operations inside its own processes, these rounds start other programs.

use crate::failure::Failure;
use crate::spread::Spread;

/// One value per subject and round.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Rounds {
    /// Their names.
    subjects: Vec<String>,
    /// Round by round, in the subjects' order.
    values: Vec<Vec<f64>>,
}

impl Rounds {
    /// Takes `rounds` rounds of `measure`. Each begins with the next subject and every other one goes backwards, so that no
    /// subject always follows the same one or always comes first of two.
    ///
    /// # Errors
    /// The first failure of `measure`.
    pub(crate) fn interleave(
        subjects: &[&str],
        rounds: usize,
        mut measure: impl FnMut(usize) -> Result<f64, Failure>,
    ) -> Result<Self, Failure> {
        let count = subjects.len();
        let mut round = |number: usize| {
            let mut values = vec![f64::NAN; count];
            for turn in 0..count {
                let step = if number.is_multiple_of(2) { turn } else { count - turn };
                let at = (number + step) % count;
                values[at] = measure(at)?;
            }
            Ok(values)
        };
        let values = (0..rounds).map(&mut round).collect::<Result<_, Failure>>()?;
        Ok(Self { subjects: subjects.iter().map(|name| (*name).into()).collect(), values })
    }

    /// The values of one subject, round by round; none if it was not measured.
    fn values(&self, subject: &str) -> impl Iterator<Item = f64> {
        let at = self.subjects.iter().position(|name| name == subject);
        self.values.iter().filter_map(move |round| round.get(at?).copied())
    }

    /// Middle and spread of a subject's values; None if it was not measured.
    pub(crate) fn spread(&self, subject: &str) -> Option<Spread> {
        Spread::of(self.values(subject))
    }

    /// The difference within each round.
    pub(crate) fn difference(&self, subject: &str, less: &str) -> impl Iterator<Item = f64> {
        self.values(subject).zip(self.values(less)).map(|(with, without)| with - without)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_round_measures_each_subject_once_from_another_start() {
        let mut order = Vec::new();
        let rounds = Rounds::interleave(&["a", "b", "c"], 2, |at| {
            order.push(at);
            Ok(at as f64)
        })
        .unwrap();
        assert_eq!(order, [0, 1, 2, 1, 0, 2]);
        assert_eq!(rounds.values, [[0.0, 1.0, 2.0]; 2]);
    }

    #[test]
    fn differences_are_taken_within_rounds() {
        let rounds = Rounds {
            subjects: vec!["a".into(), "b".into()],
            values: vec![vec![1.0, 2.0], vec![10.0, 20.0], vec![2.0, 8.0]],
        };
        assert!(rounds.difference("b", "a").eq([1.0, 10.0, 6.0]));
        assert_eq!(rounds.spread("b").unwrap().median, 8.0);
        assert_eq!(rounds.spread("sundial"), None);
    }

    #[test]
    fn a_failure_ends_the_rounds() {
        let failed = Rounds::interleave(&["a"], 3, |_| Err(Failure::because("no")));
        assert_eq!(failed.unwrap_err(), Failure::because("no"));
    }
}
