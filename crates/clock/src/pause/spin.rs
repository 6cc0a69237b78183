use core::time::Duration;

use super::relax::relax;
use super::{Cancel, Waited};
use crate::{Instant, arch};

/// With less time left the loop only reads the clock.
const NO_PAUSE: Duration = arch::LONGEST_RELAX;

/// Keeps the CPU until `glance` shows `deadline` or `cancel` is cancelled; completes `waited`.
#[inline(always)]
pub(super) fn spin_until(
    glance: impl Fn() -> Instant,
    deadline: Instant,
    cancel: Option<&Cancel>,
    waited: &mut Waited,
) {
    let first = glance();
    let mut last = first;
    let (mut largest_gap, mut last_gap) = (Duration::ZERO, Duration::ZERO);
    let nearly = deadline.saturating_sub(NO_PAUSE);
    while last < deadline {
        if cancel.is_some_and(Cancel::is_cancelled) {
            waited.cancelled = true;
            break;
        }
        if last < nearly {
            relax();
        }
        let now = glance();
        last_gap = now.saturating_duration_since(last);
        largest_gap = largest_gap.max(last_gap);
        last = now;
    }
    waited.ended = last;
    waited.late = last.saturating_duration_since(deadline);
    waited.spun = last.saturating_duration_since(first);
    waited.largest_gap = largest_gap;
    waited.last_gap = last_gap;
}
