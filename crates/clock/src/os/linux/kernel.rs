/// Whether this kernel's `clock_mode` has its current meaning.
///
/// On aarch64 it did not before Linux 5.7: 1 was "use the system call".
///
/// # Sources
/// arch/arm64/include/asm/vdso/vsyscall.h of Linux 5.6 and of 5.7.
pub(super) fn publishes_known_modes() -> bool {
    if cfg!(not(target_arch = "aarch64")) {
        return true;
    }
    // SAFETY: a structure of bytes, for which all zeroes is a value.
    let mut names: libc::utsname = unsafe { core::mem::zeroed() };
    // SAFETY: the kernel fills `names`.
    if unsafe { libc::uname(&mut names) } != 0 {
        return false;
    }
    #[allow(clippy::unnecessary_cast)] // C's characters have a sign on x86-64 and none on aarch64
    let release = names.release.map(|byte| byte as u8);
    version(&release).is_some_and(|version| version >= (5, 7))
}

/// Major and minor of a release such as `6.1.0-56-arm64`.
fn version(release: &[u8]) -> Option<(u32, u32)> {
    let mut numbers = release.split(|byte| !byte.is_ascii_digit()).map(number);
    Some((numbers.next()??, numbers.next()??))
}

fn number(digits: &[u8]) -> Option<u32> {
    core::str::from_utf8(digits).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_numbers_and_not_text() {
        assert_eq!(version(b"5.10.0-8-arm64\0\0"), Some((5, 10)));
        assert_eq!(version(b"4.19.0"), Some((4, 19)));
        assert_eq!(version(b"6.18-rc1"), Some((6, 18)));
        assert_eq!(version(b"linux"), None);
        assert!(version(b"5.10.1") >= Some((5, 7)) && version(b"5.6.19") < Some((5, 7)));
    }
}
