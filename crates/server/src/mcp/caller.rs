//! [`Caller`]: whom a call comes from, and the agent that acts for them in a room.

use std::sync::Arc;

use axum::http::request::Parts;
use quadrille_access::Action;
use quadrille_protocol::Author;
use rmcp::RoleServer;
use rmcp::service::RequestContext;

use super::agent::{Agent, agent_name};
use super::agents::AgentKey;
use crate::access::{Grant, Identity, Visitor};
use crate::error::{ApiError, ErrorCode};
use crate::http::{App, check_room, open_session_in_process};
use crate::room_name;

/// The context of a call of a tool.
pub type Context = RequestContext<RoleServer>;

/// Whom a call comes from.
pub struct Caller {
    pub app: App,
    pub visitor: Visitor,
    pub identity: Arc<Identity>,
    name: Arc<str>,
}

impl Caller {
    /// Reads the caller from the request.
    ///
    /// # Errors
    /// `internal` when the request did not arrive over HTTP.
    pub fn of(context: &Context) -> Result<Caller, ApiError> {
        let parts = context.extensions.get::<Parts>();
        let found = parts.and_then(|parts| {
            let extensions = &parts.extensions;
            let given = parts.uri.query().and_then(|query| {
                let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
                pairs.filter(|(key, _)| *key == "agent").map(|(_, value)| decoded(value)).next()
            });
            let client = context.meta.client_info().map(|client| client.name.to_string());
            Some(Caller {
                app: extensions.get::<App>()?.clone(),
                visitor: extensions.get::<Visitor>()?.clone(),
                identity: Arc::clone(extensions.get::<Arc<Identity>>()?),
                name: agent_name(given.or(client).as_deref()),
            })
        });
        found.ok_or_else(|| ApiError::new(ErrorCode::Internal, "the request did not arrive over HTTP"))
    }

    /// Checks that the caller may do something in a workbook, and enters its room.
    ///
    /// # Errors
    /// Those of the check, and 503 when no session can be opened.
    pub async fn enter(&self, room: &str, action: Action) -> Result<Agent, ApiError> {
        let room = room_name::parse(room)?;
        let grant = check_room(&self.app, &self.visitor, &self.identity, &room, action).await?;
        let key = AgentKey {
            actor: format!("{:?}", grant.identity.actor),
            author: grant.identity.author.clone(),
            role: grant.role,
            address: self.visitor.address,
            name: Arc::clone(&self.name),
            room: room.clone(),
        };
        if let Some(agent) = self.app.agents.find(&key)? {
            return Ok(agent);
        }
        let grant = Grant { identity: Arc::new(named(&grant.identity, &self.name)), ..grant };
        let opened = open_session_in_process(&self.app, room, grant, self.visitor.clone()).await;
        let stream = opened.map_err(|error| {
            tracing::warn!(%error, "no session for an agent");
            ApiError::new(ErrorCode::Overloaded, "no session can be opened; try again later")
        })?;
        let agent = Agent::join(stream, Arc::clone(&self.name), self.app.agents.workers()).await;
        Ok(self.app.agents.insert(key, agent))
    }
}

/// The identity under the name of the agent. An account stays the one that history and protected
/// ranges know; only its name tells that the agent acts for it.
fn named(identity: &Identity, name: &str) -> Identity {
    let author = identity
        .author
        .as_ref()
        .map(|person| Author { id: person.id.clone(), name: format!("{name} ({})", person.name).into() });
    Identity { author, ..identity.clone() }
}

/// A value of a query: `+` is a space, and bytes are percent-encoded.
fn decoded(value: &str) -> String {
    let value = value.replace('+', " ");
    percent_encoding::percent_decode_str(&value).decode_utf8_lossy().into_owned()
}
