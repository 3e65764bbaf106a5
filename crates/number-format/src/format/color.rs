//! Colors in format codes: the eight names and `[Color1]` to `[Color56]`.

/// Returns the color `0xRRGGBB` of a name such as `Red`, or of `Color12` in the default palette.
pub(super) fn parse(name: &str) -> Option<u32> {
    let lower = name.to_ascii_lowercase();
    if let Some(number) = lower.strip_prefix("color") {
        let index: usize = number.trim().parse().ok()?;
        return PALETTE.get(index.checked_sub(1)?).copied();
    }
    Some(match lower.as_str() {
        "black" => 0x000000,
        "blue" => 0x0000FF,
        "cyan" => 0x00FFFF,
        "green" => 0x00FF00,
        "magenta" => 0xFF00FF,
        "red" => 0xFF0000,
        "white" => 0xFFFFFF,
        "yellow" => 0xFFFF00,
        _ => return None,
    })
}

/// The default palette of ECMA-376 part 1, 18.8.27 (indexedColors), from index 8.
#[rustfmt::skip]
const PALETTE: [u32; 56] = [
    0x000000, 0xFFFFFF, 0xFF0000, 0x00FF00, 0x0000FF, 0xFFFF00, 0xFF00FF, 0x00FFFF,
    0x800000, 0x008000, 0x000080, 0x808000, 0x800080, 0x008080, 0xC0C0C0, 0x808080,
    0x9999FF, 0x993366, 0xFFFFCC, 0xCCFFFF, 0x660066, 0xFF8080, 0x0066CC, 0xCCCCFF,
    0x000080, 0xFF00FF, 0xFFFF00, 0x00FFFF, 0x800080, 0x800000, 0x008080, 0x0000FF,
    0x00CCFF, 0xCCFFFF, 0xCCFFCC, 0xFFFF99, 0x99CCFF, 0xFF99CC, 0xCC99FF, 0xFFCC99,
    0x3366FF, 0x33CCCC, 0x99CC00, 0xFFCC00, 0xFF9900, 0xFF6600, 0x666699, 0x969696,
    0x003366, 0x339966, 0x003300, 0x333300, 0x993300, 0x993366, 0x333399, 0x333333,
];
