use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The machine and the surroundings that the process found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Machine {
    /// The name that the system gives itself.
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
    /// How it sets its frequency.
    pub governor: Governor,
    /// Limits that a container sets.
    pub limits: CpuLimits,
}

/// The processor.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cpu {
    /// Who made it, as CPUID or the kernel says.
    pub vendor: Option<String>,
    /// Its marketing name.
    pub brand: Option<String>,
    /// Family.
    pub family: Option<u32>,
    /// Model.
    pub model: Option<u32>,
    /// Stepping.
    pub stepping: Option<u32>,
    /// The microarchitecture's name, where family and model tell and no feature of the CPU contradicts them.
    pub microarchitecture: Option<String>,
    /// What family and model would mean, where features of the CPU say that it is another: a hypervisor masks the model.
    #[serde(default)]
    pub microarchitecture_masked: Option<String>,
    /// CPUs that are online.
    pub online: Option<u32>,
    /// CPUs that this process may run on.
    pub allowed: Vec<u32>,
    /// Why the processor could not be identified.
    pub reason_unavailable: Option<String>,
}

/// The CPU's counter and how far it can be trusted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Tsc {
    /// Its class.
    pub class: Option<TscClass>,
    /// What the class rests on.
    pub class_evidence: String,
    /// What CPUID declares; null on other architectures.
    pub cpuid: Option<CpuidFlags>,
    /// The kernel's words about it in /proc/cpuinfo (`constant_tsc`, `nonstop_tsc`, …).
    pub kernel_flags: Vec<String>,
    /// Why the kernel's words could not be had.
    pub reason_kernel_flags_unavailable: Option<String>,
    /// Whether the process was started with the right to read it.
    pub access: Option<TscAccess>,
    /// Its frequency, measured against `CLOCK_MONOTONIC`.
    pub frequency: Option<MeasuredFrequency>,
    /// What others say its frequency is.
    pub frequency_sources: Vec<FrequencySource>,
}

/// Classes of the counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TscClass {
    /// There is none.
    Absent,
    /// It changes its rate with the CPU's frequency.
    Variant,
    /// Its rate is constant, but it may stop in deep sleep.
    Constant,
    /// Its rate is constant in all states.
    Invariant,
}

impl TscClass {
    /// The word that reports use.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Absent => "absent",
            Self::Variant => "variant",
            Self::Constant => "constant",
            Self::Invariant => "invariant",
        }
    }
}

/// What CPUID declares of the TSC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CpuidFlags {
    /// Leaf 1 EDX.4: there is a TSC.
    pub tsc: bool,
    /// Leaf 0x80000007 EDX.8: it is invariant.
    pub invariant: bool,
    /// Leaf 0x80000001 EDX.27: `rdtscp`.
    pub rdtscp: bool,
    /// Leaf 1 ECX.24: the APIC timer can be armed with a TSC value.
    pub deadline: bool,
    /// Leaf 7 EBX.1: the offset can be seen and set in an MSR.
    pub adjust: bool,
}

/// Whether the process may read the counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TscAccess {
    /// Yes.
    Allowed,
    /// A read ends the process with SIGSEGV (`PR_SET_TSC`).
    Faults,
}

/// A frequency that was measured.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MeasuredFrequency {
    /// Hertz.
    pub hz: f64,
    /// Half-width of the bound in parts per million: both brackets' widths and two steps of the counter, over the time between
    /// the brackets.
    pub half_width_ppm: f64,
    /// Time between the brackets.
    pub over_ms: f64,
}

/// What someone says the counter's frequency is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FrequencySource {
    /// Who says so.
    pub source: String,
    /// Hertz.
    pub hz: Option<f64>,
    /// Its difference from what was measured.
    pub deviation_ppm: Option<f64>,
    /// Why it says nothing.
    pub reason_unavailable: Option<String>,
}

/// What the kernel derives its clocks from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Clocksource {
    /// The one in use.
    pub current: Option<String>,
    /// The class of its rating.
    pub rating_class: Option<RatingClass>,
    /// All that can be switched to.
    pub available: Vec<String>,
    /// What is known of each of them.
    pub ratings: Vec<ClocksourceRating>,
    /// Why nothing is known.
    pub reason_unavailable: Option<String>,
}

impl Clocksource {
    /// The command by which an administrator switches to the clocksource `name` until the next boot.
    pub fn switch_command(name: &str) -> String {
        format!("echo {name} | sudo tee /sys/devices/system/clocksource/clocksource0/current_clocksource")
    }
}

/// The kernel's rating of a clocksource. The kernel does not export it; the values are those of its source code.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClocksourceRating {
    /// The clocksource.
    pub name: String,
    /// Its usual rating.
    pub rating: Option<u32>,
    /// The class of the rating.
    pub class: Option<RatingClass>,
    /// What a read of the system's clock costs over it, as published; null where it is not known.
    pub published_cost: Option<String>,
}

/// Classes of ratings, as include/linux/clocksource.h draws them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RatingClass {
    /// 1–99: unfit for real use.
    Unfit,
    /// 100–199: base level usability.
    Base,
    /// 200–299: good.
    Good,
    /// 300–399: desired.
    Desired,
    /// 400–499: perfect.
    Perfect,
}

impl RatingClass {
    /// The class of `rating`.
    pub const fn of(rating: u32) -> Self {
        match rating {
            0..=99 => Self::Unfit,
            100..=199 => Self::Base,
            200..=299 => Self::Good,
            300..=399 => Self::Desired,
            _ => Self::Perfect,
        }
    }

    /// The word that reports use.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Unfit => "unfit",
            Self::Base => "base",
            Self::Good => "good",
            Self::Desired => "desired",
            Self::Perfect => "perfect",
        }
    }
}

/// The kernel.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Kernel {
    /// `uname -s`.
    pub name: String,
    /// `uname -r`.
    pub release: String,
    /// `uname -m`.
    pub architecture: String,
    /// Boot parameters that bear on clocks.
    pub boot_parameters: Vec<String>,
    /// Messages that bear on the counter and the clocksource.
    pub messages: Vec<String>,
    /// Why the messages could not be read.
    pub reason_messages_unavailable: Option<String>,
}

impl Kernel {
    /// Messages by which the kernel says that it gave the counter up.
    pub fn messages_of_distrust(&self) -> impl Iterator<Item = &String> {
        const SIGNS: [&str; 3] = ["tsc unstable", "tsc warp", "tsc synchronization [cpu"];
        self.messages.iter().filter(|message| {
            let message = message.to_lowercase();
            SIGNS.iter().any(|sign| message.contains(sign)) && !message.contains("passed")
        })
    }
}

/// What the machine runs under.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Hypervisor {
    /// Whether there is one; null if it cannot be told.
    pub present: Option<bool>,
    /// Its name.
    pub name: Option<String>,
    /// What says so.
    pub evidence: Option<String>,
    /// Whether it is an emulator: software stands in for the CPU, and what an instruction costs is the software's.
    #[serde(default)]
    pub is_emulator: bool,
    /// The container that the process runs in, as far as it shows.
    pub container: Option<String>,
}

/// How busy the machine was when the run began.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Load {
    /// Load average over 1 minute.
    pub one_minute: Option<f64>,
    /// Load average over 5 minutes.
    pub five_minutes: Option<f64>,
    /// Load average over 15 minutes.
    pub fifteen_minutes: Option<f64>,
    /// Share of all CPU time since boot that the hypervisor gave to others.
    pub steal_share_since_boot: Option<f64>,
    /// Why it could not be had.
    pub reason_unavailable: Option<String>,
}

/// How the machine sets its frequency.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Governor {
    /// The governors of the CPUs that this process may run on, each named once.
    pub governors: Vec<String>,
    /// Why they could not be had.
    pub reason_unavailable: Option<String>,
}

/// Limits that a container or a service manager sets.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CpuLimits {
    /// CPU time that may be used per second of wall time, in CPUs; null for no limit.
    pub quota_cpus: Option<f64>,
    /// Why it could not be had.
    pub reason_unavailable: Option<String>,
}
