//! A response as a row of the table.

use std::collections::BTreeMap;
use std::sync::Arc;

use quadrille_access::{Form, QuestionKind};
use quadrille_cell::{CellAddress, Range, SheetId, Value};
use quadrille_number_format::date::serial_from_unix_ms;
use quadrille_operation::{Command, ItemPatch, Operation, PasteScope, Transaction, apply_operation, plan};
use quadrille_workbook::{Field, FieldValue, FormatPatch, Input, Item, ItemId, ItemKind, Sheet, Workbook};

use super::open_form::OpenForm;
use crate::error::{ApiError, ErrorCode};
use crate::rooms::RequestMark;

/// What a response writes, by the number of the question.
#[derive(Clone, Default, Debug)]
pub struct RowContents {
    pub values: BTreeMap<u64, Value>,
    /// The addresses of files, which become the links of their cells.
    pub links: BTreeMap<u64, String>,
}

/// Plans the row of a response, with its time in milliseconds since 1970-01-01 UTC. The first row without answers is used; below the last one the table grows,
/// and moves down what is in the way. Formats, formulas and rules of the row above go on in a new row.
///
/// # Errors
/// `conflict` when the table is gone or has all the rows that the form accepts.
pub fn plan_row(
    workbook: &Workbook,
    form: &Form,
    contents: &RowContents,
    time_ms: i64,
    new_sheet: &mut dyn FnMut() -> SheetId,
) -> Result<Transaction, ApiError> {
    let closed = || ApiError::new(ErrorCode::Conflict, "the form no longer accepts responses");
    let open = OpenForm::find(workbook, form).ok_or_else(closed)?;
    let row = open.next_row();
    if open.is_full(form) {
        return Err(closed());
    }
    let mut copy = workbook.clone();
    let mut writer = Writer { workbook: &mut copy, operations: Vec::new() };
    if row > open.data_bottom() {
        writer.add_row(&open, row, new_sheet)?;
    }
    writer.write(&open, row, &contents.values, time_ms);
    writer.link(&open, row, &contents.links);
    Ok(Transaction { operations: writer.operations })
}

struct Writer<'a> {
    /// The workbook after the operations.
    workbook: &'a mut Workbook,
    operations: Vec<Operation>,
}

impl Writer<'_> {
    fn push(&mut self, operation: Operation) {
        apply_operation(self.workbook, &operation);
        self.operations.push(operation);
    }

    fn sheet(&self, open: &OpenForm<'_>) -> &Sheet {
        self.workbook.sheet(open.sheet.id()).expect("a response removes no sheet")
    }

    fn command(&mut self, command: &Command, new_sheet: &mut dyn FnMut() -> SheetId) -> Result<(), ApiError> {
        let planned = plan(command, self.workbook, new_sheet)
            .map_err(|error| ApiError::new(ErrorCode::BadCommand, error.to_string()))?;
        planned.operations.into_iter().for_each(|operation| self.push(operation));
        Ok(())
    }

    /// Makes the table one row longer, at `row`.
    fn add_row(
        &mut self,
        open: &OpenForm<'_>,
        row: u32,
        new_sheet: &mut dyn FnMut() -> SheetId,
    ) -> Result<(), ApiError> {
        let (sheet, below) = (open.sheet.id().0, open.across(row));
        let is_free = open.sheet.inputs_in(below).next().is_none()
            && [ItemKind::Table, ItemKind::Merge].into_iter().all(|kind| {
                let mut others = open.sheet.items().of_kind(kind).filter(|(id, _)| *id != open.table);
                others.all(|(_, other)| other.anchors.iter().all(|other| !other.intersects(below)))
            });
        if open.has_totals || !is_free {
            self.command(&Command::InsertRows { sheet, at: row, count: 1 }, new_sheet)?;
        }
        if row > open.data_top {
            let command = Command::CopyPaste {
                from_sheet: sheet,
                source: open.across(row - 1).to_string(),
                sheet,
                target: below.to_string(),
                what: PasteScope::Formats,
                excluded_rows: Vec::new(),
            };
            self.command(&command, new_sheet)?;
        }
        let now = self.sheet(open).item(open.table).and_then(|item| item.anchors.first().copied());
        if let Some(area) = now.filter(|area| !area.contains(below.first())) {
            self.patch_anchors(open, open.table, ItemKind::Table, vec![area.union(below)]);
        }
        self.extend_rules(open, below);
        Ok(())
    }

    /// Extends the data validation that ends right above a new row of the table.
    fn extend_rules(&mut self, open: &OpenForm<'_>, below: Range) {
        let mut extended = Vec::new();
        for (id, item) in self.sheet(open).items().of_kind(ItemKind::Validation) {
            let ends_above = |anchor: &Range| {
                anchor.last().row.get() + 1 == below.first().row.get()
                    && anchor.first().column >= below.first().column
                    && anchor.last().column <= below.last().column
            };
            if item.anchors.iter().any(ends_above) {
                let longer = |anchor: &Range| {
                    let last = CellAddress::clamped(below.last().row.get(), anchor.last().column.get());
                    if ends_above(anchor) { Range::new(anchor.first(), last) } else { *anchor }
                };
                extended.push((id, item.anchors.iter().map(longer).collect()));
            }
        }
        for (id, anchors) in extended {
            self.patch_anchors(open, id, ItemKind::Validation, anchors);
        }
    }

    fn patch_anchors(&mut self, open: &OpenForm<'_>, item: ItemId, kind: ItemKind, anchors: Vec<Range>) {
        let patch = ItemPatch { anchors: Some(anchors), ..ItemPatch::new(kind) };
        self.push(Operation::PatchItem { sheet: Some(open.sheet.id()), item, patch });
    }

    /// Writes the cells of the row.
    fn write(&mut self, open: &OpenForm<'_>, row: u32, values: &BTreeMap<u64, Value>, time_ms: i64) {
        let sheet = self.sheet(open);
        let range = open.across(row);
        let mut inputs: Vec<Input> = range.cells().map(|cell| sheet.input(cell)).collect();
        let mut formats: Vec<(u32, &str)> = Vec::new();
        let first = range.first().column.get();
        for (index, input) in inputs.iter_mut().enumerate().filter(|(_, input)| **input == Input::Blank) {
            if let Some(formula) = filled_down(open, sheet, row, first + index as u32) {
                *input = formula;
            }
        }
        for question in &open.questions {
            let Some(value) = values.get(&question.id) else { continue };
            inputs[(question.column - first) as usize] = value.clone().into();
            match question.kind {
                QuestionKind::Date => formats.push((question.column, "yyyy-mm-dd")),
                QuestionKind::Time => formats.push((question.column, "hh:mm")),
                QuestionKind::DateTime => formats.push((question.column, "yyyy-mm-dd hh:mm")),
                _ => {}
            }
        }
        if let Some(column) = open.timestamp {
            let settings = self.workbook.items().get(ItemId::SETTINGS);
            let minutes = settings.and_then(|item| item.number(Field::TimeZoneOffset)).unwrap_or(0.0);
            // Whole seconds: a cell shows no more.
            let time_ms = time_ms.div_euclid(1_000) * 1_000 + (minutes * 60_000.0) as i64;
            let serial = serial_from_unix_ms(time_ms) - open.dates.offset_from_1900() as f64;
            inputs[(column - first) as usize] = Value::number(serial).into();
            formats.push((column, "yyyy-mm-dd hh:mm:ss"));
        }
        let needed = formats
            .into_iter()
            .filter(|(column, _)| sheet.format(CellAddress::clamped(row, *column)).number_format.is_none());
        let needed: Vec<(u32, &str)> = needed.collect();
        let id = open.sheet.id();
        self.push(Operation::SetCells { sheet: id, range, inputs });
        for (column, code) in needed {
            let patch = FormatPatch { number_format: Some(Some(Arc::from(code))), ..FormatPatch::default() };
            self.push(Operation::SetFormat {
                sheet: id,
                range: Range::cell(CellAddress::clamped(row, column)),
                patch,
            });
        }
    }
}

impl Writer<'_> {
    /// Links cells of the row to files. A link that the cell has already is replaced.
    fn link(&mut self, open: &OpenForm<'_>, row: u32, links: &BTreeMap<u64, String>) {
        for question in &open.questions {
            let Some(link) = links.get(&question.id) else { continue };
            let anchor = Range::cell(CellAddress::clamped(row, question.column));
            let is_here = |(_, item): &(ItemId, &Arc<Item>)| item.anchors == [anchor];
            let known = self.sheet(open).items().of_kind(ItemKind::Link).find(is_here).map(|(id, _)| id);
            let mut content = Item::new(ItemKind::Link);
            content.anchors = vec![anchor];
            content.fields.insert(Field::Url, FieldValue::Text(link.as_str().into()));
            self.push(Operation::PutItem {
                sheet: Some(open.sheet.id()),
                item: known.unwrap_or_else(|| ItemId(RequestMark::random_number())),
                content: Arc::new(content),
            });
        }
    }
}

/// The formula of a calculated column: that of the row above, or of the column.
fn filled_down(open: &OpenForm<'_>, sheet: &Sheet, row: u32, column: u32) -> Option<Input> {
    if row > open.data_top
        && let input @ Input::Formula(_) = sheet.input(CellAddress::clamped(row - 1, column))
    {
        return Some(input);
    }
    let columns = sheet.items().of_kind(ItemKind::TableColumn);
    let mut columns = columns.filter(|(_, item)| item.parent() == Some(open.table));
    let is_here = |anchor: &Range| anchor.first().column.get() == column;
    let (_, item) = columns.find(|(_, item)| item.anchors.iter().any(is_here))?;
    item.formula(Field::Formula).map(|(_, template)| Input::Formula(template.clone()))
}
