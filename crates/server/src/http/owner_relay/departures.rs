//! Servers of the database that have left or were removed, for those who wait for their answers.

use std::collections::BTreeSet;
use std::sync::Arc;

use quadrille_journal::PeerId;
use tokio::sync::watch;

use crate::rooms::Rooms;

/// Departures that are remembered. Numbers rise, so the oldest are forgotten; who waits has been told.
const REMEMBERED_MAX: usize = 1_000;

/// The servers that have left. Clones share them.
#[derive(Clone)]
pub struct Departures {
    departed: Arc<watch::Sender<BTreeSet<PeerId>>>,
}

impl Departures {
    /// Those that the storage of the rooms reports from now on.
    pub fn of(rooms: &Rooms) -> Departures {
        let departures = Departures { departed: Arc::new(watch::Sender::new(BTreeSet::new())) };
        let noting = departures.clone();
        rooms.on_departed(move |peer| noting.note(peer));
        departures
    }

    fn note(&self, peer: PeerId) {
        self.departed.send_modify(|departed| {
            departed.insert(peer);
            while departed.len() > REMEMBERED_MAX {
                departed.pop_first();
            }
        });
    }

    /// Waits until the server has left or was removed: its rooms are free then.
    pub fn wait_for(&self, peer: PeerId) -> impl Future<Output = ()> + Send + 'static {
        let mut departed = self.departed.subscribe();
        async move {
            let gone = departed.wait_for(|departed| departed.contains(&peer)).await.is_ok();
            if !gone {
                // Nobody reports departures any more: the server stops.
                std::future::pending::<()>().await;
            }
        }
    }
}
