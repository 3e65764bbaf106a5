//! Looks at a write-ahead log before SQLite does. SQLite takes the frames up to the first whose checksum is wrong and
//! forgets the rest, which is right for what a crash has torn and wrong for what a disk has damaged: commits that were
//! acknowledged would be gone without a word.
//!
//! The two can be told apart. We sync at every commit, so that only the last transaction can be torn. When frames of
//! a later transaction stand behind one that cannot be read, that one had been synced.
//! Layout: <https://www.sqlite.org/fileformat2.html#the_write_ahead_log>.

use std::fs;
use std::path::Path;

const HEADER_BYTES: usize = 32;
const FRAME_HEADER_BYTES: usize = 24;

/// What is wrong with the log beside a database; `None` when nothing is, or when only a crash has torn its end.
pub fn damage(database: &Path) -> Option<String> {
    let mut path = database.as_os_str().to_owned();
    path.push("-wal");
    let bytes = fs::read(&path).ok()?; // mostly there is none
    let name = Path::new(&path).file_name()?.to_string_lossy().into_owned();
    damage_in(&bytes).map(|what| format!("{name}: {what}"))
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
        // All zero is a header that never reached the disk.
        let is_blank = bytes[..HEADER_BYTES].iter().all(|byte| *byte == 0);
        let what = "its header cannot be read, and with it none of the commits it holds";
        return (!is_blank).then(|| what.to_owned());
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
            continue; // damaged, or left over from before the log was begun anew
        }
        if has_committed_since {
            let frame = first_unreadable.expect("set above") + 1;
            return Some(format!("frame {frame} cannot be read, and with it none of the commits after it"));
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
