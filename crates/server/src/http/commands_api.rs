//! `POST /api/v1/rooms/{room}/commands`: what the web client can do, as a batch of its commands.

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::{Value as Json_, json};

use super::access_input::read_body;
use super::app::App;
use super::authorization::GrantedRoom;
use super::conditional::{etag, if_match};
use crate::access::now_ms;
use crate::command_batch::plan_batch;
use crate::error::ApiError;
use crate::rooms::{Change, MissingRoom};

/// The body of a batch.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Batch {
    commands: Vec<Json_>,
}

/// Carries out commands in one revision, all of them or none.
pub async fn carry_out(
    State(app): State<App>,
    GrantedRoom { room, grant }: GrantedRoom,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    let expected = if_match(&headers)?;
    let Batch { commands } = read_body(&headers, body).await?;
    let change = Change::new(MissingRoom::MustExist, move |workbook, new_sheet| {
        plan_batch(workbook, &commands, now_ms(), new_sheet)
    });
    let done = app.rooms.change(&room, grant.role, grant.sign(change.heavy()).expecting(expected)).await?;
    Ok(([(header::ETAG, etag(done.revision.0))], Json(json!({ "revision": done.revision.0 })))
        .into_response())
}
