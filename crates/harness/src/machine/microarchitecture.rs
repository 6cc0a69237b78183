//! Names of microarchitectures, and published figures for them.

use super::cpuid::Feature;
use crate::literature::measure::CYCLES;
use crate::literature::{Article, of};

/// The published cost of `rdtsc` on `microarchitecture`, spelt as in [`Cpu::microarchitecture`].
///
/// # Units
/// Core cycles per `rdtsc`, back to back.
///
/// # Sources
/// [`Article::Fog`]: 21 processors. Others have no figure, even if a close relative is listed. `x86_name` names no K7, P6 or Nano; Fog's
/// Wolfdale is a Penryn.
///
/// # Examples
/// ```
/// use chronoscope_harness::machine::published_rdtsc_cycles;
///
/// assert_eq!(published_rdtsc_cycles("Skylake"), Some(25.0));
/// assert_eq!(published_rdtsc_cycles("Ice Lake (Sunny Cove)"), None);
/// ```
///
/// [`Cpu::microarchitecture`]: crate::record::Cpu::microarchitecture
pub fn published_rdtsc_cycles(microarchitecture: &str) -> Option<f64> {
    of(Article::Fog, CYCLES).find(|figure| figure.hardware == microarchitecture)?.number()
}

/// How many turns of an empty loop a core completes while one 64-bit multiplication waits for the previous one, where
/// both are published: the multiplication takes 3 cycles; a loop of one fused count and jump takes one cycle per turn.
///
/// # Sources
/// A. Fog, "Instruction tables": `imul r64, r64`, latency 3; and "The microarchitecture of Intel, AMD and VIA CPUs", on
/// branches taken once a cycle. Observed on Ice Lake server and on a masked core with Sapphire Rapids' features.
/// Unlisted cores, including hybrid processors, have no figure.
pub(crate) fn turns_per_link(microarchitecture: &str) -> Option<f64> {
    const THREE: [&str; 17] = [
        "Haswell",
        "Broadwell",
        "Skylake",
        "Skylake server",
        "Cascade Lake (Skylake server)",
        "Cooper Lake (Skylake server)",
        "Kaby Lake",
        "Kaby Lake refreshed",
        "Coffee Lake",
        "Comet Lake",
        "Ice Lake (Sunny Cove)",
        "Ice Lake server (Sunny Cove)",
        "Rocket Lake (Cypress Cove)",
        "Tiger Lake (Willow Cove)",
        "Sapphire Rapids (Golden Cove)",
        "Emerald Rapids (Raptor Cove)",
        "Zen 3",
    ];
    THREE.contains(&microarchitecture).then_some(3.0)
}

/// Those of `features` that no core called `name` has: if any, the name is wrong for this core.
pub(super) fn foreign_features(vendor: &str, name: &str, features: &[Feature]) -> Vec<Feature> {
    let lacking = match vendor {
        "GenuineIntel" => lacking_on_intel(name),
        "AuthenticAMD" | "HygonGenuine" => lacking_on_amd(name),
        _ => &[],
    };
    features.iter().copied().filter(|feature| lacking.contains(feature)).collect()
}

/// Features that cores of this name certainly lack; empty for an unlisted name.
///
/// Source: Intel SDM vol. 1, chapter 5, and the "Intel Architecture Instruction Set Extensions Programming Reference".
fn lacking_on_intel(name: &str) -> &'static [Feature] {
    use Feature::{Amx, Avx, Avx2, Avx512F, Avx512Fp16, AvxVnni, Gfni};
    let begins = |starts: &[&str]| starts.iter().any(|start| name.starts_with(start));
    if begins(&[
        "Pentium 4",
        "Core (",
        "Nehalem",
        "Westmere",
        "Bonnell",
        "Saltwell",
        "Silvermont",
        "Airmont",
        "Goldmont",
    ]) {
        &[Avx, Avx2, Avx512F, Gfni, AvxVnni, Avx512Fp16, Amx]
    } else if begins(&["Tremont"]) {
        &[Avx, Avx2, Avx512F, AvxVnni, Avx512Fp16, Amx]
    } else if begins(&["Sandy Bridge", "Ivy Bridge"]) {
        &[Avx2, Avx512F, Gfni, AvxVnni, Avx512Fp16, Amx]
    } else if begins(&["Skylake server", "Cascade Lake", "Cooper Lake", "Knights", "Cannon Lake"]) {
        &[Gfni, AvxVnni, Avx512Fp16, Amx]
    } else if begins(&["Haswell", "Broadwell", "Skylake", "Kaby Lake", "Coffee Lake", "Comet Lake"]) {
        &[Avx512F, Gfni, AvxVnni, Avx512Fp16, Amx]
    } else if begins(&["Ice Lake", "Rocket Lake", "Tiger Lake"]) {
        &[AvxVnni, Avx512Fp16, Amx]
    } else if begins(&["Gracemont", "Crestmont", "Darkmont", "Alder Lake", "Raptor Lake"]) {
        &[Amx]
    } else {
        &[]
    }
}

/// Source: AMD's processor programming references, CPUID leaves 1 and 7.
fn lacking_on_amd(name: &str) -> &'static [Feature] {
    use Feature::{Amx, Avx, Avx2, Avx512F, Avx512Fp16, AvxVnni, Gfni};
    match name {
        "Bobcat" => &[Avx, Avx2, Avx512F, Gfni, AvxVnni, Avx512Fp16, Amx],
        _ if name.starts_with("K8") || name.starts_with("K10") => &[Avx, Avx2, Avx512F, Gfni, AvxVnni, Avx512Fp16, Amx],
        "Bulldozer" | "Piledriver" | "Steamroller" | "Jaguar" | "Puma" => {
            &[Avx2, Avx512F, Gfni, AvxVnni, Avx512Fp16, Amx]
        }
        "Excavator" | "Zen" | "Zen+" | "Zen 2" | "Zen 3" | "Dhyana (Zen)" => &[Avx512F, Gfni, AvxVnni, Avx512Fp16, Amx],
        "Zen 4" => &[AvxVnni, Avx512Fp16, Amx],
        _ => &[],
    }
}

/// The microarchitecture of an x86 processor, where family and model determine it.
pub(super) fn x86_name(vendor: &str, family: u32, model: u32, stepping: u32) -> Option<&'static str> {
    match vendor {
        "GenuineIntel" => intel_name(family, model, stepping),
        "AuthenticAMD" => amd_name(family, model),
        "HygonGenuine" => (family == 0x18).then_some("Dhyana (Zen)"),
        _ => None,
    }
}

/// Source: Linux, arch/x86/include/asm/intel-family.h.
fn intel_name(family: u32, model: u32, stepping: u32) -> Option<&'static str> {
    let name = match (family, model) {
        (6, 0x0f | 0x16) => "Core (Merom)",
        (6, 0x17 | 0x1d) => "Core (Penryn)",
        (6, 0x1a | 0x1e | 0x1f | 0x2e) => "Nehalem",
        (6, 0x25 | 0x2c | 0x2f) => "Westmere",
        (6, 0x2a | 0x2d) => "Sandy Bridge",
        (6, 0x3a | 0x3e) => "Ivy Bridge",
        (6, 0x3c | 0x3f | 0x45 | 0x46) => "Haswell",
        (6, 0x3d | 0x47 | 0x4f | 0x56) => "Broadwell",
        (6, 0x4e | 0x5e) => "Skylake",
        (6, 0x55) => match stepping {
            0..=4 => "Skylake server",
            5..=9 => "Cascade Lake (Skylake server)",
            _ => "Cooper Lake (Skylake server)",
        },
        (6, 0x8e | 0x9e) if stepping <= 9 => "Kaby Lake",
        // Later steppings of the mobile part are sold as Coffee, Whiskey, Comet and Amber Lake.
        (6, 0x8e) => "Kaby Lake refreshed",
        (6, 0x9e) => "Coffee Lake",
        (6, 0xa5 | 0xa6) => "Comet Lake",
        (6, 0x66) => "Cannon Lake (Palm Cove)",
        (6, 0x6a | 0x6c) => "Ice Lake server (Sunny Cove)",
        (6, 0x7d | 0x7e | 0x9d) => "Ice Lake (Sunny Cove)",
        (6, 0xa7) => "Rocket Lake (Cypress Cove)",
        (6, 0x8c | 0x8d) => "Tiger Lake (Willow Cove)",
        (6, 0x8f) => "Sapphire Rapids (Golden Cove)",
        (6, 0xcf) => "Emerald Rapids (Raptor Cove)",
        (6, 0xad | 0xae) => "Granite Rapids (Redwood Cove)",
        (6, 0x8a) => "Lakefield (Sunny Cove + Tremont)",
        (6, 0x97 | 0x9a) => "Alder Lake (Golden Cove + Gracemont)",
        (6, 0xb7 | 0xba | 0xbf) => "Raptor Lake (Raptor Cove + Gracemont)",
        (6, 0xaa | 0xac) => "Meteor Lake (Redwood Cove + Crestmont)",
        (6, 0xc5 | 0xc6) => "Arrow Lake (Lion Cove + Skymont)",
        (6, 0xb5) => "Arrow Lake-U (Redwood Cove + Crestmont)",
        (6, 0xbd) => "Lunar Lake (Lion Cove + Skymont)",
        (6, 0xcc) => "Panther Lake (Cougar Cove + Darkmont)",
        (6, 0x1c | 0x26) => "Bonnell",
        (6, 0x27 | 0x35 | 0x36) => "Saltwell",
        (6, 0x37 | 0x4a | 0x4d) => "Silvermont",
        (6, 0x4c | 0x5a | 0x75) => "Airmont",
        (6, 0x5c | 0x5f) => "Goldmont",
        (6, 0x7a) => "Goldmont Plus",
        (6, 0x86 | 0x96 | 0x9c) => "Tremont",
        (6, 0xbe) => "Gracemont",
        (6, 0xaf | 0xb6) => "Crestmont",
        (6, 0xdd) => "Darkmont",
        (6, 0x57) => "Knights Landing",
        (6, 0x85) => "Knights Mill",
        (15, 0..=2) => "Pentium 4",
        (15, 3..=6) => "Pentium 4 (Prescott)",
        (19, 1) => "Diamond Rapids (Panther Cove)",
        _ => return None,
    };
    Some(name)
}

/// Sources: AMD's processor revision guides; for Zen, `bsp_init_amd` in Linux, arch/x86/kernel/cpu/amd.c.
fn amd_name(family: u32, model: u32) -> Option<&'static str> {
    let name = match (family, model) {
        (0x0f, _) => "K8",
        (0x10, _) => "K10",
        (0x11, _) => "K8 (Griffin)",
        (0x12, _) => "K10 (Llano)",
        (0x14, _) => "Bobcat",
        (0x15, 0x00..=0x01) => "Bulldozer",
        (0x15, 0x02 | 0x10..=0x1f) => "Piledriver",
        (0x15, 0x30..=0x3f) => "Steamroller",
        (0x15, 0x60..=0x7f) => "Excavator",
        (0x16, 0x00..=0x0f) => "Jaguar",
        (0x16, 0x30..=0x3f) => "Puma",
        (0x17, 0x08 | 0x18) => "Zen+",
        (0x17, 0x00..=0x2f | 0x50..=0x5f) => "Zen",
        (0x17, 0x30..=0x4f | 0x60..=0x7f | 0x90..=0x91 | 0xa0..=0xaf) => "Zen 2",
        (0x19, 0x00..=0x0f | 0x20..=0x5f) => "Zen 3",
        (0x19, 0x10..=0x1f | 0x60..=0xaf) => "Zen 4",
        (0x1a, 0x00..=0x4f | 0x60..=0x7f) => "Zen 5",
        (0x1a, 0x50..=0x5f | 0x80..=0xaf | 0xc0..=0xef) => "Zen 6",
        _ => return None,
    };
    Some(name)
}

/// The company behind an implementer code. Source: Arm ARM, MIDR_EL1; Linux, arch/arm64/include/asm/cputype.h.
pub(super) fn arm_implementer(code: u32) -> Option<&'static str> {
    let name = match code {
        0x41 => "Arm",
        0x42 => "Broadcom",
        0x43 => "Cavium",
        0x46 => "Fujitsu",
        0x48 => "HiSilicon",
        0x4e => "NVIDIA",
        0x50 => "Applied Micro",
        0x51 => "Qualcomm",
        0x53 => "Samsung",
        0x61 => "Apple",
        0x6d => "Microsoft",
        0x70 => "Phytium",
        0xc0 => "Ampere",
        _ => return None,
    };
    Some(name)
}

/// The core with this implementer and part number. Sources: as for [`arm_implementer`], and lscpu's table for later Arm
/// cores.
pub(super) fn arm_name(implementer: u32, part: u32) -> Option<&'static str> {
    let name = match (implementer, part) {
        (0x41, 0xd03) => "Cortex-A53",
        (0x41, 0xd04) => "Cortex-A35",
        (0x41, 0xd05) => "Cortex-A55",
        (0x41, 0xd06) => "Cortex-A65",
        (0x41, 0xd07) => "Cortex-A57",
        (0x41, 0xd08) => "Cortex-A72",
        (0x41, 0xd09) => "Cortex-A73",
        (0x41, 0xd0a) => "Cortex-A75",
        (0x41, 0xd0b) => "Cortex-A76",
        (0x41, 0xd0c) => "Neoverse N1",
        (0x41, 0xd0d) => "Cortex-A77",
        (0x41, 0xd0e) => "Cortex-A76AE",
        (0x41, 0xd40) => "Neoverse V1",
        (0x41, 0xd41) => "Cortex-A78",
        (0x41, 0xd42) => "Cortex-A78AE",
        (0x41, 0xd44) => "Cortex-X1",
        (0x41, 0xd46) => "Cortex-A510",
        (0x41, 0xd47) => "Cortex-A710",
        (0x41, 0xd48) => "Cortex-X2",
        (0x41, 0xd49) => "Neoverse N2",
        (0x41, 0xd4a) => "Neoverse E1",
        (0x41, 0xd4b) => "Cortex-A78C",
        (0x41, 0xd4c) => "Cortex-X1C",
        (0x41, 0xd4d) => "Cortex-A715",
        (0x41, 0xd4e) => "Cortex-X3",
        (0x41, 0xd4f) => "Neoverse V2",
        (0x41, 0xd80) => "Cortex-A520",
        (0x41, 0xd81) => "Cortex-A720",
        (0x41, 0xd82) => "Cortex-X4",
        (0x41, 0xd83) => "Neoverse V3AE",
        (0x41, 0xd84) => "Neoverse V3",
        (0x41, 0xd85) => "Cortex-X925",
        (0x41, 0xd87) => "Cortex-A725",
        (0x41, 0xd8e) => "Neoverse N3",
        (0x43, 0x0a1) => "ThunderX",
        (0x43, 0x0af) | (0x42, 0x516) => "ThunderX2",
        (0x46, 0x001) => "A64FX",
        (0x48, 0xd01) => "TaiShan v110 (Kunpeng 920)",
        (0x61, 0x022) => "Icestorm (M1)",
        (0x61, 0x023) => "Firestorm (M1)",
        (0xc0, 0xac3) => "Ampere-1",
        (0xc0, 0xac4) => "Ampere-1A",
        _ => return None,
    };
    Some(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn processors_are_named() {
        for (vendor, family, model, stepping, name) in [
            ("GenuineIntel", 6, 0x5e, 3, "Skylake"),
            ("GenuineIntel", 6, 0x55, 4, "Skylake server"),
            ("GenuineIntel", 6, 0x55, 7, "Cascade Lake (Skylake server)"),
            ("GenuineIntel", 6, 0x9e, 9, "Kaby Lake"),
            ("GenuineIntel", 6, 0x9e, 10, "Coffee Lake"),
            ("GenuineIntel", 6, 0x6a, 6, "Ice Lake server (Sunny Cove)"),
            ("AuthenticAMD", 0x15, 0x02, 0, "Piledriver"),
            ("AuthenticAMD", 0x17, 0x08, 2, "Zen+"),
            ("AuthenticAMD", 0x17, 0x31, 0, "Zen 2"),
            ("AuthenticAMD", 0x19, 0x01, 1, "Zen 3"),
            ("AuthenticAMD", 0x19, 0x11, 1, "Zen 4"),
            ("AuthenticAMD", 0x1a, 0x44, 0, "Zen 5"),
        ] {
            assert_eq!(x86_name(vendor, family, model, stepping), Some(name));
        }
        assert_eq!(x86_name("AuthenticAMD", 6, 0x5e, 3), None);
    }

    /// A masked model: Sapphire Rapids' features under a Rocket Lake model number.
    #[test]
    fn features_that_came_later_contradict_a_name() {
        use Feature::{Amx, Avx, Avx2, Avx512F, Avx512Fp16, AvxVnni, Gfni};
        let golden_cove = [Avx, Avx2, Avx512F, Gfni, AvxVnni, Avx512Fp16, Amx];
        for (vendor, name, features, foreign) in [
            ("GenuineIntel", "Rocket Lake (Cypress Cove)", &golden_cove[..], &[AvxVnni, Avx512Fp16, Amx][..]),
            ("GenuineIntel", "Rocket Lake (Cypress Cove)", &[Avx, Avx2, Avx512F, Gfni], &[]),
            ("GenuineIntel", "Skylake", &[Avx, Avx2, Avx512F], &[Avx512F]),
            ("GenuineIntel", "Skylake server", &[Avx, Avx2, Avx512F], &[]),
            ("GenuineIntel", "Sapphire Rapids (Golden Cove)", &golden_cove, &[]),
            // Features hidden by a hypervisor prove nothing.
            ("GenuineIntel", "Sapphire Rapids (Golden Cove)", &[], &[]),
            ("GenuineIntel", "Nehalem", &[Avx], &[Avx]),
            ("AuthenticAMD", "Zen 3", &[Avx, Avx2, Avx512F], &[Avx512F]),
            ("AuthenticAMD", "Zen 4", &[Avx, Avx2, Avx512F, Gfni], &[]),
            ("AuthenticAMD", "Zen 5", &[Avx, Avx2, Avx512F, Gfni, AvxVnni], &[]),
            ("CentaurHauls", "Nehalem", &[Avx], &[]),
        ] {
            assert_eq!(foreign_features(vendor, name, features), foreign, "{name} with {features:?}");
        }
    }

    #[test]
    fn every_core_of_known_cycles_is_one_that_a_processor_can_have() {
        let known = |family: u32, model: u32, stepping: u32| {
            ["GenuineIntel", "AuthenticAMD"]
                .into_iter()
                .filter_map(|vendor| turns_per_link(x86_name(vendor, family, model, stepping)?))
                .count()
        };
        let found: usize = (0..32).map(|family| (0..256).map(|model| known(family, model, 4)).sum::<usize>()).sum();
        assert!(found >= 17, "{found} models");
        assert_eq!(turns_per_link("Rocket Lake (Cypress Cove)"), Some(3.0));
        assert_eq!(
            turns_per_link("Alder Lake (Golden Cove + Gracemont)"),
            None,
            "which of the two it is, is not known"
        );
    }

    #[test]
    fn every_published_figure_belongs_to_a_name_that_a_processor_can_have() {
        let named: Vec<&str> = (0..32)
            .flat_map(|family| (0..256).map(move |model| (family, model)))
            .flat_map(|(family, model)| {
                ["GenuineIntel", "AuthenticAMD"].map(|vendor| x86_name(vendor, family, model, 0))
            })
            .flatten()
            .collect();
        // These have no 64-bit mode, or are of a company whose processors are not named.
        let unnamed = ["K7", "Pentium II/III", "Nano 2000", "Nano 3000"];
        for name in of(Article::Fog, CYCLES).map(|figure| figure.hardware) {
            assert_ne!(named.contains(&name), unnamed.contains(&name), "{name}");
        }
    }

    proptest! {
        #[test]
        fn never_panics(vendor in ".*", a in any::<u32>(), b in any::<u32>(), c in any::<u32>()) {
            let _ = (x86_name(&vendor, a, b, c), published_rdtsc_cycles(&vendor));
            let _ = (intel_name(a, b, c), amd_name(a, b), arm_name(a, b), arm_implementer(a));
        }
    }
}
