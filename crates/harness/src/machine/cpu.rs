use super::cpu_list::CpuList;
use super::cpuid::Cpuid;
use super::files::Files;
use super::{cpuinfo, microarchitecture, topology};
use crate::record::{Cpu, Emulation};

pub(super) fn identify(
    files: &Files,
    cpuid: Result<&Cpuid, &String>,
    cpuinfo: Result<&str, &String>,
    allowed: &[u32],
) -> Cpu {
    let text = cpuinfo.unwrap_or_default();
    let mut cpu = match cpuid {
        Ok(cpuid) => from_cpuid(cpuid, text),
        Err(_) if cpuinfo::first(text, "CPU implementer").is_some() => from_arm_cpuinfo(text),
        Err(reason) => Cpu {
            reason_unavailable: Some(match cpuinfo {
                Ok(_) => format!("{reason}; {} does not identify the processor", cpuinfo::PATH),
                Err(unreadable) => format!("{reason}; {unreadable}"),
            }),
            ..Cpu::default()
        },
    };
    cpu.online = online(files, text);
    cpu.allowed = allowed.to_vec();
    cpu.topology = topology::identify(files, allowed);
    cpu
}

/// `cpu` with what is known of its emulation: an emulated CPU has no microarchitecture.
pub(super) fn emulated(cpu: Cpu, emulation: Emulation) -> Cpu {
    match &cpu.microarchitecture {
        Some(name) if emulation.is_emulated == Some(true) => Cpu {
            reason_unavailable: Some(format!(
                "emulated by {}: the model number is that of {name}, but no such core runs",
                emulation.by.as_deref().unwrap_or("software")
            )),
            microarchitecture_masked: Some(name.clone()),
            microarchitecture: None,
            emulation,
            ..cpu
        },
        _ => Cpu { emulation, ..cpu },
    }
}

fn from_cpuid(cpuid: &Cpuid, text: &str) -> Cpu {
    let name = match (cpuid.family, cpuid.model, cpuid.stepping) {
        (Some(family), Some(model), Some(stepping)) => {
            microarchitecture::x86_name(&cpuid.vendor, family, model, stepping)
        }
        _ => None,
    };
    let foreign =
        name.map_or_else(Vec::new, |name| microarchitecture::foreign_features(&cpuid.vendor, name, &cpuid.features));
    let masked = name.filter(|_| !foreign.is_empty());
    let reason = match (name, cpuid.family, cpuid.model) {
        (Some(name), ..) => masked.map(|_| {
            let features: Vec<&str> = foreign.iter().map(|feature| feature.word()).collect();
            format!("masked: the model number is that of {name}, which has no {}", features.join(", "))
        }),
        (None, Some(family), Some(model)) => Some(format!(
            "unknown microarchitecture: {}, family {family:#x}, model {model:#x}",
            if cpuid.vendor.is_empty() { "unnamed vendor" } else { &cpuid.vendor },
        )),
        (None, ..) => Some("CPUID gives no family and model".to_owned()),
    };
    Cpu {
        vendor: (!cpuid.vendor.is_empty()).then(|| cpuid.vendor.clone()),
        brand: cpuid.brand.clone().or_else(|| cpuinfo::first(text, "model name").map(str::to_owned)),
        family: cpuid.family,
        model: cpuid.model,
        stepping: cpuid.stepping,
        microarchitecture: name.filter(|_| masked.is_none()).map(str::to_owned),
        microarchitecture_masked: masked.map(str::to_owned),
        reason_unavailable: reason,
        ..Cpu::default()
    }
}

/// Arm has no families: the part number serves as the model and the revision as the stepping, both of the first CPU.
fn from_arm_cpuinfo(text: &str) -> Cpu {
    let implementer = cpuinfo::first(text, "CPU implementer").and_then(cpuinfo::number);
    let part = cpuinfo::first(text, "CPU part").and_then(cpuinfo::number);
    let mut names: Vec<&str> = Vec::new();
    // Implementer and part come in pairs, one per CPU; big and little cores differ in the part.
    let implementers = cpuinfo::values(text, "CPU implementer").filter_map(cpuinfo::number);
    let parts = cpuinfo::values(text, "CPU part").filter_map(cpuinfo::number);
    for name in implementers.zip(parts).filter_map(|(implementer, part)| microarchitecture::arm_name(implementer, part))
    {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    Cpu {
        vendor: implementer.map(|code| match microarchitecture::arm_implementer(code) {
            Some(name) => name.to_owned(),
            None => format!("implementer {code:#x}"),
        }),
        brand: cpuinfo::first(text, "model name").map(str::to_owned),
        model: part,
        stepping: cpuinfo::first(text, "CPU revision").and_then(cpuinfo::number),
        reason_unavailable: names.is_empty().then(|| {
            format!(
                "unknown microarchitecture: implementer {}, part {}",
                implementer.map_or("unknown".to_owned(), |code| format!("{code:#x}")),
                part.map_or("unknown".to_owned(), |code| format!("{code:#x}")),
            )
        }),
        microarchitecture: (!names.is_empty()).then(|| names.join(" + ")),
        ..Cpu::default()
    }
}

fn online(files: &Files, cpuinfo: &str) -> Option<u32> {
    let listed = files.text("/sys/devices/system/cpu/online").ok().and_then(|list| CpuList::parse(&list)?.count());
    let shown = || u32::try_from(cpuinfo::values(cpuinfo, "processor").count()).ok().filter(|&count| count > 0);
    // The last resort counts only the CPUs that this process may use.
    let usable = || std::thread::available_parallelism().ok().and_then(|count| u32::try_from(count.get()).ok());
    listed.or_else(shown).or_else(usable)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ARM: &str = "processor\t: 0\nBogoMIPS\t: 50.00\nFeatures\t: fp asimd evtstrm\nCPU implementer\t: 0x41\n\
        CPU architecture: 8\nCPU variant\t: 0x3\nCPU part\t: 0xd0c\nCPU revision\t: 1\n\nprocessor\t: 1\n\
        CPU implementer\t: 0x41\nCPU part\t: 0xd0c\nCPU revision\t: 1\n";

    #[test]
    fn arm_is_known_by_implementer_and_part() {
        let cpu = identify(&Files::Fake(vec![]), Err(&String::new()), Ok(ARM), &[0]);
        assert_eq!((cpu.vendor.as_deref(), cpu.microarchitecture.as_deref()), (Some("Arm"), Some("Neoverse N1")));
        assert_eq!((cpu.model, cpu.stepping, cpu.online), (Some(0xd0c), Some(1), Some(2)));
        assert_eq!(cpu.reason_unavailable, None);
        // Big and little cores are both named.
        let text = "CPU implementer: 0x41\nCPU part: 0xd05\n\nCPU implementer: 0x41\nCPU part: 0xd0b\n";
        assert_eq!(from_arm_cpuinfo(text).microarchitecture.as_deref(), Some("Cortex-A55 + Cortex-A76"));
    }

    #[test]
    fn a_name_that_features_contradict_is_masked() {
        use crate::machine::cpuid::Feature::{Amx, Avx512Fp16, Gfni};
        let shown = |features: Vec<_>| Cpuid {
            vendor: "GenuineIntel".to_owned(),
            family: Some(6),
            model: Some(0xa7),
            stepping: Some(1),
            features,
            ..Cpuid::default()
        };
        let masked = from_cpuid(&shown(vec![Gfni, Avx512Fp16, Amx]), "");
        assert_eq!(masked.microarchitecture, None);
        assert_eq!(masked.microarchitecture_masked.as_deref(), Some("Rocket Lake (Cypress Cove)"));
        assert!(masked.reason_unavailable.is_some_and(|reason| reason.contains("AVX512-FP16, AMX")));
        let honest = from_cpuid(&shown(vec![Gfni]), "");
        assert_eq!(honest.microarchitecture.as_deref(), Some("Rocket Lake (Cypress Cove)"));
        assert_eq!((honest.microarchitecture_masked, honest.reason_unavailable), (None, None));
    }

    #[test]
    fn an_emulated_core_has_no_name() {
        let named = Cpu { microarchitecture: Some("K8".to_owned()), ..Cpu::default() };
        let told = |is_emulated| Emulation { is_emulated, by: Some("QEMU (TCG)".to_owned()), ..Emulation::default() };
        let seen = emulated(named.clone(), told(Some(true)));
        assert_eq!((seen.microarchitecture, seen.microarchitecture_masked.as_deref()), (None, Some("K8")));
        assert_eq!(seen.emulation, told(Some(true)));
        assert_eq!(emulated(named.clone(), told(None)).microarchitecture, named.microarchitecture);
    }

    #[test]
    fn what_is_not_known_leaves_a_reason() {
        let (no_cpuid, no_file) = ("no CPUID".to_owned(), "no file".to_owned());
        let cpu = identify(&Files::Fake(vec![]), Err(&no_cpuid), Err(&no_file), &[]);
        assert_eq!((cpu.vendor, cpu.reason_unavailable), (None, Some(format!("{no_cpuid}; {no_file}"))));
        let unknown = Cpuid {
            vendor: "GenuineIntel".into(),
            family: Some(6),
            model: Some(0xfe),
            stepping: Some(0),
            ..Cpuid::default()
        };
        assert!(from_cpuid(&unknown, "").reason_unavailable.unwrap().contains("0xfe"));
    }

    proptest! {
        #[test]
        fn never_panics(text in ".*") {
            let _ = from_arm_cpuinfo(&text);
        }
    }
}
