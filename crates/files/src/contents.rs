//! What was read from a file, before it becomes a workbook: cells in columns, formulas still as text.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use quadrille_cell::{CellAddress, ColumnIndex, Range, RowIndex, Value};
use quadrille_operation::{ItemValue, print_color};
use quadrille_workbook::{Color, Field, Format, ItemKind};

use crate::error::{FileError, FileErrorCode};
use crate::images::Images;
use crate::limits::{
    CELLS_MAX, COLUMNS_MAX, FORMAT_RANGES_MAX, ITEMS_MAX, ROWS_MAX, SHEETS_MAX, TEXT_LENGTH_MAX,
};

#[derive(Default)]
pub(crate) struct Contents {
    pub sheets: Vec<SheetContents>,
    /// The workbook's own.
    pub settings: FieldTexts,
    /// Name and definition, the latter without `=`.
    pub names: Vec<(String, String)>,
    /// What the file holds and we left out, in words.
    pub warnings: Vec<String>,
    pub images: Images,
    cells: u64,
    texts: TextPool,
}

#[derive(Default)]
pub(crate) struct SheetContents {
    pub name: String,
    pub columns: Vec<ColumnContents>,
    pub formulas: Vec<FormulaCell>,
    /// Formulas that several cells share, in the form they have at their first cell.
    pub shared_formulas: Vec<(CellAddress, String)>,
    /// Later ones win where they overlap.
    pub formats: Vec<(Range, Format)>,
    /// First index, count, CSS pixels.
    pub column_widths: Vec<(u32, u32, u16)>,
    pub row_heights: Vec<(u32, u32, u16)>,
    /// First index and count.
    pub hidden_columns: Vec<(u32, u32)>,
    pub hidden_rows: Vec<(u32, u32)>,
    /// The sheet's own settings.
    pub settings: FieldTexts,
    pub items: Vec<ItemContents>,
}

/// Something of a sheet that is not a cell. Formulas are texts until all sheets are known.
pub(crate) struct ItemContents {
    pub kind: ItemKind,
    pub anchors: Vec<Range>,
    pub fields: FieldTexts,
    /// Place in [`SheetContents::items`] of what this belongs to.
    pub parent: Option<usize>,
}

/// Fields as our JSON has them.
#[derive(Default, Clone)]
pub(crate) struct FieldTexts(pub BTreeMap<String, ItemValue>);

impl FieldTexts {
    pub fn put(&mut self, field: Field, value: ItemValue) {
        self.0.insert(field.name().to_owned(), value);
    }

    pub fn text(&mut self, field: Field, text: Option<impl Into<String>>) {
        if let Some(text) = text.map(Into::into).filter(|text: &String| !text.is_empty()) {
            self.put(field, ItemValue::Text(text));
        }
    }

    pub fn number(&mut self, field: Field, number: Option<f64>) {
        if let Some(number) = number.filter(|number| number.is_finite()) {
            self.put(field, ItemValue::Number(number));
        }
    }

    /// Only when it is given and differs from what holds without it.
    pub fn flag(&mut self, field: Field, flag: Option<bool>, default: bool) {
        if let Some(flag) = flag.filter(|flag| *flag != default) {
            self.put(field, ItemValue::Boolean(flag));
        }
    }

    pub fn color(&mut self, field: Field, color: Option<Color>) {
        self.text(field, color.map(print_color));
    }
}

pub(crate) struct FormulaCell {
    pub cell: CellAddress,
    pub source: FormulaSource,
}

pub(crate) enum FormulaSource {
    /// Without `=`.
    Text(Box<str>),
    /// The same, from before arrays spilled: ranges give one value where one is wanted.
    #[cfg(feature = "xlsx")]
    Legacy(Box<str>),
    /// Index into [`SheetContents::shared_formulas`], which are all from before arrays spilled.
    Shared(usize),
}

/// Runs of neighbouring rows, in order of rows.
#[derive(Default)]
pub(crate) struct ColumnContents {
    pub runs: Vec<ValueRun>,
}

pub(crate) struct ValueRun {
    pub first_row: u32,
    pub values: RunValues,
}

/// Most columns are numbers throughout; those are kept in 8 bytes each.
pub(crate) enum RunValues {
    Numbers(Vec<f64>),
    Mixed(Vec<Value>),
}

/// A hole of up to this many rows is filled with blanks: a new run costs as much.
const GAP_FILLED_MAX: u32 = 8;

impl Contents {
    pub fn add_sheet(&mut self, name: impl Into<String>) -> Result<&mut SheetContents, FileError> {
        if self.sheets.len() >= SHEETS_MAX {
            return Err(FileError::new(
                FileErrorCode::TooManySheets,
                format!("more than {SHEETS_MAX} sheets"),
            ));
        }
        self.sheets.push(SheetContents { name: name.into(), ..SheetContents::default() });
        Ok(self.sheets.last_mut().expect("one was pushed"))
    }

    /// Puts a value into the sheet added last. Rows come in ascending order in every sound file; when one comes
    /// again or late, it starts a run of its own, and the later value wins.
    pub fn put(&mut self, row: u32, column: u32, value: Value) -> Result<(), FileError> {
        self.check_position(row, column)?;
        self.cells += 1;
        if self.cells > CELLS_MAX {
            let reason = format!("more than {CELLS_MAX} cells with content");
            return Err(FileError::new(FileErrorCode::TooManyCells, reason).at(row + 1, column + 1));
        }
        let sheet = self.sheets.last_mut().expect("a sheet is added before its cells");
        if sheet.columns.len() <= column as usize {
            sheet.columns.resize_with(column as usize + 1, ColumnContents::default);
        }
        sheet.columns[column as usize].push(row, value);
        Ok(())
    }

    /// As [`put`](Contents::put); equal texts share their bytes.
    pub fn put_text(&mut self, row: u32, column: u32, text: &str) -> Result<(), FileError> {
        self.check_text(row, column, text)?;
        let text = self.texts.shared(text);
        self.put(row, column, Value::Text(text))
    }

    /// As [`put_text`](Contents::put_text), for texts that are shared already.
    #[cfg_attr(not(feature = "xlsx"), allow(dead_code))]
    pub fn put_shared_text(&mut self, row: u32, column: u32, text: &Arc<str>) -> Result<(), FileError> {
        self.check_text(row, column, text)?;
        self.put(row, column, Value::Text(text.clone()))
    }

    pub fn put_formula(&mut self, row: u32, column: u32, source: FormulaSource) -> Result<(), FileError> {
        let cell = self.check_position(row, column)?;
        self.cells += 1;
        if self.cells > CELLS_MAX {
            let reason = format!("more than {CELLS_MAX} cells with content");
            return Err(FileError::new(FileErrorCode::TooManyCells, reason).at(row + 1, column + 1));
        }
        let sheet = self.sheets.last_mut().expect("a sheet is added before its cells");
        sheet.formulas.push(FormulaCell { cell, source });
        Ok(())
    }

    pub fn put_format(&mut self, range: Range, format: Format) -> Result<(), FileError> {
        let sheet = self.sheets.last_mut().expect("a sheet is added before its formats");
        if sheet.formats.len() >= FORMAT_RANGES_MAX {
            let reason = format!("more than {FORMAT_RANGES_MAX} ranges with a format of their own");
            return Err(
                FileError::new(FileErrorCode::TooManyCells, reason).at_row(range.first().row.get() + 1)
            );
        }
        sheet.formats.push((range, format));
        Ok(())
    }

    /// Puts an item into the sheet added last, and yields its place. More than a sheet holds are left out, and
    /// the file's report says so.
    pub fn put_item(&mut self, item: ItemContents) -> usize {
        let sheet = self.sheets.last_mut().expect("a sheet is added before its items");
        if sheet.items.len() >= ITEMS_MAX {
            self.warn(format!("left out: items beyond {ITEMS_MAX} of one sheet"));
            return ITEMS_MAX;
        }
        sheet.items.push(item);
        sheet.items.len() - 1
    }

    /// Each warning is said once.
    pub fn warn(&mut self, warning: String) {
        if !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }

    fn check_position(&self, row: u32, column: u32) -> Result<CellAddress, FileError> {
        match (RowIndex::new(row), ColumnIndex::new(column)) {
            (Some(row), Some(column)) => Ok(CellAddress { row, column }),
            (None, _) => {
                let reason = format!("a sheet has {ROWS_MAX} rows, and this file has more");
                Err(FileError::new(FileErrorCode::TooManyRows, reason).at_row(row.saturating_add(1)))
            }
            (_, None) => {
                let reason = format!("a sheet has {COLUMNS_MAX} columns, and this row has more");
                Err(FileError::new(FileErrorCode::TooManyColumns, reason).at_row(row + 1))
            }
        }
    }

    fn check_text(&self, row: u32, column: u32, text: &str) -> Result<(), FileError> {
        // Bytes are never fewer than characters, so most texts need no counting.
        if text.len() <= TEXT_LENGTH_MAX || text.chars().count() <= TEXT_LENGTH_MAX {
            return Ok(());
        }
        let reason = format!("a cell holds {TEXT_LENGTH_MAX} characters, and this text is longer");
        Err(FileError::new(FileErrorCode::TextTooLong, reason).at(row + 1, column + 1))
    }
}

impl ColumnContents {
    fn push(&mut self, row: u32, value: Value) {
        if let Some(run) = self.runs.last_mut() {
            let next = run.first_row + run.values.len() as u32;
            if row >= next && row - next <= GAP_FILLED_MAX {
                for _ in next..row {
                    run.values.push(Value::Blank);
                }
                run.values.push(value);
                return;
            }
        }
        let mut values = RunValues::Numbers(Vec::new());
        values.push(value);
        self.runs.push(ValueRun { first_row: row, values });
    }
}

impl RunValues {
    pub fn len(&self) -> usize {
        match self {
            RunValues::Numbers(numbers) => numbers.len(),
            RunValues::Mixed(values) => values.len(),
        }
    }

    fn push(&mut self, value: Value) {
        match (&mut *self, value) {
            (RunValues::Numbers(numbers), Value::Number(number)) => numbers.push(number),
            (RunValues::Mixed(values), value) => values.push(value),
            (RunValues::Numbers(numbers), value) => {
                let mut values: Vec<Value> = numbers.drain(..).map(Value::Number).collect();
                values.push(value);
                *self = RunValues::Mixed(values);
            }
        }
    }
}

/// Equal short texts are stored once: a column of country names has few different ones.
#[derive(Default)]
struct TextPool {
    texts: HashMap<Box<str>, Arc<str>>,
}

impl TextPool {
    /// Beyond this many different texts sharing stops paying for its memory.
    const TEXTS_MAX: usize = 65_536;
    const LENGTH_MAX: usize = 64;

    fn shared(&mut self, text: &str) -> Arc<str> {
        if text.len() > TextPool::LENGTH_MAX {
            return text.into();
        }
        if let Some(shared) = self.texts.get(text) {
            return shared.clone();
        }
        let shared: Arc<str> = text.into();
        if self.texts.len() < TextPool::TEXTS_MAX {
            self.texts.insert(text.into(), shared.clone());
        }
        shared
    }
}

/// Collects the formats of cells read row by row into runs down each column, so that a column of like cells
/// is one range.
pub(crate) struct FormatRuns<K> {
    open: Vec<Option<(u32, u32, K)>>,
}

impl<K: Copy + PartialEq> FormatRuns<K> {
    pub fn new() -> FormatRuns<K> {
        FormatRuns { open: Vec::new() }
    }

    /// Cell (`row`, `column`) looks like `key`; returns the run that this ends.
    pub fn put(&mut self, row: u32, column: u32, key: K) -> Option<(Range, K)> {
        if self.open.len() <= column as usize {
            self.open.resize_with(column as usize + 1, || None);
        }
        let slot = &mut self.open[column as usize];
        match slot {
            Some((_, last, open)) if *open == key && *last + 1 == row => {
                *last = row;
                None
            }
            _ => slot.replace((row, row, key)).and_then(|run| FormatRuns::range(run, column)),
        }
    }

    /// The runs still open, by column.
    pub fn finish(self) -> Vec<(Range, K)> {
        let open = self.open.into_iter().enumerate();
        open.filter_map(|(column, run)| FormatRuns::range(run?, column as u32)).collect()
    }

    fn range((first, last, key): (u32, u32, K), column: u32) -> Option<(Range, K)> {
        Range::from_indices(first, column, last, column).map(|range| (range, key))
    }
}
