//! A room with so many people that nobody hears of all of them.

use quadrille_cell::{Range, SheetId};
use quadrille_protocol::Presence;
use quadrille_replica::Event;

use crate::person::Person;
use crate::support::Server;

/// More than `PEOPLE_ALL_LISTED_MAX` of `quadrille_room::limits`.
const PEOPLE: usize = 70;
const NEIGHBOURS: usize = 32;

fn cell(row: usize) -> Range {
    Range::parse_a1(&format!("B{row}")).expect("an address")
}

/// Everybody hears what has come, until it is so.
fn all_until(people: &mut [Person], what: &str, done: impl Fn(&Person) -> bool) {
    let patience = std::time::Instant::now() + crate::support::PATIENCE;
    while !done(&people[0]) {
        people.iter_mut().for_each(|person| _ = person.listens());
        assert!(std::time::Instant::now() < patience, "never: {what}");
    }
}

#[test]
fn p17_who_comes_into_a_crowd_sees_cells_first_and_those_nearby() {
    let server = Server::start();
    let rows: String = (1..=1_000).map(|row| format!("{row},\n")).collect();
    server.make_room("plan", &rows);
    let mut people: Vec<Person> =
        (0..PEOPLE).map(|number| Person::join(&server, "plan", &format!("person {number}"))).collect();
    let sheet = SheetId(people[0].sheet());
    for (number, person) in people.iter_mut().enumerate() {
        let selection = cell(number * 10 + 1);
        person.happens(Event::Select(Presence { sheet, selection, is_editing: false }));
    }
    // Before the workbook: the window that a page asks for first.
    let window = server.get("/api/v1/rooms/plan/window?range=A401:A403");
    assert_eq!(window.status, 200);
    assert!(window.body.ends_with(b"401402403"), "what is shown there");

    let mut crowd = vec![Person::join(&server, "plan", "Ann")];
    crowd.append(&mut people);
    let view = Range::parse_a1("A401:H440").expect("a range");
    crowd[0].happens(Event::View { sheet, view });
    let rows_near = |ann: &Person| -> Vec<u32> {
        let seen = ann.replica.people().listed().filter_map(|person| person.presence.as_ref());
        let mut rows: Vec<u32> = seen.map(|presence| presence.selection.first().row.get() + 1).collect();
        rows.sort_unstable();
        rows
    };
    let looked_at = [401, 411, 421, 431];
    all_until(&mut crowd, "those in view are known", |ann| {
        let rows = rows_near(ann);
        looked_at.iter().all(|row| rows.contains(row)) && ann.replica.people().count() == PEOPLE as u64 + 1
    });
    let rows = rows_near(&crowd[0]);
    assert!(rows.len() <= NEIGHBOURS, "{rows:?}");
    assert!(rows.iter().all(|row| (201..=640).contains(row)), "the nearest: {rows:?}");

    // She looks elsewhere, and one there moves.
    let view = Range::parse_a1("A1:H40").expect("a range");
    crowd[0].happens(Event::View { sheet, view });
    let selection = cell(7);
    crowd[1].happens(Event::Select(Presence { sheet, selection, is_editing: false }));
    all_until(&mut crowd, "the others are known", |ann| {
        let rows = rows_near(ann);
        [7, 11, 21, 31].iter().all(|row| rows.contains(row))
    });
    // Cells are everybody's, near or far.
    crowd[PEOPLE].types("C1000", "far away");
    crowd[0].until("typed by somebody far away", |ann| {
        ann.value("C1000") == quadrille_cell::Value::Text("far away".into())
    });
}
