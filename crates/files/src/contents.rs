//! Contents of a file before they become a workbook: values in columns, formulas as text.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use quadrille_cell::{CellAddress, ColumnIndex, Range, RowIndex, Value};
use quadrille_operation::{ItemValue, print_color};
use quadrille_workbook::{Color, Field, Format, FormatPatch, ItemId, ItemKind, TextRuns};

use crate::error::{FileError, FileErrorCode};
use crate::images::Images;
use crate::limits::{
    CELLS_MAX, COLUMNS_MAX, FORMAT_RANGES_MAX, ITEMS_MAX, RICH_TEXTS_MAX, ROWS_MAX, SHEETS_MAX,
    TEXT_LENGTH_MAX, TEXT_RUNS_MAX,
};

/// Rows that a program has fitted to their texts get their height from the file above this one, which no
/// default font of one line needs. Lower ones are left to the client, whose font is another one.
pub(crate) const ONE_LINE_POINTS: f64 = 17.25;

/// The contents of a file.
#[derive(Default)]
pub(crate) struct Contents {
    pub sheets: Vec<SheetContents>,
    /// Workbook settings.
    pub settings: FieldTexts,
    /// Defined names and their definitions without `=`.
    pub names: Vec<(String, String)>,
    /// Descriptions of defined names of the workbook.
    pub name_comments: Vec<(String, String)>,
    /// What names of sheets mean that are not in the file.
    pub other_sheets: OtherSheets,
    /// Descriptions of parts of the file that were not imported.
    pub warnings: Vec<String>,
    /// Named cell styles, which the formats of cells refer to.
    pub cell_styles: Vec<CellStyle>,
    pub images: Images,
    /// The number of shapes among them.
    pub shapes: usize,
    /// The name among the images of parts that only a written `.xlsx` file has.
    pub package_parts: Option<String>,
    cells: u64,
    texts: TextPool,
}

/// A named cell style.
#[derive(Clone)]
pub(crate) struct CellStyle {
    pub id: ItemId,
    pub name: String,
    /// The number of a built-in style of XLSX.
    pub builtin_id: Option<u8>,
    /// Whether cells keep the attributes that the format does not set when the style is applied.
    pub is_partial: bool,
    pub format: Format,
}

impl CellStyle {
    /// Makes a style. Files that have the same built-in style, or a style of the same name, give it
    /// the same id, so that it is one style in a workbook that both are imported into.
    pub fn new(name: &str, builtin_id: Option<u8>) -> CellStyle {
        // Other items of a workbook have small or random ids.
        let id = match builtin_id {
            Some(number) => BUILTIN_STYLES + u64::from(number),
            None => NAMED_STYLES + u64::from(fingerprint(&name.to_lowercase())),
        };
        let name = name.chars().take(STYLE_NAME_LENGTH_MAX).collect();
        CellStyle { id: ItemId(id), name, builtin_id, is_partial: false, format: Format::default() }
    }
}

/// The first ids of built-in styles, which the client gives them as well, and of other styles.
const BUILTIN_STYLES: u64 = 0x6274_0000_0000;
const NAMED_STYLES: u64 = 0x6373_0000_0000;
/// Characters of the name of a style in Excel.
const STYLE_NAME_LENGTH_MAX: usize = 255;

/// FNV-1a hash (Fowler, Noll, Vo).
pub(crate) fn fingerprint(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

/// What names of sheets in formulas mean that are not in the file.
#[derive(Default)]
pub(crate) enum OtherSheets {
    /// Sheets that there were once, or other workbooks in the form of formulas here.
    #[default]
    Kept,
    /// `[1]Sheet1` is in the first of these workbooks.
    #[cfg(feature = "xlsx")]
    OfWorkbooks(Vec<String>),
    /// Rooms of EtherCalc.
    Rooms,
}

impl OtherSheets {
    /// The name in the form of formulas here; `None` if it is that already.
    pub fn name(&self, written: &str) -> Option<String> {
        match self {
            OtherSheets::Kept => None,
            #[cfg(feature = "xlsx")]
            OtherSheets::OfWorkbooks(workbooks) => {
                let (number, sheet) = written.strip_prefix('[')?.split_once(']')?;
                let workbook = number.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
                // Numbers without a workbook must not name one.
                Some(match workbook.and_then(|index| workbooks.get(index)) {
                    Some(workbook) => format!("[{workbook}]{sheet}"),
                    None => sheet.to_owned(),
                })
            }
            OtherSheets::Rooms => (!written.starts_with('[')).then(|| format!("[{written}]")),
        }
    }
}

/// The contents of a sheet.
#[derive(Default)]
pub(crate) struct SheetContents {
    pub name: String,
    pub columns: Vec<ColumnContents>,
    pub formulas: Vec<FormulaCell>,
    /// Formulas that several cells share, each as it reads in its first cell.
    pub shared_formulas: Vec<(CellAddress, String)>,
    /// Where ranges overlap, the later format wins.
    pub formats: Vec<(Range, Format)>,
    /// Fonts of parts of texts.
    pub text_runs: Vec<(CellAddress, Arc<TextRuns>)>,
    /// First index, count, width in CSS pixels.
    pub column_widths: Vec<(u32, u32, u16)>,
    /// First index, count, height in CSS pixels.
    pub row_heights: Vec<(u32, u32, u16)>,
    /// Rows that a program has fitted to one line: first index and count. `None` if other rows without a height
    /// are not fitted to their texts.
    pub rows_of_one_line: Option<Vec<(u32, u32)>>,
    /// First index and count.
    pub hidden_columns: Vec<(u32, u32)>,
    pub hidden_rows: Vec<(u32, u32)>,
    /// Sheet settings.
    pub settings: FieldTexts,
    pub items: Vec<ItemContents>,
}

/// An item of a sheet. Its formulas are text until all sheets are known.
pub(crate) struct ItemContents {
    pub kind: ItemKind,
    pub anchors: Vec<Range>,
    pub fields: FieldTexts,
    /// Index in [`SheetContents::items`] of the item that this one is part of.
    pub parent: Option<usize>,
}

/// Fields of an item in the form of Quadrille's JSON.
#[derive(Default, Clone)]
pub(crate) struct FieldTexts(pub BTreeMap<String, ItemValue>);

impl FieldTexts {
    /// Sets a field.
    pub fn put(&mut self, field: Field, value: ItemValue) {
        self.0.insert(field.name().to_owned(), value);
    }

    /// Removes a field.
    pub fn remove(&mut self, field: Field) {
        self.0.remove(field.name());
    }

    /// Sets a text field, unless the text is missing or empty.
    pub fn text(&mut self, field: Field, text: Option<impl Into<String>>) {
        if let Some(text) = text.map(Into::into).filter(|text: &String| !text.is_empty()) {
            self.put(field, ItemValue::Text(text));
        }
    }

    /// Sets a number field, unless the number is missing or not finite.
    pub fn number(&mut self, field: Field, number: Option<f64>) {
        if let Some(number) = number.filter(|number| number.is_finite()) {
            self.put(field, ItemValue::Number(number));
        }
    }

    /// Sets a boolean field, unless the flag is missing or equals the default.
    pub fn flag(&mut self, field: Field, flag: Option<bool>, default: bool) {
        if let Some(flag) = flag.filter(|flag| *flag != default) {
            self.put(field, ItemValue::Boolean(flag));
        }
    }

    /// Sets a color field, unless the color is missing.
    pub fn color(&mut self, field: Field, color: Option<Color>) {
        self.text(field, color.map(print_color));
    }
}

/// A cell with a formula.
pub(crate) struct FormulaCell {
    pub cell: CellAddress,
    pub source: FormulaSource,
}

/// The text of a formula.
pub(crate) enum FormulaSource {
    /// A formula without `=`.
    Text(Box<str>),
    /// A formula without `=` that is subject to implicit intersection: it was written by a program
    /// without dynamic arrays.
    #[cfg(feature = "xlsx")]
    Legacy(Box<str>),
    /// Index into [`SheetContents::shared_formulas`], which are subject to implicit intersection.
    Shared(usize),
}

/// Runs of values in consecutive rows, in the order in which they were read.
#[derive(Default)]
pub(crate) struct ColumnContents {
    pub runs: Vec<ValueRun>,
}

/// Values of consecutive rows.
pub(crate) struct ValueRun {
    pub first_row: u32,
    pub values: RunValues,
}

/// The values of a run. Most columns contain only numbers, which take 8 bytes each.
pub(crate) enum RunValues {
    Numbers(Vec<f64>),
    Mixed(Vec<Value>),
}

/// A gap of at most this many rows is filled with blanks; a new run costs as much.
const GAP_FILLED_MAX: u32 = 8;

impl Contents {
    /// Adds a sheet. Fails with `TooManySheets`.
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

    /// Sets a value in the sheet added last. Valid files list rows in ascending order; a row that
    /// comes again or out of order starts a new run, and the later value wins. Fails with
    /// `TooManyRows`, `TooManyColumns` or `TooManyCells`.
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

    /// [`put`](Contents::put) for texts; equal short texts share their bytes. Also fails with
    /// `TextTooLong`.
    pub fn put_text(&mut self, row: u32, column: u32, text: &str) -> Result<(), FileError> {
        self.check_text(row, column, text)?;
        let text = self.texts.shared(text);
        self.put(row, column, Value::Text(text))
    }

    /// [`put_text`](Contents::put_text) for texts that are already shared.
    #[cfg_attr(not(feature = "xlsx"), allow(dead_code))]
    pub fn put_shared_text(&mut self, row: u32, column: u32, text: &Arc<str>) -> Result<(), FileError> {
        self.check_text(row, column, text)?;
        self.put(row, column, Value::Text(text.clone()))
    }

    /// Sets a formula in the sheet added last. Fails like [`put`](Contents::put).
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

    /// Sets the format of a range in the sheet added last. Fails with `TooManyCells`.
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

    /// Sets the fonts of the parts of a text in the sheet added last. `format` is that of the cell.
    /// Texts with too many parts, and too many texts, are left out with a warning.
    pub fn put_text_runs<'p>(
        &mut self,
        cell: CellAddress,
        parts: impl IntoIterator<Item = (&'p str, &'p FormatPatch)>,
        format: &Format,
    ) {
        let parts = parts.into_iter().map(|(text, font)| (text, font.differing_from(format)));
        let Some(runs) = TextRuns::from_parts(parts) else { return };
        let sheet = self.sheets.last_mut().expect("a sheet is added before its cells");
        if runs.runs().len() > TEXT_RUNS_MAX || sheet.text_runs.len() >= RICH_TEXTS_MAX {
            let (parts, texts) = (TEXT_RUNS_MAX, RICH_TEXTS_MAX);
            return self.warn(format!(
                "left out: fonts of more than {parts} parts of a text, or of more than {texts} texts"
            ));
        }
        sheet.text_runs.push((cell, Arc::new(runs)));
    }

    /// Adds an item to the sheet added last, and returns its index. Items beyond [`ITEMS_MAX`] are
    /// left out with a warning.
    pub fn put_item(&mut self, item: ItemContents) -> usize {
        let last = self.sheets.len().checked_sub(1).expect("a sheet is added before its items");
        self.put_item_of(last, item)
    }

    /// [`put_item`](Contents::put_item) for any sheet.
    pub fn put_item_of(&mut self, sheet: usize, item: ItemContents) -> usize {
        let sheet = &mut self.sheets[sheet];
        if sheet.items.len() >= ITEMS_MAX {
            self.warn(format!("left out: items beyond {ITEMS_MAX} of one sheet"));
            return ITEMS_MAX;
        }
        sheet.items.push(item);
        sheet.items.len() - 1
    }

    /// Adds a pivot table to a sheet. Its result fills `area`, whose cells become blank. Returns whether it
    /// was added.
    #[cfg(feature = "xlsx")]
    pub fn put_pivot(&mut self, sheet: usize, item: ItemContents, area: Range) -> bool {
        if self.put_item_of(sheet, item) == ITEMS_MAX {
            return false;
        }
        let sheet = &mut self.sheets[sheet];
        sheet.formulas.retain(|formula| !area.contains(formula.cell));
        let (first, last) = (area.first(), area.last());
        let columns = first.column.get() as usize..=last.column.get() as usize;
        for (column, contents) in sheet.columns.iter_mut().enumerate() {
            if columns.contains(&column) {
                contents.runs.iter_mut().for_each(|run| run.clear(first.row.get(), last.row.get()));
            }
        }
        true
    }

    /// Adds a warning unless it was added before.
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
        // A text has at least as many bytes as characters, so most texts need not be counted.
        if text.len() <= TEXT_LENGTH_MAX || text.chars().count() <= TEXT_LENGTH_MAX {
            return Ok(());
        }
        let reason = format!("a cell holds {TEXT_LENGTH_MAX} characters, and this text is longer");
        Err(FileError::new(FileErrorCode::TextTooLong, reason).at(row + 1, column + 1))
    }
}

#[cfg(feature = "xlsx")]
impl SheetContents {
    /// Number of rows of a column up to its last value.
    pub fn rows_filled(&self, column: u32) -> u32 {
        let runs = self.columns.get(column as usize).into_iter().flat_map(|column| &column.runs);
        runs.map(|run| run.first_row + run.values.len() as u32).max().unwrap_or(0)
    }

    /// The value of a cell; `None` for cells that the file does not have, and formulas.
    pub fn value(&self, row: u32, column: u32) -> Option<Value> {
        // The later of several runs wins.
        let mut runs = self.columns.get(column as usize)?.runs.iter().rev();
        runs.find_map(|run| {
            let index = row.checked_sub(run.first_row)? as usize;
            match &run.values {
                RunValues::Numbers(numbers) => numbers.get(index).copied().map(Value::Number),
                RunValues::Mixed(values) => values.get(index).cloned(),
            }
        })
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

#[cfg(feature = "xlsx")]
impl ValueRun {
    /// Makes the values in the rows `first..=last` blank.
    fn clear(&mut self, first: u32, last: u32) {
        let end = self.first_row + self.values.len() as u32;
        let (first, end) = (first.max(self.first_row), (last + 1).min(end));
        if first >= end {
            return;
        }
        if let RunValues::Numbers(numbers) = &mut self.values {
            self.values = RunValues::Mixed(numbers.drain(..).map(Value::Number).collect());
        }
        if let RunValues::Mixed(values) = &mut self.values {
            values[(first - self.first_row) as usize..(end - self.first_row) as usize].fill(Value::Blank);
        }
    }
}

impl RunValues {
    /// Number of values.
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

/// Shares equal short texts: a column of country names has few different ones.
#[derive(Default)]
struct TextPool {
    texts: HashMap<Box<str>, Arc<str>>,
}

impl TextPool {
    /// With more different texts, sharing costs more memory than it saves.
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

/// Joins the formats of cells, read row by row, to runs down each column, so that a column of cells
/// with equal formats is one range.
pub(crate) struct FormatRuns<K> {
    open: Vec<Option<(u32, u32, K)>>,
}

impl<K: Copy + PartialEq> FormatRuns<K> {
    /// Creates an empty collector.
    pub fn new() -> FormatRuns<K> {
        FormatRuns { open: Vec::new() }
    }

    /// Adds a cell with the format `key`. Returns the previous run of the column if the cell ends
    /// it.
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

    /// The unfinished runs, by column.
    pub fn finish(self) -> Vec<(Range, K)> {
        let open = self.open.into_iter().enumerate();
        open.filter_map(|(column, run)| FormatRuns::range(run?, column as u32)).collect()
    }

    fn range((first, last, key): (u32, u32, K), column: u32) -> Option<(Range, K)> {
        Range::from_indices(first, column, last, column).map(|range| (range, key))
    }
}
