use crate::Line;

/// The counter's rate as the kernel's perf page states it: `time_mult` and `time_shift`, where `cap_user_time` is set.
///
/// It is the rate of `sched_clock`, which NTP does not slew.
///
/// # Sources
/// perf_event_open(2), `struct perf_event_mmap_page`: a documented interface, absent where `sched_clock` does not run by
/// the counter (kvm-clock guests) and where perf is forbidden.
pub(crate) fn rate() -> Option<Line> {
    const TYPE_SOFTWARE: u32 = 1;
    const COUNT_DUMMY: u64 = 9;
    const ATTRIBUTE_SIZE: usize = 64; // PERF_ATTR_SIZE_VER0
    const FLAGS_EXCLUDE_KERNEL_AND_HV: u64 = 1 << 5 | 1 << 6;
    const FLAG_CLOEXEC: libc::c_ulong = 8;
    const PAGE: usize = 4096;
    const CAPABILITIES: usize = 40;
    const CAP_USER_TIME: u64 = 1 << 3;
    const TIME_SHIFT: usize = 50;
    const TIME_MULT: usize = 52;

    let mut attribute = [0_u64; ATTRIBUTE_SIZE / 8];
    attribute[0] = u64::from(TYPE_SOFTWARE) | (ATTRIBUTE_SIZE as u64) << 32;
    attribute[1] = COUNT_DUMMY;
    attribute[5] = FLAGS_EXCLUDE_KERNEL_AND_HV;
    // SAFETY: the attribute is of the size it states; the other arguments are numbers: this process, any CPU, no group.
    let descriptor =
        unsafe { libc::syscall(libc::SYS_perf_event_open, attribute.as_ptr(), 0, -1, -1, FLAG_CLOEXEC) } as libc::c_int;
    if descriptor < 0 {
        return None;
    }
    // SAFETY: asks for one fresh page, readable, of a descriptor that is ours.
    let page = unsafe { libc::mmap(core::ptr::null_mut(), PAGE, libc::PROT_READ, libc::MAP_SHARED, descriptor, 0) };
    let rate = (page != libc::MAP_FAILED).then(|| {
        // SAFETY: all three lie within the page, aligned; the kernel may change them, so they are read as volatile.
        let (capabilities, shift, mult) = unsafe {
            (
                page.cast::<u8>().add(CAPABILITIES).cast::<u64>().read_volatile(),
                page.cast::<u8>().add(TIME_SHIFT).cast::<u16>().read_volatile(),
                page.cast::<u8>().add(TIME_MULT).cast::<u32>().read_volatile(),
            )
        };
        // SAFETY: the page was mapped above and is not used after this.
        unsafe { libc::munmap(page, PAGE) };
        (capabilities & CAP_USER_TIME != 0).then(|| Line::with_mult_shift(mult, u32::from(shift))).flatten()
    });
    // SAFETY: the descriptor is ours.
    unsafe { libc::close(descriptor) };
    rate.flatten()
}
