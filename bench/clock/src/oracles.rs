//! Runs the lab's checks on this machine: intervals under CPU contention, and the first reads of forked children.
//!
//! No study: it is not asked what a read costs, but whether it is right.

use bench_common::process::failed;
use bench_common::{Count, Failure, Run, Section, Table, Value};
use chronoscope_lab::check::Check;
use chronoscope_lab::size::Size;

pub(crate) fn measure(check: Check, run: &Run, section: &mut Section) -> Result<(), Failure> {
    run.now(section.name);
    let columns = "readings | read | wrong | worst, ns outside | intervals off | largest advance, µs";
    let mut table = Table::new(2, columns);
    let done = check.run(run.pick(Size::Full, Size::Tiny), None, None, &mut |row| {
        for printed in row.to_json() {
            let number = |name: &str| printed[name].as_u64().unwrap_or(0);
            let words = |name: &str| printed[name].as_str().unwrap_or_default().into();
            // A child that died or hung was wrong, too.
            let lost = number("lost");
            let wrong = Count { of: number("outside") + lost, all: number("readings") + lost };
            let off = Count { of: number("intervals_off"), all: number("intervals") };
            let advance = Value::number(printed["worst_lag_ns"].as_f64().unwrap_or(f64::NAN) / 1e3, 3);
            let [off, advance] = if off.all > 0 { [off.into(), advance] } else { [Value::Nothing, Value::Nothing] };
            table.row([words("row"), words("read"), wrong.into(), number("worst_ns").into(), off, advance]);
        }
    });
    section.table(table);
    done.map_err(failed(section.name))
}
