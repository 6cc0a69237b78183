use chronoscope_report::text::{Mood, count, ns, percent, three_digits};

use super::front::{Conclusion, Front, TOLERANCE_PCT};

/// What the front of a clock means, in words.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Said {
    pub(super) mood: Mood,
    pub(super) sign: &'static str,
    pub(super) words: String,
    /// Whether the words fit other clocks too, and lack the clock's name.
    pub(super) is_shared: bool,
}

/// What the front of a clock means.
pub(super) fn said(conclusion: &Conclusion) -> Said {
    let clock = &conclusion.clock;
    let threads = count(u64::from(conclusion.threads));
    let shared = |mood, sign, words: String| Said { mood, sign, words, is_shared: true };
    let own = |mood, sign, words: String| Said { mood, sign, words, is_shared: false };
    match &conclusion.front {
        _ if conclusion.threads < 2 => {
            shared(Mood::Quiet, "·", "read by one thread at a time, so nothing can be said of more".to_owned())
        }
        Front::Everywhere { .. } => shared(Mood::Good, "✔", format!("scales to {threads} threads at any rate")),
        Front::From { ns: work_ns, raised_ns, .. } => own(
            Mood::Warning,
            "!",
            format!(
                "{clock}: below one read per {} per thread on {threads} threads you measure the clock, not your program \
                 (the front lies between {} and {} of work{})",
                ns(*work_ns),
                ns(*raised_ns),
                ns(*work_ns),
                worst(conclusion)
            ),
        ),
        Front::Beyond { ns: work_ns, .. } => own(
            Mood::Bad,
            "✘",
            format!(
                "{clock}: on {threads} threads you measure the clock, not your program, even at one read per {}, the longest \
                 that was tried{}",
                ns(*work_ns),
                worst(conclusion)
            ),
        ),
        Front::Unresolved { raised_ns: None, flat_ns: None } => {
            shared(Mood::Quiet, "?", format!("unresolved on {threads} threads"))
        }
        Front::Unresolved { raised_ns, flat_ns } => {
            let raised =
                raised_ns.map(|raised| format!("; up to {} of work between reads it does not scale", ns(raised)));
            let flat = flat_ns.map(|flat| format!("; from {} of work between reads on it does", ns(flat)));
            let known: String = raised.into_iter().chain(flat).collect();
            own(Mood::Quiet, "?", format!("{clock} on {threads} threads: unresolved{known}"))
        }
    }
}

fn worst(conclusion: &Conclusion) -> String {
    let worst = conclusion.worst_rise();
    if worst > 1.0 {
        format!("; at worst an operation takes {} times as long", three_digits(worst))
    } else {
        String::new()
    }
}

/// What the front is, for whoever reads it for the first time.
pub(super) fn definition() -> String {
    format!(
        "the scalability front of a clock: the least work between reads from which more threads, up to the number of CPUs, \
         do not raise the time per operation by more than {} of what it takes on one. Below it lies the forbidden zone (▲)",
        percent(TOLERANCE_PCT)
    )
}

#[cfg(test)]
mod tests {
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

    #[test]
    fn every_front_has_its_sentence() {
        let words = |front: Front| said(&conclusion(front)).words;
        assert_eq!(words(Front::Everywhere { ns: 0.0 }), "scales to 2 threads at any rate");
        let from = words(Front::From { tokens: 64, ns: 97.0, raised_tokens: 32, raised_ns: 49.0 });
        let expected = "below one read per 97.0 ns per thread on 2 threads you measure the clock, not your program";
        assert!(from.starts_with("granular 0 ns: ") && from.contains(expected), "{from}");
        assert!(words(Front::Beyond { tokens: 1, ns: 3.0 }).contains("even at one read per 3.00 ns"));
        let unresolved = words(Front::Unresolved { raised_ns: Some(3.0), flat_ns: Some(97.0) });
        assert!(unresolved.contains("unresolved; up to 3.00 ns"), "{unresolved}");
        assert!(said(&conclusion(Front::Unresolved { raised_ns: None, flat_ns: None })).is_shared);
        let lone = Conclusion { threads: 1, ..conclusion(Front::Everywhere { ns: 0.0 }) };
        assert!(said(&lone).words.contains("nothing can be said"));
    }
}
