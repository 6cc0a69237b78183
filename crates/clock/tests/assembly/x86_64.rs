use std::collections::HashMap;
use std::ops::Range;

use iced_x86::{
    Code, Decoder, DecoderOptions, FlowControl, Formatter, Instruction as Decoded, InstructionInfoFactory,
    IntelFormatter, Mnemonic, OpAccess, OpKind, Register,
};

use crate::function::{Instruction, Kind, Path};

/// The largest that an index register can be: the parameters' second slot begins 3 words behind the first.
const INDEX_AT_MOST: u64 = 3;

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
        Mnemonic::Rdtsc | Mnemonic::Rdtscp => return Kind::Counter,
        Mnemonic::Lfence => return Kind::Fence,
        Mnemonic::Mfence | Mnemonic::Sfence | Mnemonic::Cpuid | Mnemonic::Serialize => return Kind::Barrier,
        Mnemonic::Mul | Mnemonic::Mulx => return Kind::Multiply,
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

/// Where the loads on `path` go, bounds of an index included. An error is the load of which that cannot be told.
///
/// Addresses are followed through registers from where they come in: relative to the instruction, or out of a slot that
/// the loader fills with what `relocated` returns.
pub(crate) fn loads(path: &Path, relocated: impl Fn(u64) -> Option<u64>) -> Result<Vec<Range<u64>>, String> {
    let mut factory = InstructionInfoFactory::new();
    let mut known: HashMap<Register, u64> = HashMap::new();
    let mut loads = Vec::new();
    for instruction in &path.0 {
        let decoded = Decoder::with_ip(64, &instruction.bytes, instruction.address, DecoderOptions::NONE).decode();
        let is_relative = decoded.is_ip_rel_memory_operand();
        for access in factory.info(&decoded).used_memory() {
            let is_read = matches!(access.access(), OpAccess::Read | OpAccess::CondRead | OpAccess::ReadWrite);
            // The stack is the caller's own.
            if !is_read || access.base() == Register::RSP {
                continue;
            }
            let base = match access.base() {
                _ if is_relative => Some(0), // the displacement is the address
                Register::None => None,
                base => known.get(&base).copied(),
            };
            let start = base.ok_or(&instruction.text)?.wrapping_add(access.displacement());
            let index = if access.index() == Register::None { 0 } else { INDEX_AT_MOST * u64::from(access.scale()) };
            loads.push(start..start + index + access.memory_size().size() as u64);
        }
        for register in factory.info(&decoded).used_registers() {
            if !matches!(register.access(), OpAccess::Read | OpAccess::CondRead) {
                known.remove(&register.register().full_register());
            }
        }
        let address = is_relative.then(|| decoded.ip_rel_memory_address());
        let value = match decoded.code() {
            Code::Lea_r64_m => address,
            Code::Mov_r64_rm64 => address.and_then(&relocated),
            _ => None,
        };
        known.extend(value.map(|value| (decoded.op0_register(), value)));
    }
    Ok(loads)
}
