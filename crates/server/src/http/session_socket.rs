//! `GET /api/v1/rooms/{room}/socket`: a session over a WebSocket. Each binary message is one frame
//! of `protocol`.
//!
//! The task of a session only moves bytes: it passes received frames to the room, and writes to a
//! client that is behind; to other clients the room's thread writes itself. It stops reading while
//! too many frames of the session wait for the room. An idle session has no buffer.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Extension, Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use hyper::upgrade::OnUpgrade;
use quadrille_protocol::{ClientFrameKind, CloseReason, Role, RoomName};
use quadrille_room::FramePriority;
use serde::Deserialize;
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep_until, timeout};

use super::accept::CountedConnection;
use super::app::App;
use super::authorization::OptionalGrant;
use super::creation;
use super::extractors::{RoomSegment, StrictQuery};
use super::owner_relay::{self, ROOM_STREAM, Unopened};
use super::session_account::SessionAccount;
use super::session_end::{End, Ending, finish};
use super::session_upgrade::{accept_subprotocol, accept_upgrade};
use super::session_writing::Writing;
use super::socket::{Socket, socket_pair};
use crate::access::{Grant, Visitor, now_ms};
use crate::error::{ApiError, ErrorCode};
use crate::limits;
use crate::quotas::SessionQuota;
use crate::rate_limits::{LimitHit, SessionLimits, client_address};
use crate::rooms::{Client, Expected, Expiry, Outbox, SocketOutbox};
use crate::websocket::message_reader::{Incoming, MessageReader};
use crate::websocket::outgoing_frame::OutFrame;

/// The query of the socket.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SocketQuery {
    /// Given with any value or none: joins with the role `view`.
    view: Option<String>,
}

/// Upgrades the connection to a WebSocket and starts the session.
pub async fn upgrade(
    State(app): State<App>,
    RoomSegment(room): RoomSegment,
    StrictQuery(query): StrictQuery<SocketQuery>,
    Extension(connection): Extension<CountedConnection>,
    Extension(OptionalGrant(grant)): Extension<OptionalGrant>,
    request: Request,
) -> Response {
    let is_view_only = query.view.is_some();
    let mut opening = Opening { app, room, connection, grant, is_view_only, expected: None };
    if let Err(error) = opening.claim().await {
        return error.into_response();
    }
    opening.upgrade(request, |opened| async move {
        let reader = MessageReader::new(limits::FRAME_BYTES_MAX);
        session(opened, reader).await;
    })
}

/// A request for a session over a WebSocket.
pub(super) struct Opening {
    pub app: App,
    pub room: RoomName,
    pub connection: CountedConnection,
    pub grant: Option<Grant>,
    /// Joins with the role `view`.
    pub is_view_only: bool,
    /// Keeps the room with this server.
    pub expected: Option<Expected>,
}

/// A WebSocket that has been opened.
pub(super) struct Opened {
    pub app: App,
    pub room: RoomName,
    /// `None` without a role in the room.
    pub client: Option<Client>,
    pub visitor: Visitor,
    pub address: Option<IpAddr>,
    pub stream: Socket,
    /// Bytes that the client sent after its request.
    pub unread: Bytes,
}

impl Opening {
    /// Claims the room before the connection is upgraded, so that a session of a room that another server was
    /// faster to claim is relayed and not closed.
    ///
    /// # Errors
    ///
    /// `room_elsewhere` only: of other failures the session tells by a close code.
    pub async fn claim(&mut self) -> Result<(), ApiError> {
        if self.grant.is_none() {
            return Ok(());
        }
        match self.app.rooms.expect_session(&self.room).await {
            Ok(expected) => self.expected = expected,
            Err(error) if error.code == ErrorCode::RoomElsewhere => return Err(error),
            Err(_) => {}
        }
        Ok(())
    }

    /// Answers the request, and runs the session on the WebSocket.
    pub fn upgrade<F>(
        self,
        mut request: Request,
        session: impl FnOnce(Opened) -> F + Send + 'static,
    ) -> Response
    where
        F: Future<Output = ()> + Send,
    {
        let Opening { app, room, connection, grant, is_view_only, expected } = self;
        let (mut response, arrival) = match accept(&app, &room, &mut request) {
            Ok(accepted) => accepted,
            Err(error) => return error.into_response(),
        };
        let address = client_address(connection.peer, request.headers(), &app.rate_limiter.trusted);
        let client = grant.map(|grant| {
            let client = Client {
                role: grant.role,
                identity: grant.identity,
                address,
                is_view_only,
                expiry: Expiry::default(),
            };
            let role = client.limited(Some(client.role)).expect("limiting a role leaves one");
            Client { role, ..client }
        });
        accept_subprotocol(request.headers(), &mut response);
        let visitor = request.extensions().get::<Visitor>().cloned().unwrap_or_default();
        tokio::spawn(async move {
            if let Some((stream, unread)) = arrival.socket().await {
                session(Opened { app, room, client, visitor, address, stream, unread }).await;
            }
            drop((connection, expected));
        });
        response
    }
}

/// How the socket of a session arrives after its request was answered.
enum Arrival {
    /// The connection of the request.
    Upgrade(OnUpgrade),
    /// A stream from the server that has relayed the request.
    Stream(Unopened),
}

impl Arrival {
    /// Returns the socket with the bytes that the client has sent after its request; `None` when the client has
    /// disconnected before it received the response.
    async fn socket(self) -> Option<(Socket, Bytes)> {
        match self {
            Arrival::Upgrade(upgraded) => Some(Socket::of_upgraded(upgraded.await.ok()?)),
            Arrival::Stream(unopened) => {
                Some((Socket::Relayed(Box::new(unopened.opened().await?)), Bytes::new()))
            }
        }
    }
}

/// Accepts a request for a WebSocket, on its connection or in the stream that it names.
///
/// # Errors
///
/// Those of [`accept_upgrade`], and `room_elsewhere` for a stream that has ended.
fn accept(app: &App, room: &RoomName, request: &mut Request) -> Result<(Response, Arrival), ApiError> {
    let (mut response, upgraded) = accept_upgrade(app, request)?;
    let Some((unopened, number)) = owner_relay::requested_session(app, room, request)? else {
        return Ok((response, Arrival::Upgrade(upgraded)));
    };
    // The connection stays one for requests. The other server answers the client as this one would.
    *response.status_mut() = StatusCode::OK;
    response.headers_mut().insert(ROOM_STREAM, number);
    Ok((response, Arrival::Stream(unopened)))
}

/// Opens a session within the process, without HTTP. Returns the client's end of its socket, over
/// which WebSocket frames are exchanged.
///
/// # Errors
///
/// Fails when the system has no more sockets.
pub async fn open_in_process(
    app: &App,
    room: RoomName,
    grant: Grant,
    visitor: Visitor,
) -> std::io::Result<TcpStream> {
    let (client_end, server_end) = socket_pair().await?;
    let address = visitor.address;
    let Grant { role, identity, .. } = grant;
    let client = Client { role, identity, address, is_view_only: false, expiry: Expiry::default() };
    let (app, client) = (app.clone(), Some(client));
    let (stream, unread) = (Socket::Plain(server_end), Bytes::new());
    let opened = Opened { app, room, client, visitor, address, stream, unread };
    tokio::spawn(session(opened, MessageReader::new(limits::FRAME_BYTES_MAX)));
    Ok(client_end)
}

/// Runs a session to its end and sends the close frame.
async fn session(opened: Opened, mut reader: MessageReader) {
    let Opened { app, room, client, visitor, address, stream, unread } = opened;
    let (app, room) = (&app, &room);
    reader.push(&unread);
    let stream = Arc::new(stream);
    let end = match app.rate_limiter.join(room, address, std::time::Instant::now()) {
        Ok(session_limits) => match client {
            Some(client) => match join(app, room, client).await {
                Ok((client, quota)) => {
                    let limits = Allowance { rates: &session_limits, quota: &quota };
                    run(&stream, &mut reader, app, room, client, visitor, limits).await
                }
                Err(end) => end,
            },
            None => End::closed(CloseReason::Forbidden),
        },
        Err(over) => {
            app.rooms.metrics().limit_hit(over.limit);
            End::Closed(Ending::rate_limited(over))
        }
    };
    finish(&stream, room, end).await;
}

/// Counts the session towards the quotas of its person and its tenant. When the owner of the workbook
/// has used up what its workbooks may take, the session only reads, until there is storage again.
pub(super) async fn join(app: &App, room: &RoomName, client: Client) -> Result<(Client, SessionQuota), End> {
    let document = app.access.document(room).await.map_err(|error| {
        tracing::warn!(%room, reason = error.message, "the access of a workbook was not read");
        End::closed(CloseReason::Restarting)
    })?;
    let account = client.identity.account.as_ref().map(|account| account.id);
    let tenant = client.identity.credentials.tenant.as_deref();
    match app.quotas.join(account, tenant, &document).await {
        Ok(quota) => {
            let client = if quota.is_full() { client.view_only() } else { client };
            Ok((client, quota))
        }
        Err(over) => {
            app.rooms.metrics().limit_hit(over.limit);
            Err(End::Closed(Ending::rate_limited(over)))
        }
    }
}

/// Time without data after which the server sends a ping; browsers answer automatically.
pub(super) const PING_AFTER: Duration = Duration::from_secs(25);
pub(super) const PAUSE_MAX: Duration = Duration::from_secs(limits::PAUSE_SECONDS_MAX);
pub(super) const SILENCE_MAX: Duration = Duration::from_secs(limits::SILENCE_SECONDS_MAX);

/// What a session may use.
#[derive(Clone, Copy)]
struct Allowance<'a> {
    rates: &'a SessionLimits,
    quota: &'a SessionQuota,
}

/// Runs a session until it ends.
async fn run(
    stream: &Arc<Socket>,
    reader: &mut MessageReader,
    app: &App,
    room: &RoomName,
    client: Client,
    visitor: Visitor,
    limits: Allowance<'_>,
) -> End {
    let metrics = app.rooms.metrics();
    let outbox: Arc<dyn Outbox> = match &**stream {
        Socket::Relayed(socket) => socket.outbox(),
        _ => SocketOutbox::new(
            Arc::clone(stream) as _,
            app.settings.outbox_bytes_max,
            metrics.bytes_sent.clone(),
        ),
    };
    let outbox = &outbox;
    let hello =
        timeout(Duration::from_secs(limits::HELLO_SECONDS_MAX), first_frame(stream, reader, &**outbox));
    let hello = match hello.await {
        Ok(Ok(hello)) => hello,
        Ok(Err(end)) => return end,
        Err(_) => {
            let reason = CloseReason::HelloTimeout;
            return End::Closed(Ending::with_reason(reason.code(), reason.name()));
        }
    };
    let member = app.rooms.connect(room, client.clone(), Arc::clone(outbox));
    // The access may have changed since the upgrade. From here on the room is told of each change:
    // a change that this does not see is reported to the room after the session has connected.
    match decide(app, room, &client).await {
        Ok((role, until_ms)) => {
            client.expiry.set_first(until_ms);
            member.set_role(role);
        }
        Err(error) => {
            tracing::warn!(%room, reason = error.message, "the role of a session was not decided");
            return End::closed(CloseReason::Restarting);
        }
    }
    app.access.record_session(room, &client.identity).await;
    let mut person = SessionAccount::new(app, visitor, &client.identity);
    let in_flight = Arc::new(Semaphore::new(limits::FRAMES_IN_FLIGHT_MAX));
    let permit = || Arc::clone(&in_flight).acquire_owned();
    member.frame(hello, permit().await.expect("never closed"), None);
    let mut received = Instant::now();
    let mut pinged = received;
    let mut writing = Writing::default();
    // Reading is paused until this time.
    let mut pause: Option<Instant> = None;
    loop {
        let silence_deadline = (received + SILENCE_MAX).min(received.max(pinged) + PING_AFTER);
        let expiry = client.expiry.get().map(until);
        let wake = [Some(silence_deadline), writing.give_up_at(), pause, expiry].into_iter().flatten().min();
        let wake = wake.expect("the first one is always present");
        tokio::select! {
            // The permit is acquired first, so that no frame is read that cannot be passed to the
            // room.
            incoming = async {
                let permit = permit().await.expect("never closed");
                (next(stream, reader).await, permit)
            }, if pause.is_none() => {
                received = Instant::now();
                match incoming {
                    (Ok(Incoming::Message(bytes)), permit) => {
                        metrics.bytes_received.inc_by(bytes.len() as u64);
                        let kind = ClientFrameKind::of(&bytes);
                        let operations = (kind == ClientFrameKind::Submit).into();
                        let over = limits.rates.take(operations, bytes.len(), received.into());
                        let beyond = limits.quota.take(operations, bytes.len(), received.into());
                        let over = over.into_iter().chain(beyond).max_by_key(|over| over.wait);
                        if operations > 0 && limits.quota.is_full() && !client.is_view_only {
                            // The client connects again, with the role `view`.
                            return End::closed(CloseReason::AccessChanged);
                        }
                        if let Err(error) = person.received(app, room, &client.identity, kind, received).await {
                            tracing::info!(%room, message = error.message, "a workbook was not created");
                            return End::not_created(&error);
                        }
                        if kind != ClientFrameKind::Presence || limits.rates.take_presence(received.into()) {
                            member.frame(bytes, permit, stream.relayed_at());
                        } else {
                            metrics.limit_hit(LimitHit::Presence);
                        }
                        if let Some(over) = over {
                            metrics.limit_hit(over.limit);
                            if over.wait > PAUSE_MAX {
                                return End::Closed(Ending::rate_limited(over));
                            }
                            pause = Some(received + over.wait);
                        }
                    }
                    (Ok(Incoming::Ping(payload)), _) => answer_ping(&**outbox, &payload),
                    (Ok(Incoming::Pong(_)), _) => {}
                    (Ok(Incoming::Close), _) => return End::Closed(Ending::with_reason(1000, "")),
                    (Err(end), _) => return end,
                }
            }
            // The client connects again, with the role that it has now.
            () = limits.quota.freed() => return End::closed(CloseReason::AccessChanged),
            () = outbox.changed() => {
                if let Some(end) = writing.resume(&**outbox, &member) {
                    return end;
                }
            }
            _ = stream.writable(), if writing.is_behind() => {
                if let Some(end) = writing.resume(&**outbox, &member) {
                    return end;
                }
            }
            () = sleep_until(wake) => {
                if client.expiry.get().is_some_and(|until_ms| until_ms <= now_ms()) {
                    match decide(app, room, &client).await {
                        Ok((role, until)) if role == Some(client.role) => client.expiry.set(until),
                        // The client connects again, with the role that it has now or none.
                        _ => {
                            client.expiry.set(None);
                            outbox.close(CloseReason::AccessChanged);
                        }
                    }
                }
                if pause.is_some_and(|until| until <= Instant::now()) {
                    // Data that arrived during the pause has not been read yet.
                    (pause, received) = (None, Instant::now());
                }
                if received.elapsed() >= SILENCE_MAX || writing.give_up_at().is_some_and(|at| at <= Instant::now()) {
                    return End::Disconnected;
                }
                if received.max(pinged).elapsed() >= PING_AFTER {
                    pinged = Instant::now();
                    outbox.push(OutFrame::ping(), FramePriority::Presence);
                    outbox.flush();
                }
            }
        }
    }
}

/// Decides the role of a session or a change feed again: the role, and until when it holds.
///
/// # Errors
///
/// Fails when the access store does.
pub async fn decide(
    app: &App,
    room: &RoomName,
    client: &Client,
) -> Result<(Option<Role>, Option<i64>), ApiError> {
    let identity = &client.identity;
    if !app.access.is_still_valid(identity).await? {
        return Ok((None, None));
    }
    let decision = creation::decide(app, room, identity).await?;
    let until_ms = decision.until_ms.into_iter().chain(identity.until_ms).min();
    Ok((client.limited(decision.role), until_ms))
}

/// The moment of a time of day. Far ones are looked at again after an hour, because the clock may be
/// set meanwhile.
pub fn until(time_ms: i64) -> Instant {
    let left_ms = time_ms.saturating_sub(now_ms()).clamp(0, 3_600_000);
    Instant::now() + Duration::from_millis(left_ms as u64)
}

fn answer_ping(outbox: &dyn Outbox, payload: &[u8]) {
    // A client that pings faster than it reads gets fewer pongs, which the RFC allows (RFC 6455,
    // 5.5.3).
    outbox.push(OutFrame::pong(payload), FramePriority::Presence);
    outbox.flush();
}

/// Reads the first message.
async fn first_frame(stream: &Socket, reader: &mut MessageReader, outbox: &dyn Outbox) -> Result<Bytes, End> {
    loop {
        match next(stream, reader).await? {
            Incoming::Message(bytes) => return Ok(bytes),
            Incoming::Ping(payload) => answer_ping(outbox, &payload),
            Incoming::Pong(_) => {}
            Incoming::Close => return Err(End::Closed(Ending::with_reason(1000, ""))),
        }
    }
}

/// Reads the next message. Cancel-safe.
pub(super) async fn next(stream: &Socket, reader: &mut MessageReader) -> Result<Incoming, End> {
    loop {
        if let Some(incoming) = reader.next()? {
            return Ok(incoming);
        }
        match stream.read_some(usize::MAX, |bytes| reader.push(bytes)).await {
            Ok(0) | Err(_) => return Err(End::Disconnected),
            Ok(_) => {}
        }
    }
}
