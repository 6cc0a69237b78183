/// A number from 0.5 to 1.5 for this iteration of a run: how long it is, and how much precedes it untimed, is drawn by lot, or operations
/// whose cost comes round every so often would meet them always at the same point.
///
/// # Sources
/// G. L. Steele, D. Lea, C. H. Flood, "Fast Splittable Pseudorandom Number Generators", 2014: SplitMix64's mixer.
pub(super) fn lot(seed: u64, process: u32, cell: usize, draw: u32) -> f64 {
    let mixed = [u64::from(process), cell as u64, u64::from(draw)].into_iter().fold(seed, |mixed, of| {
        let z = (mixed ^ of).wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    });
    0.5 + (mixed >> 11) as f64 / (1_u64 << 53) as f64
}

/// What is drawn for a process rather than for one of its cells, in place of a cell's number.
pub(super) const ORDER: usize = usize::MAX;
pub(super) const TURNS: usize = usize::MAX - 1;

/// Heads or tails, by lot for every other draw: the next has the other side, so that either comes up as often. In an order that only
/// alternated, what disturbs every fourth place would always meet the same.
pub(super) fn heads(seed: u64, process: u32, cell: usize, draw: u32) -> bool {
    (lot(seed, process, cell, draw / 2) < 1.0) == draw.is_multiple_of(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lots_are_spread_evenly_and_differ_from_each_other() {
        let lots: Vec<f64> = (0..1_000).map(|draw| lot(1, draw % 10, 3, draw / 10)).collect();
        assert!(lots.iter().all(|lot| (0.5..1.5).contains(lot)));
        assert!((lots.iter().sum::<f64>() / 1_000.0 - 1.0).abs() < 0.03);
        let next = lots.windows(2).map(|two| (two[0] - 1.0) * (two[1] - 1.0)).sum::<f64>() / 999.0;
        assert!(next.abs() < 0.01, "{next}");
    }
}
