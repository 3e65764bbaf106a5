//! Large snapshots and images in a bucket of S3, with SQLite and with PostgreSQL.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant, SystemTime};

use quadrille_test_database::TestDatabase;

use crate::backup::text;
use crate::backup_places::Bucket;
use crate::support::{Reply, Server, TIMEOUT};

const PLACE: &str = "s3://backups/rooms";

/// An image with bytes that occur nowhere else.
fn image() -> Vec<u8> {
    let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
    bytes.extend((0..100_000u32).flat_map(|number| number.wrapping_mul(2_654_435_761).to_be_bytes()));
    bytes
}

fn start(bucket: &Bucket, data: &Path, more: &[&str]) -> Server {
    let objects = ["--object-storage", PLACE, "--object-storage-bytes-min", "1024"];
    let often = ["--snapshot-after-records", "1", "--room-idle-seconds", "0"];
    Server::start_by(bucket.binary(), Stdio::inherit(), data, &[&objects[..], &often, more].concat())
}

fn put_image(server: &Server, room: &str, bytes: &[u8]) -> Reply {
    server.send("POST", &format!("/api/v1/rooms/{room}/images"), &[("content-type", "image/png")], bytes)
}

/// A table whose snapshot has more than 1 KiB, also compressed.
fn table() -> String {
    (0..2_000u32).map(|row| format!("{},{}\n", row.wrapping_mul(2_654_435_761), row)).collect()
}

/// The files of the objects in the bucket, without the marks of folders.
fn objects(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut directories = vec![directory.to_owned()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).expect("lists") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            match path.is_dir() {
                true => directories.push(path),
                false if name.ends_with("._S3rver_object") && !name.starts_with("storage.") => {
                    found.push(path)
                }
                false => {}
            }
        }
    }
    found
}

fn until<T>(what: &str, look: impl Fn() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(began.elapsed() < TIMEOUT, "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn is_image(path: &Path) -> bool {
    fs::read(path).expect("readable") == image()
}

#[test]
fn large_values_are_objects_with_sqlite() {
    large_values_are_objects(None);
}

#[test]
fn large_values_are_objects_with_postgresql() {
    let database = TestDatabase::shared();
    large_values_are_objects(Some(&database.create()));
}

fn large_values_are_objects(database: Option<&str>) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let [data, files, backups, restored] =
        ["data", "objects", "backups", "restored"].map(|name| directory.path().join(name));
    fs::create_dir(&files).expect("a directory");
    fs::create_dir(&data).expect("a directory");
    let bucket = Bucket::start(&files);
    let storage = database.map_or(Vec::new(), |url| vec!["--storage", url]);
    let mut server = start(&bucket, &data, &storage);
    server.make_room("plan", &table());
    let made = put_image(&server, "plan", &image());
    assert_eq!(made.status, 201, "{made:?}");
    let path = made.header("location").to_owned();
    assert_eq!(put_image(&server, "plan", &image()).status, 200, "it is known");
    assert_eq!(server.get(&path).body, image());
    // The image and a snapshot.
    let snapshot =
        until("a snapshot in the bucket", || objects(&files).into_iter().find(|path| !is_image(path)));
    // The second upload of the image is removed again.
    until("one image", || (objects(&files).iter().filter(|path| is_image(path)).count() == 1).then_some(()));
    assert!(fs::metadata(&snapshot).expect("a file").len() >= 1_024);
    server.signal("TERM");
    server.wait();

    // Another process finds both, and so does one that stores no more objects.
    let mut server = start(&bucket, &data, &storage);
    assert_eq!(server.csv("plan"), table());
    assert_eq!(server.get(&path).body, image());
    server.signal("TERM");
    server.wait();
    let mut server = Server::start_by(bucket.binary(), Stdio::inherit(), &data, &storage);
    assert_eq!((server.csv("plan"), server.get(&path).body), (table(), image()));
    server.signal("TERM");
    server.wait();

    // A backup has the bytes, and is restored without the bucket.
    let arguments = [&["backup", text(&backups), "--data", text(&data)], &storage[..]].concat();
    bucket.succeed(&arguments);
    bucket.succeed(&["restore", text(&backups), "--data", text(&restored)]);
    let mut again = Server::start_on(&restored, &[]);
    assert_eq!((again.csv("plan"), again.get(&path).body), (table(), image()));
    again.kill();

    if database.is_none() {
        let checked = bucket.succeed(&["check", "--data", text(&data)]);
        assert!(checked.contains("objects read"), "{checked}");
    }
    // A missing snapshot costs time, a missing image is named.
    for object in objects(&files) {
        fs::remove_file(object).expect("removed");
    }
    let server = start(&bucket, &data, &storage);
    assert_eq!(server.csv("plan"), table());
    let missing = server.get(&path);
    assert_eq!(missing.code(), "storage_failed", "{missing:?}");
    assert!(missing.text().contains("the object is missing"), "{}", missing.text());
    drop(server);
    if database.is_none() {
        let checked = bucket.run(&["check", "--data", text(&data)]);
        let lines = String::from_utf8_lossy(&checked.stdout).into_owned();
        assert_eq!(checked.status.code(), Some(4), "{lines}");
        assert!(lines.contains("s3://backups/rooms/") && lines.contains("the object is missing"), "{lines}");
    }
}

#[test]
fn a_wrong_bucket_is_refused_before_anything_is_missing() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let [data, files] = ["data", "objects"].map(|name| directory.path().join(name));
    fs::create_dir(&files).expect("a directory");
    let bucket = Bucket::start(&files);
    drop(start(&bucket, &data, &[]));
    let serve = |place: &str, key: &str| {
        let mut command = bucket.binary();
        command.env("AWS_ACCESS_KEY_ID", key);
        let arguments =
            ["serve", "--listen", "127.0.0.1:0", "--data", text(&data), "--object-storage", place];
        let output = command.args(arguments).output().expect("the binary starts");
        assert!(!output.status.success());
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    for (place, key, message) in [
        ("s3://backups/other", "S3RVER", "does not have the objects of this storage"),
        ("s3://nothing/rooms", "S3RVER", "NoSuchBucket"),
        (PLACE, "wrong", "InvalidAccessKeyId"),
        (PLACE, "", "the variable AWS_ACCESS_KEY_ID is not set"),
        ("https://backups/rooms", "S3RVER", "name s3://bucket/prefix"),
    ] {
        let error = serve(place, key);
        assert!(error.contains(message), "{place}: {error}");
    }
    let doctor = bucket.run(&["doctor", "--data", text(&data), "--object-storage", "s3://backups/other"]);
    let found = String::from_utf8_lossy(&doctor.stdout).into_owned();
    assert!(found.contains("does not have the objects of this storage"), "{found}");
}

#[test]
fn edits_go_on_while_the_bucket_is_away_and_snapshots_are_stored_later() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let [data, files] = ["data", "objects"].map(|name| directory.path().join(name));
    fs::create_dir(&files).expect("a directory");
    let bucket = Bucket::start(&files);
    let port = bucket.port;
    let mut server = start(&bucket, &data, &[]);
    server.make_room("plan", &table());
    until("a snapshot in the bucket", || objects(&files).pop());
    drop(bucket);
    server.make_room("other", &table());
    server.make_room("other", &format!("1,1\n{}", table()));
    assert_eq!(server.csv("other"), format!("1,1\n{}", table()));
    let refused = put_image(&server, "other", &image());
    assert_eq!((refused.status, refused.code().as_str()), (503, "storage_failed"), "{refused:?}");
    assert!(refused.text().contains("the object storage does not answer"), "{}", refused.text());
    let before = objects(&files).len();
    let bucket = Bucket::start_at(&files, port);
    server.make_room("third", &table());
    until("snapshots are tried again", || (objects(&files).len() > before).then_some(()));
    assert_eq!(put_image(&server, "other", &image()).status, 201);
    // What was acknowledged while the bucket was away survives.
    server.kill();
    let server = start(&bucket, &data, &[]);
    assert_eq!(server.csv("other"), format!("1,1\n{}", table()));
    assert_eq!(server.csv("third"), table());
}

#[test]
fn objects_that_nothing_has_referred_to_for_a_day_are_removed() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let [data, files] = ["data", "objects"].map(|name| directory.path().join(name));
    fs::create_dir(&files).expect("a directory");
    let bucket = Bucket::start(&files);
    let mut server = start(&bucket, &data, &[]);
    server.make_room("plan", "1\n");
    assert_eq!(put_image(&server, "plan", &image()).status, 201);
    server.kill();
    let kept = objects(&files).into_iter().find(|path| is_image(path)).expect("the image");
    let copy = |name: &str| {
        let name = format!("{name}._S3rver_object");
        let copy = kept.with_file_name(name);
        fs::copy(&kept, &copy).expect("copied");
        for end in ["._S3rver_metadata.json", "._S3rver_object.md5"] {
            let other = |path: &Path| PathBuf::from(path.to_string_lossy().replace("._S3rver_object", end));
            if other(&kept).exists() {
                fs::copy(other(&kept), other(&copy)).expect("copied");
            }
        }
        copy
    };
    let (old, new) = (copy("00000000000000000000000000000001"), copy("00000000000000000000000000000002"));
    let two_days_ago = SystemTime::now() - Duration::from_secs(2 * 86_400);
    for path in [&kept, &old] {
        let file = fs::File::options().write(true).open(path).expect("opens");
        file.set_modified(two_days_ago).expect("a time");
    }
    let _server = start(&bucket, &data, &[]);
    until("the old object is removed", || (!old.exists()).then_some(()));
    assert!(kept.exists() && new.exists());
}
