//! Presence, and the identity of replicas.

use super::*;

/// P17: presence traffic of a large room does not grow with the square of its people.
#[test]
fn in_a_large_room_each_session_gets_the_people_near_its_view() {
    const MEMBERS: u64 = 5_000;
    let mut table = Table::new();
    let at = |row: u64| {
        let cell = CellAddress::parse_a1(&format!("B{}", row + 1)).expect("valid");
        Presence { sheet: SheetId(1), selection: Range::cell(cell), is_editing: false }
    };
    for session in 1..=MEMBERS {
        table.join(session, Role::View);
        table.frame(session, &ClientFrame::Presence(at(session * 10)));
    }
    // The first session displays rows far from its own selection.
    let view = Range::parse_a1("A20001:H20040").expect("valid");
    table.frame(1, &ClientFrame::View { sheet: SheetId(1), view });
    type Lists = BTreeMap<u64, BTreeMap<SessionId, Option<Presence>>>;
    let mut lists = Lists::new();
    let settle = |table: &mut Table, lists: &mut Lists| -> (usize, usize, u64) {
        let (mut frames, mut people, mut count_sent) = (0, 0, 0);
        while table.room.next_tick_ms().is_some() {
            table.now_ms = table.now_ms.max(table.room.next_tick_ms().expect("checked above"));
            table.event(Event::Tick);
        }
        for session in 1..=MEMBERS {
            for frame in table.take(session) {
                let ServerFrame::People { changed, departed, count } = frame else { continue };
                let list = lists.entry(session).or_default();
                for session in &departed {
                    list.remove(session);
                }
                frames += 1;
                people += changed.len();
                for person in changed.into_iter().filter(|person| person.session != SessionId(session)) {
                    list.insert(person.session, person.presence);
                }
                assert!(list.len() <= limits::PEOPLE_ALL_LISTED_MAX);
                count_sent = count;
            }
        }
        (frames, people, count_sent)
    };
    let (_, _, count) = settle(&mut table, &mut lists);
    assert_eq!(count, MEMBERS);

    // Everyone moves once more: one frame for each session, with the people nearby.
    for session in 1..=MEMBERS {
        table.frame(session, &ClientFrame::Presence(at(session * 10 + 1)));
    }
    let begun_ms = table.now_ms;
    let (frames, people, _) = settle(&mut table, &mut lists);
    assert!(frames <= 2 * MEMBERS as usize, "{frames}");
    assert!(people <= 2 * MEMBERS as usize * limits::NEARBY_PEOPLE_MAX, "{people}");
    assert!(table.now_ms - begun_ms <= 2_500, "every session is served within about a second");
    let near: Vec<u64> = lists[&1].keys().map(|session| session.0).collect();
    assert_eq!(near.len(), limits::NEARBY_PEOPLE_MAX);
    assert!([2_000, 2_001, 2_002, 2_003].iter().all(|visible| near.contains(visible)), "{near:?}");
    assert!(near.iter().all(|session| (1_980..2_030).contains(session)), "{near:?}");
    // Every list is correct.
    for (session, list) in &lists {
        for (other, presence) in list {
            assert_eq!(*presence, Some(at(other.0 * 10 + 1)), "{session} of {other:?}");
        }
    }

    // All but ten leave: every session lists everyone again, and nobody else.
    for session in 11..=MEMBERS {
        table.event(Event::Disconnect { session: SessionId(session) });
    }
    settle(&mut table, &mut lists);
    for session in 1..=10 {
        let list: Vec<u64> = lists[&session].keys().map(|other| other.0).collect();
        assert_eq!(list, (1..=10).filter(|other| *other != session).collect::<Vec<_>>());
    }
}

#[test]
fn a_person_who_moves_while_the_room_becomes_large_stays_listed() {
    let mut table = Table::new();
    let mut known = BTreeSet::new();
    let mut settle = |table: &mut Table| {
        while let Some(next_ms) = table.room.next_tick_ms() {
            table.now_ms = table.now_ms.max(next_ms);
            table.event(Event::Tick);
        }
        for frame in table.take(1) {
            if let ServerFrame::People { changed, departed, .. } = frame {
                known.extend(changed.into_iter().map(|person| person.session));
                known.retain(|session| !departed.contains(session));
            }
        }
        known.len()
    };
    let moves = |table: &mut Table, session: u64| {
        let cell = Range::cell(CellAddress::clamped(session as u32 * 10, 0));
        let presence = Presence { sheet: SheetId(1), selection: cell, is_editing: false };
        table.frame(session, &ClientFrame::Presence(presence));
    };
    let few = limits::PEOPLE_ALL_LISTED_MAX as u64;
    for session in 1..=few {
        table.join(session, Role::View);
        moves(&mut table, session);
    }
    assert_eq!(settle(&mut table), few as usize, "everyone is listed, including the session's own person");
    // One more person joins before this change is sent.
    moves(&mut table, few - 1);
    table.join(few + 1, Role::View);
    // The own person stays listed: no session is told that its own person left.
    assert_eq!(settle(&mut table), limits::NEARBY_PEOPLE_MAX + 1);
}

/// P19: a replica id is visible to all in records; only the replica that received its secret can
/// use it.
#[test]
fn a_replica_id_cannot_be_used_without_its_secret() {
    let mut table = Table::new();
    let victim = table.join(1, Role::Edit);
    table.submit(1, 1, 0, write("A1", "mine"));
    table.durable();
    for secret in [None, Some(ReplicaSecret(12_345))] {
        table.connect(2, Role::Edit);
        let replica = Some((victim.replica, victim.incarnation));
        let (last, name) = (Some(Revision(1)), "Mallory".into());
        let hello =
            Hello { version: PROTOCOL_VERSION, replica, last, unconfirmed: 0, name, color: None, secret };
        table.frame(2, &ClientFrame::Hello(hello));
        let welcomed = table.take(2).into_iter().find_map(|frame| match frame {
            ServerFrame::Welcome(welcome) => Some(welcome),
            _ => None,
        });
        let welcome = welcomed.expect("welcomed as a new replica");
        assert_ne!(welcome.replica, victim.replica);
        assert_eq!((welcome.resume, welcome.confirmed), (Resume::Snapshot, Counter(0)));
        table.event(Event::Disconnect { session: SessionId(2) });
    }
    assert!(table.closed.is_empty(), "the victim stays connected");
    let back = table.reconnect(3, &victim, 1);
    assert_eq!((back.replica, back.confirmed), (victim.replica, Counter(1)));
    // Also after a restart: the room stores nothing for this.
    let mut table = table.reopened();
    assert_eq!(table.reconnect(4, &victim, 1).replica, victim.replica);
}
