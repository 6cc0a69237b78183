use std::collections::HashMap;

use iced_x86::{
    ConditionCode, Decoder, DecoderOptions, FlowControl, Formatter, Instruction as Decoded, InstructionInfoFactory,
    IntelFormatter, Mnemonic, OpAccess, OpKind, Register, UsedMemory,
};

use crate::function::{Instruction, Kind, Path};
use crate::trace::{Decision, Operation, Trace, Value};

/// The two ways to read the counter in order: `rdtscp`, and for the CPUs without it `mfence; lfence; rdtsc`.
pub(crate) const IN_ORDER: [&[Kind]; 2] = [&[Kind::SelfOrdered], &[Kind::FullBarrier, Kind::Fence, Kind::Counter]];
/// What a read that is ordered both ways has before it and behind it.
pub(crate) const FENCE_BEFORE: &[Kind] = &[];
pub(crate) const FENCE_BEHIND: &[Kind] = &[Kind::Fence];
/// What keeps the loads between two looks there: nothing, since loads stay in order.
pub(crate) const AROUND_LOADS: &[Kind] = &[];

/// The instructions of one function, less the padding behind it.
pub(crate) fn decode<'a>(code: &[u8], address: u64, name: impl Fn(u64) -> Option<&'a str>) -> Vec<Instruction> {
    let mut formatter = IntelFormatter::new();
    let decoder = Decoder::with_ip(64, code, address, DecoderOptions::NONE);
    decoder
        .into_iter()
        .map(|decoded| {
            let mut text = String::new();
            formatter.format(&decoded, &mut text);
            let target = name(decoded.near_branch_target());
            target.iter().for_each(|name| text.extend([" <", name, ">"]));
            let start = (decoded.ip() - address) as usize;
            let bytes = code[start..start + decoded.len()].to_vec();
            Instruction { address: decoded.ip(), kind: kind(&decoded), bytes, text }
        })
        .collect()
}

fn kind(decoded: &Decoded) -> Kind {
    match decoded.mnemonic() {
        Mnemonic::Rdtsc => return Kind::Counter,
        Mnemonic::Rdtscp => return Kind::SelfOrdered,
        Mnemonic::Lfence => return Kind::Fence,
        Mnemonic::Mfence => return Kind::FullBarrier,
        Mnemonic::Sfence | Mnemonic::Cpuid | Mnemonic::Serialize => return Kind::Barrier,
        Mnemonic::Mul | Mnemonic::Mulx => return Kind::WideMultiply,
        // With one operand it gives both halves.
        Mnemonic::Imul if decoded.op_count() == 1 => return Kind::WideMultiply,
        Mnemonic::Div | Mnemonic::Idiv => return Kind::Divide,
        // The one instruction that locks without saying so.
        Mnemonic::Xchg if decoded.op0_kind() == OpKind::Memory => return Kind::Atomic,
        _ if decoded.has_lock_prefix() => return Kind::Atomic,
        _ => {}
    }
    match decoded.flow_control() {
        FlowControl::Next => Kind::Other,
        FlowControl::Return => Kind::Return,
        FlowControl::Call | FlowControl::IndirectCall => Kind::Call,
        FlowControl::UnconditionalBranch => Kind::Jump(decoded.near_branch_target()),
        FlowControl::ConditionalBranch => Kind::Branch(decoded.near_branch_target()),
        _ => Kind::Leave,
    }
}

/// Follows values through the registers of `path`. `relocated` is what the loader writes into a slot.
pub(crate) fn trace(path: &Path, relocated: impl Fn(u64) -> Option<u64>) -> Trace {
    let mut factory = InstructionInfoFactory::new();
    let mut registers = Registers(HashMap::new());
    let mut flags: Option<[Value; 2]> = None;
    let mut trace = Trace::default();
    for (at, instruction) in path.0.iter().enumerate() {
        let decoded = Decoder::with_ip(64, &instruction.bytes, instruction.address, DecoderOptions::NONE).decode();
        if let (Kind::Branch(target), Some([a, b]), Some(next)) = (instruction.kind, &flags, path.0.get(at + 1)) {
            let is_taken = next.address == target;
            let are_equal = match decoded.condition_code() {
                ConditionCode::e => Some(is_taken),
                ConditionCode::ne => Some(!is_taken),
                _ => None,
            };
            trace.decisions.push(Decision { at, compared: [a, b].map(Value::clone), are_equal });
            continue;
        }
        let info = factory.info(&decoded).clone();
        let mut loaded = Value::Unknown(at);
        for access in info.used_memory() {
            let address = registers.address(access);
            if matches!(access.access(), OpAccess::Read | OpAccess::CondRead | OpAccess::ReadWrite) {
                let value = trace.load(at, address.clone(), access.memory_size().size() as u64);
                let slot = decoded.is_ip_rel_memory_operand().then(|| decoded.ip_rel_memory_address());
                loaded = slot.and_then(&relocated).map_or(value, Value::Known);
            }
            if matches!(access.access(), OpAccess::Write | OpAccess::CondWrite | OpAccess::ReadWrite) {
                let is_push = decoded.mnemonic() == Mnemonic::Push;
                let operand = if is_push { 0 } else { decoded.op_count().saturating_sub(1) };
                trace.store(address, vec![registers.operand(&decoded, operand, &loaded, at)]);
            }
        }
        let made = made(&decoded, &registers, &loaded, at);
        if decoded.rflags_modified() != 0 {
            flags = match decoded.mnemonic() {
                Mnemonic::Cmp => Some([0, 1].map(|operand| registers.operand(&decoded, operand, &loaded, at))),
                _ => made.clone().map(|made| [made, Value::Known(0)]),
            };
        }
        for used in info.used_registers() {
            if !matches!(used.access(), OpAccess::Read | OpAccess::CondRead) {
                let is_counter = matches!(instruction.kind, Kind::Counter | Kind::SelfOrdered);
                let value = if is_counter { Value::Counter(at) } else { Value::Unknown(at) };
                registers.0.insert(used.register().full_register(), value);
            }
        }
        let writes = !matches!(decoded.mnemonic(), Mnemonic::Cmp | Mnemonic::Test);
        // A write to less than 32 bits leaves the others.
        if let Some(made) = made.filter(|_| writes && decoded.op0_register().size() >= 4) {
            registers.0.insert(decoded.op0_register().full_register(), made);
        }
    }
    trace
}

/// What an instruction makes of its operands, where it is one of those that matter here.
fn made(decoded: &Decoded, registers: &Registers, loaded: &Value, at: usize) -> Option<Value> {
    let operand = |number| registers.operand(decoded, number, loaded, at);
    let operation = match decoded.mnemonic() {
        Mnemonic::Mov => return Some(operand(1)),
        Mnemonic::Movzx if decoded.op1_kind() == OpKind::Register => {
            return Some(operand(1).masked((1 << (8 * decoded.op1_register().size())) - 1));
        }
        Mnemonic::Movzx => return Some(operand(1)),
        Mnemonic::Lea if decoded.is_ip_rel_memory_operand() => {
            return Some(Value::Known(decoded.ip_rel_memory_address()));
        }
        Mnemonic::Lea => {
            let (base, index) = (decoded.memory_base(), decoded.memory_index());
            return Some(registers.sum(base, index, decoded.memory_index_scale(), decoded.memory_displacement64()));
        }
        Mnemonic::Add => Operation::Add,
        Mnemonic::Sub => Operation::Subtract,
        Mnemonic::Imul if decoded.op_count() == 2 => Operation::Multiply,
        Mnemonic::And | Mnemonic::Test => Operation::And,
        Mnemonic::Or => Operation::Or,
        Mnemonic::Xor => Operation::Xor,
        Mnemonic::Shl => Operation::ShiftLeft,
        Mnemonic::Shr => Operation::ShiftRight,
        // A conditional move: `set…` has one operand, and branches were dealt with.
        _ if decoded.condition_code() != ConditionCode::None && decoded.op_count() == 2 => Operation::Select,
        _ => return None,
    };
    Some(Value::of(operation, [operand(0), operand(1)]))
}

/// What the registers hold, by their 64-bit names. A part of a register counts as the whole.
struct Registers(HashMap<Register, Value>);

impl Registers {
    fn get(&self, register: Register) -> Value {
        match register.full_register() {
            Register::RSP => Value::Stack,
            full => self.0.get(&full).cloned().unwrap_or(Value::Entry(full as usize)),
        }
    }

    fn operand(&self, decoded: &Decoded, number: u32, loaded: &Value, at: usize) -> Value {
        match decoded.op_kind(number) {
            OpKind::Register => self.get(decoded.op_register(number)),
            OpKind::Memory => loaded.clone(),
            _ => decoded.try_immediate(number).map_or(Value::Unknown(at), Value::Known),
        }
    }

    fn address(&self, access: &UsedMemory) -> Value {
        let base = if access.base() == Register::RIP { Register::None } else { access.base() };
        self.sum(base, access.index(), access.scale(), access.displacement())
    }

    fn sum(&self, base: Register, index: Register, scale: u32, displacement: u64) -> Value {
        let get = |register| if register == Register::None { Value::Known(0) } else { self.get(register) };
        let index = Value::of(Operation::ShiftLeft, [get(index), Value::Known(scale.trailing_zeros().into())]);
        let sum = Value::of(Operation::Add, [get(base), index]);
        Value::of(Operation::Add, [sum, Value::Known(displacement)])
    }
}
