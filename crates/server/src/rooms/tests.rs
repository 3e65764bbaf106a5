//! Rooms on a disk that fails, and on code that panics.

use std::sync::mpsc;

use quadrille_journal::{FaultRates, FaultyStorage, MemoryStorage, Storage, StorageError};
use quadrille_operation::Transaction;
use quadrille_protocol::RoomName;

use super::{Change, MissingRoom, Rooms};
use crate::config::SettingsSource;
use crate::error::ErrorCode;

fn start(storage: impl Storage + 'static) -> (Rooms, mpsc::Receiver<StorageError>) {
    let (failed, failures) = mpsc::channel();
    let settings = SettingsSource::default().or(SettingsSource::default());
    (
        Rooms::with_storage(Box::new(storage), &settings, move |error| {
            failed.send(error).expect("waited for")
        }),
        failures,
    )
}

fn name() -> RoomName {
    RoomName::new("plan").expect("a name")
}

fn nothing() -> Change {
    Change::new(MissingRoom::MakeIt, |_, _| Ok(Transaction::default()))
}

#[tokio::test]
async fn a_full_disk_acknowledges_nothing_and_says_so() {
    let (rooms, _) = start(FaultyStorage::new(1, FaultRates { full_disk: 10_000, ..FaultRates::default() }));
    let refused = rooms.change(&name(), nothing()).await.expect_err("no space");
    assert_eq!(refused.code, ErrorCode::StorageFailed);
    assert_eq!(rooms.journal_ready().await.expect_err("no space").code, ErrorCode::StorageFailed);
    assert_eq!(
        rooms.read(&name()).await.map(|reading| reading.revision).expect_err("nothing there").code,
        ErrorCode::NoSuchRoom
    );
}

#[tokio::test]
async fn a_failed_sync_acknowledges_nothing_and_ends_the_journal() {
    let (rooms, failures) =
        start(FaultyStorage::new(1, FaultRates { failing_sync: 10_000, ..FaultRates::default() }));
    let answer =
        tokio::time::timeout(std::time::Duration::from_millis(200), rooms.change(&name(), nothing())).await;
    assert!(answer.is_err() || answer.is_ok_and(|answer| answer.is_err()));
    assert!(matches!(failures.recv(), Ok(StorageError::SyncFailed { .. })));
}

#[tokio::test]
async fn however_many_messages_wait_none_is_lost() {
    const COUNT: u64 = 1_000;
    let (rooms, _) = start(MemoryStorage::new());
    let name = name();
    let changes: Vec<_> = (0..COUNT).map(|_| rooms.change(&name, nothing())).collect();
    let answers = futures_util::future::join_all(changes);
    let answers =
        tokio::time::timeout(std::time::Duration::from_secs(30), answers).await.expect("all answered");
    let last = answers.into_iter().map(|answer| answer.expect("stored").revision.0).max();
    assert_eq!(last, Some(COUNT));
}

#[tokio::test]
async fn a_panic_in_one_room_costs_a_reload_and_others_nothing() {
    let (rooms, _) = start(MemoryStorage::new());
    let other = RoomName::new("other").expect("a name");
    rooms.change(&name(), nothing()).await.expect("stored");
    rooms.change(&other, nothing()).await.expect("stored");
    let panics = Change::new(MissingRoom::MakeIt, |_, _| panic!("a fault of ours"));
    assert_eq!(rooms.change(&name(), panics).await.expect_err("panicked").code, ErrorCode::Internal);
    for room in [name(), other] {
        assert_eq!(rooms.change(&room, nothing()).await.map(|changed| changed.revision.0), Ok(2));
    }
}
