//! What can be done to a machine's clocks from inside, for `meanwhile`.

use std::fs::{self, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::thread::sleep;
use std::time::Duration;

use clap::Subcommand;

use crate::sys;

#[derive(Clone, Copy, Debug, Subcommand)]
pub enum Fault {
    /// Slew the kernel's clock by so much, and leave it so
    #[command(allow_negative_numbers = true)]
    Slew {
        /// ppm, at most 500
        ppm: i64,
    },
    /// Have the kernel slew an offset away
    #[command(allow_negative_numbers = true)]
    Adjtime {
        /// milliseconds
        ms: i64,
    },
    /// Step the wall clock
    #[command(allow_negative_numbers = true)]
    Step {
        /// milliseconds
        ms: i64,
    },
    /// Set the wall clock three seconds before midnight, UTC, and announce a leap second
    Leap,
    /// Set the HPET forward, so that the kernel's watchdog takes the TSC to be slow
    Watchdog,
    /// Write the counter's correction of one CPU
    #[command(allow_negative_numbers = true)]
    Adjust {
        /// the CPU
        cpu: usize,
        /// ticks
        ticks: i64,
    },
    /// Suspend the machine to memory until its alarm clock rings
    Suspend {
        /// seconds
        seconds: u64,
    },
}

/// Where Intel's specification and QEMU put it, and two of its registers; of the counter, the lower half.
const HPET: u64 = 0xfed0_0000;
const HPET_CONFIGURATION: u64 = 0x10;
const HPET_COUNTER: u64 = 0xf0;
/// 20 ms by QEMU's 100 MHz: many times what the watchdog tolerates, and less than what makes it skip a check.
const HPET_JUMP: u32 = 2_000_000;
/// `IA32_TSC_ADJUST`: Intel SDM, volume 3, 18.17.3.
const TSC_ADJUST: u64 = 0x3b;
const DAY_S: i64 = 86_400;
const BEFORE_MIDNIGHT_S: i64 = 3;

impl Fault {
    /// Does it, and notes that in the kernel's log, so that what the kernel says of it can be told from what it said before.
    pub fn inject(self) -> io::Result<()> {
        fs::write("/dev/kmsg", format!("lab: fault {self:?}\n"))?;
        match self {
            Self::Slew { ppm } => sys::slew(sys::NOMINAL_TICK_US, ppm),
            Self::Adjtime { ms } => sys::slew_away(ms * 1_000),
            Self::Step { ms } => sys::step_wall_clock(ms),
            Self::Leap => {
                // The kernel forgets an earlier leap second at the next turn of a second without an announcement.
                sys::announce_leap(false)?;
                sleep(Duration::from_millis(1_100));
                let midnight_s = (sys::wall_clock_ns() / 1_000_000_000 / DAY_S + 1) * DAY_S;
                sys::set_wall_clock((midnight_s - BEFORE_MIDNIGHT_S) * 1_000_000_000)?;
                sys::announce_leap(true)
            }
            Self::Watchdog => {
                let hpet = sys::Registers::map(HPET)?;
                let configuration = hpet.read(HPET_CONFIGURATION);
                // It can be written only while it stands.
                hpet.write(HPET_CONFIGURATION, configuration & !1);
                hpet.write(HPET_COUNTER, hpet.read(HPET_COUNTER).wrapping_add(HPET_JUMP));
                hpet.write(HPET_CONFIGURATION, configuration);
                Ok(())
            }
            Self::Adjust { cpu, ticks } => {
                let file = OpenOptions::new().write(true).open(format!("/dev/cpu/{cpu}/msr"))?;
                file.write_all_at(&ticks.to_le_bytes(), TSC_ADJUST)
            }
            Self::Suspend { seconds } => {
                fs::write("/sys/class/rtc/rtc0/wakealarm", "0")?;
                fs::write("/sys/class/rtc/rtc0/wakealarm", format!("+{seconds}"))?;
                fs::write("/sys/power/state", "mem")?;
                sleep(Duration::from_millis(200));
                Ok(())
            }
        }
    }
}
