#[cfg(feature = "read")]
use serde::Deserialize;
use serde::Serialize;

use super::{Known, Topology};

/// The machine and its environment.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "read", derive(Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Machine {
    /// The hostname.
    pub hostname: Option<String>,
    /// The processor.
    pub cpu: Cpu,
    /// Its counter.
    pub tsc: Tsc,
    /// What the kernel derives its clocks from.
    pub clocksource: Clocksource,
    /// The kernel.
    pub kernel: Kernel,
    /// What the machine runs under.
    pub hypervisor: Hypervisor,
    /// How busy it was when the run began.
    pub load: Load,
    /// The CPU frequency governors of the CPUs that this process may run on, without duplicates.
    pub governors: Known<Vec<String>>,
    /// CPU time that a container or a service manager allows per second of wall time, in CPUs; null for no limit.
    pub cpu_quota: Known<Option<f64>>,
    /// How late the kernel may wake the program's main thread to save wakeups, in nanoseconds: inherited from what started it.
    #[cfg_attr(feature = "read", serde(default))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timer_slack_ns: Option<u64>,
}

impl Machine {
    /// The emulator, if the CPU is known to be emulated: durations are then not those of hardware.
    ///
    /// # Examples
    /// ```
    /// use chronoscope_harness::record::{Emulation, Machine};
    ///
    /// let mut machine = Machine::default();
    /// assert_eq!(machine.emulated_by(), None);
    /// machine.cpu.emulation = Emulation { is_emulated: Some(true), ..Emulation::default() };
    /// assert_eq!(machine.emulated_by(), Some("software"));
    /// ```
    pub fn emulated_by(&self) -> Option<&str> {
        let emulation = &self.cpu.emulation;
        (emulation.is_emulated == Some(true)).then(|| emulation.by.as_deref().unwrap_or("software"))
    }

    /// Whether the CPU is known to be emulated.
    ///
    /// # Examples
    /// ```
    /// use chronoscope_harness::record::Machine;
    ///
    /// assert!(!Machine::default().is_emulated());
    /// ```
    pub fn is_emulated(&self) -> bool {
        self.emulated_by().is_some()
    }
}

/// The processor.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "read", derive(Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Cpu {
    /// Manufacturer, as CPUID or the kernel reports it.
    pub vendor: Option<String>,
    /// Its marketing name.
    pub brand: Option<String>,
    /// Family.
    pub family: Option<u32>,
    /// Model.
    pub model: Option<u32>,
    /// Stepping.
    pub stepping: Option<u32>,
    /// The microarchitecture's name, where family and model determine it and no CPU feature contradicts them.
    pub microarchitecture: Option<String>,
    /// The microarchitecture that family and model imply, where CPU features contradict it: a hypervisor masks the
    /// model.
    #[serde(default)]
    pub microarchitecture_masked: Option<String>,
    /// CPUs that are online.
    pub online: Option<u32>,
    /// CPUs that this process may run on.
    pub allowed: Vec<u32>,
    /// Where those lie in the machine; absent where the kernel does not say, and in older documents.
    #[cfg_attr(feature = "read", serde(default))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topology: Option<Topology>,
    /// Why the processor could not be identified.
    pub reason_unavailable: Option<String>,
    /// Whether it is emulated.
    #[serde(default)]
    pub emulation: Emulation,
}

/// Whether the CPU is emulated: software translates or interprets its instructions, so that no duration is one of
/// hardware.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "read", derive(Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Emulation {
    /// Whether it is; null if unknown, as in most guests: a hypervisor hides what runs below it.
    pub is_emulated: Option<bool>,
    /// The emulator.
    pub by: Option<String>,
    /// The evidence, or what its absence leaves open.
    pub evidence: String,
}

/// The CPU's counter and how reliable it is.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "read", derive(Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Tsc {
    /// Its class.
    pub class: Option<TscClass>,
    /// The evidence for the class.
    pub class_evidence: String,
    /// CPUID's flags for it, those that are set; null on other architectures.
    pub cpuid: Option<Vec<CpuidFlag>>,
    /// The kernel's flags for it in /proc/cpuinfo (`constant_tsc`, `nonstop_tsc`, …).
    pub kernel_flags: Known<Vec<String>>,
    /// Whether the process was started with the right to read it.
    pub access: Option<TscAccess>,
    /// Its frequency, measured against `CLOCK_MONOTONIC`.
    pub frequency: Option<MeasuredFrequency>,
    /// Its frequency according to other sources.
    pub frequency_sources: Vec<FrequencySource>,
}

/// Classes of the counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "read", derive(Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum TscClass {
    /// There is none.
    Absent,
    /// Its rate changes with the CPU's frequency.
    Variant,
    /// Its rate is constant, but it may stop in deep sleep.
    Constant,
    /// Its rate is constant in all states.
    Invariant,
}

impl TscClass {
    /// The word used in reports.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Absent => "absent",
            Self::Variant => "variant",
            Self::Constant => "constant",
            Self::Invariant => "invariant",
        }
    }
}

/// CPUID's flags for the TSC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "read", derive(Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum CpuidFlag {
    /// Leaf 1 EDX.4: there is a TSC.
    Tsc,
    /// Leaf 0x80000007 EDX.8: it is invariant.
    Invariant,
    /// Leaf 0x80000001 EDX.27: `rdtscp`.
    Rdtscp,
    /// Leaf 1 ECX.24: the APIC timer can be armed with a TSC value.
    Deadline,
    /// Leaf 7 EBX.1: the offset can be read and set in an MSR.
    Adjust,
}

/// Whether the process may read the counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "read", derive(Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum TscAccess {
    /// Yes.
    Allowed,
    /// A read ends the process with SIGSEGV (`PR_SET_TSC`).
    Faults,
}

/// A measured frequency.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "read", derive(Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MeasuredFrequency {
    /// Hertz.
    pub hz: f64,
    /// Half-width of the bound in parts per million: both brackets' widths, two steps of the counter, and how unevenly the clock
    /// moved around the brackets, over the time between them.
    pub half_width_ppm: f64,
    /// Time between the brackets.
    pub over_ms: f64,
}

/// The counter's frequency according to one source.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "read", derive(Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FrequencySource {
    /// The source.
    pub source: String,
    /// Hertz.
    pub hz: Known<f64>,
}

impl FrequencySource {
    /// How the reason begins if the kernel's log was read, and says nothing of it.
    pub(crate) const NOT_LOGGED: &str = "the kernel's log holds no line";

    /// Whether the kernel's log was read, and says nothing of it.
    ///
    /// # Examples
    /// ```
    /// use chronoscope_harness::record::{FrequencySource, Known};
    ///
    /// let hz = Known::Unavailable("the kernel's log cannot be read".to_owned());
    /// assert!(!FrequencySource { source: "kernel log".to_owned(), hz }.is_not_logged());
    /// ```
    pub fn is_not_logged(&self) -> bool {
        self.hz.reason().is_some_and(|reason| reason.starts_with(Self::NOT_LOGGED))
    }
}

impl Tsc {
    /// How far `source` is from the measured frequency, in parts per million of that; positive where it says more. None where
    /// either is unknown.
    ///
    /// # Examples
    /// ```
    /// use chronoscope_harness::record::{FrequencySource, Known, MeasuredFrequency, Tsc};
    ///
    /// let frequency = Some(MeasuredFrequency { hz: 2.0e9, half_width_ppm: 1.0, over_ms: 5.0 });
    /// let label = FrequencySource { source: "label".into(), hz: Known::Value(2.8e9) };
    /// assert_eq!(Tsc { frequency, ..Tsc::default() }.deviation_ppm(&label).map(f64::round), Some(400_000.0));
    /// ```
    pub fn deviation_ppm(&self, source: &FrequencySource) -> Option<f64> {
        let deviation_ppm = (source.hz.value()? / self.frequency?.hz - 1.0) * 1e6;
        Some(deviation_ppm).filter(|deviation| deviation.is_finite())
    }
}

/// What the kernel derives its clocks from.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "read", derive(Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Clocksource {
    /// The one in use.
    pub current: Option<String>,
    /// All available alternatives.
    pub available: Vec<String>,
    /// Why nothing is known.
    pub reason_unavailable: Option<String>,
}

impl Clocksource {
    /// The names of all, the one in use included where it is not among the available ones.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let unlisted = self.current.iter().filter(|current| !self.available.contains(*current));
        self.available.iter().chain(unlisted).map(String::as_str)
    }

    /// The command by which an administrator switches to the clocksource `name` until the next boot.
    pub fn switch_command(name: &str) -> String {
        format!("echo {name} | sudo tee /sys/devices/system/clocksource/clocksource0/current_clocksource")
    }
}

/// The kernel.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "read", derive(Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Kernel {
    /// `uname -s`, or `Windows`.
    pub name: String,
    /// `uname -r`. Of Windows the version, and that of Wine where this is Wine.
    pub release: String,
    /// `uname -m`.
    pub architecture: String,
    /// Boot parameters that concern clocks.
    pub boot_parameters: Known<Vec<String>>,
    /// Messages that concern the counter and the clocksource.
    pub messages: Known<Vec<String>>,
}

impl Kernel {
    /// Whether Linux's commands and files are of use there. A record that names no kernel is one of Linux.
    pub fn is_linux(&self) -> bool {
        !matches!(self.name.as_str(), "Windows" | "Darwin")
    }

    /// Messages in which the kernel reports that it no longer trusts the counter.
    pub fn messages_of_distrust(&self) -> impl Iterator<Item = &String> {
        const SIGNS: [&str; 3] = ["tsc unstable", "tsc warp", "tsc synchronization [cpu"];
        self.messages.all().iter().filter(|message| {
            let message = message.to_lowercase();
            SIGNS.iter().any(|sign| message.contains(sign)) && !message.contains("passed")
        })
    }
}

/// The hypervisor and container.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "read", derive(Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Hypervisor {
    /// Whether there is one; null if unknown.
    pub present: Option<bool>,
    /// Its name.
    pub name: Option<String>,
    /// The evidence.
    pub evidence: Option<String>,
    /// The container that the process runs in, as far as it can be detected.
    pub container: Option<String>,
}

/// How busy the machine was when the run began.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "read", derive(Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Load {
    /// Load averages over 1, 5 and 15 minutes.
    pub averages: Known<[f64; 3]>,
    /// Share of all CPU time since boot stolen by the hypervisor.
    pub steal_share_since_boot: Known<f64>,
}
