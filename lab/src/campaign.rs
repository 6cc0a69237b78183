//! Every fault that was injected, the finding that caught it, and what peers said in the same machine.

use serde::Serialize;

use crate::answer::{Answer, NO_FAULT, Outcome};
use crate::peer::{PEERS, Peer};
use crate::verdict::Verdict;

#[derive(Clone, Debug, Default, Serialize)]
pub struct Campaign<'a> {
    faults: Vec<Injected<'a>>,
    /// The same machines without a fault.
    controls: Vec<Injected<'a>>,
}

#[derive(Clone, Debug, Serialize)]
struct Injected<'a> {
    scenario: &'a str,
    fault: &'a str,
    /// The findings that detected it, each once.
    findings: Vec<&'a str>,
    peers: Vec<&'a Answer>,
}

impl<'a> Campaign<'a> {
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
                    campaign.fault(&verdict.scenario, &peer.fault).peers.push(peer);
                }
            }
        }
        campaign
    }

    fn fault(&mut self, scenario: &'a str, fault: &'a str) -> &mut Injected<'a> {
        let all = if fault == NO_FAULT { &mut self.controls } else { &mut self.faults };
        let at = all.iter().position(|other| (other.scenario, other.fault) == (scenario, fault));
        let at = at.unwrap_or_else(|| {
            all.push(Injected { scenario, fault, findings: Vec::new(), peers: Vec::new() });
            all.len() - 1
        });
        &mut all[at]
    }

    pub fn injected(&self) -> usize {
        self.faults.len()
    }

    pub fn detected(&self) -> usize {
        self.faults.iter().filter(|fault| !fault.findings.is_empty()).count()
    }

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
        let controls: Vec<&&Answer> = self.controls.iter().flat_map(|control| &control.peers).collect();
        let well = controls.iter().filter(|peer| peer.outcome == Outcome::NothingSeen).count();
        text += &format!("Without a fault: {well} of {} runs of peers said that all is well.\n", controls.len());
        // The runs whose answers mean nothing, or less than the table says: alarms without a fault, and runs without a verdict.
        let said = |at: &Injected<'_>, Answer { fault, command, outcome, line }: &Answer| {
            let is_shown = *outcome == Outcome::CouldNotRun || fault == NO_FAULT && *outcome == Outcome::Detected;
            is_shown.then(|| format!("- {fault}, {}, {command}: {}: {line}\n", at.scenario, outcome.words()))
        };
        let all = self.controls.iter().chain(&self.faults);
        let mut lines: Vec<String> =
            all.flat_map(|at| at.peers.iter().filter_map(move |peer| said(at, peer))).collect();
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
        let there = self.controls.iter().filter(|control| control.scenario == scenario);
        there.map(|control| control.runs(peer, Some(Outcome::Detected))).sum::<usize>() > 0
    }

    /// How many faults it detected, of those that it was asked about.
    fn count(&self, peer: &Peer) -> Option<String> {
        let asked = || self.faults.iter().filter_map(|fault| Some((fault.scenario, fault.outcome(peer)?)));
        let is_detected = |at: &(&str, Outcome)| at.1 == Outcome::Detected && !self.has_false_alarm(at.0, peer);
        let text = format!("{} {} of {}", peer.name, asked().filter(is_detected).count(), asked().count());
        match (asked().count(), asked().filter(|(_, outcome)| *outcome == Outcome::CouldNotRun).count()) {
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
        let answers = self.peers.iter().filter(|answer| Peer::of(&answer.command) == Some(peer));
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
}
