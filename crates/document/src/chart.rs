//! What a chart shows: its series' references read as numbers and texts.

use std::cell::RefCell;
use std::collections::BTreeMap;

use quadrille_cell::{COLUMNS_MAX, CellAddress, Dimension, ROWS_MAX, Range, SheetId, Value};
use quadrille_formula::{BinaryOperator, Expression, Reference, SheetReference, UnaryOperator, resolve_area};
use quadrille_workbook::{Field, FieldValue, ItemId, ItemKind};

use crate::Document;

/// Points of one series; what lies beyond is left out.
pub const POINTS_MAX: usize = 20_000;

/// One line, one set of columns, one pie.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ChartSeries {
    pub name: String,
    /// As the cells show them; empty when the series names none.
    pub categories: Vec<String>,
    /// The categories as numbers, for charts with two scales; as long as `categories`.
    pub positions: Vec<Option<f64>>,
    /// `None` where the cell holds no number.
    pub values: Vec<Option<f64>>,
    /// Of bubbles.
    pub sizes: Vec<Option<f64>>,
    /// The values as their cells show them.
    pub texts: Vec<String>,
    /// More points were named than are given.
    pub is_cut_short: bool,
}

impl Document {
    /// The series of a chart as they are calculated now; `None` when there is no such chart. Rows and columns that are hidden
    /// are left out unless the chart shows them: by hand, by a filter, or by the view that `view` names for a sheet in
    /// its place.
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
        Some(series.iter().filter_map(|one| cells.series(one)).collect())
    }
}

/// The cells that the series of a chart name.
struct ChartCells<'a> {
    document: &'a Document,
    /// Where the chart is.
    sheet: SheetId,
    view: &'a dyn Fn(SheetId) -> Option<ItemId>,
    shows_hidden: bool,
    /// Rows that a filter hides, of sheets that were read.
    filtered: RefCell<BTreeMap<SheetId, Vec<(u32, u32)>>>,
}

impl ChartCells<'_> {
    /// `None` for a series of which all is hidden.
    fn series(&self, series: &FieldValue) -> Option<ChartSeries> {
        let FieldValue::Record(fields) = series else { return Some(ChartSeries::default()) };
        let cells = |field: Field, shows_hidden: bool| {
            let mut named = Named { shows_hidden, ..Named::default() };
            if let Some(FieldValue::Formula { at, template }) = fields.get(&field) {
                self.collect(self.sheet, *at, template.expression(), &mut named);
            }
            named
        };
        let data = |field: Field| cells(field, self.shows_hidden);
        let name = cells(Field::Name, true);
        let (categories, values, sizes) = (data(Field::Categories), data(Field::Values), data(Field::Sizes));
        (!values.cells.is_empty() || !values.is_hidden).then(|| ChartSeries {
            name: name.texts().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" "),
            categories: categories.texts().collect(),
            positions: categories.numbers().collect(),
            values: values.numbers().collect(),
            sizes: sizes.numbers().collect(),
            texts: values.texts().collect(),
            is_cut_short: categories.is_cut_short || values.is_cut_short || sizes.is_cut_short,
        })
    }

    /// The cells that a formula of references and constants names, area by area, row by row.
    fn collect(&self, sheet: SheetId, at: CellAddress, expression: &Expression, named: &mut Named) {
        match expression {
            Expression::Number(number) => named.push(Value::number(*number), number.to_string()),
            Expression::Text(text) => named.push(Value::Text(text.clone()), text.to_string()),
            Expression::Reference(reference) => self.collect_reference(sheet, at, reference, named),
            Expression::Parenthesised(inner) => self.collect(sheet, at, inner, named),
            Expression::Binary(BinaryOperator::Union, left, right) => {
                self.collect(sheet, at, left, named);
                self.collect(sheet, at, right, named);
            }
            Expression::Unary(UnaryOperator::Spill, operand) => self.collect_spill(sheet, at, operand, named),
            Expression::Array(rows) => {
                rows.iter().flatten().for_each(|element| self.collect(sheet, at, element, named));
            }
            _ => {}
        }
    }

    fn collect_reference(&self, own: SheetId, at: CellAddress, reference: &Reference, named: &mut Named) {
        let sheet = match reference.sheet {
            None => own,
            Some(SheetReference::Sheet(sheet)) => sheet,
            Some(_) => return,
        };
        if let Some(range) = resolve_area(&reference.area, at) {
            self.collect_range(sheet, range, named);
        }
    }

    fn collect_spill(&self, own: SheetId, at: CellAddress, operand: &Expression, named: &mut Named) {
        let Expression::Reference(Reference { sheet: reference_sheet, area }) = operand else { return };
        let sheet = match reference_sheet {
            Some(SheetReference::Sheet(sheet)) => *sheet,
            _ => own,
        };
        if let Some(area) = resolve_area(area, at) {
            self.collect_range(sheet, self.spilled_from(sheet, area.first()), named);
        }
    }

    /// The array of the formula in `anchor`; the cell alone when nothing has spilled from it.
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

    fn collect_range(&self, sheet: SheetId, range: Range, named: &mut Named) {
        let Some(found) = self.document.workbook().sheet(sheet) else { return };
        // Whole columns end where the sheet does; holes inside the used part are points without a value.
        let Some(used) = found.used_range().and_then(|used| used.intersection(range)) else { return };
        let cells = Range::new(range.first(), used.last());
        let is_seen =
            |dimension: Dimension, line: &u32| named.shows_hidden || !found.is_hidden(dimension, *line);
        let columns: Vec<u32> = (cells.first().column.get()..=cells.last().column.get())
            .filter(|column| is_seen(Dimension::Columns, column))
            .collect();
        let mut filtered = self.filtered.borrow_mut();
        let filtered = match named.shows_hidden {
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
            if columns.is_empty()
                || !named.shows_hidden && (found.is_hidden(Dimension::Rows, row) || is_filtered(row))
            {
                named.is_hidden = true;
                continue;
            }
            for column in &columns {
                if named.cells.len() >= POINTS_MAX {
                    named.is_cut_short = true;
                    return;
                }
                let cell = CellAddress::clamped(row, *column);
                let (value, format) = (found.value(cell), found.format(cell));
                let text = self.document.display_value(&value, format).text;
                named.push(value, text);
            }
        }
    }
}

/// What a formula of a series named.
#[derive(Default)]
struct Named {
    cells: Vec<(Value, String)>,
    is_cut_short: bool,
    shows_hidden: bool,
    /// Some was left out because it is hidden.
    is_hidden: bool,
}

impl Named {
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
