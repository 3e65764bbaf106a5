//! `GET /_ws/{room}`: EtherCalc's live protocol, one JSON message in each WebSocket message.
//!
//! For the room it is a session as any other: the task of the connection speaks the room's protocol
//! through a [`Pipe`](pipe::Pipe), and so has its roles, limits, presence and chat. It keeps a
//! workbook with what the client has been told ([`Follower`](follower::Follower)), and sends each
//! record as commands of SocialCalc. `docs/ethercalc.md` has the messages and the rules.

mod answers;
mod connection;
mod follower;
mod messages;
mod peers;
mod pipe;
mod recalc_feeds;
mod save_repetition;
mod saves;
mod unseen;

use axum::extract::{Extension, Request, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;

use super::accept::CountedConnection;
use super::app::App;
use super::authorization::OptionalGrant;
use super::ethercalc_workbook::AddressedSheet;
use super::extractors::{RoomSegment, StrictQuery};
use super::plain_error::PlainError;
use super::session_socket::Opening;

pub use peers::EtherCalcPeers;

/// The query of the socket.
#[derive(Deserialize)]
pub struct SocketQuery {
    /// The name under which the client is known to others; EtherCalc's own client takes a random number.
    #[serde(default)]
    user: String,
    /// EtherCalc's authorization, read elsewhere too; `0` joins with the role `view`.
    #[serde(default)]
    auth: String,
}

/// Upgrades the connection to a WebSocket and starts the session.
pub async fn upgrade(
    State(app): State<App>,
    RoomSegment(room): RoomSegment,
    StrictQuery(query): StrictQuery<SocketQuery>,
    Extension(connection): Extension<CountedConnection>,
    Extension(OptionalGrant(grant)): Extension<OptionalGrant>,
    addressed: Option<Extension<AddressedSheet>>,
    request: Request,
) -> Response {
    let is_view_only = query.auth == messages::VIEW_ONLY;
    let mut opening = Opening { app, room, connection, grant, is_view_only, expected: None };
    if let Err(error) = opening.claim().await {
        return PlainError(error).into_response();
    }
    let is_browser = request.headers().contains_key(header::ORIGIN);
    let addressed = addressed.map(|Extension(addressed)| addressed);
    opening.upgrade(request, move |opened| connection::session(opened, addressed, query.user, is_browser))
}
