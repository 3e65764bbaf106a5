//! A thread that reads snapshots and images while the journal's thread commits, and checkpoints the
//! write-ahead logs.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use quadrille_journal::{BlobReader, ImageId, ObjectReference, RoomKey, RoomOwner, Snapshot, StorageError};
use quadrille_protocol::{Revision, RoomName};

use super::journal_request::{Loading, Reply, Request};
use super::object_reads::{ObjectReads, Resolved};
use crate::object_storage::ObjectStorage;

pub enum ReadRequest {
    /// The newest snapshot of a room that is being opened; the journal continues loading it.
    SnapshotOf(Box<Loading>),
    Snapshot {
        room: RoomKey,
        up_to: Revision,
        reply: Reply<Result<Option<Snapshot>, StorageError>>,
    },
    Image {
        room: RoomKey,
        image: ImageId,
        reply: Reply<Result<Option<Arc<[u8]>>, StorageError>>,
    },
    /// Lists the references to objects.
    ObjectReferences {
        reply: Reply<Result<Vec<ObjectReference>, StorageError>>,
    },
    /// Looks up the other process that runs a room.
    Owner {
        room: RoomName,
        reply: Reply<Result<Option<RoomOwner>, StorageError>>,
    },
    /// Checkpoint the write-ahead logs; the journal finishes it.
    Settle,
}

/// The handle of such a thread, which ends when the handle is dropped. The number of open rooms and of
/// REST requests in progress bounds the queue.
pub struct StorageReader {
    requests: Option<Sender<ReadRequest>>,
    thread: Option<JoinHandle<()>>,
}

impl StorageReader {
    pub fn start(
        reader: Box<dyn BlobReader>,
        journal: Sender<Request>,
        objects: Option<&Arc<ObjectStorage>>,
    ) -> StorageReader {
        let (requests, received) = channel();
        let objects = objects.map(ObjectReads::start);
        let run = move || read(reader, &received, &journal, objects.as_ref());
        let thread = std::thread::Builder::new().name("storage-reader".into()).spawn(run);
        StorageReader {
            requests: Some(requests),
            thread: Some(thread.expect("the system can start a thread")),
        }
    }

    pub fn send(&self, request: ReadRequest) {
        // The thread ends only with this value.
        let _ = self.requests.as_ref().expect("taken when dropped").send(request);
    }
}

impl Drop for StorageReader {
    /// Waits for the thread, because the storage must be closed after its reader.
    fn drop(&mut self) {
        drop(self.requests.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn read(
    mut reader: Box<dyn BlobReader>,
    received: &Receiver<ReadRequest>,
    journal: &Sender<Request>,
    objects: Option<&ObjectReads>,
) {
    for request in received {
        match request {
            ReadRequest::SnapshotOf(mut loading) => {
                let found = reader.snapshot(loading.claim.key, loading.up_to);
                let journal = journal.clone();
                resolve(found, objects, move |resolved| match resolved {
                    Resolved::Read(Ok(snapshot)) => {
                        loading.loaded.snapshot = snapshot;
                        let _ = journal.send(Request::Load { loading });
                    }
                    Resolved::Read(Err(error)) => (loading.reply)(Err(error)),
                    Resolved::Skipped { before } => {
                        loading.up_to = before;
                        let _ = journal.send(Request::LoadBefore { loading });
                    }
                });
            }
            ReadRequest::Snapshot { room, up_to, reply } => {
                let journal = journal.clone();
                resolve(reader.snapshot(room, up_to), objects, move |resolved| match resolved {
                    Resolved::Read(found) => reply(found),
                    Resolved::Skipped { before: revision } => {
                        let _ = journal.send(Request::SnapshotBefore { room, revision, reply });
                    }
                });
            }
            ReadRequest::ObjectReferences { reply } => reply(reader.object_references()),
            ReadRequest::Image { room, image, reply } => reply(reader.image(room, image)),
            ReadRequest::Owner { room, reply } => reply(reader.owner(&room)),
            ReadRequest::Settle => drop(journal.send(Request::Settled { result: reader.checkpoint() })),
        }
    }
}

/// Reads the object that a stored snapshot refers to, if it does.
fn resolve(
    found: Result<Option<Snapshot>, StorageError>,
    objects: Option<&ObjectReads>,
    then: impl FnOnce(Resolved) + Send + 'static,
) {
    let reference = found
        .as_ref()
        .ok()
        .and_then(Option::as_ref)
        .and_then(|snapshot| Some((snapshot.revision, ObjectReference::decode(&snapshot.bytes)?)));
    match (objects, reference) {
        (Some(objects), Some((revision, reference))) => objects.resolve(revision, reference, then),
        _ => then(Resolved::Read(found)),
    }
}
