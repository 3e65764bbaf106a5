//! [`Agent`]: an agent in a room.
//!
//! A task owns its replica and the client's end of a session within the process. It reads all frames,
//! so that the session does not fall behind, and leaves the room after a time without requests. Long
//! work on the replica, such as reading the workbook or calculating it, runs on [`Workers`].

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::{SinkExt, StreamExt};
use quadrille_cell::{Range, SheetId};
use quadrille_protocol::{Presence, Revision};
use quadrille_replica::{Effect, Event, Replica, ReplicaError, Status, Timestamp};
use serde_json::{Value as Json, json};
use tokio::net::TcpStream;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{sleep_until, timeout_at};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::Role as SocketRole;
use tokio_tungstenite::tungstenite::{Error as SocketError, Message};

use super::cell_report;
use super::planned_edit::PlannedEdit;
use super::workers::Workers;
use crate::access::now_ms;
use crate::error::{ApiError, ErrorCode};
use crate::limits;

/// Reads a replica on the agent's task.
pub type Look = Box<dyn FnOnce(&Replica) -> Result<Json, ApiError> + Send>;

/// An agent in a room. Clones are the same agent; it leaves some time after the last request.
#[derive(Clone)]
pub struct Agent {
    requests: mpsc::Sender<Request>,
}

struct Request {
    work: Work,
    reply: oneshot::Sender<Result<Json, ApiError>>,
}

enum Work {
    /// Reads, and shows the others the range that is read.
    Look { selection: Option<(SheetId, Range)>, look: Look },
    /// Applies commands together.
    Edit { commands: Vec<Json>, is_dry_run: bool },
    /// Undoes the last steps of the agent.
    Undo { steps: u32 },
}

/// Requests that wait for an agent.
const REQUESTS_MAX: usize = 16;
/// Frames up to this size are applied on the task itself: they take less than a millisecond.
const SMALL_FRAME_BYTES: usize = 16 << 10;
/// Time limit for receiving the workbook, for calculating it and for the confirmation of a change.
const PATIENCE: Duration = Duration::from_secs(30);
/// Time after which a selection that came too early is sent.
const TICK: Duration = Duration::from_millis(250);

impl Agent {
    /// Begins with the client's end of a session in which nothing has been exchanged.
    pub async fn join(stream: TcpStream, name: Arc<str>, workers: Workers) -> Agent {
        let socket = WebSocketStream::from_raw_socket(stream, SocketRole::Client, None).await;
        let (requests, received) = mpsc::channel(REQUESTS_MAX);
        let replica = Some(Replica::new(name, None, getrandom::u64().unwrap_or(0)));
        let member = Member { socket, replica, workers, problems: Vec::new(), is_over: false };
        tokio::spawn(member.run(received));
        Agent { requests }
    }

    /// Whether the agent is in the room.
    pub fn is_present(&self) -> bool {
        !self.requests.is_closed()
    }

    /// Reads the workbook with all values up to date. Others see `selection` as the agent's.
    ///
    /// # Errors
    /// Those of `look`, and 503 when the workbook does not arrive or the agent has left.
    pub async fn look(&self, selection: Option<(SheetId, Range)>, look: Look) -> Result<Json, ApiError> {
        self.request(Work::Look { selection, look }).await
    }

    /// Applies commands as one undo step, all or none, and returns the cells that change. A dry run
    /// changes nothing.
    ///
    /// # Errors
    /// 422 for a command that cannot be carried out, with its number.
    pub async fn edit(&self, commands: Vec<Json>, is_dry_run: bool) -> Result<Json, ApiError> {
        self.request(Work::Edit { commands, is_dry_run }).await
    }

    /// Undoes the last steps of this agent, and only these.
    ///
    /// # Errors
    /// When there is nothing to undo.
    pub async fn undo(&self, steps: u32) -> Result<Json, ApiError> {
        self.request(Work::Undo { steps }).await
    }

    async fn request(&self, work: Work) -> Result<Json, ApiError> {
        let (reply, answer) = oneshot::channel();
        self.requests.send(Request { work, reply }).await.map_err(|_| left())?;
        answer.await.map_err(|_| left())?
    }
}

fn left() -> ApiError {
    ApiError::new(ErrorCode::Overloaded, "the session of the agent has ended; try again")
}

/// The agent's side of its session.
struct Member {
    socket: WebSocketStream<TcpStream>,
    /// `None` while it is on a worker, and after a worker has failed with it.
    replica: Option<Replica>,
    workers: Workers,
    /// What the replica reported since it was last asked.
    problems: Vec<ReplicaError>,
    is_over: bool,
}

impl Member {
    async fn run(mut self, mut requests: mpsc::Receiver<Request>) {
        self.handle(Event::Connected).await;
        let idle = Duration::from_secs(limits::AGENT_IDLE_SECONDS_MAX);
        let mut leave_at = Instant::now() + idle;
        let mut tick_at = Instant::now() + TICK;
        while !self.is_over {
            tokio::select! {
                message = self.socket.next() => self.received(message).await,
                () = sleep_until(tick_at.min(leave_at).into()) => {
                    if leave_at <= Instant::now() {
                        break;
                    }
                    self.handle(Event::Tick).await;
                    // Nothing is due until the next request.
                    tick_at = leave_at;
                }
                request = requests.recv() => {
                    let Some(Request { work, reply }) = request else { break };
                    let answer = self.serve(work).await;
                    // The caller may have gone.
                    let _ = reply.send(answer);
                    leave_at = Instant::now() + idle;
                    tick_at = Instant::now() + TICK;
                }
            }
        }
        let _ = self.socket.close(None).await;
    }

    async fn serve(&mut self, work: Work) -> Result<Json, ApiError> {
        self.wait_until(|member| member.status() != Some(Status::Loading)).await?;
        self.calculate().await?;
        self.problems.clear();
        match work {
            Work::Look { selection, look } => {
                if let Some((sheet, selection)) = selection {
                    self.select(sheet, selection).await;
                }
                self.work(move |replica| look(replica)).await?
            }
            Work::Edit { commands, is_dry_run } => self.edit(commands, is_dry_run).await,
            Work::Undo { steps } => {
                let mut undone = 0;
                while undone < steps && (undone == 0 || self.replica()?.can_undo()) {
                    self.work_and_send(|replica| replica.handle(now(), Event::Undo)).await?;
                    self.confirmed().await?;
                    undone += 1;
                }
                Ok(json!({ "undone": undone, "revision": self.replica()?.revision().0 }))
            }
        }
    }

    async fn edit(&mut self, commands: Vec<Json>, is_dry_run: bool) -> Result<Json, ApiError> {
        let plan = move |replica: &mut Replica| {
            let before = replica.document().snapshot();
            PlannedEdit::plan(replica, &commands, now()).map(|edit| (edit, before))
        };
        let (mut edit, before) = self.work(plan).await??;
        let give_up_at = Instant::now() + PATIENCE;
        while !edit.is_calculated() && Instant::now() < give_up_at {
            let calculate = move || {
                edit.calculate(Workers::turn_end());
                edit
            };
            edit = self.workers.run(calculate).await.ok_or_else(left)?;
        }
        let compare = move || (edit.changed_cells(&before), edit);
        let (changed, edit) = self.workers.run(compare).await.ok_or_else(left)?;
        if is_dry_run {
            return Ok(json!({ "dryRun": true, "changed": changed }));
        }
        if let Some((sheet, range)) = edit.target() {
            self.select(sheet, range).await;
        }
        let apply = move |replica: &mut Replica| {
            let event = Event::Transaction { transaction: edit.transaction, is_undoable: true };
            replica.handle(now(), event)
        };
        self.work_and_send(apply).await?;
        let revision = self.confirmed().await?;
        Ok(json!({ "revision": revision.0, "changed": changed }))
    }

    async fn select(&mut self, sheet: SheetId, selection: Range) {
        self.handle(Event::Select(Presence { sheet, selection, is_editing: false })).await;
    }

    /// Waits until the own changes are durable, and returns the revision.
    async fn confirmed(&mut self) -> Result<Revision, ApiError> {
        self.refused()?;
        let is_reached =
            |member: &Member| member.status() == Some(Status::Saved) || !member.problems.is_empty();
        self.wait_until(is_reached).await?;
        self.refused()?;
        Ok(self.replica()?.revision())
    }

    fn refused(&mut self) -> Result<(), ApiError> {
        let Some(problem) = self.problems.drain(..).next() else { return Ok(()) };
        let code = match problem {
            ReplicaError::EditNotAllowed { .. } | ReplicaError::Protected(_) => ErrorCode::Forbidden,
            ReplicaError::Ended { .. } | ReplicaError::BadFrame { .. } => ErrorCode::Overloaded,
            _ => ErrorCode::BadCommand,
        };
        Err(ApiError::new(code, problem.to_string()))
    }

    async fn wait_until(&mut self, is_reached: impl Fn(&Member) -> bool) -> Result<(), ApiError> {
        let give_up_at = Instant::now() + PATIENCE;
        while !is_reached(self) && !self.is_over {
            match timeout_at(give_up_at.into(), self.socket.next()).await {
                Ok(message) => self.received(message).await,
                Err(_) => self.is_over = true,
            }
        }
        if !is_reached(self) {
            self.refused()?;
            return Err(left());
        }
        Ok(())
    }

    /// Calculates all formulas, within a time limit.
    async fn calculate(&mut self) -> Result<(), ApiError> {
        let give_up_at = Instant::now() + PATIENCE;
        let mut is_calculated = self.replica()?.document().is_calculated();
        while !is_calculated && Instant::now() < give_up_at {
            let calculate = |replica: &mut Replica| {
                let until = Workers::turn_end();
                loop {
                    let is_calculated = replica.evaluate(Workers::STEPS);
                    if is_calculated || until <= Instant::now() {
                        return is_calculated;
                    }
                }
            };
            is_calculated = self.work(calculate).await?;
        }
        // Nobody draws these changes.
        let replica = self.replica.as_mut().ok_or_else(left)?;
        replica.take_changes();
        replica.take_structural_edits();
        Ok(())
    }

    async fn received(&mut self, message: Option<Result<Message, SocketError>>) {
        match message {
            Some(Ok(Message::Binary(frame))) => {
                // The first frames bring the workbook.
                let is_small = frame.len() <= SMALL_FRAME_BYTES;
                if is_small {
                    self.handle(Event::Frame(&frame)).await;
                } else {
                    let apply = move |replica: &mut Replica| replica.handle(now(), Event::Frame(&frame));
                    // A failure ends the session.
                    let _ = self.work_and_send(apply).await;
                }
            }
            Some(Ok(Message::Close(frame))) => {
                self.handle(Event::Disconnected { code: frame.map(|frame| frame.code.into()) }).await;
                self.is_over = true;
            }
            Some(Ok(_)) => {}
            Some(Err(_)) | None => self.is_over = true,
        }
    }

    /// Handles an event that takes less than a millisecond.
    async fn handle(&mut self, event: Event<'_>) {
        let effects = self.replica.as_mut().map(|replica| replica.handle(now(), event));
        self.send(effects.unwrap_or_default()).await;
    }

    async fn work_and_send(
        &mut self,
        work: impl FnOnce(&mut Replica) -> Vec<Effect> + Send + 'static,
    ) -> Result<(), ApiError> {
        let effects = self.work(work).await?;
        self.send(effects).await;
        Ok(())
    }

    /// Does long work on the replica. The agent leaves the room when the work panics.
    async fn work<T: Send + 'static>(
        &mut self,
        work: impl FnOnce(&mut Replica) -> T + Send + 'static,
    ) -> Result<T, ApiError> {
        let mut replica = self.replica.take().ok_or_else(left)?;
        let worked = self.workers.run(move || (work(&mut replica), replica)).await;
        let Some((value, replica)) = worked else {
            self.is_over = true;
            return Err(left());
        };
        self.replica = Some(replica);
        Ok(value)
    }

    async fn send(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Send(frame) => {
                    if self.socket.send(Message::Binary(frame.into())).await.is_err() {
                        self.is_over = true;
                    }
                }
                Effect::Problem(problem) => self.problems.push(problem),
                Effect::Close { .. } => self.is_over = true,
                Effect::Status(_) | Effect::People => {}
            }
        }
    }

    fn replica(&self) -> Result<&Replica, ApiError> {
        self.replica.as_ref().ok_or_else(left)
    }

    fn status(&self) -> Option<Status> {
        self.replica.as_ref().map(Replica::status)
    }
}

/// The time for transactions.
fn now() -> Timestamp {
    Timestamp { unix_ms: now_ms() }
}

/// The people in the room, for the description of a workbook.
pub fn people(replica: &Replica) -> Json {
    let listed = replica.people().listed().map(|person| {
        let selection = person.presence.as_ref().and_then(|presence| {
            let sheet = replica.document().workbook().sheet(presence.sheet)?;
            Some(cell_report::reference(sheet, presence.selection))
        });
        json!({ "name": &*person.name, "role": person.role.name(), "selection": selection })
    });
    Json::Array(listed.collect())
}

/// A name that agents give themselves, shortened to what the protocol takes.
pub fn agent_name(given: Option<&str>) -> Arc<str> {
    let given = given.map(str::trim).filter(|name| !name.is_empty()).unwrap_or("Agent");
    let given = given.chars().filter(|character| !character.is_control());
    given.take(limits::AGENT_NAME_CHARACTERS_MAX).collect::<String>().into()
}
