use crate::function::Path;
use crate::program::Program;
use crate::trace::{Load, Operation, Trace, Value};
use crate::{arch, trace::Store};

/// Whose memory a load reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Memory {
    /// A slot that says where something of the program lies, which the loader fills once.
    Slot,
    /// The clock's parameters: where the kernel's data are.
    Parameters,
    /// The byte that says what the unit of ticks is.
    Unit,
    /// The vDSO's code, which seals the parameters: at an address that is one of them.
    Code,
    /// The kernel's data: at an address that is the upper bits of a parameter.
    Kernel,
    /// The caller's own.
    Stack,
    Elsewhere,
}

/// One path through a read, and whose memory it reads.
#[derive(Debug)]
pub(crate) struct Access {
    pub(crate) trace: Trace,
    /// In the order of the trace's loads.
    memory: Vec<Memory>,
}

impl Access {
    pub(crate) fn of(path: &Path) -> Self {
        let program = Program::get();
        let (parameters, unit) = (program.symbol("5clock7PROCESS"), program.symbol("5clock5TICKS"));
        // What the loader fills in among the parameters is a first value, and not for good.
        let slot = |address: u64| program.relocated(address).filter(|_| !parameters.contains(&address));
        let trace = arch::trace(path, slot);
        let mut memory = Vec::new();
        for load in &trace.loads {
            let is_parameter = |number: &usize| memory[*number] == Memory::Parameters;
            memory.push(match &load.address.base[..] {
                [] if slot(load.address.least).is_some() => Memory::Slot,
                [] if parameters.contains(&load.address.least) => Memory::Parameters,
                [] if unit.contains(&load.address.least) => Memory::Unit,
                [Value::Loaded(from)] if is_parameter(from) => Memory::Code,
                [Value::Of(Operation::ShiftRight, from)]
                    if let [Value::Loaded(from), Value::Known(_)] = &**from
                        && is_parameter(from) =>
                {
                    Memory::Kernel
                }
                base if base.contains(&Value::Stack) => Memory::Stack,
                _ => Memory::Elsewhere,
            });
        }
        Self { trace, memory }
    }

    /// The loads from `memory`, with their numbers.
    pub(crate) fn loads(&self, memory: Memory) -> Vec<(usize, &Load)> {
        let of_memory = |(number, _): &(usize, &Load)| self.memory[*number] == memory;
        self.trace.loads.iter().enumerate().filter(of_memory).collect()
    }

    /// Bytes from the base to behind the last that is loaded from `memory`.
    pub(crate) fn extent(&self, memory: Memory) -> u64 {
        self.loads(memory).iter().map(|(_, load)| load.address.most + load.bytes).max().unwrap_or(0)
    }

    /// The parameter with the address of the vDSO's code, and the one with that of the kernel's data, which the code seals.
    pub(crate) fn parameters(&self) -> Option<[usize; 2]> {
        let code = self.loads(Memory::Code).iter().find_map(|(_, load)| match load.address.base[..] {
            [Value::Loaded(from)] => Some(from),
            _ => None,
        })?;
        let parameters = self.loads(Memory::Parameters);
        let others: Vec<_> = parameters.iter().map(|(number, _)| *number).filter(|number| *number != code).collect();
        if let [found] = others[..] { Some([code, found]) } else { None }
    }

    /// Whether nothing is stored but registers that are the caller's, and these on the stack.
    pub(crate) fn only_saves_registers(&self) -> bool {
        self.trace.stores.iter().all(|Store { address, values }| {
            address.base == [Value::Stack] && values.iter().all(|value| matches!(value, Value::Entry(_)))
        })
    }

    pub(crate) fn stored(&self) -> usize {
        self.trace.stores.iter().map(|store| store.values.len()).sum()
    }
}
