//! What the room does by itself: stamps for what shows time, digests.

use super::*;

/// P20
#[test]
fn time_that_is_shown_goes_on_while_somebody_looks() {
    let mut table = Table::new();
    table.event(Event::VolatileEvery { ms: Some(10_000) });
    table.join(1, Role::Edit);
    table.submit(1, 1, 0, write("A1", "no formula"));
    table.durable();
    table.now_ms += 20_000;
    table.event(Event::Tick);
    assert_eq!(table.room.head(), Revision(1), "nothing shows the time");

    let sheet = SheetId(1);
    let command = Command::TypeText { sheet: sheet.0, cell: "A2".into(), text: "=NOW()".into() };
    let author = Author::named("REST");
    let change = Change::Command(Box::new(command));
    table.event(Event::Request { token: Token(1), author, role: Role::Edit, change });
    table.durable();
    let placed_ms = table.now_ms;
    table.event(Event::Tick);
    assert_eq!(table.room.head(), Revision(2), "too early");
    assert!(table.room.next_tick_ms().is_some_and(|next| next <= placed_ms + 10_000));
    table.now_ms += 10_000;
    table.event(Event::Tick);
    assert_eq!(table.room.head(), Revision(3));
    table.now_ms += 30_000;
    table.event(Event::Tick);
    assert_eq!(table.room.head(), Revision(3), "the disk is behind");
    table.durable();

    table.event(Event::Disconnect { session: SessionId(1) });
    table.event(Event::Tick);
    assert_eq!((table.room.head(), table.room.is_idle()), (Revision(3), true), "nobody looks");
    // Also after the room came back from its journal.
    let mut table = table.reopened();
    table.join(2, Role::View);
    table.now_ms += 60_000;
    table.event(Event::Tick);
    assert_eq!(table.room.head(), Revision(4));
}

/// P15: a replica that differs says so once, is counted, and is given the room's document.
#[test]
fn a_replica_that_differs_is_counted_and_gets_a_snapshot() {
    let mut table = Table::new();
    table.may_differ = true;
    table.join(1, Role::Edit);
    table.join(2, Role::View);
    for counter in 1..=40 {
        table.submit(1, counter, counter - 1, write("A1", &counter.to_string()));
        table.durable();
    }
    let stated = table.take(2).into_iter().find_map(|frame| match frame {
        ServerFrame::Digest { revision, digest } => Some((revision, digest)),
        _ => None,
    });
    let (revision, digest) = stated.expect("after so much change");
    assert!(revision.0.is_multiple_of(quadrille_protocol::limits::DIGEST_EVERY));

    table.frame(2, &ClientFrame::Digest { revision, digest: digest ^ 1 });
    assert_eq!(table.mismatches, [(SessionId(2), revision, Some(digest), digest ^ 1)]);
    assert_eq!(table.room.counts().digest_mismatches, 1);
    let frames = table.take(2);
    let ServerFrame::Resync { revision: from, .. } = &frames[0] else { panic!("{frames:?}") };
    let snapshot = frames.iter().find_map(|frame| match frame {
        ServerFrame::Snapshot { bytes, .. } => Some(decode_snapshot(bytes).expect("readable")),
        _ => None,
    });
    // The one made for those who join will do, with the records after it.
    let expected = if *from == Revision(0) { String::new() } else { from.0.to_string() };
    assert_eq!(shown(&snapshot.expect("sent after Resync"), "A1"), expected);
    let after: usize = frames
        .iter()
        .map(|frame| match frame {
            ServerFrame::Records { records } => records.len(),
            _ => 0,
        })
        .sum();
    assert_eq!(after as u64, 40 - from.0);
    // From there on it follows like everyone.
    table.submit(1, 41, 40, write("A1", "on"));
    table.durable();
    assert_eq!(table.revisions(2).last(), Some(&41));
}
