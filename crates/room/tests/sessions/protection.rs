//! Protected ranges that name their editors (`P22`), and the identity of sessions (`P28`).

use proptest::prelude::*;
use quadrille_operation::{plan, protected_from};
use quadrille_workbook::{Field, FieldValue, Item, ItemId, ItemKind};

use super::*;

/// The editor whom protections name in these tests.
const ADA: &str = "account:00000000000000ad";

impl Table {
    /// Joins as a person who has signed in.
    fn join_as(&mut self, session: u64, role: Role, account: &str, email: Option<&str>) {
        let author = Some(Author { id: account.into(), name: "Somebody".into() });
        let (session, email) = (SessionId(session), email.map(Arc::from));
        self.event(Event::Connect { session, role, author, email, picture: None });
        self.hello(session.0, None, None, 0);
        self.take(session.0);
    }

    fn is_rejected(&mut self, session: u64) -> bool {
        let frames = self.take(session);
        let is_forbidden =
            |frame: &ServerFrame| matches!(frame, ServerFrame::Rejected { code: RejectCode::Forbidden, .. });
        frames.iter().any(is_forbidden)
    }
}

fn protect(range: &str, editors: &[&str]) -> Transaction {
    let mut content = Item::new(ItemKind::ProtectedRange);
    content.anchors = vec![Range::parse_a1(range).expect("valid")];
    let editors = editors.iter().map(|editor| FieldValue::Text((*editor).into())).collect();
    content.fields.insert(Field::Editors, FieldValue::List(editors));
    let content = Arc::new(content);
    Transaction { operations: vec![Operation::PutItem { sheet: Some(SheetId(1)), item: ItemId(9), content }] }
}

fn unprotect() -> Transaction {
    Transaction { operations: vec![Operation::RemoveItem { sheet: Some(SheetId(1)), item: ItemId(9) }] }
}

/// P22
#[test]
fn only_named_people_and_owners_change_protected_cells() {
    let mut table = Table::new();
    table.join_as(1, Role::Edit, ADA, None);
    table.submit(1, 1, 0, protect("B2:B3", &[ADA, "grace@example.org"]));
    table.durable();
    table.join_as(2, Role::Edit, "account:0000000000000002", Some("grace@example.org"));
    table.join_as(3, Role::Edit, "account:0000000000000003", Some("bob@example.org"));
    table.join(4, Role::Edit);
    table.join(5, Role::Owner);
    for (session, is_editor) in [(1, true), (2, true), (3, false), (4, false), (5, true)] {
        table.take(session);
        let head = table.room.head().0;
        let counter = if session == 1 { 2 } else { 1 };
        table.submit(session, counter, head, write("B2", "x"));
        table.durable();
        assert_eq!(table.is_rejected(session), !is_editor, "session {session}");
        assert_eq!(table.room.head().0 - head, u64::from(is_editor), "session {session}");
    }
    // The name that a visitor chooses is no account.
    table.join(6, Role::Edit);
    let head = table.room.head().0;
    table.submit(6, 1, head, unprotect());
    assert!(table.is_rejected(6));
}

/// P22: a request is bound by the rule too, with the identity that comes with it.
#[test]
fn requests_are_checked_with_their_identity() {
    let mut table = Table::new();
    let ask = |table: &mut Table, token: u64, id: &str, role: Role, email: Option<&str>, change| {
        let author = Author { id: id.into(), name: "REST".into() };
        let (token, change) = (Token(token), Change::Transaction(change));
        table.event(Event::Request {
            token,
            author,
            role,
            email: email.map(Arc::from),
            counter: Counter(0),
            change,
        });
    };
    ask(&mut table, 1, "", Role::Edit, None, protect("B2", &["owner"]));
    ask(&mut table, 2, "", Role::Owner, None, protect("B2", &["owner", "grace@example.org"]));
    ask(&mut table, 3, "", Role::Edit, None, write("B2", "x"));
    ask(&mut table, 4, ADA, Role::Edit, Some("grace@example.org"), write("B2", "x"));
    ask(&mut table, 5, ADA, Role::Edit, None, unprotect());
    ask(&mut table, 6, "", Role::Owner, None, unprotect());
    table.durable();
    table.answers.sort_by_key(|(token, _)| *token);
    let refused = Err(RejectCode::Forbidden);
    let expected = [refused, Ok(Revision(1)), refused, Ok(Revision(2)), refused, Ok(Revision(3))];
    assert_eq!(table.answers.iter().map(|(_, answer)| *answer).collect::<Vec<_>>(), expected);
}

/// P22: the protection counts where the transaction lands after the rebase, not where its author
/// saw it.
#[test]
fn a_transaction_with_an_old_base_is_checked_where_it_lands() {
    let mut table = Table::new();
    table.join_as(1, Role::Edit, ADA, None);
    table.join(2, Role::Edit);
    table.join(3, Role::Edit);
    table.submit(1, 1, 0, protect("B2", &[ADA]));
    table.submit(1, 2, 0, insert_row(0));
    table.durable();
    table.take(2);
    table.take(3);
    // Sent before the others' changes arrived. B2 is B3 now, which is protected; B1 is B2, which is
    // not.
    table.submit(2, 1, 0, write("B2", "late"));
    table.submit(3, 1, 0, write("B1", "late"));
    table.durable();
    assert!(table.is_rejected(2));
    assert!(!table.is_rejected(3));
    assert_eq!((table.text_in("B2").as_str(), table.text_in("B3").as_str()), ("late", ""));
}

/// A description in an alphabet of four bytes a character must not end the session of its reader.
#[test]
fn the_message_of_a_rejection_fits_its_frame() {
    let mut table = Table::new();
    table.join(1, Role::Owner);
    let mut transaction = protect("B2", &["owner"]);
    if let Operation::PutItem { content, .. } = &mut transaction.operations[0] {
        let description = FieldValue::Text("🔒".repeat(255).into());
        Arc::make_mut(content).fields.insert(Field::Description, description);
    }
    table.submit(1, 1, 0, transaction);
    table.durable();
    table.join(2, Role::Edit);
    table.take(2);
    table.submit(2, 1, 1, write("B2", "x"));
    assert!(table.is_rejected(2));
}

/// P28
#[test]
fn a_session_that_asks_is_told_who_it_is() {
    let mut table = Table::new();
    table.join_as(1, Role::Edit, ADA, Some("ada@example.org"));
    table.join(2, Role::View);
    table.join(3, Role::Edit);
    table.frame(1, &ClientFrame::Identify);
    table.frame(2, &ClientFrame::Identify);
    let identified =
        |account: &str, email: &str| AccessFrame::Identified { account: account.into(), email: email.into() };
    assert_eq!(table.access_frames, [(1, identified(ADA, "ada@example.org")), (2, identified("", ""))]);
}

/// P29
#[test]
fn a_session_that_asks_is_sent_the_pictures_of_the_people_who_are_here() {
    const ADAS: &str = "https://wiki.example.org/ada.png";
    let mut table = Table::new();
    table.event(Event::Connect {
        session: SessionId(1),
        role: Role::Edit,
        author: Some(Author { id: ADA.into(), name: "Ada".into() }),
        email: None,
        picture: Some(ADAS.into()),
    });
    table.join(2, Role::View);
    let ask = |table: &mut Table, of: Option<u64>| {
        let of = of.map(SessionId);
        table.frame(2, &ClientFrame::AskPicture(of));
        match table.access_frames.pop() {
            Some((2, AccessFrame::Picture { of: answered, url })) if answered == of => Some(url.to_string()),
            None => None,
            other => panic!("{other:?}"),
        }
    };
    // She has not joined yet.
    assert_eq!(ask(&mut table, Some(1)).as_deref(), Some(""));
    table.hello(1, None, None, 0);
    assert_eq!(ask(&mut table, Some(1)).as_deref(), Some(ADAS));
    for nobody in [None, Some(2), Some(9)] {
        assert_eq!(ask(&mut table, nobody).as_deref(), Some(""));
    }
    table.frame(1, &ClientFrame::AskPicture(None));
    assert_eq!(table.access_frames, [(1, AccessFrame::Picture { of: None, url: ADAS.into() })]);
    table.access_frames.clear();
    // A session gets no more than it can show.
    let asked =
        (0..limits::PICTURES_PER_SESSION_MAX + 10).filter(|_| ask(&mut table, Some(1)).is_some()).count();
    assert_eq!(asked, limits::PICTURES_PER_SESSION_MAX - 5);
}

/// P28
#[test]
fn owners_who_understand_it_are_told_that_somebody_asks_for_access() {
    let mut table = Table::new();
    table.join(1, Role::Owner);
    table.join(2, Role::Owner);
    table.join(3, Role::Edit);
    table.frame(1, &ClientFrame::Identify);
    table.frame(3, &ClientFrame::Identify);
    table.access_frames.clear();
    table.event(Event::AccessRequested);
    assert_eq!(table.access_frames, [(1, AccessFrame::AccessRequested)]);
}

#[derive(Clone, Debug)]
enum Step {
    /// Somebody whom the protection does not name, with a document as old as allowed.
    Stranger { command: String, behind: u64 },
    /// The named editor.
    Editor { command: String },
}

fn commands() -> impl Strategy<Value = String> {
    let cell =
        || (0u32..6, 1u32..8).prop_map(|(column, row)| format!("{}{row}", char::from(b'A' + column as u8)));
    let range = || (cell(), cell()).prop_map(|(first, last)| format!("{first}:{last}"));
    prop_oneof![
        3 => (cell(), 0u32..1_000).prop_map(|(cell, value)| {
            format!(r#"{{"type":"typeText","sheet":1,"cell":"{cell}","text":"{value}"}}"#)
        }),
        1 => range().prop_map(|range| format!(r#"{{"type":"fillDown","sheet":1,"range":"{range}"}}"#)),
        1 => range().prop_map(|range| {
            format!(r#"{{"type":"clear","sheet":1,"range":"{range}","what":"contents"}}"#)
        }),
        2 => (0u32..8, 1u32..3).prop_map(|(at, count)| {
            format!(r#"{{"type":"insertRows","sheet":1,"at":{at},"count":{count}}}"#)
        }),
        2 => (0u32..8, 1u32..3).prop_map(|(at, count)| {
            format!(r#"{{"type":"deleteRows","sheet":1,"at":{at},"count":{count}}}"#)
        }),
        1 => (0u32..5).prop_map(|at| format!(r#"{{"type":"deleteColumns","sheet":1,"at":{at},"count":1}}"#)),
        1 => range().prop_map(|range| format!(
            r#"{{"type":"sort","sheet":1,"range":"{range}","keys":[{{"column":0,"descending":true}}],"hasHeader":false}}"#
        )),
        1 => Just(r#"{"type":"removeItem","sheet":1,"item":9}"#.to_owned()),
    ]
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let stranger = (commands(), 0u64..6).prop_map(|(command, behind)| Step::Stranger { command, behind });
    let editor = commands().prop_map(|command| Step::Editor { command });
    prop::collection::vec(prop_oneof![3 => stranger, 1 => editor], 1..24)
}

/// The contents of the protected cells, in the order of the protection's anchors.
fn protected_contents(workbook: &Workbook) -> Option<Vec<Input>> {
    let sheet = &workbook.sheets()[0];
    let anchors = &sheet.item(ItemId(9))?.anchors;
    Some(anchors.iter().flat_map(|range| range.cells()).map(|cell| sheet.input(cell)).collect())
}

proptest! {
    /// P22: whatever a stranger sends, and however old its base is, the protection and the protected
    /// cells keep their contents.
    #[test]
    fn no_transaction_of_a_stranger_changes_protected_cells(steps in steps()) {
        let mut table = Table::new();
        table.join_as(1, Role::Edit, ADA, None);
        table.submit(1, 1, 0, write("A1:F8", "before"));
        table.submit(1, 2, 0, protect("B2:C4", &[ADA]));
        table.durable();
        let mut past = vec![(table.room.head(), table.room.workbook().clone())];
        let mut session = 1;
        for step in steps {
            let (command, (base, seen), author) = match &step {
                Step::Stranger { command, behind } => {
                    (command, &past[past.len().saturating_sub(1 + *behind as usize)], "account:2")
                }
                Step::Editor { command } => (command, past.last().expect("not empty"), ADA),
            };
            let command: Command = serde_json::from_str(command).expect("a command");
            let Ok(transaction) = plan(&command, seen, &mut || SheetId(99)) else { continue };
            // A new session each time, so that a rejection has no consequences for the next step.
            session += 1;
            let base = base.0;
            table.join_as(session, Role::Edit, author, None);
            let before = (table.room.head(), protected_contents(table.room.workbook()));
            table.submit(session, 1, base, transaction);
            table.durable();
            table.event(Event::Disconnect { session: SessionId(session) });
            if author != ADA && before.1.is_some() {
                let after = protected_contents(table.room.workbook());
                prop_assert_eq!(&after, &before.1, "{:?}", step);
            }
            if table.room.head() > before.0 {
                past.push((table.room.head(), table.room.workbook().clone()));
            }
        }
        // The named editor may have removed the protection; then a stranger may not set it again
        // without being named.
        let again = protected_from(Some(&Default::default()), &protect("A1", &[ADA]), table.room.workbook());
        prop_assert!(again.is_err());
    }
}
