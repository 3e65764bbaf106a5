//! Data of released versions (`fixtures/data`) are read by this one.

use std::fs;
use std::path::{Path, PathBuf};

use quadrille_test_database::{TestDatabase, USER};

use crate::access::send;
use crate::person::Person;
use crate::support::{Server, binary};

const CSV: &str = "Item,Count,Price\npen,3,1.5\nink,2,4\nrow 1,=B2*1,=B3+1\nrow 2,=B2*2,=B3+2\n\
    row 3,=B2*3,=B3+3\nrow 4,=B2*4,=B3+4\nrow 5,=B2*5,=B3+5\nrow 6,=B2*6,=B3+6\n";
/// SHA-256 of the image.
const IMAGE: &str = "23d27b8416389c050c3d7ea68d3b75d08d71ef2282c606f9970706267b786cbe";

fn recorded(version: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/data").join(version)
}

/// Reads everything that was recorded, and changes it.
fn use_recorded(server: &Server, owner_key: &str) {
    assert_eq!(server.csv("plan"), CSV);
    let history = server.get("/api/v1/rooms/plan/history").json();
    assert_eq!((&history["first"], &history["head"]), (&1.into(), &7.into()), "{history}");
    let third = server.get("/api/v1/rooms/plan/history/3?format=csv");
    assert_eq!(third.text(), CSV.lines().take(5).map(|line| format!("{line}\n")).collect::<String>());
    assert_eq!(server.get("/api/v1/rooms/plan/chat").json()["remarks"][0]["text"], "Hello from 0.2");
    assert_eq!(server.get(&format!("/api/v1/rooms/plan/images/{IMAGE}")).status, 200);
    assert_eq!(server.get("/api/v1/rooms/secret").status, 404, "hidden from strangers");
    let opened = send(server, owner_key, "GET", "/api/v1/rooms/secret?format=csv", "");
    assert_eq!((opened.status, opened.text().as_str()), (200, "kept\n"));
    let mut ann = Person::join(server, "plan", "Ann");
    ann.type_text("A10", "new");
    ann.wait_until_saved();
    assert_eq!(server.csv("plan"), format!("{CSV}new,,\n"));
}

#[test]
fn a_data_directory_of_0_2_0_opens() {
    let data = tempfile::tempdir().expect("a temporary directory");
    for entry in fs::read_dir(recorded("0.2.0/directory")).expect("recorded") {
        let path = entry.expect("an entry").path();
        fs::copy(&path, data.path().join(path.file_name().expect("a name"))).expect("copied");
    }
    let checked = binary().args(["check", "--data"]).arg(data.path()).output().expect("the binary starts");
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stdout));
    let server = Server::start_on(data.path(), &[]);
    use_recorded(&server, "qo_B0uy70zq1DG8vZ7y-Jnhiky0IUpWYqcB");
}

#[test]
fn a_database_of_0_2_0_opens() {
    let database = TestDatabase::shared();
    let url = database.create();
    let dump = fs::read_to_string(recorded("0.2.0/postgres.sql")).expect("recorded");
    database.sql(&url, &format!("SET ROLE {USER}; {dump}"));
    let data = tempfile::tempdir().expect("a temporary directory");
    let server = Server::start_on(data.path(), &["--storage", &url]);
    use_recorded(&server, "qo_ip-j7CsAax-1iTO74g8KsKWXOCW66owZ");
}
