use super::mode::{self, is_readable, mode_of};

/// Which of its two shapes the kernel's data have.
///
/// The layout is no stable interface: versions add fields. So it is not assumed but searched for by what its fields must
/// look like, and its results are checked against `clock_gettime`.
///
/// # Sources
/// include/vdso/datapage.h (`struct vdso_clock`, before Linux 6.15 `struct vdso_data`), for x86 before Linux 5.3
/// arch/x86/include/asm/vgtod.h: sequence number and clock mode, `cycle_last`, `max_cycles` where configured, mask, mult
/// and shift, and the base times; `CLOCK_MONOTONIC`'s is the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// The mask follows `cycle_last`.
    WithoutMaxCycles,
    /// `max_cycles` lies between them.
    WithMaxCycles,
}

/// How far into the page the data may begin, in words.
const FURTHEST_START: usize = 64;

impl Layout {
    const ALL: [Self; 2] = [Self::WithoutMaxCycles, Self::WithMaxCycles];

    #[inline(always)]
    pub(crate) const fn mask(self) -> usize {
        2 + self as usize
    }

    /// mult in the lower half, shift in the upper.
    #[inline(always)]
    pub(crate) const fn rate(self) -> usize {
        3 + self as usize
    }

    /// `CLOCK_REALTIME`'s seconds; the shifted nanoseconds follow. Before Linux 4.20 they came first on x86, so what is read
    /// here must be checked.
    #[inline(always)]
    pub(crate) const fn realtime(self) -> usize {
        4 + self as usize
    }

    /// `CLOCK_MONOTONIC`'s seconds; the shifted nanoseconds follow.
    #[inline(always)]
    pub(crate) const fn monotonic(self) -> usize {
        6 + self as usize
    }
}

/// What the beginning of a page looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Search {
    /// Conversion data, as many words into the page.
    Found(usize, Layout),
    /// Conversion data that say that the clocksource cannot be read in user space now.
    NotReadable,
    /// The page of a time namespace.
    TimeNamespace,
    /// Nothing that is known.
    Unknown,
}

/// Searches the beginning of a page, given by `word`.
pub(crate) fn search(word: impl Fn(usize) -> u64) -> Search {
    let candidates = || (0..FURTHEST_START).flat_map(|start| Layout::ALL.map(|layout| (start, layout)));
    let is_there = |start, layout, is_meant: fn(u32) -> bool| looks_right(&|at| word(start + at), layout, is_meant);
    let found = candidates().find(|(start, layout)| is_there(*start, *layout, is_readable));
    if let Some((start, layout)) = found {
        return Search::Found(start, layout);
    }
    // Their sequence number is 1 for ever.
    if (0..FURTHEST_START).any(|start| word(start) == u64::from(mode::TIME_NAMESPACE) << 32 | 1) {
        return Search::TimeNamespace;
    }
    let is_unreadable = candidates().any(|(start, layout)| is_there(start, layout, |mode| mode == mode::NONE));
    if is_unreadable { Search::NotReadable } else { Search::Unknown }
}

fn looks_right(word: &impl Fn(usize) -> u64, layout: Layout, is_meant: fn(u32) -> bool) -> bool {
    let mask = word(layout.mask());
    let rate = word(layout.rate());
    let (mult, shift) = (rate as u32, (rate >> 32) as u32);
    // Masks are all ones from bit 0, at least 32 of them; a rate between 10 GHz and 0.5 MHz.
    is_meant(mode_of(word(0)))
        && mask & mask.wrapping_add(1) == 0
        && mask >= u64::from(u32::MAX)
        && (1..=32).contains(&shift)
        && mult != 0
        && u64::from(mult) >> shift <= 2_000
        && (u64::from(mult) * 10) >> shift >= 1
}

#[cfg(test)]
mod tests {
    use super::*;

    const MASK: u64 = u64::MAX;
    const RATE: u64 = 24 << 32 | 6_710_892;

    fn page(start: usize, words: &[u64]) -> [u64; 128] {
        let mut page = [0; 128];
        page[start..start + words.len()].copy_from_slice(words);
        page
    }

    fn search_in(page: [u64; 128]) -> Search {
        search(|at| page[at])
    }

    #[test]
    fn both_shapes_are_found_wherever_they_begin() {
        for start in [0, 16, 63] {
            let without = page(start, &[1 << 32 | 8, 777, MASK, RATE, 1, 2, 3, 4]);
            assert_eq!(search_in(without), Search::Found(start, Layout::WithoutMaxCycles));
            let with = page(start, &[1 << 32 | 8, 777, 1 << 40 | 5, MASK, RATE, 1, 2, 3, 4]);
            assert_eq!(search_in(with), Search::Found(start, Layout::WithMaxCycles));
        }
    }

    #[test]
    fn what_cannot_be_read_is_told_from_what_is_not_known() {
        assert_eq!(search_in([0; 128]), Search::Unknown);
        assert_eq!(search_in(page(0, &[8, 777, MASK, RATE])), Search::NotReadable);
        assert_eq!(search_in(page(16, &[0x7fff_ffff << 32 | 1])), Search::TimeNamespace);
        assert_eq!(search_in(page(0, &[9 << 32 | 8, 777, MASK, RATE])), Search::Unknown);
    }

    #[test]
    fn the_shapes_lie_as_the_kernel_has_them() {
        let without = Layout::WithoutMaxCycles;
        assert_eq!((without.mask(), without.rate(), without.realtime(), without.monotonic()), (2, 3, 4, 6));
        let with = Layout::WithMaxCycles;
        assert_eq!((with.mask(), with.rate(), with.realtime(), with.monotonic()), (3, 4, 5, 7));
    }
}
