//! Lines that are moved, against lines that come, go, are moved or sorted.
//!
//! Two moves are rebased over one another by the order of lines that shall come out: it is worked out once, and each
//! side is asked which of its lines are not yet where they belong.

use quadrille_cell::{Dimension, EditKind, Range, SheetId, StructuralEdit};

use super::permutation::inverse_of;
use super::relocate::{relocate_lines, with_lines};
use crate::Operation;
use crate::Operation::{PermuteRows, Restructure};
use crate::rebase::outcome::Outcome;

pub(super) fn is_move_of_rows(edit: &StructuralEdit) -> bool {
    edit.dimension == Dimension::Rows && matches!(edit.kind, EditKind::Move { .. })
}

/// The move of `edit`'s kind and sheet; `None` when it would leave everything where it is.
fn move_of(edit: &StructuralEdit, at: u32, count: u32, to: u32) -> Option<Operation> {
    let end = edit.dimension.len_max();
    if at >= end {
        return None; // pushed off the sheet
    }
    let count = count.min(end - at);
    let moved = StructuralEdit { kind: EditKind::Move { to: to.min(end) }, at, count, ..*edit };
    moved.moved_window().map(|_| Restructure(moved))
}

// Against lines that come or go

/// The move after an insertion. What is inserted between moved lines goes with them.
pub(super) fn move_over_insertion(
    moved: &StructuralEdit,
    to: u32,
    insertion: &StructuralEdit,
    is_later: bool,
) -> Vec<Operation> {
    let (at, count, inserted) = (moved.at, moved.count, insertion.count);
    let shift = |line: u32, moves: bool| if moves { line.saturating_add(inserted) } else { line };
    let goes_along = at < insertion.at && insertion.at < moved.end();
    // At one place, what was first stands before what is later.
    let to = shift(to, insertion.at < to || insertion.at == to && is_later);
    let at_after = shift(at, insertion.at <= at);
    move_of(moved, at_after, shift(count, goes_along), to).into_iter().collect()
}

/// The insertion after a move.
pub(super) fn insertion_over_move(
    insertion: &StructuralEdit,
    moved: &StructuralEdit,
    to: u32,
    is_later: bool,
) -> Vec<Operation> {
    let end = insertion.dimension.len_max();
    let behind = |line: u32| moved.map_index(line - 1).map_or(end, |line| line + 1);
    let at = match insertion.at {
        // Beside the moved lines: where they were.
        at if moved.at == at || moved.end() == at => match moved.end() {
            next if next < end => moved.map_index(next).unwrap_or(next),
            _ => behind(moved.at),
        },
        at if at == to && !is_later => moved.destination(),
        at => moved.map_index(at).unwrap_or(at),
    };
    let count = insertion.count.min(end.saturating_sub(at));
    (count > 0).then_some(Restructure(StructuralEdit { at, count, ..*insertion })).into_iter().collect()
}

/// The move after a deletion: of the lines that are left.
pub(super) fn move_over_deletion(
    moved: &StructuralEdit,
    to: u32,
    deletion: &StructuralEdit,
) -> Vec<Operation> {
    let left = relocate_lines(moved.at, moved.end() - 1, deletion);
    let Some(first) = left.first() else { return Vec::new() };
    let count = left.iter().map(|part| part.count).sum();
    let to = match to {
        to if to <= deletion.at => to,
        to => to.max(deletion.end()) - deletion.count,
    };
    move_of(moved, first.after, count, to).into_iter().collect()
}

/// The deletion after a move follows its lines, the lower ones first.
pub(super) fn deletion_over_move(deletion: &StructuralEdit, moved: &StructuralEdit) -> Vec<Operation> {
    let last = deletion.end().min(deletion.dimension.len_max()) - 1;
    let mut parts: Vec<StructuralEdit> = Vec::new();
    for part in relocate_lines(deletion.at, last, moved) {
        match parts.last_mut() {
            Some(before) if before.end() == part.after => before.count += part.count,
            _ => parts.push(StructuralEdit { at: part.after, count: part.count, ..*deletion }),
        }
    }
    parts.into_iter().rev().map(Restructure).collect()
}

// Against lines that are moved

/// Neighbouring lines, named by where they were before both moves.
type Stretch = (u32, u32);

/// The lines from the first on, in some order: stretches with first line and count.
#[derive(Clone)]
struct Order {
    first: u32,
    stretches: Vec<Stretch>,
}

impl Order {
    fn position_of(&self, line: u32) -> u32 {
        let mut place = self.first;
        for (first, count) in &self.stretches {
            if (*first..first + count).contains(&line) {
                return place + (line - first);
            }
            place += count;
        }
        place
    }

    /// Takes out the lines that `takes` names, by stretches that are cut at `cuts`.
    fn take(&mut self, cuts: &[u32], takes: impl Fn(u32) -> bool) -> Vec<Stretch> {
        let mut pieces: Vec<Stretch> = Vec::new();
        for (first, count) in self.stretches.drain(..) {
            let mut from = first;
            let mut inside: Vec<u32> =
                cuts.iter().copied().filter(|cut| first < *cut && *cut < first + count).collect();
            inside.sort();
            for cut in inside.into_iter().chain([first + count]) {
                if from < cut {
                    pieces.push((from, cut - from));
                    from = cut;
                }
            }
        }
        let taken = pieces.iter().copied().filter(|(first, _)| takes(*first)).collect();
        self.stretches = pieces.into_iter().filter(|(first, _)| !takes(*first)).collect();
        taken
    }

    /// Puts stretches before `line`, or last.
    fn put(&mut self, stretches: Vec<Stretch>, line: u32) {
        let mut index = 0;
        while let Some((first, count)) = self.stretches.get(index).copied() {
            if (first..first + count).contains(&line) {
                if first < line {
                    self.stretches[index] = (first, line - first);
                    self.stretches.insert(index + 1, (line, first + count - line));
                    index += 1;
                }
                break;
            }
            index += 1;
        }
        self.stretches.splice(index..index, stretches);
    }

    fn moved(mut self, at: u32, count: u32, line: u32) -> Order {
        let stretches = self.take(&[at, at + count], |first| (at..at + count).contains(&first));
        self.put(stretches, line);
        self
    }
}

/// Where both move the same lines, the later one's place is theirs; what is put between lines that the other
/// moves goes with them.
pub(super) fn move_over_move(
    (later, later_to): (&StructuralEdit, u32),
    (earlier, earlier_to): (&StructuralEdit, u32),
) -> Outcome {
    let (Some(window), Some(other)) = (later.moved_window(), earlier.moved_window()) else {
        return Outcome::unchanged();
    };
    let hull = (window.0.min(other.0), window.1.max(other.1));
    let before = Order { first: hull.0, stretches: vec![(hull.0, hull.1 - hull.0 + 1)] };
    let is_in = |edit: &StructuralEdit, line: u32| (edit.at..edit.end()).contains(&line);
    let is_among = |edit: &StructuralEdit, to: u32| edit.at < to && to < edit.end();

    let after_earlier = before.clone().moved(earlier.at, earlier.count, earlier_to);
    let after_later = before.moved(later.at, later.count, later_to);

    let takes_later_along = is_among(earlier, later_to);
    let takes_earlier_along = is_among(later, earlier_to) && !takes_later_along;
    // The line that the later one's lines stand before, when the earlier one has moved its own away.
    let mut line = later_to;
    if !takes_later_along && is_in(earlier, line) {
        line = earlier.end();
    }
    if is_in(later, line) {
        line = later.end();
    }
    if !takes_later_along && is_in(earlier, line) {
        line = earlier.end();
    }
    let cuts = [later.at, later.end(), earlier.at, earlier.end()];
    let mut wanted = after_earlier.clone();
    let taken =
        wanted.take(&cuts, |first| is_in(later, first) || takes_earlier_along && is_in(earlier, first));
    wanted.put(taken, line);

    let later_moves = moves_towards(&wanted, after_earlier, later, &cuts, |line| {
        is_in(later, line) || takes_earlier_along && is_in(earlier, line)
    });
    let earlier_moves = moves_towards(&wanted, after_later, earlier, &cuts, |line| {
        is_in(earlier, line) || takes_later_along && is_in(later, line)
    });
    Outcome::both(later_moves, earlier_moves)
}

/// Moves of the lines that `moves` names until the lines are in the order wanted. The others are so already.
fn moves_towards(
    wanted: &Order,
    mut found: Order,
    like: &StructuralEdit,
    cuts: &[u32],
    moves: impl Fn(u32) -> bool,
) -> Vec<Operation> {
    let mut cut = wanted.clone();
    cut.take(cuts, |_| false);
    let mut pieces: Vec<(Option<u32>, Stretch)> = Vec::new();
    let mut before = None;
    for stretch in cut.stretches {
        let is_joined = matches!(pieces.last(), Some((_, (first, count))) if first + count == stretch.0);
        match pieces.last_mut() {
            Some((_, last)) if is_joined && moves(last.0) && moves(stretch.0) => last.1 += stretch.1,
            _ => pieces.push((before, stretch)),
        }
        before = Some(stretch.0 + stretch.1 - 1);
    }
    let mut operations = Vec::new();
    for (before, (first, count)) in pieces.into_iter().filter(|(_, (first, _))| moves(*first)) {
        // Lines of a piece may stand apart from one another; each part goes behind what it shall follow.
        let mut behind = before;
        let mut line = first;
        while line < first + count {
            let at = found.position_of(line);
            let mut length = 1;
            while line + length < first + count && found.position_of(line + length) == at + length {
                length += found.run_from(line + length).min(first + count - line - length);
            }
            let to = behind.map_or(found.first, |line| found.position_of(line) + 1);
            if let Some(operation) = move_of(like, at, length, to) {
                operations.push(operation);
                let next = found.line_at(to);
                found = found.moved(line, length, next);
            }
            behind = Some(line + length - 1);
            line += length;
        }
    }
    operations
}

impl Order {
    /// How many lines from this one on stand together as before.
    fn run_from(&self, line: u32) -> u32 {
        let holds = |(first, count): &&Stretch| (*first..first + count).contains(&line);
        self.stretches.iter().find(holds).map_or(1, |(first, count)| first + count - line)
    }

    /// The line at a place; beyond the end, one that is in no stretch.
    fn line_at(&self, place: u32) -> u32 {
        let mut next = self.first;
        for (first, count) in &self.stretches {
            if place < next + count {
                return first + (place - next);
            }
            next += count;
        }
        u32::MAX
    }
}

// Against sorted rows

type Sorted<'a> = (SheetId, Range, &'a [u32]);

/// The rows are moved as they stand, and those that were meant follow within the sorted columns.
pub(super) fn move_over_sort(moved: &StructuralEdit, sort: Sorted<'_>) -> Outcome {
    sort_and_move(sort, moved, true, Outcome::both)
}

/// Moved rows are sorted with the others, unless they were moved into the range or out of it.
pub(super) fn sort_over_move(sort: Sorted<'_>, moved: &StructuralEdit) -> Outcome {
    sort_and_move(sort, moved, false, |moves, sorts| Outcome::both(sorts, moves))
}

/// `outcome` is given the move after the sort and the sort after the move.
fn sort_and_move(
    (sheet, range, order): Sorted<'_>,
    moved: &StructuralEdit,
    is_move_later: bool,
    outcome: impl FnOnce(Vec<Operation>, Vec<Operation>) -> Outcome,
) -> Outcome {
    let (EditKind::Move { to }, Some(window)) = (moved.kind, moved.moved_window()) else {
        return Outcome::unchanged();
    };
    let (first, last) = (range.first().row.get(), range.last().row.get());
    if sheet != moved.sheet || last < window.0 || window.1 < first {
        return Outcome::unchanged();
    }
    let hull = (window.0.min(first), window.1.max(last));
    // Contents of the sorted columns, named by the row in which they were before both.
    let before: Vec<u32> = (hull.0..=hull.1).collect();
    let place = |row: u32| (row - hull.0) as usize;
    let with_move = |rows: &[u32]| {
        let mut after = rows.to_vec();
        for (row, content) in (hull.0..).zip(rows) {
            after[place(moved.map_index(row).unwrap_or(row))] = *content;
        }
        after
    };
    let after_move = with_move(&before);
    let mut after_sort = before.clone();
    for (target, source) in (first..).zip(order) {
        after_sort[place(target)] = first + source;
    }
    let wanted: Vec<u32> = if is_move_later {
        let is_moved = |content: &u32| (moved.at..moved.end()).contains(content);
        let (gone, kept) = after_sort.split_at(to.saturating_sub(hull.0) as usize);
        let rest =
            |part: &[u32]| part.iter().copied().filter(|content| !is_moved(content)).collect::<Vec<_>>();
        let taken: Vec<u32> = after_sort.iter().copied().filter(is_moved).collect();
        [rest(gone), taken, rest(kept)].concat()
    } else {
        let mut wanted = after_move.clone();
        let (span_first, span_last) = moved.map_span(first, last).unwrap_or((first, last));
        let is_inside = |content: u32| {
            let row = moved.map_index(content).unwrap_or(content);
            (span_first..=span_last).contains(&row)
        };
        let mut contents = order.iter().map(|source| first + source).filter(|content| is_inside(*content));
        for row in span_first..=span_last {
            let is_sorted = (first..=last).contains(&after_move[place(row)]);
            if let Some(content) = if is_sorted { contents.next() } else { None } {
                wanted[place(row)] = content;
            }
        }
        wanted
    };
    let sort_from = |found: &[u32]| permutation(sheet, range, hull.0, found, &wanted);
    let moves = [Some(Restructure(*moved)), sort_from(&with_move(&after_sort))];
    outcome(moves.into_iter().flatten().collect(), sort_from(&after_move).into_iter().collect())
}

/// The sort of the columns of `range` that puts `wanted` in place of `found`, both from the row `first` on.
fn permutation(sheet: SheetId, range: Range, first: u32, found: &[u32], wanted: &[u32]) -> Option<Operation> {
    let differs = |index: &usize| found[*index] != wanted[*index];
    let from = (0..found.len()).find(differs)?;
    let until = (0..found.len()).rev().find(differs)?;
    let place_of = inverse_of(&found.iter().map(|content| content - first).collect::<Vec<_>>());
    let order: Vec<u32> = wanted[from..=until]
        .iter()
        .map(|content| place_of[(content - first) as usize] - from as u32)
        .collect();
    let range = with_lines(range, Dimension::Rows, first + from as u32, order.len() as u32);
    Some(PermuteRows { sheet, range, order: order.into() })
}
