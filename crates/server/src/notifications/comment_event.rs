//! [`CommentEvent`]: what a record adds to comments, and whom it concerns.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use quadrille_access::AccountId;
use quadrille_cell::SheetId;
use quadrille_operation::{Operation, Transaction};
use quadrille_protocol::{Author, Record};
use quadrille_workbook::{Field, FieldValue, Item, ItemId, ItemKind, Workbook};

use crate::access::account_of_author;
use crate::comment_changes::{AddedComment, added_comment, assigned_thread};
use crate::limits;
use crate::mail::NotificationReason;

/// A new comment, a thread that is assigned to somebody, or both at once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CommentEvent {
    /// Who has done it, as the record says.
    pub author: Author,
    pub sheet: Option<SheetId>,
    pub thread: ItemId,
    /// `None` for a thread that is assigned without a comment.
    pub comment: Option<ItemId>,
    pub mentions: Vec<Arc<str>>,
    /// To whom the record assigns the thread.
    pub assignee: Option<Arc<str>>,
    /// Whose task the thread is, for a comment in it.
    pub task_of: Option<Arc<str>>,
    /// Accounts with earlier comments in the thread.
    pub participants: BTreeSet<AccountId>,
}

impl CommentEvent {
    /// Why an account of this name is told; `None` if it is not.
    pub fn concerns(&self, id: AccountId, name: &str) -> Option<NotificationReason> {
        let is_name = |other: &Arc<str>| **other == *name;
        if account_of_author(&self.author.id) == Some(id) {
            return None;
        }
        if self.assignee.as_ref().is_some_and(is_name) {
            return Some(NotificationReason::Task);
        }
        if self.mentions.iter().any(is_name) {
            return Some(NotificationReason::Mention);
        }
        let takes_part = self.participants.contains(&id) || self.task_of.as_ref().is_some_and(is_name);
        (self.comment.is_some() && takes_part).then_some(NotificationReason::Reply)
    }

    /// Whether it concerns people by their names.
    pub fn names_people(&self) -> bool {
        !self.mentions.is_empty() || self.assignee.is_some() || self.task_of.is_some()
    }
}

/// What a record does to comments: an import can bring much more along. `None` for nothing.
pub fn comments_only(record: &Record) -> Option<Record> {
    let operations = &record.transaction.operations;
    let is_about_comments =
        |operation: &&Operation| added_comment(operation).is_some() || assigned_thread(operation).is_some();
    operations.iter().find(is_about_comments)?;
    let is_needed = |operation: &&Operation| {
        is_about_comments(operation) || matches!(operation, Operation::AddSheet { .. })
    };
    let transaction = Transaction { operations: operations.iter().filter(is_needed).cloned().collect() };
    Some(Record { transaction, author: record.author.clone(), ..*record })
}

/// The events of records, oldest first, at most
/// [`NOTIFIED_COMMENTS_MAX`](limits::NOTIFIED_COMMENTS_MAX). `now` has the threads, in the state at the last
/// record or a later one.
pub fn comment_events(records: &[Record], now: &Workbook) -> Vec<CommentEvent> {
    let mut threads = Threads::new(records, now);
    let mut events = Vec::new();
    for (index, record) in records.iter().enumerate() {
        let operations = &record.transaction.operations;
        let begin = events.len();
        // Sheets that are imported, restored or copied bring comments along that nobody has written now.
        let is_new_sheet = |sheet: Option<SheetId>| {
            operations.iter().any(|operation| match operation {
                Operation::AddSheet { sheet: added, .. } => Some(*added) == sheet,
                _ => false,
            })
        };
        let comments = operations.iter().filter_map(added_comment).enumerate();
        for (place, added) in comments.filter(|(_, added)| !is_new_sheet(added.sheet)) {
            if events.len() >= limits::NOTIFIED_COMMENTS_MAX {
                return events;
            }
            events.extend(threads.event(record, (index, place), &added));
        }
        for (sheet, thread) in operations.iter().filter_map(assigned_thread) {
            let Some(item) = now.items_of(sheet).and_then(|items| items.get(thread)) else { continue };
            let Some(assignee) = item.text(Field::Assignee).cloned() else { continue };
            if is_new_sheet(sheet) || !is_by(record, item.text(Field::AssignedBy), None) {
                continue;
            }
            let is_its = |event: &&mut CommentEvent| event.sheet == sheet && event.thread == thread;
            // The comment that assigns a thread mentions whom it is assigned to.
            if let Some(event) = events[begin..].iter_mut().find(is_its) {
                event.assignee = Some(assignee);
                continue;
            }
            if events.len() >= limits::NOTIFIED_COMMENTS_MAX {
                return events;
            }
            events.push(CommentEvent {
                author: record.author.clone(),
                sheet,
                thread,
                comment: None,
                mentions: Vec::new(),
                assignee: Some(assignee),
                task_of: None,
                participants: BTreeSet::new(),
            });
        }
    }
    events
}

/// Whether a comment or task was made by the author of the record: not if it names somebody else, as what
/// is copied or restored does. A name or account that is left out is that of the author.
fn is_by(record: &Record, name: Option<&Arc<str>>, id: Option<&Arc<str>>) -> bool {
    let author = &record.author;
    match id {
        Some(id) => *id == author.id,
        None => name.is_none_or(|name| *name == author.name),
    }
}

/// The comments of a sheet by their threads.
type ByThread<'a> = HashMap<ItemId, Vec<(ItemId, &'a Item)>>;

/// The threads of a workbook, and what some records have done to them. The workbook is in the state after
/// these records: what a later one has added was not there before.
struct Threads<'a> {
    now: &'a Workbook,
    /// Of the sheets that were asked for.
    comments: HashMap<Option<SheetId>, ByThread<'a>>,
    /// Comments that the records add, with the number of the record and the place in it.
    added: HashMap<(Option<SheetId>, ItemId), (usize, usize)>,
    /// Threads that the records assign, with the number of the first record that does.
    assigned: HashMap<(Option<SheetId>, ItemId), usize>,
}

impl<'a> Threads<'a> {
    fn new(records: &[Record], now: &'a Workbook) -> Threads<'a> {
        let (mut added, mut assigned) = (HashMap::new(), HashMap::new());
        for (index, record) in records.iter().enumerate() {
            let operations = &record.transaction.operations;
            for (place, comment) in operations.iter().filter_map(added_comment).enumerate() {
                added.insert((comment.sheet, comment.id), (index, place));
            }
            for thread in operations.iter().filter_map(assigned_thread) {
                assigned.entry(thread).or_insert(index);
            }
        }
        Threads { now, comments: HashMap::new(), added, assigned }
    }

    fn comments_of(&mut self, sheet: Option<SheetId>, thread: ItemId) -> &[(ItemId, &'a Item)] {
        let now = self.now;
        let by_thread = self.comments.entry(sheet).or_insert_with(|| {
            let mut by_thread = ByThread::new();
            let comments = now.items_of(sheet).into_iter().flat_map(|items| items.of_kind(ItemKind::Comment));
            for (id, item) in comments {
                if let Some(thread) = item.parent() {
                    by_thread.entry(thread).or_default().push((id, item));
                }
            }
            by_thread
        });
        by_thread.get(&thread).map_or(&[], Vec::as_slice)
    }

    /// The event of a comment that a record adds at a place: its number and the place in it.
    fn event(
        &mut self,
        record: &Record,
        place: (usize, usize),
        added: &AddedComment<'_>,
    ) -> Option<CommentEvent> {
        let AddedComment { sheet, id, comment, thread } = *added;
        let thread = thread?;
        let items = self.now.items_of(sheet)?;
        let thread_item = items.get(thread).filter(|item| item.kind == ItemKind::CommentThread)?;
        // A comment that is already gone concerns nobody.
        items.get(id)?;
        let (author, author_id) = (comment.text(Field::Author), comment.text(Field::AuthorId));
        if !is_by(record, author, author_id) || is_old(record, comment) {
            return None;
        }
        let was_assigned = self.assigned.get(&(sheet, thread)).is_none_or(|index| *index < place.0);
        let comments = self.comments_of(sheet, thread).to_vec();
        let is_earlier = |(other, _): &&(ItemId, &Item)| {
            *other != id && self.added.get(&(sheet, *other)).is_none_or(|other| *other < place)
        };
        let authors = comments.iter().filter(is_earlier);
        let authors = authors.filter_map(|(_, item)| account_of_author(item.text(Field::AuthorId)?));
        let mentions = match comment.fields.get(&Field::Mentions) {
            Some(FieldValue::List(names)) => names.iter().filter_map(name_of).collect(),
            _ => Vec::new(),
        };
        Some(CommentEvent {
            author: record.author.clone(),
            sheet,
            thread,
            comment: Some(id),
            mentions,
            assignee: None,
            task_of: thread_item.text(Field::Assignee).filter(|_| was_assigned).cloned(),
            participants: authors.collect(),
        })
    }
}

/// Whether a comment was written long before it was recorded: deleted comments that come back with an undo
/// or with an earlier version are not news. What was written without a network is.
fn is_old(record: &Record, comment: &Item) -> bool {
    let time_ms = comment.number(Field::Time).unwrap_or(record.time_and_seed.time_ms as f64);
    let age_ms = record.time_and_seed.time_ms as f64 - time_ms;
    age_ms > (limits::NOTIFIED_COMMENT_HOURS_MAX * 3_600_000) as f64
}

fn name_of(value: &FieldValue) -> Option<Arc<str>> {
    match value {
        FieldValue::Text(name) => Some(Arc::clone(name)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quadrille_operation::apply_operation;
    use quadrille_operation::notation::read_operation;
    use quadrille_protocol::{Counter, ReplicaId, Revision, TimeAndSeed};

    /// Accounts of the workbook. Two of them have the same name.
    const PEOPLE: [(u64, &str); 5] = [(1, "Ada"), (2, "Bo"), (3, "Cy"), (4, "Dee"), (5, "Dee")];
    const DAY_MS: i64 = 86_400_000;

    fn author(name: &str) -> Author {
        let account = PEOPLE.iter().find(|(_, known)| *known == name);
        let id = account.map_or(String::new(), |(id, _)| format!("account:{}", AccountId(*id)));
        Author { id: id.into(), name: name.into() }
    }

    /// Whom the last of some records concerns, which is looked at alone. A record is its author and operations, one a line, in which
    /// `by Ada` stands for the fields of an author.
    fn told(records: &[(&str, &str)]) -> String {
        told_of(records, records.len() - 1)
    }

    /// As [`told`], of the records from one on, which are looked at together.
    fn told_of(records: &[(&str, &str)], first: usize) -> String {
        let mut now = Workbook::new();
        let records: Vec<Record> = records
            .iter()
            .enumerate()
            .map(|(index, (name, text))| {
                let read = |line: &str| {
                    let (line, by) = line.trim().split_once(" by ").unwrap_or((line.trim(), ""));
                    let by = match by {
                        "" => String::new(),
                        by => format!(", author \"{by}\", authorId \"{}\"", author(by).id),
                    };
                    let by = by.replace(", authorId \"\"", "");
                    let operation = read_operation(&format!("{line}{by}"), &now).expect(line);
                    apply_operation(&mut now, &operation);
                    operation
                };
                let operations = text.lines().map(read).collect();
                Record {
                    revision: Revision(index as u64 + 1),
                    replica: ReplicaId::SERVER,
                    counter: Counter(0),
                    author: author(name),
                    time_and_seed: TimeAndSeed { time_ms: 2 * DAY_MS + index as i64, seed: 0 },
                    transaction: Transaction { operations },
                }
            })
            .collect();
        let records: Vec<Record> = records[first..].iter().filter_map(comments_only).collect();
        let events = comment_events(&records, &now);
        let concerned = events.iter().flat_map(|event| {
            let tell = |(id, name): &(u64, &str)| {
                event.concerns(AccountId(*id), name).map(|reason| format!("{name} {reason:?}"))
            };
            PEOPLE.iter().filter_map(tell).collect::<Vec<_>>()
        });
        concerned.collect::<Vec<_>>().join(", ")
    }

    const THREAD: &str = "put 5: commentThread at B2: time 172800000 by Ada";
    const FIRST: &str = "put 6: comment: parent 5, text \"why?\", time 172800000 by Ada";

    #[test]
    fn who_is_told_of_a_comment() {
        let started = format!("{THREAD}\n{FIRST}");
        let started = ("Ada", started.as_str());
        let bo = ("Bo", "put 7: comment: parent 5, text \"so\", time 172800001 by Bo");
        let task = ("Ada", "patch 5: commentThread: assignee \"Dee\", assignedBy \"Ada\"");
        for (records, expected) in [
            // A new thread without mentions concerns nobody yet.
            (vec![started], ""),
            (vec![started, bo], "Ada Reply"),
            (
                vec![started, bo, ("Cy", "put 8: comment: parent 5, text \"x\", time 172800002 by Cy")],
                "Ada Reply, Bo Reply",
            ),
            // Nobody is told of the own comment.
            (
                vec![started, bo, ("Ada", "put 8: comment: parent 5, text \"x\", time 172800002 by Ada")],
                "Bo Reply",
            ),
            (
                vec![
                    started,
                    (
                        "Ada",
                        "put 8: comment: parent 5, text \"x\", mentions [\"Ada\"], time 172800002 by Ada",
                    ),
                ],
                "",
            ),
            // A mention counts more than taking part, and reaches every account of the name.
            (
                vec![
                    started,
                    (
                        "Bo",
                        "put 8: comment: parent 5, text \"x\", mentions [\"Ada\", \"Dee\"], time 172800002 by Bo",
                    ),
                ],
                "Ada Mention, Dee Mention, Dee Mention",
            ),
            (
                vec![
                    started,
                    (
                        "Bo",
                        "put 8: comment: parent 5, text \"x\", mentions [\"ada\", \"Ad\"], time 172800002 by Bo",
                    ),
                ],
                "Ada Reply",
            ),
            // Somebody without an account has a name only.
            (
                vec![started, ("Eve", "put 8: comment: parent 5, text \"x\", time 172800002 by Eve")],
                "Ada Reply",
            ),
            (vec![started, ("API", "put 8: comment: parent 5, text \"x\"")], "Ada Reply"),
            // The person whose task a thread is takes part in it.
            (vec![started, task, bo], "Ada Reply, Dee Reply, Dee Reply"),
            // Comments of threads that do not exist.
            (vec![started, ("Bo", "put 8: comment: parent 9, text \"x\", mentions [\"Ada\"] by Bo")], ""),
        ] {
            assert_eq!(told(&records), expected, "{records:?}");
        }
    }

    #[test]
    fn what_came_later_does_not_count_for_a_comment() {
        let started = format!("{THREAD}\n{FIRST}");
        let records = [
            ("Ada", started.as_str()),
            ("Bo", "put 7: comment: parent 5, text \"b\" by Bo"),
            ("Ada", "patch 5: commentThread: assignee \"Cy\", assignedBy \"Ada\""),
            ("Bo", "put 8: comment: parent 5, text \"b\" by Bo"),
        ];
        // Bo has not taken part in the thread when it was started, and it was not yet the task of Cy.
        assert_eq!(told_of(&records, 0), "Ada Reply, Cy Task, Ada Reply, Cy Reply");
        assert_eq!(told_of(&records, 3), "Ada Reply, Cy Reply");
    }

    #[test]
    fn who_is_told_of_a_task() {
        let started = format!("{THREAD}\n{FIRST}");
        let started = ("Ada", started.as_str());
        let assign = "patch 5: commentThread: assignee \"Bo\", assignedBy \"Ada\"";
        let both = format!(
            "put 8: comment: parent 5, text \"@Bo\", mentions [\"Bo\", \"Cy\"], time 172800002 by Ada\n{assign}"
        );
        let new = "put 5: commentThread at B2: assignee \"Bo\", assignedBy \"Ada\" by Ada\nput 6: comment: parent 5, text \"@Bo\", mentions [\"Bo\"] by Ada";
        for (records, expected) in [
            (vec![started, ("Ada", assign)], "Bo Task"),
            // One thing is told once.
            (vec![started, ("Ada", both.as_str())], "Bo Task, Cy Mention"),
            (vec![("Ada", new)], "Bo Task"),
            (vec![started, ("Bo", "patch 5: commentThread: assignee \"Bo\", assignedBy \"Bo\"")], ""),
            (vec![started, ("Ada", "patch 5: commentThread: assignee none")], ""),
            (vec![started, ("Ada", "patch 5: commentThread: resolved true")], ""),
        ] {
            assert_eq!(told(&records), expected, "{records:?}");
        }
    }

    #[test]
    fn what_is_copied_restored_or_forged_is_not_news() {
        let started = format!("{THREAD}\n{FIRST}");
        let started = ("Ada", started.as_str());
        let copied = "add sheet 3: Copy at 1\non 3: put 15: commentThread at B2: time 172800000 by Ada\n\
                      on 3: put 16: comment: parent 15, text \"x\", mentions [\"Bo\"], time 172800000 by Ada";
        for records in [
            vec![started, ("Ada", copied)],
            // In the name of another account, and of another name.
            vec![started, ("Cy", "put 8: comment: parent 5, text \"x\", mentions [\"Bo\"] by Bo")],
            vec![started, ("Cy", "put 8: comment: parent 5, text \"x\", mentions [\"Bo\"] by Eve")],
            vec![started, ("Cy", "patch 5: commentThread: assignee \"Bo\", assignedBy \"Ada\"")],
            // Written two days before.
            vec![started, ("Ada", "put 8: comment: parent 5, text \"x\", mentions [\"Bo\"], time 1 by Ada")],
            // Gone by now.
            vec![started, ("Ada", "put 8: comment: parent 5, text \"x\", mentions [\"Bo\"]\nremove item 8")],
        ] {
            assert_eq!(told(&records), "", "{records:?}");
        }
        let late = "put 8: comment: parent 5, text \"x\", mentions [\"Bo\"], time 90000000 by Ada";
        assert_eq!(told(&[started, ("Ada", late)]), "Bo Mention", "written without a network");
    }
}
