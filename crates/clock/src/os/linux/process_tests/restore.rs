//! A checkpoint restored on another kernel, imitated: its data and code move elsewhere, the old code is an ordinary copy
//! whose functions begin with a jump to the new ones, and nothing good is left where the old data were.
//!
//! # Sources
//! criu/pie/parasite-vdso.c of CRIU.

use core::{ptr, slice};
use std::{assert_eq, fs, println, string::String, vec::Vec};

use object::{Object, ObjectSymbol};

use super::check::{Checked, check_every_kind, ensure, reads_counter};
use super::child::{holds_in_child, is_skipped_without_counter};
use super::fresh::in_fresh_process;
use super::here;
use crate::Clock;

const PAGE: usize = 4096;
/// `movabs rax, …`, the address, `jmp rax`.
const JUMP: usize = 12;

/// What remains in place of the old data.
#[derive(Clone, Copy, Debug)]
enum Left {
    Nothing,
    Unreadable,
    /// Data of the right shape, a thousand seconds ahead.
    Plausible,
}

impl Left {
    const ALL: [Self; 3] = [Self::Nothing, Self::Unreadable, Self::Plausible];
}

#[derive(Clone, Debug)]
struct Mapping {
    start: usize,
    length: usize,
    name: String,
}

/// The kernel's pages in this process, and the code through which the C library calls.
struct Kernel {
    mappings: Vec<Mapping>,
    /// Where the process believes the code to be, as in its auxiliary vector.
    code: usize,
    image: Vec<u8>,
    /// Offsets of its functions.
    functions: Vec<usize>,
}

impl Kernel {
    fn of_process() -> Self {
        let maps = fs::read_to_string("/proc/self/maps").unwrap();
        let mappings: Vec<Mapping> = maps.lines().filter_map(special).collect();
        let code = mappings.iter().find(|mapping| mapping.name == "[vdso]").expect("code of the kernel");
        // SAFETY: mapped, readable, and the kernel never writes to it.
        let image = unsafe { slice::from_raw_parts(code.start as *const u8, code.length) }.to_vec();
        let file = object::File::parse(&*image).unwrap();
        let functions = file.dynamic_symbols().filter(|symbol| symbol.size() >= JUMP as u64);
        let functions = functions.map(|symbol| symbol.address() as usize).collect();
        Self { code: code.start, functions, mappings, image }
    }

    /// Moves the pages, and leads the old code to them. Nobody may ask for the time meanwhile.
    fn move_elsewhere(&mut self, left: Left) {
        let first = self.mappings[0].start;
        let last = self.mappings.last().unwrap();
        let length = last.start + last.length - first;
        let reserved = map(0, length, libc::PROT_NONE, 0);
        for mapping in &mut self.mappings {
            let to = reserved + (mapping.start - first);
            let beginning = (mapping.name == "[vvar]").then(|| first_page(mapping.start));
            let flags = libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED;
            let from = mapping.start as *mut libc::c_void;
            // SAFETY: a whole mapping moves to memory that was reserved for it; what still points to it is led there below.
            let moved = unsafe { libc::mremap(from, mapping.length, mapping.length, flags, to as *mut libc::c_void) };
            assert_eq!(moved as usize, to, "{}: {}", mapping.name, std::io::Error::last_os_error());
            if mapping.name != "[vdso]" {
                leave(left, mapping, beginning);
            }
            mapping.start = to;
        }
        let new_code = self.mappings.iter().find(|mapping| mapping.name == "[vdso]").unwrap().start;
        let mut image = self.image.clone();
        for function in &self.functions {
            let target = (new_code + function).to_le_bytes();
            image[*function..function + JUMP].copy_from_slice(&[&[0x48, 0xb8], &target[..], &[0xff, 0xe0]].concat());
        }
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let copy = map(self.code, image.len(), access, libc::MAP_FIXED);
        // SAFETY: the memory was just mapped with this length.
        unsafe { ptr::copy_nonoverlapping(image.as_ptr(), copy as *mut u8, image.len()) };
        let access = libc::PROT_READ | libc::PROT_EXEC;
        // SAFETY: as above; it holds the old code with its jumps.
        assert_eq!(unsafe { libc::mprotect(copy as *mut libc::c_void, image.len(), access) }, 0);
    }
}

fn special(line: &str) -> Option<Mapping> {
    let name = line.split(' ').next_back().filter(|name| ["[vvar]", "[vvar_vclock]", "[vdso]"].contains(name))?;
    let (start, end) = line.split(' ').next()?.split_once('-')?;
    let number = |text| usize::from_str_radix(text, 16).unwrap();
    Some(Mapping { start: number(start), length: number(end) - number(start), name: name.into() })
}

fn first_page(start: usize) -> Vec<u64> {
    // SAFETY: the first page of the kernel's data is readable.
    (0..PAGE / 8).map(|at| unsafe { ptr::read_volatile((start as *const u64).add(at)) }).collect()
}

fn map(at: usize, length: usize, access: i32, flags: i32) -> usize {
    let flags = flags | libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: new memory wherever there is room, or where the caller has moved away what was there.
    let mapped = unsafe { libc::mmap(at as *mut libc::c_void, length, access, flags, -1, 0) };
    assert!(mapped != libc::MAP_FAILED, "{}", std::io::Error::last_os_error());
    mapped as usize
}

fn leave(left: Left, mapping: &Mapping, beginning: Option<Vec<u64>>) {
    match left {
        Left::Nothing => {}
        Left::Unreadable => {
            map(mapping.start, mapping.length, libc::PROT_NONE, libc::MAP_FIXED);
        }
        Left::Plausible => {
            let at = map(mapping.start, mapping.length, libc::PROT_READ | libc::PROT_WRITE, libc::MAP_FIXED);
            // Seconds are small numbers in a word of their own, as only they are.
            let uptime_s = 10..100_000_000;
            for (word, value) in beginning.into_iter().flatten().enumerate() {
                let value = if uptime_s.contains(&value) { value + 1_000 } else { value };
                // SAFETY: within the mapping just made.
                unsafe { ptr::write((at as *mut u64).add(word), value) };
            }
        }
    }
}

/// Runs `before`, restores, and checks every read, as many times as told.
fn check_restored(restores: u32, before: fn() -> Checked) {
    for left in Left::ALL {
        holds_in_child(|| {
            before()?;
            let mut kernel = Kernel::of_process();
            for restore in 1..=restores {
                kernel.move_elsewhere(left);
                check_every_kind()?;
                println!("{left:?}, restore {restore}: reads the counter: {}", reads_counter());
                Clock::warm_up();
                check_every_kind()?;
            }
            Ok(())
        });
    }
}

#[test]
fn a_process_that_has_read_finds_the_new_kernels_time() {
    in_fresh_process(here!(a_process_that_has_read_finds_the_new_kernels_time), || {
        if !is_skipped_without_counter() {
            check_restored(1, || {
                check_every_kind()?;
                ensure(reads_counter(), "the counter is read")
            });
        }
    });
}

#[test]
fn a_process_that_has_not_read_yet_finds_the_new_kernels_time() {
    in_fresh_process(here!(a_process_that_has_not_read_yet_finds_the_new_kernels_time), || {
        if !is_skipped_without_counter() {
            check_restored(1, || Ok(()));
        }
    });
}

#[test]
fn a_process_may_be_restored_again_and_again() {
    in_fresh_process(here!(a_process_may_be_restored_again_and_again), || {
        if !is_skipped_without_counter() {
            check_restored(5, check_every_kind);
        }
    });
}
