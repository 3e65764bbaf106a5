//! [`Agents`]: the agents that are in rooms now.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use quadrille_protocol::{Author, Role, RoomName};

use super::agent::Agent;
use super::workers::Workers;
use crate::error::{ApiError, ErrorCode};
use crate::limits;

/// The agents of the process. Clones share them.
#[derive(Clone, Default)]
pub struct Agents {
    present: Arc<Mutex<HashMap<AgentKey, Agent>>>,
    workers: Workers,
}

/// By what an agent is found again.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct AgentKey {
    /// The credentials, as the audit log names them.
    pub actor: String,
    /// The person for whom the agent acts: a host application vouches for many under one actor.
    pub author: Option<Author>,
    /// The role that the credentials give: nobody acts by an agent with more rights.
    pub role: Role,
    /// The network address, by which those without credentials differ.
    pub address: Option<IpAddr>,
    pub name: Arc<str>,
    pub room: RoomName,
}

impl Agents {
    /// The agent, if it is in the room.
    ///
    /// # Errors
    /// 503 when it is not and too many others are in rooms.
    pub fn find(&self, key: &AgentKey) -> Result<Option<Agent>, ApiError> {
        let mut present = self.lock();
        present.retain(|_, agent| agent.is_present());
        if let Some(agent) = present.get(key) {
            return Ok(Some(agent.clone()));
        }
        match present.len() < limits::AGENTS_MAX {
            true => Ok(None),
            false => {
                Err(ApiError::new(ErrorCode::Overloaded, "too many agents are in rooms; try again later"))
            }
        }
    }

    /// Adds an agent that has entered a room, unless another request has done so meanwhile: that one is
    /// returned, and the given one leaves.
    pub fn insert(&self, key: AgentKey, agent: Agent) -> Agent {
        match self.lock().entry(key) {
            Entry::Occupied(entry) if entry.get().is_present() => entry.get().clone(),
            entry => entry.insert_entry(agent).get().clone(),
        }
    }

    /// The threads on which agents do long work.
    pub fn workers(&self) -> Workers {
        self.workers.clone()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<AgentKey, Agent>> {
        self.present.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
