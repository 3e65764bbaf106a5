//! What a webhook sends of consecutive revisions.

use chrono::{DateTime, SecondsFormat};
use quadrille_access::{SecretId, Webhook, WebhookEvent};
use quadrille_cell::{Range, SheetId};
use quadrille_formula::SheetNames;
use quadrille_operation::{ItemDetails, Operation, apply_operation};
use quadrille_protocol::{Record, Revision, RoomName};
use quadrille_workbook::{Input, Item, ItemId, Workbook};
use serde_json::{Value as Json, json};
use sha2::{Digest, Sha256};

use crate::change_json::{ChangeFilter, change_json};
use crate::comment_changes::{AddedComment, added_comment, assigned_thread};
use crate::forms::FORM_AUTHOR;
use crate::limits;

/// Revisions on their way to the receiver.
pub struct Batch {
    filter: Filter,
    /// The workbook at the last revision that was added, for webhooks of appended rows.
    rows: Option<Workbook>,
    revisions: Vec<Json>,
    bytes: usize,
    time_ms: i64,
    up_to: Revision,
}

/// What a webhook wants to know.
struct Filter {
    events: Vec<WebhookEvent>,
    changes: ChangeFilter,
}

impl Filter {
    fn new(webhook: &Webhook) -> Filter {
        // A stored range was checked when the webhook was created.
        let range = webhook.range.as_deref().and_then(|range| Range::parse_a1(range).ok());
        let changes = ChangeFilter { sheet: webhook.sheet.map(SheetId), range };
        Filter { events: webhook.events.iter().copied().collect(), changes }
    }

    fn wants(&self, event: WebhookEvent) -> bool {
        self.events.contains(&event)
    }
}

impl Batch {
    /// An empty batch after a revision. `rows` is the workbook at this revision, which is needed if
    /// [`needs_rows`](Batch::needs_rows).
    pub fn new(webhook: &Webhook, after: Revision, rows: Option<Workbook>) -> Batch {
        let filter = Filter::new(webhook);
        Batch { filter, rows, revisions: Vec::new(), bytes: 0, time_ms: 0, up_to: after }
    }

    /// Whether the batches of a webhook depend on how many rows the workbook had before.
    pub fn needs_rows(webhook: &Webhook) -> bool {
        webhook.events.contains(&WebhookEvent::RowAppended)
    }

    /// Adds the next revision; `false` when the batch is full and the revision belongs to the next
    /// one. `now` names sheets and has the threads of comments.
    pub fn add(&mut self, record: &Record, now: &Workbook) -> bool {
        if self.revisions.len() >= limits::WEBHOOK_BATCH_REVISIONS_MAX {
            return false;
        }
        let mut rows = self.rows.clone();
        let json = revision_json(&self.filter, record, rows.as_mut(), now);
        if let Some(mut json) = json {
            let mut bytes = json.to_string().len();
            if bytes > limits::WEBHOOK_BODY_BYTES_MAX {
                json["operations"] = json!([]);
                json["isTruncated"] = true.into();
                bytes = json.to_string().len();
            }
            if self.bytes + bytes > limits::WEBHOOK_BODY_BYTES_MAX && !self.revisions.is_empty() {
                return false;
            }
            self.bytes += bytes;
            self.time_ms = record.time_and_seed.time_ms;
            self.revisions.push(json);
        }
        self.rows = rows;
        self.up_to = record.revision;
        true
    }

    /// The last revision that the batch covers.
    pub fn up_to(&self) -> Revision {
        self.up_to
    }

    /// Whether there is nothing to send.
    pub fn is_empty(&self) -> bool {
        self.revisions.is_empty()
    }

    /// The workbook at the last revision, for the next batch.
    pub fn into_rows(self) -> Option<Workbook> {
        self.rows
    }

    /// The body of the request. Its time is that of the last change, so that a batch that is sent
    /// again has the same body (W2).
    pub fn body(&self, room: &RoomName) -> String {
        let data = json!({ "room": room.as_str(), "revisions": self.revisions });
        json!({ "type": "workbook.changed", "timestamp": rfc3339(self.time_ms), "data": data }).to_string()
    }

    /// The identifier of the batch that begins after a revision (W2). A replay is another message:
    /// receivers drop one that they know.
    pub fn id(&self, webhook: SecretId, room: &RoomName, after: u64, replayed_up_to: Option<u64>) -> String {
        let text = format!("{webhook} {room} {after} {} {replayed_up_to:?}", self.up_to);
        let hash = Sha256::digest(text.as_bytes());
        let digits: String = hash[..16].iter().map(|byte| format!("{byte:02x}")).collect();
        format!("msg_{digits}")
    }
}

/// Returns a revision as JSON; `None` when the webhook does not want to know of it. Applies it to
/// `rows`.
fn revision_json(
    filter: &Filter,
    record: &Record,
    rows: Option<&mut Workbook>,
    now: &Workbook,
) -> Option<Json> {
    let operations = &record.transaction.operations;
    let rows = rows.filter(|_| filter.wants(WebhookEvent::RowAppended));
    let appended = rows.map_or(Vec::new(), |rows| appended_rows(operations, &filter.changes, rows));
    let mentions = |comment: &Json| comment["fields"]["mentions"].is_array();
    let mut comments: Vec<Json> = Vec::new();
    if filter.wants(WebhookEvent::CommentAdded) || filter.wants(WebhookEvent::PersonMentioned) {
        comments.extend(operations.iter().filter_map(|operation| comment(operation, &filter.changes, now)));
        comments.retain(|comment| filter.wants(WebhookEvent::CommentAdded) || mentions(comment));
    }
    let tasks: Vec<Json> = match filter.wants(WebhookEvent::TaskAssigned) {
        true => operations.iter().filter_map(|operation| task(operation, &filter.changes, now)).collect(),
        false => Vec::new(),
    };
    let is_change =
        |operation: &Operation| !matches!(operation, Operation::Tick) && filter.changes.passes(operation);
    let mut events = Vec::new();
    if filter.wants(WebhookEvent::RangeChanged) && operations.iter().any(is_change) {
        events.push(WebhookEvent::RangeChanged.name());
    }
    if !appended.is_empty() {
        events.push(WebhookEvent::RowAppended.name());
    }
    if filter.wants(WebhookEvent::CommentAdded) && !comments.is_empty() {
        events.push(WebhookEvent::CommentAdded.name());
    }
    if filter.wants(WebhookEvent::PersonMentioned) && comments.iter().any(mentions) {
        events.push(WebhookEvent::PersonMentioned.name());
    }
    if !tasks.is_empty() {
        events.push(WebhookEvent::TaskAssigned.name());
    }
    let form =
        record.author.id.strip_prefix(FORM_AUTHOR).filter(|_| filter.wants(WebhookEvent::FormSubmitted));
    let form = form.filter(|_| operations.iter().any(is_change));
    if form.is_some() {
        events.push(WebhookEvent::FormSubmitted.name());
    }
    if events.is_empty() {
        return None;
    }
    let unfiltered = || {
        let mut json = change_json(record, &ChangeFilter::default(), now)?;
        // A comment has no place in the sheet of its own: what the filter leaves out stays out.
        json["operations"] = json!([]);
        Some(json)
    };
    let mut json = change_json(record, &filter.changes, now).or_else(unfiltered)?;
    json["events"] = json!(events);
    if !appended.is_empty() {
        json["appended"] = json!(
            appended
                .iter()
                .map(|(sheet, range)| json!({ "sheet": now.sheet_name(*sheet), "range": range.to_string() }))
                .collect::<Vec<_>>()
        );
    }
    if let Some(form) = form {
        json["form"] = form.into();
    }
    if !comments.is_empty() {
        json["comments"] = comments.into();
    }
    if !tasks.is_empty() {
        json["tasks"] = tasks.into();
    }
    Some(json)
}

/// Applies operations; returns what they write below the last used row of a sheet.
fn appended_rows(
    operations: &[Operation],
    filter: &ChangeFilter,
    workbook: &mut Workbook,
) -> Vec<(SheetId, Range)> {
    let mut appended: Vec<(SheetId, Range)> = Vec::new();
    for operation in operations {
        if let Operation::SetCells { sheet, range, .. } | Operation::FillCells { sheet, range, .. } =
            operation
            && filter.passes(operation)
            && let Some(known) = workbook.sheet(*sheet)
        {
            let first_free = known.used_range().map_or(0, |used| used.last().row.get() + 1);
            if let Some(below) = below(*range, first_free)
                && has_content(operation, below)
            {
                match appended.last_mut() {
                    Some((known, range)) if *known == *sheet => *range = range.union(below),
                    _ => appended.push((*sheet, below)),
                }
            }
        }
        apply_operation(workbook, operation);
    }
    appended
}

/// The part of a range from a row on.
fn below(range: Range, row: u32) -> Option<Range> {
    let (first, last) = (range.first(), range.last());
    Range::from_indices(first.row.get().max(row), first.column.get(), last.row.get(), last.column.get())
        .filter(|_| last.row.get() >= row)
}

/// Whether an operation writes more than blanks into a part of its range that reaches its end.
fn has_content(operation: &Operation, part: Range) -> bool {
    let is_content = |input: &Input| !matches!(input, Input::Blank);
    match operation {
        Operation::SetCells { inputs, .. } => {
            let cells = usize::try_from(part.cell_count()).unwrap_or(usize::MAX).min(inputs.len());
            inputs[inputs.len() - cells..].iter().any(is_content)
        }
        Operation::FillCells { input, .. } => is_content(input),
        _ => false,
    }
}

/// A comment that an operation adds, if its thread is at a place that passes.
fn comment(operation: &Operation, filter: &ChangeFilter, now: &Workbook) -> Option<Json> {
    let AddedComment { sheet, id, comment, thread } = added_comment(operation)?;
    if filter.sheet.is_some_and(|wanted| Some(wanted) != sheet) {
        return None;
    }
    let thread = thread.and_then(|thread| now.items_of(sheet)?.get(thread));
    item_json(sheet, id, comment, thread.map_or(&[], |thread| &thread.anchors), filter, now)
}

/// The comment thread that an operation assigns to somebody, if it is at a place that passes and
/// exists.
fn task(operation: &Operation, filter: &ChangeFilter, now: &Workbook) -> Option<Json> {
    let (sheet, item) = assigned_thread(operation)?;
    if filter.sheet.is_some_and(|wanted| Some(wanted) != sheet) {
        return None;
    }
    let thread = now.items_of(sheet)?.get(item)?;
    item_json(sheet, item, thread, &thread.anchors, filter, now)
}

/// An item at `anchors` as JSON; `None` if they are outside of the range of the filter.
fn item_json(
    sheet: Option<SheetId>,
    item: ItemId,
    content: &Item,
    anchors: &[Range],
    filter: &ChangeFilter,
    now: &Workbook,
) -> Option<Json> {
    let passes = filter.range.is_none_or(|range| {
        anchors.is_empty() || anchors.iter().any(|anchor| anchor.intersection(range).is_some())
    });
    passes.then(|| {
        let details = ItemDetails::new(sheet, item, content, now);
        json!({
            "item": details.id,
            "sheet": sheet.and_then(|sheet| now.sheet_name(sheet)),
            "anchors": anchors.iter().map(Range::to_string).collect::<Vec<_>>(),
            "fields": details.fields,
        })
    })
}

/// A moment of milliseconds since 1970 in the form of RFC 3339.
fn rfc3339(time_ms: i64) -> String {
    let time = DateTime::from_timestamp_millis(time_ms).unwrap_or_default();
    time.to_rfc3339_opts(SecondsFormat::Millis, true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use quadrille_operation::Transaction;
    use quadrille_operation::notation::read_operation;
    use quadrille_protocol::{Author, Counter, ReplicaId};

    fn webhook(events: &[WebhookEvent], range: Option<&str>) -> Webhook {
        Webhook {
            id: SecretId(1),
            room: Some("plan".into()),
            url: "https://example.org/".into(),
            label: String::new(),
            events: events.iter().copied().collect(),
            sheet: range.map(|_| 1),
            range: range.map(str::to_owned),
            is_paused: false,
            created_ms: 0,
        }
    }

    /// The events of each revision, whose operations are written one a line.
    fn events(webhook: &Webhook, revisions: &[&str]) -> Vec<String> {
        let mut now = Workbook::new();
        let mut batch = Batch::new(webhook, Revision(0), Some(Workbook::new()));
        let mut described = Vec::new();
        for (index, text) in revisions.iter().enumerate() {
            let operations: Vec<Operation> =
                text.lines().map(|line| read_operation(line.trim(), &now).expect(line)).collect();
            for operation in &operations {
                apply_operation(&mut now, operation);
            }
            let record = Record {
                revision: Revision(index as u64 + 1),
                replica: ReplicaId::SERVER,
                counter: Counter(0),
                author: Author::named("Ann"),
                time_and_seed: Default::default(),
                transaction: Transaction { operations },
            };
            let before = batch.revisions.len();
            assert!(batch.add(&record, &now));
            let added = &batch.revisions[before..];
            described.push(added.first().map_or(String::new(), |json| {
                let appended = json["appended"].as_array().into_iter().flatten();
                let ranges = appended.filter_map(|rows| rows["range"].as_str());
                let events = json["events"].as_array().into_iter().flatten().filter_map(Json::as_str);
                events.chain(ranges).collect::<Vec<_>>().join(" ")
            }));
        }
        described
    }

    #[test]
    fn rows_are_appended_below_the_last_used_one() {
        let rows = webhook(&[WebhookEvent::RowAppended], None);
        let described = events(
            &rows,
            &[
                "set A1:B2: 1 ; 2 ; 3 ; 4",
                "set A2:B2: 5 ; 6",
                "set A2:A4: 7 ; 8 ; 9",
                "set A9:A9: _",
                "format A9: bold",
                "fill C6:C7: x",
                "set A8:A8: 1\nset A9:A9: 2",
                "delete rows 1:8",
                "set A2:A2: 3",
            ],
        );
        let expected = [
            "row.appended A1:B2",
            "",
            "row.appended A3:A4",
            "",
            "",
            "row.appended C6:C7",
            "row.appended A8:A9",
            "",
            "row.appended A2",
        ];
        assert_eq!(described, expected);
    }

    #[test]
    fn changes_pass_by_their_range() {
        let range = webhook(&[WebhookEvent::RangeChanged], Some("B2:B9"));
        let described = events(&range, &["fill B9: 1", "fill C9: 1", "tick", "insert row before 100"]);
        assert_eq!(described, ["range.changed", "", "", "range.changed"]);
        let all = webhook(&[WebhookEvent::RangeChanged, WebhookEvent::RowAppended], None);
        assert_eq!(events(&all, &["fill B1: 1", "tick"]), ["range.changed row.appended B1", ""]);
    }

    #[test]
    fn comments_pass_by_the_range_of_their_thread() {
        let thread = "put 5: commentThread at B2: author \"Ada\"\nput 6: comment: parent 5, text \"why?\"";
        let wanted = |range| events(&webhook(&[WebhookEvent::CommentAdded], range), &[thread]);
        assert_eq!(wanted(None), ["comment.added"]);
        assert_eq!(wanted(Some("A1:B9")), ["comment.added"]);
        assert_eq!(wanted(Some("C1:D9")), [""]);
    }

    #[test]
    fn mentions_and_assigned_tasks_are_events() {
        let revisions = [
            "put 5: commentThread at B2: author \"Ada\"\nput 6: comment: parent 5, text \"why?\"",
            "put 7: comment: parent 5, text \"@Bo?\", mentions [\"Bo\"]",
            "patch 5: commentThread: assignee \"Bo\", assignedBy \"Ada\"",
            "patch 5: commentThread: assignee none",
            "patch 5: commentThread: resolved true",
        ];
        let all = [WebhookEvent::CommentAdded, WebhookEvent::PersonMentioned, WebhookEvent::TaskAssigned];
        let expected = ["comment.added", "comment.added person.mentioned", "task.assigned", "", ""];
        assert_eq!(events(&webhook(&all, None), &revisions), expected);
        let expected = ["", "person.mentioned", "task.assigned", "", ""];
        assert_eq!(events(&webhook(&all[1..], Some("A1:B9")), &revisions), expected);
        assert_eq!(events(&webhook(&all, Some("C1:D9")), &revisions), [""; 5]);
    }

    #[test]
    fn moments_are_written_as_in_rfc_3339() {
        // date -u -d @1795305600 +%FT%TZ
        for (time_ms, expected) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_795_305_600_123, "2026-11-22T00:00:00.123Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        ] {
            assert_eq!(rfc3339(time_ms), expected);
        }
    }
}
