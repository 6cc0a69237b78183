//! Draws for simulations.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// Normal draws.
pub struct Draws(Xoshiro256PlusPlus);

impl Draws {
    pub fn new(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// One draw, by Box and Muller.
    pub fn normal(&mut self) -> f64 {
        let mut uniform = || ((self.0.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64;
        let (radius, angle) = ((-2.0 * uniform().ln()).sqrt(), uniform() * std::f64::consts::TAU);
        radius * angle.cos()
    }
}
