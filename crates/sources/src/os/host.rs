//! What a harness asks of Windows besides its clocks: CPUs, processes and pipes.
//!
//! # Platform
//! Windows. Elsewhere the crate `nix` does almost all of it.

use std::io::{Error, Result};
use std::os::windows::io::{AsRawHandle, BorrowedHandle, FromRawHandle, OwnedHandle};
use std::process::Child;
use std::time::Duration;

use core::ffi::{CStr, c_char};
use core::ptr::null;

use windows_sys::Wdk::System::SystemServices::RtlGetVersion;
use windows_sys::Win32::Foundation::WAIT_OBJECT_0;
use windows_sys::Win32::System::Diagnostics::ToolHelp::{
    CreateToolhelp32Snapshot, PROCESSENTRY32W, Process32FirstW, Process32NextW, TH32CS_SNAPPROCESS,
};
use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION, JobObjectExtendedLimitInformation, SetInformationJobObject,
};
use windows_sys::Win32::System::LibraryLoader::{GetModuleHandleW, GetProcAddress};
use windows_sys::Win32::System::Performance::QueryPerformanceFrequency;
use windows_sys::Win32::System::Pipes::PeekNamedPipe;
use windows_sys::Win32::System::SystemInformation::OSVERSIONINFOW;
use windows_sys::Win32::System::Threading::{
    GetCurrentProcess, GetCurrentThread, GetProcessAffinityMask, SetProcessAffinityMask, SetThreadAffinityMask,
    WaitForSingleObject,
};

fn done(outcome: i32) -> Result<()> {
    if outcome == 0 { Err(Error::last_os_error()) } else { Ok(()) }
}

/// The CPUs that this process may run on, in ascending order.
///
/// # Errors
/// If it runs in several processor groups, whose CPUs have no numbers of their own.
///
/// # Examples
/// ```
/// # #[cfg(windows)]
/// assert!(!chronoscope_sources::os::host::allowed_cpus().unwrap().is_empty());
/// ```
pub fn allowed_cpus() -> Result<Vec<u32>> {
    let (mut process, mut system) = (0_usize, 0_usize);
    // SAFETY: the handle stands for this process and needs no closing; the call fills two numbers, both valid.
    done(unsafe { GetProcessAffinityMask(GetCurrentProcess(), &mut process, &mut system) })?;
    match process {
        0 => Err(Error::other("this process runs in several processor groups")),
        mask => Ok((0..usize::BITS).filter(|cpu| mask >> cpu & 1 == 1).collect()),
    }
}

/// Restricts the calling thread to one CPU, or the whole process to several: on Windows a new thread may run wherever the process
/// may, whoever started it.
///
/// # Errors
/// The system's, or that a CPU is not of this processor group.
///
/// # Examples
/// ```
/// # #[cfg(windows)]
/// chronoscope_sources::os::host::bind(&chronoscope_sources::os::host::allowed_cpus().unwrap()).unwrap();
/// ```
pub fn bind(cpus: &[u32]) -> Result<()> {
    let mut mask = 0_usize;
    for cpu in cpus {
        let bit = 1_usize.checked_shl(*cpu);
        mask |= bit.ok_or_else(|| Error::other("only the CPUs of one processor group, 64 at most, can be named"))?;
    }
    if cpus.len() == 1 {
        // SAFETY: the handle stands for this thread and needs no closing; the mask is a number.
        return done(i32::from(unsafe { SetThreadAffinityMask(GetCurrentThread(), mask) } != 0));
    }
    // SAFETY: the handle stands for this process and needs no closing; the mask is a number.
    done(unsafe { SetProcessAffinityMask(GetCurrentProcess(), mask) })?;
    // SAFETY: as above. A thread that was bound to one CPU stays there otherwise.
    done(i32::from(unsafe { SetThreadAffinityMask(GetCurrentThread(), mask) } != 0))
}

/// The process that started this one. None if the system does not tell.
///
/// # Examples
/// ```
/// # #[cfg(windows)]
/// assert_ne!(chronoscope_sources::os::host::parent_id(), Some(std::process::id()));
/// ```
#[must_use]
pub fn parent_id() -> Option<u32> {
    // SAFETY: takes two numbers and returns a new handle or -1, both of which are told apart below.
    let snapshot = unsafe { CreateToolhelp32Snapshot(TH32CS_SNAPPROCESS, 0) };
    if snapshot.is_null() || snapshot as isize == -1 {
        return None;
    }
    // SAFETY: the handle is valid, and nobody else's.
    let snapshot = unsafe { OwnedHandle::from_raw_handle(snapshot) };
    // SAFETY: a structure of numbers, for which all zeroes is a value.
    let mut entry: PROCESSENTRY32W = unsafe { core::mem::zeroed() };
    entry.dwSize = size_of::<PROCESSENTRY32W>() as u32;
    // SAFETY: the handle is a snapshot's, and the structure says its size.
    let mut is_found = unsafe { Process32FirstW(snapshot.as_raw_handle(), &mut entry) } != 0;
    while is_found {
        if entry.th32ProcessID == std::process::id() {
            return Some(entry.th32ParentProcessID);
        }
        // SAFETY: as above.
        is_found = unsafe { Process32NextW(snapshot.as_raw_handle(), &mut entry) } != 0;
    }
    None
}

/// A process and whatever it starts, which end when this is dropped, and with this process.
#[derive(Debug)]
pub struct Job {
    _handle: OwnedHandle,
}

impl Job {
    /// One that holds `child`, and the processes that it starts from now on.
    ///
    /// # Errors
    /// The system's.
    ///
    /// # Examples
    /// ```
    /// # #[cfg(windows)] {
    /// let mut child = std::process::Command::new("cmd").spawn().unwrap();
    /// drop(chronoscope_sources::os::host::Job::of(&child).unwrap());
    /// assert!(child.wait().is_ok());
    /// # }
    /// ```
    pub fn of(child: &Child) -> Result<Self> {
        // SAFETY: without attributes and a name, the call returns a new handle or null.
        let handle = unsafe { CreateJobObjectW(null(), null()) };
        if handle.is_null() {
            return Err(Error::last_os_error());
        }
        // SAFETY: the handle is valid, and nobody else's.
        let handle = unsafe { OwnedHandle::from_raw_handle(handle) };
        // SAFETY: a structure of numbers, for which all zeroes is a value.
        let mut limits: JOBOBJECT_EXTENDED_LIMIT_INFORMATION = unsafe { core::mem::zeroed() };
        limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
        let size = size_of::<JOBOBJECT_EXTENDED_LIMIT_INFORMATION>() as u32;
        // SAFETY: the handle is a job's, and the call reads one structure of that kind and size.
        done(unsafe {
            SetInformationJobObject(
                handle.as_raw_handle(),
                JobObjectExtendedLimitInformation,
                (&raw const limits).cast(),
                size,
            )
        })?;
        // SAFETY: both handles are valid while borrowed.
        done(unsafe { AssignProcessToJobObject(handle.as_raw_handle(), child.as_raw_handle()) })?;
        Ok(Self { _handle: handle })
    }
}

/// How many bytes can be read from a pipe without waiting.
///
/// # Errors
/// The system's; `BrokenPipe` once nobody can write to it and it is empty.
///
/// # Examples
/// ```
/// # #[cfg(windows)] {
/// use std::os::windows::io::AsHandle;
/// use std::process::{Command, Stdio};
///
/// let mut child = Command::new("cmd").args(["/c", "echo out"]).stdout(Stdio::piped()).spawn().unwrap();
/// child.wait().unwrap();
/// assert_eq!(chronoscope_sources::os::host::bytes_in(child.stdout.unwrap().as_handle()).unwrap(), 5);
/// # }
/// ```
pub fn bytes_in(pipe: BorrowedHandle<'_>) -> Result<u32> {
    let mut bytes = 0;
    let nothing = core::ptr::null_mut();
    // SAFETY: the handle is valid while borrowed; nothing is read, and the call fills one number.
    done(unsafe { PeekNamedPipe(pipe.as_raw_handle(), nothing, 0, nothing.cast(), &mut bytes, nothing.cast()) })?;
    Ok(bytes)
}

/// Waits until `child` has ended, but not for longer than `at_most`. Whether it has.
///
/// # Examples
/// ```
/// # #[cfg(windows)] {
/// let mut child = std::process::Command::new("cmd").arg("/c").arg("exit").spawn().unwrap();
/// chronoscope_sources::os::host::wait_for(&child, std::time::Duration::from_millis(1));
/// assert!(child.wait().is_ok());
/// # }
/// ```
pub fn wait_for(child: &Child, at_most: Duration) -> bool {
    let milliseconds = u32::try_from(at_most.as_millis()).unwrap_or(u32::MAX - 1);
    // SAFETY: the handle is valid while borrowed.
    unsafe { WaitForSingleObject(child.as_raw_handle(), milliseconds) == WAIT_OBJECT_0 }
}

/// Ticks of the performance counter per second. None if it is not told.
///
/// # Sources
/// Microsoft, QueryPerformanceFrequency: fixed at boot; never fails since Windows XP.
///
/// # Examples
/// ```
/// # #[cfg(windows)]
/// assert!(chronoscope_sources::os::host::performance_frequency_hz().unwrap() > 0);
/// ```
#[must_use]
pub fn performance_frequency_hz() -> Option<u64> {
    let mut frequency_hz = 0;
    // SAFETY: the call fills one i64.
    let is_told = unsafe { QueryPerformanceFrequency(&mut frequency_hz) } != 0;
    u64::try_from(frequency_hz).ok().filter(|hz| is_told && *hz > 0)
}

/// The version of the system: `10.0.19045`, followed by that of Wine where this is Wine and not Windows.
///
/// # Examples
/// ```
/// # #[cfg(windows)]
/// assert!(chronoscope_sources::os::host::version().is_some_and(|version| version.contains('.')));
/// ```
#[must_use]
pub fn version() -> Option<String> {
    // SAFETY: a structure of numbers, for which all zeroes is a value.
    let mut told: OSVERSIONINFOW = unsafe { core::mem::zeroed() };
    told.dwOSVersionInfoSize = size_of::<OSVERSIONINFOW>() as u32;
    // SAFETY: the structure says its size, and the call fills it.
    if unsafe { RtlGetVersion(&mut told) } != 0 {
        return None;
    }
    let version = format!("{}.{}.{}", told.dwMajorVersion, told.dwMinorVersion, told.dwBuildNumber);
    Some(match wine_version() {
        Some(wine) => format!("{version} (Wine {wine})"),
        None => version,
    })
}

/// `char *wine_get_version(void)`.
type WineVersion = unsafe extern "C" fn() -> *const c_char;

/// That of Wine; None on Windows.
fn wine_version() -> Option<String> {
    // SAFETY: the name ends with a zero. The module stays loaded: every program has it.
    let module = unsafe { GetModuleHandleW(windows_sys::w!("ntdll.dll")) };
    if module.is_null() {
        return None;
    }
    // SAFETY: the module is loaded, and the name ends with a zero.
    let found = unsafe { GetProcAddress(module, c"wine_get_version".as_ptr().cast()) }?;
    // SAFETY: the function with that name has this type; only Wine has it.
    let version = unsafe { core::mem::transmute::<unsafe extern "system" fn() -> isize, WineVersion>(found)() };
    if version.is_null() {
        return None;
    }
    // SAFETY: not null, so it is a string of Wine's own that ends with a zero and is never freed.
    Some(unsafe { CStr::from_ptr(version) }.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use std::os::windows::io::AsHandle;
    use std::process::{Command, Stdio};

    use super::*;

    /// A shell that waits for its input.
    fn child() -> Child {
        Command::new("cmd").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap()
    }

    #[test]
    fn a_job_that_is_dropped_ends_its_process() {
        let mut child = child();
        assert_eq!(child.try_wait().unwrap(), None);
        drop(Job::of(&child).unwrap());
        assert!(wait_for(&child, Duration::from_secs(10)));
        assert!(child.try_wait().unwrap().is_some());
    }

    #[test]
    fn what_is_in_a_pipe_is_told_without_waiting() {
        let mut child = Command::new("cmd").args(["/c", "echo out"]).stdout(Stdio::piped()).spawn().unwrap();
        child.wait().unwrap();
        let mut output = child.stdout.take().unwrap();
        assert_eq!(bytes_in(output.as_handle()).unwrap(), 5);
        std::io::Read::read_exact(&mut output, &mut [0; 5]).unwrap();
        assert_eq!(bytes_in(output.as_handle()).unwrap_err().kind(), std::io::ErrorKind::BrokenPipe);
    }

    #[test]
    fn a_thread_is_bound_to_one_cpu_and_to_several() {
        let allowed = allowed_cpus().unwrap();
        bind(&allowed[..1]).unwrap();
        bind(&allowed).unwrap();
        assert_eq!(allowed_cpus().unwrap(), allowed);
        assert!(bind(&[u32::MAX]).is_err());
    }

    #[test]
    fn this_process_has_a_parent_and_a_version() {
        assert!(parent_id().is_some_and(|parent| parent != std::process::id()));
        assert!(version().unwrap().starts_with(|first: char| first.is_ascii_digit()));
        assert!(performance_frequency_hz().unwrap() > 1_000_000);
    }
}
