//! Encoded values decode to equal values, and no bytes make a reader panic or allocate too much.

use std::sync::Arc;

use proptest::prelude::*;
use quadrille_cell::{CellAddress, Range, SheetId};
use quadrille_formula::{Host, SheetNames, parse};
use quadrille_operation::{Operation, Transaction, apply};
use quadrille_protocol::{
    AccessFrame, Author, ChatFrame, ChatMessage, ChatRequest, ClientFrame, Counter, DecodeError, FollowFrame,
    Hello, Incarnation, PROTOCOL_VERSION, Person, Presence, Record, RejectCode, ReplicaId, ReplicaSecret,
    Resume, Revision, Role, RoomSnapshot, ServerFrame, SessionId, Submitted, TimeAndSeed, Welcome,
    decode_snapshot, decode_transaction, digest, encode_transaction, snapshot_bytes,
};
use quadrille_testkit::generators::{self, Kinds};
use quadrille_workbook::{Field, FieldValue, Input, Item, ItemId, ItemKind, Literal, Workbook};

proptest! {
    /// P12
    #[test]
    fn transactions_round_trip(transaction in generators::transaction(Kinds::ALL)) {
        let bytes = encode_transaction(&transaction);
        prop_assert_eq!(decode_transaction(&bytes), Ok(transaction));
    }

    /// P12
    #[test]
    fn snapshots_round_trip(workbook in generators::workbook(Kinds::ALL)) {
        let bytes = snapshot_bytes(&workbook);
        let read = decode_snapshot(&bytes).expect("written above");
        prop_assert_eq!(snapshot_bytes(&read), bytes);
    }

    /// P13: changes that were undone leave no trace in the bytes.
    #[test]
    fn equal_workbooks_have_equal_bytes_whatever_their_history(
        workbook in generators::workbook(Kinds { edges: false, ..Kinds::ALL }),
        transaction in generators::transaction(Kinds { edges: false, ..Kinds::ALL }),
    ) {
        let bytes = snapshot_bytes(&workbook);
        let mut changed = workbook.clone();
        let inverse = apply(&mut changed, &transaction).inverse;
        apply(&mut changed, &inverse);
        prop_assert_eq!(snapshot_bytes(&changed), bytes);
        prop_assert_eq!(digest(&changed), digest(&workbook));
    }

    /// P14
    #[test]
    fn no_bytes_make_a_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = ClientFrame::decode(&bytes);
        let _ = ChatFrame::decode(&bytes);
        let _ = FollowFrame::decode(&bytes);
        let _ = AccessFrame::decode(&bytes);
        let _ = ChatMessage::decode(&bytes);
        let _ = ServerFrame::decode(&bytes);
        let _ = Record::decode(&bytes);
        let _ = RoomSnapshot::decode(&bytes);
        let _ = decode_snapshot(&bytes);
        let _ = decode_transaction(&bytes);
    }

    /// P14: damaged bytes reach states that random bytes seldom reach.
    #[test]
    fn no_damage_makes_a_reader_panic(
        workbook in generators::workbook(Kinds::ALL),
        transaction in generators::transaction(Kinds::ALL),
        at: prop::sample::Index,
        byte: u8,
        cut: prop::sample::Index,
    ) {
        for bytes in [snapshot_bytes(&workbook), encode_transaction(&transaction)] {
            let mut damaged = bytes.clone();
            *at.get_mut(&mut damaged) = byte;
            let _ = decode_snapshot(&damaged);
            // A value that can still be decoded has one encoding.
            if let Ok(read) = decode_transaction(&damaged) {
                let _ = encode_transaction(&read);
            }
            damaged.truncate(cut.index(bytes.len()));
            let _ = decode_snapshot(&damaged);
            let _ = decode_transaction(&damaged);
        }
    }

    /// P12
    #[test]
    fn records_round_trip(transaction in generators::transaction(Kinds::ALL), numbers: [u64; 4], time_ms: i64, name in ".{0,20}") {
        let [revision, replica, counter, seed] = numbers;
        let record = Record {
            revision: Revision(revision),
            replica: ReplicaId(replica),
            counter: Counter(counter),
            author: Author::named(&name),
            time_and_seed: TimeAndSeed { time_ms, seed },
            transaction,
        };
        prop_assert_eq!(Record::decode(&record.encode()), Ok(record));
    }
}

#[test]
fn frames_round_trip() {
    let presence =
        Presence { sheet: SheetId(7), selection: Range::parse_a1("B2:C9").expect("valid"), is_editing: true };
    let hello = Hello {
        version: PROTOCOL_VERSION,
        replica: Some((ReplicaId(5), Incarnation(6))),
        last: Some(Revision(0)),
        unconfirmed: 3,
        name: "Ada".into(),
        color: Some(0),
        secret: Some(ReplicaSecret(77)),
    };
    for frame in [
        ClientFrame::Hello(hello.clone()),
        ClientFrame::Hello(Hello { replica: None, last: None, color: None, secret: None, ..hello }),
        ClientFrame::Submit { counter: Counter(1), base: Revision(9), transaction: Transaction::default() },
        ClientFrame::Presence(presence.clone()),
        ClientFrame::Digest { revision: Revision(64), digest: u64::MAX },
        ClientFrame::Withdrawn { counter: Counter(300) },
        ClientFrame::Ping,
        ClientFrame::Chat(ChatRequest::Subscribe { after: 300 }),
        ClientFrame::Chat(ChatRequest::Send { id: u64::MAX, text: "Guten Morgen\n漢字".into() }),
    ] {
        assert_eq!(ClientFrame::decode(&frame.encode()), Ok(frame));
    }
    let person = Person {
        session: SessionId(3),
        name: "Bo".into(),
        color: 0xff_ffff,
        role: Role::View,
        presence: Some(presence),
    };
    let welcome = Welcome {
        version: PROTOCOL_VERSION,
        replica: ReplicaId(1),
        incarnation: Incarnation(2),
        session: SessionId(3),
        role: Role::Owner,
        color: 0x12_3456,
        head: Revision(4),
        confirmed: Counter(5),
        resume: Resume::Tail,
        time_ms: -6,
        secret: Some(ReplicaSecret(u64::MAX)),
    };
    for frame in [
        ServerFrame::Welcome(welcome),
        ServerFrame::Snapshot {
            revision: Revision(1),
            time_and_seed: TimeAndSeed { time_ms: 2, seed: 3 },
            part: 0,
            parts: 2,
            bytes: vec![1, 2, 3],
        },
        ServerFrame::Records { records: vec![Arc::from([1u8, 2].as_slice()), Arc::from([].as_slice())] },
        ServerFrame::People { changed: vec![person], departed: vec![SessionId(9)], count: 5_000 },
        ServerFrame::Rejected { counter: Counter(2), code: RejectCode::TooLarge, message: "zu groß".into() },
        ServerFrame::Resync { revision: Revision(8), confirmed: Counter(2) },
        ServerFrame::Digest { revision: Revision(64), digest: 1 },
        ServerFrame::Pong,
    ] {
        assert_eq!(ServerFrame::decode(&frame.encode()), Ok(frame));
    }
}

#[test]
fn a_room_snapshot_has_the_last_submissions() {
    let snapshot = RoomSnapshot {
        revision: Revision(12),
        time_and_seed: TimeAndSeed { time_ms: 34, seed: 56 },
        submitted: vec![(ReplicaId(7), Submitted { counter: Counter(8), revision: Revision(9) })],
        workbook: Workbook::new(),
    };
    let read = RoomSnapshot::decode(&snapshot.encode()).expect("written above");
    assert_eq!(
        (read.revision, read.time_and_seed, read.submitted),
        (snapshot.revision, snapshot.time_and_seed, snapshot.submitted)
    );
}

fn transaction(operation: Operation) -> Transaction {
    Transaction { operations: vec![operation] }
}

/// P14
#[test]
fn few_bytes_cannot_allocate_much_memory() {
    let range = Range::parse_a1("A1:XFD1048576").expect("valid");
    let everything = Operation::FillCells { sheet: SheetId(1), range, input: Input::Blank };
    let mut bytes = encode_transaction(&transaction(everything));
    bytes[1] = 1; // SET_CELLS over the whole sheet
    assert!(matches!(decode_transaction(&bytes), Err(DecodeError::TooMany { what: "cells", .. })));
}

#[test]
fn large_repeated_contents_round_trip() {
    let range = Range::parse_a1("A1:B300000").expect("valid");
    let inputs = vec![Input::Value(Literal::Boolean(true)); 600_000];
    let set = transaction(Operation::SetCells { sheet: SheetId(1), range, inputs });
    assert_eq!(decode_transaction(&encode_transaction(&set)), Ok(set));
}

/// P14
#[test]
fn decoded_formulas_have_the_parsers_depth_limit() {
    let workbook = Workbook::new();
    let host = Host { sheet: SheetId(1), cell: CellAddress::parse_a1("A1").expect("valid") };
    let formula = |text: &str| {
        let template = parse(text, host, &workbook as &dyn SheetNames);
        let input = Input::Formula(template);
        transaction(Operation::FillCells { sheet: SheetId(1), range: Range::cell(host.cell), input })
    };
    for text in
        ["1".to_owned() + &"+1".repeat(900), "-".repeat(64) + "1", "SUM(".repeat(60) + "A1" + &")".repeat(60)]
    {
        let transaction = formula(&text);
        assert_eq!(decode_transaction(&encode_transaction(&transaction)), Ok(transaction), "{text}");
    }
    // A parenthesis is the byte 12 and one node more; the counts are varints of two bytes.
    let mut bytes = vec![1, 2, 1, 0, 0, 0, 0, 11, 0, 0xad, 0x02, 15, 7];
    bytes.extend([12; 300]);
    assert!(matches!(
        decode_transaction(&bytes),
        Err(DecodeError::TooMany { what: "levels in a formula", .. })
    ));
}

/// Values of groups in fields of a pivot table, the deepest lists of all items.
#[test]
fn own_groups_of_a_pivot_table_round_trip() {
    let text = |text: &str| FieldValue::Text(text.into());
    let group = FieldValue::Record(
        [(Field::Name, text("Coast")), (Field::Values, FieldValue::List(vec![text("East"), text("")]))]
            .into(),
    );
    let field = FieldValue::Record([(Field::Groups, FieldValue::List(vec![group]))].into());
    let mut item = Item::new(ItemKind::PivotTable);
    item.anchors.push(Range::parse_a1("D1").expect("an address"));
    item.fields.insert(Field::Rows, FieldValue::List(vec![field]));
    let put = Operation::PutItem { sheet: Some(SheetId(1)), item: ItemId(7), content: Arc::new(item) };
    let transaction = transaction(put);
    let bytes = encode_transaction(&transaction);
    assert_eq!(decode_transaction(&bytes), Ok(transaction));
}

#[test]
fn a_column_of_equal_values_takes_few_bytes() {
    let set = |column: &str, make: &dyn Fn(u32) -> Input| {
        let range = Range::parse_a1(&format!("{column}1:{column}10000")).expect("valid");
        let inputs = (0..10_000).map(make).collect();
        encode_transaction(&transaction(Operation::SetCells { sheet: SheetId(1), range, inputs })).len()
    };
    let number = |number: f64| Input::Value(Literal::Number(number));
    for (what, bytes, at_most) in [
        ("one value", set("A", &|_| number(7.0)), 20),
        ("counting", set("A", &|row| number(f64::from(row))), 22_000),
        ("prices", set("A", &|row| number(f64::from(row % 1_000) / 100.0)), 24_000),
        (
            "categories",
            set("A", &|row| Input::Value(Literal::Text(["north", "south"][row as usize % 2].into()))),
            10_100,
        ),
    ] {
        assert!(bytes <= at_most, "{what}: {bytes} bytes");
    }
}
