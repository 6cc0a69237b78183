use super::files::Files;
use crate::record::Load;

pub(super) fn identify(files: &Files) -> Load {
    Load {
        averages: files.text("/proc/loadavg").and_then(|text| averages(&text)).into(),
        steal_share_since_boot: files.text("/proc/stat").and_then(|text| steal_share(&text)).into(),
    }
}

fn averages(text: &str) -> Result<[f64; 3], String> {
    let averages: Vec<f64> = text.split_whitespace().map_while(|word| word.parse().ok()).take(3).collect();
    averages.try_into().map_err(|_| "/proc/loadavg does not begin with three load averages".to_owned())
}

/// The eighth column of the first line over the first eight: user, nice, system, idle, iowait, irq, softirq, steal.
/// Time of guests, the ninth, is already part of user time. Source: proc_stat(5).
fn steal_share(text: &str) -> Result<f64, String> {
    let columns: Vec<f64> = text
        .lines()
        .find_map(|line| line.strip_prefix("cpu "))
        .map(|line| {
            line.split_whitespace()
                .take(8)
                .map_while(|column| column.parse::<u64>().ok())
                .map(|ticks| ticks as f64)
                .collect()
        })
        .unwrap_or_default();
    match (columns.get(7), columns.iter().sum::<f64>()) {
        (Some(steal), total) if total > 0.0 => Ok(steal / total),
        _ => Err("/proc/stat has no column of steal time".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Known;
    use proptest::prelude::*;

    #[test]
    fn each_file_is_read_by_itself() {
        let load = identify(&Files::Fake(vec![
            ("/proc/loadavg", "0.34 0.15 0.06 3/103 6269\n"),
            ("/proc/stat", "cpu  80 0 20 90 0 0 0 10 0 0\ncpu0 80 0 20 90 0 0 0 10 0 0\n"),
        ]));
        assert_eq!(load.averages, Known::Value([0.34, 0.15, 0.06]));
        assert_eq!(load.steal_share_since_boot, Known::Value(0.05));
        let load = identify(&Files::Fake(vec![("/proc/loadavg", "0.34 0.15 0.06 3/103 6269")]));
        assert!(load.averages.value().is_some());
        assert!(load.steal_share_since_boot.reason().unwrap().contains("/proc/stat"));
        assert!(["cpu  1 2 3", "cpu  0 0 0 0 0 0 0 0"].iter().all(|text| steal_share(text).is_err()));
    }

    proptest! {
        #[test]
        fn never_panics(text in ".*", columns in "cpu [0-9 ]*") {
            let _ = (averages(&text), steal_share(&text), steal_share(&columns));
        }
    }
}
