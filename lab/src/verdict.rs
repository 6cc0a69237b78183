//! What the lines of a guest amount to: a row passes, or there are faults.

use serde_json::{Value, json};

use crate::check::Check;
use crate::line;
use crate::reader::Read;
use crate::tally::Tally;

/// The most that an interval may lack of the system's own where both brackets are narrow.
const LAG_LIMIT_NS: i64 = 50_000;
/// What `RateSource` says where no counter is read.
const NO_COUNTER: &str = "SystemClock";

/// What a machine is there for.
#[derive(Clone, Debug)]
pub struct Machine {
    /// As it is named in `lab/machines`.
    pub name: String,
    /// The clocksource that its kernel must keep time by, from first to last.
    pub clocksource: String,
    /// Whether the library must read the counter there: a clock that falls back is right, and proves nothing.
    pub reads_counter: bool,
    /// What was to be run.
    pub checks: Vec<Check>,
}

/// One row by one read, judged.
#[derive(Clone, Debug)]
pub struct Judged {
    /// The row.
    pub row: String,
    /// How the clock was read.
    pub read: Read,
    /// What was seen; None where the row is missing.
    pub tally: Option<Tally>,
    /// All that the guest printed.
    pub printed: Value,
    /// What is wrong with it; empty if it passed.
    pub faults: Vec<String>,
}

/// One machine, judged.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// Its name.
    pub machine: String,
    /// What the guest said at the beginning.
    pub begin: Value,
    /// Every row that was expected.
    pub rows: Vec<Judged>,
    /// What is wrong with the run as a whole.
    pub faults: Vec<String>,
}

impl Verdict {
    /// Judges what the machine left on its console.
    pub fn of(machine: &Machine, console: &str) -> Self {
        let lines: Vec<Value> = console.lines().filter_map(line::parse).collect();
        let begin = lines.iter().find(|line| !line["begin"].is_null()).cloned().unwrap_or_default();
        let end = lines.iter().find(|line| !line["end"].is_null());
        let mut faults = Vec::new();
        if begin.is_null() {
            faults.push(format!("the guest did not begin; {}", last_words(console)));
        } else if end.is_none() {
            faults.push(format!("the guest did not finish; {}", last_words(console)));
        }
        for line in [Some(&begin), end].into_iter().flatten() {
            if !line.is_null() && line["clocksource"] != machine.clocksource.as_str() {
                faults
                    .push(format!("the kernel keeps time by {}, not by {}", line["clocksource"], machine.clocksource));
            }
        }
        let rows = machine
            .checks
            .iter()
            .flat_map(|check| check.rows().into_iter().map(|row| (*check, row)))
            .flat_map(|(check, row)| Read::ALL.map(|read| (check, row.clone(), read)))
            .map(|(check, row, read)| {
                let printed = lines.iter().find(|line| line["row"] == row.as_str() && line["read"] == read.name());
                judge(row, read, printed, machine.reads_counter && check.leaves_counter())
            })
            .collect();
        Self { machine: machine.name.clone(), begin, rows, faults }
    }

    /// Whether there is no fault at all.
    pub fn passed(&self) -> bool {
        self.faults.is_empty() && self.rows.iter().all(|row| row.faults.is_empty())
    }

    /// For `results.json`.
    pub fn to_json(&self) -> Value {
        let rows: Vec<Value> = self
            .rows
            .iter()
            .map(|row| {
                let mut object = if row.printed.is_object() { row.printed.clone() } else { json!({}) };
                object["row"] = json!(row.row);
                object["read"] = json!(row.read.name());
                object["passed"] = json!(row.faults.is_empty());
                object["faults"] = json!(row.faults);
                object
            })
            .collect();
        json!({
            "machine": self.machine,
            "kernel": self.begin["begin"],
            "clocksource": self.begin["clocksource"],
            "cpus": self.begin["cpus"],
            "passed": self.passed(),
            "faults": self.faults,
            "rows": rows,
        })
    }
}

fn judge(row: String, read: Read, printed: Option<&Value>, reads_counter: bool) -> Judged {
    let tally = printed.and_then(Tally::from_json);
    let (Some(printed), Some(tally)) = (printed, tally) else {
        return Judged { row, read, tally: None, printed: Value::Null, faults: vec!["missing".to_owned()] };
    };
    let mut faults = Vec::new();
    let mut fault = |holds: bool, text: String| {
        if !holds {
            faults.push(text);
        }
    };
    fault(tally.outside == 0, format!("{} readings outside, by {} ns at most", tally.outside, tally.worst_ns));
    fault(tally.backward == 0, format!("{} backward steps", tally.backward));
    fault(tally.intervals_off == 0, format!("{} intervals off", tally.intervals_off));
    fault(tally.worst_lag_ns <= LAG_LIMIT_NS, format!("an interval lacks {} ns", tally.worst_lag_ns));
    fault(
        tally.system_backward == 0,
        format!("the system's clock itself stepped back {} times", tally.system_backward),
    );
    let wanted = printed["wanted"].as_u64().unwrap_or(u64::MAX);
    fault(tally.readings >= wanted, format!("{} readings, not the {wanted} wanted", tally.readings));
    let source = printed["source"].as_str().unwrap_or(NO_COUNTER);
    fault(!reads_counter || !source.split('/').any(|said| said == NO_COUNTER), format!("the library reads {source}"));
    match printed["faults"].as_array() {
        Some(said) => said.iter().for_each(|said| fault(false, said.as_str().unwrap_or("unknown").to_owned())),
        None => fault(false, "the row does not say whether it did its work".to_owned()),
    }
    Judged { row, read, tally: Some(tally), printed: printed.clone(), faults }
}

/// The end of what a machine printed, for whoever must find out why it stopped there.
fn last_words(console: &str) -> String {
    match console.lines().map(str::trim).rfind(|line| !line.is_empty()) {
        Some(line) => format!("its last line: {}", line.chars().take(200).collect::<String>()),
        None => "it printed nothing".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Machine, Verdict};
    use crate::check::Check;
    use crate::line::MARK;
    use crate::tally::Tally;

    fn machine() -> Machine {
        Machine {
            name: "tsc".to_owned(),
            clocksource: "tsc".to_owned(),
            reads_counter: true,
            checks: vec![Check::Readings],
        }
    }

    fn row(read: &str) -> Value {
        let mut row = Tally { readings: 10, ..Tally::default() }.to_json();
        row["row"] = json!("readings");
        row["read"] = json!(read);
        row["wanted"] = json!(10);
        row["source"] = json!("KernelData");
        row["faults"] = json!([]);
        row
    }

    fn lines() -> Vec<Value> {
        let begin = json!({"begin": "6.1", "clocksource": "tsc", "cpus": 1});
        vec![begin, row("ordered"), row("unordered"), json!({"end": true, "clocksource": "tsc"})]
    }

    fn faults(lines: &[Value]) -> Vec<String> {
        let console: String = lines.iter().map(|line| format!("[ 1.0] noise\r\n{MARK}{line}\r\n")).collect();
        let verdict = Verdict::of(&machine(), &console);
        let faults: Vec<String> =
            verdict.faults.iter().chain(verdict.rows.iter().flat_map(|row| &row.faults)).cloned().collect();
        assert_eq!(verdict.passed(), faults.is_empty());
        faults
    }

    fn faults_with(change: impl FnOnce(&mut Value)) -> Vec<String> {
        let mut lines = lines();
        change(&mut lines[1]);
        faults(&lines)
    }

    #[test]
    fn a_clean_run_passes() {
        assert_eq!(faults(&lines()), Vec::<String>::new());
    }

    #[test]
    fn every_bad_number_is_a_fault() {
        for (name, value) in [
            ("outside", json!(1)),
            ("backward", json!(1)),
            ("intervals_off", json!(1)),
            ("system_backward", json!(1)),
            ("worst_lag_ns", json!(50_001)),
            ("readings", json!(9)),
            ("wanted", Value::Null),
            ("source", json!("SystemClock")),
            ("source", json!("KernelData/SystemClock")),
            ("source", Value::Null),
            ("faults", json!(["did nothing"])),
            ("faults", Value::Null),
        ] {
            let found = faults_with(|row| row[name] = value.clone());
            assert_eq!(found.len(), 1, "{name} = {value}: {found:?}");
        }
    }

    #[test]
    fn a_row_that_is_missing_or_broken_is_a_fault() {
        let mut silent = lines();
        silent.remove(2);
        assert_eq!(faults(&silent), ["missing"]);
        assert_eq!(faults_with(|row| row["outside"] = json!("none")), ["missing"]);
    }

    #[test]
    fn a_guest_that_stops_is_a_fault() {
        assert_eq!(faults(&lines()[..3]).len(), 1, "no end");
        assert_eq!(faults(&[]).len(), 3, "no beginning and no rows");
    }

    #[test]
    fn another_clocksource_is_a_fault() {
        let mut strayed = lines();
        strayed[3]["clocksource"] = json!("hpet");
        assert_eq!(faults(&strayed).len(), 1);
    }
}
