//! Cursor colors of people.

/// Colors that are distinguishable on light and dark backgrounds.
const COLORS: [u32; 16] = [
    0xd6336c, 0x1c7ed6, 0x2f9e44, 0xe8590c, 0x7048e8, 0x0c8599, 0xb08800, 0xe03131, 0x862e9c, 0x5c940d,
    0x364fc7, 0x8f5b34, 0x087f5b, 0xa61e4d, 0x1098ad, 0x5f6b7a,
];

/// Returns the wanted color if nobody has it, otherwise an unused one. When no color is unused,
/// returns the wanted color, or the least used one without a wish.
pub(crate) fn free_color(wanted: Option<u32>, taken: impl Iterator<Item = u32>) -> u32 {
    let mut counts = [0usize; COLORS.len()];
    let mut is_wanted_taken = false;
    for color in taken {
        is_wanted_taken |= Some(color) == wanted;
        if let Some(index) = COLORS.iter().position(|other| *other == color) {
            counts[index] += 1;
        }
    }
    let least_used = (0..COLORS.len()).min_by_key(|index| counts[*index]).expect("COLORS is not empty");
    match wanted {
        Some(wanted) if !is_wanted_taken || counts[least_used] > 0 => wanted,
        _ => COLORS[least_used],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_are_unique_while_unused_ones_remain() {
        let mut given = Vec::new();
        for _ in 0..COLORS.len() {
            let color = free_color(Some(COLORS[3]), given.iter().copied());
            assert!(!given.contains(&color));
            given.push(color);
        }
        assert_eq!(free_color(Some(0x123456), given.iter().copied()), 0x123456);
        assert_eq!(free_color(Some(COLORS[3]), given.iter().copied()), COLORS[3], "every color is used");
        given.remove(5);
        assert_eq!(free_color(None, given.iter().copied()), COLORS[5]);
    }
}
