//! A server that runs many more rooms than another one with the same database gives some to it, while people
//! and programs use them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use quadrille_replica::Status;
use quadrille_test_database::TestDatabase;

use crate::person::Person;
use crate::several_servers::owner;
use crate::support::{Server, TIMEOUT};

const ROOMS: usize = 12;
/// A server that has two rooms more than the mean gives nothing, so that not all of six need to move.
const MOVED_MIN: usize = ROOMS / 2 - 2;

fn start(url: &str) -> Server {
    let arguments = ["--storage", url, "--balance-seconds", "1", "--metrics", "true"];
    Server::start_on(&std::env::temp_dir(), &arguments)
}

/// Writes a number after the other into a room, each as soon as the last one is stored, until `stop`. Returns
/// how many were stored.
fn write(server: &Server, room: &str, stop: &AtomicBool) -> usize {
    let mut stored = 0;
    while !stop.load(Ordering::Relaxed) {
        let path = format!("/api/v1/rooms/{room}/sheets/Sheet1/cells/B{}", stored + 1);
        let reply = server.put_json(&path, &format!("{{\"value\":{}}}", stored + 1));
        assert_eq!(reply.status, 200, "{room}: {reply:?}");
        stored += 1;
        std::thread::sleep(Duration::from_millis(5));
    }
    stored
}

/// Waits until the edits of a person are stored. Connects again, as the page does, whenever the room has gone.
fn save(person: &mut Person, server: &Server, room: &str) {
    let began = Instant::now();
    loop {
        person.wait_until("saved or closed", |person| {
            person.closed_with.is_some() || person.replica.status() == Status::Saved
        });
        let Some(code) = person.closed_with else { return };
        assert_eq!(code, 1012);
        assert!(began.elapsed() < TIMEOUT, "the room does not come to rest");
        person.connect(server, room, "");
    }
}

struct StoppedWhenDropped<'a>(&'a AtomicBool);

impl Drop for StoppedWhenDropped<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn a_server_that_starts_gets_rooms_of_one_that_has_many() {
    let database = TestDatabase::shared();
    let url = database.create();
    let first = start(&url);
    let rooms: Vec<String> = (0..ROOMS).map(|index| format!("room-{index}")).collect();
    let mut people: Vec<Person> = rooms.iter().map(|room| Person::join(&first, room, "Ann")).collect();
    for person in &mut people {
        person.type_text("A1", "1");
        person.wait_until_saved();
    }
    let second = start(&url);
    let runs =
        |server: &Server| rooms.iter().filter(|room| owner(database, &url, room) == server.url("")).count();
    assert_eq!((runs(&first), runs(&second)), (ROOMS, 0));

    let stop = AtomicBool::new(false);
    let written = std::thread::scope(|scope| {
        // Also when an assertion fails, since the scope waits for the writers.
        let _stopped = StoppedWhenDropped(&stop);
        let writers: Vec<_> = rooms
            .iter()
            .map(|room| {
                let (server, stop) = if room.ends_with('1') { (&second, &stop) } else { (&first, &stop) };
                scope.spawn(move || write(server, room, stop))
            })
            .collect();
        let began = Instant::now();
        let mut edits = 1;
        while runs(&second) < MOVED_MIN {
            assert!(began.elapsed() < TIMEOUT, "{} and {} rooms", runs(&first), runs(&second));
            for (person, room) in people.iter_mut().zip(&rooms) {
                edits += 1;
                person.type_text("A1", &edits.to_string());
                save(person, &first, room);
            }
        }
        stop.store(true, Ordering::Relaxed);
        writers.into_iter().map(|writer| writer.join().expect("all writes are stored")).collect::<Vec<_>>()
    });

    // None goes back, and nobody's work is lost.
    std::thread::sleep(Duration::from_secs(3));
    let moved = runs(&second);
    assert!((MOVED_MIN..=ROOMS / 2).contains(&moved) && runs(&first) == ROOMS - moved, "{moved} rooms moved");
    assert_eq!(first.metric("quadrille_rooms_handed_over_total"), Some(moved as f64));
    assert_eq!(second.metric("quadrille_rooms_handed_over_total"), Some(0.0));
    for ((person, room), written) in people.iter_mut().zip(&rooms).zip(written) {
        person.type_text("A2", "end");
        save(person, &second, room);
        let csv = second.csv(room);
        assert_eq!(csv.lines().nth(1).and_then(|line| line.split(',').next()), Some("end"), "{csv}");
        let last =
            csv.lines().filter_map(|line| line.split(',').nth(1)).filter(|cell| !cell.is_empty()).count();
        assert_eq!(last, written, "{room}");
    }
}
