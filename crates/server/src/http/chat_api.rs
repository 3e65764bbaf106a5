//! `/api/v1/rooms/{room}/chat`: read and send chat messages.

use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use quadrille_protocol::ChatMessage;
use quadrille_protocol::limits::CHAT_MESSAGES_MAX;
use quadrille_room::ChatSubmission;
use serde::Deserialize;
use serde_json::{Value as Json_, json};

use super::app::App;
use super::authorization::GrantedRoom;
use super::extractors::{RoomSegment, StrictQuery};
use super::json_body;
use crate::error::{ApiError, ErrorCode};
use crate::limits;

/// The query of `GET …/chat`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChatQuery {
    /// Only messages with a smaller number.
    before: Option<u64>,
    /// Only messages with a greater number; the first ones, when there are more than `limit`.
    after: Option<u64>,
    /// Maximum number of messages; 50 by default.
    limit: Option<u64>,
}

/// Lists the newest messages, or those after a given one; oldest first.
pub async fn list(
    State(app): State<App>,
    RoomSegment(room): RoomSegment,
    StrictQuery(query): StrictQuery<ChatQuery>,
) -> Result<Json<Json_>, ApiError> {
    let mut chat_messages = app.rooms.chat_messages(&room).await?;
    let limit = query.limit.unwrap_or(50).clamp(1, CHAT_MESSAGES_MAX as u64) as usize;
    let oldest = chat_messages.first().map_or(0, |chat_message| chat_message.number);
    let before = query.before.unwrap_or(u64::MAX);
    chat_messages.retain(|chat_message| {
        chat_message.number < before && query.after.is_none_or(|after| chat_message.number > after)
    });
    match query.after {
        Some(_) => chat_messages.truncate(limit),
        None => drop(chat_messages.drain(..chat_messages.len().saturating_sub(limit))),
    }
    let first = chat_messages.first().map(|chat_message| chat_message.number);
    let next = first.filter(|first| query.after.is_none() && *first > oldest);
    let chat_messages: Vec<Json_> = chat_messages.iter().map(chat_message_json).collect();
    Ok(Json(json!({ "room": room.as_str(), "remarks": chat_messages, "next": next })))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewChatMessage {
    text: String,
    /// Name of the author; `API` by default.
    name: Option<String>,
    /// Random identity of 16 hexadecimal digits; a message resent with the same id is stored once.
    id: Option<String>,
}

/// Sends a message.
pub async fn send_chat_message(
    State(app): State<App>,
    GrantedRoom { room, grant }: GrantedRoom,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    let given = json_body::read(&headers, body).await?;
    let bad = |message: String| ApiError::new(ErrorCode::BadJson, message);
    let given: NewChatMessage = json_body::of_shape(given)?;
    let name = given.name.unwrap_or_else(|| "API".into());
    if name.len() > limits::AUTHOR_BYTES_MAX {
        return Err(bad(format!("the name is longer than {} bytes", limits::AUTHOR_BYTES_MAX)));
    }
    let id = match given.id.as_deref() {
        // A request that is repeated sends the same message.
        None => match &grant.mark {
            Some(mark) => mark.counter.0,
            None => getrandom::u64().expect("the operating system provides random numbers"),
        },
        Some(text) => {
            let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
            let digits = Some(text).filter(|text| text.len() == 16 && text.bytes().all(is_digit));
            let id = digits.and_then(|digits| u64::from_str_radix(digits, 16).ok());
            id.ok_or_else(|| bad("an id must have 16 lower-case hexadecimal digits".into()))?
        }
    };
    let name = grant.identity.author.as_ref().map_or(name.into(), |author| Arc::clone(&author.name));
    let chat = ChatSubmission { id, name, text: given.text.into() };
    let stored = app.rooms.send_chat(&room, grant.role, chat).await?;
    Ok((StatusCode::CREATED, Json(chat_message_json(&stored))).into_response())
}

fn chat_message_json(chat_message: &ChatMessage) -> Json_ {
    json!({
        "number": chat_message.number,
        "id": format!("{:016x}", chat_message.id),
        "timeMs": chat_message.time_ms,
        "name": &*chat_message.name,
        "color": format!("#{:06x}", chat_message.color),
        "text": &*chat_message.text,
    })
}
