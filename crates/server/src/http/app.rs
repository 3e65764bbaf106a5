//! The state that request handlers share.

use std::sync::Arc;

use tokio::sync::watch;

use super::fixed_headers::FixedHeaders;
use super::hosts::Hosts;
use crate::access::{Access, Attempts, Passwords, UsedStates};
use crate::config::Settings;
use crate::openid::OpenId;
use crate::rate_limits::RateLimiter;
use crate::rooms::Rooms;

/// The state of the server, cloned for every request.
#[derive(Clone)]
pub struct App {
    pub rooms: Rooms,
    pub settings: Arc<Settings>,
    pub rate_limiter: Arc<RateLimiter>,
    pub fixed_headers: Arc<FixedHeaders>,
    pub access: Access,
    pub passwords: Passwords,
    pub attempts: Arc<Attempts>,
    pub openid: OpenId,
    pub used_states: Arc<UsedStates>,
    pub hosts: Arc<Hosts>,
    /// Becomes `true` when the server stops.
    pub stop: watch::Receiver<bool>,
}
