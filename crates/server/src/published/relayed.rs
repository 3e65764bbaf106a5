//! Published sheets whose workbook another server runs. All their readers at this server share one request
//! after the other to that server, which waits there for the next events.

use std::sync::Arc;

use axum::http::StatusCode;

use super::pages::{End, PublishedPages, PublishedSheet, Update};
use crate::http::{ServerAnswer, get_from_server};
use crate::limits;
use crate::room_link::{LinkPurpose, RoomLink};

/// Bytes of the events of one answer: some updates of the largest size.
const ANSWER_BYTES_MAX: usize = 4 * limits::PUBLISHED_UPDATE_BYTES_MAX;

impl PublishedPages {
    /// Follows a sheet at the server that runs its workbook, as long as somebody reads it here.
    pub(super) async fn follow_elsewhere(&self, sheet: &PublishedSheet) {
        let key = &sheet.key;
        let link = RoomLink::of(LinkPurpose::PublishedPage, &key.room, &key.link);
        let Some(link) = link.map(|link| link.reveal(self.access().key())) else {
            return self.end(sheet, End::Stopped);
        };
        let mut stop = self.stop();
        while !*stop.borrow() {
            let Ok(Some(owner)) = self.rooms().owner_elsewhere(&key.room).await else { break };
            let version = sheet.version().unwrap_or_default();
            let tab = key.sheet.map_or(String::new(), |sheet| format!("&sheet={}", sheet.0));
            let target = format!("/internal/published/{link}?version={version}{tab}");
            let secret = self.access().key();
            let answer = tokio::select! {
                answer = get_from_server(self.relay(), secret, &owner, &target, ANSWER_BYTES_MAX) => answer,
                _ = stop.changed() => break,
            };
            match answer {
                Ok(ServerAnswer::Answered(StatusCode::OK, events)) => {
                    let events = String::from_utf8_lossy(&events);
                    if events.contains("event: stop\n") {
                        return self.end(sheet, End::Stopped);
                    }
                    take(sheet, &events);
                }
                Ok(ServerAnswer::Answered(StatusCode::NOT_FOUND, _)) => return self.end(sheet, End::Stopped),
                Ok(ServerAnswer::Answered(..) | ServerAnswer::Elsewhere) => break,
                Err(reason) => {
                    tracing::debug!(room = %key.room, reason, "the server of a published page has not answered");
                    break;
                }
            }
            if sheet.leave_if_unread() {
                return;
            }
        }
        self.end(sheet, End::Lost);
    }
}

/// Adds the events of the other server. Each leads from the version before it to its own.
fn take(sheet: &PublishedSheet, events: &str) {
    for event in events.split_inclusive("\n\n") {
        let id = event.lines().find_map(|line| line.strip_prefix("id: "));
        let Some(to) = id.map(Arc::<str>::from) else { continue };
        let update =
            sheet.version().map(|from| Update { from, to: Arc::clone(&to), event: event.to_owned().into() });
        sheet.set_version(to, update);
    }
}
