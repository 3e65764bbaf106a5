//! Measures the throughput of the room alone, without sockets and storage:
//! `cargo test --release -p quadrille-room -- --ignored --nocapture`.

use std::time::Instant;

use quadrille_cell::{CellAddress, Range, SheetId};
use quadrille_journal::Loaded;
use quadrille_operation::{Limits, Operation, Transaction};
use quadrille_protocol::{
    ClientFrame, Counter, Hello, Incarnation, PROTOCOL_VERSION, Revision, Role, RoomName, SessionId,
};
use quadrille_room::{Effect, Event, Moment, Room};
use quadrille_workbook::{Input, Literal};

const MOMENT: Moment = Moment { unix_ms: 0, monotonic_ms: 0, random: 12_345 };

fn room_with(sessions: u64) -> Room {
    let name = RoomName::new("busy").expect("a plain name");
    let mut room = Room::open(name, Incarnation(1), &Loaded::default(), Limits::default()).expect("empty");
    for session in (1..=sessions).map(SessionId) {
        room.handle(
            MOMENT,
            Event::Connect { session, role: Role::Edit, author: None, email: None, picture: None },
        );
        let hello = Hello {
            version: PROTOCOL_VERSION,
            replica: None,
            last: None,
            unconfirmed: 0,
            name: "x".into(),
            color: None,
            secret: None,
        };
        let moment = Moment { random: session.0 * 2, ..MOMENT };
        let bytes = ClientFrame::Hello(hello).encode().into();
        for effect in room.handle(moment, Event::Frame { session, bytes }) {
            if let Effect::Encode(job) = effect {
                room.handle(MOMENT, Event::Encoded(job.run()));
            }
        }
    }
    room
}

fn submit(session: u64, counter: u64, base: Revision, row: u32) -> Event {
    let range = Range::cell(CellAddress::clamped(row % 100_000, (row / 100_000) % 20));
    let input = Input::Value(Literal::Number(f64::from(row)));
    let transaction =
        Transaction { operations: vec![Operation::FillCells { sheet: SheetId(1), range, input }] };
    let frame = ClientFrame::Submit { counter: Counter(counter), base, transaction };
    Event::Frame { session: SessionId(session), bytes: frame.encode().into() }
}

#[test]
#[ignore = "a measurement"]
fn one_writer_with_transactions_in_flight() {
    const COUNT: u64 = 100_000;
    let mut room = room_with(2);
    let events: Vec<Event> =
        (1..=COUNT).map(|n| submit(1, n, Revision((n - 1) / 64 * 64), n as u32)).collect();
    let started = Instant::now();
    for (event, number) in events.into_iter().zip(1..) {
        room.handle(MOMENT, event);
        if number % 64 == 0 {
            for effect in room.handle(MOMENT, Event::Durable { up_to: room.head() }) {
                if let Effect::Encode(job) = effect {
                    room.handle(MOMENT, Event::Encoded(job.run()));
                }
            }
        }
    }
    let seconds = started.elapsed().as_secs_f64();
    assert_eq!(room.head(), Revision(COUNT));
    println!("one writer: {:.0} transactions/s", COUNT as f64 / seconds);
}

#[test]
#[ignore = "a measurement"]
fn many_writers_with_an_old_base_revision() {
    const SESSIONS: u64 = 2_000;
    const ROUNDS: u64 = 20;
    let mut room = room_with(SESSIONS);
    let mut seconds = 0.0;
    for round in 1..=ROUNDS {
        // Every session writes with the base revision from before this round.
        let base = room.head();
        let events: Vec<Event> = (1..=SESSIONS)
            .map(|session| submit(session, round, base, (round * SESSIONS + session) as u32))
            .collect();
        let started = Instant::now();
        for event in events {
            room.handle(MOMENT, event);
        }
        room.handle(MOMENT, Event::Durable { up_to: room.head() });
        seconds += started.elapsed().as_secs_f64();
    }
    assert_eq!(room.head(), Revision(SESSIONS * ROUNDS));
    println!(
        "rebased over 1,000 others on average: {:.0} transactions/s",
        (SESSIONS * ROUNDS) as f64 / seconds
    );
}
