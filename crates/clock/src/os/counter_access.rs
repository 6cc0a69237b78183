/// Whether this process may read the CPU's counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CounterAccess {
    /// Reads work.
    Allowed,
    /// A read, including by any clock that reads the counter through the vDSO, kills the process with SIGSEGV.
    Faults,
}
