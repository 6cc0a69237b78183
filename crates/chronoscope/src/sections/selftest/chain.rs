use chronoscope_harness::black_box;

/// An odd factor: it never makes a product zero.
const FACTOR: u64 = 0x5851_f42d_4c95_7f2d;

/// One link: a multiplication by the previous product. The black box is not an instruction; it keeps the compiler from
/// combining the factors of several links in advance.
#[inline(always)]
fn link(x: u64) -> u64 {
    black_box(x.wrapping_mul(FACTOR))
}

#[inline(always)]
fn ten_links(x: u64) -> u64 {
    link(link(link(link(link(link(link(link(link(link(x))))))))))
}

/// A chain of `links` multiplications, each waiting for the previous one.
///
/// It takes `links` times the latency of the CPU's multiplication: the loop counter adds nothing.
#[inline(always)]
pub fn chain(mut x: u64, links: u64) -> u64 {
    for _ in 0..links / 10 {
        x = ten_links(x);
    }
    for _ in 0..links % 10 {
        x = link(x);
    }
    x
}

/// The same with a compile-time length.
#[inline(always)]
pub fn chain_of<const LINKS: u64>(x: u64) -> u64 {
    chain(x, LINKS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_is_a_power() {
        let power = |n: u32| (0..n).fold(1_u64, |x, _| x.wrapping_mul(FACTOR));
        assert_eq!([chain(1, 0), chain(1, 7), chain_of::<102>(1)], [1, power(7), power(102)]);
    }
}
