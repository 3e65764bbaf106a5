//! Imported data: what formulas return for it, and which cells follow a change of it.

use quadrille_cell::{Array, CellAddress, ErrorValue, SheetId, Value};
use quadrille_document::{Document, EvaluationContext};
use quadrille_operation::{Command, FillMode, Operation, Transaction, plan};
use quadrille_workbook::{ImportFailure, ImportFunction, ImportSource, Imported};

fn source(range: &str) -> ImportSource {
    ImportSource { function: ImportFunction::Range, arguments: vec!["sales".into(), range.into()] }
}

struct Sheet(Document);

impl Sheet {
    fn new(cells: &[(&str, &str)]) -> Sheet {
        let mut sheet = Sheet(Document::new());
        for (cell, text) in cells {
            sheet.type_text(cell, text);
        }
        sheet
    }

    fn apply(&mut self, transaction: &Transaction) -> Transaction {
        let inverse = self.0.apply(transaction, EvaluationContext::default()).inverse;
        while !self.0.evaluate(1_000_000).finished {}
        inverse
    }

    fn type_text(&mut self, cell: &str, text: &str) {
        let command = Command::TypeText { sheet: 1, cell: cell.into(), text: text.into() };
        let planned = plan(&command, self.0.workbook(), &mut || SheetId(2)).expect("valid");
        self.apply(&planned);
    }

    /// Writes what the server has fetched; returns what takes it back.
    fn import(&mut self, range: &str, imported: &Imported) -> Transaction {
        let put = imported.items(&source(range)).into_iter().map(|(item, content)| Operation::PutItem {
            sheet: None,
            item,
            content: content.into(),
        });
        self.apply(&Transaction { operations: put.collect() })
    }

    fn value(&self, cell: &str) -> Value {
        let cell = CellAddress::parse_a1(cell).expect("an address");
        self.0.workbook().sheets()[0].value(cell)
    }

    fn sources(&self) -> Vec<String> {
        self.0.import_sources().iter().map(ToString::to_string).collect()
    }
}

fn column(values: &[Value]) -> Imported {
    Imported::Values(Array::new(values.len() as u32, 1, values.to_vec()).expect("a column"))
}

#[test]
fn formulas_return_what_has_come() {
    let mut sheet = Sheet::new(&[
        ("A1", r#"=IMPORTRANGE("sales","A1:A3")"#),
        ("B1", r#"=SUM(IMPORTRANGE(" sales ","A1:A3"),1)"#),
        ("C1", r#"=IFNA(IMPORTRANGE("sales","A1:A3"),"soon")"#),
    ]);
    let missing = Value::Error(ErrorValue::NotAvailable);
    assert_eq!((sheet.value("A1"), sheet.value("B1")), (missing.clone(), missing));
    assert_eq!(sheet.value("C1"), Value::text("soon"));
    let inverse = sheet.import("A1:A3", &column(&[Value::Blank, Value::Number(2.0), Value::Blank]));
    assert_eq!((sheet.value("A1"), sheet.value("A2")), (Value::text(""), Value::Number(2.0)));
    assert_eq!((sheet.value("A3"), sheet.value("B1")), (Value::Blank, Value::Number(3.0)));
    sheet.import("A1:A3", &column(&[Value::Number(7.0)]));
    assert_eq!((sheet.value("A1"), sheet.value("A2")), (Value::Number(7.0), Value::Blank));
    let circular = Imported::Failure(ImportFailure::Circular, "".into());
    sheet.import("A1:A3", &circular);
    assert_eq!(sheet.value("A1"), Value::Error(ErrorValue::Circular));
    sheet.apply(&inverse);
    assert_eq!(sheet.value("A1"), Value::Error(ErrorValue::NotAvailable), "nothing is left");
    assert!(sheet.0.workbook().items().is_empty());
}

#[test]
fn sources_follow_the_arguments_and_the_formulas() {
    let mut sheet = Sheet::new(&[
        ("A1", "B1"),
        ("B1", r#"=IMPORTRANGE("sales",A1)"#),
        ("B2", r#"=IF(TRUE,1,IMPORTRANGE("never","A1"))"#),
        ("B3", r#"=IMPORTRANGE("sales",1/0)"#),
        ("B4", r#"=IMPORTRANGE("sales","")"#),
        ("B5", r#"=IMPORTRANGE("sales")"#),
    ]);
    assert_eq!(sheet.sources(), [r#"IMPORTRANGE("sales","B1")"#]);
    assert_eq!(sheet.value("B3"), Value::Error(ErrorValue::DivideByZero));
    assert_eq!(sheet.value("B4"), Value::Error(ErrorValue::Value));
    assert_eq!(sheet.value("B5"), Value::Error(ErrorValue::Value));
    sheet.import("C1", &column(&[Value::Number(5.0)]));
    sheet.type_text("A1", "C1");
    assert_eq!((sheet.value("B1"), sheet.sources()), (Value::Number(5.0), vec![source("C1").to_string()]));
    // Rows move; the sources stay known, and changes still arrive.
    let command = Command::InsertRows { sheet: 1, at: 0, count: 2 };
    let planned = plan(&command, sheet.0.workbook(), &mut || SheetId(2)).expect("valid");
    sheet.apply(&planned);
    sheet.import("C1", &column(&[Value::Number(6.0)]));
    assert_eq!((sheet.value("B3"), sheet.sources()), (Value::Number(6.0), vec![source("C1").to_string()]));
    sheet.type_text("B3", "");
    assert_eq!(sheet.sources(), Vec::<String>::new());
}

#[test]
fn the_cell_tells_why_it_has_no_data() {
    let mut sheet = Sheet::new(&[("A1", r#"=IMPORTRANGE("sales","A1:A2")"#)]);
    let cell = |name: &str| CellAddress::parse_a1(name).expect("an address");
    let import = sheet.0.imports_of_cell(SheetId(1), cell("A1")).remove(0);
    assert_eq!((import.has_come, import.failure), (false, None));
    sheet.import("A1:A2", &Imported::Failure(ImportFailure::NoAccess, "why".into()));
    let import = sheet.0.imports_of_cell(SheetId(1), cell("A1")).remove(0);
    assert_eq!(import.failure, Some((ImportFailure::NoAccess, "why".into())));
    sheet.import("A1:A2", &column(&[Value::Number(1.0), Value::Number(2.0)]));
    assert_eq!(sheet.0.imports_of_cell(SheetId(1), cell("A2")).remove(0).failure, None);
}

#[test]
fn references_to_other_workbooks_are_imports() {
    let mut sheet = Sheet::new(&[
        ("A1", "=[sales]Rates!B2*2"),
        ("A2", "=SUM('[sales]Q1 2026'!B2:B3)"),
        ("A3", "='[sales]'!$A$1"),
        ("A5", r#"=INDIRECT("[sales]Rates!B2")"#),
        ("A6", "=[sales]Rates!B:C"),
        ("A7", "=[]Rates!A1+Gone!A1"),
    ]);
    assert_eq!(sheet.value("A1"), Value::Error(ErrorValue::NotAvailable));
    assert_eq!(sheet.value("A7"), Value::Error(ErrorValue::Reference));
    let ranges = ["'Q1 2026'!B2:B3", "A1", "Rates!B2", "Rates!B:C"];
    assert_eq!(sheet.sources(), ranges.map(|range| format!("IMPORTRANGE(\"sales\",\"{range}\")")));
    sheet.import("Rates!B2", &column(&[Value::Number(21.0)]));
    sheet.import("'Q1 2026'!B2:B3", &column(&[Value::Number(1.0), Value::Number(2.0)]));
    sheet.import("A1", &Imported::Failure(ImportFailure::NoAccess, "".into()));
    assert_eq!(sheet.value("A1"), Value::Number(42.0));
    assert_eq!(sheet.value("A2"), Value::Number(3.0));
    assert_eq!(sheet.value("A3"), Value::Error(ErrorValue::Reference));
    assert_eq!(sheet.value("A5"), Value::Number(21.0));
    // They are relative as others are.
    let fill = Command::Fill { sheet: 1, source: "A1".into(), target: "A1:B1".into(), mode: FillMode::Copy };
    let planned = plan(&fill, sheet.0.workbook(), &mut || SheetId(2)).expect("valid");
    sheet.apply(&planned);
    assert!(
        sheet.sources().contains(&r#"IMPORTRANGE("sales","Rates!C2")"#.to_owned()),
        "{:?}",
        sheet.sources()
    );
}
