//! The transaction that puts an imported workbook into a room.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use quadrille_cell::{CellAddress, Dimension, Range, SheetId};
use quadrille_formula::{
    Area, Expression, Reference, SheetReference, Template, map_operands, name_scope, scoped_name,
};
use quadrille_operation::{Operation, Transaction};
use quadrille_workbook::{FieldValue, FormatPatch, Input, Item, ItemId, ItemKind, Sheet, Workbook};

use crate::date_system::with_converted_dates;

/// Treatment of the sheets that the room already has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Placement {
    /// They are removed, as are the room's names and items: afterwards the room equals the file.
    Replace,
    /// They remain; the imported sheets follow, renamed if a name is in use.
    Append,
}

/// Cells of one operation, at most. Longer columns take several operations, so that none exceeds a
/// frame or an evaluation budget.
const CELLS_PER_OPERATION: usize = 65_536;

/// Makes the transaction that puts `imported` into `room`. `new_sheet` returns sheet ids that the
/// room has never used.
pub fn import_transaction(
    imported: &Workbook,
    room: &Workbook,
    placement: Placement,
    new_sheet: &mut dyn FnMut() -> SheetId,
) -> Transaction {
    // With `Append`, the room's date system remains, so imported dates are converted to it.
    let converted = match placement {
        Placement::Replace => Cow::Borrowed(imported),
        Placement::Append => with_converted_dates(imported, room.date_system()),
    };
    let imported = &*converted;
    let renumbered: BTreeMap<SheetId, SheetId> =
        imported.sheets().iter().map(|sheet| (sheet.id(), new_sheet())).collect();
    let mut operations = Vec::new();
    if placement == Placement::Replace {
        // The room's sheets give up their names first; they are removed when other sheets exist.
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
        let removed = room.sheets().iter().map(|sheet| Operation::RemoveSheet { sheet: sheet.id() });
        operations.extend(removed);
        // The server writes imported data again, as far as it may; names of versions stay.
        let removed = room.items().iter().filter(|(_, content)| !content.kind.stays_in_room());
        operations.extend(removed.map(|(item, _)| Operation::RemoveItem { sheet: None, item }));
    }
    for sheet in imported.sheets() {
        put_sheet(&mut operations, sheet, renumbered[&sheet.id()], &renumbered);
    }
    for (item, content) in imported.items().iter() {
        // The settings, and the parts of the file that the room began with, are those of the room.
        let is_of_room = item == ItemId::SETTINGS || content.kind == ItemKind::PackageParts;
        // So are cell styles that both have.
        let is_of_room =
            is_of_room || content.kind == ItemKind::CellStyle && room.items().get(item).is_some();
        if placement == Placement::Append && is_of_room || content.kind.stays_in_room() {
            continue;
        }
        operations.push(Operation::PutItem { sheet: None, item, content: content.clone() });
    }
    for (name, definition) in imported.names() {
        let definition = Some(renumber(definition, &renumbered));
        let name = renumber_name(name, &renumbered).unwrap_or_else(|| name.clone());
        operations.push(Operation::DefineName { name, definition });
    }
    Transaction { operations }
}

fn put_sheet(
    operations: &mut Vec<Operation>,
    sheet: &Sheet,
    id: SheetId,
    renumbered: &BTreeMap<SheetId, SheetId>,
) {
    let pieces = pieces(sheet, renumbered);
    // Rectangles come first, because their blanks may cover cells that tall pieces and fills set.
    let mut contents = BTreeMap::new();
    for piece in &pieces.small {
        contents.extend((piece.first..).zip(&piece.inputs).map(|(row, input)| ((row, piece.column), input)));
    }
    for range in rectangles(&pieces.small) {
        let columns = range.first().column.get()..=range.last().column.get();
        let rows = range.first().row.get()..=range.last().row.get();
        let cells = rows.flat_map(|row| columns.clone().map(move |column| (row, column)));
        // Inputs come from the whole sheet, so that overlapping rectangles agree.
        let inputs = cells.map(|cell| contents.get(&cell).copied().cloned().unwrap_or_default()).collect();
        operations.push(Operation::SetCells { sheet: id, range, inputs });
    }
    for Piece { column, first, inputs } in pieces.tall {
        for (index, inputs) in inputs.chunks(CELLS_PER_OPERATION).enumerate() {
            let first = first + (index * CELLS_PER_OPERATION) as u32;
            let range = rows_of(column, first, first + inputs.len() as u32 - 1);
            operations.push(Operation::SetCells { sheet: id, range, inputs: inputs.to_vec() });
        }
    }
    for (range, template) in pieces.fills {
        operations.push(Operation::FillCells { sheet: id, range, input: Input::Formula(template) });
    }
    for (range, format) in sheet.format_runs(Range::whole_sheet()) {
        let patch = FormatPatch::replacing_with(format);
        operations.push(Operation::SetFormat { sheet: id, range, patch });
    }
    for dimension in [Dimension::Columns, Dimension::Rows] {
        for (first, count, size) in sheet.size_runs(dimension) {
            operations.push(Operation::SetSizes { sheet: id, dimension, first, count, size: Some(size) });
        }
        for (first, count) in sheet.hidden_runs(dimension) {
            operations.push(Operation::SetHidden { sheet: id, dimension, first, count, is_hidden: true });
        }
    }
    // Protection comes last, because protected cells reject the other operations.
    let is_protection = |content: &Item| content.kind == ItemKind::ProtectedRange;
    let (last, first): (Vec<_>, Vec<_>) =
        sheet.items().iter().partition(|(_, content)| is_protection(content));
    for (item, content) in first.into_iter().chain(last) {
        let content = renumber_item(content, renumbered);
        operations.push(Operation::PutItem { sheet: Some(id), item, content: content.into() });
    }
}

fn renumber_item(item: &Item, renumbered: &BTreeMap<SheetId, SheetId>) -> Item {
    let mut item = item.clone();
    item.fields.values_mut().for_each(|value| renumber_value(value, renumbered));
    item
}

fn renumber_value(value: &mut FieldValue, renumbered: &BTreeMap<SheetId, SheetId>) {
    match value {
        FieldValue::Formula { template, .. } => *template = renumber(template, renumbered),
        FieldValue::List(values) => values.iter_mut().for_each(|value| renumber_value(value, renumbered)),
        FieldValue::Record(fields) => {
            fields.values_mut().for_each(|value| renumber_value(value, renumbered));
        }
        FieldValue::Boolean(_) | FieldValue::Number(_) | FieldValue::Text(_) | FieldValue::Color(_) => {}
    }
}

/// Inputs of consecutive rows of one column.
struct Piece {
    column: u32,
    first: u32,
    inputs: Vec<Input>,
}

/// The contents of a sheet, grouped by the operations that express them best.
#[derive(Default)]
struct Pieces {
    /// Long pieces, each of one or several operations.
    tall: Vec<Piece>,
    /// Short pieces, to be joined with their neighbors.
    small: Vec<Piece>,
    /// Formulas filled over many rows.
    fills: Vec<(Range, Template)>,
}

/// Runs of a formula with fewer rows are set cell by cell, in one operation with their
/// surroundings.
const FILL_ROWS_MIN: u32 = 16;
/// A piece with fewer rows is joined with its neighbors.
const TALL_ROWS_MIN: usize = 256;
/// A gap of at most this many rows within a column is filled with blanks, which costs less than
/// another operation.
const GAP_ROWS_MAX: u32 = 16;

fn pieces(sheet: &Sheet, renumbered: &BTreeMap<SheetId, SheetId>) -> Pieces {
    let mut pieces = Pieces::default();
    for (column, cells) in sheet.columns_in(Range::whole_sheet()) {
        let column = column.get();
        let Some((first, last)) = cells.extent() else { continue };
        let mut filled = Vec::new();
        for run in cells.formula_runs(first, last).filter(|run| run.last - run.first + 1 >= FILL_ROWS_MIN) {
            pieces.fills.push((rows_of(column, run.first, run.last), renumber(run.value, renumbered)));
            filled.push(run.first..=run.last);
        }
        let mut filled = filled.into_iter().peekable();
        let mut open: Option<Piece> = None;
        for (row, input) in cells.inputs(first, last) {
            while filled.next_if(|rows| *rows.end() < row).is_some() {}
            if filled.peek().is_some_and(|rows| rows.contains(&row)) {
                continue;
            }
            let input = match input {
                Input::Formula(template) => Input::Formula(renumber(&template, renumbered)),
                input => input,
            };
            let next = open.as_ref().map(|piece| piece.first + piece.inputs.len() as u32);
            match (&mut open, next) {
                (Some(piece), Some(next)) if row - next <= GAP_ROWS_MAX => {
                    piece.inputs.resize(piece.inputs.len() + (row - next) as usize, Input::Blank);
                    piece.inputs.push(input);
                }
                _ => {
                    pieces.add(open.take());
                    open = Some(Piece { column, first: row, inputs: vec![input] });
                }
            }
        }
        pieces.add(open);
    }
    pieces
}

impl Pieces {
    fn add(&mut self, piece: Option<Piece>) {
        match piece {
            Some(piece) if piece.inputs.len() >= TALL_ROWS_MIN => self.tall.push(piece),
            Some(piece) => self.small.push(piece),
            None => {}
        }
    }
}

/// Ranges that cover all pieces: neighboring pieces are joined as long as few blanks are between
/// them.
fn rectangles(small: &[Piece]) -> Vec<Range> {
    /// Number of the latest rectangles that a piece can join; earlier ones are far to the left.
    const OPEN_MAX: usize = 8;
    let mut rectangles: Vec<(Range, u64)> = Vec::new();
    for piece in small {
        let range = rows_of(piece.column, piece.first, piece.first + piece.inputs.len() as u32 - 1);
        let fits = |(rectangle, cells): &&mut (Range, u64)| {
            let area = rectangle.union(range).cell_count();
            area <= (*cells + range.cell_count()) * 4 + 256 && area <= CELLS_PER_OPERATION as u64
        };
        match rectangles.iter_mut().rev().take(OPEN_MAX).find(fits) {
            Some((rectangle, cells)) => {
                *rectangle = rectangle.union(range);
                *cells += range.cell_count();
            }
            None => rectangles.push((range, range.cell_count())),
        }
    }
    rectangles.into_iter().map(|(range, _)| range).collect()
}

fn rows_of(column: u32, first: u32, last: u32) -> Range {
    Range::new(CellAddress::clamped(first, column), CellAddress::clamped(last, column))
}

/// The formula with the new sheet ids.
fn renumber(template: &Template, renumbered: &BTreeMap<SheetId, SheetId>) -> Template {
    match renumber_expression(template.expression(), renumbered) {
        Some(expression) => Template::new(expression),
        None => template.clone(),
    }
}

/// Returns `None` if the expression refers to no sheet.
fn renumber_expression(
    expression: &Expression,
    renumbered: &BTreeMap<SheetId, SheetId>,
) -> Option<Expression> {
    match expression {
        Expression::Reference(Reference { sheet: Some(sheet), area }) => {
            let sheet = renumber_sheet(sheet, renumbered)?;
            Some(Expression::Reference(Reference { sheet: Some(sheet), area: Area::clone(area) }))
        }
        Expression::Name(name) => renumber_name(name, renumbered).map(Expression::Name),
        _ => map_operands(expression, &mut |operand| renumber_expression(operand, renumbered)),
    }
}

/// Returns `None` for a name of the whole workbook.
fn renumber_name(name: &str, renumbered: &BTreeMap<SheetId, SheetId>) -> Option<Arc<str>> {
    let (sheet, name) = name_scope(name)?;
    Some(scoped_name(*renumbered.get(&sheet)?, name).into())
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
