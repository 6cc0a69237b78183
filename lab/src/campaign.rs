//! Every fault that was injected, the finding that caught it, and what peers said in the same machine.

use serde_json::{Value, json};

use crate::answer::{Answer, NO_FAULT, Outcome};
use crate::peer::Peer;
use crate::verdict::Verdict;

/// All faults of a run.
#[derive(Clone, Debug)]
pub struct Campaign<'a> {
    faults: Vec<Injected<'a>>,
    /// What peers said of machines without a fault.
    controls: Vec<Asked<'a>>,
}

/// One fault.
#[derive(Clone, Debug)]
struct Injected<'a> {
    scenario: &'a str,
    name: &'a str,
    /// For each expectation that it be detected, the finding that did.
    findings: Vec<Option<&'a str>>,
    answers: Vec<Asked<'a>>,
}

/// One answer.
#[derive(Clone, Copy, Debug)]
struct Asked<'a> {
    scenario: &'a str,
    peer: Peer,
    answer: &'a Answer,
}

impl<'a> Campaign<'a> {
    /// What these verdicts say of it.
    pub fn of(verdicts: &'a [Verdict]) -> Self {
        let mut campaign = Self { faults: Vec::new(), controls: Vec::new() };
        for verdict in verdicts.iter().filter(|verdict| verdict.skipped.is_none()) {
            for row in &verdict.rows {
                if let Some(name) = &row.fault {
                    // A finding whose row is wrong in any other way is none.
                    let finding = row.finding.as_deref().filter(|_| row.faults.is_empty());
                    campaign.fault(&verdict.scenario, name).findings.push(finding);
                }
                for answer in &row.answers {
                    let Some(peer) = answer.peer() else { continue };
                    let asked = Asked { scenario: &verdict.scenario, peer, answer };
                    match answer.fault.as_str() {
                        NO_FAULT => campaign.controls.push(asked),
                        name => campaign.fault(&verdict.scenario, name).answers.push(asked),
                    }
                }
            }
        }
        campaign
    }

    fn fault(&mut self, scenario: &'a str, name: &'a str) -> &mut Injected<'a> {
        let at = self.faults.iter().position(|fault| fault.scenario == scenario && fault.name == name);
        let at = at.unwrap_or_else(|| {
            self.faults.push(Injected { scenario, name, findings: Vec::new(), answers: Vec::new() });
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
        self.faults.iter().filter(|fault| fault.is_detected()).count()
    }

    /// A row for every fault, below the names of the columns.
    pub fn table(&self) -> Vec<Vec<String>> {
        let peers = if self.asks_peers() { &Peer::ALL[..] } else { &[] };
        let names = ["fault", "scenario", "chronoscope"].into_iter().chain(peers.iter().map(|peer| peer.name()));
        let rows = self.faults.iter().map(|fault| {
            let cells = [fault.name.to_owned(), fault.scenario.to_owned(), fault.caught_by()];
            cells.into_iter().chain(peers.iter().map(|&peer| self.said(fault, peer))).collect()
        });
        std::iter::once(names.map(str::to_owned).collect()).chain(rows).collect()
    }

    /// The sums, a sentence each, and what peers said of machines without a fault.
    pub fn sentences(&self) -> String {
        let mut text = format!("{} faults injected, {} detected.\n", self.injected(), self.detected());
        if !self.asks_peers() {
            return text;
        }
        let counts: Vec<String> = Peer::ALL.into_iter().filter_map(|peer| self.count(peer)).collect();
        text += &format!(
            "Detected by peers in one run or more, of those faults that they look at: {}.\n",
            counts.join("; ")
        );
        let well = self.controls.iter().filter(|asked| asked.answer.outcome == Outcome::NothingSeen).count();
        text += &format!("Without a fault: {well} of {} runs of peers said that all is well.\n", self.controls.len());
        // Runs that ended alike need one line.
        let mut lines = self.exceptions();
        lines.dedup();
        text + &lines.concat()
    }

    /// The runs whose answers mean nothing, or less than the table says: alarms without a fault, and runs without a verdict.
    fn exceptions(&self) -> Vec<String> {
        let line = |asked: &Asked<'_>| {
            let Asked { scenario, answer, .. } = asked;
            let words = answer.outcome.words();
            format!("- {}, {scenario}, {}: {words}: {}\n", answer.fault, answer.command, answer.line)
        };
        let controls = self.controls.iter().filter(|asked| asked.answer.outcome != Outcome::NothingSeen);
        let answers = self.faults.iter().flat_map(|fault| &fault.answers);
        controls.chain(answers.filter(|asked| asked.answer.outcome == Outcome::CouldNotRun)).map(line).collect()
    }

    /// For `results.json`.
    pub fn to_json(&self) -> Value {
        let answers = |asked: &[Asked<'_>]| asked.iter().map(|asked| json!(asked.answer)).collect::<Vec<_>>();
        let controls = self.controls.iter().map(|asked| json!({ "scenario": asked.scenario, "peer": asked.answer }));
        let faults = self.faults.iter().map(|fault| {
            let findings: Vec<&str> = fault.findings.iter().copied().flatten().collect();
            json!({
                "fault": fault.name, "scenario": fault.scenario, "detected": fault.is_detected(),
                "findings": findings, "peers": answers(&fault.answers),
            })
        });
        json!({
            "injected": self.injected(), "detected": self.detected(),
            "faults": faults.collect::<Vec<_>>(), "controls": controls.collect::<Vec<_>>(),
        })
    }

    /// Whether they were asked at all: the quick set leaves them out.
    fn asks_peers(&self) -> bool {
        !self.controls.is_empty() || self.faults.iter().any(|fault| !fault.answers.is_empty())
    }

    fn said(&self, fault: &Injected<'_>, peer: Peer) -> String {
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
    fn has_false_alarm(&self, scenario: &str, peer: Peer) -> bool {
        self.controls
            .iter()
            .any(|asked| (asked.scenario, asked.peer) == (scenario, peer) && asked.answer.outcome == Outcome::Detected)
    }

    /// How many faults it detected, of those that it was asked about.
    fn count(&self, peer: Peer) -> Option<String> {
        let outcomes = |wanted: Outcome| {
            let faults = self.faults.iter().filter(move |fault| fault.outcome(peer) == Some(wanted));
            faults.filter(|fault| !(wanted == Outcome::Detected && self.has_false_alarm(fault.scenario, peer))).count()
        };
        let asked = self.faults.iter().filter(|fault| fault.outcome(peer).is_some()).count();
        let text = format!("{} {} of {asked}", peer.name(), outcomes(Outcome::Detected));
        match (asked, outcomes(Outcome::CouldNotRun)) {
            (0, _) => None,
            (_, 0) => Some(text),
            (_, failed) => Some(format!("{text} ({failed} could not run)")),
        }
    }
}

impl Injected<'_> {
    fn is_detected(&self) -> bool {
        self.findings.iter().any(Option::is_some)
    }

    fn caught_by(&self) -> String {
        if !self.is_detected() {
            return "**missed**".to_owned();
        }
        let mut names: Vec<String> = Vec::new();
        for name in self.findings.iter().flatten().map(|finding| format!("`{finding}`")) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names.join(", ")
    }

    /// What that peer said; of several answers, the one that says most.
    fn outcome(&self, peer: Peer) -> Option<Outcome> {
        let all = [Outcome::Detected, Outcome::NothingSeen, Outcome::CouldNotRun];
        all.into_iter().find(|&outcome| self.runs(peer, Some(outcome)) > 0)
    }

    /// How many of its runs ended so; None: all of them.
    fn runs(&self, peer: Peer, outcome: Option<Outcome>) -> usize {
        let answers = self.answers.iter().filter(|asked| asked.peer == peer);
        answers.filter(|asked| outcome.is_none_or(|outcome| asked.answer.outcome == outcome)).count()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::Campaign;
    use crate::answer::{Answer, NO_FAULT, Outcome};
    use crate::verdict::{Judged, Verdict};

    fn judged() -> Judged {
        Judged {
            step: "s".to_owned(),
            says: "it is found".to_owned(),
            seen: String::new(),
            fault: None,
            finding: None,
            missed: false,
            answers: Vec::new(),
            faults: Vec::new(),
            details: Value::Null,
        }
    }

    fn found(fault: &str, finding: Option<&str>) -> Judged {
        let finding = finding.map(str::to_owned);
        Judged { fault: Some(fault.to_owned()), missed: finding.is_none(), finding, ..judged() }
    }

    fn said(fault: &str, command: &str, outcome: Outcome, line: &str) -> Judged {
        let (fault, command, line) = (fault.to_owned(), command.to_owned(), line.to_owned());
        Judged { answers: vec![Answer { fault, command, outcome, round: 0, line, seconds: 1.0 }], ..judged() }
    }

    fn verdict(scenario: &str, rows: Vec<Judged>) -> Verdict {
        let scenario = scenario.to_owned();
        let (about, kernel) = (String::new(), String::new());
        Verdict { scenario, about, seconds: 2.0, kernel, skipped: None, interrupted: false, rows, faults: Vec::new() }
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
        assert_eq!(campaign.sentences(), "1 faults injected, 1 detected.\n");
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
        let json = Campaign::of(&verdicts).to_json();
        assert_eq!((&json["injected"], &json["detected"]), (&Value::from(6), &Value::from(3)));
        assert_eq!(json["faults"][1]["findings"][0], "cross_cpu_skew");
        assert_eq!(json["faults"][1]["peers"][0]["outcome"], "detected");
        assert_eq!(json["controls"][1]["peer"]["line"], "cs: Failed: 3");
    }
}
