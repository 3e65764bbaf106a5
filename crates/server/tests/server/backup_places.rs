//! Backups that are encrypted, and backups in a bucket of S3.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use crate::backup::{run, text};
use crate::backup_chains::succeed;
use crate::support::{Server, binary};

// Of the tests of the crate `age`.
const RECIPIENT: &str = "age1t7rxyev2z3rw82stdlrrepyc39nvn86l5078zqkf5uasdy86jp6svpy7pa";
const KEY: &str = "AGE-SECRET-KEY-1GQ9778VQXMMJVE8SK7J6VT8UJ4HDQAJUVSFCWCM02D8GEWQ72PVQ2Y5J33";
const OTHER_KEY: &str = "AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX";

/// All bytes of a directory and of those in it.
fn contents(directory: &Path) -> Vec<u8> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).expect("lists") {
        let path = entry.expect("an entry").path();
        match path.is_dir() {
            true => found.extend(contents(&path)),
            false => found.extend(fs::read(path).expect("readable")),
        }
    }
    found
}

#[test]
fn an_encrypted_backup_is_continued_without_the_key_and_restored_with_it() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let [data, backups, restored, key, other_key] =
        ["data", "backups", "restored", "key", "other"].map(|name| directory.path().join(name));
    fs::write(&key, format!("# public key: {RECIPIENT}\n{KEY}\n")).expect("written");
    fs::write(&other_key, OTHER_KEY).expect("written");
    let server = Server::start_on(&data, &[]);
    let back_up = |more: &[&str]| {
        succeed(
            &[&["backup", text(&backups), "--data", text(&data), "--encrypt-to", RECIPIENT], more].concat(),
        )
    };
    server.make_room("plan", "needle\n");
    assert!(back_up(&[]).contains("\tfull, 1 room, "));
    server.make_room("plan", "needle,2\n");
    assert!(back_up(&[]).contains("\tincrement 2, 1 room changed, "), "known from the cache");
    server.make_room("budget", "needle\n");
    assert!(back_up(&[]).contains("\tincrement 3, 1 room changed, "));
    assert!(back_up(&[]).starts_with("unchanged\t"));
    let stored = contents(&backups);
    for word in ["needle", "plan", "budget", "GQ9778"] {
        assert!(!stored.windows(word.len()).any(|window| window == word.as_bytes()), "{word}");
    }

    let verified = succeed(&["backup", text(&backups), "--verify"]);
    assert!(verified.contains("3 increments, encrypted, only digests compared"), "{verified}");
    let verified = succeed(&["backup", text(&backups), "--verify", "--identity", text(&key)]);
    assert!(verified.contains("3 increments, 2 rooms"), "{verified}");
    let restore = ["restore", text(&backups), "--data", text(&restored)];
    for (more, message) in [
        (vec![], "it is encrypted; name the file with the key by --identity"),
        (vec!["--identity", text(&other_key)], "it is encrypted for another key"),
        (vec!["--identity", "/nothing"], "--identity /nothing: "),
    ] {
        let (code, _, error) = run(&[&restore[..], &more].concat());
        assert!(code != 0 && error.contains(message), "{more:?}: {error}");
        assert!(!restored.exists());
    }
    succeed(&[&restore[..], &["--identity", text(&key)]].concat());
    let mut again = Server::start_on(&restored, &[]);
    assert_eq!((again.csv("plan"), again.csv("budget")), ("needle,2\n".into(), "needle\n".into()));
    again.kill();

    // Who forgets the recipient does not go on without encryption.
    let (code, _, error) = run(&["backup", text(&backups), "--data", text(&data)]);
    assert!(code == 1 && error.contains("is encrypted; name the recipient by --encrypt-to"), "{error}");
    // Without the cache, it is not known what the backup has.
    for entry in fs::read_dir(&data).expect("lists") {
        let path = entry.expect("an entry").path();
        if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("backup-state-")) {
            fs::remove_file(path).expect("removed");
        }
    }
    let output = back_up(&[]);
    assert!(output.contains("full\ta new full backup is made: it is not known here"), "{output}");
    assert!(output.contains("\tfull, 2 rooms, "), "{output}");
}

/// A server that speaks the protocol of S3: `s3rver` of npm (`s3-server.mjs`), ended with the test.
pub struct Bucket {
    program: Child,
    pub port: u16,
}

impl Bucket {
    pub fn start(directory: &Path) -> Bucket {
        Bucket::start_at(directory, 0)
    }

    /// Starts it at a port; 0 is any.
    pub fn start_at(directory: &Path, port: u16) -> Bucket {
        let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut program = Command::new("node")
            .arg(tests.join("tests/server/s3-server.mjs"))
            .arg(tests.join("../../web/package.json"))
            .args([text(directory), "backups", &port.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("Node.js is installed");
        let mut line = String::new();
        let output = program.stdout.take().expect("piped");
        BufReader::new(output).read_line(&mut line).expect("readable");
        let port = line.trim().parse().expect("run `npm ci` in web first, or the server has ended");
        Bucket { program, port }
    }

    /// The program, with the credentials of the bucket.
    pub fn binary(&self) -> Command {
        let mut command = binary();
        command
            .env("AWS_ACCESS_KEY_ID", "S3RVER")
            .env("AWS_SECRET_ACCESS_KEY", "S3RVER")
            .env("AWS_REGION", "eu-central-1")
            .env("AWS_ENDPOINT_URL", format!("http://127.0.0.1:{}", self.port));
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Output {
        self.binary().args(arguments).output().expect("the binary starts")
    }

    pub fn succeed(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && error.is_empty(), "{arguments:?}: {error}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }
}

impl Drop for Bucket {
    fn drop(&mut self) {
        // Fails when the program has ended.
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

#[test]
fn a_bucket_is_a_place_like_a_directory() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let [data, objects, restored, key] =
        ["data", "objects", "restored", "key"].map(|name| directory.path().join(name));
    fs::create_dir(&objects).expect("a directory");
    fs::write(&key, KEY).expect("written");
    let bucket = Bucket::start(&objects);
    let server = Server::start_on(&data, &[]);
    let place = "s3://backups/servers/one";
    let back_up = |more: &[&str]| {
        bucket.succeed(&[&["backup", place, "--data", text(&data), "--encrypt-to", RECIPIENT], more].concat())
    };
    server.make_room("plan", "1\n");
    assert!(back_up(&[]).contains("\tfull, 1 room, "));
    server.make_room("plan", "2\n");
    let output = back_up(&[]);
    assert!(output.contains("\tincrement 2, 1 room changed, "), "{output}");
    let chain = output.split('\t').nth(1).expect("a name").to_owned();
    assert!(chain.starts_with("s3://backups/servers/one/2"), "{chain}");
    let verified = bucket.succeed(&["backup", place, "--verify", "--identity", text(&key)]);
    assert!(verified.contains("2 increments, 1 room"), "{verified}");
    bucket.succeed(&["restore", place, "--data", text(&restored), "--identity", text(&key)]);
    let mut again = Server::start_on(&restored, &[]);
    assert_eq!(again.csv("plan"), "2\n");
    again.kill();

    // An object that has gone is named.
    let output = back_up(&["--full", "--keep", "1"]);
    assert!(output.contains(&format!("removed\t{chain}\n")), "{output}");
    assert_eq!(bucket.succeed(&["backup", place, "--verify"]).lines().count(), 1);
    let mut segments = Vec::new();
    let mut directories = vec![objects.clone()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).expect("lists") {
            let path = entry.expect("an entry").path();
            match path.is_dir() {
                true => directories.push(path),
                false if path.to_string_lossy().contains(".segment") => segments.push(path),
                false => {}
            }
        }
    }
    assert!(!segments.is_empty());
    segments.iter().for_each(|path| fs::remove_file(path).expect("removed"));
    let output = bucket.run(&["backup", place, "--verify"]);
    let lines = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(4), "{lines}");
    assert!(lines.contains("000001-0001-0001.segment: it is missing"), "{lines}");
    let output = back_up(&[]);
    assert!(output.contains("000001-0001-0001.segment: it is missing\n"), "{output}");
    assert!(output.contains("\tfull, 1 room, "), "{output}");

    let output = bucket.run(&["backup", "s3://nothing/x", "--data", text(&data)]);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.contains("s3://nothing/x: the server answers 404 Not Found: NoSuchBucket"), "{error}");
    let (code, _, error) = run(&["backup", "s3://backups", "--data", text(&data)]);
    assert_eq!(code, 2);
    assert!(error.contains("the variable AWS_ACCESS_KEY_ID is not set"), "{error}");
}
