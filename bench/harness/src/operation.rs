//! The operations whose time is known.

use chronoscope_harness::black_box;

/// An odd factor that an instruction can hold.
const FACTOR: u64 = 0x2545_F491;

/// As many links as the time of this operation is that of; None where that is not known.
pub(crate) fn links(name: &str) -> Option<u32> {
    name.strip_prefix("chain_")?.parse().ok()
}

/// One multiplication, which nobody can merge with the next one: the value is pinned to a register between them.
#[inline(always)]
pub(crate) fn chain_1(value: u64) -> u64 {
    black_box(value.wrapping_mul(FACTOR))
}

/// Ten times as many links, in straight code.
macro_rules! ten_times {
    ($name:ident, $part:path) => {
        #[inline(always)]
        pub(crate) fn $name(value: u64) -> u64 {
            let value = $part($part($part($part($part(value)))));
            $part($part($part($part($part(value)))))
        }
    };
}

ten_times!(chain_10, chain_1);
ten_times!(chain_100, chain_10);
ten_times!(chain_1000, chain_100);

/// 30 links.
#[inline(always)]
pub(crate) fn chain_30(value: u64) -> u64 {
    chain_10(chain_10(chain_10(value)))
}

/// 102 links: two percent more than 100.
#[inline(always)]
pub(crate) fn chain_102(value: u64) -> u64 {
    chain_1(chain_1(chain_100(value)))
}

/// 200 links, and half a percent more.
#[inline(always)]
pub(crate) fn chain_200(value: u64) -> u64 {
    chain_100(chain_100(value))
}

#[inline(always)]
pub(crate) fn chain_201(value: u64) -> u64 {
    chain_1(chain_200(value))
}

/// The links of a [`ruler`].
pub(crate) const RULER_LINKS: u32 = 10_000;

/// A chain of [`RULER_LINKS`]: so long that nothing around it shows in the time of a link. It is a loop of straight
/// pieces; the loop's counter does not wait for the chain, and so costs the chain nothing.
#[inline(never)]
pub(crate) fn ruler(mut value: u64) -> u64 {
    for _ in 0..RULER_LINKS / 100 {
        value = chain_100(value);
    }
    value
}

/// Four chains of 25 links that do not wait for each other.
#[inline(always)]
pub(crate) fn side_by_side(values: [u64; 4]) -> [u64; 4] {
    let mut values = values;
    for _ in 0..25 {
        values = values.map(chain_1);
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `links` links make of `value`.
    fn linked(value: u64, links: u32) -> u64 {
        (0..links).fold(value, |value, _| value.wrapping_mul(FACTOR))
    }

    #[test]
    fn chains_have_as_many_links_as_they_say() {
        let check = |links: u32, chain: fn(u64) -> u64| assert_eq!(chain(7), linked(7, links), "{links} links");
        check(1, chain_1);
        check(10, chain_10);
        check(30, chain_30);
        check(100, chain_100);
        check(102, chain_102);
        check(200, chain_200);
        check(201, chain_201);
        check(1000, chain_1000);
        check(RULER_LINKS, ruler);
        assert_eq!([links("chain_10"), links("empty")], [Some(10), None]);
        assert_eq!(side_by_side([1, 2, 3, 4]), [1, 2, 3, 4].map(|value| linked(value, 25)));
    }
}
