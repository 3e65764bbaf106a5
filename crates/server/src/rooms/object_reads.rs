//! Threads that read snapshots from the object store, so that rooms whose snapshots are in the storage do not wait
//! for it.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

use quadrille_journal::{ObjectReference, Snapshot, StorageError};
use quadrille_protocol::Revision;

use crate::limits;
use crate::object_storage::ObjectStorage;

type Job = Box<dyn FnOnce(&ObjectStorage) + Send>;

/// What became of a stored snapshot.
pub enum Resolved {
    Read(Result<Option<Snapshot>, StorageError>),
    /// The object is missing or damaged: an older snapshot is needed.
    Skipped {
        before: Revision,
    },
}

/// The handle of the threads, which end when it is dropped. The number of open rooms and of REST requests in progress
/// bounds the queue.
pub struct ObjectReads {
    jobs: Sender<Job>,
}

impl ObjectReads {
    /// Starts the threads.
    pub fn start(objects: &Arc<ObjectStorage>) -> ObjectReads {
        let (jobs, received) = channel();
        let received = Arc::new(Mutex::new(received));
        for index in 0..limits::OBJECT_READERS {
            let (objects, received) = (Arc::clone(objects), Arc::clone(&received));
            let run = move || run(&objects, &received);
            let thread = std::thread::Builder::new().name(format!("object-reads-{index}")).spawn(run);
            drop(thread.expect("the system can start a thread"));
        }
        ObjectReads { jobs }
    }

    /// Reads the object of a stored snapshot, and calls `then` with it on one of the threads.
    pub fn resolve(
        &self,
        revision: Revision,
        reference: ObjectReference,
        then: impl FnOnce(Resolved) + Send + 'static,
    ) {
        let job = move |objects: &ObjectStorage| {
            then(match objects.get(&reference) {
                Ok(bytes) => Resolved::Read(Ok(Some(Snapshot { revision, bytes }))),
                Err(StorageError::ObjectDamaged { reason }) => {
                    tracing::warn!(%reason, "a snapshot is skipped");
                    match revision.0.checked_sub(1) {
                        Some(before) => Resolved::Skipped { before: Revision(before) },
                        None => Resolved::Read(Ok(None)),
                    }
                }
                Err(error) => Resolved::Read(Err(error)),
            });
        };
        // The threads end only with this value.
        _ = self.jobs.send(Box::new(job));
    }
}

fn run(objects: &ObjectStorage, received: &Mutex<Receiver<Job>>) {
    loop {
        let next = received.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(job) = next else { return };
        job(objects);
    }
}
