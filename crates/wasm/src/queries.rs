//! Answers the client's queries about cells and items.

use quadrille_cell::{CellAddress, ColumnIndex, Dimension, Range, SheetId, Value};
use quadrille_document::{Direction, Document, WhatIfCell};
use quadrille_formula::{Expression, Host, Template, name_scope, parse, print, visit};
use quadrille_operation::{
    FormatChange, ItemDetails, ItemValue, duplicate_rows, filled_filter_range, untrimmed_cells,
};
use quadrille_viewport::sheet_dimensions::hidden_rows;
use quadrille_workbook::{Field, Format, ItemId, ItemKind, Sheet, Slice};

use crate::analysis_messages::{EvaluatedFormula, GoalSeekResult, WhatIfValue, literal, typed};
use crate::column_statistics::column_statistics;
use crate::engine::Engine;
use crate::json::to_json;
use crate::messages::{
    CellDetails, CellPosition, ChartSeriesDetails, Explanation, FormulaTrace, FoundCell, MissingImport,
    NameDetails, Query, RangePosition, Summary, TraceArrow,
};
use crate::row_order::row_order;
use crate::selection_statistics::{DisplayFormat, SelectionStatistics, displayed_number};
use crate::{cells, pivot_table, search, slicer};

/// Maximum number of cells read to fit the width of a column.
const CELLS_MEASURED_MAX: usize = 10_000;
/// Number of texts in the answer to [`Query::LongestTexts`].
const LONGEST_TEXTS: usize = 8;
/// Maximum number of rows above and below that are searched for AutoComplete.
const SIMILAR_ROWS_MAX: usize = 1_000;
/// Prefix of the placeholder of an embedded image in a list of items; a hash of the image follows.
const IMAGE_SCHEME: &str = "picture:";

/// The answer to a query as JSON.
pub fn answer(engine: &Engine, query: Query) -> Vec<u8> {
    match query {
        Query::BrokenRule { command } => to_json(&engine.first_invalid_cell(*command)),
        Query::Cells { sheet, range, skips_filtered } => {
            let (sheet, view) = (SheetId(sheet), engine.filter_view(SheetId(sheet)));
            visible_cells(engine.document(), sheet, range, skips_filtered, view)
        }
        Query::Summarize { sheet, ranges } => {
            let (sheet, view) = (SheetId(sheet), engine.filter_view(SheetId(sheet)));
            to_json(&summarize(engine.document(), sheet, &ranges, view))
        }
        Query::RowOrder { sheet, range, keys } => {
            let (sheet, view) = (SheetId(sheet), engine.filter_view(SheetId(sheet)));
            to_json(&row_order(engine.document(), sheet, range.into(), &keys, view))
        }
        Query::ChartSeries { sheet, item } => {
            chart_series(engine.document(), SheetId(sheet), ItemId(item), &|sheet| engine.filter_view(sheet))
        }
        query => answer_without_view(engine.document(), &query),
    }
}

/// Cells without the rows that the shared filter or the filter view hides.
fn visible_cells(
    document: &Document,
    sheet: SheetId,
    range: RangePosition,
    skips_filtered: bool,
    view: Option<ItemId>,
) -> Vec<u8> {
    let skipped = skips_filtered.then(|| document.filtered_rows(sheet, view));
    to_json(&cells::read(document, sheet, range.into(), &skipped.unwrap_or_default()))
}

fn chart_series(
    document: &Document,
    sheet: SheetId,
    item: ItemId,
    view: &dyn Fn(SheetId) -> Option<ItemId>,
) -> Vec<u8> {
    let series = document.chart_series(sheet, item, view).unwrap_or_default();
    to_json(&series.into_iter().map(ChartSeriesDetails::from).collect::<Vec<_>>())
}

/// The answer to a query that does not depend on the user's filter views.
fn answer_without_view(document: &Document, query: &Query) -> Vec<u8> {
    match query {
        Query::BrokenRule { .. } => to_json(&()),
        Query::Cells { sheet, range, skips_filtered } => {
            visible_cells(document, SheetId(*sheet), *range, *skips_filtered, None)
        }
        Query::Cell { sheet, cell } => to_json(&details(document, SheetId(*sheet), (*cell).into())),
        Query::Summarize { sheet, ranges } => to_json(&summarize(document, SheetId(*sheet), ranges, None)),
        Query::RowOrder { sheet, range, keys } => {
            to_json(&row_order(document, SheetId(*sheet), (*range).into(), keys, None))
        }
        Query::Edge { sheet, from, direction } => {
            let edge = document.data_edge(SheetId(*sheet), (*from).into(), (*direction).into());
            to_json(&CellPosition::from(edge))
        }
        Query::Used { sheet } => {
            let used = document.workbook().sheet(SheetId(*sheet)).and_then(Sheet::used_range);
            let first = CellAddress::clamped(0, 0);
            to_json(&RangePosition::from(used.unwrap_or(Range::cell(first))))
        }
        Query::Region { sheet, cell } => {
            to_json(&RangePosition::from(region(document, SheetId(*sheet), (*cell).into())))
        }
        Query::LongestTexts { sheet, column } => {
            to_json(&longest_texts(document, SheetId(*sheet), ColumnIndex::clamped(*column)))
        }
        Query::Items { sheet } => to_json(&items(document, sheet.map(SheetId))),
        Query::ChartSeries { sheet, item } => {
            chart_series(document, SheetId(*sheet), ItemId(*item), &|_| None)
        }
        Query::PivotTable { sheet, item } => {
            to_json(&pivot_table::details(document, SheetId(*sheet), ItemId(*item)))
        }
        Query::Slicer { sheet, item, view } => {
            to_json(&slicer::details(document, SheetId(*sheet), ItemId(*item), view.map(ItemId)))
        }
        Query::PivotTableAt { sheet, cell } => {
            let found = document.pivot_table_at(SheetId(*sheet), (*cell).into());
            to_json(&found.map(|(item, _)| item.0 as f64)) // below 2^53
        }
        Query::PivotSourceRows { sheet, cell } => {
            to_json(&pivot_table::source_rows(document, SheetId(*sheet), (*cell).into()))
        }
        Query::PivotLabels { sheet, cell, ranges } => {
            let ranges: Vec<Range> = ranges.iter().map(|range| (*range).into()).collect();
            to_json(&pivot_table::labels(document, SheetId(*sheet), (*cell).into(), &ranges))
        }
        Query::Find { search } => to_json(&search::find(document, search)),
        Query::GoalSeek { sheet, cell, goal, changing } => {
            let found = document.goal_seek(SheetId(*sheet), (*cell).into(), goal, (*changing).into());
            to_json(&GoalSeekResult::from(found))
        }
        Query::EvaluateFormula { sheet, cell, count } => {
            let evaluation = document.evaluate_formula(SheetId(*sheet), (*cell).into(), *count);
            to_json(&evaluation.map(EvaluatedFormula::from))
        }
        Query::WhatIf { cells, trials, results } => to_json(&what_if(document, cells, trials, results)),
        Query::TypedValues { texts } => {
            let values = texts.iter().map(|text| typed(document.typed_value(text)));
            to_json(&values.collect::<Vec<ItemValue>>())
        }
        Query::IsFormula { formula } => to_json(&is_formula(document, formula)),
        Query::InvalidCells { sheet } => to_json(&search::invalid_cells(document, SheetId(*sheet))),
        Query::Names => to_json(&names(document)),
        Query::Preview { sheet, cell, format } => {
            to_json(&preview(document, SheetId(*sheet), (*cell).into(), format))
        }
        Query::Duplicates { sheet, range, columns, has_header } => {
            let found = document.workbook().sheet(SheetId(*sheet));
            let rows = found.map(|sheet| duplicate_rows(sheet, (*range).into(), columns, *has_header));
            to_json(&rows.map_or(0, |rows| rows.len()))
        }
        Query::Untrimmed { sheet, ranges } => {
            let ranges: Vec<Range> = ranges.iter().copied().map(Range::from).collect();
            let found = document.workbook().sheet(SheetId(*sheet));
            to_json(&found.map_or(0, |sheet| untrimmed_cells(sheet, &ranges)))
        }
        Query::ColumnValues { sheet, range, column } => {
            let range = with_filled_rows(document, SheetId(*sheet), *range);
            to_json(&search::column_values(document, SheetId(*sheet), range, *column))
        }
        Query::ColumnStatistics { sheet, column, has_header } => {
            to_json(&column_statistics(document, SheetId(*sheet), *column, *has_header))
        }
        Query::ColumnColors { sheet, range, column } => {
            let range = with_filled_rows(document, SheetId(*sheet), *range);
            to_json(&search::column_colors(document, SheetId(*sheet), range, *column))
        }
        Query::Explain { sheet, cell } => to_json(&explain(document, SheetId(*sheet), (*cell).into())),
        Query::Precedents { sheet, range } => {
            to_json(&formula_trace(document.trace_precedents(SheetId(*sheet), (*range).into())))
        }
        Query::Dependents { sheet, cell } => {
            to_json(&formula_trace(document.trace_dependents(SheetId(*sheet), (*cell).into())))
        }
        Query::Similar { sheet, cell, typed } => {
            to_json(&similar(document, SheetId(*sheet), (*cell).into(), typed))
        }
        Query::Image { sheet, item } => to_json(&image(document, SheetId(*sheet), ItemId(*item))),
    }
}

fn items(document: &Document, sheet: Option<SheetId>) -> Vec<ItemDetails> {
    let workbook = document.workbook();
    let items = workbook.items_of(sheet).into_iter().flat_map(|items| items.iter());
    // Those of imported data are as long as the data, which the cells have.
    let items = items.filter(|(_, item)| item.kind != ItemKind::ImportPart);
    items.map(|(id, item)| without_image(ItemDetails::new(sheet, id, item, workbook))).collect()
}

/// Replaces an embedded image by a placeholder: a list of items is sent with every change, an image
/// only on request ([`Query::Image`]).
fn without_image(mut details: ItemDetails) -> ItemDetails {
    if details.kind == ItemKind::Image.name()
        && let Some(ItemValue::Text(source)) = details.fields.get_mut(Field::Source.name())
        && source.starts_with("data:")
    {
        *source = format!("{IMAGE_SCHEME}{:016x}", fingerprint(source));
    }
    details
}

/// FNV-1a hash (Fowler, Noll, Vo), to detect that an image changed.
fn fingerprint(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

fn image(document: &Document, sheet: SheetId, item: ItemId) -> Option<String> {
    let item = document.workbook().sheet(sheet)?.item(item)?;
    item.text(Field::Source).map(ToString::to_string)
}

fn explain(document: &Document, sheet: SheetId, cell: CellAddress) -> Option<Explanation> {
    let source = document.error_source(sheet, cell)?;
    Some(Explanation {
        error: source.error.text().to_owned(),
        sheet: source.sheet.0,
        cell: source.cell.into(),
        passed_on_by: source.propagation_steps,
        edit_text: document.edit_text(source.sheet, source.cell),
        import: missing_import(document, source.sheet, source.cell),
    })
}

fn formula_trace(trace: quadrille_document::FormulaTrace) -> FormulaTrace {
    let arrows = trace.arrows.into_iter().map(|arrow| TraceArrow {
        from_sheet: arrow.from.0.0,
        from: arrow.from.1.into(),
        to_sheet: arrow.to.0.0,
        to: arrow.to.1.into(),
        is_error: arrow.is_error,
    });
    FormulaTrace { arrows: arrows.collect(), is_all: trace.is_all }
}

/// The first import of the formula in a cell that has no data.
fn missing_import(document: &Document, sheet: SheetId, cell: CellAddress) -> Option<MissingImport> {
    let imports = document.imports_of_cell(sheet, cell).into_iter();
    let mut missing = imports.filter(|import| !import.has_come || import.failure.is_some());
    let import = missing.next()?;
    let (state, details) = match &import.failure {
        Some((failure, details)) => (failure.name(), details.to_string()),
        None => ("loading", String::new()),
    };
    Some(MissingImport {
        source: import.source.to_string(),
        from: import.source.arguments.first().map(ToString::to_string).unwrap_or_default(),
        state: state.to_owned(),
        details,
    })
}

/// The nearest text above or below, without a blank cell between, that starts with `typed`; `None`
/// when two different texts do.
fn similar(document: &Document, sheet: SheetId, cell: CellAddress, typed: &str) -> Option<String> {
    let found = document.workbook().sheet(sheet)?;
    let typed = typed.to_lowercase();
    let text_in = |row: u32| match found.value(CellAddress::clamped(row, cell.column.get())) {
        Value::Blank => None,
        Value::Text(text) => Some(text.to_string()),
        _ => Some(String::new()),
    };
    let row = cell.row.get();
    let above = (0..row).rev().map_while(text_in).take(SIMILAR_ROWS_MAX);
    let below = (row + 1..=Dimension::Rows.len_max() - 1).map_while(text_in).take(SIMILAR_ROWS_MAX);
    let mut matches = above.chain(below).filter(|text| {
        text.to_lowercase().starts_with(&typed) && text.chars().count() > typed.chars().count()
    });
    let first = matches.next()?;
    matches.all(|other| other.to_lowercase() == first.to_lowercase()).then_some(first)
}

fn details(document: &Document, sheet: SheetId, cell: CellAddress) -> CellDetails {
    let found = document.workbook().sheet(sheet);
    let format = found.map(|sheet| FormatChange::from(sheet.format(cell)).with_text_runs(sheet, cell));
    CellDetails { edit_text: document.edit_text(sheet, cell), format: format.unwrap_or_default() }
}

/// Statistics of the visible cells of the ranges; hidden rows do not count.
fn summarize(document: &Document, sheet: SheetId, ranges: &[RangePosition], view: Option<ItemId>) -> Summary {
    let mut statistics = SelectionStatistics::default();
    let mut display_format = DisplayFormat::default();
    let hidden = hidden_rows(document, sheet, view);
    if let Some(sheet) = document.workbook().sheet(sheet) {
        for range in ranges {
            let range = Range::from(*range);
            let visible = visible_rows(range.first().row.get(), range.last().row.get(), &hidden);
            for (column, cells) in sheet.columns_in(range) {
                for (first, last) in &visible {
                    display_format.add_column(document, sheet, column, (*first, *last));
                    for (row, slice) in cells.slices(*first, *last) {
                        if let Some(index) = statistics.add(slice) {
                            display_format.add_number(sheet, CellAddress::clamped(row + index, column.get()));
                        }
                    }
                }
            }
        }
    }
    let format = display_format.format(statistics.numbers);
    let show = |number: f64| displayed_number(document, number, &format);
    let sum = if display_format.has_sum() { show(statistics.sum) } else { String::new() };
    Summary {
        filled: statistics.filled as f64,
        numbers: statistics.numbers as f64,
        sum,
        average: show(statistics.sum / statistics.numbers.max(1) as f64),
        minimum: show(statistics.minimum),
        maximum: show(statistics.maximum),
    }
}

/// The rows `first..=last` without hidden ones, as spans of first and last row. `hidden` has first
/// row and count, ascending.
fn visible_rows(first: u32, last: u32, hidden: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let mut visible = Vec::new();
    let mut next = first;
    for (start, count) in hidden.iter().filter(|(start, count)| start + count > first && *start <= last) {
        if next < *start {
            visible.push((next, start - 1));
        }
        next = start + count;
    }
    if next <= last {
        visible.push((next, last));
    }
    visible
}

/// The current region: the block of filled cells around `cell`, bounded by blank rows and columns
/// or the edges of the sheet; `cell` alone if its neighbors are blank.
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

/// `region` extended by the filled cells adjacent to it, corners included, and by the filled column
/// above and below each of them.
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
            // From the last filled cell of a block the edge is beyond blank cells.
            let next = Range::new(end, edge);
            if is_filled_throughout(sheet, next) {
                grown = grown.union(next);
            }
        }
    }
    grown
}

/// The smallest range that contains every filled cell of `range`.
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

/// Whether no cell of a part of a column is blank.
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
    quadrille_cell::stable_sort_by_key(&mut texts, |text| std::cmp::Reverse(text.chars().count()));
    texts.dedup();
    texts.truncate(LONGEST_TEXTS);
    texts
}

fn names(document: &Document) -> Vec<NameDetails> {
    let workbook = document.workbook();
    let Some(sheet) = workbook.sheets().first().map(|sheet| sheet.id()) else { return Vec::new() };
    let host = Host { sheet, cell: CellAddress::clamped(0, 0) };
    let details = |(name, definition): (&std::sync::Arc<str>, &Template)| {
        let scope = name_scope(name);
        NameDetails {
            name: scope.map_or(&**name, |(_, local)| local).to_owned(),
            definition: print(definition, host, workbook),
            sheet: scope.map(|(sheet, _)| sheet.0),
        }
    };
    workbook.names().map(details).collect()
}

fn what_if(
    document: &Document,
    cells: &[FoundCell],
    trials: &[Vec<ItemValue>],
    results: &[FoundCell],
) -> Option<Vec<Vec<WhatIfValue>>> {
    let address = |cell: &FoundCell| (SheetId(cell.sheet), CellAddress::clamped(cell.row, cell.column));
    let cells: Vec<WhatIfCell> = cells.iter().map(address).collect();
    let results: Vec<WhatIfCell> = results.iter().map(address).collect();
    let values = |trial: &Vec<ItemValue>| trial.iter().map(literal).collect();
    let trials: Vec<_> = trials.iter().map(values).collect();
    let found = document.what_if(&cells, &trials, &results)?;
    Some(found.into_iter().map(|row| row.into_iter().map(WhatIfValue::from).collect()).collect())
}

fn is_formula(document: &Document, formula: &str) -> bool {
    let Some(sheet) = document.workbook().sheets().first().map(|sheet| sheet.id()) else { return false };
    let host = Host { sheet, cell: CellAddress::clamped(0, 0) };
    let mut is_formula = true;
    visit(parse(formula, host, document.workbook()).expression(), &mut |node| {
        is_formula &= !matches!(node, Expression::Invalid(_));
    });
    is_formula
}

/// The value of the cell in a number format; an example number if the cell has no number.
fn preview(document: &Document, sheet: SheetId, cell: CellAddress, code: &str) -> String {
    const EXAMPLE: f64 = 1234.5678;
    let found = document.workbook().sheet(sheet);
    let value = found.map_or(Value::Blank, |sheet| sheet.value(cell));
    let value = if matches!(value, Value::Number(_)) { value } else { Value::number(EXAMPLE) };
    let number_format = (!code.is_empty()).then(|| code.into());
    document.display_value(&value, &Format { number_format, ..Format::default() }).text
}

/// The rows of a filter with those to which it will extend when it gets a condition.
fn with_filled_rows(document: &Document, sheet: SheetId, rows: RangePosition) -> RangePosition {
    let sheet = document.workbook().sheet(sheet);
    sheet.map_or(rows, |sheet| filled_filter_range(sheet, rows.into()).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_documents;
    use expect_test::{Expect, expect};

    /// Checks the JSON answer to a JSON query; `cells` is in the notation of `test_documents`.
    fn check(cells: &str, query: &str, expected: Expect) {
        let document = test_documents::document(cells);
        let json = quadrille_json::Json::parse(query.as_bytes()).expect("queries in tests are JSON");
        let query = Query::from_json(&json).expect("queries in tests are well-formed");
        let bytes = answer_without_view(&document, &query);
        expected.assert_eq(std::str::from_utf8(&bytes).expect("answers are JSON"));
    }

    #[test]
    fn a_cell_reports_its_editing_text() {
        check(
            "A1: 2 | B1: =A1*3",
            r#"{"type":"cell","sheet":1,"cell":{"row":0,"column":1}}"#,
            expect![[r#"{"editText":"=A1*3","format":{}}"#]],
        );
    }

    #[test]
    fn items_have_their_kind_and_fields() {
        let mut document = test_documents::document("A1: 2");
        let mut number = 7;
        let mut new_id = || {
            number += 1;
            SheetId(number)
        };
        let command = r##"{"type":"many","commands":[
            {"type":"merge","sheet":1,"range":"B2:C3","how":"all"},
            {"type":"setItem","sheet":1,"item":42,"kind":"conditionalRule","anchors":["A1:A9"],
             "fields":{"rule":"formula","formula1":"=A1>Sheet1!$B$1","format":{"bold":true,"fillColor":"#ffe000"}}},
            {"type":"freezePanes","sheet":1,"rows":1,"columns":0}]}"##;
        let command = serde_json::from_str(command).expect("commands in tests are well-formed");
        let planned = quadrille_operation::plan(&command, document.workbook(), &mut new_id);
        document.apply(&planned.expect("the ranges exist"), quadrille_document::EvaluationContext::default());
        let bytes = answer_without_view(&document, &Query::Items { sheet: Some(1) });
        expect![[r##"[{"id":0,"kind":"sheetSettings","anchors":[],"fields":{"frozenRows":1}},{"id":42,"kind":"conditionalRule","anchors":["A1:A9"],"fields":{"format":{"bold":true,"fillColor":"#ffe000"},"formula1":"=A1>Sheet1!$B$1","rule":"formula"}},{"id":16777225,"kind":"merge","anchors":["B2:C3"],"fields":{}}]"##]]
        .assert_eq(std::str::from_utf8(&bytes).expect("answers are JSON"));
    }

    #[test]
    fn a_chart_reports_its_points() {
        let mut document = test_documents::document(
            "A2: May | A3: June | B1: Sold | B2: 3 | B3: none | B4: =B2*2 | D1: =SEQUENCE(2)",
        );
        let mut no_sheets = || unreachable!("a chart adds no sheet");
        let command = r#"{"type":"setItem","sheet":1,"item":9,"kind":"chart","anchors":["D5"],"fields":{"type":"line","series":[
            {"name":"=B1","categories":"=Sheet1!$A$2:$A$4","values":"=Sheet1!$B$2:$B$4"},
            {"values":"=$D$1#"}]}}"#;
        let command = serde_json::from_str(command).expect("commands in tests are well-formed");
        let planned = quadrille_operation::plan(&command, document.workbook(), &mut no_sheets);
        document
            .apply(&planned.expect("the chart is valid"), quadrille_document::EvaluationContext::default());
        let bytes = answer_without_view(&document, &Query::ChartSeries { sheet: 1, item: 9 });
        expect![[r#"[{"name":"Sold","categories":["May","June",""],"positions":[null,null,null],"values":[3,null,6],"sizes":[],"texts":["3","none","6"],"labels":[],"isCutShort":false},{"name":"","categories":[],"positions":[],"values":[1,2],"sizes":[],"texts":["1","2"],"labels":[],"isCutShort":false}]"#]]
        .assert_eq(std::str::from_utf8(&bytes).expect("answers are JSON"));
        let hide = r#"{"type":"many","commands":[
            {"type":"setHidden","sheet":1,"dimension":"rows","first":2,"count":1,"hidden":true},
            {"type":"setHidden","sheet":1,"dimension":"columns","first":3,"count":1,"hidden":true}]}"#;
        let mut series_after = |command: &str| {
            let command = serde_json::from_str(command).expect("commands in tests are well-formed");
            let planned = quadrille_operation::plan(&command, document.workbook(), &mut no_sheets);
            document
                .apply(&planned.expect("there is a chart"), quadrille_document::EvaluationContext::default());
            let bytes = answer_without_view(&document, &Query::ChartSeries { sheet: 1, item: 9 });
            String::from_utf8(bytes).expect("answers are JSON")
        };
        expect![[r#"[{"name":"Sold","categories":["May",""],"positions":[null,null],"values":[3,6],"sizes":[],"texts":["3","6"],"labels":[],"isCutShort":false}]"#]].assert_eq(&series_after(hide));
        let with_hidden = r#"{"type":"setItem","sheet":1,"item":9,"fields":{"showsHidden":true}}"#;
        expect![[r#"[{"name":"Sold","categories":["May","June",""],"positions":[null,null,null],"values":[3,null,6],"sizes":[],"texts":["3","none","6"],"labels":[],"isCutShort":false},{"name":"","categories":[],"positions":[],"values":[1,2],"sizes":[],"texts":["1","2"],"labels":[],"isCutShort":false}]"#]].assert_eq(&series_after(with_hidden));
        let missing = answer_without_view(&document, &Query::ChartSeries { sheet: 1, item: 10 });
        assert_eq!(missing, b"[]");
    }

    #[test]
    fn an_error_is_traced_to_its_origin() {
        check(
            "A1: 0 | A2: =1/A1 | B1: =SUM(A1:A2) | C1: =B1+1",
            r#"{"type":"explain","sheet":1,"cell":{"row":0,"column":2}}"#,
            expect![[
                r##"{"error":"#DIV/0!","sheet":1,"cell":{"row":1,"column":0},"passedOnBy":2,"editText":"=1/A1","import":null}"##
            ]],
        );
        check("A1: 1", r#"{"type":"explain","sheet":1,"cell":{"row":0,"column":0}}"#, expect!["null"]);
        check(
            "A1: =B1 | B1: =A1",
            r#"{"type":"explain","sheet":1,"cell":{"row":0,"column":0}}"#,
            expect![[
                r##"{"error":"#CIRC!","sheet":1,"cell":{"row":0,"column":1},"passedOnBy":1,"editText":"=A1","import":null}"##
            ]],
        );
    }

    #[test]
    fn autocomplete_uses_the_texts_of_the_column() {
        let query = |typed: &str| {
            format!(r#"{{"type":"similar","sheet":1,"cell":{{"row":3,"column":0}},"typed":"{typed}"}}"#)
        };
        let cells = "A1: far | A3: Berlin | A5: Bern | A6: berlin";
        check(cells, &query("berl"), expect![[r#""Berlin""#]]);
        check(cells, &query("ber"), expect!["null"]);
        check(cells, &query("f"), expect!["null"]);
    }

    #[test]
    fn a_summary_counts_filled_cells_and_aggregates_numbers() {
        check(
            "A1: 1 | A2: 2.5 | A4: text | B2: =A2*2 | B3: =1/0",
            r#"{"type":"summarize","sheet":1,"ranges":[{"top":0,"left":0,"bottom":1048575,"right":1}]}"#,
            expect![[
                r#"{"filled":5,"numbers":3,"sum":"8.5","average":"2.833333333","minimum":"1","maximum":"5"}"#
            ]],
        );
        // Dates have a mean but no sum.
        check(
            "A1: 2024-01-05 | A2: 2024-01-07",
            r#"{"type":"summarize","sheet":1,"ranges":[{"top":0,"left":0,"bottom":3,"right":1}]}"#,
            expect![[
                r#"{"filled":2,"numbers":2,"sum":"","average":"2024-01-06","minimum":"2024-01-05","maximum":"2024-01-07"}"#
            ]],
        );
        // Dates mixed with numbers or times are formatted as numbers.
        for cells in ["A1: 2024-01-05 | A2: 7", "A1: 7 | B1: 2024-01-05"] {
            check(
                cells,
                r#"{"type":"summarize","sheet":1,"ranges":[{"top":0,"left":0,"bottom":3,"right":1}]}"#,
                expect![[
                    r#"{"filled":2,"numbers":2,"sum":"","average":"22,651.5","minimum":"7","maximum":"45,296"}"#
                ]],
            );
        }
        check(
            "A1: 2024-01-05 | B1: 12:00",
            r#"{"type":"summarize","sheet":1,"ranges":[{"top":0,"left":0,"bottom":3,"right":1}]}"#,
            expect![[
                r#"{"filled":2,"numbers":2,"sum":"","average":"22,648.25","minimum":"0.5","maximum":"45,296"}"#
            ]],
        );
        // Thousands are separated when no format says otherwise.
        check(
            "A1: -1234567 | A2: 0.5 | B1: 999",
            r#"{"type":"summarize","sheet":1,"ranges":[{"top":0,"left":0,"bottom":3,"right":1}]}"#,
            expect![[
                r#"{"filled":3,"numbers":3,"sum":"-1,233,567.5","average":"-411,189.1667","minimum":"-1,234,567","maximum":"999"}"#
            ]],
        );
        check(
            "A1: text",
            r#"{"type":"summarize","sheet":1,"ranges":[{"top":0,"left":0,"bottom":3,"right":1}]}"#,
            expect![[
                r##"{"filled":1,"numbers":0,"sum":"0","average":"0","minimum":"#NUM!","maximum":"#NUM!"}"##
            ]],
        );
    }

    #[test]
    fn a_region_is_bounded_by_blank_rows_and_columns() {
        let cells = "A1: title | A3: a | B3: b | A4: 1 | B5: 2 | C6: 3 | E3: apart | A9: below";
        check(
            cells,
            r#"{"type":"region","sheet":1,"cell":{"row":2,"column":0}}"#,
            expect![[r#"{"top":2,"left":0,"bottom":5,"right":2}"#]],
        );
        check(
            cells,
            r#"{"type":"region","sheet":1,"cell":{"row":20,"column":20}}"#,
            expect![[r#"{"top":20,"left":20,"bottom":20,"right":20}"#]],
        );
        check(cells, r#"{"type":"used","sheet":1}"#, expect![[r#"{"top":0,"left":0,"bottom":8,"right":4}"#]]);
    }

    #[test]
    fn cells_are_read_with_displayed_texts_values_and_formulas() {
        check(
            "A1: a<b | B1: 25% | B2: =B1*2 | A2: =1/0",
            r#"{"type":"cells","sheet":1,"range":{"top":0,"left":0,"bottom":1,"right":1},"skipsFiltered":false}"#,
            expect![[
                r##"{"rows":[{"row":0,"cells":[{"text":"a<b","value":"a<b"},{"text":"25%","value":0.25,"numberFormat":"0%"}]},{"row":1,"cells":[{"text":"#DIV/0!","value":"#DIV/0!","formula":"=1/0"},{"text":"0.5","value":0.5,"formula":"=B1*2"}]}],"left":0,"isCutShort":false,"leftOut":[]}"##
            ]],
        );
    }

    #[test]
    fn whole_columns_end_at_the_used_range() {
        check(
            "A2: 7 | C1: x",
            r#"{"type":"cells","sheet":1,"range":{"top":0,"left":0,"bottom":1048575,"right":0},"skipsFiltered":false}"#,
            expect![[
                r#"{"rows":[{"row":0,"cells":[{"text":""}]},{"row":1,"cells":[{"text":"7","value":7}]}],"left":0,"isCutShort":false,"leftOut":[]}"#
            ]],
        );
    }

    #[test]
    fn the_longest_texts_of_a_column_come_first() {
        check(
            "A1: short | A2: the longest of all | A3: 1.5",
            r#"{"type":"longestTexts","sheet":1,"column":0}"#,
            expect![[r#"["the longest of all","short","1.5"]"#]],
        );
    }
}
