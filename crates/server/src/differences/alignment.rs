//! [`Alignment`]: which rows or columns of a sheet are which after structural edits.

use quadrille_cell::{Dimension, EditKind, StructuralEdit};

/// Consecutive rows or columns that kept their order, or that are new.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Run {
    /// Zero-based index before the edits; `None` for inserted ones.
    before: Option<u32>,
    count: u32,
}

impl Run {
    /// The run from its `offset` on.
    fn from(self, offset: u32) -> Run {
        Run { before: self.before.map(|first| first + offset), count: self.count - offset }
    }
}

/// Consecutive rows or columns that two states of a sheet show beside each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AlignedRun {
    /// Zero-based index of the first one before the edits; `None` for inserted ones.
    pub before: Option<u32>,
    /// Zero-based index of the first one after the edits; `None` for deleted ones.
    pub after: Option<u32>,
    pub count: u32,
}

/// The rows or columns of a sheet after edits, each with its index before them.
#[derive(Clone, Debug)]
pub struct Alignment {
    dimension: Dimension,
    /// In the order after the edits.
    runs: Vec<Run>,
}

impl Alignment {
    /// The alignment of a sheet that was not edited.
    pub fn new(dimension: Dimension) -> Alignment {
        Alignment { dimension, runs: vec![Run { before: Some(0), count: dimension.len_max() }] }
    }

    /// Follows an edit of the sheet; one of the other dimension changes nothing.
    pub fn follow(&mut self, edit: &StructuralEdit) {
        let end = self.dimension.len_max();
        if edit.dimension != self.dimension || edit.at >= end {
            return;
        }
        let count = edit.count.min(end - edit.at);
        match edit.kind {
            EditKind::Insert => {
                let at = self.split(edit.at);
                self.runs.insert(at, Run { before: None, count });
                let cut = self.split(end);
                self.runs.truncate(cut);
            }
            EditKind::Delete => {
                drop(self.cut(edit.at, count));
                // Blank ones follow at the end of the sheet.
                self.runs.push(Run { before: None, count });
            }
            EditKind::Move { .. } if edit.moved_window().is_some() => {
                let moved = self.cut(edit.at, count);
                let at = self.split(edit.destination());
                drop(self.runs.splice(at..at, moved));
            }
            EditKind::Move { .. } => {}
        }
    }

    /// Takes out the runs of `count` indices from `first` on.
    fn cut(&mut self, first: u32, count: u32) -> Vec<Run> {
        let begin = self.split(first);
        let end = self.split(first + count);
        self.runs.drain(begin..end).collect()
    }

    /// Splits the run that contains an index. Returns the number of the run that begins there.
    fn split(&mut self, index: u32) -> usize {
        let mut first = 0;
        for number in 0..self.runs.len() {
            let run = self.runs[number];
            if first >= index {
                return number;
            }
            if index < first + run.count {
                self.runs[number].count = index - first;
                self.runs.insert(number + 1, run.from(index - first));
                return number + 1;
            }
            first += run.count;
        }
        self.runs.len()
    }

    /// The runs within the first `before_count` indices before and `after_count` after the edits, in
    /// the order after the edits. Deleted ones follow those that were before them.
    pub fn runs(&self, before_count: u32, after_count: u32) -> Vec<AlignedRun> {
        let mut aligned: Vec<AlignedRun> = Vec::new();
        let mut after = 0;
        for run in &self.runs {
            let shown = run.count.min(after_count.saturating_sub(after));
            if shown == 0 {
                break;
            }
            aligned.push(AlignedRun { before: run.before, after: Some(after), count: shown });
            after += run.count;
        }
        let mut kept: Vec<(u32, u32)> =
            aligned.iter().filter_map(|run| Some((run.before?, run.count))).collect();
        kept.sort_unstable();
        let mut next = 0;
        for (first, count) in kept.into_iter().chain([(before_count, 0)]) {
            if next < first.min(before_count) {
                let gap =
                    AlignedRun { before: Some(next), after: None, count: first.min(before_count) - next };
                let at = aligned.iter().position(|run| {
                    next > 0 && run.before.is_some_and(|first| first < next && next <= first + run.count)
                });
                aligned.insert(at.map_or(0, |at| at + 1), gap);
            }
            next = next.max(first + count);
        }
        aligned
    }
}

#[cfg(test)]
mod tests {
    use quadrille_cell::SheetId;

    use super::*;

    /// Follows edits of rows, written as `insert 2 3`, `delete 0 1` or `move 4 2 0`; returns the
    /// runs of sheets with ten rows in use.
    fn aligned(edits: &[&str]) -> String {
        let mut alignment = Alignment::new(Dimension::Rows);
        for edit in edits {
            let mut words = edit.split(' ');
            let kind = words.next();
            let numbers: Vec<u32> = words.map(|word| word.parse().expect("a number")).collect();
            let kind = match kind {
                Some("insert") => EditKind::Insert,
                Some("delete") => EditKind::Delete,
                _ => EditKind::Move { to: numbers[2] },
            };
            let (at, count) = (numbers[0], numbers[1]);
            alignment.follow(&StructuralEdit {
                sheet: SheetId(1),
                dimension: Dimension::Rows,
                kind,
                at,
                count,
            });
        }
        let name = |first: Option<u32>| first.map_or("-".to_owned(), |first| first.to_string());
        let runs = alignment.runs(10, 10).into_iter();
        let written: Vec<String> =
            runs.map(|run| format!("{}:{}x{}", name(run.before), name(run.after), run.count)).collect();
        written.join(" ")
    }

    #[test]
    fn rows_are_found_again_after_insertions_deletions_and_moves() {
        assert_eq!(aligned(&[]), "0:0x10");
        // The last two rows lie below the ten that are compared after the edit.
        assert_eq!(aligned(&["insert 3 2"]), "0:0x3 -:3x2 3:5x5 8:-x2");
        assert_eq!(aligned(&["delete 3 2"]), "0:0x3 3:-x2 5:3x7");
        assert_eq!(aligned(&["delete 0 1"]), "0:-x1 1:0x10");
        assert_eq!(aligned(&["move 1 2 6"]), "0:0x1 3:1x3 1:4x2 6:6x4");
        assert_eq!(aligned(&["move 6 2 1"]), "0:0x1 6:1x2 1:3x5 8:8x2");
        assert_eq!(aligned(&["move 6 2 7"]), "0:0x10");
        assert_eq!(aligned(&["insert 2 1", "delete 2 1"]), "0:0x2 2:2x8");
    }

    #[test]
    fn a_sheet_keeps_its_number_of_rows() {
        let mut alignment = Alignment::new(Dimension::Columns);
        for (kind, at) in [(EditKind::Insert, 0), (EditKind::Delete, 5), (EditKind::Insert, 16_383)] {
            let dimension = Dimension::Columns;
            alignment.follow(&StructuralEdit { sheet: SheetId(1), dimension, kind, at, count: 3 });
        }
        let total: u32 = alignment.runs.iter().map(|run| run.count).sum();
        assert_eq!(total, Dimension::Columns.len_max());
    }
}
