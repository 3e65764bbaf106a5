//! Webhooks with their positions and dead letters, in memory.

use std::collections::BTreeMap;

use quadrille_protocol::RoomName;

use crate::secret::SecretId;
use crate::webhook::{DeadLetter, Webhook, WebhookPosition};

/// The webhooks of a store with their positions and dead letters.
#[derive(Clone, Debug, Default)]
pub(crate) struct MemoryWebhooks {
    pub(crate) webhooks: BTreeMap<SecretId, Webhook>,
    /// The revision that was delivered, by webhook, room and end; `u64::MAX` for none.
    pub(crate) positions: BTreeMap<(SecretId, RoomName, u64), u64>,
    pub(crate) letters: BTreeMap<(SecretId, u64), DeadLetter>,
    pub(crate) last_letter: u64,
}

impl MemoryWebhooks {
    /// Removes the webhooks of a deleted room, and the positions that others have in it (A7).
    pub(crate) fn forget_room(&mut self, room: &RoomName) {
        let own = self.webhooks.values().filter(|webhook| webhook.room.as_deref() == Some(room.as_str()));
        let own: Vec<SecretId> = own.map(|webhook| webhook.id).collect();
        own.into_iter().for_each(|id| _ = self.remove(id));
        self.positions.retain(|(_, name, _), _| name != room);
    }

    pub(crate) fn remove(&mut self, id: SecretId) -> bool {
        self.positions.retain(|(webhook, ..), _| *webhook != id);
        self.letters.retain(|(webhook, _), _| *webhook != id);
        self.webhooks.remove(&id).is_some()
    }

    pub(crate) fn put_position(&mut self, id: SecretId, position: &WebhookPosition) {
        let key = (id, position.room.clone(), position.up_to.unwrap_or(u64::MAX));
        match position.is_finished() {
            true => _ = self.positions.remove(&key),
            false => _ = self.positions.insert(key, position.after),
        }
    }
}
