//! A database that refuses, goes away, is damaged or belongs to somebody else.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use quadrille_journal::{
    Append, Claim, Outcome, RoomKey, Snapshot, Storage, StorageError, StoredChatMessage,
};
use quadrille_protocol::{Revision, RoomName};
use quadrille_storage_postgres::{Address, PostgresAccessStore, PostgresStorage};
use quadrille_test_database::{Durability, PASSWORD, TestDatabase};

/// How long a test waits for something that has to happen.
const DEADLINE: Duration = Duration::from_secs(120);

fn address(url: &str) -> Address {
    Address::parse(url, None).expect("the address of the test's database")
}

fn open(url: &str) -> PostgresStorage {
    PostgresStorage::open(&address(url), "").expect("opens")
}

fn refusal(url: &str) -> String {
    PostgresStorage::open(&address(url), "").err().expect("refuses").to_string()
}

fn name(room: &str) -> RoomName {
    RoomName::new(room).expect("valid")
}

fn append(room: RoomKey, base: u64, record: &str) -> Append {
    Append { room, base: Revision(base), records: vec![Arc::from(record.as_bytes())], time_ms: 1 }
}

fn durable(head: u64) -> Vec<Outcome> {
    vec![Outcome::Durable { head: Revision(head) }]
}

#[test]
fn a_database_that_cannot_be_used_is_refused_with_the_reason() {
    let server = TestDatabase::start(Durability::Unsynced);
    let url = server.create();
    let wrong = refusal(&url.replace(PASSWORD, "wrong"));
    assert!(wrong.contains("password authentication failed for user \"quadrille\""), "{wrong}");
    assert!(!wrong.contains("wrong@") && !wrong.contains(":wrong"), "the password is not told: {wrong}");
    let missing = refusal(&url.replace("test_0", "nothing"));
    assert!(missing.contains("database \"nothing\" does not exist"), "{missing}");
    let away = refusal(&url.replace(&server.port().to_string(), "1"));
    assert!(away.contains("the database is away"), "{away}");

    // Without the privilege to create the schema.
    server.admin("CREATE DATABASE others");
    let others = refusal(&url.replace("test_0", "others"));
    assert!(others.contains("permission denied for database others"), "{others}");

    let read_only = server.create();
    let database = read_only.rsplit('/').next().expect("a name").to_owned();
    server.admin(&format!("ALTER DATABASE {database} SET default_transaction_read_only = on"));
    let refused = refusal(&read_only);
    assert!(refused.contains("the database is read-only"), "{refused}");

    drop(open(&url));
    server.sql(&url, "UPDATE quadrille.format SET number = 99, needs = 99");
    let newer = refusal(&url);
    assert!(
        newer.contains("written by a newer version of quadrille (format 99, this one knows 3)"),
        "{newer}"
    );
    let newer = PostgresAccessStore::open(&address(&url)).err().expect("refuses").to_string();
    assert!(newer.contains("format 99, this one knows 3"), "{newer}");
    // A newer version whose tables this one can work with.
    server.sql(&url, "UPDATE quadrille.format SET number = 99, needs = 1");
    open(&url);
}

/// O2, O5: servers use a database together, each for its rooms.
#[test]
fn o2_a_room_belongs_to_the_server_that_has_claimed_it() {
    let server = TestDatabase::shared();
    let url = server.create();
    let mut first = PostgresStorage::open(&address(&url), "http://10.0.0.1:8000").expect("opens");
    let mut second = PostgresStorage::open(&address(&url), "http://10.0.0.2:8000").expect("opens");
    let sales = first.claim(&name("sales")).expect("claims").key;
    let plan = second.claim(&name("plan")).expect("claims").key;
    // Before the first record, too.
    assert_eq!(owner(&mut second, "sales"), "http://10.0.0.1:8000");
    assert_eq!(first.append(&[append(sales, 0, "a")]).expect("appends"), durable(1));
    assert_eq!(second.append(&[append(plan, 0, "b")]).expect("appends"), durable(1));
    assert_eq!(owner(&mut second, "sales"), "http://10.0.0.1:8000");
    assert_eq!(owner(&mut first, "plan"), "http://10.0.0.2:8000");
    let elsewhere = second.delete(&name("sales")).expect_err("is not its room").to_string();
    assert_eq!(elsewhere, "another server runs the room: http://10.0.0.1:8000");
    let mut reader = second.reader().expect("connects").expect("PostgreSQL has one");
    let owner_of_sales = reader.owner(&name("sales")).expect("reads").expect("the first has it");
    assert_eq!(owner_of_sales.url, "http://10.0.0.1:8000");
    assert_eq!(reader.owner(&name("plan")).expect("reads"), None, "it is its own");
    assert_eq!(reader.owner(&name("other")).expect("reads"), None);
    let names = second.owned_rooms().expect("PostgreSQL has them");
    assert!(names.contains(&name("plan")) && !names.contains(&name("sales")));

    first.release(sales).expect("releases");
    assert_eq!(first.append(&[append(sales, 1, "late")]).expect("answers"), [Outcome::Fenced]);
    let claim = second.claim(&name("sales")).expect("claims");
    assert_eq!((claim.key, claim.head), (sales, Revision(1)));
    assert_eq!(second.append(&[append(sales, 1, "c")]).expect("appends"), durable(2));
    drop(second);
    assert_eq!(first.claim(&name("sales")).expect("claims").head, Revision(2));
    assert!(first.delete(&name("sales")).expect("deletes"));
    assert_eq!(server.sql(&url, "SELECT count(*) FROM quadrille.room_owner"), "0");
    drop(first);
    assert_eq!(server.sql(&url, "SELECT count(*) FROM quadrille.node"), "0");
}

/// O3: the others are told that a server has left, whose rooms are free then.
#[test]
fn o3_the_departure_of_a_server_is_told() {
    let server = TestDatabase::shared();
    let url = server.create();
    let mut first = PostgresStorage::open(&address(&url), "http://10.0.0.1:8000").expect("opens");
    let mut second = PostgresStorage::open(&address(&url), "http://10.0.0.2:8000").expect("opens");
    let (told, departures) = channel();
    let peers = second.peers().expect("PostgreSQL has them");
    peers.on_departed(move |peer| _ = told.send(peer));
    first.claim(&name("sales")).expect("claims");
    let mut reader = second.reader().expect("connects").expect("PostgreSQL has one");
    let owner = reader.owner(&name("sales")).expect("reads").expect("the first has it").peer;
    // The heartbeat has seen it by then.
    assert!(departures.recv_timeout(Duration::from_millis(600)).is_err());
    drop(first);
    assert_eq!(departures.recv_timeout(DEADLINE), Ok(owner));
    assert_eq!(reader.owner(&name("sales")).expect("reads"), None);
    second.claim(&name("sales")).expect("claims");
    // One whose machine has lost its power is removed.
    server.sql(&url, "INSERT INTO quadrille.node (name, url, beat) VALUES ('gone', '', 1)");
    departures.recv_timeout(DEADLINE).expect("it has no heartbeat");
    assert_eq!(server.sql(&url, "SELECT count(*) FROM quadrille.node"), "1");
}

/// The URL of the server that has a room.
fn owner(storage: &mut PostgresStorage, room: &str) -> String {
    match storage.claim(&name(room)) {
        Err(StorageError::Elsewhere { url }) => url,
        other => panic!("{room} belongs to another server: {other:?}"),
    }
}

/// Claims a room as soon as its owner has lost it.
fn claim_when_free(storage: &mut PostgresStorage, room: &str) -> Claim {
    let began = Instant::now();
    loop {
        match storage.claim(&name(room)) {
            Err(StorageError::Elsewhere { .. }) => {
                assert!(began.elapsed() < DEADLINE, "the other server has no heartbeat");
                std::thread::sleep(Duration::from_millis(20));
            }
            claimed => return claimed.expect("claims"),
        }
    }
}

/// J1: what was acknowledged is there after `kill -9` of the database, and what was sent meanwhile is stored
/// when it is back, once.
#[test]
fn j1_appends_wait_while_the_database_is_away() {
    let mut server = TestDatabase::start(Durability::Synced);
    let mut storage = open(&server.create());
    let key = storage.claim(&name("sales")).expect("claims").key;
    assert_eq!(storage.append(&[append(key, 0, "before")]).expect("appends"), durable(1));
    let availability = storage.availability().expect("PostgreSQL has one");

    for (round, by_kill) in [true, false].into_iter().enumerate() {
        server.stop(by_kill);
        let base = 1 + round as u64;
        let away = storage.load(key).expect_err("is away");
        assert!(matches!(away, StorageError::Away { .. }), "{away}");
        assert!(availability.is_away());
        let (acknowledged, answers) = channel();
        let waiting = std::thread::spawn(move || {
            let outcomes = storage.append(&[append(key, base, "meanwhile")]);
            acknowledged.send(outcomes).expect("the test waits");
            storage
        });
        assert!(answers.try_recv().is_err(), "not acknowledged while the database is away");
        server.run();
        assert_eq!(
            answers.recv_timeout(DEADLINE).expect("is acknowledged").expect("appends"),
            durable(base + 1)
        );
        storage = waiting.join().expect("no panic");
        // The heartbeat has a connection of its own, which comes back by itself.
        let began = Instant::now();
        while availability.is_away() {
            assert!(began.elapsed() < DEADLINE, "the heartbeat is not answered");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
    let texts: Vec<String> = storage
        .load(key)
        .expect("loads")
        .records
        .iter()
        .map(|record| String::from_utf8_lossy(&record.bytes).into_owned())
        .collect();
    assert_eq!(texts, ["before", "meanwhile", "meanwhile"]);
}

/// A proxy before the database. It can lose an answer: it closes both connections instead of passing it on.
/// And it can pause: what clients send waits.
struct LossyProxy {
    port: u16,
    loses_next_answer: Arc<AtomicBool>,
    is_paused: Arc<AtomicBool>,
}

impl LossyProxy {
    fn start(database: u16) -> LossyProxy {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
        let port = listener.local_addr().expect("bound").port();
        let loses_next_answer = Arc::new(AtomicBool::new(false));
        let is_paused = Arc::new(AtomicBool::new(false));
        let (loses, pauses) = (Arc::clone(&loses_next_answer), Arc::clone(&is_paused));
        std::thread::spawn(move || {
            for client in listener.incoming() {
                let client = client.expect("accepts");
                let server = TcpStream::connect(("127.0.0.1", database)).expect("the database is there");
                let (mut requests, mut to_server) =
                    (client.try_clone().expect("clones"), server.try_clone().expect("clones"));
                let pauses = Arc::clone(&pauses);
                std::thread::spawn(move || {
                    let mut bytes = [0; 65_536];
                    while let Ok(count @ 1..) = requests.read(&mut bytes) {
                        while pauses.load(Ordering::SeqCst) {
                            std::thread::sleep(Duration::from_millis(5));
                        }
                        if to_server.write_all(&bytes[..count]).is_err() {
                            break;
                        }
                    }
                    _ = to_server.shutdown(Shutdown::Both);
                });
                let loses = Arc::clone(&loses);
                std::thread::spawn(move || pass_answers(server, client, &loses));
            }
        });
        LossyProxy { port, loses_next_answer, is_paused }
    }
}

fn pass_answers(mut server: TcpStream, mut client: TcpStream, loses: &AtomicBool) {
    let mut bytes = [0; 65_536];
    while let Ok(count @ 1..) = server.read(&mut bytes) {
        if loses.swap(false, Ordering::SeqCst) || client.write_all(&bytes[..count]).is_err() {
            break;
        }
    }
    _ = client.shutdown(Shutdown::Both);
    _ = server.shutdown(Shutdown::Both);
}

/// The connection ends after the database has committed and before its answer arrives: the batch is found,
/// and neither stored twice nor fenced.
#[test]
fn a_commit_without_an_answer_is_stored_once() {
    let server = TestDatabase::shared();
    let proxy = LossyProxy::start(server.port());
    let url = server.create();
    let mut storage = open(&url.replace(&server.port().to_string(), &proxy.port.to_string()));
    let rooms = ["sales", "other"].map(|room| storage.claim(&name(room)).expect("claims").key);
    let batch = |base: u64| rooms.map(|room| append(room, base, &format!("record {}", base + 1)));
    for base in 0..2 {
        // The second commit prepares the statement that the third uses.
        storage.append(&batch(base)).expect("appends");
    }
    proxy.loses_next_answer.store(true, Ordering::SeqCst);
    assert_eq!(storage.append(&batch(2)).expect("appends"), [durable(3), durable(3)].concat());
    assert!(!proxy.loses_next_answer.load(Ordering::SeqCst), "an answer was lost");
    assert_eq!(server.sql(&url, "SELECT count(*), max(last) FROM quadrille.record"), "6|3");
    for room in rooms {
        assert_eq!(storage.load(room).expect("loads").records.len(), 3);
    }

    // A new room whose first commit gets no answer.
    let new = storage.claim(&name("new")).expect("claims").key;
    storage.append(&[append(new, 0, "prepares")]).expect("appends");
    let late = storage.claim(&name("late")).expect("claims").key;
    proxy.loses_next_answer.store(true, Ordering::SeqCst);
    assert_eq!(storage.append(&[append(late, 0, "first")]).expect("appends"), durable(1));
    assert_eq!(storage.find(&name("late")).expect("finds").map(|claim| claim.head), Some(Revision(1)));
}

/// Another server wrote to the room: the append of this one is fenced, and other rooms of the batch are not.
#[test]
fn j3_an_append_after_that_of_another_server_is_fenced() {
    let server = TestDatabase::shared();
    let url = server.create();
    let mut storage = open(&url);
    let rooms = ["sales", "other"].map(|room| storage.claim(&name(room)).expect("claims").key);
    let batch = |base: u64| rooms.map(|room| append(room, base, "ours"));
    storage.append(&batch(0)).expect("appends");
    server.sql(&url, &format!("UPDATE quadrille.room_head SET revision = 2 WHERE room = {}", rooms[0].0));
    let outcomes = storage.append(&batch(1)).expect("appends");
    assert_eq!(outcomes, [vec![Outcome::Fenced], durable(2)].concat());
    assert_eq!(storage.append(&[append(rooms[0], 2, "ours")]).expect("appends"), [Outcome::Fenced]);
    // The room was created by another server first.
    let late = storage.claim(&name("late")).expect("claims").key;
    server.sql(
        &url,
        "INSERT INTO quadrille.room VALUES (900, 'late', 1); INSERT INTO quadrille.room_head VALUES (900, 5, 0, 1, 0)",
    );
    assert_eq!(storage.append(&[append(late, 0, "ours")]).expect("appends"), [Outcome::Fenced]);
    let found = storage.claim(&name("late")).expect("claims");
    assert_eq!((found.key, found.head), (RoomKey(900), Revision(5)));
}

#[test]
fn j6_a_damaged_record_stops_its_room_only() {
    let server = TestDatabase::shared();
    let url = server.create();
    let mut storage = open(&url);
    let (one, two) =
        (storage.claim(&name("one")).expect("claims").key, storage.claim(&name("two")).expect("claims").key);
    for (base, record) in [(0, "intact"), (1, "victim"), (2, "later")] {
        storage.append(&[append(one, base, record), append(two, base, record)]).expect("appends");
    }
    let damage = |sql: &str| server.sql(&url, sql);
    damage(&format!(
        "UPDATE quadrille.record SET data = set_byte(data, 40, 0) WHERE room = {} AND last = 2",
        one.0
    ));
    let error = storage.load(one).expect_err("is damaged");
    assert!(
        matches!(error, StorageError::Damaged { room, revision: Revision(2), .. } if room == one),
        "{error}"
    );
    damage(&format!("DELETE FROM quadrille.record WHERE room = {} AND last = 2", one.0));
    let error = storage.load(one).expect_err("has a gap");
    assert!(
        matches!(error, StorageError::Damaged { room, revision: Revision(2), .. } if room == one),
        "{error}"
    );
    assert_eq!(storage.load(two).expect("loads").records.len(), 3);

    // J5: damaged snapshots are skipped.
    for (revision, bytes) in [(1, "one"), (3, "three")] {
        let snapshot = Snapshot { revision: Revision(revision), bytes: Arc::from(bytes.as_bytes()) };
        storage.put_snapshot(two, &snapshot).expect("stores");
    }
    damage("UPDATE quadrille.snapshot SET data = '\\x00' WHERE revision = 3");
    let loaded = storage.load(two).expect("loads");
    assert_eq!(loaded.snapshot.map(|snapshot| snapshot.revision), Some(Revision(1)));
    assert_eq!(loaded.records.len(), 2);
}

/// O2, O3, O4: a server that was paused, or cut off from the database, is replaced, and stores nothing when it
/// goes on.
#[test]
fn o4_a_server_that_was_paused_stores_nothing_after_others_have_taken_its_rooms() {
    let server = TestDatabase::shared();
    let proxy = LossyProxy::start(server.port());
    let url = server.create();
    let mut first = open(&url.replace(&server.port().to_string(), &proxy.port.to_string()));
    let key = first.claim(&name("sales")).expect("claims").key;
    first.append(&[append(key, 0, "first")]).expect("appends");
    let mut second = open(&url);
    let lives = second.claim(&name("sales")).expect_err("the first lives");
    assert!(matches!(lives, StorageError::Elsewhere { .. }), "{lives}");

    // Nothing of the first reaches the database any more, as when its process is stopped; the database does
    // not notice.
    proxy.is_paused.store(true, Ordering::SeqCst);
    let claim = claim_when_free(&mut second, "sales");
    assert_eq!((claim.key, claim.head), (key, Revision(1)));
    second.append(&[append(key, 1, "of the second")]).expect("appends");

    proxy.is_paused.store(false, Ordering::SeqCst);
    let lost = first.append(&[append(key, 1, "of the first")]).expect_err("is lost").to_string();
    assert!(lost.contains("others have taken its rooms"), "{lost}");
    let availability = first.availability().expect("PostgreSQL has one");
    let began = Instant::now();
    while !availability.is_lost() {
        assert!(began.elapsed() < DEADLINE, "the server is told that it has to end");
        std::thread::yield_now();
    }
    assert!(first.load(key).is_err(), "it tells nothing, either");
    drop(first);
    let texts: Vec<String> = second
        .load(key)
        .expect("loads")
        .records
        .iter()
        .map(|record| String::from_utf8_lossy(&record.bytes).into_owned())
        .collect();
    assert_eq!(texts, ["first", "of the second"]);
}

/// O2 also holds for statements that only arrive after another server has claimed the room, over a connection
/// that the database still has, and for everything that is stored beside records.
#[test]
fn o2_what_arrives_late_is_refused_by_its_epoch() {
    let server = TestDatabase::shared();
    let url = server.create();
    let mut storage = open(&url);
    let [key, other, gone] =
        ["sales", "other", "gone"].map(|room| storage.claim(&name(room)).expect("claims").key);
    let first = [key, other, gone].map(|room| append(room, 0, "first"));
    storage.append(&first).expect("appends");
    let new = storage.claim(&name("new")).expect("claims").key;
    // What a claim of another server changes.
    server.sql(
        &url,
        "UPDATE quadrille.room_owner SET epoch = nextval('quadrille.owner_epoch') WHERE room <> 'other'",
    );
    server.sql(
        &url,
        &format!("UPDATE quadrille.room_head SET epoch = epoch + 100 WHERE room IN ({}, {})", key.0, gone.0),
    );
    let chat = |room: RoomKey| StoredChatMessage {
        room,
        number: 1,
        bytes: Arc::from(&b"late"[..]),
        forget_up_to: 0,
    };
    assert!(storage.put_chat_messages(&[chat(key)]).is_err());
    let snapshot = Snapshot { revision: Revision(1), bytes: Arc::from(&b"late"[..]) };
    assert!(storage.put_snapshot(key, &snapshot).is_err());
    assert!(storage.delete(&name("gone")).is_err());
    let batch = [append(key, 1, "late"), append(other, 1, "in time"), append(new, 0, "late")];
    let outcomes = storage.append(&batch).expect("appends");
    assert_eq!(outcomes, [vec![Outcome::Fenced], durable(2), vec![Outcome::Fenced]].concat());
    let stored = "SELECT count(*) FROM quadrille.record JOIN quadrille.room ON room.id = record.room";
    assert_eq!(server.sql(&url, &format!("{stored} WHERE name = 'sales'")), "1");
    assert_eq!(server.sql(&url, &format!("{stored} WHERE name = 'other'")), "2");
    assert_eq!(server.sql(&url, "SELECT count(*) FROM quadrille.room"), "3");
    assert_eq!(server.sql(&url, "SELECT count(*) FROM quadrille.chat"), "0");
    assert_eq!(server.sql(&url, "SELECT count(*) FROM quadrille.snapshot"), "0");
    storage.put_chat_messages(&[chat(other)]).expect("stores");
}

/// The certificate of the database and its host name are verified.
#[test]
fn connections_with_tls_verify_the_database() {
    let server = TestDatabase::start(Durability::Unsynced);
    let url = server.create();
    let require =
        |host: &str, more: &str| format!("{}?sslmode=require{more}", url.replace("127.0.0.1", host));
    let without = refusal(&require("localhost", ""));
    assert!(without.contains("TLS") || without.contains("tls"), "the database offers no TLS: {without}");

    let key = rcgen::KeyPair::generate().expect("a key");
    let parameters = rcgen::CertificateParams::new(["localhost".to_owned()]).expect("a valid name");
    let certificate = parameters.self_signed(&key).expect("a certificate").pem();
    server.enable_tls(&certificate, &key.serialize_pem());
    let authority = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(authority.path(), &certificate).expect("written");
    let trusted = format!("&sslrootcert={}", authority.path().display());

    let unknown = refusal(&require("localhost", ""));
    assert!(unknown.contains("certificate"), "an authority that is not known: {unknown}");
    let other_name = refusal(&require("127.0.0.1", &trusted));
    assert!(other_name.contains("certificate"), "the certificate is for localhost: {other_name}");
    let mut storage = open(&require("localhost", &trusted));
    storage.claim(&name("sales")).expect("claims");
    assert_eq!(server.sql("postgres", "SELECT count(*) > 0 FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE ssl AND usename = 'quadrille'"), "t");
}
