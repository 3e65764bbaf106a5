//! Reads random JSON as a command of a client, or random lines as commands of SocialCalc, plans it
//! for a small workbook, applies the transaction, stores the result and undoes it.
//!
//! If the first byte is `~`, the rest is the text of commands of SocialCalc.

#![no_main]

mod file_fixtures;
mod workbook_checks;

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use quadrille_cell::SheetId;
use quadrille_files::{FileFormat, ReadOptions, read};
use quadrille_json::{Json, write};
use quadrille_operation::{Command, plan};
use quadrille_workbook::Workbook;

use file_fixtures::write_seeds;
use workbook_checks::{check_snapshot, check_transaction};

/// Two sheets with values, formulas and a table.
static FILLED: LazyLock<Workbook> = LazyLock::new(|| {
    let csv = "Item,Amount,Date\nInk,=B3*2,2024-02-29\nPaper,7,\nPen,-1.5,2024-03-01\n,=SUM(B2:B4),x\n";
    let options = ReadOptions::default();
    let mut workbook =
        read(FileFormat::Csv, csv.as_bytes(), &options, &mut |_| quadrille_files::ShouldContinue::Continue)
            .expect("the text above is sound")
            .workbook;
    let first = workbook.sheets()[0].id();
    for command in [
        r#"{"type":"addSheet","name":"Data"}"#.to_owned(),
        format!(r#"{{"type":"appendRows","sheet":{},"rows":[[{{"number":2}},{{"text":"Ink"}}]]}}"#, first.0),
    ] {
        let json = Json::parse(command.as_bytes()).expect("JSON");
        let command = Command::from_json(&json).expect("a command");
        let transaction = plan(&command, &workbook, &mut || SheetId(2)).expect("a sound command");
        quadrille_operation::apply(&mut workbook, &transaction);
    }
    workbook
});

/// An example of every command, from the tests of the reader, and of commands of SocialCalc.
fn seeds() -> Vec<Vec<u8>> {
    let examples = include_str!("../../crates/operation/src/json_reader/tests.rs").lines();
    let examples = examples.filter_map(|line| line.trim().strip_prefix("r#\"")?.strip_suffix("\"#,"));
    let mut seeds: Vec<Vec<u8>> = examples.map(|json| json.as_bytes().to_vec()).collect();
    seeds.extend(SOCIALCALC.lines().map(|line| format!("~{line}").into_bytes()));
    seeds.push(format!("~{SOCIALCALC}").into_bytes());
    seeds
}

const SOCIALCALC: &str = "set A1 value n 5
set B2 text t Ink\\cPaper
set C3 formula SUM(A1:B2)
set A1:B9 color rgb(255,0,0)
set A hide yes
merge A1:B2
unmerge A1
erase A1:B2 all
copy A1:B2 all
paste C1 all
cut A1:B2 formulas
filldown A1:A9 all
fillright A1:F1 formulas
insertrow A3
insertcol B1
deleterow A2:A3
deletecol B1:C1
movepaste A1:B2 D1 all
moveinsert A1:A2 A9 all
sort A1:C9 B up A down
name define Total A1:B2
name delete Total
pane row 3
loadclipboard version\\c1.5\\ncell\\cA1\\cv\\c5\\ncopiedfrom\\cA1\\cA1
set sheet defaultcolwidth 120
redisplay
";

fuzz_target!(init: write_seeds(seeds()), |data: &[u8]| {
    let mut last = 10;
    let mut new_sheet = || {
        last += 1;
        SheetId(last)
    };
    if let Some(lines) = data.strip_prefix(b"~") {
        let Ok(statements) = quadrille_socialcalc::parse(&String::from_utf8_lossy(lines)) else { return };
        let sheet = FILLED.sheets()[0].id();
        if let Ok(planned) = quadrille_socialcalc::plan(&statements, &FILLED, sheet, None, &mut new_sheet) {
            check_transaction(&FILLED, &planned.transaction);
        }
        return;
    }
    let Ok(json) = Json::parse(data) else { return };
    let Ok(command) = Command::from_json(&json) else { return };
    // What is written of a command, in the browser's outbox, is the same command.
    let again = Json::parse(&write(&command)).expect("JSON that was written");
    assert_eq!(Command::from_json(&again).as_ref(), Ok(&command));
    if let Ok(transaction) = plan(&command, &FILLED, &mut new_sheet) {
        check_transaction(&FILLED, &transaction);
        let mut changed = FILLED.clone();
        quadrille_operation::apply(&mut changed, &transaction);
        check_snapshot(&changed);
    }
});
