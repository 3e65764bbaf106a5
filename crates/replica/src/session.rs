//! The state of the connection, and putting together a snapshot that arrives in parts.

use quadrille_protocol::limits::{SNAPSHOT_PART_BYTES, SNAPSHOT_PARTS_MAX};
use quadrille_protocol::{Revision, Role, SessionId};

/// Where a session stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Connection {
    Offline,
    /// `Hello` was sent.
    Greeting,
    /// The room answered; records up to `head` are on their way, and before them a snapshot if one is awaited.
    CatchingUp {
        head: Revision,
    },
    Live,
}

/// What the room said of this session. Kept while offline: the role is what the person may try.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Membership {
    pub session: SessionId,
    pub role: Role,
    pub color: u32,
}

/// A snapshot on its way.
#[derive(Debug)]
pub struct Assembly {
    revision: Revision,
    parts: u32,
    next: u32,
    bytes: Vec<u8>,
}

impl Assembly {
    /// Takes one part in. `Ok(Some)` with the last one; `Err` when parts do not fit together.
    pub fn add(
        assembly: &mut Option<Assembly>,
        revision: Revision,
        part: u32,
        parts: u32,
        bytes: &[u8],
    ) -> Result<Option<Vec<u8>>, &'static str> {
        if part == 0 {
            *assembly = Some(Assembly { revision, parts, next: 0, bytes: Vec::new() });
        }
        let Some(current) = assembly else {
            return Err("a snapshot that does not begin with its first part");
        };
        if (current.revision, current.parts, current.next) != (revision, parts, part) {
            return Err("parts of different snapshots");
        }
        if parts > SNAPSHOT_PARTS_MAX || bytes.len() > SNAPSHOT_PART_BYTES {
            return Err("a snapshot beyond its limits");
        }
        current.bytes.extend_from_slice(bytes);
        current.next += 1;
        if current.next < parts {
            return Ok(None);
        }
        Ok(assembly.take().map(|whole| whole.bytes))
    }
}
