//! Workbook settings that affect values.

use quadrille_cell::{CellAddress, SheetId, Value};
use quadrille_document::{Document, EvaluationContext};
use quadrille_operation::{Command, plan};

#[test]
fn today_uses_the_time_zone_of_the_workbook() {
    let mut document = Document::new();
    // 2026-01-02 at 23:30 UTC; serial number 46,024.
    let time_and_seed = EvaluationContext { time_ms: 1_767_396_600_000, seed: 1 };
    let mut run = |json: &str| {
        let command: Command = serde_json::from_str(json).expect(json);
        let planned = plan(&command, document.workbook(), &mut || SheetId(9)).expect(json);
        document.apply(&planned, time_and_seed);
        document.evaluate(u64::MAX);
        let cell = CellAddress::parse_a1("A1").expect("valid");
        document.workbook().sheets()[0].value(cell)
    };
    let before = run(r#"{"type":"typeText","sheet":1,"cell":"A1","text":"=TODAY()"}"#);
    assert_eq!(before, Value::Number(46_024.0));
    let after = run(r#"{"type":"setItem","sheet":null,"item":0,"fields":{"timeZoneOffset":60}}"#);
    assert_eq!(after, Value::Number(46_025.0));
}
