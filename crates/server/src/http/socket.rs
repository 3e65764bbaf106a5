//! `GET /api/v1/rooms/{room}/socket`: a session over a WebSocket. Binary messages, one frame of `protocol` each.
//!
//! The task of a session moves bytes and nothing else: it reads frames and hands them to the room, and writes for a
//! session that is behind; to others the room's thread writes itself. It stops reading while the room has too many frames
//! of this session before it. While nothing comes and goes it holds no buffer.

use std::borrow::Cow;
use std::io::ErrorKind;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Extension, Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use quadrille_protocol::{ClientFrameKind, CloseReason, Role, RoomName};
use quadrille_room::FramePriority;
use serde::Deserialize;
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep_until, timeout};

use super::accept::Place;
use super::segments::{RoomSegment, StrictQuery};
use super::{App, security};
use crate::error::{ApiError, ErrorCode};
use crate::limits;
use crate::rates::{LimitExceeded, LimitHit, SessionRates, client_address};
use crate::rooms::{Member, Outbox};
use crate::websocket::handshake;
use crate::websocket::incoming::{Fault, Incoming, Reader};
use crate::websocket::outgoing::OutFrame;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SocketQuery {
    /// Given with any value or none: only look.
    view: Option<String>,
}

pub async fn upgrade(
    State(app): State<App>,
    RoomSegment(room): RoomSegment,
    StrictQuery(query): StrictQuery<SocketQuery>,
    Extension(place): Extension<Place>,
    mut request: Request,
) -> Response {
    if !security::origin_allowed(request.headers(), &app.settings.origins) {
        return security::bad_origin().into_response();
    }
    let accepted = handshake::accept(request.method(), request.headers());
    let (accept, upgraded) = match (accepted, request.extensions_mut().remove::<OnUpgrade>()) {
        (Ok(accept), Some(upgraded)) => (accept, upgraded),
        (Err(why), _) => {
            let message = format!("this address takes WebSocket connections: {why}");
            return ApiError::new(ErrorCode::UpgradeRequired, message).into_response();
        }
        (Ok(_), None) => {
            let message = "this address takes WebSocket connections: this connection cannot become one";
            return ApiError::new(ErrorCode::UpgradeRequired, message).into_response();
        }
    };
    if *app.stop.borrow() {
        return ApiError::new(ErrorCode::Draining, "the server is stopping").into_response();
    }
    let role = match query.view {
        Some(_) => Role::View,
        None => app.settings.default_role.into(),
    };
    let address = client_address(place.peer, request.headers(), &app.rates.trusted);
    tokio::spawn(async move {
        if let Some((stream, unread)) = taken_over(upgraded).await {
            session(stream, unread, &app, &room, role, address).await;
        }
        drop(place);
    });
    let headers = [
        (header::CONNECTION, HeaderValue::from_static("upgrade")),
        (header::UPGRADE, HeaderValue::from_static("websocket")),
        (header::SEC_WEBSOCKET_ACCEPT, HeaderValue::from_str(&accept).expect("base64 is ASCII")),
    ];
    (StatusCode::SWITCHING_PROTOCOLS, headers).into_response()
}

/// The connection itself, and what the client sent after its request. Nothing of HTTP stays in memory.
async fn taken_over(upgraded: OnUpgrade) -> Option<(TcpStream, Reader)> {
    // The peer left before it had read our answer.
    let upgraded = upgraded.await.ok()?;
    let parts = upgraded.downcast::<TokioIo<TcpStream>>().expect("the accept loop serves these");
    let mut reader = Reader::new(limits::FRAME_BYTES_MAX);
    reader.push(&parts.read_buf);
    Some((parts.io.into_inner(), reader))
}

/// How a session ends: the code and reason of the close frame, written already or to be written.
struct Ending {
    code: u16,
    reason: Cow<'static, str>,
    is_written: bool,
}

impl Ending {
    fn with_reason(code: u16, reason: &'static str) -> Ending {
        Ending { code, reason: reason.into(), is_written: false }
    }

    /// More than somebody may do; clients read the time to wait from the reason.
    fn over(over: LimitExceeded) -> Ending {
        let reason = CloseReason::TooFast;
        let text = format!("{} retry-after={}", reason.name(), over.seconds());
        Ending { code: reason.code(), reason: text.into(), is_written: false }
    }
}

impl From<Fault> for Ending {
    /// The code that says what was wrong with the peer's bytes (RFC 6455, 7.4.1).
    fn from(fault: Fault) -> Ending {
        match fault {
            Fault::Protocol(_) => Ending::with_reason(1002, "protocol_error"),
            Fault::Text => Ending::with_reason(1003, "binary_only"),
            Fault::InvalidUtf8 => Ending::with_reason(1007, "invalid_utf8"),
            Fault::TooLarge => {
                let reason = CloseReason::FrameTooLarge;
                Ending::with_reason(reason.code(), reason.name())
            }
        }
    }
}

/// Why a session does not go on.
enum End {
    Reported(Ending),
    /// The peer is gone: there is nobody to say anything to.
    Gone,
}

impl From<Fault> for End {
    fn from(fault: Fault) -> End {
        End::Reported(fault.into())
    }
}

async fn session(
    stream: TcpStream,
    mut reader: Reader,
    app: &App,
    room: &RoomName,
    role: Role,
    address: Option<IpAddr>,
) {
    let stream = Arc::new(stream);
    let end = match app.rates.join(room, address, std::time::Instant::now()) {
        Ok(rates) => run(&stream, &mut reader, app, room, role, &rates).await,
        Err(over) => {
            app.rooms.metrics().limit_hit(over.limit);
            End::Reported(Ending::over(over))
        }
    };
    let ending = match end {
        End::Reported(ending) => ending,
        End::Gone => return,
    };
    match ending.code {
        // The peer closed, the server stops, or the room is full, slow or gone: nothing that somebody did wrong.
        1000 | 1012 | 1013 | 4408..=4411 => {
            tracing::debug!(%room, code = ending.code, reason = &*ending.reason, "session closed");
        }
        _ => tracing::info!(%room, code = ending.code, reason = &*ending.reason, "session closed"),
    }
    let goodbye = async {
        if !ending.is_written {
            let frame = OutFrame::close(ending.code, &ending.reason);
            let [head, payload] = frame.rest(0);
            let bytes = [head, payload].concat();
            let mut rest = &bytes[..];
            while !rest.is_empty() {
                if stream.writable().await.is_err() {
                    return;
                }
                match stream.try_write(rest) {
                    Ok(written) => rest = &rest[written..],
                    Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                    Err(_) => return,
                }
            }
        }
        // Reading on until the peer has closed too: closing a socket with unread data would destroy our last words.
        while let Ok(1..) = read_some(&stream, |_| ()).await {}
    };
    let _ = timeout(GOODBYE_MAX, goodbye).await;
}

/// How long the peer may take to answer a close.
const GOODBYE_MAX: Duration = Duration::from_secs(2);
/// After this much silence the server asks whether the peer is still there; browsers answer by themselves.
const PING_AFTER: Duration = Duration::from_secs(25);
const PAUSE_MAX: Duration = Duration::from_secs(limits::PAUSE_SECONDS_MAX);
const SILENCE_MAX: Duration = Duration::from_secs(limits::SILENCE_SECONDS_MAX);

async fn run(
    stream: &Arc<TcpStream>,
    reader: &mut Reader,
    app: &App,
    room: &RoomName,
    role: Role,
    rates: &SessionRates,
) -> End {
    let metrics = app.rooms.metrics();
    let outbox =
        Outbox::new(Arc::clone(stream) as _, app.settings.outbox_bytes_max, metrics.bytes_sent.clone());
    let hello = timeout(Duration::from_secs(limits::HELLO_SECONDS_MAX), first_frame(stream, reader, &outbox));
    let hello = match hello.await {
        Ok(Ok(hello)) => hello,
        Ok(Err(end)) => return end,
        Err(_) => {
            let reason = CloseReason::HelloTimeout;
            return End::Reported(Ending::with_reason(reason.code(), reason.name()));
        }
    };
    let member = app.rooms.connect(room, role, Arc::clone(&outbox));
    let in_flight = Arc::new(Semaphore::new(limits::FRAMES_IN_FLIGHT_MAX));
    let permit = || Arc::clone(&in_flight).acquire_owned();
    member.frame(hello, permit().await.expect("never closed"));
    let mut heard = Instant::now();
    let mut pinged = heard;
    let mut writing = Writing::default();
    // Nothing is read before this moment.
    let mut pause: Option<Instant> = None;
    loop {
        let silence = (heard + SILENCE_MAX).min(heard.max(pinged) + PING_AFTER);
        let wake = [Some(silence), writing.give_up_at(), pause].into_iter().flatten().min();
        let wake = wake.expect("one of them is there");
        tokio::select! {
            // With the permit taken first, nothing is read that has no place.
            incoming = async {
                let permit = permit().await.expect("never closed");
                (next(stream, reader).await, permit)
            }, if pause.is_none() => {
                heard = Instant::now();
                match incoming {
                    (Ok(Incoming::Message(bytes)), permit) => {
                        metrics.bytes_received.inc_by(bytes.len() as u64);
                        let kind = ClientFrameKind::of(&bytes);
                        let over = rates.take((kind == ClientFrameKind::Submit).into(), bytes.len(), heard.into());
                        if kind != ClientFrameKind::Presence || rates.take_presence(heard.into()) {
                            member.frame(bytes, permit);
                        } else {
                            metrics.limit_hit(LimitHit::Presence);
                        }
                        if let Some(over) = over {
                            metrics.limit_hit(over.limit);
                            if over.wait > PAUSE_MAX {
                                return End::Reported(Ending::over(over));
                            }
                            pause = Some(heard + over.wait);
                        }
                    }
                    (Ok(Incoming::Ping(payload)), _) => answer_ping(&outbox, &payload),
                    (Ok(Incoming::Pong), _) => {}
                    (Ok(Incoming::Close), _) => return End::Reported(Ending::with_reason(1000, "")),
                    (Err(end), _) => return end,
                }
            }
            () = outbox.changed() => {
                if let Some(end) = writing.resume(&outbox, &member) {
                    return end;
                }
            }
            _ = stream.writable(), if writing.is_behind() => {
                if let Some(end) = writing.resume(&outbox, &member) {
                    return end;
                }
            }
            () = sleep_until(wake) => {
                if pause.is_some_and(|until| until <= Instant::now()) {
                    // What the peer said meanwhile has yet to be read.
                    (pause, heard) = (None, Instant::now());
                }
                if heard.elapsed() >= SILENCE_MAX || writing.give_up_at().is_some_and(|at| at <= Instant::now()) {
                    return End::Gone;
                }
                if heard.max(pinged).elapsed() >= PING_AFTER {
                    pinged = Instant::now();
                    outbox.push(OutFrame::ping(), FramePriority::Presence);
                    outbox.flush();
                }
            }
        }
    }
}

/// What this task writes for a session that is behind, and since when.
#[derive(Default)]
struct Writing {
    behind_since: Option<Instant>,
    bytes: usize,
}

impl Writing {
    fn is_behind(&self) -> bool {
        self.behind_since.is_some()
    }

    /// When so slow a reader is given up.
    fn give_up_at(&self) -> Option<Instant> {
        let seconds = limits::WRITE_SECONDS_MAX + (self.bytes / limits::READER_BYTES_PER_SECOND_MIN) as u64;
        self.behind_since.map(|since| since + Duration::from_secs(seconds))
    }

    /// Writes what the socket takes, and tells the room what it has to know.
    fn resume(&mut self, outbox: &Outbox, member: &Member) -> Option<End> {
        let progress = outbox.advance();
        match progress.is_behind {
            true => {
                self.behind_since.get_or_insert_with(Instant::now);
                self.bytes += progress.bytes;
            }
            false => *self = Writing::default(),
        }
        if let Some(from) = progress.missed {
            member.missed(from);
        }
        if progress.is_drained {
            member.drained();
        }
        if progress.is_gone {
            return Some(End::Gone);
        }
        let reason = progress.closed?;
        Some(End::Reported(Ending { code: reason.code(), reason: reason.name().into(), is_written: true }))
    }
}

fn answer_ping(outbox: &Outbox, payload: &[u8]) {
    // Who pings faster than it reads gets fewer answers, which the standard allows (RFC 6455, 5.5.3).
    outbox.push(OutFrame::pong(payload), FramePriority::Presence);
    outbox.flush();
}

async fn first_frame(stream: &TcpStream, reader: &mut Reader, outbox: &Outbox) -> Result<Bytes, End> {
    loop {
        match next(stream, reader).await? {
            Incoming::Message(bytes) => return Ok(bytes),
            Incoming::Ping(payload) => answer_ping(outbox, &payload),
            Incoming::Pong => {}
            Incoming::Close => return Err(End::Reported(Ending::with_reason(1000, ""))),
        }
    }
}

/// The next message; may be dropped and begun again without losing anything.
async fn next(stream: &TcpStream, reader: &mut Reader) -> Result<Incoming, End> {
    loop {
        if let Some(incoming) = reader.next()? {
            return Ok(incoming);
        }
        match read_some(stream, |bytes| reader.push(bytes)).await {
            Ok(0) | Err(_) => return Err(End::Gone),
            Ok(_) => {}
        }
    }
}

/// Reads what has come, and how much that was; 0 at the end.
async fn read_some(stream: &TcpStream, mut take: impl FnMut(&[u8])) -> std::io::Result<usize> {
    loop {
        stream.readable().await?;
        match read_now(stream, &mut take) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            result => return result,
        }
    }
}

/// Apart from the function above so that the buffer is on the stack of the thread and not kept by every connection.
fn read_now(stream: &TcpStream, take: &mut impl FnMut(&[u8])) -> std::io::Result<usize> {
    let mut buffer = [0; 16 << 10];
    let length = stream.try_read(&mut buffer)?;
    take(&buffer[..length]);
    Ok(length)
}
