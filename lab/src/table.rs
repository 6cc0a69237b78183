//! The verdicts as people read them.

use comfy_table::Table;
use comfy_table::presets::NOTHING;

use crate::campaign::Campaign;
use crate::verdict::{Judged, Verdict};

/// For a terminal: the rows, then all faults, then the sum.
pub fn plain(verdicts: &[Verdict]) -> String {
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
    trim(&table.to_string()) + &faults(verdicts) + &sum(verdicts)
}

/// A line for everything that is wrong.
fn faults(verdicts: &[Verdict]) -> String {
    let mut text = String::new();
    for verdict in verdicts {
        let whole = verdict.faults.iter().map(|fault| (String::new(), fault));
        let rows = verdict.rows.iter().flat_map(|row| row.faults.iter().map(move |fault| (named(row), fault)));
        // What was not run has no rows.
        for (row, fault) in whole.chain(rows).filter(|_| verdict.failed()) {
            text += &format!("FAIL {}{row}: {fault}\n", verdict.scenario);
        }
    }
    text
}

/// For `docs/lab.md`: the faults that were injected, and what found them.
pub fn markdown(verdicts: &[Verdict]) -> String {
    let campaign = Campaign::of(verdicts);
    let mut table = campaign.table();
    table.insert(1, vec!["---".to_owned(); table[0].len()]);
    let rows = table.iter().map(|cells| format!("| {} |\n", cells.join(" | ")));
    faults(verdicts) + &sum(verdicts) + "\n" + &rows.collect::<String>() + "\n" + &campaign.sentences()
}

fn named(row: &Judged) -> String {
    format!(", {}, {}", row.step, row.says)
}

/// How many of what.
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
    use super::{markdown, plain};
    use crate::verdict::{Judged, Verdict};
    use serde_json::Value;

    fn verdict(scenario: &str, faults: &[&str]) -> Verdict {
        let row = Judged {
            step: "clocks".to_owned(),
            says: "it is slow".to_owned(),
            seen: "slow: a|b".to_owned(),
            fault: Some(format!("fault of {scenario}")),
            finding: Some("slow".to_owned()),
            missed: false,
            answers: Vec::new(),
            faults: faults.iter().map(|&fault| fault.to_owned()).collect(),
            details: Value::Null,
        };
        let (about, kernel) = (String::new(), String::new());
        Verdict {
            scenario: scenario.to_owned(),
            about,
            seconds: 2.0,
            kernel,
            skipped: None,
            interrupted: false,
            rows: vec![row],
            faults: vec![],
        }
    }

    #[test]
    fn every_fault_and_every_skip_is_told() {
        let skipped = Verdict { skipped: Some("no xen".to_owned()), ..verdict("xen", &[]) };
        let text = plain(&[verdict("a", &[]), verdict("b", &["seen: nothing"]), skipped]);
        assert!(text.contains("FAIL b, clocks, it is slow: seen: nothing\n"), "{text}");
        assert!(text.contains("no xen") && text.contains("skipped"), "{text}");
        let sum = "2 scenarios run, 1 failed, 1 skipped; 1 of 2 expectations met; 2 faults injected, 1 detected; 6 s of machine time\n";
        assert!(text.ends_with(sum), "{text}");
        let text = markdown(&[verdict("a", &[])]);
        let fault = "| fault | scenario | chronoscope |\n| --- | --- | --- |\n| fault of a | a | `slow` |\n";
        assert!(text.contains(fault) && text.ends_with("1 faults injected, 1 detected.\n"), "{text}");
    }

    #[test]
    fn what_was_interrupted_is_counted_by_itself() {
        let ended = Verdict { interrupted: true, rows: vec![], ..verdict("b", &[]) };
        let text = plain(&[verdict("a", &[]), ended]);
        assert!(text.contains("interrupted\n") && !text.contains("FAIL"), "{text}");
        assert!(
            text.contains("1 scenarios run, 0 failed, 0 skipped, 1 interrupted; 1 of 1 expectations met"),
            "{text}"
        );
    }
}
