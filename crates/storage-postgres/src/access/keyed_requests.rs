//! Requests with idempotency keys.

use quadrille_access::stored_form::{from_json, to_json};
use quadrille_access::{AccessError, Digest, KeyedRequest, KeyedRequestStore, RecordedAnswer};

use super::accounts::limit;
use super::store::PostgresAccessStore;
use crate::session::Session;

impl KeyedRequestStore for PostgresAccessStore {
    fn begin_keyed_request(
        &mut self,
        request: &KeyedRequest,
        not_before_ms: i64,
        count_max: usize,
    ) -> Result<Option<KeyedRequest>, AccessError> {
        self.write(|session| {
            // Stored unless there is one that counts, by one statement: another server may write at the same time.
            let stored = session.execute(
                "INSERT INTO keyed_request (key, room, created_ms, document) VALUES ($1, $2, $3, $4)
                 ON CONFLICT (key) DO UPDATE SET room = excluded.room, created_ms = excluded.created_ms,
                     document = excluded.document WHERE keyed_request.created_ms < $5",
                &[
                    &request.key.to_string(),
                    &request.room,
                    &request.created_ms,
                    &to_json(request),
                    &not_before_ms,
                ],
            )?;
            if stored == 0 {
                return find(session, request.key);
            }
            // The offset counts entries of an index; there are at most `count_max` and one more.
            session.execute(
                "DELETE FROM keyed_request WHERE key IN
                     (SELECT key FROM keyed_request WHERE room = $1
                      ORDER BY created_ms DESC, key DESC OFFSET $2)",
                &[&request.room, &limit(count_max)],
            )?;
            Ok(None)
        })
    }

    fn answer_keyed_request(&mut self, key: Digest, answer: &RecordedAnswer) -> Result<(), AccessError> {
        self.write(|session| {
            let Some(stored) = find(session, key)? else { return Ok(()) };
            let answered = KeyedRequest { answer: Some(answer.clone()), ..stored };
            session.execute(
                "UPDATE keyed_request SET document = $2 WHERE key = $1",
                &[&key.to_string(), &to_json(&answered)],
            )?;
            Ok(())
        })
    }

    fn forget_keyed_requests_before(&mut self, time_ms: i64, count: usize) -> Result<u64, AccessError> {
        self.write(|session| {
            Ok(session.execute(
                "DELETE FROM keyed_request WHERE key IN
                     (SELECT key FROM keyed_request WHERE created_ms < $1 ORDER BY created_ms LIMIT $2)",
                &[&time_ms, &limit(count)],
            )?)
        })
    }
}

fn find(session: &mut Session<'_>, key: Digest) -> Result<Option<KeyedRequest>, AccessError> {
    let row = session.query_opt("SELECT document FROM keyed_request WHERE key = $1", &[&key.to_string()])?;
    row.map(|row| from_json(row.get(0), || format!("the request with the key {key}"))).transpose()
}
