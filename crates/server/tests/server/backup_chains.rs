//! Full backups with increments: their contents, how damage is detected, and what is restored.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use quadrille_test_database::TestDatabase;
use serde_json::json;

use crate::access::{Restricted, send};
use crate::backup::{back_up, moment, run, text};
use crate::person::Person;
use crate::support::Server;

/// Runs a command that succeeds, and returns its output.
pub fn succeed(arguments: &[&str]) -> String {
    let (code, output, error) = run(arguments);
    assert_eq!((code, error.as_str()), (0, ""), "{arguments:?}: {output}");
    output
}

/// Makes a backup and returns the line that tells of it, without the name of the place.
fn line_of_backup(data: &Path, backups: &Path, more: &[&str]) -> String {
    let output = succeed(&[&["backup", text(backups), "--data", text(data)], more].concat());
    let mut columns = output.lines().next().expect("a line").split('\t');
    let (kind, rest) = (columns.next().unwrap_or_default(), columns.nth(1).unwrap_or_default());
    let without_size = rest.rsplit_once(", ").filter(|(_, size)| size.ends_with(" MB"));
    format!("{kind} {}", without_size.map_or(rest, |(rest, _)| rest))
}

fn add_image(server: &Server, room: &str, byte: u8) -> String {
    let bytes = [b"\x89PNG\r\n\x1a\n", &[byte][..]].concat();
    let path = format!("/api/v1/rooms/{room}/images");
    let image = server.send("POST", &path, &[("content-type", "image/png")], &bytes);
    assert_eq!(image.status, 201, "{image:?}");
    image.header("location").to_owned()
}

fn say(server: &Server, room: &str, message: &str) {
    let path = format!("/api/v1/rooms/{room}/chat");
    let reply = server.post_json(&path, &json!({ "text": message }).to_string());
    assert_eq!(reply.status, 201, "{reply:?}");
}

fn chat(server: &Server, room: &str) -> Vec<String> {
    let chat = server.get(&format!("/api/v1/rooms/{room}/chat")).json();
    let text = |message: &serde_json::Value| message["text"].as_str().unwrap_or_default().to_owned();
    chat["remarks"].as_array().expect("a list").iter().map(text).collect()
}

fn bytes_in(directory: &Path, prefix: &str) -> u64 {
    files(directory)
        .into_iter()
        .filter(|file| file.starts_with(prefix))
        .map(|file| directory.join(file).metadata().expect("exists").len())
        .sum()
}

fn files(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).expect("lists");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// A data directory with a server, a place for backups, and a directory to restore to.
fn places(directory: &tempfile::TempDir) -> [PathBuf; 3] {
    ["data", "backups", "restored"].map(|name| directory.path().join(name))
}

#[test]
fn an_increment_has_only_what_is_new_and_everything_is_restored() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let [data, backups, restored] = places(&directory);
    let mut server = Server::start_on(&data, &[]);
    let filler: String = (0..20_000).map(|row| format!("{},{}\n", row * 7_919, row * 104_729)).collect();
    server.make_room("large", &filler);
    server.make_room("gone", "1\n");
    let mut ann = Person::join(&server, "plan", "Ann");
    ann.type_text("A1", "first");
    ann.wait_until_saved();
    let early = add_image(&server, "plan", 1);
    say(&server, "plan", "early");
    assert_eq!(line_of_backup(&data, &backups, &[]), "backup full, 3 rooms");
    assert_eq!(
        line_of_backup(&data, &backups, &[]),
        "unchanged increment 1, up to ".to_owned() + &up_to(&backups)
    );

    ann.type_text("A2", "second");
    ann.wait_until_saved();
    let late = add_image(&server, "plan", 2);
    say(&server, "plan", "late");
    let secret = Restricted::new(&server, "secret");
    assert!(server.delete("/api/v1/rooms/gone").status < 300);
    assert_eq!(server.post_json("/_/plan", r#"{"command":"settimetrigger B9 99999999"}"#).status, 202);
    assert_eq!(line_of_backup(&data, &backups, &[]), "backup increment 2, 3 rooms changed");
    let chain = backups.join(chain_of(&backups));
    let (full, increment) = (bytes_in(&chain, "000001"), bytes_in(&chain, "000002"));
    assert!(full > 100_000 && increment < 10_000, "{full} and {increment} bytes");

    // A restarted server, and a compacted log, are continued.
    server.signal("TERM");
    assert!(server.wait().success());
    let mut server = Server::start_on(&data, &[]);
    ann.lose_connection();
    ann.connect(&server, "plan", "");
    ann.type_text("A3", "third");
    ann.wait_until_saved();
    // The server has stored snapshots when it stopped.
    let line = line_of_backup(&data, &backups, &[]);
    assert!(line.starts_with("backup increment 3, "), "{line}");
    server.kill();

    let verified = succeed(&["backup", text(&backups), "--verify"]);
    assert!(verified.starts_with("ok\t") && verified.contains("\t3 increments, 3 rooms, "), "{verified}");
    let output = succeed(&["restore", text(&backups), "--data", text(&restored)]);
    assert!(output.starts_with(&format!("restored\t{}\t3 rooms, ", restored.display())), "{output}");
    assert_eq!(files(&restored).iter().filter(|name| name.starts_with("restoring")).count(), 0);
    let server = Server::start_on(&restored, &[]);
    assert_eq!(server.csv("plan"), "first\nsecond\nthird\n");
    assert_eq!(server.csv("large"), filler);
    assert_eq!(chat(&server, "plan"), ["early", "late"]);
    assert_eq!([early, late].map(|image| server.get(&image).status), [200, 200]);
    assert_eq!(server.get("/api/v1/rooms/gone").status, 404);
    assert_eq!(server.get("/_timetrigger").json(), json!({ "plan!B9": "99999999" }));
    assert_eq!(server.get("/api/v1/rooms/secret").status, 404, "hidden from strangers");
    assert_eq!(send(&server, &secret.owner_key, "GET", "/api/v1/rooms/secret", "").status, 200);
    // A client that knows later revisions takes the restored ones.
    ann.lose_connection();
    ann.connect(&server, "plan", "");
    ann.type_text("A4", "fourth");
    ann.wait_until_saved();
    assert_eq!(server.csv("plan"), "first\nsecond\nthird\nfourth\n");
}

/// The name of the newest chain.
fn chain_of(backups: &Path) -> String {
    files(backups).into_iter().rfind(|name| backups.join(name).is_dir()).expect("a chain")
}

/// The moment of the last increment of the newest chain.
fn up_to(backups: &Path) -> String {
    let chain = backups.join(chain_of(backups));
    let last = files(&chain).into_iter().rfind(|name| name.ends_with(".manifest")).expect("a manifest");
    let manifest: serde_json::Value =
        serde_json::from_slice(&fs::read(chain.join(last)).expect("readable")).expect("JSON");
    let moment_ms = manifest["manifest"]["moment_ms"].as_i64().expect("a number");
    let moment = chrono::DateTime::from_timestamp_millis(moment_ms).expect("a time");
    moment.to_rfc3339_opts(chrono::SecondsFormat::Millis, true)
}

#[test]
fn a_missing_torn_or_changed_file_is_named() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let [data, backups, restored] = places(&directory);
    let server = Server::start_on(&data, &[]);
    for (room, more) in [("plan", "1"), ("budget", "2"), ("other", "3")] {
        server.make_room(room, more);
        back_up(&data, &backups, &[]);
    }
    let chain = backups.join(chain_of(&backups));
    let names = files(&chain);
    assert_eq!(names.len(), 9, "{names:?}");
    for name in names {
        let path = chain.join(&name);
        let bytes = fs::read(&path).expect("readable");
        let is_last = name == "000003.manifest";
        for damage in ["missing", "torn", "changed"] {
            match damage {
                "missing" => fs::remove_file(&path).expect("removed"),
                "torn" => fs::write(&path, &bytes[..bytes.len() / 2]).expect("written"),
                _ => {
                    let mut changed = bytes.clone();
                    changed[bytes.len() / 2] ^= 4;
                    fs::write(&path, changed).expect("written");
                }
            }
            let (code, output, _) = run(&["backup", text(&backups), "--verify"]);
            let (restore_code, _, error) = run(&["restore", text(&backups), "--data", text(&restored)]);
            if is_last && damage == "missing" {
                // The increment was never completed.
                assert_eq!((code, restore_code), (0, 0), "{output}{error}");
                fs::remove_dir_all(&restored).expect("removed");
            } else {
                assert_eq!(code, 4, "{name} {damage}: {output}");
                assert!(output.contains("damaged\t") && output.contains(&name), "{name} {damage}: {output}");
                assert_eq!(restore_code, 1, "{name} {damage}: {error}");
                assert!(error.contains(&name), "{name} {damage}: {error}");
                assert!(!restored.exists(), "nothing is left");
            }
            fs::write(&path, &bytes).expect("written");
        }
    }
    // A file that has gone is no reason to stop: a new full backup is made.
    fs::remove_file(chain.join("000002.manifest")).expect("removed");
    let output = succeed(&["backup", text(&backups), "--data", text(&data)]);
    assert!(output.starts_with("full\ta new full backup is made: "), "{output}");
    assert!(
        output.contains("000002.manifest: it is missing") && output.contains("\tfull, 3 rooms, "),
        "{output}"
    );
    let (code, output, _) = run(&["backup", text(&backups), "--verify"]);
    assert_eq!(code, 4);
    assert!(output.contains("ok\t") && output.contains("damaged\t"), "{output}");
    assert!(succeed(&["restore", text(&backups), "--data", text(&restored)]).contains("3 rooms"));
}

/// Such a backup can be restored only in part, whatever is added to it.
#[test]
fn a_backup_with_a_missing_torn_or_changed_segment_is_not_continued() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let [data, backups, restored] = places(&directory);
    let server = Server::start_on(&data, &[]);
    type Damage = fn(&Path, &[u8]);
    let damages: [(&str, Damage); 3] = [
        ("it is missing", |path, _| fs::remove_file(path).expect("removed")),
        ("it has 50 bytes, its manifest says ", |path, bytes| {
            fs::write(path, &bytes[..50]).expect("written")
        }),
        ("it is damaged: its SHA-256 does not match", |path, bytes| {
            let mut changed = bytes.to_owned();
            changed[bytes.len() / 2] ^= 4;
            fs::write(path, changed).expect("written");
            let later = SystemTime::now() + Duration::from_secs(1);
            fs::File::options()
                .write(true)
                .open(path)
                .and_then(|file| file.set_modified(later))
                .expect("set");
        }),
    ];
    for (row, (message, damage)) in damages.into_iter().enumerate() {
        back_up(&data, &backups, &["--full"]);
        server.make_room("plan", &format!("{row}\n"));
        assert_eq!(line_of_backup(&data, &backups, &[]), "backup increment 2, 1 room changed");
        let segment = backups.join(chain_of(&backups)).join("000001-0001-0001.segment");
        damage(&segment, &fs::read(&segment).expect("readable"));
        let output = succeed(&["backup", text(&backups), "--data", text(&data)]);
        let line = format!("full\ta new full backup is made: {}: {message}", segment.display());
        assert!(output.starts_with(&line) && output.contains("\tfull, 1 room, "), "{output}");
        succeed(&["restore", text(&backups), "--data", text(&restored)]);
        assert_eq!(Server::start_on(&restored, &[]).csv("plan"), format!("{row}\n"));
        fs::remove_dir_all(&restored).expect("removed");
    }
}

#[test]
fn a_moment_has_the_rooms_and_the_access_of_then() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let [data, backups, restored] = places(&directory);
    let server = Server::start_on(&data, &[]);
    server.make_room("plan", "1\n");
    server.make_room("gone", "kept\n");
    let then = moment();
    back_up(&data, &backups, &[]);
    assert!(server.delete("/api/v1/rooms/gone").status < 300);
    server.make_room("gone", "another\n");
    let between = moment();
    server.make_room("plan", "2\n");
    back_up(&data, &backups, &[]);
    server.make_room("plan", "3\n");
    // After the end of the first backup, before the beginning of the second.
    let last = moment();
    server.make_room("plan", "4\n");
    back_up(&data, &backups, &["--full"]);
    for (at, plan, gone) in
        [(&then, "1\n", "kept\n"), (&between, "1\n", "another\n"), (&last, "3\n", "another\n")]
    {
        succeed(&["restore", text(&backups), "--data", text(&restored), "--at", at]);
        let mut server = Server::start_on(&restored, &[]);
        assert_eq!((server.csv("plan").as_str(), server.csv("gone").as_str()), (plan, gone), "{at}");
        server.kill();
        fs::remove_dir_all(&restored).expect("removed");
    }
    // What was after the backup is not known.
    let later = moment();
    let end = format!(" ends at {}, before --at {later}; ", up_to(&backups));
    let url = server.url("");
    for more in [&["--data", text(&restored)][..], &["--room", "plan", "--server", &url]] {
        let (code, _, error) = run(&[&["restore", text(&backups), "--at", &later], more].concat());
        assert!(code == 1 && error.contains(&end), "{more:?}: {error}");
    }
    // One room beside others.
    let mut other = Server::start_on(&restored, &[]);
    other.make_room("plan", "mine\n");
    other.signal("TERM");
    other.wait();
    let arguments = ["restore", text(&backups), "--data", text(&restored), "--room", "gone", "--at", &then];
    assert!(succeed(&arguments).starts_with(&format!("restored\tgone\tas of {then}, revision ")));
    let other = Server::start_on(&restored, &[]);
    assert_eq!((other.csv("plan"), other.csv("gone")), ("mine\n".into(), "kept\n".into()));
}

#[test]
fn keep_removes_the_oldest_chains() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let [data, backups, restored] = places(&directory);
    let server = Server::start_on(&data, &[]);
    server.make_room("plan", "1\n");
    fs::create_dir_all(backups.join("notes")).expect("a directory");
    // The full backup of it was interrupted.
    let interrupted = backups.join("2026-01-01T00-00-00.000Z");
    fs::create_dir_all(&interrupted).expect("a directory");
    fs::write(interrupted.join("000001-0001-0001.segment"), "half").expect("written");
    let first = back_up(&data, &backups, &["--keep", "2"]);
    assert!(!interrupted.exists());
    let whole = back_up(&data, &backups, &["--whole"]);
    server.make_room("plan", "2\n");
    assert_eq!(back_up(&data, &backups, &["--keep", "2"]), first, "an increment");
    let second = back_up(&data, &backups, &["--full", "--keep", "2"]);
    let third = back_up(&data, &backups, &["--full", "--keep", "2"]);
    assert_eq!([&first, &second, &third, &whole].map(|path| path.exists()), [false, true, true, true]);
    assert!(backups.join("notes").exists());
    assert!(succeed(&["restore", text(&second), "--data", text(&restored)]).contains("1 room"));
}

#[test]
fn a_directory_that_was_restored_is_not_taken_for_the_one_before() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let [data, backups, restored] = places(&directory);
    let mut server = Server::start_on(&data, &[]);
    server.make_room("plan", "1\n");
    let whole = back_up(&data, &directory.path().join("whole"), &["--whole"]);
    server.make_room("plan", "2\n");
    back_up(&data, &backups, &[]);
    server.kill();
    fs::remove_dir_all(&data).expect("removed");
    succeed(&["restore", text(&whole), "--data", text(&data)]);
    let mut server = Server::start_on(&data, &[]);
    server.make_room("plan", "another\n");
    back_up(&data, &backups, &[]);
    server.kill();
    succeed(&["restore", text(&backups), "--data", text(&restored)]);
    assert_eq!(Server::start_on(&restored, &[]).csv("plan"), "another\n");
}

#[test]
fn a_damaged_room_is_told_and_the_others_are_backed_up() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let [data, backups, restored] = places(&directory);
    let mut server = Server::start_on(&data, &[]);
    server.make_room("plan", "needle\n");
    server.make_room("other", "1\n");
    server.signal("TERM");
    server.wait();
    let journal = data.join("journal.db");
    let mut bytes = fs::read(&journal).expect("readable");
    let at = bytes.windows(6).position(|window| window == b"needle").expect("stored uncompressed");
    bytes[at] ^= 1;
    fs::write(&journal, &bytes).expect("writable");
    let (code, output, error) = run(&["backup", text(&backups), "--data", text(&data), "--keep", "1"]);
    assert_eq!(code, 4, "{output}{error}");
    assert!(output.contains("damaged\tplan\t") && error.contains("has damage in 1 rooms"), "{output}{error}");
    succeed(&["restore", text(&backups), "--data", text(&restored), "--room", "other"]);
}

#[test]
fn increments_of_a_database_are_restored_into_either_engine() {
    let database = TestDatabase::shared();
    let (url, second) = (database.create(), database.create());
    let directory = tempfile::tempdir().expect("a temporary directory");
    let [data, backups, restored] = places(&directory);
    let server = Server::start_on(&data, &["--storage", &url]);
    let more = ["--storage", &url];
    server.make_room("plan", "1\n");
    server.make_room("gone", "1\n");
    assert_eq!(line_of_backup(&data, &backups, &more), "backup full, 2 rooms");
    let secret = Restricted::new(&server, "secret");
    server.make_room("plan", "2\n");
    say(&server, "plan", "Hello");
    let image = add_image(&server, "plan", 1);
    assert!(server.delete("/api/v1/rooms/gone").status < 300);
    assert_eq!(line_of_backup(&data, &backups, &more), "backup increment 2, 3 rooms changed");
    drop(server);
    succeed(&["restore", text(&backups), "--data", text(&restored)]);
    succeed(&["restore", text(&backups), "--storage", &second]);
    for options in [vec![], vec!["--storage", second.as_str()]] {
        let server = Server::start_on(&restored, &options);
        assert_eq!(server.csv("plan"), "2\n", "{options:?}");
        assert_eq!(chat(&server, "plan"), ["Hello"], "{options:?}");
        assert_eq!(server.get(&image).status, 200, "{options:?}");
        assert_eq!(server.get("/api/v1/rooms/gone").status, 404, "{options:?}");
        assert_eq!(server.get("/api/v1/rooms/secret").status, 404, "{options:?}");
        assert_eq!(send(&server, &secret.owner_key, "GET", "/api/v1/rooms/secret", "").status, 200);
    }
}

#[test]
fn the_contents_of_a_workbook_are_put_back_into_a_running_server() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let [data, backups, _] = places(&directory);
    let server = Server::start_on(&data, &[]);
    let secret = Restricted::new(&server, "secret");
    let put = |csv: &str| {
        let headers =
            [("content-type", "text/csv"), ("authorization", &format!("Bearer {}", secret.owner_key))];
        let reply = server.send("PUT", "/api/v1/rooms/secret", &headers, csv.as_bytes());
        assert_eq!(reply.status, 200, "{reply:?}");
    };
    put("1,=A1*2\n");
    let then = moment();
    put("a mistake\n");
    back_up(&data, &backups, &[]);
    let token = directory.path().join("token");
    fs::write(&token, &secret.owner_key).expect("written");
    let url = server.url("");
    let restore = ["restore", text(&backups), "--room", "secret", "--at", &then, "--server", &url];
    let (code, _, error) = run(&restore);
    assert_eq!(code, 1, "without a credential: {error}");
    let output = succeed(&[&restore[..], &["--token-file", text(&token)]].concat());
    assert!(
        output.starts_with(&format!("restored\tsecret\tas of {then}, contents of revision ")),
        "{output}"
    );
    let read = |path: &str| send(&server, &secret.owner_key, "GET", path, "");
    assert_eq!(read("/api/v1/rooms/secret?format=csv").text(), "1,2\n");
    let cell = read("/api/v1/rooms/secret/sheets/Sheet1/cells/B1").json();
    assert_eq!(cell["cell"]["formula"], json!("=A1*2"), "{cell}");
    // Another room, which the server does not have.
    succeed(&["restore", text(&backups), "--room", "secret", "--as", "public", "--server", &url]);
    assert_eq!(server.csv("public"), "a mistake\n");
    let (code, _, error) = run(&["restore", text(&backups), "--room", "none", "--server", &url]);
    assert!(code == 1 && error.contains("the backup has no room none"), "{error}");
    let (code, _, error) = run(&["restore", text(&backups), "--server", &url]);
    assert!(code == 2 && error.contains("--room"), "{error}");
}

#[test]
fn a_recorded_backup_of_format_1_is_restored() {
    let backups = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/backups");
    let directory = tempfile::tempdir().expect("a temporary directory");
    let restored = directory.path().join("restored");
    let verified = succeed(&["backup", text(&backups), "--verify"]);
    assert!(verified.contains("\t2 increments, 1 room, "), "{verified}");
    succeed(&["restore", text(&backups), "--data", text(&restored)]);
    let mut server = Server::start_on(&restored, &[]);
    assert_eq!((server.csv("plan").as_str(), chat(&server, "plan")), ("3,6\n", vec!["Hello".to_owned()]));
    let image = "/api/v1/rooms/plan/images/d4cf5fbbc645b0c920964a8a076a29454f6d8702a17da38506fae24aa0621f90";
    assert_eq!(server.get(image).body, b"\x89PNG\r\n\x1a\n1");
    assert_eq!(server.get("/api/v1/rooms/gone").status, 404);
    server.kill();
    fs::remove_dir_all(&restored).expect("removed");
    // Before the increment.
    let at = ["--at", "2026-11-27T15:04:32.7Z"];
    succeed(&[&["restore", text(&backups), "--data", text(&restored)], &at[..]].concat());
    let server = Server::start_on(&restored, &[]);
    assert_eq!((server.csv("plan"), server.csv("gone")), ("1,2\n".into(), "gone\n".into()));
}
