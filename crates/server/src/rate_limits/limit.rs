//! The rate limits by name.

use std::time::Duration;

/// A rate limit, as logs and `/metrics` name it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LimitHit {
    Connection,
    Room,
    Address,
    Presence,
    RoomJoins,
    AddressJoins,
    AddressConnections,
    AddressRequests,
    /// Transactions or sessions of one account.
    Account,
    Tenant,
}

impl LimitHit {
    pub const ALL: [LimitHit; 10] = [
        LimitHit::Connection,
        LimitHit::Room,
        LimitHit::Address,
        LimitHit::Presence,
        LimitHit::RoomJoins,
        LimitHit::AddressJoins,
        LimitHit::AddressConnections,
        LimitHit::AddressRequests,
        LimitHit::Account,
        LimitHit::Tenant,
    ];

    /// Returns the value of the metric label `limit`.
    pub const fn name(self) -> &'static str {
        match self {
            LimitHit::Connection => "connection",
            LimitHit::Room => "room",
            LimitHit::Address => "address",
            LimitHit::Presence => "presence",
            LimitHit::RoomJoins => "room_joins",
            LimitHit::AddressJoins => "address_joins",
            LimitHit::AddressConnections => "address_connections",
            LimitHit::AddressRequests => "address_requests",
            LimitHit::Account => "account",
            LimitHit::Tenant => "tenant",
        }
    }
}

/// A rate limit that was exceeded, with the time until it allows more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LimitExceeded {
    pub limit: LimitHit,
    pub wait: Duration,
}

impl LimitExceeded {
    /// Returns the time to wait for `retry-after` and close reasons: whole seconds, at least one.
    pub fn seconds(&self) -> u64 {
        self.wait.as_secs_f64().ceil().max(1.0) as u64
    }
}
