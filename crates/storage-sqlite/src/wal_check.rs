//! Checks a write-ahead log before SQLite opens it. SQLite uses the frames up to the first one with
//! a wrong checksum and drops the rest. This is right after a crash that tore the last transaction,
//! but after damage of the disk it silently loses acknowledged commits.
//!
//! The two cases can be distinguished. Every commit is synced, so only the last transaction can be
//! torn. If frames of a later transaction follow an unreadable frame, that frame had been synced.
//! Layout: <https://www.sqlite.org/fileformat2.html#the_write_ahead_log>.

use std::fs;
use std::path::Path;

const HEADER_BYTES: usize = 32;
const FRAME_HEADER_BYTES: usize = 24;

/// Returns the damage of the write-ahead log of a database; `None` when it is intact or only its
/// last transaction is torn.
pub fn damage(database: &Path) -> Option<String> {
    let mut path = database.as_os_str().to_owned();
    path.push("-wal");
    let bytes = fs::read(&path).ok()?; // usually it does not exist
    let name = Path::new(&path).file_name()?.to_string_lossy().into_owned();
    damage_in(&bytes).map(|damage| format!("{name}: {damage}"))
}

fn damage_in(bytes: &[u8]) -> Option<String> {
    if bytes.len() < HEADER_BYTES + FRAME_HEADER_BYTES {
        return None;
    }
    let big = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
    let page = match big(8) {
        1 => 65_536,
        size => size as usize,
    };
    let is_big_endian = big(0) & 1 == 1;
    let sum = checksum(is_big_endian, (0, 0), &bytes[..24]);
    let has_header =
        big(0) & !1 == 0x377f_0682 && sum == (big(24), big(28)) && page.is_power_of_two() && page >= 512;
    if !has_header {
        // An all-zero header was never written to the disk.
        let is_blank = bytes[..HEADER_BYTES].iter().all(|byte| *byte == 0);
        let damage = "its header is unreadable, and therefore all of its commits";
        return (!is_blank).then(|| damage.to_owned());
    }
    let salts = &bytes[16..24];
    let frame_bytes = FRAME_HEADER_BYTES + page;
    let mut sum = sum;
    let mut first_unreadable = None;
    let mut has_committed_since = false;
    for (index, frame) in bytes[HEADER_BYTES..].chunks_exact(frame_bytes).enumerate() {
        let number = |at: usize| u32::from_be_bytes(frame[at..at + 4].try_into().expect("four bytes"));
        let is_of_this_log = &frame[8..16] == salts;
        if first_unreadable.is_none() {
            let next = checksum(is_big_endian, sum, &frame[..8]);
            let next = checksum(is_big_endian, next, &frame[FRAME_HEADER_BYTES..]);
            if is_of_this_log && next == (number(16), number(20)) {
                sum = next;
                continue;
            }
            first_unreadable = Some(index);
        }
        if !is_of_this_log {
            continue; // damaged, or left over from before the log was restarted
        }
        if has_committed_since {
            let frame = first_unreadable.expect("set above") + 1;
            return Some(format!("frame {frame} is unreadable, and therefore all commits after it"));
        }
        has_committed_since = number(4) != 0;
    }
    None
}

fn checksum(is_big_endian: bool, (mut one, mut two): (u32, u32), bytes: &[u8]) -> (u32, u32) {
    let number = |bytes: &[u8]| {
        let bytes = bytes.try_into().expect("four bytes");
        if is_big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) }
    };
    for pair in bytes.chunks_exact(8) {
        one = one.wrapping_add(number(&pair[..4])).wrapping_add(two);
        two = two.wrapping_add(number(&pair[4..])).wrapping_add(one);
    }
    (one, two)
}
