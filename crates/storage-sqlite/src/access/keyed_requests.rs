//! Requests with idempotency keys.

use quadrille_access::stored_form::{from_json, to_json};
use quadrille_access::{AccessError, Digest, KeyedRequest, KeyedRequestStore, RecordedAnswer};
use rusqlite::{Connection, OptionalExtension, params};

use super::error::engine;
use super::store::SqliteAccessStore;

impl KeyedRequestStore for SqliteAccessStore {
    fn begin_keyed_request(
        &mut self,
        request: &KeyedRequest,
        not_before_ms: i64,
        count_max: usize,
    ) -> Result<Option<KeyedRequest>, AccessError> {
        if let Some(stored) = find(&self.database, request.key)?
            && stored.created_ms >= not_before_ms
        {
            return Ok(Some(stored));
        }
        self.write(|transaction| {
            transaction
                .prepare_cached(
                    "INSERT OR REPLACE INTO keyed_request (key, room, created_ms, document)
                     VALUES (?1, ?2, ?3, ?4)",
                )
                .and_then(|mut insert| {
                    let key = request.key.to_string();
                    insert.execute(params![key, request.room, request.created_ms, to_json(request)])
                })
                .map_err(engine)?;
            // The offset counts entries of an index; there are at most `count_max` and one more.
            transaction
                .prepare_cached(
                    "DELETE FROM keyed_request WHERE key IN
                         (SELECT key FROM keyed_request WHERE room = ?1
                          ORDER BY created_ms DESC, key DESC LIMIT -1 OFFSET ?2)",
                )
                .and_then(|mut delete| delete.execute(params![request.room, count_max as i64]))
                .map_err(engine)?;
            Ok(None)
        })
    }

    fn answer_keyed_request(&mut self, key: Digest, answer: &RecordedAnswer) -> Result<(), AccessError> {
        self.write(|transaction| {
            let Some(stored) = find(transaction, key)? else { return Ok(()) };
            let answered = KeyedRequest { answer: Some(answer.clone()), ..stored };
            let update = "UPDATE keyed_request SET document = ?2 WHERE key = ?1";
            transaction.execute(update, [key.to_string(), to_json(&answered)]).map_err(engine)?;
            Ok(())
        })
    }

    fn forget_keyed_requests_before(&mut self, time_ms: i64, count: usize) -> Result<u64, AccessError> {
        self.write(|transaction| {
            let delete = "DELETE FROM keyed_request WHERE key IN
                (SELECT key FROM keyed_request WHERE created_ms < ?1 ORDER BY created_ms LIMIT ?2)";
            let deleted = transaction.execute(delete, params![time_ms, count as i64]).map_err(engine)?;
            Ok(deleted as u64)
        })
    }
}

fn find(database: &Connection, key: Digest) -> Result<Option<KeyedRequest>, AccessError> {
    let select = "SELECT document FROM keyed_request WHERE key = ?1";
    let mut select = database.prepare_cached(select).map_err(engine)?;
    let document: Option<String> =
        select.query_row([key.to_string()], |row| row.get(0)).optional().map_err(engine)?;
    document.map(|document| from_json(&document, || format!("the request with the key {key}"))).transpose()
}
