//! Faults of the machine: full and read-only disks, expired certificates.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use crate::support::{Server, TIMEOUT, binary};

/// A command that runs `quadrille` in a mount namespace of its own, with a file system in memory on `directory`.
/// `prepare` is a shell command that fills it.
fn on_small_disk(directory: &Path, megabytes: u32, prepare: &str) -> Command {
    let script = format!(
        "mount -t tmpfs -o size={megabytes}m none {0} && {{ {prepare}; }} && shift && exec \"$0\" \"$@\"",
        directory.display()
    );
    let quadrille = binary();
    let mut command = Command::new("unshare");
    command.args(["--map-root-user", "--mount", "sh", "-c", &script]).arg(quadrille.get_program()).arg("-");
    command
}

/// Appends a row of 200 kB to the workbook `sales`. Returns the status and the code of a refusal.
fn append(server: &Server, number: u32) -> (u16, String) {
    // Equal texts would be stored once.
    let row: Vec<String> = (0..200).map(|cell| format!("{number}:{cell}{}", "x".repeat(1_000))).collect();
    let body = serde_json::json!({ "rows": [row] }).to_string();
    let reply = server.post_json("/api/v1/rooms/sales/sheets/Sheet1/rows", &body);
    (reply.status, if reply.status < 300 { String::new() } else { reply.code() })
}

#[test]
fn a_full_disk_refuses_edits_loses_none_and_takes_them_again_when_there_is_space() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let filler = directory.path().join("filler");
    let prepare = format!("head -c 6000000 /dev/zero > {}", filler.display());
    let data = directory.path().join("data");
    let command = on_small_disk(directory.path(), 10, &prepare);
    let log = directory.path().with_extension("log");
    let written = fs::File::create(&log).expect("writable");
    let server = Server::start_by(command, written.into(), &data, &["--metrics", "true", "--log", "warn"]);
    server.make_room("sales", "0\n");
    assert_eq!(server.metric("quadrille_storage_usable"), Some(1.0));
    let mut stored = 0;
    let (status, code) = loop {
        match append(&server, stored + 1) {
            (200..300, _) => stored += 1,
            refused => break refused,
        }
        assert!(stored < 100, "4 MB cannot hold so much");
    };
    assert!(stored > 3, "{stored} rows of 200 kB");
    assert_eq!((status, code.as_str()), (503, "storage_failed"));
    let ready = server.get("/readyz");
    assert_eq!(ready.status, 503);
    assert!(ready.text().contains("no space left"), "{}", ready.text());
    assert_eq!(server.metric("quadrille_storage_usable"), Some(0.0));
    let metric = |name: &str| server.metric(&format!("quadrille_{name}")).expect("a number");
    let (failed, durable) = (metric("commits_failed_total"), metric("commit_seconds_count"));
    assert!(failed > 0.0);
    for _ in 0..20 {
        assert_eq!(append(&server, stored + 1).0, 503);
    }
    assert_eq!(metric("commit_seconds_count"), durable, "nothing has become durable");
    assert!(metric("commits_failed_total") > failed);
    let text = fs::read_to_string(&log).expect("readable");
    // One of the first request that failed; those of the others would be the same.
    assert_eq!(text.matches("request failed").count(), 1, "{text}");
    // The directory as the server sees it.
    fs::remove_file(format!("/proc/{}/root{}", server.id(), filler.display())).expect("removable");
    let began = Instant::now();
    while append(&server, stored + 1).0 >= 300 {
        assert!(began.elapsed() < TIMEOUT, "edits are taken again");
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    let csv = server.csv("sales");
    let numbers: Vec<u32> = csv
        .lines()
        .map(|line| line.split([':', ',']).next().expect("a number").parse().expect("a number"))
        .collect();
    assert_eq!(metric("storage_usable"), 1.0);
    fs::remove_file(log).expect("removable");
    assert_eq!(numbers, (0..=stored + 1).collect::<Vec<u32>>(), "what was confirmed, and nothing else");
}

#[test]
fn a_read_only_disk_is_named_at_the_start() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let prepare = format!("mount -o remount,ro {}", directory.path().display());
    let output = on_small_disk(directory.path(), 4, &prepare)
        .args(["serve", "--listen", "127.0.0.1:0", "--data"])
        .arg(directory.path())
        .output()
        .expect("unshare starts");
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(
        error.contains("cannot use data directory") && error.contains("Read-only file system"),
        "{error}"
    );
}

/// `check` ended with "disk I/O error", because SQLite could not make its files of shared memory.
#[test]
fn check_reads_all_data_on_a_full_disk() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let data = directory.path().join("data");
    let mut server = Server::start_on(&data, &[]);
    server.make_room("sales", "1,2\n");
    // Killed: the write-ahead logs are full.
    server.kill();
    for name in ["journal.db-shm", "rooms.db-shm", "access.db-shm"] {
        fs::remove_file(data.join(name)).expect("exists");
    }
    // No file can grow, and writing beyond the limit is an error instead of a signal.
    let output = Command::new("sh")
        .args(["-c", "trap '' XFSZ; ulimit -f 0; exec \"$0\" \"$@\""])
        .arg(binary().get_program())
        .args(["check", "--data"])
        .arg(&data)
        .output()
        .expect("the shell starts");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("ok\tsales\trevision 1"), "{text}{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(0));
    // Nothing was changed.
    let server = Server::start_on(&data, &[]);
    assert_eq!(server.csv("sales"), "1,2\n");
}
