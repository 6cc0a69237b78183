//! The claims, as they are written in `claims.toml`.

use std::sync::LazyLock;

use chronoscope_harness::literature::{Article, Figure, figures};
use serde::Deserialize;

/// The file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Claims {
    run: Vec<Plan>,
    claim: Vec<Claim>,
}

/// A run that claims look at.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Its name in claims.
    pub name: String,
    /// The arguments.
    pub command: String,
    /// The `command` in its document.
    pub writes: String,
    /// About how long it takes.
    pub seconds: u64,
}

/// One claim.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// A letter for the article and a number.
    pub id: String,
    /// What it says, in words of ours.
    pub says: String,
    /// The run that looks; none where no command does.
    pub run: Option<String>,
    /// The place in its document.
    #[serde(default)]
    pub at: String,
    /// A place whose number the first is divided by.
    pub over: Option<String>,
    /// Which of the figures with its id it is about, if any: those with these fields.
    pub figure: Option<Key>,
    /// The unit of ours where no figure has it.
    #[serde(default)]
    pub unit: Option<Unit>,
    /// What must hold.
    #[serde(default)]
    pub agrees: Agrees,
    /// What it takes: `system Windows`, `clocksource hpet`, `cpus 16`, `runtime mono`; or anything that no machine is asked for.
    pub needs: Option<String>,
    /// Why it may differ, or is missing.
    pub because: Option<String>,
}

/// A unit in which ours is written.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    Time,
    Ratio,
    PerSecond,
    Percent,
    Count,
}

/// Fields that a figure must have.
#[derive(Debug, Default, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Key {
    measure: Option<String>,
    call: Option<String>,
    runtime: Option<String>,
    system: Option<String>,
    timer: Option<String>,
    threads: Option<u32>,
    at: Option<String>,
    unit: Option<String>,
}

/// What must be there.
#[derive(Debug, Deserialize, PartialEq)]
#[serde(untagged)]
pub enum Is {
    Truth(bool),
    Number(f64),
    Text(String),
}

/// A test of a number, or of whatever is there.
#[derive(Debug, Default, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Agrees {
    /// At most this many times the figure, and at least that part of it.
    pub factor: Option<f64>,
    pub at_least: Option<f64>,
    pub at_most: Option<f64>,
    /// A text, number or truth value.
    pub is: Option<Is>,
    /// Something is there.
    #[serde(default)]
    pub there: bool,
}

static FILE: LazyLock<Claims> = LazyLock::new(|| {
    let none = |_| Claims { run: Vec::new(), claim: Vec::new() };
    toml::from_str(include_str!("claims.toml")).unwrap_or_else(none)
});

/// All of them, in the order of the articles.
pub fn claims() -> &'static [Claim] {
    &FILE.claim
}

/// The runs that they look at.
pub fn plans() -> &'static [Plan] {
    &FILE.run
}

impl Claim {
    /// The article that makes it; by the letter.
    pub fn article(&self) -> Option<Article> {
        match self.id.get(..1)? {
            "N" => Some(Article::Nanotrust),
            "S" => Some(Article::Stopwatch),
            "P" => Some(Article::Pause),
            "L" => Some(Article::Latch),
            "D" => Some(Article::Monotime),
            _ => None,
        }
    }

    /// The run that looks.
    pub fn plan(&self) -> Option<&'static Plan> {
        let name = self.run.as_ref()?;
        plans().iter().find(|plan| plan.name == *name)
    }

    /// What was published of it, by the article itself or those that it quotes.
    pub fn published(&self) -> Vec<&'static Figure> {
        let Some(key) = &self.figure else { return Vec::new() };
        let is_of = |figure: &&Figure| figure.article != Article::Jmh && figure.row == self.id && key.fits(figure);
        figures().iter().filter(is_of).collect()
    }
}

impl Key {
    fn fits(&self, figure: &Figure) -> bool {
        let same = |wanted: &Option<String>, field: &str| wanted.as_ref().is_none_or(|wanted| wanted == field);
        same(&self.measure, figure.measure)
            && same(&self.call, figure.call)
            && same(&self.runtime, figure.runtime)
            && same(&self.system, figure.system)
            && same(&self.timer, figure.timer)
            && same(&self.at, figure.at)
            && same(&self.unit, figure.unit)
            && (self.threads.is_none() || self.threads == figure.threads)
    }
}

impl Is {
    pub fn said(&self) -> String {
        match self {
            Self::Truth(is_so) => is_so.to_string(),
            Self::Number(number) => number.to_string(),
            Self::Text(text) => text.clone(),
        }
    }
}

impl Agrees {
    /// In words: `within a factor of 2 of the figure`.
    pub fn said(&self) -> Option<String> {
        let factor = self.factor.map(|factor| format!("within a factor of {factor} of the published figure"));
        let least = self.at_least.map(|least| format!("at least {least}"));
        let most = self.at_most.map(|most| format!("at most {most}"));
        let is = self.is.as_ref().map(|is| format!("is {}", is.said()));
        let there = self.there.then(|| "is there".to_owned());
        let all: Vec<String> = [factor, least, most, is, there].into_iter().flatten().collect();
        (!all.is_empty()).then(|| all.join(", "))
    }

    /// The least and the most that a number may be, given what was published.
    pub fn bounds(&self, reference: Option<f64>) -> Option<[f64; 2]> {
        let near = self.factor.zip(reference).map(|(factor, figure)| [figure / factor, figure * factor]);
        if near.is_none() && self.at_least.is_none() && self.at_most.is_none() {
            return None;
        }
        let [low, high] = near.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
        Some([self.at_least.map_or(low, |least| least.max(low)), self.at_most.map_or(high, |most| most.min(high))])
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_file_is_read_whole() {
        let file: Claims = toml::from_str(include_str!("claims.toml")).unwrap();
        assert_eq!((file.claim.len(), file.run.len()), (claims().len(), plans().len()));
        assert!(claims().len() > 60, "{}", claims().len());
    }

    #[test]
    fn every_claim_can_be_judged_or_says_why_not() {
        for claim in claims() {
            let id = &claim.id;
            assert!(claim.article().is_some() && !claim.says.is_empty(), "{id}");
            assert_eq!(claim.run.is_some(), claim.plan().is_some(), "{id}: no such run");
            match &claim.run {
                Some(_) => {
                    assert!(
                        !claim.at.is_empty() && claim.agrees != Agrees::default(),
                        "{id}: it names no place or no test"
                    );
                    let reference = claim.published().first().and_then(|figure| figure.number());
                    assert!(claim.agrees.factor.is_none() || reference.is_some(), "{id}: no figure to be near to");
                }
                None => assert!(claim.needs.is_some() || claim.because.is_some(), "{id}: why does nothing look?"),
            }
        }
        let mut said: Vec<(&str, &str)> =
            claims().iter().map(|claim| (claim.id.as_str(), claim.says.as_str())).collect();
        said.sort_unstable();
        said.dedup();
        assert_eq!(said.len(), claims().len(), "a claim is there twice");
        let used: BTreeSet<&String> = claims().iter().filter_map(|claim| claim.run.as_ref()).collect();
        assert!(plans().iter().all(|plan| used.contains(&plan.name)), "a run that no claim looks at");
    }

    #[test]
    fn every_figure_belongs_to_a_claim() {
        let ids: BTreeSet<&str> = claims().iter().map(|claim| claim.id.as_str()).collect();
        for figure in figures().iter().filter(|figure| figure.article != Article::Jmh) {
            assert!(ids.contains(figure.row), "{figure:?}");
        }
    }

    #[test]
    fn all_runs_take_ten_minutes_at_most() {
        let seconds: u64 = plans().iter().map(|plan| plan.seconds).sum();
        assert!(seconds <= 600, "{seconds} s");
    }
}
