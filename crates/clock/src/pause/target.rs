/// What a [`Pauser`](super::Pauser) trades against each other: being late, and burning a CPU.
///
/// # Examples
/// ```
/// use chronoscope_clock::pause::{Pauser, Target};
///
/// // One wait in a thousand may be late, and up to a tenth of the time may be spun away.
/// let target = Target::default().late_at_most(0.001).cpu_at_most(0.1);
/// let pauser = Pauser::with_target(target);
/// # let _ = pauser;
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Target {
    pub(super) late: f32,
    pub(super) cpu: f32,
}

impl Default for Target {
    /// [`DEFAULT`](Self::DEFAULT).
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl Target {
    /// One wait in a hundred may be late, and any share of a CPU may be spun away for that.
    pub const DEFAULT: Self = Self { late: 0.01, cpu: 1.0 };

    /// With a share of `probability` of the waits to be late by more than the clock's step; kept within 0.0001 to 0.5. Sleeps that
    /// end more than 120 µs late are beyond that: waits long enough to sleep in are not spun for them, however many there are.
    #[must_use]
    pub const fn late_at_most(self, probability: f64) -> Self {
        // What is no number is as cautious as can be.
        let late = if probability.is_nan() { 0.0 } else { probability };
        Self { late: late.clamp(0.000_1, 0.5) as f32, ..self }
    }

    /// With at most a share of `share` of each wait to be spun away, even if it is late then; kept within 0 to 1. Waits that
    /// are shorter than a sleep takes are spun away in any case.
    #[must_use]
    pub const fn cpu_at_most(self, share: f64) -> Self {
        let share = if share.is_nan() { 1.0 } else { share };
        Self { cpu: share.clamp(0.0, 1.0) as f32, ..self }
    }
}
