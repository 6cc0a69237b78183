//! Lists of CPUs as the kernel writes them, such as `0-3,8`.

/// Maximum ranges of a list: no kernel writes as many.
const MOST: usize = 4_096;

/// Numbers in ranges, both ends included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CpuList {
    ranges: Vec<(u32, u32)>,
}

impl CpuList {
    /// The list; None if `text` is none, or has a range that ends before it begins.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let range = |range: &str| {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            let (first, last): (u32, u32) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
            (first <= last).then_some((first, last))
        };
        let ranges: Vec<(u32, u32)> = text.trim().split(',').take(MOST + 1).map(range).collect::<Option<_>>()?;
        (ranges.len() <= MOST).then_some(Self { ranges })
    }

    /// How many numbers it has; None if they cannot be counted.
    pub(super) fn count(&self) -> Option<u32> {
        self.ranges
            .iter()
            .try_fold(0_u32, |sum, (first, last)| sum.checked_add(last.checked_sub(*first)?.checked_add(1)?))
    }

    pub(super) fn contains(&self, number: u32) -> bool {
        self.ranges.iter().any(|(first, last)| (*first..=*last).contains(&number))
    }

    /// The smallest.
    pub(super) fn first(&self) -> Option<u32> {
        self.ranges.iter().map(|(first, _)| *first).min()
    }

    pub(super) fn numbers(&self) -> impl Iterator<Item = u32> {
        self.ranges.iter().flat_map(|(first, last)| *first..=*last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn count(list: &str) -> Option<u32> {
        CpuList::parse(list)?.count()
    }

    #[test]
    fn cpu_lists_are_counted() {
        assert_eq!(count("0-3,8\n"), Some(5));
        assert_eq!(count("0"), Some(1));
        assert_eq!(count("3-0"), None);
        assert_eq!(count("0-4294967295"), None);
        assert_eq!(count(""), None);
        assert_eq!(CpuList::parse(&"1,".repeat(MOST)), None, "it ends with a comma");
        assert_eq!(CpuList::parse(&vec!["1"; MOST + 1].join(",")), None);
    }

    #[test]
    fn a_list_has_what_is_in_its_ranges() {
        let list = CpuList::parse("8,2-4").unwrap();
        assert_eq!((list.first(), list.contains(3), list.contains(5)), (Some(2), true, false));
        assert_eq!(list.numbers().collect::<Vec<_>>(), [8, 2, 3, 4]);
    }

    proptest! {
        #[test]
        fn never_panics(text in ".*", list in "[0-9,\\- ]*") {
            for text in [text, list] {
                let _ = CpuList::parse(&text).map(|list| (list.count(), list.first(), list.numbers().take(9).count()));
            }
        }
    }
}
