use super::article::Article;

/// A published figure: one line of the file, with the digits of its author. What the publication does not say is empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Figure {
    /// Who published it.
    pub article: Article,
    /// The claim that it belongs to: a letter for the article and a number, `N12`.
    pub row: &'static str,
    /// What was measured: one of [`measure`](super::measure).
    pub measure: &'static str,
    /// The runtime.
    pub runtime: &'static str,
    /// The call, the instruction, or what else was timed.
    pub call: &'static str,
    /// The operating system.
    pub system: &'static str,
    /// The counter below the clock.
    pub timer: &'static str,
    /// The machine, as far as named.
    pub hardware: &'static str,
    /// Threads that did it at once.
    pub threads: Option<u32>,
    /// The length, amount of work or granularity it was measured at, `20 tokens`.
    pub at: &'static str,
    /// The figure; empty if a range was published.
    pub value: &'static str,
    /// Its ±; see [`Article::remark`].
    pub spread: &'static str,
    /// The ends of the range.
    pub range: [&'static str; 2],
    /// The unit of all of them.
    pub unit: &'static str,
}

/// The names of the columns.
#[cfg(test)]
pub(super) const COLUMNS: [&str; 15] = [
    "article", "row", "measure", "runtime", "call", "system", "timer", "hardware", "threads", "at", "value", "spread",
    "low", "high", "unit",
];

impl Figure {
    /// None if the line has other fields than the columns, or an unknown article.
    pub(super) fn of_line(line: &'static str) -> Option<Self> {
        let mut fields = line.split('\t');
        let mut next = || fields.next();
        let found = Self {
            article: Article::with_key(next()?)?,
            row: next()?,
            measure: next()?,
            runtime: next()?,
            call: next()?,
            system: next()?,
            timer: next()?,
            hardware: next()?,
            threads: next()?.parse().ok(),
            at: next()?,
            value: next()?,
            spread: next()?,
            range: [next()?, next()?],
            unit: next()?,
        };
        fields.next().is_none().then_some(found)
    }

    /// As published: `25.542 ± 0.024 ns`, `15 to 18 ns`.
    pub fn said(&self) -> String {
        let [low, high] = self.range;
        match (self.value, self.spread) {
            ("", _) => format!("{low} to {high} {}", self.unit),
            (value, "") => format!("{value} {}", self.unit),
            (value, spread) => format!("{value} ± {spread} {}", self.unit),
        }
    }

    /// The figure, in its own unit; None of a range.
    pub fn number(&self) -> Option<f64> {
        self.value.parse().ok()
    }

    /// The figure in nanoseconds; None of a range, and of what is no time.
    pub fn ns(&self) -> Option<f64> {
        Some(self.number()? * in_ns(self.unit)?)
    }

    /// What it was measured at, in its own unit.
    pub fn place(&self) -> Option<f64> {
        self.at.split_once(' ')?.0.parse().ok()
    }

    /// The length that it was measured at, in nanoseconds.
    pub fn place_ns(&self) -> Option<f64> {
        Some(self.place()? * in_ns(self.at.split_once(' ')?.1)?)
    }

    /// Who published it, and where it was measured: `A. Akinshin, "Stopwatch under the hood", 2016: Mono, Linux, TSC`.
    pub fn source(&self) -> String {
        format!("{}: {}", self.article.cited(), self.surroundings())
    }

    /// Where it was measured, as far as that was said: `Java, Linux, TSC`.
    pub fn surroundings(&self) -> String {
        let named = [self.runtime, self.system, self.timer, self.hardware];
        named.into_iter().filter(|name| !name.is_empty()).collect::<Vec<_>>().join(", ")
    }
}

/// None if it is no unit of time.
fn in_ns(unit: &str) -> Option<f64> {
    match unit {
        "ns" => Some(1.0),
        "µs" => Some(1e3),
        "ms" => Some(1e6),
        _ => None,
    }
}
