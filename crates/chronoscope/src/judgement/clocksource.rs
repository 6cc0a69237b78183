//! Which clocksource the kernel should read, given what speaks against the counter.

use chronoscope_harness::record::{COUNTER, Clocksource, Path, READ_BY_VDSO};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::facts::Facts;
use super::path::CLOCK;

/// What to do with a clocksource.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ClocksourceAdvice {
    pub name: String,
    /// Whether it is in use, how to switch to it, or why not to.
    pub advice: String,
}

/// On each clocksource that the kernel knows.
pub fn advice(facts: &Facts<'_>, counter_doubt: Option<&str>) -> Vec<ClocksourceAdvice> {
    let names = facts.machine.clocksource.names().map(str::to_owned);
    names.map(|name| ClocksourceAdvice { advice: on(facts, counter_doubt, &name), name }).collect()
}

/// Whether the kernel reads the clocksource `name`, and if not, how or why not to have it do so.
fn on(facts: &Facts<'_>, counter_doubt: Option<&str>, name: &str) -> String {
    let current = facts.machine.clocksource.current.as_deref();
    if current == Some(name) {
        return "in use".to_owned();
    }
    let would_enter_the_kernel =
        current.filter(|current| is_read_by_vdso(facts, current) && !Clocksource::is_read_by_vdso(name));
    match (doubt(counter_doubt, name), would_enter_the_kernel) {
        (Some(doubt), _) => format!("do not switch to it: {doubt}"),
        (None, Some(current)) => {
            format!("do not switch to it: every read would enter the kernel, and the vDSO reads {current}")
        }
        (None, None) if better(facts, counter_doubt) == Some(name) => {
            format!("switch to it: {}", Clocksource::switch_command(name))
        }
        (None, None) => format!("possible, but nothing here calls for it: {}", Clocksource::switch_command(name)),
    }
}

/// The case against switching to clocksource `name`; None if there is none.
pub fn doubt<'a>(counter_doubt: Option<&'a str>, name: &str) -> Option<&'a str> {
    counter_doubt.filter(|_| name == COUNTER)
}

/// Whether the vDSO reads the clocksource in use: it is one of those that it can, or it was seen to.
fn is_read_by_vdso(facts: &Facts<'_>, current: &str) -> bool {
    let was_seen = || facts.clocks().iter().any(|clock| clock.name == CLOCK && clock.path == Some(Path::Vdso));
    Clocksource::is_read_by_vdso(current) || was_seen()
}

/// The clocksource to switch to in place of the one in use, if there is a better one that nothing speaks against: one
/// that the vDSO can read, or the TSC where the kernel rates it higher.
pub fn better(facts: &Facts<'_>, counter_doubt: Option<&str>) -> Option<&'static str> {
    let source = &facts.machine.clocksource;
    let current = source.current.as_deref()?;
    let is_read_by_vdso = is_read_by_vdso(facts, current);
    let is_fit = |name: &str| doubt(counter_doubt, name).is_none();
    let rating = |name: &str| facts.machine.clocksource_rating(name);
    let is_better = |name: &str| !is_read_by_vdso || rating(name).zip(rating(current)).is_some_and(|(a, b)| a > b);
    READ_BY_VDSO.into_iter().find(|name| *name != current && source.offers(name) && is_fit(name) && is_better(name))
}

/// Why no clocksource readable by the vDSO can be selected; None where one can, or is already in use.
fn reason_none_better(facts: &Facts<'_>, counter_doubt: Option<&str>) -> Option<String> {
    let source = &facts.machine.clocksource;
    let current = source.current.as_deref()?;
    if is_read_by_vdso(facts, current) || better(facts, counter_doubt).is_some() {
        return None;
    }
    if source.offers(COUNTER) {
        return counter_doubt.map(|doubt| format!("tsc is available, but {doubt}"));
    }
    let rest: Vec<&str> = source.available.iter().map(String::as_str).filter(|name| *name != current).collect();
    let others = if rest.is_empty() { "no other".to_owned() } else { format!("only {}", rest.join(", ")) };
    Some(format!("the kernel offers {others} besides {current}, but the vDSO can read none of them"))
}

/// Remedies where reads of the system clock enter the kernel.
pub fn way_off_the_slow_path(facts: &Facts<'_>, counter_doubt: Option<&str>) -> String {
    if let Some(better) = better(facts, counter_doubt) {
        // How much cheaper is known of hardware only.
        let gain = if facts.machine.is_emulated() { "" } else { ": reads get several times cheaper" };
        return format!("the vDSO can read {better}{gain}");
    }
    if let Some(reason) = reason_none_better(facts, counter_doubt) {
        return format!("no clocksource that the vDSO can read is available: {reason}");
    }
    match &facts.machine.clocksource.current {
        Some(current) => {
            format!("the vDSO can read {current}: look for a sandbox or tracer that prevents it")
        }
        None => "check which clocksource the kernel uses; the vDSO can read tsc, kvm-clock and a few others".to_owned(),
    }
}
