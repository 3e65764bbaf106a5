//! Files that SQLite reads in part or not at all: `check` reports the damage, `repair` saves every
//! intact row and reports the losses, and a copy of the old files remains.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use quadrille_journal::{Append, Image, ImageId, ImagePut, Snapshot, Storage, StoredChatMessage};
use quadrille_protocol::{Revision, RoomName};
use quadrille_storage_sqlite::{Reader, Remedy, Repair, Repaired, SqliteStorage, check, repair};

const ROOMS: [&str; 3] = ["apples", "bread", "cheese"];
const HEAD: u64 = 12;
const CHAT_MESSAGES: u64 = 3;
const PAGE: usize = 4096;

/// Accepts the records and snapshots that this test writes and rejects all others.
struct TestReader;

impl Reader for TestReader {
    fn snapshot(&mut self, snapshot: &Snapshot) -> Result<(), String> {
        let is_ours =
            ROOMS.iter().any(|room| snapshot.bytes[..] == *content(room, snapshot.revision.0, 20_000));
        if is_ours { Ok(()) } else { Err("another text".into()) }
    }

    fn record(&mut self, revision: Revision, bytes: &[u8]) -> Result<(), String> {
        let is_ours = ROOMS.iter().any(|room| bytes == content(room, revision.0, 3_000));
        if is_ours { Ok(()) } else { Err("another text".into()) }
    }
}

fn name(room: &str) -> RoomName {
    RoomName::new(room).expect("a name")
}

/// A text of `bytes` bytes without repetitions: distinct at each position.
fn content(room: &str, revision: u64, bytes: usize) -> Vec<u8> {
    (0..).flat_map(|line: u32| format!("{room} {revision} {line}\n").into_bytes()).take(bytes).collect()
}

fn image(room: &str) -> Image {
    Image { id: ImageId([room.len() as u8; 32]), bytes: Arc::from(content(room, 0, 9_000)) }
}

fn write(storage: &mut SqliteStorage, revisions: std::ops::RangeInclusive<u64>) {
    for revision in revisions {
        for room in ROOMS {
            let key = storage.claim(&name(room)).expect("claims").key;
            let records = vec![Arc::from(content(room, revision, 3_000))];
            let append = Append { room: key, base: Revision(revision - 1), records, time_ms: 1_000 };
            storage.append(&[append]).expect("appends");
        }
    }
}

/// Creates three rooms with tails, log entries, chat messages, images, and snapshots of several
/// pieces.
fn fill(directory: &Path) -> SqliteStorage {
    let mut storage = SqliteStorage::open(directory).expect("opens");
    write(&mut storage, 1..=8);
    storage.compact_fully().expect("compacts");
    for room in ROOMS {
        let key = storage.claim(&name(room)).expect("claims").key;
        let snapshot = Snapshot { revision: Revision(5), bytes: Arc::from(content(room, 5, 20_000)) };
        let mut written = 0;
        while written < snapshot.bytes.len() {
            written = storage.put_piece(key, &snapshot, written, 6_000).expect("puts");
        }
        assert_eq!(storage.put_image(key, &image(room), 1 << 20).expect("puts"), ImagePut::Stored);
        for number in 1..=CHAT_MESSAGES {
            let bytes = Arc::from(content(room, number, 50));
            storage
                .put_chat_messages(&[StoredChatMessage { room: key, number, bytes, forget_up_to: 0 }])
                .expect("stores");
        }
    }
    write(&mut storage, 9..=HEAD);
    storage
}

fn copy(from: &Path) -> tempfile::TempDir {
    let to = tempfile::tempdir().expect("temporary directory");
    for file in fs::read_dir(from).expect("readable").map(|file| file.expect("readable")) {
        fs::copy(file.path(), to.path().join(file.file_name())).expect("copies");
    }
    to
}

/// The directory of a killed process: most data are in the write-ahead logs.
fn killed() -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("temporary directory");
    let storage = fill(directory.path());
    let killed = copy(directory.path());
    drop(storage);
    killed
}

/// The contents found in a room.
#[derive(PartialEq, Eq, Debug)]
struct Contents {
    head: u64,
    has_image: bool,
    chat_messages: usize,
}

const COMPLETE: Contents = Contents { head: HEAD, has_image: true, chat_messages: CHAT_MESSAGES as usize };

/// Reads the room and asserts that its contents are those that were written.
fn contents(storage: &mut SqliteStorage, room: &str) -> Result<Contents, String> {
    let claim = storage.claim(&name(room)).map_err(|error| error.to_string())?;
    let loaded = storage.load(claim.key).map_err(|error| error.to_string())?;
    let mut head = 0;
    if let Some(snapshot) = &loaded.snapshot {
        head = snapshot.revision.0;
        assert!(snapshot.bytes[..] == *content(room, head, 20_000), "{room}: snapshot");
    }
    for record in &loaded.records {
        head += 1;
        assert_eq!(record.revision.0, head, "{room}");
        assert!(record.bytes[..] == *content(room, head, 3_000), "{room}: record {head}");
    }
    let found = storage.image(claim.key, image(room).id).map_err(|error| error.to_string())?;
    assert!(found.as_ref().is_none_or(|bytes| *bytes == image(room).bytes), "{room}: image");
    let chat_messages = storage.chat_messages(claim.key).map_err(|error| error.to_string())?;
    let is_ours =
        |bytes: &Arc<[u8]>| (1..=CHAT_MESSAGES).any(|number| bytes[..] == *content(room, number, 50));
    assert!(chat_messages.iter().all(is_ours), "{room}: chat messages");
    Ok(Contents { head, has_image: found.is_some(), chat_messages: chat_messages.len() })
}

/// Repairs the directory and returns the contents of its rooms. Asserts that each loss is reported.
fn repair_and_read(directory: &Path, case: &str) -> (Repaired, Vec<Result<Contents, String>>) {
    let repaired =
        repair(directory, Repair::Cut, &mut TestReader).unwrap_or_else(|error| panic!("{case}: {error}"));
    for damage in &repaired.left.damages {
        assert!(matches!(damage.remedy, Remedy::None | Remedy::Leave), "{case}: {damage}");
    }
    let mut storage = SqliteStorage::open(directory).unwrap_or_else(|error| panic!("{case}: {error}"));
    let found: Vec<_> = ROOMS.iter().map(|room| contents(&mut storage, room)).collect();
    let reports: Vec<String> =
        repaired.done.iter().cloned().chain(repaired.left.damages.iter().map(ToString::to_string)).collect();
    for (room, found) in ROOMS.iter().zip(&found) {
        let is_reported =
            reports.iter().any(|line| line.starts_with(room) || line.contains("missing without a trace"));
        let is_complete = found.as_ref().is_ok_and(|found| found.head == HEAD);
        assert!(is_complete || is_reported, "{case}: {room} is {found:?}, and the reports are {reports:?}");
    }
    // New rooms can be created.
    let key = storage.claim(&name("new")).expect(case).key;
    let records = vec![Arc::from(content("apples", 1, 3_000))];
    storage.append(&[Append { room: key, base: Revision(0), records, time_ms: 1 }]).expect(case);
    drop(storage);
    (repaired, found)
}

fn noise(bytes: &mut [u8], seed: u64) {
    let mut state = seed;
    for byte in bytes {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        *byte = (state >> 56) as u8;
    }
}

#[test]
fn slow_rows_survive_a_destroyed_header_or_first_page() {
    let closed = tempfile::tempdir().expect("temporary directory");
    drop(fill(closed.path()));
    type Damage = fn(&mut [u8]);
    let kinds: [(&str, Damage); 4] = [
        ("header zero", |bytes| bytes[..100].fill(0)),
        ("header overwritten", |bytes| bytes[..16].copy_from_slice(b"not a database!!")),
        ("first page noise", |bytes| noise(&mut bytes[..PAGE], 1)),
        ("first page zero", |bytes| bytes[..PAGE].fill(0)),
    ];
    for file in ["journal.db", "rooms.db"] {
        for (kind, damage) in kinds {
            let case = format!("{file}, {kind}");
            let directory = copy(closed.path());
            let path = directory.path().join(file);
            let mut bytes = fs::read(&path).expect("reads");
            damage(&mut bytes);
            fs::write(&path, &bytes).expect("writes");

            let refused = SqliteStorage::open(directory.path()).err().expect(&case).to_string();
            assert!(refused.contains("`quadrille check`"), "{case}: {refused}");
            let found =
                check(directory.path(), &mut TestReader).unwrap_or_else(|error| panic!("{case}: {error}"));
            assert_eq!(found.damages.len(), 1, "{case}: {:?}", found.damages);
            let reports = found.damages[0].to_string();
            assert!(reports.contains(&format!("{file}: SQLite cannot open it")), "{case}: {reports}");
            assert!(matches!(found.damages[0].remedy, Remedy::Rebuild(_)) && found.damages[0].loses());
            let without_cut = repair(directory.path(), Repair::Derivable, &mut TestReader).expect(&case);
            assert!(
                without_cut.copy.is_none() && without_cut.done.is_empty(),
                "{case}: a repair that can lose data needs --cut"
            );

            let (repaired, rooms) = repair_and_read(directory.path(), &case);
            assert_eq!(rooms, [Ok(COMPLETE), Ok(COMPLETE), Ok(COMPLETE)], "{case}: {:?}", repaired.done);
            assert_eq!(repaired.left.damages, [], "{case}");
            let copied = repaired.copy.expect("a copy").join(file);
            assert!(fs::read(copied).expect("a copy") == bytes, "{case}: the copy is the damaged file");
        }
    }
}

#[test]
fn slow_the_loss_of_one_page_affects_one_room() {
    let closed = tempfile::tempdir().expect("temporary directory");
    drop(fill(closed.path()));
    for file in ["journal.db", "rooms.db"] {
        let intact = fs::read(closed.path().join(file)).expect("reads");
        assert!(intact.len() > 20 * PAGE, "{file}: {}", intact.len());
        let (mut one_room_affected, mut all_rooms_affected) = (0, 0);
        for page in 0..intact.len() / PAGE {
            let case = format!("{file}, page {}", page + 1);
            let directory = copy(closed.path());
            let mut bytes = intact.clone();
            bytes[page * PAGE..][..PAGE].fill(0);
            fs::write(directory.path().join(file), &bytes).expect("writes");
            if check(directory.path(), &mut TestReader).is_ok_and(|found| found.damages.is_empty()) {
                continue; // The page is unused.
            }
            let (repaired, rooms) = repair_and_read(directory.path(), &case);
            let have_records =
                rooms.iter().filter(|room| room.as_ref().is_ok_and(|room| room.head == HEAD)).count();
            match have_records {
                3 => {}
                // A page holds data of one room, or data that are stored redundantly.
                2 => one_room_affected += 1,
                // Exception: the first parts of long rows share a page and point to their overflow
                // pages.
                _ => {
                    all_rooms_affected += 1;
                    assert!(
                        rooms.iter().flatten().all(|room| room.head == 5),
                        "{case}: the snapshots are intact"
                    );
                    assert_eq!((file, repaired.done.len()), ("rooms.db", 4), "{case}: {:?}", repaired.done);
                }
            }
        }
        assert!(
            one_room_affected > 10 && all_rooms_affected <= 1,
            "{file}: {one_room_affected}, {all_rooms_affected}"
        );
    }
}

#[test]
fn slow_truncated_files_are_reported_and_repaired() {
    let closed = tempfile::tempdir().expect("temporary directory");
    drop(fill(closed.path()));
    for file in ["journal.db", "rooms.db"] {
        let intact = fs::read(closed.path().join(file)).expect("reads");
        for part in 1..8 {
            for odd in [0, 1_000] {
                let directory = copy(closed.path());
                let length = intact.len() * part / 8 / PAGE * PAGE + odd;
                let case = format!("{file}, {length} bytes left");
                fs::write(directory.path().join(file), &intact[..length]).expect("writes");
                let found = check(directory.path(), &mut TestReader).expect(&case);
                assert!(found.damages.iter().any(|damage| damage.stops()), "{case}");
                let (_, rooms) = repair_and_read(directory.path(), &case);
                assert!(part < 4 || rooms.iter().any(Result::is_ok), "{case}: {rooms:?}");
            }
        }
    }
}

#[test]
fn slow_damaged_write_ahead_logs_are_reported_and_repaired() {
    let killed = killed();
    for file in ["journal.db-wal", "rooms.db-wal"] {
        let intact = fs::read(killed.path().join(file)).expect("reads");
        let frames = (intact.len() - 32) / (PAGE + 24);
        assert!(frames > 20, "{file}: {frames}");
        for frame in std::iter::once(None).chain((0..frames - 1).step_by(3).map(Some)) {
            let case = format!("{file}, frame {frame:?}");
            let directory = copy(killed.path());
            let mut bytes = intact.clone();
            match frame {
                None => bytes[..32].fill(7),
                Some(frame) => noise(&mut bytes[32 + frame * (PAGE + 24) + 24..][..PAGE], 5),
            }
            fs::write(directory.path().join(file), &bytes).expect("writes");
            let found = check(directory.path(), &mut TestReader).expect(&case);
            if found.damages.is_empty() {
                // A crash can tear the last transaction; such a transaction was never acknowledged.
                assert!(frame.is_some_and(|frame| frame + 8 > frames), "{case}");
                continue;
            }
            let (repaired, rooms) = repair_and_read(directory.path(), &case);
            let complete = rooms.iter().filter(|room| **room == Ok(COMPLETE)).count();
            let expected = if frame.is_none() { 3 } else { 2 };
            assert!(complete >= expected, "{case}: {rooms:?}; {:?}", repaired.done);
        }
    }
}

#[test]
fn a_damaged_header_and_a_damaged_write_ahead_log_are_repaired_together() {
    let killed = killed();
    for file in ["journal.db", "rooms.db"] {
        for (file, at) in [(file.to_owned(), 0), (format!("{file}-wal"), 32 + 24 + 500)] {
            let path = killed.path().join(file);
            let mut bytes = fs::read(&path).expect("reads");
            if bytes.len() > at + 16 {
                noise(&mut bytes[at..at + 16], 9);
                fs::write(&path, bytes).expect("writes");
            }
        }
    }
    let found = check(killed.path(), &mut TestReader).expect("checks");
    assert_eq!(found.damages.len(), 2, "{:?}", found.damages);
    let (repaired, rooms) = repair_and_read(killed.path(), "both");
    assert_eq!(rooms, [Ok(COMPLETE), Ok(COMPLETE), Ok(COMPLETE)], "{:?}", repaired.done);
}

#[test]
fn a_missing_or_empty_file_is_reported_as_damage() {
    for (file, emptied) in
        [("journal.db", true), ("journal.db", false), ("rooms.db", true), ("rooms.db", false)]
    {
        let directory = tempfile::tempdir().expect("temporary directory");
        drop(fill(directory.path()));
        let path = directory.path().join(file);
        if emptied {
            fs::write(&path, b"").expect("writes")
        } else {
            fs::remove_file(&path).expect("removes")
        }
        let case = format!("{file}, emptied: {emptied}");
        let mut storage = SqliteStorage::open(directory.path()).expect("opens");
        assert!(!storage.damage().is_empty() || file == "rooms.db", "{case}: opening reports it");
        for room in ROOMS {
            let refused = contents(&mut storage, room).expect_err(&case);
            assert!(refused.contains("damaged"), "{case}: {room}: {refused}");
        }
        drop(storage);
        let found = check(directory.path(), &mut TestReader).expect("checks");
        let unavailable = found.damages.iter().filter(|damage| damage.stops()).count();
        assert!(unavailable >= ROOMS.len(), "{case}: {:?}", found.damages);
        if file == "journal.db" {
            // The journal held the names of the rooms and the records that were not compacted yet.
            let repaired = repair(directory.path(), Repair::Derivable, &mut TestReader).expect("repairs");
            assert_eq!(repaired.left.damages, [], "{case}");
            let mut storage = SqliteStorage::open(directory.path()).expect("opens");
            let infos = storage.rooms().expect("lists");
            let infos: Vec<_> = infos.iter().map(|info| (info.name.as_str(), info.head.0)).collect();
            assert_eq!(infos, [("recovered-1", 8), ("recovered-2", 8), ("recovered-3", 8)], "{case}");
        }
    }
}

#[test]
fn a_file_of_random_bytes_cannot_be_repaired() {
    for file in ["journal.db", "rooms.db"] {
        let directory = tempfile::tempdir().expect("temporary directory");
        drop(fill(directory.path()));
        let path = directory.path().join(file);
        let mut bytes = fs::read(&path).expect("reads");
        noise(&mut bytes, 3);
        fs::write(&path, &bytes).expect("writes");
        let reports = repair(directory.path(), Repair::Cut, &mut TestReader).expect_err("cannot").to_string();
        assert!(reports.contains(&format!("nothing of {file} can be read")), "{reports}");
        assert!(reports.contains("from a backup"), "{reports}");
        assert!(fs::read(&path).expect("reads") == bytes, "the file is unchanged");
    }
}

/// While SQLite can read all names, a repair does not restore deleted rooms.
#[test]
fn a_repair_of_a_damaged_page_does_not_restore_deleted_rooms() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let mut storage = fill(directory.path());
    assert!(storage.delete(&name("bread")).expect("deletes"));
    drop(storage);
    let path = directory.path().join("journal.db");
    let mut bytes = fs::read(&path).expect("reads");
    let record = content("apples", 11, 3_000);
    let at = bytes.windows(40).position(|window| window == &record[..40]).expect("the record is in the file");
    bytes[at / PAGE * PAGE..][..PAGE].fill(0);
    fs::write(&path, &bytes).expect("writes");
    repair(directory.path(), Repair::Cut, &mut TestReader).expect("repairs");
    let mut storage = SqliteStorage::open(directory.path()).expect("opens");
    let infos = storage.rooms().expect("lists");
    let infos: Vec<_> = infos.iter().map(|info| (info.name.as_str(), info.head.0)).collect();
    assert_eq!(infos, [("apples", 10), ("cheese", HEAD)]);
}
