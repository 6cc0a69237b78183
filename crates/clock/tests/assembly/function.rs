use std::fmt;

/// What an instruction is, as far as the checks ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Reads the CPU's counter, in no order: `rdtsc`, `mrs` of `CNTVCT_EL0`.
    Counter,
    /// Reads it in order by itself: `rdtscp`, `mrs` of `CNTVCTSS_EL0`.
    SelfOrdered,
    /// Holds the counter's read back: `lfence`, `isb`.
    Fence,
    /// Holds later accesses behind earlier loads: `dmb ishld`.
    LoadBarrier,
    /// Holds every access: `mfence`, `dmb ish`.
    FullBarrier,
    /// Any other barrier that costs: `cpuid`, `sfence`, `dsb`.
    Barrier,
    /// Reads, changes and writes shared memory.
    Atomic,
    /// Multiplies to 128 bits; on aarch64 its upper half.
    WideMultiply,
    Divide,
    Call,
    Return,
    /// Goes on there.
    Jump(u64),
    /// Goes on there or behind.
    Branch(u64),
    /// Goes where the instruction does not say, or traps.
    Leave,
    Other,
}

#[derive(Debug)]
pub(crate) struct Instruction {
    pub(crate) address: u64,
    pub(crate) kind: Kind,
    pub(crate) bytes: Vec<u8>,
    pub(crate) text: String,
}

impl Instruction {
    fn next(&self) -> u64 {
        self.address + self.bytes.len() as u64
    }
}

#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) instructions: Vec<Instruction>,
}

impl Function {
    /// Instructions of this kind anywhere in the function.
    pub(crate) fn count(&self, kind: Kind) -> usize {
        self.instructions.iter().filter(|instruction| instruction.kind == kind).count()
    }

    /// Every way from the function's first instruction out of it that takes no instruction twice.
    pub(crate) fn paths(&self) -> Vec<Path<'_>> {
        let mut whole = Vec::new();
        let mut begun = vec![(self.instructions[0].address, Vec::new())];
        while let Some((address, mut path)) = begun.pop() {
            let at = self.instructions.binary_search_by_key(&address, |instruction| instruction.address);
            let Some(instruction) = at.ok().map(|at| &self.instructions[at]) else {
                whole.push(Path(path)); // a jump out of the function
                continue;
            };
            if path.iter().any(|seen: &&Instruction| seen.address == address) {
                continue;
            }
            path.push(instruction);
            match instruction.kind {
                Kind::Return | Kind::Leave => whole.push(Path(path)),
                Kind::Jump(target) => begun.push((target, path)),
                Kind::Branch(target) => begun.extend([(target, path.clone()), (instruction.next(), path)]),
                _ => begun.push((instruction.next(), path)),
            }
        }
        whole
    }
}

impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}:", self.name)?;
        for Instruction { address, kind, text, .. } in &self.instructions {
            let mark = if *kind == Kind::Other { String::new() } else { format!("; {kind:x?}") };
            writeln!(f, "{address:8x}:  {text:56}{mark}")?;
        }
        Ok(())
    }
}

/// Instructions in the order in which one call may execute them.
#[derive(Debug)]
pub(crate) struct Path<'a>(pub(crate) Vec<&'a Instruction>);

impl Path<'_> {
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn kinds(&self) -> impl Iterator<Item = Kind> {
        self.0.iter().map(|instruction| instruction.kind)
    }

    pub(crate) fn count(&self, kind: Kind) -> usize {
        self.kinds().filter(|seen| *seen == kind).count()
    }

    /// Whether it ends in a return, rather than in a jump elsewhere.
    pub(crate) fn returns(&self) -> bool {
        self.kinds().last() == Some(Kind::Return)
    }
}
