//! `quadrille migrate`, and backups of a database: everything is copied from one engine to the other.

use std::path::{Path, PathBuf};

use quadrille_test_database::TestDatabase;
use serde_json::json;

use crate::access::{Restricted, send};
use crate::person::Person;
use crate::support::{Server, binary};

/// Runs the binary to its end, with success. Returns its standard output.
fn run(arguments: &[&str]) -> String {
    let process = binary().args(arguments).output().expect("the binary starts");
    let error = String::from_utf8_lossy(&process.stderr);
    assert_eq!(process.status.code(), Some(0), "{arguments:?}: {error}");
    String::from_utf8_lossy(&process.stdout).into_owned()
}

/// Runs the binary to its end. Returns the exit code and standard error.
fn run_in_vain(arguments: &[&str]) -> (i32, String) {
    let process = binary().args(arguments).output().expect("the binary starts");
    let error = String::from_utf8_lossy(&process.stderr).into_owned();
    (process.status.code().expect("not killed"), error)
}

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

fn digest(output: &str) -> &str {
    output.split("SHA-256 ").nth(1).expect("a digest").split_whitespace().next().expect("a digest")
}

fn post(server: &Server, path: &str, body: &serde_json::Value) {
    let reply = server.post_json(path, &body.to_string());
    assert!(reply.status < 300, "{path}: {reply:?}");
}

fn backup_in(directory: &Path) -> PathBuf {
    let mut entries =
        std::fs::read_dir(directory).expect("lists").map(|entry| entry.expect("an entry").path());
    entries.find(|path| path.is_dir()).expect("a backup")
}

#[test]
fn everything_moves_to_a_database_and_back_and_clients_go_on() {
    let database = TestDatabase::shared();
    let url = database.create();
    let directory = tempfile::tempdir().expect("a temporary directory");
    let [data, back] = ["data", "back"].map(|name| directory.path().join(name));
    run(&["admin", "create", "--email", "ada@example.org", "--data", text(&data)]);
    let mut server = Server::start_on(&data, &["--snapshot-after-records", "4"]);
    let secret = Restricted::new(&server, "secret");
    let mut ann = Person::join(&server, "plan", "Ann");
    for row in 1..=9 {
        ann.type_text(&format!("A{row}"), &row.to_string());
        ann.wait_until_saved();
    }
    post(&server, "/api/v1/rooms/plan/chat", &json!({"text": "Hello"}));
    let image = server.send(
        "POST",
        "/api/v1/rooms/plan/images",
        &[("content-type", "image/png")],
        b"\x89PNG\r\n\x1a\n1",
    );
    assert_eq!(image.status, 201, "{image:?}");
    let image = image.header("location").to_owned();
    let history = server.get("/api/v1/rooms/plan/history").text();

    let refused = run_in_vain(&["migrate", text(&data), &url]);
    assert_eq!(refused.0, 1);
    assert!(refused.1.contains("in use by another quadrille process"), "{}", refused.1);
    server.signal("TERM");
    server.wait();
    // Typed while the server was away.
    ann.lose_connection();
    ann.type_text("A10", "10");
    let there = run(&["migrate", text(&data), &url]);
    assert!(there.starts_with(&format!("migrated\t{}\t2 rooms, ", url.replace(":secret@", "@"))), "{there}");

    let options = ["--storage", &url];
    let mut server = Server::start_on(&data, &options);
    assert_eq!(server.get("/api/v1/rooms/plan/history").text(), history);
    ann.connect(&server, "plan", "");
    ann.wait_until_saved();
    assert_eq!(server.csv("plan"), "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n");
    assert_eq!(server.get("/api/v1/rooms/plan/chat").json()["remarks"][0]["text"], "Hello");
    assert_eq!(server.get(&image).status, 200);
    assert_eq!(server.get("/api/v1/rooms/secret").status, 404, "still hidden from strangers");
    assert_eq!(send(&server, &secret.owner_key, "GET", "/api/v1/rooms/secret", "").status, 200);
    server.make_room("new", "1\n");
    let refused = run_in_vain(&["migrate", &url, text(&back)]);
    assert!(refused.1.contains(&format!("http://{} uses the database", server.address)), "{}", refused.1);
    server.signal("TERM");
    server.wait();
    ann.lose_connection();

    let home = run(&["migrate", &url, text(&back)]);
    let other = run(&["migrate", text(&back), &database.create()]);
    assert_eq!(digest(&home), digest(&other), "the copy of a copy");
    let server = Server::start_on(&back, &[]);
    ann.connect(&server, "plan", "");
    ann.type_text("A11", "11");
    ann.wait_until_saved();
    assert_eq!(server.csv("plan"), "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n");
    assert_eq!(server.csv("new"), "1\n");
    assert_eq!(send(&server, &secret.owner_key, "GET", "/api/v1/rooms/secret", "").status, 200);
    drop(server);
    let admin = run(&["admin", "create", "--email", "ada@example.org", "--data", text(&back)]);
    assert!(admin.contains("ada@example.org"), "{admin}");
}

#[test]
fn most_is_copied_while_the_server_runs_and_the_rest_when_it_is_stopped() {
    let database = TestDatabase::shared();
    let url = database.create();
    let directory = tempfile::tempdir().expect("a temporary directory");
    let data = directory.path().join("data");
    let mut server = Server::start_on(&data, &[]);
    server.make_room("plan", "1\n");
    server.make_room("gone", "1\n");
    server.make_room("again", "1\n");
    let copied = run(&["migrate", text(&data), &url, "--live"]);
    assert!(copied.contains("3 rooms") && copied.contains("next\tstop what uses"), "{copied}");
    let refused = run_in_vain(&["serve", "--listen", "127.0.0.1:0", "--storage", &url]);
    assert_eq!(refused.0, 1);
    assert!(refused.1.contains("is not complete; run the same command again"), "{}", refused.1);
    let elsewhere = run_in_vain(&["migrate", text(&directory.path().join("none")), &url]);
    assert!(elsewhere.1.contains("no such data directory"), "{}", elsewhere.1);

    server.put("/api/v1/rooms/plan", "text/csv", "2\n");
    assert!(server.delete("/api/v1/rooms/gone").status < 300);
    assert!(server.delete("/api/v1/rooms/again").status < 300);
    server.make_room("again", "3\n");
    server.make_room("new", "4\n");
    server.signal("TERM");
    server.wait();
    let migrated = run(&["migrate", text(&data), &url]);
    assert!(migrated.contains("3 rooms"), "{migrated}");
    let server = Server::start_on(&data, &["--storage", &url]);
    assert_eq!(["plan", "again", "new"].map(|room| server.csv(room)), ["2\n", "3\n", "4\n"]);
    assert_eq!(server.get("/api/v1/rooms/gone").status, 404);
}

#[test]
fn a_backup_of_a_database_is_restored_into_either_engine_and_one_room_beside_others() {
    let database = TestDatabase::shared();
    let (url, second) = (database.create(), database.create());
    let directory = tempfile::tempdir().expect("a temporary directory");
    let [data, backups, restored] = ["data", "backups", "restored"].map(|name| directory.path().join(name));
    let server = Server::start_on(&data, &["--storage", &url]);
    let secret = Restricted::new(&server, "secret");
    let mut ann = Person::join(&server, "plan", "Ann");
    ann.type_text("A1", "before");
    ann.wait_until_saved();
    let made = run(&["backup", text(&backups), "--storage", &url, "--data", text(&data), "--whole"]);
    assert!(made.contains("2 rooms"), "{made}");
    ann.type_text("A1", "after");
    ann.type_text("A2", "after");
    ann.wait_until_saved();
    ann.lose_connection();
    let backup = backup_in(&backups);
    run(&["check", "--data", text(&backup)]);

    // One room beside the others, with its access, while the server goes on.
    let one = ["restore", text(&backup), "--room", "secret", "--as", "secret2", "--storage", &url];
    run(&one);
    assert_eq!(server.get("/api/v1/rooms/secret2").status, 404, "hidden from strangers");
    assert_eq!(send(&server, &secret.owner_key, "GET", "/api/v1/rooms/secret2", "").status, 200);
    let (code, error) = run_in_vain(&one);
    assert_eq!(code, 1);
    assert!(error.contains("the room secret2 exists; name another with --as"), "{error}");
    drop(server);

    run(&["restore", text(&backup), "--data", text(&restored)]);
    run(&["restore", text(&backup), "--storage", &second, "--data", text(&data)]);
    let (code, error) = run_in_vain(&["restore", text(&backup), "--storage", &url]);
    assert_eq!(code, 1);
    assert!(error.contains("it already has rooms or accounts"), "{error}");
    for options in [vec![], vec!["--storage", second.as_str()]] {
        let server = Server::start_on(&restored, &options);
        assert_eq!(server.csv("plan"), "before\n", "{options:?}");
        assert_eq!(server.get("/api/v1/rooms/secret").status, 404, "{options:?}");
        // A client that knows later revisions takes the restored ones.
        ann.connect(&server, "plan", "");
        ann.wait_for_value("A1", "before");
        ann.type_text("B1", "ann");
        ann.wait_until_saved();
        assert_eq!(server.csv("plan"), "before,ann\n", "{options:?}");
        ann.lose_connection();
    }
}
