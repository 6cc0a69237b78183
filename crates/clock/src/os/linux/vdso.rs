use core::ffi::CStr;

use crate::exact::Words;
use crate::os::KernelPage;

/// The kernel's code in this process, which the C library calls for the time: an ELF image in memory.
///
/// # Sources
/// vdso(7); System V ABI, "Object Files" and "Dynamic Linking"; for the table of symbols by name, whose length tells how
/// many there are, the same and the GNU extension of it.
#[derive(Debug)]
pub(super) struct Vdso {
    start: u64,
    /// Bytes of the image, as its only loaded segment states them.
    length: u64,
    dynamic: u64,
}

/// A function in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Code {
    at: u64,
    length: u64,
}

const CLOCK_GETTIME: &CStr =
    if cfg!(target_arch = "aarch64") { c"__kernel_clock_gettime" } else { c"__vdso_clock_gettime" };

const MAGIC: u64 = 0x7f | (b'E' as u64) << 8 | (b'L' as u64) << 16 | (b'F' as u64) << 24;
const PROGRAM_HEADERS_AT: u64 = 32;
const PROGRAM_HEADER_COUNT_AT: u64 = 56;
const PROGRAM_HEADER: u64 = 56;
const LOAD: u64 = 1;
const DYNAMIC: u64 = 2;
const TAG_NULL: u64 = 0;
const TAG_HASH: u64 = 4;
const TAG_STRINGS: u64 = 5;
const TAG_SYMBOLS: u64 = 6;
const TAG_GNU_HASH: u64 = 0x6fff_fef5;
const SYMBOL: u64 = 24;
/// More program headers, tags or symbols than any vDSO has.
const MOST: u64 = 256;
const LONGEST: u64 = 1 << 20;

impl Vdso {
    /// At the address given by the kernel. None if missing or of another format.
    pub(super) fn of_process() -> Option<Self> {
        // SAFETY: takes a number; returns 0 or the address of the vDSO's ELF header.
        let start = unsafe { libc::getauxval(libc::AT_SYSINFO_EHDR) } as u64;
        // Until its length is known, the header and what it announces: an image is mapped in pages.
        let header = Self { start, length: 4096, dynamic: 0 };
        if start == 0 || start % 4096 != 0 || header.u64(0)? & 0xffff_ffff != MAGIC {
            return None;
        }
        let table = header.u64(PROGRAM_HEADERS_AT)?;
        let count = (header.u64(PROGRAM_HEADER_COUNT_AT)? & 0xffff).min(MOST);
        let (mut length, mut dynamic) = (None, None);
        for at in (0..count).map(|index| table + index * PROGRAM_HEADER) {
            match header.u64(at)? & 0xffff_ffff {
                // Loaded at 0 from offset 0, with as many bytes in memory as in the file.
                LOAD if header.u64(at + 16)? == 0 => length = Some(header.u64(at + 40)?),
                DYNAMIC => dynamic = Some(header.u64(at + 16)?),
                _ => {}
            }
        }
        Some(Self { start, length: length.filter(|length| *length <= LONGEST)?, dynamic: dynamic? })
    }

    pub(super) fn start(&self) -> u64 {
        self.start
    }

    /// Its function `clock_gettime`. None if that is not aligned to 8 bytes, as functions are to 16.
    pub(super) fn clock_gettime(&self) -> Option<Code> {
        let (strings, symbols) = (self.tag(TAG_STRINGS)?, self.tag(TAG_SYMBOLS)?);
        let (at, length) = (0..self.count_of_symbols()?).find_map(|index| {
            let at = symbols + index * SYMBOL;
            let name = strings + (self.u64(at)? & 0xffff_ffff);
            self.is_text(name, CLOCK_GETTIME).then(|| Some((self.u64(at + 8)?, self.u64(at + 16)?)))?
        })?;
        self.word(at)?; // it lies within
        (at % 8 == 0).then_some(Code { at, length })
    }

    /// Where a function begins.
    pub(super) fn beginning(&self, code: Code) -> KernelPage {
        // SAFETY: aligned, and within the image, which is mapped readable for the life of the process: see `clock_gettime`.
        unsafe { KernelPage::at(self.start + code.at) }
    }

    /// Whether a function reads the counter by `rdtscp`, which the kernel patches into its own code on CPUs that have it.
    ///
    /// No for unfamiliar code. Yes rests on seven bytes that nothing else matches: the instruction and, two bytes on (the
    /// way without it is five long), the shift that joins its halves.
    pub(super) fn has_rdtscp(&self, code: Code) -> bool {
        const RDTSCP: u64 = 0xf9_010f;
        const SHIFT_RDX_32: u64 = 0x20e2_c148;
        let end = (code.at + code.length.min(LONGEST)).min(self.length);
        cfg!(target_arch = "x86_64")
            && (code.at..end).any(|at| {
                let is = |at: u64, bytes: u64, count: u32| {
                    self.bytes(at).is_some_and(|found| found << (64 - 8 * count) >> (64 - 8 * count) == bytes)
                };
                is(at, RDTSCP, 3) && is(at + 5, SHIFT_RDX_32, 4)
            })
    }

    /// Eight bytes from anywhere.
    fn bytes(&self, at: u64) -> Option<u64> {
        let shift = 8 * (at & 7);
        let low = self.word(at & !7)? >> shift;
        Some(if shift == 0 { low } else { low | self.word((at & !7) + 8)? << (64 - shift) })
    }

    fn tag(&self, wanted: u64) -> Option<u64> {
        for at in (0..MOST).map(|index| self.dynamic + index * 16) {
            match self.u64(at)? {
                TAG_NULL => return None,
                tag if tag == wanted => return self.u64(at + 8),
                _ => {}
            }
        }
        None
    }

    fn count_of_symbols(&self) -> Option<u64> {
        let count = match self.tag(TAG_HASH) {
            Some(table) => self.u32(table + 4)?,
            None => self.count_by_gnu_hash(self.tag(TAG_GNU_HASH)?)?,
        };
        Some(count.min(MOST))
    }

    /// The chains end where the lowest bit is set; the last one's end is the last symbol.
    fn count_by_gnu_hash(&self, table: u64) -> Option<u64> {
        let (buckets, first, filter_words) = (self.u32(table)?, self.u32(table + 4)?, self.u32(table + 8)?);
        let bucket_table = table + 16 + filter_words * 8;
        let chains = bucket_table + buckets * 4;
        let mut last = 0;
        for index in 0..buckets.min(MOST) {
            last = last.max(self.u32(bucket_table + index * 4)?);
        }
        let is_end = |symbol: u64| Some(self.u32(chains + symbol.checked_sub(first)? * 4)? & 1 == 1);
        for symbol in last..last + MOST {
            if is_end(symbol)? {
                return Some(symbol + 1);
            }
        }
        None
    }

    fn is_text(&self, at: u64, text: &CStr) -> bool {
        let bytes = text.to_bytes_with_nul();
        bytes.iter().zip(at..).all(|(byte, at)| self.u8(at) == Some(*byte))
    }

    fn u8(&self, at: u64) -> Option<u8> {
        let word = self.word(at & !7)?;
        Some((word >> (8 * (at & 7))) as u8)
    }

    fn u32(&self, at: u64) -> Option<u64> {
        let word = self.word(at & !7)?;
        Some(word >> (8 * (at & 4)) & 0xffff_ffff)
    }

    /// At a multiple of 8: everything that is asked for begins at one, or within the word.
    fn u64(&self, at: u64) -> Option<u64> {
        self.word(at & !7)
    }

    fn word(&self, at: u64) -> Option<u64> {
        if at.checked_add(8)? > self.length {
            return None;
        }
        // SAFETY: the kernel's own image, mapped readable for the life of the process; aligned and within its length.
        Some(unsafe { KernelPage::at(self.start) }.word(at as usize / 8))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "there is no vDSO")]
    fn the_function_is_where_the_linker_finds_it() {
        let Some(vdso) = Vdso::of_process() else { return };
        let code = vdso.clock_gettime().expect("no clock_gettime");
        assert!(code.at > 64 && code.at + code.length < vdso.length, "{code:?} of {vdso:?}");
        assert_ne!(vdso.beginning(code).word(0), 0);
        // The kernel's code is made for this CPU.
        use crate::arch::Counter;
        let has_it = Counter::assume().is_some_and(Counter::has_self_ordered);
        assert!(!cfg!(target_arch = "x86_64") || has_it || !vdso.has_rdtscp(code));
        assert!(!vdso.has_rdtscp(Code { at: 64, length: 64 }), "program headers");
        // The whole image once more, by a library made for it. Its table of sections follows what is loaded, in the same page.
        let image = Vdso { length: vdso.length.next_multiple_of(4096), ..vdso };
        let bytes: std::vec::Vec<u8> = (0..image.length).map_while(|at| image.u8(at)).collect();
        use object::{Object, ObjectSymbol};
        let file = object::File::parse(&*bytes).unwrap();
        let name = CLOCK_GETTIME.to_str().unwrap();
        let symbol = file.dynamic_symbols().find(|symbol| symbol.name() == Ok(name)).unwrap();
        assert_eq!((symbol.address(), symbol.size()), (code.at, code.length));
    }
}
