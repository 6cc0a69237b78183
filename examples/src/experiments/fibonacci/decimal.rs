/// Two consecutive Fibonacci numbers in groups of nine decimal digits, the lowest first: another way to keep them, whose sums never settle either.
pub(super) struct DecimalPair {
    last: Vec<u32>,
    this: Vec<u32>,
}

/// What a group counts up to.
const BASE: u32 = 1_000_000_000;

impl DecimalPair {
    pub(super) fn new() -> Self {
        Self { last: vec![0], this: vec![1] }
    }

    /// Advances to the next number, and returns how many groups it has.
    pub(super) fn next(&mut self) -> u64 {
        std::mem::swap(&mut self.last, &mut self.this);
        self.this.resize(self.last.len(), 0);
        let mut carry = 0;
        for (group, other) in self.this.iter_mut().zip(&self.last) {
            // Two groups and a carry are below 2³².
            let sum = *group + other + carry;
            carry = u32::from(sum >= BASE);
            *group = sum - carry * BASE;
        }
        if carry > 0 {
            self.this.push(carry);
        }
        self.this.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::super::Pair;
    use super::*;

    impl DecimalPair {
        fn digits(&self) -> String {
            let groups: Vec<String> = self.this.iter().rev().map(|group| format!("{group:09}")).collect();
            groups.concat().trim_start_matches('0').to_owned()
        }
    }

    #[test]
    fn both_ways_have_the_same_numbers() {
        let (mut binary, mut decimal) = (Pair::new(), DecimalPair::new());
        for _ in 0..1_000 {
            binary.next();
            decimal.next();
            assert_eq!(binary.this.to_string(), decimal.digits());
        }
    }
}
