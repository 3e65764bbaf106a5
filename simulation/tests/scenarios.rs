//! Scenarios in which replicas of other spreadsheets diverge for good, each run a thousand times
//! with random delays; random plans; and recorded plans that once failed.

use quadrille_cell::CellAddress;
use quadrille_operation::{Command, SortKey};
use quadrille_simulation::{Action, ActionKind, DiskFaults, Plan, Random, RoomBounds, World};
use quadrille_workbook::{Input, Literal, Workbook};

const TIMES: u64 = 1_000;
const SHEET: u32 = 1;

/// Runs a scenario with the delays of every seed and passes the inputs of the room's final document
/// to `check`. The run itself checks that all documents agree and that no transaction is lost or
/// applied twice.
fn run_with_random_delays(
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
        if let Err(failure) = check(&mut |cell| input_text(&workbook, cell)) {
            panic!("seed {seed}: {failure}\n{}", serde_json::to_string(&plan).expect("plain data"));
        }
    }
}

/// The input of a cell of the first sheet.
fn input_text(workbook: &Workbook, cell: &str) -> String {
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
    Action { at_ms, kind: ActionKind::Command { client, command } }
}

fn type_text(at_ms: u64, client: usize, cell: &str, text: &str) -> Action {
    at(at_ms, client, Command::TypeText { sheet: SHEET, cell: cell.into(), text: text.into() })
}

/// The first client types `row 1` to `row 9` into A1:A9 before everything else.
fn nine_rows() -> Action {
    let texts = (1..=9).map(|row| vec![format!("row {row}")]).collect();
    at(1_500, 0, Command::TypeTexts { sheet: SHEET, at: "A1".into(), texts })
}

/// Time at which every client has loaded, whatever the delays.
const LOADED_MS: u64 = 4_000;

#[test]
fn two_writers_of_one_cell_converge() {
    run_with_random_delays(
        2,
        |random| {
            vec![
                type_text(LOADED_MS, 0, "A1", "mine"),
                type_text(LOADED_MS + random.between(0, 20), 1, "A1", "yours"),
                type_text(LOADED_MS + random.between(0, 400), random.between(0, 1) as usize, "B1", "end"),
            ]
        },
        |input| {
            expect("A1", input("A1"), &["mine", "yours"])?;
            expect("B1", input("B1"), &["end"])
        },
    );
}

#[test]
fn an_edit_below_an_inserted_row_follows_its_row() {
    run_with_random_delays(
        2,
        |random| {
            vec![
                nine_rows(),
                at(LOADED_MS, 0, Command::InsertRows { sheet: SHEET, at: 2, count: 1 }),
                type_text(LOADED_MS + random.between(0, 3), 1, "B5", "beside row 5"),
            ]
        },
        |input| {
            // A writer who had received the inserted row meant row 4, which is in A5 then.
            let beside = if input("B6").is_empty() { input("A5") } else { input("A6") };
            expect("A3", input("A3"), &[""])?;
            expect("beside the edit", beside, &["row 5", "row 4"])?;
            let edits = [input("B5"), input("B6")];
            expect("edits", edits.iter().filter(|text| *text == "beside row 5").count().to_string(), &["1"])
        },
    );
}

#[test]
fn an_edit_below_deleted_rows_moves_and_one_inside_is_dropped() {
    run_with_random_delays(
        2,
        |random| {
            let together = random.between(0, 1);
            vec![
                nine_rows(),
                at(LOADED_MS, 0, Command::DeleteRows { sheet: SHEET, at: 2, count: 2 }),
                type_text(LOADED_MS + together, 1, "B7", "below"),
                type_text(LOADED_MS + together, 1, "B3", "inside"),
            ]
        },
        |input| {
            expect("A3", input("A3"), &["row 5"])?;
            expect("A5", input("A5"), &["row 7"])?;
            // An edit made before the deletion was received moves with row 7; a later one stays in
            // B7.
            expect("below", input("B5") + &input("B7"), &["below"])?;
            expect("inside", input("B3"), &["", "inside"])
        },
    );
}

#[test]
fn an_edit_in_sorted_rows_follows_its_row() {
    run_with_random_delays(
        3,
        |random| {
            let keys = vec![SortKey { column: 0, descending: true }];
            vec![
                nine_rows(),
                at(
                    LOADED_MS,
                    0,
                    Command::Sort { sheet: SHEET, range: "A1:B9".into(), keys, has_header: false },
                ),
                type_text(LOADED_MS + random.between(0, 1), 1, "B2", "beside row 2"),
                at(
                    LOADED_MS + random.between(0, 1),
                    2,
                    Command::InsertRows { sheet: SHEET, at: 20, count: 1 },
                ),
            ]
        },
        |input| {
            expect("A1", input("A1"), &["row 9"])?;
            expect("A9", input("A9"), &["row 1"])?;
            // An edit made before the sort was received moves with row 2; a later one stays in B2.
            expect("the edit", input("B8") + &input("B2"), &["beside row 2"])
        },
    );
}

#[test]
fn remote_edits_during_a_disconnect_arrive_after_it() {
    run_with_random_delays(
        2,
        |random| {
            let mut actions = vec![
                nine_rows(),
                Action {
                    at_ms: LOADED_MS,
                    kind: ActionKind::Disconnect {
                        client: 1,
                        offline_ms: 300,
                        server_sees_after_ms: random.between(0, 2_000),
                    },
                },
                type_text(LOADED_MS + random.between(1, 299), 1, "D1", "typed offline"),
            ];
            for number in 1..=20 {
                actions.push(type_text(
                    LOADED_MS + random.between(0, 299),
                    0,
                    &format!("C{number}"),
                    "remote",
                ));
            }
            actions
        },
        |input| {
            for number in 1..=20 {
                expect("remote edit", input(&format!("C{number}")), &["remote"])?;
            }
            expect("D1", input("D1"), &["typed offline"])
        },
    );
}

#[test]
fn a_resend_after_a_server_restart_is_applied_once() {
    run_with_random_delays(
        2,
        |random| {
            let mut actions = vec![nine_rows()];
            // Insertions are not idempotent: if one is applied twice or lost, row 9 is not in row
            // 14.
            for number in 0..5 {
                let when = LOADED_MS + random.between(0, 150);
                actions.push(at(when, number % 2, Command::InsertRows { sheet: SHEET, at: 0, count: 1 }));
            }
            let down_ms = random.between(1, 400);
            let power = random.one_in(2);
            let kind = ActionKind::CrashServer { down_ms, after_effects: random.between(0, 3) as u32, power };
            actions.push(Action { at_ms: LOADED_MS + random.between(0, 200), kind });
            actions
        },
        |input| expect("A14", input("A14"), &["row 9"]),
    );
}

/// P16: the documents converge in random plans.
#[test]
fn random_plans_converge() {
    let mut total = quadrille_simulation::Report::default();
    for seed in 0..400 {
        match quadrille_simulation::run(&Plan::random(seed)) {
            Ok(report) => total.merge(report),
            Err(failure) => panic!("seed {seed}: {failure}; shorten it with: simulation --seed {seed}"),
        }
    }
    println!("{total}");
    // A run without injected faults would prove nothing.
    for what in [
        "fault: client crash",
        "fault: client's clock jump",
        "fault: clock jump",
        "fault: connection lost",
        "fault: disk full",
        "fault: frame overtaken by a later connection's",
        "fault: frame duplicated",
        "fault: half-open connection",
        "fault: malformed frame",
        "fault: partition",
        "fault: power lost",
        "fault: server crash",
        "fault: slow reader",
        "fault: snapshot lost",
        "fault: sync failed",
        "fault: unsynced write survived",
        "fault: unsynced write lost",
        "fault: unsynced write torn",
        "transactions rejected",
        "broadcasts dropped",
        "digests compared",
        "resends recognized",
        "resumed by snapshot",
        "resumed by tail",
        "snapshots stored",
        "transactions rebased",
        "undos after edits of others checked",
        "immediate undos checked",
    ] {
        assert!(total.counts.get(what).is_some_and(|count| *count > 0), "never happened: {what}");
    }
}

#[test]
fn recorded_plans_pass() {
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

/// With `--features faults`: the checkers detect every planted fault, and a scenario detects the
/// loss of an edit's intent.
#[cfg(feature = "faults")]
mod planted_faults {
    use quadrille_fault_injection::{Fault, plant};
    use quadrille_simulation::fault_seeds::{detecting_seeds, run_with_fault};

    #[test]
    fn every_planted_fault_is_detected_by_its_documented_seed() {
        for row in detecting_seeds().expect("a row for every fault") {
            assert!(run_with_fault(row).is_err(), "seed {} no longer detects {}", row.seed, row.fault.name());
        }
    }

    #[test]
    #[should_panic(expected = "seed ")]
    fn without_rebase_an_edit_lands_in_the_wrong_row() {
        plant(Some(Fault::SubmissionsNotRebased));
        super::an_edit_below_an_inserted_row_follows_its_row();
    }
}

/// Fails with the names of new kinds of operations and items that no plan produces.
#[test]
fn every_kind_of_operation_and_item_is_simulated() {
    let mut total = quadrille_simulation::Report::default();
    let mut run = |seed: u64| {
        let report = quadrille_simulation::run(&Plan::random(seed));
        total.merge(report.unwrap_or_else(|failure| panic!("seed {seed}: {failure}")));
        total.missing_kinds()
    };
    // Hardly one seed in a thousand requests records that were trimmed; 338 does.
    for seed in (0..300).chain([338]) {
        run(seed);
    }
    // Every new kind makes the others rarer: the rarest few may need more seeds.
    let is_complete = (1_000..1_300).any(|seed| run(seed).is_empty());
    assert!(is_complete, "no plan produced {:?}", total.missing_kinds());
    for what in ["revisions trimmed", "snapshot pieces written", "trimmed records requested"] {
        assert!(total.counts.get(what).is_some_and(|count| *count > 0), "never happened: {what}");
    }
}
