//! Rooms with failing storage and panicking code.

use std::sync::mpsc;

use quadrille_journal::{FaultRates, FaultyStorage, MemoryStorage, Storage, StorageError};
use quadrille_operation::Transaction;
use quadrille_protocol::{Role, RoomName};

use super::{Change, MissingRoom, Rooms};
use crate::config::SettingsSource;
use crate::error::ErrorCode;

fn start(storage: impl Storage + 'static) -> (Rooms, mpsc::Receiver<StorageError>) {
    let (failed, failures) = mpsc::channel();
    let settings = SettingsSource::default().or(SettingsSource::default());
    (
        Rooms::with_storage(Box::new(storage), None, &settings, move |error| {
            failed.send(error).expect("waited for")
        }),
        failures,
    )
}

fn name() -> RoomName {
    RoomName::new("plan").expect("a name")
}

fn empty_change() -> Change {
    Change::new(MissingRoom::Create, |_, _| Ok(Transaction::default()))
}

#[tokio::test]
async fn a_full_disk_rejects_changes_and_fails_the_readiness_check() {
    let (rooms, _) = start(FaultyStorage::new(1, FaultRates { full_disk: 10_000, ..FaultRates::default() }));
    let refused = rooms.change(&name(), Role::Edit, empty_change()).await.expect_err("no space");
    assert_eq!(refused.code, ErrorCode::StorageFailed);
    assert_eq!(rooms.check_journal().await.expect_err("no space").code, ErrorCode::StorageFailed);
    assert_eq!(
        rooms.read(&name()).await.map(|reading| reading.revision).expect_err("no such room").code,
        ErrorCode::NoSuchRoom
    );
}

#[tokio::test]
async fn a_failed_sync_acknowledges_nothing_and_ends_the_journal() {
    let (rooms, failures) =
        start(FaultyStorage::new(1, FaultRates { failing_sync: 10_000, ..FaultRates::default() }));
    let answer = tokio::time::timeout(
        std::time::Duration::from_millis(200),
        rooms.change(&name(), Role::Edit, empty_change()),
    )
    .await;
    assert!(answer.is_err() || answer.is_ok_and(|answer| answer.is_err()));
    assert!(matches!(failures.recv(), Ok(StorageError::SyncFailed { .. })));
}

#[tokio::test]
async fn no_message_is_lost_when_many_wait() {
    const COUNT: u64 = 1_000;
    let (rooms, _) = start(MemoryStorage::new());
    let name = name();
    let changes: Vec<_> = (0..COUNT).map(|_| rooms.change(&name, Role::Edit, empty_change())).collect();
    let answers = futures_util::future::join_all(changes);
    let answers =
        tokio::time::timeout(std::time::Duration::from_secs(30), answers).await.expect("all answered");
    let last = answers.into_iter().map(|answer| answer.expect("stored").revision.0).max();
    assert_eq!(last, Some(COUNT));
}

#[tokio::test]
async fn a_panicking_room_is_reloaded_and_others_are_unaffected() {
    let (rooms, _) = start(MemoryStorage::new());
    let other = RoomName::new("other").expect("a name");
    rooms.change(&name(), Role::Edit, empty_change()).await.expect("stored");
    rooms.change(&other, Role::Edit, empty_change()).await.expect("stored");
    let panics = Change::new(MissingRoom::Create, |_, _| panic!("planned by the test"));
    assert_eq!(
        rooms.change(&name(), Role::Edit, panics).await.expect_err("panicked").code,
        ErrorCode::Internal
    );
    for room in [name(), other] {
        assert_eq!(
            rooms.change(&room, Role::Edit, empty_change()).await.map(|changed| changed.revision.0),
            Ok(2)
        );
    }
}
