//! Deterministic pseudorandom numbers.

/// The generator SplitMix64 (Steele, Lea, Flood: *Fast splittable pseudorandom number generators*,
/// OOPSLA 2014).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Creates a generator from a seed.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// An independent stream for one purpose. Removing an action from a plan does not change the
    /// numbers of other streams, so all other delays remain.
    pub fn stream(seed: u64, purpose: u64, number: u64) -> Random {
        let mut random = Random(seed ^ purpose.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let mixed = random.next() ^ number.wrapping_mul(0xd6e8_feb8_6659_fd93);
        Random(Random(mixed).next())
    }

    /// The next 64-bit number.
    #[allow(clippy::should_implement_trait)] // not an iterator: it never ends
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// A number from `low` to `high`, both included.
    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.next() % (high - low + 1)
    }

    /// True with probability 1/`count`.
    pub fn one_in(&mut self, count: u64) -> bool {
        self.next().is_multiple_of(count)
    }

    /// A random element of `choices`.
    pub fn pick<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[(self.next() % choices.len() as u64) as usize]
    }
}
