use chronoscope_clock::Unavailable;

/// A read that only x86-64 has. The type has no values, so it cannot be called here.
#[derive(Clone, Copy, Debug)]
pub(super) enum Absent {}

impl Absent {
    pub(super) fn detect() -> Result<Self, Unavailable> {
        Err(Unavailable::because("an x86-64 instruction"))
    }

    pub(super) fn read(self) -> u64 {
        match self {}
    }
}

pub(super) use Absent as WithProcessorId;
pub(super) use Absent as Serialised;
