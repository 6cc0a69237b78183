use super::sample::Steal;

/// The kernel's counters of all CPUs.
pub const FILE: &str = "/proc/stat";
/// Linux counts for programs in hundredths of a second, whatever its own tick is.
const STEP_NS: u64 = 10_000_000;
/// Where the counter is in the line of all CPUs, after its name.
const PLACE: usize = 7;

/// The counter from the text of [`FILE`], read at `at_ns`.
///
/// # Errors
/// What it lacks.
///
/// # Sources
/// proc_stat(5): user, nice, system, idle, iowait, irq, softirq, steal, in `USER_HZ`, which is 100 on every architecture
/// that this program is built for.
pub fn parse(text: &str, at_ns: u64) -> Result<Steal, String> {
    let lacks = |what: &str| format!("{FILE} has no {what}");
    let mut lines = text.lines().take_while(|line| line.starts_with("cpu"));
    let all = lines.next().and_then(|line| line.strip_prefix("cpu ")).ok_or_else(|| lacks("line of all CPUs"))?;
    let ticks = all.split_ascii_whitespace().nth(PLACE).and_then(|word| word.parse::<u64>().ok());
    let ticks = ticks.ok_or_else(|| lacks("count of stolen time"))?;
    let cpus = u32::try_from(lines.count()).unwrap_or(u32::MAX);
    Ok(Steal { at_ns, stolen_ns: ticks.saturating_mul(STEP_NS), step_ns: STEP_NS, cpus })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TEXT: &str =
        "cpu  10 1 20 300 4 0 5 77 0 0\ncpu0 5 0 10 150 2 0 2 40 0 0\ncpu1 5 1 10 150 2 0 3 37 0 0\nintr 5\n";

    #[test]
    fn the_eighth_number_is_stolen() {
        let steal = Steal { at_ns: 9, stolen_ns: 770_000_000, step_ns: 10_000_000, cpus: 2 };
        assert_eq!(parse(TEXT, 9), Ok(steal));
    }

    #[test]
    fn what_is_missing_is_named() {
        // A line, and then the number that Linux before 2.6.11 had not.
        assert!(["", "cpu  1 2 3 4\n"].iter().all(|text| parse(text, 0).is_err()));
    }

    proptest! {
        #[test]
        fn nothing_panics(text in "(cpu[ 0-9]*\n){0,4}.{0,40}") {
            let _ = parse(&text, 0);
        }
    }
}
