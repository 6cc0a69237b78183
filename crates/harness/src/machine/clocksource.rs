use super::files::Files;
use crate::literature::measure::{FREQUENCY, LATENCY};
use crate::literature::{Article, Figure, of};
use crate::os;
use crate::quantity::{TIME, ns};
use crate::record::{Clocksource, Machine};

const FOLDER: &str = "/sys/devices/system/clocksource/clocksource0";

/// The clocksource that the kernel keeps time by at this moment; None where the system names none.
///
/// # Examples
/// ```
/// use chronoscope_harness::machine::current_clocksource;
///
/// if let Some(name) = current_clocksource() {
///     assert!(!name.is_empty());
/// }
/// ```
pub fn current() -> Option<String> {
    identify(&Files::System).current
}

pub(super) fn identify(files: &Files) -> Clocksource {
    if let Some(hz) = os::performance_counter_hz() {
        return behind_performance_counter(hz);
    }
    let current = files.text(&format!("{FOLDER}/current_clocksource"));
    let available = files.text(&format!("{FOLDER}/available_clocksource"));
    describe(current, available)
}

fn describe(current: Result<String, String>, available: Result<String, String>) -> Clocksource {
    let reasons: Vec<String> = [&current, &available].into_iter().filter_map(|text| text.clone().err()).collect();
    let current = current.ok().and_then(|text| text.split_whitespace().next().map(str::to_owned));
    let available: Vec<String> = available.unwrap_or_default().split_whitespace().map(str::to_owned).collect();
    let mut reason_unavailable = (!reasons.is_empty()).then(|| reasons.join("; "));
    if current.is_none() && reason_unavailable.is_none() {
        reason_unavailable = Some(format!("{FOLDER}/current_clocksource is empty"));
    }
    Clocksource { current, available, reason_unavailable }
}

/// What Windows counts, by the frequency that it declares: nothing else tells it.
///
/// # Sources
/// A. Akinshin, "Stopwatch under the hood" (2016): the TSC shifted right by ten bits, the HPET or the ACPI timer on older systems.
/// Microsoft, "Acquiring high-resolution time stamps": 10 MHz on Windows 10 and later.
fn behind_performance_counter(hz: u64) -> Clocksource {
    let declared = format!("QueryPerformanceFrequency declares {hz} Hz");
    let (current, reason_unavailable) = match hz {
        10_000_000 => (None, Some(format!("{declared}, as Windows does whatever it counts"))),
        14_318_000..=14_319_000 => (Some("hpet"), None),
        3_579_000..=3_580_000 => (Some("acpi_pm"), None),
        // Of a TSC from 1 to 5 GHz.
        976_000..=4_890_000 => (Some("tsc"), None),
        _ => (None, Some(format!("{declared}, which no known counter has"))),
    };
    Clocksource { current: current.map(str::to_owned), available: Vec::new(), reason_unavailable }
}

impl Machine {
    /// The kernel's rating of the clocksource `name`, from its source code: it does not export it. None where it is unknown.
    ///
    /// # Examples
    /// ```
    /// use chronoscope_harness::record::Machine;
    ///
    /// assert_eq!(Machine::default().clocksource_rating("hpet"), Some(250));
    /// assert_eq!(Machine::default().clocksource_rating("my_timer"), None);
    /// ```
    pub fn clocksource_rating(&self, name: &str) -> Option<u32> {
        rating(name, self.tsc.kernel_flags.all()).filter(|_| self.kernel.is_linux())
    }

    /// The class of that rating in a word, as defined in include/linux/clocksource.h.
    pub fn clocksource_class(&self, name: &str) -> &'static str {
        match self.clocksource_rating(name) {
            None => "class unknown",
            Some(0..=99) => "unfit",
            Some(100..=199) => "base",
            Some(200..=299) => "good",
            Some(300..=399) => "desired",
            Some(_) => "perfect",
        }
    }

    /// Published cost of reading the system clock with the clocksource `name`: measured on hardware, so none on an emulator.
    pub fn clocksource_cost(&self, name: &str) -> Option<String> {
        published_cost(name).filter(|_| !self.is_emulated())
    }
}

/// The kernel's rating for clocksource `name`, as its driver registers it.
///
/// Sources: Linux, arch/x86/kernel/{tsc,kvmclock,hpet}.c, arch/x86/xen/time.c, drivers/clocksource/{acpi_pm,i8253,
/// hyperv_timer,arm_arch_timer}.c, kernel/time/jiffies.c.
fn rating(name: &str, kernel_flags: &[String]) -> Option<u32> {
    let listed = |flag: &str| kernel_flags.iter().any(|listed| listed == flag);
    let rating = match name {
        // 0 once found unstable; it is then no longer listed as available.
        "tsc" => 300,
        "tsc-early" => 299,
        // Rated below the TSC where the TSC never stops.
        "kvm-clock" if listed("constant_tsc") && listed("nonstop_tsc") => 299,
        "kvm-clock" => 400,
        // Lowered to 299 where Xen never emulates the TSC, and to 275 in dom0; neither is visible to user space.
        "xen" => 400,
        // Lowered where the hypervisor promises an invariant TSC, which makes the kernel set tsc_reliable.
        "hyperv_clocksource_tsc_page" | "hyperv_clocksource_msr" if listed("tsc_reliable") => 250,
        "hyperv_clocksource_tsc_page" | "hyperv_clocksource_msr" => 500,
        "hpet" => 250,
        // Lowered to 120 on chipsets whose counter must be read three times.
        "acpi_pm" => 200,
        "pit" => 110,
        "refined-jiffies" => 2,
        "jiffies" => 1,
        "arch_sys_counter" | "arch_mem_counter" => 400,
        _ => return None,
    };
    Some(rating)
}

/// What a read took and how long a tick is, by [`Article::Stopwatch`], which measured these two alone.
fn published_cost(name: &str) -> Option<String> {
    const SOURCE: Article = Article::Stopwatch;
    let timer = match name {
        "hpet" => "HPET",
        "acpi_pm" => "ACPI PM",
        _ => return None,
    };
    let of_timer = |measure| of(SOURCE, measure).filter(move |figure| figure.timer == timer);
    let reads = || of_timer(LATENCY).filter_map(Figure::ns);
    let (least, most) = (reads().reduce(f64::min)?, reads().reduce(f64::max)?);
    let frequency = of_timer(FREQUENCY).next()?;
    let tick = ns(1e3 / frequency.number()?);
    let read = TIME.interval(least, most);
    Some(format!("{read} a read, ticks of {tick} at {} ({})", frequency.said(), SOURCE.cited_in_short()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn flags(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn names_are_matched_whole() {
        let seen =
            describe(Ok("hyperv_clocksource_tsc_page".into()), Ok("hyperv_clocksource_tsc_page tsc acpi_pm ".into()));
        assert_eq!(seen.current.as_deref(), Some("hyperv_clocksource_tsc_page"));
        assert_eq!(seen.available.len(), 3);
        let machine = Machine { clocksource: seen.clone(), ..Machine::default() };
        let ratings: Vec<_> = seen.names().map(|name| machine.clocksource_rating(name)).collect();
        assert_eq!(ratings, [Some(500), Some(300), Some(200)]);
        assert_eq!(machine.clocksource_class("hyperv_clocksource_tsc_page"), "perfect");
        assert_eq!(seen.reason_unavailable, None);
    }

    #[test]
    fn kvm_clock_stands_below_a_tsc_that_never_stops() {
        assert_eq!(rating("kvm-clock", &flags(&["constant_tsc", "nonstop_tsc"])), Some(299));
        assert_eq!(rating("kvm-clock", &flags(&["constant_tsc"])), Some(400));
    }

    #[test]
    fn the_counter_of_windows_is_told_by_its_frequency_if_at_all() {
        let named = |hz| behind_performance_counter(hz).current;
        assert_eq!(named(14_318_180).as_deref(), Some("hpet"));
        assert_eq!(named(3_579_545).as_deref(), Some("acpi_pm"));
        assert_eq!(named(2_533_000_000 >> 10).as_deref(), Some("tsc"));
        for hz in [10_000_000, 24_000_000] {
            let seen = behind_performance_counter(hz);
            assert!(seen.current.is_none() && seen.reason_unavailable.unwrap().contains(&hz.to_string()));
        }
    }

    #[test]
    fn an_unknown_source_has_no_rating() {
        let machine = Machine::default();
        assert_eq!(
            (machine.clocksource_rating("my_timer"), machine.clocksource_class("my_timer")),
            (None, "class unknown")
        );
    }

    #[test]
    fn nothing_readable_leaves_a_reason() {
        let seen = identify(&Files::Fake(vec![]));
        assert_eq!((seen.current, seen.available.len()), (None, 0));
        assert!(seen.reason_unavailable.unwrap().contains("current_clocksource"));
    }

    #[test]
    fn an_emulated_machine_has_no_published_cost_beside_it() {
        let published = |is_emulated| {
            let mut machine = Machine::default();
            machine.cpu.emulation.is_emulated = Some(is_emulated);
            ["hpet", "acpi_pm"].iter().filter(|name| machine.clocksource_cost(name).is_some()).count()
        };
        assert_eq!((published(false), published(true)), (2, 0));
    }

    #[test]
    fn a_current_source_that_is_not_listed_is_named_too() {
        let seen = describe(Ok("jiffies".into()), Err("hidden".into()));
        assert_eq!(seen.names().collect::<Vec<_>>(), ["jiffies"]);
        assert_eq!(seen.reason_unavailable.as_deref(), Some("hidden"));
        assert_eq!(Machine::default().clocksource_class("jiffies"), "unfit");
    }

    proptest! {
        #[test]
        fn never_panics(current in ".*", available in ".*") {
            let _ = describe(Ok(current), Ok(available)).names().count();
        }
    }
}
