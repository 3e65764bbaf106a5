//! Files of which SQLite reads a part, or nothing: what is wrong is said, what can be found is saved, what is lost is said,
//! and the old files stay as they were.

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

/// Takes what this test has stored for records and snapshots.
struct Texts;

impl Reader for Texts {
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

/// Long enough for several pages, and different everywhere.
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

/// Three rooms with tails, log, talk, images, and snapshots of several pieces.
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
                .send_chat_message(&[StoredChatMessage { room: key, number, bytes, forget_up_to: 0 }])
                .expect("says");
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

/// As of a process that was killed: nearly everything is in the write-ahead logs.
fn killed() -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("temporary directory");
    let storage = fill(directory.path());
    let killed = copy(directory.path());
    drop(storage);
    killed
}

/// What a room gives.
#[derive(PartialEq, Eq, Debug)]
struct There {
    head: u64,
    has_image: bool,
    chat_messages: usize,
}

const WHOLE: There = There { head: HEAD, has_image: true, chat_messages: CHAT_MESSAGES as usize };

/// What is there must be what was written.
fn look(storage: &mut SqliteStorage, room: &str) -> Result<There, String> {
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
    assert!(found.as_ref().is_none_or(|bytes| *bytes == image(room).bytes), "{room}: picture");
    let chat_messages = storage.chat_messages(claim.key).map_err(|error| error.to_string())?;
    let is_ours =
        |bytes: &Arc<[u8]>| (1..=CHAT_MESSAGES).any(|number| bytes[..] == *content(room, number, 50));
    assert!(chat_messages.iter().all(is_ours), "{room}: remarks");
    Ok(There { head, has_image: found.is_some(), chat_messages: chat_messages.len() })
}

/// Repairs what may be damaged, and gives what the rooms are then. What is lost must have been said.
fn mend(directory: &Path, case: &str) -> (Repaired, Vec<Result<There, String>>) {
    let repaired =
        repair(directory, Repair::Cut, &mut Texts).unwrap_or_else(|error| panic!("{case}: {error}"));
    for damage in &repaired.left.damages {
        assert!(matches!(damage.remedy, Remedy::None | Remedy::Leave), "{case}: {damage}");
    }
    let mut storage = SqliteStorage::open(directory).unwrap_or_else(|error| panic!("{case}: {error}"));
    let found: Vec<_> = ROOMS.iter().map(|room| look(&mut storage, room)).collect();
    let said: Vec<String> =
        repaired.done.iter().cloned().chain(repaired.left.damages.iter().map(ToString::to_string)).collect();
    for (room, found) in ROOMS.iter().zip(&found) {
        let is_told =
            said.iter().any(|line| line.starts_with(room) || line.contains("missing without a trace"));
        let is_whole = found.as_ref().is_ok_and(|found| found.head == HEAD);
        assert!(is_whole || is_told, "{case}: {room} is {found:?}, and only this was said: {said:?}");
    }
    // It can be worked with.
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
fn slow_what_leads_to_the_rows_may_be_destroyed() {
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
            assert!(refused.contains("`quadrille check` tells more"), "{case}: {refused}");
            let found = check(directory.path(), &mut Texts).unwrap_or_else(|error| panic!("{case}: {error}"));
            assert_eq!(found.damages.len(), 1, "{case}: {:?}", found.damages);
            let said = found.damages[0].to_string();
            assert!(said.contains(&format!("{file}: SQLite cannot open it")), "{case}: {said}");
            assert!(matches!(found.damages[0].remedy, Remedy::Rebuild(_)) && found.damages[0].loses());
            let kept = repair(directory.path(), Repair::Derivable, &mut Texts).expect(&case);
            assert!(
                kept.copy.is_none() && kept.done.is_empty(),
                "{case}: what may lose something is not done"
            );

            let (repaired, rooms) = mend(directory.path(), &case);
            assert_eq!(rooms, [Ok(WHOLE), Ok(WHOLE), Ok(WHOLE)], "{case}: {:?}", repaired.done);
            assert_eq!(repaired.left.damages, [], "{case}");
            let copied = repaired.copy.expect("a copy").join(file);
            assert!(fs::read(copied).expect("a copy") == bytes, "{case}: the old file is there as it was");
        }
    }
}

#[test]
fn slow_every_page_in_turn_is_lost() {
    let closed = tempfile::tempdir().expect("temporary directory");
    drop(fill(closed.path()));
    for file in ["journal.db", "rooms.db"] {
        let sound = fs::read(closed.path().join(file)).expect("reads");
        assert!(sound.len() > 20 * PAGE, "{file}: {}", sound.len());
        let (mut of_one, mut of_many) = (0, 0);
        for page in 0..sound.len() / PAGE {
            let case = format!("{file}, page {}", page + 1);
            let directory = copy(closed.path());
            let mut bytes = sound.clone();
            bytes[page * PAGE..][..PAGE].fill(0);
            fs::write(directory.path().join(file), &bytes).expect("writes");
            if check(directory.path(), &mut Texts).is_ok_and(|found| found.damages.is_empty()) {
                continue; // a page that nothing is in
            }
            let (repaired, rooms) = mend(directory.path(), &case);
            let have_records =
                rooms.iter().filter(|room| room.as_ref().is_ok_and(|room| room.head == HEAD)).count();
            match have_records {
                3 => {}
                // What is in one page is of one room, or is said elsewhere too …
                2 => of_one += 1,
                // … but for the beginnings of long rows, which lie together, and lead to all the rest of them.
                _ => {
                    of_many += 1;
                    assert!(
                        rooms.iter().flatten().all(|room| room.head == 5),
                        "{case}: the snapshots are there"
                    );
                    assert_eq!((file, repaired.done.len()), ("rooms.db", 4), "{case}: {:?}", repaired.done);
                }
            }
        }
        assert!(of_one > 10 && of_many <= 1, "{file}: {of_one}, {of_many}");
    }
}

#[test]
fn slow_files_end_too_early() {
    let closed = tempfile::tempdir().expect("temporary directory");
    drop(fill(closed.path()));
    for file in ["journal.db", "rooms.db"] {
        let sound = fs::read(closed.path().join(file)).expect("reads");
        for part in 1..8 {
            for odd in [0, 1_000] {
                let directory = copy(closed.path());
                let length = sound.len() * part / 8 / PAGE * PAGE + odd;
                let case = format!("{file}, {length} bytes left");
                fs::write(directory.path().join(file), &sound[..length]).expect("writes");
                let found = check(directory.path(), &mut Texts).expect(&case);
                assert!(found.damages.iter().any(|damage| damage.stops()), "{case}");
                let (_, rooms) = mend(directory.path(), &case);
                assert!(part < 4 || rooms.iter().any(Result::is_ok), "{case}: {rooms:?}");
            }
        }
    }
}

#[test]
fn slow_write_ahead_logs_are_damaged() {
    let killed = killed();
    for file in ["journal.db-wal", "rooms.db-wal"] {
        let sound = fs::read(killed.path().join(file)).expect("reads");
        let frames = (sound.len() - 32) / (PAGE + 24);
        assert!(frames > 20, "{file}: {frames}");
        for frame in std::iter::once(None).chain((0..frames - 1).step_by(3).map(Some)) {
            let case = format!("{file}, frame {frame:?}");
            let directory = copy(killed.path());
            let mut bytes = sound.clone();
            match frame {
                None => bytes[..32].fill(7),
                Some(frame) => noise(&mut bytes[32 + frame * (PAGE + 24) + 24..][..PAGE], 5),
            }
            fs::write(directory.path().join(file), &bytes).expect("writes");
            let found = check(directory.path(), &mut Texts).expect(&case);
            if found.damages.is_empty() {
                // The last transaction may be torn by a crash: then it was never acknowledged.
                assert!(frame.is_some_and(|frame| frame + 8 > frames), "{case}");
                continue;
            }
            let (repaired, rooms) = mend(directory.path(), &case);
            let whole = rooms.iter().filter(|room| **room == Ok(WHOLE)).count();
            let expected = if frame.is_none() { 3 } else { 2 };
            assert!(whole >= expected, "{case}: {rooms:?}; {:?}", repaired.done);
        }
    }
}

#[test]
fn a_header_and_a_write_ahead_log_may_be_damaged_at_once() {
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
    let found = check(killed.path(), &mut Texts).expect("checks");
    assert_eq!(found.damages.len(), 2, "{:?}", found.damages);
    let (repaired, rooms) = mend(killed.path(), "both");
    assert_eq!(rooms, [Ok(WHOLE), Ok(WHOLE), Ok(WHOLE)], "{:?}", repaired.done);
}

#[test]
fn a_file_that_is_gone_is_not_taken_for_a_new_one() {
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
        assert!(!storage.damage().is_empty() || file == "rooms.db", "{case}: opening says it");
        for room in ROOMS {
            let refused = look(&mut storage, room).expect_err(&case);
            assert!(refused.contains("damaged"), "{case}: {room}: {refused}");
        }
        drop(storage);
        let found = check(directory.path(), &mut Texts).expect("checks");
        let stopped = found.damages.iter().filter(|damage| damage.stops()).count();
        assert!(stopped >= ROOMS.len(), "{case}: {:?}", found.damages);
        if file == "journal.db" {
            // Their names were in it, and what had not been moved yet.
            let mended = repair(directory.path(), Repair::Derivable, &mut Texts).expect("repairs");
            assert_eq!(mended.left.damages, [], "{case}");
            let mut storage = SqliteStorage::open(directory.path()).expect("opens");
            let infos = storage.rooms().expect("lists");
            let infos: Vec<_> = infos.iter().map(|info| (info.name.as_str(), info.head.0)).collect();
            assert_eq!(infos, [("recovered-1", 8), ("recovered-2", 8), ("recovered-3", 8)], "{case}");
        }
    }
}

#[test]
fn nothing_is_made_of_noise() {
    for file in ["journal.db", "rooms.db"] {
        let directory = tempfile::tempdir().expect("temporary directory");
        drop(fill(directory.path()));
        let path = directory.path().join(file);
        let mut bytes = fs::read(&path).expect("reads");
        noise(&mut bytes, 3);
        fs::write(&path, &bytes).expect("writes");
        let said = repair(directory.path(), Repair::Cut, &mut Texts).expect_err("cannot").to_string();
        assert!(said.contains(&format!("nothing of {file} can be read")), "{said}");
        assert!(said.contains("from a backup"), "{said}");
        assert!(fs::read(&path).expect("reads") == bytes, "left as it is");
    }
}

/// Where SQLite reads all names, what had been deleted stays deleted.
#[test]
fn a_deleted_room_does_not_come_back_with_a_damaged_page() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let mut storage = fill(directory.path());
    assert!(storage.delete(&name("bread")).expect("deletes"));
    drop(storage);
    let path = directory.path().join("journal.db");
    let mut bytes = fs::read(&path).expect("reads");
    let record = content("apples", 11, 3_000);
    let at = bytes.windows(40).position(|window| window == &record[..40]).expect("is there");
    bytes[at / PAGE * PAGE..][..PAGE].fill(0);
    fs::write(&path, &bytes).expect("writes");
    repair(directory.path(), Repair::Cut, &mut Texts).expect("repairs");
    let mut storage = SqliteStorage::open(directory.path()).expect("opens");
    let infos = storage.rooms().expect("lists");
    let infos: Vec<_> = infos.iter().map(|info| (info.name.as_str(), info.head.0)).collect();
    assert_eq!(infos, [("apples", 10), ("cheese", HEAD)]);
}
