//! Planning: turns a [`Command`] into operations for the current workbook.
//!
//! A plan reads the workbook and does not change it. The operations are absolute; rebasing adjusts
//! them to concurrent changes. The `match` in this file assigns each command to the function that
//! plans it.

use crate::plan::planner::{Plan, Planner};
use crate::plan::ranges::{with_first_column, with_first_row};
mod cells;
mod copy;
mod entry;
mod move_cells;
mod planner;
mod ranges;
mod remove_duplicates;

pub use entry::{is_signed_formula, separators};
pub use formula_format::{FormulaCell, ImpliedFormats, formula_number_format};
mod batch;
mod chart_sheets;
mod compact_copy;
mod copied_items;
mod fill;
mod filled_cells;
mod filter_growth;
mod formats;
mod formula_format;
mod items;
mod merge;
mod moved_items;
mod names;
mod radix_sort;
mod row_mapping;
mod rows_columns;
mod series;
mod sheets;
mod slicers;
mod sort;
mod split_text;
mod suggestions;
mod table_growth;
mod tables;
mod transpose;
mod trim_whitespace;
mod tsv;
mod visible_row_commands;
mod visible_rows;

use quadrille_cell::{CellAddress, Dimension, EditKind, Range, SheetId};
use quadrille_formula::FunctionNames;
use quadrille_number_format::InputContext;
use quadrille_workbook::{Sheet, Workbook};

use visible_rows::VisibleRows;

use crate::{Command, CommandError, FillMode, Limits, Operation, PasteScope, Transaction, validate};

/// Plans `command` for `workbook`, with the default locale. Returns an empty transaction if there
/// is nothing to do.
///
/// `new_sheet` returns identities that no sheet of this workbook has had. The identity of a new
/// item is made of two of them.
///
/// # Errors
///
/// Fails if the command does not fit the workbook or its transaction would be invalid.
pub fn plan(
    command: &Command,
    workbook: &Workbook,
    new_sheet: &mut dyn FnMut() -> SheetId,
) -> Result<Transaction, CommandError> {
    plan_typed(command, workbook, InputContext::default(), &FunctionNames::ENGLISH, new_sheet)
}

/// Like [`plan`], with typed text interpreted in the locale of `typing`, and formulas with the
/// function names `names`.
pub fn plan_typed(
    command: &Command,
    workbook: &Workbook,
    typing: InputContext,
    names: &FunctionNames,
    new_sheet: &mut dyn FnMut() -> SheetId,
) -> Result<Transaction, CommandError> {
    plan_displayed(command, workbook, typing, names, &|_, _| None, new_sheet)
}

/// Like [`plan_typed`]; copied cells of pivot tables have the formats of `displayed_format`.
pub fn plan_displayed(
    command: &Command,
    workbook: &Workbook,
    typing: InputContext,
    names: &FunctionNames,
    displayed_format: DisplayedFormat<'_>,
    new_sheet: &mut dyn FnMut() -> SheetId,
) -> Result<Transaction, CommandError> {
    let typing = InputContext { dates: workbook.date_system(), ..typing };
    let planner =
        Planner { workbook, limits: Limits::DEFAULT, typing, names, row_mapping: None, displayed_format };
    let mut operations = planner.plan(command, new_sheet)?;
    if matches!(command, Command::VisibleRows { .. }) {
        operations = planner.check_undoable(operations)?;
    }
    operations.extend(tables::renamed_formulas(workbook, &operations));
    operations.extend(tables::formulas_without_tables(workbook, &operations));
    let transaction = Transaction { operations };
    validate(&transaction, &planner.limits)?;
    Ok(transaction)
}

pub use filled_cells::check_pivot_tables;
pub use filter_growth::filled_filter_range;
pub use planner::DisplayedFormat;
pub use remove_duplicates::duplicate_rows;
pub use sort::sorted_rows;
pub use trim_whitespace::untrimmed_cells;

impl Planner<'_> {
    fn plan(&self, command: &Command, new_sheet: &mut dyn FnMut() -> SheetId) -> Plan {
        match command {
            Command::TypeText { sheet, cell, text } => {
                let cell = CellAddress::parse_a1(cell)?;
                self.grown(*sheet, self.type_texts(self.sheet(*sheet)?, cell, &[vec![text.clone()]])?)
            }
            Command::TypeTexts { sheet, at, texts } => {
                let at = CellAddress::parse_a1(at)?;
                self.grown(*sheet, self.type_texts(self.sheet(*sheet)?, at, texts)?)
            }
            Command::TypeEverywhere { sheet, range, text } => {
                self.type_everywhere(self.sheet(*sheet)?, Range::parse_a1(range)?, text)
            }
            Command::SetCells { sheet, at, cells } => {
                self.set_cells(self.sheet(*sheet)?, CellAddress::parse_a1(at)?, cells)
            }
            Command::AppendRows { sheet, rows } => {
                self.grown(*sheet, self.append_rows(self.sheet(*sheet)?, rows)?)
            }
            Command::Clear { sheet, range, what } => {
                Ok(self.clear(self.sheet(*sheet)?, Range::parse_a1(range)?, *what))
            }
            Command::CopyPaste { from_sheet, source, sheet, target, what, excluded_rows } => {
                let source = (self.sheet(*from_sheet)?, Range::parse_a1(source)?);
                let target = (self.sheet(*sheet)?, Range::parse_a1(target)?);
                match excluded_rows.as_slice() {
                    [] => self.copy(source, target, *what, new_sheet),
                    excluded_rows => {
                        self.copy_without_excluded_rows(source, target, *what, excluded_rows, new_sheet)
                    }
                }
            }
            Command::CopyToNewSheet { from_sheet, source, excluded_rows, position } => {
                let source = (self.sheet(*from_sheet)?, Range::parse_a1(source)?);
                self.copy_to_new_sheet(source, excluded_rows, *position, new_sheet)
            }
            Command::CutPaste { from_sheet, source, sheet, target } => {
                let (from, source) = (self.sheet(*from_sheet)?, Range::parse_a1(source)?);
                let (to, target) = (self.sheet(*sheet)?, Range::parse_a1(target)?);
                self.cut_paste((from, source), (to, target.first()), new_sheet)
            }
            Command::PasteText { sheet, target, text } => {
                self.grown(*sheet, self.paste_text(self.sheet(*sheet)?, Range::parse_a1(target)?, text)?)
            }
            Command::Fill { sheet, source, target, mode } => {
                let (source, target) = (Range::parse_a1(source)?, Range::parse_a1(target)?);
                self.fill(self.sheet(*sheet)?, source, target, *mode)
            }
            Command::FillDown { sheet, range } => {
                self.fill_from_edge(self.sheet(*sheet)?, Range::parse_a1(range)?, Dimension::Rows)
            }
            Command::FillRight { sheet, range } => {
                self.fill_from_edge(self.sheet(*sheet)?, Range::parse_a1(range)?, Dimension::Columns)
            }
            Command::InsertRows { sheet, at, count } => {
                self.restructure(self.sheet(*sheet)?, Dimension::Rows, EditKind::Insert, (*at, *count))
            }
            Command::DeleteRows { sheet, at, count } => {
                self.restructure(self.sheet(*sheet)?, Dimension::Rows, EditKind::Delete, (*at, *count))
            }
            Command::InsertColumns { sheet, at, count } => {
                self.restructure(self.sheet(*sheet)?, Dimension::Columns, EditKind::Insert, (*at, *count))
            }
            Command::DeleteColumns { sheet, at, count } => {
                self.restructure(self.sheet(*sheet)?, Dimension::Columns, EditKind::Delete, (*at, *count))
            }
            Command::MoveDimension { sheet, dimension, first, count, to } => {
                self.move_dimension(self.sheet(*sheet)?, (*dimension).into(), (*first, *count), *to)
            }
            Command::Resize { sheet, dimension, first, count, size } => Ok(vec![Operation::SetSizes {
                sheet: self.sheet(*sheet)?.id(),
                dimension: (*dimension).into(),
                first: *first,
                count: *count,
                size: *size,
            }]),
            Command::Sort { sheet, range, keys, has_header } => {
                let (sheet, range) = (self.sheet(*sheet)?, Range::parse_a1(range)?);
                if let Some((_, merged)) = merge::merges_in(sheet, range).next() {
                    return Err(CommandError::MergedCells { range: merged.to_string() });
                }
                sort::sort(sheet, range, keys, *has_header)
            }
            Command::RemoveDuplicates { sheet, range, columns, has_header } => {
                self.remove_duplicates(self.sheet(*sheet)?, Range::parse_a1(range)?, columns, *has_header)
            }
            Command::SplitText { sheet, range, separator } => {
                self.split_text(self.sheet(*sheet)?, Range::parse_a1(range)?, separator)
            }
            Command::TrimWhitespace { sheet, range } => {
                self.trim_whitespace(self.sheet(*sheet)?, Range::parse_a1(range)?)
            }
            Command::Format { sheet, range, format } => {
                let patch = format.to_patch()?;
                Ok(self.format(self.sheet(*sheet)?, Range::parse_a1(range)?, patch))
            }
            Command::Toggle { sheet, range, attribute, active } => {
                let range = Range::parse_a1(range)?;
                let active = match active {
                    Some(active) => CellAddress::parse_a1(active)?,
                    None => range.first(),
                };
                Ok(formats::toggle(self.sheet(*sheet)?, range, *attribute, active))
            }
            Command::AddSheet { name, position } => self.add_sheet(name.as_deref(), *position, new_sheet),
            Command::RenameSheet { sheet, name } => self.rename_sheet(self.sheet(*sheet)?, name),
            Command::MoveSheet { sheet, position } => {
                Ok(vec![Operation::MoveSheet { sheet: self.sheet(*sheet)?.id(), position: *position }])
            }
            Command::DuplicateSheet { sheet, name } => {
                self.duplicate_sheet(self.sheet(*sheet)?, name.as_deref(), new_sheet)
            }
            Command::RemoveSheet { sheet } => self.remove_sheet(self.sheet(*sheet)?),
            Command::DefineName { name, definition, sheet, local, was } => {
                let name = self.scoped(name, *local, *sheet)?;
                let plan = self.define_name(&name, definition.as_deref(), self.sheet(*sheet)?)?;
                match was {
                    Some(was) => self.rename(&self.scoped(was, *local, *sheet)?, &name, plan),
                    None => Ok(plan),
                }
            }
            Command::SetItem { sheet, item, kind, anchors, fields } => {
                let change = items::Change { kind: kind.as_deref(), anchors: anchors.as_deref(), fields };
                self.set_item(self.item_container(*sheet)?, *item, change, new_sheet)
            }
            Command::RemoveItem { sheet, item } => self.remove_item(self.item_container(*sheet)?, *item),
            Command::MoveChart { sheet, item, to_sheet, own_sheet } => {
                self.move_chart(self.sheet(*sheet)?, *item, to_sheet, *own_sheet, new_sheet)
            }
            Command::Merge { sheet, range, how } => {
                self.merge(self.sheet(*sheet)?, Range::parse_a1(range)?, *how, new_sheet)
            }
            Command::Unmerge { sheet, range } => {
                Ok(merge::unmerge(self.sheet(*sheet)?, Range::parse_a1(range)?))
            }
            Command::FreezePanes { sheet, rows, columns } => {
                Ok(items::freeze(self.sheet(*sheet)?.id(), *rows, *columns))
            }
            Command::SetHidden { sheet, dimension, first, count, hidden } => Ok(vec![Operation::SetHidden {
                sheet: self.sheet(*sheet)?.id(),
                dimension: (*dimension).into(),
                first: *first,
                count: *count,
                is_hidden: *hidden,
            }]),
            Command::FilterBySlicer { sheet, item, view, shown, from, to } => {
                let selection =
                    slicers::Selection { shown: shown.as_deref(), from: from.as_deref(), to: to.as_deref() };
                self.filter_by_slicer(self.sheet(*sheet)?.id(), *item, *view, selection, new_sheet)
            }
            Command::Suggest { command, fields } => self.suggest(command, fields, new_sheet),
            Command::AcceptSuggestions { sheet, items } => {
                self.answer_suggestions(self.sheet(*sheet)?, items, true)
            }
            Command::RejectSuggestions { sheet, items } => {
                self.answer_suggestions(self.sheet(*sheet)?, items, false)
            }
            Command::Many { commands } => self.many(commands, new_sheet),
            Command::VisibleRows { sheet, from, hidden, rows, command } => {
                let sheet = self.sheet(*sheet)?.id();
                match (from, rows.as_slice()) {
                    (Some(first), [_, ..]) => {
                        self.plan_for_listed_rows(sheet, *first, rows, command, new_sheet)
                    }
                    _ => {
                        let rows = VisibleRows::excluding(hidden);
                        self.plan_for_visible_rows(sheet, *from, &rows, command, new_sheet)
                    }
                }
            }
        }
    }

    /// Extends tables whose row below the last is written by `plan`.
    fn grown(&self, sheet: u32, mut plan: Vec<Operation>) -> Plan {
        self.grow_tables(self.sheet(sheet)?, &mut plan);
        Ok(plan)
    }

    fn copy(
        &self,
        source: (&Sheet, Range),
        target: (&Sheet, Range),
        what: PasteScope,
        new_id: &mut dyn FnMut() -> SheetId,
    ) -> Plan {
        match what {
            PasteScope::Transposed => self.paste_transposed(source, (target.0, target.1.first()), new_id),
            _ => self.copy_paste(source, target, what, new_id),
        }
    }

    fn fill_from_edge(&self, sheet: &Sheet, range: Range, dimension: Dimension) -> Plan {
        let before = |index: u32| index.checked_sub(1).ok_or(CommandError::BadFillTarget);
        let (source, target) = match dimension {
            Dimension::Rows if range.row_count() == 1 => {
                let source = with_first_row(range, before(range.first().row.get())?);
                (source, source.union(range))
            }
            Dimension::Rows => (with_first_row(range, range.first().row.get()), range),
            Dimension::Columns if range.column_count() == 1 => {
                let source = with_first_column(range, before(range.first().column.get())?);
                (source, source.union(range))
            }
            Dimension::Columns => (with_first_column(range, range.first().column.get()), range),
        };
        self.fill(sheet, source, target, FillMode::Copy)
    }
}
