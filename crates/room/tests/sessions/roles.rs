//! P26, P27: commenters, and sessions whose role changes.

use super::*;
use quadrille_operation::ItemPatch;
use quadrille_workbook::{Field, FieldValue, Item, ItemId, ItemKind};

const SHEET: Option<SheetId> = Some(SheetId(1));

fn at_a1(kind: ItemKind) -> Arc<Item> {
    let anchors = vec![Range::parse_a1("A1").expect("valid")];
    Arc::new(Item { anchors, ..Item::new(kind) })
}

fn put(item: u64, kind: ItemKind) -> Operation {
    let content = match kind {
        ItemKind::Comment => Arc::new(Item::new(kind)),
        _ => at_a1(kind),
    };
    Operation::PutItem { sheet: SHEET, item: ItemId(item), content }
}

fn patch(item: u64, kind: ItemKind) -> Operation {
    Operation::PatchItem { sheet: SHEET, item: ItemId(item), patch: ItemPatch::new(kind) }
}

fn remove(item: u64) -> Operation {
    Operation::RemoveItem { sheet: SHEET, item: ItemId(item) }
}

/// A room with a note, item 1, and a comment thread, item 2, by session 1.
fn table_with_items() -> Table {
    let mut table = Table::new();
    table.join(1, Role::Edit);
    let operations = vec![put(1, ItemKind::Note), put(2, ItemKind::CommentThread)];
    table.submit(1, 1, 0, Transaction { operations });
    table.durable();
    assert_eq!(table.room.head(), Revision(1));
    table
}

/// P26
#[test]
fn a_commenter_changes_comments_and_nothing_else() {
    let cells = write("A1", "x").operations;
    for (operations, is_recorded) in [
        (vec![put(3, ItemKind::CommentThread), put(4, ItemKind::Comment)], true),
        (vec![patch(2, ItemKind::CommentThread)], true),
        (vec![remove(2)], true),
        (vec![put(3, ItemKind::CommentThread), remove(3)], true),
        (cells.clone(), false),
        ([vec![put(3, ItemKind::CommentThread)], cells].concat(), false),
        (vec![put(3, ItemKind::Note)], false),
        // A comment in place of another item would remove that item.
        (vec![put(1, ItemKind::CommentThread)], false),
        (vec![patch(1, ItemKind::Note)], false),
        (vec![patch(1, ItemKind::CommentThread)], false),
        (vec![remove(1)], false),
        (vec![Operation::RemoveSheet { sheet: SheetId(1) }], false),
    ] {
        let mut table = table_with_items();
        table.join(2, Role::Comment);
        table.take(2);
        table.submit(2, 1, 1, Transaction { operations: operations.clone() });
        table.durable();
        assert_eq!(table.room.head(), Revision(1 + u64::from(is_recorded)), "{operations:?}");
        let is_rejected = table
            .take(2)
            .iter()
            .any(|frame| matches!(frame, ServerFrame::Rejected { code: RejectCode::Forbidden, .. }));
        assert_eq!(is_rejected, !is_recorded, "{operations:?}");
    }
}

/// P26: nobody reacts for others; reactions go with their comment, whoever removes it.
#[test]
fn a_commenter_reacts_under_the_own_account() {
    let reaction = |item: u64, account: &str| {
        let mut content = Item::new(ItemKind::Reaction);
        content.fields.insert(Field::Parent, FieldValue::Number(2.0));
        content.fields.insert(Field::Text, FieldValue::Text("👍".into()));
        content.fields.insert(Field::AuthorId, FieldValue::Text(account.into()));
        Operation::PutItem { sheet: SHEET, item: ItemId(item), content: Arc::new(content) }
    };
    let mut table = table_with_items();
    table.submit(
        1,
        2,
        1,
        Transaction { operations: vec![reaction(3, "account:2"), reaction(4, "account:2")] },
    );
    table.durable();
    let requests = [
        (reaction(5, "account:1"), true),
        (reaction(6, "account:2"), false),
        (reaction(3, "account:1"), false),
        (patch(3, ItemKind::Reaction), false),
        (remove(3), true),
        (remove(5), true),
    ];
    for (token, (operation, _)) in requests.iter().enumerate() {
        table.event(Event::Request {
            token: Token(token as u64),
            author: Author { id: "account:1".into(), name: "Ada".into() },
            role: Role::Comment,
            email: None,
            counter: Counter(0),
            change: Change::Transaction(Transaction { operations: vec![operation.clone()] }),
        });
    }
    table.durable();
    for (token, (operation, is_allowed)) in requests.iter().enumerate() {
        let mut answers = table.answers.iter().filter(|(answered, _)| *answered == Token(token as u64));
        let (_, answer) = answers.next().expect("an answer");
        assert_eq!(answer.is_ok(), *is_allowed, "{operation:?}");
    }
}

/// P26: the account in a suggestion is the author's.
#[test]
fn a_commenter_changes_own_suggestions_only() {
    let suggestion = |account: &str| {
        let mut item = Item::clone(&at_a1(ItemKind::Suggestion));
        item.fields.insert(Field::AuthorId, FieldValue::Text(account.into()));
        Arc::new(item)
    };
    let put = |item: u64, account: &str| Operation::PutItem {
        sheet: SHEET,
        item: ItemId(item),
        content: suggestion(account),
    };
    let mut table = Table::new();
    table.join(1, Role::Edit);
    table.submit(1, 1, 0, Transaction { operations: vec![put(1, "account:1"), put(2, "account:2")] });
    table.durable();
    let requests =
        [(put(3, "account:2"), false), (put(4, "account:1"), true), (remove(2), false), (remove(1), true)];
    for (token, (operation, _)) in requests.iter().enumerate() {
        table.event(Event::Request {
            token: Token(token as u64),
            author: Author { id: "account:1".into(), name: "Ada".into() },
            role: Role::Comment,
            email: None,
            counter: Counter(0),
            change: Change::Transaction(Transaction { operations: vec![operation.clone()] }),
        });
    }
    table.durable();
    for (token, (operation, is_allowed)) in requests.iter().enumerate() {
        let mut answers = table.answers.iter().filter(|(answered, _)| *answered == Token(token as u64));
        let (_, answer) = answers.next().expect("an answer");
        assert_eq!(answer.is_ok(), *is_allowed, "{operation:?}");
    }
}

/// P26
#[test]
fn a_request_of_a_commenter_changes_comments_and_nothing_else() {
    let mut table = table_with_items();
    for (token, operation) in [(1, remove(1)), (2, remove(2))] {
        let change = Change::Transaction(Transaction { operations: vec![operation] });
        let author = Author::named("REST");
        table.event(Event::Request {
            token: Token(token),
            author,
            role: Role::Comment,
            email: None,
            counter: Counter(0),
            change,
        });
    }
    table.durable();
    assert_eq!(table.answers, [(Token(1), Err(RejectCode::Forbidden)), (Token(2), Ok(Revision(2)))]);
}

/// P27
#[test]
fn a_session_is_closed_when_its_role_changes_and_gets_no_later_record() {
    for (role, reason) in [
        (None, Some(CloseReason::Forbidden)),
        (Some(Role::View), Some(CloseReason::AccessChanged)),
        (Some(Role::Owner), Some(CloseReason::AccessChanged)),
        (Some(Role::Edit), None),
    ] {
        let mut table = Table::new();
        table.join(1, Role::Edit);
        table.join(2, Role::Edit);
        table.take(2);
        // In the journal already, but not durable when the access changes.
        table.submit(1, 1, 0, write("A1", "x"));
        table.event(Event::SetRole { session: SessionId(2), role });
        assert_eq!(table.closed, reason.map(|reason| (SessionId(2), reason)).into_iter().collect::<Vec<_>>());
        assert_eq!(table.room.session_count(), if reason.is_some() { 1 } else { 2 });
        table.submit(2, 1, 0, write("B1", "by a session that was closed"));
        assert_eq!(table.room.head(), Revision(if reason.is_some() { 1 } else { 2 }), "{role:?}");
    }
}

/// P27: the role is known before `Hello`, so a session without a handshake is closed too.
#[test]
fn a_session_without_handshake_is_closed_when_it_loses_its_role() {
    let mut table = Table::new();
    table.connect(1, Role::Edit);
    table.event(Event::SetRole { session: SessionId(1), role: None });
    table.event(Event::SetRole { session: SessionId(9), role: None });
    assert_eq!(table.closed, [(SessionId(1), CloseReason::Forbidden)]);
}

#[test]
fn a_person_who_has_signed_in_cannot_choose_another_name() {
    let mut table = Table::new();
    let author = Author { id: "account:1".into(), name: "Grace".into() };
    table.event(Event::Connect {
        session: SessionId(1),
        role: Role::Edit,
        author: Some(author.clone()),
        email: None,
        picture: None,
    });
    table.hello(1, None, None, 0);
    table.submit(1, 1, 0, write("A1", "x"));
    let record = Record::decode(&table.appended[0]).expect("readable");
    assert_eq!(record.author, author);
}
