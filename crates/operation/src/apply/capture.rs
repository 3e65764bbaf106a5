//! Captures cells, formats, sizes and hidden state before they are overwritten, as the operations
//! that restore them.

use quadrille_cell::{CellAddress, ColumnIndex, Dimension, Range, SheetId};
use quadrille_workbook::{Format, FormatPatch, Input, Sheet};

use crate::{Limits, Operation};

/// Restores the contents of `range` over any later contents.
pub(super) fn overwritten(sheet: &Sheet, range: Range) -> Vec<Operation> {
    let contents = contents(sheet, range);
    let fills_range = match contents.as_slice() {
        [Operation::SetCells { range: whole, .. } | Operation::FillCells { range: whole, .. }] => {
            *whole == range
        }
        _ => false,
    };
    if fills_range {
        return contents;
    }
    let clear = Operation::FillCells { sheet: sheet.id(), range, input: Input::Blank };
    [vec![clear], contents].concat()
}

/// Restores contents and formats of `range`, assuming that the range is empty when they are
/// applied.
pub(super) fn everything(sheet: &Sheet, range: Range) -> Vec<Operation> {
    let mut operations = contents(sheet, range);
    operations.extend(sheet.format_runs(range).map(|(range, format)| Operation::SetFormat {
        sheet: sheet.id(),
        range,
        patch: FormatPatch::replacing_with(format),
    }));
    operations
}

/// Recreates the whole content of a sheet in an empty sheet.
pub(crate) fn whole(sheet: &Sheet) -> Vec<Operation> {
    let mut operations = everything(sheet, Range::whole_sheet());
    for dimension in [Dimension::Rows, Dimension::Columns] {
        operations.extend(sizes_in(sheet, dimension, 0, dimension.len_max()));
        operations.extend(hidden_in(sheet, dimension, 0, dimension.len_max()));
    }
    operations.extend(sheet.items().iter().map(|(item, content)| Operation::PutItem {
        sheet: Some(sheet.id()),
        item,
        content: content.clone(),
    }));
    operations
}

/// Restores the attributes that `patch` changes in `range`.
pub(super) fn overwritten_formats(sheet: &Sheet, range: Range, patch: &FormatPatch) -> Vec<Operation> {
    let before = |format: &Format| {
        let all = FormatPatch::replacing_with(format);
        // An attribute that a cell has from its style has no value to set again.
        match patch.cell_style.is_some() || format.cell_style.is_some() {
            true => all,
            false => FormatPatch { cell_style: None, ..all.without(&all.without(patch)) },
        }
    };
    let restore = |range: Range, patch: FormatPatch| Operation::SetFormat { sheet: sheet.id(), range, patch };
    let untouched = before(&Format::default());
    let runs: Vec<(Range, FormatPatch)> = sheet
        .format_runs(range)
        .map(|(range, format)| (range, before(format)))
        .filter(|(_, patch)| *patch != untouched)
        .collect();
    if let [(whole, patch)] = runs.as_slice()
        && *whole == range
    {
        return vec![restore(range, patch.clone())];
    }
    let mut operations = vec![restore(range, untouched)];
    operations.extend(runs.into_iter().map(|(range, patch)| restore(range, patch)));
    operations
}

/// Restores the sizes of rows or columns over any later sizes.
pub(super) fn overwritten_sizes(
    sheet: &Sheet,
    dimension: Dimension,
    first: u32,
    count: u32,
) -> Vec<Operation> {
    let sizes = sizes_in(sheet, dimension, first, count);
    if let [Operation::SetSizes { first: run_first, count: run_count, .. }] = sizes.as_slice()
        && (*run_first, *run_count) == (first, count)
    {
        return sizes;
    }
    let clear = Operation::SetSizes { sheet: sheet.id(), dimension, first, count, size: None };
    [vec![clear], sizes].concat()
}

/// Restores the sizes of rows or columns, assuming that they have the default size.
pub(super) fn sizes_in(sheet: &Sheet, dimension: Dimension, first: u32, count: u32) -> Vec<Operation> {
    let end = first + count;
    sheet
        .size_runs(dimension)
        .filter_map(|(run_first, run_count, size)| {
            let from = run_first.max(first);
            let to = (run_first + run_count).min(end);
            (from < to).then(|| Operation::SetSizes {
                sheet: sheet.id(),
                dimension,
                first: from,
                count: to - from,
                size: Some(size),
            })
        })
        .collect()
}

/// Restores the hidden state of rows or columns over any later state.
pub(super) fn overwritten_hidden(
    sheet: &Sheet,
    dimension: Dimension,
    first: u32,
    count: u32,
) -> Vec<Operation> {
    let hidden = hidden_in(sheet, dimension, first, count);
    if let [Operation::SetHidden { first: run_first, count: run_count, .. }] = hidden.as_slice()
        && (*run_first, *run_count) == (first, count)
    {
        return hidden;
    }
    let show = Operation::SetHidden { sheet: sheet.id(), dimension, first, count, is_hidden: false };
    [vec![show], hidden].concat()
}

/// Hides the rows or columns that are hidden now, assuming that all are visible.
pub(super) fn hidden_in(sheet: &Sheet, dimension: Dimension, first: u32, count: u32) -> Vec<Operation> {
    let end = first + count;
    sheet
        .hidden_runs(dimension)
        .filter_map(|(run_first, run_count)| {
            let from = run_first.max(first);
            let to = (run_first + run_count).min(end);
            (from < to).then(|| Operation::SetHidden {
                sheet: sheet.id(),
                dimension,
                first: from,
                count: to - from,
                is_hidden: true,
            })
        })
        .collect()
}

/// Cells of one column that are restored by one operation.
struct Segment {
    range: Range,
    content: SegmentContent,
}

enum SegmentContent {
    Formula(Input),
    Literals(Vec<Input>),
}

/// Restores the contents of `range`, assuming that it is empty. The result is sparse, so that
/// clearing whole columns costs only as much as they contain.
pub(crate) fn contents(sheet: &Sheet, range: Range) -> Vec<Operation> {
    let segments = segments(sheet, range);
    let Some(hull) = segments.iter().map(|segment| segment.range).reduce(Range::union) else {
        return Vec::new();
    };
    // Many short segments, and very many segments of any length, are captured as one block with
    // blanks, unless the block exceeds the limit of a transaction.
    const CELLS_PER_SEGMENT_MIN: u64 = 8;
    const SEGMENTS_MAX: usize = 1_000;
    let cells = hull.cell_count();
    let is_dense = segments.len() > 1 && cells <= CELLS_PER_SEGMENT_MIN * segments.len() as u64;
    let is_scattered = segments.len() > SEGMENTS_MAX && cells <= Limits::DEFAULT.cells_per_transaction as u64;
    if is_dense || is_scattered {
        let inputs = hull.cells().map(|cell| sheet.input(cell)).collect();
        return vec![Operation::SetCells { sheet: sheet.id(), range: hull, inputs }];
    }
    segments.into_iter().map(|segment| restore_segment(sheet.id(), segment)).collect()
}

fn restore_segment(sheet: SheetId, Segment { range, content }: Segment) -> Operation {
    match content {
        SegmentContent::Formula(input) => Operation::FillCells { sheet, range, input },
        SegmentContent::Literals(inputs) => Operation::SetCells { sheet, range, inputs },
    }
}

fn segments(sheet: &Sheet, range: Range) -> Vec<Segment> {
    let (top, bottom) = (range.first().row.get(), range.last().row.get());
    let mut segments = Vec::new();
    for (index, column) in sheet.columns_in(range) {
        for run in column.formula_runs(top, bottom) {
            segments.push(Segment {
                range: rows_of(index, run.first, run.last),
                content: SegmentContent::Formula(Input::Formula(run.value.clone())),
            });
        }
        let mut open: Option<(u32, Vec<Input>)> = None;
        let mut close = |open: &mut Option<(u32, Vec<Input>)>| {
            if let Some((first, inputs)) = open.take() {
                let last = first + inputs.len() as u32 - 1;
                segments.push(Segment {
                    range: rows_of(index, first, last),
                    content: SegmentContent::Literals(inputs),
                });
            }
        };
        for (first, slice) in column.literal_slices(top, bottom) {
            for (row, offset) in (first..).zip(0..slice.len()) {
                let value = slice.get(offset);
                if value.is_blank() {
                    close(&mut open);
                    continue;
                }
                match &mut open {
                    Some((start, inputs)) if *start + inputs.len() as u32 == row => {
                        inputs.push(Input::from(value));
                    }
                    _ => {
                        close(&mut open);
                        open = Some((row, vec![Input::from(value)]));
                    }
                }
            }
        }
        close(&mut open);
    }
    segments
}

fn rows_of(column: ColumnIndex, first: u32, last: u32) -> Range {
    Range::new(CellAddress::clamped(first, column.get()), CellAddress::clamped(last, column.get()))
}
