//! P25: following another person's view.

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

    /// Frames about following since the last call, with their recipients.
    fn follow_frames(&mut self) -> Vec<(u64, FollowFrame)> {
        std::mem::take(&mut self.follow_frames)
    }
}

fn followed(is_followed: bool) -> FollowFrame {
    FollowFrame::Followed { is_followed }
}

fn scrolled(session: u64, row: u32) -> FollowFrame {
    let cell = CellAddress::clamped(row, 0);
    FollowFrame::Scrolled { session: SessionId(session), sheet: SHEET, cell }
}

/// All sessions but the last support following.
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
fn only_followers_get_the_view_of_the_followed_person() {
    let mut table = table_of(4);
    assert_eq!(table.follow_frames(), []);
    table.follows(2, Some(1));
    assert_eq!(table.follow_frames(), [(1, followed(true))]);
    table.scrolls(1, 40);
    assert_eq!(table.follow_frames(), [(2, scrolled(1, 40))]);
    // A later follower makes the room ask for the view again.
    table.follows(3, Some(1));
    assert_eq!(table.follow_frames(), [(1, followed(true))]);
    table.scrolls(1, 50);
    assert_eq!(table.follow_frames(), [(2, scrolled(1, 50)), (3, scrolled(1, 50))]);
    table.follows(2, None);
    table.scrolls(1, 60);
    assert_eq!(table.follow_frames(), [(3, scrolled(1, 60))]);
}

#[test]
fn a_person_without_followers_is_told_so_when_scrolling() {
    let mut table = table_of(4);
    table.follows(2, Some(1));
    table.follows(3, Some(1));
    table.follows(2, Some(3));
    table.event(Event::Disconnect { session: SessionId(3) });
    table.follow_frames();
    table.scrolls(1, 1);
    assert_eq!(table.follow_frames(), [(1, followed(false))]);
    // The followed person has left; a session with the same number is another person.
    table.join(3, Role::View);
    table.follows(3, None);
    table.scrolls(3, 1);
    assert_eq!(table.follow_frames(), [(3, followed(false))]);
}

#[test]
fn a_client_without_support_for_following_gets_no_frames_about_it() {
    let mut table = table_of(3);
    for wanted in [3, 2, 77] {
        table.follows(2, Some(wanted));
    }
    assert_eq!(table.follow_frames(), []);
}
