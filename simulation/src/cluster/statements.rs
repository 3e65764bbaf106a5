//! The connections of a server to the database. Each has a queue of requests, one of which is in progress.
//!
//! As in `storage-postgres`, a request whose connection was lost is run once more on a new one; then the
//! database counts as away, for which only appends wait.

use std::collections::VecDeque;
use std::rc::Rc;

use quadrille_journal::ownership::{ClaimedRoom, Commit, Head, has_to_end};
use quadrille_journal::{Claimed, Loaded, Outcome, PeerId};
use quadrille_room as room;

use super::database::{Answer, Statement};
use super::messages::{Caller, CommitStep, Event, Input, Link, Request};
use super::state::Call;
use super::world::ClusterWorld;
use crate::world::Failure;

/// What a request needs next.
enum Step {
    Statement(Statement),
    Done,
}

const RETRY_DELAY_MIN_MS: u64 = 50;
const RETRY_DELAY_MAX_MS: u64 = 2_000;

impl ClusterWorld {
    /// Adds a request to a connection's queue.
    pub(super) fn request(
        &mut self,
        machine: usize,
        caller: Caller,
        request: Request,
    ) -> Result<(), Failure> {
        self.machines[machine].callers[caller as usize].queue.push_back(request);
        self.next_request(machine, caller)
    }

    fn next_request(&mut self, machine: usize, caller: Caller) -> Result<(), Failure> {
        let state = &mut self.machines[machine].callers[caller as usize];
        if state.current.is_some() {
            return Ok(());
        }
        let Some(mut request) = state.queue.pop_front() else { return Ok(()) };
        if let Request::Append { append, opening } = request {
            let (mut batch, mut openings) = (vec![append], vec![opening]);
            let mut rest = VecDeque::new();
            for waiting in std::mem::take(&mut state.queue) {
                match waiting {
                    Request::Append { append, opening } => {
                        batch.push(append);
                        openings.push(opening);
                    }
                    other => rest.push_back(other),
                }
            }
            state.queue = rest;
            let batch = Rc::new(batch);
            let step = CommitStep::Append;
            request =
                Request::Commit { batch, openings, commit: None, stored: Vec::new(), was_sent: false, step };
        }
        let can_repeat = state.connection.is_some();
        state.current = Some(Call { number: 0, request, can_repeat });
        self.begin(machine, caller)
    }

    /// Connects if necessary, and sends the first statement of the current request.
    fn begin(&mut self, machine: usize, caller: Caller) -> Result<(), Failure> {
        let node = self.machines[machine].node;
        let state = &mut self.machines[machine].callers[caller as usize];
        if state.connection.is_none() {
            self.send_statement(machine, caller, Statement::Connect { node });
            return Ok(());
        }
        let Some(mut call) = state.current.take() else { return Ok(()) };
        let step = self.first_step(machine, &mut call.request);
        self.proceed(machine, caller, call, step)
    }

    fn proceed(&mut self, machine: usize, caller: Caller, call: Call, step: Step) -> Result<(), Failure> {
        match step {
            Step::Statement(statement) => {
                self.machines[machine].callers[caller as usize].current = Some(call);
                self.send_statement(machine, caller, statement);
                Ok(())
            }
            Step::Done => self.next_request(machine, caller),
        }
    }

    fn send_statement(&mut self, machine: usize, caller: Caller, statement: Statement) {
        self.calls += 1;
        let (number, timeout_ms) = (self.calls, self.plan.answer_timeout_ms);
        let process = self.machines[machine].process;
        let state = &mut self.machines[machine].callers[caller as usize];
        let connection = state.connection.unwrap_or_default();
        if let Some(call) = &mut state.current {
            call.number = number;
        }
        let at = self.arrival(Link::Database(machine), (machine as u64 * 3 + caller as u64, true));
        self.at(at, Event::Database { machine, process, caller, connection, call: number, statement });
        self.machine_after(machine, timeout_ms, Input::CallLost { caller, call: number });
    }

    /// A statement reaches the database.
    pub(super) fn database_receives(
        &mut self,
        (machine, process, caller): (usize, u64, Caller),
        connection: u64,
        call: u64,
        statement: Statement,
    ) -> Result<(), Failure> {
        let is_connect = matches!(statement, Statement::Connect { .. });
        let mut is_lost = !self.database.is_up || !(is_connect || self.database.is_live(connection));
        let mut answer = Answer::Done;
        if !is_lost {
            self.report.count("statements");
            answer = match statement {
                Statement::Connect { node } => {
                    Answer::Connected(self.database.connect(machine, process, node))
                }
                statement => self.database.execute(connection, statement)?,
            };
            let lost = &mut self.machines[machine].lost_answers;
            if *lost > 0 && !is_connect {
                *lost -= 1;
                is_lost = true;
                self.report.count("fault: answer lost");
                self.database.disconnect(connection);
            }
        }
        let input = match is_lost {
            true => Input::CallLost { caller, call },
            false => Input::Answer { caller, call, answer: Box::new(answer) },
        };
        let at = self.arrival(Link::Database(machine), (machine as u64 * 3 + caller as u64, false));
        self.at(at, Event::Machine { machine, process, input });
        Ok(())
    }

    /// An answer reaches a server.
    pub(super) fn answered(
        &mut self,
        machine: usize,
        caller: Caller,
        number: u64,
        answer: Answer,
    ) -> Result<(), Failure> {
        let state = &mut self.machines[machine].callers[caller as usize];
        let Some(mut call) = state.current.take_if(|call| call.number == number) else { return Ok(()) };
        if let Answer::Connected(connection) = answer {
            state.connection = Some(connection);
            state.retry_delay_ms = RETRY_DELAY_MIN_MS;
            let step = self.first_step(machine, &mut call.request);
            return self.proceed(machine, caller, call, step);
        }
        let process = self.machines[machine].process;
        let step = self.next_step(machine, &mut call.request, answer)?;
        if self.machines[machine].process != process {
            return Ok(()); // it has ended
        }
        self.proceed(machine, caller, call, step)
    }

    /// The connection of a call was lost, or it had no answer for too long.
    pub(super) fn call_lost(&mut self, machine: usize, caller: Caller, number: u64) -> Result<(), Failure> {
        let state = &mut self.machines[machine].callers[caller as usize];
        let Some(call) = state.current.as_mut().filter(|call| call.number == number) else { return Ok(()) };
        // No later statement of the old connection is executed once there is a new one.
        if let Some(connection) = state.connection.take() {
            self.database.disconnect(connection);
        }
        if std::mem::take(&mut call.can_repeat) {
            return self.begin(machine, caller);
        }
        let waits = matches!(call.request, Request::Commit { .. } | Request::Join);
        if waits {
            call.number = 0;
            let delay_ms = state.retry_delay_ms.max(RETRY_DELAY_MIN_MS);
            state.retry_delay_ms = (delay_ms * 2).min(RETRY_DELAY_MAX_MS);
            self.machine_after(machine, delay_ms, Input::Retry { caller });
            return Ok(());
        }
        let call = state.current.take().expect("looked at above");
        self.report.count("requests failed because the database was away");
        self.fail(machine, call.request)?;
        self.next_request(machine, caller)
    }

    /// Connects again after a pause.
    pub(super) fn retry(&mut self, machine: usize, caller: Caller) -> Result<(), Failure> {
        match self.machines[machine].callers[caller as usize].current {
            Some(Call { number: 0, .. }) => self.begin(machine, caller),
            _ => Ok(()),
        }
    }

    /// The first statement of a request, also when it is run again.
    fn first_step(&mut self, machine: usize, request: &mut Request) -> Step {
        let heir = match request {
            Request::Release { heir: Some(heir), .. } => self.machines[*heir].node,
            _ => None,
        };
        let state = &mut self.machines[machine];
        let node = state.node.unwrap_or(PeerId(0));
        let statement = match request {
            Request::Join => Statement::Join,
            Request::Leave => Statement::Leave { node },
            Request::Beat { poll, to_remove } => {
                (*poll, *to_remove) = (None, Vec::new());
                Statement::Beat { node }
            }
            Request::Open { room, claim } => {
                *claim = None;
                Statement::Claim { node, room: self.names[*room].clone() }
            }
            Request::Append { .. } => unreachable!("appends are committed"),
            Request::Commit { batch, commit, stored, was_sent, step, .. } => {
                let commit = commit.get_or_insert_with(|| Commit::new(batch, &state.heads, &state.claimed));
                (*step, *stored) = (CommitStep::Append, Vec::new());
                *was_sent = commit.begin_attempt();
                Statement::Append { batch: Rc::clone(batch), commit: commit.clone() }
            }
            Request::Tail { key, after, bytes_max, .. } => {
                Statement::Tail { key: *key, after: *after, bytes_max: *bytes_max }
            }
            Request::Piece { key, snapshot, written } => {
                // A new connection begins the snapshot again.
                let Some(claimed) = state.claimed.get(*key) else { return Step::Done };
                let (key, epoch, snapshot) = (*key, claimed.epoch, snapshot.clone());
                Statement::Piece { key, epoch, snapshot, from: *written, bytes_max: SNAPSHOT_PIECE_BYTES }
            }
            Request::Release { key, .. } => {
                state.heads.remove(key);
                let Some(claimed) = state.claimed.remove(*key) else { return Step::Done };
                Statement::Release { room: claimed.name, epoch: claimed.epoch, heir }
            }
            Request::Owner { room, .. } => Statement::Owner { room: self.names[*room].clone() },
        };
        Step::Statement(statement)
    }

    /// What follows an answer.
    fn next_step(&mut self, machine: usize, request: &mut Request, answer: Answer) -> Result<Step, Failure> {
        let node = self.machines[machine].node.unwrap_or(PeerId(0));
        match (request, answer) {
            (Request::Join, Answer::Joined(node)) => self.joined(machine, node)?,
            (Request::Leave, _) => self.end_process(machine, "servers stopped in order", None)?,
            (Request::Beat { poll, to_remove }, answer) => {
                match answer {
                    Answer::Is(has_row) if poll.is_none() => {
                        if has_to_end(has_row) {
                            self.end_process(machine, "servers ended because they were removed", Some(500))?;
                            return Ok(Step::Done);
                        }
                        return Ok(Step::Statement(Statement::Heartbeats { node }));
                    }
                    Answer::Heartbeats(heartbeats) => {
                        let mut counted = self.machines[machine].monitor.poll(&heartbeats);
                        *to_remove = std::mem::take(&mut counted.silent);
                        *poll = Some(counted);
                    }
                    Answer::Is(is_removed) => {
                        let silent = to_remove.pop().expect("its removal was answered");
                        if is_removed {
                            self.report.count("servers removed by others");
                            poll.iter_mut().for_each(|poll| poll.removed(silent.peer));
                        }
                    }
                    other => return Err(format!("a heartbeat was answered with {other:?}")),
                }
                if let Some(silent) = to_remove.last() {
                    return Ok(Step::Statement(Statement::Remove { node, silent: *silent }));
                }
                if let Some(poll) = poll.take() {
                    let departed = self.machines[machine].monitor.finish(poll);
                    self.departed(machine, &departed)?;
                }
                self.schedule_beat(machine);
            }
            (Request::Open { room, claim }, Answer::Claimed(claimed)) => match claimed {
                Claimed::Own { epoch, claim: own, is_written } => {
                    let (name, state) = (self.names[*room].clone(), &mut self.machines[machine]);
                    let claimed = ClaimedRoom { name, epoch, created_ms: None, is_written };
                    state.claimed.insert(own.key, claimed);
                    state.heads.insert(own.key, Head { revision: own.head, base: own.base });
                    *claim = Some(own);
                    return Ok(Step::Statement(Statement::Load { key: own.key }));
                }
                Claimed::Elsewhere { .. } => self.open_failed(machine, *room)?,
                Claimed::Replaced => {
                    self.end_process(machine, "servers ended because they were removed", Some(500))?;
                }
            },
            (Request::Open { room, claim: Some(claim) }, Answer::Loaded(loaded)) => {
                let Loaded { snapshot, records } = loaded;
                // Records of another server are not read: the claim has moved the epoch before.
                self.opened(machine, *room, *claim, &Loaded { snapshot, records })?;
            }
            (Request::Commit { batch, openings, commit: Some(commit), stored, was_sent, step }, answer) => {
                match (&*step, answer) {
                    (CommitStep::IsJoined, Answer::Is(has_row)) => {
                        if has_to_end(has_row) {
                            self.end_process(machine, "servers ended because they were removed", Some(500))?;
                            return Ok(Step::Done);
                        }
                    }
                    (last, Answer::Stored(found)) => {
                        *stored = found;
                        if *last == CommitStep::Append && *was_sent {
                            *step = CommitStep::FindStored;
                            let (batch, commit) = (Rc::clone(batch), commit.clone());
                            let stored = stored.clone();
                            return Ok(Step::Statement(Statement::FindStored { batch, commit, stored }));
                        }
                        if commit.has_fenced(stored) {
                            *step = CommitStep::IsJoined;
                            return Ok(Step::Statement(Statement::IsJoined { node }));
                        }
                    }
                    (_, other) => return Err(format!("a commit was answered with {other:?}")),
                }
                let state = &mut self.machines[machine];
                let outcomes = commit.finish(batch, stored, &mut state.heads, &mut state.claimed);
                let openings = std::mem::take(openings);
                self.report.count("batches appended");
                for (opening, outcome) in openings.into_iter().zip(outcomes) {
                    let event = match outcome {
                        Outcome::Durable { head } => room::Event::Durable { up_to: head },
                        Outcome::Fenced => {
                            self.report.count("appends fenced");
                            room::Event::AppendFailed
                        }
                    };
                    self.opening_event(machine, opening, event)?;
                }
            }
            (Request::Tail { opening, session, after, .. }, Answer::Tail(records)) => {
                let records = records.unwrap_or_default().into_iter();
                let records = records.map(|record| (record.revision, record.bytes)).collect();
                let (session, after) = (*session, *after);
                self.opening_event(machine, *opening, room::Event::Tail { session, after, records })?;
            }
            (Request::Piece { snapshot, written, key }, Answer::Piece(result)) => match result {
                Ok(up_to) if up_to < snapshot.bytes.len() => {
                    *written = up_to;
                    let mut next = Request::Piece { key: *key, snapshot: snapshot.clone(), written: up_to };
                    return Ok(self.first_step(machine, &mut next));
                }
                Ok(_) => self.report.count("snapshots stored"),
                Err(_) => self.report.count("snapshots refused"),
            },
            (Request::Owner { connection, room }, Answer::Owner(owner)) => {
                self.owner_found(machine, *connection, *room, owner)?;
            }
            (Request::Release { .. }, _) => self.report.count("rooms released"),
            (_, other) => return Err(format!("unexpected answer: {other:?}")),
        }
        Ok(Step::Done)
    }

    /// The database is away, and the request does not wait for it.
    fn fail(&mut self, machine: usize, request: Request) -> Result<(), Failure> {
        match request {
            Request::Beat { .. } => {
                self.machines[machine].monitor.unanswered();
                self.schedule_beat(machine);
                Ok(())
            }
            Request::Open { room, .. } => self.open_failed(machine, room),
            Request::Tail { opening, session, .. } => self.tail_failed(machine, opening, session),
            Request::Owner { connection, .. } => self.refuse_client(machine, connection),
            Request::Leave => self.end_process(machine, "servers stopped in order", None),
            _ => Ok(()),
        }
    }
}

/// Bytes of a piece of a snapshot; snapshots of short runs have several.
const SNAPSHOT_PIECE_BYTES: usize = 400;
