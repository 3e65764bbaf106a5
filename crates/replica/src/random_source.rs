//! A random number generator whose state is passed in; for identities of sheets and random seeds.

/// Returns the next number of SplitMix64 (Steele, Lea, Flood: *Fast splittable pseudorandom number
/// generators*, OOPSLA 2014).
pub(crate) fn next_random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
