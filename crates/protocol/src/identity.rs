//! Identities in frames and records: revisions, replicas, sessions, rooms, authors and roles.

use std::fmt;
use std::sync::Arc;

use quadrille_cell::SheetId;

use crate::limits::ROOM_NAME_BYTES_MAX;

/// Position in a room's journal. The first record has revision 1; an empty room is at 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Revision(pub u64);

impl Revision {
    /// Returns the next revision.
    pub fn next(self) -> Revision {
        Revision(self.0 + 1)
    }

    /// Returns the previous revision; `None` for the revision of an empty room.
    pub fn previous(self) -> Option<Revision> {
        self.0.checked_sub(1).map(Revision)
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Identity of a replica, kept across sessions. Assigned by the room.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct ReplicaId(pub u64);

impl ReplicaId {
    /// The author of REST requests. Their counter is zero, or a random number by which a request with
    /// an idempotency key is found when it is repeated.
    pub const SERVER: ReplicaId = ReplicaId(0);
}

/// Proof that a session may use a replica's identity. The room sends the secret to the replica when
/// it assigns the identity. The identity, which all members see in records, is a hash of the
/// secret, so the room stores nothing and no one else can claim the identity (P19).
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ReplicaSecret(pub u64);

impl fmt::Debug for ReplicaSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ReplicaSecret(…)")
    }
}

/// Number of a replica's transaction, from 1, increasing. Together with the replica's identity it
/// makes resending safe (P7).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Counter(pub u64);

impl Counter {
    /// Returns the next counter.
    pub fn next(self) -> Counter {
        Counter(self.0 + 1)
    }
}

/// Identity of a connection to a room.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct SessionId(pub u64);

/// Distinguishes a room from a deleted one of the same name; revisions of the two are unrelated.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Incarnation(pub u64);

/// Permissions of a session, in descending order: each role includes the next.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Role {
    Owner,
    Edit,
    Comment,
    View,
}

impl Role {
    /// Returns whether the role may change the workbook.
    pub fn can_edit(self) -> bool {
        match self {
            Role::Owner | Role::Edit => true,
            Role::Comment | Role::View => false,
        }
    }

    /// Returns whether the role may send chat messages.
    pub fn can_comment(self) -> bool {
        self != Role::View
    }

    /// Returns the name of the role in the API.
    pub fn name(self) -> &'static str {
        match self {
            Role::Owner => "owner",
            Role::Edit => "edit",
            Role::Comment => "comment",
            Role::View => "view",
        }
    }
}

/// The author of a change. `id` is the account; it is empty for a person without one.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Author {
    pub id: Arc<str>,
    pub name: Arc<str>,
}

impl Author {
    /// Creates an author without an account.
    pub fn named(name: &str) -> Author {
        Author { id: "".into(), name: name.into() }
    }
}

/// Time and random seed of a change, set by the server: the only source of time and randomness of a
/// document.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct TimeAndSeed {
    /// Milliseconds since 1970-01-01 UTC. Never decreases within a room.
    pub time_ms: i64,
    /// Seed of RAND and other random functions.
    pub seed: u64,
}

/// Returns an identity for a new sheet: 32 bits of a hash of `unique`, which identifies the author,
/// and the author's count of sheets. Low identities are reserved for files and new workbooks.
pub fn fresh_sheet_id(unique: u64, number: u64) -> SheetId {
    // The finalizer of SplitMix64: every input bit affects every output bit.
    let mut mixed = unique.wrapping_add(number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    SheetId((mixed ^ mixed >> 31) as u32 | 1 << 16)
}

/// Name of a room in its URL after percent-decoding: 1 to 128 bytes without whitespace, control
/// characters and characters that are reserved in URLs.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RoomName(Arc<str>);

/// The reason why a text is not a valid room name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RoomNameError {
    Empty,
    TooLong {
        bytes: usize,
    },
    /// Only dots, which URLs resolve as path segments.
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
    /// Validates a room name.
    ///
    /// # Errors
    ///
    /// Fails with the reason why it is invalid.
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

    /// Returns the name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn is_room_character(character: char) -> bool {
    let means_something_in_a_url = "/\\?#%\"<>^`{|}".contains(character);
    // Invisible characters that change how the rest of the name is displayed.
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
    fn room_names_are_limited_to_url_characters() {
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
