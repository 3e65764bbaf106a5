//! Random workbooks, operations and transactions for property tests.
//!
//! Sheets are small, so that concurrent operations often touch the same cells; some operations
//! affect whole columns or the last row of the sheet.

use std::sync::Arc;

use proptest::prelude::*;
use quadrille_cell::{
    CellAddress, ColumnIndex, Dimension, EditKind, Range, RowIndex, SheetId, StructuralEdit,
};
use quadrille_formula::{Host, Template, parse};
use quadrille_operation::{ItemPatch, Operation, Transaction, apply};
use quadrille_workbook::{
    Border, BorderStyle, Color, Field, FieldValue, FillPattern, FontScript, FontSize, FormatPatch,
    HorizontalAlignment, Input, Item, ItemId, ItemKind, Literal, Overflow, ReadingOrder, Rotation,
    TextFormat, TextRuns, UnderlineStyle, VerticalAlignment, Workbook,
};

/// Sheets that operations name. The third one exists only after an operation has added it.
pub const SHEETS: [SheetId; 3] = [SheetId(1), SheetId(2), SheetId(3)];

const ROWS: u32 = 9;
const COLUMNS: u32 = 6;

/// Selects the kinds of operations that a generator produces.
#[derive(Clone, Copy, Debug)]
pub struct Kinds {
    pub formulas: bool,
    pub sorts: bool,
    /// Sorts permute whole rows only.
    pub whole_row_sorts: bool,
    pub row_edits: bool,
    pub column_edits: bool,
    pub deletions: bool,
    /// Adding, removing, renaming and moving sheets.
    pub sheets: bool,
    /// Operations on the last rows and columns of the sheet, where insertions push cells off the
    /// sheet.
    pub edges: bool,
    /// Row heights, column widths and hidden rows and columns, which sorts do not move (exception
    /// E3 of `docs/operations.md`).
    pub sizes: bool,
    /// Merged ranges and items that move: exceptions E6 and E7 of `docs/operations.md`.
    pub merges: bool,
    /// Notes, rules, merged cells, settings and cell styles.
    pub items: bool,
}

impl Kinds {
    /// Every kind of operation.
    pub const ALL: Kinds = Kinds {
        formulas: true,
        sorts: true,
        whole_row_sorts: false,
        row_edits: true,
        column_edits: true,
        deletions: true,
        sheets: true,
        edges: true,
        sizes: true,
        merges: true,
        items: true,
    };
}

/// A workbook with two sheets after up to 11 random operations.
pub fn workbook(kinds: Kinds) -> impl Strategy<Value = Workbook> {
    prop::collection::vec(operation(kinds), 0..12).prop_map(|operations| {
        let mut workbook = two_sheets();
        apply(&mut workbook, &Transaction { operations });
        workbook
    })
}

/// A workbook with the sheets Sheet1 and Data, without cells.
pub fn two_sheets() -> Workbook {
    let mut workbook = Workbook::new();
    workbook.add_sheet(SHEETS[1], "Data", 1);
    workbook
}

/// A transaction of one to four operations.
pub fn transaction(kinds: Kinds) -> impl Strategy<Value = Transaction> {
    prop::collection::vec(operation(kinds), 1..5).prop_map(|operations| Transaction { operations })
}

/// A random operation of the selected kinds.
pub fn operation(kinds: Kinds) -> BoxedStrategy<Operation> {
    let mut choices: Vec<(u32, BoxedStrategy<Operation>)> =
        vec![(6, set_cells(kinds).boxed()), (4, fill_cells(kinds).boxed()), (3, set_format(kinds).boxed())];
    if kinds.items {
        choices.push((4, item_operation(kinds).boxed()));
    }
    if kinds.sizes {
        choices.push((1, set_sizes().boxed()));
        choices.push((1, set_hidden().boxed()));
    }
    if kinds.formulas {
        choices.push((1, define_name().boxed()));
    }
    if kinds.sorts {
        choices.push((2, permute_rows(kinds).boxed()));
    }
    if kinds.row_edits {
        choices.push((3, restructure(Dimension::Rows, kinds).boxed()));
    }
    if kinds.column_edits {
        choices.push((2, restructure(Dimension::Columns, kinds).boxed()));
    }
    if kinds.sheets {
        choices.push((2, sheet_operation().boxed()));
    }
    prop::strategy::Union::new_weighted(choices).boxed()
}

fn sheet() -> impl Strategy<Value = SheetId> {
    prop_oneof![6 => Just(SHEETS[0]), 3 => Just(SHEETS[1]), 1 => Just(SHEETS[2])]
}

fn cell() -> impl Strategy<Value = CellAddress> {
    (0..ROWS, 0..COLUMNS).prop_map(|(row, column)| CellAddress::clamped(row, column))
}

fn small_range() -> impl Strategy<Value = Range> {
    (cell(), 0..4u32, 0..3u32).prop_map(|(first, rows, columns)| {
        Range::new(first, CellAddress::clamped(first.row.get() + rows, first.column.get() + columns))
    })
}

fn edge_range() -> impl Strategy<Value = Range> {
    prop_oneof![
        (0..COLUMNS).prop_map(|column| {
            let column = ColumnIndex::clamped(column);
            let row = |row| CellAddress { row, column };
            Range::new(row(RowIndex::clamped(RowIndex::LAST.get() - 1)), row(RowIndex::LAST))
        }),
        (0..ROWS).prop_map(|row| {
            let row = RowIndex::clamped(row);
            let column = |column| CellAddress { row, column };
            Range::new(column(ColumnIndex::clamped(ColumnIndex::LAST.get() - 1)), column(ColumnIndex::LAST))
        }),
    ]
}

fn listed_range(kinds: Kinds) -> BoxedStrategy<Range> {
    if kinds.edges {
        prop_oneof![9 => small_range(), 1 => edge_range()].boxed()
    } else {
        small_range().boxed()
    }
}

/// Ranges for operations whose cost does not depend on the size of the range: clearing and
/// formatting.
fn any_range(kinds: Kinds) -> impl Strategy<Value = Range> {
    prop_oneof![
        8 => listed_range(kinds),
        1 => (0..COLUMNS).prop_map(|column| {
            Range::columns(ColumnIndex::clamped(column), ColumnIndex::clamped(column + 1))
        }),
        1 => (0..ROWS).prop_map(|row| Range::rows(RowIndex::clamped(row), RowIndex::clamped(row))),
    ]
}

/// The formula `text` in relative form, with `host` as the cell that contains it.
pub fn formula(text: &str, host: Host) -> Template {
    parse(text, host, &two_sheets())
}

fn template() -> impl Strategy<Value = Template> {
    let texts = prop_oneof![
        Just("B2+1".to_owned()),
        Just("$A$1*2".to_owned()),
        Just("SUM(A:A)".to_owned()),
        Just("SUM(3:4)".to_owned()),
        Just("Data!B3&\"x\"".to_owned()),
        Just("SUM(Data!$B$2:$C$5)".to_owned()),
        Just("SUM(Sheet1:Data!B2)".to_owned()),
        Just("rate*2".to_owned()),
        Just("Data!rate*2".to_owned()),
        (cell(), cell()).prop_map(|(a, b)| format!("SUM({})", Range::new(a, b))),
        (cell(), cell()).prop_map(|(a, b)| format!("SUM(${}:{})", a, b)),
        cell().prop_map(|cell| format!("{cell}*3")),
    ];
    (texts, sheet(), cell()).prop_map(|(text, sheet, cell)| formula(&text, Host { sheet, cell }))
}

fn input(kinds: Kinds) -> BoxedStrategy<Input> {
    let literals = prop_oneof![
        2 => Just(Input::Blank),
        4 => (0..100i32).prop_map(|number| Input::Value(Literal::Number(f64::from(number)))),
        2 => "[a-c]{1,2}".prop_map(|text| Input::Value(Literal::Text(text.into()))),
        1 => any::<bool>().prop_map(|boolean| Input::Value(Literal::Boolean(boolean))),
    ];
    if kinds.formulas {
        prop_oneof![5 => literals, 3 => template().prop_map(Input::Formula)].boxed()
    } else {
        literals.boxed()
    }
}

fn set_cells(kinds: Kinds) -> impl Strategy<Value = Operation> {
    (sheet(), listed_range(kinds))
        .prop_flat_map(move |(sheet, range)| {
            let inputs = prop::collection::vec(input(kinds), range.cell_count() as usize);
            (Just(sheet), Just(range), inputs)
        })
        .prop_map(|(sheet, range, inputs)| Operation::SetCells { sheet, range, inputs })
}

fn fill_cells(kinds: Kinds) -> impl Strategy<Value = Operation> {
    prop_oneof![
        3 => (sheet(), listed_range(kinds), input(kinds)),
        1 => (sheet(), any_range(kinds), Just(Input::Blank)),
    ]
    .prop_map(|(sheet, range, input)| Operation::FillCells { sheet, range, input })
}

fn patch() -> impl Strategy<Value = FormatPatch> {
    prop_oneof![
        any::<bool>().prop_map(|bold| FormatPatch { bold: Some(bold), ..FormatPatch::default() }),
        (any::<bool>(), any::<bool>()).prop_map(|(italic, wrap)| FormatPatch {
            italic: Some(italic),
            wrap: Some(wrap),
            ..FormatPatch::default()
        }),
        prop::option::of(0..3u32)
            .prop_map(|color| FormatPatch { fill_color: Some(color.map(Color)), ..FormatPatch::default() }),
        (any::<bool>(), prop::option::of(Just("0.00"))).prop_map(|(bold, code)| FormatPatch {
            bold: Some(bold),
            number_format: Some(code.map(Arc::from)),
            horizontal: Some(Some(HorizontalAlignment::Right)),
            ..FormatPatch::default()
        }),
        (prop::option::of(0..2usize), prop::option::of(Just("Noto Sans")), 0..3u8).prop_map(
            |(style, family, indent)| FormatPatch {
                border_top: Some(style.map(|style| Border { style: BorderStyle::ALL[style], color: None })),
                border_left: Some(Some(Border { style: BorderStyle::Thin, color: Some(Color(7)) })),
                font_family: Some(family.map(Arc::from)),
                font_size: Some(FontSize::from_points(10.5)),
                indent: Some(indent),
                rotation: Rotation::new(-45),
                overflow: Some(Some(Overflow::Clip)),
                text_format: Some(Some(TextFormat::Wiki)),
                ..FormatPatch::default()
            }
        ),
        (0..FillPattern::ALL.len(), any::<bool>(), prop::option::of(0..0xff_ffff_u32)).prop_map(
            |(pattern, is_set, color)| {
                let color = color.map(Color);
                FormatPatch {
                    horizontal: Some(Some(HorizontalAlignment::CenterContinuous)),
                    vertical: Some(Some(VerticalAlignment::Distributed)),
                    underline_style: Some(is_set.then_some(UnderlineStyle::DoubleAccounting)),
                    script: Some(is_set.then_some(FontScript::Subscript)),
                    border_diagonal_up: Some(Some(Border { style: BorderStyle::Hair, color })),
                    border_diagonal_down: Some(None),
                    fill_pattern: Some(Some(FillPattern::ALL[pattern])),
                    fill_pattern_color: Some(color),
                    quote_prefix: Some(is_set),
                    reading_order: Some(is_set.then_some(ReadingOrder::RightToLeft)),
                    ..FormatPatch::default()
                }
            },
        ),
        (prop::sample::select(vec!["a", "x", "hello"]), any::<bool>(), prop::option::of(0..3u32)).prop_map(
            |(text, bold, color)| {
                let first = FormatPatch { bold: Some(bold), ..FormatPatch::default() };
                let rest = FormatPatch { text_color: Some(color.map(Color)), ..FormatPatch::default() };
                let (start, end) = text.split_at(1);
                let runs = TextRuns::from_parts([(start, first), (end, rest)]).map(Arc::new);
                FormatPatch { text_runs: Some(runs.filter(|_| bold)), ..FormatPatch::default() }
            }
        ),
        (prop::option::of(1..4u64), prop::option::of(any::<bool>())).prop_map(|(style, bold)| FormatPatch {
            bold,
            cell_style: Some(style.map(ItemId)),
            ..FormatPatch::default()
        }),
    ]
}

fn set_format(kinds: Kinds) -> impl Strategy<Value = Operation> {
    (sheet(), any_range(kinds), patch()).prop_map(|(sheet, range, patch)| Operation::SetFormat {
        sheet,
        range,
        patch,
    })
}

fn dimension() -> impl Strategy<Value = Dimension> {
    prop_oneof![Just(Dimension::Rows), Just(Dimension::Columns)]
}

fn set_sizes() -> impl Strategy<Value = Operation> {
    let runs = prop_oneof![4 => (0..ROWS, 1..4u32), 1 => Just((0, u32::MAX))];
    (sheet(), dimension(), runs, prop::option::of(10..13u16)).prop_map(
        |(sheet, dimension, (first, count), size)| Operation::SetSizes {
            sheet,
            dimension,
            first,
            count: count.min(dimension.len_max()),
            size,
        },
    )
}

fn set_hidden() -> impl Strategy<Value = Operation> {
    let runs = prop_oneof![4 => (0..ROWS, 1..4u32), 1 => Just((0, u32::MAX))];
    (sheet(), dimension(), runs, any::<bool>()).prop_map(|(sheet, dimension, (first, count), is_hidden)| {
        Operation::SetHidden { sheet, dimension, first, count: count.min(dimension.len_max()), is_hidden }
    })
}

/// Operations on items. Item ids are few, so that concurrent operations often name the same item.
/// If deletions are generated, each item covers a single cell: with larger ranges, the result of a
/// deletion inside the range and a concurrent insertion at its edge depends on their order, as it
/// does for ranges in formulas.
fn item_operation(kinds: Kinds) -> BoxedStrategy<Operation> {
    let id = || (1..4u64).prop_map(ItemId);
    let settings =
        (sheet(), prop::option::of(0..3u32), any::<bool>()).prop_map(|(sheet, rows, of_workbook)| {
            let (sheet, kind, field) = match of_workbook {
                true => (None, ItemKind::WorkbookSettings, Field::MaxIterations),
                false => (Some(sheet), ItemKind::SheetSettings, Field::FrozenRows),
            };
            let value = rows.map(|rows| FieldValue::Number(f64::from(rows + 1)));
            let patch = ItemPatch { fields: [(field, value)].into(), ..ItemPatch::new(kind) };
            Operation::PatchItem { sheet, item: ItemId::SETTINGS, patch }
        });
    let put = (sheet(), id(), item(kinds)).prop_map(|(sheet, item, content)| Operation::PutItem {
        sheet: Some(sheet),
        item,
        content: content.into(),
    });
    let patch = (sheet(), id(), item(kinds), any::<bool>()).prop_map(move |(sheet, item, content, moves)| {
        let mut patch = ItemPatch::new(content.kind);
        let can_move = kinds.merges || !kinds.deletions;
        patch.anchors = (moves && can_move).then_some(content.anchors);
        patch.fields = content.fields.into_iter().map(|(field, value)| (field, Some(value))).collect();
        if let Some(value) = patch.fields.get_mut(&Field::Author).filter(|_| moves) {
            *value = None;
        }
        Operation::PatchItem { sheet: Some(sheet), item, patch }
    });
    let remove = (sheet(), id()).prop_map(|(sheet, item)| Operation::RemoveItem { sheet: Some(sheet), item });
    let style = (id(), "[a-c]{0,1}", any::<bool>(), 0..3u32).prop_map(|(item, name, is_patch, color)| {
        let name = FieldValue::Text(name.into());
        let color = FieldValue::Color(Color(color));
        let format = [(Field::Bold, FieldValue::Boolean(is_patch)), (Field::FillColor, color)];
        let fields = [(Field::Name, name), (Field::Format, FieldValue::Record(format.into()))];
        match is_patch {
            false => {
                let content = Item { fields: fields.into(), ..Item::new(ItemKind::CellStyle) };
                Operation::PutItem { sheet: None, item, content: content.into() }
            }
            true => {
                let fields = fields.map(|(field, value)| (field, Some(value))).into();
                let patch = ItemPatch { fields, ..ItemPatch::new(ItemKind::CellStyle) };
                Operation::PatchItem { sheet: None, item, patch }
            }
        }
    });
    let remove_style = id().prop_map(|item| Operation::RemoveItem { sheet: None, item });
    prop_oneof![8 => put, 8 => patch, 4 => remove, 2 => settings, 2 => style, 1 => remove_style].boxed()
}

fn item(kinds: Kinds) -> BoxedStrategy<Item> {
    let note = (cell(), "[a-c]{0,2}", prop::option::of(Just("Ada"))).prop_map(|(cell, text, author)| {
        let mut note = Item { anchors: vec![Range::cell(cell)], ..Item::new(ItemKind::Note) };
        note.fields.insert(Field::Text, FieldValue::Text(text.into()));
        note.fields.extend(author.map(|author| (Field::Author, FieldValue::Text(author.into()))));
        note
    });
    let ranges = prop::collection::vec(listed_range(kinds), 1..3);
    let rule =
        (ranges, template(), cell(), prop::option::of(0..3u32)).prop_map(|(anchors, template, at, color)| {
            let mut rule = Item { anchors, ..Item::new(ItemKind::ConditionalRule) };
            let stop = [(Field::Formula, FieldValue::Formula { at, template: template.clone() })];
            rule.fields.insert(Field::Stops, FieldValue::List(vec![FieldValue::Record(stop.into())]));
            rule.fields.insert(Field::Formula1, FieldValue::Formula { at, template });
            rule.fields.extend(color.map(|color| (Field::Color, FieldValue::Color(Color(color)))));
            rule
        });
    let merge = small_range()
        .prop_filter("merges have two cells", |range| range.cell_count() > 1)
        .prop_map(|range| Item { anchors: vec![range], ..Item::new(ItemKind::Merge) });
    match (kinds.formulas, kinds.merges) {
        (true, true) => prop_oneof![2 => note, 2 => rule, 1 => merge].boxed(),
        (true, false) => prop_oneof![note, rule].boxed(),
        (false, true) => prop_oneof![note, merge].boxed(),
        (false, false) => note.boxed(),
    }
}

fn restructure(dimension: Dimension, kinds: Kinds) -> impl Strategy<Value = Operation> {
    let kind = match kinds.deletions {
        // Moved rows and columns leave ranges just as deleted ones do.
        true => prop_oneof![
            2 => Just(EditKind::Insert),
            2 => Just(EditKind::Delete),
            2 => (0..ROWS + 2).prop_map(|to| EditKind::Move { to }),
        ]
        .boxed(),
        false => Just(EditKind::Insert).boxed(),
    };
    (sheet(), kind, 0..ROWS, 1..4u32).prop_map(move |(sheet, kind, at, count)| {
        Operation::Restructure(StructuralEdit { sheet, dimension, kind, at, count })
    })
}

fn permute_rows(kinds: Kinds) -> impl Strategy<Value = Operation> {
    (sheet(), small_range())
        .prop_flat_map(move |(sheet, range)| {
            let rows = Range::rows(range.first().row, range.last().row);
            let range = if kinds.whole_row_sorts { rows } else { range };
            let order: Vec<u32> = (0..range.row_count()).collect();
            (Just(sheet), Just(range), Just(order).prop_shuffle())
        })
        .prop_map(|(sheet, range, order)| Operation::PermuteRows { sheet, range, order: order.into() })
}

fn sheet_operation() -> impl Strategy<Value = Operation> {
    let name = prop_oneof![Just("Data"), Just("Sheet1"), Just("Plan")];
    prop_oneof![
        (name.clone(), 0..4u32).prop_map(|(name, position)| Operation::AddSheet {
            sheet: SHEETS[2],
            name: name.into(),
            position
        }),
        sheet().prop_map(|sheet| Operation::RemoveSheet { sheet }),
        (sheet(), name).prop_map(|(sheet, name)| Operation::RenameSheet { sheet, name: name.into() }),
        (sheet(), 0..4u32).prop_map(|(sheet, position)| Operation::MoveSheet { sheet, position }),
    ]
}

fn define_name() -> impl Strategy<Value = Operation> {
    let name = prop_oneof![
        Just("rate"),
        Just("Rate"),
        Just("total"),
        Just("#1!rate"),
        Just("#2!Rate"),
        Just("#3!rate")
    ];
    let host = Host { sheet: SHEETS[0], cell: CellAddress::default() };
    let definition = prop_oneof![
        Just(None),
        Just(Some("Data!$B$3")),
        Just(Some("SUM(Sheet1!$A$2:$A$6)")),
        Just(Some("42")),
    ];
    (name, definition).prop_map(move |(name, definition)| Operation::DefineName {
        name: name.into(),
        definition: definition.map(|text| formula(text, host)),
    })
}
