//! Who, where and when: the identities that frames and records carry.

use std::fmt;
use std::sync::Arc;

use quadrille_cell::SheetId;

use crate::limits::ROOM_NAME_BYTES_MAX;

/// Position in a room's journal; the first record has revision 1, an empty room is at 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Revision(pub u64);

impl Revision {
    pub fn next(self) -> Revision {
        Revision(self.0 + 1)
    }

    /// The one before; `None` for the empty room's.
    pub fn previous(self) -> Option<Revision> {
        self.0.checked_sub(1).map(Revision)
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A client's copy of a room, kept over reconnects. Given by the room.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct ReplicaId(pub u64);

impl ReplicaId {
    /// The author of what comes in over REST: applied once, answered once, never resent.
    pub const SERVER: ReplicaId = ReplicaId(0);
}

/// Proves that a session may speak for a replica: the room told it to the one that got the identity, and the
/// identity, which everybody sees in records, is a hash of it. So the room stores nothing, and nobody else can claim
/// to be that replica.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ReplicaSecret(pub u64);

impl fmt::Debug for ReplicaSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ReplicaSecret(…)")
    }
}

/// Number of a replica's transaction, from 1, rising; with the replica's identity it makes a resend harmless.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Counter(pub u64);

impl Counter {
    pub fn next(self) -> Counter {
        Counter(self.0 + 1)
    }
}

/// One connection to a room.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct SessionId(pub u64);

/// Tells a room from one of the same name that was deleted before; revisions of the two do not compare.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Incarnation(pub u64);

/// What a session may do. The order is that of rights: each may do what the next may.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Role {
    Owner,
    Edit,
    Comment,
    View,
}

impl Role {
    /// Whether this role may change the workbook's contents.
    pub fn can_edit(self) -> bool {
        match self {
            Role::Owner | Role::Edit => true,
            Role::Comment | Role::View => false,
        }
    }

    /// Whether it may say something beside the workbook.
    pub fn can_comment(self) -> bool {
        self != Role::View
    }

    pub fn name(self) -> &'static str {
        match self {
            Role::Owner => "owner",
            Role::Edit => "edit",
            Role::Comment => "comment",
            Role::View => "view",
        }
    }
}

/// Who made a change. `id` is empty for someone without an account.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Author {
    pub id: Arc<str>,
    pub name: Arc<str>,
}

impl Author {
    /// Someone without an account, by the name they chose.
    pub fn named(name: &str) -> Author {
        Author { id: "".into(), name: name.into() }
    }
}

/// What the server says about the moment of a change: the only source of time and chance in a document.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct TimeAndSeed {
    /// Milliseconds since 1970-01-01 UTC; never decreases within a room.
    pub time_ms: i64,
    /// Seed of RAND and its like.
    pub seed: u64,
}

/// An identity for a new sheet that nobody else will choose: 32 bits of a mixture of something unique to the
/// author and a number that the author counts up. The low identities are left to files and new workbooks.
pub fn fresh_sheet_id(unique: u64, number: u64) -> SheetId {
    // The finaliser of SplitMix64: every bit of the input changes every bit of the output.
    let mut mixed = unique.wrapping_add(number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    SheetId((mixed ^ mixed >> 31) as u32 | 1 << 16)
}

/// The name in a room's URL, after percent-decoding: 1 to 128 bytes without blanks, control characters and
/// the characters that mean something in a URL.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RoomName(Arc<str>);

/// Why a text is not a room's name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RoomNameError {
    Empty,
    TooLong {
        bytes: usize,
    },
    /// Only dots, which a URL takes for a folder.
    Dots,
    BadCharacter {
        character: char,
    },
}

impl fmt::Display for RoomNameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RoomNameError::Empty => write!(f, "a room needs a name"),
            RoomNameError::TooLong { bytes } => {
                write!(f, "a room's name has at most {ROOM_NAME_BYTES_MAX} bytes, this one {bytes}")
            }
            RoomNameError::Dots => write!(f, "a room's name cannot be only dots"),
            RoomNameError::BadCharacter { character } => {
                write!(f, "character not allowed in a room's name: {}", character.escape_default())
            }
        }
    }
}

impl std::error::Error for RoomNameError {}

impl RoomName {
    pub fn new(name: &str) -> Result<RoomName, RoomNameError> {
        if name.is_empty() {
            return Err(RoomNameError::Empty);
        }
        if name.len() > ROOM_NAME_BYTES_MAX {
            return Err(RoomNameError::TooLong { bytes: name.len() });
        }
        if let Some(character) = name.chars().find(|&character| !is_room_character(character)) {
            return Err(RoomNameError::BadCharacter { character });
        }
        if name.bytes().all(|byte| byte == b'.') {
            return Err(RoomNameError::Dots);
        }
        Ok(RoomName(name.into()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn is_room_character(character: char) -> bool {
    let means_something_in_a_url = "/\\?#%\"<>^`{|}".contains(character);
    // Invisible characters that change how the rest of the name is drawn.
    let reorders = matches!(character, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    !(character.is_control() || character.is_whitespace() || means_something_in_a_url || reorders)
}

impl fmt::Display for RoomName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for RoomName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", &*self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_names_are_what_a_url_can_carry() {
        for good in [
            "a",
            "budget-2026",
            "__proto__",
            "constructor",
            "Übersicht",
            "表",
            "📈",
            "a.b",
            "x".repeat(128).as_str(),
        ] {
            assert_eq!(RoomName::new(good).map(|name| name.to_string()).as_deref(), Ok(good));
        }
        for (bad, message) in [
            ("", "a room needs a name"),
            ("..", "a room's name cannot be only dots"),
            ("a b", "character not allowed in a room's name:  "),
            ("a/b", "character not allowed in a room's name: /"),
            ("a\0", "character not allowed in a room's name: \\u{0}"),
            ("\u{202e}a", "character not allowed in a room's name: \\u{202e}"),
            ("x".repeat(129).as_str(), "a room's name has at most 128 bytes, this one 129"),
        ] {
            assert_eq!(RoomName::new(bad).expect_err(bad).to_string(), message);
        }
    }
}
