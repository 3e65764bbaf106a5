//! Planning of commands that type, write, paste and clear cells.

use std::sync::Arc;

use quadrille_cell::{CellAddress, ROWS_MAX, Range, SheetId, SmallMap};
use quadrille_workbook::{Format, FormatPatch, Input, Sheet};

use super::entry::Entry;
use super::filled_cells::removed_pivot_tables;
use super::formula_format::ImpliedFormats;
use super::tsv;
use crate::plan::planner::{Plan, Planner};
use crate::plan::ranges::block_at;
use crate::{CellContent, ClearScope, CommandError, Operation};

impl Planner<'_> {
    /// Plans a block of typed texts.
    pub fn type_texts(&self, sheet: &Sheet, at: CellAddress, texts: &[Vec<String>]) -> Plan {
        self.write_block(sheet, at, texts, |sheet, cell, text| self.typed(sheet, cell, text).map(Some))
    }

    /// Plans a block of contents.
    pub fn set_cells(&self, sheet: &Sheet, at: CellAddress, cells: &[Vec<CellContent>]) -> Plan {
        self.write_block(sheet, at, cells, |sheet, cell, content| self.content(sheet, cell, content))
    }

    /// Plans rows below the last used row.
    pub fn append_rows(&self, sheet: &Sheet, rows: &[Vec<CellContent>]) -> Plan {
        if rows.is_empty() {
            return Ok(vec![]);
        }
        let row = sheet.used_range().map_or(0, |used| used.last().row.get() + 1);
        if row >= ROWS_MAX {
            return Err(CommandError::OutsideSheet);
        }
        self.set_cells(sheet, CellAddress::clamped(row, 0), rows)
    }

    /// Plans one text typed into every cell of a range.
    pub fn type_everywhere(&self, sheet: &Sheet, range: Range, text: &str) -> Plan {
        let entry = self.typed(sheet, self.mapped_cell(range.first()), text)?;
        let mut plan = vec![Operation::FillCells { sheet: sheet.id(), range, input: entry.input }];
        if let Some(code) = entry.number_format
            && sheet.format(self.mapped_cell(range.first())).number_format.is_none()
        {
            plan.push(set_number_format(sheet.id(), range, code));
        }
        Ok(plan)
    }

    /// Pastes text. A single text fills the whole target; a block is repeated if the target is a
    /// multiple of it.
    pub fn paste_text(&self, sheet: &Sheet, target: Range, text: &str) -> Plan {
        let mut texts = tsv::read(text);
        let width = texts.iter().map(Vec::len).max().unwrap_or(0);
        for row in &mut texts {
            row.resize(width, String::new());
        }
        if texts.is_empty() || width == 0 {
            return Ok(vec![]);
        }
        let (rows, columns) = (target.row_count() as usize, target.column_count() as usize);
        if texts.len() == 1 && width == 1 && target.cell_count() > 1 {
            return self.type_everywhere(sheet, target, &texts[0][0]);
        }
        let is_multiple = rows.is_multiple_of(texts.len()) && columns.is_multiple_of(width);
        let is_repeated = is_multiple && (rows, columns) != (texts.len(), width);
        if is_repeated {
            self.check_cells(target.cell_count())?;
            texts = (0..rows)
                .map(|row| {
                    let source = &texts[row % texts.len()];
                    (0..columns).map(|column| source[column % width].clone()).collect()
                })
                .collect();
        }
        self.type_texts(sheet, target.first(), &texts)
    }

    /// Plans the clearing of contents, formats or both. Pivot tables whose cells are all cleared are
    /// removed, except in the visible rows of a filtered sheet.
    pub fn clear(&self, sheet: &Sheet, range: Range, what: ClearScope) -> Vec<Operation> {
        let contents = Operation::FillCells { sheet: sheet.id(), range, input: Input::Blank };
        let patch = FormatPatch::replacing_with(&Format::default());
        let formats = Operation::SetFormat { sheet: sheet.id(), range, patch };
        let mut plan = match what {
            ClearScope::Contents => vec![contents],
            ClearScope::Formats => return vec![formats],
            ClearScope::All => vec![contents, formats],
        };
        if self.row_mapping.is_none() {
            plan.extend(removed_pivot_tables(sheet, range));
        }
        plan
    }

    /// Writes a block of contents. Rows may have unequal lengths; cells beyond the end of a row do
    /// not change.
    fn write_block<T>(
        &self,
        sheet: &Sheet,
        at: CellAddress,
        rows: &[Vec<T>],
        read: impl Fn(&Sheet, CellAddress, &T) -> Result<Option<Entry>, CommandError>,
    ) -> Plan {
        let width = rows.iter().map(Vec::len).max().unwrap_or(0);
        if rows.is_empty() || width == 0 {
            return Ok(vec![]);
        }
        let range = block_at(at, rows.len(), width)?;
        self.check_cells(range.cell_count())?;
        let grown = self.with_growth(sheet, range);
        let sheet = &*grown;
        let mut entries: Vec<Option<Entry>> = Vec::with_capacity(rows.len() * width);
        for (row, cells) in (at.row.get()..).zip(rows) {
            for (column, content) in (at.column.get()..).zip(cells) {
                entries.push(read(sheet, self.mapped_cell(CellAddress::clamped(row, column)), content)?);
            }
            entries.resize((row - at.row.get() + 1) as usize * width, None);
        }
        self.imply_formats_of_formulas(sheet, range, &mut entries);
        let mut codes = NumberFormats::default();
        for (cell, entry) in range.cells().zip(&entries) {
            let Some(entry) = entry.as_ref().filter(|entry| entry.input != Input::Blank) else { continue };
            let is_general = sheet.format(self.mapped_cell(cell)).number_format.is_none();
            codes.add(cell, entry.number_format.clone().filter(|_| is_general));
        }
        let inputs = entries.into_iter().map(|entry| entry.map(|entry| entry.input)).collect();
        let mut plan = write_inputs(sheet.id(), range, inputs);
        plan.extend(codes.operations(sheet.id()));
        Ok(plan)
    }

    /// Gives formulas the formats of values that are written with them, and of each other.
    fn imply_formats_of_formulas(&self, sheet: &Sheet, range: Range, entries: &mut [Option<Entry>]) {
        /// The first pass finds formats above and to the left, the second those of totals below.
        const PASSES: usize = 2;
        let mut implied = ImpliedFormats::default();
        for (cell, entry) in range.cells().zip(&*entries) {
            if let Some(code) = entry.as_ref().and_then(|entry| entry.number_format.clone()) {
                implied.insert(self.mapped_cell(cell), code);
            }
        }
        if implied.is_empty() {
            return;
        }
        for _ in 0..PASSES {
            for (cell, entry) in range.cells().zip(&mut *entries) {
                let Some(Entry { input: Input::Formula(template), number_format: format @ None }) = entry
                else {
                    continue;
                };
                let cell = self.mapped_cell(cell);
                *format = self.formula_format(sheet, cell, template, Some(&implied));
                if let Some(code) = format {
                    implied.insert(cell, code.clone());
                }
            }
        }
    }
}

/// Returns one operation, or one for each span of a row if some cells are left unchanged.
fn write_inputs(sheet: SheetId, range: Range, inputs: Vec<Option<Input>>) -> Vec<Operation> {
    if inputs.iter().all(Option::is_some) {
        let inputs = inputs.into_iter().flatten().collect();
        return vec![Operation::SetCells { sheet, range, inputs }];
    }
    let mut plan: Vec<Operation> = Vec::new();
    let mut open: Option<(CellAddress, Vec<Input>)> = None;
    let close = |plan: &mut Vec<Operation>, open: &mut Option<(CellAddress, Vec<Input>)>| {
        if let Some((first, inputs)) = open.take() {
            let last = CellAddress::clamped(first.row.get(), first.column.get() + inputs.len() as u32 - 1);
            plan.push(Operation::SetCells { sheet, range: Range::new(first, last), inputs });
        }
    };
    for (cell, input) in range.cells().zip(inputs) {
        if cell.column == range.first().column {
            close(&mut plan, &mut open);
        }
        match (input, &mut open) {
            (Some(input), Some((_, inputs))) => inputs.push(input),
            (Some(input), None) => open = Some((cell, vec![input])),
            (None, _) => close(&mut plan, &mut open),
        }
    }
    close(&mut plan, &mut open);
    plan
}

/// Number formats implied by typed texts, as vertical runs that continue across blanks.
#[derive(Default)]
struct NumberFormats {
    runs: Vec<(Range, Arc<str>)>,
    /// For each column, the index of the run of its last filled cell.
    open: SmallMap<u32, usize>,
}

impl NumberFormats {
    /// Adds a cell that is not blank, in row order, with its implied format.
    fn add(&mut self, cell: CellAddress, code: Option<Arc<str>>) {
        let column = cell.column.get();
        let Some(code) = code else {
            self.open.remove(&column);
            return;
        };
        if let Some(index) = self.open.get(&column)
            && let (range, same) = &mut self.runs[*index]
            && *same == code
        {
            *range = range.union(Range::cell(cell));
            return;
        }
        self.open.insert(column, self.runs.len());
        self.runs.push((Range::cell(cell), code));
    }

    fn operations(self, sheet: SheetId) -> impl Iterator<Item = Operation> {
        self.runs.into_iter().map(move |(range, code)| set_number_format(sheet, range, code))
    }
}

fn set_number_format(sheet: SheetId, range: Range, code: Arc<str>) -> Operation {
    let patch = FormatPatch { number_format: Some(Some(code)), ..FormatPatch::default() };
    Operation::SetFormat { sheet, range, patch }
}
