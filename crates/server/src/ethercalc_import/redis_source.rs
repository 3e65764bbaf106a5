//! EtherCalc's rooms in a Redis, which EtherCalc may be using.

use std::collections::BTreeMap;

use super::redis_client::{RedisAddress, RedisClient, Reply};
use super::source::{Inventory, Source, StoredRoom, time_ms};

/// Keys that one step of `SCAN` looks at.
const KEYS_PER_SCAN: &str = "1000";

/// A Redis with EtherCalc's keys.
pub struct RedisSource {
    client: RedisClient,
    address: RedisAddress,
    /// Times by room, read with the inventory.
    times_ms: BTreeMap<String, i64>,
}

impl RedisSource {
    /// Connects to a Redis.
    ///
    /// # Errors
    /// As for [`RedisClient::connect`].
    pub fn connect(address: &RedisAddress) -> Result<RedisSource, String> {
        let client = RedisClient::connect(address)?;
        Ok(RedisSource { client, address: address.clone(), times_ms: BTreeMap::new() })
    }

    fn hash(&mut self, key: &str) -> Result<Vec<(String, String)>, String> {
        let fields = texts(self.client.call(&["HGETALL", key])?)?;
        let mut fields = fields.into_iter();
        let mut pairs = Vec::new();
        while let (Some(field), Some(value)) = (fields.next(), fields.next()) {
            pairs.push((field, value));
        }
        Ok(pairs)
    }
}

impl Source for RedisSource {
    fn inventory(&mut self) -> Result<Inventory, String> {
        let mut inventory = Inventory::default();
        let mut cursor = "0".to_owned();
        loop {
            // Unlike KEYS, it lets other clients go on.
            let reply = self.client.call(&["SCAN", &cursor, "COUNT", KEYS_PER_SCAN])?;
            let (next, keys) = match reply {
                Reply::Array(mut parts) if parts.len() == 2 => (parts.remove(0), parts.remove(0)),
                _ => return Err(format!("{}: SCAN has no such reply", self.address)),
            };
            let Reply::Array(keys) = keys else { return Err(format!("{}: SCAN gave no keys", self.address)) };
            for key in keys {
                let Reply::Bytes(key) = key else { continue };
                match String::from_utf8(key) {
                    Ok(key) => _ = inventory.add(&key),
                    Err(error) => inventory.unreadable_keys.push(error.as_bytes().escape_ascii().to_string()),
                }
            }
            cursor = text(next).unwrap_or_default();
            if cursor.is_empty() || cursor == "0" {
                break;
            }
        }
        if inventory.rooms.is_empty() {
            let (address, others) = (&self.address, inventory.other_keys);
            return Err(match others {
                0 => format!(
                    "{address}: database {} is empty; EtherCalc's REDIS_DB names another",
                    address.database()
                ),
                _ => format!(
                    "{address}: database {} has no room of EtherCalc, but {others} other keys; EtherCalc's \
                     REDIS_DB names another",
                    address.database()
                ),
            });
        }
        let times = self.hash("timestamps")?.into_iter();
        self.times_ms = times
            .filter_map(|(field, value)| {
                let room = field.strip_prefix("timestamp-").unwrap_or(&field).to_owned();
                Some((room, time_ms(&value)?))
            })
            .collect();
        Ok(inventory)
    }

    fn rooms(&mut self, names: &[&str]) -> Result<Vec<Result<StoredRoom, String>>, String> {
        let keys: Vec<[String; 4]> = names
            .iter()
            .map(|name| ["snapshot", "log", "audit", "chat"].map(|kind| format!("{kind}-{name}")))
            .collect();
        let mut commands: Vec<Vec<&str>> = Vec::new();
        for [snapshot, lists @ ..] in &keys {
            commands.push(vec!["GET", snapshot]);
            commands.extend(lists.iter().map(|list| vec!["LRANGE", list, "0", "-1"]));
        }
        let commands: Vec<&[&str]> = commands.iter().map(Vec::as_slice).collect();
        let mut replies = self.client.call_all(&commands)?.into_iter();
        let mut rooms = Vec::new();
        for name in names {
            let mut read = || replies.next().unwrap_or(Reply::Nothing);
            let (snapshot, log, audit, chat) = (read(), read(), read(), read());
            let room = || {
                Ok(StoredRoom {
                    name: (*name).to_owned(),
                    snapshot: bytes(snapshot)?,
                    log: texts(log)?,
                    audit: texts(audit)?,
                    chat: texts(chat)?,
                    changed_ms: self.times_ms.get(*name).copied(),
                })
            };
            rooms.push(room());
        }
        Ok(rooms)
    }

    fn triggers(&mut self) -> Result<Vec<(String, String)>, String> {
        self.hash("cron-list")
    }
}

fn bytes(reply: Reply) -> Result<Vec<u8>, String> {
    match reply {
        Reply::Nothing => Ok(Vec::new()),
        Reply::Bytes(bytes) => Ok(bytes),
        Reply::Error(error) => Err(error),
        Reply::Number(_) | Reply::Array(_) => Err("Redis has another type of value here".to_owned()),
    }
}

/// Invalid UTF-8 is replaced, so that one command or message does not keep a room out.
fn text(reply: Reply) -> Result<String, String> {
    let text = String::from_utf8(bytes(reply)?);
    Ok(text.unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}

fn texts(reply: Reply) -> Result<Vec<String>, String> {
    match reply {
        Reply::Array(replies) => replies.into_iter().map(text).collect(),
        Reply::Nothing => Ok(Vec::new()),
        Reply::Error(error) => Err(error),
        Reply::Number(_) | Reply::Bytes(_) => Err("Redis has another type of value here".to_owned()),
    }
}
