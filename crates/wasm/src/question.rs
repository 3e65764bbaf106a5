//! Answers to what the page asks about cells.

use quadrille_cell::{CellAddress, ColumnIndex, Range, SheetId, Value};
use quadrille_document::{Direction, Document};
use quadrille_functions::Category;
use quadrille_operation::FormatChange;
use quadrille_workbook::{Format, Sheet, Slice};

use crate::clipboard;
use crate::messages::{
    CellDetails, CellPosition, CopiedText, FunctionDetails, Question, RangePosition, Summary,
};
use crate::to_json;

/// Texts of a column that are compared when its width is fitted.
const CELLS_MEASURED_MAX: usize = 10_000;
const LONGEST_TEXTS: usize = 8;

pub fn answer(document: &Document, question: &Question) -> Vec<u8> {
    match question {
        Question::Cell { sheet, cell } => to_json(&details(document, SheetId(*sheet), (*cell).into())),
        Question::Summarize { sheet, ranges } => to_json(&summarize(document, SheetId(*sheet), ranges)),
        Question::Copy { sheet, range } => {
            let copied: CopiedText = clipboard::copy(document, SheetId(*sheet), (*range).into());
            to_json(&copied)
        }
        Question::Edge { sheet, from, direction } => {
            let edge = document.data_edge(SheetId(*sheet), (*from).into(), (*direction).into());
            to_json(&CellPosition::from(edge))
        }
        Question::Used { sheet } => {
            let used = document.workbook().sheet(SheetId(*sheet)).and_then(Sheet::used_range);
            let first = CellAddress::clamped(0, 0);
            to_json(&RangePosition::from(used.unwrap_or(Range::cell(first))))
        }
        Question::Region { sheet, cell } => {
            to_json(&RangePosition::from(region(document, SheetId(*sheet), (*cell).into())))
        }
        Question::LongestTexts { sheet, column } => {
            to_json(&longest_texts(document, SheetId(*sheet), ColumnIndex::clamped(*column)))
        }
        Question::Functions => to_json(&functions()),
    }
}

fn details(document: &Document, sheet: SheetId, cell: CellAddress) -> CellDetails {
    let found = document.workbook().sheet(sheet);
    let format = found.map_or_else(Format::default, |sheet| sheet.format(cell).clone());
    CellDetails { edit_text: document.edit_text(sheet, cell), format: FormatChange::from(&format) }
}

fn summarize(document: &Document, sheet: SheetId, ranges: &[RangePosition]) -> Summary {
    let mut figures = Figures::default();
    let mut first_number = None;
    if let Some(sheet) = document.workbook().sheet(sheet) {
        for range in ranges {
            let range = Range::from(*range);
            for (column, cells) in sheet.columns_in(range) {
                for (row, slice) in cells.slices(range.first().row.get(), range.last().row.get()) {
                    let number_at = figures.take(slice);
                    if let (None, Some(index)) = (&first_number, number_at) {
                        let cell = CellAddress::clamped(row + index, column.get());
                        first_number = Some(sheet.format(cell).clone());
                    }
                }
            }
        }
    }
    let format = first_number.unwrap_or_default();
    let show = |number: f64| document.display_value(&Value::number(number), &format).text;
    Summary {
        filled: figures.filled as f64,
        numbers: figures.numbers as f64,
        sum: show(figures.sum),
        average: show(figures.sum / figures.numbers.max(1) as f64),
        minimum: show(figures.minimum),
        maximum: show(figures.maximum),
    }
}

struct Figures {
    filled: u64,
    numbers: u64,
    sum: f64,
    minimum: f64,
    maximum: f64,
}

impl Default for Figures {
    fn default() -> Figures {
        Figures { filled: 0, numbers: 0, sum: 0.0, minimum: f64::INFINITY, maximum: f64::NEG_INFINITY }
    }
}

impl Figures {
    /// Where in the slice the first number stands.
    fn take(&mut self, slice: Slice<'_>) -> Option<u32> {
        match slice {
            Slice::Numbers(numbers) => {
                self.filled += numbers.len() as u64;
                numbers.iter().for_each(|number| self.take_number(*number));
                (!numbers.is_empty()).then_some(0)
            }
            Slice::Mixed(mixed) => {
                let mut first = None;
                for index in 0..mixed.len() {
                    let value = mixed.get(index);
                    self.filled += u64::from(!value.is_blank());
                    if let Value::Number(number) = value {
                        self.take_number(number);
                        first = first.or(Some(index as u32)); // a slice lies within a block
                    }
                }
                first
            }
        }
    }

    fn take_number(&mut self, number: f64) {
        self.numbers += 1;
        self.sum += number;
        self.minimum = self.minimum.min(number);
        self.maximum = self.maximum.max(number);
    }
}

/// The block of filled cells round `cell`, bounded by blank rows and columns or the sheet's edges; `cell` alone
/// when nothing round it is filled.
fn region(document: &Document, sheet: SheetId, cell: CellAddress) -> Range {
    let Some(found) = document.workbook().sheet(sheet) else { return Range::cell(cell) };
    let mut region = Range::cell(cell);
    loop {
        let grown = grow(document, found, region);
        if grown == region {
            return region;
        }
        region = grown;
    }
}

/// `region` with what is filled right beside it, corners included; a filled column is followed to its end.
fn grow(document: &Document, sheet: &Sheet, region: Range) -> Range {
    let (first, last) = (region.first(), region.last());
    let (top, left) = (first.row.get().saturating_sub(1), first.column.get().saturating_sub(1));
    let around = Range::new(
        CellAddress::clamped(top, left),
        CellAddress::clamped(last.row.get() + 1, last.column.get() + 1),
    );
    let mut grown = region;
    for border in around.subtract(region) {
        let Some(filled) = filled_in(sheet, border) else { continue };
        grown = grown.union(filled);
        for (end, direction) in [(filled.first(), Direction::Up), (filled.last(), Direction::Down)] {
            let edge = document.data_edge(sheet.id(), end, direction);
            // From the last filled cell of a column the edge leaps over blank ones.
            let next = Range::new(end, edge);
            if is_filled_throughout(sheet, next) {
                grown = grown.union(next);
            }
        }
    }
    grown
}

/// The smallest range that holds every filled cell of `range`.
fn filled_in(sheet: &Sheet, range: Range) -> Option<Range> {
    let mut found: Option<Range> = None;
    for (cell, _) in sheet.inputs_in(range) {
        found = Some(found.map_or(Range::cell(cell), |found| found.union(Range::cell(cell))));
    }
    for (column, cells) in sheet.columns_in(range) {
        for spilled in cells.spilled().iter_in(range.first().row.get(), range.last().row.get()) {
            let ends = Range::new(
                CellAddress::clamped(spilled.first, column.get()),
                CellAddress::clamped(spilled.last, column.get()),
            );
            found = Some(found.map_or(ends, |found| found.union(ends)));
        }
    }
    found
}

fn is_filled_throughout(sheet: &Sheet, column_part: Range) -> bool {
    let (first, last) = (column_part.first().row.get(), column_part.last().row.get());
    let Some(column) = sheet.column(column_part.first().column) else { return false };
    let mut next = first;
    for (row, slice) in column.slices(first, last) {
        let is_blank_inside = match slice {
            Slice::Numbers(_) => false,
            Slice::Mixed(mixed) => (0..mixed.len()).any(|index| mixed.get(index).is_blank()),
        };
        if row != next || is_blank_inside {
            return false;
        }
        next = row + slice.len() as u32; // a slice lies within a block
    }
    next > last
}

fn longest_texts(document: &Document, sheet: SheetId, column: ColumnIndex) -> Vec<String> {
    let Some(found) = document.workbook().sheet(sheet) else { return Vec::new() };
    let Some(cells) = found.column(column) else { return Vec::new() };
    let (first, last) = cells.extent().unwrap_or((0, 0));
    let rows = cells.slices(first, last).flat_map(|(row, slice)| row..row + slice.len() as u32);
    let mut texts: Vec<String> = rows
        .take(CELLS_MEASURED_MAX)
        .map(|row| document.display(sheet, CellAddress::clamped(row, column.get())).text)
        .filter(|text| !text.is_empty())
        .collect();
    texts.sort_by_key(|text| std::cmp::Reverse(text.chars().count()));
    texts.dedup();
    texts.truncate(LONGEST_TEXTS);
    texts
}

fn functions() -> Vec<FunctionDetails> {
    let details = |function: &quadrille_functions::Function| FunctionDetails {
        name: function.name.to_owned(),
        arguments: function.arguments.to_owned(),
        category: category_name(function.category).to_owned(),
        summary: function.summary.to_owned(),
    };
    quadrille_functions::all().iter().map(details).collect()
}

fn category_name(category: Category) -> &'static str {
    match category {
        Category::Mathematics => "Mathematics",
        Category::Statistics => "Statistics",
        Category::Logical => "Logical",
        Category::Information => "Information",
        Category::Text => "Text",
        Category::DateAndTime => "Date and time",
        Category::Lookup => "Lookup",
        Category::Array => "Array",
        Category::Financial => "Financial",
    }
}
