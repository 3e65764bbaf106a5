//! Turns commands into one transaction for the current workbook.

use std::collections::BTreeMap;

use quadrille_cell::{CellAddress, Dimension, Range, SheetId, Value};
use quadrille_files::socialcalc_dialect::{name_definition, parse_with_rooms};
use quadrille_formula::Host;
use quadrille_operation::{
    ClearScope, Command, FormatChange, ItemValue, Limits, MergeKind, Operation, SortKey, Transaction,
    validate,
};
use quadrille_workbook::{Input, Item, ItemId, ItemKind, Sheet, Workbook};

use crate::cell_attribute::CellAttribute;
use crate::clipboard::Clipboard;
use crate::error::StatementError;
use crate::planner::{Planner, axis, paste_scope, too_many};
use crate::statement::{Scope, Statement};
use crate::{CELLS_PER_STATEMENT_MAX, move_block};

/// The result of planning.
pub struct Planned {
    pub transaction: Transaction,
    /// What the last `copy`, `cut` or `loadclipboard` left, or was there before.
    pub clipboard: Option<Clipboard>,
}

/// Plans commands for one sheet, each for the workbook that the earlier ones leave.
///
/// `new_sheet` returns identities that no sheet of this workbook has had.
///
/// # Errors
/// The first command that cannot be carried out; then nothing is to be done.
pub fn plan(
    statements: &[Statement],
    workbook: &Workbook,
    sheet: SheetId,
    clipboard: Option<Clipboard>,
    new_sheet: &mut dyn FnMut() -> SheetId,
) -> Result<Planned, StatementError> {
    let mut planner =
        Planner { workbook: workbook.clone(), sheet, clipboard, operations: Vec::new(), new_sheet };
    for (index, statement) in statements.iter().enumerate() {
        planner.run(statement).map_err(|reason| StatementError { number: index + 1, reason })?;
    }
    let transaction = Transaction { operations: planner.operations };
    validate(&transaction, &Limits::DEFAULT)
        .map_err(|error| StatementError { number: statements.len(), reason: error.to_string() })?;
    Ok(Planned { transaction, clipboard: planner.clipboard })
}

impl Planner<'_> {
    fn run(&mut self, statement: &Statement) -> Result<(), String> {
        let sheet = self.sheet.0;
        match statement {
            Statement::SetCells { range, attribute } => self.set_cells(*range, attribute),
            Statement::SetSizes { dimension, first, count, size } => self.command(&Command::Resize {
                sheet,
                dimension: axis(*dimension),
                first: *first,
                count: *count,
                size: *size,
            }),
            Statement::SetHidden { dimension, first, count, is_hidden } => {
                self.command(&Command::SetHidden {
                    sheet,
                    dimension: axis(*dimension),
                    first: *first,
                    count: *count,
                    hidden: *is_hidden,
                })
            }
            // A merged cell of one cell is none.
            Statement::Merge(range) if range.cell_count() == 1 => Ok(()),
            Statement::Merge(range) => {
                // SocialCalc keeps only the content of the first cell.
                let others = range.cells().filter(|cell| *cell != range.first());
                let is_filled = |cell: CellAddress| self.sheet().input(cell) != Input::Blank;
                let filled: Vec<CellAddress> = match range.cell_count() <= CELLS_PER_STATEMENT_MAX {
                    true => others.filter(|cell| is_filled(*cell)).collect(),
                    false => return Err(too_many(*range)),
                };
                for cell in filled {
                    self.clear(Range::cell(cell), ClearScope::Contents)?;
                }
                self.command(&Command::Merge { sheet, range: range.to_string(), how: MergeKind::All })
            }
            Statement::Unmerge(range) => self.command(&Command::Unmerge { sheet, range: range.to_string() }),
            Statement::Erase(range, scope) => self.erase(*range, *scope),
            Statement::Copy(range) => {
                self.clipboard = Some(Clipboard::copy(self.sheet(), *range)?);
                Ok(())
            }
            Statement::Cut(range, scope) => {
                self.clipboard = Some(Clipboard::copy(self.sheet(), *range)?);
                self.erase(*range, *scope)
            }
            // SocialCalc ignores it, too.
            Statement::Paste(..) if self.clipboard.is_none() => Ok(()),
            Statement::Paste(range, scope) => {
                let clipboard = self.clipboard.clone().expect("there is one");
                self.paste(&clipboard, *range, *scope)
            }
            Statement::Fill { dimension, range, scope } => self.fill(*dimension, *range, *scope),
            Statement::LoadClipboard(save) => {
                self.clipboard = Some(Clipboard::from_save(save)?);
                Ok(())
            }
            Statement::ClearClipboard => {
                self.clipboard = None;
                Ok(())
            }
            Statement::Insert { dimension, at } => self.insert(*dimension, *at),
            Statement::Delete { dimension, first, count } => self.command(&match dimension {
                Dimension::Rows => Command::DeleteRows { sheet, at: *first, count: *count },
                Dimension::Columns => Command::DeleteColumns { sheet, at: *first, count: *count },
            }),
            Statement::MovePaste { source, to, scope } => move_block::move_paste(self, *source, *to, *scope),
            Statement::MoveInsert { source, to, scope } => {
                move_block::move_insert(self, *source, *to, *scope)
            }
            Statement::Sort { range, keys } => {
                let keys = keys
                    .iter()
                    .map(|(column, descending)| SortKey { column: *column, descending: *descending });
                let keys = keys.collect();
                self.command(&Command::Sort { sheet, range: range.to_string(), keys, has_header: false })
            }
            Statement::Name { name, definition: None } if self.workbook.name(name).is_none() => Ok(()),
            Statement::Name { name, definition } => {
                let definition = definition.as_deref().map(name_definition);
                self.command(&Command::DefineName {
                    name: name.clone(),
                    definition,
                    sheet,
                    local: false,
                    was: None,
                })
            }
            Statement::Freeze { dimension, first } => {
                let field = match dimension {
                    Dimension::Rows => "frozenRows",
                    Dimension::Columns => "frozenColumns",
                };
                let fields = BTreeMap::from([(field.to_owned(), ItemValue::Number(f64::from(*first)))]);
                self.set_item(ItemId::SETTINGS.0, None, None, fields)
            }
            Statement::Server(_) | Statement::Nothing => Ok(()),
        }
    }

    /// Inserts a row or column. As in SocialCalc, it has the size of the one that was there, is hidden if
    /// that was, and has merged cells as the one before it.
    fn insert(&mut self, dimension: Dimension, at: u32) -> Result<(), String> {
        let sheet = self.sheet.0;
        let (size, is_hidden) = (self.sheet().size(dimension, at), self.sheet().is_hidden(dimension, at));
        let merged: Vec<Range> = merged_before(self.sheet(), dimension, at).collect();
        self.command(&match dimension {
            Dimension::Rows => Command::InsertRows { sheet, at, count: 1 },
            Dimension::Columns => Command::InsertColumns { sheet, at, count: 1 },
        })?;
        self.set_line(dimension, at, size, is_hidden)?;
        for range in merged {
            self.command(&Command::Merge { sheet, range: range.to_string(), how: MergeKind::All })?;
        }
        Ok(())
    }

    fn set_cells(&mut self, range: Range, attribute: &CellAttribute) -> Result<(), String> {
        match attribute {
            CellAttribute::Value { value, number_format } => {
                self.fill_cells(range, Input::from(value.clone()));
                match number_format {
                    None => Ok(()),
                    Some(code) => {
                        let number_format = Some(Some(code.clone()));
                        self.format(range, FormatChange { number_format, ..FormatChange::default() })
                    }
                }
            }
            CellAttribute::FormattedText { text, format } => {
                self.fill_cells(range, Input::from(Value::Text(text.as_str().into())));
                self.format(
                    range,
                    FormatChange { text_format: Some(Some(*format)), ..FormatChange::default() },
                )
            }
            CellAttribute::Formula(text) => self.formula(range, text),
            CellAttribute::Empty => {
                self.fill_cells(range, Input::Blank);
                Ok(())
            }
            CellAttribute::All(attributes) => {
                self.erase(range, Scope::All)?;
                attributes.iter().try_for_each(|attribute| self.set_cells(range, attribute))
            }
            CellAttribute::Format(change) => self.format(range, (**change).clone()),
            CellAttribute::Comment(text) => self.comment(range, text.as_deref()),
            CellAttribute::Locked(is_locked) => self.lock(range, *is_locked),
            CellAttribute::Merged { rows, columns } => {
                let last = range.first();
                let last = CellAddress::clamped(last.row.get() + rows - 1, last.column.get() + columns - 1);
                self.run(&Statement::Merge(Range::new(range.first(), last)))
            }
            CellAttribute::Nothing => Ok(()),
        }
    }

    fn fill_cells(&mut self, range: Range, input: Input) {
        self.take(Operation::FillCells { sheet: self.sheet, range, input }.into());
    }

    /// Writes a formula with the same text, and so the same references, to each cell.
    fn formula(&mut self, range: Range, text: &str) -> Result<(), String> {
        let parse = |planner: &Planner<'_>, cell| {
            let host = Host { sheet: planner.sheet, cell };
            Input::Formula(parse_with_rooms(text, host, &planner.workbook))
        };
        let (first, last) = (parse(self, range.first()), parse(self, range.last()));
        if first == last {
            self.fill_cells(range, first);
            return Ok(());
        }
        if range.cell_count() > CELLS_PER_STATEMENT_MAX {
            return Err(too_many(range));
        }
        let inputs = range.cells().map(|cell| parse(self, cell)).collect();
        self.take(Operation::SetCells { sheet: self.sheet, range, inputs }.into());
        Ok(())
    }

    fn format(&mut self, range: Range, format: FormatChange) -> Result<(), String> {
        self.command(&Command::Format {
            sheet: self.sheet.0,
            range: range.to_string(),
            format: Box::new(format),
        })
    }

    /// Comments count as content, and merged cells as formats, as in SocialCalc.
    fn erase(&mut self, range: Range, scope: Scope) -> Result<(), String> {
        self.clear(range, clear_scope(scope))?;
        if scope != Scope::Contents {
            let merged = self.items(|item| {
                item.kind == ItemKind::Merge
                    && item.anchors.iter().any(|anchor| range.contains(anchor.first()))
            });
            for item in merged {
                self.command(&Command::RemoveItem { sheet: Some(self.sheet.0), item: item.0 })?;
            }
        }
        match scope {
            Scope::Formats => Ok(()),
            Scope::All | Scope::Contents => self.remove_notes(range),
        }
    }

    /// Adds a note to a cell without one.
    pub(crate) fn note(&mut self, cell: CellAddress, text: &str) -> Result<(), String> {
        let fields = BTreeMap::from([("text".to_owned(), ItemValue::Text(text.to_owned()))]);
        self.new_item("note", Range::cell(cell), fields)
    }

    pub(crate) fn remove_notes(&mut self, range: Range) -> Result<(), String> {
        let is_note_here = |item: &Item| {
            item.kind == ItemKind::Note && item.anchors.iter().any(|anchor| range.contains_range(*anchor))
        };
        for item in self.items(is_note_here) {
            self.command(&Command::RemoveItem { sheet: Some(self.sheet.0), item: item.0 })?;
        }
        Ok(())
    }

    /// Locks cells against everybody, or unlocks them. Locked cells are a protected range without editors,
    /// which anybody who can edit the workbook may remove, as in SocialCalc.
    fn lock(&mut self, range: Range, is_locked: bool) -> Result<(), String> {
        let is_lock = |item: &Item| {
            item.kind == ItemKind::ProtectedRange
                && item.fields.is_empty()
                && item.anchors.iter().any(|anchor| anchor.intersects(range))
        };
        for item in self.items(is_lock) {
            let anchors = self.sheet().item(item).map_or_else(Vec::new, |item| item.anchors.clone());
            let rest: Vec<Range> = anchors.into_iter().flat_map(|anchor| without(anchor, range)).collect();
            match rest.is_empty() {
                true => self.command(&Command::RemoveItem { sheet: Some(self.sheet.0), item: item.0 })?,
                false => {
                    let anchors = rest.iter().map(Range::to_string).collect();
                    self.set_item(item.0, None, Some(anchors), BTreeMap::new())?;
                }
            }
        }
        match is_locked {
            true => self.new_item("protectedRange", range, BTreeMap::new()),
            false => Ok(()),
        }
    }

    pub(crate) fn items(&self, is_wanted: impl Fn(&Item) -> bool) -> Vec<ItemId> {
        self.sheet().items().iter().filter(|(_, item)| is_wanted(item)).map(|(id, _)| id).collect()
    }

    fn new_item(
        &mut self,
        kind: &str,
        range: Range,
        fields: BTreeMap<String, ItemValue>,
    ) -> Result<(), String> {
        let (kind, anchors) = (Some(kind.to_owned()), Some(vec![range.to_string()]));
        self.command(&Command::SetItem { sheet: Some(self.sheet.0), item: None, kind, anchors, fields })
    }

    fn set_item(
        &mut self,
        item: u64,
        kind: Option<String>,
        anchors: Option<Vec<String>>,
        fields: BTreeMap<String, ItemValue>,
    ) -> Result<(), String> {
        self.command(&Command::SetItem { sheet: Some(self.sheet.0), item: Some(item), kind, anchors, fields })
    }

    fn fill(&mut self, dimension: Dimension, range: Range, scope: Scope) -> Result<(), String> {
        let (first, last) = (range.first(), range.last());
        let (source, target) = match dimension {
            Dimension::Rows if range.row_count() > 1 => (
                Range::new(first, CellAddress::clamped(first.row.get(), last.column.get())),
                Range::new(CellAddress::clamped(first.row.get() + 1, first.column.get()), last),
            ),
            Dimension::Columns if range.column_count() > 1 => (
                Range::new(first, CellAddress::clamped(last.row.get(), first.column.get())),
                Range::new(CellAddress::clamped(first.row.get(), first.column.get() + 1), last),
            ),
            _ => return Ok(()),
        };
        let copy = Command::CopyPaste {
            from_sheet: self.sheet.0,
            source: source.to_string(),
            sheet: self.sheet.0,
            target: target.to_string(),
            what: paste_scope(scope),
            excluded_rows: Vec::new(),
        };
        let mut step = quadrille_operation::plan(&copy, &self.workbook, self.new_sheet)
            .map_err(|error| error.to_string())?;
        // Comments are pasted, but not filled, as in SocialCalc.
        let sheet = self.sheet();
        let is_note = |operation: &Operation| match operation {
            Operation::PutItem { content, .. } => content.kind == ItemKind::Note,
            Operation::RemoveItem { item, .. } => {
                sheet.item(*item).is_some_and(|item| item.kind == ItemKind::Note)
            }
            _ => false,
        };
        step.operations.retain(|operation| !is_note(operation));
        self.take(step);
        Ok(())
    }
}

/// The places of merged cells in an inserted row or column: below or beside those within the row or
/// column before it.
pub(crate) fn merged_before(sheet: &Sheet, dimension: Dimension, at: u32) -> impl Iterator<Item = Range> {
    let merged = sheet.items().of_kind(ItemKind::Merge).flat_map(|(_, item)| item.anchors.iter());
    merged.filter_map(move |range| {
        let (first, last) = (range.first().index(dimension), range.last().index(dimension));
        let is_before = first == last && first + 1 == at;
        let place = match dimension {
            Dimension::Rows => {
                Range::from_indices(at, range.first().column.get(), at, range.last().column.get())
            }
            Dimension::Columns => {
                Range::from_indices(range.first().row.get(), at, range.last().row.get(), at)
            }
        };
        place.filter(|_| is_before)
    })
}

fn clear_scope(scope: Scope) -> ClearScope {
    match scope {
        Scope::All => ClearScope::All,
        Scope::Contents => ClearScope::Contents,
        Scope::Formats => ClearScope::Formats,
    }
}

/// The parts of `range` outside `hole`.
fn without(range: Range, hole: Range) -> Vec<Range> {
    let Some(hole) = range.intersection(hole) else { return vec![range] };
    let ((top, left), (bottom, right)) = (corner(range.first()), corner(range.last()));
    let ((hole_top, hole_left), (hole_bottom, hole_right)) = (corner(hole.first()), corner(hole.last()));
    [
        (hole_top > top).then(|| (top, left, hole_top - 1, right)),
        (hole_bottom < bottom).then(|| (hole_bottom + 1, left, bottom, right)),
        (hole_left > left).then(|| (hole_top, left, hole_bottom, hole_left - 1)),
        (hole_right < right).then(|| (hole_top, hole_right + 1, hole_bottom, right)),
    ]
    .into_iter()
    .flatten()
    .filter_map(|(top, left, bottom, right)| Range::from_indices(top, left, bottom, right))
    .collect()
}

fn corner(cell: CellAddress) -> (u32, u32) {
    (cell.row.get(), cell.column.get())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(text: &str) -> Range {
        Range::parse_a1(text).expect("valid")
    }

    /// Plans commands for a new sheet; the number of operations, or the error.
    fn planned(commands: &str) -> Result<usize, String> {
        let workbook = Workbook::new();
        let statements = crate::parse(commands).expect("commands");
        let sheet = workbook.sheets()[0].id();
        let planned = plan(&statements, &workbook, sheet, None, &mut || SheetId(99));
        planned.map(|planned| planned.transaction.operations.len()).map_err(|error| error.to_string())
    }

    #[test]
    fn a_paste_has_limits_for_comments_and_hidden_rows() {
        let comments = planned("set A1 comment why\ncopy A1 all\npaste A1:XFD1048576 formulas");
        assert!(comments.is_err_and(|error| error.contains("more than 200000 cells")));
        let hidden = planned("set A2 value n 1\nset 1 hide yes\ncopy A1:A2 all\npaste B1:B1048576 all");
        assert!(hidden.is_err_and(|error| error.contains("more than 10000 rows or columns")));
        // Without any of them, a paste is as large as the sheet.
        assert!(planned("set A1 value n 1\ncopy A1 all\npaste B1:B1048576 all").is_ok());
    }

    #[test]
    fn a_hole_leaves_the_parts_around_it() {
        let text =
            |outer, hole| without(range(outer), range(hole)).iter().map(Range::to_string).collect::<Vec<_>>();
        assert_eq!(text("A1:C3", "B2"), ["A1:C1", "A3:C3", "A2", "C2"]);
        assert_eq!(text("A1:C3", "A1:C3"), Vec::<String>::new());
        assert_eq!(text("A1:C3", "E5"), ["A1:C3"]);
    }
}
