//! Which rooms a server gives to others with the same database, when it has more than they. Each decides by itself
//! from the same numbers, so that no server coordinates.

use std::time::Duration;

use quadrille_journal::ProcessLoad;
use quadrille_protocol::RoomName;
use tokio::sync::{oneshot, watch};

use super::journal_request::Request;
use super::registry::Rooms;
use super::thread_message::ThreadMessage;
use crate::stopped::stopped;

/// A server gives nothing while it has at most this many times the rooms of the mean.
const TOLERANCE: f64 = 1.2;
/// The same, as a number of rooms.
const TOLERANCE_ROOMS: f64 = 2.0;
/// Rooms that are given at once: their clients connect again at the same time.
const ROOMS_AT_ONCE: usize = 20;
/// A room stays for at least so many rounds, so that it does not go back and forth.
const ROUNDS_OPEN_MIN: u32 = 3;

/// How many rooms this server gives, and to which URLs. Servers below the mean get them in proportion to what they
/// lack, so that several that give at the same time do not give too many to one.
fn shares(loads: &[ProcessLoad]) -> Vec<(&str, usize)> {
    let mean = loads.iter().map(|load| load.rooms).sum::<u64>() as f64 / loads.len().max(1) as f64;
    let Some(own) = loads.iter().find(|load| load.is_own) else { return Vec::new() };
    let excess = own.rooms as f64 - mean;
    if own.rooms as f64 <= mean * TOLERANCE || excess <= TOLERANCE_ROOMS {
        return Vec::new();
    }
    // A server without a URL cannot be reached by the others.
    let lacks = |load: &ProcessLoad| match load.url.is_empty() || load.is_own {
        true => 0.0,
        false => (mean - load.rooms as f64).max(0.0),
    };
    let all: f64 = loads.iter().map(lacks).sum();
    let given = excess.min(all).min(ROOMS_AT_ONCE as f64);
    let shares = loads.iter().map(|load| (load.url.as_str(), (given * lacks(load) / all) as usize));
    shares.filter(|(_, count)| *count > 0).collect()
}

impl Rooms {
    /// Gives rooms to other servers whenever this one has more, until `stop`.
    pub async fn balance(&self, every: Duration, mut stop: watch::Receiver<bool>) {
        if every.is_zero() || !self.is_shared() {
            return;
        }
        loop {
            tokio::select! {
                () = tokio::time::sleep(every) => self.balance_once(every * ROUNDS_OPEN_MIN).await,
                () = stopped(&mut stop) => return,
            }
        }
    }

    async fn balance_once(&self, open_for: Duration) {
        let (reply, answer) = oneshot::channel();
        self.journal().send(Request::Loads { reply: Box::new(move |loads| _ = reply.send(loads)) });
        // While the database is away, nothing is given.
        let Ok(Ok(loads)) = answer.await else { return };
        let shares = shares(&loads);
        if shares.is_empty() {
            return;
        }
        let mut movable = Vec::new();
        for thread in self.threads() {
            let (reply, answer) = oneshot::channel();
            _ = thread.send(ThreadMessage::ListMovable { open_for, reply });
            movable.extend(answer.await.unwrap_or_default());
        }
        let mut rooms = movable.into_iter();
        for (heir, count) in shares {
            let given: Vec<RoomName> = rooms.by_ref().take(count).collect();
            if !given.is_empty() {
                tracing::info!(rooms = given.len(), to = heir, "rooms go to a server that has fewer");
            }
            for room in given {
                self.hand_over(&room, heir);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loads(rooms: &[u64]) -> Vec<ProcessLoad> {
        let load = |(index, rooms): (usize, &u64)| ProcessLoad {
            url: format!("http://10.0.0.{index}:8000"),
            rooms: *rooms,
            is_own: index == 0,
        };
        rooms.iter().enumerate().map(load).collect()
    }

    /// The first server is this one.
    fn given(rooms: &[u64]) -> Vec<usize> {
        let loads = loads(rooms);
        let shares = shares(&loads);
        let count = |load: &ProcessLoad| {
            shares.iter().find(|(url, _)| *url == load.url).map_or(0, |(_, count)| *count)
        };
        loads.iter().map(count).collect()
    }

    #[test]
    fn a_server_with_more_rooms_than_the_mean_gives_to_those_with_fewer() {
        assert_eq!(given(&[30, 0]), [0, 15]);
        assert_eq!(given(&[16, 17, 0]), [0, 0, 5]);
        assert_eq!(given(&[40, 10, 10]), [0, 10, 10]);
        // At most 20 at once.
        assert_eq!(given(&[1000, 0, 500]), [0, 20, 0]);
    }

    #[test]
    fn a_server_near_the_mean_or_below_gives_nothing() {
        for rooms in [&[12, 10, 10][..], &[3, 0], &[0, 100], &[5], &[0, 0]] {
            assert_eq!(given(rooms).iter().sum::<usize>(), 0, "{rooms:?}");
        }
    }

    #[test]
    fn servers_that_give_at_the_same_time_do_not_exceed_the_mean_of_the_others() {
        for rooms in [[100u64, 90, 5, 0, 3], [21, 20, 20, 0, 0], [7, 7, 7, 0, 0]] {
            let mean = rooms.iter().sum::<u64>() as f64 / rooms.len() as f64;
            let mut after = rooms.map(|rooms| rooms as i64);
            for giver in 0..rooms.len() {
                let mut loads = loads(&rooms);
                loads.iter_mut().enumerate().for_each(|(index, load)| load.is_own = index == giver);
                for (url, count) in shares(&loads) {
                    let index = loads.iter().position(|load| load.url == url).expect("one of them");
                    after[index] += count as i64;
                    after[giver] -= count as i64;
                }
            }
            for (before, after) in rooms.iter().zip(after) {
                assert!(after as f64 <= mean.ceil().max(*before as f64), "{rooms:?}: {after}");
            }
        }
    }

    #[test]
    fn a_server_without_a_url_gets_nothing() {
        let mut loads = loads(&[30, 0]);
        loads[1].url.clear();
        assert_eq!(shares(&loads), []);
    }
}
