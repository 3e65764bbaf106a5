//! Sessions over WebSockets: concurrent editing, and the close codes for invalid frames.

use std::time::Duration;

use quadrille_cell::{CellAddress, Dimension, Range, SheetId, Value};
use quadrille_operation::{Command, Operation, Transaction};
use quadrille_protocol::{ClientFrame, Counter, Hello, PROTOCOL_VERSION, RejectCode, Revision, ServerFrame};
use tungstenite::{Error, Message};

use crate::access::send;
use crate::admin::Prepared;
use crate::person::{Person, socket};
use crate::support::{Server, TIMEOUT};

#[test]
fn two_sessions_and_rest_requests_converge() {
    let server = Server::start();
    let mut ann = Person::join(&server, "plan", "Ann");
    let mut bob = Person::join(&server, "plan", "Bob");
    ann.type_text("A1", "2");
    bob.type_text("B1", "=A1*3");
    ann.wait_for_value("B1", 6.0);
    bob.wait_for_value("A1", 2.0);
    ann.wait_until_saved();
    bob.wait_until_saved();
    let reply = server.put_json("/api/v1/rooms/plan/sheets/Sheet1/cells/A1", "{\"value\":5}");
    assert_eq!(reply.status, 200, "{reply:?}");
    ann.wait_for_value("B1", 15.0);
    bob.wait_for_value("B1", 15.0);
    assert_eq!(server.csv("plan"), "5,15\n");
    // An inserted row and a concurrent edit below it.
    let sheet = ann.sheet();
    ann.execute(Command::InsertRows { sheet, at: 0, count: 1 });
    bob.type_text("A1", "7");
    ann.wait_until_saved();
    bob.wait_until_saved();
    ann.wait_for_value("B2", 21.0);
    bob.wait_for_value("B2", 21.0);
}

#[test]
fn credentials_are_verified_once_for_a_request_or_a_session_and_never_for_an_edit() {
    let prepared = Prepared::new();
    let server = prepared.start(&["--metrics", "true"]);
    let made = send(&server, &prepared.ada, "POST", "/api/v1/rooms", r#"{"name":"plan"}"#);
    assert_eq!(made.status, 201);
    let count = || server.metric("quadrille_credentials_verified_total").expect("a metric");
    let before = count();
    for number in 1..=5 {
        assert_eq!(send(&server, &prepared.ada, "GET", "/api/v1/rooms/plan", "").status, 200);
        assert_eq!(count() - before, f64::from(number));
    }
    let mut ada = Person::join_by(crate::access::socket(&server, "plan", "", &prepared.ada), "Ada");
    for row in 1..=50 {
        ada.type_text(&format!("A{row}"), "1");
    }
    ada.wait_until_saved();
    assert_eq!(count() - before, 6.0, "one for the session, none for its 50 edits");
}

#[test]
fn offline_edits_are_applied_once() {
    let server = Server::start();
    let mut ann = Person::join(&server, "plan", "Ann");
    ann.type_text("A1", "1");
    ann.wait_until_saved();
    ann.lose_connection();
    let mut bob = Person::join(&server, "plan", "Bob");
    for row in 1..=20 {
        bob.type_text(&format!("B{row}"), &row.to_string());
    }
    bob.wait_until_saved();
    ann.type_text("A2", "offline");
    let sheet = ann.sheet();
    ann.execute(Command::InsertRows { sheet, at: 0, count: 1 });
    ann.connect(&server, "plan", "");
    ann.wait_until_saved();
    ann.wait_for_value("B21", 20.0);
    ann.wait_for_value("A3", "offline");
    bob.wait_for_value("A3", "offline");
    bob.wait_for_value("A4", quadrille_cell::Value::Blank);
}

#[test]
fn replacing_a_room_updates_sessions_and_deleting_closes_them() {
    let server = Server::start();
    let mut ann = Person::join(&server, "plan", "Ann");
    ann.type_text("A1", "old");
    ann.wait_until_saved();
    server.make_room("plan", "new,1\n");
    ann.wait_for_value("A1", "new");
    assert_eq!(server.delete("/api/v1/rooms/plan").status, 204);
    ann.wait_until("closed", |ann| ann.closed_with == Some(4410));
    assert_eq!(server.get("/api/v1/rooms/plan").status, 404);
}

#[test]
fn viewers_cannot_edit() {
    let server = Server::start();
    server.make_room("plan", "1\n");
    let mut ann = Person::join(&server, "plan", "Ann");
    ann.lose_connection();
    ann.connect(&server, "plan", "?view");
    ann.type_text("A1", "2");
    ann.wait_until("a problem is reported", |ann| !ann.problems.is_empty());
    assert_eq!(server.csv("plan"), "1\n");
}

/// Reads until the server closes the connection and returns its close code.
fn closed_with(mut socket: tungstenite::WebSocket<std::net::TcpStream>) -> Option<u16> {
    socket.get_ref().set_read_timeout(Some(TIMEOUT)).expect("a socket");
    loop {
        match socket.read() {
            Ok(Message::Close(frame)) => return frame.map(|frame| frame.code.into()),
            Ok(_) => {}
            Err(Error::ConnectionClosed | Error::AlreadyClosed) => return None,
            Err(error) => panic!("the server did not close: {error}"),
        }
    }
}

fn hello() -> Vec<u8> {
    let hello = Hello {
        version: PROTOCOL_VERSION,
        replica: None,
        last: None,
        unconfirmed: 0,
        name: "Mallory".into(),
        color: None,
        secret: None,
    };
    ClientFrame::Hello(hello).encode()
}

#[test]
fn invalid_frames_close_the_session_with_the_documented_code() {
    let server = Server::start();
    let binary = |bytes: Vec<u8>| Message::Binary(bytes.into());
    let unknown_version = {
        let mut bytes = hello();
        bytes[1] = 99; // The version follows the frame's kind.
        bytes
    };
    for (what, messages, code) in [
        ("text", vec![Message::Text("hello".into())], 1003),
        ("text after hello", vec![binary(hello()), Message::Text("{}".into())], 1003),
        ("noise", vec![binary(vec![0xff; 100])], 4402),
        ("empty", vec![binary(Vec::new())], 4402),
        ("hello twice", vec![binary(hello()), binary(hello())], 4402),
        (
            "something else than hello first",
            vec![binary(ClientFrame::Withdrawn { counter: Default::default() }.encode())],
            4402,
        ),
        ("unknown version", vec![binary(unknown_version)], 4400),
        (
            "a revision from the future",
            vec![
                binary(hello()),
                binary(
                    ClientFrame::Submit {
                        counter: Counter(1),
                        base: Revision(99),
                        transaction: Default::default(),
                    }
                    .encode(),
                ),
            ],
            4409,
        ),
    ] {
        let mut socket = socket(&server, "plan", "");
        for message in messages {
            socket.send(message).expect("open");
        }
        assert_eq!(closed_with(socket), Some(code), "{what}");
    }
    // The server continues to answer.
    assert_eq!(server.get("/healthz").status, 200);
}

#[test]
fn operations_out_of_bounds_are_rejected_and_the_session_stays_open() {
    let server = Server::start();
    let one = CellAddress::default();
    for operation in [
        Operation::SetSizes {
            sheet: SheetId(1),
            dimension: Dimension::Rows,
            first: u32::MAX,
            count: 2,
            size: Some(9),
        },
        Operation::FillCells {
            sheet: SheetId(1),
            range: Range::whole_sheet(),
            input: Value::Boolean(true).into(),
        },
        Operation::PermuteRows { sheet: SheetId(1), range: Range::cell(one), order: [7].into() },
        Operation::AddSheet { sheet: SheetId(7), name: "x".repeat(1_000).into(), position: 0 },
    ] {
        let what = format!("{operation:?}");
        let transaction = Transaction { operations: vec![operation] };
        let mut socket = socket(&server, "plan", "");
        socket.send(Message::Binary(hello().into())).expect("open");
        let submit = ClientFrame::Submit { counter: Counter(1), base: Revision(0), transaction };
        socket.send(Message::Binary(submit.encode().into())).expect("open");
        let code = loop {
            let Message::Binary(bytes) = socket.read().expect("open") else { continue };
            if let ServerFrame::Rejected { code, .. } = ServerFrame::decode(&bytes).expect("a frame") {
                break code;
            }
        };
        assert!(
            matches!(code, RejectCode::OutOfBounds | RejectCode::BadOperation | RejectCode::TooLarge),
            "{what}: {code:?}"
        );
        socket.send(Message::Binary(ClientFrame::Ping.encode().into())).expect("open");
        while ServerFrame::decode(&socket.read().expect("open").into_data()) != Ok(ServerFrame::Pong) {}
    }
    assert_eq!(server.get("/api/v1/rooms/plan").status, 404, "nothing was written");
}

#[test]
fn a_stalled_session_delays_nobody_and_catches_up() {
    let data = tempfile::tempdir().expect("a temporary directory");
    let server = Server::start_on(data.path(), &["--outbox-bytes-max", "50000"]);
    let mut stalled = Person::join(&server, "plan", "Stalled");
    let mut ann = Person::join(&server, "plan", "Ann");
    let mut bob = Person::join(&server, "plan", "Bob");
    // More bytes than fit into the queue and the kernel's buffers.
    let text = "x".repeat(30_000);
    for row in 1..=400 {
        ann.type_text(&format!("A{row}"), &format!("{row}{text}"));
        ann.receive();
        bob.receive();
    }
    ann.wait_until_saved();
    bob.wait_for_value("A400", format!("400{text}").as_str());
    stalled.wait_until("caught up or asked to connect again", |stalled| {
        stalled.value("A400") == format!("400{text}").as_str().into() || stalled.closed_with == Some(4429)
    });
    if stalled.closed_with.is_some() {
        stalled.connect(&server, "plan", "");
    }
    stalled.wait_for_value("A400", format!("400{text}").as_str());
    stalled.wait_for_value("A1", format!("1{text}").as_str());
}

#[test]
fn a_frame_beyond_the_limit_is_closed_with_1009() {
    let server = Server::start();
    let mut socket = socket(&server, "plan", "");
    // The header declares a frame of 17 MiB; the server need not read the payload.
    use std::io::Write;
    let mut head = vec![0x82, 0xff];
    head.extend((17u64 << 20).to_be_bytes());
    head.extend([0, 0, 0, 0]);
    socket.get_mut().write_all(&head).expect("open");
    assert_eq!(closed_with(socket), Some(1009));
}

#[test]
fn frames_that_violate_rfc_6455_are_closed_with_1002() {
    let server = Server::start();
    for (what, bytes) in [
        ("unmasked", vec![0x82, 0x01, 0x00]),
        ("reserved bit", vec![0xf2, 0x80, 0, 0, 0, 0]),
        ("unknown opcode", vec![0x83, 0x80, 0, 0, 0, 0]),
    ] {
        let mut socket = socket(&server, "plan", "");
        std::io::Write::write_all(socket.get_mut(), &bytes).expect("open");
        assert_eq!(closed_with(socket), Some(1002), "{what}");
    }
}

#[test]
fn slow_a_session_without_hello_is_closed_after_five_seconds() {
    let server = Server::start();
    let start = std::time::Instant::now();
    assert_eq!(closed_with(socket(&server, "plan", "")), Some(4408));
    assert!(start.elapsed() >= Duration::from_secs(4));
}

#[test]
fn other_origins_are_rejected_before_the_upgrade() {
    let server = Server::start();
    for (origin, status) in
        [("https://evil.example", "403"), ("null", "403"), (&*format!("http://{}", server.address), "101")]
    {
        let request = format!(
            "GET /api/v1/rooms/plan/socket HTTP/1.1\r\nhost: {}\r\norigin: {origin}\r\nconnection: upgrade\r\n\
             upgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
            server.address
        );
        let mut stream = server.connect();
        std::io::Write::write_all(&mut stream, request.as_bytes()).expect("open");
        let mut head = [0u8; 12];
        std::io::Read::read_exact(&mut stream, &mut head).expect("an answer");
        assert_eq!(String::from_utf8_lossy(&head), format!("HTTP/1.1 {status}"), "{origin}");
    }
}
