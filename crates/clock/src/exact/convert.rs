use core::time::Duration;

const SECOND_NS: u64 = 1_000_000_000;

/// One consistent state of the kernel's conversion, with the counter read under it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Conversion {
    /// The clocksource now, in its own cycles.
    pub(crate) cycles: u64,
    /// The clocksource at the kernel's last update.
    pub(crate) last: u64,
    /// The bits of the clocksource that count.
    pub(crate) mask: u64,
    /// Nanoseconds per cycle, times 2^shift.
    pub(crate) mult: u32,
    pub(crate) shift: u32,
    /// The clock at the last update: whole seconds, and the rest in nanoseconds times 2^shift.
    pub(crate) seconds: u64,
    pub(crate) shifted_ns: u64,
}

/// Parts of a cycle in which a step is kept.
pub(super) const FRACTION: u64 = 256;

/// How long a cycle of the clocksource is: `mult` / 2^`shift` nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rate {
    mult: u32,
    shift: u32,
}

impl Rate {
    /// The time of one cycle, rounded up.
    pub(crate) fn tick_ns(self) -> u64 {
        self.ns(FRACTION)
    }

    /// The time of so many cycles, in units of 1/[`FRACTION`], in nanoseconds, rounded up.
    pub(crate) fn ns(self, cycles: u64) -> u64 {
        let shift = (self.shift & 63) + FRACTION.trailing_zeros();
        if cycles >> 31 == 0 && shift < 63 {
            return (cycles * u64::from(self.mult) + ((1 << shift) - 1)) >> shift;
        }
        let product = u128::from(cycles) * u128::from(self.mult);
        u64::try_from((product + ((1 << shift) - 1)) >> shift).unwrap_or(u64::MAX)
    }
}

impl Rate {
    /// The time of so many cycles and a part of one, in 2^-32, in nanoseconds, rounded down.
    pub(crate) fn ns_of(self, cycles: u64, part: u32) -> u64 {
        let mult = u128::from(self.mult);
        let product = u128::from(cycles) * mult + ((u128::from(part) * mult) >> 32);
        u64::try_from(product >> (self.shift & 63)).unwrap_or(u64::MAX)
    }
}

/// Fewer cycles overflow no product: a mult has 32 bits, and a second's shifted nanoseconds at most 62.
const NARROW_CYCLES_LOG2: u32 = 31;

impl Conversion {
    /// The clock in nanoseconds, to the bit what the kernel computes from the same numbers.
    #[inline(always)]
    pub(crate) fn nanoseconds(self) -> u64 {
        self.seconds.wrapping_mul(SECOND_NS).wrapping_add(self.since_second_ns())
    }

    /// The same time without a multiplication of its seconds, nor a division: they are in the data.
    #[inline(always)]
    pub(crate) fn duration(self) -> Duration {
        let ns = self.since_second_ns();
        // The kernel moves on to the next second at its next update, a tick later or, while idle, some seconds.
        let (seconds, ns) =
            if ns < SECOND_NS { (self.seconds, ns) } else { (self.seconds.wrapping_add(1), ns - SECOND_NS) };
        if ns < SECOND_NS { Duration::new(seconds, ns as u32) } else { after_seconds(seconds, ns) }
    }

    /// Nanoseconds since `seconds`. Where the kernel's 64-bit product would overflow after a long gap, takes the wide one, as
    /// kernels since 6.10 do.
    ///
    /// # Sources
    /// `vdso_calc_ns()` in lib/vdso/gettimeofday.c and, for the clamp of a counter that is behind the last update,
    /// `vdso_calc_delta()` in arch/x86/include/asm/vdso/gettimeofday.h.
    #[inline(always)]
    fn since_second_ns(self) -> u64 {
        let delta = self.delta();
        if delta >> NARROW_CYCLES_LOG2 == 0 {
            // The mask costs nothing, as the processor applies it anyway; shifts are checked to be below 33 when found.
            delta.wrapping_mul(self.mult.into()).wrapping_add(self.shifted_ns) >> (self.shift & 63)
        } else {
            after_long_gap(delta, self.mask, self.mult, self.shift, self.shifted_ns)
        }
    }

    /// The clocksource's frequency in hertz.
    pub(crate) fn cycles_per_second(self) -> f64 {
        // Both are exact in a float.
        1e9 * (1_u64 << (self.shift & 63)) as f64 / f64::from(self.mult)
    }

    pub(crate) const fn rate(self) -> Rate {
        Rate { mult: self.mult, shift: self.shift }
    }

    /// Cycles since the last update; the mask's highest bit is set if the counter is behind it.
    #[inline(always)]
    fn delta(self) -> u64 {
        let delta = self.cycles.wrapping_sub(self.last);
        // Every clocksource that x86 reads in user space has 64 bits, and its kernels skip the mask as well.
        if cfg!(target_arch = "x86_64") { delta } else { delta & self.mask }
    }
}

/// After more seconds than one without an update.
#[cold]
#[inline(never)]
fn after_seconds(seconds: u64, ns: u64) -> Duration {
    Duration::new(seconds.wrapping_add(ns / SECOND_NS), (ns % SECOND_NS) as u32)
}

/// By the wide product. The arguments fit registers, so the common path keeps its own there.
#[cold]
#[inline(never)]
fn after_long_gap(delta: u64, mask: u64, mult: u32, shift: u32, shifted_ns: u64) -> u64 {
    // A core whose counter lags, or an early read: the time is the update's until the counter catches up.
    let delta = if delta > mask >> 1 { 0 } else { delta };
    let product = u128::from(delta) * u128::from(mult) + u128::from(shifted_ns);
    (product >> (shift & 63)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigUint;
    use proptest::prelude::*;

    /// Truth by big integers.
    fn truth(conversion: Conversion) -> u64 {
        let cycles = conversion.cycles.wrapping_sub(conversion.last);
        let since = BigUint::from(cycles) * conversion.mult + conversion.shifted_ns;
        let ns = (since >> conversion.shift) + BigUint::from(conversion.seconds) * 1_000_000_000_u64;
        let wrapped: BigUint = ns % (BigUint::from(1_u8) << 64);
        wrapped.iter_u64_digits().next().unwrap_or(0)
    }

    fn conversions() -> impl Strategy<Value = Conversion> {
        // From 1 MHz to 10 GHz, as kernels choose their shifts.
        let rates = (1_000_000_u64..10_000_000_000, 8_u32..=32).prop_filter_map("mult of 32 bits", |(hz, shift)| {
            let mult = u32::try_from((1_000_000_000_u128 << shift) / u128::from(hz)).ok().filter(|mult| *mult > 0)?;
            Some((mult, shift))
        });
        (rates, any::<u64>(), 0_u64..4_000_000_000, 0_u64..1_000_000_000).prop_map(
            |((mult, shift), last, seconds, ns)| Conversion {
                cycles: last,
                last,
                mask: u64::MAX,
                mult,
                shift,
                seconds,
                shifted_ns: ns << shift,
            },
        )
    }

    proptest! {
        #[test]
        fn conversion_is_the_truth_of_big_integers(from in conversions(), cycles in 0_u64..1 << 63) {
            let at = Conversion { cycles: from.last.wrapping_add(cycles), ..from };
            prop_assert_eq!(at.nanoseconds(), truth(at));
        }

        #[test]
        fn seconds_and_nanoseconds_apart_are_the_same_time(from in conversions(), cycles in prop_oneof![0_u64..1 << 34, 0_u64..1 << 40]) {
            let at = Conversion { cycles: from.last.wrapping_add(cycles), ..from };
            prop_assert_eq!(at.duration(), Duration::from_nanos(at.nanoseconds()));
        }

        #[test]
        fn short_gaps_are_the_truth_too(from in conversions(), cycles in 0_u64..1 << 33) {
            let at = Conversion { cycles: from.last.wrapping_add(cycles), ..from };
            prop_assert_eq!(at.nanoseconds(), truth(at));
        }

        #[test]
        fn a_counter_before_the_update_stands_at_the_update(from in conversions(), before in 1_u64..1 << 62) {
            let at = Conversion { cycles: from.last.wrapping_sub(before), ..from };
            prop_assert_eq!(at.nanoseconds(), from.nanoseconds());
        }

        #[test]
        fn time_never_decreases_as_cycles_grow(from in conversions(), cycles in 0_u64..1 << 62, more in 0_u64..1 << 40) {
            let at = |cycles: u64| Conversion { cycles: from.last.wrapping_add(cycles), ..from };
            prop_assert!(at(cycles + more).nanoseconds() >= at(cycles).nanoseconds());
        }
    }

    #[test]
    fn a_time_of_cycles_is_rounded_up() {
        let rate = Rate { mult: 6_710_886, shift: 24 };
        assert_eq!((rate.tick_ns(), rate.ns(26 * 256), rate.ns(25 * 256 + 1)), (1, 11, 11));
    }

    #[test]
    fn a_second_that_is_nearly_full_does_not_overflow() {
        let at = Conversion {
            cycles: (1 << NARROW_CYCLES_LOG2) - 1,
            last: 0,
            mask: u64::MAX,
            mult: u32::MAX,
            shift: 32,
            seconds: 7,
            shifted_ns: 999_999_999 << 32,
        };
        assert_eq!(at.nanoseconds(), truth(at));
    }
}
