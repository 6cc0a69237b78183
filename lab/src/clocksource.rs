//! The kernel's clocksource: `Documentation/ABI/testing/sysfs-devices-system-clocksource`.

use std::fs;
use std::io;
use std::thread::sleep;
use std::time::Duration;

const FOLDER: &str = "/sys/devices/system/clocksource/clocksource0";
/// A kernel that measures its counter settles on it within some seconds of boot.
const SETTLES_WITHIN: Duration = Duration::from_secs(15);
const POLL: Duration = Duration::from_millis(50);

pub fn current() -> io::Result<String> {
    Ok(fs::read_to_string(format!("{FOLDER}/current_clocksource"))?.trim().to_owned())
}

/// Asks for another; the kernel ignores a name that it does not know.
pub fn choose(name: &str) -> io::Result<()> {
    fs::write(format!("{FOLDER}/current_clocksource"), name)
}

pub fn settle(name: &str) -> io::Result<()> {
    let mut waited = Duration::ZERO;
    while current()? != name {
        if waited >= SETTLES_WITHIN {
            return Err(io::Error::other(format!("the kernel keeps time by {}, not by {name}", current()?)));
        }
        let offered = fs::read_to_string(format!("{FOLDER}/available_clocksource"))?;
        if offered.split_whitespace().any(|other| other == name) {
            choose(name)?;
        }
        sleep(POLL);
        waited += POLL;
    }
    Ok(())
}
