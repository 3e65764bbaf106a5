//! Model Context Protocol: tools by which agents read and change workbooks, at `/mcp` (streamable
//! HTTP, specification of 2026-07-28 and older ones).
//!
//! | file | contents |
//! |---|---|
//! | `tools`, `arguments` | [`Tools`]: the tools, and their arguments, with descriptions |
//! | `caller` | whom a call comes from, and the agent that acts for them |
//! | `agents` | [`Agents`](agents::Agents): the agents that are in rooms now |
//! | `agent` | one agent in a room: a replica over a session within the process |
//! | `workers` | threads for the long work of agents |
//! | `message_room` | the room of a message, for servers that pass it on to the one that runs it |
//! | `planned_edit` | commands that are applied together, or only tried |
//! | `pivot_table` | the commands that make a pivot table |
//! | `cell_report` | cells, sheets and formulas as JSON |
//!
//! An agent is in a room as a person is: with a name, a role, a selection that others see, the limits
//! of a session and undo steps of its own. Requests carry no state, so they may come from any
//! connection: an agent is found again by its credentials and their role, its name and the room.

mod agent;
pub mod agents;
mod arguments;
mod caller;
mod cell_report;
mod message_room;
mod pivot_table;
mod planned_edit;
mod tools;
mod workers;

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tower_service::Service;

use crate::http::App;
use crate::limits;

pub use message_room::room_of;
use tools::Tools;

/// Answers a message of an agent. Hosts and origins are checked for all routes before a request
/// arrives here.
pub async fn serve(State(app): State<App>, mut request: Request) -> Response {
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(limits::JSON_BYTES_MAX)
        .disable_allowed_hosts();
    // Messages carry no state, so each may have a service of its own.
    let sessions: Arc<NeverSessionManager> = Arc::default();
    let mut service = StreamableHttpService::new(|| Ok(Tools), sessions, config);
    request.extensions_mut().insert(app);
    let Ok(response) = service.call(request).await;
    response.map(Body::new)
}
