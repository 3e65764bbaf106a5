//! The cases in which screens used to differ for good, each a thousand times with its own delays; and plans
//! that once failed.

use quadrille_cell::CellAddress;
use quadrille_operation::{Command, SortKey};
use quadrille_simulation::{Action, DiskFaults, Plan, Random, RoomBounds, What, World};
use quadrille_workbook::{Input, Literal, Workbook};

const TIMES: u64 = 1_000;
const SHEET: u32 = 1;

/// Runs a scenario with delays of its own for every seed, and shows the room's final document to `check`.
/// That all documents agree and nothing is lost or doubled, the run itself checks.
fn each_time(
    clients: usize,
    actions: impl Fn(&mut Random) -> Vec<Action>,
    check: impl Fn(&mut dyn FnMut(&str) -> String) -> Result<(), String>,
) {
    for seed in 0..TIMES {
        let mut random = Random::stream(seed, 100, 0);
        let mut actions = actions(&mut random);
        actions.sort_by_key(|action| action.at_ms);
        let plan = Plan {
            seed,
            clients,
            delay_ms: (1, *random.pick(&[3, 30, 300])),
            disk_ms: (0, *random.pick(&[1, 10, 60])),
            outgoing_bytes_max: 1 << 20,
            disk: DiskFaults::default(),
            tick_ms: None,
            room: RoomBounds {
                ring: 4_096,
                tail: 100_000,
                snapshot_after: 2_000,
                cells: 5_000_000,
                snapshot_after_ms: 0,
                snapshot_worth: 50,
            },
            actions,
        };
        let mut world = World::new(plan.clone());
        if let Err(failure) = world.run_scenario() {
            panic!("seed {seed}: {failure}\n{}", serde_json::to_string(&plan).expect("plain data"));
        }
        let workbook = world.workbook().expect("the room is open at the end").clone();
        if let Err(failure) = check(&mut |cell| shown(&workbook, cell)) {
            panic!("seed {seed}: {failure}\n{}", serde_json::to_string(&plan).expect("plain data"));
        }
    }
}

/// What was entered into a cell of the first sheet.
fn shown(workbook: &Workbook, cell: &str) -> String {
    let cell = CellAddress::parse_a1(cell).expect("valid");
    match workbook.sheets()[0].input(cell) {
        Input::Blank => String::new(),
        Input::Value(Literal::Number(number)) => number.to_string(),
        Input::Value(Literal::Text(text)) => text.to_string(),
        other => format!("{other:?}"),
    }
}

fn expect(what: &str, found: String, expected: &[&str]) -> Result<(), String> {
    match expected.contains(&found.as_str()) {
        true => Ok(()),
        false => Err(format!("{what}: {found:?}, expected one of {expected:?}")),
    }
}

fn at(at_ms: u64, client: usize, command: Command) -> Action {
    Action { at_ms, what: What::Command { client, command } }
}

fn type_text(at_ms: u64, client: usize, cell: &str, text: &str) -> Action {
    at(at_ms, client, Command::TypeText { sheet: SHEET, cell: cell.into(), text: text.into() })
}

/// A1:A9 hold `row 1` to `row 9`, from the first client, before anything else happens.
fn nine_rows() -> Action {
    let texts = (1..=9).map(|row| vec![format!("row {row}")]).collect();
    at(1_500, 0, Command::TypeTexts { sheet: SHEET, at: "A1".into(), texts })
}

/// Later than everyone has loaded, whatever the delays.
const THEN: u64 = 4_000;

#[test]
fn two_writers_on_one_cell_see_the_same() {
    each_time(
        2,
        |random| {
            vec![
                type_text(THEN, 0, "A1", "mine"),
                type_text(THEN + random.between(0, 20), 1, "A1", "yours"),
                type_text(THEN + random.between(0, 400), random.between(0, 1) as usize, "B1", "end"),
            ]
        },
        |shown| {
            expect("A1", shown("A1"), &["mine", "yours"])?;
            expect("B1", shown("B1"), &["end"])
        },
    );
}

#[test]
fn an_edit_below_an_inserted_row_follows_its_row() {
    each_time(
        2,
        |random| {
            vec![
                nine_rows(),
                at(THEN, 0, Command::InsertRows { sheet: SHEET, at: 2, count: 1 }),
                type_text(THEN + random.between(0, 3), 1, "B5", "beside row 5"),
            ]
        },
        |shown| {
            // Whoever had seen the inserted row meant row 4, which stands in A5 then.
            let beside = if shown("B6").is_empty() { shown("A5") } else { shown("A6") };
            expect("A3", shown("A3"), &[""])?;
            expect("beside the edit", beside, &["row 5", "row 4"])?;
            let edits = [shown("B5"), shown("B6")];
            expect("edits", edits.iter().filter(|text| *text == "beside row 5").count().to_string(), &["1"])
        },
    );
}

#[test]
fn an_edit_below_or_inside_deleted_rows_is_moved_or_gone() {
    each_time(
        2,
        |random| {
            let together = random.between(0, 1);
            vec![
                nine_rows(),
                at(THEN, 0, Command::DeleteRows { sheet: SHEET, at: 2, count: 2 }),
                type_text(THEN + together, 1, "B7", "below"),
                type_text(THEN + together, 1, "B3", "inside"),
            ]
        },
        |shown| {
            expect("A3", shown("A3"), &["row 5"])?;
            expect("A5", shown("A5"), &["row 7"])?;
            // Made before the deletion was seen, the edit is beside row 7; made after, where it was typed.
            expect("below", shown("B5") + &shown("B7"), &["below"])?;
            expect("inside", shown("B3"), &["", "inside"])
        },
    );
}

#[test]
fn an_edit_in_sorted_rows_follows_its_row() {
    each_time(
        3,
        |random| {
            let keys = vec![SortKey { column: 0, descending: true }];
            vec![
                nine_rows(),
                at(THEN, 0, Command::Sort { sheet: SHEET, range: "A1:B9".into(), keys, has_header: false }),
                type_text(THEN + random.between(0, 1), 1, "B2", "beside row 2"),
                at(THEN + random.between(0, 1), 2, Command::InsertRows { sheet: SHEET, at: 20, count: 1 }),
            ]
        },
        |shown| {
            expect("A1", shown("A1"), &["row 9"])?;
            expect("A9", shown("A9"), &["row 1"])?;
            // Beside row 2 if the sort was not seen when it was typed, else where it was typed.
            expect("the edit", shown("B8") + &shown("B2"), &["beside row 2"])
        },
    );
}

#[test]
fn twenty_edits_of_others_during_a_short_disconnect_arrive() {
    each_time(
        2,
        |random| {
            let mut actions = vec![
                nine_rows(),
                Action {
                    at_ms: THEN,
                    what: What::Disconnect {
                        client: 1,
                        offline_ms: 300,
                        server_sees_after_ms: random.between(0, 2_000),
                    },
                },
                type_text(THEN + random.between(1, 299), 1, "D1", "typed offline"),
            ];
            for number in 1..=20 {
                actions.push(type_text(THEN + random.between(0, 299), 0, &format!("C{number}"), "remote"));
            }
            actions
        },
        |shown| {
            for number in 1..=20 {
                expect("remote edit", shown(&format!("C{number}")), &["remote"])?;
            }
            expect("D1", shown("D1"), &["typed offline"])
        },
    );
}

#[test]
fn a_resend_after_a_server_restart_is_applied_once() {
    each_time(
        2,
        |random| {
            let mut actions = vec![nine_rows()];
            // Inserting is not idempotent: applied twice or lost, row 9 would not be in row 14.
            for number in 0..5 {
                let when = THEN + random.between(0, 150);
                actions.push(at(when, number % 2, Command::InsertRows { sheet: SHEET, at: 0, count: 1 }));
            }
            let down_ms = random.between(1, 400);
            let power = random.one_in(2);
            let what = What::CrashServer { down_ms, after_effects: random.between(0, 3) as u32, power };
            actions.push(Action { at_ms: THEN + random.between(0, 200), what });
            actions
        },
        |shown| expect("A14", shown("A14"), &["row 9"]),
    );
}

/// P16, and the property test of random operations: a few hundred fresh plans on every run.
#[test]
fn random_plans_leave_all_documents_equal() {
    let mut total = quadrille_simulation::Report::default();
    for seed in 0..400 {
        match quadrille_simulation::run(&Plan::random(seed)) {
            Ok(report) => total.merge(report),
            Err(failure) => panic!("seed {seed}: {failure}; shorten it with: simulation --seed {seed}"),
        }
    }
    println!("{total}");
    // A run that injected nothing would pass for the wrong reason.
    for what in [
        "fault: client crash",
        "fault: client's clock jump",
        "fault: clock jump",
        "fault: connection lost",
        "fault: disk full",
        "fault: frame overtaken by a later connection's",
        "fault: frame twice",
        "fault: half-open connection",
        "fault: nonsense",
        "fault: partition",
        "fault: power lost",
        "fault: server crash",
        "fault: slow reader",
        "fault: snapshot lost",
        "fault: sync failed",
        "fault: unsynced write kept",
        "fault: unsynced write lost",
        "fault: unsynced write torn",
        "refused",
        "broadcasts missed",
        "digests compared",
        "resends recognised",
        "resumed by snapshot",
        "resumed by tail",
        "snapshots stored",
        "transactions rebased",
        "undos checked after others",
        "undos checked at once",
    ] {
        assert!(total.counts.get(what).is_some_and(|count| *count > 0), "no run met: {what}");
    }
}

#[test]
fn plans_that_once_failed_pass() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/plans");
    let mut names: Vec<_> = std::fs::read_dir(folder)
        .expect("the folder is part of the repository")
        .map(|entry| entry.expect("readable").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .collect();
    names.sort();
    for path in names {
        let text = std::fs::read_to_string(&path).expect("readable");
        let plan: Plan = serde_json::from_str(&text).expect("a plan");
        if let Err(failure) = quadrille_simulation::run(&plan) {
            panic!("{}: {failure}", path.display());
        }
    }
}

/// With `--features faults`: the checkers notice every fault that can be planted, and scenarios notice without them
/// that intent was lost.
#[cfg(feature = "faults")]
mod planted {
    use quadrille_fault_injection::{Fault, plant};
    use quadrille_simulation::planted::{run_with, seeds_that_catch};

    #[test]
    fn every_planted_fault_is_caught_by_the_seed_that_the_page_names() {
        for (fault, seed) in seeds_that_catch().expect("a row for every fault") {
            assert!(run_with(fault, seed).is_err(), "seed {seed} no longer catches {}", fault.name());
        }
    }

    #[test]
    #[should_panic(expected = "seed ")]
    fn a_room_that_bridges_nothing_puts_an_edit_into_the_wrong_row() {
        plant(Some(Fault::RebaseNothing));
        super::an_edit_below_an_inserted_row_follows_its_row();
    }
}

/// A new kind of operation or item is simulated, or this says which one is not.
#[test]
fn every_kind_of_operation_and_item_comes_into_a_journal() {
    let mut total = quadrille_simulation::Report::default();
    for seed in 0..300 {
        let report = quadrille_simulation::run(&Plan::random(seed));
        total.merge(report.unwrap_or_else(|failure| panic!("seed {seed}: {failure}")));
    }
    assert_eq!(total.missing(), Vec::<String>::new());
    for what in ["revisions trimmed", "pieces of snapshots written", "asked for what was trimmed"] {
        assert!(total.counts.get(what).is_some_and(|count| *count > 0), "{what}: none");
    }
}
