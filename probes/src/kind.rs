//! The kinds of runtimes, a row each: what is known before looking for one.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Source;

/// How a probe becomes a process of its runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// The runtime runs the source itself, named after these arguments. The last ends the options: before it, launchers of version
    /// managers take a script's folder, and all above it, for those that say which version to run.
    Source(&'static [&'static str]),
    /// `javac` compiles it, where there is one, and `java` runs it.
    Java,
    /// A compiler for C# makes an assembly, which `dotnet exec` runs.
    Dotnet,
    /// Mono's compiler makes an assembly, which `mono` runs.
    Mono,
    /// `go build` makes a program.
    Go,
    /// A compiler for C makes a program.
    C,
}

/// PHP has no such argument: after it, its script is standard input.
const PHP_SCRIPT: &str = "array_shift($argv); $argc--; require $argv[0];";

/// What is known of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KindRow {
    /// Its name in options.
    pub word: &'static str,
    /// Its name in reports if it did not identify itself.
    pub title: &'static str,
    /// The programs on the path that start or compile for it.
    pub programs: &'static [&'static str],
    /// Whether a process of it starts from source within a few hundred milliseconds.
    pub starts_quickly: bool,
    /// Whether it has a JIT compiler.
    pub warms_up: bool,
    /// Its clocks in the probe's order: first the one that its users reach for.
    pub clocks: &'static [&'static str],
    /// Its probe.
    pub probe: Source,
    /// How that is started.
    pub start: Start,
}

macro_rules! kinds {
    ($($(#[$meta:meta])* $Kind:ident { $($row:tt)* })*) => {
        /// A kind of language runtime whose clocks can be measured.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "snake_case")]
        pub enum RuntimeKind {
            $($(#[$meta])* $Kind,)*
        }

        /// In the order of reports. A static: of a constant every unit that names it may have a copy, and the probes' sources with it.
        static ROWS: &[(RuntimeKind, KindRow)] = &[$((RuntimeKind::$Kind, KindRow { $($row)* })),*];
    };
}

/// The source `$file` in the folder of this package.
macro_rules! source {
    ($folder:literal, $file:literal) => {
        Source { file: $file, text: include_str!(concat!("../", $folder, "/", $file)) }
    };
}

kinds! {
    /// A Java virtual machine.
    Java {
        word: "java",
        title: "Java",
        programs: &["java"],
        starts_quickly: false,
        warms_up: true,
        clocks: &["System.nanoTime", "System.currentTimeMillis", "Instant.now", "getCurrentThreadCpuTime"],
        probe: source!("java", "Probe.java"),
        start: Start::Java,
    }
    /// .NET, the runtime of `dotnet`.
    Dotnet {
        word: "dotnet",
        title: ".NET",
        programs: &["dotnet"],
        starts_quickly: false,
        warms_up: true,
        clocks: &["Stopwatch.GetTimestamp", "DateTime.UtcNow", "Environment.TickCount64"],
        probe: source!("csharp", "Probe.cs"),
        start: Start::Dotnet,
    }
    /// Mono.
    Mono {
        word: "mono",
        title: "Mono",
        programs: &["mono"],
        starts_quickly: false,
        warms_up: true,
        clocks: &["Stopwatch.GetTimestamp", "DateTime.UtcNow", "Environment.TickCount"],
        probe: source!("csharp", "Probe.cs"),
        start: Start::Mono,
    }
    /// Go.
    Go {
        word: "go",
        title: "Go",
        programs: &["go"],
        starts_quickly: false,
        warms_up: false,
        clocks: &["time.Since", "time.Now().UnixNano"],
        probe: source!("go", "probe.go"),
        start: Start::Go,
    }
    /// Node.js.
    Node {
        word: "node",
        title: "Node.js",
        programs: &["node", "nodejs"],
        starts_quickly: true,
        warms_up: true,
        clocks: &["process.hrtime.bigint", "performance.now", "Date.now", "process.cpuUsage"],
        probe: source!("node", "probe.mjs"),
        start: Start::Source(&["--"]),
    }
    /// Python.
    Python {
        word: "python",
        title: "Python",
        programs: &["python3", "python", "pypy3"],
        starts_quickly: true,
        warms_up: false,
        clocks: &["time.perf_counter_ns", "time.monotonic_ns", "time.time_ns", "time.process_time_ns", "datetime.now"],
        probe: source!("python", "probe.py"),
        // -B: write no bytecode next to the source. Without -E and -s, so that the user's own settings apply.
        start: Start::Source(&["-B", "--"]),
    }
    /// Ruby.
    Ruby {
        word: "ruby",
        title: "Ruby",
        programs: &["ruby"],
        starts_quickly: true,
        warms_up: false,
        clocks: &[
            "Process.clock_gettime",
            "Process.clock_gettime ns",
            "Process.clock_gettime wall",
            "Time.now",
            "Process.clock_gettime cpu",
        ],
        probe: source!("ruby", "probe.rb"),
        start: Start::Source(&["--"]),
    }
    /// PHP.
    Php {
        word: "php",
        title: "PHP",
        programs: &["php"],
        starts_quickly: true,
        warms_up: false,
        clocks: &["hrtime", "microtime", "getrusage"],
        probe: source!("php", "probe.php"),
        // What PHP complains of before the probe's first line must not go to standard output, which is the answer.
        start: Start::Source(&["-d", "display_errors=stderr", "-d", "display_startup_errors=0", "-r", PHP_SCRIPT, "--"]),
    }
    /// C, through a system compiler.
    C {
        word: "c",
        title: "C",
        programs: &["cc", "gcc", "clang"],
        starts_quickly: false,
        warms_up: false,
        clocks: &[
            "clock_gettime(CLOCK_MONOTONIC)",
            "clock_gettime(CLOCK_REALTIME)",
            "timespec_get",
            "gettimeofday",
            "clock",
        ],
        probe: source!("c", "probe.c"),
        start: Start::C,
    }
}

impl RuntimeKind {
    /// Every kind, in report order.
    ///
    /// # Examples
    /// ```
    /// use chronoscope_probes::RuntimeKind;
    ///
    /// assert_eq!(RuntimeKind::all().next(), Some(RuntimeKind::Java));
    /// ```
    pub fn all() -> impl Iterator<Item = Self> {
        ROWS.iter().map(|(kind, _)| *kind)
    }

    /// Its row.
    ///
    /// # Examples
    /// ```
    /// use chronoscope_probes::RuntimeKind;
    ///
    /// assert_eq!(RuntimeKind::Go.row().clocks[0], "time.Since");
    /// ```
    pub const fn row(self) -> &'static KindRow {
        &ROWS[self as usize].1
    }

    /// Its name in reports if it did not identify itself.
    ///
    /// # Examples
    /// ```
    /// use chronoscope_probes::RuntimeKind;
    ///
    /// assert_eq!(RuntimeKind::Dotnet.title(), ".NET");
    /// ```
    pub const fn title(self) -> &'static str {
        self.row().title
    }

    /// The kind whose option name is `word`.
    ///
    /// # Errors
    /// Lists the known names.
    ///
    /// # Examples
    /// ```
    /// use chronoscope_probes::RuntimeKind;
    ///
    /// assert_eq!(RuntimeKind::named("c"), Ok(RuntimeKind::C));
    /// assert!(RuntimeKind::named("cobol").unwrap_err().contains("java, "));
    /// ```
    pub fn named(word: &str) -> Result<Self, String> {
        let found = Self::all().find(|kind| kind.row().word == word);
        found.ok_or_else(|| format!("unknown runtime `{word}`; expected one of {}", Self::words()))
    }

    /// All names in options, separated by commas.
    ///
    /// # Examples
    /// ```
    /// assert!(chronoscope_probes::RuntimeKind::words().ends_with(", c"));
    /// ```
    pub fn words() -> String {
        Self::all().map(|kind| kind.row().word).collect::<Vec<_>>().join(", ")
    }

    /// All names in reports, separated by commas.
    ///
    /// # Examples
    /// ```
    /// assert!(chronoscope_probes::RuntimeKind::titles().starts_with("Java, .NET, "));
    /// ```
    pub fn titles() -> String {
        Self::all().map(Self::title).collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_its_row_and_is_found_by_its_word() {
        for kind in RuntimeKind::all() {
            assert_eq!(RuntimeKind::named(kind.row().word), Ok(kind));
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.row().word);
            assert!(!kind.row().clocks.is_empty(), "{kind:?}");
        }
        RuntimeKind::named("cobol").unwrap_err();
    }
}
