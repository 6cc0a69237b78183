use super::cpuid::Cpuid;
use super::cpuinfo;
use crate::record::{CpuidFlag, TscClass};

/// The kernel's flags that concern the counter: x86 first, then Arm.
const KERNEL_FLAGS: [&str; 13] = [
    "tsc",
    "rdtscp",
    "constant_tsc",
    "nonstop_tsc",
    "nonstop_tsc_s3",
    "tsc_known_freq",
    "tsc_reliable",
    "tsc_adjust",
    "tsc_deadline_timer",
    "tsc_scale",
    "art",
    "evtstrm",
    "ecv",
];

/// The kernel's flags for the counter in the text of /proc/cpuinfo.
pub(super) fn kernel_flags(cpuinfo: &str) -> Result<Vec<String>, String> {
    let flags = cpuinfo::flags(cpuinfo).ok_or_else(|| format!("{} has no line of flags", cpuinfo::PATH))?;
    Ok(flags.into_iter().filter(|flag| KERNEL_FLAGS.contains(flag)).map(str::to_owned).collect())
}

/// The class of the counter and the evidence for it.
///
/// Sources: Intel SDM vol. 3B, "Invariant TSC"; AMD APM vol. 3, CPUID 0x80000007; Arm ARM, "The Generic Timer".
pub(super) fn classify(
    architecture: &str,
    cpuid: Option<&Cpuid>,
    kernel_flags: Result<&[String], &String>,
) -> (Option<TscClass>, String) {
    match architecture {
        "x86_64" => {
            let flags = cpuid.map(|cpuid| cpuid.flags.as_slice()).unwrap_or_default();
            classify_x86(flags, cpuid.is_some_and(|cpuid| cpuid.hypervisor), kernel_flags)
        }
        "aarch64" => (
            Some(TscClass::Invariant),
            "the architecture's generic timer counts at a fixed frequency in all power states".to_owned(),
        ),
        other => (None, format!("unknown architecture {other}")),
    }
}

fn classify_x86(
    cpuid: &[CpuidFlag],
    hypervisor: bool,
    kernel_flags: Result<&[String], &String>,
) -> (Option<TscClass>, String) {
    const LEAF: &str = "CPUID 0x80000007 EDX.8 (invariant TSC)";
    let listed = |name: &str| kernel_flags.is_ok_and(|flags| flags.iter().any(|flag| flag == name));
    let (constant, nonstop) = (listed("constant_tsc"), listed("nonstop_tsc"));
    let invariant = cpuid.contains(&CpuidFlag::Invariant);
    if !cpuid.contains(&CpuidFlag::Tsc) && !listed("tsc") {
        return (Some(TscClass::Absent), "CPUID 1 EDX.4 is clear: the CPU has no TSC, or it is hidden".to_owned());
    }
    let kernel_words = match (kernel_flags, constant, nonstop) {
        (Err(reason), ..) => format!("the kernel's flags are unavailable: {reason}"),
        (_, true, true) => "the kernel lists constant_tsc and nonstop_tsc".to_owned(),
        (_, true, false) => "the kernel lists constant_tsc but not nonstop_tsc".to_owned(),
        (_, false, true) => "the kernel lists nonstop_tsc but not constant_tsc".to_owned(),
        (_, false, false) => "the kernel lists neither constant_tsc nor nonstop_tsc".to_owned(),
    };
    let class = match (invariant, constant, nonstop) {
        (true, ..) | (_, true, true) => Some(TscClass::Invariant),
        (_, true, false) => Some(TscClass::Constant),
        // Older CPUs have a constant counter without the bit; only the kernel's model tables know.
        _ if kernel_flags.is_err() => None,
        _ => Some(TscClass::Variant),
    };
    let bit = if invariant { "is set" } else { "is clear" };
    let hidden = if !invariant && hypervisor { ", which a hypervisor may have hidden" } else { "" };
    (class, format!("{LEAF} {bit}{hidden}; {kernel_words}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SEEN: &[CpuidFlag] = &[CpuidFlag::Tsc, CpuidFlag::Rdtscp];
    const INVARIANT: &[CpuidFlag] = &[CpuidFlag::Tsc, CpuidFlag::Invariant, CpuidFlag::Rdtscp];

    fn class(cpuid: &[CpuidFlag], flags: &[&str]) -> Option<TscClass> {
        let flags: Vec<String> = flags.iter().map(|&flag| flag.to_owned()).collect();
        classify_x86(cpuid, false, Ok(&flags)).0
    }

    #[test]
    fn either_witness_makes_it_invariant() {
        assert_eq!(class(INVARIANT, &["tsc"]), Some(TscClass::Invariant));
        assert_eq!(class(SEEN, &["tsc", "constant_tsc", "nonstop_tsc"]), Some(TscClass::Invariant));
    }

    #[test]
    fn less_is_claimed_where_less_is_known() {
        assert_eq!(class(SEEN, &["tsc", "constant_tsc"]), Some(TscClass::Constant));
        assert_eq!(class(SEEN, &["tsc", "nonstop_tsc"]), Some(TscClass::Variant));
        assert_eq!(class(SEEN, &["tsc"]), Some(TscClass::Variant));
        assert_eq!(class(&[], &[]), Some(TscClass::Absent));
        let reason = "/proc/cpuinfo: not found".to_owned();
        let (unknown, evidence) = classify_x86(SEEN, true, Err(&reason));
        assert_eq!(unknown, None);
        assert!(evidence.contains(&reason) && evidence.contains("hidden"), "{evidence}");
        assert_eq!(classify_x86(INVARIANT, true, Err(&reason)).0, Some(TscClass::Invariant));
    }

    #[test]
    fn the_generic_timer_is_invariant() {
        assert_eq!(classify("aarch64", None, Ok(&[])).0, Some(TscClass::Invariant));
        assert_eq!(classify("riscv64", None, Ok(&[])).0, None);
    }

    #[test]
    fn flags_are_matched_whole() {
        let flags = kernel_flags("flags\t: fpu tsc msr tsc_known_freq tscx cpuid_tsc nonstop_tsc\n").unwrap();
        assert_eq!(flags, ["tsc", "tsc_known_freq", "nonstop_tsc"]);
        assert!(kernel_flags("processor: 0").is_err());
    }

    proptest! {
        #[test]
        fn never_panics(text in ".*", flags in prop::collection::vec("[a-z_]*", 0..4)) {
            let _ = (kernel_flags(&text), classify_x86(SEEN, true, Ok(&flags)), classify(&text, None, Err(&text)));
        }
    }
}
