use crate::function::{Instruction, Kind};

/// The instructions of one function. `name` says which function begins at an address.
pub(crate) fn decode<'a>(code: &[u8], address: u64, name: impl Fn(u64) -> Option<&'a str>) -> Vec<Instruction> {
    (address..)
        .step_by(4)
        .zip(code.chunks_exact(4))
        .map(|(address, bytes)| {
            let word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
            let called = if is_call(word) { name(target::<26>(word, 0, address)) } else { None };
            // Compare-and-swap is a function of the runtime unless the target is known to have the instruction.
            let is_atomic = called.is_some_and(|name| name.starts_with("__aarch64_cas"));
            let kind = if is_atomic { Kind::Atomic } else { kind(word, address) };
            let text = format!("{word:08x} {}", called.unwrap_or_default());
            Instruction { address, kind, bytes: bytes.to_vec(), text }
        })
        .collect()
}

const fn is_call(word: u32) -> bool {
    word & 0xfc00_0000 == 0x9400_0000
}

/// The encodings of the Arm ARM, section C4.1, of the instructions that matter here.
const fn kind(word: u32, address: u64) -> Kind {
    match word {
        0xd503_3fdf => return Kind::Fence,   // isb
        0xd503_3bbf => return Kind::Barrier, // dmb ish
        _ => {}
    }
    match () {
        () if word & 0xffff_ffe0 == 0xd53b_e040 => Kind::Counter, // mrs x, cntvct_el0
        () if word & 0xffff_f0ff == 0xd503_309f => Kind::Barrier, // dsb
        () if word & 0xffe0_fc00 == 0x9bc0_7c00 => Kind::Multiply, // umulh
        () if word & 0x7fe0_f800 == 0x1ac0_0800 => Kind::Divide,  // udiv, sdiv
        () if word & 0x3f80_0000 == 0x0800_0000 => Kind::Atomic,  // ldxr, stxr and their like
        () if word & 0x3fa0_0000 == 0x08a0_0000 => Kind::Atomic,  // cas
        () if word & 0x3f20_0c00 == 0x3820_0000 => Kind::Atomic,  // ldadd, swp and their like
        () if word & 0xffff_fc1f == 0xd65f_0000 => Kind::Return,  // ret
        () if word & 0xffff_fc1f == 0xd61f_0000 => Kind::Leave,   // br
        () if word & 0xffff_fc1f == 0xd63f_0000 => Kind::Call,    // blr
        () if is_call(word) => Kind::Call,                        // bl
        () if word & 0xfc00_0000 == 0x1400_0000 => Kind::Jump(target::<26>(word, 0, address)), // b
        () if word & 0xff00_0010 == 0x5400_0000 => Kind::Branch(target::<19>(word, 5, address)), // b.cond
        () if word & 0x7e00_0000 == 0x3400_0000 => Kind::Branch(target::<19>(word, 5, address)), // cbz, cbnz
        () if word & 0x7e00_0000 == 0x3600_0000 => Kind::Branch(target::<14>(word, 5, address)), // tbz, tbnz
        () => Kind::Other,
    }
}

/// Where a branch goes: its operand of `BITS` bits from bit `low` on counts words, with a sign.
const fn target<const BITS: u32>(word: u32, low: u32, address: u64) -> u64 {
    let words = ((word << (32 - BITS - low)) as i32) >> (32 - BITS);
    address.wrapping_add_signed(words as i64 * 4)
}
