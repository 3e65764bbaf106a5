//! Sheets and workbooks through their public interface.

use quadrille_cell::{CellAddress, ColumnIndex, Dimension, EditKind, Range, SheetId, StructuralEdit, Value};
use quadrille_formula::{Expression, Template};
use quadrille_workbook::{Color, Format, FormatPatch, Input, Literal, Sheet, Workbook};

fn at(a1: &str) -> CellAddress {
    CellAddress::parse_a1(a1).expect("test addresses are valid")
}

fn range(a1: &str) -> Range {
    Range::parse_a1(a1).expect("test ranges are valid")
}

/// Parses an input: `7` is a number, `=name` a formula that consists of a name, other texts are
/// text; empty is blank.
fn input(text: &str) -> Input {
    match (text, text.strip_prefix('='), text.parse::<f64>()) {
        ("", _, _) => Input::Blank,
        (_, Some(name), _) => Input::Formula(Template::new(Expression::Name(name.into()))),
        (_, _, Ok(number)) => Input::Value(Literal::Number(number)),
        _ => Input::Value(Literal::Text(text.into())),
    }
}

fn sheet(cells: &str) -> Sheet {
    let mut sheet = Sheet::new(SheetId(1), "Sheet1");
    for cell in cells.split('|').map(str::trim).filter(|cell| !cell.is_empty()) {
        let (address, text) = cell.split_once(':').expect("cells are written `A1: 7`");
        sheet.set_input(at(address), &input(text.trim()));
    }
    sheet
}

/// All inputs of a sheet in the notation of [`sheet`].
fn cells(sheet: &Sheet) -> String {
    let cells = sheet.inputs_in(Range::whole_sheet()).map(|(cell, input)| match input {
        Input::Blank => unreachable!("blank inputs are left out"),
        Input::Formula(template) => match template.expression() {
            Expression::Name(name) => format!("{cell}: ={name}"),
            other => format!("{cell}: ={other:?}"),
        },
        Input::Value(Literal::Number(number)) => format!("{cell}: {number}"),
        Input::Value(Literal::Text(text)) => format!("{cell}: {text}"),
        Input::Value(other) => format!("{cell}: {other:?}"),
    });
    cells.collect::<Vec<_>>().join(" | ")
}

fn edit(kind: EditKind, dimension: Dimension, at: u32, count: u32) -> StructuralEdit {
    StructuralEdit { sheet: SheetId(1), dimension, kind, at, count }
}

#[test]
fn inputs_are_listed_column_by_column() {
    let sheet = sheet("B2: x | A9: 1 | A1: =f | A2: =f | XFD1048576: 5");
    assert_eq!(cells(&sheet), "A1: =f | A2: =f | A9: 1 | B2: x | XFD1048576: 5");
    assert_eq!(sheet.used_range(), Some(range("A1:XFD1048576")));
    assert_eq!(sheet.formula_runs(Range::whole_sheet()).count(), 1, "equal formulas are one run");
    assert_eq!(sheet.formula(at("A2")), sheet.formula(at("A1")));
}

#[test]
fn a_later_input_replaces_an_earlier_one() {
    let mut sheet = sheet("A1: 1 | A2: 2 | A3: 3");
    sheet.set_input(at("A2"), &input("=f"));
    assert_eq!(cells(&sheet), "A1: 1 | A2: =f | A3: 3");
    sheet.set_computed(at("A2"), Value::from(7.0));
    assert_eq!(sheet.value(at("A2")), Value::from(7.0));
    sheet.set_input(at("A2"), &input(""));
    assert_eq!(cells(&sheet), "A1: 1 | A3: 3");
    assert_eq!(sheet.value(at("A2")), Value::Blank);
    sheet.fill_input(range("A1:B2"), &input("=g"));
    assert_eq!(cells(&sheet), "A1: =g | A2: =g | A3: 3 | B1: =g | B2: =g");
    sheet.fill_input(range("A2:B9"), &input("x"));
    sheet.fill_input(range("A3:B9"), &input(""));
    assert_eq!(cells(&sheet), "A1: =g | A2: x | B1: =g | B2: x");
}

#[test]
fn structural_edits_move_cells() {
    use {Dimension::*, EditKind::*};
    let before = "A1: 1 | A2: =f | A3: =f | B3: x";
    for (kind, dimension, at, count, after) in [
        (Insert, Rows, 0, 1, "A2: 1 | A3: =f | A4: =f | B4: x"),
        (Insert, Rows, 2, 2, "A1: 1 | A2: =f | A5: =f | B5: x"),
        (Insert, Columns, 1, 1, "A1: 1 | A2: =f | A3: =f | C3: x"),
        (Delete, Rows, 0, 1, "A1: =f | A2: =f | B2: x"),
        (Delete, Rows, 1, 1, "A1: 1 | A2: =f | B2: x"),
        (Delete, Columns, 0, 1, "A3: x"),
        (Delete, Columns, 1, 16_383, "A1: 1 | A2: =f | A3: =f"),
        (Insert, Columns, 0, 16_384, ""),
    ] {
        let mut sheet = sheet(before);
        sheet.restructure(&edit(kind, dimension, at, count));
        assert_eq!(cells(&sheet), after, "{kind:?} {count} {dimension:?} at {at}");
    }
}

#[test]
fn sorting_moves_contents_and_formats_of_the_range_only() {
    let mut sheet = sheet("A1: 3 | A2: =f | A3: 1 | B1: x | B3: z | C1: stays");
    sheet.patch_format(range("A2"), &FormatPatch { bold: Some(true), ..FormatPatch::default() });
    sheet.permute_rows(range("A1:B3"), &[2, 0, 1]);
    assert_eq!(cells(&sheet), "A1: 1 | A2: 3 | A3: =f | B1: z | B2: x | C1: stays");
    assert!(sheet.format(at("A3")).bold && !sheet.format(at("A2")).bold);
    sheet.permute_rows(range("A1:B3"), &[1, 2, 0]);
    assert_eq!(cells(&sheet), "A1: 3 | A2: =f | A3: 1 | B1: x | B3: z | C1: stays");
}

#[test]
fn spilled_values_are_values_but_not_inputs() {
    let mut sheet = sheet("A1: =f | B3: 1");
    sheet.mark_spilled(range("A1:B2"), at("A1"));
    for cell in range("A1:B2").cells() {
        sheet.set_computed(cell, Value::from(5.0));
    }
    assert_eq!(sheet.value(at("B2")), Value::from(5.0));
    assert_eq!(sheet.spill_anchor(at("B2")), Some(at("A1")));
    assert_eq!(cells(&sheet), "A1: =f | B3: 1");
    sheet.set_input(at("B1"), &input("new"));
    assert_eq!(cells(&sheet), "A1: =f | B1: new | B3: 1");
    sheet.clear_spilled(Range::whole_sheet());
    assert_eq!(sheet.value(at("A2")), Value::Blank);
    assert_eq!(sheet.value(at("B1")), Value::from("new"));
}

#[test]
fn a_clone_is_a_snapshot() {
    let mut workbook = Workbook::new();
    let id = SheetId(1);
    let write = |workbook: &mut Workbook, text: &str| {
        workbook.sheet_mut(id).expect("there is one sheet").set_input(at("A1"), &input(text));
    };
    write(&mut workbook, "before");
    let snapshot = workbook.clone();
    write(&mut workbook, "after");
    let value = |workbook: &Workbook| workbook.sheet(id).map(|sheet| sheet.value(at("A1")));
    assert_eq!(value(&snapshot), Some(Value::from("before")));
    assert_eq!(value(&workbook), Some(Value::from("after")));
}

#[test]
fn formats_of_whole_columns_are_one_entry() {
    let mut sheet = Sheet::new(SheetId(1), "Sheet1");
    let bold = FormatPatch { bold: Some(true), ..FormatPatch::default() };
    let red = FormatPatch { text_color: Some(Some(Color(0xff0000))), ..FormatPatch::default() };
    sheet.patch_format(Range::whole_sheet(), &bold);
    assert_eq!(sheet.format_runs(Range::whole_sheet()).count(), 1);
    sheet.patch_format(range("B2:C3"), &red);
    let runs: Vec<String> = sheet
        .format_runs(range("A1:D4"))
        .map(|(range, format)| format!("{range} {}", format.text_color.is_some()))
        .collect();
    assert_eq!(runs, ["A1:A4 false", "B1:C1 false", "B2:C3 true", "B4:C4 false", "D1:D4 false"]);
    sheet.patch_format(range("B2:C3"), &FormatPatch { text_color: Some(None), ..FormatPatch::default() });
    assert_eq!(sheet.format_runs(Range::whole_sheet()).count(), 1, "equal neighbors merge again");
    sheet.patch_format(Range::whole_sheet(), &FormatPatch::replacing_with(&Format::default()));
    assert_eq!(sheet.format_runs(Range::whole_sheet()).count(), 0);
}

#[test]
fn sizes_move_with_their_rows_and_columns() {
    let mut sheet = Sheet::new(SheetId(1), "Sheet1");
    sheet.set_sizes(Dimension::Rows, 2, 3, Some(40));
    sheet.restructure(&edit(EditKind::Insert, Dimension::Rows, 3, 1));
    assert_eq!(sheet.size_runs(Dimension::Rows).collect::<Vec<_>>(), [(2, 1, 40), (4, 2, 40)]);
    sheet.restructure(&edit(EditKind::Delete, Dimension::Rows, 3, 1));
    assert_eq!(sheet.size_runs(Dimension::Rows).collect::<Vec<_>>(), [(2, 3, 40)]);
    assert_eq!(sheet.size(Dimension::Rows, 4), Some(40));
    assert_eq!(sheet.size(Dimension::Columns, 4), None);
}

#[test]
fn moved_rows_and_columns_exchange_places_with_those_between() {
    let before = "A1: 1 | A2: =f | A3: 3 | A5: 5 | C1: x | C4: y | D2: z";
    for (dimension, at, count, to, after) in [
        (Dimension::Rows, 1, 1, 4, "A1: 1 | A2: 3 | A4: =f | A5: 5 | C1: x | C3: y | D4: z"),
        (Dimension::Rows, 1, 3, 5, "A1: 1 | A2: 5 | A3: =f | A4: 3 | C1: x | C5: y | D3: z"),
        (Dimension::Rows, 3, 2, 0, "A2: 5 | A3: 1 | A4: =f | A5: 3 | C1: y | C3: x | D4: z"),
        (Dimension::Columns, 0, 1, 3, "B1: x | B4: y | C1: 1 | C2: =f | C3: 3 | C5: 5 | D2: z"),
        (Dimension::Columns, 3, 1, 0, "A2: z | B1: 1 | B2: =f | B3: 3 | B5: 5 | D1: x | D4: y"),
        (Dimension::Columns, 2, 1, 9, "A1: 1 | A2: =f | A3: 3 | A5: 5 | C2: z | I1: x | I4: y"),
    ] {
        let mut sheet = sheet(before);
        sheet.set_sizes(dimension, at, 1, Some(40));
        sheet.set_hidden(dimension, at, 1, true);
        let edit = edit(EditKind::Move { to }, dimension, at, count);
        sheet.restructure(&edit);
        assert_eq!(cells(&sheet), after, "{edit:?}");
        assert_eq!(sheet.size_runs(dimension).collect::<Vec<_>>(), [(edit.destination(), 1, 40)]);
        assert!(sheet.is_hidden(dimension, edit.destination()));
    }
}

#[test]
fn whole_columns_of_values_are_set_and_clipped_to_the_sheet() {
    let mut sheet = sheet("A1: =f | A3: =f");
    let numbers: Vec<f64> = (0..100_000).map(f64::from).collect();
    sheet.set_column_numbers(ColumnIndex::clamped(0), 1, &numbers);
    sheet.set_column_values(ColumnIndex::clamped(1), 1_048_574, &[1.0.into(), "x".into(), "cut off".into()]);
    assert_eq!(sheet.value(at("A100001")), Value::from(99_999.0));
    assert_eq!(sheet.input(at("A3")), input("1"));
    assert_eq!(sheet.input(at("A1")), input("=f"));
    assert_eq!(sheet.inputs_in(range("B:XFD")).count(), 2);
}

#[test]
fn sheet_names_are_unique_regardless_of_case() {
    let mut workbook = Workbook::new();
    assert!(workbook.add_sheet(SheetId(2), "Ärger", 0));
    assert!(!workbook.add_sheet(SheetId(3), "SHEET1", 0));
    assert!(!workbook.add_sheet(SheetId(2), "Other", 0));
    assert!(!workbook.rename_sheet(SheetId(1), "ärger"));
    assert!(workbook.rename_sheet(SheetId(2), "ÄRGER"));
    assert_eq!(workbook.sheet_by_name("ärger").map(Sheet::id), Some(SheetId(2)));
    assert!(workbook.move_sheet(SheetId(2), 99));
    assert_eq!(workbook.position(SheetId(2)), Some(1));
    assert!(workbook.remove_sheet(SheetId(1)).is_some());
    assert!(workbook.remove_sheet(SheetId(2)).is_none(), "a workbook has at least one sheet");
}

#[test]
fn names_are_found_in_any_case_and_preserve_their_spelling() {
    let mut workbook = Workbook::new();
    let definition = Template::new(Expression::Number(0.19));
    assert_eq!(workbook.define_name("TaxRate", Some(definition.clone())), None);
    assert_eq!(workbook.name("TAXRATE"), Some(&definition));
    assert_eq!(workbook.names().map(|(name, _)| &**name).collect::<Vec<_>>(), ["TaxRate"]);
    assert_eq!(workbook.define_name("taxrate", None), Some(definition));
    assert_eq!(workbook.names().count(), 0);
}
