//! [`Attempts`]: sends a request to the server of its room, and again when that has left or was not reached.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::Request;
use axum::http::{StatusCode, Version, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use hyper::body::Incoming;
use hyper::client::conn::http1::SendRequest;
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use quadrille_journal::{PeerId, RoomOwner};
use quadrille_protocol::{CloseReason, RoomName};
use sha2::{Digest as _, Sha256};
use tokio::sync::{OwnedSemaphorePermit, watch};
use tokio::time::{Instant, sleep, timeout};

use super::connections::Connection;
use super::heads::{self, target};
use super::relayed_body::RelayedBody;
use super::relayed_session::RelayedSession;
use super::repeatable::Repeatable;
use super::room_stream::{self, Connected, ROOM_STREAM, Reservation, StreamKey};
use super::signature::{self, Addressee, BodyDigest, Once, RELAYED_BY, Signatures, Signed};
use super::tunnel;
use crate::access::now_ms;
use crate::error::{ApiError, Elsewhere, ErrorCode};
use crate::http::accept::CountedConnection;
use crate::http::app::App;
use crate::http::session_upgrade::refuse_by_close_code;
use crate::http::socket::Socket;
use crate::limits;
use crate::rooms::room_elsewhere;
use crate::stopped::stopped;

/// Marks a response that the server of the room has completed, so that nothing is added to it.
#[derive(Clone, Copy)]
pub struct CompletedByOwner;

/// In place of a process of which only the URL is known.
const NO_PEER: PeerId = PeerId(u64::MAX);
/// Pause before the owner is looked up again after two servers did not agree about it.
const AGREEMENT_PAUSE: Duration = Duration::from_millis(50);
/// Pause before a server that was not reached is asked again, unless it has left before.
const ANSWER_PAUSE: Duration = Duration::from_millis(100);
/// How long a request waits for a server that does not answer to be removed, and for servers to agree.
const OWNER_WAIT_MAX: Duration = Duration::from_millis(limits::RELAY_OWNER_WAIT_MS);

/// The attempts to answer one request.
pub struct Attempts<'a> {
    app: &'a App,
    /// `None` for a request of a session without a room, which only one server has.
    room: Option<&'a RoomName>,
    until: Instant,
}

/// Passes a request on to the server at a URL, whatever rooms it runs. `None` when it does not answer.
pub async fn pass_on(app: &App, url: String, request: Request) -> Option<Response> {
    // The end of that server is noticed by its connection.
    let owner = RoomOwner { peer: NO_PEER, url };
    let attempts = Attempts { app, room: None, until: Instant::now() };
    match attempts.send(&owner, request, None).await {
        Ok(response) => Some(response),
        Err(Failure::Refused(error)) => Some(error.into_response()),
        Err(Failure::Unreached(_, reason) | Failure::Unanswered(reason)) => {
            tracing::debug!(reason, url = owner.url, "the server of a session does not answer");
            None
        }
        Err(Failure::Elsewhere(_)) => None,
    }
}

/// Why a server has not answered a request.
enum Failure {
    /// It was not reached. The request was not sent; this is its body.
    Unreached(Body, String),
    /// It may have carried the request out.
    Unanswered(String),
    /// It does not run the room.
    Elsewhere(Response),
    Refused(ApiError),
}

impl<'a> Attempts<'a> {
    pub fn new(app: &'a App, room: &'a RoomName) -> Attempts<'a> {
        Attempts { app, room: Some(room), until: Instant::now() + OWNER_WAIT_MAX }
    }

    pub async fn run(&self, mut request: Repeatable, next: Next) -> Result<Response, ApiError> {
        let room = self.room.expect("made by `new`");
        let is_session = heads::is_upgrade(&Request::from_parts(request.parts.clone(), Body::empty()));
        let mut digest = None;
        loop {
            let Some(owner) = self.app.rooms.owner_elsewhere(room).await? else {
                let Some(sent) = request.take() else { return Err(room_elsewhere(Some(room), "")) };
                let response = next.clone().run(sent).await;
                // Another server was faster to claim it.
                if response.extensions().get::<Elsewhere>().is_some()
                    && self.may_repeat(request.is_kept()).await
                {
                    continue;
                }
                return Ok(response);
            };
            let Some(sent) = request.take() else { return Err(room_elsewhere(Some(room), &owner.url)) };
            let digest = *digest.get_or_insert_with(|| request.body_digest());
            let failure = match self.send(&owner, sent, digest).await {
                Ok(response) => return Ok(response),
                Err(failure) => failure,
            };
            let is_repeated = match failure {
                Failure::Refused(error) => return Err(error),
                Failure::Elsewhere(response) => {
                    if !self.may_repeat(request.is_kept()).await {
                        return Ok(response);
                    }
                    continue;
                }
                Failure::Unreached(body, reason) => {
                    tracing::debug!(reason, url = owner.url, "the server that runs a room is not reached");
                    request.put_back(body);
                    true
                }
                Failure::Unanswered(reason) => {
                    tracing::warn!(reason, url = owner.url, "the server that runs a room does not answer");
                    request.is_safe_to_repeat()
                }
            };
            if is_repeated && self.may_ask_again(&owner).await {
                continue;
            }
            if is_session {
                // Browsers see close codes only: this one says that the client has to connect again.
                let request = Request::from_parts(request.parts, Body::empty());
                return Ok(refuse_by_close_code(self.app, room, request, CloseReason::Restarting));
            }
            return Err(room_elsewhere(Some(room), &owner.url));
        }
    }

    /// Whether the request can be repeated, after a pause.
    async fn may_repeat(&self, is_kept: bool) -> bool {
        if is_kept && Instant::now() < self.until {
            sleep(AGREEMENT_PAUSE).await;
            return true;
        }
        false
    }

    /// Waits until a server that does not answer has left or was removed, so that its rooms are free, or may
    /// answer again. `false` when it has not answered for too long.
    async fn may_ask_again(&self, owner: &RoomOwner) -> bool {
        if Instant::now() >= self.until {
            return false;
        }
        // Its departure ends the pause early.
        _ = timeout(ANSWER_PAUSE, self.app.relay.departures.wait_for(owner.peer)).await;
        true
    }

    /// Sends a request to the server of the room, and returns its answer.
    async fn send(
        &self,
        owner: &RoomOwner,
        mut request: Request,
        body: Option<BodyDigest>,
    ) -> Result<Response, Failure> {
        let relay = &self.app.relay;
        let metrics = self.app.rooms.metrics();
        let is_upgrade = heads::is_upgrade(&request);
        let permit = relay.permit(is_upgrade).map_err(Failure::Refused)?;
        let client_upgrade = request.extensions_mut().remove::<OnUpgrade>().filter(|_| is_upgrade);
        let connection = request.extensions().get::<CountedConnection>().cloned();
        let connection = connection.expect("each request has its connection");
        let stream_room = self.room.filter(|_| client_upgrade.is_some());
        let stream_room = stream_room.filter(|_| room_stream::has_stream(request.uri().path()));
        // Only a relay opens sessions in its streams.
        request.headers_mut().remove(ROOM_STREAM);
        let reservation = match stream_room {
            Some(room) => self.reserve(owner, room, connection.peer).await?,
            None => None,
        };
        if let Some(reservation) = &reservation {
            request.headers_mut().insert(ROOM_STREAM, reservation.header());
        }
        let (request, asked) = self.relayed(owner, request, connection.peer, is_upgrade, body);
        metrics.relayed_requests.inc();
        let waits_for_changes = request.uri().path().ends_with("/changes");
        let mut stop = self.app.stop.clone();
        let (response, sender) = tokio::select! {
            answered = self.exchange(owner, request, is_upgrade && reservation.is_none()) => answered?,
            () = relay.departures.wait_for(owner.peer) => {
                return Err(Failure::Unanswered("it has left".to_owned()));
            }
            () = stopped(&mut stop), if waits_for_changes => {
                let stopping = ApiError::new(ErrorCode::Draining, "the server is stopping");
                return Err(Failure::Refused(stopping));
            }
        };
        let key = self.app.access.key();
        let Some(is_elsewhere) = asked.is_elsewhere(key, response.headers()) else {
            let reason = format!("the answer {} is not one of a server of this database", response.status());
            return Err(Failure::Unanswered(reason));
        };
        let is_in_stream =
            response.status() == StatusCode::OK && response.headers().contains_key(ROOM_STREAM);
        let is_upgraded = response.status() == StatusCode::SWITCHING_PROTOCOLS;
        let response = match (client_upgrade, reservation) {
            (Some(client), Some(reservation)) if is_in_stream => {
                relay.connections.keep(&owner.url, sender);
                let session = RelayedSession::begin(Arc::clone(metrics), permit, connection);
                self.open_session(response, client, reservation, session)
            }
            (Some(client), _) if is_upgraded => self.open_tunnel(owner, response, client, connection, permit),
            _ => self.streamed(owner, response, sender, permit),
        };
        if is_elsewhere { Err(Failure::Elsewhere(response)) } else { Ok(response) }
    }

    /// The request as it is sent to the other server, and its signatures.
    fn relayed(
        &self,
        owner: &RoomOwner,
        request: Request,
        peer: IpAddr,
        is_upgrade: bool,
        body: Option<BodyDigest>,
    ) -> (Request, Signatures) {
        let relay = &self.app.relay;
        let (mut parts, sent) = request.into_parts();
        let target = target(parts.extensions.get(), &parts.uri);
        signature::remove(&mut parts.headers);
        heads::remove_hop_by_hop(&mut parts.headers);
        let signed = Signed { method: &parts.method, target: &target, headers: &parts.headers };
        let to = Addressee { url: &owner.url, process: Some(owner.peer).filter(|peer| *peer != NO_PEER) };
        let once = Once { to, number: relay.numbers.next(), body };
        let signatures = Signatures::new(self.app.access.key(), &signed, &once, peer, now_ms());
        if is_upgrade {
            heads::put_upgrade(&mut parts.headers);
        }
        signatures.put(&mut parts.headers);
        parts.uri = target.parse().expect("the path of a request");
        parts.version = Version::HTTP_11;
        parts.extensions.clear();
        (Request::from_parts(parts, sent), signatures)
    }

    /// Sends a request and returns the head of the response, with the connection.
    async fn exchange(
        &self,
        owner: &RoomOwner,
        mut request: Request,
        is_upgrade: bool,
    ) -> Result<(axum::http::Response<Incoming>, SendRequest<Body>), Failure> {
        let connections = &self.app.relay.connections;
        loop {
            // A connection that becomes a WebSocket is not kept.
            let connected = match is_upgrade {
                true => connections.open(&owner.url).await,
                false => connections.get(&owner.url).await,
            };
            let Connection { mut sender, is_reused } = match connected {
                Ok(connection) => connection,
                Err(error) => return Err(Failure::Unreached(request.into_body(), error.to_string())),
            };
            match sender.try_send_request(request).await {
                Ok(response) => return Ok((response, sender)),
                Err(mut error) => match error.take_message() {
                    Some(unsent) if is_reused => request = unsent,
                    Some(unsent) => {
                        let reason = error.into_error().to_string();
                        return Err(Failure::Unreached(unsent.into_body(), reason));
                    }
                    None => return Err(Failure::Unanswered(error.into_error().to_string())),
                },
            }
        }
    }

    /// The response, whose body is passed on as it arrives.
    fn streamed(
        &self,
        owner: &RoomOwner,
        response: axum::http::Response<Incoming>,
        sender: SendRequest<Body>,
        permit: OwnedSemaphorePermit,
    ) -> Response {
        let relay = &self.app.relay;
        let (mut parts, incoming) = response.into_parts();
        completed(&mut parts);
        let departure = relay.departures.wait_for(owner.peer);
        // A stream of changes has no other end.
        let is_endless = parts
            .headers
            .get(header::CONTENT_TYPE)
            .is_some_and(|media_type| media_type.as_bytes().starts_with(b"text/event-stream"));
        let mut stop = self.app.stop.clone();
        let end = async move {
            tokio::select! {
                () = departure => {}
                () = stopped(&mut stop), if is_endless => {}
            }
        };
        let body = RelayedBody {
            incoming,
            end: Box::pin(end),
            connection: Some((relay.connections.clone(), owner.url.clone(), sender)),
            _permit: permit,
        };
        Response::from_parts(parts, Body::new(body))
    }

    /// Reserves a session in the stream of the room; `None` when the owner has a version without streams.
    async fn reserve(
        &self,
        owner: &RoomOwner,
        room: &RoomName,
        peer: IpAddr,
    ) -> Result<Option<Reservation>, Failure> {
        let relay = &self.app.relay;
        let key = StreamKey { peer: owner.peer, room: room.clone() };
        let fanout_bytes_max = self.app.settings.outbox_bytes_max;
        let metrics = self.app.rooms.metrics();
        let departure = relay.departures.wait_for(owner.peer);
        let connect = async {
            tokio::select! {
                connected = self.connect_stream(owner, room, peer) => connected,
                () = relay.departures.wait_for(owner.peer) => Err(Some("it has left".to_owned())),
            }
        };
        match relay.relay_streams.reserve(key, fanout_bytes_max, metrics, connect, departure).await {
            Ok(reservation) => Ok(Some(reservation)),
            Err(None) => Ok(None),
            // The request itself was not sent.
            Err(Some(reason)) => Err(Failure::Unreached(Body::empty(), reason)),
        }
    }

    /// Opens the stream of the room at its server. Fails with the reason, or `None` when the server has a version
    /// without streams.
    async fn connect_stream(
        &self,
        owner: &RoomOwner,
        room: &RoomName,
        peer: IpAddr,
    ) -> Result<Connected, Option<String>> {
        let mut request = room_stream::request(room);
        if let Some(host) = heads::host_of(&owner.url) {
            request.headers_mut().insert(header::HOST, host);
        }
        let body = Some(Sha256::digest([]).into());
        let (mut request, asked) = self.relayed(owner, request, peer, false, body);
        room_stream::put_upgrade(request.headers_mut());
        let exchanged = self.exchange(owner, request, true).await;
        let (mut response, _sender) = exchanged.map_err(|failure| {
            Some(match failure {
                Failure::Unreached(_, reason) | Failure::Unanswered(reason) => reason,
                Failure::Elsewhere(_) | Failure::Refused(_) => "it refuses".to_owned(),
            })
        })?;
        let key = self.app.access.key();
        let is_known = asked.is_elsewhere(key, response.headers()).is_some();
        match response.status() {
            _ if !is_known => {
                Err(Some(format!("the answer {} is not one of a server of this database", response.status())))
            }
            StatusCode::SWITCHING_PROTOCOLS => {
                let name = response.headers().get(ROOM_STREAM).and_then(|name| name.to_str().ok());
                let name = name.unwrap_or_default().to_owned();
                let upgraded =
                    hyper::upgrade::on(&mut response).await.map_err(|error| Some(error.to_string()))?;
                let (socket, unread) = Socket::of_connected(upgraded);
                Ok(Connected { name, socket, unread })
            }
            StatusCode::NOT_FOUND | StatusCode::UPGRADE_REQUIRED => Err(None),
            status => Err(Some(format!("it answers {status}"))),
        }
    }

    /// The response that opens a WebSocket, whose session is one of a stream.
    fn open_session(
        &self,
        response: axum::http::Response<Incoming>,
        client: OnUpgrade,
        reservation: Reservation,
        session: RelayedSession,
    ) -> Response {
        let (mut parts, _) = response.into_parts();
        parts.headers.remove(ROOM_STREAM);
        parts.headers.remove(header::CONTENT_LENGTH);
        parts.status = StatusCode::SWITCHING_PROTOCOLS;
        completed(&mut parts);
        heads::put_upgrade(&mut parts.headers);
        let stop = self.app.stop.clone();
        tokio::spawn(async move {
            let _session = session;
            // Fails when the client has closed before the response arrived.
            if let Ok(client) = client.await {
                let (socket, unread) = Socket::of_upgraded(client);
                reservation.run(socket, &unread, stop).await;
            }
        });
        Response::from_parts(parts, Body::empty())
    }

    /// The response that opens a WebSocket, whose bytes are passed on from then on.
    fn open_tunnel(
        &self,
        owner: &RoomOwner,
        mut response: axum::http::Response<Incoming>,
        client: OnUpgrade,
        connection: CountedConnection,
        permit: OwnedSemaphorePermit,
    ) -> Response {
        let upgraded = hyper::upgrade::on(&mut response);
        let (mut parts, _) = response.into_parts();
        completed(&mut parts);
        heads::put_upgrade(&mut parts.headers);
        let departure = self.app.relay.departures.wait_for(owner.peer);
        let session = RelayedSession::begin(Arc::clone(self.app.rooms.metrics()), permit, connection);
        let stop: watch::Receiver<bool> = self.app.stop.clone();
        tokio::spawn(async move {
            let _session = session;
            // One of them fails when its end has closed before the response arrived.
            if let (Ok(client), Ok(owner)) = tokio::join!(client, upgraded) {
                tunnel::run(TokioIo::new(client), TokioIo::new(owner), departure, stop).await;
            }
        });
        Response::from_parts(parts, Body::empty())
    }
}

/// Removes what the two servers tell each other from the head of a response.
fn completed(parts: &mut axum::http::response::Parts) {
    heads::remove_hop_by_hop(&mut parts.headers);
    parts.headers.remove(RELAYED_BY);
    parts.extensions.clear();
    parts.extensions.insert(CompletedByOwner);
}
