//! The kinds of runtimes, a row each: what is known before looking for one.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A kind of language runtime whose clocks can be measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RuntimeKind {
    /// A Java virtual machine.
    Java,
    /// .NET, the runtime of `dotnet`.
    Dotnet,
    /// Mono.
    Mono,
    /// Go.
    Go,
    /// Node.js.
    Node,
    /// Python.
    Python,
    /// C, through a system compiler.
    C,
}

pub struct KindRow {
    pub kind: RuntimeKind,
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
}

const JAVA: KindRow = KindRow {
    kind: RuntimeKind::Java,
    word: "java",
    title: "Java",
    programs: &["java"],
    starts_quickly: false,
    warms_up: true,
    clocks: &["System.nanoTime", "System.currentTimeMillis", "Instant.now", "getCurrentThreadCpuTime"],
};

/// In report order.
const ROWS: [KindRow; 7] = [
    JAVA,
    KindRow {
        kind: RuntimeKind::Dotnet,
        word: "dotnet",
        title: ".NET",
        programs: &["dotnet"],
        clocks: &["Stopwatch.GetTimestamp", "DateTime.UtcNow", "Environment.TickCount64"],
        ..JAVA
    },
    KindRow {
        kind: RuntimeKind::Mono,
        word: "mono",
        title: "Mono",
        programs: &["mono"],
        clocks: &["Stopwatch.GetTimestamp", "DateTime.UtcNow", "Environment.TickCount"],
        ..JAVA
    },
    KindRow {
        kind: RuntimeKind::Go,
        word: "go",
        title: "Go",
        programs: &["go"],
        warms_up: false,
        clocks: &["time.Since", "time.Now().UnixNano"],
        ..JAVA
    },
    KindRow {
        kind: RuntimeKind::Node,
        word: "node",
        title: "Node.js",
        programs: &["node", "nodejs"],
        starts_quickly: true,
        clocks: &["process.hrtime.bigint", "performance.now", "Date.now", "process.cpuUsage"],
        ..JAVA
    },
    KindRow {
        kind: RuntimeKind::Python,
        word: "python",
        title: "Python",
        programs: &["python3", "python", "pypy3"],
        clocks: &["time.perf_counter_ns", "time.monotonic_ns", "time.time_ns", "time.process_time_ns", "datetime.now"],
        ..C
    },
    C,
];

const C: KindRow = KindRow {
    kind: RuntimeKind::C,
    word: "c",
    title: "C",
    programs: &["cc", "gcc", "clang"],
    starts_quickly: true,
    warms_up: false,
    clocks: &[
        "clock_gettime(CLOCK_MONOTONIC)",
        "clock_gettime(CLOCK_REALTIME)",
        "timespec_get",
        "gettimeofday",
        "clock",
    ],
};

impl RuntimeKind {
    /// Every kind, in report order.
    pub fn all() -> impl Iterator<Item = Self> {
        ROWS.iter().map(|row| row.kind)
    }

    pub const fn row(self) -> &'static KindRow {
        &ROWS[self as usize]
    }

    /// Its name in reports if it did not identify itself.
    pub const fn title(self) -> &'static str {
        self.row().title
    }

    /// The kind whose option name is `word`.
    ///
    /// # Errors
    /// Lists the known names.
    pub fn named(word: &str) -> Result<Self, String> {
        let found = Self::all().find(|kind| kind.row().word == word);
        found.ok_or_else(|| format!("unknown runtime `{word}`; expected one of {}", Self::words()))
    }

    pub fn words() -> String {
        ROWS.map(|row| row.word).join(", ")
    }

    pub fn titles() -> String {
        ROWS.map(|row| row.title).join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_its_row_and_is_found_by_its_word() {
        for kind in RuntimeKind::all() {
            assert_eq!(kind.row().kind, kind);
            assert_eq!(RuntimeKind::named(kind.row().word), Ok(kind));
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.row().word);
            assert!(!kind.row().clocks.is_empty(), "{kind:?}");
        }
        RuntimeKind::named("cobol").unwrap_err();
    }
}
