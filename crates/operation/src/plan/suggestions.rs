//! Planning of suggestions: contents that somebody proposes for cells.

use std::collections::BTreeMap;
use std::sync::Arc;

use quadrille_cell::{CellAddress, Range, SheetId, Value};
use quadrille_number_format::{InputContext, parse_input_with};
use quadrille_workbook::{Field, FieldValue, FormatPatch, Input, Item, ItemId, ItemKind, Literal, Sheet};

use crate::item::{Reading, host_of, item_from_json};
use crate::plan::items::new_item_id;
use crate::plan::planner::{Plan, Planner};
use crate::{Command, CommandError, ItemValue, Operation, Transaction, apply};

impl Planner<'_> {
    /// Plans the suggestions of the contents that `command` would write.
    pub fn suggest(
        &self,
        command: &Command,
        fields: &BTreeMap<String, ItemValue>,
        new_id: &mut dyn FnMut() -> SheetId,
    ) -> Plan {
        let proposed = Transaction { operations: self.plan(command, new_id)? };
        let ranges = written_ranges(&proposed)?;
        let mut after = self.workbook.clone();
        apply(&mut after, &proposed);
        let mut plan = Vec::new();
        let (mut scanned, mut suggested) = (0, 0);
        for (id, range) in ranges {
            let (Some(sheet), Some(after)) = (self.workbook.sheet(id), after.sheet(id)) else { continue };
            let host = host_of(Some(id), &[]);
            let reading = Reading { kind: ItemKind::Suggestion, host, sheets: self.workbook };
            let mut empty = item_from_json(fields, vec![], reading)?;
            for field in [Field::Formula, Field::Value, Field::NumberFormat] {
                empty.fields.remove(&field);
            }
            let is_own = |other: &Item| {
                let is_same = |field| other.fields.get(&field) == empty.fields.get(&field);
                is_same(Field::Author) && is_same(Field::AuthorId)
            };
            for (earlier, other) in sheet.items().of_kind(ItemKind::Suggestion) {
                if is_own(other) && other.anchors.iter().any(|anchor| anchor.intersects(range)) {
                    plan.push(Operation::RemoveItem { sheet: Some(id), item: earlier });
                }
            }
            let used = sheet.used_range().into_iter().chain(after.used_range()).reduce(Range::union);
            let Some(cells) = used.and_then(|used| used.intersection(range)) else { continue };
            scanned += cells.cell_count();
            self.check_cells(scanned)?;
            for cell in cells.cells() {
                let written = after.input(cell);
                if written == sheet.input(cell) {
                    continue;
                }
                suggested += 1;
                let max = self.limits.suggested_cells;
                if suggested > max {
                    return Err(CommandError::TooManyCells { count: suggested as u64, max: max as u64 });
                }
                let mut item = empty.clone();
                item.anchors.push(Range::cell(cell));
                add_input(&mut item, cell, written);
                // Shows what the value stands for; an accepted one keeps the format of its cell.
                if let Some(format) = &after.format(cell).number_format {
                    item.fields.insert(Field::NumberFormat, FieldValue::Text(Arc::clone(format)));
                }
                plan.extend(self.put_item(Some(id), new_item_id(new_id), item)?);
            }
        }
        Ok(plan)
    }

    /// Plans the removal of suggestions, in the order of `items`; writes their contents first if
    /// they are accepted.
    pub fn answer_suggestions(&self, sheet: &Sheet, items: &[u64], are_accepted: bool) -> Plan {
        let mut plan = Vec::new();
        for item in items {
            let id = ItemId(*item);
            let found = sheet.item(id).filter(|found| found.kind == ItemKind::Suggestion);
            let suggestion = found.ok_or(CommandError::UnknownItem { item: *item })?;
            for range in suggestion.anchors.iter().filter(|_| are_accepted) {
                let (range, sheet) = (*range, sheet.id());
                plan.push(Operation::FillCells { sheet, range, input: proposed_input(suggestion) });
                let is_unformatted = self.sheet(sheet.0)?.format(range.first()).number_format.is_none();
                if let Some(format) = suggestion.text(Field::NumberFormat).filter(|_| is_unformatted) {
                    let number_format = Some(Some(Arc::clone(format)));
                    let patch = FormatPatch { number_format, ..FormatPatch::default() };
                    plan.push(Operation::SetFormat { sheet, range, patch });
                }
            }
            plan.push(Operation::RemoveItem { sheet: Some(sheet.id()), item: id });
        }
        self.grow_tables(sheet, &mut plan);
        Ok(plan)
    }
}

/// The ranges whose contents a transaction writes, if it changes nothing else that matters.
fn written_ranges(transaction: &Transaction) -> Result<Vec<(SheetId, Range)>, CommandError> {
    let mut ranges = Vec::new();
    for operation in &transaction.operations {
        match operation {
            Operation::SetCells { sheet, range, .. } | Operation::FillCells { sheet, range, .. } => {
                ranges.push((*sheet, *range));
            }
            // Formats, and the table that would grow over the cell, are left out.
            Operation::SetFormat { .. } | Operation::PatchItem { .. } => {}
            _ => return Err(CommandError::NotSuggestable),
        }
    }
    let is_empty = ranges.is_empty() && !transaction.operations.is_empty();
    if is_empty { Err(CommandError::NotSuggestable) } else { Ok(ranges) }
}

/// Adds the fields of the proposed contents.
fn add_input(item: &mut Item, cell: CellAddress, input: Input) {
    let (field, value) = match input {
        Input::Blank => return,
        Input::Formula(template) => (Field::Formula, FieldValue::Formula { at: cell, template }),
        Input::Value(literal) => (Field::Value, FieldValue::Text(typed_text(&literal))),
    };
    item.fields.insert(field, value);
}

/// The text that reads as this value when it is typed in the default locale.
fn typed_text(literal: &Literal) -> Arc<str> {
    match literal {
        // The shortest digits that read as the same number.
        Literal::Number(number) if *number == 0.0 || (1e-5..1e15).contains(&number.abs()) => {
            Arc::from(number.to_string())
        }
        Literal::Number(number) => Arc::from(format!("{number:E}")),
        Literal::Boolean(boolean) => Arc::from(if *boolean { "TRUE" } else { "FALSE" }),
        Literal::Error(error) => Arc::from(error.text()),
        Literal::Text(text) => match parse_input_with(text, InputContext::default()).value {
            Value::Text(read) if read == *text => Arc::clone(text),
            _ => Arc::from(["'", text].concat()),
        },
    }
}

/// The contents that a suggestion proposes.
fn proposed_input(suggestion: &Item) -> Input {
    match (suggestion.formula(Field::Formula), suggestion.text(Field::Value)) {
        (Some((_, template)), _) => Input::Formula(template.clone()),
        (None, Some(text)) => Input::from(parse_input_with(text, InputContext::default()).value),
        (None, None) => Input::Blank,
    }
}
