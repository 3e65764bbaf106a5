//! Random edits within a few rows and columns, so that concurrent edits touch the same cells.

use std::sync::Arc;

use quadrille_cell::{Dimension, EditKind, Range, SheetId, StructuralEdit};
use quadrille_operation::{Axis, ClearScope, Command, MergeKind, Operation, SortKey, Transaction};
use quadrille_workbook::{
    Color, Field, FieldValue, FormatPatch, HorizontalAlignment, Item, ItemId, ItemKind, TextRuns, Workbook,
};
use serde_json::json;

use crate::people::EDITORS;
use crate::random::Random;
use crate::random_values::{COLUMNS, ROWS, area, cell, literal, range, text};
use crate::uncommon_commands::uncommon_command;

/// A random edit, as a user's command or as a transaction.
pub enum Edit {
    Command(Command),
    Transaction(Transaction),
}

/// A random edit of `workbook`, of any kind that a user or a program can make.
pub fn random_edit(random: &mut Random, workbook: &Workbook) -> Edit {
    let sheets = workbook.sheets();
    let id = sheets[(random.next() % sheets.len() as u64) as usize].id();
    let sheet = id.0;
    if random.one_in(6) {
        return Edit::Command(uncommon_command(random, sheet));
    }
    if random.one_in(40) {
        return Edit::Command(protection_command(random, sheet));
    }
    let command = match random.between(0, 43) {
        0..=9 => Command::TypeText { sheet, cell: cell(random), text: text(random) },
        10..=12 => {
            let rows = random.between(1, 3);
            let texts = (0..rows).map(|_| vec![text(random), text(random)]).collect();
            Command::TypeTexts { sheet, at: cell(random), texts }
        }
        13 | 14 => Command::InsertRows {
            sheet,
            at: random.between(0, ROWS) as u32,
            count: random.between(1, 3) as u32,
        },
        15 | 16 => Command::DeleteRows {
            sheet,
            at: random.between(0, ROWS) as u32,
            count: random.between(1, 2) as u32,
        },
        17 => Command::InsertColumns { sheet, at: random.between(0, COLUMNS) as u32, count: 1 },
        18 => Command::DeleteColumns { sheet, at: random.between(0, COLUMNS) as u32, count: 1 },
        19 | 20 => {
            let keys = vec![SortKey { column: random.between(0, 1) as u32, descending: random.one_in(2) }];
            Command::Sort { sheet, range: range(random), keys, has_header: false }
        }
        21 => Command::Clear { sheet, range: range(random), what: ClearScope::Contents },
        22 => Command::CutPaste { from_sheet: sheet, source: range(random), sheet, target: cell(random) },
        23 => Command::FillDown { sheet, range: range(random) },
        24 => Command::Resize {
            sheet,
            dimension: if random.one_in(2) { Axis::Rows } else { Axis::Columns },
            first: random.between(0, 6) as u32,
            count: random.between(1, 3) as u32,
            size: (!random.one_in(3)).then_some(random.between(10, 90) as u16),
        },
        25 if sheets.len() < 4 => Command::AddSheet { name: None, position: None },
        25 => Command::RemoveSheet { sheet },
        26 if random.one_in(2) => {
            Command::RenameSheet { sheet, name: (*random.pick(&["Plan", "Ist", "data"])).to_owned() }
        }
        26 => Command::MoveSheet { sheet, position: random.between(0, 3) as u32 },
        27 => Command::DefineName {
            name: (*random.pick(&["rate", "total"])).to_owned(),
            definition: (!random.one_in(4)).then(|| "=$B$2".to_owned()),
            sheet,
            // Sheets added during the run mostly have ids that differ from the first sheet's.
            local: sheet.is_multiple_of(2),
            was: None,
        },
        28..=31 => item_command(random, sheet),
        32 => {
            let how = *random.pick(&[MergeKind::All, MergeKind::Rows, MergeKind::Columns]);
            Command::Merge { sheet, range: range(random), how }
        }
        33 => Command::Unmerge { sheet, range: range(random) },
        34 => Command::FreezePanes {
            sheet,
            rows: random.between(0, 3) as u32,
            columns: random.between(0, 2) as u32,
        },
        35 => Command::SetHidden {
            sheet,
            dimension: if random.one_in(2) { Axis::Rows } else { Axis::Columns },
            first: random.between(0, 6) as u32,
            count: random.between(1, 3) as u32,
            hidden: !random.one_in(3),
        },
        36 => Command::Many {
            commands: vec![
                Command::TypeText { sheet, cell: cell(random), text: text(random) },
                Command::InsertRows { sheet, at: random.between(0, ROWS) as u32, count: 1 },
                item_command(random, sheet),
            ],
        },
        37 => return Edit::Transaction(Transaction { operations: vec![Operation::Tick] }),
        _ => return Edit::Transaction(random_transaction(random, id)),
    };
    Edit::Command(command)
}

/// A random change of an item: notes, comment threads, conditional formats, charts, links and
/// validations. Item ids are few, so that clients create, change and remove the same item
/// concurrently.
fn item_command(random: &mut Random, sheet: u32) -> Command {
    let item = random.between(1, 6);
    if random.one_in(5) {
        return Command::RemoveItem { sheet: Some(sheet), item };
    }
    let at = cell(random);
    let some = random.between(0, 99).to_string();
    let what = match random.between(0, 7) {
        0 => json!({"kind": "note", "anchors": [at], "fields": {"text": some}}),
        1 => json!({"kind": "conditionalRule", "anchors": [range(random), range(random)],
            "fields": {"rule": "formula", "formula1": format!("={at}>{some}")}}),
        2 => json!({"kind": "commentThread", "anchors": [at], "fields": {"author": some, "assignee": "Ada"}}),
        3 => json!({"kind": "comment", "fields": {"parent": random.between(1, 6), "text": some}}),
        4 => json!({"kind": "chart", "anchors": [at], "fields": {"type": "line", "title": some,
            "series": [{"values": format!("={}", range(random)), "name": format!("={at}")}]}}),
        5 => {
            json!({"kind": "link", "anchors": [at], "fields": {"url": format!("https://example.org/{some}")}})
        }
        6 => json!({"kind": "validation", "anchors": [range(random)],
            "fields": {"rule": "list", "formula1": format!("={}", range(random))}}),
        // Changes an existing item only.
        _ => json!({"anchors": [at], "fields": {"text": null}}),
    };
    let mut command = json!({"type": "setItem", "sheet": sheet, "item": item});
    let fields = what.as_object().expect("an object").clone();
    command.as_object_mut().expect("an object").extend(fields);
    serde_json::from_value(command).expect("a command as the client writes it")
}

/// Protects cells or a whole sheet with exceptions, or removes a protection.
fn protection_command(random: &mut Random, sheet: u32) -> Command {
    let item = random.between(7, 8);
    let mut command = match random.between(0, 4) {
        0 | 1 => json!({"type": "removeItem", "sheet": sheet, "item": item}),
        2 => json!({"type": "setItem", "sheet": sheet, "item": item, "kind": "protectedRange",
            "anchors": [range(random)], "fields": {"wholeSheet": true}}),
        _ => json!({"type": "setItem", "sheet": sheet, "item": item, "kind": "protectedRange",
            "anchors": [range(random)], "fields": {"wholeSheet": null, "warningOnly": random.one_in(4)}}),
    };
    if let Some(fields) = command.get_mut("fields") {
        fields["editors"] = match random.one_in(2) {
            true => json!(random.pick(&EDITORS)),
            false => json!(null),
        };
    }
    serde_json::from_value(command).expect("a command as the client writes it")
}

/// A transaction of several operations, as imports and scripts make them.
fn random_transaction(random: &mut Random, sheet: SheetId) -> Transaction {
    let operations = (0..random.between(1, 4))
        .map(|_| match random.between(0, 4) {
            0 => {
                let range = area(random);
                let inputs = (0..range.cell_count()).map(|_| literal(random)).collect();
                Operation::SetCells { sheet, range, inputs }
            }
            1 => Operation::FillCells { sheet, range: area(random), input: literal(random) },
            2 => Operation::SetFormat { sheet, range: area(random), patch: patch(random) },
            3 => {
                let count = area(random).row_count();
                let range = Range::from_indices(1, 0, count, 2).expect("a few rows from the second");
                let mut order: Vec<u32> = (0..count).collect();
                for index in (1..order.len()).rev() {
                    order.swap(index, (random.next() % (index as u64 + 1)) as usize);
                }
                Operation::PermuteRows { sheet, range, order: order.into() }
            }
            _ => Operation::Restructure(StructuralEdit {
                sheet,
                dimension: if random.one_in(2) { Dimension::Rows } else { Dimension::Columns },
                kind: edit_kind(random),
                at: random.between(0, 6) as u32,
                count: random.between(1, 2) as u32,
            }),
        })
        .collect();
    Transaction { operations }
}

/// A random change of values, formats or notes without formulas; if `can_restructure`, also insertions,
/// deletions and moves of rows and columns.
pub fn value_edit(random: &mut Random, workbook: &Workbook, can_restructure: bool) -> Transaction {
    let sheets = workbook.sheets();
    let sheet = sheets[(random.next() % sheets.len() as u64) as usize].id();
    let operation = match random.between(0, if can_restructure { 5 } else { 3 }) {
        0 => {
            let range = area(random);
            let inputs = (0..range.cell_count()).map(|_| literal(random)).collect();
            Operation::SetCells { sheet, range, inputs }
        }
        1 => Operation::FillCells { sheet, range: area(random), input: literal(random) },
        2 => Operation::SetFormat { sheet, range: area(random), patch: patch(random) },
        // The two clients use different item ids, so that every item has a single author.
        3 => {
            let first = if can_restructure { 20 } else { 10 };
            let mut item = Item::new(ItemKind::Note);
            item.anchors = vec![area(random)];
            item.fields.insert(Field::Text, FieldValue::Text(random.between(0, 99).to_string().into()));
            let id = ItemId(first + random.between(0, 2));
            Operation::PutItem { sheet: Some(sheet), item: id, content: item.into() }
        }
        _ => Operation::Restructure(StructuralEdit {
            sheet,
            dimension: if random.one_in(2) { Dimension::Rows } else { Dimension::Columns },
            kind: edit_kind(random),
            at: random.between(0, 6) as u32,
            count: random.between(1, 2) as u32,
        }),
    };
    Transaction { operations: vec![operation] }
}

fn edit_kind(random: &mut Random) -> EditKind {
    match random.between(0, 2) {
        0 => EditKind::Insert,
        1 => EditKind::Delete,
        _ => EditKind::Move { to: random.between(0, 9) as u32 },
    }
}

fn patch(random: &mut Random) -> FormatPatch {
    match random.between(0, 3) {
        0 => FormatPatch { bold: Some(random.one_in(2)), ..FormatPatch::default() },
        1 => FormatPatch { horizontal: Some(Some(HorizontalAlignment::Right)), ..FormatPatch::default() },
        2 => FormatPatch { fill_color: Some(Some(Color(0xff_ee_00))), ..FormatPatch::default() },
        _ => FormatPatch {
            number_format: Some(Some("0.00".into())),
            italic: Some(true),
            // A part of a text that some cells have.
            text_runs: Some(
                TextRuns::from_parts([("a", bold()), ("b", FormatPatch::default())]).map(Arc::new),
            ),
            ..FormatPatch::default()
        },
    }
}

fn bold() -> FormatPatch {
    FormatPatch { bold: Some(true), ..FormatPatch::default() }
}
