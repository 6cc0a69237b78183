//! What being on time takes of a CPU at least, on this machine, in this run.

/// The share of a CPU that waits of `length_ns` take if they sleep until a margin before the end and spin the rest, where all but
/// one in `one_in` are to be on time: from how late bare sleeps of that length were, rising, and what each took of the CPU. All of
/// it where a sleep takes more than the wait, or ends too late. None if too few sleeps were seen to tell the margin.
pub(crate) fn share(late_ns: &[u64], sleep_cpu_ns: f64, length_ns: f64, one_in: usize) -> Option<f64> {
    let beyond = late_ns.len() / one_in;
    if beyond == 0 {
        return None;
    }
    let margin_ns = late_ns[late_ns.len() - 1 - beyond];
    let spun_ns = late_ns.iter().map(|late| margin_ns.saturating_sub(*late)).sum::<u64>() as f64 / late_ns.len() as f64;
    let fits = (margin_ns as f64) < length_ns;
    Some(if fits { ((sleep_cpu_ns + spun_ns) / length_ns).min(1.0) } else { 1.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_a_sleep_and_what_the_margin_leaves() {
        // One in a hundred is 90 µs late, the others 30.
        let mut late_ns = vec![30_000; 990];
        late_ns.extend([90_000; 10]);
        let share_of = |length_ns| share(&late_ns, 5_000.0, length_ns, 100).unwrap();
        assert!((share_of(1_000_000.0) - 0.005).abs() < 1e-9, "the margin is what the others need");
        late_ns[985..].fill(90_000);
        let share_of = |length_ns| share(&late_ns, 5_000.0, length_ns, 100).unwrap();
        assert!((share_of(1_000_000.0) - (0.005 + 0.06 * 0.985)).abs() < 1e-9);
        assert_eq!((share_of(90_000.0), share_of(60_000.0)), (1.0, 1.0));
    }

    #[test]
    fn too_few_sleeps_tell_no_margin() {
        assert_eq!(share(&[3_000; 99], 5_000.0, 100_000.0, 100), None);
    }
}
