//! P11: bytes of version 1 stay readable and are encoded in the same way.
//!
//! Each file in `fixtures/protocol` was written by the protocol version that names its folder, and
//! is never written again. A failure of this test means a new protocol version, which needs a
//! decision. A missing file is written if `UPDATE_EXPECT` is set.

use std::path::PathBuf;
use std::sync::Arc;

use quadrille_cell::{CellAddress, Dimension, EditKind, ErrorValue, Range, SheetId, StructuralEdit};
use quadrille_formula::{Host, Template, parse};
use quadrille_operation::notation::read_operation;
use quadrille_operation::{Operation, Transaction, apply};
use quadrille_protocol::{
    AccessFrame, Author, ChatFrame, ChatMessage, ChatRejectionReason, ChatRequest, ClientFrame, Counter,
    FollowFrame, FollowRequest, Hello, PROTOCOL_VERSION, Record, ReplicaId, Revision, RoomSnapshot,
    ServerFrame, SessionId, Submitted, TimeAndSeed, decode_snapshot, decode_transaction, digest,
    encode_transaction, snapshot_bytes,
};
use quadrille_workbook::{
    Color, FormatPatch, HorizontalAlignment, Input, Literal, VerticalAlignment, Workbook,
};

#[test]
fn a_record_of_every_operation() {
    let bytes = golden("record.bin", || record().encode());
    let read = Record::decode(&bytes).expect("golden files can be read");
    assert_eq!(
        (read.revision, read.time_and_seed.seed, &*read.author.name),
        (Revision(300), 42, "Ada Lovelace")
    );
    assert_eq!(read.transaction.operations.len(), 22);
    assert!(read.encode() == bytes, "written differently today");
}

#[test]
fn a_snapshot_of_every_kind_of_content() {
    let bytes = golden("snapshot.bin", || {
        let mut workbook = Workbook::new();
        apply(&mut workbook, &record().transaction);
        snapshot_bytes(&workbook)
    });
    let read = decode_snapshot(&bytes).expect("golden files can be read");
    assert!(snapshot_bytes(&read) == bytes, "written differently today");
    assert_eq!(digest(&read), 12_127_289_591_478_490_870, "the digest is part of the protocol");
}

#[test]
fn moved_rows_and_columns() {
    let made = || {
        let workbook = Workbook::new();
        let words = ["move rows 3:4 before 9", "on 2: move columns C:C before A", "move rows 1:1 to the end"];
        let read = |words: &str| read_operation(words, &workbook).unwrap_or_else(|error| panic!("{error}"));
        Transaction { operations: words.map(read).into() }
    };
    let bytes = golden("moves.bin", || encode_transaction(&made()));
    assert_eq!(decode_transaction(&bytes), Ok(made()));
    assert!(encode_transaction(&made()) == bytes, "written differently today");
}

/// Parts added after the first release of version 1: the bytes of everything else do not change.
#[test]
fn a_transaction_and_a_snapshot_with_items() {
    let made = || {
        let workbook = Workbook::new();
        let read = |words: &&str| read_operation(words, &workbook).unwrap_or_else(|error| panic!("{error}"));
        Transaction { operations: LATER_OPERATIONS.iter().map(read).collect() }
    };
    let bytes = golden("items.bin", || encode_transaction(&made()));
    assert_eq!(decode_transaction(&bytes), Ok(made()));
    assert!(encode_transaction(&made()) == bytes, "written differently today");
    let bytes = golden("items-snapshot.bin", || {
        let mut workbook = Workbook::new();
        apply(&mut workbook, &made());
        snapshot_bytes(&workbook)
    });
    let read = decode_snapshot(&bytes).expect("golden files can be read");
    assert!(snapshot_bytes(&read) == bytes, "written differently today");
    let sheet = &read.sheets()[0];
    assert_eq!((sheet.items().len(), read.items().len()), (4, 1));
    assert_eq!(sheet.hidden_runs(Dimension::Rows).collect::<Vec<_>>(), [(2, 3)]);
}

const LATER_OPERATIONS: [&str; 13] = [
    "hide rows 3:5",
    "show columns B:C",
    "put 1: note at B2: text \"a\\nb\", width 30.5",
    "put 2: merge at B4:C5",
    "put 9007199254740991: conditionalRule at B2:B9,D2: color #ffe000, rule \"formula\", \
     formula1 =\"B2>$A$1\" in B2, stop true, stops [{at \"number\", value 1.5}, {at \"maximum\"}]",
    "put 4: image at C3: inCell false",
    "patch 1: note at B3: author \"Ada\", width none",
    "patch 0: sheetSettings: frozenRows 1, tabColor #1f6f5c",
    "remove item 4",
    "on workbook: patch 0: workbookSettings: timeZoneOffset -60, date1904 true",
    "tick",
    "format A1:B2: top thin #ff0000, not right, bottom mediumDashDot, left double, font Noto Sans, size 10.5, \
     indent 2, rotation -45, overflow clip",
    "format C1: rotation 255, not size, not font, not overflow",
];

/// The fonts of parts of texts: an attribute of formats since bit 29 of the protocol.
#[test]
fn formats_with_fonts_of_parts_of_a_text() {
    let made = || {
        let workbook = Workbook::new();
        let words = [
            "format A1: bold, text-runs bf9cf968|4 not bold+underline+text #ff0000+size 8+font Noto Sans|2",
            "format A2:B3: text-runs e40c292c|1 script superscript+underline-style double+not text",
            "format A4: not text-runs",
        ];
        let read = |words: &str| read_operation(words, &workbook).unwrap_or_else(|error| panic!("{error}"));
        Transaction { operations: words.map(read).into() }
    };
    let bytes = golden("text-runs.bin", || encode_transaction(&made()));
    assert_eq!(decode_transaction(&bytes), Ok(made()));
    assert!(encode_transaction(&made()) == bytes, "written differently today");
}

#[test]
fn a_room_snapshot() {
    let snapshot = || RoomSnapshot {
        revision: Revision(300),
        time_and_seed: TimeAndSeed { time_ms: 1_767_225_600_000, seed: 0x0123_4567_89ab_cdef },
        submitted: vec![
            (ReplicaId(1), Submitted { counter: Counter(2), revision: Revision(3) }),
            (ReplicaId(u64::MAX), Submitted { counter: Counter(400), revision: Revision(299) }),
        ],
        workbook: Workbook::new(),
    };
    let bytes = golden("room-snapshot.bin", || snapshot().encode());
    let read = RoomSnapshot::decode(&bytes).expect("golden files can be read");
    assert_eq!(read.submitted, snapshot().submitted);
    assert!(read.encode() == bytes, "written differently today");
}

#[test]
fn the_first_frames_of_a_session() {
    let hello = ClientFrame::Hello(Hello {
        version: PROTOCOL_VERSION,
        replica: None,
        last: None,
        unconfirmed: 0,
        name: "Ada Lovelace".into(),
        color: Some(0x1f_6f5c),
        secret: None,
    });
    assert_eq!(ClientFrame::decode(&golden("hello.bin", || hello.encode())), Ok(hello));
    let submit = golden("submit.bin", || {
        let transaction = record().transaction;
        ClientFrame::Submit { counter: Counter(1), base: Revision(299), transaction }.encode()
    });
    let read = ClientFrame::decode(&submit).expect("golden files can be read");
    assert!(read.encode() == submit, "written differently today");
    let records =
        golden("records.bin", || ServerFrame::Records { records: vec![record().encode().into()] }.encode());
    let read = ServerFrame::decode(&records).expect("golden files can be read");
    assert!(read.encode() == records, "written differently today");
}

/// The client reads and writes these frames: `web/app/src/chat/frames.test.ts` tests the same
/// files.
#[test]
fn frames_of_the_chat() {
    let say = ClientFrame::Chat(ChatRequest::Send {
        id: 0xfeed_f00d_0000_0001,
        text: "Guten Morgen – 漢字\nSheet1!A1:B3".into(),
    });
    assert_eq!(ClientFrame::decode(&golden("chat-say.bin", || say.encode())), Ok(say));
    let listen = ClientFrame::Chat(ChatRequest::Subscribe { after: 300 });
    assert_eq!(ClientFrame::decode(&golden("chat-listen.bin", || listen.encode())), Ok(listen));
    let chat_message = |number, text: &str| {
        let (time_ms, name) = (1_767_225_600_123, "Ada Lovelace".into());
        Arc::new(ChatMessage {
            number,
            id: 0xfeed_f00d_0000_0000 + number,
            time_ms,
            name,
            color: 0x1f_6f5c,
            text: text.into(),
        })
    };
    let chat_messages = ChatFrame::ChatMessages(vec![
        chat_message(1, "Guten Morgen – 漢字\nSheet1!A1:B3"),
        chat_message(300, "🙂"),
    ]);
    assert_eq!(ChatFrame::decode(&golden("chat-remarks.bin", || chat_messages.encode())), Ok(chat_messages));
    let unsaid = ChatFrame::ChatRejected { id: 0xfeed_f00d_0000_0001, reason: ChatRejectionReason::TooFast };
    assert_eq!(ChatFrame::decode(&golden("chat-unsaid.bin", || unsaid.encode())), Ok(unsaid));
}

/// The client reads and writes these frames: `web/app/src/presence/follow-frames.test.ts` tests the
/// same files.
#[test]
fn frames_of_following() {
    let session = SessionId(0xfeed_f00d_0000_0001);
    let (sheet, cell) = (SheetId(300), CellAddress::parse_a1("XFD1048576").expect("valid"));
    for (name, request) in [
        ("follow.bin", FollowRequest::Follow { session: Some(session) }),
        ("follow-nobody.bin", FollowRequest::Follow { session: None }),
        ("scrolled.bin", FollowRequest::Scrolled { sheet, cell }),
    ] {
        let frame = ClientFrame::Follow(request);
        assert_eq!(ClientFrame::decode(&golden(name, || frame.encode())), Ok(frame));
    }
    for (name, frame) in [
        ("followed.bin", FollowFrame::Followed { is_followed: true }),
        ("scrolled-to.bin", FollowFrame::Scrolled { session, sheet, cell }),
    ] {
        assert_eq!(FollowFrame::decode(&golden(name, || frame.encode())), Ok(frame));
    }
}

/// The client reads and writes these frames: `web/app/src/access/frames.test.ts` tests the same
/// files.
#[test]
fn frames_about_the_person_and_access() {
    let identify = ClientFrame::Identify;
    assert_eq!(ClientFrame::decode(&golden("identify.bin", || identify.encode())), Ok(identify));
    for (name, of) in [("ask-picture.bin", Some(SessionId(3))), ("ask-own-picture.bin", None)] {
        let ask = ClientFrame::AskPicture(of);
        assert_eq!(ClientFrame::decode(&golden(name, || ask.encode())), Ok(ask));
    }
    let picture = |of: Option<SessionId>, url: &str| AccessFrame::Picture { of, url: url.into() };
    let identified =
        |account: &str, email: &str| AccessFrame::Identified { account: account.into(), email: email.into() };
    for (name, frame) in [
        ("identified.bin", identified("account:000000000000001f", "ada@example.org")),
        ("identified-nobody.bin", identified("", "")),
        ("access-requested.bin", AccessFrame::AccessRequested),
        ("picture.bin", picture(Some(SessionId(3)), "https://wiki.example.org/ada.png")),
        ("no-picture.bin", picture(None, "")),
    ] {
        assert_eq!(AccessFrame::decode(&golden(name, || frame.encode())), Ok(frame));
    }
}

/// Returns the bytes of the file.
fn golden(name: &str, make: impl FnOnce() -> Vec<u8>) -> Vec<u8> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/protocol/v1");
    let path = folder.join(name);
    if !path.exists() && std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::create_dir_all(&folder).expect("fixtures can be written");
        std::fs::write(&path, make()).expect("fixtures can be written");
    }
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn record() -> Record {
    Record {
        revision: Revision(300),
        replica: ReplicaId(0xfeed_f00d),
        counter: Counter(17),
        author: Author { id: "account-1".into(), name: "Ada Lovelace".into() },
        time_and_seed: TimeAndSeed { time_ms: 1_767_225_600_123, seed: 42 },
        transaction: Transaction { operations: operations() },
    }
}

fn operations() -> Vec<Operation> {
    let sheet = SheetId(1);
    let range = |text: &str| Range::parse_a1(text).expect("valid");
    let text = |text: &str| Input::Value(Literal::Text(text.into()));
    let number = |number: f64| Input::Value(Literal::Number(number));
    let mut operations = vec![
        Operation::AddSheet { sheet: SheetId(90_000), name: "Data".into(), position: 1 },
        Operation::SetCells {
            sheet,
            range: range("A1:C4"),
            inputs: vec![
                Input::Blank,
                number(1.0),
                number(-12_345_678_901.0),
                number(0.1),
                number(1234.5678),
                number(std::f64::consts::PI),
                text("north"),
                text("north"),
                text("süd 南"),
                Input::Value(Literal::Boolean(true)),
                Input::Value(Literal::Error(ErrorValue::DivideByZero)),
                Input::Formula(formula("B1*2")),
            ],
        },
        Operation::FillCells {
            sheet,
            range: range("D1:D100"),
            input: Input::Formula(formula("SUM(A$1:A1)&\"x\"")),
        },
        Operation::SetFormat {
            sheet,
            range: range("A:B"),
            patch: FormatPatch {
                number_format: Some(Some("0.00".into())),
                bold: Some(true),
                italic: Some(false),
                underline: Some(true),
                strikethrough: Some(true),
                wrap: Some(true),
                horizontal: Some(Some(HorizontalAlignment::Center)),
                vertical: Some(Some(VerticalAlignment::Bottom)),
                text_color: Some(Some(Color(0x12_3456))),
                fill_color: Some(None),
                ..FormatPatch::default()
            },
        },
        Operation::Restructure(StructuralEdit {
            sheet,
            dimension: Dimension::Rows,
            kind: EditKind::Insert,
            at: 1,
            count: 2,
        }),
        Operation::Restructure(StructuralEdit {
            sheet,
            dimension: Dimension::Columns,
            kind: EditKind::Delete,
            at: 5,
            count: 1,
        }),
        Operation::SetSizes { sheet, dimension: Dimension::Columns, first: 2, count: 3, size: Some(120) },
        Operation::SetSizes { sheet, dimension: Dimension::Rows, first: 0, count: 1, size: None },
        Operation::PermuteRows { sheet, range: range("A1:C4"), order: [3, 1, 0, 2].as_slice().into() },
        Operation::RenameSheet { sheet, name: "Plan".into() },
        Operation::MoveSheet { sheet: SheetId(90_000), position: 0 },
        Operation::RemoveSheet { sheet: SheetId(5) },
        Operation::DefineName { name: "rate".into(), definition: Some(formula("$B$2")) },
        Operation::DefineName { name: "departed".into(), definition: None },
    ];
    // One formula with every type of node.
    for (row, formula_text) in [
        "IF(A1>=2,-B$3%,)",
        "{1,2;\"a\",TRUE}",
        "LAMBDA(x,x+1)(#N/A)",
        "SUM(3:4,$C:D,Data!A1:B2,Nowhere!A1)",
        "(A1:INDEX(B:B,3) C1:C3)",
        "@A1#",
        "1.5+2^0.5",
        "1+",
    ]
    .into_iter()
    .enumerate()
    {
        let cell = CellAddress::clamped(10 + row as u32, 6);
        operations.push(Operation::FillCells {
            sheet,
            range: Range::cell(cell),
            input: Input::Formula(formula(formula_text)),
        });
    }
    operations
}

fn formula(text: &str) -> Template {
    let mut workbook = Workbook::new();
    workbook.add_sheet(SheetId(90_000), "Data", 1);
    let cell = CellAddress::parse_a1("C4").expect("valid");
    parse(text, Host { sheet: SheetId(1), cell }, &workbook)
}
