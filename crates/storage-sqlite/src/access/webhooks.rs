//! Webhooks with their positions and dead letters.

use quadrille_access::stored_form::{from_json, secret_text, to_json};
use quadrille_access::{
    AccessError, AuditEntry, DeadLetter, SecretId, Webhook, WebhookPosition, WebhookStore,
};
use quadrille_protocol::RoomName;
use rusqlite::{Connection, OptionalExtension, ToSql, params};

use super::audit;
use super::error::engine;
use super::store::SqliteAccessStore;
use super::webhook_rows::{FOLLOWING, delete, put_position};

impl WebhookStore for SqliteAccessStore {
    fn webhooks(&mut self, room: Option<&RoomName>) -> Result<Vec<Webhook>, AccessError> {
        list(&self.database, "WHERE room IS ?1", &[&room.map(RoomName::as_str)])
    }

    fn all_webhooks(&mut self) -> Result<Vec<Webhook>, AccessError> {
        list(&self.database, "", &[])
    }

    fn put_webhook(
        &mut self,
        webhook: &Webhook,
        position: Option<&WebhookPosition>,
        count_max: usize,
        audit: &[AuditEntry],
    ) -> Result<(), AccessError> {
        let id = secret_text(webhook.id);
        self.write(|transaction| {
            let select = "SELECT count(*) FROM webhook WHERE room IS ?1 AND id <> ?2";
            let others: i64 =
                transaction.query_row(select, params![webhook.room, id], |row| row.get(0)).map_err(engine)?;
            if others >= i64::try_from(count_max).unwrap_or(i64::MAX) {
                return Err(AccessError::TooMany { what: "webhooks", max: count_max });
            }
            let insert =
                "INSERT OR REPLACE INTO webhook (id, room, created_ms, document) VALUES (?1, ?2, ?3, ?4)";
            let row = params![id, webhook.room, webhook.created_ms, to_json(webhook)];
            transaction.execute(insert, row).map_err(engine)?;
            if let Some(position) = position {
                put_position(transaction, webhook.id, position)?;
            }
            audit::append(transaction, audit)
        })
    }

    fn delete_webhook(&mut self, id: SecretId, audit: &[AuditEntry]) -> Result<bool, AccessError> {
        self.write(|transaction| {
            let existed = delete(transaction, &secret_text(id))?;
            audit::append(transaction, audit)?;
            Ok(existed)
        })
    }

    fn webhook_positions(&mut self, id: SecretId) -> Result<Vec<WebhookPosition>, AccessError> {
        let select =
            "SELECT room, up_to, after FROM webhook_position WHERE webhook = ?1 ORDER BY room, up_to";
        let mut select = self.database.prepare_cached(select).map_err(engine)?;
        let rows = select
            .query_map([secret_text(id)], |row| Ok((row.get::<_, String>(0)?, row.get(1)?, row.get(2)?)))
            .map_err(engine)?;
        let position = |row: Result<(String, i64, i64), _>| {
            let (name, up_to, after) = row.map_err(engine)?;
            let room = RoomName::new(&name).map_err(|error| AccessError::Damaged {
                what: format!("a position of the webhook {id}"),
                reason: error.to_string(),
            })?;
            let up_to = (up_to != FOLLOWING).then_some(up_to as u64);
            Ok(WebhookPosition { room, up_to, after: after as u64 })
        };
        rows.map(position).collect()
    }

    fn move_webhook(
        &mut self,
        id: SecretId,
        position: &WebhookPosition,
        letter: Option<&DeadLetter>,
        letters_max: usize,
    ) -> Result<(), AccessError> {
        let key = secret_text(id);
        self.write(|transaction| {
            let known = transaction
                .query_row("SELECT 1 FROM webhook WHERE id = ?1", [&key], |_| Ok(()))
                .optional()
                .map_err(engine)?;
            if known.is_none() {
                return Ok(());
            }
            put_position(transaction, id, position)?;
            if let Some(letter) = letter {
                let insert = "INSERT INTO dead_letter (webhook, document) VALUES (?1, ?2)";
                transaction.execute(insert, [&key, &to_json(letter)]).map_err(engine)?;
                let delete = "DELETE FROM dead_letter WHERE number IN
                    (SELECT number FROM dead_letter WHERE webhook = ?1 ORDER BY number DESC LIMIT -1 OFFSET ?2)";
                transaction.execute(delete, params![key, letters_max as i64]).map_err(engine)?;
            }
            Ok(())
        })
    }

    fn dead_letters(
        &mut self,
        id: SecretId,
        after: u64,
        count: usize,
    ) -> Result<Vec<DeadLetter>, AccessError> {
        let select = "SELECT number, document FROM dead_letter WHERE webhook = ?1 AND number > ?2
            ORDER BY number LIMIT ?3";
        let mut select = self.database.prepare_cached(select).map_err(engine)?;
        let after = i64::try_from(after).unwrap_or(i64::MAX);
        let rows = select
            .query_map(params![secret_text(id), after, count as i64], |row| Ok((row.get(0)?, row.get(1)?)))
            .map_err(engine)?;
        let letter = |row: Result<(i64, String), _>| {
            let (number, document) = row.map_err(engine)?;
            let letter: DeadLetter = from_json(&document, || format!("dead letter {number}"))?;
            Ok(DeadLetter { number: number as u64, ..letter })
        };
        rows.map(letter).collect()
    }

    fn delete_dead_letter(&mut self, id: SecretId, number: u64) -> Result<bool, AccessError> {
        let Ok(number) = i64::try_from(number) else { return Ok(false) };
        self.write(|transaction| {
            let delete = "DELETE FROM dead_letter WHERE webhook = ?1 AND number = ?2";
            let deleted = transaction.execute(delete, params![secret_text(id), number]).map_err(engine)?;
            Ok(deleted > 0)
        })
    }
}

fn list(database: &Connection, condition: &str, values: &[&dyn ToSql]) -> Result<Vec<Webhook>, AccessError> {
    let select = format!("SELECT document FROM webhook {condition} ORDER BY created_ms, id");
    let mut select = database.prepare_cached(&select).map_err(engine)?;
    let rows = select.query_map(values, |row| row.get::<_, String>(0)).map_err(engine)?;
    rows.map(|document| from_json(&document.map_err(engine)?, || "a webhook".to_owned())).collect()
}
