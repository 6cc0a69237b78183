//! A lease that is generic over its clock: the machine's in the program, one that does as it is told in the tests.

use std::error::Error;
use std::thread;
use std::time::Duration;

use chronoscope_clock::{Clock, Instant, Now};

/// A right that ends by itself unless it is renewed in time.
struct Lease<C = Clock> {
    clock: C,
    length: Duration,
    ends: Instant,
}

impl<C: Now> Lease<C> {
    fn new(clock: C, length: Duration) -> Self {
        let ends = clock.now() + length;
        Self { clock, length, ends }
    }

    fn is_over(&self) -> bool {
        self.clock.now() >= self.ends
    }

    /// What is left of it; nothing if it is over.
    fn left(&self) -> Duration {
        self.ends.saturating_duration_since(self.clock.now())
    }

    /// Makes it last its whole length from now on. Not after its end: somebody else may have it.
    fn renew(&mut self) -> Result<(), &'static str> {
        if self.is_over() {
            return Err("the lease is over");
        }
        self.ends = self.clock.now() + self.length;
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut lease = Lease::new(Clock::or_system(), Duration::from_millis(50));
    println!("{:?} left", lease.left());
    lease.renew()?;
    thread::sleep(lease.left());
    assert!(lease.is_over());
    match lease.renew() {
        Ok(()) => Err("renewed after its end".into()),
        Err(reason) => {
            println!("not renewed: {reason}");
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use chronoscope_clock::FakeClock;

    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    #[test]
    fn it_ends_on_the_nanosecond() {
        let clock = FakeClock::new();
        let lease = Lease::new(&clock, MINUTE);
        clock.advance(MINUTE - Duration::from_nanos(1));
        assert!(!lease.is_over());
        assert_eq!(lease.left(), Duration::from_nanos(1), "asking takes no time");
        clock.advance(Duration::from_nanos(1));
        assert!(lease.is_over());
    }

    #[test]
    fn a_renewed_lease_lasts_its_whole_length() {
        let clock = FakeClock::new();
        let mut lease = Lease::new(&clock, MINUTE);
        clock.advance(MINUTE / 2);
        lease.renew().unwrap();
        assert_eq!(lease.left(), MINUTE);
        clock.advance(MINUTE);
        assert_eq!(lease.renew(), Err("the lease is over"));
    }

    /// A clock of which the type is not known is shared by reference counting.
    #[test]
    fn the_clock_may_be_an_object() {
        let fake = Arc::new(FakeClock::new());
        let clock: Arc<dyn Now + Send + Sync> = fake.clone();
        let lease = Lease::new(clock, MINUTE);
        fake.advance(MINUTE);
        assert!(lease.is_over());
    }
}
