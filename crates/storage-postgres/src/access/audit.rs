//! The audit log.
//!
//! Numbers are given in the order of commits as long as one server writes. With more, a number may appear
//! after a higher one; it is never given again.

use quadrille_access::stored_form::{from_json, to_json};
use quadrille_access::{AccessError, Actor, AuditEntry, AuditFilter, AuditNumber};
use tokio_postgres::types::ToSql;

use super::accounts::limit;
use crate::session::Session;

pub(super) fn append(session: &mut Session<'_>, entries: &[AuditEntry]) -> Result<(), AccessError> {
    for entry in entries {
        session.execute(
            "INSERT INTO audit (time_ms, room, event, actor, target, document) VALUES ($1, $2, $3, $4, $5, $6)",
            &[
                &entry.time_ms,
                &entry.room,
                &to_json(&entry.event),
                &to_json(&entry.actor),
                &entry.target,
                &to_json(entry),
            ],
        )?;
    }
    Ok(())
}

pub(super) fn read(
    session: &mut Session<'_>,
    filter: &AuditFilter,
    count: usize,
) -> Result<Vec<AuditEntry>, AccessError> {
    // Only the conditions that the filter has, so that PostgreSQL can choose an index by them.
    let mut select = "SELECT number, document FROM audit WHERE number > $1".to_owned();
    let mut values: Vec<Box<dyn ToSql + Sync>> = vec![Box::new(filter.after.0 as i64)];
    let mut require = |condition: &str, value: Box<dyn ToSql + Sync>| {
        values.push(value);
        select.push_str(&condition.replace('?', &format!("${}", values.len())));
    };
    if let Some(before) = filter.before {
        require(" AND number < ?", Box::new(i64::try_from(before.0).unwrap_or(i64::MAX)));
    }
    if let Some(room) = &filter.room {
        require(" AND room = ?", Box::new(room.clone()));
    }
    if let Some(event) = &filter.event {
        require(" AND event = ?", Box::new(to_json(event)));
    }
    if let Some(actor) = &filter.actor {
        require(" AND actor = ?", Box::new(to_json(actor)));
    }
    if let Some(id) = filter.account {
        require(" AND (actor = ?", Box::new(to_json(&Actor::Account(id))));
        require(" OR target = ANY(?))", Box::new(vec![id.to_string(), format!("account:{id}")]));
    }
    if let Some(since_ms) = filter.since_ms {
        require(" AND time_ms >= ?", Box::new(since_ms));
    }
    if let Some(until_ms) = filter.until_ms {
        require(" AND time_ms < ?", Box::new(until_ms));
    }
    let order = if filter.newest_first { "DESC" } else { "ASC" };
    require(&format!(" ORDER BY number {order} LIMIT ?"), Box::new(limit(count)));
    let parameters: Vec<&(dyn ToSql + Sync)> = values.iter().map(|value| &**value).collect();
    let rows = session.query_once(&select, &parameters)?;
    let entry = |row: &tokio_postgres::Row| {
        let number: i64 = row.get(0);
        let entry: AuditEntry = from_json(row.get(1), || format!("entry {number} of the audit log"))?;
        Ok(AuditEntry { number: AuditNumber(number as u64), ..entry })
    };
    rows.iter().map(entry).collect()
}

pub(super) fn forget_before(
    session: &mut Session<'_>,
    time_ms: i64,
    count: usize,
) -> Result<u64, AccessError> {
    let delete = "DELETE FROM audit WHERE number IN
        (SELECT number FROM audit WHERE time_ms < $1 ORDER BY time_ms LIMIT $2)";
    Ok(session.execute(delete, &[&time_ms, &limit(count)])?)
}
