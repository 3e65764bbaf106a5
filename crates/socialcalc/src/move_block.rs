//! `movepaste` and `moveinsert`: references to moved cells follow them.

use quadrille_cell::{CellAddress, Range};
use quadrille_operation::ClearScope;

use crate::clipboard::Clipboard;
use crate::planner::Planner;
use crate::statement::Scope;

/// Moves cells over others.
///
/// # Errors
/// When the cells do not fit there.
pub(crate) fn move_paste(
    planner: &mut Planner<'_>,
    source: Range,
    to: CellAddress,
    scope: Scope,
) -> Result<(), String> {
    let target = at(source, to).ok_or_else(|| format!("{source} does not fit at {to}"))?;
    match scope {
        Scope::All => planner.cut_paste(source, to),
        Scope::Contents => {
            let formats =
                [Clipboard::copy(planner.sheet(), source)?, Clipboard::copy(planner.sheet(), target)?];
            planner.cut_paste(source, to)?;
            formats.iter().try_for_each(|formats| planner.paste(formats, formats.range(), Scope::Formats))
        }
        Scope::Formats => {
            let formats = Clipboard::copy(planner.sheet(), source)?;
            planner.clear(source, ClearScope::Formats)?;
            planner.paste(&formats, target, Scope::Formats)
        }
    }
}

/// Moves cells within their rows or columns, before the cell `to`; those between make room. To a place that
/// is neither in their rows nor in their columns, or within themselves, it is `movepaste`, as in SocialCalc.
///
/// # Errors
/// When the sheet has no free rows in which the cells can wait.
pub(crate) fn move_insert(
    planner: &mut Planner<'_>,
    source: Range,
    to: CellAddress,
    scope: Scope,
) -> Result<(), String> {
    let (first, last) = (source.first(), source.last());
    let is_aside = to.row == first.row && (to.column < first.column || to.column > last.column);
    let is_along = to.column == first.column && (to.row < first.row || to.row > last.row);
    // The cells between the old and the new place.
    let passed = match (is_aside, is_along) {
        (true, _) if to.column < first.column => {
            Range::new(to, CellAddress::clamped(last.row.get(), first.column.get() - 1))
        }
        (true, _) => Range::new(
            CellAddress::clamped(first.row.get(), last.column.get() + 1),
            CellAddress::clamped(last.row.get(), to.column.get() - 1),
        ),
        (_, true) if to.row < first.row => {
            Range::new(to, CellAddress::clamped(first.row.get() - 1, last.column.get()))
        }
        (_, true) => Range::new(
            CellAddress::clamped(last.row.get() + 1, first.column.get()),
            CellAddress::clamped(to.row.get() - 1, last.column.get()),
        ),
        (false, false) => return move_paste(planner, source, to, scope),
    };
    if (is_aside && to.column.get() == last.column.get() + 1)
        || (is_along && to.row.get() == last.row.get() + 1)
    {
        return Ok(());
    }
    let block = source.union(passed);
    let is_forward = passed.first() > first;
    // Both parts in their new order.
    let (moved_to, passed_to) = match (is_aside, is_forward) {
        (true, true) => (block_cell(block, 0, passed.column_count()), block.first()),
        (true, false) => (block.first(), block_cell(block, 0, source.column_count())),
        (false, true) => (block_cell(block, passed.row_count(), 0), block.first()),
        (false, false) => (block.first(), block_cell(block, source.row_count(), 0)),
    };
    let before = Clipboard::copy(planner.sheet(), block)?;
    if scope == Scope::Formats {
        for (part, to) in [(source, moved_to), (passed, passed_to)] {
            let formats = Clipboard::copy(before.cells(), part)?;
            planner.paste(&formats, Range::cell(to), Scope::Formats)?;
        }
        return Ok(());
    }
    // The moved cells wait below all others, so that references can follow each step.
    let below = planner.sheet().used_range().map_or(0, |used| used.last().row.get() + 1);
    let below = below.max(block.last().row.get() + 1);
    let waiting = CellAddress::clamped(below, first.column.get());
    let waiting = at(source, waiting).filter(|waiting| waiting.first().row.get() == below);
    let waiting = waiting.ok_or("the sheet has no free rows below its cells")?;
    planner.cut_paste(source, waiting.first())?;
    planner.cut_paste(passed, passed_to)?;
    planner.cut_paste(waiting, moved_to)?;
    match scope {
        Scope::Contents => planner.paste(&before, block, Scope::Formats),
        Scope::All | Scope::Formats => Ok(()),
    }
}

/// A range of the same size at another cell; `None` when it leaves the sheet.
fn at(range: Range, to: CellAddress) -> Option<Range> {
    let (top, left) = (to.row.get(), to.column.get());
    Range::from_indices(top, left, top + range.row_count() - 1, left + range.column_count() - 1)
}

fn block_cell(block: Range, row: u32, column: u32) -> CellAddress {
    CellAddress::clamped(block.first().row.get() + row, block.first().column.get() + column)
}
