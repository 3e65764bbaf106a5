//! [`Digests`]: compares this document with the room's at the revisions whose digest the room sends
//! (P15).

use quadrille_document::Document;
use quadrille_protocol::{ClientFrame, Revision, digest, limits::DIGEST_EVERY};
use quadrille_workbook::Workbook;

/// The comparison of digests with the room.
#[derive(Default)]
pub struct Digests {
    /// The confirmed document at the last revision with a digest.
    comparable: Option<(Revision, Workbook)>,
    /// Number of compared digests.
    pub compared: u64,
    /// Number of digests that differed.
    pub mismatches: u64,
}

impl Digests {
    /// Stores the document if its revision has a digest. There must be no unconfirmed transactions.
    pub fn record(&mut self, revision: Revision, document: &Document) {
        if revision.0.is_multiple_of(DIGEST_EVERY) {
            self.comparable = Some((revision, document.snapshot()));
        }
    }

    /// Discards the stored document.
    pub fn clear(&mut self) {
        self.comparable = None;
    }

    /// Compares the room's digest with the stored document. If they differ, returns the frame to
    /// send; the room answers with a snapshot.
    pub fn compare(&mut self, revision: Revision, room: u64) -> Option<ClientFrame> {
        let (_, workbook) = self.comparable.take_if(|(recorded, _)| *recorded == revision)?;
        self.compared += 1;
        let own = digest(&workbook);
        if own == room {
            return None;
        }
        self.mismatches += 1;
        Some(ClientFrame::Digest { revision, digest: own })
    }
}
