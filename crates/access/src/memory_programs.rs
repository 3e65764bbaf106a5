//! The parts of the store in memory for programs: requests with idempotency keys, and webhooks.

use quadrille_protocol::RoomName;

use crate::access_error::AccessError;
use crate::audit::AuditEntry;
use crate::keyed_request::{Digest, KeyedRequest, KeyedRequestStore, RecordedAnswer};
use crate::memory::MemoryAccessStore;
use crate::secret::SecretId;
use crate::store::AccessStore;
use crate::webhook::{DeadLetter, Webhook, WebhookPosition, WebhookStore};

impl KeyedRequestStore for MemoryAccessStore {
    fn begin_keyed_request(
        &mut self,
        request: &KeyedRequest,
        not_before_ms: i64,
        count_max: usize,
    ) -> Result<Option<KeyedRequest>, AccessError> {
        if let Some(stored) = self.keyed_requests.get(&request.key)
            && stored.created_ms >= not_before_ms
        {
            return Ok(Some(stored.clone()));
        }
        self.keyed_requests.remove(&request.key);
        let of_room = self.keyed_requests.values().filter(|stored| stored.room == request.room);
        let mut of_room: Vec<_> = of_room.map(|stored| (stored.created_ms, stored.key)).collect();
        of_room.sort_unstable_by(|a, b| b.cmp(a));
        for (_, key) in of_room.into_iter().skip(count_max.saturating_sub(1)) {
            self.keyed_requests.remove(&key);
        }
        self.keyed_requests.insert(request.key, request.clone());
        Ok(None)
    }

    fn answer_keyed_request(&mut self, key: Digest, answer: &RecordedAnswer) -> Result<(), AccessError> {
        if let Some(stored) = self.keyed_requests.get_mut(&key) {
            stored.answer = Some(answer.clone());
        }
        Ok(())
    }

    fn forget_keyed_requests_before(&mut self, time_ms: i64, count: usize) -> Result<u64, AccessError> {
        let old = self.keyed_requests.values().filter(|stored| stored.created_ms < time_ms);
        let mut old: Vec<_> = old.map(|stored| (stored.created_ms, stored.key)).collect();
        old.sort_unstable();
        old.truncate(count);
        for (_, key) in &old {
            self.keyed_requests.remove(key);
        }
        Ok(old.len() as u64)
    }
}

impl WebhookStore for MemoryAccessStore {
    fn webhooks(&mut self, room: Option<&RoomName>) -> Result<Vec<Webhook>, AccessError> {
        let room = room.map(RoomName::as_str);
        let mut webhooks = self.all_webhooks()?;
        webhooks.retain(|webhook| webhook.room.as_deref() == room);
        Ok(webhooks)
    }

    fn all_webhooks(&mut self) -> Result<Vec<Webhook>, AccessError> {
        let mut webhooks: Vec<Webhook> = self.webhooks.webhooks.values().cloned().collect();
        webhooks.sort_by_key(|webhook| (webhook.created_ms, webhook.id));
        Ok(webhooks)
    }

    fn put_webhook(
        &mut self,
        webhook: &Webhook,
        position: Option<&WebhookPosition>,
        count_max: usize,
        audit: &[AuditEntry],
    ) -> Result<(), AccessError> {
        let others = self.webhooks.webhooks.values();
        let others = others.filter(|other| other.room == webhook.room && other.id != webhook.id).count();
        if others >= count_max {
            return Err(AccessError::TooMany { what: "webhooks", max: count_max });
        }
        self.webhooks.webhooks.insert(webhook.id, webhook.clone());
        if let Some(position) = position {
            self.webhooks.put_position(webhook.id, position);
        }
        self.append_audit(audit)
    }

    fn delete_webhook(&mut self, id: SecretId, audit: &[AuditEntry]) -> Result<bool, AccessError> {
        let existed = self.webhooks.remove(id);
        self.append_audit(audit)?;
        Ok(existed)
    }

    fn webhook_positions(&mut self, id: SecretId) -> Result<Vec<WebhookPosition>, AccessError> {
        let own = self.webhooks.positions.iter().filter(|((webhook, ..), _)| *webhook == id);
        Ok(own
            .map(|((_, room, up_to), after)| WebhookPosition {
                room: room.clone(),
                up_to: Some(*up_to).filter(|up_to| *up_to != u64::MAX),
                after: *after,
            })
            .collect())
    }

    fn move_webhook(
        &mut self,
        id: SecretId,
        position: &WebhookPosition,
        letter: Option<&DeadLetter>,
        letters_max: usize,
    ) -> Result<(), AccessError> {
        if !self.webhooks.webhooks.contains_key(&id) {
            return Ok(());
        }
        self.webhooks.put_position(id, position);
        if let Some(letter) = letter {
            self.webhooks.last_letter += 1;
            let number = self.webhooks.last_letter;
            self.webhooks.letters.insert((id, number), DeadLetter { number, ..letter.clone() });
            let own = self.webhooks.letters.keys().filter(|(webhook, _)| *webhook == id).copied();
            let own: Vec<_> = own.collect();
            for key in own.iter().take(own.len().saturating_sub(letters_max)) {
                self.webhooks.letters.remove(key);
            }
        }
        Ok(())
    }

    fn dead_letters(
        &mut self,
        id: SecretId,
        after: u64,
        count: usize,
    ) -> Result<Vec<DeadLetter>, AccessError> {
        let letters = self.webhooks.letters.range((id, after.saturating_add(1))..=(id, u64::MAX));
        Ok(letters.take(count).map(|(_, letter)| letter.clone()).collect())
    }

    fn delete_dead_letter(&mut self, id: SecretId, number: u64) -> Result<bool, AccessError> {
        Ok(self.webhooks.letters.remove(&(id, number)).is_some())
    }
}
