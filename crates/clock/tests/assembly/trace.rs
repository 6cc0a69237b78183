use std::rc::Rc;

/// A value, by how it came about on one path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Known(u64),
    /// The stack pointer, wherever in the frame it points.
    Stack,
    /// What a register held when the function was called.
    Entry(usize),
    /// What the load of this number gave.
    Loaded(usize),
    /// What the instruction at this place of the path read from the counter, or half of it.
    Counter(usize),
    /// What the instruction at this place of the path made, in a way that nobody asks about.
    Unknown(usize),
    Of(Operation, Rc<[Value]>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Add,
    Subtract,
    Multiply,
    And,
    Or,
    Xor,
    ShiftLeft,
    ShiftRight,
    /// One of two, as the flags say.
    Select,
}

impl Value {
    pub(crate) fn of(operation: Operation, from: [Self; 2]) -> Self {
        use Operation::{Add, And, Or, ShiftLeft};
        match (operation, from) {
            (Add, [Self::Known(a), Self::Known(b)]) => Self::Known(a.wrapping_add(b)),
            (Or, [Self::Known(a), Self::Known(b)]) => Self::Known(a | b),
            (ShiftLeft, [Self::Known(a), Self::Known(b)]) => Self::Known(a << (b & 63)),
            (Add | Or | ShiftLeft, [a, Self::Known(0)]) | (Add | Or, [Self::Known(0), a]) => a,
            (And, [a, b]) if a == b => a,
            (And, [Self::Known(a), b]) => Self::masked(b, a),
            (And, [a, Self::Known(b)]) => Self::masked(a, b),
            (operation, from) => Self::Of(operation, Rc::new(from)),
        }
    }

    /// Its bits that `mask` has.
    pub(crate) fn masked(self, mask: u64) -> Self {
        match &self {
            Self::Known(value) => Self::Known(value & mask),
            Self::Of(Operation::And, from) if let [value, Self::Known(inner)] = &**from => {
                value.clone().masked(inner & mask)
            }
            _ => Self::Of(Operation::And, Rc::new([self, Self::Known(mask)])),
        }
    }

    /// The value and the mask, where this is a value's masked bits.
    pub(crate) fn as_masked(&self) -> Option<(&Self, u64)> {
        match self {
            Self::Of(Operation::And, from) if let [value, Self::Known(mask)] = &**from => Some((value, *mask)),
            _ => None,
        }
    }

    /// Whether `part` had a say in it.
    pub(crate) fn is_made_of(&self, part: &Self) -> bool {
        self == part || matches!(self, Self::Of(_, from) if from.iter().any(|value| value.is_made_of(part)))
    }

    pub(crate) fn is_made_of_counter(&self) -> bool {
        match self {
            Self::Counter(_) => true,
            Self::Of(_, from) => from.iter().any(Self::is_made_of_counter),
            _ => false,
        }
    }

    /// The least and the most that it can be, where that can be told.
    fn range(&self) -> Option<[u64; 2]> {
        match self {
            Self::Known(value) => Some([*value; 2]),
            Self::Of(operation, from) => match (operation, &**from) {
                (Operation::And, [_, Self::Known(mask)]) => Some([0, *mask]),
                (Operation::ShiftLeft, [value, Self::Known(by)]) => Some(value.range()?.map(|end| end << by)),
                (Operation::Select, [a, b]) => {
                    let ([a_least, a_most], [b_least, b_most]) = (a.range()?, b.range()?);
                    Some([a_least.min(b_least), a_most.max(b_most)])
                }
                _ => None,
            },
            _ => None,
        }
    }
}

/// Where in memory something lies: as many bytes behind the base, at the least and at the most.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    /// All that are added up and are not known. Empty for what lies at a fixed place of the program.
    pub(crate) base: Vec<Value>,
    pub(crate) least: u64,
    pub(crate) most: u64,
}

impl From<Value> for Address {
    fn from(value: Value) -> Self {
        let mut address = Self { base: Vec::new(), least: 0, most: 0 };
        address.add(value);
        address
    }
}

impl Address {
    fn add(&mut self, value: Value) {
        match (value.range(), value) {
            (Some([least, most]), _) => {
                self.least = self.least.wrapping_add(least);
                self.most = self.most.wrapping_add(most);
            }
            (None, Value::Of(Operation::Add, terms)) => terms.iter().for_each(|term| self.add(term.clone())),
            (None, value) => self.base.push(value),
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Load {
    /// The place of its instruction on the path.
    pub(crate) at: usize,
    pub(crate) address: Address,
    pub(crate) bytes: u64,
}

#[derive(Clone, Debug)]
pub(crate) struct Store {
    pub(crate) address: Address,
    /// What is stored; more than one by an instruction for pairs.
    pub(crate) values: Vec<Value>,
}

/// A branch that the path took or did not take.
#[derive(Clone, Debug)]
pub(crate) struct Decision {
    /// The place of the branch on the path.
    pub(crate) at: usize,
    pub(crate) compared: [Value; 2],
    /// Whether both are equal on this path. None where the branch does not ask that.
    pub(crate) are_equal: Option<bool>,
}

impl Decision {
    pub(crate) fn is_made_of(&self, part: &Value) -> bool {
        self.compared.iter().any(|value| value.is_made_of(part))
    }

    /// The value, the mask and the number, where the branch asks whether the value's masked bits are that number.
    pub(crate) fn masked(&self) -> Option<(&Value, u64, u64)> {
        match &self.compared {
            [value, Value::Known(number)] | [Value::Known(number), value] => {
                value.as_masked().map(|(value, mask)| (value, mask, *number))
            }
            _ => None,
        }
    }
}

/// What one path does with memory, and what it depends on.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    pub(crate) loads: Vec<Load>,
    pub(crate) stores: Vec<Store>,
    pub(crate) decisions: Vec<Decision>,
}

impl Trace {
    /// Notes a load and returns what it gives.
    pub(crate) fn load(&mut self, at: usize, address: Value, bytes: u64) -> Value {
        self.loads.push(Load { at, address: address.into(), bytes });
        Value::Loaded(self.loads.len() - 1)
    }

    pub(crate) fn store(&mut self, address: Value, values: Vec<Value>) {
        self.stores.push(Store { address: address.into(), values });
    }
}
