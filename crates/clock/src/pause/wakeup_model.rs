use super::lateness::Lateness;

/// Upper ends of the classes of sleep lengths: the longer a sleep, the deeper the CPU idles, and the later it wakes.
const ENDS_NS: [u64; 8] = [16_000, 32_000, 64_000, 128_000, 256_000, 512_000, 2_000_000, 8_000_000];
const LENGTHS: usize = ENDS_NS.len() + 1;

/// A sleep this long makes the next one of the same wait later: caches, frequency and the hypervisor's timers have gone
/// cold.
pub(super) const LONG_NS: u64 = 200_000;

/// How late this thread's sleeps ended, by their length and by what preceded them.
#[derive(Clone, Debug)]
pub(super) struct WakeupModel {
    fresh: [Lateness; LENGTHS],
    after_long: [Lateness; LENGTHS],
}

impl WakeupModel {
    pub(super) const NOTHING: Self = Self { fresh: [Lateness::NONE; LENGTHS], after_long: [Lateness::NONE; LENGTHS] };

    /// The statistics of sleeps of about `ns`.
    pub(super) fn of(&mut self, ns: u64, after_long: bool) -> &mut Lateness {
        let length = ENDS_NS.partition_point(|end| *end <= ns);
        if after_long { &mut self.after_long[length] } else { &mut self.fresh[length] }
    }
}
