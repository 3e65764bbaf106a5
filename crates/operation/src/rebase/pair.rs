//! The rule for every two kinds of operation, in one `match` without a wildcard: a new operation does not
//! compile until its rules are written. The rule names (`R4`) are those of `docs/operations.md`.
#![deny(clippy::wildcard_enum_match_arm)]

use quadrille_cell::{Dimension, EditKind, Range, SheetId, StructuralEdit};
use quadrille_formula::{Host, Template, rearrange};
use quadrille_workbook::{FormatPatch, Input};

use super::follow::{
    Piece, follow_edit, follow_lines, follow_rows, is_whole, lines_entering, rearranged_fill, with_lines,
};
use super::permutation::{
    Sort, deletion_after_sort, inverse_of, is_permutation, sort_after_edit, sort_over_sort,
};
use crate::Operation;
use crate::Operation::*;

/// What two operations become after one another; `None` where an operation stays as it is.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    pub later: Option<Vec<Operation>>,
    pub earlier: Option<Vec<Operation>>,
}

impl Outcome {
    fn unchanged() -> Outcome {
        Outcome::default()
    }

    fn later(operations: Vec<Operation>) -> Outcome {
        Outcome { later: Some(operations), earlier: None }
    }

    fn earlier(operations: Vec<Operation>) -> Outcome {
        Outcome { later: None, earlier: Some(operations) }
    }

    fn both(later: Vec<Operation>, earlier: Vec<Operation>) -> Outcome {
        Outcome { later: Some(later), earlier: Some(earlier) }
    }
}

/// Both were made on the same workbook; `earlier` comes first in the room's order.
pub(super) fn rebase_operations(later: &Operation, earlier: &Operation) -> Outcome {
    match (later, earlier) {
        // R2: what happens on a sheet that the other removes is gone with the sheet.
        (RemoveSheet { sheet }, RemoveSheet { sheet: other }) if sheet == other => {
            Outcome::both(vec![], vec![])
        }
        (RemoveSheet { sheet }, _) if earlier.sheet() == Some(*sheet) => Outcome::earlier(vec![]),
        (_, RemoveSheet { sheet }) if later.sheet() == Some(*sheet) => Outcome::later(vec![]),
        // R3: nobody else can know a sheet that is being added, unless both bring back the same one.
        (AddSheet { sheet, name, position }, AddSheet { sheet: other, .. }) if sheet == other => {
            Outcome::both(
                vec![
                    RenameSheet { sheet: *sheet, name: name.clone() },
                    MoveSheet { sheet: *sheet, position: *position },
                ],
                vec![],
            )
        }
        (AddSheet { sheet, .. }, _) if earlier.sheet() == Some(*sheet) => Outcome::earlier(vec![]),
        (_, AddSheet { sheet, .. }) if later.sheet() == Some(*sheet) => Outcome::later(vec![]),

        // R4: contents against contents.
        (
            SetCells { sheet, range, .. } | FillCells { sheet, range, .. },
            SetCells { .. } | FillCells { .. },
        ) => match without_cells(earlier, *sheet, *range) {
            Some(rest) => Outcome::earlier(rest),
            None => Outcome::unchanged(),
        },
        // R5: looks against looks.
        (SetFormat { sheet, range, patch }, SetFormat { .. }) => {
            match without_attributes(earlier, *sheet, *range, patch) {
                Some(rest) => Outcome::earlier(rest),
                None => Outcome::unchanged(),
            }
        }
        // R1: contents and looks have nothing to do with one another.
        (SetCells { .. } | FillCells { .. }, SetFormat { .. })
        | (SetFormat { .. }, SetCells { .. } | FillCells { .. }) => Outcome::unchanged(),

        // R6: contents and looks follow inserted and deleted rows and columns.
        (SetCells { .. } | FillCells { .. }, Restructure(edit)) => match cells_after_edit(later, edit) {
            Some(operations) => Outcome::later(operations),
            None => Outcome::unchanged(),
        },
        (Restructure(edit), SetCells { .. } | FillCells { .. }) => match cells_after_edit(earlier, edit) {
            Some(operations) => Outcome::earlier(operations),
            None => Outcome::unchanged(),
        },
        (SetFormat { sheet, range, patch }, Restructure(edit)) if *sheet == edit.sheet => {
            format_after_earlier_edit(*range, patch, edit)
        }
        (Restructure(edit), SetFormat { sheet, range, patch }) if *sheet == edit.sheet => {
            Outcome::earlier(format_pieces(*sheet, follow_edit(*range, edit), patch))
        }
        (SetFormat { .. }, Restructure(_)) | (Restructure(_), SetFormat { .. }) => Outcome::unchanged(),

        // R7: contents and looks follow sorted rows.
        (SetCells { .. } | FillCells { .. } | SetFormat { .. }, PermuteRows { sheet, range, order }) => {
            match cells_after_sort(later, *sheet, *range, order) {
                Some(operations) => Outcome::later(operations),
                None => Outcome::unchanged(),
            }
        }
        (PermuteRows { sheet, range, order }, SetCells { .. } | FillCells { .. } | SetFormat { .. }) => {
            match cells_after_sort(earlier, *sheet, *range, order) {
                Some(operations) => Outcome::earlier(operations),
                None => Outcome::unchanged(),
            }
        }

        // R8: rows and columns against rows and columns.
        (Restructure(later), Restructure(earlier)) => edit_over_edit(later, earlier),

        // R9: sorting against rows and columns that come and go.
        (PermuteRows { sheet, range, order }, Restructure(edit)) => {
            match sort_and_edit(*sheet, *range, order, edit) {
                Some((sort, edits)) => Outcome::both(sort, edits),
                None => Outcome::unchanged(),
            }
        }
        (Restructure(edit), PermuteRows { sheet, range, order }) => {
            match sort_and_edit(*sheet, *range, order, edit) {
                Some((sort, edits)) => Outcome::both(edits, sort),
                None => Outcome::unchanged(),
            }
        }

        // R10: sorting against sorting.
        (
            PermuteRows { sheet, range, order },
            PermuteRows { sheet: other, range: other_range, order: other_order },
        ) => {
            if sheet != other
                || !range.intersects(*other_range)
                || !is_sort(*range, order)
                || !is_sort(*other_range, other_order)
            {
                return Outcome::unchanged();
            }
            let later = Sort { range: *range, order: order.clone() };
            let earlier = Sort { range: *other_range, order: other_order.clone() };
            let (later, earlier) = sort_over_sort(&later, &earlier);
            Outcome::both(permutations(*sheet, later), permutations(*sheet, earlier))
        }

        // R11: sizes against sizes.
        (
            SetSizes { sheet, dimension, first, count, .. },
            SetSizes {
                sheet: other,
                dimension: other_dimension,
                first: other_first,
                count: other_count,
                size,
            },
        ) => {
            if sheet != other || dimension != other_dimension {
                return Outcome::unchanged();
            }
            let rest = lines_without((*other_first, *other_count), (*first, *count));
            Outcome::earlier(sizes(*sheet, *dimension, rest, *size))
        }
        // R12: sizes follow inserted and deleted rows and columns.
        (SetSizes { sheet, dimension, first, count, size }, Restructure(edit))
            if *sheet == edit.sheet && *dimension == edit.dimension =>
        {
            let last = first.saturating_add(count.saturating_sub(1));
            if *first == 0 && last >= dimension.len_max() - 1 {
                let entering = sizes(*sheet, *dimension, vec![lines_entering(edit)], *size);
                return Outcome::earlier([vec![earlier.clone()], entering].concat());
            }
            Outcome::later(sizes(*sheet, *dimension, lines_after_edit(*first, last, edit), *size))
        }
        (Restructure(edit), SetSizes { sheet, dimension, first, count, size })
            if *sheet == edit.sheet && *dimension == edit.dimension =>
        {
            let last = first.saturating_add(count.saturating_sub(1));
            Outcome::earlier(sizes(*sheet, *dimension, lines_after_edit(*first, last, edit), *size))
        }
        (SetSizes { .. }, Restructure(_)) | (Restructure(_), SetSizes { .. }) => Outcome::unchanged(),
        (SetSizes { .. }, SetCells { .. } | FillCells { .. } | SetFormat { .. } | PermuteRows { .. })
        | (SetCells { .. } | FillCells { .. } | SetFormat { .. } | PermuteRows { .. }, SetSizes { .. }) => {
            Outcome::unchanged()
        }

        // R13: tabs.
        (RenameSheet { sheet, .. }, RenameSheet { sheet: other, .. })
        | (MoveSheet { sheet, .. }, MoveSheet { sheet: other, .. }) => {
            if sheet == other {
                Outcome::earlier(vec![])
            } else {
                Outcome::unchanged()
            }
        }
        (
            AddSheet { sheet, name, position },
            AddSheet { sheet: other, name: other_name, position: other_position },
        ) => {
            let add = |sheet: &SheetId, name: &std::sync::Arc<str>, position: u32| AddSheet {
                sheet: *sheet,
                name: name.clone(),
                position,
            };
            if position < other_position {
                Outcome::earlier(vec![add(other, other_name, other_position.saturating_add(1))])
            } else {
                Outcome::later(vec![add(sheet, name, position.saturating_add(1))])
            }
        }
        (
            AddSheet { .. } | RemoveSheet { .. } | RenameSheet { .. } | MoveSheet { .. },
            AddSheet { .. } | RemoveSheet { .. } | RenameSheet { .. } | MoveSheet { .. },
        ) => Outcome::unchanged(),

        // R14: names.
        (DefineName { name, .. }, DefineName { name: other, .. }) => {
            if is_same_name(name, other) {
                Outcome::earlier(vec![])
            } else {
                Outcome::unchanged()
            }
        }
        // R15: what names stand for follows inserted and deleted rows and columns.
        (DefineName { .. }, Restructure(edit)) => match name_after_edit(later, edit) {
            Some(operations) => Outcome::later(operations),
            None => Outcome::unchanged(),
        },
        (Restructure(edit), DefineName { .. }) => match name_after_edit(earlier, edit) {
            Some(operations) => Outcome::earlier(operations),
            None => Outcome::unchanged(),
        },

        // R1: the rest has nothing to do with one another. References name sheets by identity, so that no
        // formula and no name minds what happens to tabs.
        (
            SetCells { .. }
            | FillCells { .. }
            | SetFormat { .. }
            | Restructure(_)
            | SetSizes { .. }
            | PermuteRows { .. },
            AddSheet { .. } | RemoveSheet { .. } | RenameSheet { .. } | MoveSheet { .. },
        )
        | (
            AddSheet { .. } | RemoveSheet { .. } | RenameSheet { .. } | MoveSheet { .. },
            SetCells { .. }
            | FillCells { .. }
            | SetFormat { .. }
            | Restructure(_)
            | SetSizes { .. }
            | PermuteRows { .. },
        )
        | (
            DefineName { .. },
            SetCells { .. }
            | FillCells { .. }
            | SetFormat { .. }
            | SetSizes { .. }
            | PermuteRows { .. }
            | AddSheet { .. }
            | RemoveSheet { .. }
            | RenameSheet { .. }
            | MoveSheet { .. },
        )
        | (
            SetCells { .. }
            | FillCells { .. }
            | SetFormat { .. }
            | SetSizes { .. }
            | PermuteRows { .. }
            | AddSheet { .. }
            | RemoveSheet { .. }
            | RenameSheet { .. }
            | MoveSheet { .. },
            DefineName { .. },
        ) => Outcome::unchanged(),
    }
}

/// Names compare without regard to case, as everywhere in formulas.
pub(crate) fn is_same_name(a: &str, b: &str) -> bool {
    a == b || a.to_lowercase() == b.to_lowercase()
}

/// The cells of `part`, which lies within `range`, out of the `inputs` of `range`.
pub(crate) fn inputs_of_part(range: Range, inputs: &[Input], part: Range) -> Vec<Input> {
    let width = range.column_count() as usize;
    let left = (part.first().column.get() - range.first().column.get()) as usize;
    let top = (part.first().row.get() - range.first().row.get()) as usize;
    let mut cells = Vec::with_capacity(part.cell_count() as usize);
    for row in top..top + part.row_count() as usize {
        let start = row * width + left;
        // An operation whose inputs do not fill its range is refused at the edge; here the rest is blank.
        for index in start..start + part.column_count() as usize {
            cells.push(inputs.get(index).cloned().unwrap_or_default());
        }
    }
    cells
}

/// The writing operation without the cells of `hole`; `None` when it wrote none of them.
fn without_cells(operation: &Operation, hole_sheet: SheetId, hole: Range) -> Option<Vec<Operation>> {
    match operation {
        SetCells { sheet, range, inputs } if *sheet == hole_sheet && range.intersects(hole) => Some(
            range
                .subtract(hole)
                .into_iter()
                .map(|part| SetCells {
                    sheet: *sheet,
                    range: part,
                    inputs: inputs_of_part(*range, inputs, part),
                })
                .collect(),
        ),
        FillCells { sheet, range, input } if *sheet == hole_sheet && range.intersects(hole) => Some(
            range
                .subtract(hole)
                .into_iter()
                .map(|part| FillCells { sheet: *sheet, range: part, input: input.clone() })
                .collect(),
        ),
        SetCells { .. }
        | FillCells { .. }
        | SetFormat { .. }
        | Restructure(_)
        | SetSizes { .. }
        | PermuteRows { .. }
        | AddSheet { .. }
        | RemoveSheet { .. }
        | RenameSheet { .. }
        | MoveSheet { .. }
        | DefineName { .. } => None,
    }
}

/// The format operation without the attributes of `patch` in `hole`; `None` when it set none of them.
fn without_attributes(
    operation: &Operation,
    hole_sheet: SheetId,
    hole: Range,
    patch: &FormatPatch,
) -> Option<Vec<Operation>> {
    let SetFormat { sheet, range, patch: set } = operation else { return None };
    let left = set.without(patch);
    if *sheet != hole_sheet || left == *set {
        return None;
    }
    let overlap = range.intersection(hole)?;
    let mut rest: Vec<Operation> = range
        .subtract(hole)
        .into_iter()
        .map(|part| SetFormat { sheet: *sheet, range: part, patch: set.clone() })
        .collect();
    if !left.is_empty() {
        rest.push(SetFormat { sheet: *sheet, range: overlap, patch: left });
    }
    Some(rest)
}

/// Written cells where they are after `edit`, their formulas rewritten; `None` when nothing changes.
fn cells_after_edit(operation: &Operation, edit: &StructuralEdit) -> Option<Vec<Operation>> {
    let moves = |sheet: SheetId, range: Range| match sheet == edit.sheet {
        true => follow_edit(range, edit),
        false => vec![Piece { before: range, after: range }],
    };
    let mut after = Vec::new();
    if let SetCells { sheet, range, inputs } = operation {
        for piece in moves(*sheet, *range) {
            let mut part = inputs_of_part(*range, inputs, piece.before);
            for (input, cell) in part.iter_mut().zip(piece.before.cells()) {
                if let Input::Formula(template) = input
                    && let Some(rewritten) = rearrange(template, Host { sheet: *sheet, cell }, edit)
                {
                    *template = rewritten;
                }
            }
            after.push(SetCells { sheet: *sheet, range: piece.after, inputs: part });
        }
    } else if let FillCells { sheet, range, input } = operation {
        for piece in moves(*sheet, *range) {
            let Input::Formula(template) = input else {
                after.push(FillCells { sheet: *sheet, range: piece.after, input: input.clone() });
                continue;
            };
            for (part, template) in rearranged_fill(*sheet, piece.before, template, edit) {
                after.push(FillCells {
                    sheet: *sheet,
                    range: moved_along(part, &piece),
                    input: Input::Formula(template),
                });
            }
        }
    }
    (after.len() != 1 || after[0] != *operation).then_some(after)
}

/// A part of `piece.before`, where the piece went.
fn moved_along(part: Range, piece: &Piece) -> Range {
    let rows = with_lines(
        part,
        Dimension::Rows,
        piece.after.first().row.get() + (part.first().row.get() - piece.before.first().row.get()),
        part.row_count(),
    );
    with_lines(
        rows,
        Dimension::Columns,
        piece.after.first().column.get() + (part.first().column.get() - piece.before.first().column.get()),
        part.column_count(),
    )
}

/// A whole column stays whole when rows come and go: the look of a column is the look of its new rows too.
fn format_after_earlier_edit(range: Range, patch: &FormatPatch, edit: &StructuralEdit) -> Outcome {
    if !is_whole(range, edit.dimension) {
        return Outcome::later(format_pieces(edit.sheet, follow_edit(range, edit), patch));
    }
    let (first, count) = lines_entering(edit);
    let entering = SetFormat {
        sheet: edit.sheet,
        range: with_lines(range, edit.dimension, first, count),
        patch: patch.clone(),
    };
    Outcome::earlier(vec![Restructure(*edit), entering])
}

fn format_pieces(sheet: SheetId, pieces: Vec<Piece>, patch: &FormatPatch) -> Vec<Operation> {
    pieces.into_iter().map(|piece| SetFormat { sheet, range: piece.after, patch: patch.clone() }).collect()
}

/// Written cells where they are after the rows of `sorted` were put in a new order.
fn cells_after_sort(
    operation: &Operation,
    sheet: SheetId,
    sorted: Range,
    order: &[u32],
) -> Option<Vec<Operation>> {
    let (written_sheet, range) = match operation {
        SetCells { sheet, range, .. } | FillCells { sheet, range, .. } | SetFormat { sheet, range, .. } => {
            (*sheet, *range)
        }
        Restructure(_)
        | SetSizes { .. }
        | PermuteRows { .. }
        | AddSheet { .. }
        | RemoveSheet { .. }
        | RenameSheet { .. }
        | MoveSheet { .. }
        | DefineName { .. } => return None,
    };
    if written_sheet != sheet || !is_sort(sorted, order) {
        return None;
    }
    let overlap = range.intersection(sorted)?;
    let inverse = inverse_of(order);
    let (first, last) = (overlap.first().row.get(), overlap.last().row.get());
    let moved = follow_rows(first, last, sorted.first().row.get(), &inverse);
    let part = |range: Range, rows: Option<&[u32]>, origin: Range| match operation {
        SetCells { range: whole, inputs, .. } => SetCells {
            sheet,
            range,
            inputs: match rows {
                None => inputs_of_part(*whole, inputs, range),
                Some(rows) => rows
                    .iter()
                    .flat_map(|row| {
                        inputs_of_part(*whole, inputs, with_lines(origin, Dimension::Rows, *row, 1))
                    })
                    .collect(),
            },
        },
        FillCells { input, .. } => FillCells { sheet, range, input: input.clone() },
        SetFormat { patch, .. } => SetFormat { sheet, range, patch: patch.clone() },
        Restructure(_)
        | SetSizes { .. }
        | PermuteRows { .. }
        | AddSheet { .. }
        | RemoveSheet { .. }
        | RenameSheet { .. }
        | MoveSheet { .. }
        | DefineName { .. } => operation.clone(),
    };
    let mut after: Vec<Operation> =
        range.subtract(sorted).into_iter().map(|rest| part(rest, None, rest)).collect();
    for run in &moved {
        let target = with_lines(overlap, Dimension::Rows, run.after_first, run.before.len() as u32);
        after.push(part(target, Some(&run.before), overlap));
    }
    (after.len() != 1 || after[0] != *operation).then_some(after)
}

fn is_sort(range: Range, order: &[u32]) -> bool {
    order.len() == range.row_count() as usize && is_permutation(order)
}

/// Sorts that leave every row where it is are none.
fn permutations(sheet: SheetId, sorts: Vec<Sort>) -> Vec<Operation> {
    sorts
        .into_iter()
        .filter(|sort| !sort.order.is_sorted())
        .map(|sort| PermuteRows { sheet, range: sort.range, order: sort.order })
        .collect()
}

/// Insertion and deletion of rows or of columns of one sheet, one made while the other was.
fn edit_over_edit(later: &StructuralEdit, earlier: &StructuralEdit) -> Outcome {
    if later.sheet != earlier.sheet || later.dimension != earlier.dimension {
        return Outcome::unchanged();
    }
    let operations = |edits: Vec<StructuralEdit>| edits.into_iter().map(Restructure).collect::<Vec<_>>();
    match (later.kind, earlier.kind) {
        // At one place, what the earlier one inserts stands before what the later one inserts.
        (EditKind::Insert, EditKind::Insert) if later.at < earlier.at => {
            Outcome::earlier(operations(shifted(earlier, later.count)))
        }
        (EditKind::Insert, EditKind::Insert) => Outcome::later(operations(shifted(later, earlier.count))),
        (EditKind::Insert, EditKind::Delete) => Outcome::both(
            vec![Restructure(insertion_after_deletion(later, earlier))],
            operations(deletion_after_insertion(earlier, later)),
        ),
        (EditKind::Delete, EditKind::Insert) => Outcome::both(
            operations(deletion_after_insertion(later, earlier)),
            vec![Restructure(insertion_after_deletion(earlier, later))],
        ),
        (EditKind::Delete, EditKind::Delete) => Outcome::both(
            operations(deletion_after_deletion(later, earlier)),
            operations(deletion_after_deletion(earlier, later)),
        ),
    }
}

/// Empty when the lines are pushed off the sheet.
fn shifted(edit: &StructuralEdit, by: u32) -> Vec<StructuralEdit> {
    let at = edit.at.saturating_add(by);
    let end = edit.dimension.len_max();
    if at >= end { vec![] } else { vec![StructuralEdit { at, count: edit.count.min(end - at), ..*edit }] }
}

/// What is inserted between deleted lines stays, where those were.
fn insertion_after_deletion(insertion: &StructuralEdit, deletion: &StructuralEdit) -> StructuralEdit {
    let at = match insertion.at {
        at if at <= deletion.at => at,
        at => at.max(deletion.at.saturating_add(deletion.count)) - deletion.count,
    };
    StructuralEdit { at, ..*insertion }
}

/// The deletion spares what was inserted among its lines, and is then two; the lower part first, so that the
/// index of the upper one holds.
fn deletion_after_insertion(deletion: &StructuralEdit, insertion: &StructuralEdit) -> Vec<StructuralEdit> {
    let last = deletion.at.saturating_add(deletion.count).min(deletion.dimension.len_max()) - 1;
    let mut parts: Vec<StructuralEdit> = follow_lines(deletion.at, last, insertion)
        .into_iter()
        .map(|part| StructuralEdit { at: part.after, count: part.count, ..*deletion })
        .collect();
    parts.reverse();
    parts
}

/// Lines that both delete are deleted once.
fn deletion_after_deletion(deletion: &StructuralEdit, other: &StructuralEdit) -> Vec<StructuralEdit> {
    let last = deletion.at.saturating_add(deletion.count).min(deletion.dimension.len_max()) - 1;
    let parts = follow_lines(deletion.at, last, other);
    // What is left on both sides of the other deletion has become neighbours.
    let count = parts.iter().map(|part| part.count).sum();
    parts.first().map(|part| StructuralEdit { at: part.after, count, ..*deletion }).into_iter().collect()
}

/// `(the sort after the edit, the edit after the sort)`; `None` when neither changes.
fn sort_and_edit(
    sheet: SheetId,
    range: Range,
    order: &std::sync::Arc<[u32]>,
    edit: &StructuralEdit,
) -> Option<(Vec<Operation>, Vec<Operation>)> {
    if sheet != edit.sheet || !is_sort(range, order) {
        return None;
    }
    let sort = Sort { range, order: order.clone() };
    let edits = match (edit.dimension, edit.kind) {
        (Dimension::Rows, EditKind::Delete) => deletion_after_sort(edit, &sort),
        (Dimension::Rows, EditKind::Insert) | (Dimension::Columns, _) => vec![*edit],
    };
    let sorts = sort_after_edit(&sort, edit).into_iter().collect();
    Some((permutations(sheet, sorts), edits.into_iter().map(Restructure).collect()))
}

/// Both given and returned as (first line, count).
fn lines_without(lines: (u32, u32), hole: (u32, u32)) -> Vec<(u32, u32)> {
    let (end, hole_end) = (lines.0.saturating_add(lines.1), hole.0.saturating_add(hole.1));
    if hole_end <= lines.0 || end <= hole.0 {
        return vec![lines];
    }
    let mut rest = Vec::new();
    if lines.0 < hole.0 {
        rest.push((lines.0, hole.0 - lines.0));
    }
    if hole_end < end {
        rest.push((hole_end, end - hole_end));
    }
    rest
}

fn lines_after_edit(first: u32, last: u32, edit: &StructuralEdit) -> Vec<(u32, u32)> {
    let last = last.min(edit.dimension.len_max() - 1);
    follow_lines(first, last, edit).into_iter().map(|part| (part.after, part.count)).collect()
}

fn sizes(sheet: SheetId, dimension: Dimension, lines: Vec<(u32, u32)>, size: Option<u16>) -> Vec<Operation> {
    lines.into_iter().map(|(first, count)| SetSizes { sheet, dimension, first, count, size }).collect()
}

/// Where a name's definition is taken to stand: nowhere, for it is not on a sheet.
pub(crate) fn name_host() -> Host {
    Host { sheet: SheetId(0), cell: quadrille_cell::CellAddress::default() }
}

fn name_after_edit(operation: &Operation, edit: &StructuralEdit) -> Option<Vec<Operation>> {
    let DefineName { name, definition: Some(template) } = operation else { return None };
    let rewritten: Template = rearrange(template, name_host(), edit)?;
    Some(vec![DefineName { name: name.clone(), definition: Some(rewritten) }])
}
