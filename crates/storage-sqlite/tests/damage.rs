//! Promise J6, tested by changing single bytes: no operation panics or returns wrong data, the
//! other rooms open, `check` reports the damage, and `repair` restores only data that it can
//! derive.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use quadrille_journal::{Append, Image, ImageId, ImagePut, RoomKey, Snapshot, Storage, StorageError, entry};
use quadrille_protocol::{Revision, RoomName};
use quadrille_storage_sqlite::{Findings, Reader, Remedy, Repair, SqliteStorage, check, repair};
use rusqlite::types::Value;
use rusqlite::{Connection, params};

/// Accepts the records and snapshots that this test writes and rejects all others.
struct TestReader;

impl Reader for TestReader {
    fn snapshot(&mut self, snapshot: &Snapshot) -> Result<(), String> {
        let expected = format!(" up to {}", snapshot.revision);
        let text = String::from_utf8_lossy(&snapshot.bytes).into_owned();
        if text.ends_with(&expected) { Ok(()) } else { Err(format!("it reads {text}")) }
    }

    fn record(&mut self, revision: Revision, bytes: &[u8]) -> Result<(), String> {
        let text = String::from_utf8_lossy(bytes).into_owned();
        if text.ends_with(&format!(" record {revision}")) { Ok(()) } else { Err(format!("it reads {text}")) }
    }
}

const ROOMS: [&str; 3] = ["apples", "bread", "cheese"];
const HEAD: u64 = 12;

fn name(room: &str) -> RoomName {
    RoomName::new(room).expect("a name")
}

fn write(storage: &mut SqliteStorage, revisions: std::ops::RangeInclusive<u64>) {
    for revision in revisions {
        let mut batch = Vec::new();
        for room in ROOMS {
            let key = storage.claim(&name(room)).expect("claims").key;
            let record: Arc<[u8]> = format!("{room} record {revision}").into_bytes().into();
            let records = vec![record];
            batch.push(Append {
                room: key,
                base: Revision(revision - 1),
                records,
                time_ms: 1_000 + revision as i64,
            });
        }
        storage.append(&batch).expect("appends");
    }
}

fn put_snapshots(storage: &mut SqliteStorage, revision: u64) {
    for room in ROOMS {
        let key = storage.claim(&name(room)).expect("claims").key;
        let bytes: Arc<[u8]> = Arc::from(format!("{room} up to {revision}").as_bytes());
        let snapshot = Snapshot { revision: Revision(revision), bytes };
        // The snapshots of `bread` are written in pieces.
        let bytes_max = if room == "bread" { 5 } else { usize::MAX };
        let mut written = 0;
        while written < snapshot.bytes.len() {
            written = storage.put_piece(key, &snapshot, written, bytes_max).expect("puts");
        }
    }
}

fn image(room: &str) -> Image {
    Image { id: ImageId([room.len() as u8; 32]), bytes: Arc::from(format!("image of {room}").as_bytes()) }
}

/// Creates three rooms with tails, log entries, snapshots and images.
fn fill(directory: &Path) -> SqliteStorage {
    let mut storage = SqliteStorage::open(directory).expect("opens");
    write(&mut storage, 1..=3);
    storage.compact_fully().expect("compacts");
    put_snapshots(&mut storage, 2);
    for room in ROOMS {
        let key = storage.claim(&name(room)).expect("claims").key;
        assert_eq!(storage.put_image(key, &image(room), 1_000).expect("puts"), ImagePut::Stored);
    }
    write(&mut storage, 4..=8);
    storage.compact_fully().expect("compacts");
    put_snapshots(&mut storage, 7);
    write(&mut storage, 9..=HEAD);
    storage
}

/// Loads a room and returns its last revision, or the error that prevents it. Panics when the room
/// returns data that were never written to it.
fn open_room(storage: &mut SqliteStorage, room: &str, case: &str) -> Result<u64, String> {
    let claim = storage.claim(&name(room)).map_err(|error| error.to_string())?;
    let loaded = storage.load(claim.key).map_err(|error| error.to_string())?;
    let mut revision = 0;
    if let Some(snapshot) = &loaded.snapshot {
        revision = snapshot.revision.0;
        let expected = format!("{room} up to {revision}");
        assert_eq!(String::from_utf8_lossy(&snapshot.bytes), expected, "{case}");
    }
    if let Some(bytes) = storage.image(claim.key, image(room).id).map_err(|error| error.to_string())? {
        assert_eq!(bytes, image(room).bytes, "{case}");
    }
    for record in &loaded.records {
        revision += 1;
        assert_eq!(record.revision, Revision(revision), "{case}: {room}");
        let expected = format!("{room} record {revision}");
        assert_eq!(String::from_utf8_lossy(&record.bytes), expected, "{case}");
    }
    assert_eq!(claim.head, Revision(revision), "{case}: {room}");
    Ok(revision)
}

fn copy(from: &Path) -> tempfile::TempDir {
    let to = tempfile::tempdir().expect("temporary directory");
    for file in fs::read_dir(from).expect("readable").map(|file| file.expect("readable")) {
        fs::copy(file.path(), to.path().join(file.file_name())).expect("copies");
    }
    to
}

/// Opens, checks and repairs a damaged directory. With `can_lose_newest` the newest commit can be
/// missing undetected, as after a power failure.
fn examine(directory: &Path, case: &str, unavailable_rooms_max: usize, can_lose_newest: bool) {
    let mut unavailable = Vec::new();
    match SqliteStorage::open(directory) {
        Err(error) => unavailable.push(error.to_string()),
        Ok(mut storage) => {
            for room in ROOMS {
                match open_room(&mut storage, room, case) {
                    Ok(head) if head == HEAD || can_lose_newest => {}
                    Ok(head) => panic!("{case}: {room} ends at {head} and nothing reports it"),
                    Err(why) => unavailable.push(why),
                }
            }
            assert!(unavailable.len() <= unavailable_rooms_max, "{case}: {unavailable:?}");
        }
    }
    let found = match check(directory, &mut TestReader) {
        Ok(found) => found,
        Err(error) => {
            assert!(!unavailable.is_empty(), "{case}: opens, but check says {error}");
            assert!(!error.to_string().is_empty());
            return; // SQLite cannot open the file; `repair` returns the same error.
        }
    };
    assert!(
        unavailable.is_empty() || found.damages.iter().any(|damage| damage.stops()),
        "{case}: {unavailable:?}"
    );
    if found.damages.is_empty() {
        return;
    }
    let repaired = repair(directory, Repair::Derivable, &mut TestReader)
        .unwrap_or_else(|error| panic!("{case}: {error}"));
    if let Some(copy) = &repaired.copy {
        assert!(copy.join("journal.db").exists() && copy.join("rooms.db").exists());
    }
    if repaired.left.damages.is_empty() {
        let mut storage = SqliteStorage::open(directory).unwrap_or_else(|error| panic!("{case}: {error}"));
        for room in ROOMS {
            let renamed = storage
                .rooms()
                .expect("lists")
                .iter()
                .any(|info| info.name.as_str().starts_with("recovered-"));
            match open_room(&mut storage, room, case) {
                Ok(head) => {
                    assert!(head == HEAD || can_lose_newest || renamed, "{case}: {room} ends at {head}")
                }
                Err(why) => panic!("{case}: repaired, but {room} does not open: {why}"),
            }
        }
    }
    let Ok(cut) = repair(directory, Repair::Cut, &mut TestReader) else { return };
    for damage in &cut.left.damages {
        assert!(matches!(damage.remedy, Remedy::None | Remedy::Leave), "{case}: {damage}");
    }
    if let Ok(mut storage) = SqliteStorage::open(directory) {
        for room in ROOMS {
            // The room can end early, but the records that it returns must be correct.
            let _ = open_room(&mut storage, room, case);
        }
    }
}

/// Copies of the value, each with one bit changed.
fn with_one_bit_changed(value: &Value) -> Vec<Value> {
    let bytes = |bytes: &[u8]| -> Vec<Vec<u8>> {
        let step = (bytes.len() / 12).max(1);
        let positions = (0..bytes.len()).step_by(step).chain(bytes.len().checked_sub(1));
        positions
            .map(|position| {
                let mut bytes = bytes.to_vec();
                bytes[position] ^= 1 << (position % 7);
                bytes
            })
            .collect()
    };
    match value {
        Value::Integer(number) => {
            [0, 9, 33, 62].iter().map(|bit| Value::Integer(number ^ (1 << bit))).collect()
        }
        Value::Text(text) => bytes(text.as_bytes())
            .into_iter()
            .filter_map(|bytes| String::from_utf8(bytes).ok())
            .map(Value::Text)
            .collect(),
        Value::Blob(blob) => bytes(blob).into_iter().map(Value::Blob).collect(),
        Value::Null | Value::Real(_) => Vec::new(),
    }
}

#[test]
fn slow_j6_a_changed_bit_in_any_column_is_detected() {
    let intact = tempfile::tempdir().expect("temporary directory");
    drop(fill(intact.path()));
    assert_eq!(check(intact.path(), &mut TestReader).map(|found| found.damages.len()).ok(), Some(0));
    let mut cases = 0;
    for (file, table, keys) in [
        ("journal.db", "log", "id"),
        ("journal.db", "directory", "id"),
        ("journal.db", "room", "id"),
        ("rooms.db", "tail", "room, first"),
        ("rooms.db", "head", "room"),
        ("rooms.db", "snapshot", "id"),
        ("rooms.db", "image", "id"),
        ("rooms.db", "piece", "id"),
    ] {
        let database = Connection::open(intact.path().join(file)).expect("opens");
        let mut query =
            database.prepare(&format!("SELECT * FROM {table} ORDER BY {keys}")).expect("prepares");
        let columns: Vec<String> = query.column_names().map(str::to_owned).collect();
        let rows: Vec<Vec<Value>> = query
            .query_map([], |row| (0..columns.len()).map(|index| row.get(index)).collect())
            .expect("queries")
            .collect::<Result<_, _>>()
            .expect("reads");
        assert!(!rows.is_empty(), "{table}");
        let keys: Vec<usize> = keys
            .split(", ")
            .map(|key| columns.iter().position(|column| column == key).expect("a column"))
            .collect();
        // The first row, a row in the middle, and the last row.
        for row in [&rows[0], &rows[rows.len() / 2], &rows[rows.len() - 1]] {
            for (index, column) in columns.iter().enumerate() {
                for value in with_one_bit_changed(&row[index]) {
                    let case = format!("{table} {:?}, {column} = {value:?}", &row[keys[0]]);
                    let directory = copy(intact.path());
                    let damaged = Connection::open(directory.path().join(file)).expect("opens");
                    let conditions: Vec<String> = keys
                        .iter()
                        .enumerate()
                        .map(|(number, key)| format!("{} = ?{}", columns[*key], number + 2))
                        .collect();
                    let update =
                        format!("UPDATE {table} SET {column} = ?1 WHERE {}", conditions.join(" AND "));
                    let mut values = vec![value];
                    values.extend(keys.iter().map(|key| row[*key].clone()));
                    // SQLite refuses a duplicate key.
                    if damaged.execute(&update, rusqlite::params_from_iter(values)).is_err() {
                        continue;
                    }
                    drop(damaged);
                    // A changed room number can be the number of another room: then both rooms are
                    // affected.
                    let is_number = (table, column.as_str()) == ("tail", "room")
                        || (table, column.as_str()) == ("room", "id");
                    examine(directory.path(), &case, if is_number { 2 } else { 1 }, false);
                    cases += 1;
                }
            }
        }
    }
    assert!(cases > 300, "{cases}");
}

/// Changes bytes of the files: pages, cells, headers, and the write-ahead logs of a killed process.
#[test]
fn slow_j6_a_changed_bit_in_any_file_is_detected() {
    let intact = tempfile::tempdir().expect("temporary directory");
    drop(fill(intact.path()));
    let killed = tempfile::tempdir().expect("temporary directory");
    let storage = fill(killed.path());
    let killed = copy(killed.path());
    drop(storage);
    let mut random = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = move |below: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize % below
    };
    for number in 0..240 {
        let (origin, file) = match number % 4 {
            0 => (&intact, "journal.db"),
            1 => (&intact, "rooms.db"),
            2 => (&killed, "journal.db-wal"),
            _ => (&killed, "rooms.db-wal"),
        };
        let directory = copy(origin.path());
        let path = directory.path().join(file);
        let mut bytes = fs::read(&path).expect("reads");
        let position = next(bytes.len());
        let bit = next(8);
        bytes[position] ^= 1 << bit;
        fs::write(&path, bytes).expect("writes");
        let case = format!("{file}, byte {position}, bit {bit}");
        examine(directory.path(), &case, ROOMS.len(), file.ends_with("-wal"));
    }
}

#[test]
fn damaged_last_records_are_cut_only_with_cut_and_a_copy_remains() {
    let directory = tempfile::tempdir().expect("temporary directory");
    drop(fill(directory.path()));
    let journal = Connection::open(directory.path().join("journal.db")).expect("opens");
    let mut data: Vec<u8> = journal
        .query_row("SELECT data FROM log ORDER BY id LIMIT 1 OFFSET 2", [], |row| row.get(0))
        .expect("reads");
    let at =
        data.windows(5).position(|window| window == b"bread").expect("the record is stored uncompressed");
    data[at] ^= 1;
    journal
        .execute(
            "UPDATE log SET data = ?1 WHERE id = (SELECT id FROM log ORDER BY id LIMIT 1 OFFSET 2)",
            [&data],
        )
        .expect("writes");
    drop(journal);

    let found = check(directory.path(), &mut TestReader).expect("checks");
    assert_eq!(
        found.intact.iter().map(|intact| intact.room.as_str()).collect::<Vec<_>>(),
        ["apples", "cheese"]
    );
    let [damage] = &found.damages[..] else { panic!("{:?}", found.damages) };
    assert_eq!((damage.room.as_str(), damage.revision), ("bread", Some(Revision(11))));
    assert_eq!(damage.remedy, Remedy::Cut(Revision(10)));

    let refused = repair(directory.path(), Repair::Derivable, &mut TestReader).expect("runs");
    assert_eq!((refused.copy, refused.done.len(), &refused.left), (None, 0, &found));
    let old = SqliteStorage::open(directory.path()).expect("opens").find(&name("apples")).expect("finds");

    let cut = repair(directory.path(), Repair::Cut, &mut TestReader).expect("repairs");
    assert_eq!(cut.done, ["bread: went back to revision 10"]);
    assert_eq!((cut.left.damages.len(), cut.left.intact.len()), (0, 3));
    let copied = cut.copy.expect("a copy");
    let before: Vec<u8> = Connection::open(copied.join("journal.db"))
        .and_then(|copied| {
            copied.query_row("SELECT data FROM log ORDER BY id LIMIT 1 OFFSET 2", [], |row| row.get(0))
        })
        .expect("reads");
    assert!(before == data, "the copy has the damaged row");

    let mut storage = SqliteStorage::open(directory.path()).expect("opens");
    for (room, head) in [("apples", HEAD), ("bread", 10), ("cheese", HEAD)] {
        assert_eq!(open_room(&mut storage, room, "cut"), Ok(head));
    }
    let bread = storage.find(&name("bread")).expect("finds").expect("is there");
    assert_eq!(storage.find(&name("apples")).expect("finds"), old, "untouched");
    // The room has a new key and incarnation, so replicas that have the old revision 11 start
    // afresh.
    assert!(bread.key.0 > ROOMS.len() as u64 && bread.incarnation.0 == bread.key.0);
    let records = vec![Arc::from(&b"bread record 11"[..])];
    let append = Append { room: bread.key, base: Revision(10), records, time_ms: 5_000 };
    storage.append(&[append]).expect("appends");
    assert_eq!(open_room(&mut storage, "bread", "cut"), Ok(11));
}

#[test]
fn j9_a_damaged_image_leaves_its_room_available_and_can_be_stored_again() {
    let directory = tempfile::tempdir().expect("temporary directory");
    drop(fill(directory.path()));
    let database = Connection::open(directory.path().join("rooms.db")).expect("opens");
    database.execute("UPDATE image SET data = x'00' WHERE id = 2", []).expect("damages");
    drop(database);
    let found = check(directory.path(), &mut TestReader).expect("checks");
    let damages: Vec<String> = found.damages.iter().map(ToString::to_string).collect();
    assert_eq!(damages.len(), 1, "{damages:?}");
    assert!(damages[0].starts_with("bread\t-\tone of its images"), "{damages:?}");
    assert!(!found.damages[0].stops() && !found.damages[0].loses());
    let repaired = repair(directory.path(), Repair::Derivable, &mut TestReader).expect("repairs");
    assert_eq!(repaired.left.damages, []);
    let mut storage = SqliteStorage::open(directory.path()).expect("opens");
    let key = storage.claim(&name("bread")).expect("claims").key;
    assert_eq!(storage.image(key, image("bread").id).expect("reads"), None);
    assert_eq!(storage.put_image(key, &image("bread"), 1_000).expect("puts"), ImagePut::Stored);
    assert_eq!(storage.image(key, image("bread").id).expect("reads"), Some(image("bread").bytes));
}

#[test]
fn damaged_records_below_a_snapshot_leave_the_room_available() {
    let directory = tempfile::tempdir().expect("temporary directory");
    drop(fill(directory.path()));
    // The first records are damaged; the snapshot of revision 7 contains their effects.
    let rooms = Connection::open(directory.path().join("rooms.db")).expect("opens");
    let data: Vec<u8> = rooms
        .query_row("SELECT data FROM tail WHERE room = 1 AND first = 1", [], |row| row.get(0))
        .expect("reads");
    let mut damaged = data.clone();
    let last = damaged.len() - 1;
    damaged[last] ^= 4;
    rooms.execute("UPDATE tail SET data = ?1 WHERE room = 1 AND first = 1", [damaged]).expect("writes");
    // A snapshot of another room is damaged too.
    rooms.execute("UPDATE snapshot SET data = x'00' WHERE room = 2 AND revision = 7", []).expect("writes");
    drop(rooms);
    let mut storage = SqliteStorage::open(directory.path()).expect("opens");
    for room in ROOMS {
        assert_eq!(open_room(&mut storage, room, "skipped"), Ok(HEAD));
    }
    drop(storage);
    let found = check(directory.path(), &mut TestReader).expect("checks");
    let remedies: Vec<(&str, &Remedy)> =
        found.damages.iter().map(|damage| (damage.room.as_str(), &damage.remedy)).collect();
    assert_eq!(remedies, [("apples", &Remedy::Leave), ("bread", &Remedy::DropSnapshot(Revision(7)))]);
    assert!(found.damages.iter().all(|damage| !damage.stops() && !damage.loses()));
    let repaired = repair(directory.path(), Repair::Derivable, &mut TestReader).expect("repairs");
    assert_eq!(repaired.done, ["bread: dropped the snapshot of revision 7"]);
    assert_eq!(repaired.left.damages.len(), 1, "the gap in the history of apples stays");
}

/// Opening migrates a directory of format 1 to the current format without losing data.
#[test]
fn directories_of_format_1_are_migrated() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let journal = Connection::open(directory.path().join("journal.db")).expect("opens");
    journal
        .execute_batch(
            "CREATE TABLE log (id INTEGER PRIMARY KEY, data BLOB NOT NULL) STRICT;
             CREATE TABLE room (
                 id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, created_ms INTEGER NOT NULL
             ) STRICT;
             PRAGMA user_version = 1;",
        )
        .expect("creates");
    let rooms = Connection::open(directory.path().join("rooms.db")).expect("opens");
    rooms
        .execute_batch(
            "CREATE TABLE tail (
                 room INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL, data BLOB NOT NULL,
                 PRIMARY KEY (room, first)
             ) STRICT, WITHOUT ROWID;
             CREATE TABLE head (
                 room INTEGER PRIMARY KEY, revision INTEGER NOT NULL, changed_ms INTEGER NOT NULL
             ) STRICT;
             CREATE TABLE snapshot (
                 id INTEGER PRIMARY KEY, room INTEGER NOT NULL, revision INTEGER NOT NULL,
                 checksum INTEGER NOT NULL, data BLOB NOT NULL, UNIQUE (room, revision)
             ) STRICT;
             PRAGMA user_version = 1;",
        )
        .expect("creates");
    let mut log: BTreeMap<i64, Vec<u8>> = BTreeMap::new();
    for (room, id) in ROOMS.into_iter().zip(1u64..) {
        let put = "INSERT INTO room (id, name, created_ms) VALUES (?1, ?2, 5)";
        journal.execute(put, params![id as i64, room]).expect("inserts");
        let mut tail = Vec::new();
        for revision in 1..=HEAD {
            let text = format!("{room} record {revision}");
            let row = if revision <= 8 { &mut tail } else { log.entry(revision as i64).or_default() };
            entry::write(row, RoomKey(id), Revision(revision), 1_000, text.as_bytes());
        }
        let put = "INSERT INTO tail (room, first, last, data) VALUES (?1, 1, 8, ?2)";
        rooms.execute(put, params![id as i64, tail]).expect("inserts");
        rooms.execute("INSERT INTO head VALUES (?1, 8, 1000)", [id as i64]).expect("inserts");
        let bytes = format!("{room} up to 5").into_bytes();
        let put = "INSERT INTO snapshot (room, revision, checksum, data) VALUES (?1, 5, ?2, ?3)";
        rooms.execute(put, params![id as i64, crc32fast::hash(&bytes), bytes]).expect("inserts");
    }
    for (id, data) in log {
        journal.execute("INSERT INTO log VALUES (?1, ?2)", params![id, data]).expect("inserts");
    }
    drop((journal, rooms));
    for _ in 0..2 {
        let mut storage = SqliteStorage::open(directory.path()).expect("opens");
        for room in ROOMS {
            assert_eq!(open_room(&mut storage, room, "format 1"), Ok(HEAD));
        }
        put_snapshots(&mut storage, 9);
        drop(storage);
        let found: Findings = check(directory.path(), &mut TestReader).expect("checks");
        assert_eq!((found.damages.len(), found.intact.len()), (0, 3), "{:?}", found.damages);
    }
}

/// J7 with a retention setting: old history is dropped, and the rest begins at a snapshot.
#[test]
fn history_older_than_the_retention_is_dropped() {
    use quadrille_journal::Retention;
    const DAY_MS: i64 = 86_400_000;
    let directory = tempfile::tempdir().expect("temporary directory");
    let mut storage = SqliteStorage::open(directory.path()).expect("opens");
    let key = storage.claim(&name("bread")).expect("claims").key;
    for revision in 1..=100u64 {
        let records = vec![Arc::from(format!("bread record {revision}").as_bytes())];
        let append =
            Append { room: key, base: Revision(revision - 1), records, time_ms: revision as i64 * DAY_MS };
        storage.append(&[append]).expect("appends");
        if revision.is_multiple_of(10) {
            storage.compact_fully().expect("compacts");
            let bytes = Arc::from(format!("bread up to {revision}").as_bytes());
            storage.put_snapshot(key, &Snapshot { revision: Revision(revision), bytes }).expect("puts");
        }
    }
    let everything = Retention::default();
    assert_eq!(storage.retain(key, &everything, 1_000 * DAY_MS).expect("keeps"), Revision(0));
    let revisions = storage.snapshot_revisions(key).expect("lists");
    let by_count = Retention { revisions_max: Some(55), days: None };
    let base = storage.retain(key, &by_count, 0).expect("drops");
    let expected =
        revisions.iter().copied().find(|revision| 100 - revision.0 >= 55).expect("some are that old");
    assert_eq!(base, expected, "{revisions:?}");
    assert!(
        matches!(storage.tail(key, Revision(base.0 - 1), 1), Err(StorageError::Forgotten { base: at }) if at == base)
    );
    assert_eq!(storage.tail(key, base, 1).expect("is kept")[0].revision, base.next());
    assert_eq!(open_room(&mut storage, "bread", "bounded"), Ok(100));
    assert_eq!(storage.retain(key, &by_count, 0).expect("nothing more"), base);
    // Retention by days keeps the newest snapshot that is older than the limit.
    let by_time = Retention { days: Some(20), revisions_max: None };
    let base = storage.retain(key, &by_time, 110 * DAY_MS).expect("drops");
    let expected = revisions.iter().copied().find(|revision| revision.0 < 90).expect("some are that old");
    assert_eq!(base, expected, "{revisions:?}");
    drop(storage);
    let found = check(directory.path(), &mut TestReader).expect("checks");
    assert_eq!((found.damages.len(), found.intact.len()), (0, 1), "{:?}", found.damages);
    let mut storage = SqliteStorage::open(directory.path()).expect("opens");
    assert_eq!(storage.claim(&name("bread")).expect("claims").base, base);
    for revision in base.0..=100 {
        let loaded = storage.load_at(key, Revision(revision)).expect("loads");
        let from = loaded.snapshot.map_or(0, |snapshot| snapshot.revision.0);
        assert_eq!(from + loaded.records.len() as u64, revision);
    }
}
