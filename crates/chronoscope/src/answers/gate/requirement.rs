use std::fmt;
use std::str::FromStr;

/// A property that a machine must have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Requirement {
    /// The vDSO reads `CLOCK_MONOTONIC`.
    Vdso,
    /// No clock that must be causal went backwards between CPUs.
    Causal,
    /// No clock that must not step back did so within a thread.
    Monotonic,
    /// The TSC keeps its rate in all states.
    InvariantTsc,
    /// Something disciplines the wall clock.
    Ntp,
    /// The kernel uses this clocksource.
    Clocksource(String),
}

/// All, as written by users.
pub const ACCEPTED: &str = "vdso, causal, monotonic, invariant_tsc, ntp or clocksource=NAME";

impl FromStr for Requirement {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if let Some(name) = text.strip_prefix("clocksource=").map(str::trim) {
            let is_name = |letter: char| letter.is_ascii_alphanumeric() || "_-.".contains(letter);
            return match !name.is_empty() && name.chars().all(is_name) {
                true => Ok(Self::Clocksource(name.to_owned())),
                false => Err(format!("`{name}` is no clocksource; name one, such as clocksource=tsc")),
            };
        }
        match text.replace('-', "_").as_str() {
            "vdso" => Ok(Self::Vdso),
            "causal" => Ok(Self::Causal),
            "monotonic" => Ok(Self::Monotonic),
            "invariant_tsc" => Ok(Self::InvariantTsc),
            "ntp" => Ok(Self::Ntp),
            _ => Err(format!("unknown requirement `{text}`; choose {ACCEPTED}")),
        }
    }
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Vdso => "vdso",
            Self::Causal => "causal",
            Self::Monotonic => "monotonic",
            Self::InvariantTsc => "invariant_tsc",
            Self::Ntp => "ntp",
            Self::Clocksource(name) => return write!(f, "clocksource={name}"),
        })
    }
}
