//! The cells whose evaluation is under way, each of which needs the next.

use std::collections::HashMap;

use quadrille_cell::{CellAddress, Range, SheetId};

use crate::graph::NodeId;

/// A cell whose evaluation is under way.
#[derive(Debug)]
pub(crate) struct Frame {
    pub sheet: SheetId,
    pub cell: CellAddress,
    pub node: NodeId,
    /// What it cannot go on without.
    pub waiting: Option<(SheetId, Range)>,
}

/// A way from cell to cell. Most are a few cells long and searched one by one; those further along are found by place.
pub(crate) struct EvaluationStack {
    frames: Vec<Frame>,
    far: HashMap<(SheetId, CellAddress), usize>,
}

const NEAR: usize = 16;

impl EvaluationStack {
    pub fn new(frames: Vec<Frame>) -> EvaluationStack {
        let far = frames.iter().enumerate().skip(NEAR);
        let far = far.map(|(index, frame)| ((frame.sheet, frame.cell), index)).collect();
        EvaluationStack { frames, far }
    }

    pub fn last_mut(&mut self) -> Option<&mut Frame> {
        self.frames.last_mut()
    }

    /// Where on the way a cell stands.
    pub fn position(&self, sheet: SheetId, cell: CellAddress) -> Option<usize> {
        let mut near = self.frames.iter().take(NEAR);
        let found = near.position(|frame| frame.cell == cell && frame.sheet == sheet);
        if found.is_some() || self.frames.len() <= NEAR {
            return found;
        }
        self.far.get(&(sheet, cell)).copied()
    }

    /// For cells that are not on the way yet.
    pub fn push(&mut self, frame: Frame) {
        if self.frames.len() >= NEAR {
            self.far.insert((frame.sheet, frame.cell), self.frames.len());
        }
        self.frames.push(frame);
    }

    pub fn pop(&mut self) -> Option<Frame> {
        let frame = self.frames.pop()?;
        if self.frames.len() >= NEAR {
            self.far.remove(&(frame.sheet, frame.cell));
        }
        Some(frame)
    }

    /// Takes the cells from a position on.
    pub fn split_off(&mut self, start: usize) -> Vec<Frame> {
        let taken = self.frames.split_off(start);
        for frame in taken.iter().skip(NEAR.saturating_sub(start)) {
            self.far.remove(&(frame.sheet, frame.cell));
        }
        taken
    }

    pub fn into_frames(self) -> Vec<Frame> {
        self.frames
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_found_near_and_far_until_they_are_taken() {
        let cell = |row: u32| CellAddress::clamped(row, 0);
        let frame = |row| Frame { sheet: SheetId(1), cell: cell(row), node: NodeId(0), waiting: None };
        let mut way = EvaluationStack::new((0..20).map(frame).collect());
        (20..40).for_each(|row| way.push(frame(row)));
        let all = |way: &EvaluationStack| {
            (0..50).filter(|row| way.position(SheetId(1), cell(*row)).is_some()).count()
        };
        assert_eq!(way.position(SheetId(1), cell(30)), Some(30));
        assert_eq!(way.position(SheetId(2), cell(3)), None);
        assert_eq!(way.pop().map(|frame| frame.cell), Some(cell(39)));
        assert_eq!(all(&way), 39);
        assert_eq!(way.split_off(25).len(), 14);
        assert_eq!(all(&way), 25);
        assert_eq!(way.split_off(5).len(), 20);
        assert_eq!(all(&way), 5);
        way.push(frame(30));
        assert_eq!(way.position(SheetId(1), cell(30)), Some(5));
        assert_eq!(way.into_frames().len(), 6);
    }
}
