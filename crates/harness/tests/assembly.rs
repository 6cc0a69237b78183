//! The harness's loops as they are after compilation: the operation, a counter, one call where the study backs off, and
//! nothing else.
//!
//! `assembly/loops.rs` is built in release mode with the file that holds the loops, in a package whose only dependency is
//! chronoscope-sources. A test that fails shows the loop.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;
use std::{env, fs};

use iced_x86::{Decoder, DecoderOptions, Instruction, Mnemonic, OpKind};
use object::{Object, ObjectSection, ObjectSymbol};

/// Places in a cache line at which each loop stands.
const LAYOUTS: usize = 4;
/// A counter: one instruction that counts down and one that jumps.
const COUNTER: [Mnemonic; 2] = [Mnemonic::Dec, Mnemonic::Jne];
/// Where to and what for: two registers that are set, and the call.
const BACKOFF: [Mnemonic; 2] = [Mnemonic::Mov, Mnemonic::Call];

#[test]
fn a_loop_with_nothing_in_it_only_counts() {
    assert_loops("loops_of_nothing", &[]);
}

#[test]
fn a_store_is_the_only_access_to_memory() {
    assert_loops("loops_of_a_store", &[Mnemonic::Mov]);
}

#[test]
fn a_sequentially_consistent_store_is_one_exchange() {
    assert_loops("loops_of_an_exchange", &[Mnemonic::Mov, Mnemonic::Xchg]);
}

#[test]
fn a_chained_value_stays_in_its_register() {
    assert_loops("loops_of_a_link", &[Mnemonic::Imul]);
}

#[test]
fn a_value_that_the_operation_owns_stays_in_its_register() {
    assert_loops("loops_of_an_owned_value", &[Mnemonic::Imul]);
}

/// A interference probe that another instruction shortens or lengthens on some CPU would take that for a neighbour.
#[test]
fn a_link_of_the_interference_probe_is_one_multiplication_and_a_turn_is_nothing() {
    let (chain, empty) = (innermost_loops(&code_of("4work5chain")), innermost_loops(&code_of("4work10empty_loop")));
    let told = || format!("{:?}", chain.iter().chain(&empty).flatten().map(Instruction::to_string).collect::<Vec<_>>());
    let is_loop_of = |one: &Vec<Instruction>, work: &[Mnemonic]| {
        one.iter().map(Instruction::mnemonic).collect::<Vec<_>>() == [work, &COUNTER].concat()
    };
    assert!(chain.len() == 1 && is_loop_of(&chain[0], &[Mnemonic::Imul]), "{}", told());
    // The value that nobody uses is set to zero, which the renamer does for nothing.
    assert!(empty.len() == 1 && is_loop_of(&empty[0], &[Mnemonic::Xor]), "{}", told());
}

/// In every layout there is one loop of `operation` and a counter, and one with the backoff before it.
#[track_caller]
fn assert_loops(function: &str, operation: &[Mnemonic]) {
    let loops = innermost_loops(&code(function));
    let told = || {
        loops
            .iter()
            .map(|one| one.iter().map(|i| format!("{:x}: {i}\n", i.ip())).collect::<String>() + "\n")
            .collect::<String>()
    };
    let plain: Vec<Mnemonic> = operation.iter().chain(&COUNTER).copied().collect();
    let backed_off: Vec<Mnemonic> = BACKOFF.iter().chain(operation).chain(&COUNTER).copied().collect();
    for wanted in [plain, backed_off] {
        let alike: Vec<_> = loops.iter().filter(|one| has(one, &wanted)).collect();
        assert_eq!(alike.len(), LAYOUTS, "loops of {wanted:?} and nothing else in {function}:\n{}", told());
        let mut places: Vec<u64> = alike.iter().map(|one| one[0].ip() % 64).collect();
        places.sort_unstable();
        places.dedup();
        assert_eq!(places.len(), LAYOUTS, "they stand at {places:x?} of their lines:\n{}", told());
    }
}

/// Whether a loop consists of these instructions, in any order but for the last, with no more than one operand in memory
/// for each access that the operation makes.
fn has(one: &[Instruction], wanted: &[Mnemonic]) -> bool {
    // Copies between registers cost nothing and are the register allocator's business; a constant is set by `mov`.
    let is_copy = |i: &Instruction| {
        i.mnemonic() == Mnemonic::Mov && (0..i.op_count()).all(|op| i.op_kind(op) == OpKind::Register)
    };
    let is_call = |m: &Mnemonic| *m == Mnemonic::Call;
    let found: Vec<Mnemonic> = one.iter().filter(|i| !is_copy(i)).map(Instruction::mnemonic).collect();
    // The backoff's own `mov` is such a copy.
    let mut expected: Vec<Mnemonic> = wanted.to_vec();
    if let Some(at) = expected.iter().position(is_call) {
        expected.remove(at - 1);
    }
    found == expected
}

/// Loops that hold no other: from the target of a jump backwards to that jump.
fn innermost_loops(code: &[Instruction]) -> Vec<Vec<Instruction>> {
    let spans: Vec<(u64, u64)> = code
        .iter()
        .filter(|i| i.is_jcc_short_or_near() && i.near_branch_target() <= i.ip())
        .map(|i| (i.near_branch_target(), i.ip()))
        .collect();
    let is_innermost =
        |span: &&(u64, u64)| !spans.iter().any(|other| other != *span && other.0 >= span.0 && other.1 <= span.1);
    let within = |span: &(u64, u64)| code.iter().filter(|i| (span.0..=span.1).contains(&i.ip())).copied().collect();
    spans.iter().filter(is_innermost).map(within).collect()
}

/// The instructions of the function whose mangled name ends in `name`.
fn code(name: &str) -> Vec<Instruction> {
    code_of(&format!("{}{name}", name.len()))
}

/// The instructions of the function whose mangled name holds `part`.
fn code_of(part: &str) -> Vec<Instruction> {
    static PROGRAM: LazyLock<Vec<u8>> = LazyLock::new(build);
    let file = object::File::parse(PROGRAM.as_slice()).expect("cargo builds a file of the system's own format");
    let symbol = file.symbols().find(|symbol| symbol.name().is_ok_and(|found| found.contains(part)));
    let symbol = symbol.unwrap_or_else(|| panic!("the program has a function {part}"));
    let bytes = file.sections().find_map(|section| section.data_range(symbol.address(), symbol.size()).ok()?);
    let bytes = bytes.expect("a function has code");
    Decoder::with_ip(64, bytes, symbol.address(), DecoderOptions::NONE).into_iter().collect()
}

fn build() -> Vec<u8> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let package = Path::new(env!("CARGO_TARGET_TMPDIR")).join("loops");
    fs::create_dir_all(&package).expect("the target folder is writable");
    let loops =
        include_str!("assembly/loops.rs").replace("BENCHER", &here.join("src/study/bencher.rs").to_string_lossy());
    let loops = loops.replace("LATCH", &here.join("src/study/latch.rs").to_string_lossy());
    let loops = loops.replace("WORK", &here.join("src/work.rs").to_string_lossy());
    fs::write(package.join("main.rs"), loops).expect("the target folder is writable");
    let sources = here.join("../sources");
    let manifest = format!(
        "[package]\nname = \"loops\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[[bin]]\nname = \"loops\"\npath = \"main.rs\"\n\
         [workspace]\n[dependencies]\nchronoscope-sources = {{ path = {sources:?} }}\n"
    );
    fs::write(package.join("Cargo.toml"), manifest).expect("the target folder is writable");
    // The versions that this test was built with; without the file, as in a published package, cargo chooses.
    let _ = fs::copy(here.join("../../Cargo.lock"), package.join("Cargo.lock"));
    let output = Command::new(env::var_os("CARGO").unwrap_or_else(|| env!("CARGO").into()))
        .args(["build", "--release", "--quiet", "--manifest-path"])
        .arg(package.join("Cargo.toml"))
        .arg("--target-dir")
        .arg(package.join("target"))
        // Judged is what a user gets who sets nothing; instrumented code would fail for what it is.
        .env_remove("RUSTFLAGS")
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .env_remove("CARGO_BUILD_TARGET")
        .output()
        .expect("cargo, which runs this test, can be started");
    assert!(output.status.success(), "the loops do not build:\n{}", String::from_utf8_lossy(&output.stderr));
    fs::read(package.join("target/release/loops")).expect("cargo has built the program")
}
