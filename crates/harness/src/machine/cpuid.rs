//! What the CPUID instruction declares.
//!
//! Sources: Intel SDM vol. 2A, CPUID; AMD APM vol. 3, appendix E; the hypervisor leaves as VMware and KVM use them
//! (Linux, Documentation/virt/kvm/x86/cpuid.rst, and the LKML proposal "CPUID usage for interaction between
//! hypervisors and Linux", 2008).

use crate::record::CpuidFlag;

/// Decoded CPUID.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Cpuid {
    pub(super) vendor: String,
    pub(super) brand: Option<String>,
    pub(super) family: Option<u32>,
    pub(super) model: Option<u32>,
    pub(super) stepping: Option<u32>,
    pub(super) flags: Vec<CpuidFlag>,
    /// Features that distinguish generations of cores; only those present.
    pub(super) features: Vec<Feature>,
    pub(super) highest_leaf: u32,
    pub(super) crystal: Option<Crystal>,
    pub(super) base_mhz: Option<u32>,
    pub(super) hypervisor: bool,
    /// Signatures in the vendor leaves, outermost interface first.
    pub(super) hypervisor_signatures: Vec<String>,
    pub(super) highest_hypervisor_leaf: u32,
    pub(super) hypervisor_tsc_khz: Option<u32>,
}

/// An instruction-set extension introduced with some generation of cores. A hypervisor may hide one; it cannot add one
/// that the core lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Feature {
    Avx,
    Avx2,
    Avx512F,
    Gfni,
    AvxVnni,
    Avx512Fp16,
    Amx,
}

impl Feature {
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Avx => "AVX",
            Self::Avx2 => "AVX2",
            Self::Avx512F => "AVX-512",
            Self::Gfni => "GFNI",
            Self::AvxVnni => "AVX-VNNI",
            Self::Avx512Fp16 => "AVX512-FP16",
            Self::Amx => "AMX",
        }
    }
}

/// Leaf 0x15: the TSC's frequency as a multiple of the crystal's. Zero means not enumerated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Crystal {
    pub(super) hz: u32,
    pub(super) numerator: u32,
    pub(super) denominator: u32,
}

impl Crystal {
    pub(super) fn tsc_hz(self) -> Option<f64> {
        let said = self.hz != 0 && self.numerator != 0 && self.denominator != 0;
        said.then(|| f64::from(self.hz) * f64::from(self.numerator) / f64::from(self.denominator))
    }
}

/// Queries the CPU that the thread runs on.
#[cfg(target_arch = "x86_64")]
pub(super) fn read() -> Result<Cpuid, String> {
    Ok(imp::decode(raw_cpuid::CpuIdReaderNative))
}

/// Queries the CPU that the thread runs on.
#[cfg(not(target_arch = "x86_64"))]
pub(super) fn read() -> Result<Cpuid, String> {
    Err(format!("CPUID is an x86 instruction; this is {}", std::env::consts::ARCH))
}

#[cfg(target_arch = "x86_64")]
mod imp {
    use raw_cpuid::{CpuId, CpuIdReader, CpuIdResult};

    use super::{Cpuid, Crystal, Feature};
    use crate::record::CpuidFlag;

    const HYPERVISOR_LEAF: u32 = 0x4000_0000;
    /// KVM moves its own leaves here when it also exposes Hyper-V's interface.
    const SECOND_HYPERVISOR_LEAF: u32 = 0x4000_0100;
    const HYPERVISOR_TSC_LEAF: u32 = 0x4000_0010;

    /// Source: Intel SDM vol. 2A, CPUID, leaves 1 and 7.
    fn features_of<R: CpuIdReader>(reader: &R) -> Vec<Feature> {
        let highest = reader.cpuid1(0).eax;
        let leaf_1 = reader.cpuid1(1);
        let empty = CpuIdResult { eax: 0, ebx: 0, ecx: 0, edx: 0 };
        let leaf_7 = if highest >= 7 { reader.cpuid2(7, 0) } else { empty };
        let leaf_7_1 = if leaf_7.eax >= 1 { reader.cpuid2(7, 1) } else { empty };
        [
            (leaf_1.ecx, 28, Feature::Avx),
            (leaf_7.ebx, 5, Feature::Avx2),
            (leaf_7.ebx, 16, Feature::Avx512F),
            (leaf_7.ecx, 8, Feature::Gfni),
            (leaf_7_1.eax, 4, Feature::AvxVnni),
            (leaf_7.edx, 23, Feature::Avx512Fp16),
            (leaf_7.edx, 24, Feature::Amx),
        ]
        .into_iter()
        .filter(|(register, bit, _)| register >> bit & 1 == 1)
        .map(|(_, _, feature)| feature)
        .collect()
    }

    pub(super) fn decode<R: CpuIdReader>(reader: R) -> Cpuid {
        let id = CpuId::with_cpuid_fn(reader.clone());
        let features = id.get_feature_info();
        let base_family = features.as_ref().map(|leaf| u32::from(leaf.base_family_id()));
        // Added in 32 bits because `family_id` adds in eight bits, which a wrong leaf overflows.
        let family = features.as_ref().map(|leaf| match base_family {
            Some(15) => 15 + u32::from(leaf.extended_family_id()),
            _ => u32::from(leaf.base_family_id()),
        });
        let model = features.as_ref().map(|leaf| {
            let extended = if matches!(base_family, Some(6 | 15)) { u32::from(leaf.extended_model_id()) } else { 0 };
            extended << 4 | u32::from(leaf.base_model_id())
        });
        let hypervisor = features.as_ref().is_some_and(|leaf| leaf.has_hypervisor());
        let mut cpuid = Cpuid {
            vendor: id.get_vendor_info().map(|leaf| clean(leaf.as_str())).unwrap_or_default(),
            brand: id.get_processor_brand_string().map(|leaf| clean(leaf.as_str())).filter(|brand| !brand.is_empty()),
            family,
            model,
            stepping: features.as_ref().map(|leaf| u32::from(leaf.stepping_id())),
            flags: [
                (CpuidFlag::Tsc, features.as_ref().is_some_and(|leaf| leaf.has_tsc())),
                (CpuidFlag::Invariant, id.get_advanced_power_mgmt_info().is_some_and(|leaf| leaf.has_invariant_tsc())),
                (
                    CpuidFlag::Rdtscp,
                    id.get_extended_processor_and_feature_identifiers().is_some_and(|leaf| leaf.has_rdtscp()),
                ),
                (CpuidFlag::Deadline, features.as_ref().is_some_and(|leaf| leaf.has_tsc_deadline())),
                (CpuidFlag::Adjust, id.get_extended_feature_info().is_some_and(|leaf| leaf.has_tsc_adjust_msr())),
            ]
            .into_iter()
            .filter_map(|(flag, is_set)| is_set.then_some(flag))
            .collect(),
            features: features_of(&reader),
            highest_leaf: reader.cpuid1(0).eax,
            crystal: id.get_tsc_info().map(|leaf| Crystal {
                hz: leaf.nominal_frequency(),
                numerator: leaf.numerator(),
                denominator: leaf.denominator(),
            }),
            base_mhz: id
                .get_processor_frequency_info()
                .map(|leaf| u32::from(leaf.processor_base_frequency()))
                .filter(|&mhz| mhz != 0),
            hypervisor,
            ..Cpuid::default()
        };
        // Without the bit, these leaves return whatever the highest basic leaf does.
        if hypervisor {
            let first = reader.cpuid1(HYPERVISOR_LEAF);
            let second = reader.cpuid1(SECOND_HYPERVISOR_LEAF);
            cpuid.hypervisor_signatures = vec![signature(&first)];
            let known = signature(&second);
            if known == "KVMKVMKVM" && known != cpuid.hypervisor_signatures[0] {
                cpuid.hypervisor_signatures.push(known);
            }
            cpuid.hypervisor_signatures.retain(|text| !text.is_empty());
            cpuid.highest_hypervisor_leaf = first.eax;
            if first.eax >= HYPERVISOR_TSC_LEAF {
                cpuid.hypervisor_tsc_khz = Some(reader.cpuid1(HYPERVISOR_TSC_LEAF).eax);
            }
        }
        cpuid
    }

    fn signature(leaf: &CpuIdResult) -> String {
        let bytes: Vec<u8> = [leaf.ebx, leaf.ecx, leaf.edx].into_iter().flat_map(u32::to_le_bytes).collect();
        clean(&String::from_utf8_lossy(&bytes))
    }

    fn clean(text: &str) -> String {
        let printable: String = text.chars().filter(|c| c.is_ascii_graphic() || *c == ' ').collect();
        printable.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[cfg(test)]
    mod tests {
        use super::*;
        use proptest::prelude::*;

        fn leaf(eax: u32, ebx: u32, ecx: u32, edx: u32) -> CpuIdResult {
            CpuIdResult { eax, ebx, ecx, edx }
        }

        fn ice_lake_under_kvm(eax: u32, _: u32) -> CpuIdResult {
            match eax {
                0 => leaf(0x16, 0x756e_6547, 0x6c65_746e, 0x4965_6e69),
                1 => leaf(0x0006_06a6, 0, 1 << 31 | 1 << 24, 1 << 4),
                0x15 => leaf(2, 223, 25_000_000, 0),
                0x16 => leaf(2800, 3500, 100, 0),
                0x4000_0000 => leaf(0x4000_0010, 0x4b4d_564b, 0x564b_4d56, 0x0000_004d),
                0x4000_0010 => leaf(2_793_434, 1_000_000, 0, 0),
                0x8000_0000 => leaf(0x8000_0008, 0, 0, 0),
                0x8000_0001 => leaf(0, 0, 0, 1 << 27),
                0x8000_0007 => leaf(0, 0, 0, 1 << 8),
                _ => leaf(0, 0, 0, 0),
            }
        }

        #[test]
        fn the_leaves_are_decoded() {
            let cpuid = decode(ice_lake_under_kvm);
            assert_eq!(cpuid.vendor, "GenuineIntel");
            assert_eq!((cpuid.family, cpuid.model, cpuid.stepping), (Some(6), Some(0x6a), Some(6)));
            assert_eq!(cpuid.flags, [CpuidFlag::Tsc, CpuidFlag::Invariant, CpuidFlag::Rdtscp, CpuidFlag::Deadline]);
            assert_eq!(cpuid.crystal.and_then(Crystal::tsc_hz), Some(2_787_500_000.0));
            assert_eq!(cpuid.base_mhz, Some(2800));
            assert_eq!(cpuid.hypervisor_signatures, ["KVMKVMKVM"]);
            assert_eq!(cpuid.hypervisor_tsc_khz, Some(2_793_434));
        }

        /// The leaves of a virtual machine on a Sapphire Rapids host that reports the model number of a Rocket Lake.
        #[test]
        fn features_are_read_from_both_halves_of_leaf_7() {
            use Feature::{Amx, Avx, Avx2, Avx512F, Avx512Fp16, AvxVnni, Gfni};
            let shown = |eax: u32, ecx: u32| match (eax, ecx) {
                (1, _) => leaf(0x000a_0671, 0, 1 << 31 | 1 << 28, 1 << 4),
                (7, 0) => leaf(1, 1 << 5 | 1 << 16, 1 << 8, 1 << 23 | 1 << 24),
                (7, 1) => leaf(1 << 4 | 1 << 5, 0, 0, 0),
                _ => ice_lake_under_kvm(eax, ecx),
            };
            assert_eq!(decode(shown).features, [Avx, Avx2, Avx512F, Gfni, AvxVnni, Avx512Fp16, Amx]);
            assert_eq!(decode(shown).model, Some(0xa7));
            // A leaf above the highest one returns another leaf's registers.
            let old = |eax: u32, ecx: u32| if eax == 0 { leaf(6, 0, 0, 0) } else { shown(eax, ecx) };
            assert_eq!(decode(old).features, [Avx]);
        }

        #[test]
        fn a_hypervisor_leaf_above_the_highest_is_not_read() {
            let cpuid = decode(|eax, ecx| match eax {
                0x4000_0000 => leaf(0x4000_0001, 0x4b4d_564b, 0x564b_4d56, 0x0000_004d),
                _ => ice_lake_under_kvm(eax, ecx),
            });
            assert_eq!(cpuid.hypervisor_tsc_khz, None);
        }

        proptest! {
            #[test]
            fn never_panics(registers in prop::array::uniform4(any::<u32>()), salt in any::<u32>()) {
                let _ = decode(move |eax: u32, ecx: u32| {
                    let mix = salt.wrapping_mul(eax ^ ecx);
                    leaf(registers[0] ^ mix, registers[1] ^ mix, registers[2] ^ mix, registers[3] ^ mix)
                });
                let _ = decode(move |_: u32, _: u32| leaf(registers[0], registers[1], registers[2], registers[3]));
            }
        }
    }
}
