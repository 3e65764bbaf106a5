//! The audit log.

use quadrille_access::{AccessError, AuditEntry, AuditFilter, AuditNumber};
use rusqlite::{Connection, params};

use super::document_json::{engine, from_json, to_json};

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
    let select = "SELECT number, document FROM audit
        WHERE number > ?1 AND (?2 IS NULL OR room = ?2) AND (?3 IS NULL OR event = ?3)
            AND (?4 IS NULL OR actor = ?4)
        ORDER BY number LIMIT ?5";
    let mut select = database.prepare_cached(select).map_err(engine)?;
    let (event, actor) = (filter.event.as_ref().map(to_json), filter.actor.as_ref().map(to_json));
    let rows = select
        .query_map(params![filter.after.0 as i64, filter.room, event, actor, count as i64], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?))
        })
        .map_err(engine)?;
    let mut entries = Vec::new();
    for row in rows {
        let (number, document) = row.map_err(engine)?;
        let entry: AuditEntry = from_json(&document, || format!("entry {number} of the audit log"))?;
        entries.push(AuditEntry { number: AuditNumber(number as u64), ..entry });
    }
    Ok(entries)
}

pub(super) fn forget_before(database: &Connection, time_ms: i64) -> Result<u64, AccessError> {
    let forgotten = database.execute("DELETE FROM audit WHERE time_ms < ?1", [time_ms]).map_err(engine)?;
    Ok(forgotten as u64)
}
