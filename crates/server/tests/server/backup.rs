//! `quadrille backup` and `quadrille restore`: a drill with a running server. Increments are in `backup_chains.rs`.

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::access::{Restricted, send};
use crate::person::Person;
use crate::support::{Server, binary, file};

/// Runs the binary and returns its exit code, standard output and standard error.
pub fn run(arguments: &[&str]) -> (i32, String, String) {
    let process = binary().args(arguments).output().expect("the binary starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (process.status.code().expect("not killed"), text(&process.stdout), text(&process.stderr))
}

pub fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// Makes a backup and returns its directory.
pub fn back_up(data: &Path, backups: &Path, more: &[&str]) -> PathBuf {
    let arguments = [&["backup", text(backups), "--data", text(data)], more].concat();
    let (code, output, error) = run(&arguments);
    assert_eq!((code, error.as_str()), (0, ""), "{output}");
    let line = output.lines().find(|line| line.starts_with("backup\t")).expect("names the backup");
    PathBuf::from(line.split('\t').nth(1).expect("a path"))
}

fn backups_in(directory: &Path) -> usize {
    std::fs::read_dir(directory)
        .expect("lists")
        .filter(|entry| entry.as_ref().expect("an entry").path().is_dir())
        .count()
}

#[test]
fn a_backup_of_a_running_server_is_restored_with_its_access_and_clients_converge() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let [data, backups, restored] = ["data", "backups", "restored"].map(|name| directory.path().join(name));
    let mut server = Server::start_on(&data, &[]);
    let secret = Restricted::new(&server, "secret");
    let published = send(&server, &secret.owner_key, "GET", "/api/v1/rooms/secret/published", "").json();
    let published = published["pages"][0]["url"].as_str().expect("a link").to_owned();
    let mut ann = Person::join(&server, "plan", "Ann");
    ann.type_text("A1", "before");
    ann.wait_until_saved();

    // A minute of the year 2160: no test waits for it.
    assert_eq!(server.post_json("/_/plan", r#"{"command":"settimetrigger B9 99999999"}"#).status, 202);

    assert_eq!(server.put_json("/api/v1/rooms/plan/versions/1", r#"{"name":"First"}"#).status, 200);

    let backup = back_up(&data, &backups, &[]);
    // Acknowledged after the backup, so not in it.
    ann.type_text("A1", "after");
    ann.type_text("A2", "after");
    ann.wait_until_saved();
    ann.lose_connection();
    server.kill();

    let (code, output, error) = run(&["restore", text(&backup), "--data", text(&restored)]);
    assert_eq!((code, error.as_str()), (0, ""), "{output}");
    assert!(output.starts_with(&format!("restored\t{}\t2 rooms, ", restored.display())), "{output}");
    let server = Server::start_on(&restored, &[]);
    assert_eq!(server.csv("plan"), "before\n");
    assert_eq!(server.get("/api/v1/rooms/plan/versions").json()["versions"][0]["name"], "First");
    assert_eq!(server.get("/_timetrigger").json(), json!({ "plan!B9": "99999999" }));
    assert_eq!(server.get("/api/v1/rooms/secret").status, 404, "still hidden from strangers");
    let reply = send(&server, &secret.owner_key, "GET", "/api/v1/rooms/secret", "");
    assert_eq!(reply.status, 200, "{reply:?}");
    assert_eq!(server.get(&published).status, 200, "the link of a published page holds");

    // A client that knows later revisions takes the restored ones, and both sides converge.
    let mut bob = Person::join(&server, "plan", "Bob");
    bob.type_text("B1", "bob");
    bob.wait_until_saved();
    ann.connect(&server, "plan", "");
    ann.wait_for_value("B1", "bob");
    ann.wait_for_value("A1", "before");
    ann.type_text("C1", "ann");
    ann.wait_until_saved();
    bob.wait_for_value("C1", "ann");
    assert_eq!(server.csv("plan"), "before,bob,ann\n");
}

#[test]
fn keep_removes_the_oldest_backups_and_nothing_else() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let [data, backups] = ["data", "backups"].map(|name| directory.path().join(name));
    let server = Server::start_on(&data, &[]);
    server.make_room("plan", "1\n");
    std::fs::create_dir_all(backups.join("notes")).expect("a directory");
    // A backup that was interrupted.
    std::fs::create_dir_all(backups.join("incomplete-2026-01-01T00-00-00.000Z")).expect("a directory");
    let first = back_up(&data, &backups, &["--whole"]);
    let second = back_up(&data, &backups, &["--whole", "--keep", "2"]);
    assert!(first.exists() && second.exists());
    let third = back_up(&data, &backups, &["--whole", "--keep", "2"]);
    assert_eq!([&first, &second, &third].map(|backup| backup.exists()), [false, true, true]);
    assert_eq!(backups_in(&backups), 3, "two backups and a directory of somebody else");
}

#[test]
fn one_workbook_is_taken_out_of_a_backup_into_a_running_server() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let [data, backups] = ["data", "backups"].map(|name| directory.path().join(name));
    let server = Server::start_on(&data, &[]);
    server.make_room("plan", "1,=A1*2\n");
    let backup = back_up(&data, &backups, &["--whole"]);
    server.make_room("plan", "lost\n");
    let file = directory.path().join("plan.json");
    let (code, _, error) = run(&["export", "plan", text(&file), "--data", text(&backup)]);
    assert_eq!((code, error.as_str()), (0, ""));
    let (code, _, error) = run(&["import", text(&file), "--room", "plan", "--server", &server.url("")]);
    assert_eq!((code, error.as_str()), (0, ""));
    assert_eq!(server.csv("plan"), "1,2\n");
    let cell = server.get("/api/v1/rooms/plan/sheets/Sheet1/cells/B1").json();
    assert_eq!(cell["cell"]["formula"], json!("=A1*2"), "{cell}");
}

/// The time of now, which is neither that of an earlier nor of a later edit.
pub fn moment() -> String {
    let pause = std::time::Duration::from_millis(5);
    std::thread::sleep(pause);
    let now = chrono::Utc::now().to_rfc3339_opts(chrono::SecondsFormat::Millis, true);
    std::thread::sleep(pause);
    now
}

#[test]
fn everything_or_one_workbook_is_restored_as_it_was_at_an_earlier_moment() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let [data, backups, restored] = ["data", "backups", "restored"].map(|name| directory.path().join(name));
    let before_all = moment();
    let mut server = Server::start_on(&data, &[]);
    server.make_room("budget", "7\n");
    let mut ann = Person::join(&server, "plan", "Ann");
    for (cell, text) in [("A1", "first"), ("B1", "second"), ("A1", "third")] {
        ann.type_text(cell, text);
        ann.wait_until_saved();
    }
    let say = |server: &Server, text: &str| {
        let reply = server.post_json("/api/v1/rooms/plan/chat", &json!({ "text": text }).to_string());
        assert_eq!(reply.status, 201, "{reply:?}");
    };
    say(&server, "before");
    let then = moment();
    say(&server, "after");
    ann.type_text("A1", "a mistake");
    ann.wait_until_saved();
    server.make_room("later", "1\n");
    let backup = back_up(&data, &backups, &[]);
    server.kill();

    let restore =
        |more: &[&str], data: &Path| run(&[&["restore", text(&backup), "--data", text(data)], more].concat());
    let (code, output, error) = restore(&["--at", &then], &restored);
    assert_eq!((code, error.as_str()), (0, ""), "{output}");
    let line = format!("restored\t{}\tas of {then}, 2 rooms, ", restored.display());
    assert!(output.starts_with(&line), "{output}");
    let server = Server::start_on(&restored, &[]);
    assert_eq!((server.csv("plan"), server.csv("budget")), ("third,second\n".into(), "7\n".into()));
    assert_eq!(server.get("/api/v1/rooms/later").status, 404, "it did not exist");
    let chat = server.get("/api/v1/rooms/plan/chat").json()["remarks"].clone();
    assert_eq!(
        (chat[0]["text"].as_str(), chat.as_array().map(Vec::len)),
        (Some("before"), Some(1)),
        "{chat}"
    );
    // Its history goes on from there.
    let mut bob = Person::join(&server, "plan", "Bob");
    bob.type_text("C1", "bob");
    bob.wait_until_saved();
    assert_eq!(server.csv("plan"), "third,second,bob\n");

    // One workbook beside those of the data directory, whose server is stopped.
    let (code, output, error) = restore(&["--room", "plan", "--as", "plan-then", "--at", &then], &data);
    assert_eq!((code, error.as_str()), (0, ""), "{output}");
    assert_eq!(output, format!("restored\tplan-then\tas of {then}, revision 3\n"));
    let server = Server::start_on(&data, &[]);
    assert_eq!(
        (server.csv("plan-then"), server.csv("plan")),
        ("third,second\n".into(), "a mistake,second\n".into())
    );

    drop(server);
    let arguments = ["--room", "plan", "--as", "plan-before", "--at", &before_all];
    let (code, _, error) = restore(&arguments, &data);
    assert_eq!(code, 1);
    assert!(error.contains(&format!("the backup has no room plan as of {before_all}")), "{error}");
    let empty = directory.path().join("empty");
    let (code, _, error) = restore(&["--at", &before_all], &empty);
    assert_eq!(code, 1);
    assert!(error.contains("the backup has no rooms that can be restored"), "{error}");
    let (code, _, error) = restore(&["--at", "yesterday"], &empty);
    assert_eq!(code, 2);
    assert!(error.contains("such as 2026-11-25T14:30:00Z"), "{error}");
    assert!(!empty.exists());
}

#[test]
fn history_that_begins_after_the_moment_is_left_out_by_name() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let [data, backups, restored] = ["data", "backups", "restored"].map(|name| directory.path().join(name));
    let arguments = ["--history-revisions-max", "5", "--snapshot-after-records", "1"];
    let mut server = Server::start_on(&data, &arguments);
    server.make_room("plan", "1\n");
    server.make_room("kept", "1\n");
    let then = moment();
    for number in 2..=60 {
        let body = format!("{{\"rows\":[[{number}]]}}");
        assert_eq!(server.post_json("/api/v1/rooms/plan/sheets/Sheet1/rows", &body).status, 201);
    }
    // Snapshots are stored in the background; each start drops history again.
    server.signal("TERM");
    assert!(server.wait().success());
    drop(Server::start_on(&data, &arguments));
    let backup = back_up(&data, &backups, &[]);
    let (code, output, error) = run(&["restore", text(&backup), "--data", text(&restored), "--at", &then]);
    assert_eq!((code, error.as_str()), (0, ""), "{output}");
    assert!(output.starts_with("left out\tplan\tits history begins later\nrestored\t"), "{output}");
    let server = Server::start_on(&restored, &[]);
    assert_eq!(server.csv("kept"), "1\n");
    assert_eq!(server.get("/api/v1/rooms/plan").status, 404);
}

#[test]
fn damage_is_reported_and_older_backups_are_kept() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let [data, backups] = ["data", "backups"].map(|name| directory.path().join(name));
    let (_guard, input) = file("plan.csv", "needle,5\n");
    assert_eq!(run(&["import", text(&input), "--room", "plan", "--data", text(&data)]).0, 0);
    let intact = back_up(&data, &backups, &["--whole"]);
    let journal = data.join("journal.db");
    let mut bytes = std::fs::read(&journal).expect("readable");
    let at =
        bytes.windows(6).position(|window| window == b"needle").expect("the text is stored uncompressed");
    bytes[at] ^= 1;
    std::fs::write(&journal, &bytes).expect("writable");
    let (code, output, error) =
        run(&["backup", text(&backups), "--data", text(&data), "--whole", "--keep", "1"]);
    assert_eq!(code, 4, "{output}{error}");
    assert!(output.contains("damaged\t") && error.contains("no older backup was removed"), "{output}{error}");
    assert!(intact.exists());
}

#[test]
fn what_cannot_be_copied_or_filled_is_refused() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let [data, backups, empty] = ["data", "backups", "empty"].map(|name| directory.path().join(name));
    let server = Server::start_on(&data, &[]);
    server.make_room("plan", "1\n");
    std::fs::create_dir(&empty).expect("a directory");
    let backup = back_up(&data, &backups, &[]);
    let whole = back_up(&data, &backups, &["--whole"]);
    let postgres = "postgres://quadrille@127.0.0.1:1/quadrille";
    let later = moment();
    let unnamed = directory.path().join("unnamed");
    std::fs::create_dir(&unnamed).expect("a directory");
    std::fs::copy(whole.join("journal.db"), unnamed.join("journal.db")).expect("copied");
    let future = "2999-12-31T00:00:00Z";
    for (arguments, code, message) in [
        (
            vec!["restore", text(&whole), "--data", "new", "--at", &later],
            1,
            &*format!("before --at {later};"),
        ),
        (
            vec!["restore", text(&unnamed), "--data", "new", "--at", future],
            1,
            "before --at 2999-12-31T00:00:00",
        ),
        (vec!["backup", text(&backups), "--data", "/nothing"], 1, "no such data directory: /nothing"),
        (vec!["backup", text(&backups), "--data", text(&empty)], 1, "it has no journal.db"),
        (
            vec!["backup", text(&data), "--data", text(&data)],
            1,
            "process, such as `quadrille backup --follow`",
        ),
        (vec!["backup", text(&backups), "--data", text(&data), "--keep", "0"], 2, "--keep"),
        (vec!["backup", text(&backups), "--data", text(&data), "--storage", postgres], 1, "database"),
        (vec!["restore", "/nothing", "--data", text(&empty)], 1, "no such backup: /nothing"),
        (vec!["restore", text(&empty), "--data", "new"], 1, "no such backup: "),
        (vec!["restore", text(&whole), "--data", text(&data)], 1, "in use by another quadrille process"),
        (vec!["restore", text(&whole), "--data", text(&whole)], 1, "already has data (access.db)"),
        (vec!["restore", text(&backup), "--data", text(&data)], 1, "already has data (access.db)"),
        (vec!["restore", text(&backup), "--data", text(&backup)], 1, "is a backup"),
        (vec!["restore", text(&backup), "--data", "new", "--room", "none"], 1, "the backup has no room none"),
        (vec!["backup", text(&empty), "--verify"], 1, "has no backups"),
        (vec!["backup", text(&backups), "--verify", "--full"], 2, "--full"),
        (vec!["backup", "ftp://backups", "--data", text(&data)], 2, "name a directory or s3:"),
    ] {
        let process = binary().current_dir(directory.path()).args(&arguments).output().expect("starts");
        let error = String::from_utf8_lossy(&process.stderr);
        assert_eq!(process.status.code(), Some(code), "{arguments:?}: {error}");
        assert!(error.contains(message), "{arguments:?}: {error}");
    }
}
