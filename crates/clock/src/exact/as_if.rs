//! A clock as it is where the kernel keeps time by a hypervisor's page, on a machine where it does not: what its reads cost
//! is real, their time is not.

use core::sync::atomic::{AtomicU64 as RawAtomicU64, Ordering::Relaxed};

use super::{Effort, Exact, Layout, Machine, ThisMachine, hyperv, mode, pvclock};
use crate::os::{Data, KernelPage, Located, PAGE_WORDS};
use crate::sync::{CachePadded, process_wide};
use crate::trust::{RateSource, Reason};

/// Conversion data of one's own, and pages of the hypervisors behind them as a guest has them.
type Pages = CachePadded<[RawAtomicU64; 3 * PAGE_WORDS]>;

const fn pages(mode: u32, ns_per_cycle: u64) -> Pages {
    const SHIFT: u32 = 8;
    let mut words = [const { RawAtomicU64::new(0) }; 3 * PAGE_WORDS];
    words[0] = RawAtomicU64::new((mode as u64) << 32 | 8);
    words[Layout::WithMaxCycles.rate()] = RawAtomicU64::new((SHIFT as u64) << 32 | ns_per_cycle << SHIFT);
    // Hyper-V's: a sequence number, and a unit of 100 ns in 250 ticks.
    words[2 * PAGE_WORDS] = RawAtomicU64::new(1);
    words[2 * PAGE_WORDS + 1] = RawAtomicU64::new(((1_u128 << 64) / 250) as u64);
    CachePadded(words)
}

static KVM_CLOCK_PAGES: Pages = pages(mode::PVCLOCK, 1);
static HYPER_V_PAGES: Pages = pages(mode::HYPERV, 100);

process_wide! {
    static AS_IF_KVM_CLOCK: Exact<ThisMachine> = Exact::new(ThisMachine);
}
process_wide! {
    static AS_IF_HYPER_V: Exact<ThisMachine> = Exact::new(ThisMachine);
}

/// Lets the clock read by the page that this machine has of kvm-clock, or by a page of ours that is like Hyper-V's. To be done
/// anew each second, as a kernel updates its data: after a longer gap a read takes another way.
///
/// Where the kernel has never kept time by kvm-clock, a look at its page ends the process.
pub(crate) fn arrange<const HYPER_V: bool>() -> Result<(), Reason> {
    let (clock, pages, source): (&Exact<ThisMachine>, _, _) = if HYPER_V {
        (&AS_IF_HYPER_V, &HYPER_V_PAGES, RateSource::HyperV)
    } else {
        (&AS_IF_KVM_CLOCK, &KVM_CLOCK_PAGES, RateSource::KvmClock)
    };
    if clock.memo.0.data().is_none() {
        let words = KernelPage::of_own(&pages.0);
        let located = ThisMachine.locate(Effort::Thorough).map_err(|failed| failed.reason)?;
        let hypervisors = if HYPER_V { Some(words.from(PAGE_WORDS)) } else { located.hypervisors };
        let located = Located { hypervisors, ..located };
        let (_, observed) = clock.memo.0.found();
        clock.memo.0.note(&located);
        let data = Data { words, layout: Layout::WithMaxCycles, self_ordered: located.self_ordered };
        clock.memo.0.publish(observed, &data, located.seal);
    }
    let counter = || ThisMachine.counter::<true>(false);
    let page = if HYPER_V { clock.memo.0.hyper_v() } else { clock.memo.0.kvm_clock() }.ok_or(Reason::NoKernelData)?;
    let cycles = if HYPER_V { hyperv::cycles(page, counter) } else { pvclock::cycles(page, counter) };
    pages.0[1].store(cycles.ok_or(Reason::KernelUsesAnother)?, Relaxed);
    if clock.take::<true>().source == source { Ok(()) } else { Err(Reason::KernelUsesAnother) }
}

#[inline(always)]
pub(crate) fn read<const HYPER_V: bool, const ORDERED: bool>() -> u64 {
    if HYPER_V { AS_IF_HYPER_V.read::<ORDERED>() } else { AS_IF_KVM_CLOCK.read::<ORDERED>() }
}
