//! Work that the room starts by itself: volatile functions, digests, snapshots.

use super::*;

/// P20
#[test]
fn volatile_functions_are_refreshed_while_somebody_is_in_the_room() {
    let mut table = Table::new();
    table.event(Event::SetVolatileInterval { ms: Some(10_000) });
    table.join(1, Role::Edit);
    table.submit(1, 1, 0, write("A1", "no formula"));
    table.durable();
    table.now_ms += 20_000;
    table.event(Event::Tick);
    assert_eq!(table.room.head(), Revision(1), "no volatile formula");

    let sheet = SheetId(1);
    let command = Command::TypeText { sheet: sheet.0, cell: "A2".into(), text: "=NOW()".into() };
    let author = Author::named("REST");
    let change = Change::Command(Box::new(command));
    table.event(Event::Request {
        token: Token(1),
        author,
        role: Role::Edit,
        email: None,
        counter: Counter(0),
        change,
    });
    table.durable();
    let recorded_ms = table.now_ms;
    table.event(Event::Tick);
    assert_eq!(table.room.head(), Revision(2), "too early");
    assert!(table.room.next_tick_ms().is_some_and(|next| next <= recorded_ms + 10_000));
    table.now_ms += 10_000;
    table.event(Event::Tick);
    assert_eq!(table.room.head(), Revision(3));
    table.now_ms += 30_000;
    table.event(Event::Tick);
    assert_eq!(table.room.head(), Revision(3), "the last record is not durable yet");
    table.durable();

    table.event(Event::Disconnect { session: SessionId(1) });
    table.event(Event::Tick);
    assert_eq!((table.room.head(), table.room.is_idle()), (Revision(3), true), "nobody is in the room");
    // Also after the room was restored from its journal.
    let mut table = table.reopened();
    table.join(2, Role::View);
    table.now_ms += 60_000;
    table.event(Event::Tick);
    assert_eq!(table.room.head(), Revision(4));
}

/// P15: a replica that reports another digest is counted and gets the room's document.
#[test]
fn a_differing_replica_is_counted_and_gets_a_snapshot() {
    let mut table = Table::new();
    table.expects_mismatch = true;
    table.join(1, Role::Edit);
    table.join(2, Role::View);
    for counter in 1..=40 {
        table.submit(1, counter, counter - 1, write("A1", &counter.to_string()));
        table.durable();
    }
    let digest_frame = table.take(2).into_iter().find_map(|frame| match frame {
        ServerFrame::Digest { revision, digest } => Some((revision, digest)),
        _ => None,
    });
    let (revision, digest) = digest_frame.expect("sent after that many changes");
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
    // A snapshot cached for joining sessions is enough, with the records after it.
    let expected = if *from == Revision(0) { String::new() } else { from.0.to_string() };
    assert_eq!(text_of(&snapshot.expect("sent after Resync"), "A1"), expected);
    let after: usize = frames
        .iter()
        .map(|frame| match frame {
            ServerFrame::Records { records } => records.len(),
            _ => 0,
        })
        .sum();
    assert_eq!(after as u64, 40 - from.0);
    // Afterwards it gets broadcasts like every session.
    table.submit(1, 41, 40, write("A1", "on"));
    table.durable();
    assert_eq!(table.revisions(2).last(), Some(&41));
}

/// Submits one write per counter; each is durable at once.
fn write_many(table: &mut Table, counters: std::ops::RangeInclusive<u64>) {
    for counter in counters {
        table.submit(1, counter, counter - 1, write("A1", "1"));
        table.durable();
    }
}

#[test]
fn snapshots_are_stored_after_a_number_of_records_or_bytes() {
    let bounds =
        limits::Bounds { snapshot_after_records: 1, snapshot_pause_factor: 0, ..limits::Bounds::default() };
    let mut table = Table::new();
    table.room.set_bounds(bounds);
    table.join(1, Role::Edit);
    write_many(&mut table, 1..=3);
    assert_eq!(table.stored, [1, 2, 3]);

    table.room.set_bounds(limits::Bounds { snapshot_after_records: 100, ..bounds });
    write_many(&mut table, 4..=210);
    assert_eq!(table.stored[3..], [103, 203]);

    let bytes =
        limits::Bounds { snapshot_after_bytes: 1_000, snapshot_pause_factor: 0, ..limits::Bounds::default() };
    table.room.set_bounds(bytes);
    let before = table.stored.len();
    write_many(&mut table, 211..=300);
    let stored = table.stored.len() - before;
    assert!((1..=9).contains(&stored), "90 records of some dozens of bytes: {stored}");
}

#[test]
fn encoding_snapshots_takes_a_bounded_share_of_time() {
    let bounds = limits::Bounds { snapshot_after_records: 1, ..limits::Bounds::default() };
    let mut table = Table::new();
    table.room.set_bounds(bounds);
    table.join(1, Role::Edit);
    let began = table.now_ms;
    write_many(&mut table, 1..=400);
    // In this test each job takes a millisecond; a pause of 32 milliseconds follows.
    let jobs_max = (table.now_ms - began) / limits::SNAPSHOT_PAUSE_FACTOR + 1;
    let stored = table.stored.len() as u64;
    assert!(stored >= jobs_max / 2 && stored <= jobs_max, "{stored} of at most {jobs_max}");
    // Joining sessions do not wait for the pause.
    for session in 2..=4 {
        write_many(&mut table, 399 + session..=399 + session);
        table.join(session, Role::View);
        assert!(table.subscribed.contains(&SessionId(session)), "has its snapshot and the records after it");
    }
}

#[test]
fn snapshots_are_stored_when_enough_records_have_waited_long_enough() {
    let bounds = limits::Bounds { snapshot_after_ms: 10_000, ..limits::Bounds::default() };
    let mut table = Table::new();
    table.room.set_bounds(bounds);
    table.join(1, Role::Edit);
    write_many(&mut table, 1..=3);
    table.now_ms += 20_000;
    table.event(Event::Tick);
    assert_eq!(table.stored, [] as [u64; 0], "replaying three records is faster than reading a snapshot");
    write_many(&mut table, 4..=60);
    assert_eq!(table.stored, [50], "the oldest records have waited long enough");

    let mut table = Table::new();
    table.room.set_bounds(bounds);
    table.join(1, Role::Edit);
    let after = table.now_ms;
    write_many(&mut table, 1..=60);
    assert_eq!(table.stored, [] as [u64; 0]);
    assert!(table.room.next_tick_ms().is_some_and(|next| next <= after + 10_100));
    table.now_ms += 10_000;
    table.event(Event::Tick);
    assert_eq!(table.stored, [60]);
    table.now_ms += 60_000;
    table.event(Event::Tick);
    assert_eq!(table.stored, [60], "nothing has changed since");
}

#[test]
fn unloading_a_room_stores_a_snapshot_that_speeds_up_its_next_opening() {
    let mut table = Table::new();
    table.join(1, Role::Edit);
    write_many(&mut table, 1..=10);
    table.event(Event::Disconnect { session: SessionId(1) });
    table.event(Event::PrepareUnload);
    assert_eq!((table.stored.len(), table.room.is_idle()), (0, true), "ten records are not worth a snapshot");

    let mut table = Table::new();
    table.join(1, Role::Edit);
    write_many(&mut table, 1..=60);
    table.event(Event::Disconnect { session: SessionId(1) });
    // While the job is running the room must not be unloaded.
    let moment = Moment { unix_ms: 1_000_000, monotonic_ms: table.now_ms, random: 1 };
    let effects = table.room.handle(moment, Event::PrepareUnload);
    let [Effect::Encode(job)] = &effects[..] else { panic!("{effects:?}") };
    assert!(!table.room.is_idle());
    table.event(Event::PrepareUnload);
    assert_eq!(table.stored, [] as [u64; 0]);
    table.event(Event::Encoded(job.clone().run()));
    assert_eq!((&table.stored[..], table.room.is_idle()), (&[60][..], true));
    table.event(Event::PrepareUnload);
    assert_eq!((&table.stored[..], table.room.is_idle()), (&[60][..], true), "stored once");
}
