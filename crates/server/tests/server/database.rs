//! Rooms, accounts and the audit log in a PostgreSQL database: `--storage`.

use std::process::{Output, Stdio};
use std::time::Instant;

use quadrille_test_database::{Durability, PASSWORD, TestDatabase};

use crate::person::Person;
use crate::support::{Server, TIMEOUT, binary};

/// Runs the binary to its end.
fn run(arguments: &[&str], url: &str) -> Output {
    binary()
        .args(arguments)
        .env("QUADRILLE_STORAGE", url)
        .stdin(Stdio::null())
        .output()
        .expect("the binary starts")
}

fn message(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn rooms_and_accounts_are_in_the_database() {
    let database = TestDatabase::shared();
    let url = database.create();
    let created = run(&["admin", "create", "--email", "ada@example.org"], &url);
    assert!(created.status.success(), "{}", message(&created));

    let data = tempfile::tempdir().expect("a temporary directory");
    let mut server = Server::start_on(data.path(), &["--storage", &url]);
    server.make_room("sales", "1,=A1*2\n");
    let mut ann = Person::join(&server, "sales", "Ann");
    ann.type_text("A1", "4");
    ann.wait_until_saved();
    assert!(server.put("/api/v1/rooms/other", "text/csv", "x\n").status == 201);
    let rooms = database.sql(&url, "SELECT string_agg(name, ' ' ORDER BY name) FROM quadrille.room");
    assert_eq!(rooms, "other sales");
    assert_eq!(database.sql(&url, "SELECT count(*) FROM quadrille.account WHERE is_admin"), "1");
    assert_eq!(
        std::fs::read_dir(data.path()).expect("exists").count(),
        0,
        "nothing is in the data directory"
    );

    let refused = run(&["serve", "--listen", "127.0.0.1:0"], &url.replace("/test_", "/none_"));
    assert_eq!(refused.status.code(), Some(1));
    assert!(message(&refused).contains("does not exist"), "{}", message(&refused));
    assert!(!message(&refused).contains(PASSWORD), "the password is not told");
    // Commands work beside a server, except with a room that the server has in memory.
    let admin = run(&["admin", "create", "--email", "bob@example.org"], &url);
    assert!(admin.status.success(), "{}", message(&admin));
    let (_guard, file) = crate::support::file("sales.csv", "");
    let exported = run(&["export", "sales", file.to_str().expect("ASCII")], &url);
    let elsewhere = format!("another server runs the room: http://{}", server.address);
    assert!(message(&exported).contains(&elsewhere), "{}", message(&exported));

    server.signal("TERM");
    assert_eq!(server.wait().code(), Some(0));
    assert_eq!(database.sql(&url, "SELECT count(*) FROM quadrille.node"), "0");
    let server = Server::start_on(data.path(), &["--storage", &url]);
    assert_eq!(server.csv("sales"), "4,8\n");
    let deleted = server.delete("/api/v1/rooms/other");
    assert!(deleted.status < 300, "{deleted:?}");
    assert_eq!(database.sql(&url, "SELECT count(*) FROM quadrille.room"), "1");
}

#[test]
fn a_file_has_the_password_of_the_database() {
    let database = TestDatabase::shared();
    let url = database.create();
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), format!("{PASSWORD}\n")).expect("written");
    let without = url.replace(&format!(":{PASSWORD}@"), "@");
    let data = tempfile::tempdir().expect("a temporary directory");
    let path = file.path().to_str().expect("ASCII");
    let server = Server::start_on(data.path(), &["--storage", &without, "--storage-password-file", path]);
    server.make_room("sales", "1\n");

    let refused = run(&["serve", "--listen", "127.0.0.1:0"], "mysql://ada:s3cret@localhost/books");
    assert_eq!(refused.status.code(), Some(2));
    assert!(message(&refused).contains("it has to begin with postgres://"), "{}", message(&refused));
    assert!(!message(&refused).contains("s3cret"));
}

/// People go on typing, programs are told to come back, and everything is stored when the database is back.
#[test]
fn changes_wait_while_the_database_is_away() {
    let mut database = TestDatabase::start(Durability::Synced);
    let url = database.create();
    let data = tempfile::tempdir().expect("a temporary directory");
    let server = Server::start_on(data.path(), &["--storage", &url]);
    let mut ann = Person::join(&server, "sales", "Ann");
    ann.type_text("A1", "before");
    ann.wait_until_saved();

    database.stop(true);
    ann.type_text("A2", "meanwhile");
    let began = Instant::now();
    let not_ready = loop {
        let reply = server.get("/readyz");
        if reply.status == 503 && reply.text().contains("the database is away") {
            break reply;
        }
        assert!(began.elapsed() < TIMEOUT, "{reply:?}");
    };
    assert_eq!(not_ready.json()["error"]["code"], "storage_failed");
    let refused = server.post_json("/api/v1/rooms/sales/sheets/Sheet1/rows", r#"{"rows":[["x"]]}"#);
    assert_eq!((refused.status, &refused.json()["error"]["code"]), (503, &"storage_failed".into()));
    ann.type_text("A3", "later");
    assert_eq!(ann.replica.unconfirmed(), 2, "nothing is acknowledged");

    database.run();
    ann.wait_until_saved();
    assert_eq!(server.csv("sales"), "before\nmeanwhile\nlater\n");
    assert_eq!(server.get("/readyz").status, 200);

    // Also when nobody has changed anything meanwhile.
    database.stop(false);
    let began = Instant::now();
    while server.get("/api/v1/rooms/unknown").status != 503 {
        assert!(began.elapsed() < TIMEOUT, "reading notices that the database is away");
    }
    database.run();
    while server.get("/readyz").status != 200 {
        assert!(began.elapsed() < TIMEOUT * 2, "the server notices that the database is back");
    }
    ann.type_text("A4", "after");
    ann.wait_until_saved();
}

const ROWS: &str = "/api/v1/rooms/sales/sheets/Sheet1/rows";

/// Sends a row. Returns the status and the text of the answer.
fn add_row(server: &Server, text: &str, key: &str) -> (u16, String) {
    let headers = [("content-type", "application/json"), ("idempotency-key", key)];
    let headers = if key.is_empty() { &headers[..1] } else { &headers[..] };
    let body = format!(r#"{{"rows":[["{text}"]]}}"#);
    let reply = server.send("POST", ROWS, headers, body.as_bytes());
    (reply.status, reply.text())
}

/// A database that is suspended keeps its connections; one that has become read-only refuses new ones. A request that
/// is being stored then got no answer until the database was back.
#[test]
fn requests_are_answered_while_the_database_does_not() {
    let database = TestDatabase::start(Durability::Synced);
    let url = database.create();
    let data = tempfile::tempdir().expect("a temporary directory");
    let server = Server::start_on(data.path(), &["--storage", &url]);
    server.make_room("sales", "0\n");
    let mut ann = Person::join(&server, "sales", "Ann");
    let name = url.rsplit('/').next().expect("the database").to_owned();
    let read_only = |is_on: bool| {
        database.admin(&format!("ALTER DATABASE \"{name}\" SET default_transaction_read_only = {is_on}"));
        database.admin(&format!(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}' AND backend_type = 'client backend'"
        ));
    };
    let pause = |is_paused: bool| database.pause(is_paused);
    for (row, disturb) in [&read_only as &dyn Fn(bool), &pause].into_iter().enumerate() {
        disturb(true);
        // Both arrive before anybody knows that the database is away. Whether they are stored is not known.
        let began = Instant::now();
        let (plain, keyed) = std::thread::scope(|scope| {
            let plain = scope.spawn(|| add_row(&server, &format!("plain {row}"), ""));
            let keyed = scope.spawn(|| add_row(&server, &format!("keyed {row}"), &format!("key-{row}")));
            (plain.join().expect("an answer"), keyed.join().expect("an answer"))
        });
        assert!(began.elapsed() < TIMEOUT / 2, "{:?}", began.elapsed());
        for (status, text) in [&plain, &keyed] {
            assert_eq!(*status, 503, "{text}");
            assert!(text.contains("storage_failed"), "{text}");
        }
        assert_eq!(server.get("/readyz").status, 503);
        assert_eq!(server.get("/api/v1/rooms/other").status, 503);
        let read = server.get("/api/v1/rooms/sales?format=csv");
        assert_eq!(read.status, 503, "the last change of the room is not stored: {read:?}");
        // Pages wait.
        ann.type_text(&format!("B{}", row + 1), "typed");
        disturb(false);
        ann.wait_until_saved();
        // The key is carried out once, whether the first attempt was or not.
        let began = Instant::now();
        while add_row(&server, &format!("keyed {row}"), &format!("key-{row}")).0 != 201 {
            assert!(began.elapsed() < TIMEOUT);
        }
        let csv = server.csv("sales");
        let count = |text: String| csv.lines().filter(|line| line.starts_with(&text)).count();
        assert_eq!(count(format!("keyed {row}")), 1, "{csv}");
        let is_known = plain.1.contains("it is not known");
        assert!(count(format!("plain {row}")) <= usize::from(is_known), "{csv}");
    }
}

/// Nobody asks for anything, so that nothing but the heartbeat notices it.
#[test]
fn an_idle_server_says_within_a_moment_that_the_database_is_away() {
    let database = TestDatabase::start(Durability::Synced);
    let url = database.create();
    let server = Server::start_on(&std::env::temp_dir(), &["--storage", &url, "--metrics", "true"]);
    assert_eq!(server.get("/readyz").status, 200);
    assert_eq!(server.metric("quadrille_storage_usable"), Some(1.0));
    for _ in 0..2 {
        database.pause(true);
        let began = Instant::now();
        while server.get("/readyz").status == 200 {
            // A statement of its own would wait for a minute.
            assert!(began.elapsed() < TIMEOUT, "{:?}", began.elapsed());
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        assert_eq!(server.get("/readyz").json()["error"]["code"], "storage_failed");
        assert_eq!(server.metric("quadrille_storage_usable"), Some(0.0));
        println!("away after {:?}", began.elapsed());
        database.pause(false);
        let began = Instant::now();
        while server.get("/readyz").status != 200 {
            assert!(began.elapsed() < TIMEOUT, "{:?}", began.elapsed());
        }
    }
}
