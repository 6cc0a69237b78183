//! Every fault that was injected, the finding that caught it, and what peers said in the same machine.

use serde::Serialize;

use crate::answer::{Answer, NO_FAULT, Outcome};
use crate::peer::{PEERS, Peer};
use crate::verdict::Verdict;

/// All faults of a run.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Campaign<'a> {
    faults: Vec<Injected<'a>>,
    /// What peers said of machines without a fault.
    controls: Vec<Asked<'a>>,
}

/// One fault.
#[derive(Clone, Debug, Serialize)]
struct Injected<'a> {
    scenario: &'a str,
    fault: &'a str,
    /// The findings that detected it, each once.
    findings: Vec<&'a str>,
    peers: Vec<&'a Answer>,
}

/// One answer.
#[derive(Clone, Copy, Debug, Serialize)]
struct Asked<'a> {
    scenario: &'a str,
    peer: &'a Answer,
}

impl<'a> Campaign<'a> {
    /// What these verdicts say of it.
    pub fn of(verdicts: &'a [Verdict]) -> Self {
        let mut campaign = Self::default();
        for verdict in verdicts.iter().filter(|verdict| verdict.skipped.is_none()) {
            for row in &verdict.rows {
                if let Some(name) = &row.fault {
                    let findings = &mut campaign.fault(&verdict.scenario, name).findings;
                    // A finding whose row is wrong in any other way is none.
                    let finding = row.finding.as_deref().filter(|_| row.faults.is_empty());
                    findings.extend(finding.filter(|finding| !findings.contains(finding)));
                }
                for peer in &row.answers {
                    match peer.fault.as_str() {
                        NO_FAULT => campaign.controls.push(Asked { scenario: &verdict.scenario, peer }),
                        name => campaign.fault(&verdict.scenario, name).peers.push(peer),
                    }
                }
            }
        }
        campaign
    }

    fn fault(&mut self, scenario: &'a str, name: &'a str) -> &mut Injected<'a> {
        let at = self.faults.iter().position(|fault| (fault.scenario, fault.fault) == (scenario, name));
        let at = at.unwrap_or_else(|| {
            self.faults.push(Injected { scenario, fault: name, findings: Vec::new(), peers: Vec::new() });
            self.faults.len() - 1
        });
        &mut self.faults[at]
    }

    /// How many there were.
    pub fn injected(&self) -> usize {
        self.faults.len()
    }

    /// How many were detected, by one finding or more.
    pub fn detected(&self) -> usize {
        self.faults.iter().filter(|fault| !fault.findings.is_empty()).count()
    }

    /// A row for every fault, below the names of the columns.
    pub fn table(&self) -> Vec<Vec<String>> {
        let peers = if self.asks_peers() { &PEERS[..] } else { &[] };
        let names = ["fault", "scenario", "chronoscope"].into_iter().chain(peers.iter().map(|peer| peer.name));
        let rows = self.faults.iter().map(|fault| {
            let found: Vec<String> = fault.findings.iter().map(|finding| format!("`{finding}`")).collect();
            let found = if found.is_empty() { "**missed**".to_owned() } else { found.join(", ") };
            let cells = [fault.fault.to_owned(), fault.scenario.to_owned(), found];
            cells.into_iter().chain(peers.iter().map(|peer| self.said(fault, peer))).collect()
        });
        std::iter::once(names.map(str::to_owned).collect()).chain(rows).collect()
    }

    /// The sums, a sentence each, and what peers said of machines without a fault.
    pub fn sentences(&self) -> String {
        let mut text = format!("{} faults injected, {} detected.\n", self.injected(), self.detected());
        if !self.asks_peers() {
            return text;
        }
        let counts: Vec<String> = PEERS.iter().filter_map(|peer| self.count(peer)).collect();
        text += &format!(
            "Detected by peers in one run or more, of those faults that they look at: {}.\n",
            counts.join("; ")
        );
        let well = self.controls.iter().filter(|asked| asked.peer.outcome == Outcome::NothingSeen).count();
        text += &format!("Without a fault: {well} of {} runs of peers said that all is well.\n", self.controls.len());
        // The runs whose answers mean nothing, or less than the table says: alarms without a fault, and runs without a verdict.
        let controls = self.controls.iter().filter(|asked| asked.peer.outcome != Outcome::NothingSeen);
        let controls = controls.map(|asked| (asked.scenario, asked.peer));
        let answers = self.faults.iter().flat_map(|fault| fault.peers.iter().map(|peer| (fault.scenario, *peer)));
        let mut lines: Vec<String> = controls
            .chain(answers.filter(|(_, peer)| peer.outcome == Outcome::CouldNotRun))
            .map(|(scenario, Answer { fault, command, outcome, line, .. })| {
                format!("- {fault}, {scenario}, {command}: {}: {line}\n", outcome.words())
            })
            .collect();
        // Runs that ended alike need one line.
        lines.dedup();
        text + &lines.concat()
    }

    /// Whether they were asked at all: the quick set leaves them out.
    fn asks_peers(&self) -> bool {
        !self.controls.is_empty() || self.faults.iter().any(|fault| !fault.peers.is_empty())
    }

    fn said(&self, fault: &Injected<'_>, peer: &Peer) -> String {
        let Some(outcome) = fault.outcome(peer) else {
            return "does not look".to_owned();
        };
        let runs = fault.runs(peer, None);
        match fault.runs(peer, Some(outcome)) {
            _ if outcome == Outcome::Detected && self.has_false_alarm(fault.scenario, peer) => {
                "alarm, as without a fault".to_owned()
            }
            some if outcome == Outcome::Detected && some < runs => format!("detected, {some} of {runs} runs"),
            _ => outcome.words().to_owned(),
        }
    }

    /// Whether it also detected a fault where there was none, so that what it says there means nothing.
    fn has_false_alarm(&self, scenario: &str, peer: &Peer) -> bool {
        self.controls.iter().any(|asked| {
            (asked.scenario, asked.peer.peer()) == (scenario, Some(peer)) && asked.peer.outcome == Outcome::Detected
        })
    }

    /// How many faults it detected, of those that it was asked about.
    fn count(&self, peer: &Peer) -> Option<String> {
        let outcomes: Vec<_> =
            self.faults.iter().filter_map(|fault| Some((fault.scenario, fault.outcome(peer)?))).collect();
        let count = |wanted: Outcome| outcomes.iter().filter(|(_, outcome)| *outcome == wanted).count();
        let false_alarms = outcomes
            .iter()
            .filter(|(scenario, outcome)| *outcome == Outcome::Detected && self.has_false_alarm(scenario, peer))
            .count();
        let text = format!("{} {} of {}", peer.name, count(Outcome::Detected) - false_alarms, outcomes.len());
        match (outcomes.len(), count(Outcome::CouldNotRun)) {
            (0, _) => None,
            (_, 0) => Some(text),
            (_, failed) => Some(format!("{text} ({failed} could not run)")),
        }
    }
}

impl Injected<'_> {
    /// What that peer said; of several answers, the one that says most.
    fn outcome(&self, peer: &Peer) -> Option<Outcome> {
        let all = [Outcome::Detected, Outcome::NothingSeen, Outcome::CouldNotRun];
        all.into_iter().find(|&outcome| self.runs(peer, Some(outcome)) > 0)
    }

    /// How many of its runs ended so; None: all of them.
    fn runs(&self, peer: &Peer, outcome: Option<Outcome>) -> usize {
        let answers = self.peers.iter().filter(|answer| answer.peer() == Some(peer));
        answers.filter(|answer| outcome.is_none_or(|outcome| answer.outcome == outcome)).count()
    }
}

#[cfg(test)]
mod tests {
    use super::Campaign;
    use crate::answer::{Answer, NO_FAULT, Outcome};
    use crate::verdict::{Judged, Verdict};

    fn found(fault: &str, finding: Option<&str>) -> Judged {
        let finding = finding.map(str::to_owned);
        Judged { fault: Some(fault.to_owned()), missed: finding.is_none(), finding, ..Judged::default() }
    }

    fn said(fault: &str, command: &str, outcome: Outcome, line: &str) -> Judged {
        let (fault, command, line) = (fault.to_owned(), command.to_owned(), line.to_owned());
        Judged { answers: vec![Answer { fault, command, outcome, line }], ..Judged::default() }
    }

    fn verdict(scenario: &str, rows: Vec<Judged>) -> Verdict {
        Verdict { scenario: scenario.to_owned(), rows, ..Verdict::default() }
    }

    fn verdicts() -> [Verdict; 3] {
        let skew = vec![
            said(NO_FAULT, "threadtest -t 2", Outcome::NothingSeen, "[OK]"),
            said(NO_FAULT, "fio --cpuclock-test", Outcome::Detected, "cs: Failed: 3"),
            found("240 ns", None),
            said("240 ns", "threadtest -t 2", Outcome::NothingSeen, "[OK]"),
            found("4 µs", Some("cross_cpu_skew")),
            found("4 µs", Some("non_causal_read")),
            found("4 µs", Some("non_causal_read")),
            said("4 µs", "threadtest -t 2", Outcome::Detected, "[FAILED]"),
            said("4 µs", "threadtest -t 2", Outcome::NothingSeen, "[OK]"),
            said("4 µs", "fio --cpuclock-test", Outcome::Detected, "cs: Failed: 3"),
            found("59 ms", Some("cross_cpu_skew")),
            found("59 ms", None),
            found("100 ns", None),
            said("100 ns", "fio --cpuclock-test", Outcome::CouldNotRun, "ended by signal 9"),
            said("100 ns", "fio --cpuclock-test", Outcome::NothingSeen, "cs: Pass!"),
        ];
        let deprived = vec![
            found("no counter", Some("counter_forbidden")),
            said("no counter", "fio --cpuclock-test", Outcome::CouldNotRun, "ended by signal 11"),
            said("step back", "inconsistency-check -c 0", Outcome::Detected, "not ok 1 CLOCK_REALTIME"),
        ];
        let skipped = Verdict { skipped: Some("no xen".to_owned()), ..verdict("xen", vec![found("lost", None)]) };
        [verdict("skew", skew), verdict("deprived", deprived), skipped]
    }

    #[test]
    fn the_table_and_its_sums() {
        let verdicts = verdicts();
        let campaign = Campaign::of(&verdicts);
        let rows: Vec<String> = campaign.table().iter().map(|cells| cells.join("|")).collect();
        let expected = [
            "fault|scenario|chronoscope|inconsistency-check|threadtest|raw_skew|fio",
            "240 ns|skew|**missed**|does not look|nothing seen|does not look|does not look",
            "4 µs|skew|`cross_cpu_skew`, `non_causal_read`|does not look|detected, 1 of 2 runs|does not look|alarm, as without a fault",
            "59 ms|skew|`cross_cpu_skew`|does not look|does not look|does not look|does not look",
            "100 ns|skew|**missed**|does not look|does not look|does not look|nothing seen",
            "no counter|deprived|`counter_forbidden`|does not look|does not look|does not look|could not run",
            "step back|deprived|**missed**|detected|does not look|does not look|does not look",
        ];
        assert_eq!(rows, expected);
        assert_eq!(
            campaign.sentences(),
            "6 faults injected, 3 detected.\n\
             Detected by peers in one run or more, of those faults that they look at: inconsistency-check 1 of 1; threadtest 1 of 2; \
             fio 0 of 3 (1 could not run).\n\
             Without a fault: 1 of 2 runs of peers said that all is well.\n\
             - no fault, skew, fio --cpuclock-test: detected: cs: Failed: 3\n\
             - 100 ns, skew, fio --cpuclock-test: could not run: ended by signal 9\n\
             - no counter, deprived, fio --cpuclock-test: could not run: ended by signal 11\n"
        );
    }

    #[test]
    fn a_run_that_asks_no_peers_says_nothing_of_them() {
        let verdicts = [verdict("hpet", vec![found("slow", Some("os_clock_on_slow_path"))])];
        let campaign = Campaign::of(&verdicts);
        assert_eq!(campaign.table()[0], ["fault", "scenario", "chronoscope"]);
        assert_eq!(campaign.sentences().lines().count(), 1);
    }

    #[test]
    fn a_finding_in_a_row_that_fails_detects_nothing() {
        let failed = Judged { faults: vec!["wrong".to_owned()], ..found("slow", Some("os_clock_on_slow_path")) };
        let verdicts = [verdict("hpet", vec![failed])];
        assert_eq!(Campaign::of(&verdicts).detected(), 0);
    }

    #[test]
    fn the_json_has_both() {
        let verdicts = verdicts();
        let json = serde_json::to_value(Campaign::of(&verdicts)).unwrap();
        assert_eq!(json["faults"][1]["findings"][0], "cross_cpu_skew");
        assert_eq!(json["faults"][1]["peers"][0]["outcome"], "detected");
        assert_eq!(json["controls"][1]["peer"]["line"], "cs: Failed: 3");
    }
}
