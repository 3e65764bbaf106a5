//! `quadrille backup --follow`: a backup that is made all the time.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use quadrille_test_database::TestDatabase;
use serde_json::Value as Json;

use crate::access::{Restricted, send};
use crate::backup::text;
use crate::backup_chains::succeed;
use crate::person::Person;
use crate::support::{Server, TIMEOUT, binary};

/// A running `quadrille backup --follow`.
struct Follower {
    process: Child,
    output: BufReader<std::process::ChildStdout>,
}

impl Follower {
    /// Starts one, and waits until it has caught up.
    fn start(data: &Path, backups: &Path, more: &[&str]) -> Follower {
        let arguments = ["backup", text(backups), "--follow", "--data", text(data)];
        let mut process = binary()
            .args([&arguments, more].concat())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let output = BufReader::new(process.stdout.take().expect("piped"));
        let mut follower = Follower { process, output };
        follower.wait_for("following\t");
        follower
    }

    fn wait_for(&mut self, beginning: &str) -> String {
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).expect("readable") > 0, "it ended before {beginning}");
            if line.starts_with(beginning) {
                return line;
            }
        }
    }

    fn kill(&mut self) {
        self.process.kill().expect("running");
        self.process.wait().expect("a child");
    }

    /// Stops it as a service manager does.
    fn stop(mut self) {
        let status = Command::new("kill").args(["-TERM", &self.process.id().to_string()]).status();
        assert!(status.expect("kill runs").success());
        self.wait_for("stopped\t");
        assert!(self.process.wait().expect("a child").success());
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        // Fails when the process has ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The manifests of the newest chain.
fn manifests(backups: &Path) -> Vec<Json> {
    let list = |directory: &Path| {
        let entries = std::fs::read_dir(directory).expect("lists");
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
        // Files that are being written.
        paths.retain(|path| !path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.')));
        paths.sort();
        paths
    };
    let chain = list(backups).into_iter().rfind(|path| path.is_dir()).expect("a chain");
    let is_manifest = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "manifest");
    let read = |path: PathBuf| {
        let json: Json = serde_json::from_slice(&std::fs::read(path).expect("readable")).expect("JSON");
        json["manifest"].clone()
    };
    list(&chain).into_iter().filter(is_manifest).map(read).collect()
}

fn last_moment_ms(backups: &Path) -> i64 {
    manifests(backups).last().expect("a full backup")["moment_ms"].as_i64().expect("a number")
}

/// The digest of the contents of the last increment.
fn last_contents(backups: &Path) -> String {
    manifests(backups).last().expect("a full backup")["index"]["sha256"].to_string()
}

/// Waits until the last increment has other contents than before a change.
fn wait_until_backed_up(backups: &Path, contents_before: &str) {
    let deadline = Instant::now() + TIMEOUT;
    while last_contents(backups) == contents_before {
        assert!(Instant::now() < deadline, "it does not follow");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn now_ms() -> i64 {
    chrono::Utc::now().timestamp_millis()
}

fn restored_csv(backups: &Path, room: &str) -> String {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let data = directory.path().join("data");
    succeed(&["restore", text(backups), "--data", text(&data)]);
    Server::start_on(&data, &[]).csv(room)
}

#[test]
fn changes_of_every_kind_are_followed_and_a_signal_ends_it() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let [data, backups, restored] = ["data", "backups", "restored"].map(|name| directory.path().join(name));
    let mut server = Server::start_on(&data, &[]);
    server.make_room("gone", "1\n");
    server.make_room("still", "1\n");
    let follower = Follower::start(&data, &backups, &[]);
    check_following(&mut server, &data, &backups, &[]);
    follower.stop();
    server.kill();
    check_restored(&backups, &restored);
}

#[test]
fn a_database_is_followed() {
    let database = TestDatabase::shared();
    let url = database.create();
    let directory = tempfile::tempdir().expect("a temporary directory");
    let [data, backups, restored] = ["data", "backups", "restored"].map(|name| directory.path().join(name));
    let options = ["--storage", url.as_str()];
    let mut server = Server::start_on(&data, &options);
    server.make_room("gone", "1\n");
    server.make_room("still", "1\n");
    let follower = Follower::start(&data, &backups, &options);
    check_following(&mut server, &data, &backups, &options);
    follower.stop();
    server.kill();
    check_restored(&backups, &restored);
}

/// Changes everything that a backup has, also while the server is started anew.
fn check_following(server: &mut Server, data: &Path, backups: &Path, options: &[&str]) {
    let mut ann = Person::join(server, "plan", "Ann");
    let mut delays_ms = Vec::new();
    for row in 1..=5 {
        let before = last_contents(backups);
        ann.type_text(&format!("A{row}"), &row.to_string());
        ann.wait_until_saved();
        let saved = Instant::now();
        wait_until_backed_up(backups, &before);
        delays_ms.push(saved.elapsed().as_millis());
    }
    println!("milliseconds from an acknowledgement to the backup: {delays_ms:?}");
    let secret = Restricted::new(server, "secret");
    let reply = server.post_json("/api/v1/rooms/plan/chat", r#"{"text":"Hello"}"#);
    assert_eq!(reply.status, 201, "{reply:?}");
    let image = b"\x89PNG\r\n\x1a\n1";
    let image = server.send("POST", "/api/v1/rooms/plan/images", &[("content-type", "image/png")], image);
    assert_eq!(image.status, 201, "{image:?}");
    assert!(server.delete("/api/v1/rooms/gone").status < 300);
    server.signal("TERM");
    assert!(server.wait().success());
    *server = Server::start_on(data, options);
    ann.lose_connection();
    ann.connect(server, "plan", "");
    let before = last_contents(backups);
    ann.type_text("A6", "6");
    ann.wait_until_saved();
    let notes = backups.parent().expect("a directory");
    std::fs::write(notes.join("secret"), &secret.owner_key).expect("written");
    std::fs::write(notes.join("image"), image.header("location")).expect("written");
    wait_until_backed_up(backups, &before);
}

fn check_restored(backups: &Path, restored: &Path) {
    let notes = restored.parent().expect("a directory");
    let read = |name: &str| std::fs::read_to_string(notes.join(name)).expect("written above");
    let verified = succeed(&["backup", text(backups), "--verify"]);
    assert!(verified.contains("3 rooms"), "{verified}");
    succeed(&["restore", text(backups), "--data", text(restored)]);
    let server = Server::start_on(restored, &[]);
    assert_eq!(server.csv("plan"), "1\n2\n3\n4\n5\n6\n");
    assert_eq!(server.csv("still"), "1\n");
    assert_eq!(server.get("/api/v1/rooms/gone").status, 404);
    assert_eq!(server.get("/api/v1/rooms/plan/chat").json()["remarks"][0]["text"], "Hello");
    assert_eq!(server.get(&read("image")).status, 200);
    assert_eq!(server.get("/api/v1/rooms/secret").status, 404, "hidden from strangers");
    assert_eq!(send(&server, &read("secret"), "GET", "/api/v1/rooms/secret", "").status, 200);
}

/// Kills the program that follows at moments that differ, while somebody types. What was acknowledged before the
/// moment of the last increment is restored every time.
#[test]
fn a_restore_drill_with_a_follower_that_is_killed_all_the_time() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let [data, backups] = ["data", "backups"].map(|name| directory.path().join(name));
    let server = Server::start_on(&data, &[]);
    let mut ann = Person::join(&server, "plan", "Ann");
    // When each row was acknowledged, at the latest.
    let mut acknowledged_ms: Vec<i64> = Vec::new();
    let mut type_rows = |count: usize, acknowledged_ms: &mut Vec<i64>| {
        for _ in 0..count {
            let row = acknowledged_ms.len() + 1;
            ann.type_text(&format!("A{row}"), &row.to_string());
            ann.wait_until_saved();
            acknowledged_ms.push(now_ms());
        }
    };
    type_rows(1, &mut acknowledged_ms);
    for round in 0..6 {
        let mut follower = Follower::start(&data, &backups, &[]);
        // 5 to 105 edits, which take from a moment to a few looks of the follower.
        type_rows(5 + 20 * round, &mut acknowledged_ms);
        follower.kill();
        let moment_ms = last_moment_ms(&backups);
        let expected = acknowledged_ms.iter().filter(|time_ms| **time_ms < moment_ms).count();
        let csv = restored_csv(&backups, "plan");
        let rows: Vec<&str> = csv.lines().collect();
        let numbers: Vec<String> = (1..=rows.len()).map(|row| row.to_string()).collect();
        assert_eq!(rows, numbers, "round {round}: a gap");
        assert!(rows.len() >= expected, "round {round}: {} of {expected} rows", rows.len());
    }
    let follower = Follower::start(&data, &backups, &[]);
    type_rows(20, &mut acknowledged_ms);
    follower.stop();
    assert_eq!(restored_csv(&backups, "plan").lines().count(), acknowledged_ms.len());
    let verified = succeed(&["backup", text(&backups), "--verify"]);
    assert!(verified.starts_with("ok\t"), "{verified}");
}

#[test]
fn a_backup_is_checked_and_restored_while_it_is_followed() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let [data, backups] = ["data", "backups"].map(|name| directory.path().join(name));
    let server = Server::start_on(&data, &[]);
    server.make_room("plan", "1\n");
    let follower = Follower::start(&data, &backups, &[]);
    let is_done = AtomicBool::new(false);
    std::thread::scope(|threads| {
        threads.spawn(|| {
            let mut ann = Person::join(&server, "plan", "Ann");
            for number in 2.. {
                if is_done.load(Ordering::Relaxed) {
                    break;
                }
                ann.type_text("A1", &number.to_string());
                ann.wait_until_saved();
            }
        });
        let mut before = 0;
        for _ in 0..5 {
            let verified = succeed(&["backup", text(&backups), "--verify"]);
            assert!(verified.starts_with("ok\t"), "{verified}");
            let restored: u64 = restored_csv(&backups, "plan").trim().parse().expect("a number");
            assert!(restored >= before, "{restored} after {before}");
            before = restored;
        }
        is_done.store(true, Ordering::Relaxed);
    });
    follower.stop();
}
