//! Encoding a workbook: frames for joining sessions, bytes for storage, and the digest.

use std::collections::BTreeMap;
use std::sync::Arc;

use quadrille_protocol::{
    ReplicaId, Revision, RoomSnapshot, ServerFrame, Submitted, TimeAndSeed, digest_of_snapshot,
    limits::SNAPSHOT_PART_BYTES, snapshot_bytes,
};
use quadrille_workbook::Workbook;

/// A workbook to be encoded. Creating the job is O(1); running it is proportional to the workbook.
#[derive(Clone, Debug)]
pub struct EncodeJob {
    pub(crate) revision: Revision,
    pub(crate) time_and_seed: TimeAndSeed,
    pub(crate) workbook: Workbook,
    /// The last counter of each replica; present when the snapshot is to be stored.
    pub(crate) submitted: Option<BTreeMap<ReplicaId, Submitted>>,
}

impl EncodeJob {
    /// Returns the workbook to be encoded, by whose size the caller can choose a thread.
    pub fn workbook(&self) -> &Workbook {
        &self.workbook
    }

    /// Encodes the workbook. Takes time proportional to its size.
    pub fn run(self) -> Encoded {
        let bytes = snapshot_bytes(&self.workbook);
        let stored = self.submitted.map(|submitted| {
            let submitted = submitted.into_iter().collect();
            let snapshot = RoomSnapshot {
                revision: self.revision,
                time_and_seed: self.time_and_seed,
                submitted,
                workbook: self.workbook,
            };
            snapshot.encode_with(&bytes).into()
        });
        Encoded {
            revision: self.revision,
            digest: digest_of_snapshot(&bytes),
            length: bytes.len(),
            frames: snapshot_frames(self.revision, self.time_and_seed, &bytes),
            stored,
        }
    }
}

/// The canonical bytes of a workbook at a revision.
#[derive(Clone, Debug)]
pub struct Encoded {
    pub(crate) revision: Revision,
    pub(crate) digest: u64,
    /// Bytes of the encoded workbook.
    pub(crate) length: usize,
    /// `Snapshot` frames for joining sessions.
    pub(crate) frames: Vec<Arc<[u8]>>,
    /// The room snapshot, when it is to be stored.
    pub(crate) stored: Option<Arc<[u8]>>,
}

fn snapshot_frames(revision: Revision, time_and_seed: TimeAndSeed, bytes: &[u8]) -> Vec<Arc<[u8]>> {
    let parts = bytes.len().div_ceil(SNAPSHOT_PART_BYTES).max(1) as u32;
    (0..parts)
        .map(|part| {
            let start = part as usize * SNAPSHOT_PART_BYTES;
            let end = bytes.len().min(start + SNAPSHOT_PART_BYTES);
            let bytes = bytes[start..end].to_vec();
            ServerFrame::Snapshot { revision, time_and_seed, part, parts, bytes }.encode().into()
        })
        .collect()
}
