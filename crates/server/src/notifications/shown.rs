//! What a message says of a notification, by the workbook at the time of sending (N3).

use quadrille_cell::SheetId;
use quadrille_formula::SheetNames;
use quadrille_workbook::{Field, FieldValue, Item, ItemId, ItemKind, Workbook};

use super::waiting::Notification;
use crate::mail::{CommentLine, NotificationReason};
use crate::room_name::percent_encoded;

/// The line of a message; `None` when there is nothing to tell any more. `url` is that of the workbook.
pub fn shown(notification: &Notification, now: &Workbook, url: &str) -> Option<CommentLine> {
    let Notification { reason, sheet, thread, comment, name, by } = notification;
    let items = now.items_of(*sheet)?;
    let thread_item = items.get(*thread).filter(|item| item.kind == ItemKind::CommentThread)?;
    let comment =
        comment.and_then(|comment| items.get(comment)).filter(|item| item.parent() == Some(*thread));
    let comment = match reason {
        NotificationReason::Task => {
            let is_theirs = thread_item.text(Field::Assignee) == Some(name);
            if !is_theirs || thread_item.boolean(Field::Resolved) == Some(true) {
                return None;
            }
            // The task stays when the comment that assigned it is deleted. A thread without comments is
            // gone.
            let comment = comment.map(|comment| &**comment).or_else(|| first_comment(now, *sheet, *thread));
            comment?
        }
        NotificationReason::Mention => &**comment.filter(|comment| mentions(comment, name))?,
        NotificationReason::Reply => &**comment?,
    };
    let range = thread_item.anchors.first().map(ToString::to_string);
    let sheet = sheet.and_then(|sheet| now.sheet_name(sheet));
    let (place, url) = match (sheet, range) {
        (Some(sheet), Some(range)) => {
            // In the fragment, which browsers send to no server: the client opens the workbook there.
            let url = format!("{url}#sheet={}&range={}", percent_encoded(sheet), percent_encoded(&range));
            (format!("{sheet} · {range}"), url)
        }
        _ => (String::new(), url.to_owned()),
    };
    let text = comment.text(Field::Text).map_or("", |text| &**text);
    Some(CommentLine { reason: *reason, person: by.to_string(), text: text.to_owned(), place, url })
}

fn first_comment(now: &Workbook, sheet: Option<SheetId>, thread: ItemId) -> Option<&Item> {
    let comments = now.items_of(sheet)?.of_kind(ItemKind::Comment);
    let of_thread = comments.filter(|(_, item)| item.parent() == Some(thread));
    let time = |item: &Item| item.number(Field::Time).unwrap_or(0.0) as i64;
    of_thread.min_by_key(|(id, item)| (time(item), *id)).map(|(_, item)| &**item)
}

fn mentions(comment: &Item, name: &str) -> bool {
    match comment.fields.get(&Field::Mentions) {
        Some(FieldValue::List(names)) => {
            names.iter().any(|value| matches!(value, FieldValue::Text(text) if **text == *name))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use NotificationReason as Reason;
    use quadrille_operation::apply_operation;
    use quadrille_operation::notation::read_operation;

    fn workbook(operations: &[&str]) -> Workbook {
        let mut workbook = Workbook::new();
        for text in operations {
            let operation = read_operation(text, &workbook).expect(text);
            apply_operation(&mut workbook, &operation);
        }
        workbook
    }

    fn told(reason: Reason, comment: Option<u64>, operations: &[&str]) -> Option<CommentLine> {
        let notification = Notification {
            reason,
            by: "Bo".into(),
            sheet: Some(SheetId(1)),
            thread: ItemId(5),
            comment: comment.map(ItemId),
            name: "Ada".into(),
        };
        let thread = "put 5: commentThread at B2: author \"Bo\", assignee \"Ada\"";
        let comments = [
            "put 6: comment: parent 5, text \"first\", time 1",
            "put 7: comment: parent 5, text \"@Ada\", mentions [\"Ada\"], time 2",
        ];
        let all: Vec<&str> =
            std::iter::once(thread).chain(comments).chain(operations.iter().copied()).collect();
        shown(&notification, &workbook(&all), "https://example.org/plan")
    }

    #[test]
    fn what_is_no_longer_true_is_left_out() {
        for (reason, comment, operation, is_told) in [
            (Reason::Mention, Some(7), "tick", true),
            (Reason::Mention, Some(7), "remove item 7", false),
            (Reason::Mention, Some(7), "remove item 5", false),
            (Reason::Mention, Some(7), "patch 7: comment: mentions none", false),
            // A resolved thread can still be read.
            (Reason::Mention, Some(7), "patch 5: commentThread: resolved true", true),
            (Reason::Reply, Some(6), "tick", true),
            (Reason::Reply, Some(6), "remove item 6", false),
            (Reason::Reply, Some(6), "remove sheet 1", false),
            (Reason::Task, None, "tick", true),
            (Reason::Task, None, "patch 5: commentThread: resolved true", false),
            (Reason::Task, None, "patch 5: commentThread: assignee \"Cy\"", false),
            (Reason::Task, None, "patch 5: commentThread: assignee none", false),
            (Reason::Task, Some(7), "remove item 7", true),
        ] {
            let mut operations = vec![operation];
            if operation == "remove sheet 1" {
                operations.insert(0, "add sheet 2: Other at 1");
            }
            assert_eq!(
                told(reason, comment, &operations).is_some(),
                is_told,
                "{reason:?} {comment:?} {operation}"
            );
        }
    }

    #[test]
    fn a_line_has_the_comment_and_a_link_to_its_cell() {
        let moved = told(Reason::Mention, Some(7), &["rename sheet 1: A & B", "insert 2 rows before 1"]);
        let line = moved.expect("told");
        assert_eq!((line.text.as_str(), line.place.as_str()), ("@Ada", "A & B · B4"));
        assert_eq!(line.url, "https://example.org/plan#sheet=A%20%26%20B&range=B4");
        // A task that was assigned without a comment has the first one.
        assert_eq!(told(Reason::Task, None, &[]).expect("told").text, "first");
    }
}
