//! The test suite of [`Storage`]: an engine's tests call [`run`] with a way to open an empty storage.
//!
//! Engines add what this cannot know: which files or tables are damaged how, and what a second process may
//! do.

use std::sync::Arc;

use quadrille_protocol::{Revision, RoomName};

use crate::{
    Append, CopiedRoom, Image, ImageId, ImagePut, LargeAppend, Loaded, MemoryStorage, ObjectId,
    ObjectReference, Outcome, Retention, RoomKey, Snapshot, Storage, StorageError, StoredChatMessage,
};

/// A storage in a test.
pub trait StorageUnderTest {
    /// The open storage.
    fn storage(&mut self) -> &mut dyn Storage;

    /// Ends the process that has the storage open, and opens it in another.
    fn restart(&mut self);
}

/// Runs the suite; each part gets an empty storage.
///
/// # Panics
/// When the engine breaks a promise.
pub fn run(new: &mut dyn FnMut() -> Box<dyn StorageUnderTest>) {
    for part in [
        j1_acknowledged_records_survive_a_restart,
        j2_a_batch_has_records_of_many_rooms,
        j3_an_append_to_another_head_is_fenced_and_changes_nothing,
        a_room_exists_with_its_first_record,
        a_tail_is_read_in_pieces,
        j5_the_newest_snapshot_is_loaded_with_the_records_after_it,
        j7_every_revision_can_be_loaded,
        j7_dropped_history_begins_at_a_snapshot,
        retention_drops_by_age_and_number,
        j8_chat_messages_are_kept_with_their_room,
        j9_images_are_kept_with_their_room,
        j10_a_snapshot_exists_with_its_last_piece,
        rooms_are_listed_in_pages_and_measured,
        a_deleted_room_is_gone_and_its_name_free,
        large_records_and_snapshots_return_unchanged,
        large_appends_continue_the_others,
    ] {
        part(&mut *new());
    }
    for seed in 0..RANDOM_SEQUENCES {
        any_sequence_gives_what_the_model_gives(&mut *new(), seed);
    }
}

/// Runs the suite of what copies from another storage need; the part gets an empty storage.
///
/// # Panics
/// When the engine breaks a promise.
pub fn run_copies(mut new: Box<dyn StorageUnderTest>) {
    copied_rooms_have_the_numbers_and_times_that_they_had(&mut *new);
}

/// Runs the suite of what an object store beside the storage needs; the part gets an empty storage.
///
/// # Panics
/// When the engine breaks a promise.
pub fn run_objects(mut new: Box<dyn StorageUnderTest>) {
    references_count_with_the_bytes_of_their_objects(&mut *new);
}

fn references_count_with_the_bytes_of_their_objects(test: &mut dyn StorageUnderTest) {
    let room = claim(test.storage(), 1);
    store(test.storage(), room, 0, &["a"]);
    let before = test.storage().usage(&name(1)).expect("measures").expect("exists").bytes;
    let reference = |number: u8, length: u64| ObjectReference {
        object: ObjectId([number; 16]),
        length,
        digest: [number; 32],
    };
    let image = |number: u8, length: u64| Image {
        id: ImageId([number; 32]),
        bytes: reference(number, length).encode().into(),
    };
    let mut put = |image| test.storage().put_image(room, &image, 1_000_000).expect("puts");
    assert_eq!(put(image(1, 600_000)), ImagePut::Stored);
    assert_eq!(put(image(2, 400_001)), ImagePut::TooMuch);
    assert_eq!(put(image(2, 400_000)), ImagePut::Stored);
    let large = Snapshot { revision: Revision(1), bytes: reference(3, 5_000_000).encode().into() };
    test.storage().put_snapshot(room, &large).expect("stores");
    assert_eq!(test.storage().property("place").expect("reads"), None);
    assert_eq!(test.storage().put_property("place", "here").expect("stores"), "here");
    assert_eq!(test.storage().put_property("place", "there").expect("reads"), "here");
    test.restart();
    let after = test.storage().usage(&name(1)).expect("measures").expect("exists").bytes;
    assert_eq!(after - before, 6_000_000);
    assert_eq!(test.storage().property("place").expect("reads").as_deref(), Some("here"));
    let names = |mut found: Vec<ObjectReference>| {
        found.sort_by_key(|reference| reference.object);
        found
    };
    let expected = [reference(1, 600_000), reference(2, 400_000), reference(3, 5_000_000)];
    assert_eq!(names(test.storage().object_references().expect("lists")), expected);
    if let Some(mut reader) = test.storage().reader().expect("opens") {
        assert_eq!(names(reader.object_references().expect("lists")), expected);
    }
}

const RANDOM_SEQUENCES: u64 = 12;
const RANDOM_STEPS: u64 = 40;

fn name(room: u64) -> RoomName {
    RoomName::new(&format!("room-{room}")).expect("valid")
}

fn claim(storage: &mut dyn Storage, room: u64) -> RoomKey {
    storage.claim(&name(room)).expect("claims").key
}

/// Records after `base`, stored at 1,000 ms + `base`.
fn append(room: RoomKey, base: u64, records: &[&str]) -> Append {
    let records = records.iter().map(|record| Arc::from(record.as_bytes())).collect();
    Append { room, base: Revision(base), records, time_ms: 1_000 + base as i64 }
}

fn copied_rooms_have_the_numbers_and_times_that_they_had(test: &mut dyn StorageUnderTest) {
    let (whole, cut, other) = (name(1), name(2), name(3));
    let base = snapshot(5, b"as of revision 5");
    let room = |name, key, base| CopiedRoom { name, key: RoomKey(key), created_ms: 7, changed_ms: 70, base };
    let storage = test.storage();
    let claimed = storage.claim_copy(&room(&whole, 40, None)).expect("claims");
    assert_eq!((claimed.key, claimed.incarnation.0, claimed.head), (RoomKey(40), 40, Revision(0)));
    store(storage, RoomKey(40), 0, &["a", "b"]);
    let claimed = storage.claim_copy(&room(&cut, 20, Some(&base))).expect("claims");
    assert_eq!((claimed.key, claimed.head, claimed.base), (RoomKey(20), Revision(5), Revision(5)));
    store(storage, RoomKey(20), 5, &["f"]);
    // The same again, as when a copy goes on.
    let again = storage.claim_copy(&room(&cut, 20, Some(&base))).expect("claims");
    assert_eq!((again.key, again.head, again.base), (RoomKey(20), Revision(6), Revision(5)));
    assert!(storage.claim_copy(&room(&whole, 41, None)).is_err(), "the room has another number");
    let image = Image { id: ImageId([7; 32]), bytes: Arc::from(&b"image"[..]) };
    assert_eq!(storage.put_image(RoomKey(20), &image, 100).expect("stores"), ImagePut::Stored);
    storage.reserve_keys(RoomKey(60)).expect("reserves");

    test.restart();
    let storage = test.storage();
    let times = |info: &crate::RoomInfo| (info.name.clone(), info.head.0, info.created_ms, info.changed_ms);
    let rooms: Vec<_> = storage.rooms().expect("lists").iter().map(times).collect();
    assert_eq!(rooms, [(whole.clone(), 2, 7, 1_000), (cut.clone(), 6, 7, 1_005)]);
    let found = storage.find(&cut).expect("reads").expect("exists");
    assert_eq!((found.key, found.base), (RoomKey(20), Revision(5)));
    let loaded = storage.load(RoomKey(20)).expect("loads");
    assert_eq!(loaded.snapshot, Some(base));
    let records: Vec<_> = loaded.records.iter().map(|record| (record.revision.0, record.time_ms)).collect();
    assert_eq!(records, [(6, 1_005)]);
    assert!(matches!(
        storage.tail(RoomKey(20), Revision(0), 100),
        Err(StorageError::Forgotten { base: Revision(5) })
    ));
    assert_eq!(storage.image_ids(RoomKey(20)).expect("lists"), [image.id]);
    assert!(storage.last_key().expect("reads") >= RoomKey(60));
    let fresh = storage.claim(&other).expect("claims").key;
    assert!(fresh > RoomKey(60), "a number that no room has had: {fresh:?}");
}

fn durable(head: u64) -> Outcome {
    Outcome::Durable { head: Revision(head) }
}

/// Stores records of one room, which must not be fenced.
fn store(storage: &mut dyn Storage, room: RoomKey, base: u64, records: &[&str]) {
    let outcomes = storage.append(&[append(room, base, records)]).expect("appends");
    assert_eq!(outcomes, [durable(base + records.len() as u64)]);
}

fn snapshot(revision: u64, bytes: &[u8]) -> Snapshot {
    Snapshot { revision: Revision(revision), bytes: Arc::from(bytes) }
}

fn texts(loaded: &Loaded) -> Vec<String> {
    loaded.records.iter().map(|record| String::from_utf8_lossy(&record.bytes).into_owned()).collect()
}

fn load(storage: &mut dyn Storage, room: RoomKey) -> Loaded {
    storage.load(room).expect("loads")
}

fn j1_acknowledged_records_survive_a_restart(test: &mut dyn StorageUnderTest) {
    let room = claim(test.storage(), 1);
    store(test.storage(), room, 0, &["a", "b"]);
    test.restart();
    let found = test.storage().claim(&name(1)).expect("claims");
    assert_eq!((found.key, found.head, found.base), (room, Revision(2), Revision(0)));
    assert_eq!(texts(&load(test.storage(), room)), ["a", "b"]);
    store(test.storage(), room, 2, &["c"]);
}

fn j2_a_batch_has_records_of_many_rooms(test: &mut dyn StorageUnderTest) {
    let rooms: Vec<RoomKey> = (0..50).map(|room| claim(test.storage(), room)).collect();
    for round in 0..2 {
        let batch: Vec<Append> = rooms
            .iter()
            .flat_map(|room| [append(*room, 2 * round, &["a"]), append(*room, 2 * round + 1, &["b"])])
            .collect();
        let outcomes = test.storage().append(&batch).expect("appends");
        assert!(outcomes.chunks(2).all(|pair| pair == [durable(2 * round + 1), durable(2 * round + 2)]));
    }
    test.restart();
    for (number, room) in rooms.into_iter().enumerate() {
        assert_eq!(claim(test.storage(), number as u64), room);
        assert_eq!(texts(&load(test.storage(), room)), ["a", "b", "a", "b"]);
    }
}

fn j3_an_append_to_another_head_is_fenced_and_changes_nothing(test: &mut dyn StorageUnderTest) {
    let storage = test.storage();
    let (one, two) = (claim(storage, 1), claim(storage, 2));
    let batch = [
        append(one, 0, &["a"]),
        append(one, 0, &["late"]),
        append(two, 3, &["early"]),
        append(one, 1, &["b"]),
        append(RoomKey(9_999), 0, &["unknown"]),
    ];
    let outcomes = storage.append(&batch).expect("appends");
    assert_eq!(outcomes, [durable(1), Outcome::Fenced, Outcome::Fenced, durable(2), Outcome::Fenced]);
    assert_eq!(texts(&load(storage, one)), ["a", "b"]);
    assert_eq!(storage.append(&[append(one, 1, &["late"])]).expect("appends"), [Outcome::Fenced]);
    assert_eq!(storage.find(&name(2)).expect("finds"), None, "a fenced room is not created");
    assert_eq!(texts(&load(storage, one)), ["a", "b"]);
}

fn a_room_exists_with_its_first_record(test: &mut dyn StorageUnderTest) {
    let first = test.storage().claim(&name(1)).expect("claims");
    assert_eq!((first.head, first.base), (Revision(0), Revision(0)));
    assert_eq!(claim(test.storage(), 1), first.key, "the same room");
    assert_eq!(test.storage().find(&name(1)).expect("finds"), None);
    assert_eq!(load(test.storage(), first.key), Loaded::default());
    assert!(test.storage().rooms().expect("lists").is_empty());
    assert!(matches!(test.storage().load(RoomKey(9_999)), Err(StorageError::UnknownRoom { .. })));
    store(test.storage(), first.key, 0, &["a"]);
    let found = test.storage().find(&name(1)).expect("finds").expect("exists");
    assert_eq!((found.key, found.incarnation, found.head), (first.key, first.incarnation, Revision(1)));
}

fn a_tail_is_read_in_pieces(test: &mut dyn StorageUnderTest) {
    let room = claim(test.storage(), 1);
    store(test.storage(), room, 0, &["12345", "123"]);
    store(test.storage(), room, 2, &["1234", "1"]);
    let mut lengths = |after: u64, bytes_max: usize| -> Vec<(u64, usize)> {
        let tail = test.storage().tail(room, Revision(after), bytes_max).expect("reads");
        tail.iter().map(|record| (record.revision.0, record.bytes.len())).collect()
    };
    assert_eq!(lengths(0, usize::MAX), [(1, 5), (2, 3), (3, 4), (4, 1)]);
    assert_eq!(lengths(0, 8), [(1, 5), (2, 3)]);
    assert_eq!(lengths(0, 1), [(1, 5)], "at least one");
    assert_eq!(lengths(1, 11), [(2, 3), (3, 4), (4, 1)], "from the middle of a commit");
    assert_eq!(lengths(4, 100), []);
}

fn j5_the_newest_snapshot_is_loaded_with_the_records_after_it(test: &mut dyn StorageUnderTest) {
    let room = claim(test.storage(), 1);
    store(test.storage(), room, 0, &["a", "b", "c"]);
    for (revision, bytes) in [(1, "one"), (2, "two")] {
        test.storage().put_snapshot(room, &snapshot(revision, bytes.as_bytes())).expect("stores");
    }
    test.restart();
    let room = claim(test.storage(), 1);
    let loaded = load(test.storage(), room);
    assert_eq!((loaded.snapshot.clone(), texts(&loaded)), (Some(snapshot(2, b"two")), vec!["c".into()]));
    let before = test.storage().snapshot_before(room, Revision(1)).expect("reads");
    assert_eq!(before, Some(snapshot(1, b"one")));
    assert_eq!(test.storage().snapshot_before(room, Revision(0)).expect("reads"), None);
    assert_eq!(test.storage().snapshot_revisions(room).expect("reads"), [Revision(2), Revision(1)]);
    if let Some(mut reader) = test.storage().reader().expect("opens") {
        assert_eq!(reader.snapshot(room, Revision(9)).expect("reads"), Some(snapshot(2, b"two")));
    }
}

fn j7_every_revision_can_be_loaded(test: &mut dyn StorageUnderTest) {
    const REVISIONS: u64 = 120;
    let room = claim(test.storage(), 1);
    for base in 0..REVISIONS {
        store(test.storage(), room, base, &[&format!("record {}", base + 1)]);
        if (base + 1) % 10 == 0 {
            test.storage().put_snapshot(room, &snapshot(base + 1, b"state")).expect("puts");
        }
    }
    test.restart();
    let room = claim(test.storage(), 1);
    let kept = test.storage().snapshot_revisions(room).expect("reads");
    assert!(kept.len() < 12 && kept[..2] == [Revision(120), Revision(110)], "{kept:?}");
    for revision in 0..=REVISIONS + 2 {
        let found = test.storage().load_at(room, Revision(revision)).expect("loads");
        let from = found.snapshot.map_or(0, |snapshot| snapshot.revision.0);
        let last = revision.min(REVISIONS);
        let revisions: Vec<u64> = found.records.iter().map(|record| record.revision.0).collect();
        assert_eq!(revisions, (from + 1..=last).collect::<Vec<_>>(), "revision {revision}");
        // The records to replay are at most the age of the revision and the distance of snapshots.
        assert!(revisions.len() as u64 <= REVISIONS - last + 10, "revision {revision}");
    }
}

fn j7_dropped_history_begins_at_a_snapshot(test: &mut dyn StorageUnderTest) {
    let room = claim(test.storage(), 1);
    store(test.storage(), room, 0, &["a", "b"]);
    store(test.storage(), room, 2, &["c", "d"]);
    test.storage().forget_before(room, Revision(2)).expect("does nothing");
    assert_eq!(test.storage().base(room).expect("reads"), Revision(0), "there is no snapshot");
    for revision in [1, 3] {
        test.storage().put_snapshot(room, &snapshot(revision, b"state")).expect("stores");
    }
    test.storage().forget_before(room, Revision(3)).expect("drops");
    test.restart();
    let found = test.storage().claim(&name(1)).expect("claims");
    assert_eq!((found.head, found.base), (Revision(4), Revision(3)));
    while test.storage().compact().expect("compacts") {}
    let refused = test.storage().tail(room, Revision(2), 100);
    assert!(matches!(refused, Err(StorageError::Forgotten { base: Revision(3) })), "{refused:?}");
    assert_eq!(test.storage().snapshot_revisions(room).expect("reads"), [Revision(3)]);
    let loaded = load(test.storage(), room);
    assert_eq!((loaded.snapshot.clone(), texts(&loaded)), (Some(snapshot(3, b"state")), vec!["d".into()]));
    let mut time_of = |revision| test.storage().time_of(room, Revision(revision)).expect("reads");
    assert_eq!([time_of(3), time_of(4), time_of(5)], [None, Some(1_002), None]);
    store(test.storage(), room, 4, &["e"]);
}

fn retention_drops_by_age_and_number(test: &mut dyn StorageUnderTest) {
    const DAY_MS: i64 = 86_400_000;
    let room = claim(test.storage(), 1);
    for base in 0..6 {
        let day = Append { time_ms: base as i64 * DAY_MS, ..append(room, base, &["a"]) };
        test.storage().append(&[day]).expect("appends");
        test.storage().put_snapshot(room, &snapshot(base + 1, b"state")).expect("stores");
    }
    let mut retain = |days, revisions_max| {
        let keep = Retention { days, revisions_max };
        test.storage().retain(room, &keep, 6 * DAY_MS).expect("retains").0
    };
    assert_eq!(retain(None, None), 0);
    assert_eq!(retain(None, Some(5)), 1, "the newest snapshot that is five revisions back");
    assert_eq!(retain(Some(2), None), 4, "revision 4 was stored on day 3, the third before");
}

fn j8_chat_messages_are_kept_with_their_room(test: &mut dyn StorageUnderTest) {
    let rooms = [1, 2, 3].map(|room| claim(test.storage(), room));
    let batch = [append(rooms[0], 0, &["a"]), append(rooms[1], 0, &["b"])];
    test.storage().append(&batch).expect("appends");
    let message = |room: usize, number: u64, forget_up_to: u64| StoredChatMessage {
        room: rooms[room],
        number,
        bytes: Arc::from(format!("{room}:{number}").as_bytes()),
        forget_up_to,
    };
    let messages = [message(0, 1, 0), message(1, 1, 0), message(0, 2, 0), message(2, 1, 0)];
    test.storage().put_chat_messages(&messages).expect("stores");
    test.storage().put_chat_messages(&[message(0, 3, 1)]).expect("stores");
    test.restart();
    let mut texts = |room: u64| -> Vec<String> {
        let key = claim(test.storage(), room);
        let messages = test.storage().chat_messages(key).expect("reads");
        messages.iter().map(|bytes| String::from_utf8_lossy(bytes).into_owned()).collect()
    };
    assert_eq!([texts(1), texts(2)], [vec!["0:2".to_owned(), "0:3".to_owned()], vec!["1:1".to_owned()]]);
    assert!(texts(3).is_empty(), "a room without records keeps none");
    assert!(test.storage().delete(&name(1)).expect("deletes"));
    let again = claim(test.storage(), 1);
    store(test.storage(), again, 0, &["a"]);
    assert!(test.storage().chat_messages(again).expect("reads").is_empty());
}

fn j9_images_are_kept_with_their_room(test: &mut dyn StorageUnderTest) {
    let image =
        |number: u8, bytes: usize| Image { id: ImageId([number; 32]), bytes: Arc::from(vec![number; bytes]) };
    let (room, other) = (claim(test.storage(), 1), claim(test.storage(), 2));
    test.storage().append(&[append(room, 0, &["a"]), append(other, 0, &["a"])]).expect("appends");
    let mut put = |room, image| test.storage().put_image(room, &image, 100).expect("puts");
    assert_eq!(put(room, image(1, 60)), ImagePut::Stored);
    assert_eq!(put(room, image(1, 60)), ImagePut::Known);
    assert_eq!(put(room, image(2, 41)), ImagePut::TooMuch);
    assert_eq!(put(other, image(2, 41)), ImagePut::Stored);
    assert!(test.storage().put_image(RoomKey(9_999), &image(1, 1), 100).is_err());
    test.restart();
    let mut get = |room, number| {
        test.storage().image(room, ImageId([number; 32])).expect("reads").map(|bytes| bytes.len())
    };
    assert_eq!([get(room, 1), get(room, 2), get(other, 2)], [Some(60), None, Some(41)]);
    if let Some(mut reader) = test.storage().reader().expect("opens") {
        assert_eq!(reader.image(room, ImageId([1; 32])).expect("reads"), Some(image(1, 60).bytes));
    }
    assert!(test.storage().delete(&name(1)).expect("deletes"));
    let again = claim(test.storage(), 1);
    store(test.storage(), again, 0, &["a"]);
    assert_eq!(test.storage().image(again, ImageId([1; 32])).expect("reads"), None);
}

fn j10_a_snapshot_exists_with_its_last_piece(test: &mut dyn StorageUnderTest) {
    let bytes: Vec<u8> = (0..50_000u32).flat_map(|number| number.to_le_bytes()).collect();
    let (older, newer) = (snapshot(1, b"older"), snapshot(3, &bytes));
    let room = claim(test.storage(), 1);
    store(test.storage(), room, 0, &["a", "b", "c"]);
    test.storage().put_snapshot(room, &older).expect("stores");
    // Interrupted after every number of pieces, by the end of the process.
    for pieces in 1..3 {
        let mut written = 0;
        for _ in 0..pieces {
            written = test.storage().put_piece(room, &newer, written, 70_000).expect("writes");
        }
        assert_eq!(load(test.storage(), room).snapshot, Some(older.clone()));
        test.restart();
        assert_eq!(claim(test.storage(), 1), room);
        assert_eq!(load(test.storage(), room).snapshot, Some(older.clone()), "after {pieces} pieces");
        while test.storage().compact().expect("compacts") {}
    }
    let mut written = test.storage().put_piece(room, &newer, 0, 70_000).expect("writes");
    assert!(test.storage().put_piece(room, &newer, written + 1, 70_000).is_err(), "the piece leaves a gap");
    // After a refused piece the snapshot begins again.
    written = 0;
    let mut head = 3;
    while written < newer.bytes.len() {
        written = test.storage().put_piece(room, &newer, written, 70_000).expect("writes");
        // Commits and maintenance happen between the pieces.
        store(test.storage(), room, head, &["meanwhile"]);
        test.storage().compact().expect("compacts");
        head += 1;
    }
    test.restart();
    let room = claim(test.storage(), 1);
    let loaded = load(test.storage(), room);
    assert_eq!((loaded.snapshot, loaded.records.len() as u64), (Some(newer), head - 3));
}

fn rooms_are_listed_in_pages_and_measured(test: &mut dyn StorageUnderTest) {
    let storage = test.storage();
    for room in 1..=3 {
        let key = claim(storage, room);
        store(storage, key, 0, &["12345", "678"]);
    }
    let page = storage.rooms_after(Some(&name(1)), 1).expect("lists");
    assert_eq!(page.iter().map(|info| info.name.clone()).collect::<Vec<_>>(), [name(2)]);
    let all = storage.rooms().expect("lists");
    assert_eq!(all.iter().map(|info| info.name.clone()).collect::<Vec<_>>(), [1, 2, 3].map(name));
    assert_eq!((all[0].head, all[0].created_ms, all[0].changed_ms), (Revision(2), 1_000, 1_000));
    let usage = storage.usage(&name(1)).expect("measures").expect("exists");
    assert_eq!((usage.head, usage.changed_ms, usage.bytes), (Revision(2), 1_000, 8));
    let key = claim(storage, 1);
    storage.put_snapshot(key, &snapshot(2, b"state")).expect("stores");
    let image = Image { id: ImageId([1; 32]), bytes: Arc::from(&b"GIF"[..]) };
    storage.put_image(key, &image, 100).expect("stores");
    assert_eq!(storage.usage(&name(1)).expect("measures").expect("exists").bytes, 16);
    assert_eq!(storage.usage(&name(9)).expect("measures"), None);
    assert!(storage.delete(&name(1)).expect("deletes"));
    assert_eq!(storage.usage(&name(1)).expect("measures"), None);
}

fn a_deleted_room_is_gone_and_its_name_free(test: &mut dyn StorageUnderTest) {
    let before = test.storage().claim(&name(1)).expect("claims");
    store(test.storage(), before.key, 0, &["a"]);
    test.storage().put_snapshot(before.key, &snapshot(1, b"state")).expect("stores");
    assert!(test.storage().delete(&name(1)).expect("deletes"));
    assert!(!test.storage().delete(&name(1)).expect("deletes"));
    let late = test.storage().append(&[append(before.key, 1, &["late"])]).expect("appends");
    assert_eq!(late, [Outcome::Fenced]);
    test.restart();
    assert!(test.storage().rooms().expect("lists").is_empty());
    let after = test.storage().claim(&name(1)).expect("claims");
    assert_ne!((after.key, after.incarnation), (before.key, before.incarnation), "never used again");
    assert_eq!(after.head, Revision(0));
    while test.storage().compact().expect("compacts") {}
    store(test.storage(), after.key, 0, &["new"]);
    assert_eq!(texts(&load(test.storage(), after.key)), ["new"]);
    // A room that was claimed and never written is deleted without having existed.
    claim(test.storage(), 2);
    assert!(!test.storage().delete(&name(2)).expect("deletes"));
}

fn large_records_and_snapshots_return_unchanged(test: &mut dyn StorageUnderTest) {
    let bytes: Vec<u8> =
        (0..3_000_000u32).map(|number| (number.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let room = claim(test.storage(), 1);
    let record: Arc<[u8]> = Arc::from(&bytes[..]);
    let large = Append { records: vec![record.clone(), record], ..append(room, 0, &[]) };
    assert_eq!(test.storage().append(&[large]).expect("appends"), [durable(2)]);
    let state: Vec<u8> = bytes.iter().cycle().take(11_000_000).copied().collect();
    test.storage().put_snapshot(room, &snapshot(1, &state)).expect("stores");
    test.restart();
    let room = claim(test.storage(), 1);
    let loaded = load(test.storage(), room);
    assert!(loaded.snapshot == Some(snapshot(1, &state)), "the snapshot differs");
    assert!(loaded.records.len() == 1 && loaded.records[0].bytes[..] == bytes[..], "the record differs");
    assert_eq!(test.storage().tail(room, Revision(0), 4_000_000).expect("reads").len(), 1);
}

/// Appends as a large append, with another call before it is written. Engines that have none refuse it.
fn append_large(
    storage: &mut dyn Storage,
    append: &Append,
    meanwhile: &mut dyn FnMut(&mut dyn Storage),
) -> Outcome {
    match storage.begin_large(append).expect("begins") {
        LargeAppend::Begun { room, write } => {
            assert_eq!(storage.claim(&room).expect("claims").head, append.base, "until it ends");
            meanwhile(storage);
            assert_eq!(storage.append(std::slice::from_ref(append)).expect("appends"), [Outcome::Fenced]);
            storage.finish_large(append.room, write()).expect("ends").expect("was written")
        }
        LargeAppend::Fenced => Outcome::Fenced,
        LargeAppend::Refused => panic!("an engine that has large appends writes them"),
    }
}

/// J1, J3: large appends are durable and follow the room's head as the others do.
fn large_appends_continue_the_others(test: &mut dyn StorageUnderTest) {
    let (one, two) = (claim(test.storage(), 1), claim(test.storage(), 2));
    store(test.storage(), one, 0, &["a"]);
    if !test.storage().has_large_appends() {
        let refused = test.storage().begin_large(&append(one, 1, &["b"]));
        return assert!(matches!(refused, Ok(LargeAppend::Refused)));
    }
    let meanwhile = &mut |storage: &mut dyn Storage| store(storage, two, 0, &["x"]);
    assert_eq!(append_large(test.storage(), &append(one, 1, &["b", "c"]), meanwhile), durable(3));
    let meanwhile = &mut |storage: &mut dyn Storage| store(storage, one, 3, &["d"]);
    assert_eq!(append_large(test.storage(), &append(two, 1, &["y"]), meanwhile), durable(2));
    for base in [1, 4] {
        assert_eq!(append_large(test.storage(), &append(two, base, &["z"]), &mut |_| {}), Outcome::Fenced);
    }
    let three = claim(test.storage(), 3);
    let meanwhile = &mut |storage: &mut dyn Storage| {
        assert_eq!(storage.find(&name(3)).expect("finds"), None);
    };
    assert_eq!(append_large(test.storage(), &append(three, 0, &["new"]), meanwhile), durable(1));
    test.restart();
    for (room, expected) in [(1, vec!["a", "b", "c", "d"]), (2, vec!["x", "y"]), (3, vec!["new"])] {
        let room = claim(test.storage(), room);
        assert_eq!(texts(&load(test.storage(), room)), expected);
    }
    // A room that is deleted meanwhile.
    let three = claim(test.storage(), 3);
    let meanwhile = &mut |storage: &mut dyn Storage| {
        assert!(storage.delete(&name(3)).expect("deletes"));
    };
    assert_eq!(append_large(test.storage(), &append(three, 1, &["late"]), meanwhile), Outcome::Fenced);
    test.restart();
    assert_eq!(test.storage().find(&name(3)).expect("finds"), None);
    assert_ne!(claim(test.storage(), 3), three);
}

/// J2, J3: a storage and the model give the same results for the same calls.
fn any_sequence_gives_what_the_model_gives(test: &mut dyn StorageUnderTest, seed: u64) {
    let mut random = Random(seed);
    let mut model = MemoryStorage::new();
    for step in 0..RANDOM_STEPS {
        let room = random.below(4);
        match random.below(12) {
            0 => {
                let (ours, theirs) = (test.storage().find(&name(room)), model.find(&name(room)));
                let (Some(ours), Some(theirs)) = (ours.expect("finds"), theirs.expect("finds")) else {
                    continue;
                };
                assert_eq!(test.storage().claim(&name(room)).expect("claims"), ours);
                let state = snapshot(ours.head.0, b"state");
                test.storage().put_snapshot(ours.key, &state).expect("stores");
                model.put_snapshot(theirs.key, &state).expect("stores");
            }
            1 => {
                let deleted = test.storage().delete(&name(room)).expect("deletes");
                assert_eq!(deleted, model.delete(&name(room)).expect("deletes"), "seed {seed} step {step}");
            }
            2 => test.restart(),
            3 => _ = test.storage().compact().expect("compacts"),
            _ => {
                let mut batches = [Vec::new(), Vec::new()];
                for member in 0..=random.below(3) {
                    let room = (room + member) % 4;
                    let claims = [
                        test.storage().claim(&name(room)).expect("claims"),
                        model.claim(&name(room)).expect("claims"),
                    ];
                    assert_eq!(claims[0].head, claims[1].head, "seed {seed} step {step}");
                    let base = claims[0].head.0 + u64::from(random.below(10) == 0);
                    let records: Vec<String> =
                        (0..=random.below(3)).map(|record| format!("{step} {member} {record}")).collect();
                    let records: Vec<&str> = records.iter().map(String::as_str).collect();
                    for (batch, claim) in batches.iter_mut().zip(&claims) {
                        batch.push(append(claim.key, base, &records));
                    }
                }
                let is_large = test.storage().has_large_appends() && random.below(3) == 0;
                let storage = test.storage();
                let ours = match is_large {
                    true => batches[0].iter().map(|one| append_large(storage, one, &mut |_| {})).collect(),
                    false => storage.append(&batches[0]).expect("appends"),
                };
                assert_eq!(ours, model.append(&batches[1]).expect("appends"), "seed {seed} step {step}");
            }
        }
    }
    assert_eq!(test.storage().rooms().expect("lists"), model.rooms().expect("lists"), "seed {seed}");
    for room in 0..4 {
        let (ours, theirs) = (test.storage().find(&name(room)), model.find(&name(room)));
        let (ours, theirs) = (ours.expect("finds"), theirs.expect("finds"));
        assert_eq!(ours.is_some(), theirs.is_some(), "seed {seed}");
        let (Some(ours), Some(theirs)) = (ours, theirs) else { continue };
        assert_eq!(load(test.storage(), ours.key), load(&mut model, theirs.key), "seed {seed}");
        for after in 0..=ours.head.0 {
            let tails = [
                test.storage().tail(ours.key, Revision(after), 15).expect("reads"),
                model.tail(theirs.key, Revision(after), 15).expect("reads"),
            ];
            assert_eq!(tails[0], tails[1], "seed {seed} after {after}");
        }
    }
}

/// SplitMix64, as in [`FaultyStorage`](crate::FaultyStorage): reproducible choices.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }
}
