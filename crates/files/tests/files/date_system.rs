//! Workbooks with the date system 1904: reading, writing and appending. 5 July 2011 is 39,267 in
//! the date system 1904 and 40,729 in the date system 1900 (Microsoft's page "Date systems in
//! Excel").

use quadrille_cell::{CellAddress, DateSystem, SheetId, Value};
use quadrille_files::{
    FileFormat, Placement, ReadOptions, ShouldContinue, WriteOptions, import_transaction, read, write,
};
use quadrille_formula::{Host, parse};
use quadrille_operation::apply;
use quadrille_workbook::{Field, FieldValue, FormatPatch, Input, Item, ItemId, ItemKind, Literal, Workbook};

const SHEET: SheetId = SheetId(1);

fn cell(a1: &str) -> CellAddress {
    CellAddress::parse_a1(a1).expect(a1)
}

/// A1 is 5 July 2011, A2 a time of day, A3 a number without a date format, A4 a formula.
fn from_1904() -> Workbook {
    let mut workbook = Workbook::new();
    let mut settings = Item::new(ItemKind::WorkbookSettings);
    settings.fields.insert(Field::Date1904, FieldValue::Boolean(true));
    settings.fields.insert(Field::Iterative, FieldValue::Boolean(true));
    settings.fields.insert(Field::MaxIterations, FieldValue::Number(7.0));
    workbook.set_item(None, ItemId::SETTINGS, Some(settings));
    let formula = parse("A1+1", Host { sheet: SHEET, cell: cell("A4") }, &workbook);
    let sheet = workbook.sheet_mut(SHEET).expect("the first sheet");
    for (at, number, code) in [("A1", 39_267.0, "yyyy-mm-dd"), ("A2", 0.5, "h:mm"), ("A3", 39_267.0, "0")] {
        sheet.set_input(cell(at), &Input::Value(Literal::Number(number)));
        let patch = FormatPatch { number_format: Some(Some(code.into())), ..FormatPatch::default() };
        sheet.patch_format(quadrille_cell::Range::cell(cell(at)), &patch);
    }
    sheet.set_input(cell("A4"), &Input::Formula(formula));
    let patch = FormatPatch { number_format: Some(Some("yyyy-mm-dd".into())), ..FormatPatch::default() };
    sheet.patch_format(quadrille_cell::Range::cell(cell("A4")), &patch);
    sheet.set_computed(cell("A4"), Value::Number(39_268.0));
    workbook
}

fn written(workbook: &Workbook, format: FileFormat) -> Vec<u8> {
    write(workbook, format, &WriteOptions::default()).expect("it can be written")
}

fn read_back(bytes: &[u8], format: FileFormat) -> Workbook {
    let mut proceed = |_| ShouldContinue::Continue;
    read(format, bytes, &ReadOptions::default(), &mut proceed).expect("it can be read").workbook
}

fn numbers(workbook: &Workbook) -> Vec<f64> {
    let sheet = &workbook.sheets()[0];
    let number = |at: &str| match sheet.input(cell(at)) {
        Input::Value(Literal::Number(number)) => number,
        other => panic!("{at}: {other:?}"),
    };
    ["A1", "A2", "A3"].map(number).to_vec()
}

#[test]
fn dates_keep_their_numbers_and_their_date_system() {
    for format in [FileFormat::Xlsx, FileFormat::Ods, FileFormat::Json] {
        let back = read_back(&written(&from_1904(), format), format);
        assert_eq!(back.date_system(), DateSystem::From1904, "{format:?}");
        assert_eq!(numbers(&back), [39_267.0, 0.5, 39_267.0], "{format:?}");
        let settings = back.items().get(ItemId::SETTINGS).expect("settings");
        let iterations = settings.number(Field::MaxIterations);
        // Settings of iterative calculation are not written to `.ods` files.
        assert_eq!(iterations, (format != FileFormat::Ods).then_some(7.0), "{format:?}");
    }
}

#[test]
fn text_formats_display_dates() {
    let text = |format| String::from_utf8(written(&from_1904(), format)).expect("a text");
    assert_eq!(text(FileFormat::Csv), "2011-07-05\n12:00\n39267\n2011-07-06\n");
    assert!(text(FileFormat::Html).contains("2011-07-05"));
    assert!(text(FileFormat::Markdown).contains("2011-07-05"));
}

/// SocialCalc has the date system 1900 only.
#[test]
fn formats_with_date_system_1900_get_converted_dates() {
    let save = String::from_utf8(written(&from_1904(), FileFormat::SocialCalc)).expect("a text");
    for line in ["cell:A1:vtc:nd:40729:2011-07-05", "cell:A2:vtc:nt:0.5:12\\c00", "cell:A3:v:39267"] {
        assert!(save.contains(line), "{line} in {save}");
    }
    assert!(save.contains("cell:A4:vtf:n:40730:A1+1"), "{save}");
}

#[test]
fn appended_sheets_are_converted_to_the_date_system_of_the_room() {
    for (file, room, expected) in [
        (from_1904(), Workbook::new(), [40_729.0, 0.5, 39_267.0]),
        (from_1904(), from_1904(), [39_267.0, 0.5, 39_267.0]),
    ] {
        let mut next = 100;
        let mut new_sheet = || {
            next += 1;
            SheetId(next)
        };
        let mut appended = room.clone();
        let operations = import_transaction(&file, &room, Placement::Append, &mut new_sheet);
        apply(&mut appended, &operations);
        assert_eq!(appended.date_system(), room.date_system());
        let last = appended.sheets().last().expect("a sheet").clone();
        let number = |at: &str| last.value(cell(at));
        assert_eq!(["A1", "A2", "A3"].map(number), expected.map(Value::Number));

        let mut replaced = room.clone();
        let operations = import_transaction(&file, &room, Placement::Replace, &mut new_sheet);
        apply(&mut replaced, &operations);
        assert_eq!(replaced.date_system(), DateSystem::From1904);
        assert_eq!(numbers(&replaced), [39_267.0, 0.5, 39_267.0]);
    }
}
