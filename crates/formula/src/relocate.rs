//! Cut and paste: [`relocate`] moves a formula to another host, [`retarget`] adjusts references to
//! moved cells.

use quadrille_cell::{CellAddress, Dimension, ErrorValue, Range, SheetId};

use crate::area::coordinate_at;
use crate::expression::map_references;
use crate::{Area, Coordinate, Expression, Host, Reference, SheetReference, Template, resolve_area};

/// Returns the template that at `to` refers to the same cells as `template` at `from`, for a
/// formula that is cut and pasted. When the formula moves to another sheet, references without a
/// sheet get their sheet, and references to the new sheet lose theirs.
pub fn relocate(template: &Template, from: Host, to: Host) -> Template {
    if from == to {
        return template.clone();
    }
    let moved = map_references(template.expression(), &mut |reference| {
        let sheet = match &reference.sheet {
            _ if from.sheet == to.sheet => reference.sheet.clone(),
            None => Some(SheetReference::Sheet(from.sheet)),
            Some(SheetReference::Sheet(id)) if *id == to.sheet => None,
            Some(other) => Some(other.clone()),
        };
        let area = relative_to(&reference.area, from.cell, to.cell);
        let moved = Reference { sheet, area };
        (moved != *reference).then_some(Expression::Reference(moved))
    });
    moved.map_or_else(|| template.clone(), Template::new)
}

/// Returns the area of the same cells for another host. Targets outside the sheet are kept too.
fn relative_to(area: &Area, from: CellAddress, to: CellAddress) -> Area {
    let mut area = *area;
    for dimension in [Dimension::Rows, Dimension::Columns] {
        let (from, to) = (from.index(dimension), to.index(dimension));
        if let Some((first, last)) = area.coordinates(dimension) {
            let moved =
                |coordinate: Coordinate| coordinate_at(coordinate, coordinate.resolve(from), i64::from(to));
            area = area.with_coordinates(dimension, moved(first), moved(last));
        }
    }
    area
}

/// Adjusts references when the cells of `from` are cut and pasted with `to` as the new top-left
/// cell. References wholly inside `from` follow the cells; those shifted off the sheet become
/// `#REF!`. Returns `None` when nothing changes.
///
/// `host` does not move. A formula among the moved cells is first retargeted at its old host, then
/// relocated.
pub fn retarget(
    template: &Template,
    host: Host,
    from: (SheetId, Range),
    to: (SheetId, CellAddress),
) -> Option<Template> {
    let (from_sheet, from_range) = from;
    let (to_sheet, to_first) = to;
    let moved = map_references(template.expression(), &mut |reference| {
        let sheet = match reference.sheet {
            None => host.sheet,
            Some(SheetReference::Sheet(id)) => id,
            Some(SheetReference::Sheets(..) | SheetReference::Unknown(_)) => return None,
        };
        let covered = resolve_area(&reference.area, host.cell)?;
        if sheet != from_sheet || !from_range.contains_range(covered) {
            return None;
        }
        let mut area = reference.area;
        for dimension in [Dimension::Rows, Dimension::Columns] {
            let Some((first, last)) = area.coordinates(dimension) else { continue };
            let host = host.cell.index(dimension);
            let shift = i64::from(to_first.index(dimension)) - i64::from(from_range.first().index(dimension));
            let shifted = |coordinate: Coordinate| coordinate.resolve(host) + shift;
            if shifted(first).max(shifted(last)) >= i64::from(dimension.len_max()) {
                return Some(Expression::Error(ErrorValue::Reference));
            }
            let host = i64::from(host);
            area = area.with_coordinates(
                dimension,
                coordinate_at(first, shifted(first), host),
                coordinate_at(last, shifted(last), host),
            );
        }
        let sheet = match &reference.sheet {
            sheet if to_sheet == from_sheet => sheet.clone(),
            _ if to_sheet == host.sheet => None,
            _ => Some(SheetReference::Sheet(to_sheet)),
        };
        let moved = Reference { sheet, area };
        (moved != *reference).then_some(Expression::Reference(moved))
    });
    moved.map(Template::new)
}
