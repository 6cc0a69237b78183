//! OpenMetrics 1.0: a family per kind of figure, one sample per run with the time of that run, the earliest first.

use crate::history::{Run, Series};

pub fn of_series(series: &Series, mut runs: Vec<Run>, is_first: bool) -> String {
    let kind = series.kind.name;
    let name = format!("chronoscope_{kind}_seconds");
    let mut text = String::new();
    if is_first {
        let help = kind.replace('_', " ");
        text += &format!("# TYPE {name} gauge\n# UNIT {name} seconds\n# HELP {name} {help} of each run.\n");
    }
    // Samples of one machine may not be interleaved with those of another, and each has one time.
    runs.sort_by(|a, b| (&a.machine, &a.command, a.started_s).cmp(&(&b.machine, &b.command, b.started_s)));
    runs.dedup_by(|b, a| (&a.machine, &a.command, a.started_s) == (&b.machine, &b.command, b.started_s));
    for run in runs {
        let Some(value) = run.figure else { continue };
        let (subject, machine, command) = (label(&series.subject), label(&run.machine), label(&run.command));
        let (seconds, time) = (value.estimate * 1e-9, run.started_s);
        text += &format!(
            "{name}{{machine=\"{machine}\",command=\"{command}\",subject=\"{subject}\"}} {seconds:e} {time}\n"
        );
    }
    text
}

/// The value of a label: backslash, quote and line feed escaped; other control characters, which no reader expects, replaced.
fn label(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    text.replace(char::is_control, "\u{fffd}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_escaped() {
        assert_eq!(label("a\"b\\c\nd"), "a\\\"b\\\\c\\nd");
        assert_eq!(label("a\x1b[31m\r"), "a\u{fffd}[31m\u{fffd}");
    }
}
