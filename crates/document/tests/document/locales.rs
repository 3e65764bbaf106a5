//! One workbook, edited and displayed in several locales.

use std::sync::Arc;

use quadrille_cell::{CellAddress, SheetId, Value};
use quadrille_document::{Document, EvaluationContext};
use quadrille_formula::FunctionNames;
use quadrille_operation::{Command, InputContext, Locale, plan_typed};

/// 1 June 2024, 12:00.
const NOON_MS: i64 = 1_717_243_200_000;

const SHEET: SheetId = SheetId(1);

struct Book(Document, Arc<FunctionNames>);

impl Book {
    fn new() -> Book {
        Book(Document::new(), Arc::default())
    }

    fn type_in(&mut self, tag: &str, cell: &str, text: &str) {
        self.type_as(InputContext::at(Locale::from_tag(tag), NOON_MS), cell, text);
    }

    fn type_as(&mut self, typing: InputContext, cell: &str, text: &str) {
        let command = Command::TypeText { sheet: 1, cell: cell.to_owned(), text: text.to_owned() };
        let mut no_sheets = || unreachable!("typing adds no sheet");
        let transaction = plan_typed(&command, self.0.workbook(), typing, &self.1, &mut no_sheets)
            .expect("the cell exists");
        self.0.apply(&transaction, EvaluationContext::default());
        self.0.evaluate(u64::MAX);
    }

    fn value(&self, cell: &str) -> Value {
        let at = CellAddress::parse_a1(cell).expect("test addresses are valid");
        self.0.workbook().sheet(SHEET).expect("the first sheet").value(at)
    }

    /// Checks the display text and the text of the formula bar.
    #[track_caller]
    fn check(&mut self, tag: &str, cell: &str, shown: &str, edited: &str) {
        self.0.set_locale(Locale::from_tag(tag));
        self.0.set_function_names(self.1.clone());
        let at = CellAddress::parse_a1(cell).expect("test addresses are valid");
        assert_eq!(self.0.display(SHEET, at).text, shown, "{cell} seen in {tag}");
        assert_eq!(self.0.edit_text(SHEET, at), edited, "{cell} edited in {tag}");
    }
}

#[test]
fn numbers_and_dates_are_displayed_in_each_locale() {
    let mut book = Book::new();
    book.type_in("de", "A1", "1.234,5");
    book.check("de", "A1", "1.234,50", "1234,5");
    book.check("en-US", "A1", "1,234.50", "1234.5");
    book.check("fr", "A1", "1\u{202F}234,50", "1234,5");

    book.type_in("de", "A2", "1.5.");
    book.check("en-GB", "A2", "01-May", "2024-05-01");
    book.type_in("en-US", "A3", "5/1/2024");
    book.check("de", "A3", "01.05.2024", "2024-05-01");
    book.check("ja", "A3", "2024/05/01", "2024-05-01");

    book.type_in("de", "A4", "12,5 %");
    book.check("de", "A4", "12,50%", "12,5%");
    book.check("en-US", "A4", "12.50%", "12.5%");
}

#[test]
fn formulas_use_the_separators_of_the_locale() {
    let mut book = Book::new();
    book.type_in("de", "A1", "=SUM(1,5;2)*{1.2}");
    book.check("de", "A1", "3,5", "=SUM(1,5;2)*{1.2}");
    book.check("en-US", "A1", "3.5", "=SUM(1.5,2)*{1,2}");
    book.type_in("en-US", "A2", "=TEXT(1.5,\"0.00\")");
    // The value of a formula does not depend on the locale.
    book.check("de", "A2", "1.50", "=TEXT(1,5;\"0.00\")");
}

#[test]
fn formulas_use_the_function_names_of_the_language() {
    let mut book = Book::new();
    book.1 = Arc::new(FunctionNames::new(["SUM=SUMME", "IF=WENN", "TRUE=WAHR", "FALSE=FALSCH", "#N/A=#NV"]));
    book.type_in("de", "A1", "=summe(1,5;sum(2))");
    book.check("de", "A1", "3,5", "=SUMME(1,5;SUMME(2))");
    // Truth values and error values are accepted, and displayed as cells display them.
    book.type_in("de", "A2", "=WENN(A1=3,5;WAHR;#NV)");
    book.check("de", "A2", "TRUE", "=WENN(A1=3,5;TRUE;#N/A)");
    for (cell, typed, stored, shown) in
        [("B1", "wahr", "TRUE", "TRUE"), ("B2", " FALSCH ", "FALSE", "FALSE"), ("B3", "#nv", "#N/A", "#N/A")]
    {
        book.type_in("de", cell, typed);
        book.check("de", cell, shown, stored);
        assert!(!matches!(book.value(cell), Value::Text(_)), "{typed}");
    }
    // A text stays one when it is edited.
    book.type_in("de", "B4", "'WAHR");
    book.check("de", "B4", "WAHR", "'WAHR");
    // Missing parentheses are closed, and the formula is the same for everybody.
    book.type_in("de", "A3", "=SUMME(A1;\"SUMME(\"&1");
    book.check("de", "A3", "#VALUE!", "=SUMME(A1;\"SUMME(\"&1)");
    book.type_in("de", "A4", "=FORMULATEXT(A1)");
    book.0.set_r1c1(true);
    book.check("de", "A2", "TRUE", "=WENN(R[-1]C=3,5;TRUE;#N/A)");
    book.0.set_r1c1(false);
    book.1 = Arc::default();
    book.check("en-US", "A1", "3.5", "=SUM(1.5,SUM(2))");
    book.check("en-US", "A4", "=SUM(1.5,SUM(2))", "=FORMULATEXT(A1)");
    // Other people do not know the names.
    book.type_in("en-US", "A5", "=SUMME(1)");
    book.check("en-US", "A5", "#NAME?", "=SUMME(1)");
    book.type_in("en-US", "B5", "WAHR");
    book.check("en-US", "B5", "WAHR", "WAHR");
    book.check("en-US", "B4", "WAHR", "WAHR");
}

#[test]
fn formulas_are_entered_and_displayed_in_r1c1() {
    let mut book = Book::new();
    let typing = |tag| InputContext { is_r1c1: true, ..InputContext::at(Locale::from_tag(tag), NOON_MS) };
    book.type_in("en-US", "A1", "2");
    for (tag, cell, typed, a1, r1c1) in [
        ("en-US", "B1", "=RC[-1]*3", "=A1*3", "=RC[-1]*3"),
        ("en-US", "D2", "=SUM(C1)+R1C2", "=SUM($A:$A)+$B$1", "=SUM(C1)+R1C2"),
        ("en-US", "D3", "=LET(x,r1c1,x+A1)", "=LET(x,$A$1,x+A1)", "=LET(x,R1C1,x+R[-2]C[-3])"),
        ("en-US", "D4", "=$C$3+R1", "=$C$3+$1:$1", "=R3C3+R1"),
    ] {
        book.type_as(typing(tag), cell, typed);
        book.0.set_r1c1(false);
        let shown = book.0.display(SHEET, CellAddress::parse_a1(cell).expect("valid")).text;
        book.check(tag, cell, &shown, a1);
        book.0.set_r1c1(true);
        book.check(tag, cell, &shown, r1c1);
    }
    // With the separators of the locale. Texts that are not formulas are unaffected.
    book.type_as(typing("de"), "B2", "=SUM(R[-1]C[-1];1,5)");
    book.check("de", "B2", "3,5", "=SUM(R[-1]C[-1];1,5)");
    book.type_as(typing("de"), "B3", "R1C1");
    book.check("de", "B3", "R1C1", "R1C1");
    book.0.set_r1c1(false);
    book.check("en-US", "B2", "3.5", "=SUM(A1,1.5)");
}

#[test]
fn texts_stay_texts_when_edited_in_another_locale() {
    let mut book = Book::new();
    book.type_in("en-US", "A1", "1.5.");
    book.check("en-US", "A1", "1.5.", "1.5.");
    book.check("de", "A1", "1.5.", "'1.5.");
    book.type_in("de", "A1", "'1.5.");
    book.check("en-US", "A1", "1.5.", "1.5.");
}
