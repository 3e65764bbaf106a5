//! The evaluation stack.

use std::collections::HashMap;

use quadrille_cell::{CellAddress, Range, SheetId};

use crate::graph::NodeId;

/// A cell whose evaluation has begun.
#[derive(Debug)]
pub(crate) struct Frame {
    pub sheet: SheetId,
    pub cell: CellAddress,
    pub node: NodeId,
    /// The range that it needs before it can continue.
    pub waiting: Option<(SheetId, Range)>,
}

/// Cells being evaluated, each of which needs the next. Short stacks are searched linearly; beyond
/// [`NEAR`] frames a hash map gives the position.
pub(crate) struct EvaluationStack {
    frames: Vec<Frame>,
    far: HashMap<(SheetId, CellAddress), usize>,
}

const NEAR: usize = 16;

impl EvaluationStack {
    /// A stack of these frames, the last one on top.
    pub fn new(frames: Vec<Frame>) -> EvaluationStack {
        let far = frames.iter().enumerate().skip(NEAR);
        let far = far.map(|(index, frame)| ((frame.sheet, frame.cell), index)).collect();
        EvaluationStack { frames, far }
    }

    /// The top frame.
    pub fn last_mut(&mut self) -> Option<&mut Frame> {
        self.frames.last_mut()
    }

    /// The position of a cell in the stack.
    pub fn position(&self, sheet: SheetId, cell: CellAddress) -> Option<usize> {
        let mut near = self.frames.iter().take(NEAR);
        let found = near.position(|frame| frame.cell == cell && frame.sheet == sheet);
        if found.is_some() || self.frames.len() <= NEAR {
            return found;
        }
        self.far.get(&(sheet, cell)).copied()
    }

    /// Pushes a cell that is not in the stack.
    pub fn push(&mut self, frame: Frame) {
        if self.frames.len() >= NEAR {
            self.far.insert((frame.sheet, frame.cell), self.frames.len());
        }
        self.frames.push(frame);
    }

    /// Removes the top frame.
    pub fn pop(&mut self) -> Option<Frame> {
        let frame = self.frames.pop()?;
        if self.frames.len() >= NEAR {
            self.far.remove(&(frame.sheet, frame.cell));
        }
        Some(frame)
    }

    /// Removes and returns the frames from a position on.
    pub fn split_off(&mut self, start: usize) -> Vec<Frame> {
        let taken = self.frames.split_off(start);
        for frame in taken.iter().skip(NEAR.saturating_sub(start)) {
            self.far.remove(&(frame.sheet, frame.cell));
        }
        taken
    }

    /// The frames from bottom to top.
    pub fn into_frames(self) -> Vec<Frame> {
        self.frames
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_found_beyond_the_linear_part() {
        let cell = |row: u32| CellAddress::clamped(row, 0);
        let frame = |row| Frame { sheet: SheetId(1), cell: cell(row), node: NodeId(0), waiting: None };
        let mut stack = EvaluationStack::new((0..20).map(frame).collect());
        (20..40).for_each(|row| stack.push(frame(row)));
        let all = |stack: &EvaluationStack| {
            (0..50).filter(|row| stack.position(SheetId(1), cell(*row)).is_some()).count()
        };
        assert_eq!(stack.position(SheetId(1), cell(30)), Some(30));
        assert_eq!(stack.position(SheetId(2), cell(3)), None);
        assert_eq!(stack.pop().map(|frame| frame.cell), Some(cell(39)));
        assert_eq!(all(&stack), 39);
        assert_eq!(stack.split_off(25).len(), 14);
        assert_eq!(all(&stack), 25);
        assert_eq!(stack.split_off(5).len(), 20);
        assert_eq!(all(&stack), 5);
        stack.push(frame(30));
        assert_eq!(stack.position(SheetId(1), cell(30)), Some(5));
        assert_eq!(stack.into_frames().len(), 6);
    }
}
