//! The verdicts as people read them.

use comfy_table::Table;
use comfy_table::presets::{ASCII_MARKDOWN, NOTHING};

use crate::campaign::Campaign;
use crate::verdict::{Judged, Verdict};

/// The rows, then what is wrong, then all faults that were injected with what found them, then the sum.
pub fn text(verdicts: &[Verdict]) -> String {
    let mut table = Table::new();
    table.load_style(NOTHING).set_header(["scenario", "step", "fault", "expectation", "seen", ""]);
    for verdict in verdicts {
        if let Some(why) = &verdict.skipped {
            table.add_row([verdict.scenario.as_str(), "", "", "", why.as_str(), "skipped"]);
            continue;
        }
        if verdict.interrupted {
            table.add_row([verdict.scenario.as_str(), "", "", "", "", "interrupted"]);
        }
        for row in &verdict.rows {
            let word = match row {
                Judged { faults, .. } if !faults.is_empty() => "FAIL",
                Judged { missed: true, .. } => "missed",
                Judged { answers, .. } if !answers.is_empty() => "peer",
                _ => "ok",
            };
            let seen = row.seen.replace('\n', " ");
            let fault = row.fault.as_deref().unwrap_or_default();
            table.add_row([verdict.scenario.as_str(), &row.step, fault, &row.says, &seen, word]);
        }
    }
    let campaign = Campaign::of(verdicts);
    let (mut injected, mut rows) = (Table::new(), campaign.table().into_iter());
    injected.load_style(ASCII_MARKDOWN).set_header(rows.next().unwrap_or_default()).add_rows(rows);
    let campaign = match campaign.injected() {
        0 => String::new(),
        _ => format!("\n{injected}\n\n{}\n", campaign.sentences()),
    };
    trim(&table.to_string()) + &faults(verdicts) + &campaign + &sum(verdicts)
}

fn faults(verdicts: &[Verdict]) -> String {
    let of = |verdict: &Verdict| -> String {
        let whole = verdict.faults.iter().map(|fault| (String::new(), fault));
        let of_row = |row: &Judged| format!(", {}, {}", row.step, row.says);
        let rows = verdict.rows.iter().flat_map(|row| row.faults.iter().map(move |fault| (of_row(row), fault)));
        whole.chain(rows).map(|(row, fault)| format!("FAIL {}{row}: {fault}\n", verdict.scenario)).collect()
    };
    // What was not run has no rows.
    verdicts.iter().filter(|verdict| verdict.failed()).map(of).collect()
}

pub fn sum(verdicts: &[Verdict]) -> String {
    let run = || verdicts.iter().filter(|verdict| verdict.was_run());
    // What peers say, and what may be missed, is nothing that is expected.
    let rows = || run().flat_map(|verdict| &verdict.rows).filter(|row| row.answers.is_empty() && !row.missed);
    let met = rows().filter(|row| row.faults.is_empty()).count();
    let skipped = verdicts.iter().filter(|verdict| verdict.skipped.is_some()).count();
    let interrupted = match verdicts.iter().filter(|verdict| verdict.interrupted).count() {
        0 => String::new(),
        count => format!(", {count} interrupted"),
    };
    let failed = run().filter(|verdict| verdict.failed()).count();
    let campaign = Campaign::of(verdicts);
    let seconds: f64 = verdicts.iter().map(|verdict| verdict.seconds).sum();
    format!(
        "{} scenarios run, {failed} failed, {skipped} skipped{interrupted}; {met} of {} expectations met; {} faults injected, {} detected; {seconds:.0} s of machine time\n",
        run().count(),
        rows().count(),
        campaign.injected(),
        campaign.detected(),
    )
}

fn trim(text: &str) -> String {
    text.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

#[cfg(test)]
mod tests {
    use super::text;
    use crate::verdict::{Judged, Verdict};

    fn verdict(scenario: &str, faults: &[&str]) -> Verdict {
        let row = Judged {
            step: "clocks".to_owned(),
            says: "it is slow".to_owned(),
            seen: "slow: a|b".to_owned(),
            fault: Some(format!("fault of {scenario}")),
            finding: Some("slow".to_owned()),
            faults: faults.iter().map(|&fault| fault.to_owned()).collect(),
            ..Judged::default()
        };
        Verdict { scenario: scenario.to_owned(), seconds: 2.0, rows: vec![row], ..Verdict::default() }
    }

    #[test]
    fn every_fault_and_every_skip_is_told() {
        let skipped = Verdict { skipped: Some("no xen".to_owned()), ..verdict("xen", &[]) };
        let text = text(&[verdict("a", &[]), verdict("b", &["seen: nothing"]), skipped]);
        assert!(text.contains("FAIL b, clocks, it is slow: seen: nothing\n"), "{text}");
        assert!(text.contains("no xen") && text.contains("skipped"), "{text}");
        let sum = "2 scenarios run, 1 failed, 1 skipped; 1 of 2 expectations met; 2 faults injected, 1 detected; 6 s of machine time\n";
        assert!(text.ends_with(sum), "{text}");
        assert!(text.contains("| fault of a | a        | `slow`      |"), "{text}");
    }

    #[test]
    fn what_was_interrupted_is_counted_by_itself() {
        let ended = Verdict { interrupted: true, rows: vec![], ..verdict("b", &[]) };
        let text = text(&[verdict("a", &[]), ended]);
        assert!(text.contains("interrupted\n") && !text.contains("FAIL"), "{text}");
        assert!(
            text.contains("1 scenarios run, 0 failed, 0 skipped, 1 interrupted; 1 of 1 expectations met"),
            "{text}"
        );
    }
}
