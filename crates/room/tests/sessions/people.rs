//! Who is in the room, and who may say so.

use super::*;

/// P17: what a big room sends of its people does not grow with the square.
#[test]
fn in_a_big_room_each_hears_of_those_near_what_it_looks_at() {
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
    // One looks at rows where it is not itself.
    let view = Range::parse_a1("A20001:H20040").expect("valid");
    table.frame(1, &ClientFrame::View { sheet: SheetId(1), view });
    type Known = BTreeMap<u64, BTreeMap<SessionId, Option<Presence>>>;
    let mut known = Known::new();
    let settle = |table: &mut Table, known: &mut Known| -> (usize, usize, u64) {
        let (mut frames, mut people, mut count_told) = (0, 0, 0);
        while table.room.next_tick_ms().is_some() {
            table.now_ms = table.now_ms.max(table.room.next_tick_ms().expect("asked above"));
            table.event(Event::Tick);
        }
        for session in 1..=MEMBERS {
            for frame in table.take(session) {
                let ServerFrame::People { changed, gone, count } = frame else { continue };
                let list = known.entry(session).or_default();
                for one in &gone {
                    list.remove(one);
                }
                frames += 1;
                people += changed.len();
                for person in changed.into_iter().filter(|person| person.session != SessionId(session)) {
                    list.insert(person.session, person.presence);
                }
                assert!(list.len() <= limits::PEOPLE_ALL_LISTED_MAX);
                count_told = count;
            }
        }
        (frames, people, count_told)
    };
    let (_, _, count) = settle(&mut table, &mut known);
    assert_eq!(count, MEMBERS);

    // Everyone moves once more: one frame for each, with those nearby.
    for session in 1..=MEMBERS {
        table.frame(session, &ClientFrame::Presence(at(session * 10 + 1)));
    }
    let begun_ms = table.now_ms;
    let (frames, people, _) = settle(&mut table, &mut known);
    assert!(frames <= 2 * MEMBERS as usize, "{frames}");
    assert!(people <= 2 * MEMBERS as usize * limits::NEIGHBOURS_MAX, "{people}");
    assert!(table.now_ms - begun_ms <= 2_500, "everyone has their turn within about a second");
    let near: Vec<u64> = known[&1].keys().map(|session| session.0).collect();
    assert_eq!(near.len(), limits::NEIGHBOURS_MAX);
    assert!([2_000, 2_001, 2_002, 2_003].iter().all(|seen| near.contains(seen)), "{near:?}");
    assert!(near.iter().all(|session| (1_980..2_030).contains(session)), "{near:?}");
    // What each knows is what is so.
    for (session, list) in &known {
        for (other, presence) in list {
            assert_eq!(*presence, Some(at(other.0 * 10 + 1)), "{session} of {other:?}");
        }
    }

    // All but a few leave: everyone hears of everyone again, and of nobody else.
    for session in 11..=MEMBERS {
        table.event(Event::Disconnect { session: SessionId(session) });
    }
    settle(&mut table, &mut known);
    for session in 1..=10 {
        let list: Vec<u64> = known[&session].keys().map(|other| other.0).collect();
        assert_eq!(list, (1..=10).filter(|other| *other != session).collect::<Vec<_>>());
    }
}

#[test]
fn one_who_moves_while_the_room_becomes_big_is_not_forgotten() {
    let mut table = Table::new();
    let mut known = BTreeSet::new();
    let mut settle = |table: &mut Table| {
        while let Some(next_ms) = table.room.next_tick_ms() {
            table.now_ms = table.now_ms.max(next_ms);
            table.event(Event::Tick);
        }
        for frame in table.take(1) {
            if let ServerFrame::People { changed, gone, .. } = frame {
                known.extend(changed.into_iter().map(|person| person.session));
                known.retain(|session| !gone.contains(session));
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
    assert_eq!(settle(&mut table), few as usize, "everyone knows everyone, oneself included");
    // Far from the first; before that is told, one more comes.
    moves(&mut table, few - 1);
    table.join(few + 1, Role::View);
    // Oneself stays listed: nobody is told that they have gone.
    assert_eq!(settle(&mut table), limits::NEIGHBOURS_MAX + 1);
}

/// P19: everybody sees a replica's identity in its records; only the one that got it can come back as it.
#[test]
fn nobody_else_can_claim_to_be_a_replica() {
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
        let welcome = welcomed.expect("as somebody new");
        assert_ne!(welcome.replica, victim.replica);
        assert_eq!((welcome.resume, welcome.confirmed), (Resume::Snapshot, Counter(0)));
        table.event(Event::Disconnect { session: SessionId(2) });
    }
    assert!(table.closed.is_empty(), "the victim was not sent away");
    let back = table.come_back(3, &victim, 1);
    assert_eq!((back.replica, back.confirmed), (victim.replica, Counter(1)));
    // Also after a restart: the room has stored nothing for it.
    let mut table = table.reopened();
    assert_eq!(table.come_back(4, &victim, 1).replica, victim.replica);
}
