//! A token bucket, moved from the standard library's clock by changing one import; the code below it is unchanged.

use std::error::Error;
use std::hint::black_box;
use std::time::Duration;

use chronoscope_clock::Instant; // was: use std::time::Instant;

/// Admits `rate` calls per second in the long run, in bursts of up to `holds`.
#[derive(Clone, Debug)]
struct TokenBucket {
    rate: f64,
    holds: f64,
    tokens: f64,
    filled: Instant,
}

impl TokenBucket {
    fn new(rate: f64, holds: f64) -> Self {
        Self { rate, holds, tokens: holds, filled: Instant::now() }
    }

    fn try_take(&mut self) -> bool {
        self.try_take_at(Instant::now())
    }

    fn try_take_at(&mut self, now: Instant) -> bool {
        let since = now.saturating_duration_since(self.filled);
        self.tokens = (self.tokens + since.as_secs_f64() * self.rate).min(self.holds);
        self.filled = now;
        let is_full_enough = self.tokens >= 1.0;
        if is_full_enough {
            self.tokens -= 1.0;
        }
        is_full_enough
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    const RATE: f64 = 100_000.0;
    const HOLDS: f64 = 100.0;
    let mut bucket = TokenBucket::new(RATE, HOLDS);
    let start = Instant::now();
    let (mut taken, mut asked) = (0_u32, 0_u32);
    while start.elapsed() < Duration::from_millis(200) {
        taken += u32::from(black_box(bucket.try_take()));
        asked += 1;
    }
    let most = start.elapsed().as_secs_f64() * RATE + HOLDS;
    println!("{taken} of {asked} calls let through, {most:.0} at most");
    if f64::from(taken) > most + 1.0 { Err("too many".into()) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_fills_at_its_rate_and_no_further_than_it_holds() {
        let mut bucket = TokenBucket::new(1_000.0, 2.0);
        let start = bucket.filled;
        let at = |ms| start + Duration::from_millis(ms);
        assert!(bucket.try_take_at(at(0)) && bucket.try_take_at(at(0)) && !bucket.try_take_at(at(0)));
        assert!(bucket.try_take_at(at(1)) && !bucket.try_take_at(at(1)));
        assert!(bucket.try_take_at(at(60_000)) && bucket.try_take_at(at(60_000)) && !bucket.try_take_at(at(60_000)));
    }
}
