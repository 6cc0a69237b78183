use core::ffi::CStr;

use super::errno;
use super::file::File;

/// Address ranges of this process by name. The thread's own file, since that of a process whose first thread has ended is
/// empty.
///
/// # Sources
/// proc_pid_maps(5); `PROCMAP_QUERY` in include/uapi/linux/fs.h, Linux 6.11.
const MAPS: &CStr = c"/proc/thread-self/maps";
/// How much of the file to search on kernels that cannot be queried.
const MOST_TEXT: usize = 16 * 1024 * 1024;
const PAGE: u64 = 4096;

#[repr(C)]
#[derive(Default)]
struct Query {
    size: u64,
    flags: u64,
    address: u64,
    start: u64,
    end: u64,
    vma_flags: u64,
    page_size: u64,
    offset: u64,
    inode: u64,
    device_major: u32,
    device_minor: u32,
    name_size: u32,
    build_id_size: u32,
    name_address: u64,
    build_id_address: u64,
}

/// `_IOWR('f', 17, struct procmap_query)`.
const PROCMAP_QUERY: u64 = 3 << 30 | (size_of::<Query>() as u64) << 16 | (b'f' as u64) << 8 | 17;

/// A range of addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mapping {
    pub(super) start: u64,
    pub(super) end: u64,
}

/// The pages by which the vDSO converts times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Vvar {
    /// The kernel's own.
    pub(super) data: Mapping,
    /// kvm-clock's, and Hyper-V's behind it; on x86-64 alone.
    pub(super) hypervisors: Option<Mapping>,
}

impl Vvar {
    /// Recent kernels give the hypervisors' pages a mapping of their own; before, they followed the kernel's first page.
    ///
    /// # Sources
    /// arch/x86/entry/vdso/vdso-layout.lds.S and vma.c of Linux 4.18 to 6.18.
    fn of(data: Mapping, separate: Option<Mapping>) -> Self {
        let followed_by_three = data.end - data.start >= 3 * PAGE;
        let within = followed_by_three.then_some(Mapping { start: data.start + PAGE, end: data.end });
        let hypervisors = if cfg!(target_arch = "x86_64") { separate.or(within) } else { None };
        Self { data, hypervisors }
    }
}

const DATA: &[u8] = b"[vvar]";
const HYPERVISORS: &[u8] = b"[vvar_vclock]";

/// Errors of a system, or a process, that is short of something at the moment.
const PASSING: [libc::c_int; 5] = [libc::EMFILE, libc::ENFILE, libc::ENOMEM, libc::EINTR, libc::EAGAIN];

/// Where the pages are; `vdso` is where the code that reads them begins.
///
/// # Errors
/// Whether another attempt may find them.
pub(super) fn vvar(vdso: u64) -> Result<Vvar, bool> {
    let may_pass = || PASSING.into_iter().any(errno::is);
    let file = File::open(MAPS).ok_or_else(may_pass)?;
    by_query(&file, vdso).or_else(|| by_text(&file)).ok_or_else(may_pass)
}

/// Queries the ranges right below the vDSO, where the kernel puts its data.
fn by_query(file: &File, vdso: u64) -> Option<Vvar> {
    let mut below = vdso;
    let mut hypervisors = None;
    for _ in 0..4 {
        let mut name = [0_u8; 32];
        let mut query = Query {
            size: size_of::<Query>() as u64,
            address: below.checked_sub(PAGE)?,
            name_size: name.len() as u32,
            name_address: name.as_mut_ptr() as u64,
            ..Query::default()
        };
        // SAFETY: `query` is what this request takes, and it names a buffer of the stated size; a kernel that does not
        // know the request refuses it.
        if unsafe { libc::ioctl(file.0, PROCMAP_QUERY as _, &mut query as *mut Query) } != 0 {
            return None;
        }
        let mapping = Mapping { start: query.start, end: query.end };
        match name.split(|byte| *byte == 0).next() {
            Some(DATA) => return Some(Vvar::of(mapping, hypervisors)),
            Some(HYPERVISORS) => hypervisors = Some(mapping),
            _ => {}
        }
        below = query.start;
    }
    None
}

/// Searches the text for lines that end with the names.
fn by_text(file: &File) -> Option<Vvar> {
    let (mut data, mut hypervisors) = (None, None);
    let mut line = [0_u8; 128];
    let mut length = 0;
    let mut buffer = [0_u8; 512];
    let mut seen = 0;
    while seen < MOST_TEXT {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            break;
        }
        seen += read;
        for byte in &buffer[..read] {
            if *byte != b'\n' {
                if length < line.len() {
                    line[length] = *byte;
                    length += 1;
                }
                continue;
            }
            let whole = &line[..length];
            if whole.ends_with(DATA) {
                data = range(whole);
            } else if whole.ends_with(HYPERVISORS) {
                hypervisors = range(whole);
            }
            length = 0;
        }
    }
    Some(Vvar::of(data?, hypervisors))
}

/// The two numbers in base 16 at the beginning of a line.
fn range(line: &[u8]) -> Option<Mapping> {
    let mut numbers = line
        .split(|byte| *byte == b'-' || *byte == b' ')
        .map(|digits| u64::from_str_radix(core::str::from_utf8(digits).ok()?, 16).ok());
    let (start, end) = (numbers.next()??, numbers.next()??);
    (start < end).then_some(Mapping { start, end })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "makes system calls that Miri does not know")]
    fn both_ways_find_the_same() {
        let Some(file) = File::open(MAPS) else { return };
        // SAFETY: takes a number; returns 0 or the address of the vDSO's ELF header.
        let vdso = unsafe { libc::getauxval(libc::AT_SYSINFO_EHDR) } as u64;
        if vdso == 0 {
            return;
        }
        if let Some(found) = by_query(&file, vdso) {
            assert_eq!(by_text(&file), Some(found));
        }
    }

    #[test]
    fn a_range_is_read_from_its_line() {
        let line = b"7ffe0000-7ffe4000 r--p 00000000 00:00 0 [vvar]";
        assert_eq!(range(line), Some(Mapping { start: 0x7ffe_0000, end: 0x7ffe_4000 }));
        assert_eq!(range(b"[vvar]"), None);
        assert_eq!(range(b"5000-5000 r--p"), None);
    }

    #[test]
    fn hypervisors_pages_are_behind_the_first_or_on_their_own() {
        let data = Mapping { start: 0x10_0000, end: 0x10_4000 };
        let separate = Mapping { start: 0x10_4000, end: 0x10_6000 };
        if cfg!(target_arch = "x86_64") {
            assert_eq!(Vvar::of(data, Some(separate)).hypervisors, Some(separate));
            assert_eq!(Vvar::of(data, None).hypervisors.unwrap().start, 0x10_1000);
            let short = Mapping { start: 0x10_0000, end: 0x10_2000 };
            assert_eq!(Vvar::of(short, None).hypervisors, None);
        }
    }
}
