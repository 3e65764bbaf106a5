//! Workbooks in the trash are deleted after `trash_days`.

use quadrille_access::{AccessStore, AuditEvent, AuditFilter};
use quadrille_protocol::RoomName;
use serde_json::{Value as Json, json};

use crate::access::send;
use crate::admin::{Prepared, admin, give_workbooks, stored};

const DAY_MS: i64 = 86_400_000;

fn now_ms() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.expect("after 1970").as_millis() as i64
}

#[test]
fn a_workbook_is_deleted_when_it_was_in_the_trash_for_long_enough() {
    let prepared = Prepared::new();
    let server = prepared.start(&[]);
    for room in ["old", "plan"] {
        server.make_room(room, "1\n");
    }
    drop(server);
    give_workbooks(&prepared, now_ms() - 29 * DAY_MS);
    let server = prepared.start(&[]);
    let maintain = || admin(&server, &prepared.admin, "POST", "/maintenance", Json::Null).json();
    assert_eq!(maintain()["workbooks"], 0, "by default it stays for 30 days");
    assert_eq!(send(&server, &prepared.ada, "GET", "/api/v1/rooms/old", "").status, 200);
    drop(server);
    let mut server = prepared.start(&["--trash-days", "29"]);
    // The server has done it at its start, or does it now.
    admin(&server, &prepared.admin, "POST", "/maintenance", Json::Null);
    assert_eq!(send(&server, &prepared.ada, "GET", "/api/v1/rooms/plan", "").status, 200);
    server.signal("TERM");
    server.wait();
    let mut store = stored(prepared.data.path());
    let old = RoomName::new("old").expect("a name");
    assert_eq!(store.workbook(&old), Ok(None));
    let deleted = AuditFilter { event: Some(AuditEvent::WorkbookDeleted), ..AuditFilter::default() };
    let entries = store.audit(&deleted, 10).expect("readable");
    assert_eq!(entries.len(), 1);
    assert_eq!((entries[0].room.as_deref(), entries[0].target.as_str()), (Some("old"), "trash"));
    drop(store);
    let server = prepared.start(&[]);
    assert_eq!(
        admin(&server, &prepared.admin, "GET", "/workbooks?q=old", Json::Null).json()["workbooks"],
        json!([])
    );
}

#[test]
fn an_interrupted_deletion_is_finished_by_the_next_run() {
    let prepared = Prepared::new();
    let server = prepared.start(&[]);
    server.make_room("old", "1\n");
    drop(server);
    // The contents are gone, the access document is still there.
    give_workbooks(&prepared, 5);
    let server = prepared.start(&["--trash-days", "0"]);
    assert_eq!(send(&server, &prepared.ada, "DELETE", "/api/v1/rooms/old", "").status, 204);
    drop(server);
    let mut store = prepared.store();
    let room = RoomName::new("old").expect("a name");
    let closed = quadrille_access::WorkbookAccess {
        general: quadrille_access::GeneralAccess::Restricted,
        trashed_ms: Some(5),
        ..Default::default()
    };
    store.put_workbook(&room, quadrille_access::Version(0), Some(&closed), &[]).expect("stored");
    drop(store);
    let mut server = prepared.start(&[]);
    admin(&server, &prepared.admin, "POST", "/maintenance", Json::Null);
    server.signal("TERM");
    server.wait();
    assert_eq!(stored(prepared.data.path()).workbook(&room), Ok(None));
}
