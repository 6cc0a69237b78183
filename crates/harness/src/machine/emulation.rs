//! Whether the CPU is emulated: software translates or interprets its instructions, and so determines what each costs.
//!
//! An emulator is recognised only by what it shows. One that hides is not, nor is one below a hypervisor: a KVM guest on
//! an emulated machine sees KVM.
//!
//! Sources: QEMU, `cpu_x86_cpuid` in target/i386/cpu.c, `aarch64_max_tcg_initfn` in target/arm/tcg/cpu64.c,
//! `GTIMER_SCALE` in target/arm/internals.h, `virt_build_smbios` in hw/arm/virt.c; Bochs, cpu/cpuid.cc; Linux,
//! Documentation/admin-guide/sysctl/kernel.rst, `arch`.

use super::cpuid::Cpuid;
use super::files::Files;
use super::{cpuinfo, frequency};
use crate::record::{Emulation, Hypervisor};

const TCG: &str = "QEMU (TCG)";
const USER_MODE: &str = "a user-mode emulator";
const KERNEL_ARCHITECTURE: &str = "/proc/sys/kernel/arch";
pub(super) const DEVICE_TREE: &str = "/proc/device-tree/compatible";
const DMI_PRODUCT: &str = "/sys/class/dmi/id/product_name";

/// Signatures in CPUID 0x40000000 of software that translates or interprets instructions.
const SIGNATURES: [&str; 3] = ["TCGTCGTCGTCG", "BXPCBXPCBXPC", "VirtualApple"];
/// How the CPUs' names begin that only an emulator gives. A KVM guest with its host's CPU shows the host's name, so one
/// of these is visible through KVM.
const BRANDS: [(&str, &str); 2] = [("QEMU TCG CPU", TCG), ("VirtualApple", "Apple Rosetta")];
/// The name that QEMU gives a CPU under KVM as well as without it.
const AMBIGUOUS_BRAND: &str = "QEMU Virtual CPU";
/// MIDR_EL1 of QEMU's `-cpu max`, whose implementer is the code reserved for software: implementer, part.
const QEMU_MAX: (u32, u32) = (0x0, 0x51);
/// The virtual board of QEMU, in the device tree and in DMI: with KVM, DMI calls it "KVM Virtual Machine".
const QEMU_BOARDS: [(&str, &str); 2] = [(DEVICE_TREE, "linux,dummy-virt"), (DMI_PRODUCT, "QEMU Virtual Machine")];
/// The frequency that QEMU gives the counter of the Arm cores that it emulates. A hypervisor passes the host's through.
const QEMU_ARM_COUNTER_HZ: f64 = 62.5e6;

/// What shows an emulator, or would.
#[derive(Clone, Debug, Default)]
struct Signs {
    /// The architecture that this program was compiled for.
    program: &'static str,
    /// The kernel's own.
    kernel: Option<String>,
    /// That of /proc/cpuinfo, by its keys.
    cpuinfo: Option<&'static str>,
    /// Whether CPUID could be read.
    has_cpuid: bool,
    signatures: Vec<String>,
    brand: Option<String>,
    /// Implementer and part of the first CPU.
    midr: Option<(u32, u32)>,
    /// The file that names QEMU's virtual board, and the name.
    board: Option<(&'static str, &'static str)>,
    /// What the counter's frequency register holds.
    counter_hz: Option<f64>,
    hypervisor: Hypervisor,
}

pub(super) fn identify(
    files: &Files,
    cpuid: Result<&Cpuid, &String>,
    cpuinfo: Result<&str, &String>,
    hypervisor: &Hypervisor,
) -> Emulation {
    let text = cpuinfo.unwrap_or_default();
    let number = |key| cpuinfo::first(text, key).and_then(cpuinfo::number);
    let is_arm = std::env::consts::ARCH == "aarch64";
    conclude(&Signs {
        program: std::env::consts::ARCH,
        kernel: files.text(KERNEL_ARCHITECTURE).ok().filter(|text| !text.is_empty()),
        cpuinfo: architecture_of(text),
        has_cpuid: cpuid.is_ok(),
        signatures: cpuid.map(|cpuid| cpuid.hypervisor_signatures.clone()).unwrap_or_default(),
        brand: cpuid.ok().and_then(|cpuid| cpuid.brand.clone()),
        midr: number("CPU implementer").zip(number("CPU part")).filter(|_| is_arm),
        board: QEMU_BOARDS.into_iter().find(|(path, name)| names(files, path, name)),
        counter_hz: is_arm.then(frequency::counter_register).and_then(Result::ok),
        hypervisor: hypervisor.clone(),
    })
}

/// Whether the file at `path` is `name`, or a list of strings, each ended by NUL, with `name` among them.
fn names(files: &Files, path: &str, name: &str) -> bool {
    files.text(path).is_ok_and(|text| text.split('\0').any(|part| part == name))
}

/// The architecture whose kernel writes /proc/cpuinfo with such keys.
fn architecture_of(cpuinfo: &str) -> Option<&'static str> {
    let has = |key| cpuinfo::first(cpuinfo, key).is_some();
    match (has("vendor_id"), has("CPU implementer")) {
        (true, false) => Some("x86_64"),
        (false, true) => Some("aarch64"),
        _ => None,
    }
}

fn conclude(signs: &Signs) -> Emulation {
    let told = || user_mode(signs).or_else(|| by_cpuid(signs)).or_else(|| on_arm(signs));
    match told() {
        Some((by, evidence)) => Emulation { is_emulated: Some(true), by: Some(by.to_owned()), evidence },
        None => Emulation { is_emulated: not_seen(signs), by: None, evidence: limits(signs) },
    }
}

/// Architectures of which no CPU runs the other's programs: there are others that do, such as x86_64 those of i686.
const FOREIGN: [[&str; 2]; 2] = [["x86_64", "aarch64"], ["aarch64", "x86_64"]];

/// A program of an architecture that the kernel's CPU does not run.
fn user_mode(signs: &Signs) -> Option<(&'static str, String)> {
    let differs = |of: Option<&str>| of.is_some_and(|of| FOREIGN.contains(&[of, signs.program]));
    let compiled = format!("this program is {}", signs.program);
    if differs(signs.kernel.as_deref()) {
        let kernel = signs.kernel.as_deref().unwrap_or_default();
        return Some((USER_MODE, format!("{KERNEL_ARCHITECTURE}: {kernel}; {compiled}")));
    }
    let of = signs.cpuinfo.filter(|of| differs(Some(of)))?;
    Some((USER_MODE, format!("{} is that of {of}; {compiled}", cpuinfo::PATH)))
}

fn by_cpuid(signs: &Signs) -> Option<(&'static str, String)> {
    if let Some(signature) = signs.signatures.iter().find(|signature| SIGNATURES.contains(&signature.as_str())) {
        let by = match signature.as_str() {
            "BXPCBXPCBXPC" => "Bochs",
            "VirtualApple" => "Apple Rosetta",
            _ => TCG,
        };
        return Some((by, format!("CPUID 0x40000000: {signature}")));
    }
    let brand = signs.brand.as_deref()?;
    let (_, by) = BRANDS.into_iter().find(|(begin, _)| brand.starts_with(begin))?;
    Some((by, format!("the CPU's name: {brand}")))
}

fn on_arm(signs: &Signs) -> Option<(&'static str, String)> {
    if signs.midr == Some(QEMU_MAX) {
        return Some((TCG, "MIDR_EL1: implementer 0x0 (software), part 0x51: QEMU's -cpu max".to_owned()));
    }
    let (path, name) = signs.board?;
    (signs.counter_hz == Some(QEMU_ARM_COUNTER_HZ)).then(|| {
        let why = "CNTFRQ_EL0: 62.5 MHz, which QEMU gives the cores that it emulates";
        (TCG, format!("{path}: {name}; {why}"))
    })
}

/// No, where CPUID names no emulator and no hypervisor, and the kernel is one for the CPU that this program is for. Unknown in a
/// guest, and where the kernel's architecture is: Windows on Arm translates programs for x86-64, and need not name itself where
/// hypervisors do.
fn not_seen(signs: &Signs) -> Option<bool> {
    (signs.has_cpuid && signs.hypervisor.present == Some(false) && has_own_kernel(signs)).then_some(false)
}

fn has_own_kernel(signs: &Signs) -> bool {
    signs.kernel.as_deref().or(signs.cpuinfo) == Some(signs.program)
}

/// What was looked at in vain, and what that leaves open.
fn limits(signs: &Signs) -> String {
    let is_ambiguous = signs.brand.as_deref().is_some_and(|brand| brand.starts_with(AMBIGUOUS_BRAND));
    let guest = signs.hypervisor.present == Some(true);
    match (signs.has_cpuid, guest) {
        (true, _) if is_ambiguous => format!("QEMU calls its CPU \"{AMBIGUOUS_BRAND}\" with KVM and without"),
        (true, true) => {
            let name = signs.hypervisor.name.as_deref().unwrap_or("the hypervisor");
            format!("no sign of an emulator; {name} would hide one below it")
        }
        (true, false) if has_own_kernel(signs) => "no sign of an emulator in CPUID".to_owned(),
        (true, false) => "no sign of an emulator in CPUID, but the kernel's architecture is unknown".to_owned(),
        (false, _) => "no sign of an emulator, but this architecture need not show one".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn guest_of(name: &str) -> Hypervisor {
        Hypervisor { present: Some(true), name: Some(name.to_owned()), ..Hypervisor::default() }
    }

    fn x86(signature: &str, brand: &str) -> Signs {
        Signs {
            program: "x86_64",
            has_cpuid: true,
            signatures: (!signature.is_empty()).then(|| signature.to_owned()).into_iter().collect(),
            brand: Some(brand.to_owned()),
            hypervisor: guest_of("KVM"),
            ..Signs::default()
        }
    }

    fn arm(board: Option<(&'static str, &'static str)>, counter_hz: f64) -> Signs {
        Signs { program: "aarch64", board, counter_hz: Some(counter_hz), ..Signs::default() }
    }

    #[test]
    fn each_sign_leads_to_its_conclusion() {
        let bare = Hypervisor { present: Some(false), ..Hypervisor::default() };
        let own = Signs { hypervisor: bare, kernel: Some("x86_64".to_owned()), ..x86("", "AMD EPYC 7763") };
        let [tree, firmware] = QEMU_BOARDS;
        let foreign = |program, kernel: &str| Signs { program, kernel: Some(kernel.to_owned()), ..Signs::default() };
        let (yes, open, no) = (Some(true), None, Some(false));
        for (signs, is_emulated, by, evidence) in [
            (x86("TCGTCGTCGTCG", "QEMU Virtual CPU version 2.5+"), yes, Some(TCG), "CPUID 0x40000000: TCGTCGTCGTCG"),
            (x86("BXPCBXPCBXPC", ""), yes, Some("Bochs"), "BXPCBXPCBXPC"),
            // KVM with `-cpu host` on a machine that QEMU emulates.
            (x86("KVMKVMKVM", "QEMU TCG CPU version 2.5+"), yes, Some(TCG), ""),
            (x86("KVMKVMKVM", "Intel(R) Xeon(R) Processor @ 2.80GHz"), open, None, "KVM would hide one below it"),
            (x86("", "QEMU Virtual CPU version 2.5+"), open, None, "with KVM and without"),
            (own.clone(), no, None, ""),
            // Linux before 6.1 has no file of its architecture.
            (Signs { kernel: None, cpuinfo: Some("x86_64"), ..own.clone() }, no, None, ""),
            // Windows on Arm may show a program no more than this.
            (Signs { kernel: None, ..own }, open, None, "the kernel's architecture is unknown"),
            (arm(Some(tree), 62.5e6), yes, Some(TCG), "62.5 MHz"),
            (arm(Some(firmware), 62.5e6), yes, Some(TCG), firmware.1),
            // KVM, and macOS' hypervisor, pass the host's frequency through.
            (arm(Some(tree), 24e6), open, None, ""),
            (arm(Some(firmware), 24e6), open, None, ""),
            (arm(None, 62.5e6), open, None, ""),
            (Signs { midr: Some(QEMU_MAX), ..arm(Some(tree), 1e9) }, yes, Some(TCG), ""),
            (
                Signs { kernel: Some("x86_64".to_owned()), ..arm(None, 62.5e6) },
                yes,
                Some(USER_MODE),
                "/proc/sys/kernel/arch: x86_64",
            ),
            (
                Signs { cpuinfo: architecture_of("vendor_id\t: GenuineIntel\n"), ..arm(None, 62.5e6) },
                yes,
                Some(USER_MODE),
                "/proc/cpuinfo is that of x86_64",
            ),
            // These kernels run these programs themselves.
            (foreign("x86", "x86_64"), open, None, ""),
            (foreign("arm", "aarch64"), open, None, ""),
            (foreign("powerpc64", "ppc64"), open, None, ""),
            (Signs { kernel: Some("aarch64".to_owned()), cpuinfo: Some("aarch64"), ..arm(None, 24e6) }, open, None, ""),
        ] {
            let seen = conclude(&signs);
            assert_eq!((seen.is_emulated, seen.by.as_deref()), (is_emulated, by), "{signs:?}");
            assert!(seen.evidence.contains(evidence), "{signs:?}: {}", seen.evidence);
        }
    }

    #[test]
    fn device_trees_list_strings() {
        let files = Files::Fake(vec![(DEVICE_TREE, "linux,dummy-virt\0"), (DMI_PRODUCT, "KVM Virtual Machine\n")]);
        assert!(names(&files, DEVICE_TREE, "linux,dummy-virt"));
        assert!(!names(&files, DMI_PRODUCT, "QEMU Virtual Machine"));
        assert!(!names(&Files::Fake(vec![]), DEVICE_TREE, "linux,dummy-virt"));
    }

    proptest! {
        #[test]
        fn never_panics(a in ".*", b in ".*", hz in any::<f64>(), present in any::<Option<bool>>()) {
            let _ = architecture_of(&a);
            let _ = conclude(&Signs {
                program: "x86_64",
                kernel: Some(a.clone()),
                has_cpuid: present.is_some(),
                signatures: vec![b.clone()],
                brand: Some(a),
                counter_hz: Some(hz),
                hypervisor: Hypervisor { present, name: Some(b), ..Hypervisor::default() },
                ..Signs::default()
            });
        }
    }
}
