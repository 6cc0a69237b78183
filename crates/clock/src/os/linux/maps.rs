use core::ffi::CStr;

use super::file::File;

/// Address ranges of this process by name, from `/proc/self/maps`.
///
/// # Sources
/// proc_pid_maps(5); `PROCMAP_QUERY` in include/uapi/linux/fs.h, Linux 6.11.
const MAPS: &CStr = c"/proc/self/maps";
/// How much of the file is looked through on kernels that cannot be asked for one range.
const MOST_TEXT: usize = 256 * 1024;
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

/// The start of the kernel's read-only data that its vDSO converts times with, if this process has one.
pub(super) fn start_of_vvar() -> Option<usize> {
    let file = File::open(MAPS)?;
    // SAFETY: takes a number; returns 0 or the address of the vDSO's ELF header.
    let vdso = unsafe { libc::getauxval(libc::AT_SYSINFO_EHDR) } as u64;
    if vdso == 0 {
        return None;
    }
    by_query(&file, vdso).or_else(|| by_text(&file))
}

/// Asks for the ranges right below the vDSO, where the kernel puts its data.
fn by_query(file: &File, vdso: u64) -> Option<usize> {
    let mut below = vdso;
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
        if name.starts_with(b"[vvar]\0") {
            return usize::try_from(query.start).ok();
        }
        below = query.start;
    }
    None
}

/// Looks through the text for the line that ends with the name.
fn by_text(file: &File) -> Option<usize> {
    let mut start = 0_usize;
    let mut line = [0_u8; 128];
    let mut length = 0;
    let mut buffer = [0_u8; 4096];
    let mut seen = 0;
    while seen < MOST_TEXT {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            break;
        }
        seen += read;
        for byte in &buffer[..read] {
            if *byte == b'\n' {
                if line[..length].ends_with(b"[vvar]") {
                    start = address(&line[..length])?;
                }
                length = 0;
            } else if length < line.len() {
                line[length] = *byte;
                length += 1;
            }
        }
    }
    (start != 0).then_some(start)
}

/// The number in base 16 at the beginning of a line.
fn address(line: &[u8]) -> Option<usize> {
    let digits = line.split(|byte| *byte == b'-').next()?;
    usize::from_str_radix(core::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "makes system calls that Miri does not know")]
    fn both_ways_find_the_same() {
        let Some(file) = File::open(MAPS) else { return };
        // SAFETY: as in `start_of_vvar`.
        let vdso = unsafe { libc::getauxval(libc::AT_SYSINFO_EHDR) } as u64;
        if vdso == 0 {
            return;
        }
        if let Some(start) = by_query(&file, vdso) {
            assert_eq!(by_text(&file), Some(start));
        }
    }

    #[test]
    fn an_address_is_read_from_its_line() {
        assert_eq!(address(b"7ffe0000-7ffe4000 r--p 00000000 00:00 0 [vvar]"), Some(0x7ffe_0000));
        assert_eq!(address(b"[vvar]"), None);
    }
}
