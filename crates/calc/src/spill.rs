//! Where arrays have spilled, and where they would like to.

use std::collections::BTreeMap;

use quadrille_cell::{CellAddress, Range, SheetId, StructuralEdit};

/// The array of one formula.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Spill {
    /// The cells the array needs, its formula's included; cut at the sheet's end.
    pub wanted: Range,
    /// Whether it has them; otherwise the formula shows `#SPILL!`.
    pub placed: bool,
}

/// All arrays by the cell of their formula. Two that want the same cell: the one whose formula comes first, row by
/// row, has it, so that the outcome does not depend on the order of calculation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spills {
    by_sheet: BTreeMap<SheetId, BTreeMap<CellAddress, Spill>>,
}

impl Spills {
    pub fn get(&self, sheet: SheetId, anchor: CellAddress) -> Option<Spill> {
        self.by_sheet.get(&sheet)?.get(&anchor).copied()
    }

    /// The area a formula fills.
    pub fn area(&self, sheet: SheetId, anchor: CellAddress) -> Option<Range> {
        self.get(sheet, anchor).filter(|spill| spill.placed).map(|spill| spill.wanted)
    }

    pub fn set(&mut self, sheet: SheetId, anchor: CellAddress, spill: Spill) {
        self.by_sheet.entry(sheet).or_default().insert(anchor, spill);
    }

    pub fn remove(&mut self, sheet: SheetId, anchor: CellAddress) -> Option<Spill> {
        let spills = self.by_sheet.get_mut(&sheet)?;
        let spill = spills.remove(&anchor);
        if spills.is_empty() {
            self.by_sheet.remove(&sheet);
        }
        spill
    }

    pub fn is_empty(&self) -> bool {
        self.by_sheet.is_empty()
    }

    /// Arrays that have or want any cell of the range.
    pub fn meeting(&self, sheet: SheetId, range: Range) -> impl Iterator<Item = (CellAddress, Spill)> {
        let spills = self.by_sheet.get(&sheet).into_iter().flatten();
        spills
            .filter(move |(_, spill)| spill.wanted.intersects(range))
            .map(|(anchor, spill)| (*anchor, *spill))
    }

    /// Areas filled by formulas that stand in the range.
    pub fn areas_from(&self, sheet: SheetId, range: Range) -> impl Iterator<Item = Range> {
        let spills = self.by_sheet.get(&sheet).into_iter().flatten();
        spills
            .filter(move |(anchor, spill)| spill.placed && range.contains(**anchor))
            .map(|(_, spill)| spill.wanted)
    }

    /// Arrays of formulas that stand in the range.
    pub fn anchors_in(&self, sheet: SheetId, range: Range) -> Vec<(CellAddress, Spill)> {
        let spills = self.by_sheet.get(&sheet).into_iter().flatten();
        spills
            .filter(|(anchor, _)| range.contains(**anchor))
            .map(|(anchor, spill)| (*anchor, *spill))
            .collect()
    }

    /// Takes out all arrays of a sheet.
    pub fn take_sheet(&mut self, sheet: SheetId) -> Vec<(CellAddress, Spill)> {
        self.by_sheet.remove(&sheet).into_iter().flatten().collect()
    }

    /// Takes out all arrays of a sheet whose cells move: what had spilled is gone. Yields the cells concerned, where
    /// they are afterwards.
    pub fn restructure(&mut self, edit: &StructuralEdit) -> Vec<Range> {
        let mut concerned = Vec::new();
        for (anchor, spill) in self.take_sheet(edit.sheet) {
            concerned.extend(edit.map_cell(anchor).map(Range::cell));
            concerned.extend(edit.map_range(spill.wanted));
        }
        concerned
    }
}
