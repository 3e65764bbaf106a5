//! The task of a connection: reads the client's messages and the room's frames, and tells the client what
//! the room says. `answers.rs` has the answers to the client's messages.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use prometheus_client::metrics::counter::Counter as Metric;
use quadrille_cell::SheetId;
use quadrille_operation::Operation;
use quadrille_protocol::{
    ChatFrame, ChatMessage, ChatRequest, ClientFrame, ClientFrameKind, CloseReason, Counter, Hello,
    PROTOCOL_VERSION, Person, Record, ReplicaId, Revision, RoomName, ServerFrame, SessionId,
};
use quadrille_workbook::Workbook;
use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep_until, timeout};

use super::follower::{Follower, Update};
use super::messages::{self, ClientMessage};
use super::peers::{Joined, Relayed};
use super::pipe::{FrameSplitter, Pipe};
use super::recalc_feeds::RecalcFeeds;
use super::save_repetition::SaveRepetition;
use super::saves::save_of;
use crate::access::{Visitor, now_ms};
use crate::error::{ApiError, ErrorCode};
use crate::http::app::App;
use crate::http::ethercalc_workbook::{AddressedSheet, with_room_names};
use crate::http::session_account::SessionAccount;
use crate::http::session_end::{End, Ending, finish};
use crate::http::session_socket::{Opened, PAUSE_MAX, PING_AFTER, SILENCE_MAX, decide, join, next, until};
use crate::http::session_writing::Writing;
use crate::http::socket::Socket;
use crate::limits;
use crate::quotas::SessionQuota;
use crate::rate_limits::SessionLimits;
use crate::rooms::{Client, Member, Outbox, SocketOutbox};
use crate::websocket::message_reader::{Incoming, MessageReader};
use crate::websocket::outgoing_frame::OutFrame;

/// The name of a client whose `user` is a random number, as EtherCalc's own client makes it.
const UNNAMED: &str = "EtherCalc";
const WRITE_MAX: Duration = Duration::from_secs(limits::WRITE_SECONDS_MAX);
const LOG_MAX: Duration = Duration::from_secs(limits::ETHERCALC_LOG_SECONDS);

/// Runs a session to its end and sends the close frame.
pub async fn session(opened: Opened, addressed: Option<AddressedSheet>, user: String, is_browser: bool) {
    let Opened { app, room, client, visitor, address, stream, unread } = opened;
    let stream = Arc::new(stream);
    let mut reader = MessageReader::new(limits::ETHERCALC_MESSAGE_BYTES_MAX).with_text();
    reader.push(&unread);
    let end = match (app.rate_limiter.join(&room, address, std::time::Instant::now()), client) {
        (Ok(rates), Some(client)) => match join(&app, &room, client).await {
            Ok((client, quota)) => {
                let connection = Connection {
                    app: &app,
                    room: &room,
                    name: addressed.as_ref().map_or(&room, |addressed| &addressed.name).clone(),
                    sheet: addressed.map(|addressed| addressed.sheet),
                    stream: &stream,
                    client,
                    visitor,
                    rates,
                    quota,
                    user,
                    is_browser,
                };
                connection.run(&mut reader).await
            }
            Err(end) => end,
        },
        (Ok(_), None) => End::closed(CloseReason::Forbidden),
        (Err(over), _) => {
            app.rooms.metrics().limit_hit(over.limit);
            End::Closed(Ending::rate_limited(over))
        }
    };
    finish(&stream, &room, end).await;
}

/// A connection to a room.
pub struct Connection<'a> {
    pub app: &'a App,
    pub room: &'a RoomName,
    /// The name by which the client knows the room or its sheet.
    pub name: RoomName,
    /// The sheet that the client shows; `None` is the first one.
    sheet: Option<SheetId>,
    stream: &'a Arc<Socket>,
    pub client: Client,
    pub visitor: Visitor,
    pub rates: SessionLimits,
    quota: SessionQuota,
    /// The name under which EtherCalc's clients know this one.
    pub user: String,
    /// The client is a page in a browser.
    is_browser: bool,
}

/// What the connection knows of the room.
#[derive(Default)]
pub struct Known {
    pub replica: Option<ReplicaId>,
    pub session: Option<SessionId>,
    pub follower: Option<Follower>,
    pub peers: Option<Joined>,
    pub people: BTreeMap<SessionId, Person>,
    /// The chat messages before the connection are known.
    has_chat: bool,
    pub own_chat: HashSet<u64>,
    /// The client has got the sheet, by `log` or `snapshot`.
    pub has_sheet: bool,
    /// The client's commands that wait for their revision.
    pub pending: Option<Counter>,
    pub confirmed: Counter,
    pub recalc_feeds: RecalcFeeds,
    /// The page is to get the sheet once more.
    repetition: Option<SaveRepetition>,
    /// Number of entries of `Follower::unseen` that were followed by a ping.
    pinged: u64,
}

impl Known {
    fn is_ready(&self) -> bool {
        self.follower.is_some() && self.has_chat && self.pending.is_none()
    }

    /// Notes that commands were sent or received.
    fn note_commands(&mut self) {
        if let Some(repetition) = &mut self.repetition {
            repetition.note_commands(Instant::now());
        }
    }

    /// Whether a session of the room is a client of EtherCalc.
    pub fn is_peer(&self, session: SessionId) -> bool {
        self.peers.as_ref().is_some_and(|peers| peers.contains(session))
    }

    /// The people who use the web client, with their cells.
    pub fn cursors_of_people(&self) -> Vec<(String, String)> {
        let others = self.people.values();
        let others =
            others.filter(|person| self.session != Some(person.session) && !self.is_peer(person.session));
        others.filter_map(|person| Some((user_of(person), cursor_of(person, self)?))).collect()
    }
}

impl Connection<'_> {
    async fn run(&self, reader: &mut MessageReader) -> End {
        let (app, room, client) = (self.app, self.room, &self.client);
        let pipe = Arc::new(Pipe::default());
        let outbox_bytes_max = app.settings.outbox_bytes_max;
        let outbox = SocketOutbox::new(Arc::clone(&pipe) as _, outbox_bytes_max, Metric::default());
        let member = app.rooms.connect(room, client.clone(), Arc::clone(&outbox) as _);
        match decide(app, room, client).await {
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
        let mut person = SessionAccount::new(app, self.visitor.clone(), &client.identity);
        let in_flight = Arc::new(Semaphore::new(limits::FRAMES_IN_FLIGHT_MAX));
        let room_side = RoomSide { member: &member, in_flight: &in_flight };
        room_side.send(&ClientFrame::Hello(self.hello())).await;
        room_side.send(&ClientFrame::Chat(ChatRequest::Subscribe { after: 0 })).await;
        let mut known = Known::default();
        let mut splitter = FrameSplitter::default();
        let mut writing = Writing::default();
        let (mut received, mut pinged) = (Instant::now(), Instant::now());
        let log_deadline = Instant::now() + LOG_MAX;
        let mut pause: Option<Instant> = None;
        loop {
            let silence = (received + SILENCE_MAX).min(received.max(pinged) + PING_AFTER);
            let log = (!known.has_sheet && known.is_ready()).then_some(log_deadline);
            let repetition = known.repetition.as_ref().filter(|_| known.is_ready());
            let repetition = repetition.map(SaveRepetition::due_at);
            let expiry = client.expiry.get().map(until);
            let wake = [Some(silence), writing.give_up_at(), pause, expiry, log, repetition];
            let wake = wake.into_iter().flatten().min().expect("the first one is always present");
            let mut out = Vec::new();
            tokio::select! {
                () = pipe.ready() => {
                    for payload in splitter.split(&pipe.take()) {
                        match self.room_frame(&payload, &mut known, &room_side).await {
                            Ok(more) => out.extend(more),
                            Err(end) => return end,
                        }
                    }
                    if writing.is_behind() && let Some(end) = writing.resume(&*outbox, &member) {
                        return self.ended(end, out, &mut known).await;
                    }
                }
                () = self.quota.freed() => return End::closed(CloseReason::AccessChanged),
                () = outbox.changed() => {
                    if let Some(end) = writing.resume(&*outbox, &member) {
                        return self.ended(end, out, &mut known).await;
                    }
                }
                relayed = async {
                    match known.peers.as_mut() {
                        Some(peers) => peers.relayed.recv().await.ok(),
                        None => std::future::pending().await,
                    }
                } => out.extend(relayed.and_then(|relayed| self.relayed(relayed, &known))),
                name = known.recalc_feeds.next() => out.extend(self.recalc_forced(&name, &mut known).await),
                incoming = next(self.stream, reader), if pause.is_none() && known.is_ready() => {
                    received = Instant::now();
                    match incoming {
                        Ok(Incoming::Message(bytes)) => {
                            app.rooms.metrics().bytes_received.inc_by(bytes.len() as u64);
                            let message = messages::read(&bytes, self.name.as_str());
                            let is_execute = matches!(message, Ok(ClientMessage::Execute { .. }));
                            let operations = u64::from(is_execute);
                            let over = self.rates.take(operations, bytes.len(), received.into());
                            let beyond = self.quota.take(operations, bytes.len(), received.into());
                            if is_execute && self.quota.is_full() && !client.is_view_only {
                                return End::closed(CloseReason::AccessChanged);
                            }
                            let kind = if is_execute { ClientFrameKind::Submit } else { ClientFrameKind::Other };
                            if let Err(error) = person.received(app, room, &client.identity, kind, received).await {
                                tracing::info!(%room, message = error.message, "a workbook was not created");
                                return End::not_created(&error);
                            }
                            if is_execute {
                                known.note_commands();
                            }
                            let answered = match message {
                                Ok(message) => self.message(message, &mut known, &room_side).await,
                                Err(error) => Err(error),
                            };
                            match answered {
                                Ok(more) => out.extend(more),
                                Err(error) => out.push(messages::error(self.name.as_str(), &error)),
                            }
                            if let Some(over) = over.into_iter().chain(beyond).max_by_key(|over| over.wait) {
                                app.rooms.metrics().limit_hit(over.limit);
                                if over.wait > PAUSE_MAX {
                                    return End::Closed(Ending::rate_limited(over));
                                }
                                pause = Some(received + over.wait);
                            }
                        }
                        Ok(Incoming::Ping(payload)) => {
                            if self.write_frame(&OutFrame::pong(&payload)).await.is_err() {
                                return End::Disconnected;
                            }
                        }
                        Ok(Incoming::Pong(payload)) => {
                            // Others answer a ping that only keeps the connection alive.
                            if let (Ok(count), Some(follower)) = (payload[..].try_into(), &mut known.follower) {
                                follower.unseen.seen_up_to(u64::from_be_bytes(count));
                            }
                        }
                        Ok(Incoming::Close) => return End::Closed(Ending::with_reason(1000, "")),
                        Err(end) => return end,
                    }
                }
                () = sleep_until(wake) => {
                    let now = Instant::now();
                    if client.expiry.get().is_some_and(|until_ms| until_ms <= now_ms()) {
                        match decide(app, room, client).await {
                            Ok((role, until)) if role == Some(client.role) => client.expiry.set(until),
                            _ => {
                                client.expiry.set(None);
                                outbox.close(CloseReason::AccessChanged);
                            }
                        }
                    }
                    if pause.is_some_and(|until| until <= now) {
                        (pause, received) = (None, now);
                    }
                    if received.elapsed() >= SILENCE_MAX || writing.give_up_at().is_some_and(|at| at <= now) {
                        return End::Disconnected;
                    }
                    if log.is_some_and(|deadline| deadline <= now) {
                        out.extend(self.save_message(&mut known).await);
                    }
                    if repetition.is_some_and(|due_at| due_at <= now) {
                        let next = known.repetition.as_ref().and_then(|due| due.after_repetition(now));
                        out.extend(self.save_message(&mut known).await);
                        known.repetition = next;
                    }
                    if received.max(pinged).elapsed() >= PING_AFTER {
                        pinged = now;
                        if self.write_frame(&OutFrame::ping()).await.is_err() {
                            return End::Disconnected;
                        }
                    }
                }
            }
            if self.write(&out).await.is_err() || self.ask_whether_seen(&mut known).await.is_err() {
                return End::Disconnected;
            }
        }
    }

    /// The end of a session that the room has ended, after what other clients have sent before that, such
    /// as `stopHuddle`.
    async fn ended(&self, end: End, mut out: Vec<String>, known: &mut Known) -> End {
        let mut waiting = Vec::new();
        if let Some(peers) = &mut known.peers {
            waiting.extend(std::iter::from_fn(|| peers.relayed.try_recv().ok()));
        }
        out.extend(waiting.into_iter().filter_map(|relayed| self.relayed(relayed, known)));
        match self.write(&out).await {
            Ok(()) => end.unwritten(),
            Err(_) => End::Disconnected,
        }
    }

    fn hello(&self) -> Hello {
        let is_random = self.user.parse::<f64>().is_ok() || self.user.trim().is_empty();
        let name = if is_random { UNNAMED } else { self.user.trim() };
        let mut end = name.len().min(limits::AUTHOR_BYTES_MAX);
        while !name.is_char_boundary(end) {
            end -= 1;
        }
        Hello {
            version: PROTOCOL_VERSION,
            replica: None,
            last: None,
            unconfirmed: 0,
            name: name[..end].into(),
            color: None,
            secret: None,
        }
    }

    /// Handles a frame of the room; the messages for the client.
    async fn room_frame(
        &self,
        payload: &[u8],
        known: &mut Known,
        room_side: &RoomSide<'_>,
    ) -> Result<Vec<String>, End> {
        let room = self.name.as_str();
        if let Ok(frame) = ChatFrame::decode(payload) {
            return Ok(self.chat_frame(frame, known));
        }
        let Ok(frame) = ServerFrame::decode(payload) else { return Ok(Vec::new()) };
        let mut out = Vec::new();
        match frame {
            ServerFrame::Welcome(welcome) => {
                (known.replica, known.session) = (Some(welcome.replica), Some(welcome.session));
                known.confirmed = welcome.confirmed;
                known.peers = Some(self.app.ethercalc_peers.join(&self.name, welcome.session, &self.user));
            }
            ServerFrame::Snapshot { part, parts, .. } if part + 1 == parts => {
                let (workbook, revision) = match self.app.rooms.read_inputs(self.room).await {
                    Ok(reading) => ((*reading.workbook).clone(), reading.revision),
                    Err(error) if error.code == ErrorCode::NoSuchRoom => (Workbook::new(), Revision(0)),
                    Err(_) => return Err(End::closed(CloseReason::Restarting)),
                };
                let workbook = with_room_names(self.room, workbook);
                known.follower = Some(Follower::new(workbook, revision, self.sheet));
                known.pending = None;
                if known.has_sheet {
                    out.extend(self.unasked_save(known).await);
                }
            }
            ServerFrame::Records { records } => {
                for record in records {
                    let Ok(record) = Record::decode(&record) else {
                        return Err(End::closed(CloseReason::Resync));
                    };
                    out.extend(self.record(&record, known).await?);
                }
            }
            ServerFrame::Rejected { counter, code, message } => {
                known.pending = None;
                room_side.send(&ClientFrame::Withdrawn { counter }).await;
                out.extend(self.unasked_save(known).await);
                out.push(messages::error(room, &format!("{}: {message}", code.name())));
            }
            ServerFrame::People { changed, departed, .. } => {
                for session in departed {
                    known.people.remove(&session);
                }
                for person in changed {
                    let before = known.people.insert(person.session, person.clone());
                    out.extend(self.person_moved(&person, before.as_ref(), known));
                }
            }
            _ => {}
        }
        Ok(out)
    }

    async fn record(&self, record: &Record, known: &mut Known) -> Result<Vec<String>, End> {
        let is_own = known.replica == Some(record.replica);
        if is_own && known.pending == Some(record.counter) {
            known.pending = None;
            known.confirmed = record.counter;
        }
        let Some(follower) = &mut known.follower else { return Ok(Vec::new()) };
        if record.revision <= follower.revision {
            return Ok(Vec::new());
        }
        if record.revision != follower.revision.next() {
            return Err(End::closed(CloseReason::Resync));
        }
        let update = follower.follow(record.revision, &record.transaction, is_own);
        let is_name = |operation: &Operation| {
            matches!(operation, Operation::AddSheet { .. } | Operation::RenameSheet { .. })
        };
        if record.transaction.operations.iter().any(is_name) {
            follower.workbook = with_room_names(self.room, std::mem::take(&mut follower.workbook));
        }
        if !known.has_sheet {
            return Ok(Vec::new());
        }
        Ok(match update {
            None => Vec::new(),
            Some(Update::Save) => self.unasked_save(known).await,
            Some(Update::Commands { commands, asks }) => {
                known.note_commands();
                // Its own commands are sent once more without a name.
                let sent = known.peers.as_ref().filter(|_| !is_own);
                let sent = sent.and_then(|peers| peers.sent_commands(record));
                let commands = commands.join("\n");
                let text = sent.as_ref().and_then(|sent| sent.commands_for(record)).unwrap_or(&commands);
                let message = sent.as_ref().map(|sent| &*sent.message);
                let mut out = vec![messages::execute(self.name.as_str(), text, message, &self.user)];
                out.extend(asks.then(|| self.question(known)).flatten());
                out
            }
        })
    }

    /// Asks a page that may change the sheet whether it has carried out what was sent.
    fn question(&self, known: &Known) -> Option<String> {
        let follower = known.follower.as_ref()?;
        let asks = self.is_browser && self.client.role.can_edit();
        asks.then(|| messages::ask_ecell(self.name.as_str(), &follower.unseen.asker()))
    }

    /// Sends a ping to a program that has been sent something new. Its answer says that the program has
    /// read that.
    async fn ask_whether_seen(&self, known: &mut Known) -> std::io::Result<()> {
        let Some(follower) = known.follower.as_ref().filter(|_| !self.is_browser && known.has_sheet) else {
            return Ok(());
        };
        let count = follower.unseen.count();
        if known.pinged == count {
            return Ok(());
        }
        known.pinged = count;
        self.write_frame(&OutFrame::ping_with(&count.to_be_bytes())).await
    }

    /// The message with the whole sheet, which a page gets once more.
    pub async fn unasked_save(&self, known: &mut Known) -> Vec<String> {
        known.repetition = self.is_browser.then(|| SaveRepetition::after_save(Instant::now()));
        self.save_message(known).await
    }

    /// The message with the whole sheet, for which the client has not asked; none for a room that does
    /// not exist.
    pub async fn save_message(&self, known: &mut Known) -> Vec<String> {
        known.has_sheet = true;
        match self.current_save(known, false).await {
            Ok(Some(save)) => {
                let mut out = vec![messages::snapshot(self.name.as_str(), &save)];
                out.extend(self.question(known));
                out
            }
            Ok(None) => Vec::new(),
            Err(error) => vec![messages::error(self.name.as_str(), &error.message)],
        }
    }

    /// The save of the room, from which the client is followed on. `is_asked`: the client waits for it.
    ///
    /// # Errors
    ///
    /// Fails when the room cannot be read.
    pub async fn current_save(&self, known: &mut Known, is_asked: bool) -> Result<Option<String>, ApiError> {
        let reading = match self.app.rooms.read(self.room).await {
            Ok(reading) => reading,
            Err(error) if error.code == ErrorCode::NoSuchRoom => return Ok(None),
            Err(error) => return Err(error),
        };
        if let Some(follower) = &mut known.follower
            && reading.revision >= follower.revision
        {
            let workbook = with_room_names(self.room, (*reading.workbook).clone());
            follower.start(workbook, reading.revision);
            if !is_asked {
                follower.note_save();
            }
        }
        if self.sheet.is_some_and(|sheet| reading.workbook.sheet(sheet).is_none()) {
            return Ok(None);
        }
        save_of(with_room_names(self.room, (*reading.workbook).clone()), self.sheet).await.map(Some)
    }

    fn chat_frame(&self, frame: ChatFrame, known: &mut Known) -> Vec<String> {
        let room = self.name.as_str();
        match frame {
            // The answer to `Subscribe`; clients get these messages with the log.
            ChatFrame::ChatMessages(_) if !known.has_chat => {
                known.has_chat = true;
                Vec::new()
            }
            ChatFrame::ChatMessages(all) => {
                let others = all.iter().filter(|message| !known.own_chat.remove(&message.id));
                let user = |message: &ChatMessage| {
                    let user = known.peers.as_ref().and_then(|peers| peers.chat_user(message.id));
                    user.unwrap_or_else(|| message.name.to_string())
                };
                let others = others.collect::<Vec<_>>();
                others
                    .into_iter()
                    .map(|message| messages::chat(room, &user(message), &message.text))
                    .collect()
            }
            ChatFrame::ChatRejected { id, .. } => {
                known.own_chat.remove(&id);
                vec![messages::error(room, "the chat message was refused")]
            }
        }
    }

    /// The cursor of somebody who uses the web client.
    fn person_moved(&self, person: &Person, before: Option<&Person>, known: &Known) -> Option<String> {
        if known.is_peer(person.session) || known.session == Some(person.session) || !known.has_sheet {
            return None;
        }
        let cell = cursor_of(person, known)?;
        let original = before.and_then(|before| cursor_of(before, known));
        (original.as_ref() != Some(&cell))
            .then(|| messages::ecell(self.name.as_str(), &user_of(person), original.as_deref(), &cell, None))
    }

    /// A message of another client, if it is for this one.
    fn relayed(&self, relayed: Relayed, known: &Known) -> Option<String> {
        let is_own = relayed.from.is_some() && known.session == relayed.from;
        let is_for_me = relayed.to.as_ref().is_none_or(|to| *to == self.user);
        (!is_own && is_for_me).then(|| relayed.message.to_string())
    }

    async fn write(&self, texts: &[String]) -> std::io::Result<()> {
        for text in texts {
            self.write_frame(&OutFrame::text(text)).await?;
        }
        Ok(())
    }

    /// Writes a frame; fails when the client reads too slowly.
    async fn write_frame(&self, frame: &OutFrame) -> std::io::Result<()> {
        let bytes = frame.rest(0).concat();
        let more = Duration::from_secs((bytes.len() / limits::READER_BYTES_PER_SECOND_MIN) as u64);
        self.app.rooms.metrics().bytes_sent.inc_by(bytes.len() as u64);
        timeout(WRITE_MAX + more, self.stream.write_all(&bytes))
            .await
            .unwrap_or_else(|_| Err(std::io::ErrorKind::TimedOut.into()))
    }
}

/// The way to the room.
pub struct RoomSide<'a> {
    member: &'a Member,
    in_flight: &'a Arc<Semaphore>,
}

impl RoomSide<'_> {
    /// Sends a frame to the room.
    pub async fn send(&self, frame: &ClientFrame) {
        let permit = Arc::clone(self.in_flight).acquire_owned().await.expect("never closed");
        self.member.frame(frame.encode().into(), permit, None);
    }
}

/// A name for the marks of a cursor, which are classes of CSS.
fn user_of(person: &Person) -> String {
    let name: String = person.name.chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
    format!("{name}-{}", person.session.0)
}

/// The cell of somebody on the client's sheet.
fn cursor_of(person: &Person, known: &Known) -> Option<String> {
    let sheet = known.follower.as_ref()?.sheet();
    let presence = person.presence.as_ref().filter(|presence| presence.sheet == sheet)?;
    Some(presence.selection.first().to_string())
}
