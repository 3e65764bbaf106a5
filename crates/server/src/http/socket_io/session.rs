//! [`Session`]: a client of socket.io, whichever transport it uses, and [`SocketIo`]: all of them.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use quadrille_socialcalc::is_form_data_room;
use serde_json::{Value as Json, json};
use tokio::sync::{Notify, mpsc, oneshot, watch};
use tokio::time::{Instant, sleep_until, timeout, timeout_at};

use super::packet::{self, Packet};
use super::room_link::{self, Credentials, LinkMessage};
use super::session_home;
use crate::access::{EtherCalcCode, EtherCalcKey};
use crate::error::{ApiError, ErrorCode};
use crate::hexadecimal::hex;
use crate::http::accept::CountedConnection;
use crate::{limits, room_name};

/// Time for which a poll waits: proxies often end requests after 30 s.
const POLL_MAX: Duration = Duration::from_secs(20);
/// A client that has not been heard of for so long has gone.
const SILENCE_MAX: Duration = Duration::from_millis(packet::PING_INTERVAL_MS + packet::PING_TIMEOUT_MS);
/// Time for which a message waits until another room has handled what was sent before it.
const ORDER_MAX: Duration = Duration::from_secs(5);
/// Messages that change nothing, so that later ones for other rooms need not wait for them.
const READING_MESSAGES: [&str; 8] =
    ["ask.log", "ask.recalc", "ask.ecells", "ask.ecell", "my.ecell", "ecell", "connect", "ignore"];
/// Messages that wait for the connection to a room; then the client waits.
const LINK_MESSAGES_MAX: usize = 64;

/// The sessions of the process. Clones share them.
#[derive(Clone, Default)]
pub struct SocketIo {
    sessions: Arc<Mutex<HashMap<String, Arc<Session>>>>,
    /// The routes of the server, by which sessions reach `/_ws/{room}`. Holds the state that holds this:
    /// both live as long as the process.
    router: Arc<OnceLock<Router>>,
}

impl SocketIo {
    /// Sets the routes of the server, once.
    pub fn set_router(&self, router: Router) {
        // A second call has the same routes.
        let _ = self.router.set(router);
    }

    /// Opens a session; its first packets wait already.
    ///
    /// # Errors
    /// 503 beyond the limit.
    pub fn open(&self, opening: Opening<'_>) -> Result<Arc<Session>, ApiError> {
        let mut secret = [0_u8; 16];
        getrandom::fill(&mut secret)
            .map_err(|_| ApiError::new(ErrorCode::Internal, "no randomness for a session"))?;
        let secret = hex(&secret);
        let sid = match &opening.home {
            Some((key, url)) => session_home::sid_at(key, &secret, url),
            None => secret,
        };
        let first = [packet::opened(&sid, opening.can_upgrade), packet::JOINED.to_owned()];
        let waiting = Waiting {
            bytes: first.iter().map(String::len).sum(),
            packets: first.into(),
            heard: Instant::now(),
            is_released: false,
            is_ended: false,
        };
        let session = Arc::new(Session {
            sid: sid.clone(),
            all: self.clone(),
            credentials: Credentials::of(opening.request, opening.connection, opening.stop.clone()),
            key: opening.key,
            bytes_max: opening.bytes_max,
            waiting: Mutex::new(waiting),
            changed: Notify::new(),
            links: Mutex::default(),
        });
        session.changed.notify_one();
        let mut all = self.lock();
        if all.len() >= limits::ETHERCALC_SOCKETIO_SESSIONS_MAX {
            return Err(ApiError::new(ErrorCode::Overloaded, "too many clients are connected by socket.io"));
        }
        all.insert(sid, Arc::clone(&session));
        drop(all);
        tokio::spawn(end_when_silent(Arc::downgrade(&session), opening.stop));
        Ok(session)
    }

    /// The session of this secret.
    pub fn find(&self, sid: &str) -> Option<Arc<Session>> {
        self.lock().get(sid).cloned()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Arc<Session>>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a session begins with.
pub struct Opening<'a> {
    /// The request whose credentials the session has.
    pub request: &'a Request,
    pub connection: CountedConnection,
    /// The key of EtherCalc's links for editing, if they have one.
    pub key: Option<EtherCalcKey>,
    /// The client polls and may go on by WebSocket.
    pub can_upgrade: bool,
    /// Bytes that wait for the client, at most.
    pub bytes_max: usize,
    pub stop: watch::Receiver<bool>,
    /// The secret that servers of one database share, and the URL at which they reach this one.
    pub home: Option<([u8; 32], Arc<str>)>,
}

/// A client.
pub struct Session {
    sid: String,
    all: SocketIo,
    credentials: Credentials,
    key: Option<EtherCalcKey>,
    bytes_max: usize,
    waiting: Mutex<Waiting>,
    changed: Notify,
    links: Mutex<Links>,
}

/// What waits for the client.
struct Waiting {
    packets: VecDeque<String>,
    bytes: usize,
    heard: Instant,
    /// The poll ends at once, since a WebSocket takes over.
    is_released: bool,
    is_ended: bool,
}

/// The connections to rooms.
#[derive(Default)]
struct Links {
    /// The room whose sheet the client shows: the first one that it names, other than the room with the
    /// answers to its form, for which EtherCalc's page asks first.
    own: Option<String>,
    open: HashMap<String, mpsc::Sender<LinkMessage>>,
    /// The room that was sent a change last, which it may not have handled yet.
    changing: Option<String>,
}

impl Session {
    /// Handles a packet of the client.
    pub async fn received(self: &Arc<Session>, text: &str) {
        self.lock().heard = Instant::now();
        match packet::read(text) {
            Packet::Close => self.end(),
            Packet::Answered(answer) => self.push(answer),
            Packet::Message(message, answer) => {
                if let Some(answer) = answer {
                    self.push(answer);
                }
                self.pass_on(message).await;
            }
            Packet::Other => {}
        }
    }

    /// Passes a message of EtherCalc's protocol on to the room that it is for.
    async fn pass_on(self: &Arc<Session>, message: Json) {
        let Some((room, link)) = self.link(&message) else { return };
        self.wait_for_changes_elsewhere(&room).await;
        if !READING_MESSAGES.iter().any(|kind| message["type"] == *kind) {
            self.links().changing = Some(room);
        }
        // The connection may have ended meanwhile; the client asks again when it has been told.
        let _ = link.send(LinkMessage::Message(message.to_string())).await;
    }

    /// Waits until rooms other than `room` have handled the changes that they were sent, so that a client's
    /// messages have one order over all rooms, as in EtherCalc. Its page, for example, prepares the room
    /// with the answers to a form before it sends the form.
    async fn wait_for_changes_elsewhere(&self, room: &str) {
        let changing = {
            let mut links = self.links();
            let is_elsewhere = links.changing.as_ref().is_some_and(|changing| changing != room);
            let changing = is_elsewhere.then(|| links.changing.take()).flatten();
            changing.and_then(|changing| links.open.get(&changing).cloned())
        };
        let Some(link) = changing else { return };
        let (done, handled) = oneshot::channel();
        let handled = async {
            // Both fail when the connection has ended, after which nothing more is handled.
            let _ = link.send(LinkMessage::Barrier(done)).await;
            let _ = handled.await;
        };
        if timeout(ORDER_MAX, handled).await.is_err() {
            tracing::info!(room, "a message did not wait longer for an earlier one in another room");
        }
    }

    /// The room of a message and the way to it; none for a message without a room.
    fn link(self: &Arc<Session>, message: &Json) -> Option<(String, mpsc::Sender<LinkMessage>)> {
        let text = |member: &str| message[member].as_str().unwrap_or_default().to_owned();
        // Such a message names the room of which the client asks for the sheet.
        let asks_for_other = message["type"] == "ask.recalc";
        let mut links = self.links();
        let room = match &links.own {
            Some(own) if asks_for_other => own.clone(),
            _ => text("room"),
        };
        if room.is_empty() || self.is_ended() {
            return None;
        }
        if !asks_for_other && !is_form_data_room(&room) {
            links.own.get_or_insert_with(|| room.clone());
        }
        links.open.retain(|_, link| !link.is_closed());
        if let Some(link) = links.open.get(&room) {
            return Some((room, link.clone()));
        }
        if links.open.len() >= limits::ETHERCALC_SOCKETIO_ROOMS_MAX {
            drop(links);
            let error = "the client has too many rooms open";
            self.push_message(&json!({ "type": "error", "room": room, "message": error }).to_string());
            return None;
        }
        let (link, messages) = mpsc::channel(LINK_MESSAGES_MAX);
        links.open.insert(room.clone(), link.clone());
        let auth = self.auth_for(&room, text("auth"));
        let address = room_link::Address { room: room.clone(), user: text("user"), auth };
        let router = self.all.router.get().cloned().unwrap_or_default();
        let session = Arc::clone(self);
        let push = move |json: &str| session.push_message(json);
        tokio::spawn(room_link::run(push, router, self.credentials.clone(), address, messages));
        Some((room, link))
    }

    /// The code with which the session joins a room. EtherCalc's page first asks for the room with the
    /// answers to its form, and sends the code of the form, which is not valid there. Then the session joins
    /// without a code.
    fn auth_for(&self, room: &str, auth: String) -> String {
        let is_code_of_other_room = || {
            let code = EtherCalcCode::from_query(&format!("auth={auth}"));
            let name = room_name::parse(room).ok();
            match (&self.key, code, name) {
                (Some(key), Some(code), Some(name)) => !key.accepts(&name, &code),
                _ => false,
            }
        };
        match is_form_data_room(room) && is_code_of_other_room() {
            true => String::new(),
            false => auth,
        }
    }

    /// Sends the client a message of EtherCalc's protocol, given as JSON.
    pub fn push_message(&self, json: &str) {
        self.push(packet::message(json));
    }

    /// Sends the client a packet. A client that reads too slowly is given up.
    fn push(&self, packet: String) {
        let mut waiting = self.lock();
        waiting.bytes += packet.len();
        waiting.packets.push_back(packet);
        let is_behind = waiting.bytes > self.bytes_max;
        drop(waiting);
        if is_behind {
            self.end();
        }
        self.changed.notify_one();
    }

    /// Waits for packets and takes them; after some time one that says nothing.
    pub async fn poll(&self) -> Vec<String> {
        let until = Instant::now() + POLL_MAX;
        loop {
            let packets = self.take();
            if !packets.is_empty() {
                return packets;
            }
            let (is_ended, is_released) = {
                let waiting = self.lock();
                (waiting.is_ended, waiting.is_released)
            };
            if is_ended {
                return vec!["1".to_owned()];
            }
            if is_released || timeout_at(until, self.changed.notified()).await.is_err() {
                return vec![packet::NOOP.to_owned()];
            }
        }
    }

    /// Waits until there may be packets, or the session has ended.
    pub async fn changed(&self) {
        self.changed.notified().await;
    }

    /// Lets the next reader look for packets.
    pub fn wake(&self) {
        self.changed.notify_one();
    }

    /// Ends the poll that waits, because a WebSocket is about to take over.
    pub fn release_poll(&self) {
        self.lock().is_released = true;
        self.changed.notify_one();
    }

    /// Takes the packets that wait.
    pub fn take(&self) -> Vec<String> {
        let mut waiting = self.lock();
        waiting.bytes = 0;
        waiting.packets.drain(..).collect()
    }

    /// Ends the session; its connections to rooms end too.
    pub fn end(&self) {
        self.all.lock().remove(&self.sid);
        self.lock().is_ended = true;
        self.links().open.clear();
        self.changed.notify_one();
    }

    /// Whether the session has ended.
    pub fn is_ended(&self) -> bool {
        self.lock().is_ended
    }

    fn links(&self) -> MutexGuard<'_, Links> {
        self.links.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends a session whose client has not been heard of for too long, or when the server stops.
async fn end_when_silent(session: Weak<Session>, mut stop: watch::Receiver<bool>) {
    loop {
        let Some(gone_at) = session.upgrade().map(|session| session.lock().heard + SILENCE_MAX) else {
            return;
        };
        let is_stopping = tokio::select! {
            () = sleep_until(gone_at) => false,
            // An error means that the sender was dropped, which is a stop as well.
            () = async { drop(stop.wait_for(|is_stopping| *is_stopping).await) } => true,
        };
        let Some(session) = session.upgrade() else { return };
        if is_stopping || session.lock().heard + SILENCE_MAX <= Instant::now() {
            return session.end();
        }
    }
}
