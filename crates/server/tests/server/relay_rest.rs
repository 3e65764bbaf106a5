//! Requests for a room at a server that does not run it: the answers are those of the server that does.

use std::io::{Read, Write};
use std::time::{Duration, Instant};

use quadrille_test_database::TestDatabase;
use serde_json::json;

use crate::access::{join, socket_at};
use crate::access_roles::{check_ethercalcs_roles, check_roles};
use crate::changes::Events;
use crate::person::Person;
use crate::several_servers::{assert_owner, start};
use crate::support::{Reply, Server, file};

/// Two servers with one database, of which the first runs the room `sales`: Ann has it open there.
struct Pair {
    database: &'static TestDatabase,
    url: String,
    first: Server,
    second: Server,
    _ann: Person,
}

impl Pair {
    fn start(csv: &str) -> Pair {
        Pair::start_with(csv, &[])
    }

    fn start_with(csv: &str, more: &[&str]) -> Pair {
        let database = TestDatabase::shared();
        let url = database.create();
        let arguments = [&["--storage", &*url, "--metrics", "true"][..], more].concat();
        let [first, second] = [(); 2].map(|()| Server::start_on(&std::env::temp_dir(), &arguments));
        first.make_room("sales", csv);
        let ann = Person::join(&first, "sales", "Ann");
        let pair = Pair { database, url, first, second, _ann: ann };
        pair.check_owner();
        pair
    }

    fn check_owner(&self) {
        assert_owner(self.database, &self.url, "sales", &self.first);
    }
}

/// What programs compare of an answer.
fn shown(reply: &Reply) -> (u16, String, String, String, Vec<u8>) {
    let header = |name: &str| reply.header(name).to_owned();
    (reply.status, header("content-type"), header("etag"), header("content-disposition"), reply.body.clone())
}

#[test]
fn reads_are_the_same_at_every_server() {
    let pair = Pair::start("Item,Price\nPear,3\nPlum,=B2*2\n");
    let image = pair.second.send(
        "POST",
        "/api/v1/rooms/sales/images",
        &[("content-type", "image/png")],
        b"\x89PNG\r\n\x1a\nx",
    );
    assert_eq!(image.status, 201, "{image:?}");
    let image = image.header("location").to_owned();
    // Read, drawn and stored by the owner.
    let shape = format!(
        r#"{{"image":"{}","width":40,"height":40,"rotation":90}}"#,
        image.rsplit('/').next().expect("a name")
    );
    let shape = pair.second.post_json("/api/v1/rooms/sales/shapes", &shape);
    assert_eq!(shape.status, 201, "{shape:?}");
    let attributes = shape.header("location").replace("/images/", "/shapes/");
    for path in [
        "/api/v1/rooms/sales",
        "/api/v1/rooms/sales?format=csv",
        "/api/v1/rooms/sales?format=ods",
        "/api/v1/rooms/sales/sheets/Sheet1/cells/A1:B3",
        "/api/v1/rooms/sales/sheets/Sheet1/cells/B3?fields=value",
        "/api/v1/rooms/sales/sheets/Nowhere/cells/A1",
        "/api/v1/rooms/sales/items",
        "/api/v1/rooms/sales/history",
        "/api/v1/rooms/sales/history/1?format=csv",
        "/api/v1/rooms/sales/history/999",
        "/api/v1/rooms/sales/changes?after=0",
        "/api/v1/rooms/sales/losses?format=csv",
        "/api/v1/rooms/sales/window?sheet=1&rows=5&columns=5",
        "/api/v1/rooms/sales/access",
        "/api/v1/rooms/sales/chat",
        "/api/v1/rooms/sales/files/nothing",
        "/_/sales",
        "/_/sales/csv",
        "/_/sales/cells",
        "/_/sales/cells/B3",
        "/_exists/sales",
        "/sales.csv",
        "/sales.html",
        "/=sales.csv",
        &image,
        shape.header("location"),
        &attributes,
    ] {
        let [first, second] = [&pair.first, &pair.second].map(|server| shown(&server.get(path)));
        assert_eq!(first, second, "{path}");
    }
    assert_eq!(pair.second.get("/sales.csv").text(), "Item,Price\nPear,3\nPlum,6\n");
    assert!(pair.second.metric("quadrille_relayed_requests_total").expect("counted") > 20.0);
    assert_eq!(pair.first.metric("quadrille_relayed_requests_total"), Some(0.0));
    pair.check_owner();
}

#[test]
fn a_head_request_has_the_headers_of_the_answer() {
    let pair = Pair::start("1\n");
    for path in ["/api/v1/rooms/sales", "/api/v1/rooms/sales?format=csv", "/sales.csv"] {
        let [first, second] = [&pair.first, &pair.second].map(|server| {
            let reply = server.send("HEAD", path, &[], b"");
            assert!(reply.body.is_empty());
            (reply.status, reply.header("content-length").to_owned(), reply.header("etag").to_owned())
        });
        assert_eq!(first, second, "{path}");
        assert_eq!(second.0, 200);
    }
}

#[test]
fn what_was_written_at_one_server_is_read_at_the_other() {
    let pair = Pair::start("1\n");
    let cell = "/api/v1/rooms/sales/sheets/Sheet1/cells/A1";
    for (number, (writer, reader)) in
        [(&pair.second, &pair.first), (&pair.first, &pair.second), (&pair.second, &pair.second)]
            .into_iter()
            .enumerate()
    {
        let written = writer.put_json(cell, &format!("{}", number + 10));
        assert_eq!(written.status, 200, "{written:?}");
        assert_eq!(reader.csv("sales"), format!("{}\n", number + 10));
        assert_eq!(reader.get("/api/v1/rooms/sales").header("etag"), written.header("etag"));
    }
    pair.check_owner();
}

#[test]
fn conditions_hold_at_every_server() {
    let pair = Pair::start("1\n");
    let cell = "/api/v1/rooms/sales/sheets/Sheet1/cells/A1";
    let read = pair.second.get("/api/v1/rooms/sales");
    let tag = read.header("etag").to_owned();
    assert_eq!(tag, pair.first.get("/api/v1/rooms/sales").header("etag"));
    let known = pair.second.send("GET", "/api/v1/rooms/sales", &[("if-none-match", &tag)], b"");
    assert_eq!((known.status, known.body.len()), (304, 0));
    let json = ("content-type", "application/json");
    let written = pair.second.send("PUT", cell, &[json, ("if-match", &tag)], b"2");
    assert_eq!(written.status, 200, "{written:?}");
    let late = pair.second.send("PUT", cell, &[json, ("if-match", &tag)], b"3");
    assert_eq!((late.status, late.code().as_str()), (412, "revision_mismatch"));
    assert_eq!(pair.first.csv("sales"), "2\n");
}

#[test]
fn a_request_that_is_repeated_at_another_server_is_carried_out_once() {
    let pair = Pair::start("1\n");
    let headers = [("content-type", "application/json"), ("idempotency-key", "key-1")];
    let send = |server: &Server| {
        server.send("POST", "/api/v1/rooms/sales/sheets/Sheet1/rows", &headers, br#"{"rows":[[7]]}"#)
    };
    let replies = [&pair.second, &pair.first, &pair.second].map(send);
    assert_eq!(replies.each_ref().map(|reply| reply.status), [201, 201, 201], "{replies:?}");
    assert_eq!(
        replies.each_ref().map(|reply| reply.header("idempotent-replayed") == "true"),
        [false, true, true]
    );
    assert_eq!(pair.first.csv("sales"), "1\n7\n");
}

#[test]
fn programs_of_ethercalc_use_any_server() {
    let pair = Pair::start("1,2\n");
    let command = json!({ "command": ["set C1 formula A1+B1", "set A2 text t naïve"] }).to_string();
    let done = pair.second.post_json("/_/sales", &command);
    assert_eq!(
        (done.status, done.header("content-type")),
        (202, "application/json; charset=utf-8"),
        "{done:?}"
    );
    assert_eq!(pair.first.get("/sales.csv").text(), "1,2,3\nnaïve,,\n");
    assert_eq!(pair.second.put("/_/sales", "text/csv", "9\n").status, 201);
    assert_eq!(pair.first.get("/_/sales/csv").text(), "9\n");
    // A sheet of a workbook of several rooms, and all of them.
    let contents = "#url,#title\n/sales.1,North\n/sales.2,South\n";
    assert_eq!(pair.second.put("/_/sales", "text/csv", contents).status, 201);
    let written = pair.second.put("/_/sales.2", "text/csv", "5\n");
    assert_eq!(written.status, 201, "{written:?}");
    for path in ["/_/sales.2/csv", "/sales.2.csv"] {
        assert_eq!(
            [&pair.first, &pair.second].map(|server| server.get(path).text()),
            ["5\n", "5\n"],
            "{path}"
        );
    }
    let all = pair.second.get("/_/=sales/xlsx");
    assert_eq!(all.status, 200);
    assert_eq!(pair.second.put("/_/=sales/xlsx", "application/octet-stream", &all.body).status, 201);
    // The copy of a template is made where the template is.
    let copied = pair.second.get("/_from/sales");
    assert_eq!(copied.status, 302, "{copied:?}");
    let copy = copied.header("location");
    assert_eq!(pair.first.get(&format!("/api/v1/rooms{copy}")).status, 200, "{copy}");
    assert_eq!(pair.second.delete("/_/sales").status, 201);
    assert_eq!(pair.first.get("/api/v1/rooms/sales").status, 404);
}

#[test]
fn long_bodies_pass_in_both_directions() {
    let rows: String = (0..120_000).map(|row| format!("{row},a text that makes the row longer\n")).collect();
    let pair = Pair::start("1\n");
    let replaced = pair.second.put("/api/v1/rooms/sales", "text/csv", &rows);
    assert_eq!(replaced.status, 200, "{replaced:?}");
    assert_eq!(pair.second.csv("sales").len(), rows.len());
    // In pieces of unknown number.
    let mut stream = pair.second.connect();
    let head = "PUT /api/v1/rooms/sales HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\
                content-type: text/csv\r\ntransfer-encoding: chunked\r\nexpect: 100-continue\r\n\r\n";
    stream.write_all(head.as_bytes()).expect("open");
    let mut proceed = [0; 25];
    stream.read_exact(&mut proceed).expect("readable");
    assert_eq!(&proceed, b"HTTP/1.1 100 Continue\r\n\r\n");
    for piece in rows.as_bytes().chunks(50_000) {
        stream.write_all(format!("{:x}\r\n", piece.len()).as_bytes()).expect("open");
        stream.write_all(piece).expect("open");
        stream.write_all(b"\r\n").expect("open");
    }
    stream.write_all(b"0\r\n\r\n").expect("open");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("readable");
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    // The limit is that of the server that reads it.
    let pair = Pair::start_with("1\n", &["--body-bytes-max", "100000"]);
    let refused =
        pair.second.try_send("PUT", "/api/v1/rooms/sales", &[("content-type", "text/csv")], rows.as_bytes());
    if let Ok(refused) = refused {
        assert_eq!((refused.status, refused.code().as_str()), (413, "body_too_large"));
    }
    assert_eq!(pair.second.csv("sales"), "1\n");
}

#[test]
fn changes_are_followed_at_every_server() {
    let pair = Pair::start("1\n");
    let cell = "/api/v1/rooms/sales/sheets/Sheet1/cells/A1";
    let mut events = Events::open(&pair.second, "/api/v1/rooms/sales/changes", &[]).expect("a stream");
    let waiting = std::thread::scope(|scope| {
        let waiting = scope.spawn(|| pair.second.get("/api/v1/rooms/sales/changes?after=1&wait=20"));
        // Whether it waits already makes no difference to the answer.
        assert_eq!(pair.first.put_json(cell, "2").status, 200);
        waiting.join().expect("an answer")
    });
    assert_eq!(waiting.json()["next"], 2, "{waiting:?}");
    assert_eq!(events.next().expect("the edit").1["revision"], 2);
    assert_eq!(pair.second.put_json(cell, "3").status, 200);
    assert_eq!(events.next().expect("the edit").1["revision"], 3);
    // A server that stops does not wait for streams that it relays.
    let Pair { mut second, .. } = pair;
    let began = Instant::now();
    second.signal("TERM");
    assert!(events.next().is_none());
    assert_eq!(second.wait().code(), Some(0));
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
}

#[test]
fn the_roles_of_all_operations_hold_at_the_other_server() {
    let database = TestDatabase::shared();
    let url = database.create();
    let arguments = ["--storage", &url, "--claim", "editors", "--metrics", "true"];
    let [first, second] = [(); 2].map(|()| Server::start_on(&std::env::temp_dir(), &arguments));
    check_roles(&first, &second);
    check_ethercalcs_roles(&first, &second);
    let relayed = second.metric("quadrille_relayed_requests_total").expect("counted");
    assert!(relayed > 100.0, "{relayed}");
}

/// The owner counts and records the client, not the server that relays.
#[test]
fn the_owner_knows_the_address_of_the_client() {
    let pair = Pair::start_with("1\n", &["--claim", "editors"]);
    let claimed = pair.second.post_json("/api/v1/rooms/sales/access/claim", "");
    let owner = format!("Bearer {}", claimed.json()["ownerKey"].as_str().expect("a key"));
    let owner = ("authorization", owner.as_str());
    let from = |address| [owner, ("x-forwarded-for", address), ("content-type", "application/json")];
    for (server, address) in [(&pair.second, "203.0.113.7"), (&pair.first, "203.0.113.8")] {
        let body = br#"{"general":"view"}"#;
        let set = server.send("PUT", "/api/v1/rooms/sales/access", &from(address), body);
        assert_eq!(set.status, 204, "{set:?}");
    }
    let audit = pair.second.send("GET", "/api/v1/rooms/sales/access/audit", &[owner], b"").json().to_string();
    assert!(audit.contains("203.0.113.7") && audit.contains("203.0.113.8"), "{audit}");
}

#[test]
fn the_limit_of_a_client_counts_what_was_relayed() {
    let pair = Pair::start_with("1\n", &["--address-requests-per-second", "1"]);
    let client = [("x-forwarded-for", "203.0.113.7")];
    // A burst of ten, over both servers together: the owner counts all of them.
    let ask = |server: &Server| server.send("GET", "/api/v1/rooms/sales?format=csv", &client, b"").status;
    let statuses: Vec<u16> =
        (0..24).map(|number| ask(if number % 2 == 0 { &pair.second } else { &pair.first })).collect();
    assert!(statuses[..8].iter().all(|status| *status == 200), "{statuses:?}");
    assert!(statuses[14..].contains(&429), "{statuses:?}");
    assert_eq!(pair.second.get("/api/v1/rooms/sales?format=csv").status, 200, "others are not limited");
}

#[test]
fn tenants_are_those_of_the_address_at_every_server() {
    let (_folder, settings) = file("quadrille.toml", "[[tenants]]\npath = \"/acme\"\n");
    let pair = Pair::start_with("1\n", &["--config", settings.to_str().expect("UTF-8")]);
    let made = pair.first.send(
        "POST",
        "/acme/api/v1/rooms",
        &[("content-type", "application/json")],
        br#"{"name":"plan"}"#,
    );
    assert_eq!(made.status, 201, "{made:?}");
    let mut ben = socket_at(&pair.first, "/acme/api/v1/rooms/plan/socket", "");
    join(&mut ben);
    assert_owner(pair.database, &pair.url, "plan", &pair.first);
    for path in ["/acme/api/v1/rooms/plan", "/acme/_from/plan", "/acme/plan/edit"] {
        let [first, second] = [&pair.first, &pair.second].map(|server| {
            let reply = server.get(path);
            let location = reply.header("location");
            (reply.status, location.get(..6).unwrap_or_default().to_owned())
        });
        assert_eq!(first, second, "{path}");
    }
}

#[test]
fn a_page_of_another_origin_is_answered_as_by_the_owner() {
    let pair = Pair::start_with("1\n", &["--origins", "https://wiki.example.org"]);
    let headers = [("origin", "https://wiki.example.org")];
    let [first, second] = [&pair.first, &pair.second].map(|server| {
        let reply = server.send("GET", "/api/v1/rooms/sales", &headers, b"");
        let mut headers: Vec<(String, String)> = reply
            .headers
            .iter()
            .map(|(name, value)| (name.to_string(), value.to_str().expect("ASCII").to_owned()))
            .filter(|(name, _)| name != "date")
            .collect();
        headers.sort();
        (reply.status, headers)
    });
    assert_eq!(first, second);
    assert!(second.1.iter().any(|(name, _)| name == "access-control-allow-origin"), "{second:?}");
}

/// The servers of one machine are all asked at the same time for a room that none of them runs.
#[test]
fn requests_at_the_same_time_are_answered_though_one_server_only_claims_the_room() {
    let database = TestDatabase::shared();
    let url = database.create();
    let servers = [start(&url), start(&url)];
    for room in (0..20).map(|number| format!("room-{number}")) {
        let mut statuses: Vec<u16> = std::thread::scope(|scope| {
            let writing: Vec<_> = servers
                .iter()
                .map(|server| {
                    let path = format!("/api/v1/rooms/{room}");
                    scope.spawn(move || server.put(&path, "text/csv", "1\n").status)
                })
                .collect();
            writing.into_iter().map(|writing| writing.join().expect("an answer")).collect()
        });
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 201], "{room}: one of them has created it");
        assert_eq!(servers.each_ref().map(|server| server.csv(&room)), ["1\n", "1\n"]);
    }
}
