//! Starts a scenario's machine in QEMU.

use std::fs::{self, File};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use nix::sys::signal::Signal;

use crate::overlay;
use crate::plant::Plant;
use crate::scenario::{MachineKind, Scenario};
use crate::size::Size;
use crate::sys;
use crate::word::word;

const SCENARIO: &str = "scenario.toml";
/// The archive of the peers, which `init` unpacks.
const PEERS: &str = "peers.gz";

#[derive(Debug)]
pub struct Machine {
    /// QEMU, whose standard output is the serial console.
    pub qemu: Child,
    pub monitor: Option<UnixStream>,
    pub complaints: PathBuf,
    _scratch: Scratch,
}

/// An initramfs with the kernel that unpacks it.
#[derive(Clone, Debug)]
pub struct Image {
    pub initramfs: PathBuf,
    pub kernel: PathBuf,
}

#[derive(Clone, Debug)]
pub struct Place<'a> {
    pub file: &'a Path,
    pub image: &'a Image,
    pub peers: Option<&'a Path>,
    /// Begins the names of all files that it leaves, in the image's folder or below it.
    pub stem: PathBuf,
}

/// An initramfs and a disk of a machine's own: as large as an image, and of no use afterwards.
#[derive(Debug)]
struct Scratch([PathBuf; 2]);

impl Drop for Scratch {
    fn drop(&mut self) {
        // One that cannot be removed takes room, and is overwritten by the next run.
        self.0.iter().for_each(|file| drop(fs::remove_file(file)));
    }
}

impl Drop for Machine {
    /// A machine never outlives whoever started it, whatever went wrong there.
    fn drop(&mut self) {
        // Both fail where it has ended already, and then nothing is left to do.
        let _ = self.qemu.kill();
        let _ = self.qemu.wait();
    }
}

pub fn start(scenario: &Scenario, place: &Place<'_>, size: Size, plant: Option<Plant>) -> io::Result<Machine> {
    let Place { file, image, peers, stem } = place;
    let [initramfs, complaints, disk] = ["initramfs", "errors", "qcow2"].map(|end| stem.with_extension(end));
    let scratch = Scratch([initramfs, disk]);
    let peers = peers.filter(|_| scenario.asks_peers()).map(|peers| (PEERS, peers));
    let files: Vec<_> = std::iter::once((SCENARIO, *file)).chain(peers).collect();
    overlay::lay(&image.initramfs, &files, &scratch.0[0])?;
    if scenario.snapshots {
        make_disk(&scratch.0[1])?;
    }
    // A connection, not a socket in the file system, whose path may be too long for one.
    let (monitor, theirs) = UnixStream::pair()?;
    let mut qemu = command(scenario, image, &scratch.0, &kernel_words(scenario, size, plant))?;
    qemu.arg("-chardev").arg(format!("socket,id=monitor,fd={}", theirs.as_raw_fd()));
    qemu.args(["-mon", "chardev=monitor,mode=control"]);
    sys::hand_over(&mut qemu, &theirs);
    sys::end_with_parent(&mut qemu, Signal::SIGKILL);
    let qemu = qemu.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(File::create(&complaints)?).spawn()?;
    Ok(Machine { qemu, monitor: Some(monitor), complaints, _scratch: scratch })
}

/// QEMU with its options but for the monitor. It starts in the image's folder and gets the names of files in it: a path may
/// have commas and spaces, which mean something in its options.
fn command(scenario: &Scenario, image: &Image, scratch: &[PathBuf; 2], words: &str) -> io::Result<Command> {
    let folder = image.initramfs.parent().unwrap_or(Path::new(""));
    let name = |path: &Path| {
        let name =
            path.strip_prefix(folder).map_err(|_| io::Error::other(format!("{} is elsewhere", path.display())))?;
        io::Result::Ok(name.display().to_string())
    };
    let (kernel, initramfs) = (name(&image.kernel)?, name(&scratch[0])?);
    let [program, machine, _] = emulator(scenario.machine);
    let mut qemu = Command::new(program);
    qemu.current_dir(folder);
    qemu.args(["-machine", machine, "-accel", "tcg"]).args(["-m", &scenario.memory_mib.to_string()]);
    qemu.args(["-smp", &scenario.cpus.to_string()]).args(scenario.qemu.split_whitespace());
    qemu.args("-nodefaults -no-reboot -display none -monitor none -serial stdio".split_whitespace());
    if scenario.snapshots {
        qemu.arg("-drive").arg(format!("if=none,id=state,format=qcow2,file={}", name(&scratch[1])?));
    }
    qemu.args(["-kernel", &kernel]);
    match scenario.machine {
        // Xen is what is started; the kernel and its initramfs are its modules.
        MachineKind::Xen => {
            let first = name(&image.kernel.with_extension("dom0"))?;
            qemu.args(["-append", "dom0_mem=768M console=com1 com1=115200 smap=off smep=off"]);
            qemu.arg("-initrd").arg(format!("{first} {words},{initramfs}"));
        }
        _ => {
            qemu.args(["-initrd", &initramfs, "-append", words]);
        }
    }
    Ok(qemu)
}

/// The program that emulates such machines, what it calls them, and the console of their kernels.
fn emulator(kind: MachineKind) -> [&'static str; 3] {
    match kind {
        MachineKind::Virt => ["qemu-system-aarch64", "virt", "ttyAMA0"],
        MachineKind::Xen => ["qemu-system-x86_64", "q35", "hvc0"],
        _ => ["qemu-system-x86_64", "q35", "ttyS0"],
    }
}

/// The kernel's words, and those that `init` hands to the guest program.
fn kernel_words(scenario: &Scenario, size: Size, plant: Option<Plant>) -> String {
    let [.., console] = emulator(scenario.machine);
    let plant = plant.map_or_else(String::new, |plant| format!(" lab.plant={}", word(plant)));
    let (size, peers) = (word(size), !scenario.leaves_out_peers);
    let own = format!("{} lab.size={size} lab.peers={peers}{plant}", scenario.kernel);
    format!("console={console} quiet loglevel=1 panic=-1 mitigations=off {own}")
}

fn make_disk(path: &Path) -> io::Result<()> {
    let made = Command::new("qemu-img").args(["create", "-q", "-f", "qcow2"]).arg(path).arg("2G").status()?;
    if made.success() { Ok(()) } else { Err(io::Error::other(format!("qemu-img ended with {made}"))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As QEMU gets its options.
    fn arguments(machine: &str, folder: &str) -> Vec<String> {
        let text = format!("about = 'x'\nmachine = '{machine}'\nsnapshots = true\n[[step]]\ncheck = 'readings'");
        let scenario = Scenario::parse("saved", &text).unwrap();
        let at = |name: &str| Path::new(folder).join(name);
        let image = Image { initramfs: at("xen.gz"), kernel: at("xen.kernel") };
        let qemu = command(&scenario, &image, &[at("run/a.initramfs"), at("run/a.qcow2")], "words").unwrap();
        assert_eq!(qemu.get_current_dir(), Some(Path::new(folder)));
        qemu.get_args().map(|word| word.to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn no_option_has_a_path_that_qemu_would_take_apart() {
        let long = format!("/{}/a,b c", "long".repeat(60));
        for machine in ["q35", "xen", "virt"] {
            let words = arguments(machine, &long);
            assert_eq!(words, arguments(machine, "/short"));
            assert!(words.iter().any(|word| word.ends_with("file=run/a.qcow2")), "{words:?}");
        }
        assert!(arguments("xen", &long).contains(&"xen.dom0 words,run/a.initramfs".to_owned()));
    }
}
