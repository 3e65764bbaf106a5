//! Joining a room: the preview, the snapshot, and the cost of 1,000 sessions that join at once.

use std::io::{Read, Write};
use std::net::TcpStream;

use quadrille_protocol::{ClientFrame, Hello, PROTOCOL_VERSION, Revision, ServerFrame, digest_of_snapshot};
use serde_json::json;

use crate::support::{Server, TIMEOUT};

/// Decodes a preview: its JSON header, and the byte offset of its window.
fn preview(bytes: &[u8]) -> (serde_json::Value, usize) {
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes")) as usize;
    assert_eq!(word(0), 0x3157_5100);
    let (json, shape, window) = (word(4), word(8), word(12));
    assert_eq!(bytes.len(), 16 + json + shape + window);
    (serde_json::from_slice(&bytes[16..16 + json]).expect("JSON"), 16 + json + shape)
}

#[test]
fn p21_a_preview_shows_a_window_before_the_workbook_arrives() {
    let server = Server::start();
    server.make_room("plan", "price,=A2*2\n21,\n");
    let reply = server.get("/api/v1/rooms/plan/window?range=A1:B2");
    assert_eq!((reply.status, reply.header("content-type")), (200, "application/octet-stream"), "{reply:?}");
    assert_eq!(reply.header("etag"), "\"1\"");
    let (header, window) = preview(&reply.body);
    let sheets = json!([{ "id": header["sheet"], "name": "Sheet1" }]);
    assert_eq!(
        header,
        json!({ "revision": 1, "sheet": header["sheet"], "sheets": sheets, "isComplete": true })
    );
    assert!(reply.body[window..].ends_with(b"price4221"), "texts in cell order");

    // A later edit appears although the server caches previews.
    assert_eq!(server.put_json("/api/v1/rooms/plan/sheets/Sheet1/cells/A2", "5").status, 200);
    let mut shown = Vec::new();
    for _ in 0..200 {
        shown = server.get("/api/v1/rooms/plan/window?range=A1:B2&sheet=sheet1").body;
        if shown.ends_with(b"price105") {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert!(shown.ends_with(b"price105"));
}

#[test]
fn refused_previews_give_a_reason() {
    let server = Server::start();
    let code = |path: &str| {
        let reply = server.get(path);
        (reply.status, reply.code())
    };
    // A page requests the preview before it creates the room, and browsers log each 404 as an
    // error.
    assert_eq!(server.get("/api/v1/rooms/plan/window").status, 204);
    server.make_room("plan", "1\n");
    assert_eq!(code("/api/v1/rooms/plan/window?sheet=Other"), (404, "no_such_sheet".into()));
    assert_eq!(code("/api/v1/rooms/plan/window?range=A1:ZZ1000"), (413, "too_many_cells".into()));
    assert_eq!(code("/api/v1/rooms/plan/window?range=!"), (400, "bad_address".into()));
    assert_eq!(code("/api/v1/rooms/plan/window?cells=A1"), (400, "bad_query".into()));
}

#[test]
fn formulas_over_the_time_limit_are_blank_in_a_preview() {
    let server = Server::start();
    let formulas = "\"=REDUCE(0,SEQUENCE(1000000),LAMBDA(sum,next,sum+next))\",".repeat(6);
    server.make_room("plan", &format!("complete,{formulas}\n"));
    let reply = server.get("/api/v1/rooms/plan/window?range=A1:H1");
    let (header, window) = preview(&reply.body);
    assert_eq!(header["isComplete"], false);
    assert!(String::from_utf8_lossy(&reply.body[window..]).contains("complete"));
}

/// A minimal client that only receives, so that a test can open 1,000 of them.
struct Joiner {
    stream: TcpStream,
    unread: Vec<u8>,
    snapshot: Vec<u8>,
    revision: Option<Revision>,
}

impl Joiner {
    fn new(server: &Server, room: &str, number: usize) -> Joiner {
        let mut stream = server.connect();
        let request = format!(
            "GET /api/v1/rooms/{room}/socket HTTP/1.1\r\nHost: {}\r\nUpgrade: websocket\r\n\
             Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n",
            server.address
        );
        let hello = Hello {
            version: PROTOCOL_VERSION,
            replica: None,
            last: None,
            unconfirmed: 0,
            name: format!("person {number}").into(),
            color: None,
            secret: None,
        };
        let hello = ClientFrame::Hello(hello).encode();
        assert!(hello.len() < 126, "the length fits into one byte");
        // The mask is zero.
        let mut bytes = request.into_bytes();
        bytes.extend([0x82, 0x80 | hello.len() as u8, 0, 0, 0, 0]);
        bytes.extend(hello);
        stream.write_all(&bytes).expect("the server reads");
        Joiner { stream, unread: Vec::new(), snapshot: Vec::new(), revision: None }
    }

    /// Receives the available bytes. Returns true when the snapshot is complete.
    fn receive(&mut self) -> bool {
        let mut piece = [0; 64 << 10];
        match self.stream.read(&mut piece) {
            Ok(0) => panic!("the server closed after {} bytes", self.snapshot.len()),
            Ok(length) => self.unread.extend_from_slice(&piece[..length]),
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => return false,
            Err(error) => panic!("{error}"),
        }
        if self.unread.starts_with(b"HTTP") {
            let Some(end) = self.unread.windows(4).position(|four| four == b"\r\n\r\n") else { return false };
            assert!(self.unread.starts_with(b"HTTP/1.1 101"), "{}", String::from_utf8_lossy(&self.unread));
            self.unread.drain(..end + 4);
        }
        while let Some((head, length)) = frame_length(&self.unread)
            && self.unread.len() >= head + length
        {
            // A ping: on a busy machine the joins take longer than the time until one is sent.
            let is_control = self.unread[0] & 0x08 != 0;
            let frame: Vec<u8> = self.unread.drain(..head + length).skip(head).collect();
            if is_control {
                continue;
            }
            match ServerFrame::decode(&frame).expect("a server frame") {
                ServerFrame::Snapshot { revision, part, parts, bytes, .. } => {
                    self.snapshot.extend(bytes);
                    self.revision = (part + 1 == parts).then_some(revision);
                }
                ServerFrame::Welcome(_) | ServerFrame::Resync { .. } | ServerFrame::People { .. } => {}
                other => panic!("{other:?}"),
            }
        }
        self.revision.is_some()
    }
}

/// Lengths of the header and of the payload of a WebSocket frame, in bytes.
fn frame_length(bytes: &[u8]) -> Option<(usize, usize)> {
    match *bytes.get(1)? {
        126 => Some((4, u16::from_be_bytes(bytes.get(2..4)?.try_into().ok()?).into())),
        127 => Some((10, u64::from_be_bytes(bytes.get(2..10)?.try_into().ok()?) as usize)),
        length => Some((2, length.into())),
    }
}

fn metric(server: &Server, name: &str) -> u64 {
    server.metric(name).unwrap_or_else(|| panic!("{name} is missing at /metrics")) as u64
}

/// Peak resident memory of the server in kilobytes.
#[cfg(target_os = "linux")]
fn memory_peak(server: &Server) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.id())).expect("it runs");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).expect("Linux reports VmHWM")
}

#[test]
fn slow_1000_sessions_join_a_room_of_100000_cells() {
    const PEOPLE: usize = 1_000;
    allow_open_files(4 * PEOPLE as u64);
    let data = tempfile::tempdir().expect("a temporary directory");
    let server = Server::start_on(data.path(), &["--metrics", "true"]);
    let row = |row: u32| format!("{row},{}.5,text {row},=A{row}*2+B{row}\n", row * 7);
    server.make_room("plan", &(1..=25_000).map(row).collect::<String>());
    let mut first = Joiner::new(&server, "plan", PEOPLE);
    while !first.receive() {}
    let (encoded_before, peak_before) = (metric(&server, "quadrille_encoded_total"), memory_peak(&server));

    let mut joiners: Vec<Joiner> = (0..PEOPLE).map(|number| Joiner::new(&server, "plan", number)).collect();
    for joiner in &joiners {
        joiner.stream.set_nonblocking(true).expect("a socket");
    }
    let deadline = std::time::Instant::now() + 4 * TIMEOUT;
    let mut complete = Vec::new();
    while complete.len() < PEOPLE {
        for mut joiner in std::mem::take(&mut joiners) {
            let is_complete = joiner.receive();
            let (revision, digest) =
                (joiner.revision, is_complete.then(|| digest_of_snapshot(&joiner.snapshot)));
            match is_complete {
                // Discard the bytes: 1,000 copies would need much memory.
                true => complete.push((Joiner { snapshot: Vec::new(), ..joiner }, revision, digest)),
                false => joiners.push(joiner),
            }
        }
        assert!(std::time::Instant::now() < deadline, "{} of {PEOPLE} have joined", complete.len());
    }
    let digest = digest_of_snapshot(&first.snapshot);
    assert!(
        complete.iter().all(|(_, revision, found)| *revision == first.revision && *found == Some(digest))
    );
    assert_eq!(
        metric(&server, "quadrille_encoded_total"),
        encoded_before,
        "the snapshot is encoded once, for the first session"
    );
    assert_eq!(metric(&server, "quadrille_sessions"), PEOPLE as u64 + 1);
    // One copy for each session would take 1,000 times as much.
    let bytes = first.snapshot.len() as u64;
    assert!(bytes > 400_000, "{bytes}");
    let grown = memory_peak(&server) - peak_before;
    assert!(grown * 1_024 < 100 * bytes, "{grown} KB for {PEOPLE} joiners of {bytes} bytes each");
}

/// Raises the limit of open files, which all tests of the process share.
fn allow_open_files(count: u64) {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    if limit.current.is_some_and(|current| current < count) {
        limit.current = Some(limit.maximum.map_or(count, |maximum| maximum.min(count)));
        setrlimit(Resource::Nofile, limit).expect("up to the maximum");
    }
}
