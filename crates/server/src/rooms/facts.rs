//! Reports of the titles of workbooks and of when they were changed last, for lists that must not
//! load a room for each entry.

use std::sync::{Arc, OnceLock};

use quadrille_access::WorkbookFacts;
use quadrille_protocol::{Revision, RoomName};
use quadrille_room::Room;

type Report = Box<dyn Fn(&RoomName, &WorkbookFacts) + Send + Sync>;

/// Told the facts of a workbook, on its room's thread: when it is opened, when its title changes,
/// and at most once a minute while it is being changed.
///
/// Set after the rooms have started, because whoever keeps the facts needs the rooms.
#[derive(Clone, Default)]
pub struct FactsListener(Arc<OnceLock<Report>>);

impl FactsListener {
    /// Sets the listener. Later calls change nothing.
    pub fn set(&self, report: impl Fn(&RoomName, &WorkbookFacts) + Send + Sync + 'static) {
        _ = self.0.set(Box::new(report));
    }
}

/// Changes within this time of the last report wait for the next one.
const REPORT_MS_MIN: i64 = 60_000;

/// The facts that an open room has reported last; `None` when it has reported none yet.
#[derive(Default)]
pub struct ReportedFacts(Option<WorkbookFacts>);

impl ReportedFacts {
    /// Reports the facts of a room unless they are known well enough. `is_last`: the room is about
    /// to be unloaded, so that nothing can wait.
    pub fn update(&mut self, listener: &FactsListener, room: &Room, is_last: bool) {
        if room.head() > Revision(0) {
            self.report(listener, room.name(), room.workbook().title(), room.changed_ms(), is_last);
        }
    }

    fn report(
        &mut self,
        listener: &FactsListener,
        room: &RoomName,
        title: Option<&str>,
        changed_ms: i64,
        is_last: bool,
    ) {
        let is_known = self.0.as_ref().is_some_and(|reported| {
            let age_ms = changed_ms - reported.changed_ms;
            reported.title.as_deref() == title && age_ms < if is_last { 1 } else { REPORT_MS_MIN }
        });
        if !is_known && let Some(report) = listener.0.get() {
            let facts = WorkbookFacts { title: title.map(str::to_owned), changed_ms };
            report(room, &facts);
            self.0 = Some(facts);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[test]
    fn titles_are_reported_at_once_and_changes_once_a_minute() {
        let reports = Arc::new(Mutex::new(Vec::new()));
        let listener = FactsListener::default();
        let kept = Arc::clone(&reports);
        listener.set(move |_, facts| kept.lock().expect("a test").push(facts.clone()));
        let room = RoomName::new("sales").expect("a valid name");
        let mut reported = ReportedFacts::default();
        for (title, changed_ms, is_last) in [
            (None, 0, false),
            (None, 59_999, false),
            (Some("Sales"), 60_000, false),
            (Some("Sales"), 119_999, false),
            (Some("Sales"), 120_000, false),
            (Some("Sales"), 120_000, true),
            (Some("Sales"), 120_001, true),
        ] {
            reported.report(&listener, &room, title, changed_ms, is_last);
        }
        let facts =
            |title: Option<&str>, changed_ms| WorkbookFacts { title: title.map(str::to_owned), changed_ms };
        let expected = [
            facts(None, 0),
            facts(Some("Sales"), 60_000),
            facts(Some("Sales"), 120_000),
            facts(Some("Sales"), 120_001),
        ];
        assert_eq!(*reports.lock().expect("a test"), expected);
    }
}
