/// The lengths of the groups of a UUID.
pub(crate) const GROUPS: [usize; 5] = [8, 4, 4, 4, 12];

/// The number behind groups of hexadecimal digits with dashes between them.
#[cfg_attr(not(any(test, feature = "serde", target_os = "linux", target_os = "macos")), allow(dead_code))]
pub(crate) fn parse_uuid(text: &[u8]) -> Option<u128> {
    let mut groups = text.split(|byte| *byte == b'-');
    let mut uuid = 0_u128;
    for length in GROUPS {
        let group = groups.next().filter(|group| group.len() == length)?;
        for digit in group {
            uuid = uuid << 4 | u128::from(char::from(*digit).to_digit(16)?);
        }
    }
    groups.next().is_none().then_some(uuid)
}
