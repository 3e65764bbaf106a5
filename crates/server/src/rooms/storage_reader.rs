//! A thread that reads snapshots and images while the journal's thread commits, and checkpoints the
//! write-ahead log.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use quadrille_journal::{BlobReader, ImageId, RoomKey, RoomOwner, Snapshot, StorageError};
use quadrille_protocol::{Revision, RoomName};

use super::journal_request::{Loading, Reply, Request};

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
    /// Looks up the other process that runs a room.
    Owner {
        room: RoomName,
        reply: Reply<Result<Option<RoomOwner>, StorageError>>,
    },
    /// Checkpoint the write-ahead log; the journal finishes it.
    Settle,
}

/// The handle of such a thread, which ends when the handle is dropped. The number of open rooms and of
/// REST requests in progress bounds the queue.
pub struct StorageReader {
    requests: Option<Sender<ReadRequest>>,
    thread: Option<JoinHandle<()>>,
}

impl StorageReader {
    pub fn start(reader: Box<dyn BlobReader>, journal: Sender<Request>) -> StorageReader {
        let (requests, received) = channel();
        let run = move || read(reader, &received, &journal);
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

fn read(mut reader: Box<dyn BlobReader>, received: &Receiver<ReadRequest>, journal: &Sender<Request>) {
    for request in received {
        match request {
            ReadRequest::SnapshotOf(mut loading) => {
                match reader.snapshot(loading.claim.key, loading.claim.head) {
                    Ok(snapshot) => {
                        loading.loaded.snapshot = snapshot;
                        let _ = journal.send(Request::Load { loading });
                    }
                    Err(error) => (loading.reply)(Err(error)),
                }
            }
            ReadRequest::Snapshot { room, up_to, reply } => reply(reader.snapshot(room, up_to)),
            ReadRequest::Image { room, image, reply } => reply(reader.image(room, image)),
            ReadRequest::Owner { room, reply } => reply(reader.owner(&room)),
            ReadRequest::Settle => drop(journal.send(Request::Settled { result: reader.checkpoint() })),
        }
    }
}
