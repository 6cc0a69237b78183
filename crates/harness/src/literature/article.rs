/// A publication whose figures are in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Article {
    /// Timers, and how measuring with them goes wrong, in the JVM.
    Nanotrust,
    /// The clocks under .NET's `Stopwatch`.
    Stopwatch,
    /// Cycles of instructions.
    Fog,
    /// Short pauses in the JVM.
    Pause,
    /// Clocks read by many threads at once, in the JVM.
    Latch,
    /// A causal clock in one shared word.
    Monotime,
    /// Measured by this project with other tools.
    Jmh,
}

impl Article {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::Nanotrust, Self::Stopwatch, Self::Fog, Self::Pause, Self::Latch, Self::Monotime, Self::Jmh];

    /// Its name in the file.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Nanotrust => "nanotrust",
            Self::Stopwatch => "stopwatch",
            Self::Fog => "fog",
            Self::Pause => "pause",
            Self::Latch => "latch",
            Self::Monotime => "monotime",
            Self::Jmh => "jmh",
        }
    }

    /// Who wrote it.
    pub const fn author(self) -> &'static str {
        match self {
            Self::Nanotrust => "A. Shipilëv",
            Self::Stopwatch => "A. Akinshin",
            Self::Fog => "A. Fog",
            Self::Pause => "D. Shaya",
            Self::Latch => "cord",
            Self::Monotime => "D. Dice",
            Self::Jmh => "this project",
        }
    }

    /// Its title.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Nanotrust => "Nanotrusting the Nanotime",
            Self::Stopwatch => "Stopwatch under the hood",
            Self::Fog => "Instruction tables",
            Self::Pause => "Let's pause for a Microsecond",
            Self::Latch => "System.nanoTime / currentTimeMillis under concurrency",
            Self::Monotime => "Mitigating the Java nanoTime coherence hotspot",
            Self::Jmh => "JMH 1.37 and plain programs, JDK 25",
        }
    }

    /// When it appeared; None if it has no date.
    pub const fn year(self) -> Option<u16> {
        match self {
            Self::Nanotrust => Some(2014),
            Self::Pause => Some(2015),
            Self::Stopwatch | Self::Fog => Some(2016),
            Self::Latch => Some(2018),
            Self::Monotime => None,
            Self::Jmh => Some(2026),
        }
    }

    /// Where it is; None for what has only copies, or is ours.
    pub const fn url(self) -> Option<&'static str> {
        match self {
            Self::Nanotrust => Some("https://shipilev.net/blog/2014/nanotrusting-nanotime/"),
            Self::Stopwatch => Some("https://aakinshin.net/posts/stopwatch/"),
            Self::Fog => Some("https://www.agner.org/optimize/instruction_tables.pdf"),
            Self::Pause => Some("http://www.rationaljava.com/2015/10/measuring-microsecond-in-java.html"),
            Self::Monotime => Some("https://blogs.oracle.com/dave/mitigating-the-java-nanotime-coherence-hotspot"),
            Self::Latch | Self::Jmh => None,
        }
    }

    /// What else is to know about its figures.
    pub const fn remark(self) -> Option<&'static str> {
        match self {
            Self::Nanotrust => Some("means; ±: half of a 99.9 % interval, where the article has one"),
            Self::Stopwatch => Some("medians; ±: standard deviation"),
            Self::Fog => Some("reciprocal throughput, of 2016-01-09, as quoted by A. Akinshin"),
            Self::Pause => Some("means"),
            Self::Latch => Some("in Chinese; single runs on a machine that it does not name"),
            Self::Monotime => Some("all threads together"),
            Self::Jmh => None,
        }
    }

    /// In words: `A. Shipilëv, "Nanotrusting the Nanotime", 2014`.
    pub fn cited(self) -> String {
        let year = self.year().map_or_else(String::new, |year| format!(", {year}"));
        format!("{}, \"{}\"{year}", self.author(), self.title())
    }

    /// In a few words: `A. Shipilëv, 2014`.
    pub fn cited_in_short(self) -> String {
        let year = self.year().map_or_else(String::new, |year| format!(", {year}"));
        format!("{}{year}", self.author())
    }

    pub(super) fn with_key(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|article| article.key() == key)
    }
}
