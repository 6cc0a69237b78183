use crate::function::{Instruction, Kind, Path};
use crate::trace::{Decision, Operation, Trace, Value};

/// The two ways to read the counter in order: by the register that needs no fence, and `isb; mrs`.
pub(crate) const IN_ORDER: [&[Kind]; 2] = [&[Kind::SelfOrdered], &[Kind::Fence, Kind::Counter]];
/// What a read that is ordered both ways has before it and behind it.
pub(crate) const FENCE_BEFORE: &[Kind] = &[Kind::LoadBarrier];
pub(crate) const FENCE_BEHIND: &[Kind] = &[];
/// What keeps the loads between two looks there, at both ends: `dmb ishld`.
pub(crate) const AROUND_LOADS: &[Kind] = &[Kind::LoadBarrier];

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
        0xd503_3fdf => return Kind::Fence,       // isb
        0xd503_39bf => return Kind::LoadBarrier, // dmb ishld
        0xd503_3bbf => return Kind::FullBarrier, // dmb ish
        _ => {}
    }
    match () {
        () if word & 0xffff_ffe0 == 0xd53b_e040 => Kind::Counter, // mrs x, cntvct_el0
        () if word & 0xffff_ffe0 == 0xd53b_e0c0 => Kind::SelfOrdered, // mrs x, cntvctss_el0
        () if word & 0xffff_f0ff == 0xd503_309f => Kind::Barrier, // dsb
        () if word & 0xffff_f0ff == 0xd503_30bf => Kind::Barrier, // any other dmb
        () if word & 0xffe0_fc00 == 0x9bc0_7c00 => Kind::WideMultiply, // umulh
        () if word & 0x7fe0_f800 == 0x1ac0_0800 => Kind::Divide,  // udiv, sdiv
        () if word & 0x3f80_0000 == 0x0800_0000 => Kind::Atomic,  // ldxr, stxr and their like
        () if word & 0x3fa0_0000 == 0x08a0_0000 => Kind::Atomic,  // cas
        () if word & 0x3fff_fc00 == 0x38bf_c000 => Kind::Other,   // ldapr, a load
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

/// Follows values through the registers of `path`. `relocated` is what the loader writes into a slot.
pub(crate) fn trace(path: &Path, relocated: impl Fn(u64) -> Option<u64>) -> Trace {
    let mut machine = Machine {
        registers: std::array::from_fn(Value::Entry),
        flags: [Value::Unknown(0), Value::Unknown(0)],
        trace: Trace::default(),
        relocated,
    };
    for (at, instruction) in path.0.iter().enumerate() {
        let word = u32::from_le_bytes(instruction.bytes[..4].try_into().expect("four bytes"));
        match (instruction.kind, path.0.get(at + 1)) {
            (Kind::Branch(target), Some(next)) => machine.decide(word, at, next.address == target),
            (Kind::Counter | Kind::SelfOrdered, _) => machine.set(word, Value::Counter(at)),
            (Kind::Other | Kind::WideMultiply | Kind::Divide, _) => machine.execute(word, at, instruction.address),
            _ => {}
        }
    }
    machine.trace
}

/// What the registers hold on the way. A value's lower half counts as the whole.
struct Machine<R> {
    registers: [Value; 31],
    flags: [Value; 2],
    trace: Trace,
    relocated: R,
}

/// As many bits of `word` from bit `low` on.
const fn bits(word: u32, low: u32, count: u32) -> u64 {
    (word >> low) as u64 & ((1 << count) - 1)
}

/// The same with a sign.
const fn signed(word: u32, low: u32, count: u32) -> u64 {
    (((word << (32 - count - low)) as i32) >> (32 - count)) as i64 as u64
}

/// Where a register's number is encoded.
const RD: u32 = 0;
const RN: u32 = 5;
const RA: u32 = 10;
const RM: u32 = 16;

impl<R: Fn(u64) -> Option<u64>> Machine<R> {
    /// Where number 31 is the zero register.
    fn get(&self, word: u32, place: u32) -> Value {
        self.registers.get(bits(word, place, 5) as usize).cloned().unwrap_or(Value::Known(0))
    }

    /// Where number 31 is the stack pointer.
    fn get_or_stack(&self, word: u32, place: u32) -> Value {
        self.registers.get(bits(word, place, 5) as usize).cloned().unwrap_or(Value::Stack)
    }

    fn set(&mut self, word: u32, value: Value) {
        self.set_at(word, RD, value);
    }

    fn set_at(&mut self, word: u32, place: u32, value: Value) {
        if let Some(register) = self.registers.get_mut(bits(word, place, 5) as usize) {
            *register = value;
        }
    }

    fn decide(&mut self, word: u32, at: usize, is_taken: bool) {
        let is_not = bits(word, 24, 1) == 1; // cbnz, tbnz
        let (compared, are_equal) = match () {
            () if word & 0x7e00_0000 == 0x3400_0000 => {
                ([self.get(word, RD), Value::Known(0)], Some(is_taken != is_not))
            }
            () if word & 0x7e00_0000 == 0x3600_0000 => {
                let bit = bits(word, 31, 1) << 5 | bits(word, 19, 5);
                ([self.get(word, RD).masked(1 << bit), Value::Known(0)], Some(is_taken != is_not))
            }
            () => {
                let are_equal = match bits(word, 0, 4) {
                    0 => Some(is_taken),  // b.eq
                    1 => Some(!is_taken), // b.ne
                    _ => None,
                };
                (self.flags.clone(), are_equal)
            }
        };
        self.trace.decisions.push(Decision { at, compared, are_equal });
    }

    fn execute(&mut self, word: u32, at: usize, address: u64) {
        let is_64 = bits(word, 31, 1) == 1;
        let shifted = |value, by| match bits(word, 22, 2) {
            0 => Value::of(Operation::ShiftLeft, [value, Value::Known(by)]),
            1 => Value::of(Operation::ShiftRight, [value, Value::Known(by)]),
            _ => Value::Unknown(at),
        };
        let value = match () {
            () if word & 0x9f00_0000 == 0x9000_0000 => {
                let pages = signed(word, 5, 19) << 2 | bits(word, 29, 2); // adrp
                Value::Known((address & !0xfff).wrapping_add(pages << 12))
            }
            () if word & 0x1f00_0000 == 0x1100_0000 => {
                let immediate = Value::Known(bits(word, 10, 12) << (12 * bits(word, 22, 1)));
                return self.sum(word, self.get_or_stack(word, RN), immediate); // add, sub of a number
            }
            () if word & 0x1f20_0000 == 0x0b00_0000 => {
                let right = shifted(self.get(word, RM), bits(word, 10, 6));
                return self.sum(word, self.get(word, RN), right); // add, sub of a register
            }
            () if word & 0x1fe0_0000 == 0x0b20_0000 => {
                let by = Value::Known(bits(word, 10, 3));
                let right = Value::of(Operation::ShiftLeft, [self.get(word, RM), by]);
                return self.sum(word, self.get_or_stack(word, RN), right); // the same, extended
            }
            () if word & 0x1f80_0000 == 0x1200_0000 => {
                let mask = mask(bits(word, 22, 1), bits(word, 16, 6), bits(word, 10, 6));
                return self.combine(word, at, Value::Known(mask)); // and, orr, eor, ands of a number
            }
            () if word & 0x1f20_0000 == 0x0a00_0000 => {
                let right = shifted(self.get(word, RM), bits(word, 10, 6));
                return self.combine(word, at, right); // the same of a register
            }
            () if word & 0x1f80_0000 == 0x1280_0000 => {
                let (by, number) = (16 * bits(word, 21, 2), bits(word, 5, 16));
                let width = if is_64 { u64::MAX } else { u32::MAX.into() };
                match (bits(word, 29, 2), self.get(word, RD)) {
                    (0, _) => Value::Known(!(number << by) & width), // movn
                    (2, _) => Value::Known(number << by),            // movz
                    (3, Value::Known(old)) => Value::Known(old & !(0xffff << by) | number << by), // movk
                    _ => Value::Unknown(at),
                }
            }
            () if word & 0x7f80_0000 == 0x5300_0000 => {
                let (rotate, last, highest) = (bits(word, 16, 6), bits(word, 10, 6), if is_64 { 63 } else { 31 });
                let value = self.get(word, RN);
                match () {
                    () if last == highest => Value::of(Operation::ShiftRight, [value, Value::Known(rotate)]), // lsr
                    () if last + 1 == rotate => Value::of(Operation::ShiftLeft, [value, Value::Known(highest - last)]),
                    () if rotate == 0 => value.masked((2 << last) - 1), // uxtb and its like
                    () => Value::Unknown(at),
                }
            }
            () if word & 0x7fe0_fc00 == 0x1ac0_2400 => {
                Value::of(Operation::ShiftRight, [self.get(word, RN), self.get(word, RM)]) // lsr by a register
            }
            () if word & 0x7fe0_8000 == 0x1b00_0000 => {
                let product = Value::of(Operation::Multiply, [self.get(word, RN), self.get(word, RM)]);
                Value::of(Operation::Add, [self.get(word, RA), product]) // madd
            }
            () if word & 0x7fe0_0c00 == 0x1a80_0000 => {
                Value::of(Operation::Select, [self.get(word, RN), self.get(word, RM)]) // csel
            }
            () if word & 0x0a00_0000 == 0x0800_0000 => return self.access(word, at),
            () => Value::Unknown(at),
        };
        self.set(word, value);
    }

    /// Loads and stores. Bits 31 and 30 say how many bytes, but for pairs.
    fn access(&mut self, word: u32, at: usize) {
        let bytes = 1 << bits(word, 30, 2);
        let base = self.get_or_stack(word, RN);
        let plus = |offset| Value::of(Operation::Add, [base.clone(), offset]);
        let is_load = bits(word, 22, 2) != 0;
        match () {
            // ldar, ldapr
            () if word & 0x3fff_fc00 == 0x08df_fc00 || word & 0x3fff_fc00 == 0x38bf_c000 => {
                self.load(word, at, base, bytes)
            }
            // stlr
            () if word & 0x3fff_fc00 == 0x089f_fc00 => self.trace.store(base, vec![self.get(word, RD)]),
            // ldr, str with a number, counted in what is loaded
            () if word & 0x3f00_0000 == 0x3900_0000 => {
                let address = plus(Value::Known(bits(word, 10, 12) * bytes));
                if is_load { self.load(word, at, address, bytes) } else { self.store(word, address) }
            }
            // ldr, str with a register
            () if word & 0x3f20_0c00 == 0x3820_0800 => {
                let by = Value::Known(bits(word, 12, 1) * u64::from(bytes.trailing_zeros()));
                let address = plus(Value::of(Operation::ShiftLeft, [self.get(word, RM), by]));
                if is_load { self.load(word, at, address, bytes) } else { self.store(word, address) }
            }
            // ldur, stur, and those that move the base
            () if word & 0x3f20_0000 == 0x3800_0000 => {
                let way = bits(word, 10, 2);
                let moved = plus(Value::Known(signed(word, 12, 9)));
                let address = if way == 1 { base.clone() } else { moved.clone() };
                if is_load {
                    self.load(word, at, address, bytes)
                } else {
                    self.store(word, address)
                }
                if way != 0 {
                    self.set_at(word, RN, moved);
                }
            }
            // ldp, stp, and those that move the base
            () if word & 0x3e00_0000 == 0x2800_0000 => {
                let bytes = if bits(word, 31, 1) == 1 { 8 } else { 4 };
                let way = bits(word, 23, 2);
                let moved = plus(Value::Known(signed(word, 15, 7).wrapping_mul(bytes)));
                let address = if way == 1 { base.clone() } else { moved.clone() };
                if bits(word, 22, 1) == 1 {
                    let second = Value::of(Operation::Add, [address.clone(), Value::Known(bytes)]);
                    self.load(word, at, address, bytes);
                    let value = self.trace.load(at, second, bytes);
                    self.set_at(word, RA, value);
                } else {
                    self.trace.store(address, vec![self.get(word, RD), self.get(word, RA)]);
                }
                if way & 1 == 1 {
                    self.set_at(word, RN, moved);
                }
            }
            () => panic!("what does this load or store: {word:08x}"),
        }
    }

    fn load(&mut self, word: u32, at: usize, address: Value, bytes: u64) {
        let slot = if let Value::Known(slot) = address { (self.relocated)(slot) } else { None };
        let value = self.trace.load(at, address, bytes);
        self.set(word, slot.map_or(value, Value::Known));
    }

    fn store(&mut self, word: u32, address: Value) {
        let value = self.get(word, RD);
        self.trace.store(address, vec![value]);
    }

    /// `add` or `sub`, which compare where they set the flags.
    fn sum(&mut self, word: u32, left: Value, right: Value) {
        let subtracts = bits(word, 30, 1) == 1;
        let sets_flags = bits(word, 29, 1) == 1;
        if sets_flags {
            self.flags = [left.clone(), right.clone()];
        }
        let right = match right {
            Value::Known(number) if subtracts => Value::Known(number.wrapping_neg()),
            right => right,
        };
        let operation =
            if subtracts && !matches!(right, Value::Known(_)) { Operation::Subtract } else { Operation::Add };
        if sets_flags || bits(word, RD, 5) != 31 {
            self.set(word, Value::of(operation, [left, right]));
        }
    }

    fn combine(&mut self, word: u32, at: usize, right: Value) {
        let left = self.get(word, RN);
        let is_register = word & 0x1f00_0000 == 0x0a00_0000;
        let value = match bits(word, 29, 2) {
            _ if is_register && bits(word, 21, 1) == 1 => Value::Unknown(at), // of the complement
            1 => Value::of(Operation::Or, [left, right]),
            2 => Value::of(Operation::Xor, [left, right]),
            _ => Value::of(Operation::And, [left, right]),
        };
        if bits(word, 29, 2) == 3 {
            self.flags = [value.clone(), Value::Known(0)];
        }
        self.set(word, value);
    }
}

/// A mask as the logical instructions encode it: ones, rotated, in an element that is repeated.
///
/// # Sources
/// Arm ARM, `DecodeBitMasks()` in the pseudocode shared by the A64 instructions.
fn mask(wide: u64, rotate: u64, ones: u64) -> u64 {
    let size = 1_u32 << (wide << 6 | !ones & 0x3f).ilog2();
    let levels = u64::from(size) - 1;
    let element = (2_u64 << (ones & levels)).wrapping_sub(1);
    let every = if size == 64 { u64::MAX } else { (1 << size) - 1 };
    let rotate = (rotate & levels) as u32;
    let rotated = if rotate == 0 { element } else { element >> rotate | element << (size - rotate) } & every;
    (0..64).step_by(size as usize).fold(0, |all, low| all | rotated << low)
}
