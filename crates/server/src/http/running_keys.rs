//! Which idempotency keys are in use.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use quadrille_access::Digest;

/// The keys whose requests are being carried out. Clones share them.
#[derive(Clone, Default)]
pub struct RunningKeys(Arc<Mutex<HashSet<Digest>>>);

/// A key whose request is being carried out, until this is dropped.
pub struct RunningKey {
    keys: RunningKeys,
    key: Digest,
}

impl RunningKeys {
    /// `None` when a request with this key is being carried out.
    pub fn begin(&self, key: Digest) -> Option<RunningKey> {
        self.lock().insert(key).then(|| RunningKey { keys: self.clone(), key })
    }

    fn lock(&self) -> MutexGuard<'_, HashSet<Digest>> {
        // No code under this lock panics.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for RunningKey {
    fn drop(&mut self) {
        self.keys.lock().remove(&self.key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_in_use_until_its_request_is_carried_out() {
        let keys = RunningKeys::default();
        let first = keys.begin(Digest([1; 32]));
        assert!(first.is_some() && keys.begin(Digest([1; 32])).is_none());
        assert!(keys.begin(Digest([2; 32])).is_some());
        drop(first);
        assert!(keys.begin(Digest([1; 32])).is_some());
    }
}
