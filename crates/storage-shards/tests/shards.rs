//! The suite of `journal::conformance` over two databases, moves of rooms, and lists that are refused.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::{Duration, Instant};

use quadrille_journal::conformance::{self, StorageUnderTest};
use quadrille_journal::{Append, Outcome, RoomKey, Storage, StorageError};
use quadrille_protocol::{Revision, RoomName};
use quadrille_storage_postgres::{Address, PostgresStorage};
use quadrille_storage_shards::{MoveProgress, ShardedStorage, check_alone};
use quadrille_test_database::{Durability, TestDatabase};

struct InDatabases {
    /// `None` only while it is opened again.
    storage: Option<ShardedStorage>,
    urls: Vec<String>,
}

impl StorageUnderTest for InDatabases {
    fn storage(&mut self) -> &mut dyn Storage {
        self.storage.as_mut().expect("open between calls")
    }

    fn restart(&mut self) {
        self.storage = None;
        self.storage = Some(join(&self.urls).expect("opens"));
    }
}

fn join(urls: &[String]) -> Result<ShardedStorage, String> {
    let list = urls.iter().map(|url| (url.clone(), open(url)));
    ShardedStorage::join(list.collect()).map_err(|error| error.to_string())
}

fn open(url: &str) -> Box<dyn Storage> {
    let address = Address::parse(url, None).expect("the address of the test's database");
    Box::new(PostgresStorage::open(&address, "").expect("opens"))
}

fn in_databases(server: &TestDatabase) -> Box<dyn StorageUnderTest> {
    let urls = vec![server.create(), server.create()];
    Box::new(InDatabases { storage: Some(join(&urls).expect("opens")), urls })
}

#[test]
fn sharded_storage_is_a_storage() {
    let server = TestDatabase::shared();
    conformance::run(&mut || in_databases(server));
    conformance::run_copies(in_databases(server));
    conformance::run_objects(in_databases(server));
}

fn name(text: &str) -> RoomName {
    RoomName::new(text).expect("a name")
}

fn store(storage: &mut dyn Storage, room: RoomKey, base: u64, count: u64) {
    let records = (base + 1..=base + count).map(|number| Arc::from(format!("record {number}").as_bytes()));
    let append =
        Append { room, base: Revision(base), records: records.collect(), time_ms: 1_000 + base as i64 };
    let outcome = storage.append(&[append]).expect("appends");
    assert_eq!(outcome, [Outcome::Durable { head: Revision(base + count) }]);
}

fn records(storage: &mut dyn Storage, room: &RoomName) -> Vec<String> {
    let claim = storage.find(room).expect("looks").expect("exists");
    let records = storage.tail(claim.key, Revision(0), usize::MAX).expect("reads");
    records.iter().map(|record| String::from_utf8_lossy(&record.bytes).into_owned()).collect()
}

fn expected(count: u64) -> Vec<String> {
    (1..=count).map(|number| format!("record {number}")).collect()
}

/// The urls, with the one that a room is in first.
fn here_and_there(storage: &mut ShardedStorage, urls: &[String], room: &RoomName) -> (String, String) {
    let here = storage.shard_of(room).expect("finds").to_owned();
    let there = urls.iter().find(|url| **url != here).expect("another").clone();
    (here, there)
}

#[test]
fn a_room_is_moved_while_it_is_written_and_again_after_any_interruption() {
    let server = TestDatabase::shared();
    let urls = vec![server.create(), server.create()];
    let rooms = |url: &str| server.sql(url, "SELECT count(*) FROM quadrille.room");
    let mut storage = join(&urls).expect("opens");
    let plan = name("plan");
    let claim = storage.claim(&plan).expect("claims");
    store(&mut storage, claim.key, 0, 500);
    let mut count = 500;
    // Interrupted after every number of steps, then without an interruption.
    for steps in (0..8).chain([usize::MAX]) {
        let (here, there) = here_and_there(&mut storage, &urls, &plan);
        assert!(storage.request_move(&plan, "nowhere").is_err_and(|error| error.to_string().contains(&here)));
        assert_eq!(storage.request_move(&plan, &there).expect("asks"), MoveProgress::Pending);
        let mut done = 0;
        while storage.move_progress(&plan).expect("looks") == MoveProgress::Pending && done < steps {
            if storage.is_maintenance_due() {
                storage.compact().expect("goes on");
                done += usize::from(steps != usize::MAX && storage.is_moving());
            }
            if count < 5_000 {
                store(&mut storage, claim.key, count, 10);
                count += 10;
            }
        }
        assert_eq!(records(&mut storage, &plan), expected(count), "{steps} steps");
        // The process ends; another goes on.
        drop(storage);
        storage = join(&urls).expect("opens");
        assert_eq!(records(&mut storage, &plan), expected(count), "{steps} steps");
        assert_eq!(storage.rooms().expect("lists").len(), 1);
        let again = storage.claim(&plan).expect("claims");
        assert_eq!((again.key, again.head), (claim.key, Revision(count)));
        if steps == usize::MAX {
            assert_eq!(storage.shard_of(&plan).expect("finds"), there);
            assert_eq!((rooms(&here), rooms(&there)), ("0".into(), "1".into()));
        }
    }
    assert!(storage.delete(&plan).expect("deletes"));
    assert_eq!(storage.find(&plan).expect("looks"), None);
    assert_eq!(server.sql(&urls[0], "SELECT count(*) FROM quadrille.property WHERE name LIKE '%plan'"), "0");
}

/// Appends one record without waiting.
fn submit(
    storage: &mut ShardedStorage,
    room: RoomKey,
    base: u64,
) -> Receiver<Result<Vec<Outcome>, StorageError>> {
    let records = vec![Arc::from(format!("record {}", base + 1).as_bytes())];
    let append = Append { room, base: Revision(base), records, time_ms: 1_000 };
    let part = storage.parts().and_then(|parts| parts.part_of(room)).expect("a room that was claimed");
    let (sender, outcome) = channel();
    storage.submit(part, &[append], Box::new(move |result| _ = sender.send(result)));
    outcome
}

fn is_away<T>(result: Result<T, StorageError>) -> bool {
    matches!(result, Err(StorageError::Away { .. }))
}

/// H6: the databases are on two servers. One of them is killed, or answers nothing over connections that stay.
#[test]
fn h6_rooms_of_the_others_go_on_while_a_database_is_away() {
    let mut servers = [(); 2].map(|()| TestDatabase::start(Durability::Synced));
    let urls: Vec<String> = servers.iter().map(TestDatabase::create).collect();
    let mut storage = join(&urls).expect("opens");
    let mut reader = storage.reader().expect("opens").expect("a database has one");
    // Two rooms of each; of the others, names of rooms to be created.
    let mut names: [Vec<RoomName>; 2] = Default::default();
    for number in 0..64 {
        let room = name(&format!("room-{number}"));
        let place = usize::from(storage.shard_of(&room).expect("finds") == urls[1]);
        names[place].push(room);
    }
    let keys: Vec<RoomKey> = (0..2)
        .map(|place| {
            let key = storage.claim(&names[place][0]).expect("claims").key;
            store(&mut storage, key, 0, 1);
            key
        })
        .collect();
    let mut head = 1;
    for (away, is_killed) in [(1, true), (0, true), (1, false), (0, false)] {
        let here = 1 - away;
        match is_killed {
            true => servers[away].stop(true),
            false => servers[away].pause(true),
        }
        let waiting = submit(&mut storage, keys[away], head);
        for base in head..head + 20 {
            let outcome = submit(&mut storage, keys[here], base).recv().expect("answered").expect("stored");
            assert_eq!(outcome, [Outcome::Durable { head: Revision(base + 1) }]);
        }
        let later = submit(&mut storage, keys[away], head + 1);
        assert!(is_away(storage.tail(keys[away], Revision(0), 1)), "{away} {is_killed}");
        assert!(is_away(reader.snapshot(keys[away], Revision(9))), "{away} {is_killed}");
        assert_eq!(records(&mut storage, &names[here][0]), expected(head + 20));
        assert_eq!(reader.snapshot(keys[here], Revision(9)).expect("reads"), None);
        assert!(storage.parts().is_some_and(|parts| parts.is_away(away) && !parts.is_away(here)));
        assert!(is_away(storage.find(&names[away][1])) && is_away(storage.rooms()), "{away} {is_killed}");
        // The first database has the entries of moved rooms.
        let new = names[here].pop().expect("enough names");
        match away {
            0 => {
                for refused in [storage.claim(&new).err(), reader.owner(&new).err()] {
                    let reason = refused.expect("no room is opened").to_string();
                    assert!(reason.contains("needed to open any workbook"), "{reason}");
                }
            }
            _ => {
                let key = storage.claim(&new).expect("claims").key;
                store(&mut storage, key, 0, 1);
            }
        }
        assert!(matches!(waiting.try_recv(), Err(TryRecvError::Empty)));
        match is_killed {
            true => servers[away].run(),
            false => servers[away].pause(false),
        }
        for (outcome, revision) in [(waiting, head + 1), (later, head + 2)] {
            let outcome = outcome.recv().expect("answered").expect("stored");
            assert_eq!(outcome, [Outcome::Durable { head: Revision(revision) }]);
        }
        store(&mut storage, keys[away], head + 2, 18);
        head += 20;
        while is_away(storage.rooms()) {
            std::thread::yield_now();
        }
        assert_eq!(records(&mut storage, &names[away][0]), expected(head));
    }
}

/// H6: a database that is suspended is noticed while nobody calls it, and a call that is already waiting is given up.
#[test]
fn h6_a_suspended_database_holds_up_the_others_for_a_second_at_most() {
    let servers = [(); 2].map(|()| TestDatabase::start(Durability::Unsynced));
    let urls: Vec<String> = servers.iter().map(TestDatabase::create).collect();
    let mut storage = join(&urls).expect("opens");
    let mut names = (0..64).map(|number| name(&format!("room-{number}")));
    let there =
        names.find(|room| storage.shard_of(room).is_ok_and(|url| url == urls[1])).expect("in the second");
    let key = storage.claim(&there).expect("claims").key;
    store(&mut storage, key, 0, 1);
    let parts = storage.parts().expect("several");
    let until = |is_away: bool| {
        let began = Instant::now();
        while parts.is_away(1) != is_away {
            if began.elapsed() > Duration::from_secs(30) {
                return false;
            }
            std::thread::yield_now();
        }
        true
    };
    for is_called in [false, true] {
        servers[1].pause(true);
        let began = Instant::now();
        let is_noticed = is_called || until(true);
        let is_refused = is_away(storage.tail(key, Revision(0), 1));
        let took = began.elapsed();
        // Before anything fails: the storage waits for its threads when it is dropped.
        servers[1].pause(false);
        assert!(is_noticed && is_refused, "{is_called}");
        // Four heartbeats are one second; the rest is for a machine that is busy.
        assert!(took < Duration::from_millis(1_900), "{is_called}: {took:?}");
        assert!(until(false), "the database is back");
        while is_away(storage.tail(key, Revision(0), 1)) {
            std::thread::yield_now();
        }
        assert_eq!(records(&mut storage, &there), expected(1));
    }
}

#[test]
fn rooms_stay_where_they_are_when_a_database_is_added() {
    let server = TestDatabase::shared();
    let mut urls = vec![server.create()];
    let mut storage = join(&urls).expect("opens");
    let names: Vec<RoomName> = (0..20).map(|number| name(&format!("room-{number}"))).collect();
    for room in &names {
        let key = storage.claim(room).expect("claims").key;
        store(&mut storage, key, 0, 3);
    }
    drop(storage);
    urls.push(server.create());
    let mut storage = join(&urls).expect("adds one");
    for room in &names {
        assert_eq!(storage.shard_of(room).expect("finds"), urls[0]);
        assert_eq!(records(&mut storage, room), expected(3));
    }
    let new: Vec<RoomName> = (0..20).map(|number| name(&format!("new-{number}"))).collect();
    for room in &new {
        let key = storage.claim(room).expect("claims").key;
        store(&mut storage, key, 0, 1);
    }
    let second = new.iter().filter(|room| storage.shard_of(room).expect("finds") == urls[1]).count();
    // Of 20 rooms in two databases; less likely than 1 in 100,000 otherwise.
    assert!((1..20).contains(&second), "{second}");
    assert_eq!(storage.rooms().expect("lists").len(), 40);
    let page = storage.rooms_after(Some(&name("new-9")), 2).expect("lists");
    assert_eq!(page.iter().map(|info| info.name.as_str()).collect::<Vec<_>>(), ["room-0", "room-1"]);
}

#[test]
fn wrong_lists_are_refused() {
    let server = TestDatabase::shared();
    let [a, b, c, d] = [(); 4].map(|()| server.create());
    drop(join(&[a.clone(), b.clone()]).expect("opens"));
    drop(join(&[c.clone(), d.clone()]).expect("opens"));
    let own = server.create();
    let mut alone = open(&own);
    let key = alone.claim(&name("plan")).expect("claims").key;
    store(&mut *alone, key, 0, 1);
    check_alone(&own, &mut *alone).expect("is alone");
    drop(alone);
    let refusal = |urls: &[&String]| {
        let urls: Vec<String> = urls.iter().map(|url| (*url).clone()).collect();
        join(&urls).err().unwrap_or_else(|| panic!("{urls:?} opens"))
    };
    for (urls, message) in [
        (vec![&a], "is missing in the list"),
        (vec![&b, &a], "is not the first of its databases"),
        (vec![&a, &a, &b], "has the identity of"),
        (vec![&a, &b, &d], "belongs to other databases"),
        (vec![&a, &b, &own], "already has rooms of its own"),
    ] {
        let found = refusal(&urls);
        assert!(found.contains(message), "{found}");
    }
    for url in [&a, &b] {
        let refused = check_alone(url, &mut *open(url)).map_err(|error| error.to_string());
        assert!(refused.is_err_and(|error| error.contains("one of several databases")), "{url}");
    }
    // Nothing was changed by that.
    drop(join(&[a, b]).expect("opens"));
    drop(join(&[c, d]).expect("opens"));
    check_alone(&own, &mut *open(&own)).expect("is alone");
}
