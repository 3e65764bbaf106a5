//! [`Connection`]: the state of the session, and [`SnapshotAssembly`]: a snapshot received in
//! parts.

use quadrille_protocol::limits::{SNAPSHOT_PART_BYTES, SNAPSHOT_PARTS_MAX};
use quadrille_protocol::{Revision, Role, SessionId};

/// State of the session.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Connection {
    Offline,
    /// `Hello` was sent and not answered.
    AwaitingWelcome,
    /// `Welcome` was received; records up to `head` follow, preceded by a snapshot if one is
    /// awaited.
    CatchingUp {
        head: Revision,
    },
    Live,
}

/// The room's answer to `Hello`. It is kept while offline, because the role still applies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Membership {
    pub session: SessionId,
    pub role: Role,
    pub color: u32,
}

/// The received parts of a snapshot.
#[derive(Debug)]
pub struct SnapshotAssembly {
    revision: Revision,
    parts: u32,
    next: u32,
    bytes: Vec<u8>,
}

impl SnapshotAssembly {
    /// Adds a part. Returns the complete bytes with the last part.
    ///
    /// # Errors
    ///
    /// Fails if the part does not follow the previous ones or exceeds a limit.
    pub fn add(
        assembly: &mut Option<SnapshotAssembly>,
        revision: Revision,
        part: u32,
        parts: u32,
        bytes: &[u8],
    ) -> Result<Option<Vec<u8>>, &'static str> {
        if part == 0 {
            *assembly = Some(SnapshotAssembly { revision, parts, next: 0, bytes: Vec::new() });
        }
        let Some(current) = assembly else {
            return Err("a snapshot that does not begin with its first part");
        };
        if (current.revision, current.parts, current.next) != (revision, parts, part) {
            return Err("parts of different snapshots");
        }
        if parts > SNAPSHOT_PARTS_MAX || bytes.len() > SNAPSHOT_PART_BYTES {
            return Err("a snapshot that exceeds its limits");
        }
        current.bytes.extend_from_slice(bytes);
        current.next += 1;
        if current.next < parts {
            return Ok(None);
        }
        Ok(assembly.take().map(|whole| whole.bytes))
    }
}
