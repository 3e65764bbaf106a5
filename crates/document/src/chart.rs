//! Data of charts: reads the references of series as numbers and texts.

use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::BTreeMap;

use quadrille_cell::{COLUMNS_MAX, CellAddress, Dimension, ROWS_MAX, Range, SheetId, Value};
use quadrille_formula::{BinaryOperator, Expression, Reference, SheetReference, UnaryOperator, resolve_area};
use quadrille_workbook::{Field, FieldValue, Format, ItemId, ItemKind};

use crate::Document;
use crate::chart_aggregation::{Aggregate, combine_equal_categories};
use crate::chart_series::ChartSeries;

/// Points per series; further points are ignored.
pub const POINTS_MAX: usize = 20_000;

impl Document {
    /// Returns the series of a chart with current values; `None` when there is no such chart.
    /// Hidden rows and columns are excluded unless the chart includes them: those hidden by hand,
    /// and those hidden by the filter, or by the filter view that `view` returns for a sheet
    /// instead.
    pub fn chart_series(
        &self,
        sheet: SheetId,
        chart: ItemId,
        view: &dyn Fn(SheetId) -> Option<ItemId>,
    ) -> Option<Vec<ChartSeries>> {
        let item = self.workbook().sheet(sheet)?.items().get(chart)?;
        if item.kind != ItemKind::Chart {
            return None;
        }
        let Some(FieldValue::List(series)) = item.fields.get(&Field::Series) else { return Some(Vec::new()) };
        let shows_hidden = item.fields.get(&Field::ShowsHidden) == Some(&FieldValue::Boolean(true));
        let cells = ChartCells { document: self, sheet, view, shows_hidden, filtered: RefCell::default() };
        let mut read: Vec<ReadSeries> = series.iter().filter_map(|one| cells.series(one)).collect();
        // Totals of a pivot table are not beside what they add up.
        if read.iter().any(|one| !one.is_total) {
            read.retain(|one| !one.is_total);
        }
        let (mut series, formats): (Vec<ChartSeries>, Vec<Option<Format>>) =
            read.into_iter().map(|one| (one.series, one.number_format)).unzip();
        if series.iter().all(|one| one.dates.is_some()) {
            series.iter_mut().for_each(sort_by_date);
        }
        let Some(aggregate) = item.text(Field::Aggregate).and_then(|name| Aggregate::from_name(name)) else {
            return Some(series);
        };
        let general = Format::default();
        // A count has no unit.
        let format = |index: usize| match aggregate {
            Aggregate::Count => &general,
            _ => formats[index].as_ref().unwrap_or(&general),
        };
        let display =
            |index: usize, value: f64| self.display_value(&Value::number(value), format(index)).text;
        Some(combine_equal_categories(series, aggregate, &display))
    }
}

/// Reads the cells to which the series of a chart refer.
struct ChartCells<'a> {
    document: &'a Document,
    /// The sheet of the chart.
    sheet: SheetId,
    view: &'a dyn Fn(SheetId) -> Option<ItemId>,
    shows_hidden: bool,
    /// Filtered rows of the sheets read so far.
    filtered: RefCell<BTreeMap<SheetId, Vec<(u32, u32)>>>,
}

/// A series of a chart.
#[derive(Default)]
struct ReadSeries {
    series: ChartSeries,
    /// The format of its first number.
    number_format: Option<Format>,
    /// Whether its values are a column of totals of a pivot table.
    is_total: bool,
}

impl ChartCells<'_> {
    /// Reads a series. `None` if its cells are all hidden.
    fn series(&self, series: &FieldValue) -> Option<ReadSeries> {
        let FieldValue::Record(fields) = series else { return Some(ReadSeries::default()) };
        let cells = |field: Field, shows_hidden: bool| {
            let mut referenced = ReferencedCells { shows_hidden, ..ReferencedCells::default() };
            if let Some(FieldValue::Formula { at, template }) = fields.get(&field) {
                self.collect(self.sheet, *at, template.expression(), &mut referenced);
            }
            referenced
        };
        let data = |field: Field| cells(field, self.shows_hidden);
        let name = cells(Field::Name, true);
        let (categories, values, sizes) = (data(Field::Categories), data(Field::Values), data(Field::Sizes));
        if values.cells.is_empty() && values.is_hidden {
            return None;
        }
        let is_dated =
            categories.number_format.as_ref().is_some_and(|format| self.document.shows_date(format));
        let series = ChartSeries {
            name: name.texts().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" "),
            categories: categories.texts().collect(),
            positions: categories.numbers().collect(),
            values: values.numbers().collect(),
            sizes: sizes.numbers().collect(),
            texts: values.texts().collect(),
            labels: data(Field::LabelCells).texts().collect(),
            dates: is_dated.then(|| self.document.workbook().date_system()),
            is_truncated: categories.is_truncated || values.is_truncated || sizes.is_truncated,
        };
        Some(ReadSeries { series, number_format: values.number_format, is_total: values.is_total })
    }

    /// Collects the cells and constants of a formula, area by area and row by row.
    fn collect(
        &self,
        sheet: SheetId,
        at: CellAddress,
        expression: &Expression,
        referenced: &mut ReferencedCells,
    ) {
        match expression {
            Expression::Number(number) => referenced.push(Value::number(*number), number.to_string()),
            Expression::Text(text) => referenced.push(Value::Text(text.clone()), text.to_string()),
            Expression::Reference(reference) => self.collect_reference(sheet, at, reference, referenced),
            Expression::Parenthesised(inner) => self.collect(sheet, at, inner, referenced),
            Expression::Binary(BinaryOperator::Union, left, right) => {
                self.collect(sheet, at, left, referenced);
                self.collect(sheet, at, right, referenced);
            }
            Expression::Unary(UnaryOperator::Spill, operand) => {
                self.collect_spill(sheet, at, operand, referenced)
            }
            Expression::Array(rows) => {
                rows.iter().flatten().for_each(|element| self.collect(sheet, at, element, referenced));
            }
            _ => {}
        }
    }

    fn collect_reference(
        &self,
        own: SheetId,
        at: CellAddress,
        reference: &Reference,
        referenced: &mut ReferencedCells,
    ) {
        let sheet = match reference.sheet {
            None => own,
            Some(SheetReference::Sheet(sheet)) => sheet,
            Some(_) => return,
        };
        if let Some(range) = resolve_area(&reference.area, at) {
            self.collect_range(sheet, range, referenced);
        }
    }

    fn collect_spill(
        &self,
        own: SheetId,
        at: CellAddress,
        operand: &Expression,
        referenced: &mut ReferencedCells,
    ) {
        let Expression::Reference(Reference { sheet: reference_sheet, area }) = operand else { return };
        let sheet = match reference_sheet {
            Some(SheetReference::Sheet(sheet)) => *sheet,
            _ => own,
        };
        if let Some(area) = resolve_area(area, at) {
            self.collect_range(sheet, self.spilled_from(sheet, area.first()), referenced);
        }
    }

    /// The area that the formula in `anchor` fills; only its own cell when nothing spills.
    fn spilled_from(&self, sheet: SheetId, anchor: CellAddress) -> Range {
        let is_filled = |row: u32, column: u32| {
            let found = self.document.workbook().sheet(sheet);
            found.is_some_and(|found| found.spill_anchor(CellAddress::clamped(row, column)) == Some(anchor))
        };
        let (first_row, first_column) = (anchor.row.get(), anchor.column.get());
        let rows = (first_row + 1..ROWS_MAX).take_while(|row| is_filled(*row, first_column)).count();
        let columns =
            (first_column + 1..COLUMNS_MAX).take_while(|column| is_filled(first_row, *column)).count();
        let last = CellAddress::clamped(first_row + rows as u32, first_column + columns as u32);
        Range::new(anchor, last)
    }

    /// The cells of a pivot table that a range stands for which begins in its first row below the
    /// headers: those of all its groups, however many it has now, without totals.
    fn pivot_groups(&self, sheet: SheetId, range: Range) -> Option<PivotGroups> {
        let (workbook, first) = (self.document.workbook(), range.first());
        // A single row is a series along the columns.
        if range.row_count() == 1 || !workbook.sheet(sheet)?.items().has_pivot_tables() {
            return None;
        }
        let (first_row, rows, is_total) =
            self.document.calculation().pivot_group_rows(workbook, sheet, first)?;
        if first.row.get() != first_row || !rows.contains(&true) {
            return None;
        }
        let last = CellAddress::clamped(first_row + rows.len() as u32 - 1, range.last().column.get());
        Some(PivotGroups { cells: Range::new(first, last), rows, is_total })
    }

    fn collect_range(&self, sheet: SheetId, range: Range, referenced: &mut ReferencedCells) {
        let Some(found) = self.document.workbook().sheet(sheet) else { return };
        let groups = self.pivot_groups(sheet, range);
        let range = groups.as_ref().map_or(range, |groups| groups.cells);
        referenced.is_total |= groups.as_ref().is_some_and(|groups| groups.is_total);
        // Whole columns are cut at the end of the used range; blank cells within it are points
        // without a value.
        let Some(used) = found.used_range().and_then(|used| used.intersection(range)) else { return };
        let cells = Range::new(range.first(), used.last());
        let is_included =
            |dimension: Dimension, line: &u32| referenced.shows_hidden || !found.is_hidden(dimension, *line);
        let columns: Vec<u32> = (cells.first().column.get()..=cells.last().column.get())
            .filter(|column| is_included(Dimension::Columns, column))
            .collect();
        let mut filtered = self.filtered.borrow_mut();
        let filtered = match referenced.shows_hidden {
            true => &Vec::new(),
            false => filtered
                .entry(sheet)
                .or_insert_with(|| self.document.filtered_rows(sheet, (self.view)(sheet))),
        };
        let is_filtered = |row: u32| {
            let next = filtered.partition_point(|(first, count)| first + count <= row);
            filtered.get(next).is_some_and(|(first, _)| *first <= row)
        };
        for row in cells.first().row.get()..=cells.last().row.get() {
            if groups.as_ref().is_some_and(|groups| !groups.has_row(row)) {
                continue;
            }
            if columns.is_empty()
                || !referenced.shows_hidden && (found.is_hidden(Dimension::Rows, row) || is_filtered(row))
            {
                referenced.is_hidden = true;
                continue;
            }
            for column in &columns {
                if referenced.cells.len() >= POINTS_MAX {
                    referenced.is_truncated = true;
                    return;
                }
                let cell = CellAddress::clamped(row, *column);
                let (value, format) = (found.value(cell), found.format(cell));
                let text = self.document.display_value(&value, format).text;
                if matches!(value, Value::Number(_)) && referenced.number_format.is_none() {
                    referenced.number_format = Some(format.clone());
                }
                referenced.push(value, text);
            }
        }
    }
}

/// Cells of a pivot table below its headers.
struct PivotGroups {
    cells: Range,
    /// Whether each row is that of a group, not of a total.
    rows: Vec<bool>,
    /// Whether the first column is one of totals.
    is_total: bool,
}

impl PivotGroups {
    fn has_row(&self, row: u32) -> bool {
        self.rows[(row - self.cells.first().row.get()) as usize]
    }
}

/// The cells and constants to which a formula of a series refers.
#[derive(Default)]
struct ReferencedCells {
    cells: Vec<(Value, String)>,
    /// The format of the first cell with a number.
    number_format: Option<Format>,
    is_truncated: bool,
    shows_hidden: bool,
    /// Whether cells were excluded because they are hidden.
    is_hidden: bool,
    is_total: bool,
}

impl ReferencedCells {
    fn push(&mut self, value: Value, text: String) {
        self.cells.push((value, text));
    }

    fn texts(&self) -> impl Iterator<Item = String> {
        self.cells.iter().map(|(_, text)| text.clone())
    }

    fn numbers(&self) -> impl Iterator<Item = Option<f64>> {
        self.cells.iter().map(|(value, _)| match value {
            Value::Number(number) => Some(*number),
            _ => None,
        })
    }
}

/// Sorts the points of a series by the dates of its categories, as a date axis of Excel does: a list that
/// begins with the latest date is drawn from the earliest.
fn sort_by_date(series: &mut ChartSeries) {
    let dates = &series.positions;
    if dates.is_sorted_by(|a, b| a <= b) || dates.len() != series.values.len() || dates.contains(&None) {
        return;
    }
    let mut order: Vec<usize> = (0..dates.len()).collect();
    quadrille_cell::stable_sort_by(&mut order, &mut |a, b| {
        dates[*a].partial_cmp(&dates[*b]).unwrap_or(Ordering::Equal)
    });
    fn sorted<T: Clone>(list: &[T], order: &[usize]) -> Vec<T> {
        // Sizes may be fewer.
        order.iter().filter_map(|index| list.get(*index).cloned()).collect()
    }
    let ChartSeries { categories, positions, values, sizes, texts, labels, .. } = series;
    (*categories, *texts) = (sorted(categories, &order), sorted(texts, &order));
    if !labels.is_empty() {
        labels.resize(order.len(), String::new());
    }
    *labels = sorted(labels, &order);
    (*positions, *values, *sizes) =
        (sorted(positions, &order), sorted(values, &order), sorted(sizes, &order));
}
