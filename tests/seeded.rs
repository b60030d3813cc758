//! Randomness that comes out the same every time.

use std::time::{Duration, Instant};

/// A small generator of the same numbers every time (splitmix64): a fault that it finds can be found again.
pub struct Seeded(u64);

impl Seeded {
    /// One that begins with `seed`.
    pub fn new(seed: u64) -> Seeded {
        Seeded(seed)
    }

    /// A number from 0 to below `bound`.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % bound
    }
}

/// Lets a moment pass without giving the processor away: shorter than a sleep can be.
pub fn spin(micros: u64) {
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_micros(micros) {
        std::hint::spin_loop();
    }
}
