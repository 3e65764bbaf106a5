//! Structured references follow their table: its rows, columns and headers.

use quadrille_cell::{CellAddress, SheetId};
use quadrille_document::{Document, EvaluationContext};
use quadrille_formula::{Host, print};
use quadrille_operation::{Command, Transaction, plan};
use quadrille_workbook::{Field, ItemId};

const STOCK: &str = r#"[
  {"type":"typeTexts","sheet":1,"at":"A1","texts":[["Item","Amount","Unit price"],["ink","2","1.5"],["paper","3","4"]]},
  {"type":"setItem","sheet":1,"item":7,"kind":"table","anchors":["A1:C3"],"fields":{"name":"Stock"}}]"#;

struct Sheet {
    document: Document,
    undo: Vec<Transaction>,
    next: u32,
}

impl Sheet {
    fn new() -> Sheet {
        let mut sheet = Sheet { document: Document::new(), undo: Vec::new(), next: 100 };
        let commands: Vec<Command> = serde_json::from_str(STOCK).expect("commands as the page writes them");
        commands.iter().for_each(|command| sheet.command(command));
        sheet
    }

    fn command(&mut self, command: &Command) {
        let next = &mut self.next;
        let planned = plan(command, self.document.workbook(), &mut || {
            *next += 1;
            SheetId(*next)
        });
        let transaction = planned.unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let applied = self.document.apply(&transaction, EvaluationContext::default());
        self.undo.push(applied.inverse);
        while !self.document.evaluate(u64::MAX).finished {}
    }

    fn run(&mut self, json: &str) {
        let command: Command = serde_json::from_str(json).expect(json);
        self.command(&command);
    }

    fn set(&mut self, cell: &str, text: &str) {
        self.command(&Command::TypeText { sheet: 1, cell: cell.to_owned(), text: text.to_owned() });
    }

    fn undo(&mut self) {
        let inverse = self.undo.pop().expect("something was done");
        self.document.apply(&inverse, EvaluationContext::default());
        while !self.document.evaluate(u64::MAX).finished {}
    }

    fn shown(&self, cell: &str) -> String {
        self.document.display(SheetId(1), CellAddress::parse_a1(cell).expect(cell)).text
    }

    fn formula(&self, cell: &str) -> String {
        self.document.edit_text(SheetId(1), CellAddress::parse_a1(cell).expect(cell))
    }

    fn rule_formula(&self, item: u64) -> String {
        let (workbook, sheet) = (self.document.workbook(), SheetId(1));
        let rule = workbook.sheet(sheet).and_then(|sheet| sheet.item(ItemId(item))).expect("a rule");
        let (cell, template) = rule.formula(Field::Formula1).expect("of a formula");
        print(template, Host { sheet, cell }, workbook)
    }
}

#[test]
fn structured_references_name_columns_rows_and_parts() {
    let mut sheet = Sheet::new();
    for (formula, value) in [
        ("=SUM(Stock[Amount])", "5"),
        ("=sum(stock[amount])", "5"),
        ("=SUM(Stock[[Amount]:[Unit price]])", "10.5"),
        ("=SUM(Stock)", "10.5"),
        ("=ROWS(Stock)", "2"),
        ("=ROWS(Stock[#All])", "3"),
        ("=COUNTA(Stock[#Headers])", "3"),
        ("=Stock[[#Headers],[Unit price]]", "Unit price"),
        ("=SUMPRODUCT(Stock[Amount],Stock[Unit price])", "15"),
        ("=SUM(Stock[Colour])", "#NAME?"),
    ] {
        sheet.set("F9", formula);
        assert_eq!(sheet.shown("F9"), value, "{formula}");
    }
    sheet.set("E2", "=Stock[@Amount]*Stock[[#This Row],[Unit price]]");
    assert_eq!(sheet.formula("E2"), "=Stock[@Amount]*Stock[@[Unit price]]");
    assert_eq!(sheet.shown("E2"), "3");
    sheet.run(r#"{"type":"fill","sheet":1,"source":"E2","target":"E2:E3","mode":"copy"}"#);
    assert_eq!(sheet.shown("E3"), "12");
}

#[test]
fn references_follow_a_table_that_moves_or_grows() {
    let mut sheet = Sheet::new();
    sheet.set("F9", "=SUM(Stock[Amount])");
    sheet.run(r#"{"type":"insertColumns","sheet":1,"at":1,"count":1}"#);
    assert_eq!(sheet.shown("G9"), "5");
    sheet.set("C2", "20");
    assert_eq!(sheet.shown("G9"), "23");
    sheet.run(r#"{"type":"insertRows","sheet":1,"at":2,"count":1}"#);
    sheet.set("C3", "100");
    assert_eq!(sheet.shown("G10"), "123");
    sheet.run(r#"{"type":"setItem","sheet":1,"item":7,"anchors":["A1:D5"]}"#);
    sheet.set("C5", "1000");
    assert_eq!(sheet.shown("G10"), "1123");
    for _ in 0..3 {
        sheet.undo();
    }
    assert_eq!(sheet.shown("G10"), "23");
}

#[test]
fn a_reference_without_its_header_is_an_error() {
    let mut sheet = Sheet::new();
    sheet.set("F9", "=SUM(Stock[Amount])");
    sheet.set("B1", "");
    assert_eq!(sheet.shown("F9"), "#NAME?");
    sheet.undo();
    assert_eq!(sheet.shown("F9"), "5");
}

#[test]
fn formulas_follow_a_renamed_column_or_table() {
    let mut sheet = Sheet::new();
    sheet.set("F9", "=SUM(Stock[Amount])+Stock[[#Headers],[Amount]]");
    sheet.set("F2", "=Stock[@Amount]");
    sheet.set("B1", "How many");
    assert_eq!(sheet.formula("F9"), "=SUM(Stock[How many])+Stock[[#Headers],[How many]]");
    assert_eq!((sheet.formula("F2"), sheet.shown("F2")), ("=Stock[@[How many]]".to_owned(), "2".to_owned()));
    sheet.run(r#"{"type":"setItem","sheet":1,"item":7,"fields":{"name":"Shelf"}}"#);
    assert_eq!(sheet.formula("F2"), "=Shelf[@[How many]]");
    assert_eq!(sheet.shown("F2"), "2");
    sheet.undo();
    sheet.undo();
    assert_eq!(sheet.formula("F2"), "=Stock[@Amount]");
}

#[test]
fn rules_follow_a_renamed_column() {
    let mut sheet = Sheet::new();
    sheet.run(
        r##"{"type":"setItem","sheet":1,"item":9,"kind":"conditionalRule","anchors":["F1:F3"],"fields":{"rule":"formula","formula1":"=F1>SUM(Stock[Amount])","format":{"fillColor":"#ff0000"}}}"##,
    );
    sheet.set("F2", "6");
    sheet.set("B1", "How many");
    assert_eq!(sheet.rule_formula(9), "F1>SUM(Stock[How many])");
    sheet.undo();
    assert_eq!(sheet.rule_formula(9), "F1>SUM(Stock[Amount])");
}

#[test]
fn the_table_name_is_optional_inside_the_table() {
    let mut sheet = Sheet::new();
    sheet.run(r#"{"type":"setItem","sheet":1,"item":7,"anchors":["A1:D3"]}"#);
    sheet.set("D1", "Sum");
    sheet.set("D2", "=[@Amount]*[@[Unit price]]");
    assert_eq!(sheet.formula("D2"), "=Stock[@Amount]*Stock[@[Unit price]]");
    assert_eq!(sheet.shown("D2"), "3");
    sheet.set("D3", "=SUM([Amount])");
    assert_eq!(sheet.shown("D3"), "5");
    sheet.set("F3", "=[@Amount]");
    assert_eq!(sheet.shown("F3"), "#NAME?");
}

#[test]
fn typing_below_a_table_extends_it() {
    let mut sheet = Sheet::new();
    sheet.set("F9", "=SUM(Stock[Amount])");
    sheet.set("B4", "10");
    assert_eq!(sheet.shown("F9"), "15");
    sheet.run(r#"{"type":"typeTexts","sheet":1,"at":"A5","texts":[["pen","1","2"],["cap","2","3"]]}"#);
    assert_eq!(sheet.shown("F9"), "18");
    sheet.undo();
    sheet.undo();
    assert_eq!(sheet.shown("F9"), "5");
    // Not beside the table, not when a cell is in the way, and not below a totals row.
    sheet.set("A4", "x");
    sheet.undo();
    sheet.run(r#"{"type":"typeTexts","sheet":1,"at":"C4","texts":[["1","1"]]}"#);
    sheet.set("B4", "10");
    assert_eq!(sheet.shown("F9"), "5");
}

#[test]
fn a_header_or_a_formula_of_its_rows_beside_a_table_extends_it() {
    let mut sheet = Sheet::new();
    sheet.set("F9", "=COLUMNS(Stock)");
    sheet.set("D1", "Total");
    assert_eq!(sheet.shown("F9"), "4");
    sheet.set("D2", "=[@Amount]*2");
    assert_eq!((sheet.formula("D2"), sheet.shown("D2")), ("=Stock[@Amount]*2".to_owned(), "4".to_owned()));
    sheet.set("F10", "=SUM(Stock[Total])");
    assert_eq!(sheet.shown("F10"), "4");
    for _ in 0..3 {
        sheet.undo();
    }
    assert_eq!(sheet.shown("F9"), "3");
    sheet.set("D3", "=Stock[@Amount]*2");
    assert_eq!((sheet.shown("F9"), sheet.shown("D3")), ("4".to_owned(), "6".to_owned()));
    sheet.undo();
    sheet.set("D3", "=[@[Unit price]]+1");
    assert_eq!((sheet.shown("F9"), sheet.shown("D3")), ("4".to_owned(), "5".to_owned()));
    sheet.undo();
    sheet.run(r#"{"type":"typeTexts","sheet":1,"at":"D1","texts":[["Total","Tax"],["1","2"]]}"#);
    assert_eq!(sheet.shown("F9"), "5");
    sheet.undo();
    // Notes beside its rows, totals of its columns, and headers above other contents are no columns.
    sheet.set("D2", "a note");
    sheet.set("D3", "=SUM(Stock[Amount])");
    sheet.set("D1", "Total");
    assert_eq!(sheet.shown("F9"), "3");
}

#[test]
fn the_filter_of_a_table_extends_with_it() {
    let mut sheet = Sheet::new();
    sheet.run(r#"{"type":"setItem","sheet":1,"item":8,"kind":"autoFilter","anchors":["A1:C3"]}"#);
    let filtered = |sheet: &Sheet| {
        let item = sheet.document.workbook().sheets()[0].item(ItemId(8)).expect("the filter");
        item.anchors[0].to_string()
    };
    sheet.set("D1", "Total");
    sheet.set("A4", "pen");
    assert_eq!(filtered(&sheet), "A1:D4");
    sheet.undo();
    sheet.undo();
    assert_eq!(filtered(&sheet), "A1:C3");
    // A filter that reaches further down is not that of the table.
    sheet.run(r#"{"type":"setItem","sheet":1,"item":8,"kind":"autoFilter","anchors":["A1:C9"]}"#);
    sheet.set("D1", "Total");
    assert_eq!(filtered(&sheet), "A1:C9");
}

#[test]
fn names_can_be_scoped_to_a_sheet() {
    let mut sheet = Sheet::new();
    sheet.run(r#"{"type":"addSheet","name":"Data"}"#);
    sheet.set("F1", "=rate*2");
    assert_eq!(sheet.shown("F1"), "#NAME?");
    sheet.run(r#"{"type":"defineName","name":"rate","definition":"=10","sheet":1}"#);
    assert_eq!(sheet.shown("F1"), "20");
    sheet.run(r#"{"type":"defineName","name":"rate","definition":"=7","sheet":1,"local":true}"#);
    assert_eq!(sheet.shown("F1"), "14");
    sheet.run(r#"{"type":"defineName","name":"rate","definition":"=5","sheet":101,"local":true}"#);
    sheet.set("F2", "=Data!rate+Sheet1!rate");
    assert_eq!(
        (sheet.shown("F2"), sheet.formula("F2")),
        ("12".to_owned(), "=Data!rate+Sheet1!rate".to_owned())
    );
}

#[test]
fn a_scoped_name_is_renamed_and_removed_with_its_sheet() {
    let mut sheet = Sheet::new();
    sheet.run(r#"{"type":"addSheet","name":"Data"}"#);
    sheet.run(r#"{"type":"defineName","name":"rate","definition":"=5","sheet":101,"local":true}"#);
    sheet.set("F1", "=Data!rate*2");
    sheet.run(r#"{"type":"renameSheet","sheet":101,"name":"My data"}"#);
    assert_eq!(sheet.formula("F1"), "='My data'!rate*2");
    sheet.run(
        r#"{"type":"defineName","name":"factor","definition":"=5","sheet":101,"local":true,"was":"rate"}"#,
    );
    assert_eq!((sheet.formula("F1"), sheet.shown("F1")), ("='My data'!factor*2".to_owned(), "10".to_owned()));
    sheet.run(r#"{"type":"removeSheet","sheet":101}"#);
    assert_eq!((sheet.formula("F1"), sheet.shown("F1")), ("=#REF!*2".to_owned(), "#NAME?".to_owned()));
    sheet.undo();
    assert_eq!(sheet.shown("F1"), "10");
    sheet.run(r#"{"type":"duplicateSheet","sheet":101,"name":"Copy"}"#);
    sheet.run(r#"{"type":"defineName","name":"factor","definition":"=6","sheet":101,"local":true}"#);
    sheet.set("F2", "=Copy!factor+'My data'!factor");
    assert_eq!(sheet.shown("F2"), "11");
}

#[test]
fn deleting_an_end_sheet_shrinks_a_multi_sheet_reference() {
    let mut sheet = Sheet::new();
    for name in ["Jan", "Feb", "Mar"] {
        sheet.run(&format!(r#"{{"type":"addSheet","name":"{name}"}}"#));
    }
    for id in 101..=103 {
        sheet.run(&format!(r#"{{"type":"typeText","sheet":{id},"cell":"A1","text":"{id}"}}"#));
    }
    sheet.set("F1", "=SUM(Jan:Mar!A1)");
    assert_eq!(sheet.shown("F1"), "306");
    sheet.run(r#"{"type":"removeSheet","sheet":103}"#);
    assert_eq!((sheet.formula("F1"), sheet.shown("F1")), ("=SUM(Jan:Feb!A1)".to_owned(), "203".to_owned()));
    sheet.run(r#"{"type":"removeSheet","sheet":101}"#);
    assert_eq!((sheet.formula("F1"), sheet.shown("F1")), ("=SUM(Feb!A1)".to_owned(), "102".to_owned()));
    sheet.undo();
    sheet.undo();
    assert_eq!((sheet.formula("F1"), sheet.shown("F1")), ("=SUM(Jan:Mar!A1)".to_owned(), "306".to_owned()));
    sheet.run(r#"{"type":"moveSheet","sheet":102,"position":0}"#);
    assert_eq!(sheet.shown("F1"), "204");
}

#[test]
fn trim_range_operators_drop_outer_blanks() {
    let mut sheet = Sheet::new();
    sheet.run(r#"{"type":"typeTexts","sheet":1,"at":"J3","texts":[["1"],["2"],[""],["4"]]}"#);
    for (formula, rows) in
        [("=ROWS(J1:.J9)", "6"), ("=ROWS(J1.:J9)", "7"), ("=ROWS(J1.:.J9)", "4"), ("=ROWS(J1:J9)", "9")]
    {
        sheet.set("F1", formula);
        assert_eq!(sheet.shown("F1"), rows, "{formula}");
    }
    assert_eq!(sheet.formula("F1"), "=ROWS(J1:J9)");
    sheet.set("F1", "=SUM(Sheet1!J:.J)");
    assert_eq!(
        (sheet.shown("F1"), sheet.formula("F1")),
        ("7".to_owned(), "=SUM(TRIMRANGE(Sheet1!J:J,2,2))".to_owned())
    );
}

#[test]
fn converting_a_table_to_cells_keeps_references() {
    let mut sheet = Sheet::new();
    sheet.run(r#"{"type":"addSheet","name":"Other"}"#);
    for (cell, text, plain, value) in [
        ("E2", "=SUM(Stock[Amount])", "=SUM($B$2:$B$3)", "5"),
        ("E3", "=Stock[@Amount]*Stock[@[Unit price]]", "=$B3*$C3", "12"),
        ("E4", "=SUM(Stock[[Amount]:[Unit price]])", "=SUM($B$2:$C$3)", "10.5"),
        ("E5", "=ROWS(Stock[#All])+COLUMNS(Stock)", "=ROWS($A$1:$C$3)+COLUMNS($A$2:$C$3)", "6"),
        ("E6", "=LET(Stock,7,Stock)+Stock[[#Headers],[Item]]", "", ""),
    ] {
        sheet.set(cell, text);
        if !plain.is_empty() {
            assert_eq!(sheet.shown(cell), value, "{text}");
        }
    }
    sheet.run(r#"{"type":"typeText","sheet":101,"cell":"A1","text":"=SUM(Stock[Amount])"}"#);
    sheet.run(r#"{"type":"defineName","name":"amounts","definition":"=Stock[Amount]","sheet":1}"#);
    sheet.set("E7", "=MAX(amounts)");
    sheet.run(r#"{"type":"removeItem","sheet":1,"item":7}"#);
    for (cell, plain, value) in [
        ("E2", "=SUM($B$2:$B$3)", "5"),
        ("E3", "=$B3*$C3", "12"),
        ("E4", "=SUM($B$2:$C$3)", "10.5"),
        ("E5", "=ROWS($A$1:$C$3)+COLUMNS($A$2:$C$3)", "6"),
        ("E6", "=LET(Stock,7,Stock)+$A$1", "#VALUE!"),
        ("E7", "=MAX(amounts)", "3"),
    ] {
        assert_eq!((sheet.formula(cell), sheet.shown(cell)), (plain.to_owned(), value.to_owned()), "{cell}");
    }
    let other = |sheet: &Sheet| sheet.document.edit_text(SheetId(101), CellAddress::default());
    assert_eq!(other(&sheet), "=SUM(Sheet1!$B$2:$B$3)");
    sheet.run(r#"{"type":"insertRows","sheet":1,"at":2,"count":1}"#);
    assert_eq!(other(&sheet), "=SUM(Sheet1!$B$2:$B$4)");
    sheet.undo();
    sheet.undo();
    assert_eq!(sheet.formula("E2"), "=SUM(Stock[Amount])");
    assert_eq!(sheet.shown("E2"), "5");
}

/// `[y]` among the parameters of LAMBDA is not a column, whatever the columns of the table are
/// called.
#[test]
fn optional_lambda_parameters_are_not_table_columns() {
    let mut sheet = Sheet::new();
    sheet.set("C2", "=LAMBDA(x,[amount],IF(ISOMITTED(amount),x,x*amount)+[@Amount])(5)");
    let formula = "=LAMBDA(x,[amount],IF(ISOMITTED(amount),x,x*amount)+Stock[@Amount])(5)";
    assert_eq!((sheet.formula("C2").as_str(), sheet.shown("C2").as_str()), (formula, "7"));
    sheet.set("B1", "How many");
    assert_eq!(sheet.formula("C2"), formula.replace("Stock[@Amount]", "Stock[@[How many]]"));
    assert_eq!(sheet.shown("C2"), "7");
}
