//! Random saves are loaded by SocialCalc (npm's `socialcalc`, run by Node), which must show what the
//! workbook has, and whose own save must be read as the same workbook.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::notation::import;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use quadrille_cell::{CellAddress, Dimension, ErrorValue, Range, SheetId, Value};
use quadrille_document::Document;
use quadrille_files::{FileFormat, Images, WriteOptions, warnings, write};
use quadrille_formula::{Host, parse, print};
use quadrille_workbook::{
    Border, BorderStyle, Color, Field, FieldValue, FontSize, Format, FormatPatch, HorizontalAlignment, Input,
    Item, ItemId, ItemKind, VerticalAlignment, Workbook,
};
use serde_json::{Value as Json, json};

const SAVES: usize = 300;
const SHEET: SheetId = SheetId(1);
/// Cells of random contents; A1:B3 always has numbers, for the formulas.
const ROWS: u32 = 20;
const COLUMNS: u32 = 8;

/// A random change of the sheet.
#[derive(Clone, Debug)]
enum Put {
    Value(CellAddress, Value),
    Formula(CellAddress, &'static str),
    Format(Range, FormatPatch),
    Size(Dimension, u32, u16),
    Hidden(Dimension, u32),
    Item(ItemKind, Range, Option<String>),
    Frozen(u8, u8),
}

const FORMULAS: [&str; 12] = [
    "A1*2",
    "SUM(A1:B3)",
    "IF(A1>1,\"a:\\b\",\"\")",
    "$A$2&\"x\"",
    "ROUND(A1/3,2)",
    "MAX($A$1:B3)-MIN(A1:B3)",
    "1/0",
    "Share*2",
    "AND(A1>0,B2<5)",
    "NA()",
    "SUM(Area)/4",
    "-A1-B1",
];

/// Number formats that both programs display alike.
const CODES: [&str; 9] =
    ["0.00", "#,##0", "#,##0.00;(#,##0.00)", "0%", "0.0%", "$#,##0.00", "yyyy-mm-dd", "0 \"a:b\"", ";;;"];

fn cell() -> impl Strategy<Value = CellAddress> {
    (3..ROWS, 0..COLUMNS).prop_map(|(row, column)| CellAddress::clamped(row, column))
}

fn range() -> impl Strategy<Value = Range> {
    (cell(), 0..4u32, 0..4u32).prop_map(|(first, rows, columns)| {
        let last = CellAddress::clamped(first.row.get() + rows, first.column.get() + columns);
        Range::new(first, last)
    })
}

fn text() -> impl Strategy<Value = String> {
    "[ -~äß€😀:\\\\\n]{1,12}"
}

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        2 => any::<f64>().prop_map(Value::number),
        4 => (-4000..200_000i32).prop_map(|number| Value::number(f64::from(number) / 4.0)),
        1 => any::<bool>().prop_map(Value::Boolean),
        4 => text().prop_map(Value::text),
        1 => prop::sample::select(&ErrorValue::ALL[..7]).prop_map(Value::Error),
    ]
}

fn border() -> impl Strategy<Value = Option<Option<Border>>> {
    let styles = [
        BorderStyle::Thin,
        BorderStyle::Medium,
        BorderStyle::Thick,
        BorderStyle::Dashed,
        BorderStyle::MediumDashed,
        BorderStyle::Dotted,
        BorderStyle::Double,
    ];
    let border = (prop::sample::select(styles.to_vec()), 0..0x1000000u32);
    prop::option::of(prop::option::of(
        border.prop_map(|(style, color)| Border { style, color: Some(Color(color)) }),
    ))
}

fn format() -> impl Strategy<Value = FormatPatch> {
    let alignments = [HorizontalAlignment::Left, HorizontalAlignment::Center, HorizontalAlignment::Right];
    let verticals = [VerticalAlignment::Top, VerticalAlignment::Middle, VerticalAlignment::Bottom];
    let families = ["Arial", "Times New Roman", "Courier"];
    let font = (
        prop::option::of(any::<bool>()),
        prop::option::of(any::<bool>()),
        prop::option::of(10..900u16),
        prop::option::of(prop::sample::select(families.to_vec())),
    );
    let placed = (
        prop::option::of(prop::sample::select(alignments.to_vec())),
        prop::option::of(prop::sample::select(verticals.to_vec())),
    );
    let colors = (prop::option::of(0..0x1000000u32), prop::option::of(0..0x1000000u32));
    let sides = (border(), border(), border(), border());
    let code = prop::option::of(prop::sample::select(CODES.to_vec()));
    (font, placed, colors, sides, code).prop_map(|(font, placed, colors, sides, code)| FormatPatch {
        bold: font.0,
        italic: font.1,
        font_size: font.2.map(|tenths| Some(FontSize(tenths))),
        font_family: font.3.map(|family| Some(family.into())),
        horizontal: placed.0.map(Some),
        vertical: placed.1.map(Some),
        text_color: colors.0.map(|color| Some(Color(color))),
        fill_color: colors.1.map(|color| Some(Color(color))),
        border_top: sides.0,
        border_right: sides.1,
        border_bottom: sides.2,
        border_left: sides.3,
        number_format: code.map(|code| Some(code.into())),
        ..FormatPatch::default()
    })
}

fn put() -> impl Strategy<Value = Put> {
    let dimension = prop::sample::select(vec![Dimension::Rows, Dimension::Columns]);
    prop_oneof![
        8 => (cell(), value()).prop_map(|(cell, value)| Put::Value(cell, value)),
        4 => (cell(), prop::sample::select(&FORMULAS[..])).prop_map(|(cell, text)| Put::Formula(cell, text)),
        4 => (range(), format()).prop_map(|(range, format)| Put::Format(range, format)),
        1 => (dimension.clone(), 0..ROWS, 10..300u16).prop_map(|(axis, index, size)| Put::Size(axis, index, size)),
        1 => (dimension, 0..ROWS).prop_map(|(axis, index)| Put::Hidden(axis, index)),
        1 => range().prop_map(|range| Put::Item(ItemKind::Merge, range, None)),
        1 => (cell(), text()).prop_map(|(cell, text)| Put::Item(ItemKind::Note, Range::cell(cell), Some(text))),
        1 => cell().prop_map(|cell| {
            Put::Item(ItemKind::Link, Range::cell(cell), Some("https://example.org/a?b=1#c".into()))
        }),
        1 => range().prop_map(|range| Put::Item(ItemKind::ProtectedRange, range, None)),
        1 => (0..4u8, 0..4u8).prop_map(|(rows, columns)| Put::Frozen(rows, columns)),
    ]
}

/// A calculated workbook with these changes.
fn workbook(puts: &[Put]) -> Workbook {
    let mut workbook = Workbook::new();
    let host = Host { sheet: SHEET, cell: CellAddress::default() };
    for (name, definition) in [("SHARE", "Sheet1!$B$2"), ("AREA", "Sheet1!$A$1:$B$3"), ("TWICE", "$A$1*2")] {
        let definition = parse(definition, host, &workbook);
        workbook.define_name(name, Some(definition));
    }
    for (index, number) in [2.5, -1.0, 7.0, 0.5, 40.0, 3.0].into_iter().enumerate() {
        let cell = CellAddress::clamped(index as u32 / 2, index as u32 % 2);
        let sheet = workbook.sheet_mut(SHEET).expect("the only sheet");
        sheet.set_input(cell, &Input::from(Value::number(number)));
    }
    // SocialCalc itself saves comments and locks only up to the last cell with a content or a format.
    let last = CellAddress::clamped(ROWS + 4, COLUMNS + 4);
    workbook.sheet_mut(SHEET).expect("the only sheet").set_input(last, &Input::from(Value::text("end")));
    for (put, number) in puts.iter().zip(10..) {
        let names = workbook.clone();
        let sheet = workbook.sheet_mut(SHEET).expect("the only sheet");
        match put {
            Put::Value(cell, value) => sheet.set_input(*cell, &Input::from(value.clone())),
            Put::Formula(cell, text) => {
                let template = parse(text, Host { sheet: SHEET, cell: *cell }, &names);
                sheet.set_input(*cell, &Input::Formula(template));
            }
            Put::Format(range, patch) => sheet.patch_format(*range, patch),
            Put::Size(dimension, index, size) => sheet.set_sizes(*dimension, *index, 1, Some(*size)),
            Put::Hidden(dimension, index) => sheet.set_hidden(*dimension, *index, 1, true),
            Put::Item(kind, range, text) => {
                let mut item = Item::new(*kind);
                item.anchors = vec![*range];
                let field = if *kind == ItemKind::Note { Field::Text } else { Field::Url };
                let text = text.as_deref().map(|text| (field, FieldValue::Text(text.into())));
                item.fields.extend(text);
                // One note and one link of a cell, and merged cells that do not overlap.
                let is_taken = sheet.items().of_kind(*kind).any(|(_, other)| other.overlaps(&item));
                let is_single = *kind == ItemKind::Merge && range.cell_count() == 1;
                let links_text = matches!(sheet.input(range.first()), Input::Value(_))
                    && matches!(sheet.value(range.first()), Value::Text(_));
                if !is_taken && !is_single && (*kind != ItemKind::Link || links_text) {
                    workbook.set_item(Some(SHEET), ItemId(number), Some(item));
                }
            }
            Put::Frozen(rows, columns) => {
                let mut item = Item::new(ItemKind::SheetSettings);
                for (field, count) in [(Field::FrozenRows, rows), (Field::FrozenColumns, columns)] {
                    item.fields
                        .extend((*count > 0).then_some((field, FieldValue::Number(f64::from(*count)))));
                }
                workbook.set_item(Some(SHEET), ItemId::SETTINGS, Some(item));
            }
        }
    }
    let mut document = Document::from_workbook(workbook);
    while !document.evaluate(u64::MAX).finished {}
    document.snapshot()
}

fn save(workbook: &Workbook) -> String {
    let save = write(workbook, FileFormat::SocialCalc, &WriteOptions::default()).expect("written");
    String::from_utf8(save).expect("a text")
}

/// What SocialCalc makes of the saves.
fn shown_by_socialcalc(saves: &[String]) -> Vec<Json> {
    socialcalc(&json!(saves))
}

/// The list that SocialCalc gives for an input of `oracle.mjs`.
fn socialcalc(input: &Json) -> Vec<Json> {
    let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/socialcalc/oracle.mjs");
    let mut node = Command::new("node")
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("node is installed, and `npm ci` was run in web/");
    let input = serde_json::to_vec(input).expect("texts");
    node.stdin.take().expect("a pipe").write_all(&input).expect("node reads the saves");
    let output = node.wait_with_output().expect("node ends");
    assert!(output.status.success(), "SocialCalc does not load the saves: its error is above");
    serde_json::from_slice(&output.stdout).expect("a list")
}

/// The attributes that SocialCalc must find in a cell.
fn expected_attributes(workbook: &Workbook, cell: CellAddress) -> Json {
    let sheet = workbook.sheet(SHEET).expect("the only sheet");
    let format = sheet.format(cell);
    let mut found = json!({});
    let mut put = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            found[name] = value.into();
        }
    };
    put("alignhoriz", format.horizontal.map(|alignment| format!("{alignment:?}").to_lowercase()));
    put("alignvert", format.vertical.map(|alignment| format!("{alignment:?}").to_lowercase()));
    let look = match (format.italic, format.bold) {
        (false, false) => None,
        (italic, bold) => {
            Some([if italic { "italic" } else { "normal" }, if bold { "bold" } else { "normal" }])
        }
    };
    put("fontlook", look.map(|look| look.join(" ")));
    put("fontsize", format.font_size.map(|size| format!("{}pt", size.points())));
    put("fontfamily", format.font_family.as_ref().map(ToString::to_string));
    let rgb = |Color(color): Color| format!("rgb({},{},{})", color >> 16, color >> 8 & 255, color & 255);
    put("textcolor", format.text_color.map(rgb));
    put("bgcolor", format.fill_color.map(rgb));
    for (name, border) in [
        ("bt", format.border_top),
        ("br", format.border_right),
        ("bb", format.border_bottom),
        ("bl", format.border_left),
    ] {
        // CSS with the widths of Excel's lines in pixels.
        let line = border.map(|border| match border.style {
            BorderStyle::Thin => "1px solid",
            BorderStyle::Medium => "2px solid",
            BorderStyle::Thick => "3px solid",
            BorderStyle::Dashed => "1px dashed",
            BorderStyle::MediumDashed => "2px dashed",
            BorderStyle::Dotted => "1px dotted",
            _ => "3px double",
        });
        put(
            name,
            line.map(|line| {
                format!("{line} {}", rgb(border.and_then(|border| border.color).expect("a color")))
            }),
        );
    }
    for (_, item) in sheet.items().iter() {
        let Some(range) = item.anchors.first() else { continue };
        match item.kind {
            ItemKind::Merge if range.first() == cell => {
                for (name, count) in [("colspan", range.column_count()), ("rowspan", range.row_count())] {
                    if count > 1 {
                        found[name] = count.into();
                    }
                }
            }
            ItemKind::Note if range.contains(cell) => {
                found["comment"] = item.text(Field::Text).expect("a text").to_string().into();
            }
            ItemKind::ProtectedRange if range.contains(cell) => found["readonly"] = true.into(),
            _ => {}
        }
    }
    found
}

/// Differences between a workbook and what SocialCalc shows of it.
fn differences(workbook: &Workbook, shown: &Json) -> Vec<String> {
    let document = Document::from_workbook(workbook.clone());
    let sheet = workbook.sheet(SHEET).expect("the only sheet");
    let mut differences = Vec::new();
    let mut compare = |what: String, found: &Json, expected: Json| {
        if *found != expected {
            differences.push(format!("{what}: SocialCalc {found}, expected {expected}"));
        }
    };
    // Ranges may extend beyond the cells of random contents.
    let all = Range::from_indices(0, 0, ROWS + 4, COLUMNS + 4).expect("a range");
    for cell in all.cells() {
        let found = &shown["cells"][cell.to_string()];
        let mut attributes = found.clone();
        for name in ["type", "value", "shown"] {
            attributes.as_object_mut().map(|attributes| attributes.remove(name));
        }
        let attributes = if attributes.is_null() { json!({}) } else { attributes };
        compare(format!("{cell}"), &attributes, expected_attributes(workbook, cell));
        let value = sheet.value(cell);
        let kind = found["type"].as_str().unwrap_or("b").to_owned();
        match &value {
            Value::Blank => compare(format!("{cell} type"), &kind.into(), "b".into()),
            Value::Number(number) => {
                let result = found["value"].as_f64().unwrap_or(f64::NAN);
                let is_close = (result - number).abs() <= number.abs() * 1e-12;
                let is_literal = matches!(sheet.input(cell), Input::Value(_));
                if is_literal && result != *number || !is_close {
                    compare(format!("{cell} value"), &found["value"], json!(number));
                }
            }
            Value::Text(text) => {
                let link =
                    sheet.items().of_kind(ItemKind::Link).find(|(_, link)| link.anchors[0].contains(cell));
                if link.is_none() {
                    compare(format!("{cell} value"), &found["value"], text.to_string().into());
                }
            }
            Value::Boolean(boolean) => {
                compare(format!("{cell} value"), &found["value"], u8::from(*boolean).into());
                compare(format!("{cell} type"), &kind.into(), "nl".into());
            }
            Value::Error(error) => compare(format!("{cell} type"), &kind.into(), format!("e{error}").into()),
        }
        // The programs round long numbers without a format to other widths.
        let is_general = sheet.format(cell).number_format.is_none();
        let is_long = |number: f64| number.abs() >= 1e9 || is_general && number.to_string().len() > 10;
        let is_plain = !matches!(value, Value::Number(number) if is_long(number));
        let text = document.display(SHEET, cell).text;
        // A date before March 1900 is a day earlier in SocialCalc, and negative ones are question marks.
        let is_day = sheet.format(cell).number_format.as_deref() == Some("yyyy-mm-dd");
        let is_early = is_day && matches!(value, Value::Number(number) if number < 61.0);
        if is_plain && !is_early && value != Value::Blank {
            let found = found["shown"].as_str().unwrap_or_default().trim();
            compare(format!("{cell} shown"), &found.into(), text.trim().into());
        }
    }
    let sizes = |dimension: Dimension| {
        let mut sizes = json!({});
        for (first, count, size) in sheet.size_runs(dimension) {
            for index in first..first + count {
                // Widths are texts, heights numbers.
                match dimension {
                    Dimension::Columns => sizes[column(index)] = size.to_string().into(),
                    Dimension::Rows => sizes[(index + 1).to_string()] = size.into(),
                }
            }
        }
        sizes
    };
    compare("widths".into(), &shown["widths"], sizes(Dimension::Columns));
    compare("heights".into(), &shown["heights"], sizes(Dimension::Rows));
    let hidden = |dimension| sheet.hidden_runs(dimension).flat_map(|(first, count)| first..first + count);
    let columns: Vec<String> = hidden(Dimension::Columns).map(column).collect();
    let rows: Vec<String> = hidden(Dimension::Rows).map(|row| (row + 1).to_string()).collect();
    compare("hidden columns".into(), &shown["hiddenColumns"], json!(columns));
    compare("hidden rows".into(), &shown["hiddenRows"], json!(rows));
    let names = json!({ "AREA": "$A$1:$B$3", "SHARE": "$B$2", "TWICE": "=$A$1*2" });
    compare("names".into(), &shown["names"], names);
    for (name, field) in [("frozenRows", Field::FrozenRows), ("frozenColumns", Field::FrozenColumns)] {
        let frozen = sheet.item(ItemId::SETTINGS).and_then(|settings| settings.number(field)).unwrap_or(0.0);
        compare(name.into(), &shown[name], (frozen as u32).into());
    }
    differences
}

fn column(index: u32) -> String {
    quadrille_cell::column_name(quadrille_cell::ColumnIndex::clamped(index))
}

/// All of a workbook that a save contains, as lines to compare.
fn contents(workbook: &Workbook, with_panes: bool) -> Vec<String> {
    let sheet = workbook.sheet(SHEET).expect("the only sheet");
    let mut lines = Vec::new();
    for cell in Range::from_indices(0, 0, ROWS + 4, COLUMNS + 4).expect("a range").cells() {
        let mut format: Format = sheet.format(cell).clone();
        let is_number = !matches!(sheet.value(cell), Value::Text(_) | Value::Boolean(_));
        if !is_number && format.number_format.as_deref() != Some(";;;") {
            format.number_format = None;
        }
        if sheet.input(cell) != Input::Blank || format != Format::default() {
            let input = match sheet.input(cell) {
                Input::Formula(template) => print(&template, Host { sheet: SHEET, cell }, workbook),
                input => format!("{input:?}"),
            };
            lines.push(format!("{cell}: {input} {format:?}"));
        }
    }
    let mut items: Vec<String> = Vec::new();
    for (_, item) in sheet.items().iter() {
        match item.kind {
            ItemKind::SheetSettings if !with_panes || item.fields.is_empty() => {}
            // A protection has other ranges with the same cells.
            ItemKind::ProtectedRange => {
                items.extend(
                    item.anchors.iter().flat_map(|range| range.cells()).map(|cell| format!("locked {cell}")),
                );
            }
            _ => items.push(format!("{:?} {:?} {:?}", item.kind, item.anchors, item.fields)),
        }
    }
    items.sort();
    items.dedup();
    lines.extend(items);
    for dimension in [Dimension::Rows, Dimension::Columns] {
        lines.push(format!("{dimension:?} {:?}", sheet.size_runs(dimension).collect::<Vec<_>>()));
        lines.push(format!("{dimension:?} hidden {:?}", sheet.hidden_runs(dimension).collect::<Vec<_>>()));
    }
    let host = Host { sheet: SHEET, cell: CellAddress::default() };
    lines.extend(workbook.names().map(|(name, definition)| {
        let definition = print(definition, host, workbook);
        format!("{name} = {}", definition.trim_start_matches("Sheet1!"))
    }));
    lines
}

#[test]
fn socialcalc_shows_300_saves_and_returns_the_same_workbooks() {
    let strategy = prop::collection::vec(put(), 0..40);
    let mut runner = TestRunner::deterministic();
    let workbooks: Vec<Workbook> = (0..SAVES)
        .map(|_| workbook(&strategy.new_tree(&mut runner).expect("no filters").current()))
        .collect();
    let saves: Vec<String> = workbooks.iter().map(save).collect();
    let shown = shown_by_socialcalc(&saves);
    assert_eq!(shown.len(), SAVES);
    let is_expected = |loss: &str| loss == "number formats of texts and booleans";
    let mut failures = Vec::new();
    for (workbook, (save, shown)) in workbooks.iter().zip(saves.iter().zip(&shown)) {
        let mut differences = differences(workbook, shown);
        let losses = warnings(workbook, FileFormat::SocialCalc, &WriteOptions::default(), &Images::new());
        differences.extend(losses.into_iter().filter(|loss| !is_expected(loss)));
        let theirs = shown["save"].as_str().expect("a save");
        for (save, with_panes) in [(&**save, true), (theirs, false)] {
            let again = import(FileFormat::SocialCalc, save.as_bytes()).expect("readable");
            differences.extend(again.warnings);
            let (before, after) = (contents(workbook, with_panes), contents(&again.workbook, with_panes));
            differences.extend(
                before.iter().filter(|line| !after.contains(line)).map(|line| format!("lost {line}")),
            );
            differences
                .extend(after.iter().filter(|line| !before.contains(line)).map(|line| format!("new {line}")));
        }
        if !differences.is_empty() {
            failures.push(format!("{}\nin {save}", differences.join("\n")));
        }
    }
    assert!(failures.is_empty(), "{} saves differ; the first:\n{}", failures.len(), failures[0]);
}

#[test]
fn every_function_of_socialcalc_exists_here() {
    let names = socialcalc(&"functions".into());
    let names: Vec<&str> = names.iter().filter_map(Json::as_str).collect();
    assert_eq!(names.len(), 140, "functions of SocialCalc 2.3");
    let missing: Vec<&str> =
        names.into_iter().filter(|name| quadrille_functions::lookup(name).is_none()).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// Formulas with the results of both programs, over the cells in `formulas.socialcalc`. A line has a
/// formula, SocialCalc's result and, where it differs, the result here. `docs/ethercalc.md` has the
/// differences by function.
const FORMULAS_TABLE: &str = include_str!("../socialcalc/formulas.tsv");
const FORMULAS_DATA: &str = include_str!("../socialcalc/formulas.socialcalc");

#[test]
fn functions_have_the_results_of_socialcalc_or_known_ones() {
    let lines: Vec<Vec<&str>> = FORMULAS_TABLE.lines().map(|line| line.split('\t').collect()).collect();
    let encode = |formula: &str| formula.replace('\\', "\\b").replace(':', "\\c");
    let cells = lines.iter().zip(1..).map(|(line, row)| format!("cell:Z{row}:vtf:n:0:{}\n", encode(line[0])));
    let sheet = format!("{FORMULAS_DATA}{}sheet:c:26:r:{}\n", cells.collect::<String>(), lines.len());
    let imported = import(FileFormat::SocialCalc, sheet.as_bytes()).expect("a save");
    let mut document = Document::from_workbook(imported.workbook);
    while !document.evaluate(u64::MAX).finished {}
    let wrapped = save(&Workbook::new()).replace("version:1.5\n", &sheet);
    let shown = shown_by_socialcalc(&[wrapped]).remove(0);
    let mut differences = Vec::new();
    for (line, row) in lines.iter().zip(1..) {
        let formula = line[0];
        let cell = &shown["cells"][format!("Z{row}")];
        let theirs = match cell["type"].as_str().unwrap_or("b") {
            "nl" => Value::Boolean(cell["value"] != 0.0),
            number if number.starts_with('n') => Value::number(cell["value"].as_f64().unwrap_or(f64::NAN)),
            text if text.starts_with('t') => Value::text(cell["value"].as_str().expect("a text")),
            error if error.starts_with('e') => {
                Value::text(if error.len() > 1 { &error[1..] } else { "error" })
            }
            _ => Value::Blank,
        };
        let ours = document.workbook().sheets()[0].value(CellAddress::clamped(row - 1, 25));
        for (program, value, expected) in
            [("SocialCalc", &theirs, line[1]), ("here", &ours, line.get(2).unwrap_or(&line[1]))]
        {
            let is_same = match (value, expected.parse::<f64>()) {
                (Value::Number(number), Ok(expected)) => {
                    (number - expected).abs() <= 1e-9 * expected.abs().max(1.0)
                }
                (Value::Boolean(boolean), _) => boolean.to_string().to_uppercase() == expected,
                (Value::Text(text), _) => **text == *expected,
                (Value::Error(error), _) => error.text() == expected,
                (Value::Blank, _) => expected.is_empty(),
                (Value::Number(_), Err(_)) => false,
            };
            if !is_same {
                differences.push(format!("{formula} {program}: {value:?}, expected {expected}"));
            }
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}
