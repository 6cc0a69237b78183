use super::cpuid::Cpuid;
use super::files::Files;
use super::{container, cpuinfo, emulation};
use crate::record::Hypervisor;

/// Signs of a hypervisor on the machine.
#[derive(Clone, Debug, Default)]
struct Signs {
    /// CPUID 1 ECX.31, or the kernel's flag for it; none on other architectures.
    bit: Option<bool>,
    signatures: Vec<String>,
    sysfs_type: Option<String>,
    dmi_vendor: Option<String>,
    dmi_product: Option<String>,
    device_tree: Option<String>,
    /// What the device tree calls the board.
    board: Option<String>,
}

pub(super) fn identify(files: &Files, cpuid: Result<&Cpuid, &String>, cpuinfo: Result<&str, &String>) -> Hypervisor {
    let said = |path: &str| files.text(path).ok().filter(|text| !text.is_empty());
    let flagged = cpuinfo.ok().and_then(cpuinfo::flags).is_some_and(|flags| flags.contains(&"hypervisor"));
    let signs = Signs {
        bit: cpuid.ok().map(|cpuid| cpuid.hypervisor || flagged),
        signatures: cpuid.map(|cpuid| cpuid.hypervisor_signatures.clone()).unwrap_or_default(),
        sysfs_type: said("/sys/hypervisor/type"),
        dmi_vendor: said("/sys/class/dmi/id/sys_vendor"),
        dmi_product: said("/sys/class/dmi/id/product_name"),
        device_tree: said("/proc/device-tree/hypervisor/compatible"),
        board: said(emulation::DEVICE_TREE),
    };
    Hypervisor { container: container::find(files), ..conclude(&signs) }
}

fn conclude(signs: &Signs) -> Hypervisor {
    let mut evidence = Vec::new();
    match signs.bit {
        Some(true) => evidence.push("CPUID 1 ECX.31 (hypervisor) is set".to_owned()),
        Some(false) => evidence.push("CPUID 1 ECX.31 (hypervisor) is clear".to_owned()),
        None => {}
    }
    if !signs.signatures.is_empty() {
        evidence.push(format!("CPUID 0x40000000: {}", signs.signatures.join(" and ")));
    }
    if let Some(kind) = &signs.sysfs_type {
        evidence.push(format!("/sys/hypervisor/type: {kind}"));
    }
    // Only the first of the NUL-separated strings.
    let first = |text: &Option<String>| {
        text.as_deref().and_then(|text| text.split('\0').find(|part| !part.is_empty()).map(str::to_owned))
    };
    let device_tree = first(&signs.device_tree);
    let board = first(&signs.board).filter(|board| board == VIRTUAL_BOARD);
    evidence
        .extend([&device_tree, &board].into_iter().flatten().map(|compatible| format!("device tree: {compatible}")));
    let dmi = [&signs.dmi_vendor, &signs.dmi_product].into_iter().flatten().cloned().collect::<Vec<_>>().join(", ");
    if !dmi.is_empty() {
        evidence.push(format!("DMI: {dmi}"));
    }
    let signed = signs.signatures.first();
    // In Xen's dom0 CPUID is that of the machine, and its signature may be that of another hypervisor below.
    let is_xen = signs.sysfs_type.as_deref() == Some("xen");
    let name = signed
        .filter(|_| !is_xen)
        .map(|first| name_of_signature(first, signs.signatures.get(1).map(String::as_str)))
        .or_else(|| signs.sysfs_type.as_deref().map(|kind| if kind == "xen" { "Xen" } else { kind }.to_owned()))
        .or_else(|| device_tree.as_deref().map(name_of_device_tree))
        .or_else(|| {
            // A cloud's name on a machine that reports no hypervisor: a bare-metal instance.
            let name = name_of_dmi(&dmi).filter(|name| signs.bit != Some(false) || !name.starts_with("KVM ("));
            name.map(str::to_owned)
        });
    let present = match (signs.bit, name.is_some() || board.is_some()) {
        (Some(true), _) | (_, true) => Some(true),
        (Some(false), false) => Some(false),
        (None, false) => {
            evidence.push("no sign of a hypervisor, but this architecture need not show one".to_owned());
            None
        }
    };
    Hypervisor { present, name, evidence: (!evidence.is_empty()).then(|| evidence.join("; ")), container: None }
}

/// The board of QEMU, kvmtool and crosvm, which tells them from hardware and not from one another.
const VIRTUAL_BOARD: &str = "linux,dummy-virt";

fn name_of_signature(first: &str, second: Option<&str>) -> String {
    let name = match (first, second) {
        ("Microsoft Hv", Some("KVMKVMKVM")) => "KVM (showing Hyper-V's interface too)",
        ("KVMKVMKVM" | "Linux KVM Hv", _) => "KVM",
        ("Microsoft Hv", _) => "Hyper-V",
        ("VMwareVMware", _) => "VMware",
        ("XenVMMXenVMM", _) => "Xen",
        ("TCGTCGTCGTCG", _) => "QEMU (TCG)",
        ("BXPCBXPCBXPC", _) => "Bochs",
        ("VBoxVBoxVBox", _) => "VirtualBox",
        ("bhyve bhyve" | "BHyVE BHyVE", _) => "bhyve",
        ("ACRNACRNACRN", _) => "ACRN",
        ("QNXQVMBSQG", _) => "QNX",
        ("lrpepyh vr" | "prl hyperv", _) => "Parallels",
        ("VirtualApple", _) => "Apple Rosetta",
        (unknown, _) => unknown,
    };
    name.to_owned()
}

fn name_of_device_tree(compatible: &str) -> String {
    match compatible.split_once(',') {
        Some(("linux", "kvm")) => "KVM",
        Some(("xen", _)) => "Xen",
        _ => compatible,
    }
    .to_owned()
}

/// Vendor and product as reported by firmware. Source: systemd, src/basic/virt.c, `dmi_vendor_table`.
fn name_of_dmi(dmi: &str) -> Option<&'static str> {
    // Clouds rent bare-metal machines under the same vendor name.
    if dmi.contains(".metal") {
        return None;
    }
    const KNOWN: [(&str, &str); 14] = [
        ("KVM", "KVM"),
        ("OpenStack", "KVM (OpenStack)"),
        ("KubeVirt", "KVM (KubeVirt)"),
        ("Amazon EC2", "KVM (Amazon EC2)"),
        ("Google Compute Engine", "KVM (Google Compute Engine)"),
        ("QEMU", "QEMU"),
        ("VMware", "VMware"),
        ("VMW", "VMware"),
        ("innotek GmbH", "VirtualBox"),
        ("VirtualBox", "VirtualBox"),
        ("Xen", "Xen"),
        ("Microsoft Corporation, Virtual Machine", "Hyper-V"),
        ("Parallels", "Parallels"),
        ("Apple Virtualization", "Apple Virtualization"),
    ];
    KNOWN.into_iter().find(|(sign, _)| dmi.contains(sign)).map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_vendor_leaf_names_it() {
        let signs = Signs { bit: Some(true), signatures: vec!["KVMKVMKVM".into()], ..Signs::default() };
        let seen = conclude(&signs);
        assert_eq!((seen.present, seen.name.as_deref()), (Some(true), Some("KVM")));
        assert_eq!(seen.evidence.as_deref(), Some("CPUID 1 ECX.31 (hypervisor) is set; CPUID 0x40000000: KVMKVMKVM"));
        let signs = Signs { signatures: vec!["Microsoft Hv".into(), "KVMKVMKVM".into()], ..signs };
        assert!(conclude(&signs).name.unwrap().starts_with("KVM"));
    }

    #[test]
    fn firmware_names_it_where_cpuid_cannot() {
        let dmi = |vendor: &str, product: &str| {
            conclude(&Signs { dmi_vendor: Some(vendor.into()), dmi_product: Some(product.into()), ..Signs::default() })
        };
        assert_eq!(dmi("Amazon EC2", "m6g.large").present, Some(true));
        assert_eq!(dmi("Amazon EC2", "m6g.metal").present, None);
        assert_eq!(dmi("Microsoft Corporation", "Virtual Machine").name.as_deref(), Some("Hyper-V"));
        assert_eq!(dmi("Microsoft Corporation", "Surface Pro X").present, None);
        let tree = Signs { device_tree: Some("linux,kvm\0".into()), ..Signs::default() };
        assert_eq!(conclude(&tree).name.as_deref(), Some("KVM"));
        let on = |board: &str| conclude(&Signs { board: Some(board.into()), ..Signs::default() });
        assert_eq!((on("linux,dummy-virt\0").present, on("linux,dummy-virt\0").name), (Some(true), None));
        assert_eq!(on("raspberrypi,4-model-b\0brcm,bcm2711\0").present, None);
    }

    #[test]
    fn bare_metal_and_ignorance_differ() {
        assert_eq!(conclude(&Signs { bit: Some(false), ..Signs::default() }).present, Some(false));
        assert_eq!(conclude(&Signs::default()).present, None);
        assert!(conclude(&Signs::default()).evidence.is_some());
        let rented = Signs { bit: Some(false), dmi_vendor: Some("Google Compute Engine".into()), ..Signs::default() };
        assert_eq!(conclude(&rented).present, Some(false));
        let dom0 = Signs { bit: Some(false), sysfs_type: Some("xen".into()), ..Signs::default() };
        assert_eq!(conclude(&dom0).name.as_deref(), Some("Xen"));
    }

    #[test]
    fn the_kernels_word_for_xen_goes_before_a_signature_from_below() {
        let signatures = vec!["TCGTCGTCGTCG".into()];
        let seen = conclude(&Signs { bit: Some(true), sysfs_type: Some("xen".into()), signatures, ..Signs::default() });
        assert_eq!(seen.name.as_deref(), Some("Xen"));
        let evidence = seen.evidence.unwrap();
        assert!(evidence.contains("TCGTCGTCGTCG") && evidence.contains("/sys/hypervisor/type"), "{evidence}");
    }

    proptest! {
        #[test]
        fn never_panics(a in ".*", b in ".*", c in ".*", bit in any::<Option<bool>>()) {
            let _ = conclude(&Signs {
                bit,
                signatures: vec![a.clone(), b.clone()],
                sysfs_type: Some(c.clone()),
                dmi_vendor: Some(a),
                dmi_product: Some(b),
                device_tree: Some(c.clone()),
                board: Some(c),
            });
        }
    }
}
