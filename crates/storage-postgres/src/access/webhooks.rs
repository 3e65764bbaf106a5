//! Webhooks with their positions and dead letters.

use quadrille_access::stored_form::{from_json, secret_text, to_json};
use quadrille_access::{
    AccessError, AuditEntry, DeadLetter, SecretId, Webhook, WebhookPosition, WebhookStore,
};
use quadrille_protocol::RoomName;
use tokio_postgres::Row;

use super::accounts::limit;
use super::audit;
use super::room_name::room_name;
use super::store::PostgresAccessStore;
use super::webhook_rows::{FOLLOWING, delete, put_position};

impl WebhookStore for PostgresAccessStore {
    fn webhooks(&mut self, room: Option<&RoomName>) -> Result<Vec<Webhook>, AccessError> {
        let select =
            "SELECT document FROM webhook WHERE room IS NOT DISTINCT FROM $1 ORDER BY created_ms, id";
        self.read(|session| webhooks(&session.query(select, &[&room.map(RoomName::as_str)])?))
    }

    fn all_webhooks(&mut self) -> Result<Vec<Webhook>, AccessError> {
        let select = "SELECT document FROM webhook ORDER BY created_ms, id";
        self.read(|session| webhooks(&session.query(select, &[])?))
    }

    fn put_webhook(
        &mut self,
        webhook: &Webhook,
        position: Option<&WebhookPosition>,
        count_max: usize,
        audit: &[AuditEntry],
    ) -> Result<(), AccessError> {
        let id = secret_text(webhook.id);
        self.write(|session| {
            let select = "SELECT count(*) FROM webhook WHERE room IS NOT DISTINCT FROM $1 AND id <> $2";
            let others: i64 = session.query(select, &[&webhook.room, &id])?[0].get(0);
            if others >= limit(count_max) {
                return Err(AccessError::TooMany { what: "webhooks", max: count_max });
            }
            session.execute(
                "INSERT INTO webhook (id, room, created_ms, document) VALUES ($1, $2, $3, $4)
                 ON CONFLICT (id) DO UPDATE SET room = excluded.room, created_ms = excluded.created_ms,
                     document = excluded.document",
                &[&id, &webhook.room, &webhook.created_ms, &to_json(webhook)],
            )?;
            if let Some(position) = position {
                put_position(session, webhook.id, position)?;
            }
            audit::append(session, audit)
        })
    }

    fn delete_webhook(&mut self, id: SecretId, audit: &[AuditEntry]) -> Result<bool, AccessError> {
        self.write(|session| {
            let existed = delete(session, &secret_text(id))?;
            audit::append(session, audit)?;
            Ok(existed)
        })
    }

    fn webhook_positions(&mut self, id: SecretId) -> Result<Vec<WebhookPosition>, AccessError> {
        let select =
            "SELECT room, up_to, after FROM webhook_position WHERE webhook = $1 ORDER BY room, up_to";
        let position = |row: &Row| {
            let (up_to, after): (i64, i64) = (row.get(1), row.get(2));
            let up_to = (up_to != FOLLOWING).then_some(up_to as u64);
            Ok(WebhookPosition { room: room_name(row.get(0))?, up_to, after: after as u64 })
        };
        self.read(|session| session.query(select, &[&secret_text(id)])?.iter().map(position).collect())
    }

    fn move_webhook(
        &mut self,
        id: SecretId,
        position: &WebhookPosition,
        letter: Option<&DeadLetter>,
        letters_max: usize,
    ) -> Result<(), AccessError> {
        let key = secret_text(id);
        self.write(|session| {
            if session.query_opt("SELECT 1 FROM webhook WHERE id = $1", &[&key])?.is_none() {
                return Ok(());
            }
            put_position(session, id, position)?;
            let Some(letter) = letter else { return Ok(()) };
            // A commit whose answer was lost is sent again. The message in a letter is its own.
            session.execute(
                "INSERT INTO dead_letter (webhook, document) SELECT $1, $2
                 WHERE NOT EXISTS (SELECT FROM dead_letter WHERE webhook = $1 AND document = $2)",
                &[&key, &to_json(letter)],
            )?;
            session.execute(
                "DELETE FROM dead_letter WHERE number IN
                     (SELECT number FROM dead_letter WHERE webhook = $1 ORDER BY number DESC OFFSET $2)",
                &[&key, &limit(letters_max)],
            )?;
            Ok(())
        })
    }

    fn dead_letters(
        &mut self,
        id: SecretId,
        after: u64,
        count: usize,
    ) -> Result<Vec<DeadLetter>, AccessError> {
        let select = "SELECT number, document FROM dead_letter WHERE webhook = $1 AND number > $2
            ORDER BY number LIMIT $3";
        let after = i64::try_from(after).unwrap_or(i64::MAX);
        let letter = |row: &Row| {
            let number: i64 = row.get(0);
            let letter: DeadLetter = from_json(row.get(1), || format!("dead letter {number}"))?;
            Ok(DeadLetter { number: number as u64, ..letter })
        };
        self.read(|session| {
            session.query(select, &[&secret_text(id), &after, &limit(count)])?.iter().map(letter).collect()
        })
    }

    fn delete_dead_letter(&mut self, id: SecretId, number: u64) -> Result<bool, AccessError> {
        let Ok(number) = i64::try_from(number) else { return Ok(false) };
        let delete = "DELETE FROM dead_letter WHERE webhook = $1 AND number = $2";
        self.write(|session| Ok(session.execute(delete, &[&secret_text(id), &number])? > 0))
    }
}

fn webhooks(rows: &[Row]) -> Result<Vec<Webhook>, AccessError> {
    rows.iter().map(|row| from_json(row.get(0), || "a webhook".to_owned())).collect()
}
