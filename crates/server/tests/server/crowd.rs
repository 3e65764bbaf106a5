//! A room with more people than the room reports to each session.

use quadrille_cell::{Range, SheetId};
use quadrille_protocol::Presence;
use quadrille_replica::Event;

use crate::person::Person;
use crate::support::Server;

/// Exceeds `PEOPLE_ALL_LISTED_MAX` of `quadrille_room::limits`.
const PEOPLE: usize = 70;
const NEARBY_PEOPLE_MAX: usize = 32;

fn cell(row: usize) -> Range {
    Range::parse_a1(&format!("B{row}")).expect("an address")
}

/// Receives frames for all people until the condition holds for the first of them.
fn receive_until(people: &mut [Person], what: &str, done: impl Fn(&Person) -> bool) {
    let deadline = std::time::Instant::now() + crate::support::TIMEOUT;
    while !done(&people[0]) {
        people.iter_mut().for_each(|person| _ = person.receive());
        assert!(std::time::Instant::now() < deadline, "timeout waiting for: {what}");
    }
}

#[test]
fn p17_a_new_session_in_a_crowd_gets_the_preview_and_nearby_people() {
    let server = Server::start();
    let rows: String = (1..=1_000).map(|row| format!("{row},\n")).collect();
    server.make_room("plan", &rows);
    let mut people: Vec<Person> =
        (0..PEOPLE).map(|number| Person::join(&server, "plan", &format!("person {number}"))).collect();
    let sheet = SheetId(people[0].sheet());
    for (number, person) in people.iter_mut().enumerate() {
        let selection = cell(number * 10 + 1);
        person.handle(Event::Select(Presence { sheet, selection, is_editing: false }));
    }
    // Before the workbook, a page requests the preview of its window.
    let window = server.get("/api/v1/rooms/plan/window?range=A401:A403");
    assert_eq!(window.status, 200);
    assert!(window.body.ends_with(b"401402403"), "values of the window");

    let mut crowd = vec![Person::join(&server, "plan", "Ann")];
    crowd.append(&mut people);
    let view = Range::parse_a1("A401:H440").expect("a range");
    crowd[0].handle(Event::View { sheet, view });
    let rows_near = |ann: &Person| -> Vec<u32> {
        let presences = ann.replica.people().listed().filter_map(|person| person.presence.as_ref());
        let mut rows: Vec<u32> = presences.map(|presence| presence.selection.first().row.get() + 1).collect();
        rows.sort_unstable();
        rows
    };
    let rows_in_view = [401, 411, 421, 431];
    receive_until(&mut crowd, "the people in view are listed", |ann| {
        let rows = rows_near(ann);
        rows_in_view.iter().all(|row| rows.contains(row)) && ann.replica.people().count() == PEOPLE as u64 + 1
    });
    let rows = rows_near(&crowd[0]);
    assert!(rows.len() <= NEARBY_PEOPLE_MAX, "{rows:?}");
    assert!(rows.iter().all(|row| (201..=640).contains(row)), "the nearest people: {rows:?}");

    // Ann scrolls, and a person in the new view moves the selection.
    let view = Range::parse_a1("A1:H40").expect("a range");
    crowd[0].handle(Event::View { sheet, view });
    let selection = cell(7);
    crowd[1].handle(Event::Select(Presence { sheet, selection, is_editing: false }));
    receive_until(&mut crowd, "the people in the new view are listed", |ann| {
        let rows = rows_near(ann);
        [7, 11, 21, 31].iter().all(|row| rows.contains(row))
    });
    // Cell edits reach every session, near or far.
    crowd[PEOPLE].type_text("C1000", "far away");
    crowd[0].wait_until("the edit of a distant person arrives", |ann| {
        ann.value("C1000") == quadrille_cell::Value::Text("far away".into())
    });
}

/// The value of a line of `/proc/PID/status` in kilobytes.
fn memory_kb(server: &Server, name: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.id())).expect("running");
    let line = status.lines().find(|line| line.starts_with(name)).expect("a line");
    line.split_whitespace().nth(1).expect("a number").parse().expect("a number")
}

/// The budget of a Raspberry Pi. Pages of the program itself are not counted: the kernel reads them again when
/// memory is short, and the program of the tests is several times as large as the released one.
#[test]
fn a_hundred_people_fit_in_64_megabytes_and_one_core() {
    let data = tempfile::tempdir().expect("a temporary directory");
    let mut command = std::process::Command::new("taskset");
    command.args(["--cpu-list", "0"]).arg(crate::support::binary().get_program());
    let server = Server::start_by(command, std::process::Stdio::inherit(), data.path(), &[]);
    let rows: String = (1..=1_000).map(|row| format!("{row},=A{row}*2\n")).collect();
    for room in ["plan", "budget", "team", "stock"] {
        server.make_room(room, &rows);
    }
    let mut people: Vec<Person> = (0..100)
        .map(|number| {
            let room = ["plan", "budget", "team", "stock"][number % 4];
            Person::join(&server, room, &format!("person {number}"))
        })
        .collect();
    for (number, person) in people.iter_mut().enumerate() {
        for column in ["C", "D", "E"] {
            person.type_text(&format!("{column}{}", number + 1), "typed");
        }
    }
    people.iter_mut().for_each(Person::wait_until_saved);
    for (number, person) in people.iter_mut().enumerate() {
        // Somebody else in the same room.
        let other = (number + 4) % 100;
        person.wait_for_value(&format!("E{}", other + 1), "typed");
    }
    let used_kb = memory_kb(&server, "RssAnon");
    assert!(used_kb < 64 << 10, "{used_kb} kB with 100 people");
}
