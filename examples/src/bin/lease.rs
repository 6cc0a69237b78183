//! A lease, generic over its clock: a real one in the program, a fake one in the tests.

use std::error::Error;
use std::thread;
use std::time::Duration;

use chronoscope_clock::{Clock, Instant, Now};

/// A right that expires unless it is renewed in time.
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

    /// The time left; zero once it has expired.
    fn left(&self) -> Duration {
        self.ends.saturating_duration_since(self.clock.now())
    }

    /// Renews it for its full length from now. Fails once it has expired: someone else may hold it.
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
    // Fails if this thread was stopped for longer than the lease.
    println!("renewed: {:?}", lease.renew());
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
        assert_eq!(lease.left(), Duration::from_nanos(1));
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
        assert!(lease.renew().is_err());
    }

    /// Without a type parameter: a shared trait object.
    #[test]
    fn the_clock_may_be_an_object() {
        let fake = Arc::new(FakeClock::new());
        let clock: Arc<dyn Now + Send + Sync> = fake.clone();
        let lease = Lease::new(clock, MINUTE);
        fake.advance(MINUTE);
        assert!(lease.is_over());
    }
}
