//! `tpause`: a light sleep of the core for a chosen time.
//!
//! Not tested on hardware that has it. KVM hides it unless told to expose it.

use core::arch::asm;
use core::arch::x86_64::_rdtsc;
use core::sync::atomic::{AtomicU8, Ordering::Relaxed};

use super::cpuid;

const LEAF7_ECX_WAITPKG: u32 = 1 << 5;
const LEAF1_EDX_TSC: u32 = 1 << 4;
/// Ticks per pause, an eighth to a quarter of a microsecond: waiting code should check the clock again after that.
const TICKS: u64 = 512;
/// The state with the faster wake-up (C0.1).
const LIGHT: u32 = 1;

const UNKNOWN: u8 = 0;
const ABSENT: u8 = 1;
const PRESENT: u8 = 2;

static WAITPKG: AtomicU8 = AtomicU8::new(UNKNOWN);

#[inline(always)]
pub(in crate::arch) fn relax(may_read_counter: impl FnOnce() -> bool) {
    match WAITPKG.load(Relaxed) {
        ABSENT => core::hint::spin_loop(),
        PRESENT => pause_for_ticks(),
        _ => find_out(may_read_counter),
    }
}

/// Takes some 50 µs under a hypervisor, once for each process.
#[cold]
fn find_out(may_read_counter: impl FnOnce() -> bool) {
    let highest = cpuid::leaf(0).eax;
    // It compares with the TSC, which the process must be allowed to read.
    let present = highest >= 7
        && cpuid::leaf(7).ecx & LEAF7_ECX_WAITPKG != 0
        && cpuid::leaf(1).edx & LEAF1_EDX_TSC != 0
        && may_read_counter();
    WAITPKG.store(if present { PRESENT } else { ABSENT }, Relaxed);
}

/// # Sources
/// Intel SDM, TPAUSE: 66 0F AE /6 with the state in a register and the TSC's deadline in edx:eax. The kernel may end it earlier
/// (IA32_UMWAIT_CONTROL).
#[inline(never)]
fn pause_for_ticks() {
    // SAFETY: `find_out` saw the TSC, and that this process may read it.
    let deadline = unsafe { _rdtsc() } + TICKS;
    // SAFETY: `find_out` saw WAITPKG. The instruction, `tpause ecx`, touches no memory; of the flags it sets CF.
    unsafe {
        asm!(
            ".byte 0x66, 0x0f, 0xae, 0xf1",
            in("ecx") LIGHT,
            in("eax") deadline as u32,
            in("edx") (deadline >> 32) as u32,
            options(nomem, nostack),
        );
    }
}

#[cfg(all(test, target_os = "linux", not(miri)))]
mod tests {
    use super::*;
    use iced_x86::{Decoder, DecoderOptions, Mnemonic, Register};

    #[test]
    fn the_bytes_are_the_instruction() {
        // SAFETY: code of this program is readable; 64 bytes from the beginning of a function are mapped, as its page and
        // what the linker puts behind it are.
        let code = unsafe { core::slice::from_raw_parts(pause_for_ticks as *const u8, 64) };
        let found = Decoder::new(64, code, DecoderOptions::NONE)
            .into_iter()
            .take_while(|instruction| instruction.mnemonic() != Mnemonic::Ret)
            .find(|instruction| instruction.mnemonic() == Mnemonic::Tpause);
        assert_eq!(found.map(|instruction| instruction.op0_register()), Some(Register::ECX));
    }

    #[test]
    fn it_comes_back_and_is_asked_for_once() {
        relax(|| true);
        relax(|| unreachable!("it is known"));
        assert_ne!(WAITPKG.load(Relaxed), UNKNOWN);
    }
}
