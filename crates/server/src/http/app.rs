//! The state that request handlers share.

use std::sync::Arc;

use tokio::sync::watch;

use super::ethercalc_clipboards::EtherCalcClipboards;
use super::ethercalc_socket::EtherCalcPeers;
use super::fixed_headers::FixedHeaders;
use super::hosts::Hosts;
use super::owner_relay::relay::OwnerRelay;
use super::running_keys::RunningKeys;
use super::socket_io::SocketIo;
use crate::access::{Access, Attempts, Denials, Passwords, ProxySignIn, UsedStates};
use crate::config::Settings;
use crate::mail::Mailer;
use crate::mcp::agents::Agents;
use crate::openid::OpenId;
use crate::published::PublishedPages;
use crate::quotas::Quotas;
use crate::rate_limits::RateLimiter;
use crate::rooms::Rooms;
use crate::time_triggers::TimeTriggers;
use crate::webhooks::Webhooks;

/// The state of the server, cloned for every request.
#[derive(Clone)]
pub struct App {
    pub rooms: Rooms,
    pub settings: Arc<Settings>,
    pub rate_limiter: Arc<RateLimiter>,
    pub fixed_headers: Arc<FixedHeaders>,
    pub access: Access,
    pub proxy_sign_in: Option<Arc<ProxySignIn>>,
    pub passwords: Passwords,
    pub attempts: Arc<Attempts>,
    pub openid: OpenId,
    pub used_states: Arc<UsedStates>,
    pub hosts: Arc<Hosts>,
    pub quotas: Quotas,
    pub denials: Arc<Denials>,
    /// Held by the run of the maintenance, of which there is one at a time.
    pub maintaining: Arc<tokio::sync::Mutex<()>>,
    /// `None` when no mail server is set.
    pub mailer: Option<Mailer>,
    pub ethercalc_clipboards: EtherCalcClipboards,
    pub time_triggers: Arc<TimeTriggers>,
    pub agents: Agents,
    pub ethercalc_peers: EtherCalcPeers,
    pub socket_io: SocketIo,
    pub running_keys: RunningKeys,
    pub webhooks: Webhooks,
    pub published: PublishedPages,
    /// To the servers that run other rooms of the same database.
    pub relay: OwnerRelay,
    /// Becomes `true` when the server stops.
    pub stop: watch::Receiver<bool>,
}
