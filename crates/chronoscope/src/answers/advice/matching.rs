//! Which row of an index fits a user's words.

use std::collections::BTreeMap;

/// Words as similar as this are taken for each other: `timestamp` and `timestamps`, `nanotme` and `nanotime`.
const ALIKE: f64 = 0.9;
/// A row that fits less than this does not fit.
const FITS: f64 = 0.45;
/// A row that fits at least this share of what the best one does is worth naming too.
const ALSO: f64 = 0.7;
/// What the row's words count, against the user's, who may tell a longer story.
const SHARE_OF_ROW: f64 = 0.6;
/// Words that say nothing.
const EMPTY: [&str; 28] = [
    "a", "an", "and", "are", "as", "at", "be", "do", "does", "for", "from", "get", "has", "i", "in", "is", "it", "my",
    "of", "on", "or", "our", "so", "the", "to", "we", "why", "with",
];
/// A longer text is no description of a symptom.
const MOST_WORDS: usize = 64;

/// The rows that `text` fits, by their places, the best first.
pub fn fitting(text: &str, rows: &[&[&str]]) -> Vec<usize> {
    let asked = words(text);
    let phrases: Vec<Vec<Vec<String>>> =
        rows.iter().map(|phrases| phrases.iter().map(|phrase| words(phrase)).collect()).collect();
    let weights = Weights::of(&phrases);
    let fit = |phrases: &Vec<Vec<String>>| phrases.iter().map(|phrase| weights.fit(&asked, phrase)).fold(0.0, f64::max);
    let mut found: Vec<(usize, f64)> = phrases.iter().map(fit).enumerate().filter(|(_, fit)| *fit >= FITS).collect();
    found.sort_by(|a, b| b.1.total_cmp(&a.1));
    let least = found.first().map_or(0.0, |(_, best)| best * ALSO);
    found.into_iter().filter(|(_, fit)| *fit >= least).map(|(row, _)| row).collect()
}

/// The words of a text in lower case, without those that say nothing, and without figures.
fn words(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let words = lower.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    let says =
        |word: &&str| !word.is_empty() && !EMPTY.contains(word) && !word.chars().all(|letter| letter.is_ascii_digit());
    words.filter(says).take(MOST_WORDS).map(str::to_owned).collect()
}

/// How much a word says: a rare one more than one of every row.
struct Weights {
    rows: f64,
    /// In how many rows each word is.
    counts: BTreeMap<String, usize>,
}

impl Weights {
    fn of(rows: &[Vec<Vec<String>>]) -> Self {
        let mut counts = BTreeMap::new();
        for phrases in rows {
            let mut once: Vec<&String> = phrases.iter().flatten().collect();
            once.sort_unstable();
            once.dedup();
            for word in once {
                *counts.entry(word.clone()).or_default() += 1;
            }
        }
        Self { rows: rows.len() as f64, counts }
    }

    fn of_word(&self, word: &str) -> f64 {
        (1.0 + self.rows / self.counts.get(word).copied().unwrap_or(1) as f64).ln()
    }

    /// How well a phrase fits: the shares of both sides' words that the other has, by weight.
    fn fit(&self, asked: &[String], phrase: &[String]) -> f64 {
        let share = |of: &[String], among: &[String]| {
            let weight: f64 = of.iter().map(|word| self.of_word(word)).sum();
            let met: f64 = of.iter().map(|word| self.of_word(word) * alike(word, among)).sum();
            if weight > 0.0 { met / weight } else { 0.0 }
        };
        SHARE_OF_ROW * share(phrase, asked) + (1.0 - SHARE_OF_ROW) * share(asked, phrase)
    }
}

/// How similar the most similar of `words` is; 0 if none is alike.
fn alike(word: &str, words: &[String]) -> f64 {
    let most = words.iter().map(|other| strsim::jaro_winkler(word, other)).fold(0.0, f64::max);
    if most >= ALIKE { most } else { 0.0 }
}
