//! Starts a scenario's machine in QEMU.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::overlay;
use crate::plant::Plant;
use crate::scenario::{MachineKind, Scenario};
use crate::size::Size;
use crate::word::word;

/// The scenario's file, as an image has it.
const SCENARIO: &str = "scenario.toml";
/// The archive of the peers, which `init` unpacks.
const PEERS: &str = "peers.gz";

/// A machine that runs.
#[derive(Debug)]
pub struct Machine {
    /// QEMU, whose standard output is the serial console.
    pub qemu: Child,
    /// Where its monitor listens.
    pub monitor: PathBuf,
    /// What QEMU itself complained about.
    pub complaints: PathBuf,
}

/// An initramfs with the kernel that unpacks it.
#[derive(Clone, Debug)]
pub struct Image {
    pub initramfs: PathBuf,
    pub kernel: PathBuf,
}

impl Drop for Machine {
    /// A machine never outlives whoever started it, whatever went wrong there.
    fn drop(&mut self) {
        // Both fail where it has ended already, and then nothing is left to do.
        let _ = self.qemu.kill();
        let _ = self.qemu.wait();
    }
}

/// Starts one; `stem` begins the names of all files that it needs.
///
/// # Errors
/// Where a file cannot be written, or QEMU not be started.
pub fn start(
    scenario: &Scenario,
    file: &Path,
    image: &Image,
    peers: Option<&Path>,
    stem: &Path,
    size: Size,
    plant: Option<Plant>,
) -> io::Result<Machine> {
    let [initramfs, monitor, complaints, disk] =
        ["initramfs", "monitor", "errors", "qcow2"].map(|end| stem.with_extension(end));
    let peers = peers.filter(|_| scenario.asks_peers()).map(|peers| (PEERS, peers));
    let files: Vec<_> = std::iter::once((SCENARIO, file)).chain(peers).collect();
    overlay::lay(&image.initramfs, &files, &initramfs)?;
    let _ = fs::remove_file(&monitor);
    let mut qemu = Command::new(program(scenario.machine));
    qemu.args(options(scenario.machine)).args(["-m", &scenario.memory_mib.to_string()]);
    qemu.args(["-smp", &scenario.cpus.to_string()]).args(scenario.qemu.split_whitespace());
    qemu.args("-nodefaults -no-reboot -display none -monitor none -serial stdio -qmp".split_whitespace());
    qemu.arg(format!("unix:{},server=on,wait=off", monitor.display()));
    if scenario.snapshots {
        make_disk(&disk)?;
        qemu.arg("-drive").arg(format!("if=none,id=state,format=qcow2,file={}", disk.display()));
    }
    let words = kernel_words(scenario, size, plant);
    match scenario.machine {
        // Xen is what is started; the kernel and its initramfs are its modules.
        MachineKind::Xen => {
            let kernel = image.kernel.with_extension("dom0");
            qemu.arg("-kernel")
                .arg(&image.kernel)
                .args(["-append", "dom0_mem=768M console=com1 com1=115200 smap=off smep=off"]);
            qemu.arg("-initrd").arg(format!("{} {words},{}", kernel.display(), initramfs.display()));
        }
        _ => {
            qemu.arg("-kernel").arg(&image.kernel).arg("-initrd").arg(&initramfs).args(["-append", &words]);
        }
    }
    let child = qemu.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(File::create(&complaints)?).spawn();
    Ok(Machine { qemu: child?, monitor, complaints })
}

/// The program that emulates such machines.
pub fn program(kind: MachineKind) -> &'static str {
    match kind {
        MachineKind::Virt => "qemu-system-aarch64",
        _ => "qemu-system-x86_64",
    }
}

fn options(kind: MachineKind) -> &'static [&'static str] {
    match kind {
        MachineKind::Virt => &["-machine", "virt", "-accel", "tcg"],
        _ => &["-machine", "q35", "-accel", "tcg"],
    }
}

/// The kernel's words, and those that `init` hands to the guest program.
fn kernel_words(scenario: &Scenario, size: Size, plant: Option<Plant>) -> String {
    let console = match scenario.machine {
        MachineKind::Virt => "ttyAMA0",
        MachineKind::Xen => "hvc0",
        _ => "ttyS0",
    };
    let mut words = format!(
        "console={console} quiet loglevel=1 panic=-1 mitigations=off {} lab.size={}",
        scenario.kernel,
        word(size)
    );
    if scenario.leaves_out_peers {
        words += " lab.peers=false";
    }
    if let Some(plant) = plant {
        words += &format!(" lab.plant={}", word(plant));
    }
    words
}

fn make_disk(path: &Path) -> io::Result<()> {
    let made = Command::new("qemu-img").args(["create", "-q", "-f", "qcow2"]).arg(path).arg("2G").status()?;
    if made.success() { Ok(()) } else { Err(io::Error::other(format!("qemu-img ended with {made}"))) }
}
