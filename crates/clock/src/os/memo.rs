//! Where the kernel's data are mapped: found once, published to every thread.

use core::sync::atomic::AtomicU64 as RawAtomicU64;

use super::KernelPage;
use crate::exact::{Layout, Step, Words, reached};
use crate::sync::{
    AtomicPtr, AtomicU64, Mutant,
    Ordering::{Acquire, Relaxed, Release},
    const_fn, is_planted,
};
use crate::trust::Reason;

/// The location of the kernel's data: the clock's only state, published by one compare-and-swap.
///
/// Nothing in it changes over time, so a thread stopped while locating the data delays nobody and cannot publish
/// anything false: other readers locate the data themselves, and so does a process forked midway.
///
/// After a checkpoint is restored on another kernel, the data may be unmapped, moved or of another shape. The restoring
/// tool (CRIU) then overwrites the beginnings of the vDSO's functions with jumps to the new kernel's. So every address is
/// sealed with bits of the code of the vDSO's `clock_gettime` and used only while they are the same; once they differ,
/// every reading is the system's.
#[derive(Debug)]
pub(crate) struct Memo {
    /// The sealed address of the data; or [`UNKNOWN`] at first; or that there are none, with the reason. The latter two
    /// never match a seal.
    found: AtomicU64,
    /// The address of the vDSO code that seals the others; at first a word that seals nothing.
    code: AtomicPtr<RawAtomicU64>,
    /// The sealed address of the page that contains the data, or in which they may appear later.
    page: AtomicU64,
    /// The sealed address of the hypervisors' pages: kvm-clock's, and Hyper-V's behind it. [`UNKNOWN`] if there are none.
    hypervisors: AtomicU64,
    /// The content of `found` whose data have shown `CLOCK_REALTIME` too.
    realtime: AtomicU64,
}

/// A word that says where data are, sealed by code that was there when it was loaded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sealed(u64);

impl Sealed {
    #[inline(always)]
    pub(crate) fn data(self) -> Data {
        // SAFETY: only `publish` writes such words, of a page of the kernel's data that was read there; the seal proves
        // that the kernel is still the same, and it never unmaps them.
        let words = unsafe { KernelPage::at(self.0 >> ADDRESS_SHIFT) };
        let layout = if self.0 & WITH_MAX_CYCLES != 0 { Layout::WithMaxCycles } else { Layout::WithoutMaxCycles };
        Data { words, layout, self_ordered: self.0 & SELF_ORDERED != 0 }
    }
}

/// Addresses are kept above the seal and two flags. Both architectures give programs 47 or 48 bits of them unless asked
/// for more.
const ADDRESS_SHIFT: u32 = 15;
pub(crate) const ADDRESS_BITS: u32 = 48;
/// Nobody has looked yet; with a number above [`ADDRESS_SHIFT`], one more than a [`Reason`]'s. No code seals like this,
/// which saves the read path a question.
const UNKNOWN: u64 = SEAL;
/// Seals nothing.
static NO_CODE: RawAtomicU64 = RawAtomicU64::new(0);
/// Data of the shape with `max_cycles`.
const WITH_MAX_CYCLES: u64 = 1;
/// The counter has a read that keeps its own place.
const SELF_ORDERED: u64 = 2;
const SEAL: u64 = 0x7FFC;
pub(crate) const PAGE_WORDS: usize = 512;

/// Where the kernel's data are and how they are to be read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Data {
    pub(crate) words: KernelPage,
    pub(crate) layout: Layout,
    /// The counter has a read that keeps its own place: `rdtscp`, `CNTVCTSS_EL0`.
    pub(crate) self_ordered: bool,
}

/// What this process has mapped.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Located {
    /// The page of the kernel's data.
    pub(crate) page: KernelPage,
    /// kvm-clock's page, and Hyper-V's behind it. To be read only while the data say that they are in use.
    pub(crate) hypervisors: Option<KernelPage>,
    /// The beginning of the vDSO's `clock_gettime`.
    pub(crate) code: KernelPage,
    /// What stood there before anything else was looked for: a restore since then breaks it.
    pub(crate) seal: Seal,
    /// The counter has a read that keeps its own place.
    pub(crate) self_ordered: bool,
}

/// Bits of the vDSO's code that tell one kernel's from a restore's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seal(u64);

/// The start of the jump that CRIU writes over a vDSO function: `movabs` into rax on x86-64, `ldr x16` and `br x16` on
/// aarch64. Every restore writes the same, followed by another address.
///
/// # Sources
/// criu/arch/x86/vdso-pie.c and criu/arch/aarch64/intraprocedure.S of CRIU.
#[cfg(any(test, all(target_os = "linux", feature = "kernel-data")))]
const JUMP: u64 = if cfg!(target_arch = "x86_64") { 0xb848 } else { 0xd61f_0200_5800_0050 };

impl Seal {
    /// None if the code looks like a restore's jump, which a second restore would repeat, or like no code.
    #[cfg(any(test, all(target_os = "linux", feature = "kernel-data")))]
    pub(crate) fn of(code: KernelPage) -> Option<Self> {
        let seal = Self::of_word(code.word(0));
        let cannot_seal = seal == Self::of_word(JUMP) || seal.0 == UNKNOWN;
        (!cannot_seal).then_some(seal)
    }

    /// x86-64: the first two bytes. aarch64, where 16 bits of an instruction tell little: folded from the first two
    /// instructions.
    #[inline(always)]
    const fn of_word(word: u64) -> Self {
        if cfg!(target_arch = "x86_64") {
            return Self(word & SEAL);
        }
        let spread = word.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        Self((spread >> 32) & SEAL)
    }
}

/// The memo's content.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Found {
    /// Nobody has looked yet.
    Unknown,
    /// There are no data, for this reason.
    Nothing(Reason),
    /// There are data.
    Data(Data),
    /// What was found was another kernel's: the process has been restored since.
    Outdated,
}

/// The state that [`Memo::publish`] replaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Observed(u64);

/// The word for: no data, for this reason.
const fn nothing(reason: Reason) -> u64 {
    UNKNOWN | (reason as u64 + 1) << ADDRESS_SHIFT
}

impl Memo {
    const_fn! {
        pub(crate) fn new() -> Self {
            Self {
                found: AtomicU64::new(UNKNOWN),
                code: AtomicPtr::new((&raw const NO_CODE).cast_mut()),
                page: AtomicU64::new(0),
                hypervisors: AtomicU64::new(UNKNOWN),
                realtime: AtomicU64::new(UNKNOWN),
            }
        }
    }

    /// The data, if they were found.
    #[inline(always)]
    pub(crate) fn data(&self) -> Option<Data> {
        self.sealed().map(Sealed::data)
    }

    /// Where the data are, if they were found: for the read path.
    #[inline(always)]
    pub(crate) fn sealed(&self) -> Option<Sealed> {
        self.sealed_of(self.found.load(if is_planted(Mutant::ReadRelaxed) { Relaxed } else { Acquire }))
    }

    /// The same, if the data were [checked](Self::note_realtime) for `CLOCK_REALTIME`.
    #[inline(always)]
    pub(crate) fn sealed_for_realtime(&self) -> Option<Sealed> {
        let found = self.found.load(Acquire);
        if self.realtime.load(Relaxed) == found { self.sealed_of(found) } else { None }
    }

    /// Notes that data found as `observed` show `CLOCK_REALTIME` too.
    pub(crate) fn note_realtime(&self, observed: Observed) {
        self.realtime.store(observed.0, Relaxed);
    }

    /// Whether that was noted.
    pub(crate) fn shows_realtime(&self, observed: Observed) -> bool {
        self.realtime.load(Relaxed) == observed.0
    }

    #[inline(always)]
    fn sealed_of(&self, found: u64) -> Option<Sealed> {
        if self.is_sealed(found) { Some(Sealed(found)) } else { None }
    }

    #[inline(always)]
    fn data_of(&self, found: u64) -> Option<Data> {
        self.sealed_of(found).map(Sealed::data)
    }

    /// Its content, and the state that a later [`publish`](Self::publish) replaces.
    pub(crate) fn found(&self) -> (Found, Observed) {
        let word = self.found.load(Acquire);
        let found = match (word & SEAL, word >> ADDRESS_SHIFT) {
            (UNKNOWN, 0) => Found::Unknown,
            (UNKNOWN, reason) => Found::Nothing(Reason::ALL[reason as usize - 1]),
            _ => self.data_of(word).map_or(Found::Outdated, Found::Data),
        };
        (found, Observed(word))
    }

    /// The page in which data may appear after a search found none, and its seal.
    pub(crate) fn page(&self) -> Option<(KernelPage, Seal)> {
        self.unsealed(&self.page)
    }

    /// kvm-clock's page. To be read only while the data say that it is in use.
    pub(crate) fn kvm_clock(&self) -> Option<KernelPage> {
        Some(self.unsealed(&self.hypervisors)?.0)
    }

    /// kvm-clock's page and Hyper-V's behind it, of the kernel whose data are `sealed`. To be read only while those say so.
    #[inline(always)]
    pub(crate) fn hypervisors_of(&self, sealed: Sealed) -> Option<KernelPage> {
        let word = self.hypervisors.load(Acquire);
        if (word ^ sealed.0) & SEAL != 0 {
            return None;
        }
        // SAFETY: as in `Sealed::data`: `note` alone writes them, and the seal is that of words whose code was there.
        Some(unsafe { KernelPage::at(word >> ADDRESS_SHIFT) })
    }

    /// Hyper-V's page. To be read only while the data say that it is in use.
    pub(crate) fn hyper_v(&self) -> Option<KernelPage> {
        Some(self.kvm_clock()?.from(PAGE_WORDS))
    }

    /// Notes where everything is mapped. Two threads that do this at once write the same.
    pub(crate) fn note(&self, located: &Located) {
        reached(Step::Located);
        self.code.store(located.code.as_ptr(), Relaxed);
        reached(Step::CodeNoted);
        self.page.store(located.page.address() << ADDRESS_SHIFT | located.seal.0, Release);
        reached(Step::PageNoted);
        // Nor does one that did not look for them undo what the other found.
        if let Some(page) = located.hypervisors {
            self.hypervisors.store(page.address() << ADDRESS_SHIFT | located.seal.0, Release);
        }
        reached(Step::HypervisorsNoted);
    }

    /// Publishes data in the page [noted](Self::note) with this seal, unless somebody has published since `observed`.
    pub(crate) fn publish(&self, observed: Observed, data: &Data, seal: Seal) {
        let address = data.words.address();
        if address >> ADDRESS_BITS != 0 || address == 0 {
            return self.publish_nothing(observed, Reason::NoKernelData);
        }
        let shape = match data.layout {
            Layout::WithMaxCycles => WITH_MAX_CYCLES,
            Layout::WithoutMaxCycles => 0,
        };
        let ordered = if data.self_ordered { SELF_ORDERED } else { 0 };
        self.swap(observed, address << ADDRESS_SHIFT | seal.0 | ordered | shape);
    }

    /// Publishes that there are no data, on the same condition.
    pub(crate) fn publish_nothing(&self, observed: Observed, reason: Reason) {
        self.swap(observed, nothing(reason));
    }

    /// Publishes that there are no data, whatever somebody has published since.
    pub(crate) fn replace_by_nothing(&self, reason: Reason) {
        self.found.store(nothing(reason), Release);
    }

    fn swap(&self, observed: Observed, word: u64) {
        reached(Step::Publishing);
        if is_planted(Mutant::PublishedBlindly) {
            self.found.store(word, Release);
        } else {
            let order = if is_planted(Mutant::PublishedRelaxed) { Relaxed } else { Release };
            let _ = self.found.compare_exchange(observed.0, word, order, Relaxed);
        }
        reached(Step::Published);
    }

    fn unsealed(&self, word: &AtomicU64) -> Option<(KernelPage, Seal)> {
        let word = word.load(Acquire);
        if word == 0 || !self.is_sealed(word) {
            return None;
        }
        // SAFETY: as in `data_of`: `note` alone writes them.
        Some((unsafe { KernelPage::at(word >> ADDRESS_SHIFT) }, Seal(word & SEAL)))
    }

    /// Whether the code is still that with which `word` was sealed.
    #[inline(always)]
    fn is_sealed(&self, word: u64) -> bool {
        // SAFETY: a static, or the vDSO's code, which `note` stores: it stays mapped for the life of the process, as the C
        // library calls it.
        let code = unsafe { KernelPage::of(self.code.load(Relaxed)) };
        (word ^ Seal::of_word(code.word(0)).0) & SEAL == 0
    }
}
