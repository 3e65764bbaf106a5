//! Arrays that spill, and arrays that are blocked.

use std::collections::BTreeMap;

use quadrille_cell::{CellAddress, Range, SheetId, StructuralEdit};

/// The array of one formula.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Spill {
    /// The cells that the array needs, including the formula's own; clipped at the sheet's end.
    pub requested: Range,
    /// Whether the array fills its cells; otherwise the formula shows `#SPILL!`.
    pub is_placed: bool,
}

/// All arrays by the cell of their formula. When two arrays request the same cell, the one whose
/// formula comes first, row by row, gets it; the result does not depend on the order of evaluation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spills {
    by_sheet: BTreeMap<SheetId, BTreeMap<CellAddress, Spill>>,
}

impl Spills {
    /// The array of a formula.
    pub fn get(&self, sheet: SheetId, anchor: CellAddress) -> Option<Spill> {
        self.by_sheet.get(&sheet)?.get(&anchor).copied()
    }

    /// The area that a formula fills.
    pub fn area(&self, sheet: SheetId, anchor: CellAddress) -> Option<Range> {
        self.get(sheet, anchor).filter(|spill| spill.is_placed).map(|spill| spill.requested)
    }

    /// Stores the array of a formula.
    pub fn set(&mut self, sheet: SheetId, anchor: CellAddress, spill: Spill) {
        self.by_sheet.entry(sheet).or_default().insert(anchor, spill);
    }

    /// Removes and returns the array of a formula.
    pub fn remove(&mut self, sheet: SheetId, anchor: CellAddress) -> Option<Spill> {
        let spills = self.by_sheet.get_mut(&sheet)?;
        let spill = spills.remove(&anchor);
        if spills.is_empty() {
            self.by_sheet.remove(&sheet);
        }
        spill
    }

    /// Whether there are no arrays.
    pub fn is_empty(&self) -> bool {
        self.by_sheet.is_empty()
    }

    /// Arrays that fill or request any cell of the range.
    pub fn intersecting(&self, sheet: SheetId, range: Range) -> impl Iterator<Item = (CellAddress, Spill)> {
        let spills = self.by_sheet.get(&sheet).into_iter().flatten();
        spills
            .filter(move |(_, spill)| spill.requested.intersects(range))
            .map(|(anchor, spill)| (*anchor, *spill))
    }

    /// Areas filled by formulas in the range.
    pub fn areas_of(&self, sheet: SheetId, range: Range) -> impl Iterator<Item = Range> {
        let spills = self.by_sheet.get(&sheet).into_iter().flatten();
        spills
            .filter(move |(anchor, spill)| spill.is_placed && range.contains(**anchor))
            .map(|(_, spill)| spill.requested)
    }

    /// Arrays of formulas in the range.
    pub fn anchors_in(&self, sheet: SheetId, range: Range) -> Vec<(CellAddress, Spill)> {
        let spills = self.by_sheet.get(&sheet).into_iter().flatten();
        spills
            .filter(|(anchor, _)| range.contains(**anchor))
            .map(|(anchor, spill)| (*anchor, *spill))
            .collect()
    }

    /// Removes and returns all arrays of a sheet.
    pub fn remove_sheet(&mut self, sheet: SheetId) -> Vec<(CellAddress, Spill)> {
        self.by_sheet.remove(&sheet).into_iter().flatten().collect()
    }

    /// Removes all arrays of a sheet whose cells move. Returns the affected ranges, in coordinates
    /// after the edit.
    pub fn restructure(&mut self, edit: &StructuralEdit) -> Vec<Range> {
        let mut affected = Vec::new();
        for (anchor, spill) in self.remove_sheet(edit.sheet) {
            affected.extend(edit.map_cell(anchor).map(Range::cell));
            affected.extend(edit.map_range(spill.requested));
        }
        affected
    }
}
