//! The rate limits in force, with the usage of every room and address.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use quadrille_protocol::RoomName;

use super::client_address::TrustedProxies;
use super::limit::{LimitExceeded, LimitHit};
use super::token_bucket::{Rate, TokenBucket};
use crate::config::Settings;
use crate::limits;

/// Rates of transactions and bytes.
struct Traffic {
    operations: TokenBucket,
    bytes: TokenBucket,
}

impl Traffic {
    fn new(operations: u64, bytes: u64, now: Instant) -> Traffic {
        Traffic {
            operations: TokenBucket::new(Rate(operations), now),
            bytes: TokenBucket::new(Rate(bytes), now),
        }
    }

    /// Counts traffic and returns how long to pause.
    fn take(&self, operations: u64, bytes: usize, now: Instant) -> Duration {
        self.operations.take(operations, now);
        self.bytes.take(bytes as u64, now);
        self.operations.wait(now).max(self.bytes.wait(now))
    }

    fn is_full(&self, now: Instant) -> bool {
        self.operations.is_full(now) && self.bytes.is_full(now)
    }
}

struct RoomLimits {
    traffic: Traffic,
    joins: TokenBucket,
}

struct AddressLimits {
    traffic: Traffic,
    joins: TokenBucket,
    requests: TokenBucket,
    connections: AtomicUsize,
}

/// A counted connection of an address; dropping it decrements the count.
struct AddressConnection(Option<Arc<AddressLimits>>);

impl Drop for AddressConnection {
    fn drop(&mut self) {
        if let Some(address) = &self.0 {
            address.connections.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// The rate limits of a session. Its traffic also counts for its room and its address.
pub struct SessionLimits {
    own: Traffic,
    presence: TokenBucket,
    room: Arc<RoomLimits>,
    address: Option<Arc<AddressLimits>>,
    _connection: AddressConnection,
}

impl SessionLimits {
    /// Counts a frame. Returns the limit with the longest pause before the next frame is read, if
    /// any.
    pub fn take(&self, operations: u64, bytes: usize, now: Instant) -> Option<LimitExceeded> {
        let own = LimitExceeded { limit: LimitHit::Connection, wait: self.own.take(operations, bytes, now) };
        let room =
            LimitExceeded { limit: LimitHit::Room, wait: self.room.traffic.take(operations, bytes, now) };
        let address = self.address.as_ref().map(|address| LimitExceeded {
            limit: LimitHit::Address,
            wait: address.traffic.take(operations, bytes, now),
        });
        let longest = [Some(own), Some(room), address].into_iter().flatten().max_by_key(|over| over.wait);
        longest.filter(|over| !over.wait.is_zero())
    }

    /// Counts a presence frame and returns whether it is within the rate.
    pub fn take_presence(&self, now: Instant) -> bool {
        self.presence.try_take(now).is_ok()
    }
}

/// All rate limits with their usage.
pub struct RateLimiter {
    settings: Arc<Settings>,
    rooms: Table<RoomName, RoomLimits>,
    addresses: Table<IpAddr, AddressLimits>,
    pub trusted: TrustedProxies,
}

impl RateLimiter {
    /// Creates the limits of the settings.
    ///
    /// # Errors
    ///
    /// Fails when `trusted_proxies` has a value that is not an IP address.
    pub fn new(settings: &Arc<Settings>) -> Result<RateLimiter, String> {
        Ok(RateLimiter {
            settings: Arc::clone(settings),
            rooms: Table::default(),
            addresses: Table::default(),
            trusted: TrustedProxies::new(&settings.trusted_proxies, &settings.sign_in_proxies)?,
        })
    }

    /// Counts a session that joins a room. An address of `None` is this machine, which has no
    /// limits.
    ///
    /// # Errors
    ///
    /// Fails when the room or the address has too many joins per second, or the address too many
    /// connections.
    pub fn join(
        &self,
        room: &RoomName,
        address: Option<IpAddr>,
        now: Instant,
    ) -> Result<SessionLimits, LimitExceeded> {
        let room = self.room(room, now);
        let address = address.map(|address| self.address(address, now));
        if let Some(address) = &address {
            let over = |wait| LimitExceeded { limit: LimitHit::AddressJoins, wait };
            address.joins.try_take(now).map_err(over)?;
        }
        let connection = self.count_connection(address.clone())?;
        room.joins.try_take(now).map_err(|wait| LimitExceeded { limit: LimitHit::RoomJoins, wait })?;
        Ok(SessionLimits {
            own: Traffic::new(
                self.settings.connection_operations_per_second,
                limits::CONNECTION_BYTES_PER_SECOND,
                now,
            ),
            presence: TokenBucket::new(Rate(limits::PRESENCE_PER_SECOND), now),
            room,
            address,
            _connection: connection,
        })
    }

    fn count_connection(
        &self,
        address: Option<Arc<AddressLimits>>,
    ) -> Result<AddressConnection, LimitExceeded> {
        if let Some(address) = &address
            && address.connections.fetch_add(1, Ordering::Relaxed) >= self.settings.address_connections_max
        {
            address.connections.fetch_sub(1, Ordering::Relaxed);
            return Err(LimitExceeded {
                limit: LimitHit::AddressConnections,
                wait: Duration::from_secs(limits::PLACE_WAIT_SECONDS),
            });
        }
        Ok(AddressConnection(address))
    }

    /// Counts an HTTP request.
    ///
    /// # Errors
    ///
    /// Fails when the address makes too many requests per second.
    pub fn request(&self, address: Option<IpAddr>, now: Instant) -> Result<(), LimitExceeded> {
        let Some(address) = address else { return Ok(()) };
        let over = |wait| LimitExceeded { limit: LimitHit::AddressRequests, wait };
        self.address(address, now).requests.try_take(now).map_err(over)
    }

    /// Counts a change over HTTP like a transaction of a session.
    ///
    /// # Errors
    ///
    /// Fails, without counting, while the room or the address is over its rate.
    pub fn change(
        &self,
        room: &RoomName,
        address: Option<IpAddr>,
        bytes: usize,
        now: Instant,
    ) -> Result<(), LimitExceeded> {
        let check = |limit, traffic: &Traffic| {
            let wait = traffic.operations.wait(now).max(traffic.bytes.wait(now));
            if wait.is_zero() { Ok(()) } else { Err(LimitExceeded { limit, wait }) }
        };
        let room = self.room(room, now);
        let address = address.map(|address| self.address(address, now));
        check(LimitHit::Room, &room.traffic)?;
        if let Some(address) = &address {
            check(LimitHit::Address, &address.traffic)?;
            address.traffic.take(1, bytes, now);
        }
        room.traffic.take(1, bytes, now);
        Ok(())
    }

    fn room(&self, room: &RoomName, now: Instant) -> Arc<RoomLimits> {
        let settings = &self.settings;
        let new = || RoomLimits {
            traffic: Traffic::new(settings.room_operations_per_second, limits::ROOM_BYTES_PER_SECOND, now),
            joins: TokenBucket::new(Rate(settings.room_joins_per_second), now),
        };
        self.rooms.get(room.clone(), new, |room| room.traffic.is_full(now) && room.joins.is_full(now))
    }

    fn address(&self, address: IpAddr, now: Instant) -> Arc<AddressLimits> {
        let settings = &self.settings;
        let new = || AddressLimits {
            traffic: Traffic::new(
                settings.address_operations_per_second,
                limits::ADDRESS_BYTES_PER_SECOND,
                now,
            ),
            joins: TokenBucket::new(Rate(settings.address_joins_per_second), now),
            requests: TokenBucket::new(Rate(settings.address_requests_per_second), now),
            connections: AtomicUsize::new(0),
        };
        self.addresses.get(address, new, |address| {
            address.traffic.is_full(now) && address.joins.is_full(now) && address.requests.is_full(now)
        })
    }
}

/// Recently used entries. Unused ones are removed, so that the table does not grow with time.
struct Table<K, V>(Mutex<Entries<K, V>>);

struct Entries<K, V> {
    values: HashMap<K, Arc<V>>,
    /// Size at which unused entries are removed.
    sweep_at: usize,
}

impl<K, V> Default for Table<K, V> {
    fn default() -> Table<K, V> {
        Table(Mutex::new(Entries { values: HashMap::new(), sweep_at: 1_024 }))
    }
}

impl<K: Hash + Eq + Clone, V> Table<K, V> {
    fn get(&self, key: K, new: impl FnOnce() -> V, is_unused: impl Fn(&V) -> bool) -> Arc<V> {
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(value) = entries.values.get(&key) {
            return Arc::clone(value);
        }
        if entries.values.len() >= entries.sweep_at {
            entries.values.retain(|_, value| Arc::strong_count(value) > 1 || !is_unused(value));
            // An entry removed too early gets a fresh burst; memory is bounded either way.
            while entries.values.len() >= limits::RATES_REMEMBERED_MAX {
                let some = entries.values.keys().next().cloned().expect("the table is not empty");
                entries.values.remove(&some);
            }
            entries.sweep_at = (2 * entries.values.len()).clamp(1_024, limits::RATES_REMEMBERED_MAX);
        }
        let value = Arc::new(new());
        entries.values.insert(key, Arc::clone(&value));
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::SettingsSource;

    fn limiter(given: SettingsSource) -> RateLimiter {
        RateLimiter::new(&Arc::new(given.or(SettingsSource::default()))).expect("valid settings")
    }

    fn name() -> RoomName {
        RoomName::new("plan").expect("a name")
    }

    const ADDRESS: Option<IpAddr> = Some(IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 1)));

    #[test]
    fn r1_a_fast_session_is_paused_and_others_of_its_room_are_not() {
        let limiter = limiter(SettingsSource {
            connection_operations_per_second: Some(10),
            ..SettingsSource::default()
        });
        let now = Instant::now();
        let fast = limiter.join(&name(), ADDRESS, now).expect("within limits");
        let calm = limiter.join(&name(), ADDRESS, now).expect("within limits");
        assert_eq!(fast.take(10 * limits::BURST_SECONDS, 100, now), None);
        let over = fast.take(1, 100, now).expect("over");
        assert_eq!((over.limit, over.wait), (LimitHit::Connection, Duration::from_millis(100)));
        assert_eq!(calm.take(1, 100, now), None);
    }

    #[test]
    fn a_room_and_an_address_are_limited_over_all_their_sessions() {
        let now = Instant::now();
        for (given, limit) in [
            (SettingsSource { room_operations_per_second: Some(1), ..Default::default() }, LimitHit::Room),
            (
                SettingsSource { address_operations_per_second: Some(1), ..Default::default() },
                LimitHit::Address,
            ),
        ] {
            let limiter = limiter(given);
            let sessions: Vec<_> =
                (0..4).map(|_| limiter.join(&name(), ADDRESS, now).expect("within limits")).collect();
            let hits: Vec<_> = (0..limits::BURST_SECONDS as usize + 1)
                .filter_map(|number| sessions[number % 4].take(1, 1, now))
                .collect();
            assert_eq!(hits.iter().map(|over| over.limit).collect::<Vec<_>>(), [limit]);
            // REST counts too.
            assert_eq!(limiter.change(&name(), ADDRESS, 1, now).expect_err("over").limit, limit);
            assert_eq!(limiter.change(&name(), ADDRESS, 1, now + Duration::from_secs(3)), Ok(()));
        }
    }

    #[test]
    fn joins_and_connections_of_an_address_are_limited_except_for_this_machine() {
        let limiter = limiter(SettingsSource {
            address_joins_per_second: Some(1),
            address_connections_max: Some(5),
            ..SettingsSource::default()
        });
        let now = Instant::now();
        let joined: Vec<_> = (0..5).map(|_| limiter.join(&name(), ADDRESS, now).ok()).collect();
        let refused = limiter.join(&name(), ADDRESS, now).err().map(|over| over.limit);
        assert_eq!(refused, Some(LimitHit::AddressConnections));
        drop(joined);
        let refused: Vec<_> = (0..5).filter_map(|_| limiter.join(&name(), ADDRESS, now).err()).collect();
        assert_eq!(refused.len(), 1);
        assert_eq!((refused[0].limit, refused[0].seconds()), (LimitHit::AddressJoins, 1));
        assert!((0..100).all(|_| limiter.join(&name(), None, now).is_ok()));
    }

    #[test]
    fn unused_addresses_are_removed() {
        let limiter = limiter(SettingsSource::default());
        let now = Instant::now();
        for number in 0..10_000u32 {
            let address = IpAddr::V4(number.into());
            limiter
                .request(Some(address), now + Duration::from_secs(u64::from(number)))
                .expect("within limits");
        }
        assert!(limiter.addresses.0.lock().expect("a test").values.len() <= 2_048);
    }
}
