//! `GET /api/v1/rooms/{room}/changes`: the change feed of a room, by long polling or as Server-Sent
//! Events.
//!
//! A feed reads durable revisions from the journal, one page after the other, and waits at the end
//! until the room's thread wakes it. Feeds that have read equally far share their pages.

use std::convert::Infallible;
use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::stream;
use quadrille_access::Action;
use quadrille_cell::Range;
use quadrille_protocol::{Incarnation, Record, Revision, RoomName};
use serde::Deserialize;
use serde_json::Value as Json;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use super::app::App;
use super::authorization::GrantedRoom;
use super::extractors::StrictQuery;
use super::internal_error::internal;
use super::session_socket::{decide, until};
use crate::access::now_ms;
use crate::cells::{CellReader, values_json};
use crate::change_json::{ChangeFilter, change_json};
use crate::error::{ApiError, ErrorCode};
use crate::limits;
use crate::rooms::{Client, Expiry, Feed, FeedEnd, FeedPage, PageKey, Reading};
use crate::sheet_lookup::sheet_by_name;
use crate::thread_priority::in_background;

/// The query of the change feed.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChangesQuery {
    /// Only later revisions; by default those that are still to come.
    after: Option<u64>,
    /// Maximum number of revisions of a response or of a page of events.
    limit: Option<u64>,
    /// Seconds to wait for a change; 0 by default.
    wait: Option<u64>,
    /// Only changes of this sheet.
    sheet: Option<String>,
    /// Only changes that concern this range of the sheet.
    range: Option<String>,
    /// `values`: the present values of changed ranges too.
    include: Option<Include>,
    /// Of which room `after` is a revision: another one may get the same name.
    incarnation: Option<String>,
}

/// The position of a client in a feed.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Position {
    after: u64,
    incarnation: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Include {
    Values,
}

/// Sends the revisions after one of them, and waits for more.
pub async fn read(
    State(app): State<App>,
    GrantedRoom { room, grant }: GrantedRoom,
    StrictQuery(query): StrictQuery<ChangesQuery>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let is_stream = accepts_events(&headers);
    let last_event = last_event_id(&headers)?.filter(|_| is_stream);
    let wait = query.wait.unwrap_or(0);
    if wait > limits::FEED_WAIT_SECONDS_MAX {
        let message = format!("wait must be at most {} seconds", limits::FEED_WAIT_SECONDS_MAX);
        return Err(ApiError::new(ErrorCode::BadQuery, message));
    }
    let client = Client {
        role: grant.role,
        identity: grant.identity,
        address: None,
        is_view_only: false,
        expiry: Expiry::default(),
    };
    // Opened before the room is read, so that no revision is durable unnoticed in between.
    let feed = app.rooms.change_feeds().open(&room, client)?;
    let now = app.rooms.read_inputs(&room).await?;
    let head = now.revision;
    let asked = query.after.map(|after| Position { after, incarnation: query.incarnation.clone() });
    let position = last_event.or(asked);
    let after = position.as_ref().map_or(head, |position| Revision(position.after));
    let bounds = app.rooms.history_bounds(&room).await?;
    let incarnation: Arc<str> = incarnation_text(bounds.incarnation).into();
    let given = position.and_then(|position| position.incarnation);
    check_position(after, given.as_deref(), head, &incarnation)?;
    // The bounds are of the same moment: asking the storage once halves the reads of a poll.
    check_base(after, bounds.base)?;
    let options = Options::new(&query, &now)?;
    let key = format!("{options:?}").into();
    let reader = Reader { stop: app.stop.clone(), app, room, incarnation, feed, options, key, after, head };
    // The access may have changed since it was checked. From here on the feed is told of each change.
    reader.check_access().await?;
    if is_stream { Ok(event_stream(reader)) } else { poll(reader, Duration::from_secs(wait)).await }
}

/// Checks that a position is one of this room, and not of another that had its name.
fn check_position(
    after: Revision,
    given: Option<&str>,
    head: Revision,
    incarnation: &str,
) -> Result<(), ApiError> {
    let (code, reason) = match given {
        Some(given) if given != incarnation => (ErrorCode::HistoryGone, "it was deleted and created again"),
        _ if after <= head => return Ok(()),
        Some(_) => {
            let message = format!("after is the later revision {after}: the room is at revision {head}");
            return Err(ApiError::new(ErrorCode::BadQuery, message));
        }
        // A client that sends no incarnation notices by this alone.
        None => (ErrorCode::HistoryGone, "it has never had the given one, or was deleted and created again"),
    };
    let message = format!("the room is at revision {head}: {reason}; read it, then follow from there");
    Err(ApiError::new(code, message))
}

/// Answers with the next revisions, after waiting for them if there are none yet.
async fn poll(mut reader: Reader, wait: Duration) -> Result<Response, ApiError> {
    let deadline = Instant::now() + wait;
    let page = loop {
        match reader.next().await? {
            Some(page) if !page.revisions.is_empty() => break Some(page),
            // Revisions that the filter leaves out.
            Some(_) => {}
            None if Instant::now() >= deadline => break None,
            None => reader.wait(deadline).await?,
        }
    };
    let revisions = page.as_ref().map_or(&[][..], |page| &page.revisions);
    let mut body = String::from("{\"revisions\":[");
    for (index, (_, revision)) in revisions.iter().enumerate() {
        body.push_str(if index > 0 { "," } else { "" });
        body.push_str(revision);
    }
    let room = Json::from(reader.room.as_str());
    let (incarnation, head, next) = (&reader.incarnation, reader.head.0, reader.after.0);
    write!(body, "],\"room\":{room},\"incarnation\":\"{incarnation}\",\"head\":{head},\"next\":{next}}}")
        .expect("writing to a string does not fail");
    let headers = [(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "no-store")];
    Ok((headers, body).into_response())
}

/// Answers with a stream of events that ends when the access or the server does.
fn event_stream(reader: Reader) -> Response {
    // The position comes first, so that a client that reconnects before any change misses none.
    let first = format!("retry: 1000\nid: {}-{}\n\n", reader.after.0, reader.incarnation);
    let events = stream::unfold((Some(reader), Some(first)), async |(reader, first)| {
        let mut reader = reader?;
        if let Some(first) = first {
            return Some((Ok::<_, Infallible>(Bytes::from(first)), (Some(reader), None)));
        }
        match reader.next_events().await {
            Ok(events) => Some((Ok(Bytes::from(events)), (Some(reader), None))),
            Err(error) => {
                let last = format!("event: end\ndata: {}\n\n", error.body());
                Some((Ok(Bytes::from(last)), (None, None)))
            }
        }
    });
    let headers = [
        (header::CONTENT_TYPE, "text/event-stream"),
        (header::CACHE_CONTROL, "no-store"),
        // nginx would collect events in a buffer.
        (header::HeaderName::from_static("x-accel-buffering"), "no"),
    ];
    (headers, Body::from_stream(events)).into_response()
}

fn accepts_events(headers: &HeaderMap) -> bool {
    let accept = headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or_default();
    accept.split(',').any(|part| part.split(';').next().unwrap_or_default().trim() == "text/event-stream")
}

/// The position in `Last-Event-ID`, which an `EventSource` sends when it connects again: a revision,
/// and the incarnation of the room behind a hyphen.
fn last_event_id(headers: &HeaderMap) -> Result<Option<Position>, ApiError> {
    let Some(value) = headers.get("last-event-id") else { return Ok(None) };
    let text = value.to_str().unwrap_or_default().trim();
    let (after, incarnation) = match text.split_once('-') {
        Some((after, incarnation)) => (after, Some(incarnation.to_owned())),
        None => (text, None),
    };
    let invalid =
        |_| ApiError::new(ErrorCode::BadRequest, "Last-Event-ID must be that of an event, such as 12-7f");
    let after = after.parse().map_err(invalid)?;
    Ok(Some(Position { after, incarnation }))
}

/// The name of an incarnation in positions.
fn incarnation_text(incarnation: Incarnation) -> String {
    format!("{:x}", incarnation.0)
}

/// Checks that the journal has the revisions after this one.
async fn check_history(app: &App, room: &RoomName, after: Revision) -> Result<(), ApiError> {
    check_base(after, app.rooms.history_base(room).await?)
}

fn check_base(after: Revision, base: Revision) -> Result<(), ApiError> {
    if after >= base {
        return Ok(());
    }
    let message =
        format!("the history begins after revision {base}: read the workbook, then follow from its revision");
    Err(ApiError::new(ErrorCode::HistoryGone, message))
}

/// What a feed sends.
#[derive(Clone, Debug)]
struct Options {
    filter: ChangeFilter,
    has_values: bool,
    limit: u64,
}

impl Options {
    fn new(query: &ChangesQuery, now: &Reading) -> Result<Options, ApiError> {
        let sheet = query.sheet.as_deref().map(|name| sheet_by_name(&now.workbook, name)).transpose()?;
        let range = query.range.as_deref().map(Range::parse_a1).transpose();
        let range = range.map_err(|error| ApiError::new(ErrorCode::BadAddress, error.to_string()))?;
        if range.is_some() && sheet.is_none() {
            return Err(ApiError::new(ErrorCode::BadQuery, "a range needs a sheet"));
        }
        Ok(Options {
            filter: ChangeFilter { sheet: sheet.map(|sheet| sheet.id()), range },
            has_values: query.include == Some(Include::Values),
            limit: query.limit.unwrap_or(limits::FEED_REVISIONS_MAX).clamp(1, limits::FEED_REVISIONS_MAX),
        })
    }
}

/// Reads a feed.
struct Reader {
    app: App,
    room: RoomName,
    /// Distinguishes the room from a deleted one of the same name.
    incarnation: Arc<str>,
    feed: Feed,
    options: Options,
    /// The options as a key of shared pages.
    key: Arc<str>,
    /// The last revision that was read.
    after: Revision,
    /// The newest durable revision that is known.
    head: Revision,
    stop: watch::Receiver<bool>,
}

impl Reader {
    /// Returns the next page; `None` at the end.
    async fn next(&mut self) -> Result<Option<Arc<FeedPage>>, ApiError> {
        self.check_end()?;
        self.head = self.head.max(self.feed.durable());
        if self.after >= self.head {
            return Ok(None);
        }
        let key = PageKey { after: self.after, options: Arc::clone(&self.key) };
        let (app, room, options, after, head) = (&self.app, &self.room, &self.options, self.after, self.head);
        let page = self.feed.page(key, async || make_page(app, room, options, after, head).await).await?;
        self.after = page.up_to;
        Ok(Some(page))
    }

    /// Returns the next events, or a sign of life when there are none for a while.
    async fn next_events(&mut self) -> Result<String, ApiError> {
        let alive_at = Instant::now() + Duration::from_secs(limits::FEED_ALIVE_SECONDS);
        loop {
            match self.next().await? {
                Some(page) => {
                    let mut events = String::new();
                    for (revision, json) in &page.revisions {
                        write!(events, "id: {}-{}\ndata: {json}\n\n", revision.0, self.incarnation)
                            .expect("writing to a string does not fail");
                    }
                    if !events.is_empty() {
                        return Ok(events);
                    }
                }
                // A block without data is no event, but sets the position to continue from.
                None if Instant::now() >= alive_at => {
                    return Ok(format!("id: {}-{}\n\n", self.after.0, self.incarnation));
                }
                None => self.wait(alive_at).await?,
            }
        }
    }

    /// Waits for a change, at most until a moment.
    async fn wait(&mut self, deadline: Instant) -> Result<(), ApiError> {
        let expires = self.feed.client().expiry.get().map(until);
        let wake = expires.map_or(deadline, |expires| expires.min(deadline));
        tokio::select! {
            () = self.feed.changed() => {}
            () = sleep_until(wake) => {
                if self.feed.client().expiry.get().is_some_and(|until_ms| until_ms <= now_ms()) {
                    self.check_access().await?;
                }
            }
            // Fails when the server has ended.
            _ = self.stop.changed() => {}
        }
        Ok(())
    }

    fn check_end(&self) -> Result<(), ApiError> {
        if *self.stop.borrow() {
            return Err(ApiError::new(ErrorCode::Draining, "the server is stopping"));
        }
        match self.feed.end() {
            None => Ok(()),
            Some(FeedEnd::Deleted) => Err(crate::rooms::no_such_room(&self.room)),
            Some(FeedEnd::AccessChanged) => Err(access_ended()),
        }
    }

    /// Decides again whether the client may read the feed, and until when.
    async fn check_access(&self) -> Result<(), ApiError> {
        let client = self.feed.client();
        let (role, until_ms) = decide(&self.app, &self.room, client).await?;
        if !Action::ReadHistory.is_allowed(role) {
            return Err(access_ended());
        }
        client.expiry.set(until_ms);
        Ok(())
    }
}

fn access_ended() -> ApiError {
    ApiError::new(ErrorCode::Forbidden, "the access to this workbook has changed")
}

/// Reads the next revisions, at most up to `head`, from the journal.
async fn make_page(
    app: &App,
    room: &RoomName,
    options: &Options,
    after: Revision,
    head: Revision,
) -> Result<FeedPage, ApiError> {
    let last = Revision(head.0.min(after.0 + options.limit));
    let records = match app.rooms.records(room, after, last).await {
        Ok(records) => records,
        Err(error) => {
            // The usual reason is that the retention has dropped them meanwhile.
            check_history(app, room, after).await?;
            return Err(error);
        }
    };
    let up_to = match (records.first(), records.last()) {
        (Some(first), Some(last)) if first.revision == after.next() => last.revision,
        _ => return Err(internal("reading the journal")),
    };
    let now = match options.has_values {
        true => app.rooms.read(room).await?,
        false => app.rooms.read_inputs(room).await?,
    };
    let options = options.clone();
    let operations: usize = records.iter().map(|record| record.transaction.operations.len()).sum();
    let work = move || FeedPage { revisions: revisions_json(&records, &options, &now), up_to };
    // Only long pages are worth a background thread.
    match operations > 100 || up_to.0 - after.0 > 100 {
        true => in_background(work).await.ok_or_else(|| internal("writing changes")),
        false => Ok(work()),
    }
}

fn revisions_json(records: &[Record], options: &Options, now: &Reading) -> Vec<(Revision, Box<str>)> {
    let mut values_left = limits::FEED_VALUES_MAX;
    let mut revisions = Vec::new();
    for record in records {
        let Some(mut json) = change_json(record, &options.filter, &now.workbook) else { continue };
        if options.has_values {
            json["valuesRevision"] = now.revision.0.into();
            for operation in json["operations"].as_array_mut().into_iter().flatten() {
                add_values(operation, now, &mut values_left);
            }
        }
        revisions.push((record.revision, json.to_string().into()));
    }
    revisions
}

/// Adds the present values of the range of an operation.
fn add_values(operation: &mut Json, now: &Reading, values_left: &mut u64) {
    let range = operation["range"].as_str().and_then(|range| Range::parse_a1(range).ok());
    let sheet = operation["sheet"].as_str().and_then(|name| now.workbook.sheet_by_name(name));
    let (Some(range), Some(sheet)) = (range, sheet) else { return };
    let range = CellReader::new(&now.workbook, sheet).clipped(range);
    if range.cell_count() > *values_left {
        operation["isTruncated"] = true.into();
        return;
    }
    *values_left -= range.cell_count();
    operation["valuesRange"] = range.to_string().into();
    operation["values"] = values_json(sheet, range);
}
