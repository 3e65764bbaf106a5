//! What may look different than before.

use quadrille_cell::{CellAddress, Dimension, Range, SheetId};
use quadrille_operation::Touch;

/// What a transaction or an evaluation changed, in coordinates of the document as it is afterwards.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Changes {
    /// Cells whose value or look may differ. May overlap.
    pub ranges: Vec<(SheetId, Range)>,
    /// Sheets were added, removed, renamed or moved.
    pub sheets: bool,
    /// Defined names changed.
    pub names: bool,
    /// Sizes of rows or columns of these sheets changed, or rows or columns came or went.
    pub geometry: Vec<SheetId>,
    /// Sheets whose items changed, or moved with rows and columns; `None` stands for the workbook's own.
    pub items: Vec<Option<SheetId>>,
    /// Whether everything is calculated; otherwise `evaluate` wants to be called again.
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

/// More ranges than this are joined, sheet by sheet: repainting too much is cheaper than comparing.
const RANGES_MAX: usize = 512;

impl Changes {
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
            && !self.sheets
            && !self.names
            && self.geometry.is_empty()
            && self.items.is_empty()
    }

    /// Takes in what changed after this.
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
                // Everything from the edited line on has moved, including what was noted before.
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
            match joined.iter_mut().find(|(known, _)| *known == sheet) {
                Some((_, hull)) => *hull = hull.union(range),
                None => joined.push((sheet, range)),
            }
        }
        self.ranges = joined;
    }
}
