//! A workbook that was read, as a transaction that puts its sheets into a room.

use std::collections::BTreeMap;
use std::sync::Arc;

use quadrille_cell::{CellAddress, Dimension, Range, SheetId, Value};
use quadrille_formula::{Area, Expression, Reference, SheetReference, Template};
use quadrille_operation::{Operation, Transaction};
use quadrille_workbook::{FormatPatch, Input, Literal, Sheet, Slice, Workbook};

/// What becomes of the sheets that the room has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Placement {
    /// They go, as do the room's names: afterwards the room holds what the file holds.
    Replace,
    /// They stay; the file's sheets follow them, renamed where a name is taken.
    Append,
}

/// Cells of one operation. Longer columns take several, so that no frame or budget is exceeded by one.
const CELLS_PER_OPERATION: u32 = 65_536;

/// `new_sheet` yields identities that the room has never used.
pub fn import_transaction(
    imported: &Workbook,
    room: &Workbook,
    placement: Placement,
    new_sheet: &mut dyn FnMut() -> SheetId,
) -> Transaction {
    let renumbered: BTreeMap<SheetId, SheetId> =
        imported.sheets().iter().map(|sheet| (sheet.id(), new_sheet())).collect();
    let mut operations = Vec::new();
    if placement == Placement::Replace {
        // The room's sheets make way for the names first, and go when there are others.
        for sheet in room.sheets() {
            let name: Arc<str> = format!("{} (replaced {})", sheet.name(), sheet.id().0).into();
            operations.push(Operation::RenameSheet { sheet: sheet.id(), name });
        }
        for (name, _) in room.names() {
            operations.push(Operation::DefineName { name: name.clone(), definition: None });
        }
    }
    let position = match placement {
        Placement::Replace => 0,
        Placement::Append => room.sheets().len(),
    };
    for (index, sheet) in imported.sheets().iter().enumerate() {
        let id = renumbered[&sheet.id()];
        let position = (position + index) as u32;
        operations.push(Operation::AddSheet { sheet: id, name: sheet.name().clone(), position });
    }
    if placement == Placement::Replace {
        let gone = room.sheets().iter().map(|sheet| Operation::RemoveSheet { sheet: sheet.id() });
        operations.extend(gone);
    }
    for sheet in imported.sheets() {
        put_sheet(&mut operations, sheet, renumbered[&sheet.id()], &renumbered);
    }
    for (name, definition) in imported.names() {
        let definition = Some(renumber(definition, &renumbered));
        operations.push(Operation::DefineName { name: name.clone(), definition });
    }
    Transaction { operations }
}

fn put_sheet(
    operations: &mut Vec<Operation>,
    sheet: &Sheet,
    id: SheetId,
    renumbered: &BTreeMap<SheetId, SheetId>,
) {
    for (column, cells) in sheet.columns_in(Range::whole_sheet()) {
        let Some((first, last)) = cells.extent() else { continue };
        let mut batch =
            Batch { operations, sheet: id, column: column.get(), first: first, inputs: Vec::new() };
        for (row, slice) in cells.literal_slices(first, last) {
            match slice {
                Slice::Numbers(numbers) => {
                    for (row, number) in (row..).zip(numbers) {
                        batch.push(row, Input::Value(Literal::Number(*number)));
                    }
                }
                Slice::Mixed(_) => {
                    for index in 0..slice.len() {
                        match slice.get(index) {
                            Value::Blank => {}
                            value => batch.push(row + index as u32, Input::from(value)),
                        }
                    }
                }
            }
        }
        batch.flush();
    }
    for (column, first, last, template) in sheet.formula_runs(Range::whole_sheet()) {
        let range =
            Range::from_indices(first, column.get(), last, column.get()).expect("runs lie in the sheet");
        let input = Input::Formula(renumber(template, renumbered));
        operations.push(Operation::FillCells { sheet: id, range, input });
    }
    for (range, format) in sheet.format_runs(Range::whole_sheet()) {
        let patch = FormatPatch::replacing_with(format);
        operations.push(Operation::SetFormat { sheet: id, range, patch });
    }
    for dimension in [Dimension::Columns, Dimension::Rows] {
        for (first, count, size) in sheet.size_runs(dimension) {
            operations.push(Operation::SetSizes { sheet: id, dimension, first, count, size: Some(size) });
        }
    }
}

/// Inputs of neighbouring rows of one column, on their way into one operation.
struct Batch<'a> {
    operations: &'a mut Vec<Operation>,
    sheet: SheetId,
    column: u32,
    first: u32,
    inputs: Vec<Input>,
}

impl Batch<'_> {
    fn push(&mut self, row: u32, input: Input) {
        if row != self.first + self.inputs.len() as u32 || self.inputs.len() as u32 == CELLS_PER_OPERATION {
            self.flush();
            self.first = row;
        }
        self.inputs.push(input);
    }

    fn flush(&mut self) {
        if self.inputs.is_empty() {
            return;
        }
        let inputs = std::mem::take(&mut self.inputs);
        let range = Range::new(
            CellAddress::clamped(self.first, self.column),
            CellAddress::clamped(self.first + inputs.len() as u32 - 1, self.column),
        );
        self.operations.push(Operation::SetCells { sheet: self.sheet, range, inputs });
    }
}

/// The same formula with the sheets' new identities.
fn renumber(template: &Template, renumbered: &BTreeMap<SheetId, SheetId>) -> Template {
    match renumber_expression(template.expression(), renumbered) {
        Some(expression) => Template::new(expression),
        None => template.clone(),
    }
}

/// `None` when it names no sheet.
fn renumber_expression(
    expression: &Expression,
    renumbered: &BTreeMap<SheetId, SheetId>,
) -> Option<Expression> {
    let inner = |inner: &Expression| renumber_expression(inner, renumbered);
    let boxed = |operand: &Expression| Box::new(inner(operand).unwrap_or_else(|| operand.clone()));
    let all = |operands: &[Expression]| -> Option<Vec<Expression>> {
        let changed: Vec<Option<Expression>> = operands.iter().map(inner).collect();
        changed.iter().any(Option::is_some).then(|| {
            let pairs = changed.into_iter().zip(operands);
            pairs.map(|(changed, operand)| changed.unwrap_or_else(|| operand.clone())).collect()
        })
    };
    match expression {
        Expression::Reference(Reference { sheet: Some(sheet), area }) => {
            let sheet = renumber_sheet(sheet, renumbered)?;
            Some(Expression::Reference(Reference { sheet: Some(sheet), area: Area::clone(area) }))
        }
        Expression::Call { function, arguments } => {
            all(arguments).map(|arguments| Expression::Call { function: function.clone(), arguments })
        }
        Expression::Apply { callee, arguments } => {
            if inner(callee).is_none() && all(arguments).is_none() {
                return None;
            }
            let arguments = all(arguments).unwrap_or_else(|| arguments.clone());
            Some(Expression::Apply { callee: boxed(callee), arguments })
        }
        Expression::Unary(operator, operand) => {
            inner(operand).map(|operand| Expression::Unary(*operator, Box::new(operand)))
        }
        Expression::Binary(operator, left, right) => {
            if inner(left).is_none() && inner(right).is_none() {
                return None;
            }
            Some(Expression::Binary(*operator, boxed(left), boxed(right)))
        }
        Expression::Parenthesised(operand) => {
            inner(operand).map(|operand| Expression::Parenthesised(Box::new(operand)))
        }
        _ => None,
    }
}

fn renumber_sheet(sheet: &SheetReference, renumbered: &BTreeMap<SheetId, SheetId>) -> Option<SheetReference> {
    match sheet {
        SheetReference::Sheet(id) => renumbered.get(id).map(|id| SheetReference::Sheet(*id)),
        SheetReference::Sheets(first, last) => {
            Some(SheetReference::Sheets(*renumbered.get(first)?, *renumbered.get(last)?))
        }
        SheetReference::Unknown(_) => None,
    }
}
