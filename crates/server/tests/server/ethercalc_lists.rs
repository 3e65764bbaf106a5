//! EtherCalc's lists of rooms and its templates follow the access of each room.

use serde_json::json;

use crate::access::{Restricted, send};
use crate::support::Server;

#[test]
fn lists_have_the_rooms_that_somebody_may_open() {
    let server = Server::start();
    server.make_room("open", "1\n");
    let mut workbook = Restricted::new(&server, "secret");
    workbook.ask(&server);
    for (credential, expected) in [
        ("", json!(["open"])),
        (workbook.view_link(), json!(["open", "secret"])),
        (&workbook.owner_key, json!(["open", "secret"])),
    ] {
        assert_eq!(send(&server, credential, "GET", "/_rooms", "").json(), expected, "{credential}");
        let times = send(&server, credential, "GET", "/_roomtimes", "").json();
        assert_eq!(times.as_object().expect("an object").len(), expected.as_array().expect("an array").len());
    }
    assert_eq!(server.get("/_roomlinks").text(), r#"["<a href=/open>open</a>"]"#);
    // A workbook in the trash is not listed.
    let trashed = send(&server, &workbook.owner_key, "POST", &workbook.path("/access/trash"), "");
    assert!(trashed.status < 300, "{trashed:?}");
    assert_eq!(send(&server, &workbook.owner_key, "GET", "/_rooms", "").json(), json!(["open"]));
}

#[test]
fn lists_have_random_names_or_are_turned_off_by_the_setting() {
    let data = tempfile::tempdir().expect("a temporary directory");
    let server = Server::start_on(data.path(), &[]);
    server.make_room("plan", "1\n");
    let made = server.send("POST", "/_", &[("content-type", "text/csv")], b"1");
    assert_eq!(made.status, 201);
    server.get("/plan/form");
    assert_eq!(server.get("/_rooms").json(), json!(["plan"]));
    drop(server);
    let server = Server::start_on(data.path(), &["--ethercalc-lists", "all"]);
    let all = server.get("/_rooms").json();
    let name = made.text().trim_start_matches('/').to_owned();
    assert!(all.as_array().is_some_and(|all| all.len() == 3 && all.contains(&json!(name))), "{all}");
    drop(server);
    let server = Server::start_on(data.path(), &["--ethercalc-lists", "off"]);
    for list in ["_rooms", "_roomlinks", "_roomtimes"] {
        let refused = server.get(&format!("/{list}"));
        assert_eq!((refused.status, refused.text()), (403, format!("{list} is turned off on this server")));
    }
}

#[test]
fn a_template_is_copied_for_whoever_may_read_it() {
    let server = Server::start();
    let workbook = Restricted::new(&server, "form");
    let copy = |credential: &str, path: &str| {
        let found = send(&server, credential, "GET", path, "");
        assert_eq!(found.status, 302, "{found:?}");
        found.header("location").trim_end_matches("/app").trim_start_matches('/').to_owned()
    };
    let copied = copy(workbook.view_link(), "/_from/form");
    assert_eq!(server.get(&format!("/{copied}.csv")).text(), "1\n");
    let filled_in = copy(workbook.view_link(), "/form/form");
    assert!(filled_in.starts_with("form_"), "{filled_in}");
    assert_eq!(server.get(&format!("/{filled_in}.csv")).text(), "1\n");
    for path in ["/_from/form", "/_from/none", "/form/form"] {
        let empty = copy("", path);
        assert_eq!(server.get(&format!("/_exists/{empty}")).text(), "false", "{path}");
    }
    let long = "x".repeat(128);
    for path in ["/_from/a%20b", "/_new/form", &format!("/{long}/form")] {
        assert_eq!(server.get(path).status, 400, "{path}");
    }
}

#[test]
fn where_nobody_may_create_workbooks_templates_are_not_copied() {
    let data = tempfile::tempdir().expect("a temporary directory");
    let server = Server::start_on(data.path(), &["--create-workbooks", "nobody"]);
    for path in ["/_from/plan", "/plan/form", "/=_new"] {
        assert_eq!(server.get(path).status, 403, "{path}");
    }
}
