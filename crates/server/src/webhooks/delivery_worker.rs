//! Delivers one batch: reads revisions from the journal, sends them and stores how far that has come.

use std::sync::Arc;

use axum::http::{Request, Response, header};
use quadrille_access::{DeadLetter, SecretId, Webhook, WebhookPosition};
use quadrille_protocol::{Record, Revision};
use quadrille_workbook::Workbook;

use super::batch::Batch;
use super::signature::SigningSecret;
use crate::access::{Access, now_ms};
use crate::error::{ApiError, ErrorCode};
use crate::guarded_resolver::Destinations;
use crate::http_client::{HttpClient, HttpError};
use crate::limits;
use crate::rooms::{HistoryBounds, Rooms};

/// What deliveries need. Clones share it.
#[derive(Clone)]
pub struct DeliveryWorker {
    rooms: Rooms,
    access: Access,
    client: Arc<HttpClient>,
}

/// A batch to be delivered.
pub struct Delivery {
    pub webhook: Webhook,
    pub position: WebhookPosition,
    /// The position that the store has; `None` when it has none.
    pub stored_after: Option<u64>,
    /// Where the batch ends if it was sent before (W2).
    pub last: Option<u64>,
    /// Attempts that have failed.
    pub attempts: u32,
    /// This attempt is the last one.
    pub is_last_attempt: bool,
    /// The workbook at a revision, if a delivery before this one had it.
    pub rows: Option<(u64, Workbook)>,
}

/// What has become of a delivery.
pub struct Delivered {
    /// The last revision that is done with.
    pub after: u64,
    /// The position that the store has; `None` when it has none.
    pub stored_after: Option<u64>,
    /// The newest durable revision that is known.
    pub head: u64,
    pub rows: Option<(u64, Workbook)>,
    pub outcome: Outcome,
}

pub enum Outcome {
    /// Delivered, or there was nothing to send.
    Done,
    /// Is tried again, at the earliest after the time that the receiver asks for.
    Failed { last: u64, retry_after_s: u64 },
    /// The receiver wants no more requests (410).
    Refused,
    /// The room does not exist.
    NoRoom,
    /// The server could not read or store; tried again soon.
    Postponed,
}

impl DeliveryWorker {
    pub fn new(rooms: Rooms, access: Access, destinations: Destinations) -> DeliveryWorker {
        let client = HttpClient::guarded(limits::WEBHOOK_SECONDS_MAX, 0, destinations);
        DeliveryWorker { rooms, access, client: Arc::new(client) }
    }

    pub(super) fn rooms(&self) -> &Rooms {
        &self.rooms
    }

    pub(super) fn access(&self) -> &Access {
        &self.access
    }

    /// Delivers the next batch of a position.
    pub async fn deliver(&self, delivery: Delivery) -> Delivered {
        let (after, stored_after) = (delivery.position.after, delivery.stored_after);
        let unchanged = |outcome| Delivered { after, stored_after, head: after, rows: None, outcome };
        match self.try_to_deliver(delivery).await {
            Ok(delivered) => delivered,
            Err(error) if error.code == ErrorCode::NoSuchRoom => unchanged(Outcome::NoRoom),
            Err(error) => {
                tracing::warn!(reason = error.message, "a webhook waits");
                unchanged(Outcome::Postponed)
            }
        }
    }

    async fn try_to_deliver(&self, delivery: Delivery) -> Result<Delivered, ApiError> {
        let Delivery { webhook, position, .. } = &delivery;
        let room = &position.room;
        let HistoryBounds { base, head, .. } = self.rooms.history_bounds(room).await?;
        let (after, end) = (position.after, position.up_to.unwrap_or(head.0).min(head.0));
        let done = |after, stored_after, rows, outcome| Delivered {
            after,
            stored_after: Some(stored_after),
            head: head.0,
            rows,
            outcome,
        };
        let stored_after = match delivery.stored_after {
            // Otherwise a crash before the first delivery would lose what is behind it.
            None => {
                self.store(webhook.id, position, after, None).await?;
                after
            }
            Some(stored_after) => stored_after,
        };
        if position.up_to.is_none() && after > head.0 {
            // The room was deleted and created again.
            self.store(webhook.id, position, 0, None).await?;
            return Ok(done(0, 0, None, Outcome::Done));
        }
        if after >= end {
            let finished = position.up_to.unwrap_or(after);
            if position.up_to.is_some() {
                self.store(webhook.id, position, finished, None).await?;
            }
            return Ok(done(finished, stored_after, None, Outcome::Done));
        }
        if Revision(after) < base {
            let last = base.0.min(end);
            let letter = self.letter(&delivery, last, "the history no longer has these revisions");
            self.store(webhook.id, position, last, Some(letter)).await?;
            return Ok(done(last, last, None, Outcome::Done));
        }
        let batch = self.batch(&delivery, Revision(delivery.last.unwrap_or(end).min(end))).await?;
        let up_to = batch.up_to().0;
        if batch.is_empty() {
            // Not stored each time: after a crash these revisions are read again.
            let is_far = up_to - stored_after >= limits::WEBHOOK_SCANNED_MAX as u64;
            let should_store = is_far || position.up_to.is_some();
            if should_store {
                self.store(webhook.id, position, up_to, None).await?;
            }
            let rows = batch.into_rows().map(|rows| (up_to, rows));
            let stored_after = if should_store { up_to } else { stored_after };
            return Ok(done(up_to, stored_after, rows, Outcome::Done));
        }
        let body = batch.body(room);
        let id = batch.id(webhook.id, room, after, position.up_to);
        let rows = batch.into_rows().map(|rows| (up_to, rows));
        let problem = match self.send(webhook, id, body).await {
            Ok(response) if response.status().is_success() => {
                self.store(webhook.id, position, up_to, None).await?;
                return Ok(done(up_to, up_to, rows, Outcome::Done));
            }
            Ok(response) => Problem::of(&response),
            Err(reason) => Problem { reason, retry_after_s: 0, is_gone: false },
        };
        tracing::info!(webhook = %webhook.id, %room, reason = problem.reason, "a webhook was not delivered");
        if delivery.is_last_attempt || problem.is_gone {
            let letter = self.letter(&delivery, up_to, &problem.reason);
            self.store(webhook.id, position, up_to, Some(letter)).await?;
            let outcome = if problem.is_gone { Outcome::Refused } else { Outcome::Done };
            return Ok(done(up_to, up_to, rows, outcome));
        }
        let outcome = Outcome::Failed { last: up_to, retry_after_s: problem.retry_after_s };
        Ok(done(after, stored_after, None, outcome))
    }

    /// Reads the revisions after the position, at most up to `end`.
    async fn batch(&self, delivery: &Delivery, end: Revision) -> Result<Batch, ApiError> {
        let Delivery { webhook, position, rows, .. } = delivery;
        let after = Revision(position.after);
        let rows = match rows {
            Some((revision, rows)) if *revision == after.0 => Some(rows.clone()),
            _ if Batch::needs_rows(webhook) => Some(self.rooms.inputs_at(&position.room, after).await?),
            _ => None,
        };
        let now = self.rooms.read_inputs(&position.room).await?;
        let mut batch = Batch::new(webhook, after, rows);
        let add = |record: &Record| batch.add(record, &now.workbook);
        self.rooms.each_record(&position.room, after, end, limits::WEBHOOK_SCANNED_MAX, add).await?;
        Ok(batch)
    }

    /// Sends a body; the status and headers of the answer, or why there is none.
    async fn send(&self, webhook: &Webhook, id: String, body: String) -> Result<Response<()>, String> {
        let sent_s = now_ms() / 1_000;
        let signature = SigningSecret::of(self.access.key(), webhook.id).sign(&id, sent_s, &body);
        let request = Request::post(&webhook.url)
            .header(header::CONTENT_TYPE, "application/json")
            .header("webhook-id", id)
            .header("webhook-timestamp", sent_s)
            .header("webhook-signature", signature)
            .body(body.into_bytes())
            .map_err(|error| error.to_string())?;
        let client = Arc::clone(&self.client);
        let sent = tokio::task::spawn_blocking(move || client.send_for_status(request)).await;
        match sent {
            Ok(Ok(response)) => Ok(response),
            Ok(Err(error)) => Err(describe(&error)),
            Err(_) => Err("internal error".to_owned()),
        }
    }

    fn letter(&self, delivery: &Delivery, last: u64, reason: &str) -> DeadLetter {
        DeadLetter {
            number: 0,
            room: delivery.position.room.as_str().to_owned(),
            first: delivery.position.after + 1,
            last,
            attempts: delivery.attempts + 1,
            failed_ms: now_ms(),
            reason: reason.to_owned(),
        }
    }

    async fn store(
        &self,
        id: SecretId,
        position: &WebhookPosition,
        after: u64,
        letter: Option<DeadLetter>,
    ) -> Result<(), ApiError> {
        let position = WebhookPosition { after, ..position.clone() };
        let letters_max = limits::WEBHOOK_DEAD_LETTERS_MAX;
        self.access.run(move |store| store.move_webhook(id, &position, letter.as_ref(), letters_max)).await
    }
}

/// Why a request has failed.
struct Problem {
    reason: String,
    retry_after_s: u64,
    is_gone: bool,
}

impl Problem {
    fn of(response: &Response<()>) -> Problem {
        let seconds = response.headers().get(header::RETRY_AFTER).and_then(|value| value.to_str().ok());
        let retry_after_s = seconds.and_then(|text| text.trim().parse().ok()).unwrap_or(0);
        let status = response.status();
        let reason = match status.is_redirection() {
            true => format!("{}: redirects are not followed", status.as_u16()),
            false => status.as_u16().to_string(),
        };
        Problem { reason, retry_after_s, is_gone: status.as_u16() == 410 }
    }
}

/// The error of a request in few words. Not the whole text, which may contain the address with a
/// secret in its query.
fn describe(error: &HttpError) -> String {
    match error {
        HttpError::NotProtected => "the address is not https".to_owned(),
        HttpError::Failed(error) => match &**error {
            ureq::Error::Timeout(_) => "no answer in time".to_owned(),
            ureq::Error::HostNotFound => "the name of the host is unknown".to_owned(),
            ureq::Error::Io(error) if error.kind() == std::io::ErrorKind::ConnectionRefused => {
                "the connection was refused".to_owned()
            }
            ureq::Error::Io(_) | ureq::Error::ConnectionFailed => "the connection failed".to_owned(),
            ureq::Error::Other(error) => error.to_string(),
            _ => "the request failed".to_owned(),
        },
    }
}
