//! EtherCalc's lists of rooms: `/_rooms`, `/_roomlinks` and `/_roomtimes`.
//!
//! A list has the rooms in which the requester has a role. Random names protect rooms that nobody has
//! restricted, so that only the setting `ethercalc_lists = "all"` lists them, as EtherCalc does.

use std::sync::Arc;

use axum::extract::{Extension, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use quadrille_journal::RoomInfo;
use quadrille_protocol::RoomName;

use super::app::App;
use super::plain_error::{PlainError, json};
use crate::access::{Document, Identity, Visitor};
use crate::config::EtherCalcLists;
use crate::error::{ApiError, ErrorCode};
use crate::limits::ETHERCALC_LISTED_ROOMS_MAX;
use crate::room_name::is_random;

/// Rooms that are read from the storage at once.
const BATCH: usize = 500;

/// `GET /_rooms`: names of rooms, in their order.
pub async fn rooms(
    State(app): State<App>,
    Extension(identity): Extension<Arc<Identity>>,
) -> Result<Response, PlainError> {
    let names = listed(&app, &identity, "_rooms").await?;
    let names: Vec<String> = names.iter().map(|info| quoted(info.name.as_str())).collect();
    Ok((json(), format!("[{}]", names.join(","))).into_response())
}

/// `GET /_roomlinks`: links to rooms, as a JSON array that EtherCalc sends as HTML.
pub async fn links(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    Extension(identity): Extension<Arc<Identity>>,
) -> Result<Response, PlainError> {
    let (rooms, base) = (listed(&app, &identity, "_roomlinks").await?, visitor.base_path());
    // Names of rooms have no characters that HTML or a URL needs to escape.
    let links = rooms.iter().map(|info| quoted(&format!("<a href={base}/{0}>{0}</a>", info.name)));
    let links: Vec<String> = links.collect();
    let html = (header::CONTENT_TYPE, "text/html; charset=utf-8");
    Ok(([html], format!("[{}]", links.join(","))).into_response())
}

/// `GET /_roomtimes`: when rooms were changed last, the newest first, in milliseconds since 1970. The
/// times are texts, as EtherCalc's are.
pub async fn times(
    State(app): State<App>,
    Extension(identity): Extension<Arc<Identity>>,
) -> Result<Response, PlainError> {
    let mut rooms = listed(&app, &identity, "_roomtimes").await?;
    rooms.sort_by_key(|info| std::cmp::Reverse(info.changed_ms));
    let times = rooms.iter().map(|info| format!("\"timestamp-{}\":\"{}\"", info.name, info.changed_ms));
    let times: Vec<String> = times.collect();
    Ok((json(), format!("{{{}}}", times.join(","))).into_response())
}

/// A text as JSON.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The rooms in which somebody has a role, by name, without those in the trash.
async fn listed(app: &App, identity: &Identity, list: &str) -> Result<Vec<RoomInfo>, ApiError> {
    if app.settings.origins.iter().any(|origin| origin == "*") {
        return Err(ApiError::new(ErrorCode::Forbidden, format!("{list} not available with CORS")));
    }
    if app.settings.ethercalc_lists == EtherCalcLists::Off {
        return Err(ApiError::new(ErrorCode::Forbidden, format!("{list} is turned off on this server")));
    }
    let (mut listed, mut after): (Vec<RoomInfo>, Option<RoomName>) = (Vec::new(), None);
    loop {
        let mut batch = app.rooms.list(after, BATCH).await?;
        let is_last = batch.len() < BATCH;
        after = batch.last().map(|info| info.name.clone());
        let names: Vec<RoomName> = batch.iter().map(|info| info.name.clone()).collect();
        let documents = app.access.run(move |store| {
            names.iter().map(|name| Ok(store.workbook(name)?.map(Arc::new))).collect::<Result<Vec<_>, _>>()
        });
        let mut documents = documents.await?.into_iter();
        batch.retain(|info| may_see(app, identity, &info.name, &documents.next().flatten()));
        listed.extend(batch);
        if is_last || listed.len() >= ETHERCALC_LISTED_ROOMS_MAX {
            listed.truncate(ETHERCALC_LISTED_ROOMS_MAX);
            return Ok(listed);
        }
    }
}

/// Whether a list shows a room to somebody: they have a role in it, and it is not in the trash.
pub fn may_see(app: &App, identity: &Identity, room: &RoomName, document: &Document) -> bool {
    let is_trashed = document.as_ref().is_some_and(|document| document.value.trashed_ms.is_some());
    // A workbook without a document belongs to no tenant.
    let is_elsewhere = identity.credentials.tenant.is_some() && document.is_none();
    let is_unlisted = match app.settings.ethercalc_lists {
        EtherCalcLists::All => false,
        EtherCalcLists::Named => is_random(room),
        EtherCalcLists::Off => true,
    };
    !is_trashed
        && !is_elsewhere
        && !is_unlisted
        && identity.check_covers(room).is_ok()
        && app.access.decide_by(document, &identity.credentials).role.is_some()
}
