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
    Ok(imp::decode(std::arch::x86_64::__cpuid_count))
}

/// Queries the CPU that the thread runs on.
#[cfg(not(target_arch = "x86_64"))]
pub(super) fn read() -> Result<Cpuid, String> {
    Err(format!("CPUID is an x86 instruction; this is {}", std::env::consts::ARCH))
}

#[cfg(target_arch = "x86_64")]
mod imp {
    use std::arch::x86_64::CpuidResult;

    use super::{Cpuid, Crystal, Feature};
    use crate::record::CpuidFlag;

    const EXTENDED: u32 = 0x8000_0000;
    const HYPERVISOR_LEAF: u32 = 0x4000_0000;
    /// KVM moves its own leaves here when it also exposes Hyper-V's interface.
    const SECOND_HYPERVISOR_LEAF: u32 = 0x4000_0100;
    const HYPERVISOR_TSC_LEAF: u32 = 0x4000_0010;

    /// Registers by leaf and subleaf.
    struct Leaves<R> {
        read: R,
        highest: u32,
        highest_extended: u32,
    }

    impl<R: Fn(u32, u32) -> CpuidResult> Leaves<R> {
        fn of(read: R) -> Self {
            let (highest, highest_extended) = (read(0, 0).eax, read(EXTENDED, 0).eax);
            Self { read, highest, highest_extended }
        }

        /// None above the highest, where a CPU returns another leaf's registers.
        fn get(&self, leaf: u32) -> Option<CpuidResult> {
            let highest = if leaf < EXTENDED { self.highest } else { self.highest_extended };
            (leaf <= highest).then(|| (self.read)(leaf, 0))
        }

        /// Source: Intel SDM vol. 2A, CPUID, leaves 1 and 7.
        fn features(&self) -> Vec<Feature> {
            let empty = CpuidResult { eax: 0, ebx: 0, ecx: 0, edx: 0 };
            let leaf_1 = (self.read)(1, 0);
            let leaf_7 = self.get(7).unwrap_or(empty);
            let leaf_7_1 = if leaf_7.eax >= 1 { (self.read)(7, 1) } else { empty };
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
            .filter(|(register, bit, _)| is_set(*register, *bit))
            .map(|(_, _, feature)| feature)
            .collect()
        }

        /// Leaves 0x80000002 to 0x80000004: the text ends at its first zero.
        fn brand(&self) -> Option<String> {
            let [one, two, three] = [2, 3, 4].map(|leaf| self.get(EXTENDED + leaf));
            let bytes = [one?, two?, three?].map(|leaf| text([leaf.eax, leaf.ebx, leaf.ecx, leaf.edx])).concat();
            let brand = clean(bytes.split('\0').next().unwrap_or_default());
            (!brand.is_empty()).then_some(brand)
        }
    }

    pub(super) fn decode(read: impl Fn(u32, u32) -> CpuidResult) -> Cpuid {
        let id = Leaves::of(read);
        let features = id.get(1);
        let field = |shift: u32, bits: u32| features.map(|leaf| leaf.eax >> shift & ((1 << bits) - 1));
        let base_family = field(8, 4);
        let family = match base_family {
            Some(15) => field(20, 8).map(|extended| 15 + extended),
            _ => base_family,
        };
        let extended_model = if matches!(base_family, Some(6 | 15)) { field(16, 4) } else { Some(0) };
        let hypervisor = features.is_some_and(|leaf| is_set(leaf.ecx, 31));
        let vendor = (id.read)(0, 0);
        let mut cpuid = Cpuid {
            vendor: clean(&text([vendor.ebx, vendor.edx, vendor.ecx])),
            brand: id.brand(),
            family,
            model: extended_model.zip(field(4, 4)).map(|(extended, model)| extended << 4 | model),
            stepping: field(0, 4),
            flags: [
                (CpuidFlag::Tsc, features.is_some_and(|leaf| is_set(leaf.edx, 4))),
                (CpuidFlag::Invariant, id.get(0x8000_0007).is_some_and(|leaf| is_set(leaf.edx, 8))),
                (CpuidFlag::Rdtscp, id.get(0x8000_0001).is_some_and(|leaf| is_set(leaf.edx, 27))),
                (CpuidFlag::Deadline, features.is_some_and(|leaf| is_set(leaf.ecx, 24))),
                (CpuidFlag::Adjust, id.get(7).is_some_and(|leaf| is_set(leaf.ebx, 1))),
            ]
            .into_iter()
            .filter_map(|(flag, is_set)| is_set.then_some(flag))
            .collect(),
            features: id.features(),
            highest_leaf: id.highest,
            crystal: id.get(0x15).map(|leaf| Crystal { hz: leaf.ecx, numerator: leaf.ebx, denominator: leaf.eax }),
            base_mhz: id.get(0x16).map(|leaf| leaf.eax & 0xffff).filter(|&mhz| mhz != 0),
            hypervisor,
            ..Cpuid::default()
        };
        // Without the bit, these leaves return whatever the highest basic leaf does.
        if hypervisor {
            let first = (id.read)(HYPERVISOR_LEAF, 0);
            let second = (id.read)(SECOND_HYPERVISOR_LEAF, 0);
            cpuid.hypervisor_signatures = vec![signature(&first)];
            let known = signature(&second);
            if known == "KVMKVMKVM" && known != cpuid.hypervisor_signatures[0] {
                cpuid.hypervisor_signatures.push(known);
            }
            cpuid.hypervisor_signatures.retain(|text| !text.is_empty());
            cpuid.highest_hypervisor_leaf = first.eax;
            if first.eax >= HYPERVISOR_TSC_LEAF {
                cpuid.hypervisor_tsc_khz = Some((id.read)(HYPERVISOR_TSC_LEAF, 0).eax);
            }
        }
        cpuid
    }

    fn signature(leaf: &CpuidResult) -> String {
        clean(&text([leaf.ebx, leaf.ecx, leaf.edx]))
    }

    fn text<const N: usize>(registers: [u32; N]) -> String {
        String::from_utf8_lossy(registers.map(u32::to_le_bytes).as_flattened()).into_owned()
    }

    fn is_set(register: u32, bit: u32) -> bool {
        register >> bit & 1 == 1
    }

    fn clean(text: &str) -> String {
        let printable: String = text.chars().filter(|c| c.is_ascii_graphic() || *c == ' ').collect();
        printable.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[cfg(test)]
    mod tests {
        use super::*;
        use proptest::prelude::*;

        fn leaf(eax: u32, ebx: u32, ecx: u32, edx: u32) -> CpuidResult {
            CpuidResult { eax, ebx, ecx, edx }
        }

        fn ice_lake_under_kvm(eax: u32, _: u32) -> CpuidResult {
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
        fn the_brand_ends_at_its_first_zero() {
            let named = |eax: u32, ecx: u32| match eax {
                0x8000_0002 => leaf(0x6574_6e49, 0x2952_286c, 0x726f_4320, 0x4d54_2865),
                0x8000_0003 => leaf(0x3769_2029, 0x6600_2020, 0, 0x6666_6666),
                _ => ice_lake_under_kvm(eax, ecx),
            };
            assert_eq!(decode(named).brand.as_deref(), Some("Intel(R) Core(TM) i7"));
            assert_eq!(decode(ice_lake_under_kvm).brand, None);
            let old =
                |eax: u32, ecx: u32| if eax == 0x8000_0000 { leaf(0x8000_0003, 0, 0, 0) } else { named(eax, ecx) };
            assert_eq!(decode(old).brand, None);
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
