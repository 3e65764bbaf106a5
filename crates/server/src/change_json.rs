//! Operations as JSON for programs, with what they write: the change feed.

use quadrille_cell::{Dimension, EditKind, Range, SheetId, StructuralEdit};
use quadrille_formula::{Host, SheetNames, name_scope, print};
use quadrille_operation::{FormatChange, ItemDetails, Operation};
use quadrille_protocol::Record;
use quadrille_workbook::{Input, Workbook};
use serde_json::{Map, Value as Json, json};

use crate::cells::value_json;
use crate::history_json::{affected_range, kind_name};
use crate::limits;

/// Which operations a feed sends: those of a sheet, and those that concern a range of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ChangeFilter {
    pub sheet: Option<SheetId>,
    pub range: Option<Range>,
}

impl ChangeFilter {
    /// Whether the feed sends the operation. Addresses are those of its revision; what inserts,
    /// deletes or moves rows and columns of the sheet always passes.
    pub fn passes(&self, operation: &Operation) -> bool {
        let Some(sheet) = self.sheet else { return true };
        if operation.sheet() != Some(sheet) {
            return false;
        }
        let Some(range) = self.range else { return true };
        let meets = |other: &Range| range.intersection(*other).is_some();
        match operation {
            Operation::SetCells { range, .. }
            | Operation::FillCells { range, .. }
            | Operation::SetFormat { range, .. }
            | Operation::PermuteRows { range, .. } => meets(range),
            Operation::SetSizes { .. } | Operation::SetHidden { .. } => {
                affected_range(operation).1.as_ref().is_some_and(meets)
            }
            Operation::PutItem { content, .. } => content.anchors.iter().any(meets),
            // Where the item is now is not part of the operation.
            _ => true,
        }
    }
}

/// Returns a record as JSON with the operations that pass the filter; `None` when none does.
pub fn change_json(record: &Record, filter: &ChangeFilter, sheets: &Workbook) -> Option<Json> {
    let operations = &record.transaction.operations;
    let passing: Vec<&Operation> = operations.iter().filter(|operation| filter.passes(operation)).collect();
    if passing.is_empty() && *filter != ChangeFilter::default() {
        return None;
    }
    let mut cells_left = limits::FEED_CELLS_MAX;
    let listed: Vec<Json> = passing
        .iter()
        .take(limits::FEED_OPERATIONS_MAX)
        .map(|operation| operation_json(operation, sheets, &mut cells_left))
        .collect();
    let mut json = json!({
        "revision": record.revision.0,
        "timeMs": record.time_and_seed.time_ms,
        "author": { "id": &*record.author.id, "name": &*record.author.name },
        "operationCount": operations.len(),
        "operations": listed,
    });
    if passing.len() > limits::FEED_OPERATIONS_MAX {
        json["isTruncated"] = true.into();
    }
    Some(json)
}

/// An operation with its arguments. `cells_left` is the number of cells that may still be listed.
fn operation_json(operation: &Operation, sheets: &Workbook, cells_left: &mut usize) -> Json {
    let mut json = Map::new();
    json.insert("kind".into(), kind_name(operation.kind()).into());
    let sheet = operation.sheet();
    if let Some(sheet) = sheet {
        json.insert("sheetId".into(), sheet.0.into());
        json.insert("sheet".into(), sheets.sheet_name(sheet).into());
    }
    if let Some(range) = affected_range(operation).1 {
        json.insert("range".into(), range.to_string().into());
    }
    let mut put = |name: &str, value: Json| drop(json.insert(name.into(), value));
    match operation {
        Operation::SetCells { sheet, range, inputs } => {
            if inputs.len() > *cells_left {
                put("isTruncated", true.into());
            } else {
                *cells_left -= inputs.len();
                put("cells", rows_json(*sheet, *range, inputs, sheets));
            }
        }
        Operation::FillCells { sheet, range, input } => {
            put("cell", input_json(input, Host { sheet: *sheet, cell: range.first() }, sheets));
        }
        Operation::SetFormat { patch, .. } => put("format", json!(FormatChange::from(patch))),
        Operation::Restructure(StructuralEdit { dimension, kind, at, count, .. }) => {
            let name = match kind {
                EditKind::Insert => "insert",
                EditKind::Delete => "delete",
                EditKind::Move { .. } => "move",
            };
            put("edit", name.into());
            put("dimension", dimension_name(*dimension).into());
            put("first", (*at).into());
            put("count", (*count).into());
            if let EditKind::Move { to } = kind {
                put("to", (*to).into());
            }
        }
        Operation::SetSizes { dimension, first, count, size, .. } => {
            put("dimension", dimension_name(*dimension).into());
            put("first", (*first).into());
            put("count", (*count).into());
            put("size", (*size).into());
        }
        Operation::SetHidden { dimension, first, count, is_hidden, .. } => {
            put("dimension", dimension_name(*dimension).into());
            put("first", (*first).into());
            put("count", (*count).into());
            put("hidden", (*is_hidden).into());
        }
        Operation::PermuteRows { order, .. } => {
            if order.len() > *cells_left {
                put("isTruncated", true.into());
            } else {
                *cells_left -= order.len();
                put("order", json!(&order[..]));
            }
        }
        Operation::AddSheet { name, position, .. } => {
            put("name", (&**name).into());
            put("position", (*position).into());
        }
        Operation::RenameSheet { name, .. } => put("name", (&**name).into()),
        Operation::MoveSheet { position, .. } => put("position", (*position).into()),
        Operation::DefineName { name, definition } => {
            put("name", name_scope(name).map_or(&**name, |(_, name)| name).into());
            let host = Host { sheet: sheets.sheets()[0].id(), cell: Default::default() };
            let formula = definition.as_ref().map(|template| format!("={}", print(template, host, sheets)));
            put("definition", formula.into());
        }
        Operation::PutItem { sheet, item, content } => {
            let details = ItemDetails::new(*sheet, *item, content, sheets);
            put("item", details.id.into());
            put("itemKind", details.kind.into());
            put("anchors", details.anchors.into());
            put("fields", json!(details.fields));
        }
        Operation::PatchItem { sheet, item, patch } => {
            put("item", item.0.into());
            put("itemKind", patch.kind.name().into());
            if let Some(anchors) = &patch.anchors {
                put("anchors", anchors.iter().map(Range::to_string).collect());
            }
            put("fields", json!(patch.fields_json(*sheet, sheets)));
        }
        Operation::RemoveItem { item, .. } => put("item", item.0.into()),
        Operation::RemoveSheet { .. } | Operation::Tick => {}
    }
    Json::Object(json)
}

fn dimension_name(dimension: Dimension) -> &'static str {
    match dimension {
        Dimension::Rows => "rows",
        Dimension::Columns => "columns",
    }
}

fn rows_json(sheet: SheetId, range: Range, inputs: &[Input], sheets: &Workbook) -> Json {
    let mut cells = range.cells().zip(inputs);
    let rows = inputs.chunks(range.column_count().max(1) as usize).map(|row| {
        let row = cells.by_ref().take(row.len());
        row.map(|(cell, input)| input_json(input, Host { sheet, cell }, sheets)).collect::<Json>()
    });
    rows.collect()
}

/// Returns the content of a cell as `PUT …/cells/{range}` takes it.
fn input_json(input: &Input, host: Host, sheets: &Workbook) -> Json {
    match input {
        Input::Blank => Json::Null,
        Input::Value(literal) => value_json(&literal.clone().into()),
        Input::Formula(template) => json!({ "formula": format!("={}", print(template, host, sheets)) }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quadrille_operation::OperationKind;
    use quadrille_operation::notation::read_operation;

    /// One operation of each kind, and what a program gets.
    const EXAMPLES: &[(&str, &str)] = &[
        ("set A1:B2: 1 ; _ ; =A1*2 ; x", r#"{"range":"A1:B2","cells":[[1,null],[{"formula":"=A1*2"},"x"]]}"#),
        ("fill A1:A9: =B1*2", r#"{"range":"A1:A9","cell":{"formula":"=B1*2"}}"#),
        (
            "format A1:B2: bold, not italic, number 0.00, not text, fill #ffe000, top thin #ff0000",
            r##"{"range":"A1:B2","format":{"numberFormat":"0.00","bold":true,"italic":false,"textColor":null,
                "fillColor":"#ffe000","borderTop":{"style":"thin","color":"#ff0000"}}}"##,
        ),
        (
            "insert 2 rows before 5",
            r#"{"range":"5:6","edit":"insert","dimension":"rows","first":4,"count":2}"#,
        ),
        (
            "move columns C:D before A",
            r#"{"range":"C:D","edit":"move","dimension":"columns","first":2,"count":2,"to":0}"#,
        ),
        ("size rows 3:5: 30", r#"{"range":"3:5","dimension":"rows","first":2,"count":3,"size":30}"#),
        ("sort A1:B4: 3 1 2 4", r#"{"range":"A1:B4","order":[2,0,1,3]}"#),
        ("add sheet 3: Plan at 1", r#"{"sheetId":3,"sheet":null,"name":"Plan","position":1}"#),
        ("remove sheet 1", "{}"),
        ("rename sheet 1: My data", r#"{"name":"My data"}"#),
        ("move sheet 1 to 1", r#"{"position":1}"#),
        ("name rate: =Sheet1!$A$1", r#"{"name":"rate","definition":"=Sheet1!$A$1"}"#),
        ("hide rows 3:5", r#"{"range":"3:5","dimension":"rows","first":2,"count":3,"hidden":true}"#),
        (
            "put 7: note at B2: text \"a\", width 30",
            r#"{"range":"B2","item":7,"itemKind":"note","anchors":["B2"],"fields":{"text":"a","width":30.0}}"#,
        ),
        (
            "patch 7: note at C3: text none",
            r#"{"range":"C3","item":7,"itemKind":"note","anchors":["C3"],"fields":{"text":null}}"#,
        ),
        ("remove item 7", r#"{"item":7}"#),
        ("tick", "{}"),
    ];

    #[test]
    fn every_kind_of_operation_has_its_arguments() {
        let workbook = Workbook::new();
        let documentation = include_str!("../../../docs/rest.md");
        let mut kinds = std::collections::BTreeSet::new();
        for (words, expected) in EXAMPLES {
            let operation = read_operation(words, &workbook).expect(words);
            kinds.insert(operation.kind());
            let name = kind_name(operation.kind());
            let mut expected: Json = serde_json::from_str(expected).expect(words);
            expected["kind"] = name.clone().into();
            if let Some(sheet) = operation.sheet().filter(|sheet| sheet.0 == 1) {
                expected["sheetId"] = sheet.0.into();
                expected["sheet"] = "Sheet1".into();
            }
            assert_eq!(operation_json(&operation, &workbook, &mut 100), expected, "{words}");
            assert!(documentation.contains(&format!("| `{name}` |")), "docs/rest.md lacks {name}");
        }
        assert_eq!(kinds.len(), OperationKind::ALL.len(), "a kind without an example");
    }

    #[test]
    fn long_contents_are_left_out() {
        let workbook = Workbook::new();
        let operation = read_operation("set A1:A3: 1 ; 2 ; 3", &workbook).expect("an operation");
        let json = operation_json(&operation, &workbook, &mut 2);
        assert_eq!((&json["isTruncated"], json.get("cells")), (&json!(true), None));
    }

    #[test]
    fn a_filter_passes_what_concerns_its_range() {
        let workbook = Workbook::new();
        let filter = ChangeFilter { sheet: Some(SheetId(1)), range: Range::parse_a1("B2:B9").ok() };
        for (words, passes) in [
            ("fill B9: 1", true),
            ("fill C9: 1", false),
            ("fill A1:C2: 1", true),
            ("insert row before 100", true),
            ("hide rows 3:5", true),
            ("hide rows 30:50", false),
            ("put 7: note at B2: text \"a\"", true),
            ("put 7: note at C2: text \"a\"", false),
            ("on 2: fill B9: 1", false),
            ("tick", false),
        ] {
            let operation = read_operation(words, &workbook).expect(words);
            assert_eq!(filter.passes(&operation), passes, "{words}");
        }
    }
}
