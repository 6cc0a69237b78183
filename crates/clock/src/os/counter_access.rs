/// Whether this process may read the CPU's counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CounterAccess {
    /// Reads work.
    Allowed,
    /// A read, and so every clock that reads the counter on the vDSO, ends the process with SIGSEGV.
    Faults,
}
