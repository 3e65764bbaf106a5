//! The parts of a document that must be displayed again.

use quadrille_cell::{CellAddress, Dimension, Range, SheetId};
use quadrille_operation::Touch;

/// The changes made by a transaction or an evaluation, in coordinates after them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Changes {
    /// Cells whose value or format may differ. Ranges may overlap.
    pub ranges: Vec<(SheetId, Range)>,
    /// Whether sheets were added, removed, renamed or moved.
    pub sheets: bool,
    /// Whether defined names changed.
    pub names: bool,
    /// Sheets in which rows or columns were resized, hidden, inserted, deleted or moved.
    pub geometry: Vec<SheetId>,
    /// Sheets whose items changed or moved; `None` stands for items of the workbook.
    pub items: Vec<Option<SheetId>>,
    /// Whether every value is up to date; otherwise call `evaluate` again.
    pub finished: bool,
}

impl Default for Changes {
    fn default() -> Changes {
        Changes {
            ranges: Vec::new(),
            sheets: false,
            names: false,
            geometry: Vec::new(),
            items: Vec::new(),
            finished: true,
        }
    }
}

/// Beyond this number, ranges are joined sheet by sheet: repainting too much is cheaper than
/// comparing ranges.
const RANGES_MAX: usize = 512;

impl Changes {
    /// Whether nothing changed. Does not consider `finished`.
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
            && !self.sheets
            && !self.names
            && self.geometry.is_empty()
            && self.items.is_empty()
    }

    /// Adds later changes.
    pub fn merge(&mut self, later: Changes) {
        self.ranges.extend(later.ranges);
        self.sheets |= later.sheets;
        self.names |= later.names;
        for sheet in later.geometry {
            self.add_geometry(sheet);
        }
        for sheet in later.items {
            self.add_items(sheet);
        }
        self.finished = later.finished;
        self.limit_ranges();
    }

    pub(crate) fn add_touch(&mut self, touch: &Touch) {
        match touch {
            Touch::Contents(sheet, range) | Touch::Rewritten(sheet, range) | Touch::Formats(sheet, range) => {
                self.add_range(*sheet, *range);
            }
            Touch::Restructured(edit) => {
                // Everything from the edited row or column on has moved, including ranges added
                // before.
                let first = match edit.dimension {
                    Dimension::Rows => CellAddress::clamped(edit.at, 0),
                    Dimension::Columns => CellAddress::clamped(0, edit.at),
                };
                self.add_range(edit.sheet, Range::new(first, Range::whole_sheet().last()));
                self.add_geometry(edit.sheet);
            }
            Touch::Sizes(sheet, _) | Touch::Hidden(sheet, ..) => self.add_geometry(*sheet),
            Touch::Sheets => self.sheets = true,
            Touch::Names => self.names = true,
            Touch::Items(sheet) => self.add_items(*sheet),
            // Why a formula has no data may have changed, although its error is the same.
            Touch::Import(_) => self.add_items(None),
        }
    }

    pub(crate) fn add_range(&mut self, sheet: SheetId, range: Range) {
        if self.ranges.last() != Some(&(sheet, range)) {
            self.ranges.push((sheet, range));
        }
        self.limit_ranges();
    }

    fn add_geometry(&mut self, sheet: SheetId) {
        if !self.geometry.contains(&sheet) {
            self.geometry.push(sheet);
        }
    }

    fn add_items(&mut self, sheet: Option<SheetId>) {
        if !self.items.contains(&sheet) {
            self.items.push(sheet);
        }
    }

    fn limit_ranges(&mut self) {
        if self.ranges.len() <= RANGES_MAX {
            return;
        }
        let mut joined: Vec<(SheetId, Range)> = Vec::new();
        for (sheet, range) in self.ranges.drain(..) {
            match joined.iter_mut().find(|(other, _)| *other == sheet) {
                Some((_, hull)) => *hull = hull.union(range),
                None => joined.push((sheet, range)),
            }
        }
        self.ranges = joined;
    }
}
