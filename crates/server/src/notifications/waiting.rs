//! [`Waiting`]: what people will be told, collected in memory until it is sent.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use quadrille_access::AccountId;
use quadrille_cell::SheetId;
use quadrille_protocol::RoomName;
use quadrille_workbook::ItemId;
use tokio::time::Instant;

use crate::limits;
use crate::mail::NotificationReason;

/// One thing of which a person is told.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Notification {
    pub reason: NotificationReason,
    /// The name of whoever has done it.
    pub by: Arc<str>,
    pub sheet: Option<SheetId>,
    pub thread: ItemId,
    /// `None` for a thread that was assigned without a comment.
    pub comment: Option<ItemId>,
    /// The name by which the person is told: mentioned, or the assignee.
    pub name: Arc<str>,
}

/// What one person will be told of one workbook.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Collected {
    due: Instant,
    /// At most [`NOTIFICATIONS_PER_MAIL`](limits::NOTIFICATIONS_PER_MAIL), oldest first.
    pub notifications: Vec<Notification>,
    /// Further ones, which are only counted.
    pub further: usize,
}

impl Collected {
    /// How many notifications there are, listed or not.
    pub fn count(&self) -> usize {
        self.notifications.len() + self.further
    }
}

/// People who wait for a message.
#[derive(Default)]
pub struct Waiting(HashMap<(RoomName, AccountId), Collected>);

impl Waiting {
    /// Adds a notification for a person; the first one of a workbook is due then. Returns whether there was
    /// room for one more person.
    pub fn add(
        &mut self,
        room: &RoomName,
        person: AccountId,
        notification: Notification,
        due: Instant,
    ) -> bool {
        let key = (room.clone(), person);
        if !self.0.contains_key(&key) && self.0.len() >= limits::NOTIFIED_PEOPLE_MAX {
            return false;
        }
        let empty = || Collected { due, notifications: Vec::new(), further: 0 };
        let collected = self.0.entry(key).or_insert_with(empty);
        match collected.notifications.len() < limits::NOTIFICATIONS_PER_MAIL {
            true => collected.notifications.push(notification),
            false => collected.further += 1,
        }
        true
    }

    /// Keeps what could not be sent until later, together with what was added meanwhile. Returns whether there was
    /// room for it.
    pub fn put_back(
        &mut self,
        room: &RoomName,
        person: AccountId,
        collected: Collected,
        due: Instant,
    ) -> bool {
        let Collected { notifications, further, .. } = collected;
        let later = self.0.remove(&(room.clone(), person));
        let later_notifications = later.iter().flat_map(|later| later.notifications.iter().cloned());
        let all: Vec<Notification> = notifications.into_iter().chain(later_notifications).collect();
        let is_kept = all.into_iter().all(|notification| self.add(room, person, notification, due));
        if let Some(kept) = self.0.get_mut(&(room.clone(), person)) {
            kept.further += further + later.map_or(0, |later| later.further);
        }
        is_kept
    }

    /// When the first message is due.
    pub fn next_due(&self) -> Option<Instant> {
        self.0.values().map(|collected| collected.due).min()
    }

    /// Takes what is due at a moment, by workbook; with `None` everything.
    pub fn take_due(&mut self, now: Option<Instant>) -> BTreeMap<RoomName, Vec<(AccountId, Collected)>> {
        let is_due = |collected: &Collected| now.is_none_or(|now| collected.due <= now);
        let mut due: BTreeMap<RoomName, Vec<(AccountId, Collected)>> = BTreeMap::new();
        for ((room, person), collected) in self.0.extract_if(|_, collected| is_due(collected)) {
            due.entry(room).or_default().push((person, collected));
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn notification(comment: u64) -> Notification {
        Notification {
            reason: NotificationReason::Mention,
            by: "Bo".into(),
            sheet: Some(SheetId(1)),
            thread: ItemId(5),
            comment: Some(ItemId(comment)),
            name: "Ada".into(),
        }
    }

    fn room(name: &str) -> RoomName {
        RoomName::new(name).expect("a name")
    }

    #[test]
    fn notifications_of_a_person_are_due_together() {
        let (mut waiting, began) = (Waiting::default(), Instant::now());
        let at = |seconds| began + Duration::from_secs(seconds);
        assert_eq!(waiting.next_due(), None);
        for (name, person, comment, due) in
            [("plan", 1, 6, at(10)), ("plan", 2, 6, at(11)), ("plan", 1, 7, at(12)), ("other", 1, 6, at(10))]
        {
            assert!(waiting.add(&room(name), AccountId(person), notification(comment), due));
        }
        assert_eq!(waiting.next_due(), Some(at(10)));
        assert!(waiting.take_due(Some(at(9))).is_empty());
        let due = waiting.take_due(Some(at(10)));
        let counts: Vec<_> = due
            .iter()
            .map(|(room, people)| (room.as_str(), people[0].0, people[0].1.notifications.len()))
            .collect();
        assert_eq!(counts, [("other", AccountId(1), 1), ("plan", AccountId(1), 2)]);
        assert_eq!(waiting.take_due(None).len(), 1);
        assert_eq!(waiting.next_due(), None);
    }

    #[test]
    fn further_notifications_are_counted() {
        let (mut waiting, due, plan) = (Waiting::default(), Instant::now(), room("plan"));
        let count = limits::NOTIFICATIONS_PER_MAIL as u64 + 3;
        assert!((0..count).all(|comment| waiting.add(&plan, AccountId(1), notification(comment), due)));
        let (_, collected) = waiting.take_due(None).remove(&plan).expect("it waits").remove(0);
        assert_eq!((collected.notifications.len(), collected.further), (limits::NOTIFICATIONS_PER_MAIL, 3));
        // What is added before it is put back comes behind it.
        assert!(waiting.add(&plan, AccountId(1), notification(count), due));
        let later = due + Duration::from_secs(5);
        assert!(waiting.put_back(&plan, AccountId(1), collected.clone(), later));
        let (_, again) = waiting.take_due(Some(later)).remove(&plan).expect("it waits").remove(0);
        assert_eq!(again.notifications, collected.notifications);
        assert_eq!((again.further, again.due), (4, later));
    }

    #[test]
    fn people_who_wait_are_bounded() {
        let (mut waiting, due, plan) = (Waiting::default(), Instant::now(), room("plan"));
        let count = limits::NOTIFIED_PEOPLE_MAX as u64;
        assert!((0..count).all(|person| waiting.add(&plan, AccountId(person), notification(6), due)));
        assert!(!waiting.add(&plan, AccountId(count), notification(6), due));
        assert!(waiting.add(&plan, AccountId(0), notification(7), due));
    }
}
