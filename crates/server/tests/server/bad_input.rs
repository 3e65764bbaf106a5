//! Invalid input: the server answers with a documented error, loses no data and continues.

use std::io::Write;

use crate::support::Server;

#[test]
fn malformed_requests_get_a_matching_status() {
    let server = Server::start();
    server.make_room("r", "before\n");
    let long = "x".repeat(129);
    let huge_head = "h".repeat(256 << 10);
    let many_headers: String = (0..200).map(|number| format!("h{number}: x\r\n")).collect();
    for (what, request, answer) in [
        ("unknown route", "GET /api/v1/nothing HTTP/1.1\r\n".to_owned(), "404"),
        ("unknown method", "PATCH /api/v1/rooms/r HTTP/1.1\r\n".into(), "405"),
        ("method not for this route", "GET /api/v1/rooms HTTP/1.1\r\n".into(), "405"),
        ("path out of the tree", "GET /../../etc/passwd HTTP/1.1\r\n".into(), "404"),
        ("the same encoded", "GET /%2e%2e%2f%2e%2e%2fetc%2fpasswd HTTP/1.1\r\n".into(), "400"),
        ("the same in assets", "GET /assets/..%2f..%2fCargo.toml HTTP/1.1\r\n".into(), "404"),
        ("NUL in a room", "GET /api/v1/rooms/a%00b HTTP/1.1\r\n".into(), "400"),
        ("overlong UTF-8 in a room", "GET /api/v1/rooms/%c0%af HTTP/1.1\r\n".into(), "400"),
        ("broken UTF-8 in a page", "GET /%ff HTTP/1.1\r\n".into(), "400"),
        ("right-to-left override in a room", "GET /api/v1/rooms/%E2%80%AEa HTTP/1.1\r\n".into(), "400"),
        ("name too long", format!("GET /api/v1/rooms/{long} HTTP/1.1\r\n"), "400"),
        ("reserved name", "GET /api/v1/rooms/_x HTTP/1.1\r\n".into(), "400"),
        ("reserved name with two underscores", "GET /api/v1/rooms/__proto__ HTTP/1.1\r\n".into(), "400"),
        ("name of a JavaScript member", "GET /api/v1/rooms/constructor HTTP/1.1\r\n".into(), "404"),
        ("an emoji", "GET /api/v1/rooms/%F0%9F%93%88 HTTP/1.1\r\n".into(), "404"),
        ("far more than 64 KiB of headers", format!("GET / HTTP/1.1\r\nx: {huge_head}\r\n"), "431"),
        ("200 headers", format!("GET / HTTP/1.1\r\n{many_headers}"), "431"),
        ("not HTTP", "hello\r\n".into(), "400"),
        (
            "body declared too large",
            "PUT /api/v1/rooms/r HTTP/1.1\r\ncontent-type: text/csv\r\ncontent-length: 99999999999\r\n"
                .into(),
            "413",
        ),
        (
            "form from a foreign page",
            "POST /api/v1/rooms HTTP/1.1\r\norigin: https://evil.example\r\ncontent-length: 0\r\n".into(),
            "403",
        ),
    ] {
        let answer_text =
            server.raw(format!("{request}host: localhost\r\nconnection: close\r\n\r\n").as_bytes());
        let status = answer_text.get(9..12).unwrap_or_default();
        assert_eq!(status, answer, "{what}: {answer_text}");
    }
    assert_eq!(server.csv("r"), "before\n");
}

#[test]
fn unbounded_bodies_are_cut_off() {
    let data = tempfile::tempdir().expect("a temporary directory");
    let server = Server::start_on(data.path(), &["--body-bytes-max", "100000"]);
    let mut stream = server.connect();
    stream
        .write_all(b"PUT /api/v1/rooms/r HTTP/1.1\r\nhost: localhost\r\ncontent-type: text/csv\r\ntransfer-encoding: chunked\r\n\r\n")
        .expect("open");
    let chunk = format!("2710\r\n{}\r\n", "x".repeat(10_000));
    // The server closes the connection when the limit of what it discards is reached, too.
    let cut_off = (0..5_000).any(|_| stream.write_all(chunk.as_bytes()).is_err());
    assert!(cut_off);
    assert_eq!(server.get("/api/v1/rooms/r").status, 404);
}

#[test]
fn invalid_cells_are_refused_or_stored_as_text() {
    let server = Server::start();
    server.make_room("r", "before\n");
    let deep = "[".repeat(10_000);
    let long_text = format!("\"{}\"", "x".repeat(40_000));
    let nested = format!("{{\"formula\":\"={}1{}\"}}", "(".repeat(1_000), ")".repeat(1_000));
    for (what, cell, body, status) in [
        ("depth of JSON", "A1", deep.as_str(), 400),
        ("number out of range", "A1", "1e400", 400),
        ("text too long", "A1", &long_text, 413),
        ("array for one cell", "A1", "[1]", 400),
        ("unknown member", "A1", "{\"vlue\":1}", 400),
        ("unknown error", "A1", "{\"value\":{\"error\":\"#WHAT\"}}", 400),
        ("invalid UTF-8", "A1", "\"\u{0}\"", 400),
        ("formula too deep", "B1", &nested, 200),
        ("malformed formula", "B1", "{\"formula\":\"=)(\"}", 200),
        ("circular", "B1", "{\"formula\":\"=B1\"}", 200),
        ("too large an array", "B1", "{\"formula\":\"=SEQUENCE(1048576,16384)\"}", 200),
        ("negative zero", "B1", "-0.0", 200),
        ("bad colour", "B1", "{\"format\":{\"textColor\":\"red\"}}", 400),
        ("markup", "B1", "\"<img src=x onerror=alert(1)>\"", 200),
    ] {
        let reply = server.put_json(&format!("/api/v1/rooms/r/sheets/Sheet1/cells/{cell}"), body);
        assert_eq!(reply.status, status, "{what}: {reply:?}");
        let read = server.get("/api/v1/rooms/r/sheets/Sheet1/cells/A1:B1");
        assert_eq!((read.status, &read.json()["cells"][0][0]["value"]), (200, &"before".into()), "{what}");
    }
    let html = server.get("/api/v1/rooms/r?format=html").text();
    assert!(!html.contains("<img"), "{html}");
}

#[test]
fn damaged_files_leave_the_room_unchanged() {
    let server = Server::start();
    server.make_room("r", "before\n");
    let xlsx = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
    let wide = "1,".repeat(17_000);
    for (what, media_type, body, status) in [
        ("not a zip", xlsx, &b"hello"[..], 422),
        ("an empty zip", xlsx, b"PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 422),
        ("an open quote", "text/csv", b"a\n\"b\n", 422),
        ("too many columns", "text/csv", wide.as_bytes(), 422),
        ("not JSON", "application/json", b"{\"a\":", 422),
        ("html", "text/html", b"<table>", 415),
    ] {
        let reply = server.put("/api/v1/rooms/r", media_type, body);
        assert_eq!(reply.status, status, "{what}: {reply:?}");
        assert_eq!(server.csv("r"), "before\n", "{what}");
    }
}

#[test]
fn slow_senders_of_headers_are_cut_off() {
    let server = Server::start();
    let mut stream = server.connect();
    stream.write_all(b"GET / HTTP/1.1\r\nhost:").expect("open");
    let start = std::time::Instant::now();
    let mut rest = Vec::new();
    let _ = std::io::Read::read_to_end(&mut stream, &mut rest);
    let waited = start.elapsed().as_secs();
    assert!((9..20).contains(&waited), "{waited} s");
}

#[test]
fn connections_beyond_the_limit_get_503() {
    let data = tempfile::tempdir().expect("a temporary directory");
    let server = Server::start_on(data.path(), &["--connections-max", "2"]);
    let held = [server.connect(), server.connect()];
    let deadline = std::time::Instant::now() + crate::support::TIMEOUT;
    while !server
        .raw(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
        .starts_with("HTTP/1.1 503")
    {
        assert!(std::time::Instant::now() < deadline);
    }
    drop(held);
    while !server
        .raw(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
        .starts_with("HTTP/1.1 200")
    {
        assert!(std::time::Instant::now() < deadline);
    }
}
