//! P25: who follows somebody is told what they see.

use quadrille_protocol::FollowRequest;

use super::*;

const SHEET: SheetId = SheetId(1);

impl Table {
    fn follows(&mut self, session: u64, followed: Option<u64>) {
        let request = FollowRequest::Follow { session: followed.map(SessionId) };
        self.frame(session, &ClientFrame::Follow(request));
    }

    fn scrolls(&mut self, session: u64, row: u32) {
        let request = FollowRequest::Scrolled { sheet: SHEET, cell: CellAddress::clamped(row, 0) };
        self.frame(session, &ClientFrame::Follow(request));
    }

    /// What was told since it was last asked.
    fn told(&mut self) -> Vec<(u64, FollowFrame)> {
        std::mem::take(&mut self.followed)
    }
}

fn followed(is_followed: bool) -> FollowFrame {
    FollowFrame::Followed { is_followed }
}

fn scrolled(session: u64, row: u32) -> FollowFrame {
    let cell = CellAddress::clamped(row, 0);
    FollowFrame::Scrolled { session: SessionId(session), sheet: SHEET, cell }
}

/// Everybody but the last knows of following.
fn table_of(sessions: u64) -> Table {
    let mut table = Table::new();
    for session in 1..=sessions {
        table.join(session, Role::View);
        if session < sessions {
            table.follows(session, None);
        }
    }
    table
}

#[test]
fn who_follows_is_told_what_the_other_sees_and_nobody_else_is() {
    let mut table = table_of(4);
    assert_eq!(table.told(), []);
    table.follows(2, Some(1));
    assert_eq!(table.told(), [(1, followed(true))]);
    table.scrolls(1, 40);
    assert_eq!(table.told(), [(2, scrolled(1, 40))]);
    // One who joins later asks again what is seen.
    table.follows(3, Some(1));
    assert_eq!(table.told(), [(1, followed(true))]);
    table.scrolls(1, 50);
    assert_eq!(table.told(), [(2, scrolled(1, 50)), (3, scrolled(1, 50))]);
    table.follows(2, None);
    table.scrolls(1, 60);
    assert_eq!(table.told(), [(3, scrolled(1, 60))]);
}

#[test]
fn who_is_no_longer_followed_is_told_when_they_say_what_they_see() {
    let mut table = table_of(4);
    table.follows(2, Some(1));
    table.follows(3, Some(1));
    table.follows(2, Some(3));
    table.event(Event::Disconnect { session: SessionId(3) });
    table.told();
    table.scrolls(1, 1);
    assert_eq!(table.told(), [(1, followed(false))]);
    // Whom they followed has gone; a session of the same number is somebody else.
    table.join(3, Role::View);
    table.follows(3, None);
    table.scrolls(3, 1);
    assert_eq!(table.told(), [(3, followed(false))]);
}

#[test]
fn a_page_that_does_not_know_of_following_hears_nothing_of_it() {
    let mut table = table_of(3);
    for wanted in [3, 2, 77] {
        table.follows(2, Some(wanted));
    }
    assert_eq!(table.told(), []);
}
