//! Records of a room's journal as JSON with descriptions, and the records that concern one cell.

use quadrille_cell::{CellAddress, Dimension, EditKind, Range, SheetId, StructuralEdit};
use quadrille_formula::{Host, SheetNames, print};
use quadrille_number_format::general;
use quadrille_operation::notation::write_operation;
use quadrille_operation::{Operation, OperationKind};
use quadrille_protocol::Record;
use quadrille_workbook::{Field, FieldValue, Input, ItemId, Literal, Workbook};
use serde_json::{Value as Json, json};

use crate::limits;

/// A cell whose history is followed backwards. Its address changes at revisions that moved it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TracedCell {
    pub sheet: SheetId,
    pub cell: CellAddress,
}

/// Returns a record as JSON, with its operations in the notation of `docs/operations.md`.
pub fn record_json(record: &Record, sheets: &Workbook) -> Json {
    let operations = &record.transaction.operations;
    json!({
        "revision": record.revision.0,
        "timeMs": record.time_and_seed.time_ms,
        "author": { "id": &*record.author.id, "name": &*record.author.name },
        "operations": operations_json(operations, sheets),
        "operationCount": operations.len(),
    })
}

/// Returns the first operations of a transaction as JSON.
pub fn operations_json(operations: &[Operation], sheets: &Workbook) -> Vec<Json> {
    let shown = operations.iter().take(limits::HISTORY_OPERATIONS_SHOWN_MAX);
    shown.map(|operation| operation_json(operation, sheets)).collect()
}

/// Returns the title of the workbook after the record, if the record changes it; the inner `None`
/// is no title.
pub fn title_after(record: &Record) -> Option<Option<String>> {
    let title = |value: Option<&FieldValue>| match value {
        Some(FieldValue::Text(title)) if !title.trim().is_empty() => Some(title.to_string()),
        _ => None,
    };
    record.transaction.operations.iter().rev().find_map(|operation| match operation {
        Operation::PutItem { sheet: None, item: ItemId::SETTINGS, content } => {
            Some(title(content.fields.get(&Field::Title)))
        }
        Operation::PatchItem { sheet: None, item: ItemId::SETTINGS, patch } => {
            patch.fields.get(&Field::Title).map(|value| title(value.as_ref()))
        }
        Operation::RemoveItem { sheet: None, item: ItemId::SETTINGS } => Some(None),
        _ => None,
    })
}

/// Returns the record as JSON if it concerns the cell: with only the operations that do, the cell's
/// address after the record, and its new input if the record sets it. Also returns the cell before
/// the record; `None` when it did not exist.
pub fn cell_record_json(
    record: &Record,
    traced: TracedCell,
    sheets: &Workbook,
) -> (Option<Json>, Option<TracedCell>) {
    let mut listed = Vec::new();
    let mut input = None;
    let mut before = Some(traced);
    for operation in record.transaction.operations.iter().rev() {
        let Some(at) = before else { break };
        if concerns(operation, at) {
            if input.is_none() {
                input = input_of(operation, at, sheets);
            }
            listed.push(operation_json(operation, sheets));
        }
        before = cell_before(operation, at);
    }
    if listed.is_empty() {
        return (None, before);
    }
    listed.reverse();
    listed.truncate(limits::HISTORY_OPERATIONS_SHOWN_MAX);
    let mut json = record_json(record, sheets);
    json["operations"] = listed.into();
    json["cell"] = traced.cell.to_string().into();
    json["input"] = input.map_or(Json::Null, Json::from);
    (Some(json), before)
}

/// Returns the input that the operation writes into the cell, in its typed form.
fn input_of(operation: &Operation, at: TracedCell, sheets: &Workbook) -> Option<String> {
    let input = match operation {
        Operation::FillCells { input, .. } => input,
        Operation::SetCells { range, inputs, .. } => {
            let index = range.cells().position(|cell| cell == at.cell)?;
            inputs.get(index)?
        }
        _ => return None,
    };
    Some(match input {
        Input::Blank => String::new(),
        Input::Value(Literal::Number(number)) => general(*number, None),
        Input::Value(Literal::Boolean(boolean)) => boolean.to_string().to_uppercase(),
        Input::Value(Literal::Text(text)) => text.to_string(),
        Input::Value(Literal::Error(error)) => error.to_string(),
        Input::Formula(template) => {
            format!("={}", print(template, Host { sheet: at.sheet, cell: at.cell }, sheets))
        }
    })
}

/// Returns the kind of an operation in the API: `setCells`.
pub fn kind_name(kind: OperationKind) -> String {
    let kind = format!("{kind:?}");
    kind[..1].to_lowercase() + &kind[1..]
}

fn operation_json(operation: &Operation, sheets: &Workbook) -> Json {
    let kind = kind_name(operation.kind());
    let (sheet, range) = affected_range(operation);
    json!({
        "kind": kind,
        "sheet": sheet.and_then(|sheet| sheets.sheet_name(sheet)),
        "range": range.map(|range| range.to_string()),
        "words": description(operation, sheets),
    })
}

/// Describes an operation in the notation of `docs/operations.md`, without the sheet, shortened for
/// many cells.
fn description(operation: &Operation, sheets: &Workbook) -> String {
    let written = match operation {
        Operation::SetCells { range, inputs, .. } if inputs.len() > limits::HISTORY_CELLS_SHOWN_MAX => {
            format!("set {range}: {} cells", inputs.len())
        }
        Operation::PermuteRows { range, order, .. } if order.len() > limits::HISTORY_CELLS_SHOWN_MAX => {
            format!("sort {range}")
        }
        operation => write_operation(operation, sheets),
    };
    let written = match written.strip_prefix("on ").and_then(|rest| rest.split_once(": ")) {
        Some((_, rest)) => rest,
        None => &written,
    };
    match written.char_indices().nth(limits::HISTORY_WORDS_MAX) {
        Some((end, _)) => format!("{}…", &written[..end]),
        None => written.to_owned(),
    }
}

/// Returns the sheet and the range that an operation affects, if any.
pub fn affected_range(operation: &Operation) -> (Option<SheetId>, Option<Range>) {
    match operation {
        Operation::SetCells { sheet, range, .. }
        | Operation::FillCells { sheet, range, .. }
        | Operation::SetFormat { sheet, range, .. }
        | Operation::PermuteRows { sheet, range, .. } => (Some(*sheet), Some(*range)),
        Operation::Restructure(edit) => {
            (Some(edit.sheet), rows_or_columns(edit.dimension, edit.at, edit.count))
        }
        Operation::SetSizes { sheet, dimension, first, count, .. }
        | Operation::SetHidden { sheet, dimension, first, count, .. } => {
            (Some(*sheet), rows_or_columns(*dimension, *first, *count))
        }
        Operation::AddSheet { sheet, .. }
        | Operation::RemoveSheet { sheet }
        | Operation::RenameSheet { sheet, .. }
        | Operation::MoveSheet { sheet, .. } => (Some(*sheet), None),
        Operation::PutItem { sheet, content, .. } => (*sheet, content.anchors.first().copied()),
        Operation::PatchItem { sheet, patch, .. } => {
            (*sheet, patch.anchors.as_ref().and_then(|anchors| anchors.first().copied()))
        }
        Operation::RemoveItem { sheet, .. } => (*sheet, None),
        _ => (None, None),
    }
}

/// The range of whole rows or columns.
fn rows_or_columns(dimension: Dimension, first: u32, count: u32) -> Option<Range> {
    let end = dimension.len_max() - 1;
    let (first, last) = (first.min(end), first.saturating_add(count.max(1) - 1).min(end));
    match dimension {
        Dimension::Rows => Range::from_indices(first, 0, last, Dimension::Columns.len_max() - 1),
        Dimension::Columns => Range::from_indices(0, first, Dimension::Rows.len_max() - 1, last),
    }
}

/// Whether the operation changes the content, the format or an item of the cell.
fn concerns(operation: &Operation, at: TracedCell) -> bool {
    match operation {
        Operation::Restructure(edit) => {
            // Moving a cell does not concern it; inserting it does.
            edit.sheet == at.sheet && cell_before(operation, at).is_none()
        }
        Operation::SetSizes { .. } | Operation::SetHidden { .. } => false,
        operation => {
            let (sheet, range) = affected_range(operation);
            sheet == Some(at.sheet) && range.is_some_and(|range| range.contains(at.cell))
        }
    }
}

/// Returns the cell before the operation; `None` when it did not exist.
fn cell_before(operation: &Operation, at: TracedCell) -> Option<TracedCell> {
    let cell = match operation {
        Operation::AddSheet { sheet, .. } if *sheet == at.sheet => return None,
        Operation::Restructure(edit) if edit.sheet == at.sheet => address_before(edit, at.cell)?,
        Operation::PermuteRows { sheet, range, order } if *sheet == at.sheet && range.contains(at.cell) => {
            let first = range.first().row.get();
            let row = first + order.get((at.cell.row.get() - first) as usize)?;
            CellAddress::new(row, at.cell.column.get())?
        }
        _ => at.cell,
    };
    Some(TracedCell { cell, ..at })
}

/// Returns the address of a cell before a structural edit; `None` when the edit inserted it.
fn address_before(edit: &StructuralEdit, cell: CellAddress) -> Option<CellAddress> {
    let back = |index: u32| match edit.kind {
        EditKind::Insert | EditKind::Delete if index < edit.at => Some(index),
        EditKind::Insert => index.checked_sub(edit.count).filter(|index| *index >= edit.at),
        EditKind::Delete => index.checked_add(edit.count),
        EditKind::Move { .. } => edit.inverse().map_index(index),
    };
    match edit.dimension {
        Dimension::Rows => CellAddress::new(back(cell.row.get())?, cell.column.get()),
        Dimension::Columns => CellAddress::new(cell.row.get(), back(cell.column.get())?),
    }
}

#[cfg(test)]
mod tests {
    use quadrille_operation::Transaction;
    use quadrille_operation::notation::read_operation;
    use quadrille_protocol::{Author, Counter, ReplicaId, Revision, TimeAndSeed};

    use super::*;

    fn record(revision: u64, operations: &[&str]) -> Record {
        let workbook = Workbook::new();
        let read = |text: &&str| read_operation(text, &workbook).expect("an operation");
        Record {
            revision: Revision(revision),
            replica: ReplicaId(7),
            counter: Counter(revision),
            author: Author::named("Ann"),
            time_and_seed: TimeAndSeed { time_ms: 1_000 * revision as i64, seed: 0 },
            transaction: Transaction { operations: operations.iter().map(read).collect() },
        }
    }

    fn cell(text: &str) -> TracedCell {
        let cell = CellAddress::parse_a1(text).expect("an address");
        TracedCell { sheet: SheetId(1), cell }
    }

    #[test]
    fn a_record_lists_its_operations_with_descriptions() {
        let json = record_json(&record(3, &["fill B2: =A1*2", "insert 2 rows before 5"]), &Workbook::new());
        assert_eq!(json["author"]["name"], "Ann");
        assert_eq!((&json["revision"], &json["timeMs"]), (&3.into(), &3_000.into()));
        let sheet = Workbook::new().sheets()[0].name().to_string();
        assert_eq!(
            json["operations"],
            json!([
                { "kind": "fillCells", "sheet": sheet, "range": "B2", "words": "fill B2: =A1*2" },
                { "kind": "restructure", "sheet": sheet, "range": "5:6", "words": "insert 2 rows before 5" },
            ])
        );
    }

    #[test]
    fn a_cell_is_followed_backwards_through_operations_that_moved_it() {
        let workbook = Workbook::new();
        // Newest first: the record, and the expected cell and input, if it concerns the cell.
        let records = [
            (record(6, &["sort A1:A4: 4 3 2 1"]), Some(("A4", Json::Null))),
            (record(5, &["delete rows 1:2"]), None), // A1 was A3
            (record(4, &["fill A6: 9", "format A3: bold"]), Some(("A3", Json::Null))),
            (record(3, &["set B1:B2: 1 ; 2"]), None),
            (record(2, &["insert 1 row before 2"]), None), // A3 was A2
            (record(1, &["fill A1:A9: =B1*2"]), Some(("A2", "=B2*2".into()))),
        ];
        let mut at = cell("A4");
        for (record, expected) in &records {
            let (json, before) = cell_record_json(record, at, &workbook);
            let found = json.map(|json| (json["cell"].clone(), json["input"].clone()));
            let expected = expected.clone().map(|(cell, input)| (Json::from(cell), input));
            assert_eq!(found, expected, "{:?}", record.revision);
            at = before.expect("the cell existed before all records");
        }
    }

    #[test]
    fn the_history_of_an_inserted_cell_begins_with_its_insertion() {
        let (json, before) =
            cell_record_json(&record(2, &["insert row before 3"]), cell("A3"), &Workbook::new());
        assert_eq!(json.expect("concerns it")["operations"][0]["words"], "insert row before 3");
        assert_eq!(before, None);
    }

    #[test]
    fn operations_on_many_cells_are_summarized() {
        let many = vec!["1"; 1_000].join(" ; ");
        let json = record_json(&record(1, &[&format!("set A1:A1000: {many}")]), &Workbook::new());
        assert_eq!(json["operations"][0]["words"], "set A1:A1000: 1000 cells");
    }
}
