//! Refused requests, on their way to the audit log. They are counted by address, workbook and minute,
//! so that nobody can fill the log with them.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

use quadrille_access::{Actor, AuditEntry, AuditEvent, AuditNumber};
use quadrille_protocol::RoomName;

use super::service::{Access, now_ms};
use crate::error::ApiError;
use crate::limits;

/// Counts refused requests until they are stored.
#[derive(Default)]
pub struct Denials {
    counted: Mutex<Counted>,
}

#[derive(Default)]
struct Counted {
    denials: BTreeMap<Source, Denial>,
    /// Requests of further addresses or workbooks.
    others: u64,
}

/// `None` is this machine.
type Source = (Option<IpAddr>, Option<RoomName>);

struct Denial {
    /// Of the first request.
    actor: Actor,
    time_ms: i64,
    count: u64,
}

impl Denials {
    /// Counts a refused request.
    pub fn record(&self, actor: &Actor, address: Option<IpAddr>, room: Option<&RoomName>) {
        let mut counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        let source = (address, room.cloned());
        if counted.denials.len() >= limits::DENIALS_COUNTED_MAX && !counted.denials.contains_key(&source) {
            counted.others += 1;
            return;
        }
        let new = || Denial { actor: actor.clone(), time_ms: now_ms(), count: 0 };
        counted.denials.entry(source).or_insert_with(new).count += 1;
    }

    /// Writes an entry for each address and workbook to the audit log.
    ///
    /// # Errors
    /// When the store fails; the counts are lost then.
    pub async fn store(&self, access: &Access) -> Result<(), ApiError> {
        let counted = std::mem::take(&mut *self.counted.lock().unwrap_or_else(PoisonError::into_inner));
        let entries = counted.entries();
        if entries.is_empty() {
            return Ok(());
        }
        access.run(move |store| store.append_audit(&entries)).await
    }
}

impl Counted {
    fn entries(self) -> Vec<AuditEntry> {
        let denied = self.denials.into_iter().map(|((address, room), denial)| AuditEntry {
            number: AuditNumber(0),
            time_ms: denial.time_ms,
            actor: denial.actor,
            event: AuditEvent::AccessDenied,
            room: room.map(|room| room.as_str().to_owned()),
            target: requests(denial.count),
            address: address.map_or(String::new(), |address| address.to_string()),
        });
        let others = (self.others > 0).then(|| AuditEntry {
            number: AuditNumber(0),
            time_ms: now_ms(),
            actor: Actor::Server,
            event: AuditEvent::AccessDenied,
            room: None,
            target: format!("{} of further addresses or workbooks", requests(self.others)),
            address: String::new(),
        });
        denied.chain(others).collect()
    }
}

fn requests(count: u64) -> String {
    match count {
        1 => "1 request".into(),
        count => format!("{count} requests"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_of_refused_requests_becomes_a_few_entries() {
        let denials = Denials::default();
        let address = Some(IpAddr::from([192, 0, 2, 1]));
        let room = RoomName::new("secret").expect("a name");
        for _ in 0..1_000 {
            denials.record(&Actor::Anonymous, address, Some(&room));
        }
        denials.record(&Actor::Anonymous, None, None);
        for number in 0..2 * limits::DENIALS_COUNTED_MAX as u32 {
            denials.record(&Actor::Anonymous, Some(IpAddr::from(number.to_be_bytes())), None);
        }
        let counted = std::mem::take(&mut *denials.counted.lock().expect("a test"));
        let entries = counted.entries();
        assert_eq!(entries.len(), limits::DENIALS_COUNTED_MAX + 1);
        let flood = entries.iter().find(|entry| entry.room.is_some()).expect("of the workbook");
        assert_eq!((flood.target.as_str(), flood.address.as_str()), ("1000 requests", "192.0.2.1"));
        assert!(entries.last().expect("the rest").target.ends_with("of further addresses or workbooks"));
    }
}
