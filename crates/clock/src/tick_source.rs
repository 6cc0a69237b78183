/// A readable source of time, statically dispatched.
///
/// # Units
/// Nanoseconds for this crate's clocks, wrapping before their zero; a raw source of `chronoscope-sources` says its own. The zero is
/// arbitrary.
///
/// # Examples
/// ```
/// use chronoscope_clock::{FakeClock, TickSource};
///
/// fn reads_until_change(source: &impl TickSource) -> u32 {
///     let first = source.read();
///     (1..).find(|_| source.read() != first).unwrap()
/// }
/// let clock = FakeClock::new();
/// clock.coarsen(core::time::Duration::from_nanos(100));
/// clock.set_read_cost(core::time::Duration::from_nanos(30));
/// assert_eq!(reads_until_change(&clock), 3);
/// ```
pub trait TickSource {
    /// Reads the source. Infallible: what can fail fails on construction.
    fn read(&self) -> u64;
}

impl<S: TickSource> TickSource for &S {
    #[inline(always)]
    fn read(&self) -> u64 {
        (**self).read()
    }
}

/// A function as a source.
#[derive(Clone, Copy)]
pub(crate) struct Function<F>(pub(crate) F);

impl<F: Fn() -> u64> TickSource for Function<F> {
    #[inline(always)]
    fn read(&self) -> u64 {
        (self.0)()
    }
}

/// A time that was read already, as a source.
pub(crate) struct Shown(pub(crate) crate::Instant);

impl TickSource for Shown {
    fn read(&self) -> u64 {
        self.0.to_bits()
    }
}
