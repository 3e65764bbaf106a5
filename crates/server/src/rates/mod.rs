//! How fast anybody may go: per connection, per room, per address. The table is in `docs/configuration.md`.
//!
//! Who sends more than that is read from more slowly, so that nothing is lost and nothing has to be sent again (R1). Only
//! when the wait would be longer than a person's patience is the session closed, with the time to wait (R2); a REST
//! request is then answered with 429. Presence beyond its rate is dropped (R3).

mod address;
mod bucket;

use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use quadrille_protocol::RoomName;

pub use address::{TrustedProxies, client_address};
use bucket::{Bucket, Rate};

use crate::config::Settings;
use crate::limits;

/// Which limit was met, as logs and `/metrics` name it.
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
}

impl LimitHit {
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
        }
    }
}

/// Over a limit, and for how long.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LimitExceeded {
    pub limit: LimitHit,
    pub wait: Duration,
}

impl LimitExceeded {
    /// For `retry-after` and close reasons: whole seconds, at least one.
    pub fn seconds(&self) -> u64 {
        self.wait.as_secs_f64().ceil().max(1.0) as u64
    }
}

/// Transactions and bytes of whoever sends.
struct Traffic {
    operations: Bucket,
    bytes: Bucket,
}

impl Traffic {
    fn new(operations: u64, bytes: u64, now: Instant) -> Traffic {
        Traffic { operations: Bucket::new(Rate(operations), now), bytes: Bucket::new(Rate(bytes), now) }
    }

    fn take(&self, operations: u64, bytes: usize, now: Instant) -> Duration {
        self.operations.take(operations, now);
        self.bytes.take(bytes as u64, now);
        self.operations.wait(now).max(self.bytes.wait(now))
    }

    fn is_full(&self, now: Instant) -> bool {
        self.operations.is_full(now) && self.bytes.is_full(now)
    }
}

pub struct RoomRates {
    traffic: Traffic,
    joins: Bucket,
}

pub struct AddressRates {
    traffic: Traffic,
    joins: Bucket,
    requests: Bucket,
    connections: AtomicUsize,
}

/// A connection of an address, counted until dropped.
pub struct AddressConnection(Option<Arc<AddressRates>>);

impl Drop for AddressConnection {
    fn drop(&mut self) {
        if let Some(address) = &self.0 {
            address.connections.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// What a session may still do; what it does counts for its room and its address too.
pub struct SessionRates {
    own: Traffic,
    presence: Bucket,
    room: Arc<RoomRates>,
    address: Option<Arc<AddressRates>>,
    _place: AddressConnection,
}

impl SessionRates {
    /// A frame has come: how long nothing more is to be read, if not at once.
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

    /// Whether this word of presence is passed on.
    pub fn take_presence(&self, now: Instant) -> bool {
        self.presence.try_take(now).is_ok()
    }
}

/// The rates in force, and who has used how much of them.
pub struct Rates {
    settings: Arc<Settings>,
    rooms: Table<RoomName, RoomRates>,
    addresses: Table<IpAddr, AddressRates>,
    pub trusted: TrustedProxies,
}

impl Rates {
    /// An error names the setting that is no address.
    pub fn new(settings: &Arc<Settings>) -> Result<Rates, String> {
        Ok(Rates {
            settings: Arc::clone(settings),
            rooms: Table::default(),
            addresses: Table::default(),
            trusted: TrustedProxies::new(&settings.trusted_proxies)?,
        })
    }

    /// Somebody wants to join a room. `None` is an address without limits: this machine.
    pub fn join(
        &self,
        room: &RoomName,
        address: Option<IpAddr>,
        now: Instant,
    ) -> Result<SessionRates, LimitExceeded> {
        let room = self.room(room, now);
        let address = address.map(|address| self.address(address, now));
        if let Some(address) = &address {
            let over = |wait| LimitExceeded { limit: LimitHit::AddressJoins, wait };
            address.joins.try_take(now).map_err(over)?;
        }
        let place = self.place(address.clone())?;
        room.joins.try_take(now).map_err(|wait| LimitExceeded { limit: LimitHit::RoomJoins, wait })?;
        Ok(SessionRates {
            own: Traffic::new(
                self.settings.connection_operations_per_second,
                limits::CONNECTION_BYTES_PER_SECOND,
                now,
            ),
            presence: Bucket::new(Rate(limits::PRESENCE_PER_SECOND), now),
            room,
            address,
            _place: place,
        })
    }

    fn place(&self, address: Option<Arc<AddressRates>>) -> Result<AddressConnection, LimitExceeded> {
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

    /// A request over HTTP.
    pub fn request(&self, address: Option<IpAddr>, now: Instant) -> Result<(), LimitExceeded> {
        let Some(address) = address else { return Ok(()) };
        let over = |wait| LimitExceeded { limit: LimitHit::AddressRequests, wait };
        self.address(address, now).requests.try_take(now).map_err(over)
    }

    /// A change over HTTP: it counts like a session's, and is refused while there is nothing left.
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

    fn room(&self, room: &RoomName, now: Instant) -> Arc<RoomRates> {
        let settings = &self.settings;
        let new = || RoomRates {
            traffic: Traffic::new(settings.room_operations_per_second, limits::ROOM_BYTES_PER_SECOND, now),
            joins: Bucket::new(Rate(settings.room_joins_per_second), now),
        };
        self.rooms.get(room.clone(), new, |room| room.traffic.is_full(now) && room.joins.is_full(now))
    }

    fn address(&self, address: IpAddr, now: Instant) -> Arc<AddressRates> {
        let settings = &self.settings;
        let new = || AddressRates {
            traffic: Traffic::new(
                settings.address_operations_per_second,
                limits::ADDRESS_BYTES_PER_SECOND,
                now,
            ),
            joins: Bucket::new(Rate(settings.address_joins_per_second), now),
            requests: Bucket::new(Rate(settings.address_requests_per_second), now),
            connections: AtomicUsize::new(0),
        };
        self.addresses.get(address, new, |address| {
            address.traffic.is_full(now) && address.joins.is_full(now) && address.requests.is_full(now)
        })
    }
}

/// Who has used something lately. Whoever has not is forgotten, so that the table does not grow with time.
struct Table<K, V>(Mutex<Entries<K, V>>);

struct Entries<K, V> {
    known: HashMap<K, Arc<V>>,
    /// Looked through when it has grown to this.
    sweep_at: usize,
}

impl<K, V> Default for Table<K, V> {
    fn default() -> Table<K, V> {
        Table(Mutex::new(Entries { known: HashMap::new(), sweep_at: 1_024 }))
    }
}

impl<K: Hash + Eq + Clone, V> Table<K, V> {
    fn get(&self, key: K, new: impl FnOnce() -> V, is_rested: impl Fn(&V) -> bool) -> Arc<V> {
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = entries.known.get(&key) {
            return Arc::clone(known);
        }
        if entries.known.len() >= entries.sweep_at {
            entries.known.retain(|_, value| Arc::strong_count(value) > 1 || !is_rested(value));
            // Whoever is forgotten too early gets a fresh burst; memory is bounded either way.
            while entries.known.len() >= limits::RATES_REMEMBERED_MAX {
                let some = entries.known.keys().next().cloned().expect("there are many");
                entries.known.remove(&some);
            }
            entries.sweep_at = (2 * entries.known.len()).clamp(1_024, limits::RATES_REMEMBERED_MAX);
        }
        let value = Arc::new(new());
        entries.known.insert(key, Arc::clone(&value));
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::SettingsSource;

    fn rates(given: SettingsSource) -> Rates {
        Rates::new(&Arc::new(given.or(SettingsSource::default()))).expect("valid settings")
    }

    fn name() -> RoomName {
        RoomName::new("plan").expect("a name")
    }

    const ADDRESS: Option<IpAddr> = Some(IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 1)));

    #[test]
    fn r1_who_sends_too_much_has_to_wait_and_others_of_the_room_do_not() {
        let rates =
            rates(SettingsSource { connection_operations_per_second: Some(10), ..SettingsSource::default() });
        let now = Instant::now();
        let fast = rates.join(&name(), ADDRESS, now).expect("within limits");
        let calm = rates.join(&name(), ADDRESS, now).expect("within limits");
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
            let rates = rates(given);
            let sessions: Vec<_> =
                (0..4).map(|_| rates.join(&name(), ADDRESS, now).expect("within limits")).collect();
            let hits: Vec<_> = (0..limits::BURST_SECONDS as usize + 1)
                .filter_map(|number| sessions[number % 4].take(1, 1, now))
                .collect();
            assert_eq!(hits.iter().map(|over| over.limit).collect::<Vec<_>>(), [limit]);
            // REST counts too.
            assert_eq!(rates.change(&name(), ADDRESS, 1, now).expect_err("over").limit, limit);
            assert_eq!(rates.change(&name(), ADDRESS, 1, now + Duration::from_secs(3)), Ok(()));
        }
    }

    #[test]
    fn joins_and_connections_of_an_address_are_limited_but_not_those_of_this_machine() {
        let rates = rates(SettingsSource {
            address_joins_per_second: Some(1),
            address_connections_max: Some(5),
            ..SettingsSource::default()
        });
        let now = Instant::now();
        let joined: Vec<_> = (0..5).map(|_| rates.join(&name(), ADDRESS, now).ok()).collect();
        let refused = rates.join(&name(), ADDRESS, now).err().map(|over| over.limit);
        assert_eq!(refused, Some(LimitHit::AddressConnections));
        drop(joined);
        let refused: Vec<_> = (0..5).filter_map(|_| rates.join(&name(), ADDRESS, now).err()).collect();
        assert_eq!(refused.len(), 1);
        assert_eq!((refused[0].limit, refused[0].seconds()), (LimitHit::AddressJoins, 1));
        assert!((0..100).all(|_| rates.join(&name(), None, now).is_ok()));
    }

    #[test]
    fn idle_addresses_are_forgotten() {
        let rates = rates(SettingsSource::default());
        let now = Instant::now();
        for number in 0..10_000u32 {
            let address = IpAddr::V4(number.into());
            rates
                .request(Some(address), now + Duration::from_secs(u64::from(number)))
                .expect("within limits");
        }
        assert!(rates.addresses.0.lock().expect("a test").known.len() <= 2_048);
    }
}
