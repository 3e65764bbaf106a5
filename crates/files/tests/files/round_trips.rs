//! Round trips of random workbooks through every format.

use crate::notation::{import, show, show_formats};
use proptest::prelude::*;
use quadrille_cell::{CellAddress, Dimension, ErrorValue, Range, SheetId, Value};
use quadrille_files::{
    FileFormat, Numbers, Placement, ReadOptions, ShouldContinue, WriteOptions, import_transaction, read,
    write,
};
use quadrille_formula::{Host, parse};
use quadrille_operation::apply;
use quadrille_workbook::{Color, FormatPatch, HorizontalAlignment, Input, Workbook};

/// A random change of the sheet.
#[derive(Clone, Debug)]
enum Put {
    Value(CellAddress, Value),
    Formula(Range, &'static str),
    Format(Range, FormatPatch),
    Size(Dimension, u32, u16),
}

const FORMULAS: [&str; 6] =
    ["A1*2", "SUM($A$1:B3)", "IF(A1>1,\"a:\\b\",\"\")", "C:C", "'My sheet'!A1&\"x\"", "1/0"];

fn cell() -> impl Strategy<Value = CellAddress> {
    (0..60u32, 0..12u32).prop_map(|(row, column)| CellAddress::clamped(row, column))
}

fn range() -> impl Strategy<Value = Range> {
    (cell(), cell()).prop_map(|(a, b)| Range::new(a, b))
}

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        any::<f64>().prop_map(Value::number),
        (-1000..1000i32).prop_map(|number| Value::number(f64::from(number) / 4.0)),
        any::<bool>().prop_map(Value::Boolean),
        "[ -~äß€😀:\\\\\n]{1,12}".prop_map(Value::text),
        prop::sample::select(&ErrorValue::ALL[..7]).prop_map(Value::Error),
    ]
}

fn format() -> impl Strategy<Value = FormatPatch> {
    (any::<Option<bool>>(), any::<bool>(), 0..3u8, 0..0x1000000u32).prop_map(|(bold, italic, kind, color)| {
        FormatPatch {
            bold,
            italic: Some(italic),
            horizontal: (kind == 1).then_some(Some(HorizontalAlignment::Center)),
            fill_color: (kind == 2).then_some(Some(Color(color))),
            number_format: (kind == 0).then(|| Some("0.00".into())),
            ..FormatPatch::default()
        }
    })
}

fn put() -> impl Strategy<Value = Put> {
    prop_oneof![
        6 => (cell(), value()).prop_map(|(cell, value)| Put::Value(cell, value)),
        2 => (range(), prop::sample::select(&FORMULAS[..])).prop_map(|(range, text)| Put::Formula(range, text)),
        1 => (range(), format()).prop_map(|(range, format)| Put::Format(range, format)),
        1 => (any::<bool>(), 0..12u32, 20..300u16).prop_map(|(is_row, index, size)| {
            Put::Size(if is_row { Dimension::Rows } else { Dimension::Columns }, index, size)
        }),
    ]
}

/// A workbook with two sheets, the second with a space in its name. All changes are made in the
/// first sheet.
fn workbook(puts: &[Put]) -> Workbook {
    let mut workbook = Workbook::new();
    let id = SheetId(1);
    workbook.add_sheet(SheetId(2), "My sheet", 1);
    for put in puts {
        let names = workbook.clone();
        let sheet = workbook.sheet_mut(id).expect("the first sheet");
        match put {
            Put::Value(cell, value) => sheet.set_input(*cell, &Input::from(value.clone())),
            Put::Formula(range, text) => {
                let template = parse(text, Host { sheet: id, cell: range.first() }, &names);
                sheet.fill_input(*range, &Input::Formula(template));
            }
            Put::Format(range, patch) => sheet.patch_format(*range, patch),
            Put::Size(dimension, index, size) => sheet.set_sizes(*dimension, *index, 1, Some(*size)),
        }
    }
    workbook
}

fn again(workbook: &Workbook, format: FileFormat) -> Workbook {
    let options = WriteOptions { numbers: Numbers::Raw, ..WriteOptions::default() };
    let written = write(workbook, format, &options).expect("written");
    import(format, &written).unwrap_or_else(|error| panic!("{format:?}: {error}")).workbook
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn json_preserves_everything(puts in prop::collection::vec(put(), 0..30)) {
        let workbook = workbook(&puts);
        let again = again(&workbook, FileFormat::Json);
        prop_assert_eq!(show(&again), show(&workbook));
        prop_assert_eq!(show_formats(&again), show_formats(&workbook));
    }

    #[test]
    fn xlsx_preserves_cells_formats_and_sizes(puts in prop::collection::vec(put(), 0..30)) {
        let workbook = workbook(&puts);
        let again = again(&workbook, FileFormat::Xlsx);
        // `rust_xlsxwriter` has no error values: an error becomes a formula that consists of the
        // error.
        let expected = ErrorValue::ALL.iter().fold(show(&workbook), |expected, error| {
            expected.replace(&format!(": {error}"), &format!(": ={error}"))
        });
        prop_assert_eq!(show(&again), expected);
        let formats = |workbook: &Workbook| {
            let sheet = &workbook.sheets()[0];
            let cells = (0..720).map(|n| sheet.format(CellAddress::clamped(n / 12, n % 12)).clone());
            cells.collect::<Vec<_>>()
        };
        prop_assert_eq!(formats(&again), formats(&workbook));
    }

    #[test]
    fn socialcalc_preserves_cells(puts in prop::collection::vec(put(), 0..30)) {
        let mut workbook = workbook(&puts);
        workbook.remove_sheet(SheetId(2));
        let again = again(&workbook, FileFormat::SocialCalc);
        let cells = |workbook: &Workbook| {
            // Times and percentages get the formats of SocialCalc's value types; only plain formats
            // are compared.
            show(workbook).replace(" as 0.00", "")
        };
        prop_assert_eq!(cells(&again), cells(&workbook));
    }

    #[test]
    fn csv_is_stable_after_one_round_trip(puts in prop::collection::vec(put(), 0..30)) {
        // Texts that start like formulas remain text; as formulas they would have to be calculated.
        let options = ReadOptions { formulas: false, ..ReadOptions::default() };
        let again = |workbook: &Workbook| {
            let written = write(workbook, FileFormat::Csv, &WriteOptions { numbers: Numbers::Raw, ..WriteOptions::default() });
            read(FileFormat::Csv, &written.expect("written"), &options, &mut |_| ShouldContinue::Continue).expect("readable").workbook
        };
        let once = again(&workbook(&puts));
        let twice = again(&once);
        // Raw numbers are written without their formats: `0%` is read with the format 0% and then
        // written as `0`.
        let without_formats = |cell: &str| cell.split(" as ").next().unwrap_or_default().to_owned();
        let texts = |workbook: &Workbook| {
            let cells = show(workbook).lines().next().unwrap_or_default().to_owned();
            cells.split(" | ").map(without_formats).collect::<Vec<_>>()
        };
        prop_assert_eq!(texts(&twice), texts(&once));
    }

    #[test]
    fn an_import_gives_the_room_the_contents_of_the_file(puts in prop::collection::vec(put(), 0..30), appended in any::<bool>()) {
        let imported = workbook(&puts);
        let mut room = Workbook::new();
        let mut next = 10;
        let mut new_sheet = || { next += 1; SheetId(next) };
        let placement = if appended { Placement::Append } else { Placement::Replace };
        let transaction = import_transaction(&imported, &room, placement, &mut new_sheet);
        apply(&mut room, &transaction);
        let first = usize::from(appended);
        let mut alone = room.clone();
        if appended {
            alone.remove_sheet(SheetId(1));
            alone.rename_sheet(SheetId(11), "Sheet1");
        }
        prop_assert_eq!(room.sheets().len(), 2 + first);
        prop_assert_eq!(show(&alone), show(&imported));
        prop_assert_eq!(show_formats(&alone), show_formats(&imported));
    }

    #[test]
    fn no_input_panics_a_reader(bytes in prop::collection::vec(any::<u8>(), 0..200), text in "[\\[\\]{}\",:;\n\r=0-9a-z]{0,80}") {
        for format in [FileFormat::Csv, FileFormat::Tsv, FileFormat::Json, FileFormat::SocialCalc, FileFormat::Xlsx] {
            let _either = import(format, &bytes);
            let _either = import(format, text.as_bytes());
            let _either = import(format, format!("version:1.5\ncell:A1:{text}").as_bytes());
        }
    }
}
