//! Servers with several databases: each room is in one of them, and is moved while it is edited.

use std::time::{Duration, Instant};

use quadrille_test_database::{Durability, TestDatabase};
use serde_json::json;

use crate::access::close_code;
use crate::backup::run;
use crate::person::{Person, try_socket_over};
use crate::several_servers::{csv, start};
use crate::support::{Server, TIMEOUT, binary};

fn rooms(database: &TestDatabase, url: &str) -> usize {
    database.sql(url, "SELECT count(*) FROM quadrille.room").parse().expect("a number")
}

fn edit(server: &Server, room: &str, row: usize) {
    let body = json!({ "commands": [
        { "type": "typeText", "sheet": "Sheet1", "cell": format!("A{row}"), "text": row.to_string() },
    ]});
    let body = body.to_string();
    let reply = crate::several_servers::until_here(|| {
        server.post_json(&format!("/api/v1/rooms/{room}/commands"), &body)
    });
    assert_eq!(reply.status, 200, "{reply:?}");
}

#[test]
fn a_database_with_two_names_in_the_list_is_called_that() {
    let url = TestDatabase::shared().create();
    let other_name = url.replace("127.0.0.1", "localhost");
    let storage = format!("{url} {other_name}");
    let data = tempfile::tempdir().expect("a temporary directory");
    let output = binary()
        .args(["serve", "--listen", "127.0.0.1:0", "--storage", &storage, "--data"])
        .arg(data.path())
        .output()
        .expect("the binary starts");
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(error.contains("or is it another name of a database before it in the list?"), "{error}");
    assert!(error.contains("@localhost:") && !error.contains("secret"), "{error}");
}

#[test]
fn a_room_is_moved_to_another_database_while_it_is_edited() {
    let database = TestDatabase::shared();
    let (a, b) = (database.create(), database.create());
    let storage = format!("{a} {b}");
    let (mut first, second) = (start(&storage), start(&storage));
    for number in 0..12 {
        first.make_room(&format!("room-{number}"), "1\n");
    }
    let (in_a, in_b) = (rooms(database, &a), rooms(database, &b));
    assert!(in_a > 0 && in_b > 0 && in_a + in_b == 12, "{in_a} {in_b}");
    let listed = second.get("/_rooms").text();
    assert!((0..12).all(|number| listed.contains(&format!("room-{number}"))), "{listed}");

    first.make_room("plan", "0\n");
    let here =
        |url: &str| database.sql(url, "SELECT count(*) FROM quadrille.room WHERE name = 'plan'") == "1";
    let (from, to) = if here(&a) { (&a, &b) } else { (&b, &a) };
    let mut expected = String::new();
    std::thread::scope(|scope| {
        let moving = scope.spawn(|| run(&["move-room", "plan", to, "--storage", &storage]));
        let mut row = 0;
        while !moving.is_finished() || row < 20 {
            row += 1;
            edit(if row % 2 == 0 { &first } else { &second }, "plan", row);
            expected.push_str(&format!("{row}\n"));
        }
        let (code, output, error) = moving.join().expect("runs");
        assert_eq!(code, 0, "{error}");
        assert!(output.starts_with("moved\tplan\t"), "{output}");
    });
    assert!(here(to) && !here(from));
    assert_eq!((csv(&first, "plan"), csv(&second, "plan")), (expected.clone(), expected.clone()));
    first.kill();
    assert_eq!(csv(&second, "plan"), expected);
    drop(second);

    let directory = tempfile::tempdir().expect("a temporary directory");
    let backups = directory.path().join("backups");
    let backups = backups.to_str().expect("UTF-8");
    for (arguments, message) in [
        (vec!["move-room", "nothing", to, "--storage", &storage], "no such room: nothing"),
        (vec!["move-room", "plan", "postgres://x@y/z", "--storage", &storage], "no such database: "),
        (vec!["move-room", "plan", to, "--storage", &a], "name all databases by --storage"),
        (vec!["export", "plan", "/tmp/plan.csv", "--storage", &a], "name all of them in `storage`"),
    ] {
        let (code, _, error) = run(&arguments);
        assert!(code != 0 && error.contains(message), "{arguments:?}: {error}");
    }
    assert!(!std::path::Path::new(backups).exists());
}

/// H6: the databases are on two servers of PostgreSQL. While one is away, its rooms wait and say so, and the others
/// are edited, read and created.
#[test]
fn h6_rooms_of_the_others_are_served_while_a_database_is_away() {
    let mut databases = [(); 2].map(|()| TestDatabase::start(Durability::Synced));
    let urls: Vec<String> = databases.iter().map(TestDatabase::create).collect();
    let storage = format!("{} {}", urls[0], urls[1]);
    let settings = ["--storage", &storage, "--room-idle-seconds", "0", "--metrics", "true"];
    let server = Server::start_on(&std::env::temp_dir(), &settings);
    let has = |databases: &[TestDatabase; 2], place: usize, room: &str| {
        databases[place]
            .sql(&urls[place], &format!("SELECT count(*) FROM quadrille.room WHERE name = '{room}'"))
            == "1"
    };
    let mut names: [Vec<String>; 2] = Default::default();
    for number in 0..64 {
        let room = format!("room-{number}");
        if names.iter().all(|names| names.len() >= 2) {
            break;
        }
        server.make_room(&room, "0\n");
        names[usize::from(has(&databases, 1, &room))].push(room);
    }
    let mut people: Vec<Person> = names.iter().map(|names| Person::join(&server, &names[0], "Ann")).collect();
    let unloaded = Instant::now();
    while server.metric("quadrille_rooms") != Some(2.0) {
        assert!(unloaded.elapsed() < TIMEOUT, "rooms that nobody has open are unloaded");
    }
    for (away, is_killed) in [(1, true), (0, true), (1, false), (0, false)] {
        let here = 1 - away;
        match is_killed {
            true => databases[away].stop(true),
            false => databases[away].pause(true),
        }
        let text = format!("{away} {is_killed}");
        people[away].type_text("A1", &text);
        people[here].type_text("A1", &text);
        people[here].wait_until_saved();
        assert_eq!(people[away].replica.unconfirmed(), 1, "nothing is acknowledged");
        let began = Instant::now();
        let ready = loop {
            let ready = server.get("/readyz");
            // Before that, a journal may be slow to answer, and requests would wait for the database.
            if ready.text().to_lowercase().contains("away") {
                break ready;
            }
            assert!(began.elapsed() < TIMEOUT, "the server notices that the database is away");
        };
        let rows = format!("/api/v1/rooms/{}/sheets/Sheet1/rows", names[away][0]);
        let refused = server.post_json(&rows, r#"{"rows":[["x"]]}"#);
        assert_eq!((refused.status, refused.code()), (503, "storage_failed".into()));
        assert_eq!(csv(&server, &names[here][0]), format!("{text}\n"), "a room that is open is read");
        // Rooms that nobody has open, and that cannot be opened now: the answer comes at once.
        let closed = if away == 0 { vec![&names[0][1], &names[1][1]] } else { vec![&names[1][1]] };
        for room in closed {
            let asked = Instant::now();
            let refused = server.get(&format!("/api/v1/rooms/{room}?format=csv"));
            assert_eq!((refused.status, refused.code()), (503, "storage_failed".into()), "{refused:?}");
            assert_eq!(refused.header("retry-after"), "1");
            // Pages cannot reach the server in both cases; none is told that the room is damaged.
            match try_socket_over(server.connect(), room, "", &[]) {
                Err(refused) => assert!(refused.contains("503"), "{refused}"),
                Ok(mut socket) => assert_eq!(close_code(&mut socket).0, 1012),
            }
            assert!(asked.elapsed() < Duration::from_secs(5), "{away} {is_killed} {:?}", asked.elapsed());
        }
        if away == 0 {
            assert_eq!((ready.status, ready.code()), (503, "storage_failed".into()));
            let asked = Instant::now();
            let refused = server.put(&format!("/api/v1/rooms/new-{is_killed}"), "text/csv", "x\n");
            assert_eq!((refused.status, refused.code()), (503, "storage_failed".into()));
            assert!(asked.elapsed() < Duration::from_secs(5), "{is_killed} {:?}", asked.elapsed());
        } else {
            // Rooms without sessions are opened, and new ones are created.
            assert_eq!((ready.status, &ready.json()["databasesAway"]), (200, &json!(1)));
            edit(&server, &names[here][0], 1);
            let mut statuses = (0..20).map(|number| {
                server.put(&format!("/api/v1/rooms/new-{is_killed}-{number}"), "text/csv", "x\n").status
            });
            assert!(statuses.any(|status| status == 201), "some are placed in the other database");
        }
        match is_killed {
            true => databases[away].run(),
            false => databases[away].pause(false),
        }
        people[away].wait_until_saved();
        assert_eq!(csv(&server, &names[away][0]), format!("{text}\n"));
        while server.get("/readyz").text() != r#"{"status":"ready"}"# {
            assert!(began.elapsed() < TIMEOUT * 4, "the server notices that the database is back");
        }
    }
}
