use chronoscope_harness::quantity::RATIO;
use chronoscope_harness::rule::Rule;
use chronoscope_render::text::{count, ns};

use super::report::{self, Conclusion, End, Front, Rise};
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
    let (kind, words) = match (&conclusion.front, conclusion.front.low(), conclusion.front.high()) {
        _ if conclusion.threads < 2 => (ONE_THREAD, "read by only one thread at a time: scaling unknown".to_owned()),
        (Front::Everywhere { tokens: 0, .. }, ..) => {
            (SCALES, format!("scales to {threads} threads, even read back to back"))
        }
        (Front::Everywhere { ns: least, .. }, ..) => {
            (SCALES, format!("scales from {} {between}, the least tried", ns(*least)))
        }
        (_, Some(low), Some(high)) if low.tokens == 0 => {
            (FRONT_BETWEEN, format!("the front is below {} {between}{}", ns(high.ns), slowed(conclusion, low)))
        }
        (_, Some(low), Some(high)) => {
            let bracket = format!("the front is between {} and {} {between}", ns(low.ns), ns(high.ns));
            (FRONT_BETWEEN, bracket + &slowed(conclusion, low))
        }
        (Front::Beyond { .. }, Some(low), None) => {
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
    let ends = [("raised_at_ns", conclusion.front.low()), ("flat_from_ns", conclusion.front.high())];
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

    use super::super::report::{Point, Rise};
    use super::*;

    fn conclusion(front: Front) -> Conclusion {
        Conclusion {
            clock: "granular 0 ns".to_owned(),
            threads: 2,
            front,
            points: Vec::new(),
            reads: Vec::new(),
            crowded: Vec::new(),
        }
    }

    fn open(raised: Option<(u64, f64)>, flat: Option<(u64, f64)>) -> Front {
        Front::Unresolved {
            raised_tokens: raised.map(|end| end.0),
            raised_ns: raised.map(|end| end.1),
            flat_tokens: flat.map(|end| end.0),
            flat_ns: flat.map(|end| end.1),
        }
    }

    /// As on a page: with the clock's name if the words are its own.
    fn said(conclusion: &Conclusion) -> String {
        let found = of_front(conclusion);
        let is_shared = [ONE_THREAD, SCALES, FRONT_UNKNOWN].iter().any(|kind| found.is(*kind));
        if is_shared { found.evidence.summary } else { format!("{}: {}", conclusion.clock, found.evidence.summary) }
    }

    #[test]
    fn each_front_is_of_its_kind() {
        let flat = Some((64, 97.0));
        let raised = Some((32, 49.0));
        let from = Front::From { tokens: 64, ns: 97.0, raised_tokens: 32, raised_ns: 49.0 };
        for (front, kind) in [
            (Front::Everywhere { tokens: 0, ns: 0.0 }, SCALES),
            (from, FRONT_BETWEEN),
            (Front::Beyond { tokens: 32, ns: 49.0 }, FRONT_BEYOND),
            (open(raised, None), FRONT_ABOVE),
            (open(None, flat), SCALES_FROM),
            (open(None, None), FRONT_UNKNOWN),
        ] {
            assert!(of_front(&conclusion(front)).is(kind), "{kind:?}");
        }
        assert!(
            of_front(&Conclusion { threads: 1, ..conclusion(Front::Beyond { tokens: 0, ns: 0.0 }) }).is(ONE_THREAD)
        );
    }

    #[test]
    fn the_clock_that_suffers_most_is_named() {
        let of = |clock: &str, points| Conclusion {
            clock: clock.to_owned(),
            points,
            ..conclusion(Front::Beyond { tokens: 0, ns: 0.0 })
        };
        let (slow, slower) = (at(0, (20.0, 60.0), Rise::Raised), at(0, (20.0, 140.0), Rise::Raised));
        let all = vec![of("slow", vec![slow.clone()]), of("slower", vec![slow, slower]), of("free", Vec::new())];
        let found = slowed_most(&all).unwrap();
        assert!(found.is(SLOWED_MOST) && found.subject.as_deref() == Some("slower"), "{found:?}");
        assert_eq!(slowed_most(&all[2..]), None);
    }

    #[test]
    fn every_front_has_its_sentence() {
        let from = |raised_tokens, raised_ns| Front::From { tokens: 64, ns: 97.0, raised_tokens, raised_ns };
        for (front, expected) in [
            (Front::Everywhere { tokens: 0, ns: 0.0 }, "scales to 2 threads, even read back to back"),
            (
                Front::Everywhere { tokens: 16, ns: 25.0 },
                "scales from 25.0 ns of work between reads on 2 threads, the least tried",
            ),
            (
                from(32, 49.0),
                "granular 0 ns: the front is between 49.0 ns and 97.0 ns of work between reads on 2 threads; at 49.0 ns \
                 or less an operation takes longer than on one thread",
            ),
            (
                from(0, 0.0),
                "granular 0 ns: the front is below 97.0 ns of work between reads on 2 threads; read back to back an \
                 operation takes longer than on one thread",
            ),
            (
                Front::Beyond { tokens: 32, ns: 49.0 },
                "granular 0 ns: the front is above 49.0 ns of work between reads on 2 threads, the most tried; at \
                 49.0 ns or less an operation takes longer than on one thread",
            ),
            (
                open(Some((32, 49.0)), None),
                "granular 0 ns: the front is above 49.0 ns of work between reads on 2 threads; inconclusive there; at \
                 49.0 ns or less an operation takes longer than on one thread",
            ),
            (
                open(Some((0, 0.0)), None),
                "granular 0 ns: inconclusive with any work between reads on 2 threads; read back to back an operation takes \
                 longer than on one thread",
            ),
            (
                open(None, Some((64, 97.0))),
                "granular 0 ns: scales from 97.0 ns of work between reads on 2 threads; inconclusive below",
            ),
            (open(None, None), "inconclusive on 2 threads"),
        ] {
            assert_eq!(said(&conclusion(front)), expected);
        }
        assert!(of_front(&conclusion(open(None, None))).is(FRONT_UNKNOWN));
        let lone = Conclusion { threads: 1, ..conclusion(Front::Everywhere { tokens: 0, ns: 0.0 }) };
        assert!(said(&lone).contains("scaling unknown"));
    }

    /// This much work, with these times on one thread and on two.
    fn at(backoff_tokens: u64, (alone, crowd): (f64, f64), rise: Rise) -> Point {
        let about = |estimate: f64| Estimate { estimate, low: estimate - 1.0, high: estimate + 1.0, confidence: 0.999 };
        let (alone_ns, crowd_ns) = (Some(about(alone)), Some(about(crowd)));
        Point {
            backoff_tokens,
            work_ns: backoff_tokens as f64,
            threads: 2,
            alone_ns,
            crowd_ns,
            increase_pct: None,
            rise,
        }
    }

    #[test]
    fn a_factor_has_its_point() {
        let points = vec![
            at(0, (20.0, 140.0), Rise::Raised),
            at(2, (20.0, 130.0), Rise::Raised),
            at(64, (60.0, 60.0), Rise::Flat),
        ];
        let front = Front::From { tokens: 64, ns: 64.0, raised_tokens: 2, raised_ns: 2.0 };
        let words = said(&Conclusion { points, ..conclusion(front) });
        assert!(
            words.ends_with(
                "; at 2.00 ns or less an operation takes longer than on one thread, read back to back 7.00× ± 0.43 \
                 as long"
            ),
            "{words}"
        );
        assert!(!words.contains("up to"), "another point's interval may reach farther: {words}");
    }

    #[test]
    fn what_is_resolved_within_an_open_range_is_said() {
        let of = |rises: &[(u64, Rise)]| rises.iter().map(|(tokens, rise)| at(*tokens, (9.0, 9.0), *rise)).collect();
        let (flat, open_rise) = (Rise::Flat, Rise::Unresolved);
        let points = of(&[(0, open_rise), (2, open_rise), (52, flat), (3220, open_rise)]);
        let words = said(&Conclusion { points, ..conclusion(open(None, None)) });
        assert_eq!(
            words,
            "inconclusive between none and 3.22 µs of work between reads on 2 threads, but flat at 52.0 ns"
        );
        let points = of(&[(0, flat), (2, flat), (52, open_rise), (3220, flat)]);
        let words = said(&Conclusion { points, ..conclusion(open(None, Some((3220, 3220.0)))) });
        assert!(words.ends_with("scales from 3.22 µs of work between reads on 2 threads; inconclusive below, but flat back to back and at 2.00 ns"), "{words}");
        let points = of(&[(0, flat), (1, flat), (2, flat), (4, flat), (52, open_rise)]);
        let words = said(&Conclusion { points, ..conclusion(open(None, None)) });
        assert!(words.ends_with(", but flat at 4 amounts of it, from 0 ns to 4.00 ns"), "{words}");
    }

    #[test]
    fn a_gap_below_the_front_is_not_called_raised() {
        let about = |estimate: f64| Estimate { estimate, low: estimate - 1.0, high: estimate + 1.0, confidence: 0.999 };
        let point = |backoff_tokens: u64, crowd: f64, rise| Point {
            increase_pct: None,
            backoff_tokens,
            work_ns: backoff_tokens as f64,
            threads: 2,
            alone_ns: Some(about(50.0)),
            crowd_ns: Some(about(crowd)),
            rise,
        };
        let gap = [point(1, 60.0, Rise::Unresolved), point(32, 210.0, Rise::Raised), point(64, 50.0, Rise::Flat)];
        let front = Front::From { tokens: 64, ns: 64.0, raised_tokens: 32, raised_ns: 32.0 };
        let words = said(&Conclusion { points: gap.to_vec(), ..conclusion(front.clone()) });
        assert!(words.ends_with("; at 32.0 ns an operation takes 4.20× ± 0.11 as long as on one thread"), "{words}");
        let words = said(&Conclusion { points: gap[1..].to_vec(), ..conclusion(front.clone()) });
        assert!(words.contains("; at 32.0 ns or less an operation"), "{words}");
        let little = vec![Point { alone_ns: Some(about(50.0)), ..point(32, 51.5, Rise::Raised) }];
        let words = said(&Conclusion { points: little, ..conclusion(front) });
        assert!(words.ends_with("an operation takes longer than on one thread"), "{words}");
    }
}
