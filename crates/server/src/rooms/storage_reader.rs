//! Reads snapshots and images beside the journal's thread, which commits meanwhile, and brings what was committed to its
//! place.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use quadrille_journal::{BlobReader, ImageId, RoomKey, Snapshot, StorageError};
use quadrille_protocol::Revision;

use super::journal::{Loading, Reply, Request};

pub enum Wanted {
    /// The newest one of a room that is being opened; the journal goes on with it.
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
    /// As the storage has asked for; the journal goes on with it.
    Settle,
}

/// The thread; it ends when this is dropped. What waits is bounded by the rooms that may be open and the requests that
/// may be under way.
pub struct Reading {
    wanted: Option<Sender<Wanted>>,
    thread: Option<JoinHandle<()>>,
}

impl Reading {
    pub fn start(reader: Box<dyn BlobReader>, journal: Sender<Request>) -> Reading {
        let (wanted, received) = channel();
        let run = move || read(reader, &received, &journal);
        let thread = std::thread::Builder::new().name("reading".into()).spawn(run);
        Reading { wanted: Some(wanted), thread: Some(thread.expect("the system gives a thread")) }
    }

    pub fn ask(&self, wanted: Wanted) {
        // The thread ends only with this value.
        let _ = self.wanted.as_ref().expect("taken when dropped").send(wanted);
    }
}

impl Drop for Reading {
    /// The storage is closed after its reader.
    fn drop(&mut self) {
        drop(self.wanted.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn read(mut reader: Box<dyn BlobReader>, received: &Receiver<Wanted>, journal: &Sender<Request>) {
    for wanted in received {
        match wanted {
            Wanted::SnapshotOf(mut loading) => match reader.snapshot(loading.claim.key, loading.claim.head) {
                Ok(snapshot) => {
                    loading.loaded.snapshot = snapshot;
                    let _ = journal.send(Request::Load { loading });
                }
                Err(error) => (loading.reply)(Err(error)),
            },
            Wanted::Snapshot { room, up_to, reply } => reply(reader.snapshot(room, up_to)),
            Wanted::Image { room, image, reply } => reply(reader.image(room, image)),
            Wanted::Settle => drop(journal.send(Request::Settled { result: reader.settle() })),
        }
    }
}
