/// What a [`Pauser`](super::Pauser) trades: lateness against burnt CPU.
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
    /// One wait in a hundred may be late, at any cost in CPU time.
    pub const DEFAULT: Self = Self { late: 0.01, cpu: 1.0 };

    /// Allows this share of waits to be late by more than the clock's step; clamped to 0.0001–0.5. Sleeps that end over
    /// 120 µs late are out of scope: waits long enough to sleep are not spun for them, however frequent.
    #[must_use]
    pub const fn late_at_most(self, probability: f64) -> Self {
        // NaN: as cautious as possible.
        let late = if probability.is_nan() { 0.0 } else { probability };
        Self { late: late.clamp(0.000_1, 0.5) as f32, ..self }
    }

    /// Allows at most this share of each wait to be spun, even if that makes it late; clamped to 0–1. Waits shorter than
    /// a sleep are spun regardless.
    #[must_use]
    pub const fn cpu_at_most(self, share: f64) -> Self {
        let share = if share.is_nan() { 1.0 } else { share };
        Self { cpu: share.clamp(0.0, 1.0) as f32, ..self }
    }
}
