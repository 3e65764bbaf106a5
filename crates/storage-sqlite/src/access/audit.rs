//! The audit log.

use quadrille_access::stored_form::{from_json, to_json};
use quadrille_access::{AccessError, Actor, AuditEntry, AuditFilter, AuditNumber};
use rusqlite::types::Value;
use rusqlite::{Connection, ToSql, params};

use super::error::engine;

pub(super) fn append(database: &Connection, entries: &[AuditEntry]) -> Result<(), AccessError> {
    let insert = "INSERT INTO audit (time_ms, room, event, actor, document) VALUES (?1, ?2, ?3, ?4, ?5)";
    let mut insert = database.prepare_cached(insert).map_err(engine)?;
    for entry in entries {
        let (event, actor) = (to_json(&entry.event), to_json(&entry.actor));
        insert.execute(params![entry.time_ms, entry.room, event, actor, to_json(entry)]).map_err(engine)?;
    }
    Ok(())
}

pub(super) fn read(
    database: &Connection,
    filter: &AuditFilter,
    count: usize,
) -> Result<Vec<AuditEntry>, AccessError> {
    // Only the conditions that the filter has, so that SQLite can choose an index by them.
    let mut select = "SELECT number, document FROM audit WHERE number > :after".to_owned();
    let mut parameters: Vec<(&str, Value)> = vec![(":after", (filter.after.0 as i64).into())];
    let mut require = |condition: &str, name: &'static str, value: Value| {
        select.push_str(condition);
        parameters.push((name, value));
    };
    if let Some(before) = filter.before {
        let before = i64::try_from(before.0).unwrap_or(i64::MAX);
        require(" AND number < :before", ":before", before.into());
    }
    if let Some(room) = &filter.room {
        require(" AND room = :room", ":room", room.clone().into());
    }
    if let Some(event) = &filter.event {
        require(" AND event = :event", ":event", to_json(event).into());
    }
    if let Some(actor) = &filter.actor {
        require(" AND actor = :actor", ":actor", to_json(actor).into());
    }
    if let Some(id) = filter.account {
        let is_target = " AND (actor = :account OR document ->> 'target' IN (:id, 'account:' || :id))";
        require(is_target, ":account", to_json(&Actor::Account(id)).into());
        require("", ":id", id.to_string().into());
    }
    if let Some(since_ms) = filter.since_ms {
        require(" AND time_ms >= :since", ":since", since_ms.into());
    }
    if let Some(until_ms) = filter.until_ms {
        require(" AND time_ms < :until", ":until", until_ms.into());
    }
    let order = if filter.newest_first { "DESC" } else { "ASC" };
    require(&format!(" ORDER BY number {order} LIMIT :count"), ":count", (count as i64).into());
    let mut select = database.prepare_cached(&select).map_err(engine)?;
    let parameters: Vec<(&str, &dyn ToSql)> =
        parameters.iter().map(|(name, value)| (*name, value as &dyn ToSql)).collect();
    let rows = select
        .query_map(&parameters[..], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?)))
        .map_err(engine)?;
    let mut entries = Vec::new();
    for row in rows {
        let (number, document) = row.map_err(engine)?;
        let entry: AuditEntry = from_json(&document, || format!("entry {number} of the audit log"))?;
        entries.push(AuditEntry { number: AuditNumber(number as u64), ..entry });
    }
    Ok(entries)
}

pub(super) fn forget_before(database: &Connection, time_ms: i64, count: usize) -> Result<u64, AccessError> {
    let delete = "DELETE FROM audit WHERE number IN
        (SELECT number FROM audit WHERE time_ms < ?1 ORDER BY time_ms LIMIT ?2)";
    let forgotten = database.execute(delete, params![time_ms, count as i64]).map_err(engine)?;
    Ok(forgotten as u64)
}
