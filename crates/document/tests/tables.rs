//! References to tables by name follow the table: its rows, its columns, its headers.

use quadrille_cell::{CellAddress, SheetId};
use quadrille_document::{Document, Stamp};
use quadrille_operation::{Command, Transaction, plan};

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
        let applied = self.document.apply(&transaction, Stamp::default());
        self.undo.push(applied.inverse);
        while !self.document.evaluate(u64::MAX).finished {}
    }

    fn say(&mut self, json: &str) {
        let command: Command = serde_json::from_str(json).expect(json);
        self.command(&command);
    }

    fn set(&mut self, cell: &str, text: &str) {
        self.command(&Command::TypeText { sheet: 1, cell: cell.to_owned(), text: text.to_owned() });
    }

    fn undo(&mut self) {
        let inverse = self.undo.pop().expect("something was done");
        self.document.apply(&inverse, Stamp::default());
        while !self.document.evaluate(u64::MAX).finished {}
    }

    fn shown(&self, cell: &str) -> String {
        self.document.display(SheetId(1), CellAddress::parse_a1(cell).expect(cell)).text
    }

    fn formula(&self, cell: &str) -> String {
        self.document.edit_text(SheetId(1), CellAddress::parse_a1(cell).expect(cell))
    }
}

#[test]
fn columns_rows_and_parts_of_a_table_have_names() {
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
    sheet.say(r#"{"type":"fill","sheet":1,"source":"E2","target":"E2:E3","mode":"copy"}"#);
    assert_eq!(sheet.shown("E3"), "12");
}

#[test]
fn a_table_that_moves_or_grows_takes_its_references_along() {
    let mut sheet = Sheet::new();
    sheet.set("F9", "=SUM(Stock[Amount])");
    sheet.say(r#"{"type":"insertColumns","sheet":1,"at":1,"count":1}"#);
    assert_eq!(sheet.shown("G9"), "5");
    sheet.set("C2", "20");
    assert_eq!(sheet.shown("G9"), "23");
    sheet.say(r#"{"type":"insertRows","sheet":1,"at":2,"count":1}"#);
    sheet.set("C3", "100");
    assert_eq!(sheet.shown("G10"), "123");
    sheet.say(r#"{"type":"setItem","sheet":1,"item":7,"anchors":["A1:D5"]}"#);
    sheet.set("C5", "1000");
    assert_eq!(sheet.shown("G10"), "1123");
    for _ in 0..3 {
        sheet.undo();
    }
    assert_eq!(sheet.shown("G10"), "23");
}

#[test]
fn without_its_table_or_header_a_reference_says_so() {
    let mut sheet = Sheet::new();
    sheet.set("F9", "=SUM(Stock[Amount])");
    sheet.set("B1", "Count");
    assert_eq!(sheet.shown("F9"), "#NAME?");
    sheet.set("F9", "=SUM(Stock[Count])");
    assert_eq!(sheet.shown("F9"), "5");
    sheet.say(r#"{"type":"removeItem","sheet":1,"item":7}"#);
    assert_eq!(sheet.shown("F9"), "#NAME?");
    sheet.undo();
    assert_eq!(sheet.shown("F9"), "5");
}
