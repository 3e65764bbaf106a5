//! Comparing this document with the room's, at revisions whose digest the room states.

use quadrille_document::Document;
use quadrille_protocol::{ClientFrame, Revision, digest, limits::DIGEST_EVERY};
use quadrille_workbook::Workbook;

#[derive(Default)]
pub struct Digests {
    /// The confirmed document at the last revision whose digest the room may state.
    comparable: Option<(Revision, Workbook)>,
    pub compared: u64,
    pub mismatches: u64,
}

impl Digests {
    /// Remembers the document, on which nothing unconfirmed may stand, where its digest may be stated.
    pub fn keep(&mut self, revision: Revision, document: &Document) {
        if revision.0.is_multiple_of(DIGEST_EVERY) {
            self.comparable = Some((revision, document.snapshot()));
        }
    }

    pub fn forget_kept(&mut self) {
        self.comparable = None;
    }

    /// What to say to a room whose digest is not ours; it answers with a snapshot.
    pub fn compare(&mut self, revision: Revision, room: u64) -> Option<ClientFrame> {
        let (_, workbook) = self.comparable.take_if(|(kept, _)| *kept == revision)?;
        self.compared += 1;
        let own = digest(&workbook);
        if own == room {
            return None;
        }
        self.mismatches += 1;
        Some(ClientFrame::Digest { revision, digest: own })
    }
}
