//! Functions that an executable runs before `main`, counted in the file itself: no noise of the machine is in that.

use std::fs;
use std::path::Path;

use bench_common::Failure;

/// The type of a section that lists such functions: SHT_INIT_ARRAY.
const INIT_ARRAY: u32 = 14;
/// A 64-bit file of little-endian numbers begins so.
const MAGIC: &[u8] = b"\x7fELF\x02\x01";
const POINTER: u64 = 8;

/// How many entries the executable's `.init_array` has.
///
/// # Sources
/// System V ABI, chapter 4, "Sections".
pub(crate) fn count(program: &Path) -> Result<u64, Failure> {
    let unreadable = |why: &dyn std::fmt::Display| {
        Failure::run(format!("the constructors of {} cannot be counted: {why}", program.display()))
    };
    let file = fs::read(program).map_err(|error| unreadable(&error))?;
    in_file(&file).ok_or_else(|| unreadable(&"it is not an ELF file for 64-bit little-endian machines"))
}

fn in_file(file: &[u8]) -> Option<u64> {
    let u64_at = |at: usize| Some(u64::from_le_bytes(file.get(at..at.checked_add(8)?)?.try_into().ok()?));
    let u32_at = |at: usize| Some(u32::from_le_bytes(file.get(at..at.checked_add(4)?)?.try_into().ok()?));
    let u16_at = |at: usize| Some(u16::from_le_bytes(file.get(at..at.checked_add(2)?)?.try_into().ok()?));
    if !file.starts_with(MAGIC) {
        return None;
    }
    let (headers, size, sections) = (usize::try_from(u64_at(0x28)?).ok()?, u16_at(0x3a)?, u16_at(0x3c)?);
    let mut entries = 0;
    for section in 0..usize::from(sections) {
        let header = headers.checked_add(section * usize::from(size))?;
        if u32_at(header.checked_add(4)?)? == INIT_ARRAY {
            entries += u64_at(header.checked_add(0x20)?)? / POINTER;
        }
    }
    Some(entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_executable_has_no_count() {
        assert_eq!(in_file(b"#!/bin/sh\n"), None);
        assert_eq!(in_file(MAGIC), None);
        let mut far = [MAGIC, &[0xff; 0x40]].concat();
        far[0x28..0x30].fill(0xff);
        assert_eq!(in_file(&far), None);
    }

    #[cfg(all(target_os = "linux", target_pointer_width = "64", target_endian = "little"))]
    #[test]
    fn this_program_links_libraries_that_have_some() {
        assert!(count(&std::env::current_exe().unwrap()).unwrap() >= 2);
    }
}
