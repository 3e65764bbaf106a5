//! J6: whatever byte is damaged, nothing panics, nothing wrong is presented as right, other rooms open, `check` names
//! the damage, and `repair` puts right what can be put right without making anything up.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use quadrille_journal::{Append, Image, ImageId, ImagePut, RoomKey, Snapshot, Storage, StorageError, entry};
use quadrille_protocol::{Revision, RoomName};
use quadrille_storage_sqlite::{Findings, Reader, Remedy, Repair, SqliteStorage, check, repair};
use rusqlite::types::Value;
use rusqlite::{Connection, params};

/// Takes what this test writes, and nothing else.
struct Texts;

impl Reader for Texts {
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
        // Those of bread are written in pieces.
        let bytes_max = if room == "bread" { 5 } else { usize::MAX };
        let mut written = 0;
        while written < snapshot.bytes.len() {
            written = storage.put_piece(key, &snapshot, written, bytes_max).expect("puts");
        }
    }
}

fn image(room: &str) -> Image {
    Image { id: ImageId([room.len() as u8; 32]), bytes: Arc::from(format!("picture of {room}").as_bytes()) }
}

/// Three rooms with tails, log, snapshots and images.
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

/// What a room gives: how far it goes, or why it does not open. Anything but the truth fails the test.
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

/// Opens, checks and repairs a damaged directory. `may_lose`: the newest commit may be gone without anybody knowing,
/// as after loss of power.
fn examine(directory: &Path, case: &str, rooms_stopped_max: usize, may_lose: bool) {
    let mut stopped = Vec::new();
    match SqliteStorage::open(directory) {
        Err(error) => stopped.push(error.to_string()),
        Ok(mut storage) => {
            for room in ROOMS {
                match open_room(&mut storage, room, case) {
                    Ok(head) if head == HEAD || may_lose => {}
                    Ok(head) => panic!("{case}: {room} ends at {head} without a word"),
                    Err(why) => stopped.push(why),
                }
            }
            assert!(stopped.len() <= rooms_stopped_max, "{case}: {stopped:?}");
        }
    }
    let found = match check(directory, &mut Texts) {
        Ok(found) => found,
        Err(error) => {
            assert!(!stopped.is_empty(), "{case}: opens, but check says {error}");
            assert!(!error.to_string().is_empty());
            return; // SQLite cannot open it at all; repair says the same
        }
    };
    assert!(stopped.is_empty() || found.damages.iter().any(|damage| damage.stops()), "{case}: {stopped:?}");
    if found.damages.is_empty() {
        return;
    }
    let mended =
        repair(directory, Repair::Derivable, &mut Texts).unwrap_or_else(|error| panic!("{case}: {error}"));
    if let Some(copy) = &mended.copy {
        assert!(copy.join("journal.db").exists() && copy.join("rooms.db").exists());
    }
    if mended.left.damages.is_empty() {
        let mut storage = SqliteStorage::open(directory).unwrap_or_else(|error| panic!("{case}: {error}"));
        for room in ROOMS {
            let renamed = storage
                .rooms()
                .expect("lists")
                .iter()
                .any(|info| info.name.as_str().starts_with("recovered-"));
            match open_room(&mut storage, room, case) {
                Ok(head) => assert!(head == HEAD || may_lose || renamed, "{case}: {room} ends at {head}"),
                Err(why) => panic!("{case}: repaired, but {room} does not open: {why}"),
            }
        }
    }
    let Ok(cut) = repair(directory, Repair::Cut, &mut Texts) else { return };
    for damage in &cut.left.damages {
        assert!(matches!(damage.remedy, Remedy::None | Remedy::Leave), "{case}: {damage}");
    }
    if let Ok(mut storage) = SqliteStorage::open(directory) {
        for room in ROOMS {
            // As far as it could be read; the rest of what it says is true.
            let _ = open_room(&mut storage, room, case);
        }
    }
}

/// Each value with one byte changed.
fn flipped(value: &Value) -> Vec<Value> {
    let bytes = |bytes: &[u8]| -> Vec<Vec<u8>> {
        let step = (bytes.len() / 12).max(1);
        let places = (0..bytes.len()).step_by(step).chain(bytes.len().checked_sub(1));
        places
            .map(|place| {
                let mut bytes = bytes.to_vec();
                bytes[place] ^= 1 << (place % 7);
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
fn slow_j6_every_field_of_every_table_may_be_damaged() {
    let sound = tempfile::tempdir().expect("temporary directory");
    drop(fill(sound.path()));
    assert_eq!(check(sound.path(), &mut Texts).map(|found| found.damages.len()).ok(), Some(0));
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
        let database = Connection::open(sound.path().join(file)).expect("opens");
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
        // The first, one in the middle, and the last row.
        for row in [&rows[0], &rows[rows.len() / 2], &rows[rows.len() - 1]] {
            for (index, column) in columns.iter().enumerate() {
                for value in flipped(&row[index]) {
                    let case = format!("{table} {:?}, {column} = {value:?}", &row[keys[0]]);
                    let directory = copy(sound.path());
                    let damaged = Connection::open(directory.path().join(file)).expect("opens");
                    let place: Vec<String> = keys
                        .iter()
                        .enumerate()
                        .map(|(number, key)| format!("{} = ?{}", columns[*key], number + 2))
                        .collect();
                    let update = format!("UPDATE {table} SET {column} = ?1 WHERE {}", place.join(" AND "));
                    let mut values = vec![value];
                    values.extend(keys.iter().map(|key| row[*key].clone()));
                    // The engine refuses what would be there twice.
                    if damaged.execute(&update, rusqlite::params_from_iter(values)).is_err() {
                        continue;
                    }
                    drop(damaged);
                    // A number of a room may be that of another: both are concerned then.
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

/// Bytes of the files themselves: pages, cells, headers, and the write-ahead logs of a process that was killed.
#[test]
fn slow_j6_any_byte_of_the_files_may_be_damaged() {
    let sound = tempfile::tempdir().expect("temporary directory");
    drop(fill(sound.path()));
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
            0 => (&sound, "journal.db"),
            1 => (&sound, "rooms.db"),
            2 => (&killed, "journal.db-wal"),
            _ => (&killed, "rooms.db-wal"),
        };
        let directory = copy(origin.path());
        let path = directory.path().join(file);
        let mut bytes = fs::read(&path).expect("reads");
        let place = next(bytes.len());
        let bit = next(8);
        bytes[place] ^= 1 << bit;
        fs::write(&path, bytes).expect("writes");
        let case = format!("{file}, byte {place}, bit {bit}");
        examine(directory.path(), &case, ROOMS.len(), file.ends_with("-wal"));
    }
}

#[test]
fn a_damaged_end_is_cut_only_when_told_and_a_copy_stays() {
    let directory = tempfile::tempdir().expect("temporary directory");
    drop(fill(directory.path()));
    let journal = Connection::open(directory.path().join("journal.db")).expect("opens");
    let mut data: Vec<u8> = journal
        .query_row("SELECT data FROM log ORDER BY id LIMIT 1 OFFSET 2", [], |row| row.get(0))
        .expect("reads");
    let at = data.windows(5).position(|window| window == b"bread").expect("is stored as it was given");
    data[at] ^= 1;
    journal
        .execute(
            "UPDATE log SET data = ?1 WHERE id = (SELECT id FROM log ORDER BY id LIMIT 1 OFFSET 2)",
            [&data],
        )
        .expect("writes");
    drop(journal);

    let found = check(directory.path(), &mut Texts).expect("checks");
    assert_eq!(
        found.intact.iter().map(|sound| sound.room.as_str()).collect::<Vec<_>>(),
        ["apples", "cheese"]
    );
    let [damage] = &found.damages[..] else { panic!("{:?}", found.damages) };
    assert_eq!((damage.room.as_str(), damage.revision), ("bread", Some(Revision(11))));
    assert_eq!(damage.remedy, Remedy::Cut(Revision(10)));

    let kept = repair(directory.path(), Repair::Derivable, &mut Texts).expect("runs");
    assert_eq!((kept.copy, kept.done.len(), &kept.left), (None, 0, &found));
    let old = SqliteStorage::open(directory.path()).expect("opens").find(&name("apples")).expect("finds");

    let cut = repair(directory.path(), Repair::Cut, &mut Texts).expect("repairs");
    assert_eq!(cut.done, ["bread: went back to revision 10"]);
    assert_eq!((cut.left.damages.len(), cut.left.intact.len()), (0, 3));
    let copied = cut.copy.expect("a copy");
    let before: Vec<u8> = Connection::open(copied.join("journal.db"))
        .and_then(|copied| {
            copied.query_row("SELECT data FROM log ORDER BY id LIMIT 1 OFFSET 2", [], |row| row.get(0))
        })
        .expect("reads");
    assert!(before == data, "as it was");

    let mut storage = SqliteStorage::open(directory.path()).expect("opens");
    for (room, head) in [("apples", HEAD), ("bread", 10), ("cheese", HEAD)] {
        assert_eq!(open_room(&mut storage, room, "cut"), Ok(head));
    }
    let bread = storage.find(&name("bread")).expect("finds").expect("is there");
    assert_eq!(storage.find(&name("apples")).expect("finds"), old, "untouched");
    // Replicas that have seen revision 11 take what comes now for another room's.
    assert!(bread.key.0 > ROOMS.len() as u64 && bread.incarnation.0 == bread.key.0);
    let records = vec![Arc::from(&b"bread record 11"[..])];
    let append = Append { room: bread.key, base: Revision(10), records, time_ms: 5_000 };
    storage.append(&[append]).expect("appends");
    assert_eq!(open_room(&mut storage, "bread", "cut"), Ok(11));
}

#[test]
fn j9_a_damaged_picture_stops_nothing_and_can_be_put_in_again() {
    let directory = tempfile::tempdir().expect("temporary directory");
    drop(fill(directory.path()));
    let database = Connection::open(directory.path().join("rooms.db")).expect("opens");
    database.execute("UPDATE image SET data = x'00' WHERE id = 2", []).expect("damages");
    drop(database);
    let found = check(directory.path(), &mut Texts).expect("checks");
    let damages: Vec<String> = found.damages.iter().map(ToString::to_string).collect();
    assert_eq!(damages.len(), 1, "{damages:?}");
    assert!(damages[0].starts_with("bread\t-\tone of its images"), "{damages:?}");
    assert!(!found.damages[0].stops() && !found.damages[0].loses());
    let mended = repair(directory.path(), Repair::Derivable, &mut Texts).expect("repairs");
    assert_eq!(mended.left.damages, []);
    let mut storage = SqliteStorage::open(directory.path()).expect("opens");
    let key = storage.claim(&name("bread")).expect("claims").key;
    assert_eq!(storage.image(key, image("bread").id).expect("reads"), None);
    assert_eq!(storage.put_image(key, &image("bread"), 1_000).expect("puts"), ImagePut::Stored);
    assert_eq!(storage.image(key, image("bread").id).expect("reads"), Some(image("bread").bytes));
}

#[test]
fn what_a_snapshot_replaces_stops_nothing() {
    let directory = tempfile::tempdir().expect("temporary directory");
    drop(fill(directory.path()));
    // The first records are damaged; a snapshot of revision 7 has what they did.
    let rooms = Connection::open(directory.path().join("rooms.db")).expect("opens");
    let data: Vec<u8> = rooms
        .query_row("SELECT data FROM tail WHERE room = 1 AND first = 1", [], |row| row.get(0))
        .expect("reads");
    let mut damaged = data.clone();
    let last = damaged.len() - 1;
    damaged[last] ^= 4;
    rooms.execute("UPDATE tail SET data = ?1 WHERE room = 1 AND first = 1", [damaged]).expect("writes");
    // And a snapshot of another room.
    rooms.execute("UPDATE snapshot SET data = x'00' WHERE room = 2 AND revision = 7", []).expect("writes");
    drop(rooms);
    let mut storage = SqliteStorage::open(directory.path()).expect("opens");
    for room in ROOMS {
        assert_eq!(open_room(&mut storage, room, "passed over"), Ok(HEAD));
    }
    drop(storage);
    let found = check(directory.path(), &mut Texts).expect("checks");
    let remedies: Vec<(&str, &Remedy)> =
        found.damages.iter().map(|damage| (damage.room.as_str(), &damage.remedy)).collect();
    assert_eq!(remedies, [("apples", &Remedy::Leave), ("bread", &Remedy::DropSnapshot(Revision(7)))]);
    assert!(found.damages.iter().all(|damage| !damage.stops() && !damage.loses()));
    let mended = repair(directory.path(), Repair::Derivable, &mut Texts).expect("repairs");
    assert_eq!(mended.done, ["bread: dropped the snapshot of revision 7"]);
    assert_eq!(mended.left.damages.len(), 1, "the gap in the history of apples stays");
}

/// A directory of format 1 is brought to the newest, and keeps everything.
#[test]
fn directories_of_format_1_are_taken_over() {
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
        .expect("makes");
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
        .expect("makes");
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
        let found: Findings = check(directory.path(), &mut Texts).expect("checks");
        assert_eq!((found.damages.len(), found.intact.len()), (0, 3), "{:?}", found.damages);
    }
}

/// J7 with a bound: what is old goes, what is left begins at a snapshot.
#[test]
fn history_is_kept_as_long_as_told() {
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
    // By time: the newest snapshot that is older than the days asked for.
    let by_time = Retention { days: Some(20), revisions_max: None };
    let base = storage.retain(key, &by_time, 110 * DAY_MS).expect("drops");
    let expected = revisions.iter().copied().find(|revision| revision.0 < 90).expect("some are that old");
    assert_eq!(base, expected, "{revisions:?}");
    drop(storage);
    let found = check(directory.path(), &mut Texts).expect("checks");
    assert_eq!((found.damages.len(), found.intact.len()), (0, 1), "{:?}", found.damages);
    let mut storage = SqliteStorage::open(directory.path()).expect("opens");
    assert_eq!(storage.claim(&name("bread")).expect("claims").base, base);
    for revision in base.0..=100 {
        let loaded = storage.load_at(key, Revision(revision)).expect("loads");
        let from = loaded.snapshot.map_or(0, |snapshot| snapshot.revision.0);
        assert_eq!(from + loaded.records.len() as u64, revision);
    }
}
