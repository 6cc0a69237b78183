use chronoscope_harness::quantity::RATIO;
use chronoscope_harness::rule::Rule;
use chronoscope_render::text::{count, ns};

use super::report::{self, Conclusion, End, Rise, Scales};
use chronoscope_harness::finding::{Finding, Kind, Meaning, NO_ACTION};

/// What can be known about a clock's front, one finding per clock.
pub const FRONTS: &[Kind] = &[ONE_THREAD, SCALES, SCALES_FROM, FRONT_BETWEEN, FRONT_ABOVE, FRONT_BEYOND, FRONT_UNKNOWN];

/// The page that shows them.
const SHOWN_IN: &[&str] = &["scaling"];

pub const RULES: &[Rule<Vec<Conclusion>>] = &[
    Rule { yields: FRONTS, find: |conclusions| conclusions.iter().map(of_front).collect() },
    Rule { yields: &[SLOWED_MOST], find: |conclusions| slowed_most(conclusions).into_iter().collect() },
];

pub const ONE_THREAD: Kind = Kind::notice(
    "one_thread",
    Meaning {
        about: "a clock was read by only one thread at a time, so scaling is unknown",
        evidence: "the number of threads that read at a time (`threads`)",
        mend: "use a runtime or a machine that runs threads in parallel",
    },
)
.shown_in(SHOWN_IN);
pub const SCALES: Kind = Kind::notice(
    "scales",
    Meaning {
        about: "threads reading a clock do not slow each other down with any work tried between reads",
        evidence: "the number of threads (`threads`) and the least work tried (`flat_from_ns`)",
        mend: NO_ACTION,
    },
)
.shown_in(SHOWN_IN);
pub const SCALES_FROM: Kind = Kind::notice(
    "scales_from",
    Meaning {
        about: "threads reading a clock do not slow each other down with enough work between reads; \
            inconclusive with less",
        evidence: "the number of threads (`threads`) and the work from which they do not slow each other down \
            (`flat_from_ns`)",
        mend: "do at least that much work between reads; measure longer to learn about less",
    },
)
.shown_in(SHOWN_IN);

pub const FRONT_BETWEEN: Kind = Kind::notice(
    "front_between",
    Meaning {
        about: "threads reading a clock slow each other down unless they do enough work between reads",
        evidence: "the most work at which threads cost more (`raised_at_ns`) and the least at which they do not \
            (`flat_from_ns`)",
        mend: "do at least that much work between reads, or use a clock that scales",
    },
)
.shown_in(SHOWN_IN);
pub const FRONT_ABOVE: Kind = Kind::notice(
    "front_above",
    Meaning {
        about: "threads reading a clock slow each other down up to some work between reads; inconclusive above",
        evidence: "the most work at which threads are known to cost more (`raised_at_ns`)",
        mend: "do more work between reads than that; measure longer to learn how much",
    },
)
.shown_in(SHOWN_IN);

pub const FRONT_BEYOND: Kind = Kind::notice(
    "front_beyond",
    Meaning {
        about: "threads reading a clock slow each other down with any work tried between reads",
        evidence: "the most work tried, at which threads still cost more (`raised_at_ns`)",
        mend: "use a clock that scales, or read this one from a single thread",
    },
)
.shown_in(SHOWN_IN);
pub const FRONT_UNKNOWN: Kind = Kind::notice(
    "front_unknown",
    Meaning {
        about: "whether threads reading a clock slow each other down is inconclusive",
        evidence: "the amounts of work tried, all inconclusive",
        mend: "measure longer or on idle CPUs",
    },
)
.shown_in(SHOWN_IN);
pub const SLOWED_MOST: Kind = Kind::notice(
    "slowed_most",
    Meaning {
        about: "of all clocks, this one scales worst",
        evidence: "how many times as long an operation takes on many threads as on one (`factor`)",
        mend: "avoid this clock where many threads read it often",
    },
)
.shown_in(SHOWN_IN);

fn slowed_most(conclusions: &[Conclusion]) -> Option<Finding> {
    let slowed = report::slowed_most(conclusions)?;
    let (point, factor) = slowed.worst()?;
    let words = format!(
        "scales worst: {} the time per operation on {} threads",
        RATIO.value(factor.estimate),
        count(u64::from(point.threads))
    );
    Some(Finding::new(SLOWED_MOST, words).about(&slowed.clock).value("factor", factor.estimate))
}

/// What is known about a clock's front: a bracket, or which of its ends is open.
fn of_front(conclusion: &Conclusion) -> Finding {
    let threads = count(u64::from(conclusion.threads));
    let between = format!("of work between reads on {threads} threads");
    let (kind, words) = match (conclusion.front.scales, conclusion.front.raised, conclusion.front.flat) {
        _ if conclusion.threads < 2 => (ONE_THREAD, "read by only one thread at a time: scaling unknown".to_owned()),
        (Scales::Everywhere, _, Some(End { tokens: 0, .. })) => {
            (SCALES, format!("scales to {threads} threads, even read back to back"))
        }
        (Scales::Everywhere, _, Some(least)) => {
            (SCALES, format!("scales from {} {between}, the least tried", ns(least.ns)))
        }
        (_, Some(low), Some(high)) if low.tokens == 0 => {
            (FRONT_BETWEEN, format!("the front is below {} {between}{}", ns(high.ns), slowed(conclusion, low)))
        }
        (_, Some(low), Some(high)) => {
            let bracket = format!("the front is between {} and {} {between}", ns(low.ns), ns(high.ns));
            (FRONT_BETWEEN, bracket + &slowed(conclusion, low))
        }
        (Scales::Beyond, Some(low), None) => {
            let above = format!("the front is above {} {between}, the most tried", ns(low.ns));
            (FRONT_BEYOND, above + &slowed(conclusion, low))
        }
        (_, Some(low), None) => {
            let above = |end: End| end.tokens > low.tokens;
            let above = if low.tokens == 0 {
                format!("inconclusive with any work between reads on {threads} threads{}", but(conclusion, above))
            } else {
                format!("the front is above {} {between}; inconclusive there{}", ns(low.ns), but(conclusion, above))
            };
            (FRONT_ABOVE, above + &slowed(conclusion, low))
        }
        (_, None, Some(high)) => {
            let below = but(conclusion, |end| end.tokens < high.tokens);
            (SCALES_FROM, format!("scales from {} {between}; inconclusive below{below}", ns(high.ns)))
        }
        (_, None, None) => (FRONT_UNKNOWN, inconclusive(conclusion, &between)),
    };
    let ends = [("raised_at_ns", conclusion.front.raised), ("flat_from_ns", conclusion.front.flat)];
    let finding = Finding::new(kind, words).about(&conclusion.clock).value("threads", conclusion.threads.into());
    ends.into_iter().fold(finding, |finding, (name, end)| match end {
        Some(end) => finding.value(name, end.ns),
        None => finding,
    })
}

/// Over everything tried.
fn inconclusive(conclusion: &Conclusion, between: &str) -> String {
    match (conclusion.points.first(), conclusion.points.last()) {
        (Some(least), Some(most)) if least.backoff_tokens < most.backoff_tokens => {
            let least = if least.backoff_tokens == 0 { "none".to_owned() } else { ns(least.work_ns) };
            format!("inconclusive between {least} and {} {between}{}", ns(most.work_ns), but(conclusion, |_| true))
        }
        _ => format!("inconclusive on {} threads", count(u64::from(conclusion.threads))),
    }
}

/// Maximum amounts of work listed in a sentence; beyond that, only their range.
const NAMED: usize = 3;

/// Where, in a range that is inconclusive as a whole, threads are known not to slow each other down: `, but flat at …`.
fn but(conclusion: &Conclusion, is_in: impl Fn(End) -> bool) -> String {
    let flat = conclusion.by_backoff().into_iter().filter(|(end, rise)| *rise == Rise::Flat && is_in(*end));
    let name = |end: &End| if end.tokens == 0 { "back to back".to_owned() } else { format!("at {}", ns(end.ns)) };
    let flat: Vec<End> = flat.map(|(end, _)| end).collect();
    match flat.as_slice() {
        [] => String::new(),
        [first, .., last] if flat.len() > NAMED => {
            format!(", but flat at {} amounts of it, from {} to {}", flat.len(), ns(first.ns), ns(last.ns))
        }
        some => format!(", but flat {}", some.iter().map(name).collect::<Vec<_>>().join(" and ")),
    }
}

/// How much threads are known to slow each other down: up to the front's lower end.
fn slowed(conclusion: &Conclusion, low: End) -> String {
    let at = match low.tokens {
        0 => "read back to back".to_owned(),
        tokens if conclusion.is_raised_up_to(tokens) => format!("at {} or less", ns(low.ns)),
        _ => format!("at {}", ns(low.ns)),
    };
    let longer = format!("; {at} an operation takes longer than on one thread");
    // An interval that includes no increase is not a factor: the directly compared cost of the read is what is known to
    // rise.
    let Some((point, worst)) = conclusion.worst().filter(|(_, worst)| worst.low > 1.0) else { return longer };
    let work =
        if point.backoff_tokens == 0 { "read back to back".to_owned() } else { format!("at {}", ns(point.work_ns)) };
    let on = if point.threads == conclusion.threads { String::new() } else { format!(" on {} threads", point.threads) };
    let times = RATIO.amount(&worst);
    if work == at && on.is_empty() {
        format!("; {at} an operation takes {times} as long as on one thread")
    } else {
        format!("{longer}, {work}{on} {times} as long")
    }
}

#[cfg(test)]
mod tests {
    use chronoscope_harness::record::study::Estimate;

    use super::super::report::{Front, Point, Rise};
    use super::*;
    use crate::tests::golden_file::assert_findings;

    fn conclusion(front: Front) -> Conclusion {
        Conclusion {
            clock: "granular 0 ns".to_owned(),
            threads: 2,
            front,
            points: Vec::new(),
            reads: Vec::new(),
            oversubscribed: Vec::new(),
        }
    }

    #[test]
    fn each_front_is_of_its_kind() {
        let flat = Some((64, 97.0));
        let raised = Some((32, 49.0));
        let from = Front::between((32, 49.0), (64, 97.0));
        for (front, kind) in [
            (Front::everywhere(0, 0.0), SCALES),
            (from, FRONT_BETWEEN),
            (Front::beyond(32, 49.0), FRONT_BEYOND),
            (Front::open(raised, None), FRONT_ABOVE),
            (Front::open(None, flat), SCALES_FROM),
            (Front::open(None, None), FRONT_UNKNOWN),
        ] {
            assert!(of_front(&conclusion(front)).is(kind), "{kind:?}");
        }
        assert!(of_front(&Conclusion { threads: 1, ..conclusion(Front::beyond(0, 0.0)) }).is(ONE_THREAD));
    }

    #[test]
    fn the_clock_that_suffers_most_is_named() {
        let of =
            |clock: &str, points| Conclusion { clock: clock.to_owned(), points, ..conclusion(Front::beyond(0, 0.0)) };
        let (slow, slower) = (at(0, (20.0, 60.0), Rise::Raised), at(0, (20.0, 140.0), Rise::Raised));
        let all = vec![of("slow", vec![slow.clone()]), of("slower", vec![slow, slower]), of("free", Vec::new())];
        let found = slowed_most(&all).unwrap();
        assert!(found.is(SLOWED_MOST) && found.subject.as_deref() == Some("slower"), "{found:?}");
        assert_eq!(slowed_most(&all[2..]), None);
    }

    /// This much work, with these times on one thread and on two.
    fn at(backoff_tokens: u64, (alone, all): (f64, f64), rise: Rise) -> Point {
        let about = |estimate: f64| Estimate { estimate, low: estimate - 1.0, high: estimate + 1.0, confidence: 0.999 };
        let (alone_ns, all_ns) = (Some(about(alone)), Some(about(all)));
        Point {
            backoff_tokens,
            work_ns: backoff_tokens as f64,
            work_all_ns: None,
            threads: 2,
            alone_ns,
            all_ns,
            increase_pct: None,
            rise,
        }
    }

    /// As in `tests/golden/findings/fronts.txt`.
    #[test]
    fn every_front_has_its_sentence() {
        let from = |raised_tokens, raised_ns| Front::between((raised_tokens, raised_ns), (64, 97.0));
        let near = Front::between((32, 32.0), (64, 64.0));
        let (raised, flat, unsure) = (Rise::Raised, Rise::Flat, Rise::Unresolved);
        let rising =
            |rises: &[(u64, Rise)]| rises.iter().map(|(tokens, rise)| at(*tokens, (9.0, 9.0), *rise)).collect();
        let gap = [at(1, (50.0, 60.0), unsure), at(32, (50.0, 210.0), raised), at(64, (50.0, 50.0), flat)];
        let factor = vec![at(0, (20.0, 140.0), raised), at(2, (20.0, 130.0), raised), at(64, (60.0, 60.0), flat)];
        let to_2 = Front::between((2, 2.0), (64, 64.0));
        let cases = vec![
            ("everywhere", Front::everywhere(0, 0.0), vec![]),
            ("from the least tried", Front::everywhere(16, 25.0), vec![]),
            ("between two amounts of work", from(32, 49.0), vec![]),
            ("below one", from(0, 0.0), vec![]),
            ("beyond the most tried", Front::beyond(32, 49.0), vec![]),
            ("above one, then inconclusive", Front::open(Some((32, 49.0)), None), vec![]),
            ("above none", Front::open(Some((0, 0.0)), None), vec![]),
            ("from one, inconclusive below", Front::open(None, Some((64, 97.0))), vec![]),
            ("inconclusive", Front::open(None, None), vec![]),
            ("a factor has its point", to_2, factor),
            (
                "flat within an open range",
                Front::open(None, None),
                rising(&[(0, unsure), (2, unsure), (52, flat), (3220, unsure)]),
            ),
            (
                "flat below, but not all of it",
                Front::open(None, Some((3220, 3220.0))),
                rising(&[(0, flat), (2, flat), (52, unsure), (3220, flat)]),
            ),
            (
                "flat at many amounts",
                Front::open(None, None),
                rising(&[(0, flat), (1, flat), (2, flat), (4, flat), (52, unsure)]),
            ),
            ("a gap below the front is not raised", near, gap.to_vec()),
            ("without the gap", near, gap[1..].to_vec()),
            ("too little for a factor", near, vec![at(32, (50.0, 51.5), raised)]),
        ];
        let mut cases: Vec<_> = cases
            .into_iter()
            .map(|(case, front, points)| (case, vec![of_front(&Conclusion { points, ..conclusion(front) })]))
            .collect();
        let lone = Conclusion { threads: 1, ..conclusion(Front::everywhere(0, 0.0)) };
        cases.push(("one thread", vec![of_front(&lone)]));
        assert_findings("fronts", cases);
    }
}
